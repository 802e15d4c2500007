"""Our own 80-bit arithmetic: the bits of ``numpy.longdouble`` where that is the 80-bit type."""

import math
import os
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sparsek.bits import ordered_arithmetic as ordered
from sparsek.bits.extended import integers, software
from tests.bits.random_numbers import KINDS, compare_columns, compare_operations, differ
from tests.places import ROOT

hardware = pytest.mark.skipif(
    not ordered.HAS_EXTENDED, reason="numpy.longdouble is not the 80-bit type, or is switched off"
)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
LARGEST = sys.float_info.max
VECTOR = ("sum", "mean", "deviation")


def vector(name, v):
    return getattr(software, f"vector_{name}")(np.array(v))


@hardware
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy's 80-bit type, for infinities
def test_random_columns_and_vectors(kind: str) -> None:
    rng = np.random.default_rng(list(KINDS).index(kind))
    for _ in range(3):
        assert not +compare_columns(rng, kind, 400)


@hardware
def test_random_operations() -> None:
    assert not +compare_operations(np.random.default_rng(1), 20_000)


@hardware
@given(arrays.arrays(np.float64, st.integers(1, 30), elements=st.floats()))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # as above
def test_any_vector(v: np.ndarray) -> None:
    for name in VECTOR[: 2 + (len(v) > 1)]:
        assert not differ(vector(name, v), getattr(ordered, f"long_{name}")(v)).any()
    assert not differ(software.running_sums(v), ordered.long_running_sums(v)).any()
    assert not differ(software.column_sums(v[:, None], 3), ordered.long_column_sums(v[:, None], 3)).any()


@hardware
@given(arrays.arrays(np.float64, st.tuples(st.integers(2, 9), st.integers(1, 4)), elements=st.floats()))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # as above
def test_any_covariances_and_deviations(x: np.ndarray) -> None:
    assert not differ(software.covariances(x, x[:, :2]), ordered.long_covariances(x, x[:, :2])).any()
    assert not differ(software.column_deviations(x), ordered.long_column_deviations(x)).any()


@hardware
@given(arrays.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=st.floats(-9, 9)))
def test_any_correlations(x: np.ndarray) -> None:
    x[x > 8] = np.nan
    (r, flat), (their_r, their_flat) = software.correlations(x, ~np.isnan(x)), ordered.long_correlations(x)
    assert not differ(r, their_r).any()
    assert flat.tolist() == their_flat.tolist()


@hardware
@given(st.lists(st.lists(st.floats(0, 1e300), min_size=1, max_size=6), min_size=1, max_size=6))
def test_any_segments(parts: list[list[float]]) -> None:
    values = np.array([v for part in parts for v in part])
    first = np.cumsum([0, *map(len, parts[:-1])])
    assert software.segment_sums(values, first).tolist() == ordered.long_segment_sums(values, first).tolist()


@hardware
@given(st.integers(0, 10**19), st.integers(-300, 300))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's word on numbers beyond the largest double
def test_any_decimal_number(digits: int, exponent: int) -> None:
    assert software.decimal_number(digits, exponent) == ordered.decimal_number(digits, exponent)


def nearest(value: Fraction, bits: int) -> Fraction:
    """The number of so many bits that is nearest, ties to even."""
    unit = Fraction(2) ** (value.numerator.bit_length() - value.denominator.bit_length() - bits - 1)
    while abs(value / unit) >= 2**bits:
        unit *= 2
    return round(value / unit) * unit


@given(FINITE, FINITE)
def test_operations_round_the_exact_result(x: float, y: float) -> None:
    a, b = integers.from_float(x), integers.from_float(y)
    exact = {integers.add: Fraction(x) + Fraction(y), integers.multiply: Fraction(x) * Fraction(y)}
    if y:
        exact[integers.divide] = Fraction(x) / Fraction(y)
    for operation, value in exact.items():
        m, e = operation(a, b)
        assert m * Fraction(2) ** e == nearest(value, 64)
    assert integers.to_float(a) == x


def test_ties_go_to_even() -> None:
    half = 2.0**-64  # half of the last place of 1 in 64 bits is 2**-64
    assert vector("sum", [1.0, half, -1.0]) == 0.0
    assert vector("sum", [1.0, half, half, -1.0]) == 0.0
    assert vector("sum", [1.0, 2 * half, half, -1.0]) == 4 * half
    assert vector("sum", [1.0, half * (1 + 2.0**-52), -1.0]) == 2 * half


def test_sums_beyond_the_largest_double() -> None:
    assert vector("sum", [LARGEST, LARGEST, -LARGEST]) == LARGEST
    assert vector("sum", [LARGEST, LARGEST]) == math.inf
    assert vector("mean", [LARGEST] * 5) == LARGEST
    assert vector("deviation", [-(2.0**511), 2.0**511]) == math.ldexp(math.sqrt(2), 511)
    a = np.full((3, 2 * software.WIDE), LARGEST)
    assert (software.column_means(a) == LARGEST).all()
    assert (software.column_sums(a, 3) == LARGEST).all()


def test_special_values() -> None:
    assert (vector("sum", [math.inf, 1.0]), vector("mean", [-math.inf, 1.0])) == (math.inf, -math.inf)
    assert math.isnan(vector("sum", [math.inf, -math.inf]))
    assert math.isnan(vector("deviation", [math.inf, 1.0]))
    assert math.copysign(1, vector("sum", [-0.0])) == 1.0  # R adds to 0
    assert math.copysign(1, vector("mean", [-5e-324, 0.0, 0.0])) == -1.0  # a third rounds to a zero
    assert vector("mean", [5e-324, 5e-324, 0.0]) == 5e-324


def test_empty_and_single_rows() -> None:
    for columns in (3, 2 * software.WIDE):
        assert software.column_sums(np.empty((0, columns))).tolist() == [0.0] * columns
        assert software.column_sums(np.full((1, columns), 2.5), 2).tolist() == [1.25] * columns
    assert software.column_sums(np.empty((2, 0))).shape == (0,)
    assert ordered.long_sum(np.empty(0)) == 0.0
    assert math.isnan(ordered.long_deviation(np.ones(1)))


def test_a_column_without_rows_of_its_own() -> None:
    x = np.array([[0.0, 1.0], [0.0, 2.0]])
    sums = software.column_sums(x, np.array([0, 2]))
    assert math.isnan(sums[0])
    assert sums[1] == 1.5


def run_python(code: str, value: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, ordered.VARIABLE: value}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_the_switch() -> None:
    code = """
import numpy as np
from sparsek.bits import ordered_arithmetic as ordered
np.longdouble = None  # whoever computes in it now fails
x = np.arange(12.0).reshape(4, 3) / 7
print(ordered.HAS_EXTENDED, ordered.long_sum(x), ordered.long_mean(x), ordered.long_deviation(x))
print(ordered.long_column_sums(x, 3), ordered.long_column_means(x), ordered.squares_about_mean(x))
print(ordered.long_segment_sums(x[0], np.array([0, 1])), ordered.long_correlations(x))
print(ordered.decimal_number(12, -1))
"""
    done = run_python(code, "software")
    assert done.stdout.startswith("False "), done.stderr
    assert done.stdout.endswith("1.2\n"), done.stderr


def test_a_wrong_switch_is_named() -> None:
    done = run_python("import sparsek.bits.ordered_arithmetic", "hardware")
    assert "SPARSEK_LONGDOUBLE must be \"software\" or empty; got 'hardware'" in done.stderr


def test_one_module_computes_in_long_double() -> None:
    named = [
        path.relative_to(ROOT).as_posix()
        for folder in ("sparsek", "r_reference", "validation")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if re.search(r"longdouble|float128", path.read_text().split('"""', 2)[-1])
    ]
    # The fuzzing campaign passes arrays of this type as data.
    assert named == ["sparsek/bits/ordered_arithmetic.py", "validation/fuzz/containers.py"]
