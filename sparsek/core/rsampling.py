"""R's sampling algorithms as functions of a block of 32-bit generator outputs.

Every function that reads a block takes more words than it may need and says how many it used; it returns
``None`` when the block was too short, and the caller draws a longer one from the same place.
"""

import math
from collections.abc import Sequence
from operator import length_hint

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
WordArray = NDArray[np.uint64]

MAX_HALF_WORD_POOL = 32768
"""Largest pool whose index needs one 16-bit half word per attempt."""

_SMALL_POOL = 4096  # up to here one Python loop over all pools is faster than arrays per pool
_VECTOR_POOLS = 32  # from this many pools on, swapping across pools is faster than one by one


def uniforms(words: WordArray) -> FloatArray:
    """Uniform draws in (0, 1), one per word: ``word * 2^-32``, and a positive number for word 0.

    Parameters
    ----------
    words : ndarray of shape (n,)
        Outputs of the generator, each below 2^32.

    Returns
    -------
    ndarray of shape (n,)
        The draws.
    """
    u = words * 2.3283064365386963e-10
    u[u <= 0] = 0.5 * 2.328306437080797e-10
    return u


def index_bits(n: int) -> tuple[int, int]:
    """Bits kept and words used by one attempt at an index in 0..n-1 under "Rejection".

    Parameters
    ----------
    n : int
        Number of values, at least 1.

    Returns
    -------
    bits, words_per_attempt : int
        ``ceil(log2 n)`` and ``floor(bits / 16) + 1``.
    """
    bits = (n - 1).bit_length()
    return bits, bits // 16 + 1


def index_words(n: int, size: int, rounding: bool) -> int:
    """Words that almost surely hold `size` indices in 0..n-1.

    Parameters
    ----------
    n, size : int
        Range and number of the indices.
    rounding : bool
        Whether the index sampler is "Rounding".

    Returns
    -------
    int
        The number of words.
    """
    if rounding:
        return 2 * size if n > 2**31 - 1 else size
    bits, per_attempt = index_bits(n)
    attempts = size * 2**bits / n
    return per_attempt * math.ceil(attempts + 8 * math.sqrt(attempts) + 8)


def index_stream(words: WordArray, n: int, rounding: bool) -> tuple[IntArray, IntArray]:
    """All the indices in 0..n-1 that a block of words yields.

    Parameters
    ----------
    words : ndarray
        Generator outputs.
    n : int
        Number of values, at least 1.
    rounding : bool
        Whether the index sampler is "Rounding".

    Returns
    -------
    values, ends : ndarray of int64
        The accepted indices and the number of words used up to and including each.
    """
    if rounding:
        u = uniforms(words)
        if n > 2**31 - 1:
            u = u[: u.size // 2 * 2]
            u = (np.floor(33554432.0 * u[0::2]) + u[1::2]) / 33554432.0
        step = 2 if n > 2**31 - 1 else 1
        return np.floor(n * u).astype(np.int64), np.arange(1, u.size + 1) * step
    bits, per_attempt = index_bits(n)
    values = _candidates(words, bits, per_attempt)
    accepted = np.flatnonzero(values < n)
    return values[accepted].astype(np.int64), (accepted + 1) * per_attempt


def _candidates(words: WordArray, bits: int, per_attempt: int) -> WordArray:
    """Candidates of successive attempts: top halves put together, low `bits` bits kept."""
    halves = (words[: words.size // per_attempt * per_attempt] >> np.uint64(16)).reshape(-1, per_attempt)
    values = halves[:, 0]
    for chunk in halves.T[1:]:
        values = (values << np.uint64(16)) | chunk
    return values & np.uint64(2**bits - 1)


def equal_indices(words: WordArray, n: int, size: int, rounding: bool) -> tuple[IntArray, int] | None:
    """Independent indices in 0..n-1.

    Parameters
    ----------
    words : ndarray
        Generator outputs.
    n, size : int
        Range and number of the indices, `size` at least 1.
    rounding : bool
        Whether the index sampler is "Rounding".

    Returns
    -------
    (ndarray of shape (size,), int) or None
        Indices and words used; None when the block is too short.
    """
    values, ends = index_stream(words, n, rounding)
    if values.size < size:
        return None
    return values[:size], int(ends[size - 1])


def distinct_indices(words: WordArray, n: int, size: int, rounding: bool) -> tuple[IntArray, int] | None:
    """Distinct indices in 0..n-1 by drawing again what was drawn before (R's hashed sampling).

    Parameters
    ----------
    words : ndarray
        Generator outputs.
    n, size : int
        Range and number of the indices, `size` at least 1.
    rounding : bool
        Whether the index sampler is "Rounding".

    Returns
    -------
    (ndarray of shape (size,), int) or None
        Indices and words used; None when the block is too short.
    """
    values, ends = index_stream(words, n, rounding)
    first = np.sort(np.unique(values, return_index=True)[1])[:size]
    if first.size < size:
        return None
    return values[first], int(ends[first[-1]])


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
    halves: Sequence[int] = (words >> np.uint64(16)).tolist()
    if n <= 256:  # at most 8 bits count, and bytes are quicker to run through than ints
        halves = (words >> np.uint64(16)).astype(np.uint8).tobytes()
    stream = iter(halves)
    levels = [(2**bits - 1, first, stop) for bits, first, stop in pool_levels(n, size)]
    drawn: list[int] = []
    keep = drawn.append
    for _ in range(count):
        for mask, first, stop in levels:
            m = first
            for half in stream:
                j = half & mask
                if j < m:
                    keep(j)
                    m -= 1
                    if m == stop:
                        break
    if len(drawn) < count * size:
        return None
    return np.array(drawn, dtype=np.int64).reshape(count, size), len(halves) - length_hint(stream)


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
        values = _candidates(words[:window], bits, per_attempt).astype(np.int64)
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
    pools = np.repeat(np.arange(1, n + 1, dtype=np.int64)[:, None], count, axis=1).ravel()
    at = indices.T * count + np.arange(count)
    taken = np.empty((size, count), dtype=np.int64)
    for i in range(size):
        taken[i] = pools[at[i]]
        last = (n - 1 - i) * count
        pools[at[i]] = pools[last : last + count]
    return np.ascontiguousarray(taken.T)


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
