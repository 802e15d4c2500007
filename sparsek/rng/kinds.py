"""R's generators: their seeds, their recurrences, their draws.

Each has what the stream uses of the interface of numpy's bit generators, ``random_raw`` and ``state``. Its
outputs are the uniform draws themselves, as doubles in (0, 1). The Mersenne Twister is in `generator`.
"""

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sparsek.errors import RError

FloatArray = NDArray[np.float64]
WordArray = NDArray[np.uint64]

_UNIT = 2.328306437080797e-10  # 1 / (2^32 - 1)


def inside(u: FloatArray) -> FloatArray:
    """Move draws of 0 and 1 into the open interval, as R does.

    Shapes: u (n,); returns (n,).
    """
    u[u <= 0] = 0.5 * _UNIT
    u[u >= 1] = 1 - 0.5 * _UNIT
    return u


def scrambled(seed: int) -> Iterator[int]:
    """Words that R fills the state of a generator with."""
    for step in itertools.count(1):
        seed = (69069 * seed + 1) % 2**32
        if step >= 50:
            yield seed


class OtherGenerator:
    """A generator whose state is a few numbers; the base of those here."""

    code: ClassVar[int]
    size: ClassVar[int]

    def __init__(self, seed: int) -> None:
        words = itertools.islice(scrambled(seed), 1, 1 + self.size)
        self.state: tuple[int, ...] = self._repaired(tuple(words))

    @classmethod
    def at(cls, words: tuple[int, ...]) -> Self:
        """Make a generator at a state, or at the nearest one that it can be in, as R chooses it.

        Raises RError if R would seed the generator by the clock instead.
        """
        generator = cls(0)
        generator.state = cls._repaired(words)
        return generator

    @classmethod
    def _repaired(cls, words: tuple[int, ...]) -> tuple[int, ...]:
        """The nearest state that the generator can be in."""
        return words

    def random_raw(self, size: int | None = None, output: bool = True) -> Any:
        """Advance the generator.

        Shapes: returns (size,).
        """
        u = inside(self._draw(1 if size is None else size))
        if not output:
            return None
        return float(u[0]) if size is None else u

    def _draw(self, n: int) -> FloatArray:
        """`n` draws in [0, 1]; the state moves along."""
        raise NotImplementedError


def _powers(factor: int, modulus: int) -> NDArray[np.int64]:
    """The powers of a factor modulo a prime, from the 0th until they are 1 again."""
    values = [1]
    while (value := values[-1] * factor % modulus) != 1:
        values.append(value)
    return np.array(values)


class WichmannHill(OtherGenerator):
    """Wichmann & Hill (1982), AS 183: the sum of three congruential generators, modulo 1."""

    code, size = 0, 3
    _parts: ClassVar = ((171, 30269), (172, 30307), (170, 30323))
    _tables: ClassVar[list[NDArray[np.int64]]] = []

    @classmethod
    def _repaired(cls, words: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(word % modulus or 1 for word, (_, modulus) in zip(words, cls._parts, strict=True))

    def _draw(self, n: int) -> FloatArray:
        if not self._tables:
            self._tables.extend(_powers(*part) for part in self._parts)
        steps = np.arange(1, n + 1)
        seeds, total = [], np.zeros(n)
        for seed, (_, modulus), powers in zip(self.state, self._parts, self._tables, strict=True):
            values = seed * powers[steps % powers.size] % modulus
            seeds.append(int(values[-1]) if n else seed)
            total = total + values / modulus
        self.state = tuple(seeds)
        return total - np.trunc(total)


class MarsagliaMulticarry(OtherGenerator):
    """Marsaglia (1997): two multiply-with-carry generators of 16 bits."""

    code, size = 1, 2

    @classmethod
    def _repaired(cls, words: tuple[int, ...]) -> tuple[int, ...]:
        return words[0] or 1, words[1] or 1

    def _draw(self, n: int) -> FloatArray:
        first, second = self.state
        words = []
        for _ in range(n):
            first = 36969 * (first & 65535) + (first >> 16)
            second = 18000 * (second & 65535) + (second >> 16)
            words.append((first << 16 & 0xFFFFFFFF) ^ (second & 65535))
        self.state = first, second
        return np.array(words, dtype=np.float64) * _UNIT


class SuperDuper(OtherGenerator):
    """Marsaglia's Super-Duper as changed by Reeds (1982-84): a congruential word and a shifted one."""

    code, size = 2, 2

    @classmethod
    def _repaired(cls, words: tuple[int, ...]) -> tuple[int, ...]:
        return words[0] or 1, words[1] | 1

    def _draw(self, n: int) -> FloatArray:
        shifted, product = self.state
        words = []
        for _ in range(n):
            product = 69069 * product & 0xFFFFFFFF
            shifted ^= shifted >> 15
            shifted ^= shifted << 17 & 0xFFFFFFFF
            words.append(shifted ^ product)
        self.state = shifted, product
        return np.array(words, dtype=np.float64) * _UNIT


LECUYER_MODULI = 4294967087, 4294944443
"""Moduli of the two parts of MRG32k3a."""
Matrix = tuple[tuple[int, ...], ...]
LECUYER_STEPS: tuple[Matrix, Matrix] = (
    ((0, 1, 0), (0, 0, 1), (LECUYER_MODULI[0] - 810728, 1403580, 0)),
    ((0, 1, 0), (0, 0, 1), (LECUYER_MODULI[1] - 1370589, 0, 527612)),
)
"""Matrices that move the three numbers of each part by one step."""


def product(a: Matrix, b: Matrix, modulus: int) -> Matrix:
    """Multiply two matrices modulo a number."""
    columns = list(zip(*b, strict=True))
    return tuple(
        tuple(sum(x * y for x, y in zip(row, column, strict=True)) % modulus for column in columns)
        for row in a
    )


class LEcuyer(OtherGenerator):
    """L'Ecuyer (1999), MRG32k3a: the difference of two recurrences of order three."""

    code, size = 7, 6

    def __init__(self, seed: int) -> None:
        words = (word for word in itertools.islice(scrambled(seed), 1, None) if word < LECUYER_MODULI[1])
        self.state = tuple(itertools.islice(words, self.size))

    @classmethod
    def _repaired(cls, words: tuple[int, ...]) -> tuple[int, ...]:
        limits = [modulus for modulus in LECUYER_MODULI for _ in range(3)]
        if not any(words[:3]) or any(word >= limit for word, limit in zip(words, limits, strict=True)):
            raise RError(
                "'.Random.seed' is not an integer vector of a known kind",
                f"the words of L'Ecuyer-CMRG must be below {limits[0]}, the last three below "
                f"{limits[3]}, and the first three not all 0; got {words}",
            )
        return words

    def _draw(self, n: int) -> FloatArray:
        parts = [
            _triples(self.state[3 * i : 3 * i + 3], LECUYER_STEPS[i], LECUYER_MODULI[i], n) for i in (0, 1)
        ]
        self.state = tuple(int(word) for part in parts for word in part[:, n])
        first, second = (part[2, 1 : n + 1].astype(np.int64) for part in parts)
        difference = first - second
        difference[difference <= 0] += LECUYER_MODULI[0]
        u: FloatArray = difference * np.float64(2.328306549295727688e-10)
        return u


def _triples(start: tuple[int, ...], step: Matrix, modulus: int, n: int) -> WordArray:
    """The states of a part of MRG32k3a at 0, 1, ..., n and perhaps later, as columns, by doubling."""
    states = np.array(start, dtype=np.uint64)[:, None]
    m = np.uint64(modulus)
    while states.shape[1] <= n:
        rows = [sum(np.uint64(a) * x % m for a, x in zip(row, states, strict=True) if a) % m for row in step]
        states = np.concatenate([states, np.array(rows)], axis=1)
        step = product(step, step, modulus)
    return states


_LONG, _SHORT, _KNUTH_MODULUS = 100, 37, 2**30


def _run_knuth(state: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`n` numbers of Knuth's ``ran_array``, at least 100, and the state after them."""
    values = np.empty(n + _LONG, dtype=np.int64)
    values[:_LONG] = state
    for i in range(_LONG, values.size, _SHORT):
        part = values[i : i + _SHORT]
        part[:] = values[i - _LONG : i - _LONG + part.size] - values[i - _SHORT : i - _SHORT + part.size]
        part %= _KNUTH_MODULUS
    return values[:n], values[n:]


class Knuth2002(OtherGenerator):
    """Knuth (2002), ``ran_array``: lagged differences of 30 bits, of which 100 in 1009 are used."""

    code, size = 6, 101

    def __init__(self, seed: int) -> None:
        start = self._start(next(scrambled(seed)) % 1073741821)
        self.state = (*start, _LONG)

    @classmethod
    def _repaired(cls, words: tuple[int, ...]) -> tuple[int, ...]:
        *numbers, position = words
        if not any(numbers) or max(numbers) >= _KNUTH_MODULUS:
            raise RError(
                "'.Random.seed' is not an integer vector of a known kind",
                f"the numbers of Knuth's generators must be below 2^30 and not all 0; got {numbers[:3]} ...",
            )
        return (*numbers, position if 0 < position < _LONG else _LONG)

    @staticmethod
    def _start(seed: int) -> list[int]:
        """The state that Knuth's ``ran_start`` makes of a seed."""
        x = _bootstrap(seed) + [0] * (_LONG - 1)
        for multiply in _seed_bits(seed):
            x[0 : 2 * _LONG - 1 : 2] = x[:_LONG]
            x[1 : 2 * _LONG - 1 : 2] = [0] * (_LONG - 1)
            for j in range(2 * _LONG - 2, _LONG - 1, -1):
                _fold(x, j)
            if multiply:
                x[: _LONG + 1] = [x[_LONG - 1], *x[:_LONG]]
                x[_SHORT] = (x[_SHORT] - x[_LONG]) % _KNUTH_MODULUS
        state = np.array(x[_SHORT:_LONG] + x[:_SHORT])
        for _ in range(10):
            state = _run_knuth(state, 2 * _LONG - 1)[1]
        return [int(v) for v in state]

    def _draw(self, n: int) -> FloatArray:
        state, position = np.array(self.state[:-1]), self.state[-1]
        drawn = [state[position : position + n]]
        missing = n - drawn[0].size
        position += drawn[0].size
        while missing:
            state = _run_knuth(state, 1009)[1]
            drawn.append(state[:missing])
            position = drawn[-1].size
            missing -= position
        self.state = (*state.tolist(), position)
        u: FloatArray = np.concatenate(drawn) * np.float64(9.31322574615479e-10)
        return u


class Knuth1997(Knuth2002):
    """Knuth (1997), ``ran_array`` with the older way to make a state of a seed."""

    code = 4

    @staticmethod
    def _start(seed: int) -> list[int]:
        x = _bootstrap(seed) + [0] * (_LONG - 1)
        last = 2 * _LONG - 2
        for multiply in _seed_bits(seed):
            x[2 : last + 1 : 2] = x[1:_LONG]
            for j in range(last, _LONG - _SHORT, -2):
                x[last + 1 - j] = x[j] & -2
            for j in range(last, _LONG - 1, -1):
                if x[j] & 1:
                    _fold(x, j)
            if multiply:
                x[: _LONG + 1] = [x[_LONG - 1], *x[:_LONG]]
                if x[_LONG] & 1:
                    x[_SHORT] = (x[_SHORT] - x[_LONG]) % _KNUTH_MODULUS
        return x[_SHORT:_LONG] + x[:_SHORT]


def _bootstrap(seed: int) -> list[int]:
    """The first numbers of ``ran_start``: each the cyclic shift of the one before, the second one odd."""
    value = (seed + 2) & (_KNUTH_MODULUS - 2)
    x = []
    for _ in range(_LONG):
        x.append(value)
        value *= 2
        if value >= _KNUTH_MODULUS:
            value -= _KNUTH_MODULUS - 2
    x[1] += 1
    return x


def _seed_bits(seed: int) -> list[bool]:
    """After which squarings of ``ran_start`` a multiplication follows: bits of the seed, then 69 zeros."""
    seed &= _KNUTH_MODULUS - 1
    return [bool(seed >> i & 1) for i in range(seed.bit_length())] + [False] * 69


def _fold(x: list[int], j: int) -> None:
    """Reduce the polynomial of ``ran_start`` at one exponent from 100 on."""
    x[j - (_LONG - _SHORT)] = (x[j - (_LONG - _SHORT)] - x[j]) % _KNUTH_MODULUS
    x[j - _LONG] = (x[j - _LONG] - x[j]) % _KNUTH_MODULUS


MERSENNE = "Mersenne-Twister"
OTHERS: dict[str, type[OtherGenerator]] = {
    "Wichmann-Hill": WichmannHill,
    "Marsaglia-Multicarry": MarsagliaMulticarry,
    "Super-Duper": SuperDuper,
    "Knuth-TAOCP": Knuth1997,
    "Knuth-TAOCP-2002": Knuth2002,
    "L'Ecuyer-CMRG": LEcuyer,
}
"""The generators by R's names."""
