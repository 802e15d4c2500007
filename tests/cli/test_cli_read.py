"""Reading the user's tables: formats, headers, identifiers, bad files."""

import datetime
import hashlib
import json
import re
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.cli import _read
from sparsek.cli._read import InputError, ReadOptions, read_table
from sparsek.inputs.suspects import LEAST_ROWS, hints, suspects
from tests.cli.cli_runner import error_of, run

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


def test_row_names_of_write_table_need_a_name(tmp_path: Path) -> None:
    text = 'a b\n"u" 1 2\n"v" 3 4\n'
    with pytest.raises(InputError, match=r"line 2 .*write.table makes them.* such as id, and use --id-col 1"):
        read_text(tmp_path, text, sep=" ")
    table = read_text(tmp_path, "id " + text, sep=" ", id_col="1")
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


def test_columns_of_npz_are_named_by_feature_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", X=np.eye(2), feature_names=["TP53", "BRCA1"])
    table = read_table(tmp_path / "x.npz", ReadOptions(drop=("TP53",)))
    assert list(table.frame.columns) == ["BRCA1"]


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], [1, 2], [["a", "b"]]])
def test_names_of_npz_that_do_not_fit_are_refused(tmp_path: Path, names: list[Any]) -> None:
    np.savez(tmp_path / "x.npz", X=np.eye(2), feature_names=names)
    with pytest.raises(InputError, match=r"feature_names of .* must be 2 texts, one for each column of 'X'"):
        read_table(tmp_path / "x.npz", ReadOptions(array="X"))


def test_the_id_column_has_its_name(tmp_path: Path) -> None:
    for name, column in (("bottle", "bottle"), ("", "1")):
        table = read_text(tmp_path, f"{name},a,b\nu,1,2\nv,2,3\n", sep=",", id_col=column)
        assert (table.id_name, table.ids) == (name, ["u", "v"])
    FRAME.set_index(pd.Index(["r", "s", "t"], name="row")).to_parquet(tmp_path / "x.parquet")
    assert read_table(tmp_path / "x.parquet", ReadOptions()).id_name == "row"
    assert read_text(tmp_path, "a,b\n1,2\n", sep=",").id_name == ""


def test_tables_of_write_csv2(tmp_path: Path) -> None:
    text = '"";"a";"b,c"\n"1,5";1,5;-2e-3\n"v";NA;0,1\n'
    table = read_text(tmp_path, text, sep=";", decimal=",", id_col="1")
    assert (table.ids, list(table.frame.columns)) == (["1,5", "v"], ["a", "b,c"])
    np.testing.assert_array_equal(table.frame, [[1.5, -0.002], [np.nan, 0.1]])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a;b\n1.5;2\n", {"sep": ";", "decimal": ","}, "line 2, column a: '1.5' is not a number"),
        ("a;b\n1.000,5;2\n", {"sep": ";", "decimal": ","}, "'1.000,5' is not a number"),
        ("1,5;2\n1;2\n", {"sep": ";", "decimal": ","}, "holds numbers only, no names; use --no-header"),
        ("a,b\n1,5\n", {"decimal": ","}, "--decimal ',' needs another separator of columns"),
        ("a,b\n1,5\n", {"decimal": ";"}, "--decimal must be a point or a comma; got ';'"),
    ],
)
def test_decimal_marks_that_do_not_fit(
    tmp_path: Path, text: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_text(tmp_path, text, **options)


def test_columns_counted_by_name_are_a_header(tmp_path: Path) -> None:
    assert list(read_text(tmp_path, "0,1\n5,6\n").frame.columns) == ["0", "1"]


def test_checksum(tmp_path: Path) -> None:
    table = read_text(tmp_path, "a\n1\n")
    assert table.sha256() == hashlib.sha256(b"a\n1\n").hexdigest()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "is empty; no data"),
        ("\n\n", {}, "is empty; no data"),
        ("a,b\n", {}, "no data"),
        ("a,b\n1,2\n4,5\n6,7,8,9\n", {}, "line 4 of .* has 4 cells, but line 1 has 2"),
        ("a;b\n1;2;3;4\n", {}, "use --sep ';'"),
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
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        read_table(tmp_path, ReadOptions())
    with pytest.raises(InputError, match="there is no file"):
        read_table(tmp_path / "none.csv", ReadOptions())
    for content, message in (
        (b"a\n\xff\xfe\x00\n", "line 2 of .* is not text in UTF-8"),
        ("name,a\ncaf\u00e9,1\n".encode("latin-1"), "line 2 of .* is not text in UTF-8"),
        (b"a\n1\x00\n", "line 2 of .* is not text in UTF-8"),
        ("a\n1\n".encode("utf-16"), "is text in UTF-16; save it as UTF-8"),
    ):
        (tmp_path / "x.csv").write_bytes(content)
        with pytest.raises(InputError, match=message):
            read_table(tmp_path / "x.csv", ReadOptions())


@pytest.mark.parametrize("name", ["x.csv.gz", "x.npz", "x.xlsx", "x.parquet"])
def test_damaged_files(tmp_path: Path, name: str) -> None:
    path = save(tmp_path / name)
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    messages = set()
    for content in (whole[:-9], whole[: len(whole) // 2], whole[:3], bytes(damaged), b""):
        path.write_bytes(content)
        try:
            table = read_table(path, ReadOptions())
        except InputError as error:
            messages.add(str(error).partition(":")[0])
        else:  # a byte without meaning, or one that no checksum covers
            assert content == bytes(damaged)
            assert table.frame.shape == FRAME.shape
    assert messages <= {f"cannot read {path}", f"{path} is empty; no data"}


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
    path = save(tmp_path / "x.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"sparsek\[files\]"):
        read_table(path, ReadOptions())


def test_constraints_need_different_ids(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("u,v,must\n")
    with pytest.raises(InputError, match="1 repeats"):
        _read.read_constraints(path, ["u", "v", "u"])
    path.write_text("")
    with pytest.raises(InputError, match="is empty; it must have lines id,id,must or id,id,cannot"):
        _read.read_constraints(path, ["u"])


def test_constraints_have_three_cells_in_every_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text('u, "v",must\n\nNA,u,cannot\n')
    links = _read.read_constraints(path, ["u", "v", "NA"])
    assert {name: pairs.tolist() for name, pairs in links.items()} == {
        "must_link": [[0, 1]],
        "cannot_link": [[2, 0]],
    }
    path.write_text("u,v,must\n\nu,v\n")
    with pytest.raises(InputError, match=r"line 3 of .* must have 3 cells"):
        _read.read_constraints(path, ["u", "v"])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b,c\n1,10,100,\n2,20,200,\n", {}, "line 2 of .* has 4 cells, but line 1 has 3; .* at its end"),
        ("a,b,c\n1,2,3\n1,10,100,\n", {}, "line 3 of .* there is a separator too many at its end"),
        ("a,b\nu,1,2\nv,3,4\n", {}, "line 2 of .* if the first cells are row names"),
        ("a,b\n1,2\n3\n", {}, "line 3 of .* has 1 cells, but line 1 has 2; every line"),
        ("1,2\n3,4,5\n", {"header": False}, "line 2 of .* has 3 cells, but line 1 has 2; every line"),
        ("# made by R\na,b\n1,2\n", {}, "lines of comments are not understood: delete them"),
        ("a,b\n1,2\n# the end\n", {}, "line 3 of .* lines of comments"),
        ("a,b,a\n1,2,3\n", {}, "columns 1 and 3 of .* are both named 'a'; names must differ"),
        (",a,b\n0,1,2\n", {}, "column 1 of .* has no name; if it identifies the rows use --id-col 1, or"),
        ("a,b,\n1,2,\n", {}, "column 3 of .* has no name; .* --drop 3"),
        ('a\n"1,234"\n', {}, "line 2, column a: '1,234' is not a number; a decimal point must be a point"),
        ("a;b\n1,500;2\n", {"sep": ";"}, "line 2, column a: '1,500' is not a number; a decimal point"),
        ("a,b\n1_000,2\n", {}, "'1_000' is not a number; a decimal point"),
        ("a,b\n1,2\nTrue,0\n", {}, "line 3, column a: 'True' is not a number; write 1 and 0"),
        ("a,b\n1,2020-01-01\n", {}, "line 2, column b: '2020-01-01' is not a number"),
        ("a,b\n1,\u0661\n", {}, "line 2, column b: .* is not a number"),
        ("a,b\n1,0x10\n", {}, "line 2, column b: '0x10' is not a number"),
        ('a,b\n1,"2\n3,4\n', {}, "line 2 of .* cannot be read: unexpected end of data; quotes"),
        ('a,b\n1,"2"x\n', {}, "line 2 of .* cannot be read: .* quotes around a cell must end with it"),
        ("a\n1\n\n3\n", {}, "line 3 of .* is blank, which may be a missing value or nothing"),
        ("a,b\n1,2\n", {"sep": "ab"}, "--sep takes a single character"),
    ],
)
def test_nothing_is_guessed(tmp_path: Path, text: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_text(tmp_path, text, **options)


def test_the_line_of_a_cell_is_found_after_blank_lines_and_long_cells(tmp_path: Path) -> None:
    text = 'id,a\n\n"u\nv",1\n\nw,x\n'
    with pytest.raises(InputError, match="line 6, column a: 'x' is not a number"):
        read_text(tmp_path, text, id_col="id")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a,b\r\n1,2\r\n3,\r\n", {}),
        ("a,b\r1,2\r3,\r", {}),
        ("\ufeffa,b\n1,2\n3,\n", {}),
        ("\n a , b \n 1 ,2\n\n3, NA\n\n\n", {}),
        ('"a","b"\n"1", "2"\n"3",""\n', {}),
        ("a\tb\n1\t2\n3\t\n", {"sep": "\\t"}),
        ("  a   b\n1.0 2e0\t\n +3  nan\n", {"sep": "\\s+"}),
        ("a|b\n1|2\n3|#N/A\n", {"sep": "|"}),
    ],
)
def test_what_is_not_ambiguous_is_read(tmp_path: Path, text: str, options: dict[str, object]) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    table = read_table(path, ReadOptions(**options))  # type: ignore[arg-type]
    assert list(table.frame.columns) == ["a", "b"]
    expected = np.array([[1, 2], [3, np.nan]])
    assert np.array_equal(table.frame.to_numpy(), expected, equal_nan=True)


def test_a_long_column_has_one_type(tmp_path: Path) -> None:
    rows = ["1"] * 200_000 + ["x"]
    with pytest.raises(InputError, match="line 200002, column a: 'x' is not a number"):
        read_text(tmp_path, "a\n" + "\n".join(rows))


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), min_size=2, max_size=2),
        min_size=1,
        max_size=9,
    )
)
def test_numbers_come_back_bit_for_bit(rows: list[list[float | None]]) -> None:
    text = "".join(",".join("NA" if x is None else repr(x) for x in row) + "\n" for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        table = read_text(Path(folder), text, header=False)
    expected = np.array([[np.nan if x is None else x for x in row] for row in rows])
    assert table.frame.to_numpy().tobytes() == expected.tobytes()


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60), st.sampled_from([",", ";", " ", "\t"]), st.booleans())
def test_any_text_is_read_or_refused(text: str, sep: str, header: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, suppress(InputError):
        path = Path(folder) / "x.csv"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        table = read_table(path, ReadOptions(header=header, sep=sep))
        assert table.frame.to_numpy().dtype == np.float64
        assert len(table.ids) == len(table.frame) > 0


def test_missing_ids_stay_empty(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["u", None, "NA"], "a": [1.0, 2, 3]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    for name in ("x.csv", "x.parquet", "x.xlsx"):
        assert read_table(tmp_path / name, ReadOptions(id_col="id")).ids == ["u", "", "NA"], name
    numbered = pd.DataFrame({"id": pd.array([7, None], dtype="Int64"), "a": [1.0, 2]})
    numbered.to_parquet(tmp_path / "y.parquet")
    assert read_table(tmp_path / "y.parquet", ReadOptions(id_col="id")).ids == ["7", ""]


@pytest.mark.parametrize(
    "kind", ["datetime64[ns]", "timedelta64[ns]", "string", "category", "datetime64[ns, UTC]"]
)
def test_typed_columns_that_are_not_numbers_are_named(tmp_path: Path, kind: str) -> None:
    values = pd.Series([1, 2]).astype("str" if kind == "category" else "int64").astype(kind)
    pd.DataFrame({"a": [1.0, 2], "when": values}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="columns that are not numbers: when; name"):
        read_table(tmp_path / "x.parquet", ReadOptions())


@pytest.mark.parametrize("kind", ["Int64", "Float64", "boolean", "bool", "uint8", "float32"])
def test_typed_columns_of_numbers_are_read(tmp_path: Path, kind: str) -> None:
    values = (
        pd.array([1, 0], dtype=kind)
        if kind[0].isupper()
        else np.array([1, 0]).astype(kind.replace("ean", ""))
    )
    pd.DataFrame({"a": values}).to_parquet(tmp_path / "x.parquet")
    table = read_table(tmp_path / "x.parquet", ReadOptions())
    assert table.frame.to_numpy().tolist() == [[1.0], [0.0]]
    if kind[0].isupper():
        pd.DataFrame({"a": pd.array([1, None], dtype=kind)}).to_parquet(tmp_path / "x.parquet")
        assert np.isnan(read_table(tmp_path / "x.parquet", ReadOptions()).frame.iloc[1, 0])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (datetime.datetime(2020, 1, 2), "row 3, column b: '2020-01-02 00:00:00' is not a number"),
        (datetime.time(1, 2), "row 3, column b: '01:02:00' is not a number"),
        (True, "row 3, column b: 'True' is not a number; write 1 and 0"),
        ("x", "row 3, column b: 'x' is not a number"),
    ],
)
def test_cells_of_a_sheet_are_numbers(tmp_path: Path, cell: object, message: str) -> None:
    pd.DataFrame({"a": [1, 2], "b": [1.5, cell]}, dtype=object).to_excel(tmp_path / "x.xlsx", index=False)
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "x.xlsx", ReadOptions())


def test_a_sheet_with_an_index_or_repeated_names_is_refused(tmp_path: Path) -> None:
    FRAME.to_excel(tmp_path / "x.xlsx")
    with pytest.raises(InputError, match=r"column 1 of .* has no name"):
        read_table(tmp_path / "x.xlsx", ReadOptions())
    assert read_table(tmp_path / "x.xlsx", ReadOptions(id_col="1")).ids == ["0", "1", "2"]
    FRAME.set_axis(["a", "a"], axis=1).to_excel(tmp_path / "x.xlsx", index=False)
    with pytest.raises(InputError, match="both named 'a'"):
        read_table(tmp_path / "x.xlsx", ReadOptions())


def bottles(folder: Path) -> Path:
    """A table with a row counter and a class beside two measurements."""
    rng, file = np.random.default_rng(0), folder / "bottles.csv"
    kind = np.repeat([0, 1], 15)
    frame = pd.DataFrame({"acid": rng.normal(size=30) + 5 * kind, "hue": rng.normal(size=30), "target": kind})
    frame.rename_axis("bottle").to_csv(file)
    return file


def test_ids_and_classes_stop_the_run(tmp_path: Path) -> None:
    file = bottles(tmp_path)
    for command in (["fit", file, "--k", 2], ["tune", file, "--k", 2, "--select", "1:2"]):
        line = error_of(*command, "--out", tmp_path / "out")
        assert "column bottle looks like an identifier: it counts the rows" in line
        assert "column target looks like a class: by its name, and it has 2 whole numbers" in line
        assert "use --id-col bottle, --drop target, --truth target to compare with it, or --keep" in line
    tested = error_of("test", file, "--k", 2, "--out", tmp_path / "out")
    assert "column bottle looks like an identifier: it counts the rows" in tested
    assert "use --id-col bottle, --drop target, or --keep" in tested  # it has no --truth
    assert not (tmp_path / "out").exists()
    assert "column target" in error_of("fit", file, "--k", 2, "--keep", "bottle")
    assert "no column 'vintage'" in error_of("fit", file, "--k", 2, "--keep", "vintage")
    run("fit", file, "--k", 2, "--select", 1, "--keep", "bottle,target", "--json")
    run("fit", file, "--k", 2, "--select", 1, "--id-col", "bottle", "--drop", "target", "--json")


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        ({"a": np.arange(5, 35), "b": np.linspace(0, 1, 30)}, ["id"]),
        ({"b": np.linspace(0, 1, 30), "a": np.arange(30)}, []),
        ({"b": np.linspace(0, 1, 30), "Unnamed: 0": np.arange(30)[::-1]}, ["id"]),
        ({"b": np.linspace(0, 1, 30), "Patient ID": np.arange(30) * 7}, ["id"]),
        ({"Species": np.arange(30) % 3, "b": np.arange(30) % 3}, ["class"]),
        ({"class": np.zeros(30), "y": np.arange(30)[::-1] * 1.5}, []),
        ({"class": [*([np.nan] * 15), *([1.0] * 15)]}, []),
    ],
)
def test_what_looks_like_an_id_or_a_class(columns: dict[str, Any], kinds: list[str]) -> None:
    frame = pd.DataFrame(columns)
    assert [one.kind for one in suspects(frame)] == kinds
    assert suspects(frame.head(5)) == []


MEASURED = {"a": np.linspace(0, 1, 30), "b": np.linspace(0, 2, 30) ** 2, "c": np.linspace(1, 2, 30)}


@pytest.mark.parametrize(
    ("columns", "kept", "expected"),
    [
        (
            {"d": np.ones(30)},
            (),
            ["column d holds one value in all rows, and tells no clusters apart: --drop d"],
        ),
        ({"d": np.ones(30)}, ("d",), []),
        ({"d": np.full(30, 0.5)}, (), ["column d holds one value in all rows"]),
        ({"d": np.full(30, np.nan)}, (), []),
        (
            {"code": np.arange(30)[::-1]},
            (),
            ["column code holds another whole number in every row, as an id"],
        ),
        (
            {"grade": np.arange(30) % 3},
            (),
            ["column grade holds few different whole numbers, as a class does"],
        ),
        ({"grade": np.arange(30) % 3, "dose": np.arange(30) % 4}, ("dose",), ["column grade holds few"]),
        (
            {"grade": np.arange(30) % 3, "dose": np.arange(30) % 4},
            (),
            ["each of the columns grade, dose holds few different whole numbers"],
        ),
        ({"count": np.arange(30) % 25}, (), []),
        ({f"n{j}": np.arange(30) % 5 for j in range(4)}, (), []),  # a table of counts
        (
            {f"n{j}": np.ones(30) for j in range(12)},
            (),
            ["each of the columns n0, n1, n2, n3, n4, n5, n6, n7, n8"],
        ),
    ],
)
def test_what_is_said_of_columns_by_their_values(
    columns: dict[str, Any], kept: tuple[str, ...], expected: list[str]
) -> None:
    frame = pd.DataFrame({**MEASURED, **columns})
    found = hints(frame, kept)
    assert len(found) == len(expected)
    assert all(text.startswith(start) for text, start in zip(found, expected, strict=True))
    assert hints(frame.head(LEAST_ROWS - 1), kept) == []


@given(st.integers(LEAST_ROWS, 40), st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_kept_columns_are_never_named(n: int, moduli: list[int]) -> None:
    frame = pd.DataFrame({f"x{j}": np.arange(n) % m for j, m in enumerate(moduli)} | {"y0": np.arange(n) / 7})
    assert hints(frame, list(frame.columns)) == []


def test_the_command_says_what_it_knows_of_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd")).assign(grade=np.arange(30) % 3)
    frame.to_csv(tmp_path / "x.csv", index=False)
    fit = [
        "fit",
        tmp_path / "x.csv",
        "--k",
        2,
        "--select",
        2,
        "--no-plots",
        "--force",
        "--out",
        tmp_path / "out",
    ]
    said = run(*fit).output
    text = "column grade holds few different whole numbers, as a class does: --drop grade leaves it out"
    assert f"sparsek: warning: {text}" in said
    assert text in json.loads((tmp_path / "out" / "result.json").read_text())["warnings"][0]
    assert "column grade" not in run(*fit, "--keep", "grade").output
