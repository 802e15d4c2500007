"""Each deviation from R in validation/report/deviations.toml, shown by R's result and ours.

R's result comes from `rcompat`, which the parity tests compare with R, or is R's own number.
"""

import logging

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from sparsek import SKFR, SparseKMeans, rcompat
from sparsek.errors import RError
from sparsek.rng import RRandom

# 12 rows of 6 features: rows 7 to 12 differ in the first two, the fourth is constant.
ROW, COLUMN = np.arange(1, 13)[:, None], np.arange(1, 7)
X = (7 * ROW + 5 * COLUMN + ROW * COLUMN) % 11 / 2 + 6.0 * ((ROW > 6) & (COLUMN <= 2))
# Sums of six weights of size 1: rounding stays within a few units in the last place.
ROUNDING = 1e-14


def test_errors_carry_the_message_of_r_and_a_remedy() -> None:
    with pytest.raises(RError) as caught:
        rcompat.KMeansSparseCluster(X, K=3, wbounds=0.8)
    assert caught.value.r_message == "wbounds should be greater than 1"
    assert str(caught.value).startswith(caught.value.r_message)
    assert "0.8" in str(caught.value)


def test_progress_is_logged_not_printed(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="sparsek"):
        rcompat.KMeansSparseCluster(X, K=3, wbounds=1.5, silent=True, rng=RRandom(1))
        assert caplog.records == []
        rcompat.KMeansSparseCluster(X, K=3, wbounds=1.5, rng=RRandom(1))  # R's default is silent = FALSE
    assert caplog.records
    assert capsys.readouterr().out == ""


def test_l1_bound_is_met_exactly() -> None:
    (fit,) = rcompat.KMeansSparseCluster(X, K=3, wbounds=1.3, rng=RRandom(1))
    assert fit.ws.sum() == pytest.approx(1.3000050742521621, abs=ROUNDING)  # R 4.2.2, sparcl 1.0.4
    ours = SparseKMeans(3, l1_bound=1.3, random_state=1).fit(X)
    assert ours.feature_weights_.sum() == pytest.approx(1.3, abs=ROUNDING)


def test_weights_do_not_depend_on_the_scale() -> None:
    (fit,) = rcompat.KMeansSparseCluster(X * 1e-4, K=3, wbounds=1.3, rng=RRandom(1))
    assert fit.ws.sum() == pytest.approx(2.2256253157231582, abs=ROUNDING)  # R 4.2.2, sparcl 1.0.4
    unit, tiny = (SparseKMeans(3, l1_bound=1.3, random_state=1).fit(X * scale) for scale in (1, 2.0**-14))
    # A power of two scales every number without rounding.
    np.testing.assert_array_equal(tiny.feature_weights_, unit.feature_weights_)


def test_rcompat_chains_the_bounds_as_r_does() -> None:
    noise = np.random.default_rng(3).normal(size=(60, 12))
    alone = rcompat.KMeansSparseCluster(noise, K=4, wbounds=1.3, rng=RRandom(1))[0]
    chained = rcompat.KMeansSparseCluster(noise, K=4, wbounds=[3.0, 1.3], rng=RRandom(1))[1]
    assert not np.array_equal(alone.ws, chained.ws)


def test_one_feature_is_a_solution() -> None:
    ours = SparseKMeans(3, l1_bound=1, random_state=1).fit(X)
    assert ours.get_support().sum() == 1
    with pytest.raises(RError, match="wbounds should be greater than 1"):
        rcompat.KMeansSparseCluster(X, K=3, wbounds=1, rng=RRandom(1))


def test_one_cluster_has_zero_weights() -> None:
    ours = SparseKMeans(1, l1_bound=1.5, random_state=1).fit(X)
    np.testing.assert_array_equal(ours.feature_weights_, np.zeros(6))
    with pytest.raises(RError) as caught:
        rcompat.KMeansSparseCluster(X, K=1, wbounds=1.5, rng=RRandom(1))
    assert caught.value.r_message == "missing value where TRUE/FALSE needed"


def test_criterion_matches_that_of_rcompat_on_wine() -> None:
    data = load_wine().data
    z = (data - data.mean(axis=0)) / data.std(axis=0, ddof=1)
    (fit,) = rcompat.KMeansSparseCluster(z, K=3, wbounds=2, rng=RRandom(1))
    ours = SparseKMeans(3, l1_bound=2, random_state=1).fit(z)
    # Different inner solvers, same optimum here; R's weights miss the bound by up to 8e-5, hence four digits.
    assert -ours.objective_ == pytest.approx(fit.crit[-1], rel=1e-4)


def test_skfr_with_every_feature_is_lloyd() -> None:
    data = load_wine().data
    z = (data - data.mean(axis=0)) / data.std(axis=0, ddof=1)
    labels = np.arange(len(z)) % 3
    ours = SKFR(3, n_features_to_select=13, init=labels, standardize=True).fit(data)
    start = np.array([z[labels == k].mean(axis=0) for k in range(3)])
    lloyd = KMeans(3, init=start, n_init=1, tol=0, algorithm="lloyd").fit(z)
    assert ours.get_support().all()
    np.testing.assert_array_equal(ours.labels_, lloyd.labels_)


def test_skfr_keeps_the_first_of_equal_features() -> None:
    # The authors' sparsekmeans1 and sparsekmeans2 select feature 2 (index 1) from these labels.
    data = np.array([[0, 0, 1], [1, 1, 2], [0, 0, 1], [9, 9, 2], [8, 8, 1], [9, 9, 3.0]])
    ours = SKFR(2, 1, init=np.array([0, 0, 0, 1, 1, 0])).fit(data)
    assert ours.get_support(indices=True).tolist() == [0]
    assert ours.labels_.tolist() == [0, 0, 0, 1, 1, 1]  # as in their code
    # Their code prints 0.9070841, with 7 digits.
    np.testing.assert_allclose(ours.standardized_centers_[:, 0], [-0.9070841, 0.9070841], atol=5e-8)


def test_skfr_warns_at_max_iter() -> None:
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        SKFR(3, 6, max_iter=1, n_init=2, random_state=1).fit(load_wine().data)
