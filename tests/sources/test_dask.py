"""Dask collections against arrays in memory, from the same starts; bad input; lazy predictions."""

import pickle
import re
from itertools import pairwise

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import sparsek
from sparsek.core.scaling import prepare
from sparsek.errors import PrecisionWarning
from sparsek.sources.blocks import dense_steps
from sparsek.sources.dask import rows as _rows
from sparsek.sources.dask.graph import as_chunks
from sparsek.sources.dask.source import DaskSource

# Sums of n p terms of size 1, added in another order: rounding relative to the total sum of squares.
RELATIVE = {np.float64: 1e-12, np.float32: 1e-4}
CLASSES = ["SKFR", "SparseKMeans"]


@pytest.fixture(autouse=True)
def _one_thread():
    """Use the simplest scheduler unless a test chooses another."""
    with dask.config.set(scheduler="synchronous"):
        yield


def groups(n=60, p=8, k=3, seed=0, dtype=np.float64):
    """Rows of k groups that differ in three features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, :3] += 3 * rng.normal(size=(k, 3))[np.arange(n) % k]
    return X.astype(dtype)


def make(name, **options):
    """An estimator by the name of its class."""
    options = {"n_clusters": 3, "random_state": 0, **options}
    skfr = {"n_features_to_select": 3, "standardize": True}
    default = skfr if name == "SKFR" else {"l1_bound": 1.6, "standardize": False}
    return getattr(sparsek, name)(**{**default, **options})


def assert_same(found, expected, dtype=np.float64):
    """Assert equal labels and features, and numbers equal up to the order of summation."""
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
    np.testing.assert_array_equal(found.get_support(), expected.get_support())
    assert found.n_iter_ == expected.n_iter_
    tolerance = RELATIVE[dtype]
    for name in ("criterion_history_", "objective_", "start_objectives_"):
        scale = np.abs(getattr(expected, "tss_", expected.inertia_ + abs(expected.objective_)))
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=tolerance, atol=tolerance * scale
        )
    np.testing.assert_allclose(found.inertia_, expected.inertia_, rtol=tolerance)
    for name in ("cluster_centers_", "feature_weights_"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * max(1, np.abs(other).max()))


@st.composite
def chunkings(draw):
    """Data, start labels, chunks of rows (some may be empty) and of columns."""
    n, p = draw(st.integers(6, 50)), draw(st.integers(4, 8))
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=6)))
    rows = tuple(b - a for a, b in pairwise([0, *cuts, n]))
    seed = draw(st.integers(0, 2**32 - 1))
    X = groups(n, p, seed=seed)
    labels = np.random.default_rng(seed).integers(0, draw(st.sampled_from([2, 3])), n)
    labels[:2] = [0, 1]  # the mean of a single cluster is rounding error, and so are distances to it
    columns = draw(st.sampled_from([(p,), (1, p - 1)]))
    return X, labels, (rows, columns)


@settings(max_examples=25, deadline=None)
@given(chunkings(), st.sampled_from(["global", "local"]), st.booleans())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_skfr_is_that_in_memory_whatever_the_chunks(problem, scope, standardize):
    X, labels, chunks = problem
    options = {"init": labels, "scope": scope, "standardize": standardize}
    expected = make("SKFR", **options).fit(X)
    found = make("SKFR", **options).fit(da.from_array(X, chunks=chunks))
    assert_same(found, expected)
    assert found.labels_.chunks == (tuple(size for size in chunks[0] if size),)
    for name in ("selected_features_", "standardized_centers_", "feature_gains_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-10 * X.size)


@settings(max_examples=12, deadline=None)
@given(chunkings())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sparse_kmeans_is_that_in_memory_whatever_the_chunks(problem):
    X, labels, chunks = problem
    expected = make("SparseKMeans", init=labels, refine=False).fit(X)
    assert_same(make("SparseKMeans", init=labels).fit(da.from_array(X, chunks=chunks)), expected)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_schedulers_and_single_precision(name, scheduler, dtype):
    X = groups(300, 10, dtype=dtype)
    centers = X[:3]
    expected = make(name, init=centers).fit(X)
    with dask.config.set(scheduler=scheduler):
        found = make(name, init=centers).fit(da.from_array(X, chunks=(70, 10)))
        assert found.cluster_centers_.dtype == dtype
        assert_same(found, expected, dtype)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize("name", CLASSES)
def test_row_numbers_and_centres_begin_as_in_memory(name):
    X = groups(90, 6) * np.geomspace(0.1, 10, 6)
    for init in ([70, 3, 41], X[[70, 3, 41]]):
        expected = make(name, init=init).fit(X)
        assert_same(make(name, init=init).fit(da.from_array(X, chunks=(40, 6))), expected)


def test_empty_clusters_are_filled_as_in_memory(monkeypatch):
    filled = []
    hand_out = _rows.hand_out
    monkeypatch.setattr(_rows, "hand_out", lambda *parts: filled.append(hand_out(*parts)) or filled[-1])
    X = groups(40, 6, k=2)
    X[:3] += 50
    far = np.vstack([X[3:5], np.full((2, 6), 1e3)])  # no row is nearest to the last two
    expected = make("SparseKMeans", n_clusters=4, init=far).fit(X)
    assert_same(make("SparseKMeans", n_clusters=4, init=far).fit(da.from_array(X, (7, 6))), expected)
    assert sum(len(rows) for rows, _ in filled)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fewer_distinct_rows_than_clusters():
    X = np.repeat([[0.0, 1.0, 2.0], [5.0, 1.0, 2.0]], 10, axis=0)
    for name in CLASSES:
        expected = make(name, init=X[:3]).fit(X)
        found = make(name, init=X[:3]).fit(da.from_array(X, (6, 3)))
        np.testing.assert_array_equal(found.labels_, expected.labels_)
    # The three rows are equal, so that one cluster gets all rows; SKFR leaves the others empty.
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        make("SKFR", init=X[:3]).fit(da.from_array(X, (6, 3)))


@pytest.mark.parametrize(
    ("name", "init"),
    [
        ("SKFR", "screened"),
        ("SKFR", "k-means++"),
        ("SparseKMeans", "dkm++"),
        ("SKFR", lambda X, k, random_state: X[:k]),
    ],
)
def test_named_starts_run_on_a_sample(name, init, monkeypatch):
    monkeypatch.setattr(DaskSource, "sample_entries", 1500)
    X = groups(400, 6)
    rows = da.from_array(X, chunks=(90, 6))
    models = [make(name, init=init, n_init=10, random_state=1).fit(rows) for _ in range(2)]
    assert set(models[0].feature_weights_.argsort()[-3:]) == {0, 1, 2}
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    assert len(models[0].start_objectives_) == 1
    assert len(np.unique(models[0].labels_.compute())) == 3


@pytest.mark.parametrize("limit", [None, 1000])
@pytest.mark.parametrize("name", CLASSES)
def test_columns_that_stay_are_kept_if_there_is_memory(name, limit, monkeypatch):
    """The same result, and columns are taken from the chunks less often than rows are assigned."""
    taken, assigned = [], []
    take, assign = _rows._operand, _rows._nearest_kept

    def operand(step, group):
        taken.append(len(group))
        return take(step, group)

    def nearest(step, operands):
        assigned.append(len(operands))
        return assign(step, operands)

    monkeypatch.setattr(_rows, "_operand", operand)
    monkeypatch.setattr(_rows, "_nearest_kept", nearest)
    X = groups(90, 8)
    X[:, :3] /= 3  # groups that overlap, so that the fit takes some iterations
    start = np.random.default_rng(1).integers(0, 3, len(X))
    found = make(name, init=start, memory_limit=limit).fit(da.from_array(X, chunks=(40, 8)))
    assert_same(found, make(name, init=start).fit(X))
    assert bool(taken) == (limit is None)
    assert len(assigned) > len(taken) or limit == 1000


def test_columns_that_were_used_last_are_kept():
    X = groups(90, 40)
    scaling = prepare(X, None, standardize=False, exact=True)[1]
    chunks = as_chunks(da.from_array(X, chunks=(40, 40)))._replace(spare=X[:, :10].nbytes)
    kept = _rows.KeptColumns(chunks, dense_steps(scaling, 3, 90, None))
    assert kept.cover(np.arange(40)) is None  # too many
    for columns, expected in [
        ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
        ([3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7]),
        ([0, 4, 7], [0, 1, 2, 3, 4, 5, 6, 7]),  # all there
        ([20, 21, 22], [0, 4, 7, 20, 21, 22]),  # twice as many as the distance has
        ([4], [4, 20]),  # six would be too many for one
    ]:
        first = kept.parts
        parts = kept.cover(np.array(columns))
        np.testing.assert_array_equal(kept.columns, expected)
        assert (parts is first) == (columns == [0, 4, 7])


@pytest.mark.parametrize("name", CLASSES)
def test_small_data_are_the_sample(name):
    X = groups(120, 6)
    expected = make(name, n_init=4).fit(X)
    found = make(name, n_init=4).fit(da.from_array(X, chunks=(50, 6)))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-12)


@pytest.mark.parametrize("name", CLASSES)
def test_predictions_are_lazy_and_those_in_memory(name):
    X = groups(120, 6)
    rows = da.from_array(X, chunks=(50, 3))
    model = make(name, init=X[:3]).fit(rows)
    read = []
    new = rows.map_blocks(lambda block: read.append(len(block)) or block, meta=np.empty((0, 0)))
    labels, distances = model.predict(new), model.transform(new)
    assert not read
    assert isinstance(labels, da.Array)
    assert labels.chunks == ((50, 50, 20),)
    assert distances.chunks == ((50, 50, 20), (3,))
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(distances, model.transform(X))
    assert model.score(new) == pytest.approx(-model.inertia_, rel=1e-12)
    assert model.score(new) == pytest.approx(model.score(X), rel=1e-12)
    assert labels.dtype == np.int32
    unknown = rows[rows[:, 0] > 0]  # the sizes of the chunks are not needed
    np.testing.assert_array_equal(model.predict(unknown), model.predict(X[X[:, 0] > 0]))
    np.testing.assert_array_equal(model.fit_predict(rows), model.labels_)


@pytest.mark.parametrize("name", CLASSES)
def test_clone_parameters_and_pickle(name):
    X = groups()
    rows = da.from_array(X, chunks=(25, 8))
    model = make(name, init=X[:3])
    assert model.get_params().keys() == make(name).get_params().keys()
    assert clone(model).get_params().keys() == model.get_params().keys()
    again = pickle.loads(pickle.dumps(model.fit(rows)))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.predict(rows), model.labels_)
    assert "Clusters" in str(model.summary())


def frame(X, **types):
    """A Dask data frame in three partitions."""
    dd = pytest.importorskip("dask.dataframe", reason="data frames of Dask need pyarrow")
    table = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]).astype(types)
    return dd.from_pandas(table, npartitions=3)


@pytest.mark.parametrize("name", CLASSES)
def test_data_frames_keep_their_names(name):
    X = np.round(groups(60, 5))
    table = frame(X, f0="Int64", f1="float32", f2="Float64", f3="int16")
    expected = make(name, init=X[:3]).fit(X)
    found = make(name, init=X[:3]).fit(table)
    assert_same(found, expected)
    assert found.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3", "f4"]
    np.testing.assert_array_equal(found.predict(table), expected.labels_)
    with pytest.raises(ValueError, match="feature names should match"):
        found.predict(table[["f1", "f0", "f2", "f3", "f4"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found.predict(da.from_array(X, (30, 5)))


def test_data_frames_with_gaps_or_text():
    X = groups(30, 3)
    gap = frame(np.round(X), f1="Int64").map_partitions(
        lambda part: part.assign(f1=part["f1"].mask(part.index == 25))
    )
    with pytest.raises(ValueError, match=r"X has nan in row 25, column 1 \(f1\)"):
        make("SKFR").fit(gap)
    with pytest.raises(TypeError, match="columns f2 of X are not numbers; drop or encode them"):
        make("SKFR").fit(frame(X, f2="str"))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_bad_entry_is_named(name, bad):
    X = groups(60, 4)
    X[47, 2] = bad
    with pytest.raises(ValueError, match=rf"X has {bad} in row 47, column 2; rows must be complete"):
        make(name).fit(da.from_array(X, chunks=(20, 4)))


def test_overflow_is_named():
    for X in (
        np.full((4, 2), 1e200) * [[1, 1], [2, 1], [3, 1], [4, 1]],
        np.array([[1e200, 0.0], [-1e200, 1.0]]),
    ):
        with pytest.raises(ValueError, match="squares of column 0 overflow"):
            make("SparseKMeans", n_clusters=2, l1_bound=1).fit(da.from_array(X, chunks=(1, 2)))


X3 = groups(30, 3)
UNKNOWN = da.from_array(X3, (10, 3))
UNKNOWN = UNKNOWN[UNKNOWN[:, 0] > 0]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (UNKNOWN, ValueError, "the sizes of X's chunks are unknown; call X.compute_chunk_sizes() first"),
        (da.zeros(10), ValueError, "X must have shape (n_samples, n_features) with at least one feature"),
        (da.zeros((10, 0)), ValueError, "with at least one feature; got (10, 0)"),
        (da.zeros((2, 3)), ValueError, "n_samples=2 (rows) must be at least n_clusters=3; add rows"),
        (da.zeros((9, 3), dtype=complex), TypeError, "X must hold numbers; got dtype complex128"),
        (da.from_array(X3.astype(object), (10, 3)), TypeError, "X must hold numbers; got dtype object"),
        (da.from_array(X3.astype(str)), TypeError, "X must hold numbers; got dtype <U"),
        (
            dask.delayed(np.zeros)((9, 3)),
            TypeError,
            "X must be a Dask array or a Dask data frame; got Delayed",
        ),
    ],
)
def test_unusable_data(name, X, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make(name).fit(X)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"init": "best"}, ValueError, "The 'init' parameter of SKFR must be a str among"),
        ({"init": np.zeros((2, 3))}, ValueError, "init must be centres of shape (3, 3)"),
        ({"init": np.full(30, 3)}, ValueError, "labels given as init must lie in 0..2"),
        ({"init": [0, 1, 30]}, ValueError, "30"),
        ({"n_clusters": 0}, ValueError, "The 'n_clusters' parameter of SKFR must be an int"),
        ({"n_init": 1.5}, TypeError, "The 'n_init' parameter of SKFR must be an int"),
        ({"max_iter": 0}, ValueError, "The 'max_iter' parameter of SKFR must be an int"),
        ({"missing": "mm"}, ValueError, "Dask collection; pass X.compute() or use missing='observed'"),
        ({"winsorize": 0.1}, ValueError, "winsorize=0.1 needs the data in memory"),
        ({"tol": -1}, ValueError, "The 'tol' parameter of SparseKMeans must be a float"),
    ],
)
def test_unusable_parameters(options, error, message):
    name = "SparseKMeans" if {"l1_bound", "tol"} & set(options) else "SKFR"
    with pytest.raises(error, match=re.escape(message)):
        make(name, **options).fit(da.from_array(X3, (10, 3)))


@pytest.mark.parametrize("name", CLASSES)
def test_what_is_refused_of_predictions_and_weights(name):
    rows = da.from_array(X3, (10, 3))
    model = make(name, init=X3[:3])
    with pytest.raises(ValueError, match="sample_weight is not supported for Dask collections"):
        model.fit(rows, sample_weight=np.ones(30))
    with pytest.raises(NotFittedError):
        model.predict(rows)
    model.fit(rows)
    for call in (model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
            call(rows[:, :2])
    with pytest.raises(ValueError, match="sample_weight is not supported"):
        model.score(rows, sample_weight=np.ones(30))


def test_estimators_in_memory_point_to_these():
    model = sparsek.RobustSparseKMeans(3)
    with pytest.raises(TypeError, match=r"Dask collection \(Array\), .* SKFR, SparseKMeans, .* fit these"):
        model.fit(da.from_array(X3, (10, 3)))


def test_max_iter_is_kept_and_told():
    X = groups(80, 6)
    labels = np.random.default_rng(0).integers(0, 3, 80)
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        model = make("SKFR", init=labels, max_iter=1).fit(da.from_array(X, (30, 6)))
    assert model.n_iter_ == 1


def test_an_entry_that_hides_its_column_is_told() -> None:
    X = np.random.default_rng(0).normal(size=(4000, 12))
    X[1234, 7] = 1e11
    with pytest.warns(PrecisionWarning, match=r"the entry 1e\+11 in column 7 lies so far"):
        sparsek.SKFR(3, 2, random_state=0).fit(da.from_array(X, chunks=(1000, 12)))
