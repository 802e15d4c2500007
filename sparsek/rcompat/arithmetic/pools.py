"""Sampling without replacement from shrinking pools, many pools at a time, as R draws it.

How many generator outputs a pool uses depends on their values, so a pool can start only where the one before
it ended: the draws are found pool after pool. The exchanges are then made for all pools together.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from operator import length_hint
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.rcompat.arithmetic.generator import IntArray, WordArray, candidates

_BYTE_POOL = 256  # largest pool whose draws fit into one byte; a loop over bytes is fast
_TAIL_WORDS = 4096  # more words than such a small pool ever uses
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
    if n <= _BYTE_POOL:
        return _byte_pool_indices(words, n, size, count)
    halves = (words >> np.uint64(16)).astype(np.int32)
    tail = halves.astype(np.uint8).tobytes()
    levels = pool_levels(n, size)
    rows: list[NDArray[Any]] = []
    used = 0
    for _ in range(count):
        run: tuple[NDArray[Any], int] | None
        for bits, first, stop in levels:
            if bits > 15:  # an attempt takes more than one word
                run = _wide_level_indices(words[used:], bits, first, stop)
            elif bits > 8:
                run = _level_indices(halves[used:], bits, first, stop)
            else:
                run = _byte_indices(tail[used : used + _TAIL_WORDS], first, n - size)
            if run is None:
                return None
            rows.append(run[0])
            used += run[1]
            if bits <= 8:
                break
    return np.concatenate(rows, dtype=np.int64).reshape(count, size), used


def _byte_pool_indices(words: WordArray, n: int, size: int, count: int) -> tuple[IntArray, int] | None:
    """`pool_indices` of small pools, as one loop over bytes; a draw uses at most 8 bits of a word."""
    halves = (words >> np.uint64(16)).astype(np.uint8).tobytes()
    stream = iter(halves)
    levels, masks = _byte_levels(n, size)
    drawn: list[int] = []
    for _ in range(count):
        _draw(stream, levels, drawn)
    if len(drawn) < count * size:
        return None
    indices = np.frombuffer(bytes(drawn), dtype=np.uint8).reshape(count, size) & masks
    return indices.astype(np.int64), len(halves) - length_hint(stream)


def _byte_indices(tail: bytes, first: int, stop: int) -> tuple[NDArray[np.uint8], int] | None:
    """Accepted indices while a pool shrinks from `first`, at most 256, to `stop` elements."""
    stream = iter(tail)
    levels, masks = _byte_levels(first, first - stop)
    drawn: list[int] = []
    _draw(stream, levels, drawn)
    if len(drawn) < first - stop:
        return None
    return np.frombuffer(bytes(drawn), dtype=np.uint8) & masks, len(tail) - length_hint(stream)


def _draw(stream: Iterator[int], levels: list[tuple[int, int, int]], drawn: list[int]) -> None:
    """Append the accepted bytes of one pool to `drawn`, before the unused bits are masked."""
    keep = drawn.append
    for mask, first, stop in levels:
        m = first
        for half in stream:
            if half & mask < m:
                keep(half)
                m -= 1
                if m == stop:
                    break


@lru_cache(maxsize=64)
def _byte_levels(n: int, size: int) -> tuple[list[tuple[int, int, int]], NDArray[np.uint8]]:
    """Mask, first and last size of every level of a small pool; the mask of every draw."""
    levels = [(2**bits - 1, first, stop) for bits, first, stop in pool_levels(n, size)]
    masks = [np.full(first - stop, mask, dtype=np.uint8) for mask, first, stop in levels]
    return levels, np.concatenate(masks)


@lru_cache(maxsize=64)
def _band(bits: int, first: int, stop: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lower and upper limits of the pool's size before each attempt; the size almost surely lies between.

    The size has mean ``first exp(-t / 2^bits)`` before attempt t; its variance follows from one attempt's.
    """
    mean = 2**bits * math.log((first + 0.5) / (stop + 0.5))
    time = np.arange(math.ceil(mean + 8 * math.sqrt(mean) + 8)) / 2**bits
    start = first / 2**bits
    variance = 2**bits * np.exp(-2 * time) * (start * np.expm1(time) - start**2 * time)
    size, margin = first * np.exp(-time), 3.5 * np.sqrt(np.maximum(variance, 0)) + 3
    low, high = np.minimum.accumulate(size - margin), np.maximum.accumulate((size + margin)[::-1])[::-1]
    return np.floor(low).astype(np.int32), np.ceil(high).astype(np.int32)


def _level_indices(
    halves: NDArray[np.int32], bits: int, first: int, stop: int
) -> tuple[NDArray[np.int32], int] | None:
    """Accepted indices while the pool shrinks from `first` to `stop` elements, most attempts at once.

    An attempt is accepted when its value is below the size of the pool. Values outside the limits of `_band`
    are decided at once, the few between them one by one. That the limits held is checked afterwards.
    """
    low, high = _band(bits, first, stop)
    values = halves[: len(low)] & (2**bits - 1)
    low, high = low[: len(values)], high[: len(values)]
    accepted = values < low
    doubtful = (accepted != (values < high)).nonzero()[0]
    before = accepted.cumsum(dtype=np.int32)[doubtful]
    room, late = first, []
    for at, value, taken in zip(doubtful.tolist(), values[doubtful].tolist(), before.tolist(), strict=True):
        if value < room - taken:
            room -= 1
            late.append(at)
    accepted[late] = True
    where = accepted.nonzero()[0][: first - stop]
    sizes = np.arange(first, first - len(where), -1)
    # Both limits fall with the attempts, so they held at every attempt if they held at the accepted ones: the
    # upper limit at the attempt itself, the lower one for the size after it.
    if len(where) == first - stop and ((sizes <= high[where]) & (sizes > low[where])).all():
        return values[where], int(where[-1]) + 1
    return _plain_level_indices(halves, bits, first, stop)


def _plain_level_indices(
    halves: NDArray[np.int32], bits: int, first: int, stop: int
) -> tuple[NDArray[np.int32], int] | None:
    """`_level_indices` attempt by attempt."""
    drawn: list[int] = []
    m = first
    for used, value in enumerate(halves & (2**bits - 1), start=1):
        if value < m:
            drawn.append(value)
            m -= 1
            if m == stop:
                return np.array(drawn, dtype=np.int32), used
    return None


def _wide_level_indices(words: WordArray, bits: int, first: int, stop: int) -> tuple[IntArray, int] | None:
    """`_level_indices` where an attempt takes several words.

    Attempt t is accepted when its value is below ``first`` minus the number accepted before t. Starting from
    the expected numbers, the counts are computed again until they stay the same (only the true counts do).
    Counts that are wrong by e change about e / 2^bits of the decisions, so a few rounds suffice.
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
    # int32, half the width of the result, because the pools are read and written in random order
    pools = np.repeat(np.arange(1, n + 1, dtype=np.int32)[:, None], count, axis=1)
    flat = pools.ravel()
    taken = np.empty((size, count), dtype=np.int32)
    for at, row, last in zip(indices.T * count + np.arange(count), taken, pools[::-1], strict=False):
        flat.take(at, out=row, mode="clip")
        flat[at] = last
    return taken.T.astype(np.int64, order="C")


def _take_from_pool(row: list[int], n: int) -> list[int]:
    """One pool of `take_from_pools`; when few elements are taken, only the moved ones are stored."""
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
