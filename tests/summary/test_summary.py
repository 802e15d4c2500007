"""Summaries: every estimator has one, with the numbers of the fit in all three forms."""

import inspect
import pickle
import re
import warnings
from copy import copy
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparsek
from sparsek import (
    COSA,
    IFPCA,
    SKFR,
    ConsensusClustering,
    KPod,
    ModelChoice,
    PermutationGap,
    SparseAgglomerativeClustering,
    SparseKMeans,
    engine,
)
from sparsek.errors import EmptyClusterError, ScaleWarning
from sparsek.methods.search.parameter_search import ParameterSearch
from sparsek.summary import summarise

CLUSTERERS = [
    item
    for item in [getattr(sparsek, name) for name in sparsek.__all__]
    if inspect.isclass(item)
    and hasattr(item, "fit_predict")
    and not issubclass(item, ParameterSearch | ConsensusClustering)
]


QUICK = {"n_init": 3, "hidden_sizes": (4,), "layer_epochs": 1, "finetune_epochs": 1}
"""Parameters that make the estimators quick, for those that have them."""


def groups(n: int = 45, p: int = 8) -> np.ndarray:
    """Three groups that differ in the first three of the columns."""
    X = np.random.default_rng(0).normal(size=(n, p))
    X[: n // 3, :3] += 5
    X[n // 3 : 2 * n // 3, :3] -= 5
    return X


@pytest.fixture(scope="module")
def skfr() -> SKFR:
    return SKFR(3, 3, standardize=True, random_state=0).fit(groups())


@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=lambda item: item.__name__)
def test_every_estimator_has_a_summary(clusterer: type) -> None:
    known = inspect.signature(clusterer).parameters
    few = {name: value for name, value in QUICK.items() if name in known}
    X = pd.DataFrame(groups()).add_prefix("col_")
    with warnings.catch_warnings(), engine.set_engine("numpy"):
        warnings.simplefilter("ignore")
        model = clusterer(n_clusters=3, **few).fit(X)
    summary = model.summary(2)
    text = summary.as_text()
    assert text.splitlines()[0].strip() == clusterer.__name__
    assert summary.tables["Clusters"]["rows"].tolist() == np.bincount(model.labels_, minlength=3).tolist()
    assert (
        summary.as_html().count("<table")
        == summary.as_latex().count(r"\begin{tabular}")
        == len(summary.tables)
    )
    assert re.search(r"Engine +numpy", text)
    assert "_calls_before" not in vars(model)  # counts of the process are no part of a model
    if hasattr(model, "objective_"):
        assert f"{model.objective_:.6g}" in text
    if len(summary.features):
        assert sorted(summary.features["feature"]) == sorted(X.columns)
        assert summary.features["feature"][0] in text
    if hasattr(model, "get_support"):
        assert set(summary.features.query("selected")["feature"]) == set(X.columns[model.get_support()])
    n_starts = np.size(getattr(model, "start_objectives_", ()))
    assert ("Starts" in summary.tables) == (n_starts > 1)
    # A map begins on principal axes: one start. All others that count starts draw some.
    assert n_starts != 1 or clusterer is sparsek.SelfOrganizingMap
    if n_starts > 1:
        assert summary.tables["Starts"]["starts"].item() == n_starts


def test_the_engine_that_ran_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "has_numba", lambda: True)

    class WithLoops(sparsek.KernelKMeans):  # which has no loops of its own
        def _validate_params(self) -> None:
            super()._validate_params()
            engine.compiles(1.0)

    model = WithLoops(3, init=np.arange(len(groups())) % 3)
    with engine.set_engine("compiled"):
        assert re.search(r"Engine +compiled", model.fit(groups()).summary().as_text())
    monkeypatch.setattr(engine, "has_numba", lambda: False)  # where the model is looked at later
    assert "compiled" in pickle.loads(pickle.dumps(model.summary())).as_text()
    with engine.set_engine("numpy"):
        assert re.search(r"Engine +numpy", model.fit(groups()).summary().as_text())


def test_methods_that_know_nothing_of_features_show_none() -> None:
    summary = sparsek.KernelKMeans(3, n_init=2, random_state=0).fit(groups()).summary()
    assert summary.features.empty
    assert list(summary.tables) == ["", "Clusters", "Starts"]


def test_gains_of_skfr_are_those_of_its_objective(skfr: SKFR) -> None:
    features = skfr.summary().features
    # Two sums of the same numbers in different orders.
    assert features.query("selected")["gain"].sum() == pytest.approx(skfr.gap_objective_, rel=1e-12)
    assert features["gain"].tolist() == skfr.feature_gains_[features["feature"].str[1:].astype(int)].tolist()
    assert np.array_equal(
        np.argsort(-skfr.feature_gains_)[:3], features.query("selected")["feature"].str[1:].astype(int)
    )


def test_gains_of_local_skfr_are_those_of_its_objective() -> None:
    model = SKFR(3, 2, scope="local", random_state=0).fit(groups())
    chosen = np.take_along_axis(model.feature_gains_, model.selected_features_, axis=1)
    assert chosen.sum() == pytest.approx(model.gap_objective_, rel=1e-12)  # the same sum in another order
    features = model.summary().features
    first = features.iloc[0]
    column = int(first["feature"][1:])
    assert first["weight"] == model.feature_weights_[:, column].max() == first[f"weight_{first['cluster']}"]


def test_gains_of_sparse_kmeans_are_between_sums_of_squares() -> None:
    X = groups()
    sample_weight = np.arange(len(X)) % 3.0
    model = SparseKMeans(3, l1_bound=1.6, n_init=3, random_state=0).fit(X, sample_weight=sample_weight)
    summary = model.summary()
    gains = summary.features.set_index("feature")["gain"][[f"x{j}" for j in range(X.shape[1])]].to_numpy()
    # The weighted sum of squares from centres and from the sums of the weight step are equal up to rounding.
    assert model.feature_weights_ @ gains == pytest.approx(model.gap_objective_, rel=1e-10)
    assert summary.tables["Clusters"]["weight of rows"].sum() == sample_weight.sum()
    again = model.fit(X).summary()
    assert "weight of rows" not in again.tables["Clusters"]


def test_starts_of_skfr(skfr: SKFR) -> None:
    summary = skfr.summary()
    (starts,) = summary.tables["Starts"].to_dict("records")
    assert starts["best"] == skfr.start_objectives_.min()
    assert starts["worst"] == skfr.start_objectives_.max()
    assert starts["reached best"] == (skfr.start_objectives_ <= starts["best"] * (1 + 1e-6)).sum()
    share = summary.features.set_index("feature")["in starts"]
    picked = skfr.restart_table_["selected"]
    assert share["x0"] == np.mean([0 in features for features in picked])


def test_one_start_has_no_table_of_starts() -> None:
    assert "Starts" not in SKFR(3, 3, n_init=1, random_state=0).fit(groups()).summary().tables


def test_cosa_averages_the_weights_of_the_rows() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = COSA(3, max_iter=5).fit(groups())
    features = model.summary().features.set_index("feature")
    expected = [model.feature_weights_[model.labels_ == k, 4].mean() for k in range(3)]
    shown = [features.loc["x4", f"weight_{k}"] for k in range(3)]
    assert shown == pytest.approx(expected, rel=1e-14)  # means summed in another order


def test_weights_of_many_clusters_are_left_to_the_frame() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = sparsek.EntropyWeightedKMeans(7, n_init=1, random_state=0).fit(groups()).summary()
    shown = next(
        table for heading, table in summary.tables.items() if heading.startswith("Selected features")
    )
    assert "weight_6" in summary.features
    assert "weight_6" not in shown


def test_ifpca_shows_scores() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = IFPCA(3, random_state=0).fit(groups()).summary()
    assert {"score", "p-value", "selected"} <= set(summary.features)


def test_missing_values_and_no_starts() -> None:
    X = groups()
    X[3, 4] = np.nan
    assert np.isfinite(KPod(3, n_init=2, random_state=0).fit(X).summary().features["gain"]).all()
    tree = SparseAgglomerativeClustering(3).fit(groups()).summary()
    assert list(tree.tables)[:2] == ["", "Clusters"]
    assert "Starts" not in tree.tables


def test_search_shows_the_gap_and_the_chosen_fit() -> None:
    model = make_pipeline(StandardScaler(), SKFR(3, n_init=3))
    search = PermutationGap(model, "skfr__n_features_to_select", [2, 3], n_permutations=2, random_state=0)
    summary = search.fit(groups()).summary()
    heading, *others = summary.tables
    assert heading.startswith(
        f"Gap statistic: skfr__n_features_to_select = {next(iter(search.best_params_.values()))}"
    )
    assert others[:2] == ["", "Clusters"]
    shown = summary.tables[heading].rename(columns={"compared": "objective"})
    pd.testing.assert_frame_equal(shown, search.results_)
    assert summary.lead.startswith("Chosen by rule max: skfr__n_features_to_select = ")
    unrefitted = search.set_params(refit=False).fit(groups()).summary()
    assert list(unrefitted.tables) == [heading]
    foreign = PermutationGap(
        KMeans(n_init=1), "n_clusters", [2, 3], objective=lambda fit: 1 / fit.inertia_, n_permutations=2
    )
    assert len(foreign.fit(groups()).summary().tables) == 1


class Cells(HTMLParser):
    """Collects the texts of a page and checks that tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def test_names_are_escaped() -> None:
    X = pd.DataFrame(groups(), columns=["<b>&", "a_b%", *"cdefgh"])
    summary = SKFR(3, 3, random_state=0).fit(X).summary()
    page = Cells()
    page.feed(summary._repr_html_())
    assert page.open == []
    assert {"<b>&", "a_b%", "SKFR"} <= set(page.texts)
    assert r"a\_b\%" in summary.as_latex()
    assert "<b>&" in repr(summary)


def facts(summary: object) -> dict[str, str]:
    """Name and value of every fact of the head."""
    cells = summary.tables[""].to_numpy().tolist()  # type: ignore[attr-defined]
    return {name.strip(): value for row in cells for name, value in (row[:2], row[2:]) if name.strip()}


def test_parameters_that_change_no_result_are_left_out() -> None:
    lead = SKFR(3, 2, n_jobs=2, random_state=7, verbose=1).fit(groups()).summary().lead
    assert lead == "n_clusters=3, n_features_to_select=2, random_state=7; others at their defaults"
    lead = SKFR(n_jobs=1).fit(groups()).summary().lead.splitlines()
    assert lead[0] == "all parameters at their defaults"
    assert lead[1].startswith("standardize='auto' ")
    assert re.match(r"n_features_to_select='auto' tried \d values from 1 to 8 and took \d", lead[2])


def test_the_head_tells_settings_and_shares() -> None:
    X = groups()
    X[3, 4] = np.nan
    model = SKFR(3, 2, random_state=7).fit(X)
    summary = model.summary()
    assert summary.lead == ("n_clusters=3, n_features_to_select=2, random_state=7; others at their defaults")
    head = facts(summary)
    assert {
        "Rows": "45",
        "Missing cells": "1",
        "Scaling": "standardised",
        "Seed": "7",
    }.items() <= head.items()
    assert head["Features in use"] == "2 of 8"
    assert "Inertia" not in head  # it is the objective
    own, everything = float(head["Share explained, in use"]), float(head["Share explained, all features"])
    assert own > everything
    names = list(head)
    assert names.index("Share explained, in use") < names.index("Share explained, all features")
    # Rounded to four digits.
    assert everything == pytest.approx(model.feature_gains_.sum() / model.tss_, abs=5e-5)


def test_shares_are_those_of_the_data() -> None:
    X = groups()
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    for standardize, rows in ((False, X - X.mean(axis=0)), (True, Z)):
        model = SparseKMeans(3, l1_bound=1.6, standardize=standardize, random_state=0).fit(X)
        means = np.array([rows[model.labels_ == k].mean(axis=0) for k in range(3)])
        between = np.bincount(model.labels_) @ means**2
        shares = facts(model.summary())
        assert shares["Share explained, all features"] == f"{between.sum() / (rows**2).sum():.4f}"
        used = model.get_support()
        assert shares["Share explained, in use"] == f"{between[used].sum() / (rows[:, used] ** 2).sum():.4f}"
        gains = model.summary().features.set_index("feature")["gain"][[f"x{j}" for j in range(8)]]
        assert gains.to_numpy() == pytest.approx(between, rel=1e-10)  # other order of the sums


def test_lines_have_at_most_80_characters() -> None:
    X = pd.DataFrame(groups()).add_prefix("a_column_with_quite_a_long_name_")
    sure = sparsek.FitUncertainty(SKFR(3, 3, scope="local", n_init=3), n_resamples=4, random_state=0)
    text = sure.fit(X).summary().as_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "(continued)" in text


def test_decimal_points_stand_below_one_another() -> None:
    model = SKFR(3, 5, random_state=0).fit(groups() * 100)
    lines = model.summary().as_text().splitlines()
    first = lines.index("Selected features")
    rows = lines[first + 4 : first + 9]
    assert len({tuple(j for j, c in enumerate(row) if c == ".") for row in rows}) == 1


def test_a_default_that_chose_is_named() -> None:
    assert any(
        "n_features_to_select=None" in note for note in SKFR(3, None, n_init=2).fit(groups()).summary().notes
    )


def test_a_number_of_clusters_that_nobody_chose_is_named() -> None:
    X = np.random.default_rng(0).normal(size=(40, 5))
    said = [note for note in SKFR(n_init=2, random_state=0).fit(X).summary().notes if "ModelChoice" in note]
    assert len(said) == 1
    assert said[0].startswith("n_clusters=8 is the default")
    assert "ModelChoice" not in " ".join(SKFR(3, n_init=2, random_state=0).fit(X).summary().notes)


def test_weights_that_are_next_to_nothing_are_not_in_use() -> None:
    X = groups()
    X[:, 0] *= 1e4
    with pytest.warns(ScaleWarning, match="column 0 has"):
        model = SparseKMeans(3, standardize=False, random_state=0).fit(X)
    assert np.count_nonzero(model.feature_weights_) > model.get_support().sum()
    assert model.get_selected_names().tolist() == ["x0"]
    assert facts(model.summary())["Features in use"] == "1 of 8"


@pytest.mark.parametrize("n_features", [0, -1, 2.5, True, "all"])
def test_number_of_features_is_checked(skfr: SKFR, n_features: object) -> None:
    with pytest.raises(ValueError, match="n_features must be an integer of at least 1"):
        skfr.summary(n_features)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [None, "x", SKFR, StandardScaler()])
def test_what_has_no_summary_is_named(skfr: SKFR, given: object) -> None:
    with pytest.raises(TypeError, match="estimator must be a fitted estimator with a summary; got"):
        summarise(given, 3)
    if given is not None:
        with pytest.raises(TypeError, match="sure must be a fitted FitUncertainty or None; got"):
            summarise(skfr, 3, given)


def test_unfitted_estimators_say_so() -> None:
    with pytest.raises(NotFittedError):
        SKFR().summary()
    with pytest.raises(NotFittedError):
        PermutationGap(SKFR()).summary()


COMPLETE = np.vstack([groups(24, 4), groups(24, 4) + 1])
HOLES = np.where(np.arange(192).reshape(48, 4) % 7 == 0, np.nan, COMPLETE)
HALF_WEIGHTLESS = np.repeat([0.0, 1.0], 24)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("X", "n_clusters", "weights"),
    [
        (COMPLETE, 1, None),
        (COMPLETE, 48, None),
        (COMPLETE, 3, HALF_WEIGHTLESS),
        (np.where([True, True, True, False], COMPLETE, 0.1), 3, None),
        (np.zeros((24, 4)), 2, None),
        (HOLES, 2, None),
        (COMPLETE * 1e160, 3, None),
        (COMPLETE * 1e306, 3, None),
        (COMPLETE * 1e-200, 3, None),
    ],
    ids=["one", "all", "weightless", "constant", "zeros", "holes", "large", "largest", "small"],
)
@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=lambda item: item.__name__)
def test_summaries_raise_no_warnings(
    clusterer: type, X: np.ndarray, n_clusters: int, weights: object
) -> None:
    known = inspect.signature(clusterer).parameters
    few = {name: value for name, value in QUICK.items() if name in known}
    model = clusterer(n_clusters=n_clusters, **few)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, **({} if weights is None else {"sample_weight": weights}))
        except (ValueError, TypeError, ArithmeticError, EmptyClusterError):
            return  # no fit, no summary
    assert model.summary().as_text()  # warnings are errors


def test_large_numbers_are_summarised_as_small_ones() -> None:
    X = groups()
    small, large = (
        SparseKMeans(3, standardize=False, random_state=0).fit(X * 2.0**power) for power in (0, 500)
    )
    expected = small.summary().features["gain"].to_numpy()
    assert large.summary().features["gain"].tolist() == np.ldexp(expected, 1000).tolist()


def test_advice_on_starts_and_single_rows() -> None:
    X = groups()
    X[0] += 100
    model = SKFR(4, 5, random_state=0).fit(X)
    model.start_objectives_ = model.start_objectives_.min() + np.arange(20.0)
    notes = model.summary().notes
    assert any(
        "only 1 of 20 starts reached the best objective" in note and "to 200" in note for note in notes
    )
    single = int(np.flatnonzero(np.bincount(model.labels_) == 1)[0])
    assert any(note.startswith(f"cluster {single} has one row") for note in notes)
    calm = SKFR(3, 5, random_state=0).fit(groups()).summary().notes
    assert not any("one row" in note for note in calm)


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        (20, "the choice took all features: nothing speaks for a selection"),
        (19, "the choice took 19 of 20 features: nothing speaks for a selection"),
        (18, ""),
        (2, ""),
        (1, "the choice took one feature: look at it, and fit again without it"),
    ],
)
def test_advice_on_the_number_of_features(used: int, expected: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 20)) + 4.0 * np.repeat([-1, 0, 1], 30)[:, None]
    model = SKFR(3, n_init=4, random_state=0).fit(X)
    assert [note for note in model.summary().notes if note.startswith("the choice took all features")]
    model._support = np.arange(20) < used
    notes = [note for note in model.summary().notes if note.startswith("the choice took")]
    assert len(notes) == bool(expected)
    assert all(note.startswith(expected) for note in notes)
    given = SKFR(3, 20, n_init=4, random_state=0).fit(X)  # by the user, who needs no advice
    assert not [note for note in given.summary().notes if note.startswith("the choice took")]


def test_the_seed_of_a_search_is_the_one_that_was_given() -> None:
    search = sparsek.PermutationGap(
        SKFR(n_init=2), "n_features_to_select", [2, 5], n_permutations=2, random_state=7
    ).fit(groups())
    sure = sparsek.FitUncertainty(SKFR(3, 3, n_init=2), n_resamples=4, random_state=7).fit(groups())
    for fitted, drawn in ((search, search.best_estimator_), (sure, sure.estimator_)):
        summary = fitted.summary()
        assert facts(summary)["Seed"] == "7"
        assert isinstance(drawn.random_state, int)
        assert "random_state" not in summary.lead
    others = sparsek.FitUncertainty(SKFR(3, 3, n_init=2, random_state=3), n_resamples=4, random_state=7)
    assert facts(others.fit(groups()).summary())["Seed"] == "3"  # which the user gave too


def test_long_values_of_parameters_are_short_in_words() -> None:
    X = groups()
    start, names = X[[0, 20, 40]], [f"a column with a long name {j}" for j in range(8)]
    frame = pd.DataFrame(X, columns=names)
    options = {"init": start, "always": names[:3], "standardize": True}
    model = SKFR(3, 3, random_state=np.random.RandomState(0), **options).fit(frame)
    lead = model.summary().lead
    assert "init=array of 3 x 8" in lead
    assert "random_state=a generator" in lead
    assert re.search(r"always=\['a column.*….*name 2'\]", lead)
    assert len(lead) < 200


def test_iterations_of_starts_are_a_range_where_they_differ() -> None:
    model = SKFR(3, 3, n_init=3, random_state=0).fit(groups())
    for found, shown in (([4, 4, 4], "4"), ([2, 5, 4], "2 to 5")):
        model.start_n_iter_ = np.array(found)
        assert model.summary().tables["Starts"]["iterations"].item() == shown


@pytest.mark.parametrize("engine_name", ["numpy", "compiled", "numpy, then compiled with a long remark"])
def test_facts_stay_together_whatever_the_engine_is_called(skfr: SKFR, engine_name: str) -> None:
    model = copy(skfr)
    model._engine = engine_name
    summary = model.summary()
    lines = summary.as_text().splitlines()
    assert max(map(len, lines)) <= 80
    for name, value in facts(summary).items():
        assert (
            sum(bool(re.search(rf"{re.escape(name)} +{re.escape(value)}( |$)", line)) for line in lines) == 1
        )


def test_a_scale_that_a_search_chose_is_named_in_short() -> None:
    X = load_wine().data
    choice = ModelChoice(SKFR(n_features_to_select=13, n_init=2), {"n_clusters": [2, 3]}, random_state=0)
    lead = " ".join(choice.fit(X).summary().lead.split())
    assert "standardize=(by ranges^1)" in lead
    assert "array(" not in lead
