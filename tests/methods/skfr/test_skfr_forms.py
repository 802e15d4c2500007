"""SKFR's other forms: screened starts, partial data, absolute loss, projections, winsorising."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from sparsek import SKFR
from sparsek.datasets import make_brodinova, make_partially_observed
from sparsek.methods.skfr.median import column_medians
from sparsek.methods.skfr.missing import skfr_filled
from sparsek.methods.skfr.projection import make_projection
from sparsek.sources.partial import pack
from sparsek.starts.seeds import View, normal_distance
from tests.partitions import by_size
from tests.sources import literal_missing

ROUNDING = 1e-9
"""Share of the total sum of squares: sums of at most 1e5 terms in another order."""
SEEDS = st.integers(0, 2**31 - 1)


def small(seed: int, missing: float = 0.0) -> np.ndarray:
    """Random data with groups in the first columns and holes on request."""
    g = np.random.default_rng(seed)
    X = g.normal(size=(g.integers(12, 40), g.integers(3, 9)))
    X[: len(X) // 2, :2] += g.choice([0, 3])
    X[g.random(X.shape) < missing] = np.nan
    return X


def observed_loss(X: np.ndarray, model: SKFR) -> float:
    """The loss over the observed entries, from the definition."""
    z = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0, ddof=1)
    return float(np.nansum((z - model.standardized_centers_[model.labels_]) ** 2))


FORMS: list[dict[str, Any]] = [
    {"missing": "observed"},
    {"missing": "mm"},
    {"missing": "observed", "scope": "local"},
    {"missing": "mm", "scope": "local"},
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rows, many clusters
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=10)
@given(seed=SEEDS)
@example(seed=279)  # the first assignment, to centres of data filled with 0, may raise the loss
def test_observed_loss_never_rises(form: dict[str, Any], seed: int) -> None:
    X = small(seed, missing=0.15)
    X = X[:, (np.isfinite(X).sum(axis=0) > 2)]
    assume(X.shape[1] >= 2)  # enough columns with observed entries to standardise
    model = SKFR(3, min(2, X.shape[1]), n_init=3, random_state=seed, **form, standardize=True).fit(X)
    history = model.criterion_history_
    assert np.all(np.diff(history) <= ROUNDING * model.tss_)
    assert model.inertia_ <= history[-1] + ROUNDING * model.tss_
    if (
        form["missing"] == "observed"
    ):  # filled holes pull a row to its own cluster: "mm" labels need not be nearest
        assert model.inertia_ == pytest.approx(observed_loss(X, model), abs=ROUNDING * model.tss_)


@pytest.mark.parametrize("missing", ["observed", "mm"])
@pytest.mark.parametrize("scope", ["global", "local"])
def test_one_hole_in_a_far_feature_changes_little(missing: str, scope: str) -> None:
    X = small(5)
    holed = X.copy()
    holed[0, -1] = np.nan
    options = {"n_features_to_select": 2, "scope": scope, "random_state": 1}
    complete = SKFR(2, **options).fit(X)
    partial = SKFR(2, missing=missing, **options).fit(holed)
    assert adjusted_rand_score(complete.labels_, partial.labels_) == 1
    np.testing.assert_array_equal(complete.get_support(), partial.get_support())


def test_partial_data_end_to_end() -> None:
    sample = make_partially_observed(n_features=40, random_state=3)
    model = SKFR(5, 10, random_state=0).fit(sample.data)
    assert adjusted_rand_score(sample.target, model.labels_) > 0.9
    assert model.get_support()[:10].all()
    np.testing.assert_array_equal(model.predict(sample.data), model.labels_)
    distances = model.transform(sample.data)
    np.testing.assert_array_equal(distances.argmin(axis=1), model.labels_)
    assert np.isfinite(model.cluster_centers_).all()


def test_rows_and_columns_without_any_value() -> None:
    X = small(2)
    X[3] = np.nan
    X[:, 1] = np.nan
    for missing in ("observed", "mm"):
        model = SKFR(2, 2, missing=missing, random_state=0, standardize=True).fit(X)
        assert np.isfinite(model.cluster_centers_).all()
        assert model.feature_weights_[1] == 0


@settings(max_examples=15)
@given(seed=SEEDS, scope=st.sampled_from(["global", "local"]))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rows, many clusters
def test_absolute_loss_never_rises(seed: int, scope: str) -> None:
    X = small(seed)
    model = SKFR(3, 2, loss="absolute", scope=scope, n_init=3, random_state=seed).fit(X)
    assert np.all(np.diff(model.criterion_history_) <= ROUNDING * model.tss_)
    z = (X - np.median(X, axis=0)) / X.std(axis=0, ddof=1)
    direct = np.abs(z - model.standardized_centers_[model.labels_]).sum()
    assert model.inertia_ == pytest.approx(direct, abs=ROUNDING * model.tss_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_new_rows_with_holes_are_compared_by_their_observed_entries(loss: str) -> None:
    X = small(4)
    model = SKFR(3, 2, loss=loss, n_init=3, random_state=0).fit(X)
    holed = X.copy()
    holed[::2, model.selected_features_[0]] = np.nan
    z = (holed - model._scaling.offset) / model._scaling.spread
    power = 1 if loss == "absolute" else 2
    apart = np.abs(z[:, None] - model.standardized_centers_) ** power
    distances = np.nansum(apart[:, :, model.selected_features_], axis=2)
    np.testing.assert_allclose(model.transform(holed) ** power, distances, atol=ROUNDING)
    np.testing.assert_array_equal(model.predict(holed), distances.argmin(axis=1))
    assert model.score(holed) == pytest.approx(-np.nansum(apart, axis=2).min(axis=1).sum(), rel=ROUNDING)


@pytest.mark.parametrize("options", [{}, {"loss": "absolute"}, {"projection": "nonnegative"}])
def test_a_callable_gets_the_rows_as_they_are(options: dict[str, Any]) -> None:
    X, seen = small(3), []

    def init(Y: np.ndarray, n_clusters: int, random_state: int) -> np.ndarray:
        seen.append(Y)
        return Y[:n_clusters]

    common = {"n_features_to_select": None, "n_init": 1, **options}
    model = SKFR(2, init=init, **common).fit(X)
    rows = SKFR(2, init=np.arange(2), **common).fit(X)
    np.testing.assert_array_equal(model.labels_, by_size(rows.labels_))
    np.testing.assert_array_equal(seen[0], X)


def test_a_callable_gets_rows_completed_by_column_means() -> None:
    X, seen = small(6, missing=0.2), []
    SKFR(2, 2, init=lambda Y, k, random_state: seen.append(Y) or np.arange(k), n_init=1).fit(X)
    np.testing.assert_allclose(seen[0], np.where(np.isnan(X), np.nanmean(X, axis=0), X), rtol=1e-12)


def test_the_table_of_starts_names_the_features_in_use_of_a_projection() -> None:
    model = SKFR(2, projection=("simplex", 0.5), n_init=1, random_state=0).fit(small(1))
    assert model.restart_table_["selected"].tolist() == [tuple(model.selected_features_)]
    assert 0 < len(model.selected_features_) < model.n_features_in_


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=9))
def test_weighted_medians_are_those_of_repeated_rows(rows: list[tuple[int, int]]) -> None:
    values, repeats = np.array(rows).T
    X = values[:, None].astype(float)
    weighted = column_medians(X, repeats.astype(float))
    repeated = column_medians(np.repeat(X, repeats, axis=0))
    assert weighted[0] == repeated[0]
    assert weighted[1] == pytest.approx(repeated[1], abs=1e-12)  # multiples of 1/2, summed in another order


PROJECTIONS: list[Any] = ["nonnegative", ("box", -0.5, 0.5), ("simplex", 1.0), ("ball", 1.0), ("low_rank", 1)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rows, many clusters
@pytest.mark.parametrize("projection", PROJECTIONS)
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_projected_loss_never_rises(projection: Any, seed: int) -> None:
    X = small(seed)
    model = SKFR(3, projection=projection, n_init=3, random_state=seed).fit(X)
    assert np.all(np.diff(model.criterion_history_) <= ROUNDING * model.tss_)
    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    direct = ((z - model.standardized_centers_[model.labels_]) ** 2).sum()
    assert model.inertia_ == pytest.approx(direct, abs=ROUNDING * model.tss_)


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_a_projection_has_one_set_of_features_in_either_scope(projection: Any) -> None:
    """The clusters are numbered by size, and what has a row for each is brought into their order."""
    options = {"projection": projection, "n_init": 2, "random_state": 1}
    X = small(7)
    common, local = (SKFR(4, scope=scope, **options).fit(X) for scope in ("global", "local"))
    assert np.bincount(local.labels_).tolist() == sorted(np.bincount(local.labels_), reverse=True)
    assert local.labels_.tolist() == common.labels_.tolist()
    assert local.selected_features_.tolist() == common.selected_features_.tolist()
    np.testing.assert_allclose(local.feature_gains_.sum(axis=0), common.feature_gains_, rtol=ROUNDING)
    in_use = local.standardized_centers_ != 0
    np.testing.assert_array_equal(np.flatnonzero(in_use.any(axis=0)), local.selected_features_)
    assert not local.feature_weights_[~in_use].any()


@pytest.mark.parametrize("projection", [*PROJECTIONS, ("half_space", [1, -2, 0, 0.5, 0, 1], -1.0)])
def test_projections_are_idempotent_and_feasible(projection: Any) -> None:
    project = make_projection(projection) if isinstance(projection, str) else make_projection(*projection)
    means, counts = np.random.default_rng(0).normal(size=(4, 6)), np.array([3.0, 5, 2, 7])
    centers = project(means, counts)
    np.testing.assert_allclose(project(centers, counts), centers, atol=1e-12)  # rounding of a few operations
    # No feasible point drawn at random is closer to the means.
    own = (counts[:, None] * (means - centers) ** 2).sum()
    for other in np.random.default_rng(1).normal(size=(200, 4, 6)):
        assert (counts[:, None] * (means - project(other, counts)) ** 2).sum() >= own - 1e-12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rows, many clusters
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, offset=st.floats(-2, 2))
def test_centres_stay_in_their_half_space(seed: int, offset: float) -> None:
    X = small(seed)
    normal = np.random.default_rng(seed).normal(size=X.shape[1])
    model = SKFR(2, projection=("half_space", normal, offset), n_init=3, random_state=seed).fit(X)
    assert (model.standardized_centers_ @ normal <= offset + 1e-9).all()  # rounding of the projection
    assert np.all(np.diff(model.criterion_history_) <= ROUNDING * model.tss_)


def test_a_half_space_with_everything_in_it_is_k_means() -> None:
    X = small(0)
    normal = np.ones(X.shape[1])
    model = SKFR(2, projection=("half_space", normal, 1e6), random_state=0).fit(X)
    assert model.labels_.tolist() == SKFR(2, X.shape[1], random_state=0).fit(X).labels_.tolist()
    assert clone(model).projection[2] == 1e6


def test_a_callable_projection_and_its_faults() -> None:
    X = small(0)
    model = SKFR(2, projection=lambda means, counts: means, random_state=0).fit(X)
    lloyd = SKFR(2, X.shape[1], random_state=0).fit(X)
    assert model.objective_ == pytest.approx(lloyd.objective_, rel=1e-9)  # equal partition, other sums
    with pytest.raises(ValueError, match="projection must return finite centres of shape"):
        SKFR(2, projection=lambda means, counts: means[:1]).fit(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"projection": "cone"}, "'projection' parameter of"),
        ({"projection": ("box", 1.0)}, "'projection' parameter of"),
        ({"projection": ("box", 1.0, 0.0)}, "'projection' parameter of"),
        ({"projection": ("ball", -1.0)}, "'projection' parameter of"),
        ({"projection": ("half_space", [1.0])}, "'projection' parameter of"),
        ({"projection": ("half_space", [0.0, 0.0], 1.0)}, "'projection' parameter of"),
        ({"projection": ("half_space", [1.0, np.nan], 1.0)}, "'projection' parameter of"),
        ({"projection": ("half_space", "x", 1.0)}, "'projection' parameter of"),
        ({"projection": ("half_space", [1.0], 1.0)}, "needs a normal with one number per feature"),
        ({"projection": ("low_rank", 1.5)}, "'projection' parameter of"),
        ({"projection": "nonnegative", "n_features_to_select": 2}, "takes the place of the ranking"),
        ({"projection": "nonnegative", "loss": "absolute"}, "loss='squared' only"),
        ({"winsorize": 0}, "'winsorize' parameter of"),
        ({"winsorize": -1}, "'winsorize' parameter of .* Got -1 instead"),
        ({"missing": "drop"}, "'missing' parameter of"),
        ({"loss": "huber"}, "'loss' parameter of"),
        ({"init": "screen"}, "'init' parameter of"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SKFR(2, **options).fit(small(0))


def test_projection_of_another_type() -> None:
    with pytest.raises(TypeError, match="'projection' parameter of"):
        SKFR(2, projection=3).fit(small(0))


def test_screened_starts_find_what_plain_ones_do_not() -> None:
    sample = make_brodinova(300, random_state=4)
    scaled = sample.data * np.random.default_rng(0).uniform(0.01, 100, 300)
    z = scaled / scaled.std(axis=0)
    plain = SKFR(10, 10, init="k-means++", standardize=False, random_state=0).fit(z)
    screened = SKFR(10, 10, random_state=0).fit(scaled)
    assert SKFR(10, 10, standardize=False, random_state=0).fit(z).objective_ < plain.objective_
    assert adjusted_rand_score(sample.target, screened.labels_) > 0.8
    assert adjusted_rand_score(sample.target, plain.labels_) < 0.6


def test_normal_distance_ranks_mixtures_first() -> None:
    g = np.random.default_rng(0)
    Z = np.column_stack([g.normal(size=500), g.normal(size=500) + 5 * (np.arange(500) % 2), np.zeros(500)])
    distances = normal_distance(View(np.column_stack([Z - Z.mean(axis=0), np.ones(500)])))
    assert distances[1] > 0.1 > distances[0] > 0
    assert distances[2] == 0


@given(SEEDS)
def test_weights_count_as_repeated_rows_in_the_screening(seed: int) -> None:
    g = np.random.default_rng(seed)
    X = np.column_stack([g.integers(-3, 4, (20, 3)) + 0.1, np.ones(20)])
    weights = g.integers(1, 4, 20)
    weighted = normal_distance(View(X), weights.astype(float))
    np.testing.assert_array_equal(weighted, normal_distance(View(np.repeat(X, weights, axis=0))))


def test_winsorising_rescues_gross_outliers() -> None:
    sample = make_brodinova(200, scatter_outliers=0.1, noise_outliers=0.1, random_state=2)
    plain = SKFR(10, 10, random_state=0).fit(sample.data)
    clipped = SKFR(10, 10, winsorize=4, random_state=0).fit(sample.data)
    truth = sample.target
    assert adjusted_rand_score(truth, clipped.labels_) > adjusted_rand_score(truth, plain.labels_) + 0.2
    np.testing.assert_array_equal(clipped.predict(sample.data), clipped.labels_)


def test_restart_table() -> None:
    X = small(1)
    for options in ({}, {"scope": "local"}, {"loss": "absolute"}, {"projection": "nonnegative"}):
        select = None if "projection" in options else 2
        table = SKFR(2, select, n_init=5, random_state=0, **options).fit(X).restart_table_
        assert list(table.columns) == ["objective", "n_iter", "converged", "selected"]
        assert len(table) == 5
        assert table["converged"].all()
    model = SKFR(2, 2, n_init=5, random_state=0).fit(X)
    best = model.restart_table_.iloc[int(np.argmin(model.start_objectives_))]
    assert best["selected"] == tuple(model.selected_features_)


@pytest.mark.parametrize("scope", ["global", "local"])
def test_warns_at_max_iter(scope: str) -> None:
    X = make_brodinova(12, 10, random_state=0).data
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations; increase max_iter"):
        model = SKFR(6, 4, scope=scope, max_iter=1, random_state=0).fit(X)
    assert model.n_iter_ == 1
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.inertia_ <= model.objective_ + ROUNDING * model.tss_


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_filled_form_stops_where_the_literal_loop_does(seed: int, local: bool, weighted: bool) -> None:
    g = np.random.default_rng(seed)
    truth = np.arange(45) % 3
    Z = g.normal(size=(45, 6))
    Z[:, :3] += 2 * g.normal(size=(3, 3))[truth]
    Z[g.random(Z.shape) < 0.25] = np.nan
    weights = g.integers(1, 4, 45).astype(float) if weighted else np.ones(45)
    start = np.where(g.random(45) < 0.3, g.integers(3, size=45), truth).astype(np.int32)
    labels, losses, theta, converged = literal_missing.skfr_filled(Z, start.tolist(), 3, 3, local, weights)
    data = pack(Z, weights if weighted else None)
    options = {"n_clusters": 3, "n_selected": 3, "local": local, "weights": weights if weighted else None}
    found = skfr_filled(data, start, **options)
    assert converged
    assert found.converged
    assert found.n_iter == len(losses)
    assert found.labels.tolist() == labels
    # Sums of 270 squares near 1, and centres, means of 15 rows, that are filled in up to a hundred times.
    np.testing.assert_allclose(found.history, losses, rtol=1e-12)
    np.testing.assert_allclose(found.params.centers, theta[:, found.params.columns], rtol=0, atol=1e-12)
    assert not np.delete(theta, found.params.columns, axis=1).any()
    # The rule has an effect: after the last change of labels the loss falls for many more iterations.
    assert -np.diff(losses)[-2] > literal_missing.FILLED_TOLERANCE * data.tss
    assert len(losses) > 8


@pytest.mark.parametrize("value", [-3.0, 0.0, 1e7 / 3])
def test_a_constant_column_with_holes_is_left_out(value):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(10, 2)), rng.normal(size=(10, 2)) + 9])
    X[3, 0] = np.nan
    constant = np.full((20, 1), value)
    constant[5] = np.nan
    usual = SKFR(2, n_features_to_select=2, random_state=0, standardize=True).fit(X)
    model = SKFR(2, n_features_to_select=2, random_state=0, standardize=True).fit(np.hstack([X, constant]))
    assert model.selected_features_.tolist() == [0, 1]
    assert model.feature_gains_[2] == 0
    np.testing.assert_array_equal(model.labels_, usual.labels_)


def test_centres_projected_far_away_explain_nothing() -> None:
    X = np.random.default_rng(0).normal(size=(30, 1))
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model = SKFR(2, projection=("simplex", 1.0), random_state=0).fit(X)  # both centres are 1
    assert model.standardized_centers_.tolist() == [[1.0], [1.0]]
    assert model.feature_gains_[0] < 0
    assert model.feature_weights_.tolist() == [0.0]


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("scope", ["global", "local"])
def test_the_divisor_of_the_variance_counts_observed_entries(ddof, scope):
    """`ddof` with NaN: the fit is that of columns standardised by hand, over their observed entries."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 6)) * [1, 2, 3, 4, 5, 6] + 4.0 * (np.arange(40)[:, None] % 2)
    X[rng.random(X.shape) < 0.3] = np.nan
    Z = np.empty_like(X)
    for j, column in enumerate(X.T):
        seen = column[~np.isnan(column)]
        spread = np.sqrt(((seen - seen.mean()) ** 2).sum() / (len(seen) - ddof))
        Z[:, j] = (column - seen.mean()) / spread
    init = np.arange(40, dtype=np.int64) % 2
    options = {"scope": scope, "init": init}
    found = SKFR(2, 3, standardize=True, ddof=ddof, **options).fit(X)
    by_hand = SKFR(2, 3, standardize=False, **options).fit(Z)
    assert found.labels_.tolist() == by_hand.labels_.tolist()
    # Means and sums in another order: some roundings of 1e-16.
    assert found.inertia_ == pytest.approx(by_hand.inertia_, rel=1e-12)
    np.testing.assert_allclose(found.feature_weights_, by_hand.feature_weights_, rtol=1e-12)
