"""RSKC.trimkmeans: R's print and known answers, the stream, bad input."""

import math

import numpy as np
import pytest

from sparsek.errors import RError
from sparsek.rcompat import RSKC, RSKC_trimkmeans, runif, set_seed
from sparsek.rng import RRandom

X = np.array([[1.0, 1], [2, 1], [1, 2], [2, 2], [10, 10], [11, 10], [10, 11], [11, 11], [30, 30]])

HOLES = np.where(X == 30, np.nan, X)
"""The last row is missing."""


def test_rows_with_missing_values_are_trimmed_first() -> None:
    fit = RSKC_trimkmeans(HOLES, 2, 0.2, points=X[[0, 4]])
    assert (fit.oW.tolist(), fit.labels[-1], fit.classification[-1]) == ([9], 1, 3)
    assert fit.means.tolist() == [[1.5, 1.5], [10.5, 10.5]]
    least = RSKC_trimkmeans(HOLES, 2, 0.3, runs=20, rng=RRandom(1))
    assert 9 in least.oW
    assert least.WSS < fit.WSS


def test_given_points_draw_nothing() -> None:
    set_seed(3)
    fit = RSKC_trimkmeans(X, 2, 0.1, points=X[[0, 4]], runs=3)
    # R 4.2.2, RSKC 2.4.2
    assert fit.means.tolist() == [[1.5, 1.5], [14.4, 14.4]]
    assert (fit.WSS, fit.oW) == (612.4, "undefined")
    assert round(float(runif(1)[0]), 7) == 0.1680415  # R prints seven digits


def test_limit_of_passes_of_r() -> None:
    set_seed(3)
    fit = RSKC_trimkmeans(X, 2, 0.1, maxit=2.9)
    # R 4.2.2: centres of the first pass
    assert pytest.approx(744.081632653061, rel=1e-14) == fit.WSS  # R prints 15 digits
    assert fit.means[1].tolist() == [1, 1.5]
    set_seed(3)
    assert RSKC_trimkmeans(X, 2, 0.1, maxit=2.0**31 - 1).WSS <= fit.WSS


def test_trimmed_rows_get_the_next_number() -> None:
    set_seed(3)
    fit = RSKC_trimkmeans(X, 2.7, 0.2, runs=9)
    assert fit.classification[fit.oW - 1].tolist() == [3.7]
    set_seed(3)
    assert fit.labels.tolist() == RSKC(X, 2, 0.2, L1=None, nstart=9).labels.tolist()


def test_print_is_a_list_of_r() -> None:
    fit = RSKC_trimkmeans(X, 2, 0.1, points=X[[0, 4]])
    assert str(fit).splitlines()[:6] == [
        "$labels",
        "[1] 1 1 1 1 2 2 2 2 2",
        "",
        "$means",
        "     [,1] [,2]",
        "[1,]  1.5  1.5",
    ]


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ({"trim": -0.1}, RError, "negative length vectors are not allowed"),
        ({"trim": math.nan}, RError, "negative length vectors are not allowed"),
        ({"points": None}, RError, "argument is not a matrix"),
        ({"trim": 2}, ValueError, "trim must be from 0 to 1; got 2"),
        ({"trim": math.inf}, ValueError, "trim must be from 0 to 1; got inf"),
        ({"ncl": 1}, ValueError, "ncl must be from 2 to the number of rows, 9; got 1"),
        ({"ncl": 10}, ValueError, "got 10"),
        ({"ncl": math.nan}, ValueError, "got nan"),
        ({"runs": 0}, ValueError, "runs must be a number of at least 1; got 0"),
        ({"maxit": 1}, ValueError, "maxit must be at least 2"),
        ({"points": 0}, ValueError, "points must have ncl=2 rows"),
        ({"points": [[1, 2], [3, math.nan]]}, ValueError, "points must be finite"),
        ({"d": [1.0, 2, 3]}, ValueError, "d must be a matrix"),
        ({"d": [[1.0], [math.nan], [3.0]]}, ValueError, "1 rows of d have them, trim=0.1 trims 0"),
        ({"d": HOLES[::-1], "trim": 0.2, "points": [[99, 9], [1, 1]]}, ValueError, "no run has a defined"),
    ],
)
def test_faults(args, error, message) -> None:
    with pytest.raises(error, match=message):
        RSKC_trimkmeans(**{"d": X, "ncl": 2, "trim": 0.1, **args})


def test_data_frame_is_refused_as_in_r() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(RError, match="'list' object cannot be coerced to type 'double'"):
        RSKC_trimkmeans(pandas.DataFrame(X), 2, 0.1)
