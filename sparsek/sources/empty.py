"""Rows for empty clusters: the farthest from their centres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparsek.core.steps import Array, Labels, exact_lengths, pieces, row_keys


class Far(NamedTuple):
    """Rows far from their centres: number, label, squared distance, its rounding error, and `row_keys`."""

    rows: Array
    labels: Array
    distances: Array
    noise: Array
    keys: Array


def farthest(X: Array, labels: Labels, centers: Array, start: int = 0) -> Far:
    """Rows of a block that may be given to an empty cluster: those farthest from their centres.

    Twice as many as there are clusters suffice: at most one row per cluster is that cluster's only one, and
    each empty cluster takes one. Of rows at the same distance those with the smaller key come first, so that
    the order of the rows does not matter.
    """
    distances, noise, keys = np.empty((3, len(X)))
    for part in pieces(len(X), X.shape[1]):
        x = X[part].astype(np.float64)
        keys[part] = row_keys(x)
        noise[part] = 64 * np.finfo(X.dtype).eps * np.einsum("ij,ij->i", x, x)
        distances[part] = exact_lengths(x - centers[labels[part]])
    order = np.lexsort((keys, -distances))[: 2 * len(centers)]
    return Far(start + order, labels[order], distances[order], noise[order], keys[order])


def hand_out(far: list[Far], counts: Array) -> tuple[Array, Array]:
    """Rows for the empty clusters, and their clusters: the farthest row of a cluster that has others."""
    rows, labels, distances, noise, keys = (np.concatenate(parts) for parts in zip(*far, strict=True))
    # Numbers of rows decide only between rows with equal distances and keys.
    order = np.lexsort((rows, keys, -distances))
    rows, labels, distances, noise = rows[order], labels[order], distances[order], noise[order]
    counts, taken = counts.copy(), np.zeros(len(rows), dtype=bool)
    chosen: list[tuple[int, int]] = []
    for k in np.flatnonzero(counts == 0).tolist():
        free = np.flatnonzero(~taken & (counts[labels] > 1))
        # Moving a row that lies at its centre, up to rounding, gains nothing.
        if not len(free) or distances[free[0]] <= noise[free[0]]:
            break
        first = free[0]
        taken[first] = True
        counts[labels[first]] -= 1
        counts[k] += 1
        chosen.append((int(rows[first]), k))
    found = np.array(chosen, dtype=np.intp).reshape(-1, 2)
    return found[:, 0], found[:, 1].astype(np.int32)
