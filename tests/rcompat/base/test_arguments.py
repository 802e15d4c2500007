"""What R's functions do with containers, types and sizes that R does not know."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sparsek import rcompat as R
from sparsek.errors import RError, RWarning

i, j = np.arange(1, 31)[:, None], np.arange(1, 6)
X = (7 * i + 5 * j + i * j) % 11 / 2 + 6.0 * ((i > 15) & (j <= 2))
D = R.dist(X)
LABELS = [1] * 15 + [2] * 15
HUGE = 10**9
MASK = X > 9
MASKED, HOLES = np.ma.array(X, mask=MASK), np.where(MASK, np.nan, X)

DATA = {
    "Clest": lambda x: R.Clest(x, 3, 0.1, B=1, B0=1, nstart=1, pca=False),
    "Gmedian": R.Gmedian,
    "GmedianCov": R.GmedianCov,
    "HierarchicalSparseCluster": lambda x: R.HierarchicalSparseCluster(x, wbound=1.5, niter=3),
    "KMeansSparseCluster": lambda x: R.KMeansSparseCluster(x, 2, 1.5),
    "RSKC": lambda x: R.RSKC(x, 2, 0.1, 1.5, nstart=2),
    "Weiszfeld": R.Weiszfeld,
    "WeiszfeldCov": R.WeiszfeldCov,
    "assign_clustpp": lambda x: R.assign_clustpp(x, X[:2]),
    "dist": R.dist,
    "ewkm": lambda x: R.ewkm(x, 2, 5),
    "fgkm": lambda x: R.fgkm(x, 2, "0-1;2-4", 5, 5, seed=3),
    "findMissing": R.findMissing,
    "initialImpute": R.initialImpute,
    "kGmedian": lambda x: R.kGmedian(x, 2),
    "kmeans": lambda x: R.kmeans(x, 2),
    "kmpp": lambda x: R.kmpp(x, 2),
    "kpod": lambda x: R.kpod(x, 2),
    "lof": R.lof,
    "twkm": lambda x: R.twkm(x, 2, "0-1;2-4", 5, 5, seed=3),
    "wrsk": lambda x: R.wrsk(x, 2, 1.5, 3),
}


def answer(function, x):
    """The printed result under seed 1, or the error."""
    R.set_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RWarning)
        try:
            return str(function(x))
        except (TypeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", DATA)
def test_masked_entries_are_missing_ones(name):
    assert answer(DATA[name], MASKED) == answer(DATA[name], HOLES)
    assert answer(DATA[name], list(MASKED)) == answer(DATA[name], HOLES)
    assert answer(DATA[name], np.ma.array(X)) == answer(DATA[name], X)


@pytest.mark.parametrize("name", sorted(set(DATA) - {"GmedianCov"}))  # which as R's takes no data frame
def test_columns_of_dates_and_texts_are_refused_by_name(name):
    frame = pd.DataFrame(X, columns=list("abcde"))
    for column in (pd.date_range("2020", periods=30), ["1"] * 30, pd.Categorical([1] * 30), [1j] * 30):
        with pytest.raises(TypeError, match=r"column 'c' of \w+ (has type|holds) .* real numbers"):
            DATA[name](frame.assign(c=column))


@pytest.mark.parametrize("name", DATA)
def test_other_containers_give_the_same_answer(name):
    wanted = answer(DATA[name], X)
    frame = pd.DataFrame(X)
    assert "Error" not in wanted
    for given in (
        X.astype(object),
        X.astype(np.longdouble),
        X.astype(np.float16),  # halves are exact
        X.astype(">f8"),
        np.asfortranarray(X),
        X.tolist(),
        np.repeat(X, 2, axis=0)[::2],
    ):
        assert answer(DATA[name], given) == wanted
    for given in (frame.astype("Float64"), frame.astype(object), frame.astype(pd.SparseDtype(float, 0.0))):
        assert answer(DATA[name], given) == answer(DATA[name], frame)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize(
    "x",
    [
        *(None, "x", 1j, {}, object(), (v for v in [1.0]), [[1.0, 2.0], [3.0]], [[10**400]]),
        *(X[None], X[:0], X + 1j, X.astype(str), X.astype("M8[s]"), X.astype("m8[s]"), sparse.csr_array(X)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_data_is_refused(name, x):
    with pytest.raises((TypeError, ValueError)) as caught:
        DATA[name](x)
    assert "sparsek" in str(caught.traceback[-1].path)


SIZES = {
    "Clest maxK": lambda: R.Clest(X, HUGE, 0.1, B=2, B0=2, nstart=2),
    "Clest B": lambda: R.Clest(X, 3, 0.1, B=HUGE, nstart=2),
    "Clest B0": lambda: R.Clest(X, 3, 0.1, B0=HUGE, nstart=2),
    "Clest nstart": lambda: R.Clest(X, 3, 0.1, nstart=HUGE),
    "Gmedian nstart": lambda: R.Gmedian(X, nstart=HUGE),
    "GmedianCov nstart": lambda: R.GmedianCov(X, nstart=HUGE),
    "HierarchicalSparseCluster_permute": lambda: R.HierarchicalSparseCluster_permute(X, HUGE),
    "KMeansSparseCluster K": lambda: R.KMeansSparseCluster(X, HUGE),
    "KMeansSparseCluster nstart": lambda: R.KMeansSparseCluster(X, 2, nstart=HUGE),
    "KMeansSparseCluster_permute K": lambda: R.KMeansSparseCluster_permute(X, HUGE),
    "KMeansSparseCluster_permute nperms": lambda: R.KMeansSparseCluster_permute(X, 2, HUGE),
    "KMeansSparseCluster_permute nvals": lambda: R.KMeansSparseCluster_permute(X, 2, nvals=HUGE),
    "ROBIN": lambda: R.ROBIN(D, X, HUGE),
    "RSKC ncl": lambda: R.RSKC(X, HUGE, 0.1),
    "RSKC nstart": lambda: R.RSKC(X, 2, 0.1, nstart=HUGE),
    "SimData": lambda: R.SimData([HUGE, HUGE], 3),
    "SimData p_noise": lambda: R.SimData([10, 10], 3, HUGE),
    "assign_clustpp": lambda: R.assign_clustpp(X, X[:2], max_iter=HUGE),
    "cutree": lambda: R.cutree(R.hclust(D), HUGE),
    "ewkm": lambda: R.ewkm(X, HUGE),
    "ewkm 1e300": lambda: R.ewkm(X, 1e300),
    "fgkm": lambda: R.fgkm(X, HUGE, "0-1;2-4", 5, 5),
    "fgkm without starts": lambda: R.fgkm(X, HUGE, "0-1;2-4", 5, 5, maxrestart=0),
    "twkm": lambda: R.twkm(X, HUGE, "0-1;2-4", 5, 5),
    "kGmedian": lambda: R.kGmedian(X, HUGE),
    "kGmedian nstart": lambda: R.kGmedian(X, 2, nstart=HUGE),
    "kGmedian nstartkmeans": lambda: R.kGmedian(X, 2, nstartkmeans=HUGE),
    "kmeans": lambda: R.kmeans(X, HUGE),
    "kmeans nstart": lambda: R.kmeans(X, 2, nstart=HUGE),
    "kmpp": lambda: R.kmpp(X, HUGE),
    "kpod": lambda: R.kpod(HOLES, HUGE),
    "lof": lambda: R.lof(X, HUGE),
    "makeData": lambda: R.makeData(HUGE, 10, 2, 0.1, 0.1),
    "makeData k": lambda: R.makeData(10, 10, HUGE, 0.1, 0.1),
    "wrk": lambda: R.wrk(X, D, HUGE),
    "wrsk": lambda: R.wrsk(X, HUGE, 1.5),
    "wrskGap": lambda: R.wrskGap(X, HUGE, 1.5),
    "wrskGap npermute": lambda: R.wrskGap(X, 2, 1.5, HUGE),
}
ITERATIONS = {
    "kmeans": lambda: R.kmeans(X, 2, iter_max=HUGE),
    "kpod": lambda: R.kpod(HOLES, 2, maxiter=HUGE),
    "KMeansSparseCluster": lambda: R.KMeansSparseCluster(X, 2, 1.5, maxiter=HUGE),
    "HierarchicalSparseCluster": lambda: R.HierarchicalSparseCluster(X, wbound=1.5, niter=HUGE),
    "Weiszfeld": lambda: R.Weiszfeld(X, nitermax=HUGE),
    "ewkm": lambda: R.ewkm(X, 2, 5, maxiter=HUGE, maxrestart=HUGE),
    "fgkm": lambda: R.fgkm(X, 2, "0-1;2-4", 5, 5, maxiter=HUGE, maxrestart=HUGE, seed=3),
    "kGmedian": lambda: R.kGmedian(X, 2, iter_max=HUGE),
    "wrk": lambda: R.wrk(X, D, 2, max_iter=HUGE),
    "wrsk": lambda: R.wrsk(X, 2, 1.5, iteration=HUGE),
}
SMALL = 20_000_000
"""Bytes: far less than one number for each of 10^9 things takes."""


def peak_of(call):
    tracemalloc.start()
    try:
        call()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < SMALL


@pytest.mark.parametrize("call", SIZES.values(), ids=SIZES)
def test_huge_sizes_are_refused_before_allocation(call):
    with pytest.raises((RError, ValueError)):  # its message is tested with the function
        peak_of(call)


@pytest.mark.parametrize("call", ITERATIONS.values(), ids=ITERATIONS)
def test_huge_numbers_of_iterations_take_no_memory(call):
    R.set_seed(1)
    peak_of(call)


def test_results_with_lists_are_printed():
    R.set_seed(5)
    gap = R.wrskGap(X, 2, [1.2, 1.6], npermute=2)
    assert "[[1]]" in repr(gap)
    assert "$WBCSS" in repr(gap)
    widths = R.revisedsil(X[:5], W=[0.5] * 5, C=[1, 1, 2, 2, 2])
    assert repr(widths).count("[[2]]") == 2
