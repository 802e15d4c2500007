"""sum: exact for whole numbers, R's order over several arguments, bad input."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek import rcompat
from sparsek.errors import RError


@given(st.lists(st.integers(-(2**40), 2**40), max_size=30))
def test_whole_numbers_are_added_exactly(values):
    assert rcompat.sum(values) == float(np.add.reduce(values, dtype=np.int64))
    assert rcompat.sum(*values) == rcompat.sum(values)


def test_each_argument_is_rounded():
    assert rcompat.sum([1e16, 1, -1e16]) == 1  # in 80 bits
    assert rcompat.sum(1e16, 1, -1e16) == 0


def test_frames_matrices_and_nothing():
    frame = pd.DataFrame({"a": [1e16, 1], "b": [-1e16, 1]})
    assert rcompat.sum(frame) == rcompat.sum(frame.to_numpy()) == 2
    assert math.copysign(1, rcompat.sum(-0.0)) == math.copysign(1, rcompat.sum()) == 1


def test_missing_values():
    assert math.isnan(rcompat.sum([1, math.nan]))
    assert rcompat.sum([1, math.nan], 2, na_rm=True) == rcompat.sum([1, math.nan], 2, na_rm=math.nan) == 3
    assert math.isnan(rcompat.sum(math.inf, -math.inf))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ("a", "invalid 'type' (character) of argument"),
        (["a", "b"], "invalid 'type' (character) of argument"),
        (pd.DataFrame({"a": ["u"]}), "only defined on a data frame with all numeric-alike variables"),
    ],
)
def test_errors_of_r(x, message):
    with pytest.raises(RError) as caught:
        rcompat.sum(x)
    assert caught.value.r_message == message


def test_other_objects():
    with pytest.raises(TypeError):
        rcompat.sum(object())


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="x cannot be made an array"):
        rcompat.sum([[1, 2], [3]])
