"""What callers pass as data, turned into plain numbers."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sparsek.inputs.containers import holds_sparse, numbers, unmasked

DAY = datetime.date(2020, 1, 1)


@pytest.mark.parametrize(
    "x",
    [
        np.ones((2, 2)),
        np.ones((2, 2), dtype=np.float32),
        np.ones(3, dtype=bool),
        np.array(3),
        np.ones((1, 2, 3)),
        pd.DataFrame({"a": [1], "b": [2.5]}),
        "data.npy",
        None,
        5,
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_needs_no_conversion_is_passed_on(x):
    assert numbers(x) is x


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        ([1, None, pd.NA, Decimal("1.5"), Fraction(1, 2), True], [1, np.nan, np.nan, 1.5, 0.5, 1]),
        (np.ma.array([1, 2]), [1, 2]),
        (pd.Series([1, None], dtype="Int64"), [1, np.nan]),
        (pd.array([True, None], dtype="boolean"), [1, np.nan]),
        (pl.Series([1, None]), [1, np.nan]),
        (pa.array([1, None]), [1, np.nan]),
        (np.array([1.5], dtype=np.longdouble), [1.5]),
        ([np.ma.masked], [np.nan]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_conversions(x, wanted):
    found = numbers(x, holes=True)
    assert np.asarray(found).dtype.kind in "fi"
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": pd.arrays.SparseArray([0, 2.0])}),
        pl.DataFrame({"a": [1, None], "b": [0.0, 2.0]}),
        pa.table({"a": [1, None], "b": [0.0, 2.0]}),
    ],
    ids=lambda x: type(x).__module__,
)
def test_tables(table):
    found = numbers(table)
    assert list(found.columns) == ["a", "b"]
    np.testing.assert_array_equal(found, [[1, 0], [np.nan, 2]])


def test_single_precision_and_repeated_names_are_kept():
    frame = pd.DataFrame({"a": pd.array([1.5], "Float32"), "b": np.float32([2.5])})
    assert set(numbers(frame).dtypes) == {np.dtype(np.float32)}
    twice = pd.DataFrame([[1, True]], columns=["x", "x"]).astype(object)
    assert numbers(twice).columns.tolist() == ["x", "x"]


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ([["1", "2"]], TypeError, "data has type <U1, and data must hold real numbers"),
        ([[1, "2"]], TypeError, "data has type"),
        (np.array([1, "2"], dtype=object), TypeError, "data holds '2', a str"),
        (np.array([DAY], dtype=object), TypeError, "not 'datetime.date'"),
        (np.array([pd.NaT], dtype=object), TypeError, "not 'NaTType'"),
        (np.array([np.datetime64("2020")], dtype=object), TypeError, "a datetime64"),
        (pl.DataFrame({"day": [DAY]}), TypeError, "column 'day' of data has type datetime64"),
        (pa.table({"day": [DAY]}), TypeError, "column 'day' of data has type datetime64"),
        (pl.DataFrame({"name": ["x"]}), TypeError, "column 'name' of data has type"),
        (pl.DataFrame({"both": [[1, 2]]}), TypeError, "column 'both' of data holds"),
        (np.zeros(2, dtype=[("a", float)]), TypeError, "data has type"),
        ((v for v in [1.0]), TypeError, "array or a table; got generator"),
        ({"a": 1}, TypeError, "array or a table; got dict"),
        ({1.0}, TypeError, "array or a table; got set"),
        ([[1, 2], [3]], ValueError, "give all rows the same length"),
        ([[10**400]], ValueError, "too large for double precision"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_refusals(x, error, message):
    with pytest.raises(error, match=message):
        numbers(x, "data")


def test_long_doubles_beyond_double_precision():
    if np.finfo(np.longdouble).maxexp == np.finfo(float).maxexp:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(ValueError, match="too large for double precision: rescale it"):
        numbers(np.array(["1e4000"], dtype=np.longdouble))


@given(
    arrays(np.int64, array_shapes(max_dims=2, max_side=4), elements=st.integers(-9, 9)),
    st.data(),
    st.booleans(),
)
def test_masked_entries_are_holes_or_an_error(values, data, as_list):
    mask = data.draw(arrays(bool, values.shape))
    masked = np.ma.array(values, mask=mask)
    given_ = list(masked) if as_list else masked
    np.testing.assert_array_equal(numbers(given_, holes=True), np.where(mask, np.nan, values))
    if mask.any():
        with pytest.raises(ValueError, match=r"masked array with \d+ masked entries"):
            unmasked(given_)
    else:
        np.testing.assert_array_equal(unmasked(given_), values)


def test_sparse_frames():
    sparse = pd.DataFrame({"a": pd.arrays.SparseArray([0, 2])})
    assert holds_sparse(sparse)
    assert not holds_sparse(sparse.assign(b=1))
    assert not holds_sparse(pd.DataFrame({"a": pd.arrays.SparseArray([np.nan, 2.0])}))  # leaves out NaN
