"""Sampling with unequal probabilities in R's order: heap sort, cumulative sums, Walker's alias method."""

import math

import numpy as np
from numpy.typing import ArrayLike

from sparsek.errors import RError
from sparsek.inputs.containers import numbers
from sparsek.rng.generator import Block, FloatArray, IntArray, uniforms
from sparsek.rng.pools import halves, index_bits

_ALIAS_ENTRIES = 200  # R uses the alias method when more than this many entries exceed a tenth of the mean


def heap_sort_descending(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Sort in descending order by the heap sort whose order of ties R's weighted sampling depends on.

    Shapes: values (n,); returns sorted_values (n,).
    """
    heap: list[tuple[float, int]] = list(zip(values.tolist(), range(1, values.size + 1), strict=True))
    n = len(heap)
    for root in range(n // 2, 0, -1):
        _sift_down(heap, root, n, heap[root - 1])
    for last in range(n, 1, -1):
        moved = heap[last - 1]
        heap[last - 1] = heap[0]
        _sift_down(heap, 1, last - 1, moved)
    return np.array([v for v, _ in heap]), np.array([label for _, label in heap], dtype=np.int64)


def _sift_down(heap: list[tuple[float, int]], i: int, size: int, moved: tuple[float, int]) -> None:
    """Put an item into the min-heap ``heap[:size]`` from the 1-based position i downwards."""
    value = moved[0]
    while (j := 2 * i) <= size:
        if j < size and heap[j - 1][0] > heap[j][0]:
            j += 1
        if value <= heap[j - 1][0]:
            break
        heap[i - 1] = heap[j - 1]
        i = j
    heap[i - 1] = moved


def normalise_weights(prob: ArrayLike, n: int, required: int) -> FloatArray:
    """Check weights in R's order and divide them by their sum, taken left to right.

    Shapes: prob (n,); returns (n,).

    Raises RError with R's message, if weights are not finite, negative, too few, or not `n`.
    """
    try:
        given = np.asarray(numbers(prob, "prob", holes=True))
        weights = given.astype(np.float64, casting="same_kind").ravel()
    except (TypeError, ValueError, OverflowError):
        raise RError("NA in probability vector", f"prob must be numbers; got {prob!r}") from None
    if weights.size != n:
        raise RError("incorrect number of probabilities", f"prob must have {n} entries; got {weights.size}")
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if bad.size:
        value = weights[bad[0]]
        message = "negative probability" if math.isfinite(value) else "NA in probability vector"
        raise RError(message, f"prob must be finite and at least 0; entry {bad[0]} is {value}")
    positive = weights[weights > 0]
    if positive.size < max(required, 1):
        raise RError(
            "too few positive probabilities",
            f"{max(required, 1)} entries of prob must be positive; got {positive.size}",
        )
    shares: FloatArray = weights / np.add.accumulate(positive)[-1]
    return shares


def uses_alias(probabilities: FloatArray) -> bool:
    """Whether R samples with replacement by the alias method.

    Shapes: probabilities (n,).
    """
    return int(np.sum(probabilities.size * probabilities > 0.1)) > _ALIAS_ENTRIES


def weighted_without_replacement(u: FloatArray, probabilities: FloatArray) -> IntArray:
    """Weighted sample without replacement, by cumulative sums of the remaining weights in descending order.

    Shapes: u (size,), probabilities (n,).
    """
    left, labels = heap_sort_descending(probabilities)
    taken = np.empty(u.size, dtype=np.int64)
    total = 1.0
    for i, draw in enumerate(u.tolist()):
        j = int(np.searchsorted(np.add.accumulate(left)[:-1], total * draw))
        taken[i] = labels[j]
        total -= float(left[j])
        left, labels = np.delete(left, j), np.delete(labels, j)
    return taken


def weighted_with_replacement(u: FloatArray, probabilities: FloatArray) -> IntArray:
    """Weighted sample with replacement by inverting the distribution in descending order.

    Shapes: u (size,), probabilities (n,).
    """
    values, labels = heap_sort_descending(probabilities)
    return labels[np.searchsorted(np.add.accumulate(values)[:-1], u)]


def alias_draws(words: Block, n: int, size: int, rounding: int) -> tuple[FloatArray, int] | None:
    """Uniform draws in [0, n) for the alias method.

    Shapes: returns (size,) int.
    """
    if rounding:
        return n * uniforms(words[:size]), size
    bits, per_attempt = index_bits(n)
    mask = 2**bits - 1
    u = uniforms(words).tolist()
    parts = halves(words).tolist()
    draws: list[float] = []
    at = 0
    while len(draws) < size:
        index = 0
        for half in parts[at : at + per_attempt]:
            index = index << 16 | half
        at += per_attempt
        if at >= len(u):
            return None
        if index & mask < n:
            draws.append((index & mask) + u[at])
            at += 1
    return np.array(draws), at


def alias_lookup(draws: FloatArray, probabilities: FloatArray) -> IntArray:
    """Weighted sample with replacement by Walker's alias method.

    Shapes: draws (size,), probabilities (n,).
    """
    cutoffs, alias = _alias_table(probabilities)
    k = draws.astype(np.int64)
    return np.where(draws < cutoffs[k], k, alias[k]) + 1


def _alias_table(probabilities: FloatArray) -> tuple[FloatArray, IntArray]:
    """Walker's table in R's order of construction: cut-offs, and the labels of draws beyond them."""
    n = probabilities.size
    q = (probabilities * n).tolist()
    alias = [0] * n
    small = [i for i in range(n) if q[i] < 1]
    order = small + [i for i in range(n - 1, -1, -1) if q[i] >= 1]
    right = len(small)
    if 0 < right < n:
        for i in order[: n - 1]:
            j = order[right]
            alias[i] = j
            q[j] += q[i] - 1
            if q[j] < 1:
                right += 1
            if right >= n:
                break
    return np.array(q) + np.arange(n), np.array(alias, dtype=np.int64)
