"""
=======================================
Handwritten digits: which pixels matter
=======================================

1,797 images of 8 x 8 pixels (scikit-learn's digits). How many of the 64 pixels does a clustering need,
and where are they?
"""

# %%
# The data
# --------
# Each row is an image, each column a pixel with a value from 0 to 16. All columns share a unit, and pixels
# at the border hardly vary: their small variance shows that they say nothing about the digit. So nothing is
# standardised here, and the warning that columns differ in scale is switched off.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from sparsek import SKFR
from sparsek.errors import ScaleWarning

warnings.simplefilter("ignore", ScaleWarning)
digits = load_digits()
X, digit = digits.data, digits.target

# %%
# The baseline: k-means on all pixels
# -----------------------------------

kmeans = KMeans(10, n_init=5, random_state=0).fit(X)
baseline = adjusted_rand_score(digit, kmeans.labels_)
print(f"k-means on 64 pixels: ARI {baseline:.2f}")

# %%
# Fewer pixels
# ------------

sizes = [5, 10, 15, 20, 30, 40, 64]
fits = {s: SKFR(10, s, standardize=False, n_init=5, random_state=0).fit(X) for s in sizes}
scores = {s: adjusted_rand_score(digit, fit.labels_) for s, fit in fits.items()}
fig, ax = plt.subplots(layout="constrained")
ax.plot(sizes, list(scores.values()), "o-", label="SKFR")
ax.axhline(baseline, color="grey", ls="--", label="k-means on all pixels")
ax.set(xlabel="pixels selected", ylabel="adjusted Rand index with the digits", ylim=(0, 1))
ax.legend()
print({s: round(score, 2) for s, score in scores.items()})

# %%
# With 30 pixels or more the clusters agree with the digits about as well as those of k-means on all 64. With
# fewer pixels they agree less.
#
# Where they are
# --------------

fig, axes = plt.subplots(1, 4, figsize=(9, 2.6), layout="constrained")
for ax, s in zip(axes, (10, 20, 30, 40), strict=True):
    ax.imshow(fits[s].get_support().reshape(8, 8), cmap="Blues", vmin=0, vmax=1.4)
    ax.set(title=f"{s} pixels", xticks=[], yticks=[])

# %%
# The selected pixels lie where strokes cross or are missing. Corners and the outer columns are never
# selected.
#
# The centres
# -----------
# The means of the clusters look like digits. The most frequent digit of each is written above it.

fit = fits[30]
fig, axes = plt.subplots(2, 5, figsize=(9, 3.8), layout="constrained")
for k, ax in enumerate(axes.flat):
    rows = fit.labels_ == k
    ax.imshow(X[rows].mean(axis=0).reshape(8, 8), cmap="gray_r")
    ax.set(title=f"mostly {np.bincount(digit[rows]).argmax()}", xticks=[], yticks=[])
