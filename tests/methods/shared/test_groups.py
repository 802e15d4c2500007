"""Groups of features: their labels and columns, and the methods that select or weight them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sparsek.methods.shared.groups import group_labels, grouping_of


class TestGrouping:
    def test_groups_come_in_the_order_of_their_first_columns(self):
        found = grouping_of(np.array(["b", "a", "b", "c"]))
        assert found.names.tolist() == ["b", "a", "c"]
        assert [columns.tolist() for columns in found.columns] == [[0, 2], [1], [3]]
        assert found.degrees.tolist() == [2.0, 1.0, 1.0]
        assert found.codes.tolist() == [0, 1, 0, 2]

    def test_degrees_by_label(self):
        found = grouping_of(np.array(["b", "a", "b"]), {"a": 1, "b": 0.5})
        assert found.degrees.tolist() == [0.5, 1.0]
        np.testing.assert_array_equal(found.per_degree(np.array([1.0, 2.0, 3.0])), [8.0, 2.0])

    def test_sums_are_literal(self):
        values = np.random.default_rng(0).normal(size=(4, 9))
        found = grouping_of(np.array([3, 1, 3, 2, 2, 1, 3, 0, 1]))
        literal = [[sum(row[j] for j in columns) for columns in found.columns] for row in values.tolist()]
        np.testing.assert_array_equal(found.totals(values), literal)
        np.testing.assert_array_equal(found.totals(values[0]), literal[0])

    def test_masks_of_chosen_groups(self):
        found = grouping_of(np.array([5, 4, 5, 3]))
        assert found.mask(np.array([0, 2])).tolist() == [True, False, True, True]
        assert found.mask(np.array([[1], [0]])).tolist() == [
            [False, True, False, False],
            [True, False, True, False],
        ]


class TestLabels:
    def test_a_mapping_takes_names_indices_and_masks(self):
        names = np.array(["x", "y", "z"])
        assert group_labels({"g": ["z", "x"], "h": ["y"]}, 3, names).tolist() == ["g", "h", "g"]
        assert group_labels({1: [0], 0: np.array([False, True, True])}, 3).tolist() == [1, 0, 0]

    @pytest.mark.parametrize(
        "groups", [["u", "v", "u"], pd.Series(["u", "v", "u"]), pd.Categorical(["u", "v", "u"])]
    )
    def test_an_array_has_one_label_per_feature(self, groups):
        assert group_labels(groups, 3).tolist() == ["u", "v", "u"]

    @pytest.mark.parametrize(
        ("groups", "error", "message"),
        [
            ({"g": [0, 1]}, ValueError, r"leaves out 1 of 3 features, first 2; give each a group"),
            (
                {"g": [0, 1], "h": [1, 2]},
                ValueError,
                r"feature 1 is in groups\['g'\] and groups\['h'\]; leave",
            ),
            ({"g": [0, 1, 2], "h": []}, ValueError, r"groups\['h'\] has no features; leave it out"),
            ({"g": [0, 1], 1: [2]}, TypeError, r"keys of groups must be all strings or all integers"),
            ({"g": [0, 3]}, ValueError, r"groups\['g'\] has index 3"),
            ({"g": ["a"]}, ValueError, "X has no column names"),
            (["a", "b"], ValueError, r"must have shape \(3,\)"),
            (["a", "b", None], TypeError, "must hold integers or strings"),
        ],
    )
    def test_bad_groups(self, groups, error, message):
        with pytest.raises(error, match=message):
            group_labels(groups, 3)
