"""KPod gives the same fit from every source of rows: arrays, files, chunks of Dask."""

from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pytest

from sparsek import KPod
from tests.sources.blocks_data import as_kind, frame, mixture, punch
from tests.sources.same_labels import in_memory

ORDERS = ("Fortran", "strided", "reversed")
ROUNDING = 1e-10  # sums of a few hundred terms in another order
pytestmark = pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")


@pytest.fixture(autouse=True)
def _one_thread() -> Any:
    """Use the simplest scheduler unless a test chooses another."""
    with dask.config.set(scheduler="synchronous"):
        yield


def assert_same(found: KPod, expected: KPod, scale: float = 1.0) -> None:
    """Assert equal labels and iterations, and numbers equal up to the order of summation."""
    np.testing.assert_array_equal(np.asarray(found.labels_), expected.labels_)
    assert found.n_iter_ == expected.n_iter_
    for name in ("cluster_centers_", "criterion_history_", "inertia_"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), ROUNDING, ROUNDING * scale)


def whole_numbers(seed: int) -> np.ndarray:
    """Rows with ties and holes; some rows and a column have no value."""
    X = punch(np.clip(np.rint(mixture(seed, 90, 6) / 5), -3, 3), seed)
    X[[5, 6, 50]] = np.nan
    X[:, 4] = np.nan
    return X


@pytest.mark.filterwarnings("ignore::sparsek.errors.EmptyRowWarning")  # some rows have no value
@pytest.mark.parametrize(
    ("source", "standardize"),
    [
        *[("Fortran", False), ("strided", True), ("reversed", False)],
        *[("npy", True), ("parquet", False), ("hdf5", True), ("zarr", False), ("memmap", True)],
    ],
)
def test_arrays_and_files(source: str, standardize: bool, tmp_path: Path) -> None:
    for seed in range(2):
        X, weights = whole_numbers(seed), np.random.default_rng(seed).choice([0, 0.5, 1, 3], 90)
        init = np.arange(90) % 4
        options: dict[str, Any] = {"init": init, "standardize": standardize}
        for mass in (None, weights):
            expected = KPod(4, **options).fit(X, sample_weight=mass)
            folder = tmp_path / f"{seed} {mass is None}"
            folder.mkdir()
            given = (
                in_memory(source, X)
                if source in ("Fortran", "strided", "reversed")
                else as_kind(X, source, folder)
            )
            model = KPod(4, memory_limit=None if isinstance(given, np.ndarray) else "6kB", **options)
            assert_same(model.fit(given, sample_weight=mass), expected)


@pytest.mark.parametrize("kind", [np.int32, np.float32, bool])
def test_complete_arrays_of_other_types(kind: Any) -> None:
    X = np.rint(mixture(1, 90, 6)).astype(kind)
    init = np.arange(90) % 3
    as_floats = X if kind == np.float32 else X.astype(float)
    assert_same(KPod(3, init=init).fit(X), KPod(3, init=init).fit(as_floats))


@pytest.mark.filterwarnings("ignore::sparsek.errors.EmptyRowWarning")  # some rows have no value
@pytest.mark.parametrize(
    ("chunks", "standardize"),
    [((90, 6), False), ((7, 6), True), ((40, 5), False), (((3, 0, 2, 85), (1, 5)), True)],
)
def test_chunks_of_any_size(chunks: Any, standardize: bool) -> None:
    """Also a chunk of rows that all have no value: 5 and 6 are in chunks of 2 and 7 rows."""
    for seed in range(2):
        X = whole_numbers(seed)
        X[3:5] = np.nan
        for init in (np.arange(90) % 4, [7, 20, 30, 60], np.nan_to_num(X[[7, 20, 30, 60]])):
            options: dict[str, Any] = {"init": init, "standardize": standardize}
            expected = KPod(4, **options).fit(X)
            rows = da.from_array(X, chunks=chunks)
            found = KPod(4, **options).fit(rows)
            assert_same(found, expected)
            assert found.labels_.chunks == (tuple(size for size in rows.chunks[0] if size),)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_schedulers_and_single_precision(scheduler: str, dtype: Any) -> None:
    X = punch(mixture(2, 300, 8), 2).astype(dtype)
    init = np.arange(300) % 3
    expected = KPod(3, init=init).fit(X)
    with dask.config.set(scheduler=scheduler):
        found = KPod(3, init=init).fit(da.from_array(X, chunks=(70, 8)).persist())
        np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
    assert found.cluster_centers_.dtype == dtype


def test_empty_clusters_take_the_same_rows() -> None:
    X = punch(mixture(3, 60, 5), 3)
    X = X[~np.isnan(X).all(axis=1)]
    far = np.vstack([np.nan_to_num(X[:2]), np.full((2, 5), 1e4)])  # no row is nearest to the last two
    expected = KPod(4, init=far).fit(X)
    assert len(np.unique(expected.labels_)) == 4
    assert_same(KPod(4, init=far).fit(da.from_array(X, chunks=(11, 5))), expected)


def test_a_sample_of_all_rows_gives_the_fit_in_memory() -> None:
    X = punch(mixture(4, 80, 6), 4)
    expected = KPod(3, random_state=0).fit(X)
    found = KPod(3, random_state=0).fit(da.from_array(X, chunks=(30, 6)))
    np.testing.assert_array_equal(found.labels_.compute(), expected.labels_)
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=ROUNDING)


def test_frames_of_dask_and_lazy_results() -> None:
    X = punch(mixture(5, 100, 6), 5)
    table = dd.from_pandas(frame(X), npartitions=3)
    expected = KPod(3, init=np.arange(100) % 3).fit(frame(X))
    model = KPod(3, init=np.arange(100) % 3).fit(table)
    assert_same(model, expected)
    assert model.feature_names_in_.tolist() == list(frame(X).columns)
    rows = da.from_array(X, chunks=(33, 6))
    plain = KPod(3, init=np.arange(100) % 3).fit(rows)
    for method in ("predict", "transform", "impute"):
        lazy = getattr(plain, method)(rows)
        assert lazy.chunks[0] == rows.chunks[0]
        np.testing.assert_array_equal(lazy.compute(), getattr(plain, method)(X))
    assert plain.score(rows) == pytest.approx(-plain.inertia_, rel=ROUNDING)
    with pytest.raises(ValueError, match="impute X, or blocks of its rows"):
        plain.impute()


def test_bad_chunks_are_told() -> None:
    X = punch(mixture(6, 60, 5), 6)
    X[41, 3] = np.inf
    with pytest.raises(ValueError, match=r"X has inf in row 41, column 3; replace it"):
        KPod(3).fit(da.from_array(X, chunks=(20, 5)))
    with pytest.raises(ValueError, match=r"n_samples=0 \(rows of positive weight with an observed value\)"):
        KPod(3).fit(da.full((20, 3), np.nan, chunks=(7, 3)))
    X[41, 3] = 1e200
    with pytest.raises(ValueError, match="squares of column 3 overflow"):
        KPod(3).fit(da.from_array(X, chunks=(20, 5)))


def test_a_fit_does_not_copy_an_array_of_another_order() -> None:
    X = punch(mixture(7, 90, 6), 7)
    before = X.copy()
    strided = np.repeat(X, 2, axis=1)[:, ::2]
    model = KPod(3, random_state=0).fit(strided)
    np.testing.assert_array_equal(strided, before)
    np.testing.assert_array_equal(model.impute(), KPod(3, random_state=0).fit(X).impute())
