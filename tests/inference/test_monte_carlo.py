"""The Monte Carlo test: its estimate, kept clusters, missing values, constraints, checkpoints, errors."""

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import KernelKMeans, KPod, PCKMeans, SparseKMeans, inference
from sparsek.inference.monte_carlo import Draws, difference_in_data, same_clusters, warn_of_few_draws
from sparsek.inference.noise import Noise
from sparsek.selective.truncated import truncated_chi_tail

# Data and sigma are chosen for what is tested here; tests/inference/test_assumptions.py has the checks.
pytestmark = pytest.mark.filterwarnings("ignore::sparsek.errors.AssumptionWarning")

GROUPS = np.arange(24) % 2
DATA = X = np.random.default_rng(3).normal(size=(24, 3))


class Halves(BaseEstimator):
    """Even and odd rows, which are one cluster if their means are closer than `least`."""

    fits: ClassVar[list[int]] = []

    def __init__(self, least: float = 0.0) -> None:
        self.least = least

    def fit(self, X: np.ndarray, y: object = None) -> Self:
        self.fits.append(len(X))
        apart = np.linalg.norm(X[::2].mean(axis=0) - X[1::2].mean(axis=0))
        self.labels_ = GROUPS if apart >= self.least else np.zeros(24, dtype=int)
        return self


class Once(Halves):
    """Finds the two clusters in the very data only."""

    def fit(self, X: np.ndarray, y: object = None) -> Self:
        self.labels_ = GROUPS if np.array_equal(X, DATA) else np.zeros(24, dtype=int)
        return self


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_the_estimate_is_the_truncated_tail(share: float) -> None:
    statistic = float(np.linalg.norm(X[::2].mean(axis=0) - X[1::2].mean(axis=0)))
    least = share * statistic
    found = inference.test_clusters(Halves(least), X, 0, 1, sigma=1.0, n_draws=2500)
    scale = np.sqrt(2 / 12)
    expected = truncated_chi_tail(statistic / scale, np.array([[least / scale, np.inf]]), 3)
    assert found.statistic == pytest.approx(statistic, rel=1e-14)
    assert abs(found.p_value - expected) < 4 * found.standard_error
    assert 0 < found.standard_error < 0.02
    assert found.intervals is None
    assert (expected == pytest.approx(found.naive_p_value, rel=1e-12)) == (share == 0)


def test_the_standard_error_is_that_of_repeated_estimates() -> None:
    runs = [
        inference.test_clusters(Halves(), X, 0, 1, 1.0, n_draws=200, random_state=seed) for seed in range(40)
    ]
    spread = np.std([run.p_value for run in runs])
    told = np.mean([run.standard_error for run in runs])
    assert 0.7 < spread / told < 1.4  # forty runs know a standard deviation to about a ninth


def test_clusters_are_kept_whatever_their_numbers() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2])
    assert same_clusters(labels, np.array([5, 5, 0, 0, 1, 2]), (0, 1))  # the third may split
    assert not same_clusters(labels, np.array([0, 0, 1, 1, 1, 2]), (0, 1))
    assert not same_clusters(labels, np.array([0, 3, 1, 1, 2, 2]), (0, 1))


def test_missing_values_leave_the_contrast_of_the_observed_entries() -> None:
    holes = X.copy()
    holes[::5, 1] = np.nan
    contrast = np.where(GROUPS == 0, 1 / 12, -1 / 12)
    whole, part, freedom = difference_in_data(X, contrast, Noise(1.0))
    with_holes, moved, same = difference_in_data(holes, contrast, Noise(1.0))
    assert freedom == same == 3
    assert np.array_equal(np.isnan(moved), np.zeros_like(moved, dtype=bool))
    assert not moved[::5, 1].any()
    after = holes - moved  # the data at the statistic 0: equal observed means
    for column in range(3):
        means = [np.nanmean(after[group == GROUPS, column]) for group in (0, 1)]
        assert means[0] == pytest.approx(means[1], abs=1e-14)
    np.testing.assert_allclose(moved[:, 0], part[:, 0], rtol=1e-12)
    assert 0.5 * whole < with_holes < 2 * whole
    with pytest.raises(ValueError, match="sigma must be a number, not a covariance matrix"):
        difference_in_data(holes, contrast, Noise(np.eye(3)))


@pytest.mark.filterwarnings("ignore:p rests on", "ignore:no draw kept")
@pytest.mark.parametrize(
    ("model", "options"),
    [
        (SparseKMeans(2, l1_bound=1.5, n_init=1, random_state=0, standardize=False), {}),
        (KernelKMeans(2, n_init=1, random_state=0), {}),
        (KPod(2, n_init=1, random_state=0), {"holes": True}),
        (PCKMeans(2, n_init=1, random_state=0), {"fit_params": {"must_link": [[0, 2]]}}),
        (make_pipeline(StandardScaler(), KMeans(2, n_init=1, random_state=0)), {}),
    ],
)
def test_any_estimator_is_taken(model: Any, options: dict[str, Any]) -> None:
    data = X + 3 * GROUPS[:, None]
    if options.pop("holes", False):
        data[::7, 2] = np.nan
    found = inference.test_clusters(model, data, 0, 1, sigma=1.0, n_draws=40, **options)
    assert 0 < found.p_value < 0.5
    assert found.naive_p_value < 1e-6
    assert not hasattr(model, "labels_")  # the caller's estimator is never fitted


def test_results_do_not_depend_on_the_number_of_jobs() -> None:
    one = inference.test_clusters(Halves(0.1), X, 0, 1, 1.0, n_draws=130)
    assert inference.test_clusters(Halves(0.1), X, 0, 1, 1.0, n_draws=130, n_jobs=2) == one


def test_a_checkpoint_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "draws"
    found = inference.test_clusters(Halves(0.1), X, 0, 1, 1.0, n_draws=130, checkpoint=folder)
    stored = sorted(folder.glob("*.npy"))
    assert len(stored) == 7  # of 20 draws each
    stored[2].unlink()
    before = len(Halves.fits)
    assert inference.test_clusters(Halves(0.1), X, 0, 1, 1.0, n_draws=130, checkpoint=folder) == found
    assert len(Halves.fits) - before <= 21  # the labels of the data, and the draws of one task
    with pytest.raises(ValueError, match="is of a search that differs in: estimator"):
        inference.test_clusters(Halves(0.2), X, 0, 1, 1.0, n_draws=130, checkpoint=folder)


def test_few_draws_give_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"p rests on \d+ effective draws only; raise n_draws"):
        inference.test_clusters(Halves(), X, 0, 1, n_draws=50)


@pytest.mark.filterwarnings("ignore:p rests on")
def test_the_observed_distance_is_a_draw() -> None:
    """So p is never 0, and 1 where nothing else was drawn."""
    assert inference.test_clusters(Halves(), X, 0, 1, n_draws=1).p_value == 1
    far = X + 40 * GROUPS[:, None]
    assert inference.test_clusters(Halves(), far, 0, 1, sigma=1.0, n_draws=30).p_value > 0


def test_draws_that_lose_the_clusters_do_not_count() -> None:
    with pytest.warns(UserWarning, match="p rests on 1 effective draws only"):
        found = inference.test_clusters(Once(), X, 0, 1, n_draws=20)
    assert found.p_value == found.n_effective == 1  # the observed distance alone


def test_no_kept_draw_gives_nan_and_a_warning() -> None:
    """Only an estimator that does not repeat its fit loses the observed clusters too."""
    draws = Draws(1.0, np.array([1.0, 2.0]), np.zeros(2))
    p, error, effective = draws.estimate(np.zeros(2, dtype=bool))
    assert np.isnan([p, error]).all()
    with pytest.warns(UserWarning, match="no draw kept the clusters, so p is NaN"):
        warn_of_few_draws(effective)


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (KMeans(2, n_init=1), {}, "random_state of the estimator must be an integer.*got None"),
        (Halves(), {"random_state": None}, "random_state must be an integer"),
        (Halves(), {"n_draws": 0}, "n_draws must be a whole number from 1 to 100000000; got 0"),
        (Halves(), {"n_draws": 10.0}, r"n_draws must be a whole number from 1 to 100000000; got 10\.0"),
        (Halves(), {"a": 7}, r"a=7 is no label; the labels are \[0, 1\]"),
        (Halves(), {"X": X[:, 0]}, "X must have two dimensions; got 1"),
        (KMeans(2, n_init=1, random_state=0).fit(X[::-1]), {}, "fitting the estimator again gave other"),
    ],
)
def test_bad_arguments_are_named(model: Any, options: dict[str, Any], message: str) -> None:
    arguments = {"X": X, "a": 0, "b": 1} | options
    with pytest.raises(ValueError, match=message):
        inference.test_clusters(model, **arguments)
