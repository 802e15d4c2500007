"""Initial labels from drawn seeds: k-means++ and random rows, on all columns or on screened ones.

Draws depend on the rows themselves, not on their order or on how often each is repeated: rows are put in the
order of one fixed linear combination of the columns, and every draw inverts the cumulative sample weights in
that order. So a row of weight 3 and three equal rows give the same starts.

Screening is for high dimension. On standardised columns every feature counts the same in a distance, so with
hundreds of noise features the seeds are random rows. A feature that separates clusters is a mixture, and
most mixtures are far from normal, while noise is close to normal. Seeds drawn on the least normal columns
therefore find the clusters. The starts use different numbers of columns in turn, also all columns, so that
other kinds of data lose little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sparsek.engine import compiles, compiles_if
from sparsek.methods.shared.scaling import column_squares
from sparsek.methods.shared.sums import (
    Array,
    Labels,
    Ties,
    fixed_direction,
    length,
    lowest_score,
    rows_of,
    scaled_coefficients,
    score_coefficients,
)
from sparsek.methods.starts import literal
from sparsek.numerics.exact_sums import reach_of, row_chunks, total_weight

ROUNDINGS = 32
"""A squared distance of up to so many roundings of the squared lengths counts as 0."""
BATCH_ENTRIES = 500_000
"""Number of entries (starts x rows) of one batch."""
BATCH_SHARE = 10
"""A batch of dense rows may also have one start for so many columns: it then takes little beside them."""
DRAWN_ENTRIES = 100_000
"""Number of probabilities (starts x rows) that are added up at a time."""
PIECE_ENTRIES = 2**17
"""Number of distances (starts x rows) found at a time, so that they stay in the processor's cache."""
STEPS = 10
"""Steps, about, that a draw takes for a row."""
TRIAL_ENTRIES = 2**25
"""Largest number of distances (trials x rows) that greedy k-means++ keeps at a time."""


def seeded_labels(
    X: Array,
    n_clusters: int,
    seeds: Array,
    weights: Array | None = None,
    power: int = 2,
    n_trimmed: int = 0,
    n_trials: int = 1,
    factors: Array | None = None,
    take: Callable[[Array], Array] | None = None,
    slip: float = 0.0,
) -> list[Labels]:
    """Nearest-seed labels of k-means++ starts, one per entry of `seeds`.

    Parameters
    ----------
    X : ndarray of shape (n, p + 1)
        Prepared data.
    n_clusters : int
        Number of seeds of each start.
    seeds : ndarray of shape (n_starts,), int
        One seed for the generator of each start.
    weights : ndarray of shape (n,) or None
        Sample weights.
    power : {0, 1, 2}
        A row is drawn with probability proportional to (distance to the nearest seed) ** power. 2 is
        k-means++ (Arthur and Vassilvitskii 2007), 1 the variant of the SKFR authors, 0 draws rows at random
        among those that differ from all seeds.
    n_trimmed : int
        This many rows, those farthest from the seeds so far, are not drawn, because they may be outliers.
    n_trials : int
        Rows drawn for each seed, of which the one is taken that leaves the smallest sum of distances ** power
        to the nearest seed, without the rows that are not drawn; ties go to the first drawn.
    factors : ndarray of shape (p,) or None
        Factors of the columns in distances; None for all 1.
    take : callable or None
        With `factors`: ``take(rows)`` gives the coordinates by which rows near to two seeds are decided.
    slip : float
        How far the rows may be from those coordinates.

    Returns
    -------
    list of ndarray of shape (n,), int32
        Labels in the order of `seeds`; ties go to the earliest seed.
    """
    views = [View(X) if factors is None else ScaledView(X, None, slip, factors, take)]
    found = each_start(views, n_clusters, seeds, weights, power, n_trimmed, n_trials)
    return [labels for labels, _ in found]


def seeded_rows(
    X: Array,
    n_clusters: int,
    seeds: Array,
    weights: Array | None = None,
    power: int = 2,
    n_trials: int = 1,
) -> Array:
    """The rows drawn, shape (n_starts, n_clusters), for the labels that `seeded_labels` returns."""
    found = each_start([View(X)], n_clusters, seeds, weights, power, n_trials=n_trials)
    return np.array([rows for _, rows in found])


def greedy_trials(n_clusters: int) -> int:
    """Rows that greedy k-means++ draws for each seed: 2 + log k, rounded down."""
    return 2 + int(np.log(n_clusters))


@dataclass(frozen=True, slots=True)
class View:
    """Some columns of prepared data.

    Attributes
    ----------
    X : ndarray of shape (n, p + 1)
        Prepared data.
    columns : ndarray of shape (m,) or None
        The columns in use; None for all.
    slip : float
        How far rows may be from the coordinates by which those near to two seeds are decided.
    """

    X: Array
    columns: Array | None = None
    slip: float = 0.0
    in_pieces: ClassVar[bool] = True
    """Whether distances come from a matrix product with the rows, which can be done piece by piece."""
    has_coordinates: ClassVar[bool] = True
    """Whether rows near to two seeds can be decided by their coordinates."""

    def spread_out(self, values: Array) -> Array:
        """Values of the columns in use, with zeros for the others."""
        if self.columns is None:
            return values
        full = np.zeros(self.X.shape[1] - 1, values.dtype)
        full[self.columns] = values
        return full

    def canonical_order(self) -> Array:
        """Order of the rows by a fixed random linear combination, so that equal rows are neighbours."""
        m = self.X.shape[1] - 1 if self.columns is None else len(self.columns)
        direction = self.spread_out(fixed_direction(m).astype(self.X.dtype))
        return np.argsort(self.X[:, :-1] @ direction, kind="stable")

    def norms(self) -> Array:
        """Squared lengths of the rows."""
        if self.columns is None:
            return np.einsum("ij,ij->i", self.X[:, :-1], self.X[:, :-1])
        ones = self.spread_out(np.ones(len(self.columns), self.X.dtype))
        return np.concatenate([np.square(self.X[rows, :-1]) @ ones for rows in row_chunks(self.X)])

    def distances(self, chosen: Array, norms: Array, out: Array) -> None:
        """Squared distances of all rows to the chosen ones, (n_chosen, n), exactly 0 for equal rows."""
        np.matmul(self.coefficients(chosen), self.X.T, out=out)
        out *= 2
        out += norms
        clear_rounding(out, chosen, norms)

    def coefficients(self, chosen: Array) -> Array:
        """Score coefficients of the chosen rows as centres."""
        centers = self.X[chosen, :-1]
        if self.columns is not None:
            centers *= self.spread_out(np.ones(len(self.columns), self.X.dtype))
        return score_coefficients(centers)

    def coordinates(self, rows: Array) -> Array:
        """The coordinates by which rows near to two seeds are decided, (r, m)."""
        return self.X[rows, :-1] if self.columns is None else self.X[rows[:, None], self.columns]


@dataclass(frozen=True, slots=True)
class ScaledView(View):
    """All columns of prepared data, times factors, without a copy.

    Attributes
    ----------
    factors : ndarray of shape (p,)
        The factors.
    take : callable or None
        ``take(rows)`` gives the coordinates by which rows near to two seeds are decided; None for those of X.
    """

    factors: Any = None
    take: Any = None

    def coordinates(self, rows: Array) -> Array:
        """The coordinates by which rows near to two seeds are decided."""
        found: Array = self.X[rows, :-1] * self.factors if self.take is None else self.take(rows)
        return found

    def canonical_order(self) -> Array:
        """Order of the rows by a fixed random linear combination, so that equal rows are neighbours."""
        direction = fixed_direction(len(self.factors)).astype(self.X.dtype) * self.factors
        return np.argsort(self.X[:, :-1] @ direction, kind="stable")

    def norms(self) -> Array:
        """Squared lengths of the rows."""
        squares = np.square(self.factors)
        return np.concatenate([np.square(self.X[rows, :-1]) @ squares for rows in row_chunks(self.X)])

    def coefficients(self, chosen: Array) -> Array:
        """Score coefficients of the chosen rows as centres."""
        return scaled_coefficients(self.X[chosen, :-1] * self.factors, self.factors)


def clear_rounding(distances: Array, chosen: Array, norms: Array, rows: slice = slice(None)) -> None:
    """Set squared distances (n_chosen, n) from the chosen rows to 0, in place, if they are only rounding.

    `rows` are the rows of the distances where these are not all.
    """
    rounding = ROUNDINGS * np.finfo(distances.dtype).eps
    noise = rounding * norms[rows] + (rounding * norms[chosen])[:, None]
    np.putmask(distances, distances <= noise, 0)


Part = tuple[View, slice, Array, Array]
"""A view, which of the starts of a batch use it, its canonical order and its norms."""


def each_start(
    views: Sequence[View],
    n_clusters: int,
    seeds: Array,
    weights: Array | None = None,
    power: int = 2,
    n_trimmed: int = 0,
    n_trials: int = 1,
) -> list[tuple[Labels, Array]]:
    """Labels and drawn rows of every start; start i uses views[i % len(views)].

    As many starts as memory allows are drawn together; see `seeded_labels` for the parameters.
    """
    n = views[0].X.shape[0]
    mass = np.ones(n) if weights is None else weights.astype(np.float64)
    per_batch = max(1, BATCH_ENTRIES // (n * n_trials))
    if all(view.in_pieces for view in views):
        per_batch = max(per_batch, max(view.X.shape[1] for view in views) // (BATCH_SHARE * n_trials))
    draws = np.array([np.random.default_rng(int(seed)).random((n_clusters, n_trials)) for seed in seeds])
    turns = np.arange(len(seeds)) % len(views)
    found: list[Any] = [None] * len(seeds)
    by_view = np.argsort(turns, kind="stable")
    known = cache(lambda v: (views[v].canonical_order(), views[v].norms()))
    for first in range(0, len(by_view), per_batch):
        batch = by_view[first : first + per_batch]
        parts = [
            (views[v], slice(*np.searchsorted(turns[batch], [v, v + 1])), *known(v))
            for v in np.unique(turns[batch]).tolist()
        ]
        labels, rows = _batch(parts, draws[batch], mass, power, n_trimmed)
        for i, start in enumerate(batch.tolist()):
            found[start] = labels[i], rows[i]
    return found


def _batch(parts: list[Part], draws: Array, mass: Array, power: int, n_trimmed: int) -> tuple[Labels, Array]:
    """Labels (n_starts, n) and seeds of a batch of starts; draws[:, k] are the uniforms of the k-th seeds."""
    n_starts, n_clusters, n_trials = draws.shape
    n = len(mass)
    labels = np.zeros((n_starts, n), dtype=np.int32)
    closest = np.full(labels.shape, np.inf, dtype=parts[0][0].X.dtype)
    rows = np.empty((n_starts, n_clusters), dtype=np.intp)
    compiled = n_trials == 1 and not n_trimmed and compiles(STEPS * draws.size * n)
    whole = labels.size <= PIECE_ENTRIES or not parts[0][0].in_pieces
    distances = np.empty_like(closest) if whole else None
    tied, doubts = np.zeros(labels.shape, dtype=bool), [_doubt(view, norm) for view, _, _, norm in parts]
    for k in range(n_clusters):
        for view, part, order, norm in parts:
            near, uniforms = closest[part], draws[part, k]
            if compiled:
                rule = power if k else literal.BY_WEIGHT
                literal.draw_rows.compiled(near, mass, order, uniforms[:, 0].copy(), rule, rows[part, k])
            else:
                shares = (mass, power, n_trimmed)
                rows[part, k] = _drawn(view, norm, near, uniforms, order, shares, first=k == 0)
        if distances is None:
            _take_nearer(parts, doubts, rows[:, k], k, (labels, closest, tied), compiled)
            continue
        for (view, part, _, norm), doubt in zip(parts, doubts, strict=True):
            state = labels[part], closest[part], tied[part]
            if compiled and view.in_pieces:
                np.matmul(view.coefficients(rows[part, k]), view.X.T, out=distances[part])
                _add_norms(distances[part], rows[part, k], norm, doubt, k, 0, state)
            else:
                view.distances(rows[part, k], norm, out=distances[part])
                _keep_nearer(distances[part], k, doubt, *state)
    for view, part, _, _ in parts:
        if view.has_coordinates:
            _settle(view, rows[part], labels[part], tied[part])
    return labels, rows


def _doubt(view: View, norms: Array) -> Array:
    """Differences of squared distances of each row from two seeds that may be rounding, shape (n,)."""
    rounding, longest = (ROUNDINGS + 2 * view.X.shape[1]) * np.finfo(norms.dtype).eps, norms.max()
    slip = 8 * view.slip * np.sqrt(longest)  # twice the largest distance, times twice the slip
    return np.asarray(rounding * (norms + longest) + slip, norms.dtype)


def _keep_nearer(
    distances: Array, k: int, doubt: Array, labels: Labels, closest: Array, tied: NDArray[np.bool_]
) -> None:
    """Give the rows that are nearer to the k-th seeds to these; `tied` are those near to two, up to doubt."""
    difference = distances - closest
    np.putmask(labels, difference < 0, k)
    np.minimum(closest, distances, out=closest)
    tied |= difference <= doubt
    tied &= difference >= -doubt


def _settle(view: View, rows: Array, labels: Labels, tied: NDArray[np.bool_]) -> None:
    """Decide the rows near to two seeds by one rule; `rows` are the seeds of each start."""
    for start in np.flatnonzero(tied.any(axis=1)).tolist():
        some = np.flatnonzero(tied[start])
        labels[start, some] = Ties(view.coordinates(rows[start]), 0.0, view.coordinates).decide(some)


def _drawn(
    view: View,
    norms: Array,
    closest: Array,
    uniforms: Array,
    order: Array,
    rule: tuple[Array, int, int],
    first: bool,
) -> Array:
    """The next row of every start, shape (n_starts,)."""
    mass, power, n_trimmed = rule
    n_starts, n = closest.shape
    at_once = max(1, DRAWN_ENTRIES // n)
    found = np.empty(n_starts, np.intp)
    for begin in range(0, n_starts, at_once):
        some = slice(begin, begin + at_once)
        near = closest[some]
        shares = np.broadcast_to(mass, near.shape) if first else _probabilities(near, mass, power, n_trimmed)
        drawn = np.column_stack([_draw(shares, u, order) for u in uniforms[some].T])
        if drawn.shape[1] > 1:
            drawn = _best_drawn(view, norms, drawn, near, rule)
        found[some] = drawn[:, 0]
    return found


def _take_nearer(
    parts: list[Part],
    doubts: list[Array],
    chosen: Array,
    k: int,
    state: tuple[Labels, Array, NDArray[np.bool_]],
    compiled: bool,
) -> None:
    """Give the rows that are nearer to the k-th seeds to these, piece by piece of the rows of the views."""
    pairs = zip(parts, doubts, strict=True)
    for _, same_rows in groupby(pairs, key=lambda pair: id(pair[0][0].X)):
        group = [(view, part, norms, doubt) for (view, part, _, norms), doubt in same_rows]
        X, begin = group[0][0].X, group[0][1].start
        coefficients = np.concatenate([view.coefficients(chosen[part]) for view, part, _, _ in group])
        step = max(1, PIECE_ENTRIES // len(coefficients))
        for first in range(0, len(X), step):
            rows = slice(first, first + step)
            distances = coefficients @ X[rows].T
            if not compiled:
                distances *= 2
            for _, part, norms, doubt in group:
                own = distances[part.start - begin : part.stop - begin]
                if compiled:
                    whole = [values[part] for values in state]
                    _add_norms(own, chosen[part], norms, doubt, k, first, whole)
                    continue
                own += norms[rows]
                clear_rounding(own, chosen[part], norms, rows)
                labels, closest, tied = state
                _keep_nearer(own, k, doubt[rows], labels[part, rows], closest[part, rows], tied[part, rows])


def _add_norms(
    products: Array, chosen: Array, norms: Array, doubt: Array, k: int, first: int, state: Sequence[Array]
) -> None:
    """Give the rows from `first` on that are nearer to the k-th seeds to these, by compiled loops."""
    rounding = products.dtype.type(ROUNDINGS * np.finfo(products.dtype).eps)
    literal.take_nearer.compiled(products, norms, chosen.copy(), rounding, doubt, k, first, *state)


def _best_drawn(
    view: View, norms: Array, drawn: Array, closest: Array, rule: tuple[Array, int, int]
) -> Array:
    """Of the rows drawn for each start (n_starts, n_trials), the one that leaves the least (n_starts, 1)."""
    at_once = max(1, TRIAL_ENTRIES // closest.shape[1])
    distances = np.empty((min(at_once, drawn.shape[1]), closest.shape[1]), closest.dtype)
    left = np.empty(drawn.shape)
    for start, near in enumerate(closest):
        for first in range(0, drawn.shape[1], at_once):
            some = slice(first, first + at_once)
            chosen = drawn[start, some]
            found = distances[: len(chosen)]
            view.distances(chosen, norms, out=found)
            np.minimum(found, near, out=found)
            left[start, some] = _shares(found, *rule).sum(axis=1)
    return np.take_along_axis(drawn, left.argmin(axis=1)[:, None], axis=1)


def _shares(closest: Array, mass: Array, power: int, n_trimmed: int) -> Array:
    """Sample weight times distance ** power of every row; 0 for the rows that are not drawn."""
    shares = (closest > 0).astype(np.float64) if power == 0 else closest.astype(np.float64)
    if power == 1:
        np.sqrt(shares, out=shares)
    shares *= mass
    if n_trimmed:
        last = closest.shape[1] - 1 - n_trimmed
        shares[closest > np.partition(closest, last, axis=1)[:, last, None]] = 0
    return shares


def _probabilities(closest: Array, mass: Array, power: int, n_trimmed: int) -> Array:
    """Unscaled probabilities; just `mass` for starts in which every row equals a seed."""
    shares = _shares(closest, mass, power, n_trimmed)
    exhausted = ~shares.any(axis=1)
    shares[exhausted] = mass
    return shares


def _draw(shares: Array, uniforms: Array, order: Array) -> Array:
    """For each start the first row, in `order`, whose cumulative share exceeds the uniform."""
    cumulative = np.cumsum(shares.take(order, axis=1), axis=1)
    below = np.count_nonzero(cumulative <= uniforms[:, None] * cumulative[:, -1:], axis=1)
    return order[np.minimum(below, len(order) - 1)]


def labels_from_centers(
    X: Array,
    centers: Array,
    factors: Array | None = None,
    take: Callable[[Array], Array] | None = None,
    shift: float = 0.0,
    size: float | None = None,
) -> Labels:
    """Nearest-centre labels of given centres, in the units of the prepared data times `factors`.

    ``take(rows)`` gives the coordinates that decide about rows near to two centres, at most `shift` from
    those of X; None for those of X. `size` bounds the lengths of the rows; None: it is looked for.
    """
    centers = centers.astype(X.dtype)
    by_factor = 1.0 if factors is None else factors
    take = rows_of(X, factors) if take is None else take
    size = length(reach_of(X)[:-1] * by_factor) if size is None else size
    ties = Ties.of(centers, size, take, shift=shift)
    return lowest_score(X, scaled_coefficients(centers, factors), ties=ties)


WIDTH = 0.25
"""Distribution functions are compared on a grid of this many standard deviations, which needs no sorting."""
HALF = 16
OFFSET = 0.3183
"""Shift of the grid, away from round numbers of standard deviations, which are values of discrete data."""
CHUNK_COLUMNS = 512
CHUNK_ENTRIES = 262_144
"""Size of the pieces counted at a time: they fit the processor's cache and have many entries per bin."""
MULTIPLES = (1, 2, 4)
COPIED_ENTRIES = 4_000_000
"""Data with at most this many entries are copied, which is faster."""


def normal_distance(
    Z: Array, weights: Array | None = None, squares: Array | None = None
) -> NDArray[np.float64]:
    """Kolmogorov-Smirnov distance of each column from the normal distribution of its mean and variance.

    Parameters
    ----------
    Z : ndarray of shape (n, p + 1)
        Prepared data, of any spread.
    weights : ndarray of shape (n,) or None
        Sample weights.
    squares : ndarray of shape (p,) or None
        Weighted sums of squares of the columns, if they are known.

    Returns
    -------
    ndarray of shape (p,)
        Largest difference between the distribution functions at multiples of 0.25 standard deviations up to
        4, in [0, 1]; 0 for a constant column.
    """
    n, p = len(Z), Z.shape[1] - 1
    total = total_weight(n, weights)
    variance = (column_squares(Z, weights) if squares is None else squares) / total
    rate = np.divide(1, WIDTH * np.sqrt(variance), out=np.zeros(p), where=variance > 0)
    counts = np.zeros((p, 2 * HALF))
    if compiles_if(True):
        mass = np.ones(n, Z.dtype) if weights is None else weights
        literal.count_bins.compiled(Z, mass, rate, OFFSET, counts)
        return distance_of_counts(counts, total, variance > 0)
    for first in range(0, p, CHUNK_COLUMNS):
        columns = slice(first, min(first + CHUNK_COLUMNS, p))
        width = columns.stop - columns.start
        step = max(1, CHUNK_ENTRIES // width)
        for begin in range(0, n, step):
            rows = slice(begin, begin + step)
            bins = Z[rows, columns] * rate[columns]
            bins -= OFFSET
            np.floor(bins, out=bins)
            np.clip(bins, -HALF, HALF - 1, out=bins)
            cells = bins.astype(np.intp)
            cells += HALF + 2 * HALF * np.arange(width)
            repeated = None if weights is None else np.repeat(weights[rows], width)
            found = np.bincount(cells.ravel(), repeated, minlength=2 * HALF * width)
            counts[columns] += found.reshape(width, 2 * HALF)
    return distance_of_counts(counts, total, variance > 0)


def distance_of_counts(counts: Array, total: float, varying: Array) -> NDArray[np.float64]:
    """Distances from counts: weights of the rows in each column's bins (p, 2 HALF); 0 where not `varying`."""
    shares = counts.cumsum(axis=1)[:, :-1] / total
    normal = ndtr((np.arange(1 - HALF, HALF) + OFFSET) * WIDTH)
    distances = np.where(varying, np.abs(shares - normal).max(axis=1), 0)
    # Rounded, so that equal columns have equal distances.
    return np.round(distances, 9).astype(np.float64)


def least_normal(Z: Array, weights: Array | None = None, squares: Array | None = None) -> Array:
    """Indices of the columns, the least normal first; ties by index."""
    return np.argsort(-normal_distance(Z, weights, squares), kind="stable")


def screened_labels(
    Z: Array,
    order: Array,
    n_clusters: int,
    seeds: Array,
    n_selected: int,
    weights: Array | None = None,
    power: int = 2,
    n_trials: int = 1,
) -> list[Labels]:
    """Nearest-seed labels of k-means++ starts on the least normal columns.

    Parameters
    ----------
    Z : ndarray of shape (n, p + 1)
        Prepared data.
    order : ndarray of shape (p,)
        Columns, the least normal first, as `least_normal` gives.
    n_clusters : int
        Number of seeds of each start.
    seeds : ndarray of shape (n_starts,), int
        One seed for the generator of each start.
    n_selected : int
        Number s of features that will be selected. Start i uses the s, 2 s, 4 s or all p least normal
        columns, as i mod 4 is 0, 1, 2 or 3.
    weights : ndarray of shape (n,) or None
        Sample weights.
    power : {1, 2}
    n_trials : int
        As in `sparsek.methods.starts.seeds.seeded_labels`.

    Returns
    -------
    list of ndarray of shape (n,), int32
        Labels in the order of `seeds`.
    """
    columns = screened_columns(order, n_selected)[: len(seeds)]
    views = [_view(Z, some) for some in columns]
    found = each_start(views, n_clusters, seeds, weights, power, n_trials=n_trials)
    return [labels for labels, _ in found]


def screened_columns(order: Array, n_selected: int) -> list[Array]:
    """The columns that the starts use in turn: the s, 2 s, 4 s and all p least normal ones, sorted."""
    p = len(order)
    sizes = [min(p, multiple * n_selected) for multiple in MULTIPLES] + [p]
    return [np.sort(order[:size]) for size in sizes]


def _view(Z: Array, columns: Array) -> View:
    """View of these columns: a copy if that takes little memory, else Z with the list of columns."""
    p = Z.shape[1] - 1
    if len(columns) == p:
        return View(Z)
    if 8 * len(columns) > p and Z.size > COPIED_ENTRIES:
        return View(Z, columns)
    return View(Z.take(np.append(columns, p), axis=1))
