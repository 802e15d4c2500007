"""Influential features: those whose distribution is farther from a normal one than chance allows.

A feature that separates clusters is a mixture, and few mixtures are normal. Each feature gets a
Kolmogorov-Smirnov score and, from scores of normal samples of the same length, a p-value. Higher criticism
decides how many of the smallest p-values count. With pi_(1) <= ... <= pi_(p) and r_j = j / (p + 1), L is the
last maximum of

    HC_j = sqrt(p) (r_j - pi_(j)) / sqrt(r_j) / sqrt(max(sqrt(n) (r_j - pi_(j)) / r_j, 0) + 1)

from the first pi_(j) above a cut to j = p / 2.

Source: Jin and Wang (2016), "Influential features PCA for high dimensional clustering", Annals of Statistics
44, 2323-2359, and the authors' released code for the second factor of HC and the cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array
from sparsek.methods.spectral.gram import column_chunks, prepared_columns, scale_columns
from sparsek.methods.spectral.ks_null import ks_scores

TIED = 1e-7
"""Scores with a smaller spread count as equal: they differ only by rounding."""
CHUNK = 8192
"""Number of null scores whose squares are added at a time."""


@dataclass(frozen=True, slots=True)
class Screening:
    """Scores and selection of the features; all numbers are dimensionless."""

    # (p,): scores brought to the location and spread of the null scores; -inf for a constant feature
    adjusted: Array
    pvalues: Array  # (p,): share of the null scores above the adjusted one; 1 for a constant feature
    hc: Array  # (q,): HC_j for the q features that vary, by ascending p-value
    index: int  # L, counted from 1
    found: bool  # Whether there was any j in the range of the search; otherwise L = q
    # (p,) bool: the features with a p-value of at most pi_(L): L or, with ties, more
    selected: NDArray[np.bool_]


def score_features(X: Array) -> tuple[Array, Scaling]:
    """Kolmogorov-Smirnov score of each column, and the scaling that standardises the columns (ddof 1).

    Shapes: X (n, p); returns scores (p,) float64.
    """
    scaling, scores = scale_columns(X), np.empty(X.shape[1])
    for columns in column_chunks(X):
        samples = np.ascontiguousarray(prepared_columns(X, scaling, columns)[:, :-1].T)
        samples /= np.sqrt(1 - 1 / len(X))
        varying = samples.any(axis=1)
        scores[columns] = np.where(varying, ks_scores(samples), -np.inf)
    return scores, scaling


def screen(
    scores: Array, null: Array, n: int, cut: float | None = None, per: float = 1.0, center: str = "mean"
) -> Screening:
    """p-values of the features and the selection by higher criticism.

    Shapes: scores (p,), null (n_null,).
    """
    varying = np.isfinite(scores)
    adjusted, pvalues = np.full(len(scores), -np.inf), np.ones(len(scores))
    adjusted[varying] = renormalise(scores[varying], null, per, center)
    pvalues[varying] = shares_above(null, adjusted[varying])
    ascending = np.sort(pvalues[varying])
    q = len(ascending)
    hc = higher_criticism(ascending, n)
    first = int(np.searchsorted(ascending, np.log(q) / q if cut is None else cut, side="right"))
    if first == q:  # no p-value above the cut
        first = 0
    looked_at = hc[first : (q + 1) // 2]
    found = len(looked_at) > 0
    index = first + len(looked_at) - int(np.argmax(looked_at[::-1])) if found else q
    return Screening(
        adjusted, pvalues, hc, index, found, selected=varying & (pvalues <= ascending[index - 1])
    )


def renormalise(scores: Array, null: Array, per: float, center: str) -> Array:
    """Scores shifted and scaled to the location and spread of the null scores (which are sorted).

    Scores that are all tied, or a single one, have no spread and stay as they are.
    """
    m, m0 = (max(1, int(np.floor(per * len(values) + 0.5))) for values in (scores, null))
    place, spread = _location(np.sort(scores)[:m], center)
    null_place, null_spread = _location(null[:m0], center)
    if spread <= TIED or null_spread <= TIED:
        return scores
    return np.asarray((scores - place) / spread * null_spread + null_place)


def higher_criticism(pvalues: Array, n: int) -> Array:
    """HC_j of ascending p-values from samples of length n."""
    p = len(pvalues)
    r = np.arange(1, p + 1) / (p + 1)
    gap = r - pvalues
    return np.asarray(
        np.sqrt(p) * gap / np.sqrt(r) / np.sqrt(np.maximum(np.sqrt(n) * gap / r, 0) + 1), dtype=np.float64
    )


def shares_above(null: Array, values: Array) -> Array:
    """Share of the (sorted) null scores above each value."""
    # Values are rounded down to the null scores' precision, which avoids a copy of the null scores.
    rounded = values.astype(null.dtype)
    rounded[rounded > values] = np.nextafter(rounded[rounded > values], -np.inf, dtype=null.dtype)
    return np.asarray((len(null) - np.searchsorted(null, rounded, side="right")) / len(null))


def _location(values: Array, center: str) -> tuple[float, float]:
    """Mean and standard deviation, or median and unscaled MAD; a spread of 0 for a single value."""
    if center == "median":
        middle = np.median(values)
        return float(middle), float(np.median(np.abs(values - middle)))
    middle = values.mean(dtype=np.float64)
    chunks = (
        values[i : i + CHUNK] for i in range(0, len(values), CHUNK)
    )  # in double precision, at little cost
    squares = sum(float(np.square(chunk - middle).sum()) for chunk in chunks)
    return float(middle), float(np.sqrt(squares / max(len(values) - 1, 1)))
