"""SKFR1 step by step: the loops in Python, the same compiled, and the formulation on whole arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SKFR, set_engine
from sparsek.methods.skfr import loops
from sparsek.methods.skfr.algorithm import Sizes
from sparsek.methods.skfr.problem import array_problem, run_loop

# Sums of n p terms of size 1 in another order: rounding relative to the total sum of squares.
RELATIVE = 1e-12


def by_loops(problem, labels, sizes, run=loops.skfr1):
    """Labels, labels before, features, centres, criteria, convergence: in Python or compiled."""
    found = run_loop(run, problem, labels, sizes)
    last = found.params
    return found.labels, last.labels, last.selected, last.centers, found.history, found.converged


@st.composite
def problems(draw):
    """Prepared data, a start, and the sizes; some clusters may be empty, and some rows and columns equal."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p, k = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    n = k + draw(st.integers(2, 300))
    X = rng.standard_normal((n, p)) + 1.5 * rng.standard_normal((k, p))[rng.integers(k, size=n)]
    if draw(st.booleans()):
        X[rng.integers(n, size=n // 3)] = X[0]
        X[:, rng.integers(p)] = X[:, 0]
    weights = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else None
    dtype, unit = draw(st.sampled_from([np.float64, np.float32])), draw(st.sampled_from([1.0, 1e-12, 1e6]))
    rows = array_problem(unit * X.astype(dtype), k, weights, draw(st.booleans()))
    labels = rng.integers(0, draw(st.integers(1, k)), n).astype(np.int32)
    s, max_iter = draw(st.integers(1, p)), draw(st.sampled_from([1, 3, 300]))
    return rows, labels, Sizes(s, local=False, max_iter=max_iter)


@settings(max_examples=15)
@given(problems())
def test_the_loops_take_the_path_of_the_arrays(problem):
    rows, start, sizes = problem
    expected = rows.start(start, sizes)
    labels, before, selected, centers, history, converged = by_loops(rows, start, sizes)
    assert np.array_equal(labels, expected.labels)
    assert np.array_equal(before, expected.params.labels)
    assert np.array_equal(selected, expected.params.selected)
    assert converged == expected.converged
    assert np.array_equal(centers, expected.params.centers.astype(centers.dtype))
    np.testing.assert_allclose(history, expected.history, atol=RELATIVE * rows.tss)


@pytest.mark.parametrize("weight", [3.0, 7.0, 11.0])
def test_a_row_between_two_centres_that_differ_by_rounding(weight):
    z = np.random.default_rng(0).normal(size=(60, 2))
    for pair in z:
        weights = np.array([1.0, weight, 1.0, 1.0])
        rows = array_problem(np.vstack([pair, pair, [1.0, -2.0], [0.5, 3.0]]), 3, weights, divisor=False)
        sizes = Sizes(2, local=False, max_iter=1)
        start = np.array([0, 1, 2, 2], np.int32)  # the mean of the second row is (weight z) / weight
        expected = rows.start(start, sizes).labels
        assert by_loops(rows, start, sizes)[0].tolist() == expected.tolist()


@settings(max_examples=10)
@given(problems())
def test_features_that_are_prepared_again_give_the_same_bits(problem):
    expected = by_loops(*problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "KEPT_ENTRIES", 0)
        for found, one in zip(by_loops(*problem), expected, strict=True):
            assert np.array_equal(found, one)


@pytest.mark.compiled
@pytest.mark.parametrize("n_selected", [12, 55])
def test_many_rows_compiled(n_selected):
    rng, n = np.random.default_rng(0), 20_000
    assert 12 * n < loops.KEPT_ENTRIES < 55 * n
    X = rng.normal(size=(n, 60)) + rng.normal(size=(5, 60))[rng.integers(5, size=n)]
    rows, start = array_problem(X, 5, None, True), rng.integers(0, 5, n).astype(np.int32)
    sizes = Sizes(n_selected, local=False, max_iter=5)
    with set_engine("numpy"):
        expected = rows.start(start, sizes)
    labels, before, selected, centers, *_ = by_loops(rows, start, sizes, loops.skfr1.compiled)
    assert np.array_equal(labels, expected.labels)
    assert np.array_equal(before, expected.params.labels)
    assert np.array_equal(selected, expected.params.selected)
    assert np.array_equal(centers, expected.params.centers)


@pytest.mark.compiled
@settings(max_examples=20)
@given(problems())
def test_compiled_loops_give_the_same_bits(problem):
    for found, expected in zip(by_loops(*problem, loops.skfr1.compiled), by_loops(*problem), strict=True):
        assert np.array_equal(found, expected)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.data())
def test_the_entry_of_a_place_is_that_of_the_sorted_list(values, data):
    place = data.draw(st.integers(0, len(values) - 1))
    work = np.empty(len(values))
    assert loops.order_statistic(np.array(values, float), place, work) == sorted(values)[place]


def test_many_iterations_are_all_recorded():
    # Uniform numbers in 40 clusters, from the 40 smallest: labels change in each of 90 iterations.
    x = np.sort(np.random.default_rng(0).uniform(size=400))
    rows = array_problem(x[:, None], 40, divisor=False)
    start = np.searchsorted((x[:39] + x[1:40]) / 2, x).astype(np.int32)
    sizes = Sizes(1, local=False, max_iter=90)
    history, expected = by_loops(rows, start, sizes)[-2], rows.start(start, sizes).history
    assert len(history) == len(expected) > loops.FIRST_ITERATIONS
    np.testing.assert_allclose(history, expected, rtol=RELATIVE)


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("shape", "spread", "options"),
    [
        ((400, 20, 10, 5), 0.75, {"n_init": 20}),
        ((300, 200, 4, 10), 1.5, {"n_init": 10, "init": "k-means++", "refine": True}),
        ((6000, 12, 5, 6), 2.5, {"n_init": 2, "init": "random"}),
        ((60, 1000, 3, 20), 1.5, {"n_init": 8}),
    ],
)
def test_a_fit_is_the_same_under_both_engines(shape, spread, options, dtype):
    n, p, k, s = shape
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, p))
    X[:, :s] += rng.normal(0, spread, (k, s))[rng.integers(k, size=n)]
    X = X.astype(dtype)
    with set_engine("numpy"):
        base = SKFR(k, s, random_state=0, **({"standardize": True} | options)).fit(X)
    for n_jobs in (None, 2):
        with set_engine("compiled"):
            model = SKFR(k, s, random_state=0, n_jobs=n_jobs, **({"standardize": True} | options)).fit(X)
        assert np.array_equal(model.labels_, base.labels_)
        assert np.array_equal(model.selected_features_, base.selected_features_)
        assert np.array_equal(model.start_n_iter_, base.start_n_iter_)
        rounding = (
            RELATIVE if dtype == np.float64 else 1e-4
        ) * base.tss_  # 1e-4: sums of n in single precision
        np.testing.assert_allclose(model.start_objectives_, base.start_objectives_, rtol=0, atol=rounding)
