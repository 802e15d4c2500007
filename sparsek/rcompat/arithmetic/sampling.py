"""R's sampling algorithms as functions of a block of 32-bit generator outputs.

Every function that reads a block takes more words than it may need and says how many it used; it returns
``None`` when the block was too short, and the caller draws a longer one from the same place.
"""

import math
from collections.abc import Iterator
from operator import length_hint

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
WordArray = NDArray[np.uint64]

_LN2_SUMS = (
    0.6931471805599453, 0.9333736875190459, 0.9888777961838675, 0.9984959252914960,
    0.9998292811061389, 0.9999833164100727, 0.9999985691438767, 0.9999998906925558,
    0.9999999924734159, 0.9999999995283275, 0.9999999999728814, 0.9999999999985598,
    0.9999999999999289, 0.9999999999999968, 0.9999999999999999, 1.0,
)  # fmt: skip
"""Sums of the first k terms of (ln 2)^i / i!, written out because computing them gives other last digits."""


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
    u: FloatArray = words * np.float64(2.3283064365386963e-10)
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
    values = candidates(words, bits, per_attempt)
    accepted = np.flatnonzero(values < n)
    return values[accepted].astype(np.int64), (accepted + 1) * per_attempt


def candidates(words: WordArray, bits: int, per_attempt: int) -> WordArray:
    """Candidates for an index, one per attempt of the "Rejection" sampler.

    Parameters
    ----------
    words : ndarray
        Generator outputs.
    bits, per_attempt : int
        As from `index_bits`.

    Returns
    -------
    ndarray of uint64
        Top halves of the words of an attempt put together, low `bits` bits kept.
    """
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
    """Distinct indices in 0..n-1: an index that came before is drawn again (R's hashed sampling).

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


def exponentials(words: WordArray, size: int) -> tuple[FloatArray, int] | None:
    """Standard exponential draws.

    Parameters
    ----------
    words : ndarray
        Generator outputs.
    size : int
        Number of draws.

    Returns
    -------
    (ndarray of shape (size,), int) or None
        Draws and words used; None when the block is too short.

    Notes
    -----
    Source: Ahrens & Dieter (1972), algorithm SA.
    """
    stream = iter(uniforms(words).tolist())
    try:
        draws = np.array([_exponential(stream) for _ in range(size)])
    except _BlockEndError:
        return None
    return draws, words.size - length_hint(stream)


class _BlockEndError(Exception):
    """The block of generator outputs was too short."""


def _exponential(stream: Iterator[float]) -> float:
    """One draw of algorithm SA from a stream of uniforms."""
    try:
        a = 0.0
        u = next(stream) * 2
        while u <= 1:
            u += u
            a += _LN2_SUMS[0]
        u -= 1
        if u <= _LN2_SUMS[0]:
            return a + u
        smallest = min(next(stream), next(stream))
        i = 1
        while u > _LN2_SUMS[i]:
            smallest = min(smallest, next(stream))
            i += 1
        return a + smallest * _LN2_SUMS[0]
    except StopIteration:
        raise _BlockEndError from None
