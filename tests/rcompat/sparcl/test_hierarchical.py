"""sparcl's hierarchical functions: reference numbers, sums in R's order, bad input, invariants."""

from __future__ import annotations

import json
import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from sparsek.bits.correlation import pairwise_correlations, standardize_rows
from sparsek.bits.ordered_arithmetic import find_threshold
from sparsek.errors import RError, RWarning
from sparsek.rcompat import HierarchicalSparseCluster, HierarchicalSparseCluster_permute, hclust, scale
from sparsek.rcompat.sparcl import loops
from sparsek.rcompat.sparcl import sparse_dissimilarity as sparse_hclust
from sparsek.rcompat.sparcl.pair_distances import pair_distances
from sparsek.rcompat.sparcl.sparse_dissimilarity import DissimilarityProducts, SparseDissimilarity
from sparsek.rng import RRandom
from tests.loops import KINDS, engine_or_loops

pytestmark = pytest.mark.engines

ROWS, COLUMNS = np.array([1, 2, 3, 7, 8, 9])[:, None], np.arange(1, 7)
X = (7 * ROWS + 5 * COLUMNS + ROWS * COLUMNS) % 11 / 2 + 6 * ((ROWS > 6) & (COLUMNS <= 2))


def cluster(x=None, **options):
    return HierarchicalSparseCluster(x, **{"wbound": 1.6, "rng": RRandom(1), **options})


# --- reference cases --------------------------------------------------------------------------------------


def test_reference_case():
    rng = RRandom(1)
    fit = cluster(X, method="complete", rng=rng)
    assert fit.ws.ravel().tolist() == [
        0.63880593160897936, 0.75936374572405141, 0.056919864858842442, 0,
        0.044533617337949319, 0.1003522263448631,
    ]  # fmt: skip
    assert fit.crit == 130.5982223813235
    assert fit.hc.height.tolist() == [
        0.012574287680501889, 0.012574287680501889, 0.054938737169722335,
        0.070591195843978549, 0.36341067510484809,
    ]  # fmt: skip
    assert fit.hc.merge.tolist() == [[-2, -3], [-5, -6], [-4, 2], [-1, 1], [3, 4]]
    assert fit.hc.order.tolist() == [4, 5, 6, 1, 2, 3]
    assert list(fit) == ["hc", "ws", "u", "crit", "dists", "uorth", "wbound"]
    assert rng.runif(1)[0] == 0.78293276228941977


def test_reference_cases_of_other_distances():
    assert cluster(X, dissimilarity="absolute.value").crit == 23.925442279702974
    x = X.copy()
    x[1, 2] = np.nan
    fit = cluster(x)
    assert fit.ws.ravel().tolist() == [
        0.6125157089597193, 0.77886804359581974, 0.026037046754123352, 0,
        0.070771630371415858, 0.11181469256626318,
    ]  # fmt: skip
    assert fit.dists[0].tolist() == [
        4.3817804600413286, 1.0954451150103321, 0, 0, 0.54772255750516607, 4.9295030175464944,
    ]  # fmt: skip


def test_reference_case_of_the_gap():
    rng = RRandom(1)
    fit = HierarchicalSparseCluster_permute(X, nperms=2, wbounds=[1.3, 1.7], rng=rng)
    assert fit.tots.tolist() == [121.55263994439173, 131.78057714677323]
    assert fit.gaps.tolist() == [0.030667612167289526, 0.049895126341445106]
    assert fit.sdgaps.tolist() == [0.024940735863603593, 0.032683794592735682]
    assert fit.bestw == 1.7
    assert rng.runif(1)[0] == 0.76031328178942204
    assert np.array_equal(fit.dists, cluster(X).dists)


def test_print(capsys):
    fit = cluster(X)
    fit.print()
    text = "Wbound is  1.6 :\nNumber of non-zero weights:  5\nSum of weights:  1.599975\n\n"
    assert capsys.readouterr().out == text
    assert repr(fit) == str(fit)


def test_print_gap(capsys):
    HierarchicalSparseCluster_permute(X, nperms=2, wbounds=[1.3, 1.7], rng=RRandom(1)).print()
    assert capsys.readouterr().out == (
        "Tuning parameter selection results for Sparse Hierarchical Clustering:\n"
        "  Wbound # Non-Zero W's Gap Statistic Standard Deviation\n"
        "1    1.3              2        0.0307             0.0249\n"
        "2    1.7              5        0.0499             0.0327\n"
        "Tuning parameter that leads to largest Gap statistic:  1.7\n"
    )


# --- sums in R's order ------------------------------------------------------------------------------------


def product_columns(entries, w):
    total = np.zeros(entries.shape[1])
    for row, factor in zip(entries, w, strict=True):
        total = total + row * factor
    return total


@pytest.mark.parametrize("engine", ["numpy", *KINDS])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), squared=st.booleans(), block=st.sampled_from([8, 64, 2**16]))
def test_products_add_as_the_reference_blas(engine, seed, squared, block):
    rng = np.random.default_rng(seed)
    p, n_pairs = rng.integers(1, 40), rng.integers(1, 200)
    distances = np.abs(rng.normal(size=(p, n_pairs)))
    w, u = np.maximum(0, rng.normal(size=p)), rng.normal(size=n_pairs)
    entries = distances**2 if squared else distances
    features = np.flatnonzero(rng.random(p) < rng.random())
    with pytest.MonkeyPatch.context() as patch, engine_or_loops(engine):
        patch.setattr(sparse_hclust, "BLOCK", block)
        patch.setattr(sparse_hclust, "PAIRS", 2 * block)
        if engine == "plain":  # compiled loops keep the number
            patch.setattr(loops, "PAIRS", 2 * block)
        products = DissimilarityProducts(distances, squared)
        assert products.over_features(w).tolist() == product_columns(entries, w).tolist()
        expected = [np.add.accumulate(entries[j] * u)[-1] for j in features]
        assert products.over_pairs(u, features).tolist() == expected
        rough = products.roughly_over_pairs(np.abs(u))
        all_pairs = DissimilarityProducts(distances, squared, entries.T.copy(order="C")).over_all_pairs(u)
    assert all_pairs.tolist() == [np.add.accumulate(row * u)[-1] for row in entries]
    exact = [np.add.accumulate(row * np.abs(u))[-1] for row in entries]
    np.testing.assert_allclose(
        rough, exact, rtol=n_pairs * 2.3e-16
    )  # the bound that the screening uses: N eps


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_screening_changes_no_bit(seed):
    rng = np.random.default_rng(seed)
    p, n_pairs = int(rng.integers(2, 60)), int(rng.integers(1, 80))
    distances = np.round(
        np.abs(rng.normal(size=(p, n_pairs))), int(rng.integers(0, 4))
    ) * 10.0 ** rng.integers(-3, 3)
    assume(distances.any())
    bound = 1.0001 + rng.random() * math.sqrt(p)
    fits = []
    for screened, by_pair in ((True, None), (False, None), (False, (distances**2).T.copy(order="C"))):
        decomposition = SparseDissimilarity(distances, True, by_pair=by_pair)
        decomposition._products.nonnegative = screened  # False: all of u'D is summed in R's order
        fits.append(decomposition.fit(bound, 15, RRandom(7)))
    for other in fits[1:]:
        assert np.array_equal(fits[0].weights, other.weights)
        assert np.array_equal(fits[0].pairs, other.pairs)
        assert fits[0].objective == other.objective


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), relative=st.sampled_from([0, 1e-15, 1e-9]))
def test_screened_threshold_is_the_exact_one_or_none(seed, relative):
    rng = np.random.default_rng(seed)
    a = np.abs(rng.normal(size=rng.integers(1, 50)))
    rough = a * (1 + relative * rng.uniform(-1, 1, size=len(a)))
    bound = 1.001 + rng.random() * math.sqrt(len(a))
    top = float(a.max())
    found = sparse_hclust._screened_threshold(rough, top, bound, 2 * relative * top)
    assert found is None or found == find_threshold(a, bound)


def test_large_fit_takes_no_second_copy():
    x = np.random.default_rng(0).normal(size=(80, 300))
    tracemalloc.start()
    cluster(x, wbound=4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # the distances once, plus blocks of about 2 MB
    assert peak < 8 * (80 * 79 // 2) * 300 + 4e6


# --- distances, standardisation, correlations -------------------------------------------------------------


def test_distances_of_pairs_in_rs_order():
    x = np.random.default_rng(1).normal(size=(5, 3))
    single = x.astype(np.float32)
    expected = [np.abs(single[i] - single[j]) for i in range(5) for j in range(i + 1, 5)]
    assert pair_distances(x, True).T.tolist() == np.array(expected, dtype=float).tolist()


def test_given_distances_are_used_and_kept():
    first = cluster(X)
    again = cluster(dists=first.dists)
    assert np.array_equal(again.u, first.u)
    assert again.dists is first.dists
    for given_dists in (
        first.dists.copy(order="C"),
        first.dists.astype(np.float32),
    ):  # exact: single precision
        assert np.array_equal(cluster(dists=given_dists).u, first.u)
    before = first.dists.copy()
    cluster(X, dists=first.dists, cluster_features=True)
    assert np.array_equal(first.dists, before)


def test_standardised_rows():
    x = np.array([[1.0, 2, 4, np.nan], [3, 3, 3, 3], [np.nan, 1, np.nan, np.nan]])
    z = standardize_rows(x)
    assert abs(np.nanmean(z[0])) < 1e-15  # rounding
    assert abs(np.nanstd(z[0], ddof=1) - 1) < 1e-15
    assert np.isnan(z[1:]).all()


def test_rows_whose_differences_overflow_end_with_the_error_of_r():
    x = np.array([1.5e308, -1.7e308, -1.7e308, 1, 2, 4, 3, 1, 7, 5, 5, 1]).reshape(4, 3).T
    with pytest.raises(RError, match="missing value where TRUE/FALSE needed"):
        cluster(x, wbound=1.5, standardize_arrays=True)


def test_correlations_over_common_rows():
    x = np.random.default_rng(2).normal(size=(30, 4))
    np.testing.assert_allclose(pairwise_correlations(x), np.corrcoef(x.T), atol=1e-15)  # rounding
    x[:20, 0], x[25, 1] = np.nan, np.nan
    common = [i for i in range(20, 30) if i != 25]
    expected = np.corrcoef(x[common, 0], x[common, 1])[0, 1]
    assert abs(pairwise_correlations(x)[0, 1] - expected) < 1e-15  # rounding
    x[20:, 1] = 1
    with pytest.warns(RWarning, match="the standard deviation is zero"):
        assert np.isnan(pairwise_correlations(x)[0, 1])


def test_features_are_clustered():
    fit = cluster(X, cluster_features=True, method_features="single")
    used = np.flatnonzero(fit["ws"])
    tree = hclust(2 * (1 - pairwise_correlations(X[:, used])), "single")
    assert fit["hc.features"].height.tolist() == tree.height.tolist()
    assert fit["hc.features"].labels is None


def test_frames_give_labels():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, index=list("abcdef"), columns=[f"f{j}" for j in range(6)])
    fit = cluster(frame, cluster_features=True)
    assert fit.hc.labels == ["1", "2", "3", "4", "5", "6"]  # as in R, which has them from as.dist
    assert fit["hc.features"].labels == ["f0", "f1", "f2", "f4", "f5"]
    assert cluster(X).hc.labels == ["1", "2", "3", "4", "5", "6"]


# --- invariants -------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), dissimilarity=st.sampled_from(["squared.distance", "absolute.value"]))
def test_weights_and_dissimilarities_are_units(seed, dissimilarity):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rng.integers(3, 12), rng.integers(2, 10)))
    bound = rng.uniform(1.05, math.sqrt(x.shape[1]) + 0.1)
    fit = HierarchicalSparseCluster(x, wbound=bound, dissimilarity=dissimilarity, rng=RRandom(3))
    w = fit.ws.ravel()
    assert (w >= 0).all()
    # R's bisection stops at a width of 1e-4 in units of u'D, whose smallest sums here are about 0.1
    assert w.sum() <= bound + 1e-2
    assert abs(np.linalg.norm(w) - 1) < 1e-14  # rounding
    assert abs(np.linalg.norm(fit.u) - 1) < 1e-13  # rounding of n^2 squares
    assert np.array_equal(fit.u, fit.u.T)
    entries = fit.dists if dissimilarity == "absolute.value" else fit.dists**2
    product = entries @ w
    pairs = fit.u[np.triu_indices(len(x), 1)] * math.sqrt(2)
    np.testing.assert_allclose(pairs, product / np.linalg.norm(product), atol=1e-12)  # u is D w normalised
    assert abs(fit.crit - pairs @ product) < 1e-12 * fit.crit  # rounding of N p products


def test_complementary_dissimilarities_are_orthogonal():
    first = cluster(X)
    second = cluster(X, uorth=first.u)
    assert abs((first.u * second.u).sum()) < 1e-15  # rounding
    assert second["uorth"] is first["u"]


def test_bounds_of_a_gap_do_not_depend_on_each_other():
    fit = HierarchicalSparseCluster_permute(X, nperms=1, wbounds=[1.2, 1.9, 1.4], rng=RRandom(5))
    single = [cluster(X, wbound=bound, rng=RRandom(8)).crit for bound in (1.2, 1.9, 1.4)]
    assert fit.tots.tolist() == single


def test_input_is_not_changed():
    x = X.copy()
    x[0, 0] = np.nan
    before = x.copy()
    cluster(x, standardize_arrays=True)
    HierarchicalSparseCluster_permute(x, nperms=1, wbounds=[1.2, 1.5], rng=RRandom(1))
    assert np.array_equal(x, before, equal_nan=True)


# --- errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": None}, "x or dists must be given!!!"),
        ({"x": None, "dists": np.ones((3, 2)), "standardize_arrays": True},
         "Cannot standardize arrays if x not given."),
        ({"wbound": 1}, "Cannot have wbound <= 1"),
        ({"x": X[:, :4], "wbound": None}, "Cannot have wbound <= 1"),
        ({"wbound": math.nan}, "missing value where TRUE/FALSE needed"),
        ({"uorth": np.arange(36.0).reshape(6, 6)}, "Uorth must be symmetric!!!!!!!!!!"),
        ({"uorth": np.ones((2, 3))}, "non-conformable arrays"),
        ({"uorth": np.full((6, 6), math.nan)}, "missing value where TRUE/FALSE needed"),
        ({"x": X + np.inf}, "NA/NaN/Inf in foreign function call (arg 1)"),
        ({"method": "ward"}, "'arg' should be one of \u201caverage\u201d, \u201ccomplete\u201d, "
                             "\u201csingle\u201d, \u201ccentroid\u201d"),
    ],
)  # fmt: skip
def test_errors_of_r_before_any_draw(options, message):
    rng = RRandom(1)
    before = rng.random_seed
    with pytest.raises(RError) as caught:
        cluster(**{"x": X, "rng": rng, **options})
    assert caught.value.r_message == message
    assert np.array_equal(rng.random_seed, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": None, "dists": np.ones((3, 6)), "cluster_features": True},
         "Cannot cluster features unless x is given."),
        ({"x": None, "dists": np.ones((3, 6)), "output_cluster_files": True},
         "Cannot output files unless x is given."),
        ({"uorth": np.ones((5, 5))}, "non-conformable arguments"),
        ({"x": X * 0}, "missing value where TRUE/FALSE needed"),
        ({"x": X * np.nan}, "missing value where TRUE/FALSE needed"),
        ({"niter": 0}, "object 'argw' not found"),
        ({"x": X[:, :1], "cluster_features": True}, "supply both 'x' and 'y' or a matrix-like 'x'"),
    ],
)  # fmt: skip
def test_errors_of_r_after_the_draws(options, message):
    with pytest.raises(RError) as caught:
        cluster(**{"x": X, **options})
    assert caught.value.r_message == message


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"x": X[0]}, ValueError, "one dimension"),
        ({"x": X[:1]}, ValueError, "at least 2 rows"),
        ({"x": [["a", "b"]] * 3}, TypeError, "real numbers"),
        ({"dists": np.ones((15, 5))}, ValueError, "of 6 rows and 5 columns, but x has shape"),
        ({"dists": np.ones(15)}, TypeError, "must be a matrix of real numbers"),
        ({"uorth": np.ones(15)}, ValueError, "must be a symmetric matrix"),
        ({"wbound": [1.5, 2]}, TypeError, "wbound must be one number"),
        ({"method": 3}, TypeError, "method must be one of average"),
    ],
)
def test_bad_input(options, error, message):
    with pytest.raises(error, match=message):
        cluster(**{"x": X, **options})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"wbounds": [1, 2]}, RError, "Cannot have wbounds <= 1"),
        ({"wbounds": 2}, RError, "Wbounds should be a vector with at least 2 elements."),
        ({"wbounds": [2, math.nan]}, ValueError, "vector of numbers above 1"),
        ({"wbounds": [1.5, 2], "nperms": 0}, ValueError, "whole number of at least 1; got 0"),
        ({"wbounds": [1.5, 2], "nperms": 1.5}, ValueError, "whole number of at least 1; got 1.5"),
    ],
)
def test_bad_input_of_the_gap(options, error, message):
    with pytest.raises(error, match=message):
        HierarchicalSparseCluster_permute(X, **options)


def test_memory_is_stated_before_it_is_taken():
    x = np.broadcast_to(np.zeros(1000), (3000, 1000))
    needed = 8 * (3000 * 2999 // 2) * 1000
    with pytest.raises(
        MemoryError, match=rf"= 4498500 x 1000 doubles = {needed} bytes; memory_limit allows 4000000000"
    ):
        HierarchicalSparseCluster(x)
    with pytest.raises(
        MemoryError, match=f"take 3 times n.* = {8 * 3 * 15 * 6} bytes; memory_limit allows 2159"
    ):
        HierarchicalSparseCluster_permute(X, memory_limit=2159)
    assert cluster(X, memory_limit=720).crit == cluster(X).crit
    with pytest.raises(MemoryError, match="raise memory_limit"):
        cluster(X, memory_limit=719)


def test_progress_is_logged_not_printed(caplog, capsys):
    with caplog.at_level("INFO", logger="sparsek.rcompat"):
        cluster(X)
        cluster(X, silent=True)
        HierarchicalSparseCluster_permute(X, nperms=1, wbounds=[1.2, 1.5], rng=RRandom(1))
    assert caplog.messages == [
        "wbound 1.6: 5 features with weight",
        "permutation 0 of 1",
        "permutation 1 of 1",
    ]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("m", "weights", "last", "order"),
    [  # R 4.2.2, sparcl 1.0.4
        (
            9,
            [0.10803235834737468, 0.22318693796557781, 0.96877066443583737],
            [0.010386839954035014, 0.30442780215455267, 0.14615560138526665, 0.092861978879121898, 0],
            [2, 3, 4, 1, 5],
        ),
        (
            7,
            [0.92839370094191198, 0.37159808402544264, 0],
            [0.2146733418020913, 0.0038746800565491275, 0.43947005592584854, 0],
            [3, 1, 2, 4],
        ),
        (
            16,
            [0.92839120269850794, 0.37160432552920852, 0],
            [0.0029012527655361089, 0.010451480653778026, 0.085926651266788182, 0.16074179556243026,
             0.051065146761367974, 0],
            [5, 2, 1, 6, 3, 4],
        ),
    ],
)  # fmt: skip
def test_distances_that_are_no_triangle(m, weights, last, order):
    i, j = np.arange(1, m + 1)[:, None], np.arange(1, 4)
    dists = (7 * i + 5 * j + i * j) % 11 / 2
    with pytest.warns(RWarning, match="^number of items to replace is not a multiple of replacement length$"):
        fit = HierarchicalSparseCluster(dists=dists, wbound=1.3, rng=RRandom(1))
    assert fit.ws.ravel().tolist() == weights
    assert fit.u[-1].tolist() == last
    assert fit.hc.order.tolist() == order
    assert fit.dists.shape == (m, 3)


@pytest.mark.parametrize(
    "kind", ["Inversion", "Box-Muller", "Ahrens-Dieter", "Kinderman-Ramage", "Buggy Kinderman-Ramage"]
)
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31 - 1), st.integers(0, 300))
def test_normals_are_skipped_as_they_are_drawn(kind: str, seed: int, n: int) -> None:
    drawn, skipped = (RRandom(seed, normal_kind=kind) for _ in range(2))
    drawn.rnorm(n)
    skipped.skip_normals(n)
    assert skipped.rnorm(3).tolist() == drawn.rnorm(3).tolist()


RECORDED = json.loads(Path(__file__).with_name("normal_kinds.json").read_text("utf-8"))
"""What R answered, by the way to make normals; `normal_kinds.R` asks it."""


@pytest.mark.parametrize("kind", [name for name in RECORDED if name != "about"])
def test_every_kind_of_normals_gives_rs_bits_and_leaves_the_stream_where_r_does(kind: str) -> None:
    x = scale(load_iris().data[::10])
    theirs, rng = RECORDED[kind], RRandom(11, normal_kind=kind)
    fit = HierarchicalSparseCluster(x, wbound=1.5, method="complete", silent=True, rng=rng)
    assert fit.ws.ravel().tolist() == theirs["ws"]
    assert [fit.crit] == theirs["crit"]
    assert fit.hc.order.tolist() == theirs["order"]
    assert rng.runif(2).tolist() == theirs["after"]
    rng = RRandom(12, normal_kind=kind)
    gap = HierarchicalSparseCluster_permute(x, wbounds=[1.2, 1.5], nperms=3, rng=rng)
    assert gap.gaps.tolist() == theirs["gaps"]
    assert gap.sdgaps.tolist() == theirs["sdgaps"]
    assert rng.runif(2).tolist() == theirs["last"]
