"""Truncated laws against 50 digits of mpmath, and sets of quadratic inequalities against a grid."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sparsek.selective.intervals import Conditions
from sparsek.selective.truncated import truncated_chi_tail, truncated_normal_two_sided

DIGITS = 1e-10
"""What is promised of a p-value: ten digits, down to 1e-100."""
CASES = [
    # statistic, intervals, df: ordinary, far tails, narrow, many features, an end at 0
    (1.5, [(0.5, 2.0), (3.0, np.inf)], 2),
    (21.3, [(0.0, np.inf)], 2),
    (22.5, [(1.0, 30.0)], 10),
    (50.0, [(49.0, 51.0), (60.0, np.inf)], 5),
    (40.0, [(39.9999, 40.0001)], 3),
    (0.01, [(0.0, 0.02)], 1),
    (0.02, [(0.01, 0.021)], 50),
    (14.2, [(14.1, 14.3)], 200),
    (30.0, [(10.0, 29.0), (29.9, 40.0)], 200),
    (2.0, [(0.0, 1.0), (1.99, 2.5), (2.6, 2.6001)], 4),
]


def exact_tail(statistic: float, intervals: list[tuple[float, float]], df: int) -> mpmath.mpf:
    """The conditional probability in many digits."""

    def mass(low: float, high: float) -> mpmath.mpf:
        ends = [mpmath.inf if end == np.inf else mpmath.mpf(float(end)) ** 2 / 2 for end in (low, high)]
        return mpmath.gammainc(mpmath.mpf(df) / 2, *ends, regularized=True)

    ends = [statistic, *(end for interval in intervals for end in interval if end < np.inf)]
    with mpmath.workdps(60 + int(max(ends) ** 2 / 4)):  # differences of numbers near exp(-end**2 / 2)
        above = mpmath.fsum(mass(max(low, statistic), high) for low, high in intervals if high > statistic)
        return above / mpmath.fsum(mass(low, high) for low, high in intervals)


@pytest.mark.parametrize(("statistic", "intervals", "df"), CASES)
def test_the_truncated_chi_tail_has_ten_digits(
    statistic: float, intervals: list[tuple[float, float]], df: int
) -> None:
    expected = exact_tail(statistic, intervals, df)
    found = truncated_chi_tail(statistic, np.array(intervals), df)
    assert found == pytest.approx(float(expected), rel=DIGITS)


@pytest.mark.parametrize("df", [1, 2, 10, 50, 200])
def test_p_values_keep_their_digits_down_to_1e_100(df: int) -> None:
    smallest = 1.0
    for statistic in np.sqrt(df) + np.arange(0, 23, 4.5):
        for low in (0.0, 0.5 * statistic, 0.95 * statistic):
            intervals = [(low, 1.001 * statistic), (1.1 * statistic, np.inf)]
            expected = exact_tail(statistic, intervals, df)
            found = truncated_chi_tail(statistic, np.array(intervals), df)
            assert found == pytest.approx(float(expected), rel=DIGITS)
            smallest = min(smallest, found)
    assert smallest < 1e-100


def test_two_sided_normal_tail() -> None:
    whole = np.array([[-np.inf, np.inf]])
    for statistic in (-3.0, 0.0, 2.0, 20.0):
        expected = 2 * norm.sf(abs(statistic))
        assert truncated_normal_two_sided(statistic, whole) == pytest.approx(expected, rel=DIGITS)
    parts = np.array([[-2.0, -1.0], [-0.5, 1.5], [3.0, np.inf]])
    mass = norm.cdf(parts[:, 1]) - norm.cdf(parts[:, 0])
    outside = (norm.cdf(-1.2) - norm.cdf(-2)) + (norm.cdf(1.5) - norm.cdf(1.2)) + norm.sf(3)
    assert truncated_normal_two_sided(-1.2, parts) == pytest.approx(outside / mass.sum(), rel=DIGITS)


def test_a_statistic_at_the_end_of_its_set() -> None:
    assert truncated_chi_tail(2.0, np.array([[1.0, 2.0]]), 3) == 0
    assert truncated_chi_tail(2.0, np.array([[2.0, 5.0]]), 3) == 1


coefficients = st.integers(-8, 8).map(float)


@given(st.lists(st.tuples(coefficients, coefficients, st.integers(-8, 0).map(float)), max_size=8))
def test_the_set_is_where_all_inequalities_hold(found: list[tuple[float, float, float]]) -> None:
    conditions = Conditions()
    for alpha, beta, gamma in found:
        conditions.add(np.array(alpha), np.array(beta), np.array(gamma))
    intervals = conditions.intervals()
    assert (intervals[:, 0] <= intervals[:, 1]).all()
    assert (intervals[1:, 0] > intervals[:-1, 1]).all()
    grid = np.linspace(-12, 12, 961) + 1e-4  # no end of an interval has such a value
    inside = ((intervals[:, :1] <= grid) & (grid <= intervals[:, 1:])).any(axis=0)
    holds = np.all([alpha * grid**2 + beta * grid + gamma <= 0 for alpha, beta, gamma in found], axis=0)
    assert np.array_equal(inside, np.broadcast_to(holds, grid.shape))


def test_the_set_from_a_smallest_number() -> None:
    conditions = Conditions()
    conditions.add(np.array([-1.0, 1.0]), np.array([0.0, 0.0]), np.array([0.0, -9.0]))
    conditions.add(np.array([-1.0]), np.array([3.0]), np.array([-2.0]))  # not between 1 and 2
    assert conditions.intervals(-1.0).tolist() == [[-1.0, 1.0], [2.0, 3.0]]
    assert conditions.intervals(1.5).tolist() == [[2.0, 3.0]]
