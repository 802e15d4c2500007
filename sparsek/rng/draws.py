"""Draws that use a number of outputs not known beforehand, one after the other as in R."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.elementary import LIKE_MATH
from sparsek.engine import Loop
from sparsek.rng.arguments import count, recycle, size_of
from sparsek.rng.exponentials import exponential
from sparsek.rng.generator import SLOW, RandomState, normal_quantile, pair_up, uniforms
from sparsek.rng.normals import BOX_MULLER, DRAWS, INVERSION, box_muller

FloatArray = NDArray[np.float64]

_BLOCK = 262144  # most outputs looked at ahead
_INTEGER = 2**31 - 1  # parameters from here on are left to samplers


class Outputs:
    """The uniforms of a stream one by one, as an iterator, and normals by the stream's normal kind."""

    def __init__(self, stream: RandomState, expected: int) -> None:
        self._stream = stream
        self._start = stream.getstate()
        self._kept = self._start[3]
        self._block = min(max(expected, 8), _BLOCK)
        self._uniforms: FloatArray = np.empty(0)
        self._view = self._uniforms.data
        self._normals: list[float] = []
        self._at = 0
        self._dropped = 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> float:
        if self._at == len(self._uniforms):
            self._extend()
        self._at += 1
        return self._view[self._at - 1]

    def normal(self) -> float:
        """One standard normal."""
        if self._stream.normal_kind == INVERSION:
            return self._inverted()
        if self._stream.normal_kind != BOX_MULLER:
            return DRAWS[self._stream.normal_kind](self)
        draw, self._kept = (self._kept, 0.0) if self._kept != 0 else box_muller(self)
        return draw

    def _inverted(self) -> float:
        """One standard normal by inversion, of two uniforms."""
        if self._at >= len(self._normals):
            if self._at + 2 > len(self._uniforms):
                self._extend()
            # the draw that starts at each output; a draw uses some of them
            self._normals = normal_quantile(pair_up(self._uniforms[:-1], self._uniforms[1:])).tolist()
        self._at += 2
        return self._normals[self._at - 2]

    @property
    def used(self) -> int:
        """Number of outputs used so far."""
        return self._dropped + self._at

    def _extend(self) -> None:
        """Forget the outputs that were used and look at more."""
        self._dropped += self._at
        self._uniforms = np.concatenate(
            [self._uniforms[self._at :], uniforms(self._stream.words(self._block))]
        )
        self._view = self._uniforms.data
        self._normals = []
        self._at = 0

    def close(self) -> None:
        """Put the stream right after the last output used."""
        self._stream.setstate((*self._start[:3], self._kept))
        self._stream.skip(self.used)


Sampler = Callable[[Outputs], float]
"""Makes one draw."""


_IN_PYTHON = {
    "uniform": next, "normal": Outputs.normal, "exponential": exponential, "math": LIKE_MATH,
}  # fmt: skip


def in_python(draw: Loop, **others: Callable[..., Any]) -> Callable[..., Any]:
    """The loops of a draw in Python, with `Outputs` as the stream, and with other functions of some names."""
    return draw.with_others(_IN_PYTHON | others)


def constant(value: float) -> Sampler:
    """Make a sampler that always gives the same number and uses no output."""
    return lambda outputs: value


def draw_each(
    stream: RandomState,
    n: Any,
    make_sampler: Callable[..., Sampler],
    loop: Loop | None = None,
    /,
    **parameters: ArrayLike,
) -> FloatArray:
    """Make n draws, each with its own parameters.

    Shapes: returns (n,).

    Raises RError if the number of draws or a parameter is not a number; nothing has been drawn then.
    """
    size = count(n)
    if loop is not None and stream.compiles(SLOW * size, loop):
        vectors = {
            name: recycle(name, value, max(1, size_of(name, value))) for name, value in parameters.items()
        }
        if not any((vector >= _INTEGER).any() for vector in vectors.values()):
            return stream.draw(loop, size, **vectors)
    columns = [recycle(name, value, size).tolist() for name, value in parameters.items()]
    cached = lru_cache(maxsize=4096)(make_sampler)
    samplers = [cached(*row) for row in zip(*columns, strict=True)]
    outputs = Outputs(stream, 3 * size)
    draws = np.array([sampler(outputs) for sampler in samplers], dtype=np.float64)
    outputs.close()
    return draws
