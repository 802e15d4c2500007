"""Fits by blocks of files that are overwritten, cut off or replaced between two passes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pytest

from sparsek import SKFR, KPod, SparseKMeans
from sparsek.sources.files.checked import CheckedBlocks
from sparsek.sources.files.opening import as_reader
from tests.sources.blocks_data import ZarrLike, as_kind, frame, mixture

ALL = [SKFR, SparseKMeans, KPod]
TIGHT: dict[str, Any] = {"memory_limit": "21kB", "random_state": 0}
FILES = {
    "npy": "data.npy",
    "npy by column": "data.npy",
    "memmap": "data.npy",
    "hdf5": "data.h5",
    "hdf5 in one": "data.h5",
    "parquet": "data.parquet",
    "folder": "parts/part1.parquet",
}


def before_second_pass(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Make the second pass of the next fit begin with a change."""
    passes = iter(range(10**6))
    blocks = CheckedBlocks.blocks

    def changed(self: CheckedBlocks) -> Any:
        if next(passes) == 1:
            change()
        return blocks(self)

    monkeypatch.setattr(CheckedBlocks, "blocks", changed)


def overwrite(file: Path, at: int, content: bytes) -> None:
    """Change bytes of a file in place, and nothing else."""
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(content)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("estimator", ALL)
def test_overwritten(estimator: Any, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, file = as_kind(mixture(0), kind, tmp_path), tmp_path / FILES[kind]
    size = file.stat().st_size
    before_second_pass(monkeypatch, lambda: overwrite(file, size // 2, b"other numbers"))
    with pytest.raises(OSError, match=rf"{file.name}.* was changed .*time of modification.*start again when"):
        estimator(3, **TIGHT).fit(given)


@pytest.mark.parametrize("kind", FILES)
def test_cut_off(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, file = as_kind(mixture(0), kind, tmp_path), tmp_path / FILES[kind]
    before_second_pass(monkeypatch, lambda: os.truncate(file, 6000))
    with pytest.raises(
        OSError, match=rf"{file.name}.* was changed while it was read: its size was .* is 6000 by"
    ):
        SKFR(3, **({"standardize": True} | TIGHT)).fit(given)


@pytest.mark.parametrize("kind", ["npy", "npy by column"])
def test_cut_off_within_a_pass(kind: str, tmp_path: Path) -> None:
    path = as_kind(mixture(0), kind, tmp_path)
    reader: Any = as_reader(path)
    reader.block_rows = 10
    blocks = reader.blocks()
    next(blocks)
    os.truncate(path, 200)
    with pytest.raises(OSError, match="its size was 19328 bytes and is 200 bytes"):
        list(blocks)


def test_header_changed_in_the_same_tick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Size and time of modification are as they were; the checksum is not."""
    path = as_kind(mixture(0), "npy", tmp_path)
    times = path.stat()

    def change() -> None:
        overwrite(path, 200, b"other")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    before_second_pass(monkeypatch, change)
    with pytest.raises(OSError, match="changed while it was read: the checksum of its first and last bytes"):
        SKFR(3, **({"standardize": True} | TIGHT)).fit(path)


def test_replaced_by_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The opened file stays what it was; Parquet files are opened again for each pass."""
    path = as_kind(mixture(0), "npy", tmp_path)
    expected = SKFR(3, **({"standardize": True} | TIGHT)).fit(path).labels_
    np.save(tmp_path / "other.npy", mixture(1))
    before_second_pass(monkeypatch, lambda: (tmp_path / "other.npy").replace(path))
    np.testing.assert_array_equal(SKFR(3, **({"standardize": True} | TIGHT)).fit(path).labels_, expected)
    monkeypatch.undo()
    folder = Path(as_kind(mixture(0), "folder", tmp_path))
    frame(mixture(1)).to_parquet(tmp_path / "other.parquet")
    before_second_pass(monkeypatch, lambda: (tmp_path / "other.parquet").replace(folder / "part1.parquet"))
    with pytest.raises(OSError, match="its number in the file system was"):
        SKFR(3, **({"standardize": True} | TIGHT)).fit(folder)


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_chunk_rewritten(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X: Any = ZarrLike(mixture(0), (60, 3))
    folder = tmp_path / "store" / "a"
    folder.mkdir(parents=True)
    (folder / ("zarr.json" if version == 3 else ".zarray")).write_text("{}")
    (folder / "0.0").write_bytes(b"1234")
    X.path = "a"
    X.store = SimpleNamespace(**{"root" if version == 3 else "path": str(tmp_path / "store")})
    np.testing.assert_array_equal(
        SKFR(3, **({"standardize": True} | TIGHT)).fit(X).labels_,
        SKFR(3, **({"standardize": True} | TIGHT)).fit(ZarrLike(mixture(0), (60, 3))).labels_,
    )
    before_second_pass(monkeypatch, lambda: (folder / "0.0").write_bytes(b"123"))
    with pytest.raises(OSError, match=r"store/a was changed .* sizes and times of its files"):
        SKFR(3, **({"standardize": True} | TIGHT)).fit(X)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize(("estimator", "value"), [(SKFR, np.nan), (SparseKMeans, np.inf), (KPod, np.inf)])
def test_bad_values_that_appear_in_memory(
    estimator: Any, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = mixture(0)
    before_second_pass(monkeypatch, lambda: X.__setitem__((123, 4), value))
    with pytest.raises(ValueError, match="entry in row 123, column 4"):
        estimator(3, **TIGHT).fit(ZarrLike(X, (10, 3)))


def test_rows_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    X = ZarrLike(mixture(0), (10, 3))
    before_second_pass(monkeypatch, lambda: setattr(X, "_X", X._X[:55]))
    with pytest.raises(
        OSError, match=r"rows 48 to 55 .* cannot be read: an array of shape \(7, 8\) came instead"
    ):
        SKFR(3, **({"standardize": True} | TIGHT)).fit(X)


def test_open_hdf5_file_with_unwritten_data(tmp_path: Path) -> None:
    """h5py writes what it holds back when it needs room; that is no change."""
    X = mixture(0)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        found = SKFR(3, **({"standardize": True} | TIGHT)).fit(
            file.create_dataset("X", data=X, chunks=(7, 2))
        )
    np.testing.assert_array_equal(
        found.labels_, SKFR(3, **({"standardize": True} | TIGHT)).fit(ZarrLike(X, (10, 3))).labels_
    )


VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda X: X,
    "rows": lambda X: X[40:240],
    "columns": lambda X: X[:, 2:7],
    "every other row": lambda X: X[::2],
    "backwards": lambda X: X[::-1],
    "transposed": lambda X: X.T[:5].T,
}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize("name", VIEWS)
def test_parts_of_memory_maps(name: str, mode: Any, order: Any, tmp_path: Path) -> None:
    X, path = mixture(0), tmp_path / "x.npy"
    np.save(path, np.asarray(X, order=order))
    mapped = np.load(path, mmap_mode=mode)
    if mode != "r":
        mapped[:, 3] += 1
        X[:, 3] += 1
    part = VIEWS[name](mapped)
    reader: Any = as_reader(part)
    reader.block_rows = 37
    np.testing.assert_array_equal(
        np.concatenate([rows.copy() for _, rows in reader.blocks()]), VIEWS[name](X)
    )
    np.testing.assert_array_equal(reader.take(np.array([0, 3, 99])), VIEWS[name](X)[[0, 3, 99]])


def test_map_of_a_file_whose_name_another_has(tmp_path: Path) -> None:
    X, path = mixture(0), tmp_path / "x.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    for number in (1, 2):
        if number == 1:
            np.save(tmp_path / "other.npy", mixture(1))
            (tmp_path / "other.npy").replace(path)
        else:
            path.unlink()
        reader: Any = as_reader(mapped)
        np.testing.assert_array_equal(reader.take(np.arange(300)), X)


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.parametrize("estimator", ALL)
def test_fortran_order_file_that_fits_in_memory(estimator: Any, tmp_path: Path) -> None:
    X = mixture(0)
    path = as_kind(X, "npy by column", tmp_path)
    expected = estimator(3, random_state=0).fit(X)
    for given in (path, np.load(path, mmap_mode="r")):
        found = estimator(3, random_state=0).fit(given)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_array_equal(found.predict(given), expected.labels_)


CUT_OFF = """
import os, sys
import numpy as np
from sparsek import SKFR
from sparsek.sources.files.checked import CheckedBlocks

blocks, passes = CheckedBlocks.blocks, []

def changed(self):
    passes.append(None)
    if len(passes) == 2:
        os.truncate(path, 4096)
    return blocks(self)

CheckedBlocks.blocks = changed
for path in sys.argv[1:]:
    step = 2 if path.endswith("0.npy") else 1
    given = path if path.endswith("2.npy") else np.load(path, mmap_mode="r")[::step]
    passes.clear()
    try:
        SKFR(3, random_state=0, n_init=1, memory_limit="40kB").fit(given)
    except OSError as error:
        print(error)
"""


def test_cut_off_file_by_column_does_not_end_python(tmp_path: Path) -> None:
    """Every other row of a map, a whole map, and a path."""
    paths = [tmp_path / f"{number}.npy" for number in range(3)]
    for path in paths:
        np.save(path, np.asfortranarray(mixture(0, 1000)))
    command = [sys.executable, "-W", "ignore", "-c", CUT_OFF, *paths]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found
    assert found.stdout.count("changed while it was read: its size was 64128 bytes and is 4096 bytes") == 3
