"""colSums, colMeans, rowSums, rowMeans, mean, cumsum, matrix: R's bits, names, errors, bad input."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from sparsek.bits import ordered_arithmetic
from sparsek.bits.extended import software
from sparsek.errors import RError, RWarning
from sparsek.rcompat import colMeans, colSums, cumsum, matrix, mean, median, rowMeans, rowSums
from sparsek.rcompat.base import data
from tests.rcompat.beside_r import differences

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": [2.0, 5, 8]}, index=["u", "v", "w"])
NUMBERS = st.floats(width=64, allow_nan=True, allow_infinity=True)
MATRICES = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=NUMBERS)
SUMS = (colSums, colMeans, rowSums, rowMeans)


@pytest.mark.live_r
@settings(max_examples=40, deadline=None)
@given(x=MATRICES, function=st.sampled_from([f.__name__ for f in SUMS]), drop=st.booleans())
def test_sums_and_means_of_any_matrix_are_rs(x, function, drop):
    assert differences(function, "base", {"x": x, "na.rm": drop}) == ""


# What R 4.2.2 gives: which of two zeros is in the middle depends on the exchanges of its partial sort.
@pytest.mark.parametrize(
    ("x", "sign"),
    [
        ([0, 0, 0, -0.0, 0, 0, 0], -1),
        ([-0.0, -0.0, -0.0], -1),
        ([-0.0, 0, 0], 1),
        ([0, -0.0, 1, -1, 0], 1),
        ([-0.0, -0.0], 1),
    ],
)
def test_the_sign_of_a_zero_in_the_middle_is_rs(x, sign):
    for found in (median(x), mean(x, trim=0.5)):
        assert found == 0
        assert math.copysign(1, found) == sign


@pytest.mark.live_r
@settings(max_examples=40, deadline=None)
@given(
    x=arrays(
        np.float64, st.tuples(st.integers(1, 30), st.just(1)), elements=st.sampled_from([0, -0.0, 1, -1])
    )
)
def test_medians_of_zeros_are_rs(x):
    assert differences("median", "stats", {"x": x}) == ""
    assert differences("mean", "base", {"x": x, "trim": 0.5}) == ""


# What R 4.2.2 gives: where the sum is no double, the quotients are rounded before they are added.
@pytest.mark.parametrize("arithmetic", [ordered_arithmetic.long_mean, software.vector_mean])
def test_mean_of_copies_of_the_largest_number_is_rs(arithmetic):
    top = np.finfo(np.float64).max
    infinite = [n for n in range(1, 25) if math.isinf(arithmetic(np.full(n, top)))]
    assert infinite == [3, 6, 7, 9, 12, 14, 15, 18, 19, 21, 24]
    assert all(arithmetic(np.full(n, -top)) == -arithmetic(np.full(n, top)) for n in range(1, 25))


@pytest.mark.live_r
@settings(max_examples=40, deadline=None)
@given(
    x=arrays(
        np.float64,
        st.tuples(st.integers(1, 30), st.just(1)),
        elements=st.floats(-1, 1).map(lambda share: share * np.finfo(np.float64).max),
    )
)
def test_mean_of_any_large_numbers_is_rs(x):
    assert differences("mean", "base", {"x": x}) == ""


@pytest.mark.live_r
@settings(max_examples=40, deadline=None)
@given(x=MATRICES, trim=st.floats(-0.2, 0.7), drop=st.booleans())
def test_mean_of_any_numbers_is_rs(x, trim, drop):
    assert differences("mean", "base", {"x": x, "trim": trim, "na.rm": drop}) == ""


@pytest.mark.live_r
@settings(max_examples=40, deadline=None)
@given(x=MATRICES)
def test_running_sums_of_any_numbers_are_rs(x):
    assert differences("cumsum", "base", {"x": x}) == ""


@pytest.mark.live_r
@settings(max_examples=40, deadline=None)
@given(data=st.lists(NUMBERS, min_size=1, max_size=14), sizes=st.data())
def test_any_matrix_is_filled_as_in_r(data, sizes):
    names = sizes.draw(st.sets(st.sampled_from(["nrow", "ncol"])))
    args = {name: sizes.draw(st.floats(-1.5, 8) | st.integers(0, 8)) for name in sorted(names)}
    assert differences("matrix", "base", {"data": data, **args, "byrow": sizes.draw(st.booleans())}) == ""


def test_names_of_a_frame():
    assert colSums(FRAME).attributes == colMeans(FRAME).attributes == {"names": ["a", "b"]}
    assert rowSums(FRAME).attributes == rowMeans(FRAME).attributes == {"names": ["u", "v", "w"]}
    assert rowSums(FRAME.reset_index(drop=True)).attributes == {}
    assert cumsum(FRAME["a"]).attributes == {"names": ["u", "v", "w"]}


def test_matrix_is_read_column_by_column():
    x = np.array([[1, 2], [3, 4]])
    assert cumsum(x).tolist() == [1, 4, 6, 10]
    assert matrix(x, 1).tolist() == [[1, 3, 2, 4]]
    assert mean(x) == 2.5


def test_nothing():
    assert math.isnan(mean([]))
    assert math.isnan(mean([], 0.1))
    assert cumsum([]).shape == (0,)
    assert [matrix([], *sizes).shape for sizes in ((), (0,), (3,), (None, 3))] == [
        (0, 1),
        (0, 0),
        (3, 0),
        (0, 3),
    ]
    assert np.isnan(matrix([], 2, 2)).all()
    assert np.isnan(matrix()).tolist() == [[True]]


@pytest.mark.parametrize("function", SUMS)
@pytest.mark.parametrize(
    ("x", "args", "message"),
    [
        ([1, 2], {}, "'x' must be an array of at least two dimensions"),
        ([["a"]], {}, "'x' must be numeric"),
        ([[1]], {"na_rm": math.nan}, "invalid 'na.rm' argument"),
        ([[1]], {"na_rm": "a"}, "invalid 'na.rm' argument"),
        ([[1]], {"na_rm": []}, "invalid 'na.rm' argument"),
        ([["a"]], {"na_rm": math.nan}, "invalid 'na.rm' argument"),
        ([[1]], {"na_rm": math.nan, "dims": 2}, "invalid 'dims'"),
        ([[1]], {"dims": "a"}, "invalid 'dims'"),
        ([[1]], {"dims": math.nan}, "missing value where TRUE/FALSE needed"),
    ],
)
def test_errors_of_r_in_sums(function, x, args, message):
    with pytest.raises(RError) as caught:
        function(x, **args)
    assert caught.value.r_message == message


@pytest.mark.parametrize("x", ["a", ["a", "b"], FRAME])
def test_mean_of_what_is_not_numeric(x):
    with pytest.warns(RWarning, match="^argument is not numeric or logical: returning NA$"):
        assert math.isnan(mean(x))


@pytest.mark.parametrize("trim", [[0.1, 0.2], "a", True, None])
def test_trim_that_is_no_number(trim):
    with pytest.raises(RError) as caught:
        mean([1, 2], trim)
    assert caught.value.r_message == "'trim' must be numeric of length one"


def test_a_trimmed_mean_adds_in_the_order_of_a_partial_sort():
    """The terms nearly cancel, so that the order in which R's partial sort leaves them decides."""
    values = [-0.94, -0.14, -1.04, 1.26, 0.8600000000000001]
    assert mean(values, trim=0.1) == 2.216109240560371e-17  # of R 4.2.2


def test_missing_values_are_left_out_of_a_mean_for_true_alone():
    assert mean([1, math.nan], na_rm=True) == 1
    assert mean([1, math.nan], na_rm=np.True_) == 1
    assert math.isnan(mean([1, math.nan], na_rm=1))  # R's isTRUE(1) is FALSE


@pytest.mark.parametrize("byrow", ["a", [], math.nan, None])
def test_byrow_that_is_no_truth_value(byrow):
    with pytest.raises(RError) as caught:
        matrix([1, 2], byrow=byrow)
    assert caught.value.r_message == "invalid 'byrow' argument"


def test_extent_that_is_no_number():
    with pytest.raises(RError) as caught:
        matrix([1, 2], "2")
    assert caught.value.r_message == "non-numeric matrix extent"


@pytest.mark.parametrize("function", [mean, cumsum, matrix])
@pytest.mark.parametrize("x", [sparse.eye(2), 1j, {"a": 1}])
def test_what_holds_no_real_numbers(function, x):
    with pytest.raises(TypeError, match="must"):
        function(x)


def test_running_sums_of_a_frame():
    with pytest.raises(ValueError, match="x is a data frame; give one of its columns"):
        cumsum(FRAME)


def test_matrix_too_large_for_memory():
    with pytest.raises(ValueError, match="the matrix would have 100000 x 100000 entries"):
        matrix([1.0], 100_000, 100_000)


def test_matrices_beyond_the_memory_are_refused(monkeypatch):
    """Before anything is filled: with the size, not with an error of numpy."""

    def full(*args, **named):
        raise MemoryError

    monkeypatch.setattr(data.np, "empty", full)
    with pytest.raises(
        MemoryError, match=r"the matrix would have 1e\+09 x 1 entries, more than memory can hold"
    ):
        matrix([1, 2], nrow=10**9, ncol=1)


@given(
    values=st.lists(st.integers(-9, 9), min_size=1, max_size=7),
    rows=st.integers(1, 5),
    columns=st.integers(1, 5),
)
def test_numbers_are_repeated_until_the_matrix_is_full(values, rows, columns):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RWarning)
        found = matrix(values, nrow=rows, ncol=columns)
    np.testing.assert_array_equal(
        found, np.resize(values, rows * columns).reshape((rows, columns), order="F")
    )
