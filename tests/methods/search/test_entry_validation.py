"""EntryCrossValidation: its folds, its errors by definition, its choices, bad input."""

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, EntryCrossValidation, PermutationGap, SparseKMeans, ThinnedSearch
from sparsek.methods.search.held_out import entry_folds, held_out

mpl.use("Agg")
SIZES = [2, 5, 8, 10, 15, 40]


def planted(seed=0, n=120, p=40, shift=1.5):
    """Three groups that differ in the first ten columns."""
    centers = shift * np.array([[-1, -1, 0, 1, 0], [1, 0, -1, -1, 1], [0, 1, 1, 0, -1]])
    X = np.random.default_rng(seed).normal(size=(n, p))
    X[:, :10] += np.tile(centers, 2)[np.arange(n) % 3, : min(p, 10)]
    return X


def search(model=None, sizes=SIZES, **options):
    model = SKFR(3, n_init=3, standardize=True) if model is None else model
    return EntryCrossValidation(model, "n_features_to_select", sizes, **{"random_state": 0} | options)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(2, 12), st.integers(0, 1000))
def test_folds_are_even_in_every_row_and_column(n, p, n_folds, seed):
    folds = entry_folds((n, p), n_folds, np.random.default_rng(seed))
    for lines, length in ((folds, p), (folds.T, n)):
        counts = np.array([np.bincount(line, minlength=n_folds) for line in lines])
        assert counts.max() <= -(-length // n_folds)
        assert counts.sum() == n * p


@settings(max_examples=65)
@given(st.integers(2, 15), st.integers(2, 15), st.integers(2, 5), st.integers(0, 1000), st.floats(0, 1))
def test_rows_and_columns_keep_an_observed_entry(n, p, n_folds, seed, share):
    rng = np.random.default_rng(seed)
    observed = rng.random((n, p)) < share
    folds = entry_folds((n, p), n_folds, rng)
    for fold in range(n_folds):
        held = held_out(folds, fold, observed)
        assert observed[held].all()
        assert (folds[held] == fold).all()
        kept = observed & ~held
        np.testing.assert_array_equal(kept.any(axis=0), observed.any(axis=0))
        np.testing.assert_array_equal(kept.any(axis=1), observed.any(axis=1))


@pytest.mark.parametrize(
    "model",
    [
        SKFR(3, n_init=2, standardize=True),
        SKFR(2, n_init=2, scope="local", ddof=0, standardize=True),
        SKFR(3, n_init=2, standardize=False, missing="mm"),
        SKFR(3, n_init=2, winsorize=2.0, standardize=True),
        SKFR(3, n_init=2, loss="poisson", standardize=False),
        SKFR(3, n_init=2, loss="itakura-saito", standardize=False),
    ],
)
@pytest.mark.parametrize("holes", [False, True])
def test_errors_by_definition(model, holes):
    rng = np.random.default_rng(0)
    X = planted(n=30, p=8)
    X = rng.poisson(np.exp(X / 2)) + 1.0 if model.loss != "squared" else X * np.arange(1, 9) + 5
    if holes:
        X[rng.random(X.shape) < 0.1] = np.nan
    found = search(model, [2, 5], n_folds=3).fit(X)
    # The same seeds as the search, entry by entry.
    seed = int(np.random.RandomState(0).randint(2**31 - 1))
    first, *seeds = np.random.SeedSequence(seed).spawn(4)
    folds = entry_folds(X.shape, 3, np.random.default_rng(first))
    target = X
    if model.winsorize:
        median = np.nanmedian(X, axis=0)
        reach = 2 * 1.4826 * np.nanmedian(np.abs(X - median), axis=0)
        target = np.clip(X, median - reach, median + reach)
    means = np.nanmean(target, axis=0)
    variance = {"poisson": means, "itakura-saito": means**2}.get(
        model.loss, np.nanvar(target, axis=0, ddof=model.ddof) if model.standardize else np.ones(8)
    )
    for fold, child in enumerate(seeds):
        state = int(np.random.default_rng(child).integers(2**31 - 1))
        held = (folds == fold) & ~np.isnan(X)
        for i, size in enumerate([2, 5]):
            fit = clone(model).set_params(n_features_to_select=size, random_state=state)
            fit.fit(np.where(held, np.nan, X))
            losses = [
                (target[r, j] - fit.cluster_centers_[fit.labels_[r], j]) ** 2 / variance[j]
                for r, j in zip(*held.nonzero(), strict=True)
            ]
            # Scales of the search are computed with other roundings.
            assert found.fold_errors_[i, fold] == pytest.approx(np.mean(losses), rel=1e-10)
    np.testing.assert_array_equal(found.errors_, found.fold_errors_.mean(axis=1))


def test_the_number_of_informative_features_is_found():
    chosen = search(sizes=range(8, 13), rule="one_se").fit(planted())
    assert chosen.best_params_ == {"n_features_to_select": 10}
    assert 10 <= chosen.param_range_[chosen.min_index_] <= 12
    np.testing.assert_array_equal(chosen.get_support(indices=True), np.arange(10))


def test_clusters_and_features_together():
    model = EntryCrossValidation(
        SKFR(n_init=3, standardize=True),
        ("n_clusters", "n_features_to_select"),
        ([2, 3, 5], [5, 10, 20]),
        random_state=0,
    ).fit(planted(1))
    assert model.best_params_ == {"n_clusters": 3, "n_features_to_select": 10}
    assert model.param_range_[model.best_index_] == (3, 10)


def test_one_se_takes_the_smallest_value_hardly_worse():
    X = planted(n=60)
    plain, sparing = search().fit(X), search(rule="one_se").fit(X)
    np.testing.assert_array_equal(plain.fold_errors_, sparing.fold_errors_)
    best = plain.best_index_
    assert best == np.argmin(plain.errors_) == plain.min_index_
    differences = plain.fold_errors_ - plain.fold_errors_[best]
    errors = differences.std(axis=1, ddof=1) / np.sqrt(5)
    np.testing.assert_allclose(plain.error_se_, errors)
    near = np.flatnonzero(differences.mean(axis=1)[: best + 1] <= errors[: best + 1])
    assert sparing.best_index_ == near[0] <= best


@pytest.mark.thorough
def test_the_same_bits_with_processes_checkpoints_and_more(tmp_path):
    X = planted(n=40, p=10)
    plain = search(sizes=[2, 4]).fit(X)
    for options in ({"n_jobs": 2}, {"checkpoint": tmp_path / "c"}, {"checkpoint": tmp_path / "c"}):
        other = search(sizes=[4, 2, 2], **options).fit(X)
        np.testing.assert_array_equal(plain.fold_errors_, other.fold_errors_)
        np.testing.assert_array_equal(plain.labels_, other.labels_)
    assert len(list((tmp_path / "c").glob("*.npy"))) == 5
    with pytest.raises(ValueError, match="differs in: folds, settings"):
        search(sizes=[2, 5], checkpoint=tmp_path / "c", n_folds=3).fit(X)


def test_it_acts_as_its_best_estimator():
    X = planted(n=40, p=10)
    model = search(sizes=[2, 4]).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.transform(X).shape == (40, 3)
    assert model.results_.columns.tolist() == ["n_features_to_select", "error", "error_se", "chosen"]
    text = str(model.summary())
    assert "EntryCrossValidation: SKFR" in text
    assert "Error of held-out entries: n_features_to_select = 4 by rule min" in text
    ax = model.plot()
    np.testing.assert_array_equal(ax.containers[0].lines[0].get_ydata(), model.errors_)
    assert ax.get_ylabel() == "Error, axis reversed: up is better"
    unfitted = search(sizes=[2], refit=False).fit(X)
    assert not hasattr(unfitted, "best_estimator_")
    assert not hasattr(unfitted, "predict")


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (search(SparseKMeans(2, standardize=False)), TypeError, "SparseKMeans does not predict entries"),
        (search(make_pipeline(StandardScaler(), SKFR(2, standardize=True))), TypeError, "without a Pipeline"),
        (search(SKFR(2, loss="absolute")), ValueError, "held out count as missing values.*loss='absolute'"),
        (
            search(SKFR(2, loss="multinomial", standardize=False)),
            ValueError,
            "held out count as missing values.*loss='multinomial'",
        ),
        (search(SKFR(2, loss="poisson", standardize=False)), ValueError, "Negative values in data"),
        (search(SKFR(2, winsorize=-1.0, standardize=True)), ValueError, "'winsorize' parameter of SKFR"),
        (search(sizes=[]), ValueError, "param_range must hold at least one value"),
        (search(n_folds=1), ValueError, "'n_folds' parameter of EntryCrossValidation"),
        (search(n_folds=10**8), ValueError, "n_folds=100000000 must be at most n_samples"),
        (search(rule="max"), ValueError, "'rule' parameter"),
        (
            EntryCrossValidation(SKFR(standardize=True), "size", [1]),
            ValueError,
            "param_name must be a parameter",
        ),
    ],
)
def test_bad_input(model, error, message):
    if isinstance(model.estimator, type(make_pipeline())):
        model.param_name = "skfr__n_features_to_select"
    if isinstance(model.estimator, SparseKMeans):
        model.param_name = "l1_bound"
    with pytest.raises(error, match=message):
        model.fit(planted())


def test_one_row_or_one_feature_is_refused():
    for X, name in ((planted()[:, :1], "n_features=1"), (planted()[:1], "n_samples=1")):
        with pytest.raises(ValueError, match=name):
            search().fit(X)


def test_beside_the_gap():
    """Both find the ten features."""
    X = planted(0)
    gap = PermutationGap(
        SKFR(3, n_init=3, standardize=True),
        "n_features_to_select",
        [5, 10, 15],
        n_permutations=3,
        random_state=0,
    )
    assert (
        gap.fit(X).best_params_
        == search(sizes=[5, 10, 15]).fit(X).best_params_
        == {"n_features_to_select": 10}
    )


@pytest.mark.parametrize(
    "search",
    [
        EntryCrossValidation(SKFR(2, n_init=2, standardize=True), "n_features_to_select", [1, 2]),
        ThinnedSearch(SKFR(2, n_init=2, standardize=True), {"n_features_to_select": [1, 2]}),
    ],
    ids=["entries", "thinned"],
)
def test_columns_without_any_value_are_refused(search: EntryCrossValidation | ThinnedSearch) -> None:
    X = np.random.default_rng(0).normal(size=(19, 3))
    X[:, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 of X has no value, so that none of it can be held out"):
        search.fit(X)
