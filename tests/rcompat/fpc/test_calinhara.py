"""calinhara: bad input, and scikit-learn's index beside it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import calinski_harabasz_score

from sparsek.errors import RError
from sparsek.rcompat import calinhara

X = np.array([[1.0, 0.0], [2.0, 1.0], [5.0, 1.0]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: calinhara(X, [1, 2]), ValueError, "got 2 for 3 rows"),
        (lambda: calinhara(X, [1, 2, np.nan]), RError, "invalid 'times' argument"),
        (lambda: calinhara(X, ["a", "b", "b"]), TypeError, "clustering must hold real numbers"),
        (lambda: calinhara([["a"]], [1]), TypeError, "x must hold real numbers"),
        (lambda: calinhara(X, [1, 2, 2], cn=0), RError, "argument is of length zero"),
        (lambda: calinhara(X, [1, 2, 2], cn=-1), RError, "invalid 'times' argument"),
        (lambda: calinhara(X, [1, 2, 2], cn=np.inf), ValueError, "cn must be a whole number"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_one_cluster_has_no_index():
    assert math.isnan(calinhara(X, [1, 1, 1]))
    assert math.isnan(calinhara(X, [1, 2, 3]))


@given(arrays(float, (9, 2), elements=st.integers(-20, 20).map(float), unique=True))
def test_index_of_scikit_learn(x):
    labels = [1, 1, 1, 2, 2, 2, 3, 3, 3]
    # Some ten roundings of numbers of one size, and a difference of sums that are near each other.
    assert calinhara(x, labels) == pytest.approx(calinski_harabasz_score(x, labels), rel=1e-9, abs=1e-9)


def test_clusters_without_rows_take_no_time():
    data = np.vstack([X, X + 1.0])
    assert calinhara(data, [1, 2, 1, 2, 1.5, np.inf], cn=2) == calinhara(data, [1, 2, 1, 2, 9, 9], cn=2)
    assert calinhara(data, [1, 2, 1, 2, 1, 2], cn=2**31 - 1) < 0  # more clusters than rows, as in R
