"""Numbers whose squares overflow or vanish: R's infinite and undefined answers, without numpy's warnings.

Warnings are errors in these tests, so that a RuntimeWarning of numpy fails them.
"""

import contextlib
import warnings

import numpy as np
import pytest

from sparsek import rcompat
from sparsek.errors import BlasDependentWarning, RError, RWarning

X = np.random.default_rng(3).normal(size=(24, 6)) + np.repeat([0, 4, 8], 8)[:, None]
GROUPS = [0, 0, 0, 1, 1, 1]
KINDS = np.repeat([1, 2, 3], 8)


def tree(x):
    return rcompat.hclust(rcompat.dist(x) ** 2, "average")


def halves(x):
    return 1 + (x[:, 0] > np.median(x[:, 0]))


def test_infinite_distances_are_those_of_r():
    np.testing.assert_array_equal(rcompat.dist([[1e200, 0], [0, 0], [0, 3]]), [np.inf, np.inf, 3])


@pytest.mark.parametrize("factor", [1e154, 1e160, 1e300, 1e304, 1e-160, 1e-300, 1e-320])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: rcompat.ewkm(x, 3),
        lambda x: rcompat.fgkm(x, 3, GROUPS, 3, 1),
        lambda x: rcompat.twkm(x, 3, GROUPS, 3, 1),
        lambda x: rcompat.GmedianCov(x, scores=2),
        lambda x: rcompat.KMeansSparseCluster(x, K=3, wbounds=[1.5, 2]),
        lambda x: rcompat.RSKC(x, 3, 0.1, L1=2),
        lambda x: rcompat.Clest(x, 3, 0.1, B=2, B0=2, L1=2, nstart=2),
        lambda x: rcompat.wrsk(x, 3, 2),
        lambda x: rcompat.hclust(rcompat.dist(x), "single"),
        lambda x: rcompat.calinhara(x, KINDS),
        lambda x: rcompat.NbClust(x, min_nc=2, max_nc=4, method="average", index="all"),
        lambda x: rcompat.datathin(x, "normal-variance", arg=2.0),
        lambda x: rcompat.test_selective_inference(x, 1, 2, 1, 20, halves, sig=1),
        lambda x: rcompat.kmeans_inference(x, 2, 1, 2, sig=2),
        lambda x: rcompat.kmeans_inference_1f(x, 3, 1, 2, 1, sig=1),
        lambda x: rcompat.test_hier_clusters_exact(x, "average", tree(x), 3, 1, 2, iso=False),
        lambda x: rcompat.test_hier_clusters_exact_1f(x, "average", tree(x), 3, 1, 2, 1, indpt=False),
    ],
)
def test_extreme_data_give_an_answer_or_an_error_and_no_warning_of_numpy(call, factor):
    rcompat.set_seed(1)
    with warnings.catch_warnings(), contextlib.suppress(RError, ValueError):
        for ours in (RWarning, BlasDependentWarning):
            warnings.simplefilter("ignore", ours)
        call(X * factor)


def test_one_huge_entry_of_a_covariance_has_no_weight():
    far = X.copy()
    far[1, 0] = -1e154
    rcompat.set_seed(1)
    assert np.isfinite(rcompat.GmedianCov(far, scores=2)["median"]).all()


def test_weights_that_r_divides_by_zero_end_in_its_error():
    rcompat.set_seed(1)
    with pytest.raises(RError):
        rcompat.KMeansSparseCluster(X * 1e-160, K=3, wbounds=[1.6, 2.4])


@pytest.mark.parametrize("link", ["average", "mcquitty", "ward.D"])
def test_equal_rows_whose_means_are_only_rounding(link):
    """The mean of many equal large numbers is not one of them, and squares of what is left overflow."""
    far = np.full((31, 3), -1e300)
    squares = rcompat.dist(far) ** 2
    found = rcompat.test_hier_clusters_exact_1f(far, link, rcompat.hclust(squares, link), 2, 1, 2, 2, sig=0.5)
    assert (found.stat, found.pval, found.p_naive) == (0, 1, 1)  # R 4.2.2, CADET
    for function in (rcompat.kmeans_inference, rcompat.kmeans_inference_1f):
        feature = () if function is rcompat.kmeans_inference else (2,)
        with pytest.raises(RError, match="k-means clustering did not return the desired number of clusters"):
            function(far, 3, 1, 2, *feature, sig=2)


def test_columns_that_repeat_have_no_inverse():  # R 4.2.2, clusterpval
    x = np.repeat(np.random.default_rng(0).normal(size=(4, 8)), 5, axis=0)
    with pytest.raises(RError, match="computationally singular: reciprocal condition number"):
        rcompat.test_hier_clusters_exact(
            x, "single", rcompat.hclust(rcompat.dist(x) ** 2, "single"), 3, 1, 2, iso=False
        )


def test_silhouettes_of_dissimilarities_whose_sums_overflow():
    """R's neighbour is -1 where the mean dissimilarities to all other clusters are infinite."""
    x = np.arange(42.0).reshape(14, 3) % 5
    x[8, 2], x[9, 2] = 1.5e308, np.finfo(float).max
    widths = np.asarray(rcompat.pam(x, 2, metric="manhattan").silinfo.widths)
    assert widths[:, 1].tolist() == [-1] * 14
    assert widths[:, 2].tolist() == [1] * 14
    x[8, 2] = 0
    widths = np.asarray(rcompat.pam(x, 2, metric="manhattan").silinfo.widths)
    assert widths[:, 1].tolist() == [2] * 13 + [-1]
    assert widths[:, 2].tolist() == [1] * 13 + [0]


def test_medians_of_the_largest_numbers():
    x = np.outer(np.resize([1.0, -1.0, -1.0], 39), np.ones(4)) * np.finfo(float).max
    assert np.isnan(rcompat.GmedianCov(x, scores=3, nstart=1e-300).scores).any()


def test_sums_of_squares_beyond_the_largest_number():
    x = np.arange(46.0).reshape(23, 2) % 7 * 1e300
    assert rcompat.weightedss(x, np.arange(23) % 3 + 1).bss == np.inf


def test_shares_of_infinite_sums_of_both_signs():
    assert np.isnan(rcompat.prop_table([[np.inf, -np.inf], [1, 2]])).all()


@pytest.mark.filterwarnings("ignore::sparsek.errors.BlasDependentWarning")
def test_scores_of_the_largest_numbers():
    x = np.outer([1.0, -1, 1, 1], [1, -1, 1]) * np.finfo(float).max
    x[0] *= 0.5
    assert not np.isfinite(rcompat.prcomp(x, center=False).x).all()
