"""Full covariances: densities beside scipy's, and what linear maps of the columns change."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from sparsek.methods.factor_mixture.algorithm import em
from sparsek.methods.factor_mixture.covariances import additional_information, covariance_model
from sparsek.methods.factor_mixture.rows import MixtureRows

CLUSTERS = np.arange(90) % 3
EACH = pytest.mark.parametrize("family", ["tied", "full"])


def drawn_rows(seed: int = 0) -> MixtureRows:
    """Standardised rows of three elongated clusters."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 4)) @ rng.normal(size=(4, 4)) + 3 * rng.normal(size=(3, 4))[CLUSTERS]
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return MixtureRows.of(Z, np.ones(90), np.zeros((90, 0)), None)


@EACH
def test_densities_are_those_of_scipy(family: str) -> None:
    rows = drawn_rows()
    model = covariance_model(rows, 3, family)
    params = model.begin(np.eye(3)[CLUSTERS] * 0.7 + 0.1, np.random.default_rng(0))
    found = model.e_step(params)
    back = np.linalg.inv(model.basis)
    covariances = np.broadcast_to(back.T @ params.covariances @ back, (3, 4, 4))
    means = params.means @ back
    joint = np.column_stack(
        [
            np.log(share) + multivariate_normal(mean, covariance).logpdf(rows.Z)
            for share, mean, covariance in zip(params.proportions, means, covariances, strict=True)
        ]
    )
    np.testing.assert_allclose(found.log_density, logsumexp(joint, axis=1), rtol=1e-10)


@EACH
def test_a_linear_map_of_the_columns_changes_no_cluster(family: str) -> None:
    rows = drawn_rows()
    A = np.random.default_rng(1).normal(size=(4, 4))
    mapped = MixtureRows.of(rows.Z @ A, rows.weights, rows.batches, None)
    first, second = (
        em(model, model.begin(np.eye(3)[CLUSTERS], np.random.default_rng(0)), 30, 1e-6)
        for model in (covariance_model(rows, 3, family), covariance_model(mapped, 3, family))
    )
    np.testing.assert_allclose(first.posterior.memberships, second.posterior.memberships, atol=1e-8)
    volume = np.linalg.slogdet(A)[1]
    assert first.bic == pytest.approx(second.bic - 2 * 90 * volume, rel=1e-9)


def test_covariances_of_clusters_stay_near_the_pooled_one() -> None:
    """One cluster is nearly a point and one is wide: eigenvalues relative to the pooled one are limited."""
    rng = np.random.default_rng(2)
    clusters = np.arange(900) % 3
    Z = rng.normal(size=(900, 3)) * np.array([1e-3, 0.05, 3.0])[clusters][:, None]
    rows = MixtureRows.of(Z - Z.mean(axis=0), np.ones(900), np.zeros((900, 0)), None)
    model = covariance_model(rows, 3, "full")
    covariances = model.begin(np.eye(3)[clusters], rng).covariances
    ratios = eigh(covariances[2], covariances[0], eigvals_only=True)
    # The widest has three times the pooled one, and the narrowest its tenth instead of nothing.
    np.testing.assert_allclose(ratios, 30, rtol=0.1)
    np.testing.assert_allclose(covariances[0], covariances[1], rtol=1e-9, atol=1e-12)


def test_additional_information_is_that_of_regressions_on_the_other_columns() -> None:
    rows = drawn_rows(3)
    gains, selected = additional_information(rows, np.eye(3)[CLUSTERS])
    within = rows.Z - np.array([rows.Z[c::3].mean(axis=0) for c in range(3)])[CLUSTERS]
    for j in range(4):
        residuals = []
        for R in (rows.Z, within):
            others = np.delete(R, j, axis=1)
            residuals.append(((R[:, j] - others @ np.linalg.lstsq(others, R[:, j])[0]) ** 2).sum())
        # A ridge of 1e-4 on both covariances.
        assert gains[j] == pytest.approx(90 * np.log(residuals[0] / residuals[1]), rel=0.01, abs=0.1)
    np.testing.assert_array_equal(selected, gains > 2 * np.log(90) + 2 * np.log(4))
