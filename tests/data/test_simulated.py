"""Generators of simulated data: sizes, seeds, moments, bad input."""

from typing import Any

import numpy as np
import pytest

from sparsek.datasets import (
    make_brodinova,
    make_doughnut,
    make_partially_observed,
    make_subset_attributes,
)

MAKERS = [make_brodinova, make_subset_attributes, make_partially_observed, make_doughnut]


@pytest.mark.parametrize("make", MAKERS)
def test_same_seed_gives_the_same_data(make: Any) -> None:
    one, two, other = make(random_state=1), make(random_state=1), make(random_state=2)
    np.testing.assert_array_equal(one.data, two.data)
    np.testing.assert_array_equal(one.target, two.target)
    assert not np.array_equal(one.data, other.data, equal_nan=True)


def test_brodinova_moments() -> None:
    sample = make_brodinova(30, 10, (4000,) * 10, random_state=3)
    X, target = sample.data, sample.target
    means = np.array([X[target == group].mean(axis=0) for group in range(10)])
    level = means[0, 0]
    assert 3 <= abs(level) <= 6.1
    # The standard error of a mean of 4000 is sd / 63; the variance of an informative coordinate is at most
    # 9.1.
    np.testing.assert_allclose(means[:, :10], level * np.eye(10), atol=0.25)
    np.testing.assert_allclose(means[:, 10:], 0, atol=0.08)
    np.testing.assert_allclose(X[:, 10:].std(axis=0), 1, atol=0.02)
    for group in range(10):
        eigenvalues = np.linalg.eigvalsh(np.cov(X[target == group, :10].T))
        # One large value 1 + 9 rho, nine equal ones 1 - rho with rho in [0.1, 0.9]: the trace is 10.
        assert eigenvalues.sum() == pytest.approx(10, rel=0.1)
        assert eigenvalues[-1] > 1.5
        assert eigenvalues[8] < 1.1
    assert not sample.outlier.any()


def test_brodinova_shifts_features_in_turn() -> None:
    X, target = (make_brodinova(15, 15, (2000,) * 10, random_state=0)[name] for name in ("data", "target"))
    means = np.array([X[target == group].mean(axis=0) for group in range(10)])
    shifted = np.abs(means) > 1.5  # the level is at least 3, standard errors are below 0.1
    assert shifted.sum(axis=1).tolist() == [2] * 5 + [1] * 5
    assert all(shifted[r % 10, r] for r in range(15))


def test_brodinova_outliers() -> None:
    sample = make_brodinova(110, scatter_outliers=0.1, noise_outliers=0.1, random_state=1)
    assert sample.outlier.reshape(10, 40)[:, :4].all()
    assert sample.outlier.reshape(10, 40).sum(axis=1).tolist() == [8] * 10
    large = np.abs(sample.data[:, 10:]) >= 6  # beyond 5 standard deviations of the noise
    assert large.any(axis=0).sum() == 10
    assert large.any(axis=1).sum() == 40
    sizes = np.abs(sample.data[:, 10:][large])
    assert sizes.max() <= 12


@pytest.mark.parametrize("make", [make_subset_attributes, make_partially_observed])
def test_uneven_clusters_use_every_row(make: Any) -> None:
    for seed in range(20):
        sizes = np.bincount(make(n_samples=57, n_clusters=5, random_state=seed).target)
        assert sizes.sum() == 57
        assert len(sizes) == 5
        assert sizes.max() / sizes.min() < 4  # shares lie between 1 and 3


def test_subset_attributes_moments() -> None:
    sample = make_subset_attributes(20000, 30, random_state=5)
    for cluster in range(5):
        rows = sample.data[sample.target == cluster]
        own = sample.informative[cluster]
        # At least 20000 / 13 rows: standard errors of a standard deviation are below 0.06.
        np.testing.assert_allclose(rows[:, own].std(axis=0), 1, atol=0.1)
        np.testing.assert_allclose(rows[:, ~own].std(axis=0), 3, atol=0.3)
        assert np.all(rows[:, own].mean(axis=0) > -0.2)
        assert np.all(rows[:, own].mean(axis=0) < 6.2)


def test_partially_observed_hides_an_exact_number() -> None:
    sample = make_partially_observed(200, 40, missing=0.25, random_state=1)
    hidden = np.isnan(sample.data)
    assert hidden.sum() == 2000
    np.testing.assert_array_equal(sample.data[~hidden], sample.complete[~hidden])


@pytest.mark.parametrize("q", [5, 3])
def test_brodinova_draws_the_sets_of_the_pcskm_paper(q: int) -> None:
    """Three groups in ten features: informative feature j has the common mean in group j mod 3."""
    X, target = (make_brodinova(10, q, (4000,) * 3, random_state=q)[name] for name in ("data", "target"))
    groups = [X[target == group] for group in range(3)]
    means = np.array([rows.mean(axis=0) for rows in groups])
    # Standard errors of means are at most sqrt(4.6 / 4000) = 0.034, with five of them.
    own = np.arange(q) % 3 == np.arange(3)[:, None]
    np.testing.assert_allclose(means[:, :q], means[0, 0] * own, atol=0.34)
    assert 3 - 0.17 < abs(means[0, 0]) < 6 + 0.17
    np.testing.assert_allclose(means[:, q:], 0, atol=0.08)
    for rows in groups:
        covariance = np.cov(rows.T)
        assert np.trace(covariance[:q, :q]) == pytest.approx(q, rel=0.1)
        np.testing.assert_allclose(covariance[q:, q:], np.eye(10 - q), atol=0.12)
        # q - 1 eigenvalues are 1 - rho, the first is 1 + (q - 1) rho, with rho in [0.1, 0.9].
        small = np.linalg.eigvalsh(covariance[:q, :q])[:-1]
        assert small.max() - small.min() < 0.15
        assert 0.1 - 0.02 < small.mean() < 0.9 + 0.1


def test_doughnut_is_uniform_by_area() -> None:
    sample = make_doughnut(40001, 5, core_radius=0.5, ring_radii=(2, 3), random_state=0)
    radius = np.hypot(sample.data[:, 0], sample.data[:, 1])
    assert np.bincount(sample.target).tolist() == [20000, 20001]
    assert (np.diff(sample.target) >= 0).all()
    assert sample.informative.tolist() == [True, True, False, False, False]
    for group, low, high in ((0, 0, 0.5), (1, 2, 3)):
        area = (radius[sample.target == group] ** 2 - low**2) / (high**2 - low**2)
        assert area.min() >= -1e-12  # a few roundings in squares of at most 9
        assert area.max() <= 1 + 1e-12
        # U(0, 1) by area: standard errors of mean and variance are 0.002 and 0.0005, with five of them.
        assert area.mean() == pytest.approx(1 / 2, abs=0.01)
        assert area.var() == pytest.approx(1 / 12, abs=0.0026)
    angle = np.arctan2(sample.data[:, 1], sample.data[:, 0])
    assert np.abs(np.exp(1j * angle).mean()) < 0.025
    noise = sample.data[:, 2:]
    assert np.abs(noise).max() <= 1
    np.testing.assert_allclose(noise.var(axis=0), 1 / 3, atol=0.01)


def test_doughnut_defaults_are_those_of_the_specification() -> None:
    sample = make_doughnut(random_state=1)
    radius = np.hypot(*sample.data[:, :2].T)
    assert sample.data.shape == (500, 20)
    assert radius[:250].max() < 0.4
    assert 1 < radius[250:].min() < radius[250:].max() < 1.2


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (make_brodinova, {"n_features": 5}, "n_features must be at least 10; got 5"),
        (make_brodinova, {"group_sizes": [3, 0]}, r"group_sizes must hold .* got \[3, 0\]"),
        (make_brodinova, {"scatter_outliers": 1.5}, r"'scatter_outliers' .* \[0.0, 1.0\]. Got 1.5"),
        (make_subset_attributes, {"n_samples": 3}, "n_samples must be at least 5; got 3"),
        (make_subset_attributes, {"noise_std": -1}, "'noise_std' parameter .* Got -1"),
        (make_partially_observed, {"missing": -0.1}, r"'missing' .* \[0.0, 1.0\]. Got -0.1"),
        (make_doughnut, {"n_samples": 1}, r"'n_samples' .* \[2, .* Got 1"),
        (make_doughnut, {"n_features": 1}, r"'n_features' .* \[2, .* Got 1"),
        (make_doughnut, {"core_radius": 0}, r"'core_radius' .* Got 0"),
        (make_doughnut, {"core_radius": 2}, "core_radius and ring_radii must be"),
        (make_doughnut, {"ring_radii": (2, 1)}, r"got 0.4 and \(2, 1\)"),
        (make_doughnut, {"ring_radii": (1, np.nan)}, "'ring_radii' .* two positive numbers"),
    ],
)
def test_bad_numbers(make: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)
