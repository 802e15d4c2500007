"""Dendrograms: bad input, properties beside the cases, deep trees."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek.errors import RError
from sparsek.rcompat import (
    HierarchicalSparseCluster,
    RArray,
    agnes,
    as_dendrogram,
    as_hclust,
    cophenetic,
    cut,
    cutree,
    diana,
    dist,
    hclust,
    labels,
    nobs,
    order_dendrogram,
    reorder,
    rev,
)

ROWS = pd.DataFrame({"v": [1.0, 2.0, 4.5, 8.0, 8.25]}, index=list("abcde"))
HCLUST = hclust(dist(ROWS), "average")
TREE = as_dendrogram(HCLUST)
SEEDS = st.integers(0, 2**32 - 1)
DEEP = 3000
"""Leaves of a tree far deeper than Python's stack."""


def random_tree(seed, method="complete"):
    """A tree of up to 25 random rows."""
    rng = np.random.default_rng(seed)
    return hclust(dist(rng.normal(size=(rng.integers(2, 25), 2))), method)


def changed(**fields):
    """The tree with other fields."""
    tree = HCLUST.copy()
    for name, value in fields.items():
        tree[name] = value
    return tree


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: as_dendrogram(3), RError, "no applicable method for 'as.dendrogram'"),
        (lambda: as_dendrogram({"merge": 1}), RError, "no applicable method for 'as.dendrogram'"),
        (lambda: as_dendrogram(HCLUST, np.nan), RError, "missing value where TRUE/FALSE needed"),
        (lambda: as_dendrogram(HCLUST, [1, 2]), RError, "the condition has length > 1"),
        (lambda: as_dendrogram(HCLUST, "a"), TypeError, "hang must hold real numbers"),
        (lambda: as_dendrogram(HCLUST, check=None), RError, "argument is of length zero"),
        (lambda: as_dendrogram(changed(height=[1.0, 2.0])), RError, "'height' is of wrong length"),
        (lambda: as_dendrogram(changed(merge=HCLUST.merge[:2])), RError, "'height' is of wrong length"),
        (
            lambda: as_dendrogram(changed(merge=np.where(HCLUST.merge == -4, -5, HCLUST.merge))),
            RError,
            "'merge' matrix has invalid contents",
        ),
        (
            lambda: as_dendrogram(changed(merge=HCLUST.merge[::-1])),
            RError,
            "'merge' matrix has invalid contents",
        ),
        (lambda: as_hclust(3), RError, "argument 'x' cannot be coerced to class"),
        (lambda: as_hclust(TREE[0][0]), RError, "is.list\\(x\\) is not TRUE"),
        (lambda: as_hclust(TREE[0]), RError, "dendrogram entries must be 1,2,..,2"),
        (
            lambda: as_hclust(as_dendrogram(changed(height=[9.0, 1.0, 3.0, 5.0]))),
            RError,
            "ii\\[n.h\\] == 1L is not TRUE",
        ),
        (lambda: cut(TREE, np.nan), RError, "missing value where TRUE/FALSE needed"),
        (lambda: cut(TREE, [1, 2]), RError, "the condition has length > 1"),
        (lambda: cut(TREE, []), RError, "argument is of length zero"),
        (lambda: cut(TREE, "a"), TypeError, "h must hold real numbers"),
        (lambda: cut(TREE), RError, 'argument "h" is missing, with no default'),
        (lambda: labels(HCLUST), TypeError, "object must be a dendrogram: make it by as_dendrogram"),
        (lambda: nobs(HCLUST), TypeError, "object must be a dendrogram"),
        (lambda: reorder(HCLUST, [1]), TypeError, "x must be a dendrogram"),
        (lambda: reorder(TREE, ["a"]), TypeError, "wts must hold real numbers"),
        (lambda: reorder(TREE, [1], 3), RError, "'3' is not a function, character or symbol"),
        (lambda: reorder(TREE, [1], "nothing"), RError, "object 'nothing' of mode 'function' was not found"),
        (lambda: reorder(TREE, [1], object), TypeError, "agglo_FUN=<class 'object'>, called with numbers"),
        (lambda: reorder(TREE, [1], lambda v: "a"), RError, "values must be type 'double'"),
        (lambda: rev(Path("table.csv")), TypeError, "x must hold real numbers or texts; got"),
        (lambda: rev(i for i in range(3)), TypeError, "x must hold real numbers or texts; got generator"),
        (lambda: reorder(TREE, [1], lambda v: [1, 2]), RError, "values must be length 1"),
        (lambda: rev([[1.0]]), ValueError, "x must be a dendrogram or a vector"),
        (lambda: rev(1j), TypeError, "x must hold real numbers or texts; got complex"),
        (lambda: order_dendrogram(ROWS), TypeError, "x must be a result of hclust"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_dendrogram_is_read_like_a_list():
    assert as_dendrogram(TREE) is TREE
    left, right = TREE
    assert (len(TREE), len(right), len(right[0])) == (2, 2, 0)
    assert [leaf.attributes["label"] for leaf in left] == ["d", "e"]
    assert right.attributes == {"members": 3, "midpoint": 0.75, "height": 3.0}
    assert TREE[1][0].value == 3
    assert np.asarray(TREE).tolist() == [4, 5, 3, 1, 2]
    assert str(TREE) == "'dendrogram' with 2 branches and 5 members total, at height 5.625 "
    assert repr(TREE[0][0]) == "'dendrogram' leaf 'd', at height 0"


def test_a_leaf_stays_what_it_is():
    leaf = TREE[0][1]
    assert rev(leaf) is leaf
    assert cut(leaf, 1) == {"upper": leaf, "lower": []}
    assert (labels(leaf).tolist(), nobs(leaf), order_dendrogram(leaf).tolist()) == (["e"], 1, [5])
    assert reorder(leaf, [5, 4, 3, 2, 1]).attributes["value"] == 1
    assert cophenetic(leaf).attributes["Size"] == 1


def test_labels_of_distances():
    named = RArray([[1.0], [2.0]], dimnames=(["a", "b"], None))
    assert labels(dist(named)).tolist() == ["a", "b"]
    assert labels(dist([[1.0], [2.0]])) is None


def test_vectors_are_turned_with_their_names():
    found = rev(RArray([1.0, 2.0], names=["a", "b"]))
    assert (found.tolist(), found.attributes) == ([2.0, 1.0], {"names": ["b", "a"]})
    assert rev(["x", "y"]).tolist() == ["y", "x"]


def test_calls_and_prints():
    tree = as_hclust(TREE)
    assert str(tree.call) == "as.hclust.dendrogram(x = TREE)"
    assert "Cluster method   : NA \nDistance         : NA \n" in str(tree)
    assert as_hclust(HCLUST) is HCLUST
    assert str(cut(TREE, -1)).endswith("$lower\nlist()\n")


def test_sparse_trees_are_trees():
    x = np.random.default_rng(0).normal(size=(12, 5))
    fit = HierarchicalSparseCluster(x, method="complete", wbound=1.5, silent=True)
    assert order_dendrogram(as_dendrogram(fit.hc)).tolist() == fit.hc.order.tolist()


@given(SEEDS, st.sampled_from(["single", "average", "ward.D2"]))
def test_there_and_back(seed, method):
    tree = random_tree(seed, method)
    back = as_hclust(as_dendrogram(tree))
    # Heights of random rows are all different.
    for name in ("merge", "height", "order"):
        assert back[name].tolist() == tree[name].tolist()


@given(SEEDS)
def test_turning_twice_is_no_turning(seed):
    tree = as_dendrogram(random_tree(seed))
    once = rev(tree)
    assert order_dendrogram(once).tolist() == order_dendrogram(tree).tolist()[::-1]
    assert rev(once).attributes == tree.attributes


@given(SEEDS, st.floats(0, 1))
def test_branches_below_a_cut_are_the_groups_of_cutree(seed, share):
    tree = random_tree(seed)
    h = share * float(tree.height[-1])
    if h >= tree.height[-1]:
        return
    parts = cut(as_dendrogram(tree), h)
    groups = cutree(tree, h=h)
    assert len(parts.lower) == nobs(parts.upper) == groups.max()
    for part in parts.lower:
        assert len(set(groups[order_dendrogram(part) - 1].tolist())) == 1


@given(SEEDS)
def test_weights_rise_where_the_tree_lets_them(seed):
    tree = random_tree(seed)
    weights = np.random.default_rng(seed).integers(0, 5, len(tree.order))
    turned = reorder(as_dendrogram(tree), weights)
    waiting = [turned]
    while waiting:
        node = waiting.pop()
        values = [branch.attributes["value"] for branch in node]
        assert values == sorted(values)
        waiting += node
    assert turned.attributes["value"] == weights.sum()
    assert cophenetic(as_hclust(turned)).tolist() == cophenetic(tree).tolist()


@pytest.mark.parametrize("make", [agnes, diana])
@given(seed=SEEDS)
def test_twins_have_the_order_of_their_banner(make, seed):
    tree = make(np.random.default_rng(seed).normal(size=(9, 2)))
    assert order_dendrogram(as_dendrogram(tree)).tolist() == tree.order.tolist()
    assert as_hclust(tree).height.tolist() == sorted(tree.height.tolist())


def test_trees_deeper_than_the_stack():
    tree = as_dendrogram(hclust(dist(np.cumsum(np.arange(float(DEEP)))[:, None]), "single"))
    order = order_dendrogram(tree).tolist()
    assert sorted(order) == list(range(1, DEEP + 1))
    assert order_dendrogram(rev(tree)).tolist() == order[::-1]
    assert nobs(reorder(tree, np.arange(DEEP, 0, -1.0))) == DEEP
    assert len(cut(tree, 0.5).lower) == DEEP
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert order_dendrogram(other).tolist() == order
    assert as_hclust(tree).height[-1] == DEEP - 1


def test_nothing_is_turned_round_to_nothing():
    assert rev(None) is None
