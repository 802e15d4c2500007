"""vimpclust: bad input, pictures, and properties beside the cases."""

import logging
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsek.errors import RError, RWarning
from sparsek.rcompat import (
    groupsoft,
    groupsparsewkm,
    info_clust,
    kmeans,
    recodmix,
    sparsewkm,
    weightedss,
)
from sparsek.rng import RRandom

X = np.random.default_rng(1).normal(size=(30, 4)) + np.repeat([0.0, 6.0, 12.0], 10)[:, None] * [1, 1, 0, 0]
CLUSTERS = np.repeat([1, 2, 3], 10)
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(
    kind=pd.Categorical(np.repeat(["u", "v", "v"], 10)), noise=pd.Categorical(list("xyz") * 10)
)
POSITIVE = np.array([[1.0, 3], [2, 1], [5, 2], [6, 5], [1, 2], [7, 2]])
HOLES = np.where(X > 12, np.nan, X)


def numeric(x=X, centers=3, **named):
    """A fit of columns of numbers."""
    return groupsparsewkm(x, centers, **{"lambda_": 0.1, "rng": RRandom(1), **named})


def mixed(x=FRAME, centers=3, **named):
    """A fit of mixed columns."""
    return sparsewkm(x, centers, **{"lambda_": 0.1, "rng": RRandom(1), **named})


def described(which=1, x=FRAME, **named):
    """Means and shares in the clusters of a fit."""
    return info_clust(mixed(**named), which, x)


BAD = [
    (numeric, {"x": X[:, :1]}, RError, "With only one variables"),
    (numeric, {"x": HOLES}, RError, "Must provide data with only finite values"),
    (numeric, {"x": [["a", "b"]] * 9}, TypeError, "X must hold real numbers"),
    (numeric, {"centers": 1}, RError, "invalid 'type'"),
    (numeric, {"centers": 31}, RError, "more cluster centers than distinct data points"),
    (numeric, {"lambda_": -1}, RError, "Lambda must be positive"),
    (numeric, {"lambda_": 9}, RError, r"Lambda must be in \[0;0\."),
    (numeric, {"lambda_": np.nan}, RError, "missing value where TRUE/FALSE needed"),
    (numeric, {"lambda_": []}, ValueError, "lambda is empty"),
    (numeric, {"nlambda": 0}, RError, "nlambda must strictly positive"),
    (numeric, {"nlambda": 2.5}, RError, "invalid argument type"),
    (numeric, {"nlambda": 1e9, "lambda_": None}, ValueError, "nlambda must be at most"),
    (numeric, {"index": [1, 2]}, ValueError, "for each of 4 features; got 2"),
    (numeric, {"index": [0, 1, 2, 3]}, RError, "An index of group is less than 1"),
    (numeric, {"index": [1, 2, 3, 5]}, RError, "An index of group is bigger"),
    (numeric, {"index": [1.5, 2, 3, 4]}, RError, "invalid argument type"),
    (numeric, {"index": list("abcd")}, RError, "invalid argument type"),
    (numeric, {"sizegroup": 1}, RError, "sizegroup must be a boolean"),
    (numeric, {"scaling": 0}, RError, "scaling must be a boolean"),
    (numeric, {"itermaxw": 1}, RError, "object 'cluster0' not found"),
    (numeric, {"itermaxw": 2.5}, RError, "invalid argument type"),
    (numeric, {"epsilonw": 1e9}, RError, "object 'cluster0' not found"),
    (numeric, {"nstart": 0}, RError, "'iter.max' must be positive"),
    (numeric, {"itermaxkm": 0}, RError, "argument is of length zero"),
    (numeric, {"x": np.column_stack([X, np.ones(30)])}, RError, "NA/NaN/Inf in foreign function call"),
    (mixed, {"x": FRAME.astype({"kind": str})}, RError, "Must provide data with only finite values"),
    (mixed, {"x": FRAME.where(FRAME["a"] < 12)}, RError, "Must provide data with only finite values"),
    (mixed, {"x": FRAME[["a"]]}, RError, "With only one variables"),
    (mixed, {"x": FRAME.assign(one=1.0)}, RError, "There are columns in X.quanti"),
    (mixed, {"x": FRAME.assign(one=pd.Categorical(["p"] * 30))}, RError, "There are columns in X.quali"),
    (
        mixed,
        {"x": FRAME.assign(copy=FRAME["kind"]), "renamelevel": False},
        RError,
        "same names of categories",
    ),
    (mixed, {"x": FRAME.assign(kind=FRAME["kind"].cat.as_ordered())}, RError, "undefined columns selected"),
    (mixed, {"x": FRAME.assign(day=pd.Timestamp("2020-01-01"))}, RError, "undefined columns selected"),
    (mixed, {"x": pd.DataFrame({"t": [True, False]})}, ValueError, "X has no column of numbers"),
    (mixed, {"x": pd.concat([FRAME, FRAME], axis=1)}, ValueError, "columns of different names"),
    (mixed, {"x": FRAME[:0]}, ValueError, "X must have rows"),
    (described, {"which": 2}, RError, "subscript out of bounds"),
    (described, {"which": [0, 1]}, RError, "subscript out of bounds"),
    (described, {"x": FRAME[5:]}, RError, "arguments must have same length"),
    (described, {"x": FRAME[["a", "b"]]}, RError, r"'names' attribute \[1\] must be the same length"),
    (described, {"x": FRAME[["kind"]]}, RError, r"'names' attribute \[1\] must be the same length"),
    (info_clust, {"out": 1, "which_lambda": 1, "X": FRAME}, TypeError, "out must be a result of"),
    (weightedss, {"X": X, "cl": CLUSTERS, "w": [1, 2]}, ValueError, "for each of the 4 columns"),
    (weightedss, {"X": X, "cl": CLUSTERS, "w": [1, 2, -1, 0]}, RError, "w must be positive"),
    (weightedss, {"X": X, "cl": CLUSTERS, "w": [1, 2, np.nan, 0]}, RError, "missing value where"),
    (weightedss, {"X": X, "cl": CLUSTERS[1:]}, RError, "arguments must have same length"),
    (weightedss, {"X": X, "cl": CLUSTERS * 2}, RError, "dim(X) must have a positive length"),
    (weightedss, {"X": X, "cl": CLUSTERS * 20}, RError, "A number of group is bigger"),
    (weightedss, {"X": X, "cl": [1] * 30}, RError, "invalid 'type'"),
    (mixed, {"x": FRAME.assign(a=X[:, 0] * 1e-200)}, RError, "Must provide data with only finite values"),
    (numeric, {"x": X * 1e-200}, RError, "NA/NaN/Inf in foreign function call"),
    (numeric, {"x": X * 1e200}, RError, "more cluster centers than distinct data points"),
    (numeric, {"x": X * 1e100, "scaling": False, "lambda_": None}, RError, "'to' must be a finite number"),
    (numeric, {"x": X * 1e200, "scaling": False}, ValueError, "whose squares overflow"),
    (
        numeric,
        {"x": POSITIVE * 1e-160, "centers": 2, "scaling": False, "lambda_": None},
        RError,
        "more cluster centers than distinct data points",
    ),
    (recodmix, {"X": [[1e-310, 1], [2e-310, 2], [3e-310, 4]]}, RError, "There are columns in X.quanti"),
    (recodmix, {"X": [[np.inf, 1], [1, 2], [2, 4]]}, RError, "There are columns in X.quanti"),
    (recodmix, {"X": [[np.nan, 1], [np.nan, 2]]}, RError, "There are columns in X.quanti"),
    (groupsoft, {"b": [1, 2], "lambda_": -1}, RError, "s must be positive"),
    (groupsoft, {"b": [1e200, 2e200], "lambda_": 1, "index": [1, 1]}, RError, "missing value where"),
    (groupsoft, {"b": [1, 2], "lambda_": np.nan}, RError, "invalid argument type"),
    (groupsoft, {"b": [1, np.nan], "lambda_": 1}, RError, "missing value where"),
    (groupsoft, {"b": [1, 2], "lambda_": 1, "index": [1]}, ValueError, "for each of 2 features; got 1"),
]


@pytest.mark.parametrize(("function", "named", "error", "message"), BAD)
def test_bad_input(function, named, error, message):
    with pytest.raises(error, match=message.replace("(X)", r"\(X\)")):
        function(**named)


@pytest.mark.parametrize("fit", [numeric(), mixed()])
def test_three_groups_far_apart(fit):
    same = np.asarray(fit["cluster"])[:, 0][:, None] == np.asarray(fit["cluster"])[:, 0]
    assert np.array_equal(same, CLUSTERS[:, None] == CLUSTERS)


def test_groups_that_hold_the_clusters_are_selected():
    fit = numeric(index=[1, 1, 2, 2], lambda_=[0, 0.5])
    assert fit.sel_groups.tolist() == [2, 1]
    assert fit.sel_feat.tolist() == [4, 2]
    assert fit["W"][2:, 1].tolist() == [0, 0]


def test_features_stand_in_the_order_of_their_groups():
    fit = numeric(FRAME[list("abcd")], index=[3, 1, 3, 1])
    assert fit["W"].attributes["dimnames"][0] == list("bdac")
    assert fit["Wg"].attributes["dimnames"][0] == ["Group 1", "Group 3"]
    assert fit["index"].tolist() == [1, 1, 3, 3]


def test_weights_of_one_variable_are_those_of_groups_of_one():
    fit = numeric(nlambda=4, lambda_=None)
    assert np.array_equal(fit["W"], fit["Wg"])
    assert fit["lambda"][0] == 0


def test_mixed_data_without_categories_are_numbers_over_their_deviations():
    z = np.asarray(recodmix(X)["Z"])
    # The same numbers in another order of operations.
    np.testing.assert_allclose(z, (X - X.mean(axis=0)) / X.std(axis=0), rtol=1e-12)
    fit = mixed(X)
    assert np.array_equal(fit["W"], numeric(z, scaling=False)["W"])


def test_columns_of_levels():
    found = recodmix(FRAME, renamelevel=True)
    share = np.array([1, 2]) / 3
    z = np.asarray(found["Z"])[:, 4:6]
    dummies = np.column_stack([FRAME["kind"] == "u", FRAME["kind"] == "v"])
    # The same numbers in another order of operations.
    np.testing.assert_allclose(z, (dummies - share) / np.sqrt(share), rtol=1e-12)
    assert found["Z"].attributes["dimnames"][1][4:] == ["kind=u", "kind=v", "noise=x", "noise=y", "noise=z"]
    assert found["index"].tolist() == [1, 2, 3, 4, 5, 5, 6, 6, 6]


def test_missing_numbers_become_the_mean_and_rows_without_a_level_have_none():
    frame = pd.DataFrame({"a": [1.0, 3.0, np.nan], "kind": pd.Categorical(["u", "v", None])})
    z = np.asarray(recodmix(frame)["Z"])
    assert z[2, 0] == 0
    assert z[2, 1] == z[1, 1]


def test_levels_are_sorted_and_unused_ones_are_left_out():
    kind = pd.Categorical(["b", "A", "a"], ["z", "b", "A", "a"])
    frame = pd.DataFrame({"a": [1.0, 3.0, 4.0], "kind": kind})
    assert list(recodmix(frame)["X"]["kind"].cat.categories) == ["a", "A", "b"]


def test_whole_numbers_are_warned_of_and_truth_values_left_out():
    frame = pd.DataFrame({"a": [1, 2, 4], "t": [True, False, True], "b": [1.0, 2.5, 2.0]})
    with pytest.warns(RWarning, match="Columns of class integer"):
        found = recodmix(frame)
    assert list(found["X"]) == ["a", "b"]


def test_a_single_column_of_numbers_has_no_name():  # R 4.2.2, vimpclust 0.1.0
    part = FRAME[["a", "kind"]]
    means = info_clust(mixed(part), 1, part)["mean.by.clust"]["lambda = 0.1"]
    assert means.attributes["dimnames"][0] is None


def test_whether_the_weights_stayed_is_logged(caplog):
    with caplog.at_level(logging.INFO, logger="sparsek"):
        numeric(itermaxw=2)
        numeric()
        numeric(verbose=0)
    assert [record.getMessage() for record in caplog.records] == [
        "the stopping criterion over w is not satisfied for lambda = 0.1",
        "the stopping criterion over w is satisfied for lambda = 0.1",
    ]


@pytest.mark.parametrize("fit", [numeric(lambda_=[0, 0.3]), mixed(lambda_=[0, 0.2])])
def test_pictures_show_the_paths(fit):
    kind = "groups" if fit["type"] == "NumGroupSparse" else "levels"
    shown = ["weights.features", f"weights.{kind}", f"sel.{kind}", "expl.var", "w.expl.var", "pen.crit"]
    for what in shown:
        ax = fit.plot(what, xtitle="penalty")
        lines = np.array([line.get_ydata() for line in ax.lines])
        assert np.array_equal(lines, fit.path(what))
        assert ax.get_xlabel() == "penalty"
    assert (fit.plot("weights.features", showlegend=False).get_legend()) is None


def test_a_part_of_the_weights():
    fit = numeric(index=[1, 3, 3, 1])
    assert np.array_equal(fit.path("weights.features", Which=3), fit["W"][2:])
    assert np.array_equal(fit.path("weights.groups", Which=2), fit["Wg"][1:])
    assert len(mixed().path("weights.levels", Which=6)) == 3


def test_paths_that_are_not_there():
    with pytest.raises(RError, match="on mixed data yet"):
        numeric().path("sel.levels")
    with pytest.raises(RError, match="on mixed data yet"):
        mixed().plot("weights.groups")
    with pytest.raises(ValueError, match=r"what must be one of weights\.features"):
        numeric().path("weights")
    with pytest.raises(ValueError, match=r"numbers from \[1, 2, 3, 4\]"):
        numeric().path(Which=5)


def test_results_can_be_pickled():
    fit = mixed()
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.path("pen.crit"), fit.path("pen.crit"))


GROUPS = st.lists(st.integers(1, 6), min_size=6, max_size=6)


@given(arrays(float, 6, elements=st.floats(-1e3, 1e3)), st.floats(0, 5), GROUPS)
@example(np.full(6, 3.29278067e-161), 0, [1] * 6)
@settings(deadline=None)
def test_thresholded_entries_have_norm_one_or_are_none(b, penalty, index):
    assume(penalty > 0 or np.abs(b).max() > 1e-150)  # squares of less lose digits or are zero, as in R
    w = groupsoft(b, penalty, index)
    ordered = b[np.argsort(index, kind="stable")]
    assert abs(np.linalg.norm(w) - 1) < 1e-12 or not w.any()  # rounding of six squares
    assert ((w == 0) | (np.sign(w) == np.sign(ordered))).all()


@pytest.mark.parametrize(
    ("b", "penalty", "index", "expected"),
    [
        ([0, 0], 0, [1, 1], [np.nan, np.nan]),
        ([1e-200, 0, -1e-200], 0, [1, 1, 2], [np.inf, np.nan, -np.inf]),
        ([1e-200, 2e-200], 1e-300, [1, 2], [0, 0]),
        ([1e200, 1, 2], 0.1, [1, 2, 3], [0, 0, 0]),
        ([1e200, 1, 2], 0, [1, 1, 2], [0, 0, 0]),
    ],
)
def test_entries_whose_squares_are_0_or_infinite_are_those_of_r(b, penalty, index, expected):
    assert np.array_equal(groupsoft(b, penalty, index), expected, equal_nan=True)


@pytest.mark.parametrize(
    ("scale", "expected"), [(1e-200, [-np.inf, -np.inf, np.inf]), (1e200, [0, 0, 0]), (1e300, [0, 0, 0])]
)
def test_columns_whose_squares_are_0_or_infinite_are_recoded_as_by_r(scale, expected):
    z = np.asarray(recodmix(np.array([[1.0, 1], [2, 2], [4, 4]]) * [scale, 1])["Z"])
    assert np.array_equal(z[:, 0], expected)
    assert np.isfinite(z[:, 1]).all()


def test_sums_of_squares_that_overflow_are_infinite():
    x = np.column_stack([np.array([1, -1, 1, -1]) * np.finfo(float).max, [1, 2, 3, 4]])
    apart, together = weightedss(x, [1, 2, 1, 2]), weightedss(x, [1, 1, 2, 2])
    assert apart["bss.per.feature"].tolist() == [np.inf, 1]
    assert apart["wss.per.feature"].tolist() == [0, 4]
    assert together["bss.per.feature"].tolist() == [0, 4]
    assert together["wss.per.feature"].tolist() == [np.inf, 1]


@given(st.integers(1, 10**6))
@settings(deadline=None, max_examples=25)
def test_sums_of_squares_add_up(seed):
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(20, 3)), rng.uniform(size=3)
    labels = np.concatenate([[1, 2, 3], rng.integers(1, 4, 17)])
    found = weightedss(x, labels, w)
    total = (w * (x - x.mean(axis=0)) ** 2).sum()
    # Sums of 60 squares in another order.
    assert found.bss + found.wss == pytest.approx(total, rel=1e-12)
    for name in ("bss", "wss"):
        assert found[f"{name}.per.feature"].sum() == pytest.approx(found[name], rel=1e-12)
        assert found[f"{name}.per.cluster"].sum() == pytest.approx(found[name], rel=1e-12)


@given(st.integers(1, 10**6), st.integers(2, 4))
@settings(deadline=None, max_examples=15)
@pytest.mark.filterwarnings("ignore::sparsek.errors.RWarning")  # of k-means with few starts
def test_weights_have_norm_one_and_labels_belong_to_them(seed, k):
    x = np.random.default_rng(seed).normal(size=(25, 5))
    fit = groupsparsewkm(x, k, nlambda=3, index=[1, 1, 2, 2, 3], nstart=5, rng=RRandom(seed))
    for w, labels in zip(np.asarray(fit["W"]).T, np.asarray(fit["cluster"]).T, strict=True):
        assert (w >= 0).all()
        assert np.linalg.norm(w) == pytest.approx(1, abs=1e-12)  # rounding of five squares
        assert set(labels) == set(range(1, k + 1))


def test_the_data_are_not_changed():
    before, frame = X.copy(), FRAME.copy()
    numeric()
    described()
    assert np.array_equal(before, X)
    pd.testing.assert_frame_equal(frame, FRAME)


def test_a_stream_stands_where_r_leaves_it():
    stream, after = RRandom(3), RRandom(3)
    groupsparsewkm(X, 3, lambda_=0.1, itermaxw=2, rng=stream)
    kmeans(X, 3, nstart=10, rng=after)
    after.rnorm(4)
    assert stream.runif(1)[0] == after.runif(1)[0]
