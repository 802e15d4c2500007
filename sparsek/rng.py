"""R's random numbers: Mersenne Twister, inversion, and both of R's index samplers, bit for bit.

numpy's MT19937 carries the generator; seeding, uniforms and everything built on them follow R (the
defaults of R >= 3.6, and the "Rounding" index sampler of R < 3.6).
"""

import math
import secrets
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core import rsampling
from sparsek.core.qnorm import normal_quantile
from sparsek.errors import RError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
State = tuple[int, int, bytes]
T = TypeVar("T")

_KIND_CODES = {"Rejection": 10403, "Rounding": 403}
_BLOCK_WORDS = 4_000_000  # most words drawn ahead for many small pools


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


def _check_seed(seed: object) -> int:
    """The seed as a signed 32-bit integer, a double truncated toward zero."""
    remedy = f"the seed must be a number between -(2^31 - 1) and 2^31 - 1; got {seed!r}"
    message = "supplied seed is not a valid integer"
    if isinstance(seed, bool | np.bool_) or not isinstance(seed, Real) or not math.isfinite(seed):
        raise RError(message, remedy)
    value = int(seed)
    if abs(value) > 2**31 - 1:
        raise RError(message, remedy)
    return value


def _check_count(n: object, message: str, limit: float = 2**52) -> int:
    """A non-negative whole number, a double truncated toward zero."""
    if not isinstance(n, Integral | Real) or not math.isfinite(n) or n < 0 or n > limit:
        raise RError(message, f"must be a number between 0 and {limit:.0f}; got {n!r}")
    return int(n)


class RRandom:
    """A stream of random numbers equal to R's under the same seed.

    Parameters
    ----------
    seed : int or float, optional
        As in ``set.seed``: between -(2^31 - 1) and 2^31 - 1, fractions truncated toward zero. None takes
        fresh entropy from the operating system.
    normal_kind : {"Inversion"}, default="Inversion"
        How normals are made.
    sample_kind : {"Rejection", "Rounding"}, default="Rejection"
        How indices are made; "Rounding" is that of R < 3.6.

    Raises
    ------
    RError
        If the seed or a kind is not one of the above.
    """

    def __init__(
        self, seed: float | None = None, normal_kind: str = "Inversion", sample_kind: str = "Rejection"
    ) -> None:
        if normal_kind != "Inversion":
            raise RError(
                f"'{normal_kind}' is not a valid choice", f"normal_kind must be 'Inversion'; got {normal_kind!r}"
            )
        self.sample_kind = sample_kind
        value = secrets.randbits(32) - 2**31 if seed is None else _check_seed(seed)
        self._bits = np.random.MT19937(0)
        key = (_FACTORS * np.uint64(value % 2**32) + _OFFSETS) & np.uint64(2**32 - 1)
        self._set_position(key.astype(np.uint32), 624)

    @property
    def sample_kind(self) -> str:
        """The index sampler, "Rejection" or "Rounding"; changing it leaves the state alone."""
        return self._sample_kind

    @sample_kind.setter
    def sample_kind(self, kind: str) -> None:
        if kind not in _KIND_CODES:
            raise RError(
                f"'{kind}' is not a valid choice", f"sample_kind must be 'Rejection' or 'Rounding'; got {kind!r}"
            )
        self._sample_kind = kind

    @property
    def _rounding(self) -> bool:
        return self._sample_kind == "Rounding"

    def _set_position(self, key: NDArray[np.uint32], position: int) -> None:
        """Put the generator at a state."""
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}

    def getstate(self) -> State:
        """Return the state: kind code, position, and the 624 words as bytes."""
        state: Any = self._bits.state["state"]
        return _KIND_CODES[self._sample_kind], int(state["pos"]), state["key"].tobytes()

    def setstate(self, state: State | ArrayLike) -> None:
        """Go back to a state from `getstate`, or to the one in an R ``.Random.seed`` vector."""
        kind, position, key = state
        self.sample_kind = {code: name for name, code in _KIND_CODES.items()}[kind]
        self._set_position(np.frombuffer(key, dtype=np.uint32), position)

    @property
    def random_seed(self) -> NDArray[np.int32]:
        """The state as R shows it in ``.Random.seed``, shape (626,)."""
        kind, position, key = self.getstate()
        words = np.frombuffer(key, dtype=np.int32)
        return np.concatenate([np.array([kind, position], dtype=np.int32), words])

    def skip(self, n_words: int) -> None:
        """Advance the stream by a number of 32-bit outputs (one per uniform, two per normal)."""
        self._bits.random_raw(n_words, output=False)

    def _uniforms(self, n: int) -> FloatArray:
        """`n` draws in (0, 1)."""
        return rsampling.uniforms(self._bits.random_raw(n))

    def _consume(self, n_words: int, read: Callable[[NDArray[np.uint64]], tuple[T, int] | None]) -> T:
        """Let `read` take what it needs from a block of outputs and leave the stream just behind that."""
        start = self._bits.state
        while True:
            result = read(self._bits.random_raw(n_words))
            self._bits.state = start
            if result is not None:
                self.skip(result[1])
                return result[0]
            n_words *= 2

    def runif(self, n: int, min: float = 0.0, max: float = 1.0) -> FloatArray:
        """Uniform draws."""
        return min + (max - min) * self._uniforms(n)

    def rnorm(self, n: int, mean: float = 0.0, sd: float = 1.0) -> FloatArray:
        """Normal draws by inversion, two uniforms each."""
        u = self._uniforms(2 * n)
        z = np.trunc(134217728.0 * u[0::2]) + u[1::2]
        return mean + sd * normal_quantile(z / 134217728.0)

    def unif_index(self, n: int) -> int:
        """One index in 0..n-1."""
        if self._rounding:
            return int(self._indices(n, 1)[0])
        if n <= 0:
            return 0
        bits, per_attempt = rsampling.index_bits(n)
        mask = 2**bits - 1
        while True:
            value = 0
            for _ in range(per_attempt):
                value = value << 16 | int(self._bits.random_raw()) >> 16
            if value & mask < n:
                return value & mask

    def _indices(self, n: int, size: int) -> IntArray:
        """Independent indices in 0..n-1."""
        if size == 0:
            return np.empty(0, dtype=np.int64)
        return self._consume(
            rsampling.index_words(n, size, self._rounding),
            lambda words: rsampling.equal_indices(words, n, size, self._rounding),
        )

    def sample_int(self, n: int, size: int | None = None, replace: bool = False) -> IntArray:
        """Sample from 1..n."""
        size = n if size is None else size
        if replace or size < 2:
            return self._indices(n, size) + 1
        if size > n:
            raise RError("cannot take a sample larger than the population when 'replace = FALSE'")
        return self.sample_sets(n, size, 1)[0]

    def permutations(self, n: int, count: int) -> IntArray:
        """Random permutations of 1..n, the same as `count` successive ``sample_int(n)``."""
        return self.sample_sets(n, n, count)

    def sample_sets(self, n: int, size: int, count: int) -> IntArray:
        """Samples without replacement, the same as `count` successive ``sample_int(n, size)``."""
        if size < 2:
            return self._indices(n, size * count).reshape(count, size) + 1
        if n > 10**7 and size <= n / 2:
            need = rsampling.index_words(n, size, self._rounding) * 2
            sets = [
                self._consume(need, lambda words: rsampling.distinct_indices(words, n, size, self._rounding))
                for _ in range(count)
            ]
            return np.array(sets, dtype=np.int64).reshape(count, size) + 1
        at_once = max(1, int(_BLOCK_WORDS / rsampling.pool_words(n, size)))
        blocks = [
            rsampling.take_from_pools(self._pool_indices(n, size, min(at_once, count - start)), n)
            for start in range(0, count, at_once)
        ]
        return np.concatenate(blocks) if blocks else np.empty((0, size), dtype=np.int64)

    def _pool_indices(self, n: int, size: int, count: int) -> IntArray:
        """Indices of successive draws from `count` shrinking pools, shape (count, size)."""
        if self._rounding:
            u = self._uniforms(count * size).reshape(count, size)
            return np.floor(np.arange(n, n - size, -1) * u).astype(np.int64)
        mean = count * rsampling.pool_words(n, size)
        need = math.ceil(mean + 8 * math.sqrt(mean) + 32)
        return self._consume(need, lambda words: rsampling.pool_indices(words, n, size, count))
