"""The own 80-bit arithmetic against ``numpy.longdouble``, where that is the 80-bit type.

``python -m tests.bits.random_numbers`` compares 100,000 random columns and vectors and 500,000 single
operations of each kind, and prints the counts; ``--columns`` and ``--operations`` give other numbers.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.bits import ordered_arithmetic as hardware
from sparsek.bits.extended import integers, pairs, software

FloatArray = NDArray[np.float64]
Random = np.random.Generator


def wide(rng: Random, shape: tuple[int, int]) -> FloatArray:
    """Numbers of very different sizes."""
    return rng.standard_normal(shape) * 2.0 ** rng.integers(-70, 70, shape)


def ties(rng: Random, shape: tuple[int, int]) -> FloatArray:
    """Short numbers whose sums often lie in the middle between two numbers of 64 bits."""
    return rng.integers(-9, 9, shape) * 2.0 ** rng.integers(-66, 3, shape)


def cancelling(rng: Random, shape: tuple[int, int]) -> FloatArray:
    """The second half of the rows takes away what the first has added, but for the last digits."""
    a = rng.standard_normal(shape) * 2.0 ** rng.integers(-10, 60, shape)
    half = len(a) // 2
    a[len(a) - half :] = -a[:half] * (1 + 2.0**-50 * rng.integers(0, 2, (half, shape[1])))
    return a


def huge(rng: Random, shape: tuple[int, int]) -> FloatArray:
    """Numbers near the largest double: sums that only 80 bits can hold."""
    return rng.uniform(0.5, 1, shape) * rng.choice([-1, 1], shape) * np.finfo(float).max


def tiny(rng: Random, shape: tuple[int, int]) -> FloatArray:
    """Subnormal numbers, whose means and quotients round to subnormal numbers and zeros."""
    return rng.integers(-9, 9, shape) * 5e-324 * 2.0 ** rng.integers(0, 60, shape)


def special(rng: Random, shape: tuple[int, int]) -> FloatArray:
    """Zeros of both signs, and now and then an infinity or NaN."""
    a = rng.choice([0.0, -0.0, 1.0], shape, p=[0.1, 0.8, 0.1])
    a[:, rng.random(shape[1]) < 0.5] = -0.0
    where = rng.random(shape) < 0.3 / shape[0]
    return np.where(where, rng.choice([np.inf, -np.inf, np.nan], shape), a)


KINDS: dict[str, Callable[[Random, tuple[int, int]], FloatArray]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "rounded": lambda rng, shape: rng.standard_normal(shape).round(2),
    "any size": lambda rng, shape: rng.standard_normal(shape) * 2.0 ** rng.integers(-990, 1000, shape),
    "wide": wide,
    "ties": ties,
    "cancelling": cancelling,
    "huge": huge,
    "tiny": tiny,
    "special": special,
}


def differ(a: object, b: object) -> NDArray[np.bool_]:
    """Where two arrays differ in value or in the sign of a zero; NaN equals NaN."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    return ~(((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b)))


def compare_columns(rng: Random, kind: str, columns: int) -> Counter[str]:
    """Results of one random matrix that differ, by function; `columns` counts the wide ones."""
    m = int(rng.integers(1, 50))
    a = KINDS[kind](rng, (m, columns))
    few = a[:, : columns // 10]
    counts = rng.integers(1, 2 * m + 1, columns)
    wrong: Counter[str] = Counter()
    for size, x, divisors in (("wide", a, counts), ("narrow", few, counts[: few.shape[1]])):
        calls: list[tuple[str, tuple[Any, ...]]] = [("sums", (x,)), ("sums", (x, divisors))]
        if m > 1 and np.isfinite(x).all():
            calls.append(("means", (x,)))
        for name, given in calls:
            ours = getattr(software, f"column_{name}")(*given)
            theirs = getattr(hardware, f"long_column_{name}")(*given)
            wrong[f"{size} {name}"] += int(differ(ours, theirs).sum())
    for v in np.ascontiguousarray(few.T):
        for name in ("sum", "mean", *["deviation"] * (m > 1)):
            ours, theirs = getattr(software, f"vector_{name}")(v), getattr(hardware, f"long_{name}")(v)
            wrong[f"vector {name}"] += int(differ(ours, theirs).sum())
    return wrong


def random_numbers(rng: Random, count: int) -> tuple[NDArray[np.longdouble], list[integers.Number]]:
    """Numbers of 64 bits, some of them short, as ``numpy.longdouble`` and as whole numbers with exponents."""
    m = rng.integers(1, 2**64, count, dtype=np.uint64)
    m = m >> rng.integers(0, 64, count).astype(np.uint64) | np.uint64(1)
    signs = rng.choice([-1, 1], count)
    e = rng.integers(-70, 70, count) + rng.choice([-2000, 0, 0, 0, 2000], count)
    values = np.ldexp(m.astype(np.longdouble) * signs, e)
    return values, [(int(a) * int(s), int(b)) for a, s, b in zip(m, signs, e, strict=True)]


def as_long(numbers: list[integers.Number]) -> NDArray[np.longdouble]:
    """Whole numbers with exponents as ``numpy.longdouble``, exactly."""
    spare = [max(0, m.bit_length() - 64) for m, _ in numbers]
    m = np.array([abs(m) >> s for (m, _), s in zip(numbers, spare, strict=True)], dtype=np.uint64)
    e = np.array([e + s for (_, e), s in zip(numbers, spare, strict=True)])
    return np.ldexp(m.astype(np.longdouble), e) * np.array([-1 if a < 0 else 1 for a, _ in numbers])


def compare_operations(rng: Random, count: int) -> Counter[str]:
    """Single operations that differ, by kind."""
    (x, a), (y, b) = random_numbers(rng, count), random_numbers(rng, count)
    near = rng.random(count) < 0.3
    y[near] = -x[near] * (1 + np.longdouble(2) ** -63 * rng.integers(0, 9, near.sum()))
    b = [from_long(y[i]) if near[i] else b[i] for i in range(count)]
    both = list(zip(a, b, strict=True))
    results = {
        "addition": (x + y, [integers.add(*ab) for ab in both]),
        "subtraction": (x - y, [integers.add(p, (-q[0], q[1])) for p, q in both]),
        "multiplication": (x * y, [integers.multiply(*ab) for ab in both]),
        "division": (x / y, [integers.divide(*ab) for ab in both]),
        "square root": (np.sqrt(abs(x)), [integers.square_root((abs(m), e)) for m, e in a]),
    }
    wrong = Counter({name: int((theirs != as_long(ours)).sum()) for name, (theirs, ours) in results.items()})
    rounded = np.array([integers.to_float(p) for p in a])
    with np.errstate(over="ignore", under="ignore"):
        wrong["rounding to double"] = int(differ(rounded, x.astype(np.float64)).sum())
    wrong.update(compare_pairs(rng, count))
    return wrong


def from_long(value: np.longdouble) -> integers.Number:
    """A ``numpy.longdouble`` as a whole number with an exponent."""
    mantissa, e = np.frexp(value)
    whole = np.ldexp(np.abs(mantissa), 64).astype(np.uint64)
    return int(whole) * (-1 if value < 0 else 1), int(e) - 64


def compare_pairs(rng: Random, count: int) -> Counter[str]:
    """Sums and quotients of pairs that differ."""
    (x, _), (y, _) = random_numbers(rng, count), random_numbers(rng, count)
    x, y = (np.ldexp(np.frexp(v)[0], rng.integers(-70, 70, count)) for v in (x, y))
    near = rng.random(count) < 0.3
    y[near] = -x[near] * (1 + np.longdouble(2) ** -63 * rng.integers(0, 9, near.sum()))
    a, b = ((v.astype(float), (v - v.astype(float)).astype(float)) for v in (x, y))
    divisors = rng.integers(1, 10**6, count).astype(float)
    results = {
        "pairs: addition": (x + y, pairs._add(a, *b)),
        "pairs: addition of a double": (x + b[0], pairs._add(a, b[0])),
        "pairs: division by a count": (x / divisors, pairs._divide(a, divisors)),
    }
    return Counter({name: int(((long - high) != low).sum()) for name, (long, (high, low)) in results.items()})


def main() -> int:
    """Compare many random numbers and print the counts."""
    parser = argparse.ArgumentParser(description="Our own 80-bit arithmetic against numpy.longdouble.")
    parser.add_argument("--columns", type=int, default=100_000)
    parser.add_argument("--operations", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    warnings.simplefilter("ignore")
    wrong: Counter[str] = Counter()
    columns = 0
    while columns < options.columns:
        for kind in KINDS:
            wrong.update(compare_columns(rng, kind, 1000))
            columns += 1000
    for _ in range(0, options.operations, 10_000):
        wrong.update(compare_operations(rng, 10_000))
    print(f"{columns} columns, {columns // 10} vectors, {options.operations} operations of each kind")
    for name, count in wrong.items():
        print(f"{name:<30} {count} wrong")
    return int(wrong.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
