"""cut of numbers: bad input, and properties beside the cases."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from sparsek.errors import RError
from sparsek.rcompat import cut

NUMBERS = st.integers(-1000, 1000).map(lambda v: v / 8)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: cut([1.0, 2.0], 1), RError, "invalid number of intervals"),
        (lambda: cut([1.0, 2.0], np.nan), RError, "invalid number of intervals"),
        (lambda: cut([1.0, 2.0], 1e12), RError, "invalid number of intervals"),
        (lambda: cut([1.0, 2.0], [1, np.nan]), RError, "invalid number of intervals"),
        (lambda: cut([1.0, 2.0], [1, 1, 3]), RError, "'breaks' are not unique"),
        (lambda: cut([1.0, np.inf], 2), RError, "'from' must be a finite number"),
        (lambda: cut([], 2), RError, "'from' must be a finite number"),
        (lambda: cut(["a"], 2), RError, "'x' must be numeric"),
        (lambda: cut([True, False], 2), RError, "'x' must be numeric"),
        (lambda: cut([1.0, 2.0], "2"), TypeError, "breaks must hold real numbers"),
        (lambda: cut([1.0, 2.0], 2, ["a", "b", "c"]), RError, "lengths of 'breaks' and 'labels' differ"),
        (
            lambda: cut([1.0, 2.0], 2, sparse.eye_array(2)),
            TypeError,
            "labels must have single numbers or texts",
        ),
        (lambda: cut([1.0, 2.0], 2, ["a", pd.NA]), ValueError, "labels must have no missing name"),
        (lambda: cut([1.0, 2.0], 2, right=np.nan), RError, "missing value where TRUE/FALSE needed"),
        (lambda: cut([1.0, 2.0]), RError, 'argument "breaks" is missing, with no default'),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


@given(
    st.lists(NUMBERS, min_size=1), st.lists(NUMBERS, min_size=2, unique=True), st.booleans(), st.booleans()
)
def test_numbers_lie_in_their_intervals(values, ends, right, lowest):
    values = [*values, *ends]
    codes = cut(values, ends, labels=False, right=right, include_lowest=lowest)
    ends = sorted(ends)
    closed = (ends[0], 1) if right else (ends[-1], len(ends) - 1)
    for value, code in zip(values, codes, strict=True):
        found = [closed[1]] if lowest and value == closed[0] else []
        for number, (low, high) in enumerate(pairwise(ends), 1):
            if (low < value <= high) if right else (low <= value < high):
                found.append(number)
        assert found == ([] if np.isnan(code) else [code])


@given(st.lists(NUMBERS, min_size=1), st.integers(2, 9))
def test_a_number_of_intervals_holds_all_numbers(values, number):
    found = cut(values, number)
    assert len(found.categories) == number
    assert (found.codes >= 0).all()
    assert not found.ordered


def test_labels_name_the_intervals():
    found = cut([1.0, 2.0, 3.0, 4.0], [0, 1, 2, 3], labels=["a", "b", "a"], ordered_result=True)
    assert found.tolist() == ["a", "b", "a", np.nan]
    assert found.ordered


@pytest.mark.parametrize(
    ("ends", "right", "names"),  # R 4.2.2
    [
        ([-np.inf, 2, np.inf], True, ["(-Inf,2]", "(2, Inf]"]),
        ([0, 2, np.inf], True, ["(0,2]", "(2,Inf]"]),
        ([-np.inf, 2, 5], True, ["(-Inf,2]", "(2,5]"]),
        ([-np.inf, 2, np.inf], False, ["[-Inf,2)", "[2, Inf)"]),
    ],
)
def test_infinite_ends_have_one_width(ends, right, names):
    assert cut([1.0, 3.0], ends, right=right).categories.tolist() == names
