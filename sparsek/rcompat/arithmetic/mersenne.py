"""The generator under R's random numbers: seeding, state and raw outputs of the Mersenne Twister.

numpy's MT19937 makes the outputs; the way from a seed to its state is R's.
"""

import secrets
import zlib
from collections.abc import Callable
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.rcompat.arithmetic import sampling as rsampling
from sparsek.rcompat.arithmetic.random_arguments import check_kind, check_seed, whole

FloatArray = NDArray[np.float64]
State = tuple[int, int, bytes]
T = TypeVar("T")

_KIND_CODES = {"Rejection": 10403, "Rounding": 403}


def _seeding_constants() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Factors and offsets that turn a seed into the 624 state words: word = factor * seed + offset."""
    factor, offset = 1, 0
    factors, offsets = [], []
    for _ in range(675):
        factor, offset = factor * 69069 % 2**32, (offset * 69069 + 1) % 2**32
        factors.append(factor)
        offsets.append(offset)
    # 50 scrambling steps, one word that R throws away, then the state
    return np.array(factors[51:], dtype=np.uint64), np.array(offsets[51:], dtype=np.uint64)


_FACTORS, _OFFSETS = _seeding_constants()


def _parse_state(state: State | ArrayLike) -> tuple[str, NDArray[np.uint32], int]:
    """Sample kind, words and position of a state, given as by `getstate` or as R's ``.Random.seed``."""
    if isinstance(state, tuple) and len(state) == 3 and isinstance(state[2], bytes):
        kind, position, words = state[0], state[1], np.frombuffer(state[2], dtype=np.uint32)
    else:
        vector = np.asarray(state)
        if vector.shape != (626,) or vector.dtype.kind not in "iu":
            raise RError(
                "'.Random.seed' has wrong length",
                f"a state must come from getstate() or be 626 integers; got {type(state).__name__} "
                f"of shape {vector.shape} and dtype {vector.dtype}",
            )
        kind, position = int(vector[0]), int(vector[1])
        words = (vector[2:].astype(np.int64) % 2**32).astype(np.uint32)
    names = {code: name for name, code in _KIND_CODES.items()}
    if kind not in names or not 0 <= position <= 624 or words.size != 624:
        raise RError(
            "'.Random.seed' is not an integer vector of a known kind",
            f"the kind code must be one of {sorted(names)}, the position in 0..624 and the words 624; "
            f"got {kind}, {position} and {words.size}",
        )
    return names[kind], words, position


def _from_state(cls: type["MersenneTwister"], state: State) -> "MersenneTwister":
    """Make a stream at a state, for copies and pickles."""
    stream = cls(0)
    stream.setstate(state)
    return stream


class MersenneTwister:
    """State and raw outputs of R's generator; the base of `sparsek.rng.RRandom`.

    Parameters
    ----------
    seed : int or float, optional
        As for `sparsek.rng.RRandom`.
    sample_kind : {"Rejection", "Rounding"}, default="Rejection"
        The index sampler recorded in the state.

    Raises
    ------
    RError
        If the seed or the kind is not one of the above.
    """

    def __init__(self, seed: float | None = None, sample_kind: str = "Rejection") -> None:
        self.sample_kind = sample_kind
        self._bits = np.random.MT19937(0)
        self.seed(seed)

    def __repr__(self) -> str:
        _, position, key = self.getstate()
        name = type(self).__name__
        return f"<{name} {self.sample_kind}, words {zlib.crc32(key):08x}, position {position} of 624>"

    def __copy__(self) -> Self:
        return cast(Self, _from_state(type(self), self.getstate()))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_state, (type(self), self.getstate())

    def seed(self, seed: float | None = None) -> None:
        """Start again from a seed, as ``set.seed`` does; the sample kind stays.

        Parameters
        ----------
        seed : int or float, optional
            As for the class.

        Raises
        ------
        RError
            If the seed is not a number in range.
        """
        value = secrets.randbits(32) if seed is None else check_seed(seed) % 2**32
        key = _FACTORS * np.uint64(value) + _OFFSETS  # wraps at 2^64; only the low 32 bits matter
        self._set_position(key.astype(np.uint32), 624)

    @property
    def sample_kind(self) -> str:
        """The index sampler, "Rejection" or "Rounding"; changing it leaves the state alone."""
        return self._sample_kind

    @sample_kind.setter
    def sample_kind(self, kind: str) -> None:
        check_kind("sample_kind", kind, _KIND_CODES)
        self._sample_kind = kind

    @property
    def _rounding(self) -> bool:
        """Whether the sample kind is "Rounding"."""
        return self._sample_kind == "Rounding"

    def _set_position(self, key: NDArray[np.uint32], position: int) -> None:
        """Put the generator at a state."""
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}

    def getstate(self) -> State:
        """Return the state, for `setstate`; two streams with equal states go on alike.

        Returns
        -------
        tuple of (int, int, bytes)
            Kind code as in R's ``.Random.seed`` (10403 or 403), position from 0 to 624, and the 624 words.
            Immutable, picklable and comparable with ``==``; the contents may change between versions.
        """
        state: Any = self._bits.state["state"]
        return _KIND_CODES[self._sample_kind], int(state["pos"]), state["key"].tobytes()

    def setstate(self, state: State | ArrayLike) -> None:
        """Go to a state from `getstate`, or to that of an R ``.Random.seed``; the sample kind comes along.

        Parameters
        ----------
        state : tuple or array_like of 626 integers
            A value of `getstate`, or kind code (10403 or 403), position, and 624 signed or unsigned words.

        Raises
        ------
        RError
            If it is neither, of another kind of generator, or its position is outside 0..624.
        """
        kind, key, position = _parse_state(state)
        self.sample_kind = kind
        self._set_position(key, position)

    @property
    def random_seed(self) -> NDArray[np.int32]:
        """The state as R shows it in ``.Random.seed``: kind code, position, words; shape (626,)."""
        kind, position, key = self.getstate()
        head = np.array([kind, position], dtype=np.int32)
        return np.concatenate([head, np.frombuffer(key, dtype=np.int32)])

    def skip(self, n_words: int) -> None:
        """Advance the stream without looking at it.

        Parameters
        ----------
        n_words : int
            Number of 32-bit outputs: one per uniform, two per normal.

        Raises
        ------
        RError
            If it is not a number from 0 on.
        """
        self._bits.random_raw(whole("n_words", n_words, "invalid arguments"), output=False)

    def _uniforms(self, n: int) -> FloatArray:
        """`n` draws in (0, 1)."""
        return rsampling.uniforms(self._bits.random_raw(n))

    def _consume(self, n_words: int, read: Callable[[NDArray[np.uint64]], tuple[T, int] | None]) -> T:
        """Let `read` use outputs from a block; the stream then stands right after the last one used."""
        start = self._bits.state
        while True:
            result = read(self._bits.random_raw(n_words))
            self._bits.state = start
            if result is not None:
                self.skip(result[1])
                return result[0]
            n_words *= 2
