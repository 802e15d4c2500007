"""Data sets without clusters that are like given data: the same correlations, unimodal margins.

The normal scores of the data are turned at random among the rows, which keeps their means and their
covariance matrix and takes away all else (a rotation test, Langsrud 2005). If the rows are from one normal
distribution, whatever its covariance and however many features, such sets are exchangeable with the data. The
scores then get the margins of the data, made unimodal because two modes of a feature are clusters. Margins
known from few rows make correlations smaller, so that those of the scores are first made as much larger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.sparse.linalg import eigsh
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

Array = NDArray[Any]
MODES = 21
"""Places of the mode that are tried for every feature, evenly spread over its quantiles."""
TINY = 1e-8
"""Normal scores smaller than this are rounding of equal ones."""
LARGEST = np.finfo(np.float64).max
ROOM = 900
"""Numbers below 2 to this are added up in any number."""
LEAST_ROWS = 4
"""Fewer rows cannot be turned while their means stay."""
ROUNDS, SETS = 2, 4
"""How often the correlations of the scores are adjusted, and sets drawn each time."""
LARGEST_CHANGE = 2.0
"""Correlations are not made larger, or smaller, by more than this factor at a time."""


@dataclass(frozen=True, slots=True)
class NullModel:
    """Rows without clusters, like those of a data set."""

    quantiles: Array  # (n, p): quantiles of the unimodal margins at (i - 1/2) / n, ascending in every column
    shift: NDArray[np.intc]  # (p,): the quantiles are in units of 2**shift, so that no sum of them overflows
    factor: Array  # (r, p): a matrix F with F'F the scatter of the scores that are turned; r is at most n - 1
    whole: NDArray[np.bool_]  # (p,) bool: features that have whole numbers only; draws of them are rounded

    def draw(self, rng: np.random.Generator) -> Array:
        """A data set of the size of the data, (n, p)."""
        n = len(self.quantiles)
        axes, triangle = np.linalg.qr(_centred(rng.standard_normal((n, len(self.factor)))))
        axes *= np.where(np.diag(triangle) < 0, -1.0, 1.0)  # all directions are then equally likely
        places = np.clip(ndtr(axes @ self.factor) * n - 0.5, 0, n - 1)
        below = np.minimum(np.floor(places), n - 2).astype(np.intp)
        low = np.take_along_axis(self.quantiles, below, axis=0)
        high = np.take_along_axis(self.quantiles, below + 1, axis=0)
        drawn = low + (places - below) * (high - low)
        if self.shift.any():
            with np.errstate(over="ignore"):
                drawn = np.clip(np.ldexp(drawn, self.shift), -LARGEST, LARGEST)
        whole: Array = np.where(self.whole, np.rint(drawn), drawn)
        return whole


def fit_null(X: Array) -> NullModel:
    """The rows without clusters that are like complete data with at least `LEAST_ROWS` rows."""
    n, p = X.shape
    scores = normal_scores(X)
    factor = np.asarray(np.linalg.qr(scores, mode="r")) if p < n else _helmert(n) @ scores
    shift = np.maximum(np.frexp(np.abs(X).max(axis=0))[1] - ROOM, 0).astype(np.intc)
    ordered = np.ldexp(np.sort(X, axis=0), -shift)
    quantiles = np.column_stack([unimodal_quantiles(column) for column in ordered.T])
    return _as_correlated(NullModel(quantiles, shift, factor, np.all(np.floor(X) == X, axis=0)), X)


def _as_correlated(model: NullModel, X: Array) -> NullModel:
    """The model with scores so correlated that the first component of its sets is as large as that of X."""
    wanted, rng = _first_component(X), np.random.default_rng(0)
    for _ in range(ROUNDS):
        found = np.mean([_first_component(model.draw(rng)) for _ in range(SETS)])
        if min(wanted, found) < 1 + TINY:
            return model
        share = np.clip((found - 1) / (wanted - 1), 1 / LARGEST_CHANGE, LARGEST_CHANGE)
        model = replace(model, factor=_less_noisy(model.factor, len(X), float(share)))
    return model


def _first_component(X: Array) -> float:
    """The largest eigenvalue of the correlations of the columns; 1 for fewer than two that vary."""
    part = X[:, X.max(axis=0) > X.min(axis=0)]
    if part.shape[1] < 2:
        return 1.0
    part = _centred(np.ldexp(part, -np.frexp(np.abs(part).max(axis=0))[1]))
    part /= np.sqrt((part * part).sum(axis=0))
    gram = part @ part.T if len(part) < part.shape[1] else part.T @ part
    start = np.random.default_rng(0).standard_normal(len(gram))
    return float(eigsh(gram, 1, v0=start, return_eigenvectors=False)[0])


def _less_noisy(factor: Array, n: int, share: float) -> Array:
    """The factor of C - (1 - share) N with all variances 1: C the correlations, N those of noise alone.

    N has the axes of C and equal eigenvalues, more than 1 for more features than rows.
    """
    _, sizes, axes = np.linalg.svd(factor, full_matrices=False)
    strengths = sizes * sizes / n
    held = strengths > TINY
    noise = strengths[held].mean()
    changed = np.where(held, np.maximum(strengths - (1 - share) * noise, 0), 0)
    found: Array = np.sqrt(changed)[:, None] * axes
    norms = np.sqrt((found * found).sum(axis=0) / n)
    return np.divide(found, norms, out=np.zeros_like(found), where=norms > TINY)


def normal_scores(X: Array) -> Array:
    """Normal quantiles of the ranks in each column, with mean 0 and mean square 1; 0 for a constant one."""
    scores = _centred(ndtri((rankdata(X, axis=0) - 0.5) / len(X)))
    sizes = np.sqrt(np.mean(scores * scores, axis=0))
    found: Array = np.divide(scores, sizes, out=np.zeros_like(scores), where=sizes > TINY)
    return found


def _centred(X: Array) -> Array:
    """Columns less their means."""
    centred: Array = X - X.mean(axis=0)
    return centred


def _helmert(n: int) -> Array:
    """Orthonormal rows that are orthogonal to the vector of ones, (n - 1, n)."""
    places = np.arange(1, n)
    rows = np.tri(n - 1, n, 0)
    rows[places - 1, places] = -places
    ranks: Array = rows / np.sqrt(places * (places + 1))[:, None]
    return ranks


def unimodal_quantiles(ordered: Array) -> Array:
    """Quantiles near ascending ones whose gaps shrink towards one place and grow from there: one mode.

    Gaps are averaged over neighbours until they fall and then rise, which is the most likely density with
    this mode (Grenander 1956); of the modes tried, the nearest fit is taken.
    """
    gaps = np.diff(ordered)
    modes = np.unique(np.linspace(0, len(gaps), MODES).astype(int))
    best, least = ordered, np.inf
    for mode in modes.tolist():
        parts = []
        if mode:
            parts.append(isotonic_regression(gaps[:mode], increasing=False).x)
        if mode < len(gaps):
            parts.append(isotonic_regression(gaps[mode:]).x)
        fitted = ordered[0] + np.concatenate([[0.0], np.cumsum(np.concatenate(parts))])
        distance = float(np.abs(fitted - ordered).sum())
        if distance < least:
            best, least = fitted, distance
    return best
