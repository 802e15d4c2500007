"""PairwiseConstraints: checks, sources, components, closure, conflicts."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from sparsek import PairwiseConstraints
from sparsek.errors import ContradictoryConstraintsError
from sparsek.methods.constrained.constraints import chain_classes


def as_sets(pairs):
    return {frozenset(pair) for pair in pairs.tolist()}


@st.composite
def pair_lists(draw, max_rows=12, max_pairs=15):
    n = draw(st.integers(2, max_rows))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    return n, draw(st.lists(pair, max_size=max_pairs)), draw(st.lists(pair, max_size=max_pairs))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1), (2, 5)], r"must_link\[1\] = \(2, 5\) names a row outside 0\.\.4"),
        ([(0, 1), (-1, 2)], r"must_link\[1\] = \(-1, 2\) names a row outside"),
        ([(0, 1), (3, 3)], r"must_link\[1\] = \(3, 3\) pairs a row with itself"),
        ([(0, 1, 2)], r"shape \(n_pairs, 2\); got shape \(1, 3\)"),
        ([0, 1], r"shape \(n_pairs, 2\); got shape \(2,\)"),
        ([(0, 1), (2,)], "rows differ in length"),
        ([(0.0, 1.0)], "must hold integers.*got dtype float64"),
        ([(0, np.nan)], "must hold integers"),
        ([("a", "b")], "must hold integers"),
        ([(True, False)], "must hold integers"),
    ],
)
def test_bad_pairs(pairs, message):
    with pytest.raises(ValueError, match=message):
        PairwiseConstraints(5, must_link=pairs)
    with pytest.raises(ValueError, match=message.replace("must_link", "cannot_link")):
        PairwiseConstraints(5, cannot_link=pairs)


@pytest.mark.parametrize(
    ("weight", "error", "message"),
    [
        (0, ValueError, "ml_weight must be positive and finite; got 0"),
        (-1.0, ValueError, "ml_weight must be positive"),
        (np.nan, ValueError, "ml_weight must be positive and finite; got nan"),
        ([1, np.inf], ValueError, r"ml_weight\[1\] must be positive and finite; got inf"),
        ([1, 2, 3], ValueError, r"shape \(2,\), one a pair; got \(3,\)"),
        ("1", TypeError, "ml_weight must be a positive number"),
        (None, TypeError, "ml_weight must be a positive number"),
    ],
)
def test_bad_weights(weight, error, message):
    with pytest.raises(error, match=message):
        PairwiseConstraints(5, [(0, 1), (1, 2)], ml_weight=weight)


@pytest.mark.parametrize(
    ("n", "error"), [(0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError), ("5", TypeError)]
)
def test_bad_number_of_rows(n, error):
    with pytest.raises(error, match="n_samples must be"):
        PairwiseConstraints(n)


def test_nothing_given_is_no_constraint():
    for empty in (None, [], np.empty((0, 2)), ()):
        pairs = PairwiseConstraints(3, empty, empty)
        assert pairs.must_link.shape == pairs.cannot_link.shape == (0, 2)
        assert pairs.components().tolist() == [0, 1, 2]
        assert not len(pairs.conflicts())


def test_input_is_copied():
    pairs = np.array([[0, 1]])
    constraints = PairwiseConstraints(3, pairs)
    pairs[0, 0] = 2
    assert constraints.must_link.tolist() == [[0, 1]]


@pytest.mark.parametrize("unlabelled", [-1, np.nan, None, "-1"])
def test_labels_give_all_pairs(unlabelled):
    y = (
        ["a", unlabelled, "b", "a"]
        if isinstance(unlabelled, str) or unlabelled is None
        else [7, unlabelled, 3, 7]
    )
    if isinstance(unlabelled, str) or unlabelled is None:
        y = np.array([-1 if v == unlabelled else v for v in y], dtype=object)
    pairs = PairwiseConstraints.from_labels(y)
    assert pairs.must_link.tolist() == [[0, 3]]
    assert pairs.cannot_link.tolist() == [[0, 2], [2, 3]]


def test_labels_of_some_rows():
    pairs = PairwiseConstraints.from_labels([0, 0, 1, 1, 0], rows=[4, 0, 2])
    assert pairs.must_link.tolist() == [[0, 4]]
    assert pairs.cannot_link.tolist() == [[0, 2], [2, 4]]
    for rows in ([5], [-1], [0.5], [[0]]):
        with pytest.raises(ValueError, match="rows must"):
            PairwiseConstraints.from_labels([0, 0, 1, 1, 0], rows=rows)


def test_bad_labels():
    with pytest.raises(ValueError, match=r"y must have shape \(n_samples,\)"):
        PairwiseConstraints.from_labels(np.zeros((3, 2)))
    with pytest.raises(TypeError, match="class labels; got dtype complex"):
        PairwiseConstraints.from_labels(np.zeros(3, dtype=complex))
    with pytest.raises(ValueError, match="labels make 4950 pairs, more than max_pairs=4000"):
        PairwiseConstraints.from_labels(np.zeros(100), max_pairs=4000)


@settings(max_examples=45)
@given(st.lists(st.integers(-1, 3), min_size=1, max_size=14))
def test_chained_classes_have_the_closure_of_all_pairs(y):
    few, every = chain_classes(np.array(y)), PairwiseConstraints.from_labels(y)
    closed = few.closure()
    assert as_sets(closed.must_link) == as_sets(every.must_link)
    assert as_sets(closed.cannot_link) == as_sets(every.cannot_link)


def test_two_column_file(tmp_path):
    for text in ("4 1\n2 3\n", "4,1\n2,3\n", "4\t1\n\n2, 3"):
        path = tmp_path / "pairs.txt"
        path.write_text(text)
        pairs = PairwiseConstraints.from_ordered_pairs(path, 4)
        assert (pairs.must_link.tolist(), pairs.cannot_link.tolist()) == ([[3, 0]], [[1, 2]])
    other = PairwiseConstraints.from_ordered_pairs(str(path), 4, larger_first="cannot_link")
    assert (other.must_link.tolist(), other.cannot_link.tolist()) == ([[1, 2]], [[3, 0]])
    with pytest.raises(ValueError, match=r"pairs\[0\] = \(4, 1\) names a row outside 1\.\.3"):
        PairwiseConstraints.from_ordered_pairs(path, 3)
    with pytest.raises(ValueError, match="larger_first must be"):
        PairwiseConstraints.from_ordered_pairs(path, 4, larger_first="ml")


def test_components_are_numbered_by_their_smallest_row():
    pairs = PairwiseConstraints(7, [(5, 1), (6, 0), (6, 3)])
    assert pairs.components().tolist() == [0, 1, 2, 0, 3, 1, 0]


@settings(max_examples=25)
@given(pair_lists())
def test_closure_is_idempotent_and_complete(lists):
    n, ml, cl = lists
    pairs = PairwiseConstraints(n, ml, cl, 2.0, 3.0)
    inside = {i for i, (u, v) in enumerate(cl) if pairs.components()[u] == pairs.components()[v]}
    assert set(pairs.conflicts().tolist()) == inside
    if inside:
        with pytest.raises(ContradictoryConstraintsError):
            pairs.closure()
        return
    closed = pairs.closure()
    again = closed.closure()
    for name in ("must_link", "cannot_link", "ml_weight", "cl_weight"):
        np.testing.assert_array_equal(getattr(again, name), getattr(closed, name))
    # Entailment, by brute force over a dense graph.
    graph = np.zeros((n, n), dtype=bool)
    for u, v in ml:
        graph[u, v] = True
    group = connected_components(graph, directed=False)[1]
    together = {frozenset((i, j)) for i in range(n) for j in range(i) if group[i] == group[j]}
    apart = {frozenset((group[u], group[v])) for u, v in cl}
    separate = {
        frozenset((i, j)) for i in range(n) for j in range(i) if frozenset((group[i], group[j])) in apart
    }
    assert as_sets(closed.must_link) == together
    assert as_sets(closed.cannot_link) == separate
    # The given pairs come first with their weights, the new ones follow with weight 1.
    np.testing.assert_array_equal(closed.must_link[: len(ml)], np.reshape(ml, (-1, 2)))
    assert (closed.ml_weight[: len(ml)] == 2).all()
    assert (closed.ml_weight[len(ml) :] == 1).all()


def test_closure_refuses_too_many_pairs():
    chain = np.column_stack([np.arange(999), np.arange(1, 1000)])
    with pytest.raises(ValueError, match="closure has 499500 pairs, more than max_pairs=1000"):
        PairwiseConstraints(1000, chain).closure(max_pairs=1000)


def test_conflicts_are_explained_by_the_shortest_path():
    with pytest.raises(ContradictoryConstraintsError, match=r"cannot-link \(8, 0\).*: 8 - 3 - 0; remove"):
        PairwiseConstraints(10, [(0, 3), (3, 8), (0, 5), (5, 6), (6, 8)], [(8, 0)]).check_consistent()
    with pytest.raises(ContradictoryConstraintsError, match=r": 0 - 1 \(2 cannot-links like this\)"):
        PairwiseConstraints(10, [(0, 1)], [(0, 1), (1, 0)]).check_consistent()
    chain = np.column_stack([np.arange(99), np.arange(1, 100)])
    with pytest.raises(
        ContradictoryConstraintsError, match=r"0 - 1 - .* - \.\.\. 88 more rows \.\.\. - .* - 99;"
    ):
        PairwiseConstraints(100, chain, [(0, 99)]).check_consistent()


def test_drop_duplicates_keeps_the_first():
    pairs = PairwiseConstraints(4, [(0, 1), (1, 0), (2, 3)], [(0, 2), (0, 2)], [1, 2, 3], [4, 5])
    once = pairs.drop_duplicates()
    assert once.must_link.tolist() == [[0, 1], [2, 3]]
    assert once.ml_weight.tolist() == [1, 3]
    assert once.cl_weight.tolist() == [4]


@settings(deadline=None, max_examples=3)
@given(st.integers(0, 5))
def test_memory_grows_with_pairs_only(seed):
    # 20,000 rows: a boolean n x n array would take 400 MB.
    rng = np.random.default_rng(seed)
    pairs = rng.integers(20_000, size=(40_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    tracemalloc.start()
    constraints = PairwiseConstraints(20_000, pairs[:5000], pairs[5000:])
    constraints.conflicts()
    constraints.drop_duplicates()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_one_row_has_no_pairs():
    one = PairwiseConstraints(1)
    assert (one.n_samples, len(one.must_link), len(one.cannot_link)) == (1, 0, 0)
