"""R's prcomp: printing, summary, names, arguments, errors, warnings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sparsek.errors import BlasDependentWarning, RError
from sparsek.rcompat import prcomp, scale

X = np.array([[1.0, 5, 7], [2, 9, 1], [4, 2, 0], [3, 2, 3]])
PRINTED = """Standard deviations (1, .., p=3):
[1] 3.496480483 3.166156768 0.008692098

Rotation (n x k) = (3 x 3):
            PC1        PC2        PC3
[1,]  0.3453907 -0.1441072 -0.9273286
[2,] -0.8149383 -0.5360757 -0.2202237
[3,] -0.4653825  0.8317788 -0.3025940"""
SUMMARY_OF_TWO = """Importance of first k=2 (out of 3) components:
                          PC1    PC2
Standard deviation     7.2303 3.1717
Proportion of Variance 0.7726 0.1487
Cumulative Proportion  0.7726 0.9212"""


def test_print_is_rs():
    assert str(prcomp(X)) == PRINTED


def test_summary_of_some_axes_is_rs():
    summary = prcomp(X, center=False, rank_=2).summary()
    assert str(summary) == SUMMARY_OF_TWO
    assert summary.importance.attributes["dimnames"][1] == ["PC1", "PC2", ""]


def test_summary_of_data_without_spread_is_rs():
    lines = str(prcomp(np.zeros((3, 2))).summary()).splitlines()
    assert lines[2:4] == ["Standard deviation       0   0", "Proportion of Variance NaN NaN"]


def test_names_are_kept():
    frame = pd.DataFrame(X, index=list("wxyz"), columns=["a", "b", "c"])
    fit = prcomp(frame, scale_=True)
    assert list(fit) == ["sdev", "rotation", "center", "scale", "x"]
    assert fit.rotation.attributes["dimnames"] == (["a", "b", "c"], ["PC1", "PC2", "PC3"])
    assert fit.x.attributes["dimnames"] == (list("wxyz"), ["PC1", "PC2", "PC3"])
    assert fit.center.attributes["names"] == fit["scale"].attributes["names"] == ["a", "b", "c"]
    assert str(fit).splitlines()[5].startswith("a ")


def test_scores_are_the_scaled_data_along_the_axes():
    fit = prcomp(X, scale_=True, tol=0.1)
    assert fit.rotation.shape == (3, 2)
    products = np.asarray(scale(X)) @ np.asarray(fit.rotation)
    assert np.abs(np.asarray(fit.x) - products).max() < 1e-14  # a few roundings of numbers near 1
    assert "x" not in prcomp(X, retx=False)
    assert (prcomp(X, center=False).center, prcomp(X)["scale"]) == (False, False)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"rank_": 0}, "as.integer.rank.. > 0 is not TRUE"),
        ({"rank_": np.nan}, "is.finite.rank.. is not TRUE"),
        ({"rank_": [1, 2]}, "length.rank.. == 1 is not TRUE"),
        ({"tol": 2}, "length of 'dimnames' .2. not equal to array extent"),
        ({"tol": np.nan}, "missing value where TRUE/FALSE needed"),
        ({"scale_": [1, 0, 2]}, "cannot rescale a constant/zero column to unit variance"),
        ({"scale_": [1, np.nan, 2]}, "missing value where TRUE/FALSE needed"),
        ({"center": [1, 2]}, "length of 'center' must equal the number of columns of 'x'"),
    ],
)
def test_bad_arguments(args, message):
    with pytest.raises(RError, match=message):
        prcomp(X, **args)


def test_missing_values_are_refused():
    with pytest.raises(RError, match="infinite or missing values in 'x'"):
        prcomp([[1, np.nan], [2, 1]])


def test_the_last_axis_of_wide_data_is_warned_of_if_it_is_kept():
    wide = np.random.default_rng(0).normal(size=(5, 8))
    with pytest.warns(BlasDependentWarning, match="of 1 of 5 axes"):
        prcomp(wide)
    assert prcomp(wide, rank_=4).rotation.shape == (8, 4)  # warnings are errors here
