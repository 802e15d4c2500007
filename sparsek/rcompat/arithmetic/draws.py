"""Draws that use a number of outputs not known beforehand, one after the other as in R."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.engine import Literal
from sparsek.rcompat.arithmetic.generator import (
    LONGEST,
    IntArray,
    RandomState,
    count,
    exponentials_at,
    normal_quantile,
    pair_up,
    recycle,
    uniforms,
)
from sparsek.rcompat.arithmetic.normals import BOX_MULLER, DRAWS, INVERSION, box_muller

FloatArray = NDArray[np.float64]

_BLOCK = 262144  # most outputs looked at ahead
_MANY = 200  # from this many draws on, looking at all starts at once is faster
OPEN = 255
"""What `BlockSampler.ahead` says of a start that it leaves to a call."""
_SEGMENT = 256  # starts that are followed on their own
_INTEGER = 2**31 - 1  # parameters from here on are left to samplers
_LONGEST_STEP = 240  # an attempt that uses more outputs is left open
Values = Callable[[IntArray], FloatArray]
"""Gives the draws that start at some outputs, NaN for attempts that are not accepted."""


class Outputs:
    """The uniforms of a stream one by one, as an iterator, and normals by the stream's normal kind.

    Parameters
    ----------
    stream : RandomState
        Where they come from; `close` puts it right after the last one used.
    expected : int
        About how many will be used.
    """

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

    @property
    def inverts(self) -> bool:
        """Whether normals are made by inversion."""
        return self._stream.normal_kind == INVERSION

    def normal(self) -> float:
        """One standard normal.

        Returns
        -------
        float
            The draw, dimensionless.
        """
        if self.inverts:
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

    def ahead(self, least: int) -> FloatArray:
        """Look at outputs without using them.

        Parameters
        ----------
        least : int
            Smallest number of outputs wanted.

        Returns
        -------
        ndarray of shape (at least `least`,)
            The next outputs.
        """
        while len(self._uniforms) - self._at < least:
            self._extend()
        return self._uniforms[self._at :]

    def use(self, number: int) -> None:
        """Count some of the outputs that `ahead` showed as used.

        Parameters
        ----------
        number : int
            How many.
        """
        self._at += number

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


class BlockSampler(ABC):
    """A sampler that can also tell of all outputs in a block what an attempt that starts there would give.

    Calling it makes one draw. `ahead` may leave starts open, so that they are drawn by a call.

    Attributes
    ----------
    takes_normals : bool
        Whether draws begin with a normal, which `ahead` makes by inversion.
    """

    takes_normals = False

    @abstractmethod
    def __call__(self, outputs: Outputs) -> float:
        """Make one draw."""

    @abstractmethod
    def ahead(self, u: FloatArray) -> tuple[int | NDArray[np.uint8], Values]:
        """Look at all starts.

        Parameters
        ----------
        u : ndarray of shape (m,)
            Uniforms.

        Returns
        -------
        int or ndarray of uint8, shape (at most m,)
            How many outputs an attempt uses, where it is always the same number; or the number for each
            start, `OPEN` where it cannot tell.
        callable
            Gives the draws.
        """


def draw_ahead(outputs: Outputs, size: int, sampler: BlockSampler) -> FloatArray:
    """Make draws of one distribution, many at a time.

    Parameters
    ----------
    outputs : Outputs
        Where the uniforms come from.
    size : int
        Number of draws.
    sampler : BlockSampler
        What makes them.

    Returns
    -------
    ndarray of shape (size,)
        The same as from as many calls of the sampler.
    """
    parts = [np.empty(0)]
    while size > 0:
        u = outputs.ahead(4 * _LONGEST_STEP)[: 4 * size + 4 * _LONGEST_STEP]
        used, values = sampler.ahead(u)
        if isinstance(used, int):
            starts = np.arange(0, len(u) - used + 1, used)
            ends = starts + used
        else:
            starts = chain(used[: len(u) - _LONGEST_STEP])[:size]
            starts = starts[: (*np.flatnonzero(used[starts] == OPEN), size)[0]]
            ends = starts + used[starts]
        draws = values(starts)
        accepted = np.flatnonzero(~np.isnan(draws))[:size]
        if len(starts):
            outputs.use(int(ends[accepted[-1] if len(accepted) == size else -1]))
            parts.append(draws[accepted])
        else:
            parts.append(np.array([sampler(outputs)]))
        size -= len(parts[-1])
    return np.concatenate(parts)


def chain(used: NDArray[np.uint8]) -> IntArray:
    """Follow attempts of which each starts where the one before ended.

    Parameters
    ----------
    used : ndarray of uint8, shape (m,)
        How many outputs the attempt at each start uses, at least 1.

    Returns
    -------
    ndarray of int64, shape (k,)
        Starts, the first is 0.

    Notes
    -----
    Chains from the first start of every segment are followed side by side. The true chain enters a segment
    elsewhere, but soon meets the one of the segment.
    """
    following = np.arange(len(used)) + used
    firsts = np.arange(0, len(used), _SEGMENT)
    limits = np.minimum(firsts + _SEGMENT, len(used))
    visited = np.zeros(len(used), dtype=np.uint8)
    at, limit = firsts, limits
    while len(at):
        visited[at] = 1
        at = following[at]
        inside = at < limit
        at, limit = at[inside], limit[inside]
    marks, steps, entry = bytearray(visited), used.tobytes(), 0
    for first, stop in zip(firsts.tolist(), limits.tolist(), strict=True):
        walked = []
        while entry < stop and not marks[entry]:
            walked.append(entry)
            entry += steps[entry]
        met = min(entry, stop)
        marks[first:met] = bytes(max(0, met - first))
        for start in walked:
            marks[start] = 1
        if entry < stop:
            last = marks.rfind(1, first, stop)
            entry = last + steps[last]
    return np.flatnonzero(np.frombuffer(marks, dtype=np.uint8))


def double_exponentials(
    u: FloatArray, at: IntArray, judge: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
) -> tuple[NDArray[np.uint8], FloatArray]:
    """Make draws from a double exponential until one is accepted, for many starts.

    Parameters
    ----------
    u : ndarray of shape (m,)
        Uniforms.
    at : ndarray of shape (n,)
        Where the draws start.
    judge : callable
        Of exponential draws and uniforms between -1 and 1 gives the draws, and how much they exceed the limit
        of acceptance, NaN where that is in doubt.

    Returns
    -------
    ndarray of uint8, shape (n,)
        How many uniforms each uses; `OPEN` where that is in doubt.
    ndarray of shape (n,)
        The accepted draws.
    """
    used, values = np.full(len(at), OPEN, dtype=np.uint8), np.zeros(len(at))
    left, place = np.arange(len(at)), at
    while len(left):
        inside = (place + LONGEST < len(u)) & (place - at[left] < _LONGEST_STEP - LONGEST)
        left, place = left[inside], place[inside]
        e, number = exponentials_at(u, place)
        place = place + number + 1
        draws, excess = judge(e, 2.0 * u[place - 1] - 1.0)
        done = left[excess >= 0]
        used[done] = (place - at[left])[excess >= 0]
        values[done] = draws[excess >= 0]
        left, place = left[excess < 0], place[excess < 0]
    return used, values


def constant(value: float) -> Sampler:
    """Make a sampler that always gives the same number and uses no output.

    Parameters
    ----------
    value : float
        The number; NaN for parameters out of range.

    Returns
    -------
    callable
        The sampler.
    """
    return lambda outputs: value


def draw_each(
    stream: RandomState,
    n: Any,
    make_sampler: Callable[..., Sampler],
    loop: Literal | None = None,
    /,
    **parameters: ArrayLike,
) -> FloatArray:
    """Make n draws, each with its own parameters.

    Parameters
    ----------
    stream : RandomState
        Stream to draw from.
    n : number or array_like
        How many: its length, or its value where it is a single number.
    make_sampler : callable
        Gives the sampler for one value of each parameter, in order.
    loop : Literal, optional
        The same draws as a loop of `literal_draws`, for parameters below 2^31 - 1.
    **parameters : array_like
        Parameters, recycled.

    Returns
    -------
    ndarray of shape (n,)
        The draws.

    Raises
    ------
    RError
        If the number of draws or a parameter is not a number; nothing has been drawn then.
    """
    size = count(n)
    if loop is not None and stream.compiles(size):
        vectors = {name: recycle(name, value, max(1, np.size(value))) for name, value in parameters.items()}
        if not any((vector >= _INTEGER).any() for vector in vectors.values()):
            return stream.draw(loop, size, **vectors)
    if size >= _MANY and all(np.size(value) == 1 for value in parameters.values()):
        sampler = make_sampler(*(recycle(name, value, 1).item() for name, value in parameters.items()))
        outputs = Outputs(stream, 3 * size)
        if isinstance(sampler, BlockSampler) and (outputs.inverts or not sampler.takes_normals):
            draws = draw_ahead(outputs, size, sampler)
            outputs.close()
            return draws
    columns = [recycle(name, value, size).tolist() for name, value in parameters.items()]
    cached = lru_cache(maxsize=4096)(make_sampler)
    samplers = [cached(*row) for row in zip(*columns, strict=True)]
    outputs = Outputs(stream, 3 * size)
    draws = np.array([sampler(outputs) for sampler in samplers], dtype=np.float64)
    outputs.close()
    return draws
