"""
=======================
Gross errors in a table
=======================

Some cells of the wine data (scikit-learn) get wrong values, as if the decimal point were in the wrong place.
How do such errors change clusters and selected features?
"""

# %%
# The errors
# ----------
# In eight of 178 wines one measurement is a hundred times too large.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import RobustScaler, StandardScaler
from sparsek import SKFR, RobustSparseKMeans, SparseKMeans
from sparsek.errors import ScaleWarning

warnings.simplefilter("ignore", ScaleWarning)

wine = load_wine(as_frame=True)
X, grape = wine.data.copy(), wine.target.to_numpy()
rng = np.random.default_rng(1)
wrong = rng.choice(len(X), 8, replace=False)
for row in wrong:
    X.iloc[row, rng.integers(X.shape[1])] *= 100
good = ~np.isin(np.arange(len(X)), wrong)

# %%
# Five methods
# ------------
# The agreement is computed from the 170 good rows. sparsek warns of columns that differ in scale, which here
# are the columns with errors. The warning is switched off here, because the errors are the subject.

usual, robust = StandardScaler().fit_transform(X), RobustScaler().fit_transform(X)
fits = {
    "k-means": KMeans(3, n_init=20, random_state=0).fit(usual),
    "sparse k-means": SparseKMeans(3, l1_bound=2, standardize=False, random_state=0).fit(
        usual
    ),
    "SKFR": SKFR(3, 9, standardize=True, random_state=0).fit(X),
    "SKFR, clipped": SKFR(3, 9, standardize=True, winsorize=4, random_state=0).fit(X),
    "trimmed": RobustSparseKMeans(3, l1_bound=2.5, trim=0.06, random_state=0).fit(robust),
}
scores = {
    name: adjusted_rand_score(grape[good], fit.labels_[good]) for name, fit in fits.items()
}
print(pd.Series(scores).round(2).to_string())

# %%

fig, ax = plt.subplots(layout="constrained")
ax.barh(list(scores)[::-1], list(scores.values())[::-1])
ax.set(xlabel="adjusted Rand index of the good rows", xlim=(0, 1))

# %%
# A wrong value is far from all others, so the criterion is best if it gets a cluster of its own.
# `winsorize=4` clips every column at its median plus or minus four robust standard deviations, and keeps
# the row. Trimming leaves out whole rows.
#
# Which rows were left out?
# -------------------------

flagged = fits["trimmed"].outliers_
print(
    f"{flagged[wrong].sum()} of the {len(wrong)} wrong rows are flagged, "
    f"and {flagged[good].sum()} good ones"
)
fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
largest = np.abs(robust).max(axis=1)
ax.semilogy(np.flatnonzero(~flagged), largest[~flagged], ".", label="kept")
ax.semilogy(np.flatnonzero(flagged), largest[flagged], "kx", label="left out")
ax.set(xlabel="row", ylabel="largest scaled value")
ax.legend()

# %%
# Look at the table first. The largest value of every column, in robust standard deviations, shows such errors
# at once.

print(
    pd.Series(np.abs(robust).max(axis=0), index=X.columns)
    .round(0)
    .sort_values()
    .tail(5)
    .to_string()
)
