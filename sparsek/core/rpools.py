"""Sampling without replacement from shrinking pools, many pools at a time, as R draws it.

How many generator outputs a pool uses depends on the data, so that successive pools chain: the draws are
found in order, the exchanges inside the pools are then made for all pools together.
"""

import math
from collections.abc import Sequence
from operator import length_hint

import numpy as np

from sparsek.core.rsampling import IntArray, WordArray, candidates

_SMALL_POOL = 4096  # up to here one loop over all half words is faster than arrays per pool
_VECTOR_POOLS = 32  # from this many pools on, exchanging across pools is faster than pool by pool


def pool_levels(n: int, size: int) -> list[tuple[int, int, int]]:
    """Ranges of pool sizes that keep the same number of bits while a pool shrinks from n to n - size.

    Parameters
    ----------
    n, size : int
        Size of the pool and number of elements taken from it.

    Returns
    -------
    list of (bits, first, stop)
        Pool sizes ``first, first - 1, ..., stop + 1`` use `bits` bits.
    """
    levels = []
    m = n
    while m > n - size:
        bits = (m - 1).bit_length()
        stop = max(2**bits // 2, n - size)
        levels.append((bits, m, stop))
        m = stop
    return levels


def pool_words(n: int, size: int) -> float:
    """Mean number of words that taking `size` of `n` elements uses under "Rejection".

    Parameters
    ----------
    n, size : int
        Size of the pool and number of elements taken from it.

    Returns
    -------
    float
        Approximate mean: the sum of ``2^bits / m`` over pool sizes m, as an integral.
    """
    return sum(
        (bits // 16 + 1) * 2**bits * math.log((first + 0.5) / (stop + 0.5))
        for bits, first, stop in pool_levels(n, size)
    )


def pool_indices(words: WordArray, n: int, size: int, count: int) -> tuple[IntArray, int] | None:
    """Indices of successive draws from `count` shrinking pools under "Rejection".

    Parameters
    ----------
    words : ndarray
        Generator outputs.
    n, size, count : int
        Size of each pool, elements taken from each, number of pools.

    Returns
    -------
    (ndarray of shape (count, size), int) or None
        Draw i of a row is in 0..n-i-1; words used. None when the block is too short.
    """
    if n <= _SMALL_POOL:
        return _small_pool_indices(words, n, size, count)
    rows = []
    used = 0
    for _ in range(count):
        for bits, first, stop in pool_levels(n, size):
            run = _level_indices(words[used:], bits, first, stop)
            if run is None:
                return None
            rows.append(run[0])
            used += run[1]
    return np.concatenate(rows).reshape(count, size), used


def _small_pool_indices(words: WordArray, n: int, size: int, count: int) -> tuple[IntArray, int] | None:
    """`pool_indices` as one loop over half words; the number of words of a pool is known at its end only."""
    halves: Sequence[int]
    if n <= 256:  # at most 8 bits count, and bytes are quicker to run through than ints
        halves = (words >> np.uint64(16)).astype(np.uint8).tobytes()
    else:
        halves = (words >> np.uint64(16)).tolist()
    stream = iter(halves)
    levels = [(2**bits - 1, first, stop) for bits, first, stop in pool_levels(n, size)]
    drawn: list[int] = []
    keep = drawn.append
    for _ in range(count):
        for mask, first, stop in levels:
            m = first
            for half in stream:
                if half & mask < m:
                    keep(half)
                    m -= 1
                    if m == stop:
                        break
    if len(drawn) < count * size:
        return None
    flat = np.frombuffer(bytes(drawn), dtype=np.uint8) if n <= 256 else np.array(drawn)
    masks = np.concatenate([np.full(first - stop, mask) for mask, first, stop in levels])
    indices = flat.reshape(count, size).astype(np.int64) & masks
    return indices, len(halves) - length_hint(stream)


def _level_indices(words: WordArray, bits: int, first: int, stop: int) -> tuple[IntArray, int] | None:
    """Accepted indices while the pool shrinks from `first` to `stop` elements, all attempts at once.

    Attempt t is accepted when it is below ``first`` minus the number accepted before t. Starting from the
    expected number, this is iterated to its only fixed point; an error of e in the count flips about
    e / 2^bits of the attempts, so that a few rounds suffice.
    """
    quota = first - stop
    per_attempt = bits // 16 + 1
    mean = 2**bits * math.log((first + 0.5) / (stop + 0.5))
    window = per_attempt * math.ceil(mean + 8 * math.sqrt(mean) + 8)
    while True:
        values = candidates(words[:window], bits, per_attempt).astype(np.int64)
        before = np.floor(first * -np.expm1(-np.arange(values.size) / 2**bits)).astype(np.int64)
        accepted = np.zeros(values.size, dtype=bool)
        while True:
            previous, accepted = accepted, values < first - before
            if np.array_equal(previous, accepted):
                break
            before = np.cumsum(accepted) - accepted
        where = np.flatnonzero(accepted)[:quota]
        if where.size == quota:
            return values[where], int(where[-1] + 1) * per_attempt
        if window >= words.size:
            return None
        window *= 2


def take_from_pools(indices: IntArray, n: int) -> IntArray:
    """Elements of the pools 1..n at given draws; each element taken is replaced by the pool's last.

    Parameters
    ----------
    indices : ndarray of shape (count, size)
        Draw i of a row is in 0..n-i-1.
    n : int
        Size of the pools.

    Returns
    -------
    ndarray of int64, shape (count, size)
        Distinct elements in every row.
    """
    count, size = indices.shape
    if count < _VECTOR_POOLS or 8 * size < n:
        rows = [_take_from_pool(row, n) for row in indices.tolist()]
        return np.array(rows, dtype=np.int64).reshape(count, size)
    # half the width of the result: the pools are read and written in random order
    pools = np.repeat(np.arange(1, n + 1, dtype=np.int32)[:, None], count, axis=1).ravel()
    at = indices.T * count + np.arange(count)
    taken = np.empty((size, count), dtype=np.int32)
    for i in range(size):
        taken[i] = pools[at[i]]
        last = (n - 1 - i) * count
        pools[at[i]] = pools[last : last + count]
    return taken.T.astype(np.int64, order="C")


def _take_from_pool(row: list[int], n: int) -> list[int]:
    """One pool of `take_from_pools`; a dict of the moved elements when few are taken."""
    taken = []
    last = n - 1
    if 8 * len(row) < n:
        moved: dict[int, int] = {}
        for j in row:
            taken.append(moved.get(j, j + 1))
            moved[j] = moved.get(last, last + 1)
            last -= 1
        return taken
    pool = list(range(1, n + 1))
    for j in row:
        taken.append(pool[j])
        pool[j] = pool[last]
        last -= 1
    return taken
