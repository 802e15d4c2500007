"""Indices as R draws them: one by one, and without replacement from shrinking pools, many at a time.

How many generator outputs a pool uses depends on their values, so a pool can start only where the one before
it ended: the draws are found pool after pool. The exchanges are then made for all pools together.
"""

import math
from functools import lru_cache
from operator import length_hint
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sparsek.rng.generator import Block, IntArray, WordArray, uniforms

_BYTE_POOL = 256  # largest pool whose draws fit into one byte; a loop over bytes is fast
_TAIL_WORDS = 4096  # more words than such a small pool ever uses
_SHORT_ROW = 200  # up to this many draws, one after the other is faster than all at once
_VECTOR_POOLS = 32  # from this many pools on, exchanging across pools is faster than pool by pool


def halves(words: Block) -> WordArray:
    """The first 16 bits of each output of the generator.

    Shapes: words (n,).
    """
    if words.dtype == np.float64:
        return (words * 65536.0).astype(np.uint64)
    return cast(WordArray, words) >> np.uint64(16)


def index_bits(n: int) -> tuple[int, int]:
    """Bits kept and words used by one attempt at an index in 0..n-1 under "Rejection"."""
    bits = (n - 1).bit_length()
    return bits, bits // 16 + 1


def index_words(n: int, size: int, rounding: int) -> int:
    """Words that almost surely hold `size` indices in 0..n-1."""
    if rounding:
        return 2 * size if n > rounding else size
    bits, per_attempt = index_bits(n)
    attempts = size * 2**bits / n
    n_words: int = per_attempt * math.ceil(attempts + 8 * math.sqrt(attempts) + 8)
    return n_words


def index_stream(words: Block, n: int, rounding: int) -> tuple[IntArray, IntArray]:
    """All the indices in 0..n-1 that a block of words yields."""
    if rounding:
        u = uniforms(words)
        if n > rounding:
            u = u[: u.size // 2 * 2]
            u = (np.floor(33554432.0 * u[0::2]) + u[1::2]) / 33554432.0
        step = 2 if n > rounding else 1
        return np.floor(n * u).astype(np.int64), np.arange(1, u.size + 1) * step
    bits, per_attempt = index_bits(n)
    values = candidates(words, bits, per_attempt)
    accepted = np.flatnonzero(values < n)
    return values[accepted].astype(np.int64), (accepted + 1) * per_attempt


def candidates(words: Block, bits: int, per_attempt: int) -> WordArray:
    """Candidates for an index, one per attempt of the "Rejection" sampler."""
    parts = halves(words[: words.size // per_attempt * per_attempt]).reshape(-1, per_attempt)
    values = parts[:, 0]
    for chunk in parts.T[1:]:
        values = (values << np.uint64(16)) | chunk
    return values & np.uint64(2**bits - 1)


def equal_indices(words: Block, n: int, size: int, rounding: int) -> tuple[IntArray, int] | None:
    """Independent indices in 0..n-1.

    Shapes: returns (size,) int.
    """
    values, ends = index_stream(words, n, rounding)
    if values.size < size:
        return None
    return values[:size], int(ends[size - 1])


def distinct_indices(words: Block, n: int, size: int, rounding: int) -> tuple[IntArray, int] | None:
    """Distinct indices in 0..n-1: an index that came before is drawn again (R's hashed sampling).

    Shapes: returns (size,) int.
    """
    values, ends = index_stream(words, n, rounding)
    first = np.sort(np.unique(values, return_index=True)[1])[:size]
    if first.size < size:
        return None
    return values[first], int(ends[first[-1]])


def pool_levels(n: int, size: int) -> list[tuple[int, int, int]]:
    """Ranges of pool sizes that keep the same number of bits while a pool shrinks from n to n - size."""
    levels = []
    m = n
    while m > n - size:
        bits = (m - 1).bit_length()
        stop = max(2**bits // 2, n - size)
        levels.append((bits, m, stop))
        m = stop
    return levels


def pool_words(n: int, size: int) -> float:
    """Mean number of words that taking `size` of `n` elements uses under "Rejection"."""
    total: float = sum(
        (bits // 16 + 1) * 2**bits * math.log((first + 0.5) / (stop + 0.5))
        for bits, first, stop in pool_levels(n, size)
    )
    return total


def pool_indices(words: Block, n: int, size: int, count: int) -> tuple[IntArray, int] | None:
    """Indices of successive draws from `count` shrinking pools under "Rejection".

    An attempt takes as many bits as the size of the pool needs and is accepted when it is below that size.

    Shapes: returns (count, size) int.

    Small pools are read as bytes, large ones as arrays. With one plain loop over the attempts instead,
    `KMeansSparseCluster_permute` takes up to 12 % longer (200 rows, 500 features) and
    `HierarchicalSparseCluster_permute`, which permutes the pairs of rows, 11 % (20 rows) to 48 % (100 rows).
    """
    parts = halves(words).astype(np.int32)
    tail = parts.astype(np.uint8).tobytes()
    if n <= _BYTE_POOL:
        return _byte_indices(tail, n, size, count)
    levels = pool_levels(n, size)
    rows: list[NDArray[Any]] = []
    used = 0
    for _ in range(count):
        for bits, first, stop in levels:
            run: tuple[NDArray[Any], int] | None
            if first <= _BYTE_POOL:
                run = _byte_indices(tail[used : used + _TAIL_WORDS], first, first - (n - size), 1)
            else:
                run = _level_indices(parts[used:], bits, first, stop)
            if run is None:
                return None
            rows.append(run[0].ravel())
            used += run[1]
            if first <= _BYTE_POOL:
                break
    return np.concatenate(rows, dtype=np.int64).reshape(count, size), used


def _byte_indices(halves: bytes, n: int, size: int, count: int) -> tuple[IntArray, int] | None:
    """`pool_indices` of pools of at most 256 elements, one attempt after the other."""
    stream = iter(halves)
    levels, masks = _byte_levels(n, size)
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
    indices = np.frombuffer(bytes(drawn), dtype=np.uint8).reshape(count, size) & masks
    return indices.astype(np.int64), len(halves) - length_hint(stream)


@lru_cache(maxsize=64)
def _byte_levels(n: int, size: int) -> tuple[list[tuple[int, int, int]], NDArray[np.uint8]]:
    """Mask, first and last size of every level of a small pool; the mask of every draw."""
    levels = [(2**bits - 1, first, stop) for bits, first, stop in pool_levels(n, size)]
    masks = [np.full(first - stop, mask, dtype=np.uint8) for mask, first, stop in levels]
    return levels, np.concatenate(masks)


def _level_indices(
    halves: NDArray[np.int32], bits: int, first: int, stop: int
) -> tuple[NDArray[Any], int] | None:
    """Accepted indices while a pool shrinks from `first` to `stop` elements, all attempts at once.

    Attempt t is accepted when its value is below ``first`` minus the number accepted before t. Starting from
    the expected numbers, the counts are computed again until they stay the same. Only the true counts do:
    every round makes at least one more of the first counts right. Two or three rounds are usual.
    """
    per_attempt = bits // 16 + 1
    sizes = _expected_sizes(bits, first, stop)
    while True:
        values = _attempts(halves[: per_attempt * len(sizes)], bits, per_attempt)
        accepted = values < sizes[: len(values)]
        while True:
            before = accepted.cumsum(dtype=values.dtype) - accepted
            previous, accepted = accepted, values < first - before
            if np.array_equal(previous, accepted):
                break
        where = accepted.nonzero()[0][: first - stop]
        if len(where) == first - stop:
            return values[where], per_attempt * (int(where[-1]) + 1)
        if per_attempt * len(sizes) >= len(halves):
            return None
        sizes = np.append(sizes, np.full_like(sizes, stop))


@lru_cache(maxsize=64)
def _expected_sizes(bits: int, first: int, stop: int) -> NDArray[Any]:
    """Mean size of the pool before each attempt, ``first exp(-t / 2^bits)``, for as many as may be needed."""
    mean = 2**bits * math.log((first + 0.5) / (stop + 0.5))
    time = np.arange(math.ceil(mean + 8 * math.sqrt(mean) + 8)) / 2**bits
    sizes: NDArray[Any] = np.rint(first * np.exp(-time)).astype(np.int32 if bits < 16 else np.int64)
    return sizes


def _attempts(halves: NDArray[np.int32], bits: int, per_attempt: int) -> NDArray[Any]:
    """Values of the attempts: the halves of the words of each put together, low `bits` bits kept."""
    if per_attempt == 1:
        values: NDArray[Any] = halves & (2**bits - 1)
        return values
    parts = halves[: len(halves) // per_attempt * per_attempt].reshape(-1, per_attempt).astype(np.int64)
    values = parts[:, 0]
    for part in parts.T[1:]:
        values = (values << 16) | part
    values = values & (2**bits - 1)
    return values


def take_from_pools(indices: IntArray, n: int) -> IntArray:
    """Elements of the pools 1..n at given draws; each element taken is replaced by the pool's last.

    Shapes: indices (count, size).
    """
    count, size = indices.shape
    if count < _VECTOR_POOLS or 8 * size < n:
        rows = [_take_from_pool(row, n) for row in indices]
        return np.array(rows, dtype=np.int64).reshape(count, size)
    # int32, half the width of the result, because the pools are read and written in random order
    pools = np.repeat(np.arange(1, n + 1, dtype=np.int32)[:, None], count, axis=1)
    flat = pools.ravel()
    taken = np.empty((size, count), dtype=np.int32)
    for at, row, last in zip(indices.T * count + np.arange(count), taken, pools[::-1], strict=False):
        flat.take(at, out=row, mode="clip")
        flat[at] = last
    return taken.T.astype(np.int64, order="C")


def _take_from_pool(row: IntArray, n: int) -> IntArray:
    """One pool of `take_from_pools`."""
    if len(row) > _SHORT_ROW:
        return _take_many(row, n)
    taken = []
    moved: dict[int, int] = {}  # elements that are not in their first place
    for last, j in zip(range(n - 1, -1, -1), row.tolist(), strict=False):
        taken.append(moved.get(j, j + 1))
        moved[j] = moved.get(last, last + 1)
    return np.array(taken, dtype=np.int64)


def _take_many(row: IntArray, n: int) -> IntArray:
    """One pool of `take_from_pools`, all draws at once.

    Draw t moves what is in place ``n - 1 - t`` then, to place ``row[t]``. It came there by the last draw that
    moved something to that place; so on, back to an element that had not been moved before.
    """
    times = np.arange(len(row))
    moves = np.flatnonzero((row != n - 1 - times) & (row >= n - len(row)))
    origin = times.copy()
    origin[n - 1 - row[moves]] = moves  # the last one stays
    while True:
        further = origin[origin]
        if np.array_equal(further, origin):
            break
        origin = further
    order = _stable_order(row)
    again = np.flatnonzero(row[order[1:]] == row[order[:-1]])
    taken = row + 1
    taken[order[again + 1]] = n - origin[order[again]]
    return taken


def _stable_order(numbers: IntArray) -> IntArray:
    """Stable order of numbers from 0 on, by 16 bits at a time, which numpy sorts in linear time."""
    order = np.arange(len(numbers))
    for shift in range(0, int(numbers.max()).bit_length(), 16):
        digits = (numbers[order] >> shift & 0xFFFF).astype(np.uint16)
        order = order[digits.argsort(kind="stable")]
    return order
