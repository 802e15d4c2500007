"""Sparse k-means against recorded answers of R 4.2.2 with sparcl 1.0.4: exact, no tolerances."""

from __future__ import annotations

import logging
import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sparsek.bits.ordered_arithmetic import find_threshold, long_deviation, long_sum
from sparsek.errors import RError, RWarning
from sparsek.rcompat import KMeansSparseCluster, KMeansSparseCluster_permute
from sparsek.rcompat.sparcl.permutations import _log
from sparsek.rcompat.stats import runs as rkmeans
from sparsek.rng import RRandom

ROW, COLUMN = np.arange(1, 13)[:, None], np.arange(1, 7)
X = (7 * ROW + 5 * COLUMN + ROW * COLUMN) % 11 / 2 + 6.0 * ((ROW > 6) & (COLUMN <= 2))  # column 4 is constant

WEIGHTS = [
    0.55283519303890549,
    0.83163514480439127,
    0.011461060372807506,
    0,
    0.051124055820276161,
    0.0033481749403707155,
]
LABELS = [1, 1, 1, 2, 2, 1, 3, 3, 3, 3, 3, 3]
UNDEFINED = "missing value where TRUE/FALSE needed"


@pytest.fixture
def rng():
    return RRandom(1)


def cluster(*args, **kwargs):
    return KMeansSparseCluster(*args, **kwargs, rng=RRandom(1))


# --- recorded answers -------------------------------------------------------------------------------------


def test_two_bounds(rng):
    first, second = KMeansSparseCluster(X, K=3, wbounds=[1.5, 2.2], rng=rng)
    for fit in (first, second):
        assert fit["ws"].tolist() == WEIGHTS
        assert fit["Cs"].tolist() == LABELS
        assert fit.wcss.wcss_perfeature.tolist() == [
            21.125, 18.020833333333336, 26.5625, 0, 19.458333333333332, 32.6875,
        ]  # fmt: skip
        assert fit.wcss.wcss_ws == 28.07406859562829
    assert first.crit.tolist() == [152.59621433203375, 161.7796788738554, 161.7796788738554]
    assert second.crit.tolist() == [161.7796788738554, 161.7796788738554]
    assert (first.wbound, second.wbound) == (1.5, 2.2)
    assert rng.runif(1)[0] == 0.60493329027667642


def test_given_centers(rng):
    (fit,) = KMeansSparseCluster(X, centers=X[[0, 1, 6]], wbounds=1.5, rng=rng)
    assert fit.ws.tolist() == WEIGHTS
    assert fit.Cs.tolist() == LABELS
    assert fit.crit.tolist() == [152.59621433203375, 161.7796788738554, 161.7796788738554]
    assert rng.runif(1)[0] == 0.68702284665778279


def test_decreasing_bounds():
    second = cluster(X, K=3, wbounds=[2.2, 1.2])[1]
    assert second.ws.tolist() == [0.22581403336797648, 0.97417042776615148, 0, 0, 0, 0]


def test_the_bound_holds_only_nearly():
    (fit,) = cluster(X, K=3, wbounds=1.3)
    assert fit.ws.tolist() == [0.37162024291601869, 0.92838483133614336, 0, 0, 0, 0]
    assert round(long_sum(fit.ws) * 1e6) == 1300005


def test_permute(rng):
    fit = KMeansSparseCluster_permute(X, K=2, nperms=3, nvals=3, rng=rng)
    assert fit.wbounds.tolist() == [1.2, 1.6264836064977206, 2.2045407685048604]
    assert fit.tots.tolist() == [139.00360795713601, 148.83961469574484, 148.83961469574484]
    assert fit.gaps.tolist() == [0.21679102441324982, 0.27577047625052575, 0.27577047625052575]
    assert fit.sdgaps.tolist() == [0.24402373299799945, 0.25047074255822482, 0.25047074255822482]
    assert fit.nnonzerows.tolist() == [2, 5, 5]
    assert fit.bestw == 1.6264836064977206
    assert fit.permtots.shape == (3, 3)
    assert rng.runif(1)[0] == 0.90454664779827


def test_default_bounds():
    bounds = [fit.wbound for fit in cluster(X, K=3)]
    assert len(bounds) == 20
    assert (bounds[0], bounds[-1]) == (1.1, math.sqrt(6))


# --- quirks of R ------------------------------------------------------------------------------------------


def test_q1_the_partition_is_carried_from_bound_to_bound():
    x = np.random.default_rng(3).normal(size=(30, 20))
    bounds = [1.3, 2.0, 3.0, 4.0]
    forward = cluster(x, K=4, wbounds=bounds)
    backward = cluster(x, K=4, wbounds=bounds[::-1])[::-1]
    assert any(a.Cs.tolist() != b.Cs.tolist() for a, b in zip(forward, backward, strict=True))


def test_q2_one_weight_left():
    x = np.column_stack([X[:, 0], np.zeros((12, 2))])
    with pytest.raises(RError, match="only one feature") as caught:
        cluster(x, K=2, wbounds=1.5)
    assert caught.value.r_message == "'dims' cannot be of length 0"
    assert cluster(x, K=2, wbounds=1.5, maxiter=1)[0].ws.tolist() == [1, 0, 0]
    assert cluster(X[:, :1], K=2, wbounds=2)[0].ws.tolist() == [1]


def test_q3_tiny_data_overshoot_the_bound():
    (fit,) = cluster(X * 1e-4, K=3, wbounds=1.3)
    assert fit.ws.tolist() == [
        0.47853689905759217,
        0.51371125975438559,
        0.41486902214700028,
        0,
        0.40712228794592087,
        0.4113858468182594,
    ]
    assert find_threshold(np.array([1e-6, 2e-6]), 1.01) < 0


@pytest.mark.parametrize("start", [{"K": 1}, {"centers": X[:1]}])
def test_q4_undefined_weights(start):
    with pytest.raises(RError, match="at least two clusters") as caught:
        cluster(X, wbounds=2, **start)
    assert caught.value.r_message == UNDEFINED


def test_q4_is_not_noticed_after_the_last_pass():
    for fit in cluster(X, K=1, wbounds=[2, 1.5], maxiter=1):
        assert np.isnan(fit.ws).all()
        assert np.isnan(fit.crit).tolist() == [True]


def test_q5_restarts_of_the_update_do_not_depend_on_nstart(monkeypatch):
    asked = []
    original = rkmeans.run_kmeans

    def spy(x, centers, **options):
        asked.append(options.get("nstart", 1) if isinstance(centers, int) else "centers")
        return original(x, centers, **options)

    monkeypatch.setattr(rkmeans, "run_kmeans", spy)
    cluster(X, K=2.7, wbounds=2, nstart=3)  # with a fractional K, R never keeps all prototypes
    assert asked[0] == 3
    assert set(asked[1:]) == {10}


def test_q6_negative_weight_is_an_error():
    gap = np.array([0, 0.1, 0.2, 0.3, 40, 40.1, 40.2, 40.3])
    equal_means = np.array([2, -2, 3, -3, 4, -4, 4, -4]) / 10 * 0.7  # its BCSS is 0 up to rounding
    x = np.column_stack([gap, gap[[1, 0, 3, 2, 5, 4, 7, 6]], equal_means])
    with pytest.warns(RWarning, match="^NaNs produced$"), pytest.raises(RError, match="rounding") as caught:
        cluster(x, K=2, wbounds=1.7)
    assert caught.value.r_message == "NA/NaN/Inf in foreign function call (arg 1)"


@pytest.mark.parametrize("maxiter", [0, -1])
def test_q7_no_pass_at_all(maxiter):
    (fit,) = cluster(X, K=3, wbounds=2, maxiter=maxiter)
    assert fit.ws.tolist() == [1 / math.sqrt(6)] * 6
    assert fit.crit.tolist() == []
    assert long_sum(fit.wcss["bcss.perfeature"]) > 0


# --- errors -----------------------------------------------------------------------------------------------

R_ERRORS = [
    ({"wbounds": 0.5}, "Must provide either K or centers."),
    (
        {"K": 3, "centers": X[:2, :4], "wbounds": 0.5},
        "If K and centers both are provided, then nrow(centers) must equal K!!!",
    ),
    (
        {"centers": X[:2, :4], "wbounds": 0.5},
        "If centers is provided, then ncol(centers) must equal ncol(x).",
    ),
    ({"K": 3, "wbounds": [2, 1]}, "wbounds should be greater than 1"),
    ({"K": 20}, "more cluster centers than distinct data points."),
    ({"K": math.inf}, "more cluster centers than distinct data points."),
    ({"K": 12}, "number of cluster centres must lie between 1 and nrow(x)"),
    ({"K": 0}, "number of cluster centres must lie between 1 and nrow(x)"),
    ({"K": -1}, "invalid 'size' argument"),
    ({"centers": X[[0, 0]]}, "initial centers are not distinct"),
    ({"centers": np.vstack([X, X + 1])}, "more cluster centers than data points"),
    ({"centers": X[:2] * math.nan}, "NA/NaN/Inf in foreign function call (arg 1)"),
]


@pytest.mark.parametrize(("arguments", "message"), R_ERRORS)
def test_errors_in_r_order(arguments, message):
    with pytest.raises(RError) as caught:
        cluster(X, **{"wbounds": 2, **arguments})
    assert caught.value.r_message == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"wbounds": [0.5]},
            "Wbounds should be greater than 1, since otherwise only one weight will be nonzero.",
        ),
        ({"wbounds": 2}, "Wbounds should be a vector of at least two elements."),
        ({"nvals": 1}, "Wbounds should be a vector of at least two elements."),
        ({"wbounds": [2, 3]}, "Must provide either K or centers."),
        (
            {"K": 3, "centers": X[:2]},
            "If K and centers both are provided, then nrow(centers) must equal K!!!",
        ),
        ({"centers": X[:2, :3]}, "If centers is provided, then ncol(centers) must equal ncol(x)."),
    ],
)
def test_permute_errors_in_r_order(arguments, message, rng):
    before = rng.random_seed
    with pytest.raises(RError) as caught:
        KMeansSparseCluster_permute(X, **arguments, rng=rng)
    assert caught.value.r_message == message
    assert np.array_equal(before, rng.random_seed)


def test_one_column_has_no_default_bounds():
    with pytest.raises(RError, match="wbounds should be greater than 1"):
        cluster(X[:, :1], K=2)
    with pytest.raises(RError, match="Wbounds should be greater than 1"):
        KMeansSparseCluster_permute(X[:, :1], K=2)


@pytest.mark.parametrize("function", [KMeansSparseCluster, KMeansSparseCluster_permute])
@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (X[:, 0], ValueError, "one dimension"),
        (X[None], ValueError, "dimensions"),
        (X[:0], ValueError, "empty"),
        (X.astype(complex), TypeError, "real numbers"),
        (X.astype(str), TypeError, "real numbers"),
        (X.astype(str).astype(object), TypeError, "real numbers"),
        (sparse.csr_matrix(X), TypeError, "sparse"),
    ],
)
def test_bad_data_before_any_draw(function, x, error, message, rng):
    before = rng.random_seed
    with pytest.raises(error, match=message):
        function(x, K=2, rng=rng)
    assert np.array_equal(before, rng.random_seed)


@pytest.mark.parametrize("function", [KMeansSparseCluster, KMeansSparseCluster_permute])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_values_are_the_error_of_the_first_kmeans(function, bad, rng):
    x = np.where(X == 0, bad, X)
    with pytest.raises(RError, match=r"x\[\d+, \d\] is (nan|inf)") as caught:
        function(x, K=2, rng=rng)
    assert caught.value.r_message == "NA/NaN/Inf in foreign function call (arg 1)"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"wbounds": []}, ValueError),
        ({"wbounds": [2, math.nan]}, ValueError),
        ({"wbounds": [[2, 3]]}, ValueError),
        ({"nstart": 0}, ValueError),
        ({"nstart": 1.5}, ValueError),
        ({"maxiter": math.nan}, ValueError),
        ({"K": math.nan}, ValueError),
        ({"K": "a"}, TypeError),
        ({"K": [2, 3]}, TypeError),
    ],
)
def test_bad_arguments(arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        cluster(X, **{"K": 2, "wbounds": 2, **arguments})


@pytest.mark.parametrize("arguments", [{"nperms": 0}, {"nperms": 2.5}, {"nvals": 0}])
def test_bad_permute_arguments(arguments, rng):
    with pytest.raises(ValueError, match="whole number of at least 1"):
        KMeansSparseCluster_permute(X, K=2, **arguments, rng=rng)


def test_one_row_cannot_be_permuted(rng):
    with pytest.raises(ValueError, match="at least 2 rows"):
        KMeansSparseCluster_permute(X[:1], K=1, rng=rng)


def test_not_finite_sums_of_squares():
    with np.errstate(invalid="ignore"), pytest.raises(RError, match="rescale") as caught:
        find_threshold(np.array([1.0, np.inf]), 1.2)
    assert caught.value.r_message == UNDEFINED


# --- other properties -------------------------------------------------------------------------------------


def test_frames_give_the_same_and_input_is_not_changed():
    x = X.copy()
    plain, frame = cluster(x, K=3, wbounds=1.5)[0], cluster(pd.DataFrame(x), K=3, wbounds=1.5)[0]
    assert plain.ws.tolist() == frame.ws.tolist()
    assert np.array_equal(x, X)


def test_one_permutation_has_no_deviation(rng):
    fit = KMeansSparseCluster_permute(X, K=2, nperms=1, nvals=3, rng=rng)
    assert np.isnan(fit.sdgaps).all()
    assert " NA\n" in str(fit)


def test_progress_goes_to_the_log(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="sparsek"):
        cluster(X, K=3, wbounds=[1.5, 2])
        KMeansSparseCluster_permute(X, K=2, nperms=1, nvals=2, rng=RRandom(1))
        cluster(X, K=3, wbounds=[1.5, 2], silent=True)
    assert [r.getMessage() for r in caplog.records] == [
        "bound 1 of 2",
        "bound 2 of 2",
        "permutation 0 of 1",
        "permutation 1 of 1",
    ]
    assert capsys.readouterr().out == ""


def test_logarithm_and_deviation_at_the_edge():
    assert [_log(0.0), _log(1.0)] == [-math.inf, 0.0]
    assert math.isnan(_log(-1.0))
    assert math.isnan(long_deviation(np.array([1.0])))
    assert long_deviation(np.array([1.0, 3.0])) == math.sqrt(2)
