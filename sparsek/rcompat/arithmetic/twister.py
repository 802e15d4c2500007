"""The Mersenne Twister of numpy with a state that is quick to read and to set, and R's way to seed it.

numpy reads and sets the state word by word and takes a tenth of a millisecond, and more to make a generator:
longer than many of R's calls. Here its memory, 624 words and the position, is copied at once. Source:
Matsumoto & Nishimura (1998), ACM TOMACS 8, 3-30.
"""

import ctypes
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from sparsek.rcompat.arithmetic.literal import WORDS

_Memory = ctypes.c_uint32 * (WORDS + 1)


def _seeding_constants() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Factors and offsets that turn a seed into the 624 state words: word = factor * seed + offset."""
    factor, offset = 1, 0
    factors, offsets = [], []
    for _ in range(WORDS + 51):
        factor, offset = factor * 69069 % 2**32, (offset * 69069 + 1) % 2**32
        factors.append(factor)
        offsets.append(offset)
    # 50 scrambling steps, one word that R throws away, then the state
    return np.array(factors[51:], dtype=np.uint64), np.array(offsets[51:], dtype=np.uint64)


_FACTORS, _OFFSETS = _seeding_constants()


class _Unseeded(ISeedSequence):
    """In place of a seed for a generator whose state is set right after it is made."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        """Words of 0."""
        return [0] * n_words


_UNSEEDED = _Unseeded()


class Twister:
    """A Mersenne Twister, as one of the generators of `sparsek.rcompat.arithmetic.kinds`.

    Parameters
    ----------
    seed : int
        Seed in 0..2^32-1, from which R fills the state.

    Attributes
    ----------
    random_raw : callable
        See `numpy.random.BitGenerator.random_raw`.
    """

    def __init__(self, seed: int) -> None:
        self._bits = np.random.MT19937(_UNSEEDED)  # type: ignore[arg-type]  # missing in numpy's stubs
        memory = _Memory.from_address(self._bits.ctypes.state_address)
        self._memory = np.frombuffer(memory, dtype=np.uint32)
        self.random_raw = self._bits.random_raw
        key = _FACTORS * np.uint64(seed) + _OFFSETS  # wraps at 2^64; only the low 32 bits matter
        self.move_to(key.astype(np.uint32), WORDS)

    def move_to(self, key: NDArray[np.uint32], position: int) -> None:
        """Go to a place.

        Parameters
        ----------
        key : ndarray of uint32, shape (624,)
            Words.
        position : int
            Position from 0 to 624.
        """
        self._memory[:WORDS] = key
        self._memory[WORDS] = position

    @property
    def state(self) -> NDArray[np.uint32]:
        """A copy of the words, and after them the position."""
        return self._memory.copy()

    @state.setter
    def state(self, state: NDArray[np.uint32]) -> None:
        self._memory[:] = state
