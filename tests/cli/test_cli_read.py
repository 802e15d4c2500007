"""Reading the user's tables: formats, headers, identifiers, bad files."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sparsek.cli import _read
from sparsek.cli._read import InputError, ReadOptions, read_table

FRAME = pd.DataFrame({"a": [0.1, 2.0, 1 / 3], "b": [4.0, np.nan, -6e-300]})


def save(path: Path) -> Path:
    """Write the frame in the format that its file name implies."""
    writers = {
        ".csv": lambda: FRAME.to_csv(path, index=False),
        ".gz": lambda: FRAME.to_csv(path, index=False),
        ".tsv": lambda: FRAME.to_csv(path, index=False, sep="\t"),
        ".parquet": lambda: FRAME.to_parquet(path),
        ".xlsx": lambda: FRAME.to_excel(path, index=False),
        ".npz": lambda: np.savez(path, X=FRAME.to_numpy(), y=np.arange(3)),
    }
    writers[path.suffix]()
    return path


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv", "x.parquet", "x.xlsx", "x.npz", "X.CSV"])
def test_every_format_gives_the_same_bits(tmp_path: Path, name: str) -> None:
    path = save(tmp_path / name.lower()).rename(tmp_path / name)
    table = read_table(path, ReadOptions())
    assert np.array_equal(table.frame.to_numpy(), FRAME.to_numpy(), equal_nan=True)
    assert list(table.frame.columns) == (["x1", "x2"] if name.endswith("npz") else ["a", "b"])
    assert table.ids == ["1", "2", "3"]


@pytest.mark.parametrize("name", ["x.csv", "x.xlsx"])
def test_without_a_header(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    FRAME.to_csv(path, index=False, header=False) if name == "x.csv" else FRAME.to_excel(
        path, index=False, header=False
    )
    table = read_table(path, ReadOptions(header=False))
    assert np.array_equal(table.frame.to_numpy(), FRAME.to_numpy(), equal_nan=True)
    assert list(table.frame.columns) == ["x1", "x2"]
    named = read_table(path, ReadOptions(header=False, id_col="1"))
    assert list(named.frame.columns) == ["x2"]
    if name == "x.csv":
        assert named.ids == ["0.1", "2.0", "0.3333333333333333"]


def read_text(tmp_path: Path, text: str, **options: object) -> _read.Table:
    """The table read from a csv file with this text."""
    path = tmp_path / "x.csv"
    path.write_text(text)
    return read_table(path, ReadOptions(**options))  # type: ignore[arg-type]


def test_identifiers_stay_word_for_word(tmp_path: Path) -> None:
    table = read_text(tmp_path, "id,a\n007,1\n1e3,2\n", id_col="id")
    assert table.ids == ["007", "1e3"]
    assert list(table.frame.columns) == ["a"]


def test_row_names_of_write_table(tmp_path: Path) -> None:
    table = read_text(tmp_path, 'a b\n"u" 1 2\n"v" 3 4\n', sep=" ")
    assert table.ids == ["u", "v"]
    assert table.frame.to_numpy().tolist() == [[1, 2], [3, 4]]


def test_row_names_of_write_csv(tmp_path: Path) -> None:
    table = read_text(tmp_path, '"","a"\n"u",1\n"v",NA\n', id_col="1")
    assert table.ids == ["u", "v"]
    assert np.isnan(table.frame.iloc[1, 0])


def test_columns_are_left_out_by_name_or_number(tmp_path: Path) -> None:
    table = read_text(tmp_path, "id,a,class,b\nu,1,x,2\n", id_col="1", drop=("class", "4"))
    assert list(table.frame.columns) == ["a"]


def test_other_separators_sheets_and_arrays(tmp_path: Path) -> None:
    assert read_text(tmp_path, "a;b\n1;2\n", sep=";").frame.shape == (1, 2)
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        FRAME.to_excel(book, sheet_name="one", index=False)
        FRAME.iloc[:2].to_excel(book, sheet_name="two", index=False)
    assert len(read_table(tmp_path / "x.xlsx", ReadOptions(sheet="two")).frame) == 2
    np.savez(tmp_path / "x.npz", X=np.eye(2), Z=np.eye(3, dtype=int))
    assert read_table(tmp_path / "x.npz", ReadOptions(array="Z")).frame.shape == (3, 3)


def test_columns_counted_by_name_are_a_header(tmp_path: Path) -> None:
    assert list(read_text(tmp_path, "0,1\n5,6\n").frame.columns) == ["0", "1"]


def test_checksum(tmp_path: Path) -> None:
    table = read_text(tmp_path, "a\n1\n")
    assert table.sha256() == hashlib.sha256(b"a\n1\n").hexdigest()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "cannot read .*No columns"),
        ("a,b\n", {}, "no data"),
        ("a,b\n1,2,3\n4,5\n6,7,8,9\n", {}, "cannot read .* line 4"),
        ("a;b\n1;2\n", {}, "use --sep ';'"),
        ("1.5,2\n3,4\n", {}, "use --no-header"),
        ("a,b\n1,x\n", {}, "not numbers: b"),
        ("a,b,c,d,e,f\nu,v,w,x,y,z\n", {}, "not numbers: a, b, c, d, e, ...;"),
        ("a,b\n1,2\n", {"id_col": "0"}, "no column '0'"),
        ("a\n1\n", {"id_col": "a"}, "0 columns of numbers"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_text(tmp_path, text, **options)


def test_bad_files(tmp_path: Path) -> None:
    for name in ("x.parquet", "x.xlsx", "x.npz"):
        (tmp_path / name).write_text("not that")
        with pytest.raises(InputError, match="cannot read"):
            read_table(tmp_path / name, ReadOptions())
    (tmp_path / "x.doc").write_text("a")
    with pytest.raises(InputError, match="no known format: csv, tsv"):
        read_table(tmp_path / "x.doc", ReadOptions())
    with pytest.raises(InputError, match="there is no file"):
        read_table(tmp_path, ReadOptions())
    (tmp_path / "x.csv").write_bytes(b"a\n\xff\xfe\x00\n")
    with pytest.raises(InputError, match="cannot read"):
        read_table(tmp_path / "x.csv", ReadOptions())


@pytest.mark.parametrize(
    ("arrays", "name", "message"),
    [
        ({"y": np.arange(3)}, None, "0 matrices"),
        ({"X": np.eye(2), "Z": np.eye(2)}, None, "2 matrices .* name one by --array"),
        ({"X": np.eye(2)}, "Z", "no array 'Z'; it has X"),
        ({"X": np.eye(2), "y": np.arange(3)}, "y", "must be a matrix of numbers"),
        ({"X": np.array([["a"]])}, None, "must be a matrix of numbers"),
        ({"X": np.array([[None]], dtype=object)}, None, "cannot read"),
    ],
)
def test_bad_archives(tmp_path: Path, arrays: dict[str, np.ndarray], name: str | None, message: str) -> None:
    np.savez(tmp_path / "x.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "x.npz", ReadOptions(array=name))


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ImportError("no engine")

    path = save(tmp_path / "x.xlsx")
    monkeypatch.setattr(pd, "read_excel", refuse)
    with pytest.raises(InputError, match=r"sparsek\[files\]"):
        read_table(path, ReadOptions())


def test_constraints_need_different_ids(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("u,v,must\n")
    with pytest.raises(InputError, match="1 repeats"):
        _read.read_constraints(path, ["u", "v", "u"])
    path.write_text("")
    with pytest.raises(InputError, match="cannot read"):
        _read.read_constraints(path, ["u"])
