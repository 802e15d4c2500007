"""One cluster against more: level, power, exchangeable null sets, bad input."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, inference
from sparsek.methods.search.null_sets import fit_null

QUICK = SKFR(2, 4, n_init=2, standardize=True)
NORMAL = np.random.default_rng(0).normal(size=(40, 8))


def noise(design: str, rng: np.random.Generator) -> np.ndarray:
    """Rows of one cluster."""
    if design == "correlated":
        return rng.normal(size=(40, 8)) + rng.normal(size=(40, 1))
    return rng.exponential(size=(40, 8)) if design == "skewed" else rng.normal(size=(40, 8))


@pytest.mark.thorough
@pytest.mark.parametrize("design", ["correlated", "skewed"])
def test_the_level_holds(design: str) -> None:
    p_values = [
        inference.test_one_cluster(
            noise(design, np.random.default_rng(seed)), QUICK, (2, 3), n_null=9
        ).p_value
        for seed in range(40)
    ]
    # Binomial(40, .1) is at most 8 with probability .985.
    assert np.sum(np.array(p_values) <= 0.1) <= 8


def best_cut(X: np.ndarray) -> float:
    """Sum of squares between the best two groups along the first component, as a share."""
    first = np.sort(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0][:, 0])
    n, below = len(X), np.arange(1, len(X))
    gains: np.ndarray = np.cumsum(first)[:-1] ** 2 * n / (below * (n - below))
    return float(gains.max())


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "p"), [(30, 4), (10, 12)])
def test_correlated_rows_are_exchangeable_with_their_sets(n: int, p: int) -> None:
    clearest, own = 0, 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X = np.sqrt(0.7) * rng.normal(size=(n, p)) + np.sqrt(0.3) * rng.normal(size=(n, 1))
        model = fit_null(X)
        own += model.normal.all()
        clearest += best_cut(X) > max(best_cut(model.draw(rng)) for _ in range(19))
    # Some sets have a feature that does not look normal, most have none.
    assert 75 < own < 150
    # Binomial(150, .05) is at most 17 with probability .999.
    assert clearest <= 17


def test_groups_are_found_also_under_correlation() -> None:
    found = []
    for seed in range(2):
        X = noise("correlated", np.random.default_rng(seed))
        X[:20, :4] += 5 * np.array([1, -1, 1, -1])
        found.append(inference.test_one_cluster(X, QUICK, (2, 3), n_null=19).p_value)
    assert max(found) <= 0.05


def test_the_result_names_what_was_tried() -> None:
    found = inference.test_one_cluster(NORMAL, QUICK, (3, 2), n_null=4, random_state=1)
    assert found.n_clusters == (2, 3)
    assert found.explained.shape == (5, 2)
    assert str(found).endswith("against 2, 3 clusters, by 4 sets without clusters")
    again = inference.test_one_cluster(NORMAL, QUICK, (2, 3), n_null=4, random_state=1)
    assert np.array_equal(again.explained, found.explained)
    piped = make_pipeline(StandardScaler(), KMeans(2, n_init=1))
    for estimator in (piped, AgglomerativeClustering(2)):
        assert 0 < inference.test_one_cluster(NORMAL, estimator, (2,), n_null=4).p_value <= 1


def test_bad_arguments_are_named() -> None:
    for values in ((1, 2), (), (2.5,), np.array(2)):
        with pytest.raises(ValueError, match="n_clusters must be whole numbers of at least 2"):
            inference.test_one_cluster(NORMAL, QUICK, values)
    with pytest.raises(ValueError, match="n_null"):
        inference.test_one_cluster(NORMAL, QUICK, n_null=0)
    with pytest.raises(ValueError, match=r"X\[0, 0\] is nan"):
        inference.test_one_cluster(np.where(np.arange(8) == 0, np.nan, NORMAL), QUICK)
    with pytest.raises(ValueError, match="n_samples=3 must be at least 4"):
        inference.test_one_cluster(NORMAL[:3], QUICK)
    with pytest.raises(ValueError, match="StandardScaler has no parameter n_clusters"):
        inference.test_one_cluster(NORMAL, StandardScaler())
