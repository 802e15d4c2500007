"""daisy: bad input, and properties beside the cases."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsek.errors import RError, RWarning
from sparsek.rcompat import as_matrix, daisy, dist, hclust, pam

X = np.array([[1.0, 0.0], [2.0, 1.0], [5.0, 1.0]])
FRAME = pd.DataFrame(
    {"size": [1.0, 2.0, 5.0], "kind": pd.Categorical(["a", "b", "a"])}, index=["u", "v", "w"]
)
WHOLE = st.integers(-100, 100).map(float)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: daisy([1, 2, 3]), "x is not a dataframe or a numeric matrix"),
        (lambda: daisy([["a", "b"]]), "x is not a dataframe or a numeric matrix"),
        (lambda: daisy(X, "none"), "'arg' should be one of"),
        (lambda: daisy(X, type=["asymm"]), "invalid .type.; must be named list"),
        (lambda: daisy(X, type={"asymm": 3}), "type\\$asymm must be in 1:ncol\\(x\\)"),
        (lambda: daisy(FRAME, type={"asymm": "none"}), "type\\$asymm has invalid column names"),
        (lambda: daisy(X, type={"symm": 1}), "at least one binary variable has more than 2 levels"),
        (lambda: daisy(X[1:], type={"symm": 1}), "has values not in \\{0,1,NA\\}"),
        (lambda: daisy(X, "gower", weights=[1, 2, 3]), "'weights' must be of length p"),
        (lambda: daisy(pd.DataFrame({"a": ["u", "v"]})), "invalid type character for column numbers 1"),
        (lambda: daisy(X, stand=np.nan), "missing value where TRUE/FALSE needed"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(RError, match=message):
        call()


def test_frames_without_cells_and_weights_of_text():
    with pytest.raises(ValueError, match="at least one row and column needed"):
        daisy(pd.DataFrame())
    with pytest.raises(TypeError, match="weights must hold real numbers"):
        daisy(X, "gower", weights=["a", "b"])


def test_names_and_types_are_kept():
    d = daisy(FRAME)
    assert d.attributes == {"Labels": ["u", "v", "w"], "Size": 3, "Metric": "mixed", "Types": ["I", "N"]}
    for same in (pickle.loads(pickle.dumps(d)), copy.copy(d), 1 * d):
        assert (type(same), same.attributes, same.tolist()) == (type(d), d.attributes, d.tolist())
    assert as_matrix(d).attributes["dimnames"] == (["u", "v", "w"], ["u", "v", "w"])
    assert hclust(d).labels == ["u", "v", "w"]
    assert pam(d, 2).clustering.tolist() == [1, 2, 1]


def test_each_warning_has_its_flag():
    x = [[1.0, 1.0], [2.0, 1.0], [5.0, 1.0]]
    with pytest.warns(RWarning, match="constant columns 2"):
        daisy(x, stand=True, warnAsym=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        daisy(x, stand=True, warnConst=False)


def test_warnings_say_what_is_done():
    truths = pd.DataFrame({"a": [True, False, True], "b": [1.0, 2.0, 4.0]})
    with pytest.warns(RWarning, match="setting 'logical' variable 1 to type 'asymm'"):
        assert daisy(truths).attributes["Types"] == ["A", "I"]
    with pytest.warns(RWarning, match="constant columns 2; these are standardized to 0"):
        assert np.isfinite(daisy(np.column_stack([X[:, 0], [1, 1, 1]]), stand=True)).all()
    with pytest.warns(RWarning, match='metric "gower" is used automatically'):
        daisy(FRAME, "manhattan")


@given(arrays(float, (5, 3), elements=WHOLE))
def test_distances_of_numbers_are_those_of_dist(x):
    for metric in ("euclidean", "manhattan"):
        # The sums of three squares or sizes of whole numbers are exact.
        assert np.array_equal(daisy(x, metric), dist(x, metric))


@given(arrays(float, (5, 3), elements=WHOLE), st.floats(0.5, 8), st.integers(-50, 50))
def test_coefficients_do_not_depend_on_units(x, unit, shift):
    d = daisy(x, "gower")
    assert ((d >= 0) & (d <= 1 + 1e-15)).all()
    # Of three terms each has some roundings of 2^-53 of numbers up to 850, before a range of at least 0.5.
    assert np.allclose(daisy(unit * x + shift, "gower"), d, rtol=0, atol=1e-11)
