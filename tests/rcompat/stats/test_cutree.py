"""cutree: nested groups numbered by first object, heights, R's errors, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.errors import RError
from sparsek.rcompat import cutree, dist, hclust


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), method=st.sampled_from(["average", "complete", "single", "centroid"]))
def test_cuts_are_nested_and_numbered_by_first_object(seed, method):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    tree = hclust(dist(np.round(rng.normal(size=(n, 2)), 1)), method)
    groups = cutree(tree, k=range(1, n + 1))
    for k in range(1, n + 1):
        column = groups[:, k - 1]
        _, first = np.unique(column, return_index=True)
        assert (np.diff(first) > 0).all()
        assert len(first) == k
        finer = groups[:, min(k, n - 1)]
        assert len({(a, b) for a, b in zip(finer.tolist(), column.tolist(), strict=True)}) == finer.max()


def test_cut_at_a_height():
    tree = hclust(dist([[0.0], [1.0], [5.0]]), "single")
    assert cutree(tree, h=1).tolist() == [1, 1, 2]
    assert cutree(tree, h=[0.99, 4, np.inf, -np.inf]).T.tolist() == [
        [1, 2, 3],
        [1, 1, 1],
        [1, 2, 3],
        [1, 2, 3],
    ]
    assert cutree(tree, k=2.9, h=0).tolist() == [1, 1, 2]


def test_labels_of_the_tree_name_the_groups():
    tree = hclust(dist(pd.DataFrame({"v": [1.0, 2, 4]}, index=["a", "b", "c"])))
    assert pd.Series(cutree(tree, k=2), tree.labels).to_dict() == {"a": 1, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ({}, "either 'k' or 'h' must be specified"),
        ({"k": 0}, "elements of 'k' must be between 1 and 3"),
        ({"k": [2, 4]}, "elements of 'k' must be between 1 and 3"),
        ({"k": [2, np.inf]}, "elements of 'k' must be between 1 and 3"),
        ({"h": 1}, "the 'height' component of 'tree' is not sorted (increasingly)"),
        ({"k": [2, 3], "h": 1}, "length of 'dimnames' [2] not equal to array extent"),
    ],
)
def test_errors_of_r_in_cutree(cuts, message):
    tree = hclust(np.array([1.0, 1.0, 1.0]), "centroid")  # heights 1 and 0.75
    with pytest.raises(RError) as caught:
        cutree(tree, **cuts)
    assert caught.value.r_message == message


@pytest.mark.parametrize("cuts", [{"k": []}, {"k": np.nan}, {"k": [[1]]}])
def test_bad_cuts(cuts):
    with pytest.raises(ValueError, match="k must be a number or a vector of numbers"):
        cutree(hclust(np.ones(3)), **cuts)
    with pytest.raises(ValueError, match="tree must hold merge"):
        cutree({"merge": np.ones((2, 3)), "height": np.ones(2)}, k=1)
