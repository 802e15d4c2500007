"""Printing and plots of wskm's results, with the texts and orders of R."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sparsek.errors import RError
from sparsek.rcompat import ewkm, fgkm
from sparsek.rng import RRandom
from tests.rcompat.wskm.test_wskm import GROUPS, X, Y

PRINTED = """\
K-means clustering with 3 clusters of sizes 3, 3, 14

Cluster means:
         V1         V2         V3
1 4.962232  0.7736465 -0.3688803
2 5.969796 -1.3127514  0.4042833
3 1.501028  0.1062775  0.1906948

Clustering vector:
 [1] 1 1 3 2 1 3 3 2 2 3 3 3 3 3 3 3 3 3 3 3

Within cluster sum of squares by cluster:
[1]  0.7327459  2.2021729 83.2666018
 (between_SS / total_SS =  46.8 %)

Available components:

 [1] "cluster"          "centers"          "totss"            "withinss"        
 [5] "tot.withinss"     "betweenss"        "size"             "iterations"      
 [9] "total.iterations" "restarts"         "weights"         
"""  # noqa: W291
PRINTED_EXHAUSTED = """\
K-means clustering with 2 clusters of sizes 5, 5

Cluster means:
     [,1] [,2]
[1,]    0    0
[2,]    7    7
[3,]    0    0

Clustering vector:
 [1] 3 3 3 3 3 2 2 2 2 2

Within cluster sum of squares by cluster:
NULL
 (between_SS / total_SS =   NaN %)

Available components:

 [1] "cluster"       "centers"       "totss"         "withinss"     
 [5] "tot.withinss"  "betweenss"     "size"          "iterations"   
 [9] "restarts"      "totiters"      "featureWeight" "groupWeight"  
"""  # noqa: W291


def test_print_of_ewkm(capsys):
    names = ["V1", "V2", "V3"]
    frame = pd.DataFrame(X, columns=names, index=[f"row{i}" for i in range(20)])
    fit = ewkm(frame, 3, rng=RRandom(1))
    fit.print()
    assert capsys.readouterr().out == PRINTED.replace("         V1", "        V1")
    assert repr(fit) == str(fit)
    assert "      [,1]       [,2]       [,3]\n1 4.96" in str(ewkm(X, 3, rng=RRandom(1)))


def test_print_of_one_cluster_and_of_fgkm(capsys):
    assert "with 1 clusters of sizes 20\n" in str(ewkm(X, 1, rng=RRandom(1)))
    fgkm(Y, 3, [1, 2], 3, 1, seed=3, maxrestart=2).print()
    assert capsys.readouterr().out == PRINTED_EXHAUSTED
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    text = str(fgkm(frame, 3, GROUPS, 3, 1, seed=42))
    assert (
        "Cluster means:\n          [,1]       [,2]       [,3]\n[1,] 1.7062234  0.4386806 -0.3160826" in text
    )


# --- plots ------------------------------------------------------------------------------------------------


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture
def fit():
    x = RRandom(3).rnorm(120).reshape(6, 20).T.copy()
    x[:10, 0] += 5
    return ewkm(pd.DataFrame(x, columns=list("abcdef")), 4, 2, rng=RRandom(1))


def tick_labels(axis) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def brackets_of(ax):
    """Corners of the merges of a tree."""
    return ax.collections[0].get_segments() if hasattr(ax.collections[0], "get_segments") else []


def test_plot(pyplot, fit):
    ax = pyplot.subplots()[1]
    assert fit.plot(ax=ax) is ax
    assert tick_labels(ax.yaxis) == list("fecdba")  # R: rowInd 6 5 3 4 2 1, colInd 1 2 3 4
    assert tick_labels(ax.xaxis) == list("1234")
    assert ax.get_xlabel() == "Cluster"
    cells = np.asarray(ax.collections[0].get_array())[::-1].reshape(6, 4)
    w = fit.weights.T
    scaled = (w - w.mean(axis=0)) / w.std(axis=0, ddof=1)
    # The formula with rows in another order.
    np.testing.assert_allclose(cells, scaled[[0, 1, 3, 2, 4, 5]], atol=1e-12)
    left, top = ax.child_axes[2:]
    assert [len(brackets_of(tree)) for tree in (left, top)] == [5, 3]


def test_levelplot(pyplot, fit):
    ax = fit.levelplot()
    assert tick_labels(ax.yaxis) == list("fecdab")  # R's own order of the tree: 6 5 3 4 1 2
    assert tick_labels(ax.xaxis) == list("1234")
    cells = np.asarray(ax.collections[0].get_array()).reshape(6, 4)
    assert np.array_equal(cells, fit.weights.T[[5, 4, 2, 3, 0, 1]])
    ax.figure.canvas.draw()
    # Heights of the trees as printed by R with eight digits.
    right = next(a for a in ax.child_axes if a.collections and len(brackets_of(a)) == 5)
    tops = sorted(float(bracket[:, 0].max()) for bracket in brackets_of(right))
    assert tops == pytest.approx([0.04160985, 0.06010831, 0.19953055, 0.35755727, 0.49317781], abs=5e-9)


def test_features_without_names_are_numbered(pyplot):
    assert sorted(tick_labels(ewkm(X, 3, rng=RRandom(1)).plot().yaxis)) == ["1", "2", "3"]


def test_plots_refuse_what_r_refuses(pyplot):
    one = ewkm(X, 1, rng=RRandom(1))
    with pytest.raises(RError, match="at least 2 rows and 2 columns"):
        one.plot()
    with pytest.raises(RError, match="n >= 2 objects"):
        one.levelplot()
    undefined = ewkm(X, X[:3], 0, maxrestart=0, maxiter=1)
    for draw in (undefined.plot, undefined.levelplot):
        with pytest.raises(RError, match=r"foreign function call \(arg 10\)"):
            draw()
