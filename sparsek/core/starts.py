"""Initial labels: k-means++ and random rows for all starts at once, and given centres.

Draws depend on the rows themselves, not on their order or on how often each is repeated: rows are put in the
order of one fixed linear combination of the columns, and every draw inverts the cumulative sample weights in
that order. So a row of weight 3 and three equal rows give the same starts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparsek.core.kernels import Array, Labels, nearest, score_coefficients

BATCH_ENTRIES = 4_000_000
"""Largest (starts x rows) array of one batch."""


def seeded_labels(
    X: Array, n_clusters: int, seeds: Array, weights: Array | None = None, power: int = 2, n_trimmed: int = 0
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
        So many rows, those farthest from the seeds so far, are not drawn: they may be outliers.

    Returns
    -------
    list of ndarray of shape (n,), int32
        Labels in the order of `seeds`; ties go to the earliest seed.
    """
    batches = _batches([X], [len(seeds)], n_clusters, seeds, weights, power, n_trimmed)
    return [labels for batch, _ in batches for labels in batch]


def seeded_rows(
    X: Array, n_clusters: int, seeds: Array, weights: Array | None = None, power: int = 2
) -> Array:
    """The rows drawn, shape (n_starts, n_clusters), for the labels that `seeded_labels` returns."""
    batches = _batches([X], [len(seeds)], n_clusters, seeds, weights, power, 0)
    return np.concatenate([rows for _, rows in batches])


def seeded_in_views(
    views: list[Array],
    n_starts: list[int],
    n_clusters: int,
    seeds: Array,
    weights: Array | None = None,
    power: int = 2,
) -> list[Labels]:
    """As `seeded_labels`, the first n_starts[0] starts on views[0], some of the columns, and so on."""
    batches = _batches(views, n_starts, n_clusters, seeds, weights, power, 0)
    return [labels for batch, _ in batches for labels in batch]


def _batches(
    views: list[Array],
    n_starts: list[int],
    n_clusters: int,
    seeds: Array,
    weights: Array | None,
    power: int,
    n_trimmed: int,
) -> Iterator[tuple[Labels, Array]]:
    """Labels and drawn rows of as many starts at a time as memory allows."""
    n = len(views[0])
    mass = np.ones(n) if weights is None else weights.astype(np.float64)
    orders = [canonical_order(X) for X in views]
    view_of = np.repeat(np.arange(len(views)), n_starts)
    per_batch = max(1, BATCH_ENTRIES // n)
    for first in range(0, len(seeds), per_batch):
        batch = slice(first, first + per_batch)
        draws = np.array([np.random.default_rng(int(seed)).random(n_clusters) for seed in seeds[batch]])
        yield _batch(views, orders, view_of[batch], draws, mass, power, n_trimmed)


def canonical_order(X: Array) -> Array:
    """Order of the rows by a fixed random linear combination: equal rows are neighbours."""
    direction = np.random.default_rng(0).standard_normal((X.shape[1],)).astype(X.dtype)
    return np.argsort(X[:, :-1] @ direction[:-1], kind="stable")


def _batch(
    views: list[Array],
    orders: list[Array],
    view_of: Array,
    draws: Array,
    mass: Array,
    power: int,
    n_trimmed: int,
) -> tuple[Labels, Array]:
    """Labels (n_starts, n) and seeds of starts whose k-th seeds are drawn with the uniforms draws[:, k]."""
    n_starts, n_clusters = draws.shape
    runs = [(v, np.flatnonzero(view_of == v)) for v in np.unique(view_of).tolist()]
    parts = [(views[v], orders[v], slice(run[0], run[-1] + 1)) for v, run in runs]
    norms = [np.einsum("ij,ij->i", X[:, :-1], X[:, :-1]) for X, _, _ in parts]
    labels = np.zeros((n_starts, len(mass)), dtype=np.int32)
    distances = np.empty((n_starts, len(mass)), dtype=views[0].dtype)
    closest = np.full_like(distances, np.inf)
    rows = np.empty((n_starts, n_clusters), dtype=np.intp)
    for k in range(n_clusters):
        shares = (
            _probabilities(closest, mass, power, n_trimmed) if k else np.broadcast_to(mass, closest.shape)
        )
        for (X, order, part), norm in zip(parts, norms, strict=True):
            rows[part, k] = chosen = _draw(shares[part], draws[part, k], order)
            _seed_distances(X, chosen, norm, out=distances[part])
        np.putmask(labels, distances < closest, k)
        np.minimum(closest, distances, out=closest)
    return labels, rows


def _seed_distances(X: Array, chosen: Array, norms: Array, out: Array) -> None:
    """Squared distances of all rows to the chosen ones, (n_chosen, n); 0 within rounding: equal rows."""
    np.matmul(score_coefficients(X[chosen, :-1]), X.T, out=out)
    out *= 2
    out += norms
    noise = 32 * np.finfo(X.dtype).eps * norms
    out[out <= noise + noise[chosen][:, None]] = 0


def _probabilities(closest: Array, mass: Array, power: int, n_trimmed: int) -> Array:
    """Unscaled probabilities; plain `mass` for starts whose every row equals a seed already."""
    shares = (closest > 0).astype(np.float64) if power == 0 else closest.astype(np.float64) ** (power / 2)
    shares *= mass
    if n_trimmed:
        last = closest.shape[1] - 1 - n_trimmed
        shares[closest > np.partition(closest, last, axis=1)[:, last, None]] = 0
    exhausted = ~shares.any(axis=1)
    shares[exhausted] = mass
    return shares


def _draw(shares: Array, uniforms: Array, order: Array) -> Array:
    """For each start the first row, in `order`, whose cumulative share exceeds the uniform."""
    cumulative = np.cumsum(shares.take(order, axis=1), axis=1)
    below = np.count_nonzero(cumulative <= uniforms[:, None] * cumulative[:, -1:], axis=1)
    return order[np.minimum(below, len(order) - 1)]


def labels_from_centers(X: Array, centers: Array) -> Labels:
    """Nearest-centre labels of given centres, in the units of the prepared data."""
    return nearest(X, centers.astype(X.dtype))
