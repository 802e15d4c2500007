"""Fits by blocks of rows of any size, from any file, give the result of a fit in memory."""

import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from sparsek import SKFR, EntropyWeightedPowerKMeans, KPod, PowerKMeans, SparseKMeans
from sparsek.methods.shared.clusterer import blocks as _block_input
from sparsek.sources.files.opening import as_reader
from sparsek.sources.local import LocalRows
from tests.sources.blocks_data import KINDS, as_kind, frame, mixture, punch

ROUNDING = 1e-9  # sums in another order, of numbers below 100
SINGLE = 2e-4  # the same in single precision
FITS: list[tuple[Any, dict[str, Any]]] = [
    (SKFR, {"n_features_to_select": 3, "standardize": True}),
    (SKFR, {"n_features_to_select": 2, "scope": "local", "standardize": True}),
    (SKFR, {"n_features_to_select": 3, "standardize": False}),
    (SparseKMeans, {"l1_bound": 1.7, "standardize": False}),
    (PowerKMeans, {}),
    (EntropyWeightedPowerKMeans, {"standardize": True}),
    (KPod, {}),
]
NAMES = ("cluster_centers_", "criterion_history_", "start_objectives_", "inertia_")
ALLOWED = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # few rows


def assert_same_fit(found: Any, expected: Any, rounding: float = ROUNDING) -> None:
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    scale = np.nanmax(np.abs(expected.cluster_centers_))
    for name in NAMES:
        size = scale if name == "cluster_centers_" else np.abs(expected.criterion_history_).max()
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rounding, rounding * size)
    assert found.cluster_centers_.dtype == expected.cluster_centers_.dtype
    if hasattr(expected, "get_support"):
        np.testing.assert_array_equal(found.get_support(), expected.get_support())
        np.testing.assert_allclose(found.feature_weights_, expected.feature_weights_, rounding, rounding)


def data_for(estimator: Any, seed: int, n: int = 300, p: int = 8) -> np.ndarray:
    """Rows, with holes for KPod."""
    X = mixture(seed, n, p)
    return punch(X, seed) if estimator is KPod else X


def reads_blocks(model: Any, X: Any) -> bool:
    return _block_input.is_reader(model._opened(X))


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize(
    ("estimator", "options", "kind"),
    [*((*FITS[0], kind) for kind in KINDS), (*FITS[-1], "npy"), (*FITS[-1], "parquet")],
)
def test_every_kind_of_data(estimator: Any, options: dict[str, Any], kind: str, tmp_path: Path) -> None:
    """Missing entries are read from rows of numbers and from cells of a table."""
    X = data_for(estimator, 0, 150)
    given = as_kind(X, kind, tmp_path)
    centers = np.nan_to_num(X[[3, 50, 122]])
    expected = estimator(3, init=centers, **options).fit(X)
    model = estimator(3, init=centers, memory_limit="8kB", **options)
    assert reads_blocks(model, given)
    assert_same_fit(model.fit(given), expected)
    np.testing.assert_array_equal(model.predict(given), expected.predict(X))
    np.testing.assert_allclose(model.transform(given), expected.transform(X), ROUNDING)
    assert model.score(given) == pytest.approx(expected.score(X), rel=ROUNDING)
    if kind in ("parquet", "folder"):
        assert list(model.feature_names_in_) == list(frame(X).columns)
        np.testing.assert_array_equal(model.predict(frame(X)), model.labels_)


@pytest.mark.parametrize(
    ("estimator", "options", "kind"), [*((*fit, "npy") for fit in FITS), (*FITS[0], "parquet")]
)
def test_what_fits_is_fitted_in_memory(
    estimator: Any, options: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    X = data_for(estimator, 1)
    given = as_kind(X, kind, tmp_path)
    model = estimator(3, random_state=0, n_init=2, memory_limit=1e6, **options)
    assert not reads_blocks(model, given)
    expected = estimator(3, random_state=0, n_init=2, **options).fit(frame(X) if kind == "parquet" else X)
    model.fit(given)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.inertia_ == expected.inertia_
    assert hasattr(model, "feature_names_in_") == (kind == "parquet")


def given_start(kind: str, X: np.ndarray, n_clusters: int, rng: np.random.Generator) -> Any:
    """Labels, row numbers, or centres near rows; the last centre may be far away: an empty cluster.

    More than one cluster has rows at first. With a single one, its mean and the centres of the empty clusters
    would all be the mean of all rows, and rounding would decide.
    """
    if kind == "labels":
        return np.append(rng.integers(n_clusters, size=len(X) - n_clusters), np.arange(n_clusters))
    if kind == "rows":
        return rng.permutation(np.arange(len(X) - n_clusters, len(X)))
    centers = X[-n_clusters:].copy()
    centers[-1] += 1000 * (kind == "far" and n_clusters > 2)
    return centers


@ALLOWED
@pytest.mark.parametrize(("estimator", "options"), FITS)
@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**31 - 1),
    n=st.integers(12, 40),
    p=st.integers(3, 9),
    n_clusters=st.integers(1, 6),
    block_rows=st.integers(1, 70),
    share=st.sampled_from([1e-9, 0.5, 0.99]),
    start=st.sampled_from(["labels", "centers", "far", "rows"]),
    weighted=st.booleans(),
)
def test_same_result_as_in_memory(
    estimator: Any,
    options: dict[str, Any],
    seed: int,
    n: int,
    p: int,
    n_clusters: int,
    block_rows: int,
    share: float,
    start: str,
    weighted: bool,
) -> None:
    """Blocks of any size, with and without a cache, with weights and rows of weight 0."""
    rng = np.random.default_rng(seed)
    X = data_for(estimator, seed, n, p)
    X[-n_clusters:] = mixture(seed, n, p)[-n_clusters:]  # rows that start clusters have no holes
    weights = np.append(rng.choice([0.0, 0.3, 1, 2], n - n_clusters), np.ones(n_clusters))
    init = given_start(start, X, n_clusters, rng)
    expected = estimator(n_clusters, init=init, **options).fit(X, sample_weight=weights if weighted else None)
    least = max(40 * p * X.itemsize, 2 * n * 33)  # forty rows, or twice labels, masks and weights
    limit = max(least, X.nbytes * (estimator(**options)._copies + 1) * share)
    with mock.patch.object(_block_input, "BLOCK_BYTES", block_rows * X.itemsize * p):
        model = estimator(n_clusters, init=init, memory_limit=limit, **options)
        given = as_kind(X, "zarr", Path())
        assert_same_fit(model.fit(given, sample_weight=weights if weighted else None), expected)


@pytest.mark.parametrize(("estimator", "options"), FITS)
def test_sample_of_all_rows_gives_the_fit_in_memory(
    estimator: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    X = data_for(estimator, 2, n=60)
    given = as_kind(X, "npy", tmp_path)
    tight = options | ({"tol": 0} if estimator is SparseKMeans else {})  # else it continues
    expected = estimator(3, random_state=5, n_init=3, **tight).fit(X)
    model = estimator(3, random_state=5, n_init=3, memory_limit=3000, **tight).fit(given)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_allclose(model.cluster_centers_, expected.cluster_centers_, ROUNDING, 100 * ROUNDING)
    assert model.inertia_ == pytest.approx(expected.inertia_, rel=ROUNDING)
    on_all_rows = estimator in (PowerKMeans, EntropyWeightedPowerKMeans)  # one pass serves all starts
    assert model.start_objectives_.shape == (model.n_init if on_all_rows else 1,)


@pytest.mark.parametrize(("estimator", "options"), FITS)
def test_starts_from_a_sample(estimator: Any, options: dict[str, Any], tmp_path: Path) -> None:
    """A small part of the rows finds the groups, from which the exact steps continue."""
    X = mixture(4, 3000) / 5  # groups of one scale for the methods that do not standardise
    X = punch(X, 4, 0.1) if estimator is KPod else X
    given = as_kind(X, "npy", tmp_path)
    expected = estimator(3, random_state=0, n_init=3, **options).fit(X)
    model = estimator(3, random_state=0, n_init=3, memory_limit="110kB", **options)
    fits = [clone(model).fit(given) for _ in range(2)]
    np.testing.assert_array_equal(fits[0].labels_, fits[1].labels_)
    assert np.all(np.diff(fits[0].criterion_history_) <= ROUNDING * abs(fits[0].criterion_history_[0]))
    assert fits[0].inertia_ <= 1.1 * expected.inertia_  # another optimum is possible, but not a worse one


@pytest.mark.parametrize(("estimator", "options"), FITS)
def test_single_precision(estimator: Any, options: dict[str, Any], tmp_path: Path) -> None:
    X = data_for(estimator, 3).astype(np.float32)
    given = as_kind(X, "npy", tmp_path)
    init = np.argsort(X[:, 0]).argsort() // 100  # labels: thirds of the first column
    expected = estimator(3, init=init, **options).fit(X)
    model = estimator(3, init=init, memory_limit="30kB", **options).fit(given)
    assert model.transform(given).dtype == np.float32
    assert_same_fit(model, expected, SINGLE)


@pytest.mark.parametrize("kind", ["npy", "memmap", "array", "hdf5", "parquet"])
def test_integers_become_double_precision(kind: str, tmp_path: Path) -> None:
    X = (10 * mixture(5)).astype(np.int32)
    init = X[:3].astype(float)
    expected = SKFR(3, 3, init=init, standardize=True).fit(X.astype(float))
    model = SKFR(3, 3, init=init, memory_limit="45kB", standardize=True).fit(as_kind(X, kind, tmp_path))
    assert_same_fit(model, expected)


def test_callable_init_is_called_on_the_sample(tmp_path: Path) -> None:
    X = mixture(6)
    seen = []

    def init(sample: np.ndarray, n_clusters: int, random_state: int) -> np.ndarray:
        seen.append(sample.shape)
        return sample[:n_clusters]

    SKFR(3, 3, init=init, n_init=2, memory_limit=10_200, random_state=0, standardize=True).fit(
        as_kind(X, "npy", tmp_path)
    )
    assert seen == [(60, 8)] * 2


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10, deadline=None)
@given(n=st.integers(1, 60), block_rows=st.integers(1, 70), seed=st.integers(0, 2**31 - 1))
def test_readers(kind: str, n: int, block_rows: int, seed: int) -> None:
    """Blocks hold the rows in order; any rows can be taken."""
    X = mixture(seed, n, 4)
    rows = np.flatnonzero(np.random.default_rng(seed).random(n) < 0.3)
    with tempfile.TemporaryDirectory() as folder:
        reader = as_reader(as_kind(X, kind, Path(folder)))
        assert reader is not None
        reader.block_rows = block_rows
        parts = [(start, block.copy()) for start, block in reader.blocks()]
        assert [start for start, _ in parts] == np.cumsum([0, *[len(part) for _, part in parts]])[
            :-1
        ].tolist()
        assert max(len(part) for _, part in parts) <= block_rows
        np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), X)
        np.testing.assert_array_equal(reader.take(rows), X[rows])
        del reader


def test_kept_columns_spare_the_file(tmp_path: Path) -> None:
    """With memory for the columns, iterations read only rows that moved once the columns stop changing."""
    X = mixture(7, 4000, 20) / 5
    reader: Any = as_reader(as_kind(X, "npy", tmp_path))
    read, counts = reader.read, [0]

    def counted(start: int, stop: int) -> np.ndarray:
        counts.append(stop - start)
        return read(start, stop)

    reader.read = counted
    steps = []
    assign = LocalRows.assign

    def noted(rows: LocalRows, *arguments: Any) -> bool:
        before, labels = sum(counts), rows.labels
        moved = assign(rows, *arguments)
        steps.append((int(np.count_nonzero(rows.labels != labels)), sum(counts) - before))
        return moved

    init = np.random.default_rng(0).integers(3, size=4000)
    with mock.patch.object(LocalRows, "assign", noted):
        SKFR(3, 3, init=init, memory_limit=0.9 * X.nbytes, standardize=True).fit(reader)
    assert len(steps) > 5
    assert steps[-1] == (0, 0)
    few = [n_read for moved, n_read in steps if 16 * moved < 4000]
    assert sum(n_read < 4000 for n_read in few) > len(few) / 2
