"""Sweeps, which assign rows one after another, against literal loops: PCKM, MPCKM and COP-KMeans."""

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from sparsek import PairwiseConstraints
from sparsek.core.scaling import prepare
from sparsek.errors import ContradictoryConstraintsError, EmptyClusterError, InfeasibleConstraintsError
from sparsek.methods.constrained import assignment as constrained_assignment
from sparsek.methods.constrained.assignment import assign_in_order, build_pattern
from sparsek.methods.constrained.copkm import cop_kmeans, group_rows, place_groups
from sparsek.methods.constrained.costs import PairSquares, measure_extents
from sparsek.methods.constrained.mpckm import mpckm
from sparsek.methods.constrained.pckm import pckm
from tests.methods.constrained import literal_constrained as literal


def sweep(base, n, pairs, labels):
    """The assignment sweep on pairs (u, v, S), given as a signed list of cannot-links."""
    base = np.array(base, dtype=float)
    k = base.shape[1]
    constraints = PairwiseConstraints(n, None, [(u, v) for u, v, _ in pairs])
    pattern = build_pattern(constraints)
    values = np.zeros(len(pattern.first))
    for u, v, value in pairs:
        values[(pattern.first == min(u, v)) & (pattern.second == max(u, v))] += value
    known = np.where(np.array(labels) < 0, k, labels).astype(np.int32)
    return assign_in_order(np.ascontiguousarray(base.T), pattern, values, known)


@st.composite
def problems(draw):
    n, k = draw(st.integers(2, 14)), draw(st.integers(1, 4))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    # Small integers: sums are exact, so ties occur in any order of summation.
    pairs = draw(st.lists(st.tuples(pair, st.integers(-6, 6)), max_size=40))
    base = draw(st.lists(st.lists(st.integers(0, 8), min_size=k, max_size=k), min_size=n, max_size=n))
    labels = draw(st.lists(st.integers(-1, k - 1), min_size=n, max_size=n))
    return base, n, [(u, v, value) for (u, v), value in pairs], labels


@pytest.mark.parametrize("max_sweeps", [64, 1, 0])
@settings(max_examples=35)
@given(problem=problems())
def test_sweeps_equal_the_loop(problem, max_sweeps):
    base, n, pairs, labels = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constrained_assignment, "MAX_SWEEPS", max_sweeps)
        found = sweep(base, n, pairs, labels)
    assert found.tolist() == literal.assign(base, pairs, labels)


@pytest.mark.parametrize("shape", ["chain", "backward chain", "star", "dense"])
def test_deep_graphs(shape):
    # Chains are the worst case: each sweep changes one row, and rows from 64 on are left to the loop.
    n, rng = 300, np.random.default_rng(0)
    pairs = {
        "chain": [(i, i + 1) for i in range(n - 1)],
        "backward chain": [(i + 1, i) for i in reversed(range(n - 1))],
        "star": [(i, n - 1) for i in range(n - 1)],
        "dense": [(i, j) for i in range(60) for j in range(i)],
    }[shape]
    for _ in range(5):
        valued = [
            (u, v, int(value)) for (u, v), value in zip(pairs, rng.integers(-9, 10, len(pairs)), strict=True)
        ]
        base, labels = rng.integers(0, 4, (n, 3)), rng.integers(-1, 3, n)
        assert sweep(base, n, valued, labels).tolist() == literal.assign(base, valued, labels)


def test_chain_of_strong_links_runs_through():
    # Every row depends on the one before: the first guess is wrong everywhere except at the start.
    n = 500
    base = [[1, 0]] * n
    base[0] = [0, 1]
    pairs = [(i, i + 1, -5) for i in range(n - 1)]
    assert not sweep(base, n, pairs, [-1] * n).any()


@st.composite
def clusterings(draw):
    """Data near an integer grid, constraints with weights, and centres near rows."""
    n, p, k = draw(st.integers(4, 12)), draw(st.integers(1, 3)), draw(st.integers(2, 3))
    X = np.array(
        draw(st.lists(st.lists(st.integers(-20, 20), min_size=p, max_size=p), min_size=n, max_size=n)), float
    )
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda q: q[0] != q[1])
    valued = st.lists(st.tuples(pair, st.sampled_from([0.55, 1.25, 3.1])), max_size=12)
    ml, cl = ([(u, v, c) for (u, v), c in draw(valued)] for _ in range(2))
    # Irrational shifts avoid ties, which rounding would break differently in the two versions. Two
    # must-linked rows that are centres would tie at weight 1: leaving the own centre costs as much as
    # violating the pair.
    X += np.sqrt(np.arange(2, 2 + n * p)).reshape(n, p) / 50
    return X, ml, cl, X[draw(st.permutations(range(n)))[:k]] + np.sqrt(np.arange(7, 7 + k))[:, None] / 90


def prepared(X, ml, cl):
    Z, scaling = prepare(X, None, standardize=False, by_column=False)
    ends = [[(u, v) for u, v, _ in pairs] for pairs in (ml, cl)]
    weights = [[c for _, _, c in pairs] or 1.0 for pairs in (ml, cl)]
    pattern = build_pattern(PairwiseConstraints(len(X), *ends, *weights))
    rows = np.ascontiguousarray(Z[:, :-1])
    return Z, scaling, pattern, PairSquares(rows, pattern), measure_extents(rows, -scaling.offset, "box")


def never_increases(history, scale):
    """Assert that J never increases after the first pass, up to the rounding of its sums, of this size."""
    return (np.diff(history) <= 1e-12 * (abs(scale) + np.abs(history[:-1]).max(initial=0))).all()


@settings(max_examples=25)
@given(clusterings())
def test_pckm_equals_the_loop_and_descends(problem):
    X, ml, cl, centers = problem
    Z, scaling, pattern, squares, extents = prepared(X, ml, cl)
    costs = squares.costs(np.ones(X.shape[1]), extents.squares)
    result = pckm(Z, pattern, costs, scaling.apply(centers)[:, :-1], on_empty="keep")
    labels, _, history = literal.mpckm(X, ml, cl, centers, 25)
    assert result.labels.tolist() == labels.tolist()
    assert result.n_iter == len(history)
    np.testing.assert_allclose(result.history, history, rtol=1e-9, atol=1e-9)
    assert never_increases(result.history, float((Z[:, :-1] ** 2).sum()))


@settings(max_examples=30)
@given(clusterings())
def test_mpckm_equals_the_loop_and_descends(problem):
    X, ml, cl, centers = problem
    Z, scaling, pattern, squares, extents = prepared(X, ml, cl)
    start = scaling.apply(centers)[:, :-1]
    result = mpckm(Z, pattern, squares, extents, start, max_iter=6, on_empty="keep")
    labels, a, history = literal.mpckm(X, ml, cl, centers, 6, 1.0)
    # Without scatter the metric of the literal loop is the inverse of a rounding error.
    assume((a <= 1e9).all())
    assert result.labels.tolist() == labels.tolist()
    np.testing.assert_allclose(result.params.weights, a, rtol=1e-7)
    np.testing.assert_allclose(result.history, history, rtol=1e-8, atol=1e-8)
    assert result.params.criterion == result.history[-1]
    assert never_increases(result.history, 10 * len(X))


@settings(max_examples=30)
@given(clusterings(), st.sampled_from([0.01, 3.0]))
def test_weight_of_the_logarithm_scales_the_metric_only(problem, log_weight):
    X, ml, cl, centers = problem
    Z, scaling, *geometry = prepared(X, ml, cl)
    start = scaling.apply(centers)[:, :-1]
    one, other = (
        mpckm(Z, *geometry, start, log_weight=value, on_empty="keep") for value in (1.0, log_weight)
    )
    assume((one.params.weights <= 1e9).all())
    np.testing.assert_array_equal(one.labels, other.labels)
    if one.n_iter > 1:
        np.testing.assert_allclose(other.params.weights, log_weight * one.params.weights, rtol=1e-9)


def closed_neighbours(constraints):
    """Partners of every row in the closure."""
    closed = constraints.closure()
    ml, cl = ([[] for _ in range(constraints.n_samples)] for _ in range(2))
    for partners, pairs in ((ml, closed.must_link), (cl, closed.cannot_link)):
        for u, v in pairs.tolist():
            partners[u].append(v)
            partners[v].append(u)
    return ml, cl


@settings(max_examples=15)
@given(clusterings())
def test_cop_pass_equals_the_row_by_row_algorithm(problem):
    X, ml, cl, centers = problem
    constraints = PairwiseConstraints(len(X), [q[:2] for q in ml], [q[:2] for q in cl])
    Z, scaling = prepare(X, None, standardize=False, by_column=False)
    try:
        wanted = literal.cop_pass(X, centers, *closed_neighbours(constraints))
    except ContradictoryConstraintsError:
        reject()
    groups = group_rows(Z, constraints, "first", np.arange(len(X)))
    start = scaling.apply(centers)[:, :-1]
    old = np.full(len(X), len(centers), dtype=np.int32)
    if wanted is None:
        with pytest.raises(InfeasibleConstraintsError):
            place_groups(groups, start, old)
        return
    assert place_groups(groups, start, old)[groups.of_row].tolist() == wanted


@settings(max_examples=10)
@given(clusterings(), st.sampled_from(["first", "mean"]))
def test_cop_result_satisfies_all_constraints_or_raises(problem, anchor):
    X, ml, cl, centers = problem
    constraints = PairwiseConstraints(len(X), [q[:2] for q in ml], [q[:2] for q in cl])
    assume(not len(constraints.conflicts()))
    Z, scaling = prepare(X, None, standardize=False, by_column=False)
    groups = group_rows(Z, constraints, anchor, np.arange(len(X)))
    try:
        labels = cop_kmeans(Z, groups, scaling.apply(centers)[:, :-1]).labels
    except InfeasibleConstraintsError as error:
        if "need" in str(error):  # asserts a proof: the cannot-links need more clusters
            assert not colourable(constraints, len(centers))
        return
    assert labels.max() < len(centers)
    assert (labels[constraints.must_link[:, 0]] == labels[constraints.must_link[:, 1]]).all()
    assert (labels[constraints.cannot_link[:, 0]] != labels[constraints.cannot_link[:, 1]]).all()


@pytest.mark.parametrize(("anchor", "expected"), [("first", [0, 0, 0, 0, 1]), ("mean", [1, 1, 0, 1, 1])])
def test_a_group_goes_where_its_first_row_or_its_mean_is_nearest(anchor, expected):
    Z, scaling = prepare(
        np.array([[0.0], [9.0], [1.0], [8.0], [9.5]]), None, standardize=False, by_column=False
    )
    groups = group_rows(Z, PairwiseConstraints(5, [(0, 1), (0, 3)]), anchor, np.arange(5))
    start = scaling.apply(np.array([[0.0], [10.0]]))[:, :-1]
    assert place_groups(groups, start, np.full(5, 2, np.int32))[groups.of_row].tolist() == expected


def colourable(constraints, k):
    """Whether some assignment satisfies all constraints, by trying all of them in turn."""
    group = constraints.components()
    edges = {tuple(sorted(pair)) for pair in group[constraints.cannot_link].tolist()}
    colours = {}

    def place(i):
        if i > group.max():
            return True
        for c in range(min(k, i + 1)):
            if all(colours[u] != c for u, v in edges if v == i):
                colours[i] = c
                if place(i + 1):
                    return True
        return False

    return place(0)


def test_empty_clusters():
    X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])
    ml = [(0, 1, 1.0), (1, 2, 9.0), (2, 3, 9.0), (0, 3, 9.0), (0, 2, 9.0), (1, 3, 9.0)]
    Z, scaling, pattern, squares, extents = prepared(X, ml, [])
    costs = squares.costs(np.ones(1), extents.squares)
    start = scaling.apply(np.array([[0.0], [5.5], [100.0]]))[:, :-1]
    with pytest.raises(
        EmptyClusterError, match=r"cluster 2 is empty after pass 1; .* on_empty='keep'"
    ) as caught:
        pckm(Z, pattern, costs, start)
    assert caught.value.iteration == 1
    assert len(caught.value.labels) == 5
    kept = pckm(Z, pattern, costs, start, on_empty="keep")
    assert 2 not in kept.labels
    np.testing.assert_allclose(
        scaling.invert(kept.params.centers)[2], 100, rtol=1e-14
    )  # rounding of the shift
    filled = pckm(Z, pattern, costs, start, on_empty="farthest")
    assert set(filled.labels.tolist()) == {0, 1, 2}
    metric = mpckm(Z, pattern, squares, extents, start, on_empty="farthest")
    assert set(metric.labels.tolist()) == {0, 1, 2}


def test_pair_squares_in_blocks_equal_the_stored_ones(monkeypatch):
    rng = np.random.default_rng(0)
    X, pairs = rng.normal(size=(50, 4)), rng.integers(50, size=(200, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    pattern = build_pattern(PairwiseConstraints(50, pairs[:100], pairs[100:], 0.5, 2.0))
    stored, labels, f = PairSquares(X, pattern), rng.integers(3, size=50), literal.extents(X)
    monkeypatch.setattr("sparsek.methods.constrained.costs.STORED_ENTRIES", 28)
    blocks = PairSquares(X, pattern)
    assert blocks.stored is None
    a = rng.random(4)
    # Sums in other orders differ by a few units in the last place.
    np.testing.assert_allclose(blocks.distances(a), stored.distances(a), rtol=1e-14)
    np.testing.assert_allclose(blocks.violations(labels, f), stored.violations(labels, f), rtol=1e-13)


@pytest.mark.parametrize("mode", ["box", "box_origin", "pair"])
def test_largest_separation(mode):
    rng = np.random.default_rng(1)
    X = rng.normal([5, -9, 0], size=(40, 3))
    shift = X.mean(axis=0)
    a = np.array([1.0, 0.2, 3.0])
    f = measure_extents(X - shift, -shift, mode).under(a)
    if mode == "pair":
        difference = X[:, None] - X[None]
        wanted = (a * difference**2).sum(axis=2).max()
        assert abs(a @ f - wanted) < 1e-12 * wanted
    else:
        low = X.min(axis=0) if mode == "box" else np.minimum(X.min(axis=0), 0)
        np.testing.assert_allclose(f, (X.max(axis=0) - low) ** 2, rtol=1e-13)
