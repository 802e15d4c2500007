"""ModelChoice with one cluster in its grid: the test decides, the criteria choose among more."""

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, ModelChoice
from sparsek.methods.search.choice.model_choice import ONE_CLUSTER

NULL = np.random.default_rng(0).normal(size=(40, 8))
GROUPS = NULL + 5 * (np.arange(40) % 2)[:, None] * (np.arange(8) < 3)
GRID = {"n_clusters": [3, 1, 2], "n_features_to_select": [3, 6]}


def choice(X: np.ndarray, **options: Any) -> ModelChoice:
    """A fitted search over one to three clusters."""
    return ModelChoice(SKFR(n_init=1, standardize=True), GRID, random_state=0, **options).fit(X)


def test_one_cluster_is_chosen_without_groups() -> None:
    found = choice(NULL, criteria=("thinning", "gap"), options={"gap": {"n_permutations": 2}})
    assert found.one_cluster_p_value_ > 0.05
    assert found.best_params_["n_clusters"] == 1
    assert np.array_equal(found.labels_, np.zeros(40))
    chosen = found.choices_[found.choices_["chosen"]]
    assert chosen["criterion"].tolist() == [ONE_CLUSTER]
    assert chosen["n_clusters"].tolist() == [1]
    assert found.results_["chosen"].sum() == 1
    assert found.results_.loc[found.results_["n_clusters"] == 1, "thinning"].isna().all()
    assert found.param_range_[found.best_index_] == tuple(found.best_params_.values())
    assert (
        str(found.summary()).count("Chosen: one cluster. The test of one cluster against more has p =") == 1
    )


def test_the_criteria_choose_where_there_are_groups() -> None:
    found = choice(GROUPS, criteria="thinning")
    without = ModelChoice(
        SKFR(n_init=1, standardize=True), GRID | {"n_clusters": [2, 3]}, "thinning", random_state=0
    ).fit(GROUPS)
    assert found.one_cluster_p_value_ <= 0.05
    assert found.best_params_ == without.best_params_
    assert np.array_equal(found.labels_, without.labels_)
    assert found.choices_.equals(without.choices_)
    more = found.results_[found.results_["n_clusters"] > 1].reset_index(drop=True)
    assert more.equals(without.results_)
    assert without.one_cluster_p_value_ is None
    assert "so there are more. Chosen by rule min" in " ".join(str(found.summary()).split())


@pytest.mark.thorough
def test_the_level_holds_in_normal_and_correlated_sets() -> None:
    more = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 5)) + (seed % 2) * rng.normal(size=(30, 1))
        grid = {"n_clusters": [1, 2]}
        model = SKFR(2, 2, n_init=1, standardize=True)
        model = ModelChoice(model, grid, "thinning", random_state=seed, refit=False).fit(X)
        more += model.best_params_["n_clusters"] > 1
    # Binomial(16, .05) is at most 4 with probability .999.
    assert more <= 4


def test_a_pipeline_and_one_parameter_are_taken() -> None:
    piped = make_pipeline(StandardScaler(), KMeans(n_init=2))
    found = ModelChoice(piped, {"kmeans__n_clusters": [1, 2]}, "thinning", random_state=0).fit(GROUPS)
    assert found.best_params_ == {"kmeans__n_clusters": 2}
    assert found.best_index_ == 1


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="level"):
        choice(NULL, level=0.6)
    holes = np.where(np.arange(NULL.shape[1]) == 0, np.nan, NULL)
    with pytest.raises(ValueError, match="column 0 of X has 0 values, and sets without clusters need 4"):
        choice(holes, criteria="thinning")
