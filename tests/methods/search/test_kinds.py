"""Searches take the kinds of data that their estimator takes, and the same rows of any kind give the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

from sparsek import (
    SKFR,
    ConsensusClustering,
    EntryCrossValidation,
    FeatureFDR,
    FitUncertainty,
    KPod,
    ModelChoice,
    PermutationGap,
    PredictionStrength,
    RobustSparseKMeans,
    SelectionConsistency,
    SparseKMeans,
    StabilitySelection,
    ThinnedSearch,
    WeakestSeparation,
    explain,
)
from sparsek.inference import test_one_cluster as one_cluster_test
from sparsek.inputs.mixed import CodedRows, coding_of
from sparsek.methods.search.held_out import entry_folds, held_out
from sparsek.methods.search.kinds import shuffled_columns

N = 60
MODEL = SKFR(2, 3, n_init=2, random_state=0)
SIZES = [2, 3]
TOWNS, COLOURS = ["a", "b", "c", "d"], ["blue", "red"]


def coded() -> np.ndarray[Any, Any]:
    """Numbers of two clusters, and two categories as numbers of levels; the first tells the clusters."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 7))
    X[:30, :2] += 4
    X[:, 5] = np.where(np.arange(N) < 30, rng.integers(0, 2, N), rng.integers(2, 4, N))
    X[:, 6] = rng.integers(0, 2, N)
    return X


def survey(X: Any = None) -> pd.DataFrame:
    """The same as a frame with texts."""
    X = coded() if X is None else X
    frame = pd.DataFrame(X, columns=[f"q{j}" for j in range(7)])
    for column, levels in (("q5", TOWNS), ("q6", COLOURS)):
        names = [None if np.isnan(code) else levels[int(code)] for code in frame[column]]
        frame[column] = pd.Series(names, dtype=object)
    return frame


def with_holes() -> np.ndarray[Any, Any]:
    """The coded rows with every twentieth entry missing."""
    X = coded()
    X[np.random.default_rng(5).random(X.shape) < 0.05] = np.nan
    return X


def counts() -> np.ndarray[Any, Any]:
    """Counts with many zeros, of two clusters."""
    X = np.random.default_rng(4).poisson(0.7, size=(N, 6)).astype(float)
    X[:30, :2] += 5
    return X


def strength(model: Any) -> Any:
    return PredictionStrength(model, {"n_clusters": SIZES}, n_resamples=4, random_state=0)


SEARCHES: dict[str, tuple[Any, str]] = {
    "gap": (
        lambda model: PermutationGap(model, "n_features_to_select", SIZES, n_permutations=3, random_state=0),
        "gap_",
    ),
    "separation": (
        lambda model: WeakestSeparation(model, {"n_clusters": [1, 2, 3]}, random_state=0),
        "separations_",
    ),
    "strength": (strength, "split_strengths_"),
    "consistency": (
        lambda model: SelectionConsistency(
            model, {"n_features_to_select": SIZES}, n_resamples=5, random_state=0
        ),
        "consistency_",
    ),
    "choice": (
        lambda model: ModelChoice(
            model,
            {"n_clusters": [1, 2, 3]},
            "strength",
            options={"strength": {"n_resamples": 3}},
            random_state=0,
        ),
        "one_cluster_p_value_",
    ),
    "uncertainty": (lambda model: FitUncertainty(model, n_resamples=5, random_state=0), "weight_intervals_"),
    "stability": (
        lambda model: StabilitySelection(model, n_resamples=6, random_state=0),
        "selection_frequencies_",
    ),
    "consensus": (
        lambda model: ConsensusClustering(model, (2, 3), n_resamples=15, random_state=0),
        "consensus_matrix_",
    ),
    "fdr": (lambda model: FeatureFDR(model, 0.5, n_null=4, random_state=0), "null_gains_"),
    "entries": (
        lambda model: EntryCrossValidation(model, "n_features_to_select", SIZES, random_state=0),
        "fold_errors_",
    ),
    "blocks": (
        lambda model: EntryCrossValidation(
            model, "n_features_to_select", SIZES, scheme="blocks", random_state=0
        ),
        "fold_errors_",
    ),
}
NUMBERS: dict[str, tuple[Any, str]] = {
    "thinned": (
        lambda model: ThinnedSearch(model, {"n_features_to_select": SIZES}, random_state=0),
        "fold_errors_",
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("values", [coded, with_holes])
def test_a_frame_with_categories_is_searched_as_its_codes(name: str, values: Any) -> None:
    make, attribute = SEARCHES[name]
    frame = make(MODEL).fit(survey(values()))
    array = make(clone(MODEL).set_params(categories=[5, 6])).fit(values())
    assert np.array_equal(getattr(frame, attribute), getattr(array, attribute), equal_nan=True)
    assert frame.feature_names_in_.tolist() == [f"q{j}" for j in range(7)]
    assert frame.n_features_in_ == 7


@pytest.mark.parametrize("name", [*SEARCHES, *NUMBERS])
def test_a_sparse_matrix_is_searched_as_the_array(name: str) -> None:
    make, attribute = (SEARCHES | NUMBERS)[name]
    model = clone(MODEL).set_params(standardize=True)
    sparse = make(model).fit(csr_matrix(counts()))
    array = make(model).fit(counts())
    if name == "gap":  # zeros of sparse columns are not drawn, so that other rows are shuffled
        assert sparse.results_["objective"].tolist() == pytest.approx(array.results_["objective"].tolist())
        assert sparse.permuted_objectives_.shape == array.permuted_objectives_.shape
        return
    # Sums of a sparse matrix leave out zeros, and so are rounded in another order.
    assert getattr(sparse, attribute) == pytest.approx(getattr(array, attribute), rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", [*SEARCHES, *NUMBERS])
@pytest.mark.parametrize("kind", ["file", "dask"])
def test_files_and_dask_are_loaded(name: str, kind: str, tmp_path: Path) -> None:
    make, attribute = (SEARCHES | NUMBERS)[name]
    given: Any = tmp_path / "x.npy"
    if kind == "file":
        np.save(given, counts())
    else:
        given = pytest.importorskip("dask.array").from_array(counts(), chunks=(20, 6))
    found, array = make(MODEL).fit(given), make(MODEL).fit(counts())
    assert np.array_equal(getattr(found, attribute), getattr(array, attribute), equal_nan=True)


def test_a_frame_of_dask_of_unknown_length_keeps_its_names() -> None:
    frames = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(counts(), columns=list("abcdef"))
    found = StabilitySelection(MODEL, n_resamples=4, random_state=0).fit(
        frames.from_pandas(frame, npartitions=3)
    )
    assert found.feature_names_in_.tolist() == list("abcdef")


@pytest.mark.parametrize("kind", ["file", "dask", "sparse"])
def test_what_takes_too_much_memory_is_refused(kind: str, tmp_path: Path) -> None:
    model = clone(MODEL).set_params(memory_limit=2000.0)
    given: Any = csr_array(counts())
    np.save(tmp_path / "x.npy", counts())
    if kind == "file":
        given = tmp_path / "x.npy"
    if kind == "dask":
        given = pytest.importorskip("dask.array").from_array(counts(), chunks=(20, 6))
    with pytest.raises(
        ValueError, match=r"takes 2.88 kB, more than memory_limit=2 kB: raise memory_limit of SKFR"
    ):
        FeatureFDR(model, 0.5, n_null=4, random_state=0).fit(given)


def test_the_test_of_one_cluster_takes_every_kind(tmp_path: Path) -> None:
    frame = one_cluster_test(survey(), MODEL, (2, 3), n_null=3)
    array = one_cluster_test(coded(), clone(MODEL).set_params(categories=[5, 6]), (2, 3), n_null=3)
    assert np.array_equal(frame.explained, array.explained)
    np.save(tmp_path / "x.npy", counts())
    plain = one_cluster_test(counts(), MODEL, (2,), n_null=3)
    for given in (csr_array(counts()), tmp_path / "x.npy"):
        assert np.array_equal(one_cluster_test(given, MODEL, (2,), n_null=3).explained, plain.explained)
    with pytest.raises(ValueError, match="takes columns of numbers, and the estimator has categories"):
        one_cluster_test(survey(), MODEL, (2,), n_null=3, n_factors=1)


def test_a_resample_is_a_fit_to_these_rows_of_the_frame() -> None:
    found = StabilitySelection(MODEL, n_resamples=4, random_state=7).fit(survey())
    entropy = int(np.random.RandomState(7).randint(2**31 - 1))
    supports = []
    for seed in np.random.SeedSequence(entropy).spawn(4):
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.permutation(N)[: N // 2])
        by_hand = clone(MODEL).set_params(random_state=int(rng.integers(2**31 - 1)))
        supports.append(by_hand.fit(survey().iloc[rows]).get_support())
    assert np.array_equal(found.selection_frequencies_, np.mean(supports, axis=0))


@pytest.mark.parametrize(
    "model", [MODEL, SparseKMeans(2, l1_bound=1.6, standardize=True, random_state=0), KPod(2, random_state=0)]
)
def test_a_level_that_a_half_lacks_is_known(model: Any) -> None:
    frame = survey()
    frame.loc[0, "q5"] = "once"
    found = strength(model).fit(frame)
    assert np.isfinite(found.split_strengths_).all()
    sure = FitUncertainty(model, n_resamples=4, random_state=0, keep_fits=True).fit(frame)
    assert sure.predict_proba(frame).shape == (N, 2)
    with pytest.raises(ValueError, match="has the level 'never'"):
        sure.predict(frame.assign(q5="never"))
    with pytest.raises(ValueError, match="feature names"):
        sure.predict(frame.rename(columns={"q5": "q9"}))


def test_a_subset_without_a_level_is_fitted_as_the_frame_without_it() -> None:
    frame = survey()
    frame.loc[0, "q5"] = "once"
    coding = coding_of(frame, np.zeros(7, dtype=bool))
    assert coding is not None
    rows = CodedRows(np.asarray(coding.table(frame)), coding)
    whole, part = clone(MODEL).fit(rows[1:]), clone(MODEL).fit(frame.iloc[1:])
    assert np.array_equal(whole.labels_, part.labels_)
    # A column of zeros more changes the order in which sums are added.
    assert whole.feature_weights_ == pytest.approx(part.feature_weights_, rel=1e-12)
    assert whole.predict(rows).shape == (N,)


@pytest.mark.parametrize("codes", [None, np.repeat([0, 1, 2], 20)])
def test_shuffles_keep_what_is_in_a_column(codes: Any) -> None:
    coding = coding_of(survey(), np.zeros(7, dtype=bool))
    assert coding is not None
    rows = CodedRows(np.asarray(coding.table(survey())), coding)
    mixed = shuffled_columns(rows, codes, np.random.default_rng(0)).values
    sparse = shuffled_columns(csr_array(counts()), codes, np.random.default_rng(0)).toarray()
    for found, given in ((mixed, rows.values), (sparse, counts())):
        assert not np.array_equal(found, given)
        for part in [slice(None)] if codes is None else [codes == code for code in range(3)]:
            assert np.array_equal(np.sort(found[part], axis=0), np.sort(given[part], axis=0))


def test_explain_takes_categories_and_halves_of_every_kind(tmp_path: Path) -> None:
    labels = np.repeat(["one", "two"], 30)
    frame = explain(survey(), labels, 3, n_resamples=8)
    array_rows = clone(MODEL).set_params(categories=[5, 6]).fit(coded())
    assert frame.to_frame()["feature"].tolist()[0] in ("q0", "q1", "q5")
    assert frame.selection_frequencies_.shape == array_rows.feature_weights_.shape == (7,)
    assert frame.get_support().sum() == 3
    np.save(tmp_path / "x.npy", counts())
    plain = explain(counts(), labels, 2, n_resamples=8)
    for given in (csr_array(counts()), tmp_path / "x.npy"):
        found = explain(given, labels, 2, n_resamples=8)
        assert np.array_equal(found.selection_frequencies_, plain.selection_frequencies_)
    noisy = explain(survey(), np.where(np.arange(N) < 5, "noise", labels), 3, noise="noise", n_resamples=8)
    assert noisy.selection_frequencies_.shape == (7,)


def test_weights_and_batches_go_with_categories() -> None:
    weights = np.tile([1.0, 2.0, 0.0], 20)
    batch = np.tile(["x", "y"], 30)
    for make, attribute in SEARCHES.values():
        search = make(MODEL)
        if isinstance(search, FeatureFDR) or search.__class__ is ModelChoice:
            assert np.isfinite(getattr(search.fit(survey(), batch=batch), attribute)).all()
            continue
        frame = search.fit(survey(), sample_weight=weights, batch=batch)
        array = make(clone(MODEL).set_params(categories=[5, 6])).fit(
            coded(), sample_weight=weights, batch=batch
        )
        assert np.array_equal(getattr(frame, attribute), getattr(array, attribute), equal_nan=True)


def test_a_checkpoint_is_found_again(tmp_path: Path) -> None:
    first = StabilitySelection(MODEL, n_resamples=4, random_state=0, checkpoint=tmp_path / "mixed")
    second = clone(first)
    assert np.array_equal(
        first.fit(survey()).selection_frequencies_, second.fit(survey()).selection_frequencies_
    )
    with pytest.raises(ValueError, match="is of a search that differs in: data"):
        clone(first).fit(survey().assign(q6="red"))
    sparse = StabilitySelection(MODEL, n_resamples=4, random_state=0, checkpoint=tmp_path / "sparse")
    sparse.fit(csr_array(counts()))
    clone(sparse).fit(csr_array(counts()))


def test_other_estimators_refuse_what_they_do_not_take(tmp_path: Path) -> None:
    search = StabilitySelection(RobustSparseKMeans(2), n_resamples=4)
    with pytest.raises(TypeError, match="toarray"):
        search.fit(csr_array(counts()))
    with pytest.raises(TypeError, match="categories are for SKFR, SparseKMeans and KPod"):
        search.fit(survey())
    with pytest.raises(TypeError, match="X is a path"):
        search.fit(tmp_path / "x.npy")


def test_a_category_is_not_thinned() -> None:
    with pytest.raises(ValueError, match="one draw of a category cannot be split into independent parts"):
        NUMBERS["thinned"][0](MODEL).fit(survey())


def test_held_out_entries_of_categories_by_hand() -> None:
    model = clone(MODEL).set_params(standardize=True)
    search = EntryCrossValidation(model, "n_features_to_select", [3], n_folds=4, random_state=11).fit(
        survey()
    )
    entropy = int(np.random.RandomState(11).randint(2**31 - 1))
    first, *seeds = np.random.SeedSequence(entropy).spawn(5)
    folds = entry_folds((N, 7), 4, np.random.default_rng(first))
    X = coded()
    shown = np.column_stack([X[:, :5], X[:, 5, None] == np.arange(4), X[:, 6, None] == np.arange(2)])
    deviations = np.r_[X[:, :5].std(axis=0, ddof=1), np.sqrt(shown[:, 5:].mean(axis=0) * N / (N - 1))]
    for fold, seed in enumerate(seeds):
        held = held_out(folds, fold, np.ones((N, 7), dtype=bool))
        fit = clone(model).set_params(random_state=int(np.random.default_rng(seed).integers(2**31 - 1)))
        fit.fit(survey().mask(held))
        squares = ((shown - fit.cluster_centers_[fit.labels_]) / deviations) ** 2
        # Three and one degrees of freedom.
        own = np.column_stack([squares[:, :5], squares[:, 5:9].sum(axis=1) / 3, squares[:, 9:].sum(axis=1)])
        # Sums in another order.
        assert search.fold_errors_[0, fold] == pytest.approx(own[held].mean(), rel=1e-10)


def test_held_out_blocks_of_categories_are_predicted_by_clusters() -> None:
    """The category of the clusters is predicted from the others, the other one is not."""
    X = coded()
    X[:, :2] *= 4
    make = NUMBERS | SEARCHES
    alone = make["blocks"][0](MODEL).fit(survey(X))
    X[:, 5] = np.random.default_rng(0).permutation(X[:, 5])
    without = make["blocks"][0](MODEL).fit(survey(X))
    assert alone.errors_.min() < without.errors_.min()


def test_the_usual_criterion_of_a_size_takes_categories() -> None:
    grid = {"n_features_to_select": SIZES}
    assert list(ModelChoice(MODEL, grid, random_state=0).fit(survey()).searches_) == ["gap"]
    assert list(ModelChoice(MODEL, grid, random_state=0).fit(counts()).searches_) == ["thinning"]


def test_one_message_says_which_losses_take_holes() -> None:
    model = SKFR(2, 2, loss="cosine")
    with pytest.raises(ValueError, match="SKFR with loss='cosine' takes complete data only") as error:
        StabilitySelection(model, n_resamples=4).fit(with_holes())
    assert "SKFR with loss='squared', and KPod, take missing values" in str(error.value)


def test_an_earlier_fit_leaves_no_scale() -> None:
    other = np.random.default_rng(1).poisson(1.0, size=(N, 5)).astype(float)
    other[:30, :2] += 6
    fitted = clone(MODEL).fit(other)
    found = StabilitySelection(fitted, n_resamples=4, random_state=0).fit(survey())
    again = StabilitySelection(MODEL, n_resamples=4, random_state=0).fit(survey())
    assert np.array_equal(found.selection_frequencies_, again.selection_frequencies_)
