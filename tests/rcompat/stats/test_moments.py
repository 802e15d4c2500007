"""var, sd, cov, cor, median, quantile: R's bits, names, errors, bad input."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse, stats

from sparsek.errors import RError, RWarning
from sparsek.rcompat import cor, cov, cov2cor, median, quantile, sd, var
from tests.rcompat.beside_r import differences

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": [2.0, 5, 9]})
NUMBERS = st.floats(width=64, allow_nan=True, allow_infinity=True) | st.integers(-2, 2)
MATRICES = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=NUMBERS)
USES = ("everything", "complete.obs", "na.or.complete", "all.obs")


@pytest.mark.live_r
@settings(max_examples=60, deadline=None)
@given(x=MATRICES, function=st.sampled_from(["var", "cov", "cor"]), use=st.sampled_from(USES))
def test_any_matrix_has_rs_covariances_and_correlations(x, function, use):
    assert differences(function, "stats", {"x": x, "use": use}) == ""


@pytest.mark.live_r
@settings(max_examples=60, deadline=None)
@given(
    x=MATRICES, second=st.data(), function=st.sampled_from(["var", "cov", "cor"]), use=st.sampled_from(USES)
)
def test_any_two_matrices_have_rs_covariances_and_correlations(x, second, function, use):
    y = second.draw(arrays(np.float64, (len(x), 2), elements=NUMBERS))
    assert differences(function, "stats", {"x": x, "y": y, "use": use}) == ""


@pytest.mark.live_r
@settings(max_examples=60, deadline=None)
@given(x=MATRICES, function=st.sampled_from(["sd", "median", "quantile"]), drop=st.booleans())
def test_any_numbers_have_rs_deviation_and_quantiles(x, function, drop):
    assert differences(function, "stats", {"x": x, "na.rm": drop}) == ""


@pytest.mark.live_r
@settings(max_examples=60, deadline=None)
@given(x=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), probs=st.lists(st.floats(0, 1), min_size=1))
def test_any_probabilities_give_rs_quantiles(x, probs):
    assert differences("quantile", "stats", {"x": x, "probs": probs}) == ""


def test_names_of_quantiles():
    """Texts that R 4.2.2 gave."""
    shares = [0, 0.07, 0.29, 0.57, 1 / 3, 0.123456, 0.1234565, 0.99999994, 1e-5, 0.5 + 1e-9, 1e-15, math.nan]
    texts = ["0%", "7%", "29%", "57%", "33.33333%", "12.3456%", "12.34565%", "99.99999%", "0.001%", "50%"]
    names = quantile([1, 2, 3], shares).attributes["names"]
    assert names == [*texts, "0.0000000000001%", ""]
    assert quantile([1, 2, 3], names=False).attributes == {}
    assert quantile([1, 2, 3]).attributes["names"] == ["0%", "25%", "50%", "75%", "100%"]


def test_names_of_frames():
    assert cov(FRAME).attributes == {"dimnames": (["a", "b"], ["a", "b"])}
    assert cor(FRAME, [1, 2, 2]).attributes == {"dimnames": (["a", "b"], None)}
    assert cor([1, 2, 2], FRAME).attributes == {"dimnames": (None, ["a", "b"])}
    assert cor(FRAME.to_numpy()).attributes == {}


def test_two_vectors_give_a_number():
    assert type(cov([1, 2, 3], [1, 5, 2])) is type(cor([1, 2], [1, 5])) is type(var([1, 2])) is float
    assert var([1, 2, 4], na_rm=True) == var([1, 2, 4, math.nan], na_rm=True)


def test_nothing():
    assert all(math.isnan(function([])) for function in (sd, median))
    assert np.isnan(quantile([])).tolist() == [True] * 5
    assert quantile([1, 2], []).shape == (0,)


def test_constant_column():
    with pytest.warns(RWarning, match="^the standard deviation is zero$"):
        r = cor([[1, 1], [2, 1], [3, 1]])
    np.testing.assert_array_equal(r, [[1, math.nan], [math.nan, 1]])


@pytest.mark.live_r
@pytest.mark.parametrize("columns", ["k", "kk", "kn", "nk", "uk", "ku", "nuk", "kun", "un", "nku"])
@pytest.mark.parametrize("use", USES[:3])
def test_warnings_about_constant_columns_are_rs(columns, use):
    by_name = {"k": [1, 1, 1, 1], "n": [math.nan, 1, 2, 5], "u": [1, 2, 4, 3]}
    x = np.array([by_name[name] for name in columns], dtype=float).T
    assert differences("cor", "stats", {"x": x, "use": use}) == ""
    for other in "knu":
        assert differences("cor", "stats", {"x": x, "y": np.array(by_name[other]), "use": use}) == ""


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (cor, ([1, 2],), "supply both 'x' and 'y' or a matrix-like 'x'"),
        (cov, (["a"],), "supply both 'x' and 'y' or a matrix-like 'x'"),
        (cor, ([["a"]],), "'x' must be numeric"),
        (cor, ([1], ["a"]), "'y' must be numeric"),
        (cov, ([["a"]],), "is.numeric(x) || is.logical(x) is not TRUE"),
        (cov, ([1], ["a"]), "is.numeric(y) || is.logical(y) is not TRUE"),
        (cor, ([1, 2], None, "z"), "invalid 'use' argument"),
        (cor, (FRAME, None, ""), "invalid 'use' argument"),
        (cov, (FRAME, None, None), "argument is of length zero"),
        (cor, ([1, 2], None, "c", "z"), "'arg' should be one of “pearson”, “kendall”, “spearman”"),
        (cor, (FRAME, [1, 2]), "incompatible dimensions"),
        (var, ([1, math.nan], None, False, "all"), "missing observations in cov/cor"),
        (cov, ([[1, math.nan]], None, "comp"), "no complete element pairs"),
        (sd, (FRAME,), "'list' object cannot be coerced to type 'double'"),
        (median, (FRAME,), "need numeric data"),
        (median, ([1], math.nan), "missing value where TRUE/FALSE needed"),
        (quantile, ([1, math.nan],), "missing values and NaN's not allowed if 'na.rm' is FALSE"),
        (quantile, ([1], 1.1), "'probs' outside [0,1]"),
    ],
)
def test_errors_of_r(function, args, message):
    with pytest.raises(RError) as caught:
        function(*args)
    assert caught.value.r_message == message


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.floats(-5, 5).map(lambda v: round(v, 1))), min_size=3, max_size=40
    )
)
def test_rank_correlations_are_those_of_scipy(pairs):
    x, y = np.array(pairs, dtype=float).T
    if len(set(x)) < 2 or len(set(y)) < 2:
        return
    # both are quotients of a few rounded numbers
    assert cor(x, y, method="kendall") == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert cor(x, y, method="spearman") == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize("method", ["pearson", "kendall", "spearman"])
def test_pairs_of_columns_are_those_of_two_vectors(method):
    x = np.array([[1, 3, 2], [3, 1, np.nan], [2, 3, 2], [5, 3, 2.5], [4, np.nan, 3], [4, 6, 1]])
    r = cor(x, use="pairwise", method=method)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        both = ~np.isnan(x[:, [i, j]]).any(axis=1)
        # one matrix rounds other quotients than two vectors
        assert r[i, j] == pytest.approx(cor(x[both, i], x[both, j], method=method), rel=1e-14)
    np.testing.assert_allclose(cor(x, x, "pair", method), r, rtol=1e-14)


NUMPY_TYPES = {
    1: "inverted_cdf",
    2: "averaged_inverted_cdf",
    4: "interpolated_inverted_cdf",
    5: "hazen",
    6: "weibull",
    7: "linear",
    8: "median_unbiased",
    9: "normal_unbiased",
}


@pytest.mark.parametrize("kind", NUMPY_TYPES)
@settings(max_examples=30, deadline=None)
@given(
    x=st.lists(st.floats(-100, 100), min_size=1, max_size=30),
    p=st.floats(0.001, 0.999).map(lambda v: round(v, 4) + 1e-6),  # between the places where types jump
)
def test_quantiles_are_those_of_numpy(kind, x, p):
    expected = np.quantile(x, p, method=NUMPY_TYPES[kind])
    assert quantile(x, p, type=kind)[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)  # other roundings


def test_other_quantiles_are_refused():
    with pytest.raises(ValueError, match="type must be a whole number from 1 to 9; got 10"):
        quantile([1, 2], type=10)
    with pytest.raises(ValueError, match="x is a data frame; give one of its columns"):
        quantile(FRAME)


@pytest.mark.parametrize("function", [var, sd, median, quantile])
@pytest.mark.parametrize("x", [sparse.eye(2), 1j, ["a"], {"a": 1}])
def test_what_holds_no_real_numbers(function, x):
    with pytest.raises(TypeError, match=r"x (must|is a sparse)"):
        function(x)


def test_correlations_of_covariances():
    x = np.array([[1, 3, 2], [3, 1, 7], [2, 3, 2], [5, 3, 2.5]])
    np.testing.assert_allclose(cov2cor(cov(x)), cor(x), rtol=1e-14)  # other roundings
    assert cov2cor(cov(FRAME)).attributes["dimnames"] == (["a", "b"], ["a", "b"])
    for bad in ([1, 2], [[1, 2]], [["a"]]):
        with pytest.raises(RError, match="'V' is not a square numeric matrix"):
            cov2cor(bad)
    with pytest.warns(RWarning, match="had 0 or NA entries"):
        cov2cor(np.zeros((2, 2)))


def test_constant_columns_beside_missing_values():
    x = np.array([[1, 1, np.nan], [1, 2, 5], [1, 3, 5]])
    with pytest.warns(RWarning, match="the standard deviation is zero"):
        cor(x, method="kendall")
    assert np.isnan(cor(x[:, 1:], method="kendall")[0, 1])  # warnings are errors here


def test_infinity_in_a_row_that_a_pair_leaves_out_counts_for_nothing() -> None:
    """Found by make explore: a product of infinity and 0 made the covariance NaN."""
    x = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0], [-np.inf, 7.0], [2.0, np.nan]])
    y = np.array([1.0, 4.0, 2.0, np.nan, 3.0])
    found = cov(x, y, use="pairwise")
    assert np.asarray(found).ravel().tolist() == [
        cov(x[[0, 1, 2, 4], 0], y[[0, 1, 2, 4]]),
        cov(x[:3, 1], y[:3]),
    ]
    assert np.isfinite(np.asarray(cor(x, y, use="pairwise"))).all()
