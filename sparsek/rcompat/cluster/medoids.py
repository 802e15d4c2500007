"""Partitioning around medoids with R's order of operations and ties.

Source: Kaufman & Rousseeuw (1990), "Finding Groups in Data", chapter 2: the phases BUILD and SWAP.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, sequential_sum

SMALLEST_GAIN = 16 * 2.0**-52
"""A swap of ``pam`` must lower the sum of dissimilarities by more than this share of it."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Clusters around medoids."""

    medoids: IntArray  # Objects from 0, in the order of their clusters
    labels: IntArray  # Clusters from 0, numbered by their first object
    # (2,): mean dissimilarity of the objects to the nearest medoid after BUILD and after SWAP
    objective: FloatArray


def partition(d: FloatArray, k: int, start: IntArray | None, swap: bool) -> Partition:
    """Choose medoids and assign the objects to them.

    Shapes: d (n, n).
    """
    medoids, objective = choose_medoids(d, k, start, swap)
    return Partition(*_clusters(d, medoids), np.array(objective))


def choose_medoids(
    d: FloatArray,
    k: int,
    start: IntArray | None = None,
    swap: bool = True,
    least: float = SMALLEST_GAIN,
    second_nearest: bool = True,
) -> tuple[IntArray, list[float]]:
    """Medoids by BUILD and SWAP, sorted, and the mean dissimilarity to the nearest one after each phase.

    A swap must lower the sum by more than `least` of it.
    Without `second_nearest` an object that loses its only nearest medoid goes to the new one, and one that
    has another as near stays there, as in ``clara``.
    Shapes: d (n, n), NaN where unknown, 0 on the diagonal.
    """
    with np.errstate(over="ignore"):
        n, farthest = len(d), np.nanmax(d) * 1.1 + 1
    d = np.where(np.isnan(d), np.inf, d)
    medoids = _build(d, k, farthest) if start is None else np.sort(start)
    nearest = np.minimum(d[medoids].min(axis=0), farthest)
    total = float(sequential_sum(nearest[:, None])[0])
    objective, seen = [total / n], set()
    while swap and tuple(medoids) not in seen:  # gains of rounding alone could lead back
        seen.add(tuple(medoids))
        gain, leaving, entering = _best_swap(d, medoids, farthest, second_nearest)
        if not gain < -least * abs(total):
            break
        medoids = np.sort(np.append(medoids[medoids != leaving], entering))
        total += gain
    objective.append(total / n)
    return medoids, objective


def _build(d: FloatArray, k: int, farthest: float) -> IntArray:
    """BUILD: one after the other the object that lowers the sum most, the last of equal ones."""
    n = len(d)
    nearest = np.full(n, farthest)
    chosen: list[int] = []
    for _ in range(k):
        with np.errstate(invalid="ignore"):
            gains = sequential_sum(np.fmax(nearest[:, None] - d, 0.0))
        gains[chosen] = -1.0
        chosen.append(n - 1 - int(gains[::-1].argmax()))
        nearest = np.minimum(nearest, d[chosen[-1]])
    return np.sort(chosen)


def _best_swap(
    d: FloatArray, medoids: IntArray, farthest: float, second_nearest: bool
) -> tuple[float, int, int]:
    """The swap that lowers the sum most: its change of the sum, the medoid and the other object."""
    others = np.delete(np.arange(len(d)), medoids)
    near = np.minimum(np.sort(d[medoids], axis=0), farthest)
    first, second = near[0], near[1] if len(medoids) > 1 else np.full(len(d), farthest)
    to_others = d[:, others]
    with np.errstate(invalid="ignore"):
        closer = np.where(to_others < first[:, None], to_others - first[:, None], 0.0)
        if second_nearest:
            bereft = np.minimum(second[:, None], to_others) - first[:, None]
        else:
            bereft = np.where((second == first)[:, None], 0.0, to_others - first[:, None])
        change = np.stack(
            [sequential_sum(np.where((d[i] == first)[:, None], bereft, closer)) for i in medoids], axis=1
        )
    change[np.isnan(change)] = np.inf
    h, i = divmod(int(change.argmin()), len(medoids))
    return float(change[h, i]), int(medoids[i]), int(others[h])


def _clusters(d: FloatArray, medoids: IntArray) -> tuple[IntArray, IntArray]:
    """Medoids in the order in which their clusters first appear, and labels in that order."""
    nearest = d[medoids].argmin(axis=0)
    nearest[medoids] = np.arange(len(medoids))
    _, first, inverse = np.unique(nearest, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return medoids[order], np.argsort(order)[inverse]
