"""One call for rows and a number of clusters: `cluster`, which chooses between two families of methods."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import adjusted_rand_score

from sparsek.core.steps import Array
from sparsek.inputs.arguments import COUNT, FLAG, SEED, check_arguments
from sparsek.inputs.containers import holds_sparse, numbers
from sparsek.inputs.validation import is_dask
from sparsek.inputs.weights import checked_weights
from sparsek.methods.factor_mixture.estimator import FactorSparseMixture
from sparsek.methods.skfr.estimator import SKFR

ROWS_PER_COLUMN = 2
"""The mixture needs at least this many rows in a cluster for every column."""
LEVELS = 20
"""A column with at most this many values is discrete."""
DISCRETE = 0.5
"""From this share of discrete columns on, no mixture is fitted."""
MOST_COMPARED = 1_000_000
"""The other family is fitted too, to be compared, where the data have at most this many entries."""
LOOKED_AT = 5_000
"""Columns with more than `LEVELS` values among this many rows are not looked at further."""


@dataclass(frozen=True, slots=True)
class FamilyChoice:
    """Which family `cluster` took, and why."""

    family: str
    """Name of the estimator."""
    other: str
    """Name of the estimator that was not taken."""
    reason: str
    """What decided, in words."""
    index: float | None
    """Adjusted Rand index of the clusters of both, dimensionless; None where the other one was not fitted."""

    def __str__(self) -> str:
        beside = f"its clusters were not compared with those of {self.other}"
        if self.index is not None:
            beside = f"{self.other} finds clusters whose adjusted Rand index with these is {self.index:.2f}"
        return f"family: {self.family}, because {self.reason}; {beside}"


def cluster(
    X: ArrayLike,
    n_clusters: int,
    *,
    sample_weight: ArrayLike | None = None,
    batch: ArrayLike | None = None,
    compare: bool = True,
    random_state: Any = None,
) -> SKFR | FactorSparseMixture:
    """Cluster rows by the family of methods that fits the data: sparse k-means, or a mixture with factors.

    A `FactorSparseMixture` is fitted where a cluster has at least twice as many rows as there are columns,
    n / k >= 2 p, and fewer than half of the columns take at most 20 values. Everything else is fitted by
    `SKFR`, which chooses the scale of the columns and their number.

    Parameters
    ----------
    X : array-like, sparse matrix, path, or Dask collection
        Data of shape (n_samples, n_features), as `SKFR` takes them. Data with categories, sparse ones, and
        those that are not in memory are fitted by `SKFR`. Never changed.
    n_clusters : int
        Number of clusters k.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Numbers of copies of the rows, not negative; 0 leaves a row out.
    batch : array-like of shape (n_samples,) or None, default=None
        Label of the batch of each row.
    compare : bool, default=True
        Fit the other family too, for the index that `summary()` shows, where the data have at most a million
        entries and both families take them.
    random_state : int, RandomState instance or None, default=None
        Seed of the fits.

    Returns
    -------
    SKFR or FactorSparseMixture
        The fitted estimator. Its attribute `family_choice_` has the fields `family`, `other`, `reason` and
        `index`, and its `summary()` shows them.

    Raises
    ------
    ValueError
        As from `fit` of the estimator that is taken.
    TypeError
        For an argument of the wrong type.

    See Also
    --------
    SKFR : K-means on the s features that separate the clusters best.
    FactorSparseMixture : Clusters in few columns beside factors that many columns share.
    ModelChoice : Choose the number of clusters.

    Notes
    -----
    The form of the rule and its two numbers were found on real data whose classes were known, and no other
    numbers near them did better there; they await a judgement on further data. A mixture has p parameters
    for each row of a covariance matrix, and its likelihood is that of continuous columns.
    `python -m validation real` can run this call beside its two families and other methods.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek import cluster
    >>> fit = cluster(load_iris().data, 3, random_state=0)
    >>> print(fit.family_choice_.family, fit.family_choice_.reason)
    FactorSparseMixture there are 50 rows for each cluster and 4 columns, 0 % of them with at most 20 values
    """
    check_arguments(
        "cluster",
        {"n_clusters": COUNT, "compare": FLAG, "random_state": SEED},
        n_clusters=n_clusters,
        compare=compare,
        random_state=random_state,
    )
    makers = {"SKFR": SKFR, "FactorSparseMixture": FactorSparseMixture}
    family, reason, size = _family_of(X, int(n_clusters), sample_weight)
    (other,) = makers.keys() - {family}
    fit: Any = makers[family](n_clusters, random_state=random_state)
    fit.fit(X, sample_weight=sample_weight, batch=batch)
    index = None
    if compare and size <= MOST_COMPARED:
        beside = makers[other](n_clusters, random_state=random_state)
        index = _agreement(fit, beside, X, sample_weight, batch)
    fit.family_choice_ = FamilyChoice(family, other, reason, index)
    fitted: SKFR | FactorSparseMixture = fit
    return fitted


def _agreement(fit: Any, beside: Any, X: Any, sample_weight: Any, batch: Any) -> float | None:
    """Adjusted Rand index with the clusters of the other family; None where it cannot fit the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would speak of a fit that the user has not asked for
        try:
            beside.fit(X, sample_weight=sample_weight, batch=batch)
        except (ValueError, TypeError):
            return None
    return float(adjusted_rand_score(fit.labels_, beside.labels_))


def _family_of(X: Any, n_clusters: int, sample_weight: Any) -> tuple[str, str, float]:
    """The name of the family, the reason, and how many entries the other one would read."""
    elsewhere = _not_an_array(X)
    if elsewhere is not None:
        return "SKFR", elsewhere, np.inf
    values = np.asarray(numbers(X, "X", holes=True))
    if values.ndim != 2 or not values.size or values.dtype.kind not in "fiub":
        return "SKFR", "X is no matrix of numbers", np.inf  # whose `fit` refuses it by name
    if sample_weight is not None:
        values = values[checked_weights(sample_weight, values) > 0]
    with np.errstate(invalid="ignore"):
        varies = np.array([len(_levels(column, 1)) > 1 for column in values.T])
    n, p = len(values), int(varies.sum())
    few = [len(_levels(column, LEVELS)) <= LEVELS for column in values[:, varies].T]
    discrete = float(np.mean(few)) if few else 1.0
    many = n / n_clusters >= ROWS_PER_COLUMN * p
    family = "FactorSparseMixture" if many and discrete < DISCRETE else "SKFR"
    reason = (
        f"there are {n / n_clusters:.0f} rows for each cluster and {p} columns, {discrete:.0%} of them with "
        f"at most {LEVELS} values"
    ).replace("%", " %")
    return family, reason, values.size


def _not_an_array(X: Any) -> str | None:
    """Why X is no array of numbers in memory, in words; None if it is one."""
    if isinstance(X, str | os.PathLike) or is_dask(X) or hasattr(X, "chunks"):
        return "the data are not in memory"
    if holds_sparse(X):
        return "the data are sparse"
    if SKFR()._code(X) is not None:
        return "the data have categories"
    return None


def _levels(column: Array, most: int) -> Array:
    """Different values of a column, or more than `most` of them where it has more."""
    # Most columns show in a few rows that they are continuous.
    some = np.unique(column[:LOOKED_AT])
    found = some if np.count_nonzero(some == some) > most else np.unique(column)
    known: Array = found[found == found]  # NaN, a missing value, differs from itself
    return known
