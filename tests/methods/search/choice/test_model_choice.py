"""ModelChoice and the searches that take a dict: by definition, on planted groups, bad input, plots."""

import itertools
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import (
    SKFR,
    EntryCrossValidation,
    MADDKMeans,
    ModelChoice,
    PermutationGap,
    PredictionStrength,
    SelectionConsistency,
    SparseKMeans,
    ThinnedSearch,
)
from sparsek.methods.search.choice.model_choice import CRITERIA, unexplained
from sparsek.methods.search.choice.prediction_strength import strength
from sparsek.methods.search.choice.selection_consistency import selection_consistency
from sparsek.plots import plot_choice, plot_gap

mpl.use("Agg")
GRID = {"n_clusters": [2, 3], "n_features_to_select": [2, 5, 10]}


def planted(seed=0, n=90, p=20, shift=4.0):
    """Three groups that differ in the first five columns."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    X[: n // 3, :3] += shift
    X[n // 3 : 2 * n // 3, 2:5] += shift
    return X


def drawn_seeds(random_state, n_tasks):
    """The stream and the seeds of the tasks of a search with this seed."""
    first, *seeds = np.random.SeedSequence(np.random.RandomState(random_state).randint(2**31 - 1)).spawn(
        1 + n_tasks
    )
    return np.random.default_rng(first), seeds


def state_of(seed):
    """The random_state of the fits of a task that draws nothing before."""
    return int(np.random.default_rng(seed).integers(2**31 - 1))


def cluster_means(X, labels, support):
    """Means of the clusters in selected features, overall means elsewhere; one loop for each entry."""
    means = np.tile(np.nanmean(X, axis=0), (labels.max() + 1, 1))
    for k, j in itertools.product(range(len(means)), np.flatnonzero(support)):
        means[k, j] = np.nanmean(X[labels == k, j])
    return means


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
@pytest.mark.parametrize("holes", [False, True])
def test_thinned_errors_by_definition(family, holes):
    X = planted(n=30, p=6)
    if family == "poisson":
        X = np.random.default_rng(1).poisson(np.exp(X / 3) + 2).astype(float)
    if holes:
        X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    grid = {"n_clusters": [2, 3], "n_features_to_select": [2, 6]}
    options = {"parameter": 1.5} if family == "gaussian" else {}
    found = ThinnedSearch(
        SKFR(n_init=2, standardize=True), grid, family, n_folds=3, random_state=0, **options
    ).fit(X)
    _, seeds = drawn_seeds(0, 3)
    folds = thin_as_search(X, family, options.get("parameter"))
    variance = np.full(6, 1.5) if family == "gaussian" else np.nanmean(X, axis=0)
    for fold, seed in enumerate(seeds):
        train = (folds.sum(axis=0) - folds[fold]) * 1.5
        for i, (k, s) in enumerate(found.param_range_):
            fit = SKFR(k, s, n_init=2, random_state=state_of(seed), standardize=True).fit(train)
            means = cluster_means(train, fit.labels_, fit.get_support())
            error = np.nanmean((3 * folds[fold] - means[fit.labels_]) ** 2 / variance)
            # The sums over folds and entries are rounded in another order.
            assert found.fold_errors_[i, fold] == pytest.approx(error, rel=1e-10)
    np.testing.assert_array_equal(found.errors_, found.fold_errors_.mean(axis=1))


def thin_as_search(X, family, parameter):
    """The three folds of a search with random_state 0, which thins with a stream of its own."""
    from sparsek.methods.search.choice.thinning import fold_shares, known_parameter, split_folds

    rng, _ = drawn_seeds(0, 3)
    return split_folds(X, family, fold_shares(None, 3), known_parameter(parameter, family, X.shape), rng)


@pytest.mark.parametrize(
    "model", [SKFR(3, 4, n_init=2, standardize=True), KMeans(3, n_init=2)], ids=["SKFR", "KMeans"]
)
def test_errors_of_blocks_by_definition(model):
    X = planted(n=30, p=8)
    found = EntryCrossValidation(model, "n_clusters", [2, 4], scheme="blocks", n_folds=3, random_state=0).fit(
        X
    )
    rng, seeds = drawn_seeds(0, 3)
    row_folds, column_folds = (rng.permutation(np.arange(length) % 3) for length in X.shape)
    for fold, seed in enumerate(seeds):
        rest, held = X[row_folds != fold], X[row_folds == fold]
        for i, k in enumerate([2, 4]):
            fit = clone(model).set_params(n_clusters=k, random_state=state_of(seed)).fit(rest)
            support = fit.get_support() if hasattr(fit, "get_support") else np.ones(8, dtype=bool)
            means = cluster_means(rest, fit.labels_, support)
            spread = np.sqrt(np.mean((rest - means[fit.labels_]) ** 2, axis=0))
            errors = []
            for row, column in np.ndindex(held.shape):
                others = support & (column_folds != column_folds[column])
                nearest = np.argmin((((held[row] - means) / spread)[:, others] ** 2).sum(axis=1))
                errors.append((held[row, column] - means[nearest, column]) ** 2 / X[:, column].var())
            # Means of all entries are rounded in another order.
            assert found.fold_errors_[i, fold] == pytest.approx(np.mean(errors), rel=1e-10)


def test_blocks_with_fewer_columns_than_folds_or_one_selected_feature():
    X = planted(p=4)[:, 1:]
    search = EntryCrossValidation(SKFR(2, n_init=2), "n_features_to_select", [1, 3], scheme="blocks")
    found = search.set_params(random_state=0).fit(X)
    rng, _ = drawn_seeds(0, 5)
    rng.permutation(90)
    assert sorted(rng.permutation(np.arange(3) % 5)) == [0, 1, 2]
    # With one feature nothing tells the cluster of its column: all are predicted by the mean.
    assert found.errors_[0] >= 1 > found.errors_[1]


@pytest.mark.filterwarnings("ignore::sparsek.errors.PrecisionWarning", "ignore::sparsek.errors.ScaleWarning")
def test_blocks_with_an_entry_far_from_its_batch():
    X = planted(n=40, p=4)
    X[3, 0] = 1e160
    choice = ModelChoice(
        SKFR(2, n_init=2), {"n_features_to_select": [1, 2]}, criteria="blocks", random_state=0
    )
    choice.fit(X, batch=np.arange(40) % 2)
    assert choice.best_params_["n_features_to_select"] in {1, 2}


def test_blocks_take_pipelines_and_missing_values():
    X = planted()
    model = make_pipeline(StandardScaler(), KMeans(n_init=3))
    found = EntryCrossValidation(model, "kmeans__n_clusters", [2, 3, 5], scheme="blocks", random_state=0).fit(
        X
    )
    assert found.best_params_ == {"kmeans__n_clusters": 3}
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    names = ("n_clusters", "n_features_to_select")
    holes = EntryCrossValidation(SKFR(n_init=3), names, ([2, 3], [5, 20]), scheme="blocks", random_state=0)
    assert holes.fit(X).best_params_ == {"n_clusters": 3, "n_features_to_select": 5}


def test_strength_is_the_smallest_share_of_pairs():
    labels = np.array([0, 0, 0, 1, 1, 2, -1])
    predicted = np.array([4, 4, 1, 1, 1, 0, 0])
    # Of the pairs of cluster 0 one of three is predicted together, of cluster 1 all; 2 has none.
    assert strength(labels, predicted) == pytest.approx(1 / 3, rel=1e-15)
    assert strength(labels, labels + 1) == 1.0


def test_consistency_is_the_mean_of_kunchevas_index():
    rng = np.random.default_rng(0)
    supports = np.zeros((7, 2, 12), dtype=bool)
    for support, size in itertools.product(supports, (0, 1)):
        support[size, rng.permutation(12)[: (3, 5)[size]]] = True
    found, errors = selection_consistency(supports)
    for value, size in enumerate((3, 5)):
        selections = [set(np.flatnonzero(support[value])) for support in supports]
        pairs = itertools.combinations(selections, 2)
        indices = [(len(a & b) * 12 - size**2) / (size * (12 - size)) for a, b in pairs]
        assert found[value] == pytest.approx(np.mean(indices), rel=1e-12)  # other order of sums
        parts = [selection_consistency(np.delete(supports, b, axis=0))[0][value] for b in range(7)]
        assert errors[value] == pytest.approx(
            np.sqrt(6 / 7 * np.sum((parts - np.mean(parts)) ** 2)), rel=1e-10
        )


def test_equal_selections_agree_and_all_features_are_no_choice():
    supports = np.zeros((4, 3, 6), dtype=bool)
    supports[:, 0, :2] = True
    supports[:, 1] = True
    assert selection_consistency(supports)[0].tolist() == [1.0, 0.0, 0.0]


def test_a_consistency_without_error_has_only_itself_within_one_error():
    rng = np.random.default_rng(0)
    supports = np.zeros((6, 3, 8), bool)
    for resample in supports:
        resample[0, rng.permutation(8)[:3]] = True
    supports[:, 1, :2] = True  # the same two in every resample
    supports[:, 2] = True
    search = SelectionConsistency(SKFR(2), {"n_features_to_select": [3, 2, 8]})
    search._store([supports], [{"n_features_to_select": s} for s in (3, 2, 8)])
    assert search.consistency_[1] == 1
    assert search.consistency_se_[1] == 0
    assert (search.max_index_, search.one_se_index_) == (1, 1)


@pytest.mark.parametrize("criterion", ["thinning", "blocks", "entries", "strength", "consistency", "gap"])
def test_every_criterion_finds_planted_features(criterion):
    options = {
        "gap": {"n_permutations": 3},
        "consistency": {"n_resamples": 5},
        "strength": {"n_resamples": 3},
        "thinning": {"n_folds": 3},
    }
    choice = ModelChoice(
        SKFR(3, n_init=3, standardize=True),
        {"n_features_to_select": [1, 5, 20]},
        criterion,
        options={name: options[name] for name in [criterion] if name in options},
        random_state=0,
    ).fit(planted())
    assert choice.best_params_ == {"n_features_to_select": 5}
    np.testing.assert_array_equal(choice.get_support(indices=True), np.arange(5))


@pytest.fixture(scope="module")
def chosen():
    options = {
        "gap": {"n_permutations": 3},
        "consistency": {"n_resamples": 3},
        "strength": {"n_resamples": 2},
        "thinning": {"n_folds": 3},
        "entries": {"n_folds": 3},
        "blocks": {"n_folds": 3},
    }
    X = pd.DataFrame(planted(n=45)).add_prefix("x")
    return ModelChoice(
        SKFR(n_init=2, standardize=True), GRID, list(CRITERIA), options=options, random_state=0
    ).fit(X)


@pytest.mark.thorough
def test_the_frame_holds_what_the_searches_find(chosen):
    X = pd.DataFrame(planted(n=45)).add_prefix("x")
    names, ranges = tuple(GRID), tuple(GRID.values())
    alone = {
        "gap": PermutationGap(SKFR(n_init=2), names, ranges, n_permutations=3, objective=unexplained),
        "thinning": ThinnedSearch(SKFR(n_init=2), GRID, n_folds=3),
        "entries": EntryCrossValidation(SKFR(n_init=2), names, ranges, n_folds=3),
        "blocks": EntryCrossValidation(SKFR(n_init=2), names, ranges, scheme="blocks", n_folds=3),
        "strength": PredictionStrength(SKFR(n_init=2), GRID, n_resamples=2),
        "consistency": SelectionConsistency(SKFR(n_init=2), GRID, n_resamples=3),
    }
    for name, search in alone.items():
        search.set_params(random_state=0).fit(X)
        column = CRITERIA[name].column
        np.testing.assert_array_equal(chosen.results_[name], search.results_[column])
        np.testing.assert_array_equal(chosen.results_[f"{name}_se"], search.results_[f"{column}_se"])
        rows = chosen.choices_[chosen.choices_["criterion"] == name]
        for rule, index in CRITERIA[name].rules.items():
            point = rows.loc[rows["rule"] == rule, list(GRID)].iloc[0]
            assert tuple(point) == search.param_range_[getattr(search, index)]
    assert chosen.choices_["chosen"].tolist() == [True] + [False] * (len(chosen.choices_) - 1)
    assert chosen.best_params_ == alone["gap"].best_params_
    np.testing.assert_array_equal(chosen.labels_, alone["gap"].labels_)
    assert chosen.feature_names_in_[0] == "x0"
    assert chosen.searches_["strength"].refit is False


def test_summary_and_plot(chosen):
    text = chosen.summary(3).as_text()
    assert "Choices" in text
    assert "consistency_se" in text
    axes = chosen.plot()
    assert len(axes) == len(CRITERIA) == 7
    titles = [ax.get_title() for ax in axes]
    assert titles[0].startswith(f"{next(iter(CRITERIA))}; chosen: n_clusters = ")
    plot_choice(chosen, axes)
    with pytest.raises(ValueError, match="axes must hold one for each of 7 criteria; got 2"):
        plot_choice(chosen, axes[:2])
    with pytest.raises(TypeError, match="give a fitted ModelChoice"):
        plot_choice(SKFR(standardize=True))
    mpl.pyplot.close("all")


def test_each_search_draws_its_column(chosen):
    for name, search in chosen.searches_.items():
        ax = plot_gap(search)
        assert len(ax.images) == 1, name
    mpl.pyplot.close("all")


def test_thinning_estimates_the_variance_from_the_median_deviation():
    X = planted(n=300)
    X[:, 7] = X[:, 7] > 2.5  # more than half of the entries are equal
    X[:, 8] = 1.0
    search = ThinnedSearch(SKFR(3, n_init=2), {"n_features_to_select": [5]}, random_state=0).fit(X)
    spread = np.median(np.abs(X - np.median(X, axis=0)), axis=0) / 0.6744897501960817
    expected = np.where(spread > 0, spread**2, X.var(axis=0))
    np.testing.assert_allclose(search.parameter_, expected, rtol=1e-14)  # squares of rounded factors
    assert np.isfinite(search.errors_).all()


def test_one_se_takes_a_smaller_value():
    chosen = [
        ThinnedSearch(
            SKFR(3, n_init=2, standardize=True),
            {"n_features_to_select": range(3, 9)},
            parameter=1,
            rule=rule,
            random_state=1,
        ).fit(planted(1, shift=2.0))
        for rule in ("min", "one_se")
    ]
    assert chosen[0].best_index_ == chosen[0].min_index_
    assert chosen[1].best_index_ == chosen[1].one_se_index_ <= chosen[1].min_index_
    for search in chosen:
        at = search.one_se_index_
        assert search.errors_[at] <= search.errors_.min() + search.error_se_[at]
        assert (search.errors_[:at] > search.errors_.min() + search.error_se_[:at]).all()


def test_strength_warns_where_there_are_no_clusters():
    X = np.random.default_rng(0).normal(size=(60, 5))
    search = PredictionStrength(
        SKFR(n_features_to_select=5, n_init=3), {"n_clusters": [4, 5]}, random_state=0
    )
    with pytest.warns(
        UserWarning, match=r"no point of the grid reaches threshold=0.8 .* may have no clusters"
    ):
        search.fit(X)
    assert search.best_index_ == np.argmax(search.strengths_)


@pytest.mark.parametrize("criterion", sorted(CRITERIA))
def test_checkpoints_and_processes_change_nothing(criterion, tmp_path):
    options = {
        "gap": {"n_permutations": 2},
        "consistency": {"n_resamples": 3},
        "strength": {"n_resamples": 2},
    }
    grid = {"n_clusters": [2, 3]} if criterion == "separation" else {"n_features_to_select": [2, 5]}
    given = {"options": {name: options[name] for name in [criterion] if name in options}, "random_state": 3}
    X = planted(n=40)
    plain = ModelChoice(SKFR(3, n_init=2, standardize=True), grid, criterion, **given).fit(X)
    for n_jobs in (1, 2):
        again = ModelChoice(
            SKFR(3, n_init=2, standardize=True),
            grid,
            criterion,
            **given,
            n_jobs=n_jobs,
            checkpoint=tmp_path / "kept",
        ).fit(X)
        pd.testing.assert_frame_equal(again.results_, plain.results_)
    assert (tmp_path / "kept" / criterion / "search.json").exists()


X90 = planted()


@pytest.mark.parametrize(
    ("search", "error", "message"),
    [
        (ModelChoice(SKFR(), GRID, "best"), ValueError, "'criteria' parameter of ModelChoice must be"),
        (
            ModelChoice(SKFR(), GRID, ["gap", "gap"]),
            ValueError,
            "'criteria' parameter of ModelChoice must be",
        ),
        (ModelChoice(SKFR(), GRID, []), ValueError, "'criteria' parameter of ModelChoice must be"),
        (ModelChoice(SKFR(), {}), ValueError, "'params' parameter of ModelChoice must be a dict"),
        (ModelChoice(SKFR(), [("n_clusters", [2])]), ValueError, "'params' parameter of ModelChoice must be"),
        (
            ModelChoice(SKFR(), {"k": [2]}),
            ValueError,
            "params must be a parameter of the estimator: one of .* got 'k'",
        ),
        (ModelChoice(SKFR(), {"n_clusters": []}), ValueError, "must hold at least one value"),
        (ModelChoice(SKFR(), {"n_clusters": "23"}), TypeError, "must be a sequence of numbers"),
        (ModelChoice(SKFR(), GRID, options={"gap": {}}), ValueError, "options for 'gap', which is not among"),
        (
            ModelChoice(SKFR(), GRID, "thinning", options={"thinning": {"foo": 1}}),
            TypeError,
            "unexpected keyword argument 'foo'",
        ),
        (ModelChoice(SKFR(), GRID, options={"best": {}}), ValueError, "'options' parameter of ModelChoice"),
        (
            ModelChoice(KMeans(), {"n_clusters": [2]}, ("thinning", "entries")),
            TypeError,
            "give scheme='blocks' for other clusterers",
        ),
        (
            ModelChoice(AgglomerativeClustering(), {"n_clusters": [2]}, ("thinning", "strength")),
            TypeError,
            "AgglomerativeClustering has no predict",
        ),
        (
            ModelChoice(KMeans(), {"n_clusters": [2]}, ("thinning", "consistency")),
            TypeError,
            "KMeans has no get_support",
        ),
        (ThinnedSearch(SKFR(), GRID, "normal"), ValueError, "'family' parameter of ThinnedSearch must be"),
        (ThinnedSearch(SKFR(), GRID, "poisson"), ValueError, "family='poisson' has whole numbers"),
        (ThinnedSearch(SKFR(), GRID, n_folds=101), ValueError, "an int in the range \\[2, 100\\]"),
        (ThinnedSearch(SKFR(), GRID, n_folds=1), ValueError, "'n_folds' parameter of ThinnedSearch must be"),
        (SelectionConsistency(SKFR(), GRID, n_resamples=2), ValueError, "'n_resamples' parameter"),
        (PredictionStrength(SKFR(), GRID, threshold=0), ValueError, "'threshold' parameter"),
        (
            EntryCrossValidation(SKFR(), "n_clusters", [2], scheme="blocks", n_folds=100),
            ValueError,
            "n_samples=90 must be at least n_folds=100; give fewer folds",
        ),
    ],
)
def test_bad_input_is_refused_before_any_fit(search, error, message, monkeypatch):
    monkeypatch.setattr(SKFR, "fit", lambda *_, **__: pytest.fail("fitted"))
    monkeypatch.setattr(SKFR, "_fit_path", lambda *_, **__: pytest.fail("fitted"))
    with pytest.raises(error, match=message):
        search.fit(X90)


def test_the_gap_of_a_method_without_an_objective_is_refused():
    search = ModelChoice(MADDKMeans(n_init=2), {"n_clusters": [2, 3]}, "gap", random_state=0)
    with pytest.raises(
        TypeError, match=r"MADDKMeans has no inertia_.* another criterion, or the option objective"
    ):
        search.fit(X90)


def test_constant_data_are_refused():
    for search in (
        ThinnedSearch(SKFR(), {"n_clusters": [2]}),
        EntryCrossValidation(SKFR(), "n_clusters", [2], scheme="blocks"),
    ):
        with pytest.raises(ValueError, match="every one of the 6 features of X is constant"):
            search.fit(np.ones((8, 6)))


def test_the_gap_compares_what_the_method_is_compared_by():
    several, one = {"n_clusters": [2, 3]}, {"n_clusters": [2], "n_features_to_select": [1, 2]}
    made = [
        ModelChoice(model, params, "gap")._search("gap", True, 0, params).objective
        for model, params in (
            (SKFR(), several),
            (KMeans(), several),
            (SparseKMeans(), several),
            (SKFR(), one),
        )
    ]
    assert made == [unexplained, unexplained, None, None]


def test_sparse_k_means_over_the_default_bounds():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = ThinnedSearch(SparseKMeans(3, n_init=2), {"l1_bound": None}, random_state=0).fit(planted())
    assert len(search.param_range_) == 10
    np.testing.assert_array_equal(
        np.sort(np.argsort(-search.best_estimator_.feature_weights_)[:5]), np.arange(5)
    )
