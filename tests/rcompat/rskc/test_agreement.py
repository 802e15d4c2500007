"""CER and Sensitivity of RSKC: known values, scikit-learn's index, bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import rand_score

from sparsek.errors import RError
from sparsek.rcompat import CER, Sensitivity

PAIRS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=2, max_size=50)


@given(PAIRS)
def test_cer_is_one_minus_rand(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    assert CER(a, b) == pytest.approx(1 - rand_score(a, b), abs=1e-12)  # a few operations on whole numbers
    assert CER(a, b) == CER(b, a)
    assert CER(a, 5 - a) == 0


def test_cer_of_one_row_is_undefined() -> None:
    assert math.isnan(CER([1], [1]))
    assert CER(["a", "b"], ["x", "y"]) == 0
    assert CER([1, 2], [1, 2], nob=2) == 0


def test_sensitivity_of_r() -> None:
    found = Sensitivity([1, 1, 2, 2, 3], [1, 1, 1, 2, 2])
    # R 4.2.2, RSKC 2.4.2
    assert found["prob"]["Sensitivity. (%)"].tolist() == [67, 50]
    assert found["prob"]["Class label by label1."].tolist() == [1, 2]
    np.testing.assert_array_equal(found["marginal"].sum(axis=0), [1, 1])


def test_rows_with_a_missing_label_are_left_out() -> None:
    found = Sensitivity([1, np.nan, 2, 2], [1, 1, 2, 2])
    assert found["table"].tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: CER([1, 2], [1]), RError, r"length\(ind\) != length\(true.ind\)2!=1"),
        (lambda: CER([1, np.nan], [1, 2]), RError, r"NAs in foreign function call \(arg 1\)"),
        (lambda: CER([1, 1.5], [1, 2]), ValueError, "ind must hold whole numbers"),
        (lambda: CER([[1, 2]], [1, 2]), ValueError, "one dimension"),
        (lambda: CER([1, 2], [1, 2], nob=3), ValueError, "nob must be the number of labels, 2; got 3"),
        (lambda: CER([1j, 2], [1, 2]), TypeError, "whole numbers or text"),
        (lambda: Sensitivity([1, 2], [1]), RError, "all arguments must have the same length"),
        (lambda: Sensitivity([np.nan, 2], [1, 2]), RError, "class 1 has no row"),
    ],
)
def test_faults(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call()
