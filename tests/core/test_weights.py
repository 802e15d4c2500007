"""The weight step against 50-digit arithmetic, and the stopping rule for weights."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.core.weights import l1_weights, share_of, weights_settled

# Weights are quotients of a few sums of p terms: a handful of roundings.
WEIGHTS = 1e-14
# The bound holds up to rounding of sums of at most 12 numbers below 1.
BOUND = 1e-12


def exact_weights(a, bound):
    """The weights by bisection for delta with 50 digits."""
    with mpmath.workdps(50):
        a = [mpmath.mpf(float(v)) for v in a]
        bound = mpmath.mpf(float(bound))

        def scaled(delta):
            kept = [max(v - delta, mpmath.mpf(0)) for v in a]
            norm = mpmath.sqrt(sum(v * v for v in kept))
            return [v / norm for v in kept]

        if sum(scaled(mpmath.mpf(0))) <= bound:
            return np.array([float(v) for v in scaled(mpmath.mpf(0))])
        low, high = mpmath.mpf(0), max(a)
        for _ in range(150):
            middle = (low + high) / 2
            if sum(scaled(middle)) > bound:
                low = middle
            else:
                high = middle
        return np.array([float(v) for v in scaled(low)])


@pytest.mark.parametrize("seed", range(40))
def test_weights_agree_with_50_digits(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 40))
    a = rng.exponential(size=p) ** rng.integers(1, 4) * 10.0 ** rng.integers(-3, 4)
    a[rng.random(p) < 0.2] = 0
    a[0] = a.max() + 1
    bound = rng.uniform(1.0001, np.sqrt(p))
    np.testing.assert_allclose(l1_weights(a, bound), exact_weights(a, bound), rtol=0, atol=WEIGHTS)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12).filter(any), st.floats(0, 1))
def test_weights_keep_both_norms_with_ties(values, share):
    p = len(values)
    bound = 1 + share * (np.sqrt(p) - 1)
    w = l1_weights(np.array(values, dtype=float), bound)
    assert w.min() >= 0
    assert w.sum() <= bound + BOUND
    assert abs(np.linalg.norm(w) - 1) <= BOUND
    assert not w[np.array(values) == 0].any() or bound > np.sqrt(np.count_nonzero(values))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_no_other_feasible_weights_do_better(seed):
    rng = np.random.default_rng(seed)
    a, bound = rng.exponential(size=5), rng.uniform(1, np.sqrt(5))
    others = rng.exponential(size=(2000, 5)) ** 2
    others /= np.maximum(np.linalg.norm(others, axis=1), others.sum(axis=1) / bound)[:, None]
    assert (others @ a).max() <= l1_weights(a, bound) @ a + BOUND


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_weights_do_not_depend_on_the_scale(scale):
    a = np.array([3.0, 1.0, 0.0, 2.0])
    # The scaled entries are themselves rounded, and divided by the largest.
    np.testing.assert_allclose(l1_weights(a * scale, 1.3), l1_weights(a, 1.3), rtol=0, atol=WEIGHTS)


def test_weights_at_the_ends_of_the_range():
    a = np.array([3.0, 1.0, 0.5])
    assert l1_weights(a, 1.0).tolist() == [1.0, 0.0, 0.0]
    np.testing.assert_allclose(l1_weights(a, np.sqrt(3)), a / np.linalg.norm(a), atol=WEIGHTS)
    assert not l1_weights(np.zeros(3), 1.5).any()
    assert l1_weights(np.array([-1e-17, 2.0]), 1.2).tolist() == [0.0, 1.0]


def test_weights_settle_when_their_change_is_at_most_the_tolerance_times_their_sum():
    old, new = np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.375, 0.125])
    assert weights_settled(new, old, 0.25)
    assert not weights_settled(new, old, np.nextafter(0.25, 0))
    assert weights_settled(old, old, 0.0)
    assert not weights_settled(old, None, 1.0)


def test_shares_are_those_of_the_decimal_numbers() -> None:
    """0.29 * 100 is 28.999999999999996 in double precision."""
    for total in (7, 100, 1000, 12_345):
        for hundredths in range(101):
            assert share_of(total, hundredths / 100) == hundredths * total // 100
    assert share_of(100, 0.2899999) == 28
