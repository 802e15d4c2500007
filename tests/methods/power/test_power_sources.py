"""Power k-means gives the same labels from every source of rows: arrays, files, chunks of Dask."""

from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest

from sparsek import EntropyWeightedPowerKMeans, PowerKMeans
from sparsek.methods.power import passes
from sparsek.methods.power.one_pass import PowerProblem
from sparsek.methods.shared.clusterer.blocks import is_reader
from sparsek.methods.skfr.problem import array_problem
from tests.sources.blocks_data import as_kind, frame, memory_taken, mixture
from tests.sources.same_labels import in_memory

ORDERS = ("Fortran", "strided", "reversed")
# Sums of a few hundred terms in another order, over tens of iterations.
ROUNDING = 1e-9
pytestmark = pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
KINDS = (PowerKMeans, EntropyWeightedPowerKMeans)
BOTH = pytest.mark.parametrize("estimator", KINDS)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"standardize": True, "polish": True},
    {"schedule": "geometric", "s0": -2.0},
]


@pytest.fixture(autouse=True)
def _one_thread() -> Any:
    """Use the simplest scheduler unless a test chooses another."""
    with dask.config.set(scheduler="synchronous"):
        yield


def assert_same(found: Any, expected: Any) -> None:
    """Assert equal labels and iterations, and numbers equal up to the order of summation."""
    np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
    assert found.n_iter_ == expected.n_iter_
    size = np.abs(expected.criterion_history_).max()
    for name in ("criterion_history_", "inertia_", "objective_", "s0_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), ROUNDING, ROUNDING * size)
    scale = np.abs(expected.cluster_centers_).max()
    np.testing.assert_allclose(found.cluster_centers_, expected.cluster_centers_, ROUNDING, ROUNDING * scale)
    if hasattr(expected, "feature_weights_"):
        np.testing.assert_allclose(found.feature_weights_, expected.feature_weights_, ROUNDING, ROUNDING)


@pytest.mark.parametrize(
    ("source", "options", "estimator"),
    [
        (source, OPTIONS[i % 3], KINDS[i % 2])  # both with all options
        for i, source in enumerate((*ORDERS, "npy", "parquet", "hdf5", "zarr", "memmap"))
    ],
)
def test_arrays_and_files(source: str, options: dict[str, Any], estimator: Any, tmp_path: Path) -> None:
    X = mixture(0, 200, 6)
    given = in_memory(source, X) if source in ORDERS else as_kind(X, source, tmp_path)
    by_blocks = source not in ORDERS
    limit = "14kB" if by_blocks else None
    weights = np.random.default_rng(0).choice([0, 0.5, 1, 3], 200)
    for mass in (None, weights):
        expected = estimator(3, init=X[:3], **options).fit(X, sample_weight=mass)
        model = estimator(3, init=X[:3], memory_limit=limit, **options)
        assert is_reader(model._opened(given)) == by_blocks
        assert_same(model.fit(given, sample_weight=mass), expected)
    np.testing.assert_array_equal(model.predict(given), expected.predict(X))


CHUNKS = [(200, 6), (7, 6), (90, 5), ((3, 0, 2, 195), (1, 5))]
STARTS = ("labels", "rows", "centres")


@pytest.mark.parametrize(
    ("chunks", "options", "start", "estimator"),
    [
        (CHUNKS[(i + j) % 4], options, STARTS[(i + j) % 3], estimator)  # both with all options and starts
        for i, estimator in enumerate(KINDS)
        for j, options in enumerate(OPTIONS)
    ],
)
def test_chunks_of_any_size(chunks: Any, options: dict[str, Any], start: str, estimator: Any) -> None:
    X = mixture(1, 200, 6)
    init = {"labels": np.arange(200) % 3, "rows": [7, 120, 30], "centres": X[[7, 120, 30]]}[start]
    expected = estimator(3, init=init, **options).fit(X)
    rows = da.from_array(X, chunks=chunks)
    found = estimator(3, init=init, **options).fit(rows)
    assert_same(found, expected)
    assert found.labels_.chunks == (tuple(size for size in rows.chunks[0] if size),)


@BOTH
@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.float32, ">f8"])
def test_arrays_of_other_types(estimator: Any, kind: Any) -> None:
    X = np.clip(np.rint(5 * mixture(2, 150, 5) + 100), 0, 250).astype(kind)
    as_floats = X if kind == np.float32 else X.astype(float)
    expected = estimator(3, init=as_floats[:3]).fit(as_floats)
    assert_same(estimator(3, init=as_floats[:3]).fit(X), expected)


@BOTH
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_schedulers_and_single_precision(estimator: Any, scheduler: str, dtype: Any) -> None:
    X = mixture(3, 300, 6).astype(dtype)
    expected = estimator(3, init=X[:3]).fit(X)
    with dask.config.set(scheduler=scheduler):
        found = estimator(3, init=X[:3]).fit(da.from_array(X, chunks=(70, 6)).persist())
        assert np.mean(found.labels_.compute() == expected.labels_) > (
            0.99 if dtype == np.float32 else 1 - 1e-9
        )
    assert found.cluster_centers_.dtype == dtype


@BOTH
@pytest.mark.parametrize("init", ["k-means++", "random", "maximin", lambda X, k, random_state: X[:k]])
def test_a_sample_of_all_rows_gives_the_fit_in_memory(estimator: Any, init: Any) -> None:
    X = mixture(4, 80, 6)
    expected = estimator(3, init=init, n_init=4, random_state=0).fit(X)
    found = estimator(3, init=init, n_init=4, random_state=0).fit(da.from_array(X, chunks=(30, 6)))
    np.testing.assert_allclose(found.start_objectives_, expected.start_objectives_, rtol=1e-6)
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)


@BOTH
def test_frames_of_dask_and_lazy_results(estimator: Any) -> None:
    X = mixture(5, 100, 6)
    model = estimator(3, init=np.arange(100) % 3).fit(dd.from_pandas(frame(X), npartitions=3))
    assert_same(model, estimator(3, init=np.arange(100) % 3).fit(X))
    assert model.feature_names_in_.tolist() == list(frame(X).columns)
    rows = da.from_array(X, chunks=(33, 6))
    plain = estimator(3, init=np.arange(100) % 3).fit(rows)
    for method in ("predict", "transform"):
        lazy = getattr(plain, method)(rows)
        np.testing.assert_array_equal(lazy.compute(), getattr(plain, method)(X))
    assert plain.score(rows) == pytest.approx(-plain.inertia_, rel=ROUNDING)


@BOTH
def test_what_is_refused(estimator: Any) -> None:
    X = mixture(6, 60, 5)
    with pytest.raises(ValueError, match="sample_weight is not supported for Dask collections"):
        estimator(3).fit(da.from_array(X, chunks=(20, 5)), sample_weight=np.ones(60))
    X[41, 3] = np.nan
    with pytest.raises(ValueError, match="X has nan in row 41, column 3"):
        estimator(3).fit(da.from_array(X, chunks=(20, 5)))


@pytest.mark.parametrize("gamma", [0.0, 30.0])
def test_centres_of_no_row_and_scatter_by_blocks(gamma: float) -> None:
    """Weights that underflow are found relative to the largest of all blocks."""
    X = mixture(7, 120, 4)
    far = np.vstack([X[:2], X[:1] + 1e5])
    expected = EntropyWeightedPowerKMeans(3, init=far, s0=-40.0, gamma=gamma or None).fit(X)
    found = EntropyWeightedPowerKMeans(3, init=far, s0=-40.0, gamma=gamma or None)
    assert_same(found.fit(da.from_array(X, chunks=(11, 4))), expected)


def test_critical_power_of_many_features_takes_a_pass_for_each_product(monkeypatch: Any) -> None:
    problem = PowerProblem.of(array_problem(mixture(8, 90, 7), 3))
    expected = passes.critical_power(problem)
    monkeypatch.setattr(passes, "MOST_FEATURES", 0)
    assert passes.critical_power(problem) == pytest.approx(expected, rel=1e-12)


@BOTH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_memory_of_a_fit_is_what_the_limit_counts_with(estimator: Any) -> None:
    model = estimator(3, n_init=1, max_iter=3, random_state=0)
    taken = memory_taken(model, mixture(0, 5000, 200))
    assert taken <= estimator._copies < taken + 1
