"""What a search says of its choice follows the rule that ran, and which of two fits is the simpler one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from sparsek import SKFR, EntropyWeightedKMeans, PermutationGap, PredictionStrength, SparseKMeans
from sparsek.methods.search.verdicts import beyond_the_ends, setting, verdict

SIMPLER = "it is better by at most one standard error, and the rule then takes the smaller s."
MOST_CLUSTERS = "it is stronger, but the rule takes the most clusters whose strength reaches the threshold."
BELOW_THRESHOLD = "it is stronger, but does not reach the threshold within one standard error."


def words(rule: str, measure: str, name: str, values: list[float], chosen: int) -> str:
    """The verdict where the parameter is 2, 3, ..., each value of the measure with standard error 0.1."""
    sizes = np.arange(2.0, 2.0 + len(values))
    table = pd.DataFrame({name: sizes, measure: values, f"{measure}_se": 0.1})
    table["chosen"] = np.arange(len(values)) == chosen
    return verdict(table, {name: sizes[chosen]}, rule)


@pytest.mark.parametrize("name", ["s", "n_clusters"])
@pytest.mark.parametrize("measure", ["gap", "consistency", "error"])
@pytest.mark.parametrize("values", [[1.0, 0.75, 0.5], [0.5, 0.75, 1.0]])
def test_the_best_value_needs_no_reason(measure: str, values: list[float], name: str) -> None:
    rule, best = ("min", np.argmin(values)) if measure == "error" else ("max", np.argmax(values))
    text = words(rule, measure, name, values, int(best))
    assert f"{name} = 3, with {measure} 0.75: 2.5 standard errors of this measure away." in text
    assert "rule " not in text.removeprefix(f"Chosen by rule {rule}")
    assert "threshold" not in text


@pytest.mark.parametrize(("measure", "better"), [("gap", 0.55), ("consistency", 0.55), ("error", 0.45)])
def test_one_standard_error_takes_the_simpler_fit(measure: str, better: float) -> None:
    text = words("one_se", measure, "s", [0.5, better], 0)
    assert f"The best other value is s = 3, with {measure} {better}: {SIMPLER}" in text


@pytest.mark.parametrize(("measure", "worse"), [("gap", 0.2), ("consistency", 0.2), ("error", 0.8)])
def test_one_standard_error_may_take_the_best_fit(measure: str, worse: float) -> None:
    assert "3.0 standard errors of this measure away." in words("one_se", measure, "s", [worse, 0.5], 1)


@pytest.mark.parametrize(("errors", "kind"), [(0.8, "too close to tell apart"), (1.2, "a weak preference")])
def test_a_difference_is_judged_by_its_error(errors: float, kind: str) -> None:
    text = words("max", "gap", "s", [0.0, errors / 10], 1)
    assert f"{errors} standard errors away, {kind}." in text


@pytest.mark.parametrize("name", ["n_clusters", "skfr__n_clusters"])
def test_the_threshold_takes_the_larger_fit(name: str) -> None:
    """It was said to prefer the simpler one."""
    assert MOST_CLUSTERS in words("threshold", "strength", name, [0.98, 0.85], 1)


@pytest.mark.parametrize("name", ["n_clusters", "s"])
def test_a_stronger_fit_below_the_threshold_is_said_to_be_so(name: str) -> None:
    assert BELOW_THRESHOLD in words("threshold", "strength", name, [0.78, 0.79], 0)


def groups(noise: float) -> np.ndarray:
    """Four groups in two columns, of which the nearer pairs make two."""
    centers = np.array([[0, 0], [0, 4], [20, 0], [20, 4]])
    return np.repeat(centers, 20, axis=0) + noise * np.random.default_rng(0).normal(size=(80, 2))


def test_prediction_strength_chooses_the_larger_number_of_clusters() -> None:
    search = PredictionStrength(SKFR(n_features_to_select=2), {"n_clusters": [2, 4]}, random_state=0)
    search.fit(groups(1.0))
    assert search.best_params_ == {"n_clusters": 4}
    assert search.strengths_[0] > search.strengths_[1]
    assert MOST_CLUSTERS in " ".join(search.summary().lead.split())


def test_the_gap_says_that_its_rule_took_the_smaller_fit() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 10))
    X[:30, :4] += [6, 5, 4, 1]
    model, options = SKFR(2, n_init=2), {"rule": "one_se", "random_state": 0}
    search = PermutationGap(model, "n_features_to_select", [2, 3, 4, 5, 6], **options)
    assert search.fit(X).best_index_ < search.max_index_
    lead = " ".join(search.summary().lead.split())
    assert "the rule then takes the smaller n_features_to_select." in lead


def ends(model: object, name: str, tried: list[float], chosen: float, shape: tuple[int, int]) -> set[str]:
    """Where a better value may lie: below, above or nowhere."""
    said = beyond_the_ends(pd.DataFrame({name: tried}), {name: chosen}, model, shape)
    return {sentence.rstrip(".").split()[-1] for sentence in said}


@pytest.mark.parametrize(
    ("name", "tried", "chosen", "expected"),
    [
        ("n_features_to_select", [2, 5, 8], 8, set()),
        ("n_features_to_select", [2, 5, 7], 7, {"above"}),
        ("n_features_to_select", [2, 5, 7], 5, set()),
        ("n_features_to_select", [2, 5, 7], 2, {"below"}),
        ("skfr__n_features_to_select", [2, 5, 7], 2, {"below"}),
        ("n_features_to_select", [1, 5, 7], 1, set()),
        ("n_features_to_select", [0.25, 0.5, 1.0], 1.0, set()),
        ("n_features_to_select", [0.25, 0.5], 0.5, {"above"}),
        ("n_features_to_select", [0.25, 0.5], 0.25, {"below"}),
        ("n_features_to_select", [0.1, 0.5], 0.1, set()),  # one feature
        ("n_features_to_select", [4], 4, set()),
        ("n_clusters", [2, 3], 2, set()),
        ("n_clusters", [2, 3], 3, {"above"}),
        ("n_clusters", [3, 4], 3, {"below"}),
        ("n_clusters", [2, 30], 30, set()),  # the rows
        ("winsorize", [1.0, 4.0], 1.0, {"below"}),
    ],
)
def test_a_better_value_lies_where_there_are_others(
    name: str, tried: list[float], chosen: float, expected: set[str]
) -> None:
    assert ends(SKFR(), name, tried, chosen, (30, 8)) == expected


def test_ends_of_other_parameters() -> None:
    assert ends(SparseKMeans(), "l1_bound", [1.0, 2.0], 1.0, (30, 9)) == set()
    assert ends(SparseKMeans(), "l1_bound", [1.2, 2.0], 2.0, (30, 9)) == {"above"}
    assert ends(SparseKMeans(), "l1_bound", [1.2, 3.0], 3.0, (30, 9)) == set()
    assert ends(EntropyWeightedKMeans(), "gamma", [0.1, 1.0], 0.1, (30, 9)) == {"below"}
    assert ends(KMeans(), "n_clusters", [2, 3], 3, (30, 9)) == {"above"}


def test_a_bound_that_does_not_bind_is_the_largest() -> None:
    X = np.random.default_rng(0).normal(size=(60, 6))
    X[:20, :3] += 5
    for bound, expected in ((1.3, {"above"}), (2.4, set())):
        model = SparseKMeans(2, l1_bound=bound, random_state=0).fit(X)
        assert ends(model, "l1_bound", [1.0, bound], bound, X.shape) == expected


def test_features_that_never_counts_are_no_room_above() -> None:
    X = np.random.default_rng(0).normal(size=(40, 6))
    search = PermutationGap(
        SKFR(2, never=[0, 1], n_init=2), "n_features_to_select", [2, 4], n_permutations=2, random_state=0
    ).fit(X)
    assert ends(search.best_estimator_, "n_features_to_select", [2, 4], 4, (40, 6)) == set()
    assert ends(search.best_estimator_, "n_features_to_select", [2, 3], 3, (40, 6)) == {"above"}
    assert ends(search.estimator, "n_features_to_select", [2, 3], 3, (40, 6)) == set()  # not known


def test_large_numbers_keep_their_digits_and_signs() -> None:
    assert setting({"n_features_to_select": 1234567, "l1_bound": 1.23456789}) == (
        "n_features_to_select = 1234567, l1_bound = 1.23457"
    )
    assert "with gap -0.2" in words("max", "gap", "s", [-0.4, -0.2], 1)
