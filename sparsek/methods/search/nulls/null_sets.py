"""Data sets without clusters that are like given data: the same correlations, unimodal margins.

The normal scores of the data are turned at random among the rows, which keeps their means and their
covariance matrix and takes away all else (a rotation test, Langsrud 2005). If the rows are from one normal
distribution, whatever its covariance and however many features, such sets are exchangeable with the data. The
scores then get the margins of the data, made unimodal because two modes of a feature are clusters. Rows of
several batches are turned within these.

A feature with few values, such as an item of a questionnaire, has steps, which lower its correlations. The
turned scores have the correlations that lie behind the steps, so that their values have those of the data.

A feature that looks normal is its own score and has a normal margin. Ranks and margins of few rows would make
its correlations smaller, by 3 % at 60 rows, and clusters of correlated rows would seem too clear.

Categories without an order are taken in that of the first principal component, as steps that keep their
shares. Rows with holes have the correlations of the rows that know both features, and draws have the same
holes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import eval_hermitenorm, factorial, ndtr, ndtri
from scipy.stats import rankdata, shapiro

from sparsek.inputs.mixed import CodedRows, Coding

Array = NDArray[Any]
MODES = 21
"""Places of the mode that are tried for every feature, evenly spread over its quantiles."""
TINY = 1e-8
"""Normal scores smaller than this are rounding of equal ones."""
LARGEST = np.finfo(np.float64).max
ROOM = 900
"""Any number of values below 2 to this power can be added without overflow."""
FEW_VALUES = 0.5
"""A feature with fewer values than this part of the rows has steps."""
MOST_STEPPED = 2000
"""Correlations of steps are corrected for up to this many features; for more, eigenvectors take minutes."""
MANY_LEVELS = 7
"""A feature with more levels than this holds counts, and not the answers of a scale."""
HERMITE, GRID = 12, np.linspace(-6, 6, 2001)
"""Number of the polynomials, and places where functions of a normal number are integrated."""
MOST_CORRELATED, BISECTIONS = 0.98, 30
"""Largest correlation of columns behind steps, and halvings to find one."""
LEAST_ROWS = 4
"""With fewer rows there is no random rotation that keeps the means."""
LOOKS_NORMAL, MOST_ROWS = 0.01, 2000
"""A feature is normal from this p-value on (Shapiro and Wilk); with more rows ranks lose nothing."""


@dataclass(frozen=True, slots=True)
class NullModel:
    """Rows without clusters, like those of a data set."""

    quantiles: Array  # (n, p): quantiles of the unimodal margins at (i - 1/2) / n, ascending in every column
    normal: NDArray[np.bool_]  # (p,) bool: features whose margin is normal, with the moments of the two below
    means: Array  # (p,), in the unit of the quantiles
    deviations: Array  # (p,): standard deviations
    shift: NDArray[np.intc]  # (p,): the quantiles are in units of 2**shift, so that no sum of them overflows
    # (r, p): a matrix F with F'F the scatter of the normal scores of the data; r is at most n - 1
    factor: Array
    whole: NDArray[np.bool_]  # (p,) bool: features that have whole numbers only; draws of them are rounded
    stepped: NDArray[np.bool_]  # (p,) bool: features with few values, which draws have too
    holes: NDArray[np.bool_] | None  # (n, p) bool: cells without a value, which draws have too; None without

    def draw(self, rng: np.random.Generator) -> Array:
        """A data set of the size of the data, (n, p)."""
        n = len(self.quantiles)
        scores = self._axes(n, rng) @ self.factor
        # Quantile i of n stands at the probability (i + 1/2) / n, counted from 0.
        places = np.clip(ndtr(scores) * n - 0.5, 0, n - 1)
        below = np.minimum(np.floor(places), n - 2).astype(np.intp)
        low = np.take_along_axis(self.quantiles, below, axis=0)
        high = np.take_along_axis(self.quantiles, below + 1, axis=0)
        part = places - below
        # A feature with steps takes one of its two nearest levels, and no value between them.
        drawn = low + np.where(self.stepped, np.rint(part), part) * (high - low)
        drawn = np.where(self.normal, self.means + self.deviations * scores, drawn)
        least, most = self.quantiles[0], self.quantiles[-1]
        drawn = np.where((least >= 0) & (drawn < 0), least, drawn)  # features keep their sign
        drawn = np.where((most <= 0) & (drawn > 0), most, drawn)
        if self.shift.any():
            with np.errstate(over="ignore"):
                drawn = np.clip(np.ldexp(drawn, self.shift), -LARGEST, LARGEST)
        whole: Array = np.where(self.whole, np.rint(drawn), drawn)
        return whole if self.holes is None else np.where(self.holes, np.nan, whole)

    def _axes(self, n: int, rng: np.random.Generator) -> Array:
        """Random orthonormal columns that are orthogonal to ones; nearly such where there are too many."""
        axes = _centred(rng.standard_normal((n, len(self.factor))))
        if len(self.factor) >= n:
            near: Array = axes / np.sqrt(n)
            return near
        axes, triangle = np.linalg.qr(axes)
        return axes * np.where(np.diag(triangle) < 0, -1.0, 1.0)  # all directions are then equally likely


@dataclass(frozen=True, slots=True)
class BatchedNull:
    """Rows without clusters in each of several batches, like those of the batch."""

    models: list[NullModel]
    rows: list[NDArray[np.bool_]]  # Masks of the rows of each batch, (n,)

    def draw(self, rng: np.random.Generator) -> Array:
        """A data set of the size of the data, (n, p)."""
        found = np.empty((len(self.rows[0]), self.models[0].quantiles.shape[1]))
        for model, rows in zip(self.models, self.rows, strict=True):
            found[rows] = model.draw(rng)
        return found


@dataclass(frozen=True, slots=True)
class CategoryNull:
    """Rows without clusters in which some features are categories without an order."""

    model: NullModel | BatchedNull  # of the ranks of the categories
    levels: dict[int, Array]  # By feature its categories in the order of the ranks

    def draw(self, rng: np.random.Generator) -> Array:
        """A data set of the size of the data, (n, p)."""
        drawn = self.model.draw(rng)
        for j, levels in self.levels.items():
            known = ~np.isnan(drawn[:, j])
            drawn[known, j] = levels[drawn[known, j].astype(np.intp)]
        return drawn


@dataclass(frozen=True, slots=True)
class CodedNull:
    """Rows without clusters that are like those of a table with categories."""

    model: NullModel | BatchedNull | CategoryNull
    coding: Coding

    def draw(self, rng: np.random.Generator) -> CodedRows:
        """Rows of the size of the table, (n, p)."""
        return CodedRows(self.model.draw(rng), self.coding)


AnyNull = NullModel | BatchedNull | CategoryNull | CodedNull


def fit_null(
    X: Any, codes: NDArray[Any] | None = None, categories: NDArray[np.bool_] | None = None
) -> AnyNull:
    """The rows without clusters that are like the data, with several batches those of each batch.

    There must be at least `LEAST_ROWS` rows, of each batch too, and as many values of each feature in them.
    """
    if isinstance(X, CodedRows):
        return CodedNull(_fit_values(X.values, codes, X.coding.unordered), X.coding)
    return _fit_values(X, codes, categories)


def _fit_values(
    X: Array, codes: NDArray[Any] | None, categories: NDArray[np.bool_] | None
) -> NullModel | BatchedNull | CategoryNull:
    """The same for numbers, and categories as numbers."""
    unordered = np.zeros(X.shape[1], dtype=bool) if categories is None else categories
    ranked, levels = _ranked(X, unordered) if unordered.any() else (X, {})
    used = np.zeros(1) if codes is None else np.unique(codes)
    if codes is None or len(used) == 1:
        model: NullModel | BatchedNull = _fit_rows(ranked, unordered)
    else:
        rows = [codes == code for code in used]
        model = BatchedNull([_fit_rows(ranked[some], unordered) for some in rows], rows)
    return CategoryNull(model, levels) if levels else model


def _ranked(X: Array, categories: NDArray[np.bool_]) -> tuple[Array, dict[int, Array]]:
    """The data with ranks in place of categories, and the categories of each such feature by rank.

    They are ranked by their means of the first principal component of all features, so that the ranks have
    the strongest correlations that one order of the categories can have.
    """
    columns, members = [normal_scores(X[:, ~categories])], {}
    for j in np.flatnonzero(categories).tolist():
        levels = np.unique(X[~np.isnan(X[:, j]), j])
        members[j] = levels, X[:, j, None] == levels
        shown = members[j][1].astype(np.float64)
        columns.append(_centred(shown) / np.sqrt(np.maximum(shown.mean(axis=0), 1 / len(X))))
    first = np.linalg.svd(np.nan_to_num(np.concatenate(columns, axis=1)), full_matrices=False)[0][:, 0]
    ranked, ordered = X.copy(), dict[int, Array]()
    for j, (levels, shown) in members.items():
        order = np.argsort(first @ shown / shown.sum(axis=0), kind="stable")
        ordered[j] = levels[order]
        known = ~np.isnan(X[:, j])
        # The inverse of the order gives each level its rank.
        ranked[known, j] = np.argsort(order)[np.searchsorted(levels, X[known, j])]
    return ranked, ordered


def _fit_rows(X: Array, categories: NDArray[np.bool_]) -> NullModel:
    """The rows without clusters that are like those of one batch; categories are ranks."""
    n, p = X.shape
    holes = np.isnan(X)
    some = bool(holes.any())
    largest = np.abs(X).max(axis=0) if not some else np.nanmax(np.abs(X), axis=0)
    # A power of two brings huge columns to a size that can be added up, and changes no digit.
    shift = np.maximum(np.frexp(largest)[1] - ROOM, 0).astype(np.intc)
    rows, whole = np.ldexp(X, -shift), np.all((np.floor(X) == X) | holes, axis=0)
    units = X / np.where(largest > 0, largest, 1)
    means, deviations = (units.mean(axis=0), units.std(axis=0)) if not some else _moments(units)
    normal = ~whole & _looks_normal(units, deviations)
    own = (units - means) / np.where(normal, deviations, 1)
    scores = np.where(normal, own, normal_scores(X))
    known = np.count_nonzero(~holes, axis=0)
    ordered = np.sort(rows, axis=0)  # NaN are last
    n_values = 1 + np.count_nonzero(np.diff(ordered, axis=0) > 0, axis=0)
    stepped = ~normal & (n_values > 1) & (n_values < FEW_VALUES * known)
    if (stepped.any() or some) and p <= MOST_STEPPED:
        # The correlations of the values themselves, which the clusters see.
        sizes = np.where(stepped, deviations, 1)
        factor = _latent_factor(np.where(stepped, (units - means) / sizes, scores), stepped)
    else:
        scores = np.nan_to_num(scores) * np.sqrt(n / known) if some else scores
        # Both have the scatter F'F of the scores: R of a QR decomposition, or contrasts of the rows.
        factor = np.asarray(np.linalg.qr(scores, mode="r")) if p < n else _helmert(n) @ scores
    quantiles = np.column_stack(
        [
            _stretched(column[:number] if category else _one_mode(column[:number], few), n)
            for column, few, category, number in zip(
                ordered.T, stepped.tolist(), categories.tolist(), known.tolist(), strict=True
            )
        ]
    )
    unit = np.ldexp(largest, -shift)
    moments = means * unit, deviations * unit
    return NullModel(quantiles, normal, *moments, shift, factor, whole, stepped, holes if some else None)


def _moments(units: Array) -> tuple[Array, Array]:
    """Means and standard deviations of the known values."""
    return np.nanmean(units, axis=0), np.nanstd(units, axis=0)


def _one_mode(ordered: Array, few: bool) -> Array:
    """Quantiles with one mode, of few values or many."""
    return stepped_quantiles(ordered) if few else unimodal_quantiles(ordered)


def _stretched(quantiles: Array, n: int) -> Array:
    """n quantiles in place of fewer ones."""
    m = len(quantiles)
    if m == n:
        return quantiles
    # The probability (i + 1/2) / n is that of place (i + 1/2) m / n - 1/2 of the m quantiles.
    places = np.clip((np.arange(n) + 0.5) * m / n - 0.5, 0, m - 1)
    found: Array = np.interp(places, np.arange(m), quantiles)
    return found


def _latent_factor(columns: Array, stepped: NDArray[np.bool_]) -> Array:
    """F with F'F the scatter of normal columns whose steps have the correlations of these columns.

    Steps lower correlations. That of two functions f, g of normal columns with correlation r is the sum of
    a_m b_m r^m, with a_m and b_m their coefficients in Hermite polynomials, and grows with r.
    """
    n, p = columns.shape
    weights = np.exp(-GRID * GRID / 2)
    weights /= weights.sum()
    orders = np.arange(1, HERMITE + 1)
    # Divided by sqrt(m!), the polynomials have the mean square 1 under the normal law.
    hermite = np.array([eval_hermitenorm(m, GRID) / np.sqrt(factorial(m)) for m in orders]) * weights
    coefficients = np.zeros((p, HERMITE))
    coefficients[:, 0] = 1  # a column without steps is the normal one
    for j in np.flatnonzero(stepped):
        levels, counts = np.unique(columns[~np.isnan(columns[:, j]), j], return_counts=True)
        # The level that a normal number falls into, by the shares of the levels.
        shown = levels[np.searchsorted(np.cumsum(counts)[:-1] / counts.sum(), ndtr(GRID))]
        shown = shown - weights @ shown
        coefficients[j] = hermite @ shown / np.sqrt(weights @ shown**2)
    known = ~np.isnan(columns)
    columns = np.where(known, columns, 0)
    pairs = known.T.astype(np.float64) @ known
    wanted = columns.T @ columns / np.maximum(pairs, 1)
    # The correlation of steps grows with that of the columns behind them, so that halving finds it.
    low, high = np.full((p, p), -MOST_CORRELATED), np.full((p, p), MOST_CORRELATED)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        found = np.zeros((p, p))
        for m in orders[::-1]:
            # Horner's rule for sum_m a_m b_m r^m, of all pairs at once.
            found = (found + np.outer(coefficients[:, m - 1], coefficients[:, m - 1])) * middle
        low, high = np.where(found < wanted, middle, low), np.where(found < wanted, high, middle)
    # Pairs without steps keep what they have, and so do constant columns.
    as_it_is = ~(stepped[:, None] | stepped[None, :]) | (wanted == 0)
    latent = np.where(as_it_is, wanted, (low + high) / 2)
    np.fill_diagonal(latent, np.diag(wanted))
    values, vectors = np.linalg.eigh(latent)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    sizes = np.sqrt(np.sum(root * root, axis=0))
    # Negative eigenvalues were cut off, so that the columns are brought back to their variances.
    found = root * np.sqrt(n) * np.divide(np.sqrt(np.diag(wanted)), sizes, out=np.zeros(p), where=sizes > 0)
    return np.asarray(np.linalg.qr(found, mode="r")) if p < n else found


def _looks_normal(units: Array, deviations: Array) -> NDArray[np.bool_]:
    """Which features a test does not tell from normal ones, (p,)."""
    found = (deviations > TINY) & (len(units) <= MOST_ROWS)
    found[found] = [shapiro(column[~np.isnan(column)]).pvalue >= LOOKS_NORMAL for column in units[:, found].T]
    return np.asarray(found)


def normal_scores(X: Array) -> Array:
    """Normal quantiles of the ranks in each column, with mean 0 and mean square 1; 0 for a constant one.

    NaN stay NaN.
    """
    if np.isnan(X).any():
        scores = ndtri(
            (rankdata(X, axis=0, nan_policy="omit") - 0.5) / np.count_nonzero(~np.isnan(X), axis=0)
        )
        scores -= np.nanmean(scores, axis=0)
        sizes = np.sqrt(np.nanmean(scores * scores, axis=0))
    else:
        # Half a rank less keeps the probabilities from 1, whose normal quantile is infinite.
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
    # Helmert's rows: so many ones and minus their number add up to 0.
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
            # Small gaps are a high density: gaps fall towards the mode and rise behind it.
            parts.append(isotonic_regression(gaps[:mode], increasing=False).x)
        if mode < len(gaps):
            parts.append(isotonic_regression(gaps[mode:]).x)
        fitted = ordered[0] + np.concatenate([[0.0], np.cumsum(np.concatenate(parts))])
        distance = float(np.abs(fitted - ordered).sum())
        if distance < least:
            best, least = fitted, distance
    return best


def stepped_quantiles(ordered: Array) -> Array:
    """Quantiles of few values: their shares made to rise to one value and fall from there.

    A common least value of 0 of counts stays as it is: beside it the others have one mode.
    """
    n = len(ordered)
    levels, counts = np.unique(ordered, return_counts=True)
    spared = int(levels[0] == 0 and len(levels) > MANY_LEVELS)
    shares = counts[spared:] / n
    best, least = shares, np.inf
    for mode in range(len(shares)):
        parts = [isotonic_regression(shares[: mode + 1]).x]
        if mode + 1 < len(shares):
            parts.append(isotonic_regression(shares[mode + 1 :], increasing=False).x)
        fitted = np.concatenate(parts)
        # Kolmogorov's distance: the largest one of the two distribution functions.
        distance = float(np.abs(np.cumsum(fitted - shares)).max())
        if distance < least:
            best, least = fitted, distance
    cumulated = np.cumsum(np.concatenate([counts[:spared] / n, best]))
    # Quantile i of n stands at the probability (i + 1/2) / n, counted from 0.
    places = np.searchsorted(cumulated / cumulated[-1], (np.arange(n) + 0.5) / n)
    return np.asarray(levels[places])
