"""Names, abbreviated fields and calls of results."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from sparsek import rcompat
from sparsek.rcompat import Clest, RArray, RList, cutree, dist, hclust
from sparsek.rcompat.base.expressions import Call, deparse

FRAME = pd.DataFrame(
    {
        "height": [1.0, 1.2, 5.0, 5.1, 1.1],
        "weight": [2.0, 2.2, 9.0, 9.3, 2.4],
        "age": [1.0, 7.0, 3.0, 4.0, 8.0],
    },
    index=list("abcde"),
)
COLUMNS = list(FRAME.columns)


def test_names_of_fields():
    fit = rcompat.KMeansSparseCluster(FRAME, 2, 1.3)[0]
    weights = fit.named("ws")
    assert weights.index.tolist() == COLUMNS
    assert np.shares_memory(weights.to_numpy(), fit.ws)
    assert fit.named("Cs").index.tolist() == list("abcde")
    assert fit.wcss.named("bcss").index.tolist() == COLUMNS
    assert isinstance(fit.ws, np.ndarray)
    centers = rcompat.kmeans(FRAME, 2).named("cent")
    assert (centers.index.tolist(), centers.columns.tolist()) == (["1", "2"], COLUMNS)
    assert rcompat.RSKC(FRAME, 2, 0, 1.2).named("weights").index.tolist() == COLUMNS
    assert rcompat.kmeans(FRAME.to_numpy(), 2).named("cluster").index.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError, match="totss must be a vector or a matrix"):
        rcompat.kmeans(FRAME, 2).named("totss")
    with pytest.raises(AttributeError, match="no field 'foo'"):
        fit.named("foo")


def test_names_of_groups():
    tree = hclust(dist(FRAME))
    groups = cutree(tree, 2)
    assert groups.dtype == np.int64
    assert groups.named().to_dict() == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 1}
    assert cutree(tree, [2, 3]).named().columns.tolist() == ["2", "3"]
    assert cutree(hclust(dist(FRAME.to_numpy())), 2).attributes == {}
    again = pickle.loads(pickle.dumps(groups))
    assert (again.dtype, again.attributes) == (groups.dtype, groups.attributes)


def test_abbreviated_fields():
    gap = rcompat.KMeansSparseCluster_permute(FRAME, 2, 2, [1.2, 1.5])
    assert gap.gap is gap["gaps"]
    assert gap.wb is gap["wbounds"]
    with pytest.raises(KeyError):
        gap["gap"]  # as R's [["gap"]], which is NULL
    fit = rcompat.kmeans(FRAME, 2)
    assert fit.tot_w == fit["tot.withinss"]
    with pytest.raises(AttributeError, match="'tot' begins totss and tot_withinss"):
        _ = fit.tot
    assert RList({"a": 1, "ab": 2}).a == 1
    assert not hasattr(fit, "_rep")


def test_calls_are_read_from_the_program():
    points, tree_of = FRAME, "average"
    assert hclust(rcompat.dist(points) ** 2, tree_of).call == "hclust(d = dist(points)^2, method = tree_of)"
    tree = rcompat.hclust(
        method="single",  # R's match.call has R's order
        d=(rcompat.dist(points[["age"]]) + 1) * 2 / -3 + 100,
        members=[1, 1, 1e5, 2, 0.5],
    )
    assert tree.call == (
        "hclust(d = (dist(points[['age']]) + 1) * 2/-3 + 100, method = \"single\", "
        "members = c(1, 1, 1e+05, 2, 0.5))"
    )
    fit = Clest(points.iloc[:, :2].sample(30, replace=True, random_state=1), 3, 0, 3, 2, pca=False, nst=5)
    assert fit.call.startswith("Clest(d = points$iloc") or "sample" in fit.call
    assert hclust(dist(points), call="hclust(d = x)").call == "hclust(d = x)"


def test_calls_without_a_source_hold_values():
    found = {"hclust": hclust, "d": dist(np.arange(10.0)[:, None])}
    exec("tree = hclust(d, 'average', members=[1] * 10)", found)  # long vectors by the name of the argument
    assert found["tree"].call == f'hclust(d = d, method = "average", members = c({", ".join("1" * 10)}))'


@pytest.mark.parametrize(
    ("value", "text"),  # R's deparse
    [
        (1e5, "1e+05"),
        (123456, "123456"),
        (0.1, "0.1"),
        (1e-5, "1e-05"),
        (1 / 3, "0.333333333333333"),
        (-2.5, "-2.5"),
        (True, "TRUE"),
        (None, "NULL"),
        ('a"b\\', '"a\\"b\\\\"'),
        ([1, "x"], 'c(1, "x")'),
        (float("inf"), "Inf"),
        ({}, "other"),
    ],
)
def test_values_as_r_writes_them(value, text):
    assert deparse(value, "other") == text


def test_lines_of_a_call():  # R 4.2.2
    numbers = ", ".join(str(number) for number in range(1, 21))
    call = f"f(alpha = 1, beta = bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, gamma = c({numbers}), 3)"
    assert Call(call).lines() == [
        "f(alpha = 1, beta = bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, gamma = c(1, ",
        "    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, ",
        "    19, 20), 3)",
    ]


def test_no_line_ends_in_a_text():  # R 4.2.2
    text = " ".join(["aa,"] * 30)
    assert Call(f'f("{text}", 1)').lines() == [f'f("{text}", ', "    1)"]


def test_arrays_without_names_are_shown_as_they_are():
    assert str(RArray([1.0, 2.5])) == "[1] 1.0 2.5"
    assert RArray([1.0, 2.5]).named().tolist() == [1.0, 2.5]
    assert repr(RArray([1.0, 2.5])) == "RArray([1. , 2.5])"


def test_fields_go_before_methods():
    spectrum = rcompat.eigen([[2, 0], [0, 1]])
    assert spectrum.values.tolist() == [2, 1]
    odd = RList({"keys": 1, "items": 2, "get": 3, "values": 4, "copy": 5, "print": 6, "named": 7})
    assert [getattr(odd, name) for name in odd] == [1, 2, 3, 4, 5, 6, 7]
    assert dict(odd) == {**odd}
    assert list(odd) == ["keys", "items", "get", "values", "copy", "print", "named"]
    assert str(RList({"values": np.array([1, 2])})) == "$values\n[1] 1 2\n"
    assert RList({"a": 1}).get("b") is None


def test_keys_and_attributes_write_the_same_field():
    fit = rcompat.prcomp(FRAME)
    before = np.array(fit.rotation)
    fit.rotation = -fit.rotation
    np.testing.assert_array_equal(fit["rotation"], -before)
    fit["x"] = -fit["x"]
    np.testing.assert_array_equal(fit.x, fit["x"])
    clusters = rcompat.kmeans(FRAME, 2)
    clusters.tot_withinss = 0.0
    assert clusters["tot.withinss"] == 0
    clusters.note = "mine"
    assert clusters["note"] == "mine"
    del clusters.note
    assert "note" not in clusters
    clusters.lloyd_record = None  # for `sparsek.inference`, no field of R's
    assert "lloyd_record" not in clusters
    with pytest.raises(AttributeError, match="note"):
        del clusters.note


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda fit: pickle.loads(pickle.dumps(fit))])
def test_copies_are_of_the_same_class(again):
    fit = rcompat.kmeans(FRAME, 2)
    second = again(fit)
    assert type(second) is type(fit)
    assert str(second) == str(fit)
    assert second.row_names == fit.row_names
    second.iter = 100
    assert fit.iter != 100


def test_named_shows_what_arrays_carry():
    fit = rcompat.pam(FRAME, 2)
    assert fit.named("clustering").index.tolist() == list("abcde")
    assert fit.named("clusinfo").columns.tolist()[:2] == ["size", "max_diss"]
    assert fit.named("medoids").columns.tolist() == COLUMNS
    axes = rcompat.prcomp(FRAME)
    assert axes.named("rotation").index.tolist() == COLUMNS
    assert axes.named("x").columns.tolist() == ["PC1", "PC2", "PC3"]
    assert rcompat.fitted(rcompat.kmeans(FRAME, 2), "classes").named().index.tolist() == list("abcde")
    assert rcompat.KMeansSparseCluster(FRAME, 2, 1.3)[0].ws.named().index.tolist() == COLUMNS


@pytest.mark.parametrize(
    ("key", "attributes"),
    [
        ((slice(None), slice(1, 3)), {"dimnames": (["a", "b", "c"], ["v", "w"])}),
        (1, {"names": ["u", "v", "w"]}),
        ((slice(None), 2), {"names": ["a", "b", "c"]}),
        ([2, 0], {"dimnames": (["c", "a"], ["u", "v", "w"])}),
        (np.array([True, False, True]), {"dimnames": (["a", "c"], ["u", "v", "w"])}),
        (([0, 1], [0, 1]), {}),
        (None, {}),
        (Ellipsis, {}),
        (np.eye(3) > 0, {}),
    ],
)
def test_parts_keep_their_names(key, attributes):
    array = RArray(np.arange(9.0).reshape(3, 3), dimnames=(list("abc"), list("uvw")))
    part = array[key]
    assert part.attributes == attributes
    np.testing.assert_array_equal(part, np.asarray(array)[key])
    assert isinstance(array[0, 0], np.float64)
