"""K-means from inner products: loops in Python, the same compiled, the array form, and that of features."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SparseKMeans, set_engine
from sparsek.core.scaling import prepare
from sparsek.methods.sparse_kmeans import literal, products
from sparsek.methods.sparse_kmeans.algorithm import sparse_kmeans
from sparsek.methods.sparse_kmeans.products import EPS, MOST_ROWS, InnerProducts, inner_products, products_of
from sparsek.sources.local import array_rows


@st.composite
def problems(draw):
    """Prepared data with more columns than rows, at times with equal rows; weights, a start, and a cap."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, 5))
    n = k + draw(st.integers(1, 30))
    p = n + draw(st.integers(0, 20))
    X = rng.standard_normal((n, p)) + 0.7 * rng.standard_normal((k, p))[rng.integers(k, size=n)]
    if draw(st.booleans()):
        X = np.round(X[rng.integers(n, size=n)])
    mass = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else np.ones(n)
    labels = rng.integers(0, draw(st.integers(1, k)), n).astype(np.int32)
    Z, _ = prepare(X, mass, standardize=False)
    return Z, mass, labels, k, draw(st.sampled_from([1, 300]))


def gram(Z):
    """Inner products over all columns."""
    return inner_products(held(Z), np.arange(Z.shape[1] - 1))


def held(Z, weights=None):
    """Prepared rows with a label each."""
    return array_rows(Z, np.zeros(len(Z), np.int32), 1, weights)


def by_loops(problem, run=literal.k_means):
    """Labels, in Python or compiled."""
    Z, mass, labels, k, max_iter = problem
    labels = labels.copy()
    run(gram(Z), mass, labels, k, max_iter, EPS)
    return labels


@settings(max_examples=30, deadline=None)
@given(problems())
def test_the_arrays_take_the_path_of_the_loops(problem):
    Z, mass, start, k, max_iter = problem
    labels = InnerProducts(gram(Z), mass, False).k_means(start, k, max_iter)
    assert np.array_equal(labels, by_loops(problem))


@pytest.mark.compiled
@settings(max_examples=8)
@given(problems())
def test_compiled_loops_give_the_same_labels(problem):
    assert np.array_equal(by_loops(problem, literal.k_means.compiled), by_loops(problem))


@pytest.mark.seeds(8)
def test_products_give_the_partitions_of_the_features(seed):
    assert_products_change_nothing(seed, np.float64)


# Others have a move whose gain is of the size of single rounding, which products see and features do not.
@pytest.mark.parametrize("seed", range(8))
def test_products_give_the_partitions_of_single_precision(seed):
    assert_products_change_nothing(seed, np.float32)


def assert_products_change_nothing(seed, dtype):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 90)).astype(dtype)
    X[:, :9] += rng.standard_normal((4, 9))[rng.integers(4, size=60)].astype(dtype)
    mass = rng.integers(1, 4, 60).astype(dtype) if seed % 2 else None
    Z, _ = prepare(X, mass, standardize=False)
    labels = rng.integers(0, 4, 60).astype(np.int32)
    found, expected = (
        sparse_kmeans(array_rows(Z, labels, 4, mass), l1_bound=3.0, products=some)
        for some in (products_of(held(Z, mass)), None)
    )
    assert np.array_equal(found.labels, expected.labels)
    assert found.history == expected.history  # sums of equal labels
    assert found.converged == expected.converged


@pytest.mark.parametrize("entries", [200, 131_072])
def test_products_are_exact_but_for_rounding(entries, monkeypatch):
    monkeypatch.setattr(products, "BLOCK_ENTRIES", entries)
    X = np.random.default_rng(0).standard_normal((20, 71)) * 10.0 ** np.arange(-10, 10)[:, None]
    X[3, :-1] = 0
    exact = np.array([[math.fsum(x * y) for y in X[:, :-1]] for x in X[:, :-1]])
    sizes = np.sqrt(np.diag(exact))
    # Two parts of 21 to 25 bits; what is left of an entry is at most 2^-42 of the largest of its row.
    assert (np.abs(gram(X) - exact) <= 1e-11 * np.outer(sizes, sizes)).all()


def test_sums_of_products_of_rounded_rows_are_the_same_in_every_order():
    rows = products._rounded(np.random.default_rng(0).standard_normal((30, 250)))
    found = rows @ rows.T
    assert found[1, 2] == math.fsum(rows[1] * rows[2])
    assert np.array_equal(found, sum(np.outer(column, column) for column in rows.T))


def test_few_features_or_many_rows_have_no_products():
    assert products_of(held(np.ones((5, 5)))) is None  # four features and the ones
    assert products_of(held(np.ones((5, 6)))) is not None
    assert products_of(held(np.ones((MOST_ROWS + 1, MOST_ROWS + 3)))) is None


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_rows_come_by_falling_gain_lowest_first(values):
    rows = np.arange(len(values))
    literal.sort_by_gain(rows, np.array(values, float), len(values))
    assert rows.tolist() == sorted(range(len(values)), key=lambda i: (-values[i], i))


@pytest.mark.compiled
def test_both_engines_agree_and_the_fit_says_which_ran():
    X = np.random.default_rng(0).standard_normal((40, 100))
    X[:20, :5] += 2
    fits = {}
    for engine in ("numpy", "compiled"):
        with set_engine(engine):
            fits[engine] = SparseKMeans(3, l1_bound=3.0, random_state=0).fit(X)
    assert np.array_equal(fits["numpy"].labels_, fits["compiled"].labels_)
    assert np.array_equal(fits["numpy"].start_objectives_, fits["compiled"].start_objectives_)
    assert "compiled" in str(fits["compiled"].summary())
    assert "compiled" not in str(fits["numpy"].summary())
