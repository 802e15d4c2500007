"""Gmedian's functions: R's reference cases, the literal algorithms, edges, bad input, invariances."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import rcompat
from sparsek.bits.armadillo import column_norms, norm, stored_norm
from sparsek.engine import set_engine
from sparsek.errors import RError, RWarning
from sparsek.rcompat.gmedian import literal
from sparsek.rcompat.gmedian import medians as core
from sparsek.rcompat.gmedian.api import as_whole
from sparsek.rcompat.gmedian.recursive_kmedians import kgmedian
from sparsek.rng import RRandom

pytestmark = pytest.mark.engines

X = RRandom(1).rnorm(60).reshape(20, 3, order="F")  # the small data set of the reference cases
# R prints 15 digits: the last one is rounded.
PRINTED = 1e-14


def near(value: object, *expected: float) -> bool:
    """Whether values equal what R printed."""
    return np.allclose(np.ravel(value), expected, rtol=PRINTED, atol=0)


def test_gmedian_reference_cases() -> None:
    assert near(rcompat.Gmedian(X), 0.076690086056002, 0.118786522802145, -0.0720213508196828)
    assert near(rcompat.Gmedian(X, nstart=1), 0.238951106101264, 0.0123030633840768, -0.00263431243694019)
    given = rcompat.Gmedian(X, init=[0, 0, 0], gamma=1, alpha=0.6, nstart=1)
    assert near(given, 0.137533101488527, 0.0535758442851078, -0.0233240378281985)
    small = rcompat.Gmedian([[0, 0], [3, 4], [1, 0]], nstart=1)
    assert near(small, 0.669927220336714, 0.483363426312008)


def test_weiszfeld_reference_cases() -> None:
    fit = rcompat.Weiszfeld(X)
    assert near(fit.median, 0.19589007298272, 0.0867810591677785, 0.0356999996359027)
    assert fit.iter == 18
    fit = rcompat.Weiszfeld(X, weights=range(1, 21))
    assert near(fit.median, 0.309405346066566, 0.0782306112584332, 0.0380421319323064)
    assert fit.iter == 17


def test_covariation_reference_cases() -> None:
    fit = rcompat.GmedianCov(X)
    m = fit.covmedian
    assert near(m[0], 0.616262550738929, -0.183240874867654, -0.0483253919708996)
    assert near(m[[1, 1, 2], [1, 2, 2]], 0.407331034518168, -0.0575503678415879, 0.452540638541889)
    # Eigenvectors: rounding divided by the gap between eigenvalues, here a few units of 1e-15.
    np.testing.assert_allclose(fit.sdev, [0.934198415587320, 0.769891420848591], rtol=1e-13)
    column = [0.867939637491375, 0.494160287154092, 0.049863777144592]
    np.testing.assert_allclose(abs(fit.vectors[:, 0]), column, rtol=1e-13)
    m = rcompat.GmedianCov(X, nn=False).covmedian
    assert near(m[[0, 0, 2], [0, 1, 2]], 0.501033793745877, -0.0925079257257984, 0.448892593698004)
    fit = rcompat.WeiszfeldCov(X)
    m = fit.covmedian[[0, 0, 1, 2], [0, 1, 2, 2]]
    assert near(m, 0.337003619622025, -0.0540891337530926, -0.0423595304821324, 0.333745755485330)
    np.testing.assert_allclose(fit.sdev, [0.729662955161091, 0.718013797402465], rtol=1e-13)
    assert (fit.iterm, fit.itercov) == (18, 15)


def test_kgmedian_reference_cases() -> None:
    rng = RRandom(1)
    fit = rcompat.kGmedian(X, 2, rng=rng)
    assert fit.cluster.ravel().tolist() == [1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1]
    assert near(fit.withinsrs, 12.41529525134520, 2.75147262877176)
    assert near(fit.centers[0], -0.0201844156283248, 0.281836201125965, -0.127194399206233)
    assert near(rng.runif(1), 0.293603372760117)
    fit = rcompat.kGmedian(X, X[:3], nstart=1)
    assert fit.cluster.ravel().tolist() == [1, 2, 1, 3, 2, 1, 3, 3, 3, 3, 2, 2, 1, 1, 3, 3, 3, 2, 2, 2]
    assert near(fit.withinsrs, 3.55021140079382, 4.50458495407128, 6.49011043765770)
    rng = RRandom(5)
    fit = rcompat.kGmedian(X, 3, gamma=0.5, alpha=0.66, nstart=4, nstartkmeans=3, rng=rng)
    assert near(fit.withinsrs, 6.82735076500520, 2.70422636043124, 4.15461397308800)
    assert near(rng.runif(1), 0.397680514957756)
    assert fit.size.ravel().sum() == 20


matrices = st.tuples(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 40), st.booleans())


def draw_matrix(setting: tuple[int, int, int, bool]) -> np.ndarray:
    """A normal matrix, or a rounded one with ties."""
    seed, n, p, rounded = setting
    x = np.random.default_rng(seed).normal(size=(n, p))
    return np.round(x) if rounded else x


def decays(first: int, last: int, exponent: float = -0.75) -> np.ndarray:
    """Powers of whole numbers, as C takes them."""
    return np.array([math.pow(i, exponent) for i in range(first, last + 1)])


@settings(max_examples=40)
@given(matrices)
def test_medians_equal_the_literal_algorithms(setting: tuple[int, int, int, bool]) -> None:
    x = draw_matrix(setting)
    n, p = x.shape
    weights = np.arange(n) % 4 + 0.5
    with set_engine("numpy"):
        median = core.gmedian(x, 2, 0.75, 2, 1e-8)
        center, count = core.weiszfeld(x, weights, 1e-8, 100)
    expected = literal.gmedian(x, math.sqrt(p) * 2 * decays(2, n), 2, 1e-8)
    np.testing.assert_array_equal(median, expected)
    expected, n_iter, _ = literal.weiszfeld(x, weights, 1e-8, 100)
    np.testing.assert_array_equal(center, expected)
    assert count == n_iter


@settings(max_examples=25)
@given(st.tuples(st.integers(0, 10**6), st.integers(2, 20), st.integers(1, 9), st.just(False)))
def test_covariations_equal_the_literal_algorithms(setting: tuple[int, int, int, bool]) -> None:
    x = draw_matrix(setting)
    n, p = x.shape
    median, weights = x.mean(axis=0) + 0.1, np.arange(n) % 3 + 1.0
    z, sizes = x - median, p * 2 * decays(2, n)
    with set_engine("numpy"):
        for nonnegative in (True, False):
            matrix = core.median_covariation(x, median, 2, 0.75, 1, nonnegative)
            expected = literal.median_covariation(z, sizes, 1, nonnegative)
            np.testing.assert_array_equal(matrix.ravel(), expected)
        matrix, count = core.weiszfeld_covariation(x, median, weights, 1e-8, 20)
    expected, n_iter, _ = literal.weiszfeld_covariation(z, weights, 1e-8, 20)
    np.testing.assert_array_equal(matrix.ravel(), expected)
    assert count == n_iter


def test_covariation_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with set_engine("numpy"):
        whole = core.weiszfeld_covariation(X, X[0], np.ones(20), 1e-8, 30)
        monkeypatch.setattr(core, "BLOCK_CELLS", 4 * 9 * 3)  # three rows at a time
        blocks = core.weiszfeld_covariation(X, X[0], np.ones(20), 1e-8, 30)
    np.testing.assert_array_equal(whole[0], blocks[0])


@settings(max_examples=30)
@given(matrices, st.integers(1, 4), st.integers(1, 3))
def test_recursion_equals_the_literal_algorithm(setting: tuple, k: int, n_starts: int) -> None:
    x = draw_matrix(setting)
    starts = x[np.random.default_rng(setting[0]).integers(0, len(x), (n_starts, k))]
    centers = starts.reshape(-1, x.shape[1]).T.copy()
    averages, within = centers.copy(), np.zeros(n_starts * k)
    labels = np.empty((n_starts, len(x)), dtype=np.int64)
    assert literal.kmedians(x, centers, k, decays(1, len(x), 0.75), 1, averages, labels, within)
    within = within.reshape(n_starts, k)
    best = min(range(n_starts), key=lambda s: math.fsum(within[s]))
    with set_engine("numpy"):
        fit = kgmedian(x, starts, 1, 0.75)
    np.testing.assert_array_equal(fit.centers, averages.T.reshape(starts.shape)[best])
    np.testing.assert_array_equal(fit.labels, labels[best])
    np.testing.assert_array_equal(fit.within, within[best])


def answers(calls: list) -> list:
    """Bits of what each call returns, or its error, by both engines."""
    found = []
    for engine in ("numpy", "compiled"):
        with set_engine(engine), warnings.catch_warnings():
            warnings.simplefilter("ignore", RWarning)
            for call in calls:
                try:
                    values = call()
                    parts = values.values() if isinstance(values, dict) else [values]
                    arrays = [np.asarray(part, dtype=float) for part in parts]
                    found.append([np.where(np.isnan(a), np.nan, a).tobytes() for a in arrays])
                except (RError, ValueError) as error:
                    found.append([str(error)])
    return found


@pytest.mark.compiled
@settings(max_examples=12, deadline=None)
@given(matrices, st.sampled_from([1e-170, 1e-100, 1.0, 1e155]), st.sampled_from([None, 0.0, np.nan, np.inf]))
def test_both_engines_give_the_same(setting: tuple, scale: float, special: float | None) -> None:
    x = draw_matrix(setting) * scale
    if special is not None:
        x.ravel()[setting[0] % x.size] = special
    x.flags.writeable = False
    n = len(x)
    calls = [
        lambda: rcompat.kGmedian(x, 2, nstart=3, nstartkmeans=2, rng=RRandom(setting[0] % 999)),
        lambda: rcompat.kGmedian(x, x[: n // 2 + 1], gamma=3, alpha=0.6, nstart=1),
        lambda: rcompat.kGmedian(x, 2, gamma=1e308, alpha=-300, rng=RRandom(1)),
    ]
    for init in (None, x[-1] + scale):
        calls.append(lambda init=init: rcompat.Gmedian(x, init=init))
        calls.append(lambda init=init: rcompat.GmedianCov(x, init=init, scores=0, nstart=2))
        calls.append(lambda init=init: rcompat.GmedianCov(x, init=init, scores=0, nn=False, alpha=-400))
    for weights in (None, np.arange(n) % 3, [1.0, 2.0]):
        calls.append(lambda weights=weights: rcompat.Weiszfeld(x, weights=weights, nitermax=9))
        calls.append(lambda weights=weights: rcompat.WeiszfeldCov(x, weights=weights, scores=0, nitermax=9))
    found = answers(calls)
    assert found[: len(calls)] == found[len(calls) :]


@settings(max_examples=30)
@given(matrices, st.sampled_from([1e-170, 1e-100, 1.0, 1e160]))
def test_norms_of_any_scale(setting: tuple[int, int, int, bool], scale: float) -> None:
    v = draw_matrix(setting)[0] * scale
    exact = math.hypot(*v)
    # p + 3 roundings of half a unit each, p up to 40.
    with np.errstate(over="ignore"):
        values = norm(v), stored_norm(v), column_norms(v[:, None])[0]
        assert values[:2] == (literal.norm(v), literal.stored_norm(v))
    for value in values:
        assert value == pytest.approx(exact, rel=43 * 2**-53, abs=0)


@np.errstate(over="ignore")
@pytest.mark.parametrize("scale", [2.0**-530, 2.0**-500, 2.0**500])
def test_blas_norm_out_of_the_middle_range(scale: float) -> None:
    v = np.linspace(0.5, 2, 40) * scale
    assert stored_norm(v) == pytest.approx(math.hypot(*v), rel=43 * 2**-53)
    mixed = np.concatenate([v, np.ones(40)])
    assert stored_norm(mixed) == pytest.approx(math.hypot(*mixed), rel=83 * 2**-53)
    assert stored_norm(v) == literal.stored_norm(v)
    assert stored_norm(mixed) == literal.stored_norm(mixed)


def test_norm_of_what_is_not_finite_is_nan() -> None:
    for bad in (np.nan, np.inf):
        for functions in ((norm, stored_norm), (literal.norm, literal.stored_norm)):
            with np.errstate(invalid="ignore"):
                assert math.isnan(functions[0](np.array([1.0, bad])))
                assert math.isnan(functions[1](np.array([1.0, bad] * 20)))


def test_gmedian_edges() -> None:
    np.testing.assert_array_equal(rcompat.Gmedian(X[:1]), X[:1])
    np.testing.assert_array_equal(rcompat.Gmedian(X, nstart=0), X[:1])
    np.testing.assert_array_equal(rcompat.Gmedian(X[:, 0]), rcompat.Gmedian(X[:, :1]))
    gap = X.copy()
    gap[3, 1] = np.nan
    assert np.isfinite(rcompat.Gmedian(gap)).all()  # a later row with a missing value is passed over
    gap[0, 1] = np.nan
    assert np.isnan(rcompat.Gmedian(gap)).tolist() == [[False, True, False]]
    with pytest.warns(RWarning, match="not a multiple"):
        rcompat.Gmedian(X, init=[1, 2])
    with pytest.raises(RError, match="number of columns of matrices must match"):
        rcompat.Gmedian(X, init=np.zeros((2, 2)))
    with pytest.raises(TypeError, match="gamma"):
        rcompat.Gmedian(X, gamma=[1, 2])


def test_weiszfeld_edges() -> None:
    assert rcompat.Weiszfeld(X, nitermax=0).iter == 0
    constant = rcompat.Weiszfeld(np.full((4, 2), 3.0))
    assert (constant.median.tolist(), constant.iter) == ([[3.0, 3.0]], 1)
    assert np.isnan(rcompat.Weiszfeld(X, weights=np.zeros(20)).median).all()
    np.testing.assert_array_equal(
        rcompat.Weiszfeld(X, weights=range(1, 26)).median, rcompat.Weiszfeld(X, weights=range(1, 21)).median
    )
    with pytest.raises(RError, match="index out of bounds"):
        rcompat.Weiszfeld(X, weights=[1, 2])


def test_covariation_errors() -> None:
    for function in (rcompat.GmedianCov, rcompat.WeiszfeldCov):
        with pytest.raises(RError, match="dimension of 'A' must be at least 3"):
            function(X[:, :2])
        with pytest.raises(RError, match="0 < k < nrow"):
            function(X, scores=4)
        with pytest.raises(RError, match="missing value where"):
            function(X, scores=math.nan)
        with pytest.warns(RWarning, match="all eigenvalues"):
            assert function(X, scores=3).vectors.shape == (3, 3)
    assert list(rcompat.GmedianCov(X, scores=0)) == ["median", "covmedian"]
    assert list(rcompat.WeiszfeldCov(X, scores=0)) == ["median", "covmedian", "iterm", "itercov"]
    with pytest.raises(RError, match="eigen decomposition failed"):
        rcompat.WeiszfeldCov(X[:1])
    with pytest.raises(RError, match="Not a matrix"):
        rcompat.GmedianCov(X[:, 0])
    with pytest.raises(RError, match="missing value where"):
        rcompat.GmedianCov(X, nn=math.nan)


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    np.testing.assert_array_equal(rcompat.Gmedian(frame), rcompat.Gmedian(X))
    assert rcompat.kGmedian(frame, 2, rng=RRandom(1)).column_names == ["a", "b", "c"]
    with pytest.raises(RError, match="Not compatible with requested type"):
        rcompat.GmedianCov(frame)
    with pytest.raises(RError, match="invalid 'size' argument"):
        rcompat.kGmedian(X, frame, rng=RRandom(1))


def test_eigenvectors_have_unit_length_and_a_sign() -> None:
    vectors = rcompat.WeiszfeldCov(X).vectors
    np.testing.assert_allclose(
        vectors.T @ vectors, np.eye(2), atol=1e-14
    )  # rounding of a product of unit vectors
    assert (vectors[np.abs(vectors).argmax(axis=0), [0, 1]] > 0).all()


def test_axes_are_chosen_by_magnitude_and_listed_by_value() -> None:
    vectors = core.principal_axes(np.diag([3.0, -5.0, 1.0]), 2)
    np.testing.assert_array_equal(vectors, np.eye(3)[:, :2])


def test_tau_scale() -> None:
    x = np.random.default_rng(0).normal(size=20_000)
    assert core.scale_tau2(x) == pytest.approx(
        1, abs=0.03
    )  # four standard errors: 1 / sqrt(2 n) over efficiency
    assert core.scale_tau2(np.array([1.0, 1.0, 1.0, 5.0])) == 0
    spread = core.scale_tau2(x[:50])
    assert core.scale_tau2(-4 * x[:50] + 7) == pytest.approx(4 * spread, rel=1e-12)  # rounding of the shift


def test_kgmedian_refuses_what_r_leaves_undefined() -> None:
    gap = X.copy()
    gap[3, 1] = np.nan
    with pytest.raises(ValueError, match="must be finite"):
        rcompat.kGmedian(gap, X[:2], nstart=1)
    with pytest.raises(ValueError, match="must be finite"):
        rcompat.kGmedian(X, gap[2:4], nstart=1)
    with pytest.raises(ValueError, match="gamma and alpha must be finite"):
        rcompat.kGmedian(X, gamma=math.nan)
    with pytest.raises(ValueError, match="no distance to any centre"):
        rcompat.kGmedian(X, 2, gamma=1e308, alpha=-300, rng=RRandom(1))
    with pytest.raises(RError, match="NA/NaN/Inf in foreign function call"):
        rcompat.kGmedian(gap, 2, rng=RRandom(1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ncenters": 21}, "more cluster centers than distinct data points."),
        ({"ncenters": 0}, "length of 'dimnames' [1] not equal to array extent"),
        ({"ncenters": -1}, "invalid 'size' argument"),
        ({"ncenters": 1}, "Not a matrix."),
        ({"ncenters": [1, 2, 3]}, "must have same number of columns in 'x' and 'centers'"),
        ({"ncenters": np.ones((2, 2))}, "subtraction: incompatible matrix dimensions: 1x3 and 1x2"),
        ({"nstart": math.nan}, "missing value where TRUE/FALSE needed"),
        ({"nstartkmeans": 0}, "argument is of length zero"),
        ({"iter_max": 0}, "'iter.max' must be positive"),
    ],
)
def test_kgmedian_errors_of_r(arguments: dict, message: str) -> None:
    with pytest.raises(RError) as caught:
        rcompat.kGmedian(X, **arguments, rng=RRandom(1))
    assert caught.value.r_message == message


def test_kgmedian_with_a_start_that_lost_a_cluster() -> None:
    # Squares of 1e-170 underflow: k-means puts all rows in one cluster; the other centres are undefined.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RWarning)
        fit = rcompat.kGmedian(X * 1e-170, 3, nstart=1, rng=RRandom(1))
    assert fit.size.ravel().tolist() == [20, 0, 0]
    assert np.isnan(fit.centers[1:]).all()


def test_input_is_not_changed() -> None:
    x = X.copy()
    for call in (rcompat.Gmedian, rcompat.Weiszfeld, rcompat.GmedianCov, rcompat.WeiszfeldCov):
        call(x)
    rcompat.kGmedian(x, x[:2], rng=RRandom(1))
    np.testing.assert_array_equal(x, X)


def test_norm_of_the_smallest_numbers():
    least = 2.0**-1074  # 64 entries of three times the smallest number: their norm is 8 * 3 of it
    assert stored_norm(np.full(64, 3 * least)) == 24 * least


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (2.9, 2),
        (-2.9, -2),
        (1e12, 2**31 - 1),
        (math.inf, 2**31 - 1),
        (-1e12, -(2**31)),
        (-math.inf, -(2**31)),
    ],
)
def test_numbers_are_cut_to_the_range_of_integers(given, expected):
    assert as_whole(given, "ncenters") == expected


@pytest.mark.parametrize("function", [rcompat.Weiszfeld, rcompat.WeiszfeldCov])
def test_a_search_without_an_end_is_given_up(function, monkeypatch):
    """R runs forever here: the steps stop shrinking above epsilon."""
    monkeypatch.setattr("sparsek.rcompat.gmedian.medians.MOST_STEPS", 300)
    x = np.random.default_rng(3).normal(size=(40, 3))
    with pytest.raises(ValueError, match="give a finite nitermax"):
        function(x, epsilon=-1.0, nitermax=np.inf)


def test_the_covariance_takes_no_data_frame():
    with pytest.raises(
        RError, match=r"type=list; target=double.*R takes no data frame here: pass np.asarray\(X\)"
    ):
        rcompat.GmedianCov(pd.DataFrame(np.eye(4)))
