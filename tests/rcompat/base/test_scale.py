"""scale: R's bits, attributes, names, errors, bad input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsek.errors import RError
from sparsek.rcompat import KMeansSparseCluster, RArray, scale
from tests.rcompat.beside_r import differences

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": [2.0, 5, 9]}, index=["u", "v", "w"])
NUMBERS = st.floats(width=64, allow_nan=True, allow_infinity=True)
MATRICES = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=NUMBERS)


@pytest.mark.live_r
@settings(max_examples=40, deadline=None)
@given(x=MATRICES, center=st.booleans(), by=st.booleans())
def test_any_matrix_is_scaled_as_in_r(x, center, by):
    assert differences("scale", "base", {"x": x, "center": center, "scale": by}) == ""


def test_names_of_a_frame_go_along():
    z = scale(FRAME)
    assert z.attributes["dimnames"] == (["u", "v", "w"], ["a", "b"])
    assert z.attributes["scaled:center"].attributes == {"names": ["a", "b"]}
    assert scale(z).attributes["dimnames"] == (["u", "v", "w"], ["a", "b"])
    assert "dimnames" not in scale(FRAME.to_numpy()).attributes


def test_names_of_a_center_stay_its_own():
    by = pd.Series([1.0, 2.0], index=["p", "q"])
    assert scale(FRAME, by).attributes["scaled:center"].attributes == {"names": ["p", "q"]}
    assert scale(FRAME, [1, 2]).attributes["scaled:center"].attributes == {}


def test_scaled_frame_prints_its_names():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    frame = pd.DataFrame(rows, columns=["first", "second", "third"])
    text = str(KMeansSparseCluster(scale(frame), K=2, wbounds=[1.5]))
    assert text == str(
        KMeansSparseCluster(pd.DataFrame(scale(frame), columns=frame.columns), K=2, wbounds=[1.5])
    )


def test_new_rows_by_the_attributes_of_old_ones():
    z = scale(FRAME)
    again = scale(FRAME, z.attributes["scaled:center"], z.attributes["scaled:scale"])
    np.testing.assert_array_equal(again, z)
    assert again.attributes["scaled:scale"].attributes == {"names": ["a", "b"]}


def test_attributes_that_were_not_asked_for_are_absent():
    assert set(scale([[1.0], [2.0]], False).attributes) == {"scaled:scale"}
    assert set(scale([[1.0], [2.0]], scale=False).attributes) == {"scaled:center"}
    assert scale([[1.0], [2.0]], False, False).attributes == {}


def test_input_is_not_changed():
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    before = x.copy()
    z = scale(x, False, False)
    z[0, 0] = 9
    np.testing.assert_array_equal(x, before)


def test_array_with_attributes_is_an_array():
    z = scale(FRAME)
    assert (z + 1).attributes == z.attributes
    assert (z > 0).attributes == {"dimnames": (["u", "v", "w"], ["a", "b"])}
    assert type(z @ z.T) is type(z.sum(axis=0)) is np.ndarray
    assert type(np.sum(z)) is np.float64
    assert z[:1].attributes == {"dimnames": (["u"], ["a", "b"])}
    for same in (pickle.loads(pickle.dumps(z)), copy.copy(z), RArray(z, **z.attributes)):
        np.testing.assert_array_equal(same, z)
        assert list(same.attributes) == list(z.attributes)
        assert same.attributes["dimnames"] == z.attributes["dimnames"]


@pytest.mark.parametrize("name", ["center", "scale"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.0, "length of '{}' must equal the number of columns of 'x'"),
        ([1, 2, 3], "length of '{}' must equal the number of columns of 'x'"),
        (None, "length of '{}' must equal the number of columns of 'x'"),
        ([], "length of '{}' must equal the number of columns of 'x'"),
        ([True, False], "the condition has length > 1"),
    ],
)
def test_errors_of_r(name, value, message):
    with pytest.raises(RError) as caught:
        scale(FRAME, **{name: value})
    assert caught.value.r_message == message.format(name)


@pytest.mark.parametrize("x", ["text", [["a"]], [[1j]], pd.DataFrame({"a": [1], "b": ["c"]})])
def test_what_is_not_numeric(x):
    with pytest.raises(RError) as caught:
        scale(x)
    assert caught.value.r_message == "'x' must be numeric"


@pytest.mark.parametrize(("center", "error"), [("a", TypeError), ([[1, 2]], ValueError), ({}, TypeError)])
def test_center_that_is_no_vector(center, error):
    with pytest.raises(error, match="center must"):
        scale(FRAME, center)
