"""Exponential draws, and draws that each use as many uniforms as they need."""

from collections.abc import Callable, Iterator
from operator import length_hint

import numpy as np

from sparsek.rng import literal
from sparsek.rng.generator import Block, FloatArray, uniforms

_LN2_SUMS: tuple[float, ...] = tuple(literal.LN2_SUMS.tolist())


def in_turn(
    words: Block, size: int, draw: Callable[[Iterator[float]], float]
) -> tuple[FloatArray, int] | None:
    """Draws that each use as many uniforms as they need.

    Shapes: returns (size,) int.
    """
    stream = iter(uniforms(words).tolist())
    try:
        draws = np.array([draw(stream) for _ in range(size)])
    except StopIteration:
        return None
    return draws, words.size - length_hint(stream)


def exponentials(words: Block, size: int) -> tuple[FloatArray, int] | None:
    """Standard exponential draws.

    Shapes: returns (size,) int.

    Source: Ahrens & Dieter (1972), algorithm SA.
    """
    return in_turn(words, size, exponential)


def exponential(stream: Iterator[float]) -> float:
    """One draw of algorithm SA."""
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
