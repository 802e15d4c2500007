"""MADDKMeans: bad input, extreme data, starts, attributes."""

import logging
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sparsek import MADDKMeans, madd_distances
from sparsek.plots import plot_silhouette

IRIS = load_iris().data[::3]
LABELS = np.arange(50) % 3
VARIANTS = pytest.mark.parametrize("variant", ["r", "centroid", "gmadd"])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": 2.0}, TypeError, "'n_clusters' parameter of .* Got 2.0 instead"),
        ({"n_clusters": 51}, ValueError, "n_samples=50 must be at least n_clusters=51; add rows or lower"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of .* Got 0 instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"max_iter": True}, TypeError, "'max_iter' parameter of .* Got True instead"),
        ({"version": 3}, ValueError, "'version' parameter of .* Got 3 instead"),
        ({"version": None}, ValueError, "'version' parameter of .* Got None instead"),
        ({"variant": "R"}, ValueError, "'variant' parameter of .* Got 'R' instead"),
        ({"init": "k-means++"}, ValueError, r"'init' parameter of .* Got 'k-means\+\+' instead"),
        ({"init": LABELS[:10]}, ValueError, r"integer labels of shape \(50,\); got int64 of shape \(10,\)"),
        ({"init": LABELS / 2}, ValueError, r"integer labels of shape \(50,\); got float64"),
        ({"init": LABELS + 1}, ValueError, r"labels given as init must lie in 0\.\.2; got 1\.\.3"),
        ({"init": LABELS - 1}, ValueError, r"labels given as init must lie in 0\.\.2; got -1\.\.1"),
        ({"init": IRIS[:3]}, ValueError, r"integer labels of shape \(50,\)"),
        ({"memory_limit": -1}, ValueError, "'memory_limit' parameter of .* Got -1 instead"),
        ({"memory_limit": "4 GB"}, TypeError, "'memory_limit' parameter of .* Got '4 GB' instead"),
        ({"memory_limit": 1e4}, MemoryError, "4 matrices .* take 80000 bytes; memory_limit allows 10000: "),
    ],
)
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        MADDKMeans(**{"n_clusters": 3, **options}).fit(IRIS)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_data(value):
    bad = IRIS.copy()
    bad[3, 1] = value
    model = MADDKMeans(3).fit(IRIS)
    for call in (MADDKMeans(3).fit, model.predict, model.transform, madd_distances):
        with pytest.raises(ValueError, match="contains"):
            call(bad)
        with pytest.raises(TypeError, match="toarray"):
            call(csr_array(IRIS))
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.predict(IRIS[:, :2])


def test_too_few_rows():
    for call in (MADDKMeans(1).fit, madd_distances):
        with pytest.raises(ValueError, match=r"2 sample\(s\).* minimum of 3"):
            call(IRIS[:2])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1] + [0] * 48, "positive for 2 rows, and at least 3 are needed; give more"),
        ([1, 1] + [1e-12] * 48, "leaves 4.8e-11 beside two rows that count 2, too little"),
    ],
)
def test_too_little_weight(weights, message):
    with pytest.raises(ValueError, match=message):
        MADDKMeans(2).fit(IRIS, sample_weight=weights)


def test_rows_of_weight_zero_have_labels_and_no_dissimilarities():
    model = MADDKMeans(2, random_state=0).fit(IRIS, sample_weight=np.arange(50) % 5)
    assert model.labels_.shape == (50,)
    assert model.dissimilarity_matrix_.shape == (40, 40)
    with pytest.raises(ValueError, match="by dissimilarities need a fit in which every row has weight"):
        plot_silhouette(model, IRIS)


def test_bad_version_of_the_distances():
    with pytest.raises(ValueError, match=r"'version' parameter of .* Got 'kM_0' instead"):
        madd_distances(IRIS, "kM_0")


def test_not_fitted():
    with pytest.raises(NotFittedError):
        MADDKMeans().predict(IRIS)


def test_max_iter_warns():
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 sweeps; increase max_iter"):
        model = MADDKMeans(3, max_iter=1, random_state=0).fit(IRIS)
    assert model.n_iter_ == len(model.criterion_history_) == 1


def test_missing_cluster_stays_empty():
    with pytest.warns(ConvergenceWarning, match=r"Number of distinct clusters \(2\) found smaller"):
        model = MADDKMeans(3, init=LABELS // 2 * 2).fit(IRIS)
    assert np.array_equal(np.unique(model.labels_), [0, 2])
    assert np.isinf(model.transform(IRIS)[:, 1]).all()
    assert 1 not in model.predict(IRIS)


def test_centroid_fills_a_missing_cluster():
    model = MADDKMeans(3, variant="centroid", init=LABELS // 2 * 2).fit(IRIS)
    assert len(np.unique(model.labels_)) == 3


@VARIANTS
@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("exponent", [-900, -300, 300, 1015])
def test_extreme_scales(variant, version, exponent):
    # A power of two changes no digit; fourth powers of the data would overflow or underflow.
    base = MADDKMeans(3, version=version, variant=variant, random_state=0).fit(IRIS)
    X = np.ldexp(IRIS, exponent)
    model = MADDKMeans(3, version=version, variant=variant, random_state=0).fit(X)
    assert np.array_equal(model.labels_, base.labels_)
    assert np.array_equal(model.predict(X), base.predict(IRIS))
    assert np.array_equal(model.dissimilarity_matrix_, np.ldexp(base.dissimilarity_matrix_, exponent))
    assert np.array_equal(model.transform(X), np.ldexp(base.transform(IRIS), exponent))


@VARIANTS
def test_equal_rows(variant):
    # Ties go to the lowest label for "r" only.
    with pytest.warns(ConvergenceWarning, match="distinct") if variant == "r" else nullcontext():
        model = MADDKMeans(2, variant=variant, random_state=0).fit(np.ones((6, 2)))
    assert model.objective_ == 0
    assert not model.dissimilarity_matrix_.any()


@VARIANTS
@pytest.mark.parametrize("n_clusters", [1, 50])
def test_one_cluster_and_one_per_row(variant, n_clusters):
    model = MADDKMeans(n_clusters, variant=variant, random_state=0).fit(np.unique(IRIS, axis=0)[:50])
    assert len(np.unique(model.labels_)) == n_clusters
    assert (model.objective_ == 0) == (n_clusters == 50)


@VARIANTS
def test_order_of_rows_and_columns_and_shift(variant):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) + 6 * (np.arange(40) % 3)[:, None]
    rows, columns = rng.permutation(40), rng.permutation(5)
    base = MADDKMeans(3, variant=variant, random_state=0).fit(X)
    model = MADDKMeans(3, variant=variant, random_state=1).fit(X[np.ix_(rows, columns)] - 7)
    # Well separated groups are found from any start.
    expected = base.labels_[rows]
    assert np.array_equal(expected[:, None] == expected, model.labels_[:, None] == model.labels_)
    assert model.objective_ == pytest.approx(base.objective_, rel=1e-12)  # sums in another order


def test_best_of_the_starts_and_reproducible():
    models = [MADDKMeans(4, n_init=15, random_state=3).fit(IRIS) for _ in range(2)]
    for model in models:
        assert model.objective_ == model.start_objectives_.min() == model.criterion_history_[-1]
        assert len(model.start_objectives_) == len(model.start_n_iter_) == 15
        assert model.n_iter_ == model.start_n_iter_[model.start_objectives_.argmin()]
    assert np.array_equal(models[0].labels_, models[1].labels_)
    assert np.array_equal(models[0].start_objectives_, models[1].start_objectives_)


@VARIANTS
def test_objective_follows_from_the_labels(variant):
    model = MADDKMeans(3, variant=variant, random_state=0).fit(IRIS)
    D = madd_distances(IRIS) ** (1 if variant == "gmadd" else 2)
    members = [model.labels_ == k for k in range(3)]
    expected = sum(D[np.ix_(m, m)].sum() / m.sum() for m in members)
    assert model.objective_ == pytest.approx(expected, rel=1e-12)  # sums in another order
    assert np.array_equal(model.dissimilarity_matrix_, madd_distances(IRIS))


def test_later_changes_of_the_data_do_not_matter():
    X = IRIS.copy()
    model = MADDKMeans(3, random_state=0).fit(X)
    expected = model.transform(IRIS)
    X[:] = 0
    assert np.array_equal(model.transform(IRIS), expected)


def test_data_frames_and_float32():
    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    model = MADDKMeans(3, random_state=0).set_output(transform="pandas").fit(frame)
    assert list(model.feature_names_in_) == list("abcd")
    assert list(model.transform(frame).columns) == ["maddkmeans0", "maddkmeans1", "maddkmeans2"]
    single = MADDKMeans(3, random_state=0).fit(IRIS.astype(np.float32))
    assert single.dissimilarity_matrix_.dtype == np.float64
    assert np.array_equal(single.labels_, model.labels_)


def test_starts_go_to_the_log(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="sparsek"):
        MADDKMeans(3, n_init=2, random_state=0, verbose=1).fit(IRIS)
    assert [record.getMessage()[:17] for record in caplog.records] == [
        "start 0: criterio",
        "start 1: criterio",
    ]
    assert capsys.readouterr().out == ""
