"""R's random numbers: the state of a stream, and the uniforms and normals made of its outputs."""

import ctypes
import math
import secrets
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import ArrayLike, NDArray

from sparsek.bits import elementary
from sparsek.engine import Loop, compiles
from sparsek.rng import literal
from sparsek.rng.arguments import check_kind, check_seed, recycle, size_of, whole
from sparsek.rng.kinds import MERSENNE, OTHERS
from sparsek.rng.literal import WORDS
from sparsek.rng.normals import INVERSION
from sparsek.rng.states import CODE_OF, GENERATOR_CODES, NORMAL_CODES, SAMPLE_CODES, State, parse_state

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
WordArray = NDArray[np.uint64]
Block = NDArray[np.uint64] | FloatArray
"""Outputs of a generator: words of the Mersenne Twister, or the uniform draws of another one."""
T = TypeVar("T")
WORK = 20
"""Multiplications that take about as long as a draw."""
SLOW = 10
"""An exponential, or a draw made in Python, takes as long as so many other draws."""
_Memory = ctypes.c_uint32 * (WORDS + 1)
_QUANTILES = 8192  # probabilities at a time


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


def _memory_of(bits: np.random.MT19937) -> NDArray[np.uint32]:
    """The words and the position of numpy's generator, where it keeps them."""
    return np.frombuffer(_Memory.from_address(bits.ctypes.state_address), dtype=np.uint32)


@cache
def _check_memory() -> None:
    """Raise RuntimeError if this version of numpy keeps the state of its generator in another way."""
    bits = np.random.MT19937(0)
    state = bits.state["state"]
    if _memory_of(bits).tolist() != [*state["key"].tolist(), state["pos"]]:
        raise RuntimeError(
            f"numpy {np.__version__} keeps the state of MT19937 in an unknown way, and R's draws cannot "
            "be repeated; install another version of numpy and report this"
        )


class Twister:
    """A Mersenne Twister (Matsumoto & Nishimura 1998, ACM TOMACS 8, 3-30), with the interface of the others.

    It is numpy's. numpy takes a tenth of a millisecond to read or set its state word by word, and more to
    make one: longer than many of R's calls. Here its memory, 624 words and the position, is copied at once.
    """

    def __init__(self, seed: int) -> None:
        _check_memory()
        self._bits = np.random.MT19937(_UNSEEDED)  # type: ignore[arg-type]  # missing in numpy's stubs
        self._memory = _memory_of(self._bits)
        self.random_raw = self._bits.random_raw
        key = _FACTORS * np.uint64(seed) + _OFFSETS  # wraps at 2^64; only the low 32 bits matter
        self.move_to(key.astype(np.uint32), WORDS)

    def move_to(self, key: NDArray[np.uint32], position: int) -> None:
        """Go to a place."""
        self._memory[:WORDS] = key
        self._memory[WORDS] = position

    @property
    def state(self) -> NDArray[np.uint32]:
        """A copy of the words, and after them the position."""
        return self._memory.copy()

    @state.setter
    def state(self, state: NDArray[np.uint32]) -> None:
        self._memory[:] = state


def _from_state(cls: type["RandomState"], state: State) -> "RandomState":
    """Make a stream at a state, for copies and pickles."""
    stream = cls(0)
    stream.setstate(state)
    return stream


class RandomState:
    """State and raw outputs of R's generators; the base of `sparsek.rng.RRandom`.

    Parameters
    ----------
    seed : int or float, optional
        As for `sparsek.rng.RRandom`.
    normal_kind, sample_kind, kind : str
        As for `sparsek.rng.RRandom`.

    Raises
    ------
    RError
        If the seed or a kind is not one that R has.
    """

    def __init__(
        self,
        seed: float | None = None,
        normal_kind: str = INVERSION,
        sample_kind: str = "Rejection",
        kind: str = MERSENNE,
    ) -> None:
        check_kind("kind", kind, GENERATOR_CODES)
        self._kind = kind
        self.normal_kind = normal_kind
        self.sample_kind = sample_kind
        self.seed(seed)

    def __repr__(self) -> str:
        _, position, key, _ = self.getstate()
        name, words = type(self).__name__, f"words {zlib.crc32(key):08x}"
        if self.kinds[:2] == (MERSENNE, INVERSION):
            return f"<{name} {self.sample_kind}, {words}, position {position} of 624>"
        return f"<{name} {', '.join(self.kinds)}, {words}>"

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
        self._kept = 0.0
        if self._kind in OTHERS:
            self._bits: Any = OTHERS[self._kind](value)
        else:
            self._bits = Twister(value)

    def choose_generator(self, kind: str) -> None:
        """Change to a generator, seeded with one uniform of the present one, as ``RNGkind`` does.

        Parameters
        ----------
        kind : str
            One of R's generators.

        Raises
        ------
        RError
            If R has no such generator.
        """
        check_kind("kind", kind, GENERATOR_CODES)
        word = int(float(self._uniforms(1)[0]) * 4294967295.0)
        self._kind = kind
        self.seed(word - 2**32 if word >= 2**31 else word)

    @property
    def kinds(self) -> tuple[str, str, str]:
        """The generator, how normals and how indices are made, by R's names."""
        return self._kind, self._normal_kind, self._sample_kind

    @property
    def normal_kind(self) -> str:
        """How normals are made; changing it forgets the second normal that "Box-Muller" keeps."""
        return self._normal_kind

    @normal_kind.setter
    def normal_kind(self, kind: str) -> None:
        check_kind("normal_kind", kind, NORMAL_CODES)
        self._normal_kind = kind
        self._kept = 0.0

    @property
    def sample_kind(self) -> str:
        """The index sampler, "Rejection" or "Rounding"; changing it leaves the state alone."""
        return self._sample_kind

    @sample_kind.setter
    def sample_kind(self, kind: str) -> None:
        check_kind("sample_kind", kind, SAMPLE_CODES)
        self._sample_kind = kind

    @property
    def _rounding(self) -> int:
        """Under "Rounding" the largest n for which one uniform makes an index; 0 under "Rejection"."""
        if self._sample_kind == "Rejection":
            return 0
        return 2**25 - 1 if self._kind.startswith("Knuth") else 2**31 - 1

    def getstate(self) -> State:
        """Return the state, for `setstate`; two streams with equal states go on alike.

        Returns
        -------
        tuple of (int, int, bytes, float)
            Kind code as in R's ``.Random.seed``, position from 0 to 624 (0 for other generators than the
            Mersenne Twister), the words of the generator, and the normal that "Box-Muller" keeps, else 0.
            Immutable, picklable and comparable with ``==``; the contents may change between versions.
        """
        code = CODE_OF[self.kinds]
        if self._kind in OTHERS:
            return code, 0, np.array(self._bits.state, dtype=np.uint32).tobytes(), self._kept
        state = self._bits.state
        return code, int(state[WORDS]), state[:WORDS].tobytes(), self._kept

    def setstate(self, state: State | ArrayLike) -> None:
        """Go to a state from `getstate`, or to that of an R ``.Random.seed``; the kinds come along.

        Parameters
        ----------
        state : tuple or array_like of integers
            A value of `getstate`, or R's vector: kind code, position where R shows it, and signed or unsigned
            words.

        Raises
        ------
        RError
            If it is neither, of a kind that R has not, or a state that its generator cannot be in.
        """
        kinds, words, position, kept = parse_state(state)
        if kinds[0] in OTHERS:
            self._bits = OTHERS[kinds[0]].at(tuple(words.tolist()))
        else:
            self._bits = Twister(0)
            self._bits.move_to(words, position)
        self._kind, self._normal_kind, self._sample_kind = kinds
        self._kept = kept

    @property
    def random_seed(self) -> NDArray[np.int32]:
        """The state as R shows it in ``.Random.seed``: kind code, position where R shows it, words."""
        code, position, key, _ = self.getstate()
        head = np.array([code] if self._kind in OTHERS else [code, position], dtype=np.int32)
        return np.concatenate([head, np.frombuffer(key, dtype=np.int32)])

    def skip(self, n_words: int) -> None:
        """Advance the stream without looking at it.

        Parameters
        ----------
        n_words : int
            Number of outputs: one per uniform, two per normal made by inversion.

        Raises
        ------
        RError
            If it is not a number from 0 on.
        """
        self._bits.random_raw(whole("n_words", n_words, "invalid arguments"), output=False)

    def words(self, n: int) -> WordArray:
        """Outputs of the generator.

        Parameters
        ----------
        n : int
            How many.

        Returns
        -------
        ndarray of shape (n,)
            Numbers from 0 to 2^32 - 1.
        """
        words: WordArray = self._bits.random_raw(n)
        return words

    def _uniforms(self, n: int) -> FloatArray:
        """`n` draws in (0, 1)."""
        return uniforms(self._bits.random_raw(n))

    def compiles(self, draws: int, loop: Loop, pays: bool = True, digits: bool = True) -> bool:
        """Whether to make draws by the loops of `literal`, compiled.

        Parameters
        ----------
        draws : int
            How many.
        loop : Loop
            What makes them.
        pays : bool, default=True
            Whether so many are faster by the loops.
        digits : bool, default=True
            Whether the loops need glibc's logarithm, exponential or power.

        Returns
        -------
        bool
            True where the engine says so and the kinds are R's defaults.
        """
        if self.kinds != (MERSENNE, INVERSION, "Rejection") or not compiles(WORK * draws, loop, pays=pays):
            return False
        return not digits or elementary.is_glibc_compiled()

    def run(self, loop: Loop, *arguments: Any) -> None:
        """Run a compiled loop of `literal`, which draws from this stream.

        Parameters
        ----------
        loop : Loop
            The loop.
        *arguments : object
            Its arguments after the stream.
        """
        state, record = self._bits.state, np.zeros(1, literal.STREAM)[0]
        record["key"], record["place"] = state[:WORDS], state[WORDS]
        loop.compiled(record, *arguments)
        self._bits.move_to(record["key"], record["place"])

    def draw(self, loop: Loop, size: int, /, **parameters: ArrayLike) -> FloatArray:
        """Make draws of a distribution by a compiled loop.

        Parameters
        ----------
        loop : Loop
            The loop.
        size : int
            Number of draws.
        **parameters : array_like
            Parameters in the loop's order, recycled.

        Returns
        -------
        ndarray of shape (size,)
            The draws.
        """
        columns = [recycle(name, value, max(1, size_of(name, value))) for name, value in parameters.items()]
        draws = np.empty(size)
        self.run(loop, *columns, draws)
        return draws

    def _consume(self, n_words: int, read: Callable[[Block], tuple[T, int] | None]) -> T:
        """Let `read` use outputs from a block; the stream then stands right after the last one used."""
        start = self._bits.state
        while True:
            result = read(self._bits.random_raw(n_words))
            self._bits.state = start
            if result is not None:
                self.skip(result[1])
                return result[0]
            n_words *= 2


def uniforms(words: Block) -> FloatArray:
    """Uniform draws in (0, 1), one per output of the generator.

    Shapes: words (n,); returns (n,).
    """
    if words.dtype == np.float64:
        return cast(FloatArray, words)
    u: FloatArray = words * np.float64(2.3283064365386963e-10)
    u[u <= 0] = 0.5 * 2.328306437080797e-10
    return u


def _polynomial(coefficients: FloatArray, r: FloatArray) -> FloatArray:
    """Horner's rule, highest power first."""
    value: FloatArray = coefficients[-1] * r + coefficients[-2]
    for c in coefficients[-3::-1]:
        value = value * r + c
    return value


def logs(x: FloatArray) -> FloatArray:
    """Logarithms with the C library's bits, one after the other.

    Shapes: x (n,); returns (n,).
    """
    return np.fromiter(map(elementary.log, x.tolist()), dtype=np.float64, count=x.size)


def _tail_quantile(c: FloatArray, p: FloatArray) -> FloatArray:
    """AS 241 for ``|p - 0.5| > 0.425``; 0 and 1 give the infinities."""
    m = np.where(c < 0, p, (0.5 - p) + 0.5)
    below = np.full(m.shape, -math.inf)
    below[m > 0] = logs(m[m > 0])
    r = np.sqrt(-below)
    value = np.full(r.shape, math.inf)
    near = r <= 5
    s = r[near] - 1.6
    value[near] = _polynomial(literal.C, s) / _polynomial(literal.D, s)
    far = ~near & np.isfinite(r)
    s = r[far] - 5
    value[far] = _polynomial(literal.E, s) / _polynomial(literal.F, s)
    return np.where(c < 0, -value, value)


def normal_quantile(p: FloatArray) -> FloatArray:
    """Quantiles of the standard normal distribution, equal to R's ``qnorm`` bit for bit.

    Shapes: p (n,); returns (n,).

    Source: Wichura (1988), algorithm AS 241, function PPND16.
    """
    value = np.empty_like(p)
    for first in range(0, p.size, _QUANTILES):
        part = slice(first, first + _QUANTILES)
        _fill_quantiles(p[part], value[part])
    return value


def _fill_quantiles(p: FloatArray, value: FloatArray) -> None:
    """AS 241 for a block that stays in the processor's cache."""
    c = p - 0.5
    tail = np.abs(c) > 0.425
    r = 0.180625 - c * c
    np.divide(c * _polynomial(literal.A, r), _polynomial(literal.B, r), out=value)
    if tail.any():
        value[tail] = _tail_quantile(c[tail], p[tail])


def pair_up(first: FloatArray, second: FloatArray) -> FloatArray:
    """Make a probability of two uniforms, as R does for a normal draw by inversion.

    Shapes: first, second (n,); returns (n,).
    """
    return (np.trunc(134217728.0 * first) + second) / 134217728.0
