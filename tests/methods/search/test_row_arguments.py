"""Weights and batches of rows in searches: repeated rows, shares of batches, routing, refusals."""

from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import squareform
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from sparsek import (
    SKFR,
    ConsensusClustering,
    EntryCrossValidation,
    FeatureFDR,
    FitUncertainty,
    ModelChoice,
    PermutationGap,
    PredictionStrength,
    SelectionConsistency,
    StabilitySelection,
    ThinnedSearch,
    WeightedRobustSparseKMeans,
)
from sparsek.core.batch_draws import drawn_within, folds_within, order_within, shuffled_within
from sparsek.methods.search.choice.prediction_strength import strength
from sparsek.methods.search.choice.thinned_search import robust_variances
from sparsek.methods.search.consensus_counts import (
    agreement,
    consensus_labels,
    pair_weights,
    within_clusters,
)
from sparsek.methods.search.held_out import HeldEntries, block_errors, fold_errors
from sparsek.methods.search.predictions import cluster_predictions, column_means, mean_square, within_spread
from sparsek.methods.search.row_arguments import RowArguments, row_arguments

mpl.use("Agg")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(48, 6))
X[:24, :3] += 4
W = RNG.integers(0, 4, 48)
MODEL = SKFR(2, 3, n_init=2, standardize=True)
GRID = {"n_features_to_select": [2, 3]}
SEARCHES = {
    "gap": PermutationGap(MODEL, *GRID, [2, 3], n_permutations=3, random_state=0),
    "entries": EntryCrossValidation(MODEL, *GRID, [2, 3], n_folds=3, random_state=0),
    "blocks": EntryCrossValidation(MODEL, *GRID, [2, 3], scheme="blocks", n_folds=3, random_state=0),
    "thinning": ThinnedSearch(MODEL, GRID, n_folds=3, random_state=0),
    "strength": PredictionStrength(MODEL, GRID, n_resamples=3, random_state=0),
    "consistency": SelectionConsistency(MODEL, GRID, n_resamples=4, random_state=0),
    "stability": StabilitySelection(MODEL, n_resamples=4, random_state=0),
    "bootstrap": FitUncertainty(MODEL, n_resamples=4, random_state=0),
    "subsampling": FitUncertainty(MODEL, "subsampling", n_resamples=4, random_state=0),
    "choice": ModelChoice(
        MODEL,
        GRID,
        ("thinning", "gap"),
        options={"thinning": {"n_folds": 2}, "gap": {"n_permutations": 2}},
        random_state=0,
    ),
    "consensus": ConsensusClustering(MODEL, (2, 3), n_resamples=6, sample_fraction=0.95, random_state=0),
}
each_search = pytest.mark.parametrize("name", SEARCHES)


@cache
def plain_results(name):
    """The table of a search of the rows without weights and batches."""
    return SEARCHES[name].fit(X).results_


@each_search
def test_ones_are_no_weights(name) -> None:
    plain, weighted = plain_results(name), SEARCHES[name].fit(X, sample_weight=np.ones(len(X))).results_
    # Weighted sums are added in another order: some roundings of numbers around 1.
    np.testing.assert_allclose(weighted.select_dtypes("number"), plain.select_dtypes("number"), rtol=1e-12)


@each_search
def test_rows_of_weight_zero_are_left_out(name) -> None:
    search = SEARCHES[name]
    weighted = search.fit(X, sample_weight=W).results_
    kept = W > 0
    without = search.fit(X[kept], sample_weight=W[kept]).results_
    np.testing.assert_array_equal(weighted.select_dtypes("number"), without.select_dtypes("number"))


@each_search
def test_weights_count(name) -> None:
    heavy = np.where(np.arange(48) % 3 == 0, 9, 1)
    plain, weighted = plain_results(name), SEARCHES[name].fit(X, sample_weight=heavy).results_
    if name in ("consistency", "stability", "consensus"):
        assert weighted.shape == plain.shape  # the same features are found in these clear groups
    else:
        assert not np.allclose(weighted.select_dtypes("number"), plain.select_dtypes("number"))


def test_the_gap_of_whole_weights_is_that_of_repeated_rows() -> None:
    search = SEARCHES["gap"]
    weighted = search.fit(X, sample_weight=W)
    labels, gaps = weighted.labels_, weighted.gap_
    repeated = search.fit(np.repeat(X, W, axis=0))
    np.testing.assert_array_equal(weighted.n_selected_, repeated.n_selected_)
    # Sums of repeated rows are added in another order.
    np.testing.assert_allclose(gaps, repeated.gap_, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(np.repeat(labels, W), repeated.labels_)


@settings(max_examples=85)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=30))
def test_strength_of_whole_weights_is_that_of_repeated_rows(rows) -> None:
    labels, predicted, counts = np.array(rows).T
    repeated = strength(np.repeat(labels, counts), np.repeat(predicted, counts))
    assert strength(labels, predicted, counts) == pytest.approx(repeated, abs=1e-14)  # one division


class Fixed(SKFR):
    """A partition that is given."""

    def fit(self, X, y=None, sample_weight=None):
        self.labels_ = (X[:, 0] > 2).astype(np.int32)
        mass = np.ones(len(X)) if sample_weight is None else sample_weight
        own = [self.labels_ == k for k in (0, 1)]
        self.cluster_centers_ = np.array([column_means(X[rows], mass[rows]) for rows in own])
        return self

    def get_support(self, indices=False):
        return np.array([True, True, True, False, False, False])


@pytest.mark.parametrize("holes", [False, True])
def test_predictions_of_a_partition_are_those_of_repeated_rows(holes) -> None:
    data = X.copy()
    if holes:
        data[RNG.random(X.shape) < 0.1] = np.nan
        data[:, 0] = X[:, 0]
    counts = np.maximum(W, 1)
    copies, fit = np.repeat(data, counts, axis=0), Fixed(2, 3)
    weights = counts.astype(float)
    labels, means, _ = cluster_predictions(fit.fit(np.nan_to_num(data)), data, weights)
    spread, error = within_spread(data, labels, means, weights), mean_square(data - means[labels], weights)
    many, same, _ = cluster_predictions(fit.fit(np.nan_to_num(copies)), copies)
    close = {"rtol": 1e-12}  # sums in another order
    np.testing.assert_allclose(means, same, **close)
    np.testing.assert_allclose(spread, within_spread(copies, many, same), **close)
    np.testing.assert_allclose(error, mean_square(copies - same[many], None), **close)
    np.testing.assert_allclose(column_means(data, weights), column_means(copies), **close)
    np.testing.assert_allclose(robust_variances(data, weights), robust_variances(copies, None), **close)


def test_held_out_errors_of_a_partition_are_those_of_repeated_rows() -> None:
    counts = np.maximum(W, 1)
    copies, seed = np.repeat(X, counts, axis=0), np.random.SeedSequence(0)
    weights = RowArguments(counts.astype(float), names={"sample_weight": "sample_weight"})
    rows, columns = np.arange(48) % 3, np.arange(6) % 3
    found = block_errors(Fixed(2, 3), [{}], X, weights, [rows, columns], 0, seed, [])
    same = block_errors(
        Fixed(2, 3), [{}], copies, RowArguments(), [np.repeat(rows, counts), columns], 0, seed, []
    )
    np.testing.assert_allclose(found, same, rtol=1e-12)  # sums in another order
    folds = RNG.integers(0, 4, X.shape)
    folds[:, 0] = 1
    target = SKFR(2, 3, standardize=True)._held_out_scale(X, weights.weights)
    found = fold_errors(Fixed(2, 3), [{}], HeldEntries(X, *target), weights, folds, 0, seed, [])
    target = SKFR(2, 3, standardize=True)._held_out_scale(copies)
    many = np.repeat(folds, counts, axis=0)
    same = fold_errors(Fixed(2, 3), [{}], HeldEntries(copies, *target), RowArguments(), many, 0, seed, [])
    np.testing.assert_allclose(found, same, rtol=1e-12)  # sums in another order


def test_membership_of_rows_without_weight_is_unknown() -> None:
    sure = FitUncertainty(MODEL, n_resamples=20, random_state=0).fit(X, sample_weight=W)
    assert np.isnan(sure.membership_[W == 0]).all()
    np.testing.assert_allclose(sure.membership_[W > 0].sum(axis=1), 1, rtol=1e-12)


def test_the_summary_of_a_weighted_fit_resamples_weighted_rows() -> None:
    model = SKFR(2, 3, n_init=1, random_state=0, standardize=True).fit(X, sample_weight=W)
    shown = model.summary(uncertainty="bootstrap", X=X).features
    again = FitUncertainty(model, random_state=0).fit(X, sample_weight=W)
    chosen = shown["low"].notna()
    low = np.sort(again.weight_intervals_[0][again.weights_ > 0])
    np.testing.assert_array_equal(np.sort(shown.loc[chosen, "low"].to_numpy(float))[-3:], low)


def test_in_a_pipeline_the_last_step_gets_the_weights() -> None:
    pipeline = make_pipeline(StandardScaler(with_std=False), MODEL)
    grid = ("skfr__n_features_to_select", [2, 3])
    inside = PermutationGap(pipeline, *grid, n_permutations=3, random_state=0).fit(X, sample_weight=W)
    # The copy of the clusterer centres its columns itself.
    np.testing.assert_allclose(inside.gap_, SEARCHES["gap"].fit(X, sample_weight=W).gap_, rtol=1e-10)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_routing_asks_the_estimator(backend) -> None:
    from joblib import parallel_config

    expected = SEARCHES["gap"].fit(X, sample_weight=W).gap_
    with config_context(enable_metadata_routing=True), parallel_config(backend):
        settings = {"n_permutations": 3, "random_state": 0, "n_jobs": 2}
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            PermutationGap(MODEL, *GRID, [2, 3], **settings).fit(X, sample_weight=W)
        asking = SKFR(2, 3, n_init=2, standardize=True).set_fit_request(sample_weight=True)
        found = PermutationGap(asking, *GRID, [2, 3], **settings).fit(X, sample_weight=W)
        np.testing.assert_array_equal(found.gap_, expected)
        scaler = StandardScaler(with_std=False).set_fit_request(sample_weight=False)
        inside = PermutationGap(
            make_pipeline(scaler, asking), "skfr__n_features_to_select", [2, 3], **settings
        )
        np.testing.assert_allclose(inside.fit(X, sample_weight=W).gap_, expected, rtol=1e-10)


def test_a_search_in_a_pipeline_gets_routed_weights() -> None:
    with config_context(enable_metadata_routing=True):
        asking = SKFR(2, 3, n_init=2, standardize=True).set_fit_request(sample_weight=True)
        search = PermutationGap(asking, *GRID, [2, 3], n_permutations=3, random_state=0)
        search.set_fit_request(sample_weight=True)
        outer = make_pipeline(StandardScaler(with_std=False).set_fit_request(sample_weight=False), search)
        outer.fit(X, sample_weight=W)
    expected = SEARCHES["gap"].fit(X, sample_weight=W).gap_
    np.testing.assert_allclose(search.gap_, expected, rtol=1e-10)  # columns are centred twice


REFUSED = {
    "negative": (SEARCHES["gap"], -np.ones(48), "must not be negative"),
    "too few": (SEARCHES["thinning"], np.ones(47), r"must have shape \(48,\)"),
    "no weight": (SEARCHES["stability"], np.zeros(48), "zero for every row"),
    "parts of rows": (SEARCHES["gap"], np.full(48, 0.5), "whole numbers, because a row of weight m"),
    "one cluster": (
        ModelChoice(SKFR(standardize=True), {"n_clusters": [1, 2]}, "thinning"),
        W,
        "test of one cluster does not take",
    ),
    "rate": (FeatureFDR(MODEL), W, "FeatureFDR.fit does not take sample_weight, because sets without"),
    "one row": (ConsensusClustering(MODEL, 1), np.eye(48)[0], "leaves 1 row, and agreement is of two"),
}


@pytest.mark.parametrize(("search", "weights", "text"), REFUSED.values(), ids=REFUSED)
def test_weights_without_theory_are_refused(search, weights, text) -> None:
    with pytest.raises(ValueError, match=text):
        search.fit(X, sample_weight=weights)


@settings(max_examples=65)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_agreement_of_whole_weights_is_that_of_repeated_rows(seed, k) -> None:
    """Copies of a row agree always; the area and PAC of different rows are those of the pairs of copies."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    counts, entries = rng.integers(1, 4, n), rng.random(n * (n - 1) // 2)  # without ties
    matrix = squareform(entries) + np.eye(n)
    rows = np.repeat(np.arange(n), counts)
    copies = matrix[np.ix_(rows, rows)]
    np.fill_diagonal(copies, 0)
    labels = consensus_labels(entries, k, counts.astype(float))
    np.testing.assert_array_equal(labels[rows], consensus_labels(squareform(copies), k))
    pairs = [(i, j) for i in range(len(rows)) for j in range(i) if rows[i] != rows[j]]
    values = np.array([copies[pair] for pair in pairs])
    weights = pair_weights(counts.astype(float), np.ones(len(entries), dtype=bool))
    found, expected = agreement(entries, 0.2, 0.7, weights), agreement(values, 0.2, 0.7)
    # Sums in another order.
    assert found.area == pytest.approx(expected.area, abs=1e-12)
    assert found.ambiguous == pytest.approx(expected.ambiguous, abs=1e-12)
    for cluster, mean in enumerate(within_clusters(matrix, labels, k, counts.astype(float))):
        own = [copies[i, j] for i, j in pairs if labels[rows[i]] == labels[rows[j]] == cluster]
        assert mean == pytest.approx(np.mean(own) if own else 1, rel=1e-12)


def test_rows_of_weight_zero_are_in_no_consensus() -> None:
    model = ConsensusClustering(MODEL, 2, n_resamples=20, random_state=0).fit(X, sample_weight=W)
    assert (model.labels_[W == 0] == -1).all()
    assert np.isnan(model.consensus_matrix_[W == 0]).all()
    assert (model.resample_labels_[:, :, W == 0] == -2).all()
    assert str(np.count_nonzero(W)) in str(model.summary())
    assert model.plot() is not None


def test_other_arguments_are_refused() -> None:
    for search in (FeatureFDR(MODEL), ConsensusClustering(MODEL, 2)):
        with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
            search.fit(X, weights=W)


def test_an_estimator_without_weights_is_named() -> None:
    search = StabilitySelection(WeightedRobustSparseKMeans(2, l1_bound=1.5), n_resamples=4)
    with pytest.raises(TypeError, match=r"WeightedRobustSparseKMeans\.fit takes no sample_weight"):
        search.fit(X, sample_weight=W)


def test_a_checkpoint_is_of_its_weights(tmp_path) -> None:
    search = ThinnedSearch(MODEL, GRID, random_state=0, checkpoint=tmp_path)
    first = search.fit(X, sample_weight=W).errors_
    np.testing.assert_array_equal(search.fit(X, sample_weight=W).errors_, first)
    with pytest.raises(ValueError, match="sample_weight"):
        search.fit(X[W > 0], sample_weight=W[W > 0] + 1)


BATCH = np.where(np.arange(48) % 3, "west", "east")


def moved(data):
    """The same rows with other origins and units in one of the batches; powers of two keep the digits."""
    rng, found = np.random.default_rng(1), data.copy()
    east = BATCH == "east"
    found[east] = found[east] * 2.0 ** rng.integers(-2, 3, data.shape[1]) + rng.integers(
        -40, 40, data.shape[1]
    )
    return found


@pytest.mark.parametrize("name", sorted(set(SEARCHES) - {"choice"}))
def test_one_batch_is_none(name) -> None:
    plain, one = plain_results(name), SEARCHES[name].fit(X, batch=np.zeros(len(X))).results_
    np.testing.assert_array_equal(one.select_dtypes("number"), plain.select_dtypes("number"))


@pytest.mark.parametrize("name", ["gap", "entries", "blocks", "thinning", "bootstrap", "stability"])
def test_origins_and_units_of_batches_do_not_count(name) -> None:
    search = clone(SEARCHES[name]).set_params(estimator__standardize=True)
    first = search.fit(X, batch=BATCH).results_
    other = search.fit(moved(X), batch=BATCH.tolist()).results_
    np.testing.assert_allclose(other.select_dtypes("number"), first.select_dtypes("number"), rtol=1e-9)


def test_weights_and_batches_go_to_the_same_rows() -> None:
    search = SEARCHES["gap"]
    weighted = search.fit(X, sample_weight=W, batch=BATCH).gap_
    repeated = search.fit(np.repeat(X, W, axis=0), batch=np.repeat(BATCH, W)).gap_
    # Sums of repeated rows are added in another order.
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=1e-12)
    assert search.best_estimator_.batches_.tolist() == ["east", "west"]
    np.testing.assert_array_equal(
        search.predict(X, batch=BATCH), search.best_estimator_.predict(X, batch=BATCH)
    )


def test_the_gap_shuffles_within_batches() -> None:
    search = SEARCHES["gap"].fit(X, batch=BATCH)
    entropy = int(check_random_state(0).randint(2**31 - 1))
    for number, seed in enumerate(np.random.SeedSequence(entropy).spawn(4)[1:]):
        rng = np.random.default_rng(seed)
        model, shuffled = clone(MODEL).set_params(random_state=int(rng.integers(2**31 - 1))), X.copy()
        for name in ("east", "west"):
            shuffled[name == BATCH] = rng.permuted(X[name == BATCH], axis=0)
        values = [clone(model).set_params(n_features_to_select=s).fit(shuffled, batch=BATCH) for s in (2, 3)]
        found = search.permuted_objectives_[:, number]
        np.testing.assert_array_equal(found, [fit.gap_objective_ for fit in values])


@pytest.mark.parametrize("standardize", [True, False])
def test_held_out_entries_are_predicted_in_their_batches(standardize) -> None:
    """The error of a fold by loops: entries less the centre of their cluster and batch."""
    model = clone(MODEL).set_params(standardize=standardize)
    search = EntryCrossValidation(model, *GRID, [2, 3], random_state=0)
    parts = search._parts(X, row_arguments(search, X, batch=BATCH), [{"n_features_to_select": 2}])
    *_, folds, _, seed = parts.tasks[0]
    state = int(np.random.default_rng(seed).integers(2**31 - 1))
    fit = clone(model).set_params(n_features_to_select=2, random_state=state)
    fit.fit(np.where(folds == 0, np.nan, X), batch=BATCH)
    squares = []
    for i, j in np.argwhere(folds == 0).tolist():
        rows = BATCH[i] == BATCH
        sd = X[rows, j].std(ddof=1) if standardize else 1
        centre = fit.batch_centers_[fit.labels_[i], int(BATCH[i] == "west"), j]
        squares.append(((X[i, j] - centre) / sd) ** 2)
    np.testing.assert_allclose(parts.work(*parts.tasks[0], []), np.mean(squares), rtol=1e-9)


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_draws_keep_the_shares_of_batches(seed, n_folds) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, 30).astype(np.int32)
    sizes = np.bincount(codes, minlength=3)
    folds = folds_within(30, n_folds, codes, rng)
    for code in range(3):
        assert np.ptp(np.bincount(folds[codes == code], minlength=n_folds)) <= 1
    order = order_within(30, codes, rng)
    np.testing.assert_array_equal(np.sort(order), np.arange(30))
    half = np.bincount(codes[order[:15]], minlength=3)
    assert (np.abs(half - sizes / 2) <= 1.5).all()  # three batches: half a row each for two others and one
    rows = drawn_within(30, 30, codes, rng)
    np.testing.assert_array_equal(np.bincount(codes[rows], minlength=3), sizes)
    data = rng.normal(size=(30, 2))
    shuffled = shuffled_within(data, codes, rng)
    for code in range(3):
        own, other = shuffled[codes == code], data[codes == code]
        np.testing.assert_array_equal(np.sort(own, axis=0), np.sort(other, axis=0))


NO_BATCH = {
    "length": (SEARCHES["gap"], BATCH[1:], ValueError, "one entry for each of the 48 rows of X; got 47"),
    "estimator": (
        StabilitySelection(WeightedRobustSparseKMeans(2, l1_bound=1.5)),
        BATCH,
        TypeError,
        "takes no batch; give an",
    ),
    "centres": (
        ThinnedSearch(SKFR(2, 3, batch_centers="batch", standardize=True), GRID),
        BATCH,
        ValueError,
        "centres that all batches share",
    ),
    "single": (SEARCHES["strength"], ["alone", *BATCH[1:]], ValueError, "batch 'alone' has a single row"),
}


@pytest.mark.parametrize(("search", "batch", "error", "text"), NO_BATCH.values(), ids=NO_BATCH)
def test_wrong_batches_are_refused(search, batch, error, text) -> None:
    with pytest.raises(error, match=text):
        search.fit(X, batch=batch)
