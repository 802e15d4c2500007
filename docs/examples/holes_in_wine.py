"""
=============================
Wine with more and more holes
=============================

Cells of the wine data (scikit-learn) are deleted at random. SKFR and k-POD use what is left, and are
compared with k-means on data that were filled in.
"""

# %%
# How much may be missing?
# ------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sparsek import SKFR, KPod, plots

wine = load_wine(as_frame=True)
X, grape = wine.data, wine.target
shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
scores = {"SKFR, 9 features": [], "k-POD": [], "k-means, means filled in": []}
complete = []
for share in shares:
    found = []
    for seed in range(3):
        gone = np.random.default_rng(seed).random(X.shape) < share
        holes = X.mask(gone)
        Z = StandardScaler().fit_transform(holes)
        found.append(
            [
                adjusted_rand_score(grape, labels)
                for labels in (
                    SKFR(3, 9, n_init=20, standardize=True, random_state=0)
                    .fit(holes)
                    .labels_,
                    KPod(3, random_state=0).fit(Z).labels_,
                    KMeans(3, n_init=10, random_state=0)
                    .fit(SimpleImputer().fit_transform(Z))
                    .labels_,
                )
            ]
        )
    complete.append(int((~gone).all(axis=1).sum()))
    for name, score in zip(scores, np.mean(found, axis=0), strict=True):
        scores[name].append(score)

fig, ax = plt.subplots(layout="constrained")
for (name, values), line in zip(scores.items(), ("o-", "s-", "^--"), strict=True):
    ax.plot(shares, values, line, label=name)
ax.set(
    xlabel="share of cells that are missing",
    ylabel="adjusted Rand index (mean of 3)",
    ylim=(0, 1),
)
ax.legend()
print("rows without a hole:", dict(zip(shares, complete, strict=True)))
for name, values in scores.items():
    print(f"{name}: {np.round(values, 2)}")

# %%
# With a fifth of the cells missing, hardly any row is complete, so incomplete rows cannot be left out.
# Filling in means is nearly as good if few cells are missing, and worse if many are.
#
# Where the holes are
# -------------------
# Look at the pattern of missing cells before you trust a result. Here it is the same in all clusters,
# because cells were deleted at random.

holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
fit = SKFR(3, 9, n_init=20, standardize=True, random_state=0).fit(holes)
plots.plot_missing(fit, holes)

# %%
# Holes that are not at random
# ----------------------------
# Now large values of proline are missing, as if an instrument had a limit. Nobody can see that from the
# table.

limited = X.copy()
limited.loc[limited["proline"] > 1000, "proline"] = np.nan
biased = SKFR(3, 9, n_init=20, standardize=True, random_state=0).fit(limited)
every, left = X["proline"].mean(), limited["proline"].mean()
print(f"mean of proline: {every:.0f} of all values, {left:.0f} of those that are left")
print(f"ARI {adjusted_rand_score(grape, biased.labels_):.2f}")
plots.plot_missing(biased, limited)

# %%
# Only one column has holes, but the agreement falls from 0.88 to 0.73. The mean of proline is too low as
# well. If values are missing because they are large or small, no method of this kind helps.
