"""Fields of a list as R 4.2 prints them."""

import numpy as np
import pandas as pd
import pytest

from sparsek.rcompat.base.values.lists import format_value


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (None, "NULL"),
        (np.array([1, 20, 3]), "[1]  1 20  3"),
        (np.array([1.5, 2]), "[1] 1.5 2.0"),
        (2.0, "[1] 2"),
        ("average", '[1] "average"'),
        (pd.NA, "[1] NA"),
        (pd.NaT, "[1] NA"),
        (pd.Timestamp(2020, 1, 2), "2020-01-02 00:00:00"),
        ('a "b"', '[1] "a \\"b\\""'),
        (True, "[1] TRUE"),
        (np.array([1.5, np.nan]), "[1] 1.5  NA"),
        (np.array([1.5, -np.float64(np.nan)]), "[1] 1.5 NaN"),  # as x86 computes 0 / 0
        (np.array([-0.0, np.inf]), "[1]   0 Inf"),
        (np.array([[1, 2.5], [3, 4]]), "     [,1] [,2]\n[1,]    1  2.5\n[2,]    3  4.0"),
    ],
)
def test_fields_of_a_list(value, printed):
    assert format_value(value) == printed
