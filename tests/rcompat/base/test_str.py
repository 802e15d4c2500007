"""str: values of all kinds as R shows them, bad input, and properties beside the cases."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sparsek import rcompat
from sparsek.rcompat import RArray

STR = rcompat.str
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=200) | st.lists(st.floats(), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, " NULL"),
        (3, " int 3"),
        (3.0, " num 3"),
        ([1.5, 2], " num [1:2] 1.5 2"),
        ([1.23456, 2, 3, 4, 5.5, 6], " num [1:6] 1.23 2 3 4 5.5 ..."),
        ([123456.0, 1234567, 12.3], " num [1:3] 1.23e+05 1.23e+06 1.23e+01"),
        ([1.5e10, 3.25, 2e12], " num [1:3] 1.50e+10 3.25 2.00e+12"),
        ([0.1 + 0.2] * 7, " num [1:7] 0.3 0.3 0.3 0.3 0.3 0.3 0.3"),
        (np.arange(1, 21), " int [1:20] 1 2 3 4 5 6 7 8 9 10 ..."),
        ([True] * 7, " logi [1:7] TRUE TRUE TRUE TRUE TRUE TRUE ..."),
        (["x" * 20] * 3, f' chr [1:3] "{"x" * 20}" "{"x" * 20}" ...'),
        ("y" * 127, f' chr "{"y" * 111}"| __truncated__'),
        (np.zeros(0), " num(0) "),
        (np.zeros((0, 2)), " num[0 , 1:2] "),
        ({}, " list()"),
        ([1.0, "a"], 'List of 2\n $ : num 1\n $ : chr "a"'),
        (
            RArray([1.0, 2], names=["a", "b"]),
            ' Named num [1:2] 1 2\n - attr(*, "names")= chr [1:2] "a" "b"',
        ),
        (pd.Categorical(list("abcde")), ' Factor w/ 5 levels "a","b","c","d",..: 1 2 3 4 5'),
        (pd.Categorical([3, 1], ordered=True), ' Ord.factor w/ 2 levels "1"<"3": 2 1'),
        (pd.DataFrame(), "'data.frame':\t0 obs. of  0 variables"),
        (pd.DataFrame({"a": [1, 2]}), "'data.frame':\t2 obs. of  1 variable:\n $ a: int  1 2"),
        (
            {"a": 1.5, "bb": {"c": "x", "d": None}},
            'List of 2\n $ a : num 1.5\n $ bb:List of 2\n  ..$ c: chr "x"\n  ..$ d: NULL',
        ),
    ],
)
def test_values_as_r_shows_them(value, text, capsys):  # R 4.2.2
    STR(value)
    assert capsys.readouterr().out == f"{text}\n"


@pytest.mark.parametrize(
    "value", [1j, {1, 2}, object(), np.array([b"a"]), np.datetime64("2020-01-01"), csr_array([[1.0]])]
)
def test_values_that_r_does_not_have_here_are_refused(value):
    with pytest.raises(TypeError, match="str takes numbers, truth values, texts and lists"):
        STR(value)


def test_long_lists_are_cut(capsys):  # R 4.2.2
    STR({str(i): i for i in range(101)})
    assert capsys.readouterr().out.splitlines()[-2:] == [" $ 98 : int 98", "  [list output truncated]"]


@given(VALUES)
def test_a_list_has_a_line_for_each_part(value):
    from sparsek.rcompat.base.values.api_str import lines_of

    lines = lines_of(value, 0)
    if isinstance(value, dict) and value:
        assert lines[0] == f"List of {len(value)}"
        assert sum(line.startswith(" $ ") for line in lines) == len(value)
    elif not isinstance(value, list | dict):
        assert len(lines) == 1
