"""
==================================
Mice proteins, with missing values
==================================

Proteins in the brains of mice: 77 proteins, 15 measurements of each mouse, four classes of control mice by
treatment and by what they learnt (Higuera, Gardiner and Cios 2015). Some cells are missing. We ask for 49
small clusters, as on a map of 7 by 7 nodes. Each should have mice of one class only. Clusters with several
classes are called mixed nodes.

The script uses the real data if they are in the folder that ``SPARSEK_DATA`` names or in the cache
(``sparsek.datasets.fetch_mice_protein()`` puts them there). Otherwise it generates a look-alike of the same
shape, and says so.
"""

# %%
# The data
# --------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sparsek import SKFR, KPod, datasets, plots
from sparsek.metrics import mixed_class_nodes

CLASSES, NODES = 4, 49


def make_look_alike(seed=0):
    """38 mice, 15 measurements of each; 20 of the 77 proteins differ between the classes."""
    rng = np.random.default_rng(seed)
    mouse_class = np.repeat(np.arange(CLASSES), (10, 10, 9, 9))
    informative = np.arange(77) < 20
    centers = np.where(informative, rng.normal(0, 0.7, (CLASSES, 77)), 0)
    mice = centers[mouse_class] + np.where(informative, 0.4, 0.3) * rng.normal(
        size=(38, 77)
    )
    X = np.repeat(mice, 15, axis=0) + np.where(informative, 0.5, 1) * rng.normal(
        size=(570, 77)
    )
    for protein in rng.choice(77, 5, replace=False):  # an assay that failed for some mice
        X[np.isin(np.arange(570) // 15, rng.choice(38, 10, replace=False)), protein] = (
            np.nan
        )
    names = [f"protein{j:02d}" for j in range(77)]
    return pd.DataFrame(1 + 0.2 * X, columns=names), np.repeat(mouse_class, 15)


try:
    mice = datasets.fetch_mice_protein(as_frame=True, download_if_missing=False)
    control = mice.frame["Genotype"] == "Control"
    X, classes = mice.data[control], mice.target[control].to_numpy()
    print("real data, control mice")
except datasets.DatasetError:
    X, classes = make_look_alike()
    print("a generated look-alike: the real data are not on this machine")
print(
    f"{len(X)} measurements, {X.shape[1]} proteins, {X.isna().to_numpy().sum()} cells missing"
)
plots.plot_missing(X)

# %%
# Missing cells stay missing
# --------------------------
# SKFR minimises its loss over the cells that were observed. k-means cannot: here missing cells are replaced
# by the mean of the protein. k-POD fills them from the centres repeatedly, but uses all proteins.


def mixed(labels):
    """Numbers of mixed nodes and of the measurements in them."""
    nodes, rows = mixed_class_nodes(classes, labels)
    return f"{nodes} of {NODES} nodes mixed, {rows} measurements in them"


scaled = make_pipeline(StandardScaler(), SimpleImputer()).fit_transform(X)
print(
    "k-means on filled data:",
    mixed(KMeans(NODES, n_init=20, random_state=0).fit(scaled).labels_),
)
print(
    "k-POD:",
    mixed(KPod(NODES, random_state=0).fit(StandardScaler().fit_transform(X)).labels_),
)
skfr = SKFR(NODES, n_features_to_select=20, random_state=0).fit(X)
print("SKFR, 20 proteins:", mixed(skfr.labels_))

# %%
# Which proteins
# --------------

plots.plot_weights(skfr, top=25)

# %%
# How many proteins
# -----------------
# With few proteins the classes cannot be told apart. With all of them, proteins that are unrelated to the
# class add noise.

sizes = [5, 10, 15, 20, 30, 40, 60, 77]
counts = [
    mixed_class_nodes(classes, SKFR(NODES, s, random_state=0).fit_predict(X)).nodes
    for s in sizes
]
fig, ax = plt.subplots()
ax.plot(sizes, counts, "o-")
ax.set(xlabel="proteins selected", ylabel=f"mixed nodes of {NODES}", ylim=(0, None))
print(dict(zip(sizes, counts, strict=True)))

# %%
# Predicting rows with holes
# --------------------------
# A new measurement is assigned to the nearest centre over its observed cells. Here another fifth of the cells
# of every measurement is deleted.

rng = np.random.default_rng(1)
fewer = X.mask(rng.random(X.shape) < 0.2)
print(
    f"{np.mean(skfr.predict(fewer) == skfr.labels_):.0%} of the measurements stay in their node"
)
