"""
==========================
A few labels go a long way
==========================

150 iris flowers of three species (scikit-learn). Two species overlap, so k-means draws the border in the
wrong place. With some labels the border is right.
"""

# %%
# No labels
# ---------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sparsek import COPKMeans, MPCKMeans, PCSparseKMeans

iris = load_iris()
X, species = iris.data, iris.target
kmeans = KMeans(3, n_init=20, random_state=0).fit(X)
print(f"k-means: ARI {adjusted_rand_score(species, kmeans.labels_):.2f}")

# %%
# Labels for some flowers
# -----------------------
# Labels stand for pairs: flowers of one label belong together, flowers of two labels apart. -1 is a flower
# without a label. The agreement is computed from the flowers without labels, as a mean over ten draws.

numbers = [5, 10, 20, 40]
models = {
    "COPKMeans": COPKMeans(3, init="seeding"),
    "MPCKMeans": MPCKMeans(3, init="seeding"),
    "PCSparseKMeans": PCSparseKMeans(3, l1_bound=1.3, init="seeding"),
}
scores = {name: np.zeros((len(numbers), 10)) for name in ["k-means", *models]}
for i, number in enumerate(numbers):
    for draw in range(10):
        rng = np.random.default_rng(draw)
        known = np.concatenate(
            [rng.choice(np.flatnonzero(species == s), 1) for s in range(3)]
        )
        others = np.setdiff1d(np.arange(150), known)
        known = np.concatenate([known, rng.choice(others, number - 3, replace=False)])
        given = np.full(150, -1)
        given[known] = species[known]
        hidden = given < 0
        scores["k-means"][i, draw] = adjusted_rand_score(
            species[hidden], kmeans.labels_[hidden]
        )
        for name, model in models.items():
            labels = model.fit(X, given).labels_
            scores[name][i, draw] = adjusted_rand_score(species[hidden], labels[hidden])

fig, ax = plt.subplots(layout="constrained")
for (name, values), line in zip(scores.items(), ("k--", "o-", "s-", "^-"), strict=True):
    ax.plot(numbers, values.mean(axis=1), line, label=name)
ax.set(
    xlabel="flowers with a label", ylabel="adjusted Rand index of the others", ylim=(0.5, 1)
)
ax.legend()
for name, values in scores.items():
    print(f"{name}: {values.mean(axis=1).round(2)}")

# %%
# COPKMeans keeps the labels, but they hardly help the other flowers. The other two methods learn from the
# labels which measurements are important, and that helps the flowers without labels too.
#
# What was learnt
# ---------------

sparse = models["PCSparseKMeans"].fit(X, given)
fig, ax = plt.subplots(layout="constrained")
ax.barh(iris.feature_names, sparse.feature_weights_)
ax.set(xlabel="weight")

# %%
# Petal length has nearly all the weight. The pictures show the two species in the plane of the petals.

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for ax, labels, title in zip(
    axes, (kmeans.labels_, sparse.labels_), ("k-means", "PCSparseKMeans"), strict=True
):
    ax.scatter(X[:, 2], X[:, 3], c=labels, cmap="viridis", s=18)
    ax.set(xlabel="petal length (cm)", title=title)
axes[0].set_ylabel("petal width (cm)")
