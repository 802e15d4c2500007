"""Printing and plots of sparcl's results, with the texts that R printed."""

from __future__ import annotations

import math

import pytest

from sparsek.rcompat import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rcompat.base.printing import fill, format_number, format_table
from sparsek.rng import RRandom
from tests.rcompat.sparcl.test_sparcl import X, cluster

PRINTED = """\
Wbound is  1.5 :
Number of non-zero weights:  5
Sum of weights:  1.450404
Clustering:  1 1 1 2 2 1 3 3 3 3 3 3

Wbound is  2.2 :
Number of non-zero weights:  5
Sum of weights:  1.450404
Clustering:  1 1 1 2 2 1 3 3 3 3 3 3

"""
PRINTED_LONG = """\
Wbound is  1.5 :
Number of non-zero weights:  5
Sum of weights:  1.007356
Clustering:  1 2 1 1 1 2 1 1 1 1 1 1 2 1 2 1 1 1 1 1 1 2 1 1 1 1 2 1 1 1 2 1 1_
1 1 1 2 1 1 2 2 1 2 2 1 2 1 1 1 2 2 1 2 1 1 1 2 2 2 2 1 2 2 1 2 1 2 1 1 1 1 2 1_
2 1 1 2 1 2 1 2 2 2 1 1 2 2 2 1 2 1 2 1 1 2 2 1 1 2 1 1 1 1 1 1 2 1 1 2 2 1 1 1_
2 1 1 2 1 2 1

""".replace("_", " ")
PRINTED_GAP = """\
Tuning parameter selection results for Sparse K-means Clustering:
  Wbound # Non-Zero W's Gap Statistic Standard Deviation
1 1.2000              2        0.2168             0.2440
2 1.6265              5        0.2758             0.2505
3 2.2045              5        0.2758             0.2505
Tuning parameter that leads to largest Gap statistic:  1.626484
"""


@pytest.fixture
def rng():
    return RRandom(1)


# --- printing ---------------------------------------------------------------------------------------------


def test_print(capsys):
    fits = cluster(X, K=3, wbounds=[1.5, 2.2])
    fits.print()
    assert capsys.readouterr().out == PRINTED
    assert repr(fits) == str(fits)


def test_print_breaks_long_lines(rng, capsys):
    x = rng.rnorm(600).reshape(5, 120).T
    KMeansSparseCluster(x, K=2, wbounds=1.5, rng=rng).print()
    assert capsys.readouterr().out == PRINTED_LONG


def test_print_gap(rng, capsys):
    KMeansSparseCluster_permute(X, K=2, nperms=3, nvals=3, rng=rng).print()
    assert capsys.readouterr().out == PRINTED_GAP


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e5, "1e+05"), (1234567.8, "1234568"), (1e15, "1e+15"), (123456.7, "123456.7"), (3.0, "3"), (0, "0"),
     (2.123456, "2.123456"), (1e-4, "1e-04"), (0.00012, "0.00012"), (math.inf, "Inf")],
)  # fmt: skip
def test_numbers_as_r_shows_them(value, text):
    assert format_number(value) == text


def test_tables_as_r_shows_them():
    head = {
        "Wbound": [1.234567, 12345.678, 4],
        "Gap": [0, 0.0001, 0.0002],
        "SD": [math.nan, -0.1234567, 0.00001],
    }
    assert format_table(head).splitlines() == [
        "      Wbound   Gap      SD",
        "1     1.2346 0e+00      NA",
        "2 12345.6780 1e-04 -0.1235",
        "3     4.0000 2e-04  0.0000",
    ]


def test_fill_breaks_before_the_eightieth_character():
    assert [len(line) for line in fill(["1"] * 81).split("\n")] == [80, 80, 1]


# --- plots ------------------------------------------------------------------------------------------------


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_plot_of_weights(pyplot):
    fits = cluster(X, K=3, wbounds=[1.5, 1.2])
    ax = fits.plot()
    assert [line.get_ydata().tolist() for line in ax.lines] == [fit.ws.tolist() for fit in fits]
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["Wbound is 1.5", "Wbound is 1.2"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Feature Index", "Wj")
    given_ax = pyplot.subplots()[1]
    one = cluster(X, K=3, wbounds=1.5)
    assert one.plot(ax=given_ax) is given_ax
    assert given_ax.get_title() == "Wbound is 1.5"
    assert given_ax.get_legend() is None


def test_plot_of_the_gap(pyplot, rng):
    fit = KMeansSparseCluster_permute(X, K=2, nperms=3, nvals=3, rng=rng)
    ax = fit.plot()
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [2, 5, 5]
    assert line.get_ydata().tolist() == fit.gaps.tolist()
    assert (ax.get_xscale(), ax.get_title(), ax.get_xlabel()) == ("log", "Gap Statistics", "# Non-zero Wj's")
    given_ax = pyplot.subplots()[1]
    assert fit.plot(ax=given_ax) is given_ax


def test_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"sparsek\[plot\]"):
        cluster(X, K=3, wbounds=1.5).plot()
