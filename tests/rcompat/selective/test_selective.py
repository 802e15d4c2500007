"""R's tests of clusters beside the exact ones: what is approximate or wrong in R, errors, refusals."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.cluster import KMeans

from sparsek import inference, rcompat
from sparsek.errors import RError, RWarning
from sparsek.rcompat.stats.selective.truncated import _positive_halves, chi_squared_ratio, normal_survival
from sparsek.rng import RRandom
from sparsek.selective.line import difference_contrast

X = np.random.default_rng(8).normal(size=(40, 3))
TREE = rcompat.hclust(rcompat.dist(X) ** 2, "average")
HOLED = np.where(np.arange(120).reshape(40, 3) == 4, np.nan, X)
HOLED_TREE = rcompat.hclust(rcompat.dist(HOLED) ** 2, "average")


def as_lloyd(seed: int, k: int) -> Any:
    """The fit that the R packages make under a seed."""
    rcompat.set_seed(seed)
    return rcompat.kmeans(X, k, iter_max=100, algorithm="Lloyd")


def test_the_sets_are_those_of_the_exact_tests_and_p_is_near() -> None:
    for seed in range(1, 9):
        theirs = rcompat.kmeans_inference(X, 3, 1, 2, sig=1.0, iter_max=99, seed=seed, rng=RRandom(1))
        ours = inference.test_kmeans(as_lloyd(seed, 3), X, 1, 2, sigma=1.0)
        np.testing.assert_allclose(theirs.final_interval, ours.intervals, rtol=1e-12)
        # Canal's and Bryc's approximations are good to some per cent.
        assert theirs.pval == pytest.approx(ours.p_value, abs=0.1)
        assert theirs.p_naive == pytest.approx(ours.naive_p_value, rel=1e-10)


def test_the_p_value_of_r_is_approximate() -> None:
    whole = np.array([[0.0, np.inf]])
    part = np.array([[4.0, np.inf]])
    approximate = chi_squared_ratio(2, part, whole)
    assert approximate == pytest.approx(np.exp(-2), rel=0.05)
    assert approximate != pytest.approx(np.exp(-2), rel=1e-4)
    line = np.array([[-np.inf, np.inf]])
    for q in (1.0, 35.0):  # on the whole line R does not approximate, however small p is
        assert normal_survival(q, 1.0, line) == norm.sf(q)


def test_an_interval_about_0_has_two_halves() -> None:
    found = _positive_halves(np.array([[-1.0, 2.0], [-4.0, -3.0], [5.0, 6.0]]))
    assert found.tolist() == [[0, 1], [0, 2], [3, 4], [5, 6]]


@pytest.mark.filterwarnings("ignore::sparsek.errors.AssumptionWarning")  # 0.5 is not the noise of X
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_cadet_moves_the_feature_by_the_variance(scale: float) -> None:
    """R's set of CADET belongs to sigma = 1; `inference.test_feature` has the right one for every sigma."""
    theirs = rcompat.kmeans_inference_1f(X, 2, 1, 2, 2, iso=True, sig=scale, iter_max=99, seed=4)
    ours = inference.test_feature(as_lloyd(4, 2), X, 1, 1, 2, sigma=scale)
    outer = [theirs.final_interval.min(), theirs.final_interval.max()]
    right = [ours.intervals.min(), ours.intervals.max()]
    assert theirs.test_stat == pytest.approx(ours.statistic, rel=1e-12)
    assert (outer == pytest.approx(right, rel=1e-9)) == (scale == 1)
    if scale == 1:
        assert theirs.pval == pytest.approx(ours.p_value, rel=1e-6)  # R widens the set by 1e-9


def test_falling_heights_have_the_right_set() -> None:
    """Where heights fall, R's sets hold data of other trees; ours end where the merges change."""
    data = np.random.default_rng(0).normal(size=(14, 2))
    for seed in range(200):
        data = np.random.default_rng(seed).normal(size=(14, 2))
        tree = rcompat.hclust(rcompat.dist(data) ** 2, "median")
        if (np.diff(tree.height[:11]) < 0).any():
            break
    found = rcompat.test_hier_clusters_exact(data, "median", tree, 3, 1, 2, sig=1.0)
    nu = difference_contrast(rcompat.cutree(tree, 3), 1, 2)
    part = np.outer(nu / (nu @ nu), nu @ data) / found.stat
    for phi in np.linspace(0, 3, 61) * found.stat:
        if np.abs(found.trunc - phi).min() > 1e-6:
            other = rcompat.hclust(rcompat.dist(data + (phi - found.stat) * part) ** 2, "median")
            same = np.array_equal(other.merge[:11], tree.merge[:11])
            assert same == ((found.trunc[:, 0] <= phi) & (phi <= found.trunc[:, 1])).any()


@pytest.mark.parametrize("unit", [2.0**300, 2.0**505])
def test_steps_that_overflow_are_rs_error(unit: float) -> None:
    """R's line of one feature has the fourth power of the unit of the data."""
    with pytest.raises(RError, match=r"missing value where TRUE/FALSE needed .squares overflow"):
        rcompat.kmeans_inference_1f(X * unit, 3, 1, 2, 1, iso=True, seed=3)


def test_one_column_is_taken() -> None:
    found = rcompat.kmeans_inference(X[:, :1], 2, 1, 2, sig=1.0, seed=3)
    assert 0 < found.pval <= 1


def test_trees_of_the_other_linkages_are_r_s() -> None:
    heights = {
        "ward.D": [0.25, 2.0833333333333335, 16.666666666666668],
        "mcquitty": [0.25, 1.625, 10.1875],
        "median": [0.25, 1.5625, 9.765625],
    }
    data = np.array([[0.0], [0.5], [1.5], [4.0]])
    for method, expected in heights.items():
        tree = rcompat.hclust(rcompat.dist(data) ** 2, method)
        assert tree.merge.tolist() == [[-1, -2], [-3, 1], [-4, 2]]
        assert tree.height.tolist() == expected


def test_the_stream_is_seeded_by_the_argument() -> None:
    stream = RRandom(5)
    rcompat.kmeans_estimation(X, 3, seed=9, rng=stream)
    other = RRandom(9)
    other.sample_int(40, 3)
    assert stream.runif(1) == other.runif(1)


def test_no_kept_draw_is_a_warning() -> None:
    first = [True]

    def halves(data: np.ndarray) -> np.ndarray:
        if first:
            first.clear()
            return np.arange(40) % 2 + 1
        return np.ones(40)

    with pytest.warns(RWarning, match="Oops - we didn't generate any samples"):
        found = rcompat.test_clusters_approx(X, 1, 2, ndraws=5, cl_fun=halves, rng=RRandom(1))
    assert np.isnan(found.pval)
    first.append(True)
    with pytest.warns(RWarning, match="Oops"):
        found = rcompat.test_selective_inference(X, 1, 2, 1, 5, halves, rng=RRandom(1))
    assert np.isnan(found.pval)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rcompat.kmeans_inference(X, 40, 1, 2), "Cannot have more clusters than observations"),
        (lambda: rcompat.kmeans_estimation(X, -1), "invalid 'size' argument"),
        (lambda: rcompat.kmeans_estimation(X, 3, -1), "invalid 'length' argument"),
        (lambda: rcompat.kmeans_inference(X, 3, 1, 2, iter_max=-1), "invalid 'length' argument"),
        (lambda: rcompat.kmeans_estimation(X, 0), "subscript out of bounds"),
        (lambda: rcompat.kmeans_estimation(X, 1), "'x' must be an array of at least two dimensions"),
        (lambda: rcompat.kmeans_inference(X, 2, 1, 3), "Cluster numbers must be between 1 and k!"),
        (lambda: rcompat.kmeans_inference(X, 2, 1, 2, iso=False), "At least one of variance and covariance"),
        (lambda: rcompat.kmeans_inference(X + np.nan, 2, 1, 2), "NA is not allowed in the input data X"),
        (lambda: rcompat.kmeans_inference_1f(X, 2, 1, 2, 1), "At least one of variance and covariance"),
        (
            lambda: rcompat.kmeans_inference_1f(X, 2, 1, 2, 1, sig=1.0, covMat=np.eye(3)),
            "Only one of variance",
        ),
        (lambda: rcompat.kmeans_inference_1f(X, 2, 1, 2, 4, sig=1.0), "subscript out of bounds"),
        (
            lambda: rcompat.test_hier_clusters_exact(X, "complete", TREE, 3, 1, 2),
            "Exact p-value not",
        ),
        (lambda: rcompat.test_hier_clusters_exact(X, "ward", TREE, 3, 1, 2), "Linkage should be 'single'"),
        (lambda: rcompat.test_hier_clusters_exact(X, "average", TREE, 41, 1, 2), "number of clusters"),
        (lambda: rcompat.test_hier_clusters_exact(X, "average", TREE, 3, 1, 4), "cluster indices should be"),
        (
            lambda: rcompat.test_hier_clusters_exact(HOLED, "average", HOLED_TREE, 3, 1, 2, sig=1.0),
            "missing value where TRUE/FALSE needed",
        ),
        (
            lambda: rcompat.test_hier_clusters_exact_1f(HOLED, "average", HOLED_TREE, 3, 1, 2, 2, sig=1.0),
            "missing value where TRUE/FALSE needed",
        ),
        (
            lambda: rcompat.test_hier_clusters_exact_1f(
                X * [1, 0, 1], "average", TREE, 3, 1, 2, 2, indpt=False
            ),
            "missing value where TRUE/FALSE needed",
        ),
        (
            lambda: rcompat.kmeans_inference_1f(X, 2, 1, 2, 1, covMat=-np.eye(3)),
            "missing value where TRUE/FALSE needed",
        ),
        (lambda: rcompat.test_multimod(X, 4, np.arange(40) % 2 + 1, 1, 2), "g should be between 1 and q"),
    ],
)
def test_errors_are_those_of_r(call: Any, message: str) -> None:
    with pytest.raises(RError) as caught:
        call()
    assert caught.value.r_message.startswith(message)


TIED = np.column_stack([np.arange(9.0), np.arange(9) % 2])


@pytest.mark.parametrize(("seed", "row"), [(2, 6), (7, 5)])
def test_ties_on_which_the_set_rests_give_a_warning_that_names_the_rows(seed: int, row: int) -> None:
    with pytest.warns(UserWarning, match=f"row {row} is as near to another centre.*ties decide the p-value"):
        rcompat.kmeans_inference(TIED, 2, 1, 2, sig=1.0, seed=seed)
    with pytest.warns(UserWarning, match=f"row {row} is as near to another centre.*ties decide the p-value"):
        rcompat.kmeans_inference_1f(TIED, 2, 1, 2, 1, sig=1.0, seed=seed)


def test_data_without_ties_give_no_warning() -> None:
    for seed in range(20):
        rcompat.kmeans_inference(X, 3, 1, 2, sig=1.0, seed=seed)


def test_other_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="cluster_1 and cluster_2 must be different; got 1 twice"):
        rcompat.kmeans_inference(X, 2, 1, 1)
    with pytest.raises(TypeError, match="cl_fun must be a function of the data; got None"):
        rcompat.test_clusters_approx(X, 1, 2)
    with pytest.raises(TypeError, match="hcl must be a result of hclust; got ndarray"):
        rcompat.test_hier_clusters_exact(X, "average", X, 2, 1, 2)
    with pytest.raises(ValueError, match="cl must have 40 labels"):
        rcompat.merge_selective_inference(X, 1, 2, 1, 5, KMeans(2).fit_predict, [1, 2])


def test_the_dip_test_is_that_of_the_clusters_between() -> None:
    pytest.importorskip("diptest")
    labels = np.arange(40) % 3 + 1
    found = rcompat.test_multimod(X, 1, labels, 1, 2)
    assert set(found) == {"data_for_test", "stat_g", "pval"}
    assert 0 < found.pval <= 1


@pytest.mark.parametrize(
    ("values", "dip", "p"),
    [
        ([1, 2, 3, 4], 0.125, 0.782),
        ([1, 2, 3, 4, 5], 0.1, 0.9028571428571428),
        ([1, 2, 3, 4, 5, 6], 1 / 12, 0.964),
        ([1, 2, 3, 4, 5, 6, 7], 1 / 14, 0.99),
        ([1, 2, 3, 4, 5, 6, 7, 8], 1 / 16, 0.995),
    ],
)
def test_least_dips_of_few_values_have_the_p_values_of_r(values: list[float], dip: float, p: float) -> None:
    """What R's diptest 0.76-0 says; it takes the mean of the levels of equal quantiles."""
    pytest.importorskip("diptest")
    with pytest.warns(RWarning, match=r"^collapsing to unique 'x' values$"):
        found = rcompat.test_multimod(np.array(values)[:, None], 1, [1] * len(values), 1, 1)
    assert found.stat_g == pytest.approx(dip, rel=1e-15)  # a quotient, rounded once more
    assert found.pval == pytest.approx(p, rel=1e-10)  # interpolated in another order


@pytest.mark.parametrize("values", [[3.0], [1, 4.0], [1, 4, 9.0], [2.0] * 10])
def test_dips_of_three_values_or_equal_ones_have_no_doubt_and_no_warning(values: list[float]) -> None:
    pytest.importorskip("diptest")
    found = rcompat.test_multimod(np.array(values)[:, None], 1, [1] * len(values), 1, 1)
    assert (found.stat_g, found.pval) == (1 / (2 * len(values)), 1)


@pytest.mark.parametrize("pair", [(0, 1), (1, 4), (-1, 2)])
def test_clusters_of_the_dip_that_do_not_exist_are_named(pair: tuple[int, int]) -> None:
    with pytest.raises(RError, match="cluster labels should be between 1 and K"):
        rcompat.test_multimod(X, 1, np.arange(40) % 3 + 1, *pair)


@pytest.mark.parametrize("function", [rcompat.kmeans_inference, rcompat.kmeans_estimation])
def test_data_whose_distances_overflow_give_rs_error(function):
    x = np.random.default_rng(0).normal(size=(25, 3))
    x[2, 1] = 1e200
    arguments = (x, 2, 1, 2) if function is rcompat.kmeans_inference else (x, 2)
    with pytest.raises(RError, match=r"missing value where TRUE/FALSE needed.*divide X"):
        function(*arguments, seed=1)


def test_clusters_with_equal_means_have_no_direction() -> None:
    """Without a raw warning: what follows says that moved rows are not finite."""
    with pytest.raises(TypeError, match="d must be finite"):
        rcompat.test_clusters_approx(
            np.zeros((5, 1)), 1, 2, cl=[1, 1, 2, 2, 2], sig=2, ndraws=5, cl_fun=hierarchical, rng=RRandom(1)
        )


@pytest.mark.parametrize("unit", [0.0, 1e-200, 1e200])
def test_trees_of_clusters_with_equal_means_give_the_errors_of_r(unit: float) -> None:
    """Of data whose squared distances underflow or overflow as well, and without a raw warning."""
    for link, call, message in (
        ("average", rcompat.test_hier_clusters_exact, "missing value where TRUE/FALSE needed"),
        ("single", rcompat.test_hier_clusters_exact, "missing value where TRUE/FALSE needed"),
        ("complete", rcompat.test_complete_hier_clusters_approx, "NaN dissimilarity value."),
    ):
        tree = rcompat.hclust(rcompat.dist(X) ** 2, link)
        options = {"sig": 1.0} | ({"link": link} if "exact" in call.__name__ else {"ndraws": 5})
        with pytest.raises(RError) as caught:
            call(X * unit, hcl=tree, K=2, k1=1, k2=2, **options)
        assert caught.value.r_message == message
        assert "rescale X" in str(caught.value)


def hierarchical(x: Any) -> Any:
    return rcompat.cutree(rcompat.hclust(rcompat.dist(x)), 2)


@pytest.mark.parametrize("sig", [0, -1, np.inf, np.nan, 1e200])
def test_scales_that_no_test_can_have(sig: float) -> None:
    calls = (
        lambda: rcompat.kmeans_inference(X, 3, 1, 2, sig=sig),
        lambda: rcompat.test_hier_clusters_exact(X, "average", TREE, 3, 1, 2, sig=sig),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"sig must be a positive number whose square is finite; got"):
            call()


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.nan, "system is computationally singular: reciprocal condition number = 0"),
        (1e300 * np.arange(12), "system is computationally singular: reciprocal condition number = 0"),
        (0.0, r"Lapack routine dgesv: system is exactly singular: U\[1,1\] = 0"),
        (3.0, r"Lapack routine dgesv: system is exactly singular: U\[1,1\] = 0"),
    ],
)
def test_covariances_without_an_inverse_are_rs_error(column: Any, message: str) -> None:  # R 4.2.2
    data = np.column_stack([np.ones(12) * column, X[:12]])
    tree = rcompat.hclust(rcompat.dist(np.nan_to_num(data / 1e200)) ** 2, "average")
    with pytest.raises(RError, match=rf"^{message} \[no column may have missing"):
        rcompat.test_hier_clusters_exact(data, "average", tree, 2, 1, 2, iso=False)
