"""Trimmed and robust sparse k-means: the batched runs equal the literal ones bit for bit; invariants."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.errors import RError
from sparsek.rcompat.rskc import literal as loops
from sparsek.rcompat.rskc.algorithm import n_kept, run_rskc, trimmed_only
from sparsek.rcompat.rskc.trimmed_kmeans import draw_rows, run_trimmed_kmeans
from sparsek.rcompat.rskc.trimming import PreparedRows, shell_order
from sparsek.rng import RRandom
from tests.loops import KINDS, engine_or_loops
from tests.rcompat.rskc import literal_rskc


@st.composite
def problems(draw, missing=True):
    """Data with groups, ties, offsets, scales, missing values; clusters, share to trim, starts, seed."""
    seed = draw(st.integers(0, 10**6))
    generator = np.random.default_rng(seed)
    n, p, k = draw(st.integers(5, 24)), draw(st.integers(1, 6)), draw(st.integers(2, 4))
    x = generator.normal(size=(n, p)).round(draw(st.sampled_from([0, 1, 15])))
    x[: n // 2, :2] += 2
    if draw(st.booleans()):
        x = np.repeat(x[: (n + 1) // 2], 2, axis=0)
    x = x * draw(st.sampled_from([1, 1e-4, 1e5])) + draw(st.sampled_from([0, 0, 1e6]))
    if missing and draw(st.booleans()):
        x[generator.random(x.shape) < 0.15] = np.nan
    return x, k, draw(st.sampled_from([0, 0.1, 0.3, 0.6])), draw(st.integers(1, 8)), seed


def outcome(call, seed):
    """Result of a call, or the class of its error, and the next uniform."""
    rng = RRandom(seed)
    try:
        found = call(rng)
    except RError as error:
        found = error.r_message
    except ValueError:
        found = "undefined"
    return found, rng.runif(1)[0]


@pytest.mark.parametrize("engine", ["numpy", *KINDS])
@settings(max_examples=15, deadline=None)
@given(problem=problems())
def test_runs_equal_those_of_the_oracle(engine, problem):
    x, k, alpha, n_runs, seed = problem
    ours, theirs = RRandom(seed), RRandom(seed)
    weights = np.random.default_rng(seed).uniform(0.1, 1, x.shape[1])
    with engine_or_loops(engine):
        fit = run_trimmed_kmeans(PreparedRows(x, weights), k, n_kept(len(x), alpha), n_runs=n_runs, rng=ours)
    expected = literal_rskc.Trimmed(x, k, alpha, weights.tolist()).run_all(n_runs, theirs)
    assert ours.getstate() == theirs.getstate()
    assert (fit is None) == (expected is None)
    if fit is not None:
        labels, trimmed, criterion = expected
        assert fit.labels.tolist() == labels.tolist()
        assert fit.trimmed.tolist() == trimmed
        assert fit.criterion == criterion


@settings(max_examples=20, deadline=None)
@given(problems(), st.sampled_from([1.0, 1.2, 1.6, 3.0]))
def test_the_sparse_loop_equals_the_literal_one(problem, bound):
    x, k, alpha, n_runs, seed = problem

    def ours(rng):
        fit = run_rskc(x, k, alpha, bound, n_runs, rng)
        fields = (fit.labels, fit.trimmed, fit.distant, fit.weights, fit.history)
        return [np.nan_to_num(field).tolist() for field in fields]

    def theirs(rng):
        fields = literal_rskc.rskc(x, k, alpha, bound, n_runs, rng)
        return [np.nan_to_num(field).tolist() for field in fields]

    assert outcome(ours, seed) == outcome(theirs, seed)


@given(st.lists(st.one_of(st.integers(0, 6).map(float), st.just(math.nan)), min_size=1, max_size=120))
def test_chains_sorted_stably_are_shell_sort(values):
    assert shell_order(np.array(values)).tolist() == literal_rskc.shell_order(values)


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(2, 6))
def test_start_rows_are_those_of_one_draw_after_the_other(seed, n, k):
    k = min(k, n)
    literal = literal_rskc.Trimmed(np.zeros((n, 1)), k, 0)
    rng = RRandom(seed)
    assert draw_rows(n, k, 5, RRandom(seed)).tolist() == [literal.draw(rng) for _ in range(5)]


@settings(max_examples=20, deadline=None)
@given(problems(missing=False), st.integers(-8, 8))
def test_a_power_of_two_changes_the_unit_only(problem, exponent):
    x, k, alpha, n_runs, seed = problem
    fit = trimmed_only(x, k, alpha, n_runs, RRandom(seed))
    scaled = trimmed_only(x * 2.0**exponent, k, alpha, n_runs, RRandom(seed))
    assert scaled.labels.tolist() == fit.labels.tolist()
    assert scaled.trimmed.tolist() == fit.trimmed.tolist()
    assert scaled.criterion == fit.criterion * 4.0**exponent


@settings(max_examples=20, deadline=None)
@given(problems(missing=False))
def test_more_starts_are_no_worse(problem):
    x, k, alpha, n_runs, seed = problem
    few = trimmed_only(x, k, alpha, n_runs, RRandom(seed))
    many = trimmed_only(x, k, alpha, n_runs + 5, RRandom(seed))
    assert many.criterion <= few.criterion


@pytest.mark.parametrize("seed", [188, 282, 363])
def test_runs_that_circle_end_where_ten_thousand_passes_would(seed):
    """With missing values the criterion can rise: these runs alternate between two states without end."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(10, 4))
    x[generator.random(x.shape) < 0.4] = np.nan
    literal = literal_rskc.Trimmed(x, 2, 0.3, max_iter=500)
    labels, trimmed, criterion = literal.run_all(1, RRandom(1))
    assert literal.passes == 500
    fit = trimmed_only(x, 2, 0.3, 1, RRandom(1))
    assert fit.labels.tolist() == labels.tolist()
    assert fit.trimmed.tolist() == trimmed
    assert fit.criterion == criterion


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.data())
def test_the_smallest_of_a_number_is_that_of_the_sorted_values(values, data):
    count = data.draw(st.integers(1, len(values)))
    assert loops.smallest(np.array(values, dtype=float), count) == sorted(values)[count - 1]
