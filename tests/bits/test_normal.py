"""Probabilities of the standard normal distribution."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek.bits.normal import normal_probability


@given(st.floats(-37, 8))
def test_probabilities_to_14_digits(x):
    with mpmath.workdps(40):
        exact = float(mpmath.ncdf(x))
    # Cody's functions have 16 digits, and those of exp and of 1 - tail are lost besides.
    assert normal_probability(x) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize(("x", "probability"), [(-38, 0), (9, 1), (0, 0.5), (-math.inf, 0), (math.inf, 1)])
def test_ends_and_centre(x, probability):
    assert normal_probability(x) == probability


def test_nan_stays_nan():
    assert math.isnan(normal_probability(math.nan))


@given(st.floats(0, 40))
def test_both_tails_add_up_to_1(x):
    # Each is rounded once.
    assert normal_probability(x) + normal_probability(-x) == pytest.approx(1, abs=2**-52)
