"""apply, tapply, aggregate, as.matrix and cmdscale: bad input, and properties beside the cases."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsek.errors import RError, RWarning
from sparsek.rcompat import (
    RArray,
    aggregate,
    apply,
    as_dist,
    as_matrix,
    cmdscale,
    colSums,
    dist,
    quantile,
    rowSums,
    summary,
    sweep,
    tapply,
)

X = np.array([[1.0, 3, 5], [2, 4, 6.5]])
D = dist([[0.0, 1], [1, 5], [5, 2], [2, 2]])
FRAME = pd.DataFrame({"a": [1.0, 2, 4], "b": [2.0, np.nan, 1], "g": ["u", "v", "u"]})
WHOLE = st.integers(-100, 100).map(float)
NO_FUNCTION = "object 'nothing' of mode 'function' was not found"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: apply([1, 2], 1, "sum"), RError, "dim\\(X\\) must have a positive length"),
        (lambda: apply([[1, 2], [3]], 1, "sum"), ValueError, "X cannot be made an array"),
        (lambda: sweep(X, 1, [1, 2], object), TypeError, "FUN must take two matrices of numbers"),
        (lambda: apply(X, 3, "sum"), RError, "'MARGIN' does not match dim\\(X\\)"),
        (lambda: apply(X, "rows", "sum"), RError, "'X' must have named dimnames"),
        (lambda: apply(X, [], "sum"), ValueError, "MARGIN is empty"),
        (lambda: apply(X, [1, 1], "sum"), ValueError, "MARGIN must have different numbers"),
        (lambda: apply(X, [1, 2], "range"), ValueError, "give one margin"),
        (lambda: apply(X, 1, "nothing"), RError, NO_FUNCTION),
        (lambda: apply([["a"]], 1, "sum"), TypeError, "X must hold real numbers"),
        (lambda: apply(X, 1, 10**400), RError, "'1000"),
        (lambda: apply(X, 1, object), TypeError, "FUN=<class 'object'>, called with numbers, failed"),
        (lambda: tapply([1, 2], [[[1], [2, 3]]], "sum"), ValueError, "give all rows the same length"),
        (lambda: tapply([1], [], "sum"), RError, "'INDEX' is of length zero"),
        (lambda: tapply([1, 2], [1], "sum"), RError, "arguments must have same length"),
        (lambda: tapply([1j, 2], [1, 2], "length"), TypeError, "X must hold real numbers; got complex ones"),
        (lambda: tapply([1], [[1], [1], [1]], "sum"), ValueError, "one or two vectors of labels"),
        (lambda: tapply([1], [[1], [1]], "range"), ValueError, "FUN must give single numbers"),
        (lambda: tapply([1], [1], 3), RError, "'3' is not a function, character or symbol"),
        (lambda: aggregate(X, [1, 2], "sum"), RError, "'by' must be a list"),
        (lambda: aggregate(X), RError, 'argument "by" is missing'),
        (lambda: aggregate(X, [[1, 2]]), RError, 'argument "FUN" is missing'),
        (lambda: aggregate(X, {}, "sum"), RError, "no input has determined the number of cases"),
        (lambda: aggregate(X, [[1]], "sum"), RError, "arguments must have same length"),
        (lambda: aggregate(X, {"a": 1}, "sum"), RError, "arguments must have same length"),
        (lambda: tapply([1, 2], {"a": "u"}, "sum"), RError, "arguments must have same length"),
        (lambda: aggregate(FRAME[:0], [[]], "sum"), RError, "no rows to aggregate"),
        (lambda: aggregate(X, [[1, 2]], "sum", simplify=False), ValueError, "simplify must be True"),
        (lambda: aggregate([1, 2, 3], [[1, 2, 2]], list), ValueError, "the same number of results"),
        (lambda: aggregate("a + g", FRAME, "sum"), ValueError, "the formula must be like"),
        (lambda: aggregate("a ~ h", FRAME, "sum"), RError, "object 'h' not found"),
        (lambda: aggregate("a ~ g", X, "sum"), TypeError, "data must be a data frame; got ndarray"),
        (lambda: aggregate("g ~ a", FRAME, "sum"), TypeError, "g must hold real numbers"),
        (lambda: aggregate(np.zeros(2, [("a", float)]), [[1, 2]], "sum"), TypeError, "x must have single"),
        (
            lambda: aggregate([1, 2], [np.zeros(2, [("a", float)])], "sum"),
            TypeError,
            "vector 1 of by must have",
        ),
        (
            lambda: aggregate([1, 2], [np.array([[1], {}, 2], object)[:2]], "sum"),
            TypeError,
            "must have single",
        ),
        (lambda: aggregate(np.ones(2) + 1j, [[1, 2]], "sum"), TypeError, "FUN='sum', called with numbers"),
        (lambda: aggregate([[1, 2], [3]], [[1, 2]], "sum"), ValueError, "give all rows the same length"),
        (lambda: aggregate([1, 2], [[[1], [2, 3]]], "sum"), ValueError, "give all rows the same length"),
        (lambda: cmdscale(D, 4), RError, "'k' must be in \\{1, 2, ..  n - 1\\}"),
        (lambda: cmdscale(D, -np.inf), RError, "missing value where TRUE/FALSE needed"),
        (lambda: cmdscale(D, np.nan), RError, "missing value where TRUE/FALSE needed"),
        (lambda: cmdscale(D, add=True), ValueError, "additive constant is not carried over"),
        (lambda: cmdscale([1, 2]), RError, "distances must be result of 'dist' or a square matrix"),
        (lambda: cmdscale(X), RError, "distances must be result of 'dist' or a square matrix"),
        (lambda: cmdscale(D * np.nan), RError, "NA values not allowed in 'd'"),
        (lambda: cmdscale(D * np.inf), RError, "infinite or missing values in 'x'"),
        (lambda: as_matrix([["a"]]), TypeError, "x must hold real numbers"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_functions_and_their_arguments():
    assert apply(X, 1, quantile, 0.5).tolist() == [3, 4]
    assert apply(X, 2, lambda v, power: (v**power).sum(), power=2).tolist() == [5, 25, 67.25]
    assert apply(X, 1, "sum", simplify=False) == [[9.0], [12.5]]
    assert tapply([1, 2, np.nan], ["a", "b", "a"], "sum", na_rm=True).tolist() == [1, 2]


def test_names_that_differ_are_left_out():
    names = iter([["a", "b"], ["a", "c"]])
    found = apply(X, 1, lambda v: RArray(v[:2], names=next(names)))
    assert found.attributes == {}
    same = RArray(X, dimnames=(["u", "u"], None))
    assert [len(part) for part in apply(same, 1, lambda v: v[v > 3])] == [1, 2]


def test_a_formula_leaves_out_rows_with_missing_values():
    assert aggregate("cbind(a, b) ~ g", FRAME, "sum").to_dict("list") == {"g": ["u"], "a": [5.0], "b": [3.0]}
    assert aggregate("a ~ g", data=FRAME, FUN="sum").to_dict("list") == {"g": ["u", "v"], "a": [5.0, 2.0]}


def test_combinations_that_do_not_occur():
    found = aggregate([1, 2, 3], {"a": [1, 2, 2], "b": ["u", "u", "v"]}, "range", drop=False)
    assert list(found.columns) == ["a", "b", "x.1", "x.2"]
    assert found["x.2"].isna().tolist() == [False, False, True, False]
    assert aggregate([1, 2], [[None, None]], "sum").shape == (0, 2)


def test_scaling_in_too_many_dimensions_warns():
    with pytest.warns(RWarning, match="only 0 of the first 2 eigenvalues are > 0"):
        assert cmdscale(np.zeros((3, 3))).shape == (3, 0)


@given(arrays(float, (5, 3), elements=WHOLE))
def test_sums_by_margin_are_those_of_the_matrix(x):
    assert apply(x, 1, "sum").tolist() == rowSums(x).tolist()
    assert apply(x, 2, "sum").tolist() == colSums(x).tolist()
    assert np.array_equal(apply(x, [2, 1], "sum"), x.T)


@given(st.lists(st.tuples(WHOLE, st.sampled_from("abc"), st.integers(1, 3)), min_size=1, max_size=20))
def test_groups_are_those_of_pandas(rows):
    values, first, second = map(list, zip(*rows, strict=True))
    sums = tapply(values, first, "sum")
    expected = pd.Series(values).groupby(first).sum()
    assert dict(zip(sums.attributes["names"], sums.tolist(), strict=True)) == expected.to_dict()
    found = aggregate(values, {"second": second, "first": first}, "sum")
    pairs = pd.DataFrame({"first": first, "second": second, "x": values}).groupby(["first", "second"]).sum()
    assert found["x"].tolist() == pairs["x"].tolist()


@given(arrays(float, (6, 2), elements=WHOLE))
def test_distances_and_their_matrix(x):
    d = dist(x)
    matrix = as_matrix(d)
    assert np.array_equal(matrix, matrix.T)
    assert np.array_equal(as_dist(matrix), d)


@pytest.mark.filterwarnings("ignore::sparsek.errors.BlasDependentWarning")
def test_points_have_the_distances():
    found = cmdscale(D, eig=True)
    # Two dimensions hold all of the distances; the rest is rounding of some steps of size 5.
    assert np.allclose(dist(found.points), D, rtol=0, atol=1e-13)
    assert pytest.approx([1, 1], abs=1e-14) == found.GOF
    assert found.points.attributes == {}


@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_tables_of_polars_and_arrow_are_frames(kind):
    frame = FRAME.assign(b=[2.0, 3, 1])
    table = {"polars": pl.DataFrame, "arrow": pa.table}[kind]({name: frame[name].tolist() for name in frame})
    for formula in ("cbind(a, b) ~ g", ". ~ g"):
        pd.testing.assert_frame_equal(
            aggregate(formula, table, "mean"), aggregate(formula, frame, "mean"), check_dtype=False
        )
    assert str(summary(table)) == str(summary(frame))
    labels = frame[["g"]]
    other = (
        pl.DataFrame({"g": labels["g"].tolist()})
        if kind == "polars"
        else pa.table({"g": labels["g"].tolist()})
    )
    np.testing.assert_array_equal(tapply([1.0, 2, 4], other, "sum"), tapply([1.0, 2, 4], labels, "sum"))


def test_masked_entries_are_missing():
    x = np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0])
    assert np.isnan(tapply(x, [1, 1, 2, 2], "max")[0])


@pytest.mark.parametrize("default", ["none", [1.0, 2.0], (1, 2), np.array([])])
def test_the_value_of_empty_cells_is_one_number(default):
    with pytest.raises(TypeError, match="default must be one number"):
        tapply([1.0, 2.0], [["a", "b"], ["c", "d"]], "sum", default=default)


def test_numbers_of_empty_cells():
    found = tapply([1.0, 2.0], [["a", "b"], ["c", "d"]], "sum", default=np.array([7]))
    assert np.asarray(found).tolist() == [[1, 7], [7, 2]]
