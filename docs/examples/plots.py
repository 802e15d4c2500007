"""
=================
Pictures of a fit
=================

This page has all plots of `sparsek.plots`, on the wine data of scikit-learn: 178 bottles and 13 measurements.
Each function takes `ax=` and returns the axes. Most take an estimator, a pipeline or a search.
"""

# %%
# Features of the clusters
# ------------------------
# The bars are the weights of the features. Features with grey names are not in use.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sparsek import (
    SKFR,
    ConsensusClustering,
    FeatureFDR,
    FitUncertainty,
    KPod,
    ModelChoice,
    PermutationGap,
    SparseAgglomerativeClustering,
    StabilitySelection,
    plots,
    skfr_path,
)

X = load_wine(as_frame=True).data
skfr = SKFR(3, n_features_to_select=6, standardize=True, random_state=0).fit(X)
weights = plots.plot_weights(skfr)

# %%
# A heat map, if every cluster has weights of its own.

local = SKFR(3, n_features_to_select=4, scope="local", random_state=0).fit(X)
by_cluster = plots.plot_weights(local)

# %%
# Means of the clusters. Cluster 1 is high in everything, cluster 2 low in all but alcohol.

centers = plots.plot_centers(skfr, X)

# %%
# Pairs of the most important features. Flavanoids and od280/od315 set cluster 2 apart, proline sets cluster 1
# apart.

pairs = plots.plot_pairs(skfr, X, top=3)

# %%
# All rows in the plane of two principal components: of the features in use, and of all features.

planes = plots.plot_projection(skfr, X)

# %%
# One plane, with an ellipse around every cluster. On discriminant coordinates clusters are farthest apart.

apart = plots.plot_clusters(skfr, X, plane="discriminant")

# %%
# All bottles between the trees of bottles and measurements, branches in the colours of the clusters.

heat = plots.plot_heatmap((X - X.mean()) / X.std(), skfr.labels_)

# %%
# A dot for every cluster and feature: its colour is the mean, its size the share of bottles above the mean of
# all bottles.

dots = plots.plot_dotplot(skfr, X)

# %%
# How clear the clusters are
# --------------------------
# Silhouettes on the features in use: some bottles of cluster 0 are nearer to another one.

silhouette = plots.plot_silhouette(skfr, X)

# %%
# A tree of the bottles on the features that sparse hierarchical clustering selects.

Z = (X - X.mean()) / X.std()
tree = SparseAgglomerativeClustering(3, l1_bound=2, linkage="complete").fit(Z)
branches = plots.plot_dendrogram(tree)

# %%
# Two of the 20 starts end with the best objective, so `n_init` should be raised.

convergence = plots.plot_convergence(skfr)

# %%
# How many features, how many clusters
# ------------------------------------
# The lines show at which number of features each feature is selected.

path = skfr_path(SKFR(3, n_init=5, random_state=0), X)
lines = plots.plot_path(path)

# %%
# The elbow: the sum of squares over the number of clusters. Whether it bends at three is a matter of opinion.
# The mean silhouette has a largest value.

_, sides = plt.subplots(1, 2, figsize=(9.2, 4.2), layout="constrained")
bend = plots.plot_elbow(skfr, X, sides[0], n_clusters=range(1, 7))
clear = plots.plot_elbow(skfr, X, sides[1], n_clusters=range(2, 7), criterion="silhouette")

# %%
# The gap statistic for the number of features, with its standard errors; for both numbers, a heat map. Nearly
# all 13 measurements differ between the grapes, and the gap is largest with all of them.

sizes = [1, 2, 3, 4, 6, 9, 13]
model = SKFR(3, n_init=5)
search = PermutationGap(
    model, "n_features_to_select", sizes, n_permutations=10, random_state=0
).fit(X)
curve = plots.plot_gap(search)

# %%

grid = PermutationGap(
    model,
    ("n_clusters", "n_features_to_select"),
    ([2, 3, 4, 5], sizes),
    objective=lambda fit: 1 / fit.objective_,
    n_permutations=5,
    random_state=0,
).fit(X)
surface = plots.plot_gap(grid)

# %%
# Several criteria over one grid: what each chooses is marked.

criteria = ModelChoice(
    model,
    {"n_clusters": [2, 3, 4, 5], "n_features_to_select": sizes},
    ("thinning", "blocks", "strength"),
    random_state=0,
).fit(X)
panels = plots.plot_choice(criteria)

# %%
# Stability over halves of the bottles
# ------------------------------------
# Features that most halves select, and pairs of bottles that stay together.

stability = StabilitySelection(
    SKFR(3, 6, n_init=5), n_resamples=30, threshold=0.8, random_state=0
).fit(X)
frequencies = plots.plot_stability(stability, 0.8)

# %%

consensus = ConsensusClustering(
    SKFR(n_features_to_select=6, n_init=3), n_resamples=20, random_state=0
).fit(X)
together = plots.plot_consensus(consensus)

# %%
# How sure the weights of one fit are, and how surely each bottle is in its cluster.

sure = FitUncertainty(SKFR(3, 6, n_init=3), n_resamples=50, random_state=0).fit(X)
intervals = plots.plot_uncertainty(sure)

# %%
# Which features tell clusters apart more than in a set without clusters, at a false discovery rate: bars that
# pass the dashed line.

found = FeatureFDR(SKFR(3, 6, n_init=3), 0.2, random_state=0).fit(X)
contrasts = plots.plot_feature_fdr(found)

# %%
# Data with holes
# ---------------
# Missing entries by cluster: here more in the later features, and equally many in all clusters.

holes = X.mask(np.random.default_rng(0).random(X.shape) < np.linspace(0, 0.5, X.shape[1]))
kpod = KPod(3, random_state=0).fit((holes - holes.mean()) / holes.std())
pattern = plots.plot_missing(kpod, holes)
