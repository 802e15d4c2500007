"""print, summary, round, zapsmall, sweep, prop.table: bad input, and properties beside the cases."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek import rcompat
from sparsek.errors import RError, RWarning
from sparsek.rcompat import RArray, prop_table, summary, sweep, table, zapsmall

ROUND = rcompat.round
NUMBERS = st.floats(-1e12, 1e12) | st.integers(-1000, 1000).map(lambda v: v / 8)


def printed(value, capsys, **options):
    rcompat.print(value, **options)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL\n"),
        (1e5, "[1] 1e+05\n"),
        (100000, "[1] 100000\n"),
        ("a", '[1] "a"\n'),
        ([], "numeric(0)\n"),
        ({}, "list()\n"),
        (np.zeros((0, 2)), "     [,1] [,2]\n"),
        (pd.DataFrame(), "data frame with 0 columns and 0 rows\n"),
        (pd.DataFrame({"a": []}), "[1] a\n<0 rows> (or 0-length row.names)\n"),
        (
            pd.DataFrame({"Group.1": [], "b": []}),
            "[1] Group.1 b      \n<0 rows> (or 0-length row.names)\n",
        ),
        (pd.Categorical([]), "factor(0)\nLevels: \n"),
        (
            pd.Categorical(["some2", None], [f"some{i}" for i in range(1, 15)]),
            "[1] some2 <NA> \n14 Levels: some1 some2 some3 some4 some5 some6 some7 some8 some9 ... some14\n",
        ),
        (pd.Categorical(["x"], ["x", "y" * 70, "z" * 70]), f"[1] x\n3 Levels: x ... {'z' * 70}\n"),
        (pd.Series([1.5], index=["u"]), "  u \n1.5 \n"),
        (pd.Series([True, False]), "[1]  TRUE FALSE\n"),
        ({"1": 2, "if": 3, ".a": 4}, "$`1`\n[1] 2\n\n$`if`\n[1] 3\n\n$.a\n[1] 4\n\n"),
        (RArray([], names=[]), "named numeric(0)\n"),
    ],
)
def test_values_as_r_prints_them(value, text, capsys):  # R 4.2.2
    assert printed(value, capsys) == text


def test_digits_of_a_print(capsys):
    assert printed(RArray([1.23456, 2], names=["a", "b"]), capsys, digits=3) == "   a    b \n1.23 2.00 \n"
    for digits in (0, 23, float("nan")):
        with pytest.raises(RError, match="invalid printing digits"):
            rcompat.print(1, digits=digits)
    with pytest.raises(RError, match="invalid printing digits -2147483648"):  # R's missing integer
        rcompat.print(1, digits=3e9)


def test_numbers_that_rounding_makes_longer_have_room(capsys):  # R 4.2.2
    numbers = np.array([0.086, 303.444, 9999.991])
    assert printed(numbers, capsys, digits=4) == "[1]     0.086   303.444  9999.991\n"
    assert str(summary([0.301, np.inf, np.inf, np.inf])).split()[-6] == "0.301"


def test_results_print_themselves(capsys):
    fit = rcompat.kmeans([[1.0], [2.0], [8.0]], 2)
    assert printed(fit, capsys) == f"{fit}\n"


def test_summaries_of_results():
    fit = rcompat.kmeans([[1.0], [2.0], [8.0]], 2)
    assert str(summary(fit)).splitlines()[1] == "cluster      3      -none- numeric"
    axes = rcompat.prcomp([[1, 2], [2, 1], [4, 4]])
    assert str(summary(axes)) == str(axes.summary())
    assert summary([3, float("nan"), 1]).named().to_dict()["NA's"] == 1
    many = pd.DataFrame({"f": pd.Categorical(list("aabbccddeeffgghhi"))})
    assert "(Other):5  " in str(summary(many))  # R counts the rarest of more than 7 levels together


@given(NUMBERS, st.integers(-3, 12))
def test_rounded_numbers_are_near_and_stay(value, digits):
    found = ROUND(value, digits)
    assert abs(found - value) <= 0.5 * 10.0**-digits * (1 + 1e-9)
    assert ROUND(found, digits) == found
    assert ROUND(-value, digits) == -found


@pytest.mark.parametrize("digits", [-float("inf"), -400, -320, -309])
def test_units_beyond_all_numbers_leave_zeros(digits):
    """As in R 4: also of the largest number, with the sign of zeros that were there."""
    found = ROUND([1.5, -2.7, 1.7e308, np.inf, np.nan, -0.0], digits)
    np.testing.assert_array_equal(found, [0, 0, 0, np.inf, np.nan, 0])
    assert np.signbit(found).tolist() == [False] * 5 + [True]
    # R multiplies powers of ten, so that 10^308 is 1.0000000000000006e308.
    assert ROUND([1.5, -2.7, 1.7e308], -308).tolist() == [0, 0, 1.0000000000000006e308]


def test_rounding_keeps_names_and_frames():
    assert ROUND(RArray([0.16], names=["a"]), 1).attributes == {"names": ["a"]}
    frame = ROUND(pd.DataFrame({"a": [0.16]}, index=["u"]), 1)
    assert frame.loc["u", "a"] == 0.2
    for package, make in (("polars", "DataFrame"), ("pyarrow", "table")):
        given = getattr(pytest.importorskip(package), make)({"a": [0.16, 2.0], "b": [1.0, 3.0]})
        found = ROUND(given, 1)
        assert (found.tolist(), found.attributes) == ([[0.2, 1], [2, 3]], {"dimnames": (None, ["a", "b"])})
        assert prop_table(given, 1)[1].tolist() == [0.4, 0.6]
    assert np.isnan(ROUND(1.5, float("nan")))
    with pytest.raises(RError, match="non-numeric argument to mathematical function"):
        ROUND("a")
    with pytest.raises(TypeError, match="digits must be one number"):
        ROUND(1, [1, 2])
    with pytest.raises(RError, match="x is empty"):
        zapsmall([])
    x = np.array([1, 2.5, 1e-20])
    assert zapsmall(x, np.inf).tolist() == [1, 2.5, 1e-20]  # as in R
    assert not np.shares_memory(zapsmall(x, np.inf), x)
    assert zapsmall([1, 2.55, 3], -np.inf).tolist() == [1, 3, 3]
    assert np.isnan(zapsmall([1, 2.55], np.nan)).all()
    for digits in (-np.inf, np.inf, 3, -3, 1e10):
        assert zapsmall([0.0, -0.0], digits).tolist() == [0, 0]
        assert np.isnan(zapsmall([np.nan, np.nan], digits)).all()
    assert zapsmall([np.inf, 1.5], -np.inf).tolist() == [np.inf, 2]  # as in R
    assert zapsmall(np.array([1.5, 1e-20]).reshape(2, 1, 1)).tolist() == [[[1.5]], [[0.0]]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2], 1, 1), RError, "'dims' cannot be of length 0"),
        (([[1, 2]], 3, 1), RError, "missing value where TRUE/FALSE needed"),
        (([[1, 2]], 0, 1), ValueError, "MARGIN must be 1 for rows or 2 for columns; got 0"),
        (([[1, 2]], 2, []), ValueError, "STATS is empty"),
        (([[1, 2]], 2, 1, "%"), ValueError, "FUN must be a function or one of"),
        (([["a"]], 1, 1), TypeError, "x must hold real numbers"),
    ],
)
def test_bad_input_of_sweep(arguments, error, message):
    with pytest.raises(error, match=message):
        sweep(*arguments)


def test_sweep_with_a_function_and_names():
    frame = pd.DataFrame({"a": [1.0, 2], "b": [3.0, 5]}, index=["u", "v"])
    found = sweep(frame, 1, [1, 2], lambda x, y, power: (x - y) ** power, power=2)
    assert found.tolist() == [[0, 4], [0, 9]]
    assert found.attributes["dimnames"] == (["u", "v"], ["a", "b"])
    with pytest.warns(RWarning, match="STATS does not recycle exactly across MARGIN"):
        sweep(np.ones((3, 2)), 1, [1, 2])


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), min_size=1, max_size=40))
def test_shares_of_a_table(pairs):
    a, b = zip(*pairs, strict=True)
    counts = table(a, b)
    for margin in (1, 2):
        sums = np.asarray(prop_table(counts, margin)).sum(axis=2 - margin)
        np.testing.assert_allclose(sums, 1, rtol=1e-14)  # a few quotients are added
    assert str(prop_table(counts)).startswith("   b")
    assert prop_table(RArray([1.0, 3], names=["u", "v"])).attributes == {"names": ["u", "v"]}
    with pytest.raises(RError, match="'MARGIN' does not match dim"):
        prop_table(counts, 3)
    with pytest.raises(RError, match="'dims' cannot be of length 0"):
        prop_table([1.0, 3], 1)
    assert prop_table(table(["a", "b", "b"]), 1).tolist() == [1, 1]
