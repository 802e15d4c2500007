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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sparsek.core.exact_sums import total_weight
from sparsek.core.scaling import column_squares
from sparsek.core.steps import (
    Array,
    Labels,
    Ties,
    fixed_direction,
    nearest_center,
    score_coefficients,
)
from sparsek.engine import compiles
from sparsek.starts import loops

ROUNDINGS = 32
"""A squared distance counts as 0 up to this number of roundings of the squared lengths."""
SAME = 2.0**10
"""Sums of squared distances count as equal where they differ by at most this number of roundings."""
DRAWN_ENTRIES = 100_000
"""Number of probabilities (starts x rows) that are added up at a time."""
TRIAL_ENTRIES = 2**25
"""Largest number of distances (trials x rows) that greedy k-means++ keeps at a time."""
BATCH_ENTRIES = 500_000
"""Number of entries (starts x rows) of one batch."""
BATCH_SHARE = 10
"""A batch of dense rows may have one start for every ten columns: it then takes little memory beside the
rows."""
PIECE_ENTRIES = 2**17
"""Number of distances (starts x rows) found at a time, so that they stay in the processor's cache."""
BIN_STEPS = 10
"""An entry takes about this number of steps to find its bin."""
STEPS = 10
"""A draw takes about this number of steps for a row."""


def seeded_labels(
    X: Array,
    n_clusters: int,
    seeds: Array,
    weights: Array | None = None,
    power: int = 2,
    n_trimmed: float = 0,
    n_trials: int = 1,
) -> list[Labels]:
    """Nearest-seed labels of k-means++ starts, one per entry of `seeds`.

    Shapes: X (n, p + 1), seeds (n_starts,) int, weights (n,); returns (n,) int32.
    """
    found = each_start([View(X)], n_clusters, seeds, weights, power, n_trimmed, n_trials)
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
    # scikit-learn takes this number too, which Arthur and Vassilvitskii (2007) tried.
    return 2 + int(np.log(n_clusters))


@dataclass(frozen=True, slots=True)
class View:
    """Prepared rows, on which seeds are drawn."""

    X: Any  # (n, m + 1): rows, ones last
    in_pieces: ClassVar[bool] = True
    """Whether distances come from matrix products with the rows, which can be done piece by piece."""
    has_coordinates: ClassVar[bool] = True
    """Whether rows near to two seeds can be decided by their coordinates."""

    @property
    def slip(self) -> float:
        """How far rows may be from the coordinates by which those near to two seeds are decided."""
        return 0.0

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns in use."""
        return self.X.shape[0], self.X.shape[1] - 1

    @property
    def dtype(self) -> Any:
        """Type of the rows."""
        return self.X.dtype

    def pieces(self, n_rows: int) -> Iterator[tuple[slice, Array]]:
        """Give about `n_rows` prepared rows at a time, with ones as the last column, and their place."""
        for start in range(0, len(self.X), n_rows):
            rows = slice(start, start + n_rows)
            yield rows, self.X[rows]

    def products(self, coefficients: Array, n_rows: int) -> Iterator[tuple[slice, Array]]:
        """Give products (k, r) of coefficients (k, m + 1) and `n_rows` rows at a time, with their place."""
        for rows, Z in self.pieces(n_rows):
            # All numbers are finite; a product of rows of zeros has warned once all the same, and did not
            # when it was repeated.
            with np.errstate(invalid="ignore"):
                found = coefficients @ Z.T
            yield rows, found

    def taken(self, rows: Array) -> Array:
        """Some prepared rows, ones last."""
        found: Array = self.X[rows]
        return found

    def coordinates(self, rows: Array) -> Array:
        """The coordinates by which rows near to two seeds are decided, (r, m)."""
        return self.taken(rows)[:, :-1]

    def canonical_order(self) -> Array:
        """Order of the rows by a fixed random linear combination, so that equal rows are neighbours."""
        n, m = self.shape
        # The coefficient 0 leaves out the column of ones.
        direction, place = np.append(fixed_direction(m), 0).astype(self.dtype), np.empty(n, self.dtype)
        for rows, found in self.products(direction[None], n):
            place[rows] = found[0]
        return np.argsort(place, kind="stable")

    def norms(self) -> Array:
        """Squared lengths of the rows."""
        n, _ = self.shape
        found = np.empty(n, self.dtype)
        for rows, Z in self.pieces(n):
            found[rows] = np.einsum("ij,ij->i", Z[:, :-1], Z[:, :-1])
        return found

    def coefficients(self, chosen: Array) -> Array:
        """Score coefficients of the chosen rows as centres."""
        return score_coefficients(self.coordinates(chosen))

    def distances(self, chosen: Array, norms: Array, out: Array) -> None:
        """Squared distances of all rows to the chosen ones, (n_chosen, n), exactly 0 for equal rows."""
        n, _ = self.shape
        for rows, found in self.products(self.coefficients(chosen), n):
            out[:, rows] = found
        # The products are |c|^2 / 2 - x'c; doubled, with |x|^2 added, they are squared distances.
        out *= 2
        out += norms
        clear_rounding(out, chosen, norms)


def clear_rounding(distances: Array, chosen: Array, norms: Array, rows: slice = slice(None)) -> None:
    """Set squared distances (n_chosen, n) from the chosen rows to 0, in place, if they are only rounding.

    `rows` are the rows of the distances where these are not all.
    """
    rounding = ROUNDINGS * np.finfo(distances.dtype).eps
    # Distances from inner products round like the squared lengths that they are differences of.
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
    n_trimmed: float = 0,
    n_trials: int = 1,
) -> list[tuple[Labels, Array]]:
    """Labels and drawn rows of every start; start i uses views[i % len(views)].

    As many starts as memory allows are drawn together; see `seeded_labels` for the parameters.
    """
    n = views[0].shape[0]
    mass = np.ones(n) if weights is None else weights.astype(np.float64)
    per_batch = max(1, BATCH_ENTRIES // (n * n_trials))
    if all(view.in_pieces for view in views):
        per_batch = max(per_batch, max(view.shape[1] for view in views) // (BATCH_SHARE * n_trials))
    # Every start has a stream of its own, so that the size of a batch changes no draw.
    draws = np.array([np.random.default_rng(int(seed)).random((n_clusters, n_trials)) for seed in seeds])
    turns = np.arange(len(seeds)) % len(views)
    found: list[Any] = [None] * len(seeds)
    # Starts on the same columns are drawn together, because they share products with the rows.
    by_view = np.argsort(turns, kind="stable")
    known = cache(lambda v: (views[v].canonical_order(), views[v].norms()))
    for first in range(0, len(by_view), per_batch):
        batch = by_view[first : first + per_batch]
        parts = [
            (views[v], slice(*np.searchsorted(turns[batch], [v, v + 1])), *known(v))
            for v in np.unique(turns[batch]).tolist()
        ]
        uniforms = draws[batch]
        looped = n_trials == 1 and not n_trimmed and compiles(STEPS * uniforms.size * n, *_LoopSteps.both)
        steps = (_LoopSteps if looped else _ArraySteps)(mass, power, n_trimmed, weights is None)
        labels, rows = _batch(parts, uniforms, steps)
        for i, start in enumerate(batch.tolist()):
            found[start] = labels[i], rows[i]
    return found


def _batch(parts: list[Part], draws: Array, steps: _ArraySteps) -> tuple[Labels, Array]:
    """Find labels (n_starts, n) and seeds of some starts; draws[:, k] are the uniforms of the k-th seeds."""
    n_starts, n_clusters, _ = draws.shape
    labels = np.zeros((n_starts, len(steps.mass)), dtype=np.int32)
    closest = np.full(labels.shape, np.inf, dtype=parts[0][0].dtype)
    rows = np.empty((n_starts, n_clusters), dtype=np.intp)
    distances = None if parts[0][0].in_pieces else np.empty_like(closest)
    tied, doubts = np.zeros(labels.shape, dtype=bool), [_doubt(view, norm) for view, _, _, norm in parts]
    for k in range(n_clusters):
        for view, part, order, norm in parts:
            rows[part, k] = steps.draw(view, norm, closest[part], draws[part, k], order, first=k == 0)
        for (view, part, _, norm), doubt in zip(parts, doubts, strict=True):
            state, chosen = (labels[part], closest[part], tied[part]), rows[part, k]
            if distances is None:
                at_once = max(1, PIECE_ENTRIES // len(chosen))
                for piece, products in view.products(view.coefficients(chosen), at_once):
                    steps.take_nearer(products, chosen, norm, doubt, k, piece, state)
            else:
                view.distances(chosen, norm, out=distances[part])
                _keep_nearer(distances[part], k, doubt, *state)
    for view, part, _, _ in parts:
        if view.has_coordinates:
            _settle(view, rows[part], labels[part], tied[part])
    return labels, rows


def _doubt(view: View, norms: Array) -> Array:
    """Differences of squared distances of each row from two seeds that may be rounding, shape (n,)."""
    longest = norms.max()
    # A product of m terms has about m roundings, and two distances are compared.
    rounding = (ROUNDINGS + 2 * view.shape[1]) * np.finfo(norms.dtype).eps
    slip = 8 * view.slip * np.sqrt(longest)  # twice the largest distance, times twice the slip
    return np.asarray(rounding * (norms + longest) + slip, norms.dtype)


class _ArraySteps:
    """The steps on whole arrays.

    Sample weights `mass` (n,), the power of the distance by which rows are drawn, and how many of the
    farthest are not: rows that are all `alike`, or a weight.
    """

    def __init__(self, mass: Array, power: int, n_trimmed: float, alike: bool = True) -> None:
        self.mass, self.power, self.n_trimmed, self.alike = mass, power, n_trimmed, alike

    def draw(
        self, view: View, norms: Array, closest: Array, uniforms: Array, order: Array, first: bool
    ) -> Array:
        """Draw the next row of every start, (n_starts,), by its uniforms, of which each trial takes one."""
        n_starts, n = closest.shape
        at_once = max(1, DRAWN_ENTRIES // n)
        found = np.empty(n_starts, np.intp)
        for begin in range(0, n_starts, at_once):
            some = slice(begin, begin + at_once)
            near = closest[some]
            shares = np.broadcast_to(self.mass, near.shape) if first else self._probabilities(near)
            drawn = np.column_stack([_draw(shares, u, order) for u in uniforms[some].T])
            if drawn.shape[1] > 1:
                drawn = self._best_drawn(view, norms, drawn, near)
            found[some] = drawn[:, 0]
        return found

    def take_nearer(
        self,
        products: Array,
        chosen: Array,
        norms: Array,
        doubt: Array,
        k: int,
        rows: slice,
        state: Sequence[Array],
    ) -> None:
        """Give the rows that are nearer to the k-th seeds to these.

        From x.x and c.c / 2 - x.c (n_starts, r) of seeds and of the rows at some places. The state: labels,
        squared distances and marks of ties.
        """
        products *= 2
        products += norms[rows]
        clear_rounding(products, chosen, norms, rows)
        labels, closest, tied = (values[:, rows] for values in state)
        _keep_nearer(products, k, doubt[rows], labels, closest, tied)

    def _best_drawn(self, view: View, norms: Array, drawn: Array, closest: Array) -> Array:
        """Of the rows drawn for each start, (n_starts, n_trials), the one that leaves the least."""
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
                left[start, some] = self._shares(found).sum(axis=1)
        # The first of those that leave the same but for rounding, which differs between processors.
        enough = left.min(axis=1, keepdims=True) * (1 + SAME * np.finfo(closest.dtype).eps)
        return np.take_along_axis(drawn, (left <= enough).argmax(axis=1)[:, None], axis=1)

    def _shares(self, closest: Array) -> Array:
        """Sample weight times distance ** power of every row; 0 for the rows that are not drawn."""
        shares = (closest > 0).astype(np.float64) if self.power == 0 else closest.astype(np.float64)
        if self.power == 1:
            np.sqrt(shares, out=shares)
        shares *= self.mass
        if self.n_trimmed:
            # The farthest rows may be outliers, which would else be the likeliest seeds.
            shares[closest > self._farthest_drawn(closest)] = 0
        return shares

    def _farthest_drawn(self, closest: Array) -> Array:
        """The largest distance at which rows are drawn, (n_starts, 1)."""
        if self.alike:
            last = closest.shape[1] - 1 - int(self.n_trimmed)
            return np.asarray(np.partition(closest, last, axis=1)[:, last, None])
        order = np.argsort(closest, axis=1, kind="stable")
        nearer = np.cumsum(self.mass[order], axis=1)
        # 1e-12 allows for rounding of the cumulative weights: whole weights are trimmed as repeated rows are.
        last = np.argmax(nearer >= (nearer[:, -1:] - self.n_trimmed) * (1 - 1e-12), axis=1)
        return np.take_along_axis(closest, np.take_along_axis(order, last[:, None], axis=1), axis=1)

    def _probabilities(self, closest: Array) -> Array:
        """Unscaled probabilities; just `mass` for starts in which every row equals a seed."""
        shares = self._shares(closest)
        exhausted = ~shares.any(axis=1)
        shares[exhausted] = self.mass
        return shares


class _LoopSteps(_ArraySteps):
    """The same by compiled loops, with one trial and no row left out."""

    both = loops.draw_rows, loops.take_nearer

    def draw(
        self, view: View, norms: Array, closest: Array, uniforms: Array, order: Array, first: bool
    ) -> Array:
        """The next row of every start, shape (n_starts,)."""
        found, power = np.empty(len(closest), np.intp), loops.BY_WEIGHT if first else self.power
        loops.draw_rows.compiled(closest, self.mass, order, uniforms[:, 0].copy(), power, found)
        return found

    def take_nearer(
        self,
        products: Array,
        chosen: Array,
        norms: Array,
        doubt: Array,
        k: int,
        rows: slice,
        state: Sequence[Array],
    ) -> None:
        """Give the rows that are nearer to the k-th seeds to these."""
        rounding = products.dtype.type(ROUNDINGS * np.finfo(products.dtype).eps)
        loops.take_nearer.compiled(products, norms, chosen.copy(), rounding, doubt, k, rows.start, *state)


def _keep_nearer(
    distances: Array, k: int, doubt: Array, labels: Labels, closest: Array, tied: NDArray[np.bool_]
) -> None:
    """Give the rows that are nearer to the k-th seeds to these; `tied` are those near to two, up to doubt."""
    difference = distances - closest
    np.putmask(labels, difference < 0, k)
    np.minimum(closest, distances, out=closest)
    tied |= difference <= doubt
    # Ties with an earlier seed are forgotten where the new seed is clearly nearer.
    tied &= difference >= -doubt


def _draw(shares: Array, uniforms: Array, order: Array) -> Array:
    """For each start the first row, in `order`, whose cumulative share exceeds the uniform."""
    cumulative = np.cumsum(shares.take(order, axis=1), axis=1)
    below = np.count_nonzero(cumulative <= uniforms[:, None] * cumulative[:, -1:], axis=1)
    # A uniform just below 1 may round to the total, above which there is no row.
    drawn: Array = order[np.minimum(below, len(order) - 1)]
    return drawn


def _settle(view: View, rows: Array, labels: Labels, tied: NDArray[np.bool_]) -> None:
    """Decide the rows near to two seeds by one rule; `rows` are the seeds of each start."""
    for start in np.flatnonzero(tied.any(axis=1)).tolist():
        some = np.flatnonzero(tied[start])
        # A doubt of 0 suffices, because `decide` compares in double precision by itself.
        labels[start, some] = Ties(view.coordinates(rows[start]), 0.0, view.coordinates).decide(some)


def labels_from_centers(X: Array, centers: Array) -> Labels:
    """Labels of the nearest of given centres, which are in the units of the prepared data."""
    return nearest_center(X, centers.astype(X.dtype))


WIDTH = 0.25
"""Distribution functions are compared on a grid of this many standard deviations, which needs no sorting."""
HALF = 16
OFFSET = 0.3183
"""Shift of the grid, away from round numbers of standard deviations, which are values of discrete data."""
CHUNK_COLUMNS = 512
CHUNK_ENTRIES = 262_144
"""Size of the pieces counted at a time: they fit the processor's cache and have many entries per bin."""
MULTIPLES = (1, 2, 4)


def normal_distance(
    view: View, weights: Array | None = None, squares: Array | None = None
) -> NDArray[np.float64]:
    """Kolmogorov-Smirnov distance of each column from the normal distribution of its mean and variance.

    Shapes: weights (n,), squares (p,); returns (p,).
    """
    n, p = view.shape
    total = total_weight(n, weights)
    variance = (column_squares(view.X, weights) if squares is None else squares) / total
    # The number of bins in one unit of the column; 0 for a constant column, whose distance is 0.
    rate = np.divide(1, WIDTH * np.sqrt(variance), out=np.zeros(p), where=variance > 0)
    counts, compiled = np.zeros((p, 2 * HALF)), compiles(BIN_STEPS * float(n) * p, loops.count_bins)
    for rows, Z in view.pieces(n if compiled else max(1, CHUNK_ENTRIES // min(p, CHUNK_COLUMNS))):
        mass = None if weights is None else weights[rows]
        if compiled:
            mass = np.ones(len(Z), Z.dtype) if mass is None else mass
            loops.count_bins.compiled(Z, mass, rate, OFFSET, counts)
        else:
            _count_bins(Z, mass, rate, counts)
    return distance_of_counts(counts, total, variance > 0)


def _count_bins(Z: Array, weights: Array | None, rate: Array, counts: Array) -> None:
    """Add the weights of some rows to those of each column's bins (p, 2 HALF)."""
    for first in range(0, len(rate), CHUNK_COLUMNS):
        columns = slice(first, min(first + CHUNK_COLUMNS, len(rate)))
        width = columns.stop - columns.start
        bins = Z[:, columns] * rate[columns]
        bins -= OFFSET
        np.floor(bins, out=bins)
        # The outermost bins hold all that lies beyond: HALF bins of a quarter are four standard deviations.
        np.clip(bins, -HALF, HALF - 1, out=bins)
        cells = bins.astype(np.intp)
        cells += HALF + 2 * HALF * np.arange(width)
        if weights is None:
            counts[columns] += np.bincount(cells.ravel(), minlength=2 * HALF * width).reshape(width, -1)
            continue
        # From the counts so far on, so that weights are added one after the other whatever the chunks are.
        before, every = counts[columns].ravel(), np.arange(2 * HALF * width)
        added = np.concatenate([before, np.repeat(weights, width)])
        counts[columns] = np.bincount(np.concatenate([every, cells.ravel()]), added).reshape(width, -1)


def distance_of_counts(counts: Array, total: float, varying: Array) -> NDArray[np.float64]:
    """Distances from the weights of the rows in each column's bins, (p, 2 HALF); 0 where not `varying`."""
    # Above the last bin both distribution functions are 1.
    shares = counts.cumsum(axis=1)[:, :-1] / total
    normal = ndtr((np.arange(1 - HALF, HALF) + OFFSET) * WIDTH)
    distances = np.where(varying, np.abs(shares - normal).max(axis=1), 0)
    # Rounded, so that equal columns have equal distances.
    return np.round(distances, 9).astype(np.float64)


def least_normal(view: View, weights: Array | None = None, squares: Array | None = None) -> Array:
    """Indices of the columns, the least normal first; ties by index."""
    return np.argsort(-normal_distance(view, weights, squares), kind="stable")


def screened_columns(order: Array, n_selected: int) -> list[Array]:
    """The columns that the starts use in turn: the s, 2 s, 4 s and all p least normal ones, sorted."""
    p = len(order)
    sizes = [min(p, multiple * n_selected) for multiple in MULTIPLES] + [p]
    return [np.sort(order[:size]) for size in sizes]


def screened_labels(
    views: list[View],
    n_clusters: int,
    seeds: Array,
    weights: Array | None = None,
    power: int = 2,
    n_trials: int = 1,
) -> list[Labels]:
    """Nearest-seed labels of k-means++ starts on the least normal columns.

    Shapes: seeds (n_starts,) int, weights (n,); returns (n,) int32.
    """
    found = each_start(views[: len(seeds)], n_clusters, seeds, weights, power, n_trials=n_trials)
    return [labels for labels, _ in found]


def screened_views(Z: Array, order: Array, n_selected: int) -> list[View]:
    """Prepared data in each of `screened_columns`."""
    p = Z.shape[1] - 1
    every = screened_columns(order, n_selected)
    return [View(Z) if len(some) == p else View(Z.take(np.append(some, p), axis=1)) for some in every]
