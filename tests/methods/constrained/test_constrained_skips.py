"""Passes that visit only rows whose cluster may change, against passes over all rows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

from sparsek import MPCKMeans, PairwiseConstraints, PCKMeans, PCSparseKMeans
from sparsek.methods.constrained import skips as constrained_skips
from sparsek.methods.constrained.assignment import assign_in_order
from sparsek.methods.constrained.mpckm import metric_coefficients, mpckm
from sparsek.methods.constrained.pckm import coefficients, pckm
from tests.methods.constrained import literal_constrained as literal
from tests.methods.constrained.test_constrained_assignment import clusterings, never_increases, prepared

MODELS = [
    PCKMeans(5, random_state=0, n_init=3, max_iter=60, on_empty="farthest"),
    MPCKMeans(5, random_state=0, n_init=3, max_iter=60, on_empty="farthest"),
    PCSparseKMeans(5, l1_bound=1.6, random_state=0, n_init=3, on_empty="farthest"),
]


@pytest.fixture
def visited(monkeypatch):
    """Numbers of rows that each sweep visits; rows are skipped for data of any size."""
    counts, original = [], constrained_skips._costs_of

    def counted(rows, *others):
        counts.append(len(rows))
        return original(rows, *others)

    monkeypatch.setattr(constrained_skips, "MIN_ROWS", 0)
    monkeypatch.setattr(constrained_skips, "_costs_of", counted)
    return counts


def overlapping(seed, n=400, p=4, weight=1.0):
    """Groups that overlap, so that rows move for many passes, and noisy pairs."""
    rng = np.random.default_rng(seed)
    y = rng.integers(5, size=n)
    X = (rng.normal(size=(n, p)) + rng.normal(0, 1, (5, p))[y]) * [1, 30, 0.1, 4] + 7
    pairs = rng.integers(n, size=(n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = (y[pairs[:, 0]] == y[pairs[:, 1]]) ^ (rng.random(len(pairs)) < 0.1)
    ml, cl = pairs[same], pairs[~same]
    return X, PairwiseConstraints(n, ml, cl, weight * rng.random(len(ml)) + 0.01, 0.05).fit_params()


def expected(model, X, pairs):
    """The fit that visits all rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constrained_skips, "MIN_ROWS", 10**9)
        return model.fit(X, **pairs)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sparsek.errors.ConstraintConflictWarning")
@pytest.mark.seeds(2)
@pytest.mark.parametrize("index", range(3))
def test_fits_are_those_that_visit_all_rows(visited, index, seed):
    model = MODELS[index]
    X, pairs = overlapping(seed)
    wanted = expected(model, X, pairs)
    labels, history, iterations = wanted.labels_, wanted.criterion_history_, wanted.start_n_iter_
    assert not visited
    found = model.fit(X, **pairs)
    assert found.labels_.tolist() == labels.tolist()
    assert found.start_n_iter_.tolist() == iterations.tolist()
    # The sums have equal terms in another order.
    np.testing.assert_allclose(found.criterion_history_, history, rtol=1e-12)
    assert 0 < np.mean(visited) < 0.6 * len(X)  # rows are skipped


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_sweeps", [0, 1])
@pytest.mark.parametrize("index", range(3))
def test_fits_when_the_sweeps_are_used_up(visited, monkeypatch, index, max_sweeps):
    model = MODELS[index]
    X, pairs = overlapping(11, weight=0.2)
    wanted = expected(model, X, pairs).labels_
    monkeypatch.setattr(constrained_skips, "MAX_SWEEPS", max_sweeps)
    assert model.fit(X, **pairs).labels_.tolist() == wanted.tolist()
    assert bool(visited) == bool(max_sweeps)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_without_pairs_and_with_one_cluster(visited):
    X = overlapping(0)[0]
    wanted = expected(PCKMeans(5, random_state=0, n_init=2), X, {}).labels_
    assert PCKMeans(5, random_state=0, n_init=2).fit(X).labels_.tolist() == wanted.tolist()
    assert min(visited) < len(X) / 2
    assert not PCKMeans(1).fit(X, must_link=[(0, 1)]).labels_.any()


def costs_when_visited(X, coefficients, pattern, charges, old, new):
    """D_i(k) when row i is visited: partners after it have their old labels."""
    costs = (coefficients @ X.T).T
    for i, j, charge in zip(pattern.first, pattern.second, charges, strict=True):
        costs[i, old[j]] += charge
        costs[j, new[i]] += charge
    return costs


@pytest.mark.parametrize("moves", ["centres", "metric", "charges"])
def test_margins_are_lower_bounds(moves):
    X, pairs = overlapping(3, n=60)
    rng = np.random.default_rng(0)
    ml, cl = ([(*pair, 0.4) for pair in pairs[name].tolist()] for name in ("must_link", "cannot_link"))
    Z, _, pattern, squares, extents = prepared(X, ml, cl)
    centers, a = Z[:5, :-1], 1 / np.var(X, axis=0)
    labels = rng.integers(5, size=60).astype(np.int32)
    margins = None
    for _ in range(12):
        c, charges = metric_coefficients(centers, a), squares.costs(a, extents.squares).together
        old = labels
        if margins is None:
            margins = constrained_skips.fresh_margins(Z, pattern, c, charges)
        labels = constrained_skips.assign_with_margins(Z, c, pattern, charges, old, margins)
        assert labels.tolist() == assign_in_order(c @ Z.T, pattern, charges, old).tolist()
        costs = costs_when_visited(Z, c, pattern, charges, old, labels)
        own = costs[np.arange(60), labels]
        costs[np.arange(60), labels] = np.inf
        assert (margins.values <= costs.min(axis=1) - own + margins.tolerance).all()
        if moves == "centres":
            centers = centers + 1e-3 * rng.normal(size=centers.shape) * Z[:, :-1].std(axis=0)
        elif moves == "metric":
            a = a * np.exp(1e-3 * rng.normal(size=4))
        else:
            ml, cl = ([(i, j, w * rng.uniform(0.9, 1.1)) for i, j, w in part] for part in (ml, cl))
            _, _, pattern, squares, _ = prepared(X, ml, cl)
    assert (margins.values > 0).any()  # some rows were not visited last


def test_rows_in_doubt_are_visited():
    X = np.array([[-2.0], [2.0], [0.0], [0.0]])
    Z, _, pattern, squares, extents = prepared(X, [(2, 3, 1.0)], [])
    c, charges = coefficients(X[:2]), squares.costs(np.ones(1), extents.squares).together
    margins = constrained_skips.fresh_margins(Z, pattern, c, charges)
    margins.values[:] = [9.0, 9.0, 0.0, 0.0]
    ones = np.ones(4, dtype=np.int32)
    # The first row is skipped because of a wrong bound; ties go to the lowest cluster.
    found = constrained_skips.assign_with_margins(Z, c, pattern, charges, ones, margins)
    assert found.tolist() == [1, 1, 0, 0]


@settings(max_examples=20)
@given(clusterings())
def test_pckm_equals_the_loop(problem):
    X, ml, cl, centers = problem
    Z, scaling, pattern, squares, extents = prepared(X, ml, cl)
    costs = squares.costs(np.ones(X.shape[1]), extents.squares)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constrained_skips, "MIN_ROWS", 0)
        result = pckm(Z, pattern, costs, scaling.apply(centers)[:, :-1], on_empty="keep")
    labels, _, history = literal.mpckm(X, ml, cl, centers, 25)
    assert result.labels.tolist() == labels.tolist()
    np.testing.assert_allclose(result.history, history, rtol=1e-9, atol=1e-9)
    assert never_increases(result.history, float((Z[:, :-1] ** 2).sum()))


@settings(max_examples=20)
@given(clusterings())
def test_mpckm_equals_the_loop(problem):
    X, ml, cl, centers = problem
    Z, scaling, pattern, squares, extents = prepared(X, ml, cl)
    start = scaling.apply(centers)[:, :-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constrained_skips, "MIN_ROWS", 0)
        result = mpckm(Z, pattern, squares, extents, start, max_iter=6, on_empty="keep")
    labels, a, history = literal.mpckm(X, ml, cl, centers, 6, 1.0)
    # Without scatter the metric of the literal loop is the inverse of a rounding error.
    assume((a <= 1e9).all())
    assert result.labels.tolist() == labels.tolist()
    np.testing.assert_allclose(result.params.weights, a, rtol=1e-7)
    np.testing.assert_allclose(result.history, history, rtol=1e-8, atol=1e-8)


def test_largest_of_the_others():
    assert constrained_skips._largest_other(np.array([3.0, 1.0, 2.0])).tolist() == [2, 3, 3]
    assert constrained_skips._largest_other(np.array([5.0, 5.0])).tolist() == [5, 5]
    assert constrained_skips._largest_other(np.array([4.0])).tolist() == [0]
