"""One cluster against more: level, power, exchangeable null sets, bad input."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, inference
from sparsek.methods.search.nulls.null_sets import fit_null

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


def without_clusters(kind: str) -> np.ndarray:
    """Rows without clusters that are unlike any set without clusters of ours."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 12))
    if kind == "far rows":
        X[:3] *= 5
    if kind == "a gradient":
        X[:, :4] += rng.uniform(-3, 3, size=(60, 1))
    if kind == "a curve":
        place = rng.normal(size=(60, 1))
        X = X / 2 + place * X[:1] + (place**2 - 1) * X[1:2]
    return X


@pytest.mark.parametrize("kind", ["far rows", "a gradient", "a curve"])
def test_rows_without_a_valley_are_no_clusters(kind: str) -> None:
    found = inference.test_one_cluster(without_clusters(kind), QUICK, (2, 3), n_null=19)
    assert found.null_p_value == 0.05 < found.peak_p_value == found.p_value
    assert found.refused
    assert "no answer: the data differ from those (p = 0.05), but between their clusters is no valley" in (
        str(found)
    )
    if kind == "far rows":
        assert found.far_rows.tolist() == [0, 1, 2]
        assert str(found).endswith("Rows 0, 1, 2 are far from all others; test again without them")
        again = inference.test_one_cluster(without_clusters(kind)[3:], QUICK, (2, 3), n_null=19)
        assert again.null_p_value > 0.05
    elif kind == "a gradient":
        assert not len(found.far_rows)
        assert str(found).endswith("a curve, a gradient and clusters that overlap look like that")


def test_three_clusters_of_which_one_lies_between_have_peaks() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 6))
    X[np.arange(90), np.arange(90) % 3] += 7  # the corners of a triangle: no side is empty in the middle
    found = inference.test_one_cluster(X, SKFR(2, 3, n_init=5, standardize=True), (2, 3), n_null=19)
    assert found.p_value == 0.05
    assert not found.refused
    assert not len(found.far_rows)


def test_holes_and_batches_have_peaks_too() -> None:
    rng = np.random.default_rng(6)
    batch = np.arange(60) % 2
    X = rng.normal(size=(60, 8)) + 4 * batch[:, None]
    X[:30, :4] += 4
    X[rng.random(X.shape) < 0.1] = np.nan
    found = inference.test_one_cluster(X, SKFR(2, 4, n_init=2), (2,), n_null=19, batch=batch)
    assert found.p_value == 0.05


@pytest.mark.parametrize("holes", [False, True])
def test_an_estimator_that_chooses_its_scale_has_one_scale_for_all_sets(holes: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 12))
    X[:45, :4] += 3
    if holes:
        X[::7, 3] = X[1::9, 8] = np.nan
    found = inference.test_one_cluster(X, SKFR(2, random_state=0), (2,), n_null=19)
    assert found.null_p_value == 0.05
    assert np.ptp(found.explained[1:]) < 0.5  # logarithms; scales of their own differ by .6


def test_bad_arguments_are_named() -> None:
    for values in ((1, 2), (), (2.5,), np.array(2)):
        with pytest.raises(ValueError, match="n_clusters must be whole numbers of at least 2"):
            inference.test_one_cluster(NORMAL, QUICK, values)
    with pytest.raises(ValueError, match="n_null"):
        inference.test_one_cluster(NORMAL, QUICK, n_null=0)
    empty = np.where(np.arange(NORMAL.shape[1]) == 3, np.nan, NORMAL)
    with pytest.raises(ValueError, match="column 3 of X has 0 values, and sets without clusters need 4"):
        inference.test_one_cluster(empty, QUICK)
    with pytest.raises(ValueError, match=r"X\[0, 3\] is NaN, which KMeans does not take; impute first"):
        inference.test_one_cluster(empty, KMeans(2))
    with pytest.raises(ValueError, match="n_samples=3 must be at least 4"):
        inference.test_one_cluster(NORMAL[:3], QUICK)
    with pytest.raises(ValueError, match="StandardScaler has no parameter n_clusters"):
        inference.test_one_cluster(NORMAL, StandardScaler())


def test_clusters_beyond_a_factor_are_seen_without_it() -> None:
    rng = np.random.default_rng(8)
    latent = 0.8 * rng.normal(size=(60, 1)) + 0.6 * rng.normal(size=(60, 12))
    limits = (-1.2, -0.4, 0.4, 1.2)
    X = np.digitize(latent + 1.5 * np.outer(np.arange(60) % 2 - 0.5, np.repeat([1, -1, 0], 4)), limits)
    model = SKFR(2, 6, n_init=3, standardize=True)
    kept = inference.test_one_cluster(X, model, (2,), n_null=19)
    removed = inference.test_one_cluster(X, model, (2,), n_null=19, n_factors=1)
    assert removed.p_value == 0.05 < kept.p_value
    none = np.digitize(latent, limits)
    assert inference.test_one_cluster(none, model, (2,), n_null=19, n_factors=1).p_value > 0.05
    with pytest.raises(ValueError, match="n_factors=12 must be below the number of features, 12"):
        inference.test_one_cluster(X, model, n_factors=12)
