"""
==============================
A tree of flowers, few columns
==============================

Hierarchical clustering of 150 iris flowers (scikit-learn) beside columns of noise. Sparse hierarchical
clustering weights the columns before it builds the tree.
"""

# %%
# The data
# --------
# There are four measurements of each flower and 60 columns of normal noise, all standardised.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sparsek import SparseAgglomerativeClustering, plots

iris = load_iris()
noise = np.random.default_rng(0).normal(size=(150, 60))
X = StandardScaler().fit_transform(np.hstack([iris.data, noise]))
names = np.array([*iris.feature_names, *(f"noise {j}" for j in range(60))])

# %%
# Three clusterings
# -----------------

plain = AgglomerativeClustering(3, linkage="complete").fit(X)
kmeans = KMeans(3, n_init=20, random_state=0).fit(X)
tree = SparseAgglomerativeClustering(3, l1_bound=1.7, linkage="complete").fit(X)
for name, fit in (
    ("tree of all columns", plain),
    ("k-means", kmeans),
    ("sparse tree", tree),
):
    print(f"{name}: ARI {adjusted_rand_score(iris.target, fit.labels_):.2f}")
print("columns in use:", ", ".join(names[tree.get_support()]))

# %%
# The noise spoils the tree of all columns. k-means averages over many rows, so noise harms it less. The
# sparse tree is built from measurements of the flowers.
#
# The tree
# --------

fig, ax = plt.subplots(figsize=(9, 4), layout="constrained")
plots.plot_dendrogram(tree, ax=ax)

# %%
# The bound
# ---------
# A small bound keeps few columns, and a large one keeps noise too. In practice the agreement with the species
# is not known, so `PermutationGap` chooses the bound.

bounds = [1.2, 1.4, 1.7, 2, 2.5, 3, 4, 6]
fits = [
    SparseAgglomerativeClustering(3, l1_bound=b, linkage="complete").fit(X) for b in bounds
]
fig, left = plt.subplots(layout="constrained")
left.plot(bounds, [adjusted_rand_score(iris.target, fit.labels_) for fit in fits], "o-")
left.set(xlabel="L1 bound", ylabel="adjusted Rand index", ylim=(0, 1))
right = left.twinx()
right.plot(bounds, [fit.get_support().sum() for fit in fits], "s--", color="grey")
right.set_ylabel("columns in use (dashed)")

# %%
# Which columns
# -------------

order = np.argsort(-tree.feature_weights_)[:8][::-1]
fig, ax = plt.subplots(layout="constrained")
ax.barh(names[order], tree.feature_weights_[order])
ax.set(xlabel="weight")
