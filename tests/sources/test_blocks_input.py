"""Fits by blocks of rows: bad input, the memory limit, and the memory used."""

import tracemalloc
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from sparsek import SKFR, EntropyWeightedPowerKMeans, KPod, PowerKMeans, SparseKMeans
from sparsek.errors import PrecisionWarning
from sparsek.inputs.arguments import in_words, physical_memory, resolve_memory_limit
from sparsek.sources.files.opening import as_reader
from tests.sources.blocks_data import ZarrLike, as_kind, frame, mixture, punch

ALL = [SKFR, SparseKMeans, KPod, PowerKMeans, EntropyWeightedPowerKMeans]
TIGHT: dict[str, Any] = {"memory_limit": "21kB", "random_state": 0}


@pytest.mark.parametrize(
    ("given", "n_bytes"),
    [(10, 10), (2.5e6, 2.5e6), ("10", 10), ("2GB", 2e9), ("1.5 gib", 1.5 * 2**30), (" 3 kB ", 3000)],
)
def test_memory_limit(given: Any, n_bytes: float) -> None:
    assert resolve_memory_limit(given) == n_bytes


def test_no_limit_is_half_of_the_memory() -> None:
    assert resolve_memory_limit(None) == physical_memory() / 2
    assert physical_memory() > 1e8


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ("2 apples", ValueError, "'memory_limit' parameter of .* Got '2 apples' instead"),
        ("", ValueError, "'memory_limit' parameter of"),
        ("-1GB", ValueError, "'memory_limit' parameter of"),
        (0, ValueError, "'memory_limit' parameter of .* Got 0 instead"),
        (float("nan"), ValueError, "'memory_limit' parameter of"),
        (True, TypeError, "'memory_limit' parameter of .* Got True instead"),
        ([1], TypeError, "'memory_limit' parameter of"),
    ],
)
@pytest.mark.parametrize("estimator", ALL)
def test_bad_memory_limit(estimator: Any, given: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        estimator(2, memory_limit=given).fit(mixture(0, 20))


def test_sizes_in_words() -> None:
    assert [in_words(size) for size in (12, 4.5e3, 2e9, 3e12)] == ["12 bytes", "4.5 kB", "2 GB", "3 TB"]


@pytest.mark.parametrize("estimator", ALL)
def test_paths_that_are_no_data(estimator: Any, tmp_path: Path) -> None:
    for name, text in (
        ("x.csv", "neither .npy nor Parquet.*pandas.read_csv"),
        ("x.h5", "h5py.File"),
        ("x.npz", "numpy.load"),
        ("x.dat", "convert it"),
    ):
        (tmp_path / name).write_text("1,2")
        with pytest.raises(ValueError, match=text):
            estimator(2).fit(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"there is no file or folder .*none\.npy"):
        estimator(2).fit(str(tmp_path / "none.npy"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"has no files \*\.parquet"):
        estimator(2).fit(tmp_path / "empty")
    (tmp_path / "array.zarr").mkdir()
    with pytest.raises(ValueError, match=r"zarr\.open_array"):
        estimator(2).fit(tmp_path / "array.zarr")


def test_damaged_npy(tmp_path: Path) -> None:
    path = as_kind(mixture(0), "npy", tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(ValueError, match=r"data\.npy is no complete \.npy file"):
        SKFR(2, **TIGHT, standardize=True).fit(path)
    path.write_bytes(whole)
    reader = as_reader(path)
    path.write_bytes(whole[:-100])
    with pytest.raises(OSError, match="was changed while it was read: its size was"):
        SKFR(2, **TIGHT, standardize=True).fit(reader)
    np.save(path, np.array([["a", "b"]]))
    with pytest.raises(TypeError, match="must hold real numbers; its dtype is <U1"):
        SKFR(2, standardize=True).fit(path)


def test_a_header_of_npy_that_is_no_python(tmp_path: Path) -> None:
    """Python's tokenizer raises an error of its own for a header whose bracket is never closed."""
    path = as_kind(mixture(0), "npy", tmp_path)
    path.write_bytes(path.read_bytes().replace(b"(300,", b"((00,"))
    with pytest.raises(ValueError, match=r"data\.npy is no complete \.npy file"):
        SKFR(3, standardize=True).fit(path)


@pytest.mark.parametrize("metadata", [b"{", b"\xff", b"[1]", b'{"index_columns": 3}'])
def test_damaged_metadata_of_pandas(metadata: bytes, tmp_path: Path) -> None:
    table = pa.table({"a": [1.0, 2.0, 8.0, 9.0]}).replace_schema_metadata({b"pandas": metadata})
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"x\.parquet is no readable Parquet file"):
        SKFR(2, standardize=True).fit(tmp_path / "x.parquet")


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize(
    "model", [SKFR(3, 3, n_init=2, random_state=0, standardize=True), KPod(3, n_init=2, random_state=0)]
)
def test_signalling_nan_is_nan(model: Any, tmp_path: Path) -> None:
    """A flipped bit may leave one; numpy warns of what is reckoned with it."""
    X = punch(mixture(0), 1)
    expected = clone(model).fit(X).labels_
    X.view(np.int64)[np.isnan(X)] = 0x7FF0000000000001
    np.save(tmp_path / "x.npy", X)
    np.testing.assert_array_equal(clone(model).fit(tmp_path / "x.npy").labels_, expected)


@pytest.mark.parametrize("shape", [(30,), (5, 4, 3), (0, 3), (3, 0)])
def test_shapes(shape: tuple[int, ...], tmp_path: Path) -> None:
    X = np.zeros(shape)
    np.save(tmp_path / "x.npy", X)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for given in (tmp_path / "x.npy", ZarrLike(X, (1, 1)), file.create_dataset("X", data=X)):
            with pytest.raises(ValueError, match=r"two dimensions|at least one of each"):
                SKFR(2, standardize=True).fit(given)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("estimator", [SKFR, SparseKMeans])
def test_entries_that_are_no_numbers(estimator: Any, value: float, tmp_path: Path) -> None:
    X = mixture(0)
    X[123, 4] = value
    for number, kind in enumerate(("npy", "folder")):
        folder = tmp_path / str(number)
        folder.mkdir()
        named = r" \('gene4'\)" if kind == "folder" else ""
        with pytest.raises(ValueError, match=f"entry in row 123, column 4{named}, counted from 0"):
            estimator(3, **TIGHT).fit(as_kind(X, kind, folder))
    weights = np.ones(len(X))
    weights[123] = 0  # as in memory, rows of no weight are checked too
    with pytest.raises(ValueError, match="row 123"):
        estimator(3, **TIGHT).fit(ZarrLike(X, (10, 3)), sample_weight=weights)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_missing_and_infinite_entries_later(tmp_path: Path) -> None:
    X = punch(mixture(0), 0)
    model = KPod(3, **TIGHT).fit(as_kind(X, "npy", tmp_path))
    X[200, 2] = np.inf
    with pytest.raises(ValueError, match=r"infinite \(inf\) entry in row 200, column 2"):
        model.predict(ZarrLike(X, (10, 3)))
    with pytest.raises(ValueError, match=r"infinite \(inf\) entry in row 200"):
        KPod(3, **TIGHT).fit(ZarrLike(X, (10, 3)))


@pytest.mark.parametrize("estimator", ALL)
def test_squares_that_overflow(estimator: Any) -> None:
    X = mixture(0)
    X[:, 5] *= 1e200
    with pytest.raises(ValueError, match="squares of column 5 overflow"):
        estimator(3, **TIGHT).fit(ZarrLike(X, (10, 3)))


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize("estimator", ALL)
def test_new_rows_whose_squares_overflow(estimator: Any) -> None:
    X = mixture(0)
    model = estimator(3, **TIGHT, n_init=1).fit(X)
    X[200, 5] = 1e200
    for rows in (ZarrLike(X, (10, 3)), csr_array(X), X):
        with pytest.raises(
            ValueError, match=r"1e\+200 in row 200, column 5, so far from the data of the fit"
        ):
            model.predict(rows)


@pytest.mark.parametrize("estimator", ALL)
def test_squares_that_vanish(estimator: Any) -> None:
    X = mixture(0)
    with pytest.raises(ValueError, match="squares of column 0 vanish, whose size is"):
        estimator(3, **TIGHT).fit(ZarrLike(X * 1e-200, (10, 3)))


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize(
    ("estimator", "option"),
    [
        (SKFR, {"winsorize": 4.0}),
        (SKFR, {"loss": "absolute"}),
        (SKFR, {"projection": "nonnegative"}),
        (SKFR, {"missing": "mm"}),
        (SKFR, {"refine": True}),
        (SparseKMeans, {"dissimilarity": "absolute"}),
    ],
)
def test_options_that_need_the_data_in_memory(estimator: Any, option: dict[str, Any], tmp_path: Path) -> None:
    given = as_kind(mixture(0), "npy", tmp_path)
    (name,) = option
    with pytest.raises(ValueError, match=f"{name}=.* needs the data in memory.*raise memory_limit"):
        estimator(3, **TIGHT, **option).fit(given)
    if name != "projection":
        estimator(3, **option, n_init=1).fit(given)


def test_bad_arguments_by_blocks(tmp_path: Path) -> None:
    given = as_kind(mixture(0), "npy", tmp_path)
    for model, text in (
        (SKFR(301, **TIGHT, standardize=True), "n_samples=300 .* must be at least n_clusters=301"),
        (SKFR(3, init="other", **TIGHT, standardize=True), "'init' parameter of"),
        (SKFR(3, init=np.zeros((2, 8)), **TIGHT, standardize=True), "init must be centres of shape"),
        (SKFR(3, init=[1, 2, 300], **TIGHT, standardize=True), "row numbers given as init"),
        (SKFR(3, ddof=2, **TIGHT, standardize=True), "'ddof' parameter of"),
    ):
        with pytest.raises(ValueError, match=text):
            model.fit(given)
    with pytest.raises(ValueError, match="sample_weight must have shape"):
        SKFR(3, **TIGHT, standardize=True).fit(given, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="rows of positive weight with an observed value"):
        KPod(3, memory_limit=1000).fit(ZarrLike(np.full((9, 3), np.nan), (3, 3)))
    model = SKFR(3, **TIGHT, standardize=True).fit(given)
    with pytest.raises(ValueError, match="X has 5 features, but SKFR is expecting 8"):
        model.predict(ZarrLike(np.zeros((4, 5)), (2, 2)))


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_completed_data_are_not_kept(tmp_path: Path) -> None:
    X = punch(mixture(0), 0)
    path = as_kind(X, "npy", tmp_path)
    model = KPod(3, **TIGHT).fit(path)
    for given in ((), (path,)):
        with pytest.raises(ValueError, match="impute X, or blocks of its rows"):
            model.impute(*given)
    model.set_params(memory_limit=None)
    assert np.isfinite(model.impute(X[:50])).all()
    np.testing.assert_array_equal(model.impute(path)[:50], model.impute(X[:50]))


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_rows_and_columns_without_values(tmp_path: Path) -> None:
    X = punch(mixture(0), 0)
    X[17], X[:, 6] = np.nan, np.nan
    init = np.arange(300) % 3
    expected = KPod(3, init=init).fit(X)
    model = KPod(3, init=init, memory_limit="40kB").fit(as_kind(X, "npy", tmp_path))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert np.isnan(model.cluster_centers_[:, 6]).all()
    assert model.labels_[17] == np.bincount(np.delete(model.labels_, 17)).argmax()


def write_parts(folder: Path, *parts: pd.DataFrame) -> Path:
    folder.mkdir()
    for number, part in enumerate(parts):
        part.to_parquet(folder / f"part{number}.parquet")
    return folder


def test_parquet_folders_that_do_not_fit_together(tmp_path: Path) -> None:
    whole = frame(mixture(0))
    first, second = whole[:150], whole[150:]
    for number, (other, error, text) in enumerate(
        (
            (
                second.astype({"gene3": "float32"}),
                ValueError,
                "'gene3' is float64 in .* and float32 in",
            ),
            (second.drop(columns="gene2"), ValueError, "column 'gene2' is in one only"),
            (second[second.columns[::-1]], ValueError, "columns are in another order"),
            (second.assign(gene1="a"), TypeError, r"part1.*not numbers: gene1 \("),
        )
    ):
        with pytest.raises(error, match=text):
            SKFR(3, standardize=True).fit(write_parts(tmp_path / str(number), first, other))


def test_parquet_files_missing_or_damaged(tmp_path: Path) -> None:
    whole = frame(mixture(0))
    folder = write_parts(tmp_path / "data", whole[:100], whole[100:200], whole[200:])
    reader = as_reader(folder)
    middle = folder / "part1.parquet"
    content = middle.read_bytes()
    middle.unlink()
    with pytest.raises(FileNotFoundError, match=r"part1\.parquet has gone"):
        SKFR(3, **TIGHT, standardize=True).fit(reader)
    middle.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"part1\.parquet is no readable Parquet file"):
        SKFR(3, **TIGHT, standardize=True).fit(folder)
    middle.write_bytes(content)
    collected: list[Any] = []
    schema = pa.Schema.from_pandas(whole)
    for part in sorted(folder.glob("*.parquet")):
        collected.append(pq.read_metadata(part))
        collected[-1].set_file_path(part.name)
    index = folder / "_metadata"
    pq.write_metadata(schema, index, collected)
    listing = index.read_bytes()
    footer = len(listing) - 8 - int.from_bytes(listing[-8:-4], "little")
    refused = 0
    for place in range(footer, footer + 64):  # pyarrow would end the process for some
        index.write_bytes(listing[:place] + bytes([listing[place] ^ 1]) + listing[place + 1 :])
        try:
            as_reader(folder)
        except ValueError as error:
            refused += "_metadata is no readable Parquet file" in str(error)
    assert refused > 20
    index.write_bytes(listing)
    assert SKFR(3, **TIGHT, standardize=True).fit(folder).labels_.shape == (300,)
    middle.unlink()
    with pytest.raises(FileNotFoundError, match=r"_metadata lists .*part1\.parquet, which is not there"):
        SKFR(3, **TIGHT, standardize=True).fit(folder)


def test_parquet_columns(tmp_path: Path) -> None:
    """Whole numbers, booleans, missing cells and an index, together with single precision."""
    X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [True, False, True, None], "c": np.float32([1, np.nan, 3, 4])})
    X["b"] = X["b"].astype("boolean")
    X.index = pd.Index([10, 20, 30, 40], name="sample")
    X.to_parquet(tmp_path / "x.parquet")
    reader: Any = as_reader(tmp_path / "x.parquet")
    assert reader.names == ["a", "b", "c"]
    ((_, block),) = reader.blocks()
    np.testing.assert_array_equal(block, [[1, 1, 1], [2, 0, np.nan], [3, 1, 3], [4, np.nan, 4]])
    assert block.dtype == np.float64
    X[["c"]].to_parquet(tmp_path / "c.parquet")
    assert as_reader(tmp_path / "c.parquet").dtype == np.float32  # type: ignore[union-attr]


def test_copy_on_write_map_keeps_its_changes(tmp_path: Path) -> None:
    path = as_kind(mixture(0), "npy", tmp_path)
    X = np.load(path, mmap_mode="c")
    X[:, 0] += 100
    before = np.array(X)
    SKFR(3, **TIGHT, standardize=True).fit(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("estimator", "kind"),
    [
        (SKFR, "memmap"),
        (KPod, "hdf5 in one"),
        (SparseKMeans, "npy"),
        *(pytest.param(one, "npy", marks=pytest.mark.thorough) for one in ALL if one is not SparseKMeans),
    ],
)
def test_memory_stays_within_the_limit(estimator: Any, kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 100))  # 4 MB
    X[:, :10] += 20 * rng.normal(size=(3, 10))[np.arange(len(X)) % 3]
    model = estimator(3, init=X[:3].copy(), max_iter=3, memory_limit="400kB")
    (tmp_path / "less").mkdir()
    model.fit(as_kind(X[:1000], kind, tmp_path / "less"))  # modules loaded at first use are not counted
    given = as_kind(X, kind, tmp_path)
    model.set_params(memory_limit="2MB")
    del X
    tracemalloc.start()
    model.fit(given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e6


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(("shape", "least"), [((150, 4), 2 * 150 * 17), ((30, 600), 40 * 4800)])
def test_least_memory_limit(estimator: Any, shape: tuple[int, int], least: int, tmp_path: Path) -> None:
    """Labels of all rows, or forty blocks of one row, take the most."""
    given = as_kind(mixture(0, *shape), "npy", tmp_path)
    options = {"init": np.arange(shape[0]) % 3, "max_iter": 5}
    for limit in (1, least - 1):
        with pytest.raises(ValueError, match=f"memory_limit=.* is too small .* at least {least} bytes"):
            estimator(3, memory_limit=limit, **options).fit(given)
    assert estimator(3, memory_limit=least, **options).fit(given).labels_.shape == shape[:1]


@pytest.mark.parametrize("estimator", ALL)
def test_prediction_keeps_the_memory_limit(estimator: Any, tmp_path: Path) -> None:
    X = mixture(0, 1000)
    path = as_kind(X, "npy", tmp_path)
    model = estimator(3, memory_limit="4MB", random_state=0, n_init=1).fit(X)
    whole = model.predict(path)
    model.set_params(memory_limit="40kB")
    sizes = [block.nbytes for _, block in model._validate_new(path).blocks()]
    assert max(sizes) <= 40_000 / 40
    assert np.array_equal(model.predict(path), whole)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ALL)
def test_an_entry_that_hides_its_column_is_told_by_blocks_too(method: Any, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(600, 12))
    X[123, 7] = 1e11
    np.save(tmp_path / "data.npy", X)
    model = method(3, memory_limit="25 kB", random_state=0, n_init=1, max_iter=2)
    with pytest.warns(PrecisionWarning, match=r"the entry 1e\+11 in column 7 lies so far") as caught:
        model.fit(tmp_path / "data.npy")
    assert [entry.message.row for entry in caught if entry.category is PrecisionWarning] == [None]
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("name", ["robin", "dkm++", "maximin"])
def test_deterministic_starts_run_on_the_sample(estimator: Any, name: str, tmp_path: Path) -> None:
    X = mixture(0)[:60]
    size = {"n_features_to_select": {"n_features_to_select": 0.5}, "l1_bound": {"l1_bound": None}}
    given = size.get(getattr(estimator, "_path_parameter", ""), {})  # the path goes on from other rows there
    expected = estimator(3, init=name, **given).fit(X)
    # The sample has all rows: at least 20 for each cluster.
    found = estimator(3, init=name, **given, **TIGHT).fit(as_kind(X, "npy", tmp_path))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
