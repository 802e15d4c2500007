"""
===================================
Single cells and their marker genes
===================================

Counts of 1,500 genes in 800 cells of four types, one of them rare. Every type has 12 marker genes. k-means,
SKFR and sparse k-means group the cells; the latter two also name the genes.

The data are generated: negative binomial counts, as from droplet protocols, with a separate library size for
every cell.
"""

# %%
# The counts
# ----------
# The expected count is the library size of the cell times the share of the gene; markers are expressed five
# times as much in their type. The variance is mean + 0.5 mean^2.

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sparsek import SKFR, SparseKMeans, plots

SIZES = {"T cell": 350, "B cell": 250, "monocyte": 150, "NK cell": 50}
GENES, MARKERS, DISPERSION = 1500, 12, 0.5

rng = np.random.default_rng(0)
types = np.repeat(list(SIZES), list(SIZES.values()))
share = rng.lognormal(0, 1, GENES)
fold = np.ones((len(SIZES), GENES))
for row in range(len(SIZES)):
    fold[row, row * MARKERS : (row + 1) * MARKERS] = 5
expected = np.repeat(share * fold, list(SIZES.values()), axis=0)
expected *= (rng.lognormal(np.log(1500), 0.35, len(types)) / expected.sum(axis=1))[:, None]
counts = rng.negative_binomial(1 / DISPERSION, 1 / (1 + DISPERSION * expected))
genes = [f"{name.split()[0]}.marker{j:02d}" for name in SIZES for j in range(MARKERS)]
genes = np.array(genes + [f"gene{j:04d}" for j in range(len(genes), GENES)])
is_marker = np.arange(GENES) < len(SIZES) * MARKERS
print(f"{np.mean(counts == 0):.0%} of the counts are 0")
print(f"{np.median(counts.sum(axis=1)):.0f} counts in the median cell")

# %%
# Normalised logarithms
# ---------------------
# As usual: counts per 1,000 counts of the cell, and log(1 + x). Genes seen in fewer than 10 % of the cells
# are left out: once standardised, a gene seen in a few cells would make these cells a cluster of their own.

seen = np.mean(counts > 0, axis=0) >= 0.1
X = pd.DataFrame(
    np.log1p(1000 * counts / counts.sum(axis=1, keepdims=True))[:, seen],
    columns=genes[seen],
)
is_marker = is_marker[seen]
print(f"{X.shape[1]} genes kept, {is_marker.sum()} markers among them")

# %%
# Three methods
# -------------
# SKFR standardises the genes; the others get them standardised too. Sparse k-means depends on its starts
# here, so it gets 50 of them.


def report(method, labels, selected):
    """Print how well types and markers are found."""
    print(
        f"{method}: adjusted Rand index {adjusted_rand_score(types, labels):.2f}, "
        f"{(selected & is_marker).sum()} of {is_marker.sum()} markers "
        f"among {selected.sum()} genes in use"
    )


Z = (X - X.mean()) / X.std()
kmeans = KMeans(4, n_init=5, random_state=0).fit(Z)
report("k-means", kmeans.labels_, np.ones(X.shape[1], bool))
skfr = SKFR(4, n_features_to_select=48, random_state=0).fit(X)
report("SKFR", skfr.labels_, skfr.get_support())
sparse = SparseKMeans(4, l1_bound=6, n_init=50, random_state=0).fit(Z)
report("sparse k-means", sparse.labels_, sparse.get_support())

# %%

print(pd.crosstab(pd.Series(types, name="type"), pd.Series(skfr.labels_, name="SKFR")))

# %%
# Markers of each cluster
# -----------------------
# The genes whose centre lies farthest above the mean of all cells, in standard deviations.

for cluster, center in enumerate(skfr.standardized_centers_):
    top = np.argsort(-center)[:4]
    print(
        f"cluster {cluster}:", ", ".join(f"{X.columns[j]} (+{center[j]:.1f})" for j in top)
    )

# %%

plots.plot_centers(skfr, X, top=48)
