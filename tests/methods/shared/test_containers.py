"""Masked arrays, data frames and other containers given to estimators, searches, starts, metrics, plots."""

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
from scipy import sparse
from sklearn.base import clone

import sparsek
from sparsek import SKFR, COPKMeans, KPod, SparseKMeans, init, metrics, plots, rcompat, skfr_path
from sparsek._registry import ESTIMATORS
from sparsek.errors import RError
from sparsek.inputs.validation import READ_ROWS

PUBLIC = {name: getattr(sparsek, name) for name in sparsek.__all__}
rng = np.random.default_rng(3)
X = rng.normal(size=(24, 4)).round(2)
X[:12, :2] += 4
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
MASK = np.zeros(X.shape, dtype=bool)
MASK[3, 1] = MASK[8, 0] = True
MASKED, HOLES = np.ma.array(X, mask=MASK), np.where(MASK, np.nan, X)


def model_of(entry):
    """A small version of an estimator of the registry."""
    model = eval((entry.checks or (f"{entry.name}()",))[0], PUBLIC)
    small = {"n_clusters": 2, "n_init": 2, "n_resamples": 4, "n_permutations": 2, "random_state": 0}
    small |= {"layer_epochs": 1, "finetune_epochs": 1}
    return model.set_params(**{name: value for name, value in small.items() if name in model.get_params()})


MODELS = pytest.mark.parametrize("entry", ESTIMATORS, ids=lambda entry: entry.name)


@MODELS
@pytest.mark.filterwarnings("ignore::UserWarning")  # of resamples and p-values: the fits are tiny
def test_masked_entries(entry):
    model = model_of(entry)
    if model.__sklearn_tags__().input_tags.allow_nan:
        fitted = clone(model).fit(MASKED)
        wanted = clone(model).fit(HOLES)
        if hasattr(wanted, "labels_"):
            np.testing.assert_array_equal(fitted.labels_, wanted.labels_)
    else:
        for masked in (MASKED, list(MASKED)):
            with pytest.raises(ValueError, match=r"masked array with 2 masked .* first at \(3, 1\)"):
                clone(model).fit(masked)


@MODELS
def test_columns_that_are_no_numbers_are_refused_by_name(entry):
    columns = [pd.date_range("2020", periods=24), ["1"] * 24, [1j] * 24]
    if not {"categories", "estimator__categories"} & model_of(entry).get_params().keys():
        columns.append(pd.Categorical([1] * 24))
    for column in columns:
        with pytest.raises(TypeError, match=r"column 'c' of X (has type|holds '1', a str).* real numbers"):
            model_of(entry).fit(FRAME.assign(c=column))
    for values in (X.astype("M8[s]"), X.astype("m8[s]"), X.astype(str)):
        with pytest.raises(TypeError, match=r"X has type .* real numbers"):
            model_of(entry).fit(values)


def missing(kind):
    frame = FRAME.astype(kind)
    frame.iloc[3, 1] = frame.iloc[8, 0] = pd.NA
    return frame


@pytest.mark.parametrize(
    "model",
    [KPod(2, n_init=2, random_state=0), SKFR(2, 2, n_init=2, random_state=0)],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("kind", ["Float64", "float64[pyarrow]", object])
def test_missing_entries_of_frames(model, kind):
    wanted = clone(model).fit(HOLES).labels_
    fitted = clone(model).fit(missing(kind))
    np.testing.assert_array_equal(fitted.labels_, wanted)
    np.testing.assert_array_equal(fitted.predict(missing(kind)), clone(model).fit(HOLES).predict(HOLES))
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "data",
    [
        FRAME.astype("Float64"),
        FRAME.astype(object),
        FRAME.astype(pd.SparseDtype(float, np.nan)),
        pl.from_pandas(FRAME),
        pa.table(FRAME),
        pa.table(FRAME).to_batches()[0],
        X.astype(object),
        X.astype(np.longdouble),
        X.astype(">f8"),
        np.asfortranarray(X),
        np.repeat(X, 2, axis=0)[::2],
        X.tolist(),
        np.ma.array(X),
    ],
    ids=lambda data: f"{type(data).__module__}.{type(data).__name__}",
)
@pytest.mark.parametrize(
    "model",
    [SKFR(2, 2), SparseKMeans(2, l1_bound=1.5), KPod(2), COPKMeans(2)],
    ids=lambda m: type(m).__name__,
)
def test_containers_give_the_same_fit(model, data):
    model = model.set_params(n_init=2, random_state=0)
    wanted, fitted = clone(model).fit(X), clone(model).fit(data)
    np.testing.assert_array_equal(fitted.labels_, wanted.labels_)
    np.testing.assert_array_equal(fitted.cluster_centers_, wanted.cluster_centers_)
    np.testing.assert_array_equal(fitted.predict(data), wanted.predict(X))
    if hasattr(data, "columns"):
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c", "d"]


TWICE = pa.table(FRAME).rename_columns(["a", "b", "a", "c"])
UNREAD = {
    "collect": pl.from_pandas(FRAME).lazy(),
    "to_table": pa.dataset.dataset(pa.table(FRAME)),
    "read_all": pa.RecordBatchReader.from_batches(TWICE.schema, TWICE.to_batches()),
}


@MODELS
def test_tables_not_read_and_names_twice_are_refused(entry):
    for read, data in UNREAD.items():
        with pytest.raises(TypeError, match=rf"X is a .*not read yet: pass what its {read}\(\) gives"):
            model_of(entry).fit(data)
    with pytest.raises(ValueError, match=r"columns 0 and 2 of X.* both named 'a'.*np.asarray\(X\)"):
        model_of(entry).fit(TWICE)


ON_TABLES = {
    "explain": lambda X: sparsek.explain(X, V.data),
    "search": lambda X: sparsek.PermutationGap(SparseKMeans(2), "l1_bound", [1.2]).fit(X),
    "path": lambda X: skfr_path(SKFR(2), X, [1, 2]),
    "start": lambda X: init.robin(X, 2),
    "score": lambda X: metrics.dunn_index(X, V.data),
    "madd": lambda X: sparsek.madd_distances(X),
    "cosa": lambda X: sparsek.cosa_distances(X),
    "thin": lambda X: sparsek.thin(X, "gaussian"),
}
"""Functions of this package that refuse columns of one name."""
OF_R = ("kmeans", "dist", "daisy", "colMeans", "cor", "var", "scale", "median", "mean", "summary", "cmdscale")


@pytest.mark.parametrize("name", [*ON_TABLES, *OF_R])
def test_functions_refuse_tables_that_are_not_read(name):
    call = ON_TABLES.get(name) or (lambda x: getattr(rcompat, name)(x, *[2] * (name == "kmeans")))
    for read, data in UNREAD.items():
        if read != "read_all" or name in ON_TABLES:
            with pytest.raises((TypeError, RError), match=rf"not read yet: pass what its {read}\(\) gives"):
                call(data)
    if name in ON_TABLES:
        for data in (TWICE, TWICE.to_batches()[0]):
            with pytest.raises(ValueError, match=r"columns 0 and 2 of X.* are both named 'a'"):
                call(data)


def test_functions_take_record_batches_and_names_twice_as_r():
    batch = pa.table(FRAME).to_batches()[0]
    np.testing.assert_array_equal(init.maximin(batch, 2), init.maximin(X, 2))
    assert rcompat.colMeans(batch).attributes == {"names": ["a", "b", "c", "d"]}
    np.testing.assert_array_equal(rcompat.colMeans(TWICE), rcompat.colMeans(X))
    np.testing.assert_array_equal(rcompat.daisy(TWICE), rcompat.daisy(FRAME))
    texts = pa.table({"a": ["u", "v"] * 12, "b": X[:, 0]}).to_batches()[0]
    expected = SparseKMeans(2, random_state=0).fit(texts.to_pandas())
    np.testing.assert_array_equal(SparseKMeans(2, random_state=0).fit(texts).labels_, expected.labels_)
    ticks = plots.plot_missing(batch).get_xticklabels()
    assert [tick.get_text() for tick in ticks] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "model", [SKFR(2, 2, random_state=0), SparseKMeans(2, l1_bound=1.5, random_state=0)], ids=repr
)
def test_sparse_frames_are_fitted_as_sparse_matrices(model):
    thin = np.where(np.abs(X) > 1, X, 0.0)
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(thin), columns=list("abcd"))
    wanted, fitted = clone(model).fit(sparse.csr_array(thin)), clone(model).fit(frame)
    np.testing.assert_array_equal(fitted.labels_, wanted.labels_)
    np.testing.assert_array_equal(fitted.cluster_centers_, wanted.cluster_centers_)
    np.testing.assert_array_equal(fitted.predict(frame), wanted.predict(sparse.csr_array(thin)))
    assert fitted.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["b", "a", "c", "d"]])


def test_paths_take_sparse_and_masked_data():
    model = SKFR(2, standardize=True, random_state=0)
    thin = np.where(np.abs(X) > 1, X, 0.0)
    wanted = skfr_path(model, thin, [1, 2]).labels
    np.testing.assert_array_equal(skfr_path(model, sparse.csr_array(thin), [1, 2]).labels, wanted)
    masked = skfr_path(SKFR(2, random_state=0), MASKED, [1, 2])
    np.testing.assert_array_equal(masked.labels, skfr_path(SKFR(2, random_state=0), HOLES, [1, 2]).labels)


V = np.ma.array(np.arange(24) % 2, mask=np.arange(24) == 5)
W = np.ma.array(np.ones(24), mask=np.arange(24) == 5)
PAIRS = np.ma.array([[0, 1], [2, 3]], mask=[[0, 0], [0, 1]])
CENTERS = np.ma.array(X[:2], mask=MASK[2:4])
GROUPS = np.ma.array([0, 0, 1, 1], mask=[1, 0, 0, 0])
OTHERS = {
    "sample_weight": lambda: SKFR(2).fit(X, sample_weight=W),
    "init": lambda: SKFR(2, init=CENTERS).fit(X),
    "init labels": lambda: SKFR(2, init=V).fit(X),
    "must_link": lambda: COPKMeans(2).fit(X, must_link=PAIRS),
    "order": lambda: COPKMeans(2, order=np.ma.array(np.arange(24), mask=V.mask)).fit(X),
    "groups": lambda: sparsek.FeatureGroupKMeans(2, groups=GROUPS).fit(X),
    "robin": lambda: init.robin(MASKED, 2),
    "maximin": lambda: init.maximin(MASKED, 2),
    "dkm++": lambda: init.dkm_plus_plus(MASKED, 2),
    "score": lambda: metrics.dunn_index(MASKED, V.data),
    "labels": lambda: metrics.variation_of_information(V, V.data),
    "support": lambda: metrics.false_positive_rate(np.ma.array([True, False], mask=[1, 0]), [True, True]),
    "weights plot": lambda: plots.plot_weights(np.ma.array([0.5, 0.5], mask=[0, 1])),
    "madd": lambda: sparsek.madd_distances(MASKED),
    "cosa": lambda: sparsek.cosa_distances(MASKED),
}


@pytest.mark.parametrize("call", OTHERS.values(), ids=OTHERS)
def test_masked_arguments_are_refused(call):
    with pytest.raises((TypeError, ValueError), match=r"is a masked array with [12] masked entr"):
        call()


def test_masked_labels_are_unknown():
    known = np.where(V.mask, -1, V.data)
    masked = COPKMeans(2, random_state=0).fit(X, V)
    np.testing.assert_array_equal(masked.labels_, COPKMeans(2, random_state=0).fit(X, known).labels_)


LENGTHY = ("finetune_epochs", "layer_epochs", "n_jobs", "verbose", "random_state", "memory_limit")
"""Parameters that are no size, or a number of steps that each take their time."""


@MODELS
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_huge_sizes_are_refused_before_allocation(entry):
    model = model_of(entry)
    for name, value in model.get_params(deep=False).items():
        if name in LENGTHY or isinstance(value, bool) or not isinstance(value, int):
            continue
        huge = clone(model).set_params(**{name: 10**9})
        tracemalloc.start()
        try:
            huge.fit(X)
        except (ValueError, TypeError, NotImplementedError):
            pass
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 20_000_000, name


@pytest.mark.parametrize("name", ["robin", "maximin", "dkm_plus_plus", "kmeans_plus_plus", "random_rows"])
def test_starts_refuse_huge_numbers_of_clusters(name):

    with pytest.raises(ValueError, match="n_clusters=1000000000 must be at most n_samples=24"):
        getattr(init, name)(X, 10**9)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint16, bool])
@pytest.mark.parametrize("name", READ_ROWS)
def test_weights_of_whole_numbers_keep_their_fractions(name: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.poisson(3, (60, 6))
    X[:30, :2] += 6
    X = (X > 3) if dtype is bool else X.astype(dtype)
    weights = rng.uniform(0.1, 3, 60)
    size = {"SKFR": {"n_features_to_select": 2}, "SparseKMeans": {"l1_bound": 1.5}}.get(name, {})
    found, expected = (
        PUBLIC[name](2, n_init=2, random_state=0, **size).fit(data, sample_weight=weights)
        for data in (X, X.astype(float))
    )
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.inertia_ == expected.inertia_
