"""The steps of ewkm, fgkm and twkm against plain loops, and invariance to units and order."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparsek.bits.float_sums import float_sum
from sparsek.engine import set_engine
from sparsek.errors import RError
from sparsek.rcompat import ewkm as r_ewkm
from sparsek.rcompat import fgkm, twkm
from sparsek.rcompat.wskm import literal
from sparsek.rcompat.wskm.entropy_kmeans import random_centers, run_ewkm
from sparsek.rcompat.wskm.steps import ArraySteps, exp_each, make_groups, mean_centers
from sparsek.rcompat.wskm.weighted_nearest import LARGEST, last_nearest, nearest_weighted, screening_features
from sparsek.rng import RRandom

SEEDS = st.integers(0, 2**32 - 1)


# --- sums in single precision -----------------------------------------------------------------------------


def loop_sum(terms: np.ndarray) -> float:
    """The accumulator of the C code."""
    total = np.float32(0)
    with np.errstate(all="ignore"):
        for term in terms.ravel().tolist():
            total = np.float32(float(total) + term)
    return float(total)


def draws(seed: int) -> np.ndarray:
    """Terms of different kinds: smooth, on a grid with ties, over many magnitudes, with special values."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 3000))
    kinds = [
        lambda: rng.random(n) ** rng.choice([1, 2, 10]),
        lambda: rng.integers(0, 9, n) / 4.0,
        lambda: np.exp(20 * rng.normal(size=n)),
        lambda: np.exp(3 * rng.normal(size=n)) * 10.0 ** rng.integers(-46, 39),
        lambda: np.where(rng.random(n) < 0.5, 0, 2.0 ** rng.integers(-30, 3, n)),
        lambda: np.r_[2.0**24, rng.integers(0, 5, n) / 2],
        lambda: np.where(np.arange(n) == n // 2, rng.choice([np.nan, np.inf, 1e300]), 1e37 * rng.random(n)),
    ]
    return kinds[seed % len(kinds)]()


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_float_sum_is_the_loop(seed):
    terms = draws(seed)
    np.testing.assert_array_equal(float_sum(terms), loop_sum(terms))
    np.testing.assert_array_equal(float_sum(-terms), -loop_sum(terms))


def test_float_sum_of_a_long_array():
    terms = np.random.default_rng(3).chisquare(1, (40_000, 2))
    assert float_sum(terms) == loop_sum(terms)
    assert float_sum(terms) != float(np.add.accumulate(terms.ravel().astype(np.float32))[-1])


def test_float_sum_of_half_units():
    terms = np.r_[2.0**24, np.ones(5000)]  # every 1 is half a unit in the last place: rounded away
    assert float_sum(terms) == 2.0**24 == loop_sum(terms)
    assert float_sum(np.empty(0)) == 0


# --- nearest centres --------------------------------------------------------------------------------------


def loop_nearest(x: np.ndarray, c: np.ndarray, w: np.ndarray) -> list[int]:
    """R's loop: a later centre wins when it is not farther."""
    labels = []
    for row in x.tolist():
        best, label = LARGEST, -1
        for number, (center, weights) in enumerate(zip(c.tolist(), w.tolist(), strict=True)):
            d = 0.0
            for value, middle, weight in zip(row, center, weights, strict=True):
                d += weight * ((value - middle) * (value - middle))
            if d <= best:
                best, label = d, number
        labels.append(label)
    return labels


@settings(max_examples=80, deadline=None)
@given(SEEDS, st.sampled_from([0, 1e6, 1e150, 1e-160]), st.booleans())
def test_nearest_is_the_loop(seed, offset, tied):
    rng = np.random.default_rng(seed)
    n, p, k = rng.integers(1, 60), rng.integers(1, 9), rng.integers(1, 6)
    x = rng.normal(size=(n, p)) * (offset if offset < 1 and offset else 1) + (offset if offset >= 1 else 0)
    if tied:
        x = np.round(x, 0)
    c = x[rng.integers(0, n, k)] + 0.5 * rng.integers(0, 2, (k, p))
    w = rng.dirichlet(np.ones(p), k) if not tied else np.full((k, p), 1 / p)
    w[rng.random(k) < 0.1] = np.nan
    with np.errstate(all="ignore"):
        expected = loop_nearest(x, c, w)
        assert nearest_weighted(x, screening_features(x), c, w).tolist() == expected
        assert last_nearest(x, c, w).tolist() == expected


def test_the_last_of_equal_centers_wins():
    x = np.array([[0.0], [1.0]])
    labels = nearest_weighted(x, screening_features(x), np.array([[0.5], [0.5], [9]]), np.ones((3, 1)))
    assert labels.tolist() == [1, 1]


# --- centres ----------------------------------------------------------------------------------------------


def test_means_stop_at_the_first_empty_cluster():
    x = np.arange(8.0).reshape(4, 2)
    centers, full = mean_centers(x, np.array([0, 0, 2, 2]), 3)
    assert not full
    assert centers.tolist() == [[1, 2], [0, 0], [10, 12]]
    centers, full = mean_centers(x, np.array([0, 0, 1, 1]), 2)
    assert full
    assert centers.tolist() == [[1, 2], [5, 6]]


@given(st.integers(1, 12), SEEDS)
def test_starts_are_distinct_rows_and_never_the_last(k, seed):
    x = np.arange(13.0)[:, None]
    rows = random_centers(x, k, RRandom(seed % 1000)).ravel().tolist()
    assert len(set(rows)) == k
    assert 12 not in rows


# --- invariants -------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from([-8, 3, 20]))
def test_a_power_of_two_scales_everything_exactly(seed, exponent):
    unit, x = 2.0**exponent, np.random.default_rng(seed).normal(size=(25, 4))
    calls = [lambda s, gamma: r_ewkm(s * x, 3, gamma, rng=RRandom(seed % 999))]
    for function in (fgkm, twkm):
        calls.append(lambda s, gamma, f=function: f(s * x, 3, [1, 1, 2, 2], gamma, gamma, seed=7))
    for call in calls:
        plain, scaled = call(1.0, 5.0), call(unit, 5.0 * unit**2)
        assert np.array_equal(plain.cluster, scaled.cluster)
        assert np.array_equal(plain.centers * unit, scaled.centers)
        assert plain.iterations == scaled.iterations
        name = "weights" if "weights" in plain else "featureWeight"
        np.testing.assert_array_equal(plain[name], scaled[name])


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.floats(0.01, 1000))
def test_weights_are_shares(seed, gamma):
    x = np.random.default_rng(seed).normal(size=(25, 5)) + 1
    fit = run_ewkm(x, 3, gamma=gamma, max_iter=50, tol=1e-5, max_restarts=10, rng=RRandom(seed % 999))
    # Five terms rounded to double each, and one division.
    np.testing.assert_allclose(fit.weights.sum(axis=1), 1, atol=1e-15)
    assert fit.weights.min() >= 1e-4 / 5 * (
        1 - 1e-3
    )  # the floor of 1e-4/p, divided by a sum of at most 1 + 1e-4
    fit = twkm(x, 3, "0-1;2-4", gamma, gamma, seed=3)
    sums = [fit.featureWeight[:2].sum(), fit.featureWeight[2:].sum(), fit.groupWeight.sum()]
    np.testing.assert_allclose(sums, 1, atol=1e-15)  # at most three terms
    assert math.isclose(fit.totss, ((x - x.mean(axis=0)) ** 2).sum(), rel_tol=1e-13)  # 125 terms


def test_a_restart_needs_rows_to_draw():
    x = np.eye(3)
    with pytest.raises(ValueError, match="R searches for ever"):
        random_centers(x, 3, RRandom(1))
    assert random_centers(x[:1], 1, RRandom(1)).tolist() == [[1, 0, 0]]


# --- both engines -----------------------------------------------------------------------------------------


def every_answer(x: np.ndarray, k: int, gamma: float, seed: int) -> list[list[bytes] | str]:
    """The bits of all fields of ewkm, fgkm and twkm, or their errors; NaN of any sign are the same."""
    groups = np.arange(x.shape[1]) % 3
    calls = [
        lambda: r_ewkm(x, k, gamma, rng=RRandom(seed)),
        lambda: r_ewkm(x, x[:k], gamma, maxrestart=1, rng=RRandom(seed)),
        lambda: fgkm(x, k, groups, gamma, gamma / 2, maxiter=20, seed=seed + 1),
        lambda: twkm(x, x[:k], groups, gamma, gamma * 2, maxrestart=2, seed=seed + 1),
    ]
    found: list[list[bytes] | str] = []
    for call in calls:
        try:
            values = [np.asarray(v, dtype=float) for v in call().values() if v is not None]
            found.append([np.where(np.isnan(v), np.nan, v).tobytes() for v in values])
        except (RError, ValueError) as error:
            found.append(str(error))
    return found


@pytest.mark.compiled
@settings(max_examples=12, deadline=None)
@given(
    SEEDS, st.sampled_from([0.0, 1e-3, 1.0, 50.0, 1e12]), st.sampled_from([1.0, 1e-160, 1e150]), st.booleans()
)
def test_both_engines_give_the_same(seed: int, gamma: float, scale: float, rounded: bool) -> None:
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(3, 150)), int(rng.integers(1, 9)), int(rng.integers(1, 6))
    x = rng.normal(size=(n, p))
    x = (np.round(x) if rounded else x) * scale
    x.flags.writeable = False
    answers = []
    for engine in ("numpy", "compiled"):
        with set_engine(engine):
            answers.append(every_answer(x, min(k, n), gamma, seed % 999))
    assert answers[0] == answers[1]


@given(SEEDS)
@example(72)
@settings(max_examples=25, deadline=None)
def test_whole_arrays_take_the_literal_steps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p, k, m = 70, int(rng.integers(1, 6)), 3, int(rng.choice([1, 3]))
    x, centers = np.round(rng.normal(size=(n, p)), 1), np.round(rng.normal(size=(k, p)), 1)
    weights, groups = rng.random((m, p)), make_groups(rng.integers(0, 2, p), 2)
    steps, before = ArraySteps(x), rng.integers(0, k, n)
    blocks = np.zeros((2, p, literal.ROWS))
    blocks[0], blocks[1, :, : n - literal.ROWS] = x[: literal.ROWS].T, x[literal.ROWS :].T
    labels = before.copy()
    literal.assign(blocks, centers, weights, labels)
    np.testing.assert_array_equal(steps.assign(centers, weights, before), labels)
    middle, full = literal.means(x, labels, k)
    ours, ours_full = steps.means(labels, k)
    np.testing.assert_array_equal(ours, middle)
    assert ours_full == full
    steps.set_partition(labels, middle)
    sums = literal.dispersions(x, labels, middle, weights)
    np.testing.assert_array_equal(steps.dispersions(weights), sums)
    of_groups = np.zeros((m, 2))
    if m == k:
        literal.group_dispersions(blocks, labels, middle, weights, groups.index, of_groups)
        assert steps.float_total(weights) == literal.float_total(x, labels, middle, weights)
    else:
        literal.common_group_dispersions(x, labels, middle, weights, groups.index, of_groups)
    np.testing.assert_array_equal(steps.group_dispersions(weights, groups, m == k), of_groups)
    assert steps.total(weights) == literal.total(x, labels, middle, weights)
    for running in (False, True):
        shares = exp_each(literal.exponents(sums, -5.0, groups.index, 2, running))
        with np.errstate(invalid="ignore"):  # a group whose shares are all 0 has none
            literal.to_shares(shares, groups.index, 2, 1e-5)
            found = steps.shares(sums, 5.0, groups, 1e-5, running)
        np.testing.assert_array_equal(found, shares)
    assert steps.float_sum(weights) == literal.float_sum(weights.ravel())
