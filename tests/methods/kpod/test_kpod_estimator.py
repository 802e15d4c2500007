"""KPod: the paper's criterion, holes anywhere in the data, prediction and imputation of new data."""

import copy
import itertools
import logging
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import KPod, rcompat
from sparsek.methods.shared.clusterer.blocks import is_reader
from sparsek.rng import RRandom
from tests.partitions import by_size
from tests.sources import literal_missing

NAN = np.nan
# Sums of a few hundred squares of ordinary size, in another order of additions.
ROUNDING = 1e-10


def holes(seed=0, n=90, p=6, k=3, share=0.25, apart=3.0):
    """Groups with cells missing at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = apart * rng.normal(size=(k, p))[truth] + rng.normal(size=(n, p))
    X[rng.random((n, p)) < share] = NAN
    return X, truth


def loss(X, labels, centers, weights=1.0):
    """The criterion, cell by cell."""
    return float((np.nansum((X - centers[labels]) ** 2, axis=1) * weights).sum())


def quiet(model, X, **args):
    """Fit without the warnings that tiny problems give."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, **args)


def test_finds_the_groups():
    X, truth = holes()
    model = KPod(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert model.labels_.dtype == np.int32
    assert model.cluster_centers_.shape == (3, 6)


def test_criterion_is_that_of_the_observed_cells():
    X, _ = holes(1)
    model = KPod(4, random_state=1).fit(X)
    assert model.inertia_ == pytest.approx(loss(X, model.labels_, model.cluster_centers_), rel=ROUNDING)
    assert model.criterion_history_[-1] == pytest.approx(model.inertia_, rel=ROUNDING)
    assert model.inertia_ == pytest.approx(-model.score(X), rel=ROUNDING)
    assert model.start_objectives_.min() == pytest.approx(model.inertia_, rel=ROUNDING)


def test_complete_data_give_k_means():
    X, _ = holes(2, share=0.0)
    ours, sklearn = KPod(3, random_state=0).fit(X), KMeans(3, n_init=10, random_state=0).fit(X)
    assert ours.inertia_ == pytest.approx(sklearn.inertia_, rel=ROUNDING)
    assert adjusted_rand_score(ours.labels_, sklearn.labels_) == 1
    assert_array_equal(ours.impute(), X)


@pytest.mark.filterwarnings("ignore::sparsek.errors.EmptyRowWarning")  # some rows have no value
@settings(max_examples=15)
@given(st.integers(0, 2**31 - 1), st.integers(4, 30), st.integers(1, 4), st.integers(1, 4), st.floats(0, 0.7))
def test_criterion_never_increases_and_ends_where_kpod_stays(seed, n, p, k, share):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, p)) * rng.choice([1, 3]), rng.integers(1, 4))
    X[rng.random((n, p)) < share] = NAN
    assume((~np.isnan(X).all(axis=1)).sum() >= k)
    model = quiet(KPod(k, n_init=2, random_state=seed), X)
    tss = np.nansum(X**2) + 1e-300
    # Each value is a sum of squares with a rounding error of this relative size.
    assert (np.diff(model.criterion_history_) <= 1e-12 * tss).all()
    assert_array_equal(model.labels_, model.predict(X))
    if len(np.unique(model.labels_)) == k:
        ever = ~np.isnan(X).all(axis=0)
        again = quiet(KMeans(k, init=model.cluster_centers_[:, ever], n_init=1), model.impute()[:, ever])
        assert_array_equal(again.labels_, model.labels_)
        # The sums have the cells in another order.
        assert again.inertia_ == pytest.approx(model.inertia_, rel=1e-9, abs=1e-12 * tss)


def test_centres_are_means_of_the_observed_values():
    X, _ = holes(3)
    model = KPod(3, random_state=0).fit(X)
    for k in range(3):
        means = np.nanmean(X[model.labels_ == k], axis=0)
        assert_allclose(model.cluster_centers_[k], means, rtol=ROUNDING, atol=ROUNDING)


def test_one_cluster_is_the_observed_means():
    X, _ = holes(4)
    model = KPod(1, random_state=0).fit(X)
    assert_allclose(model.cluster_centers_[0], np.nanmean(X, axis=0), rtol=ROUNDING, atol=ROUNDING)
    assert not model.labels_.any()


def test_restarts_are_compared_by_the_criterion():
    """With this many starts the best of all partitions is found."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(8, 2))
    X[rng.random((8, 2)) < 0.25] = NAN
    best = np.inf
    for partition in itertools.product(range(2), repeat=7):
        labels = np.array([0, *partition])
        sums = np.array([np.nansum(X[labels == k], axis=0) for k in range(2)])
        counts = np.array([(~np.isnan(X[labels == k])).sum(axis=0) for k in range(2)])
        best = min(best, loss(X, labels, sums / np.maximum(counts, 1)))
    model = KPod(2, n_init=50, random_state=0).fit(X)
    assert model.inertia_ <= best * (1 + ROUNDING)


@pytest.mark.filterwarnings("ignore::sparsek.errors.EmptyRowWarning")  # some rows have no value
def test_no_worse_than_kpodclustr():
    """kpodclustr keeps its first start and fills all cells with one mean at first."""
    for seed in range(5):
        X, _ = holes(seed, n=60, k=4, apart=2.0)
        theirs = rcompat.kpod(X, 4, kmpp_flag=False, rng=RRandom(seed)).obj_vals[-1]
        assert KPod(4, random_state=seed).fit(X).inertia_ <= theirs * (1 + ROUNDING)


@pytest.mark.filterwarnings("ignore::sparsek.errors.EmptyRowWarning")  # some rows have no value
def test_rows_and_columns_without_values():
    X, _ = holes(6)
    X[[4, 7]] = NAN
    X[:, 2] = NAN
    model = KPod(3, random_state=0).fit(X)
    counts = np.bincount(np.delete(model.labels_, [4, 7]))
    assert model.labels_[4] == model.labels_[7] == counts.argmax()
    assert np.isnan(model.cluster_centers_[:, 2]).all()
    assert np.isfinite(np.delete(model.cluster_centers_, 2, axis=1)).all()
    completed = model.impute()
    assert np.isnan(completed[:, 2]).all()
    assert np.isfinite(np.delete(completed, 2, axis=1)).all()
    assert_array_equal(completed[4], model.cluster_centers_[model.labels_[4]])
    without = KPod(3, random_state=0).fit(np.delete(np.delete(X, [4, 7], axis=0), 2, axis=1))
    assert without.inertia_ == pytest.approx(model.inertia_, rel=ROUNDING)
    new = X[:5].copy()
    new[:, 2] = 1e6  # not observed in fit: ignored
    assert_array_equal(model.predict(new), model.predict(X[:5]))
    assert_array_equal(
        model.transform(new[4:]), model.transform(X[4:5] * 0 + np.where(np.arange(6) == 2, 1, NAN))
    )


def test_imputation_of_new_rows():
    X, _ = holes(7)
    model = KPod(3, random_state=0).fit(X)
    assert_array_equal(model.impute(X), model.impute())
    new = X[:6] + 0.1
    completed = model.impute(new)
    near = model.cluster_centers_[model.predict(new)]
    assert_array_equal(completed, np.where(np.isnan(new), near, new))
    completed = model.impute()
    completed[:] = 0
    assert np.nansum(np.abs(model.impute())) > 0  # a copy


def test_a_pickle_leaves_the_data_out_and_a_copy_does_not():
    X = np.random.default_rng(0).normal(size=(20_000, 20))
    X[:10_000] += 5
    X[::7, 3] = NAN
    model = KPod(2, n_init=1, random_state=0).fit(X)
    written = pickle.dumps(model)
    assert len(written) < 4 * len(X) + 10_000  # labels are int32
    read = pickle.loads(written)
    assert_array_equal(read.predict(X), model.labels_)
    assert_array_equal(read.impute(X), model.impute())
    with pytest.raises(ValueError, match="the completed data are not kept; impute X, or blocks of its rows"):
        read.impute()
    for same in (copy.copy(model), copy.deepcopy(model), model.set_params(n_clusters=3)):
        assert_array_equal(same.impute(), read.impute(X))


def test_distances_over_observed_features():
    X, _ = holes(8)
    model = KPod(3, random_state=0).fit(X)
    D = model.transform(X)
    expected = np.sqrt(np.nansum((X[:, None] - model.cluster_centers_) ** 2, axis=2))
    assert_allclose(D, expected, rtol=1e-9, atol=1e-9)  # a square root, after centring
    assert_array_equal(D.argmin(axis=1), model.labels_)
    assert (D**2).min(axis=1).sum() == pytest.approx(model.inertia_, rel=ROUNDING)
    assert_array_equal(model.transform(np.full((1, 6), NAN)), np.zeros((1, 3)))
    assert model.get_feature_names_out().tolist() == ["kpod0", "kpod1", "kpod2"]


def test_weights_are_repetitions():
    X, _ = holes(9, n=30)
    weights = np.random.default_rng(0).integers(0, 4, size=30)
    weighted = KPod(3, random_state=0).fit(X, sample_weight=weights)
    repeated = KPod(3, random_state=0).fit(np.repeat(X, weights, axis=0))
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=ROUNDING)
    assert_array_equal(np.repeat(weighted.labels_, weights), repeated.labels_)


def test_single_precision_stays():
    X, _ = holes(10)
    model = KPod(3, random_state=0).fit(X.astype(np.float32))
    assert model.cluster_centers_.dtype == model.transform(X.astype(np.float32)).dtype == np.float32
    assert model.impute().dtype == np.float32
    double = KPod(3, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, double.labels_) == 1
    # Single precision keeps seven digits.
    assert_allclose(model.cluster_centers_, double.cluster_centers_, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**-30, 2.0**30, 2.0**900])
def test_scale_does_not_matter(scale):
    X, _ = holes(11)
    unit, scaled = KPod(3, random_state=0).fit(X), KPod(3, random_state=0).fit(X * scale)
    assert_array_equal(unit.labels_, scaled.labels_)
    assert_allclose(scaled.cluster_centers_ / scale, unit.cluster_centers_, rtol=1e-9)  # rounding of sums


def test_shift_does_not_matter():
    X, _ = holes(12)
    moved = KPod(3, random_state=0).fit(X + 1e6)
    assert_array_equal(moved.labels_, KPod(3, random_state=0).fit(X).labels_)


def test_threads_do_not_change_a_bit():
    X, _ = holes(13)
    one, two = (KPod(3, random_state=0, n_jobs=n).fit(X) for n in (1, 2))
    assert_array_equal(one.cluster_centers_, two.cluster_centers_)
    assert one.inertia_ == two.inertia_


def test_starts_can_be_given():
    X, truth = holes(14)
    by_labels = KPod(3, init=truth).fit(X)
    centers = np.array([np.nanmean(X[truth == k], axis=0) for k in range(3)])
    by_centers = KPod(3, init=centers).fit(X)
    called = KPod(3, n_init=2, random_state=0, init=lambda X, k, random_state: truth).fit(X)
    assert len(by_labels.start_objectives_) == 1
    assert len(called.start_objectives_) == 2
    assert_array_equal(by_size(by_labels.labels_), called.labels_)
    assert_array_equal(by_labels.labels_, by_centers.labels_)
    assert KPod(3, init="random", random_state=0).fit(X).n_iter_ >= 1


def test_frames_pipelines_pickles_and_the_input():
    X, _ = holes(15)
    before = X.copy()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = KPod(3, random_state=0).fit(frame)
    assert_array_equal(X, before)
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.labels_)
    assert len(np.unique(make_pipeline(StandardScaler(), KPod(3, random_state=0)).fit_predict(frame))) == 3


@pytest.mark.parametrize(
    ("change", "args", "message"),
    [
        (lambda X: np.where(np.isnan(X), np.inf, X), {}, "infinity"),
        (lambda X: X * NAN, {}, "n_samples=0 .rows of positive weight with an observed value"),
        (lambda X: X[:2], {}, "n_clusters=3"),
        (lambda X: X, {"max_iter": 0}, "'max_iter' parameter of .* Got 0 instead"),
        (lambda X: X, {"init": "best"}, "'init' parameter of"),
        (lambda X: X, {"n_init": 0}, "'n_init' parameter of .* Got 0 instead"),
    ],
)
def test_bad_input(change, args, message):
    X, _ = holes(16)
    with pytest.raises(ValueError, match=message):
        KPod(3, **args).fit(change(X))


def test_infinite_new_data_are_refused():
    X, _ = holes(16)
    model = KPod(3, random_state=0).fit(X)
    for method in (model.predict, model.transform, model.impute):
        with pytest.raises(ValueError, match="infinity"):
            method(np.full((1, 6), np.inf))


def test_warns_at_max_iter_and_logs(caplog):
    X, _ = holes(17, n=200, k=6, apart=0.5, share=0.4)
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        model = KPod(6, max_iter=1, n_init=1, random_state=0).fit(X)
    assert model.n_iter_ == 1
    assert_array_equal(model.labels_, model.predict(X))
    with caplog.at_level(logging.INFO, logger="sparsek"):
        KPod(3, n_init=2, verbose=1, random_state=0).fit(X)
    assert [record.msg.split()[0] for record in caplog.records] == ["start", "start", "the"]


@pytest.mark.parametrize("form", ["in memory", "by blocks"])
@pytest.mark.parametrize(("seed", "weighted"), [(49, False), (64, False), (15, True), (23, True)])
def test_a_feature_that_no_member_has_observed_keeps_its_centre(seed, weighted, form, tmp_path):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 5))
    X[rng.random(X.shape) < 0.4] = NAN
    X[:, 4] = [*rng.normal(size=2), *[NAN] * 28]
    X = X[~np.isnan(X).all(axis=1)]
    start = rng.integers(3, size=len(X))
    weights = rng.integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    labels, losses, centers = literal_missing.kpod(X, start.tolist(), 3, weights)
    unseen = [g for g in range(3) if np.isnan(X[np.array(labels) == g, 4]).all()]
    overall = weights[:2] @ X[:2, 4] / weights[:2].sum()
    # Here a row that later left the cluster has changed the centre from its first value.
    assert any(abs(centers[g, 4] - overall) > 0.1 for g in unseen)
    given, options = X, {}
    if form == "by blocks":
        np.save(tmp_path / "data.npy", X)
        given, options = tmp_path / "data.npy", {"memory_limit": "2kB"}
    model = KPod(3, init=start, **options)
    assert is_reader(model._opened(given)) == (form == "by blocks")
    model.fit(given, sample_weight=weights if weighted else None)
    assert model.labels_.tolist() == labels
    assert model.n_iter_ == len(losses)
    assert_allclose(model.criterion_history_, losses, rtol=ROUNDING)
    assert_allclose(model.cluster_centers_, centers, rtol=ROUNDING, atol=ROUNDING)


def test_scikit_learn_is_told_that_values_may_be_missing():
    assert KPod().__sklearn_tags__().input_tags.allow_nan
