"""Files and folders from strangers: limits, cells without values, links, markup."""

import errno
import gzip
import html
import json
import os
import zipfile
from collections.abc import Callable
from copy import deepcopy
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from sparsek import _limits
from sparsek._limits import SizeError
from sparsek.cli import _text, _write
from sparsek.cli._cells import InputError, ReadOptions
from sparsek.cli._folder import FORM
from sparsek.cli._formats import h5ad, sheets
from sparsek.cli._formats.h5ad import check_h5ad
from sparsek.cli._page import PICTURES, PNG, as_page
from sparsek.cli._read import read_table
from tests.cli.cli_runner import a_result, error_of, make_frame, run

MARK = "<script>alert(1)</script>"


def quick_fit(folder: Path) -> list[object]:
    """A fit of x.csv with results in a folder."""
    options = ["--k", 3, "--select", 3, "--id-col", "id", "--n-init", 1, "--out", folder / "out"]
    return ["fit", folder / "x.csv", *options]


def sheet(path: Path, *rows: list[Any]) -> Path:
    """An Excel file of these rows, as a program writes it: formulas have no values."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("=A2+1", "cell B3 of sheet 'Sheet' holds a formula without a value, as programs write it; open"),
        ("#DIV/0!", "cell B3 of sheet 'Sheet' holds the error #DIV/0!; correct it, or write NA"),
        ("#REF!", "holds the error #REF!"),
    ],
)
def test_cells_without_a_value_are_named(tmp_path: Path, cell: str, message: str) -> None:
    path = sheet(tmp_path / "x.xlsx", ["a", "b"], [1, None], [2, cell], [3, 5.5])
    with pytest.raises(InputError, match=message.replace("+", "\\+")):
        read_table(path, ReadOptions())
    with pytest.raises(InputError, match="cell B3"):
        read_table(path, ReadOptions(id_col="b"))
    assert read_table(path, ReadOptions(drop=("b",))).frame["a"].tolist() == [1, 2, 3]
    with pytest.raises(InputError, match="cell B1"):
        read_table(sheet(path, ["a", cell], [1, 2]), ReadOptions())


def test_values_of_formulas_and_missing_ones_are_read(tmp_path: Path) -> None:
    path = sheet(tmp_path / "x.xlsx", ["a", "b", None], [1, None], [2, "=A2+1"], [3, "#N/A"], [None])
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    table = "xl/worksheets/sheet1.xml"
    parts[table] = parts[table].replace(b"<f>A2+1</f><v></v>", b"<f>A2+1</f><v>2.5</v>")
    parts[table] = parts[table].replace(b"<f>A2+1</f><v />", b"<f>A2+1</f><v>2.5</v>")
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    np.testing.assert_array_equal(read_table(path, ReadOptions()).frame, [[1, np.nan], [2, 2.5], [3, np.nan]])
    with pytest.raises(InputError, match=r"has no sheet 'two'; it has Sheet"):
        read_table(path, ReadOptions(sheet="two"))


@pytest.mark.parametrize("cell", ["\x0b1", "1\x0c", "\x1c1", "1\x1f", "NAN", "+nan", "1_0"])
def test_other_white_space_and_spellings_are_no_numbers(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "x.csv"
    for others in ("2", "NA"):
        path.write_text(f"a,b\n1,2\n{cell},{others}\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"line 3, column a: .* is not a number"):
            read_table(path, ReadOptions())


def test_the_column_of_classes_is_named_by_one_option(tmp_path: Path) -> None:
    make_frame().assign(kind=["u", "v"] * 15).to_csv(tmp_path / "x.csv")
    fit = ["fit", tmp_path / "x.csv", "--k", 2]
    line = error_of(*fit, "--id-col", "kind", "--truth", 8)
    assert "--truth and --id-col both name column 'kind'" in line
    line = error_of(*fit, "--drop", "id,kind", "--truth", "kind")
    assert "--truth and --drop both name column 'kind'" in line


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of 10 kB and 10 times the file, and lines of 100 characters."""
    monkeypatch.setattr(_limits, "FREE_BYTES", 10_000)
    monkeypatch.setattr(_limits, "RATIO", 10)
    monkeypatch.setattr(_text, "LONGEST_LINE", 100)


def of_gz(path: Path) -> None:
    path.write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * 10_000))


def of_npz(path: Path) -> None:
    np.savez_compressed(path, X=np.zeros((1000, 10)))


def of_parquet(path: Path) -> None:
    pd.DataFrame(np.zeros((5000, 10)), columns=list("abcdefghij")).to_parquet(path)


def of_xlsx(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", bytes(100_000))


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    ("name", "write"),
    [("x.csv.gz", of_gz), ("x.npz", of_npz), ("x.parquet", of_parquet), ("x.xlsx", of_xlsx)],
)
def test_small_files_that_unpack_to_much_are_refused(tmp_path: Path, name: str, write: Any) -> None:
    path = tmp_path / name
    write(path)
    with pytest.raises(SizeError, match=r"unpacks to \d+ or more; the limit is \d+, .* unpack it yourself"):
        read_table(path, ReadOptions())


SHEET = "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>{}</sheetData></worksheet>"


def far_cells(path: Path, content: str, before: str = "") -> Path:
    """An Excel file with this content of its sheet."""
    sheet(path, ["a", "b"], [1, 2])
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts["xl/worksheets/sheet1.xml"] = (before + SHEET.format(content)).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in parts.items():
            book.writestr(name, part)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "".join(f"<row r='{i}'><c r='XFD{i}'><v>2</v></c></row>" for i in range(1, 3000)),
        "<row r='1'><c r='XFD1'><v>2</v></c></row><row r='90000'><c r='A90000'><v>1</v></c></row>",
    ],
)
def test_empty_cells_of_a_sheet_count(tmp_path: Path, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few cells far from the first one make a table of all between them."""
    path = far_cells(tmp_path / "x.xlsx", content)
    monkeypatch.setattr(_limits, "FREE_BYTES", 10_000_000)
    with pytest.raises(SizeError, match=r"the sheet, empty cells with it, unpacks to .* unpack it yourself"):
        read_table(path, ReadOptions())


def test_a_row_that_no_sheet_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = far_cells(tmp_path / "x.xlsx", "<row r='99999999999'><c><v>1</v></c></row>")
    monkeypatch.setattr(sheets, "MOST_ROWS", 1000)
    with pytest.raises(InputError, match=r"a row beyond 1000, the last of a sheet; write it as csv"):
        read_table(path, ReadOptions())


@pytest.mark.parametrize(
    "entity",
    [
        "<!ENTITY a 'lol'>" + "".join(f"<!ENTITY {b} '{f'&{a};' * 20}'>" for a, b in pairwise("abcdefghi")),
        "<!ENTITY i SYSTEM 'file:///etc/passwd'>",
    ],
)
def test_entities_of_a_sheet_neither_grow_nor_read_files(tmp_path: Path, entity: str) -> None:
    content = "<row r='1'><c r='A1' t='inlineStr'><is><t>&i;</t></is></c></row>"
    path = far_cells(tmp_path / "x.xlsx", content, f"<!DOCTYPE worksheet [{entity}]>")
    with pytest.raises(InputError, match=r"cannot read .*(amplification|undefined entity)"):
        read_table(path, ReadOptions())


def repeated(n: int) -> Any:
    """An Arrow array of one long text, n times, as Parquet holds it: once."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    places = pyarrow.array(np.zeros(n, dtype=np.int32))
    return pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(["x" * 10_000]))


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("kind", ["texts", "lists of texts", "records", "lists of numbers", "plain", "wide"])
def test_what_parquet_holds_once_counts_as_often_as_it_occurs(tmp_path: Path, kind: str) -> None:
    texts = repeated(100)
    import pyarrow
    from pyarrow import parquet

    n = 100
    columns: dict[str, Callable[[], Any]] = {
        "texts": lambda: texts,
        "lists of texts": lambda: pyarrow.ListArray.from_arrays(range(n + 1), texts),
        "records": lambda: pyarrow.StructArray.from_arrays([texts], ["t"]),
        "lists of numbers": lambda: pyarrow.ListArray.from_arrays([0] * n + [9000], np.zeros(9000)),
        "plain": lambda: pyarrow.array([str(i) + "x" * 5000 for i in range(n)]),
        "wide": lambda: pyarrow.array([b"x" * 5000] * n, type=pyarrow.binary(5000)),
    }
    table = pyarrow.table({"id": columns[kind](), "a": np.arange(n) / 2})
    parquet.write_table(table, tmp_path / "x.parquet", compression="zstd")
    with pytest.raises(SizeError, match=r"its table unpacks to \d+ or more"):
        read_table(tmp_path / "x.parquet", ReadOptions(drop=("id",)))


@pytest.mark.parametrize("ids", [["u", None, "v"], [["u"], [], ["v", "w"]]])
def test_sizes_of_parquet_that_do_not_fit_together_do_not_end_the_process(
    tmp_path: Path, ids: list[Any]
) -> None:
    path = tmp_path / "x.parquet"
    pd.DataFrame({"a": [1.0, 2, 3], "id": ids}).to_parquet(path)
    whole = path.read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    refused = 0
    for place in range(footer, footer + 64):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            read_table(path, ReadOptions(drop=("id",)))
        except InputError:
            refused += 1
    assert refused > 20


def test_ids_of_parquet_below_the_limit_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["u", None, "v"], "a": [1.0, 2, 3], "b": pd.Categorical(["x", "y", "x"])})
    frame.to_parquet(tmp_path / "x.parquet")
    found = read_table(tmp_path / "x.parquet", ReadOptions(id_col="id", drop=("b",)))
    assert found.ids == ["u", "", "v"]
    assert found.frame["a"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("way", ["link", "raw bytes", "virtual"])
def test_files_of_cells_read_no_other_file(tmp_path: Path, way: str) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    private = cells_file(tmp_path / "private.h5", 40, 3, packed=False)
    with h5py.File(cells_file(tmp_path / "x.h5ad", 40, 3, packed=False), "a") as file:
        del file["X"]
        file.create_group("layers")
        if way == "link":
            file["layers/X"] = h5py.ExternalLink(str(private), "X")
        elif way == "raw bytes":
            whole = [(str(private), 0, h5py.h5f.UNLIMITED)]
            file.create_dataset("layers/X", (40, 3), "f8", external=whole)
        else:
            layout = h5py.VirtualLayout((40, 3), "f8")
            layout[:] = h5py.VirtualSource(str(private), "X", (40, 3))
            file.create_virtual_dataset("layers/X", layout)
    with pytest.raises(InputError, match=r"layers/X of .*x\.h5ad lies in another file, .* into one file"):
        check_h5ad(tmp_path / "x.h5ad")


def cells_file(path: Path, n: int, p: int, packed: bool) -> Path:
    """An AnnData file of zeros, as far as its size is asked for."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=np.zeros((n, p)), compression="gzip" if packed else None)
        for part, size in (("obs", n), ("var", p)):
            names = file.create_group(part)
            names["names"], names.attrs["_index"] = np.arange(size), "names"
    return path


def test_files_of_cells_that_unpack_to_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_h5ad(cells_file(tmp_path / "x.h5ad", 400, 100, packed=True))
    monkeypatch.setattr(_limits, "FREE_BYTES", 10_000)
    monkeypatch.setattr(_limits, "RATIO", 10)
    with pytest.raises(SizeError, match=r"x\.h5ad has \d+ bytes, and what is in it unpacks to \d+ or more"):
        check_h5ad(tmp_path / "x.h5ad")
    whole = cells_file(tmp_path / "y.h5ad", 400, 100, packed=False)
    check_h5ad(whole)
    monkeypatch.setattr(h5ad, "physical_memory", lambda: 600_000)
    with pytest.raises(InputError, match=r"400 cells and 100 genes, .* take 320 kB, more than half"):
        check_h5ad(whole)


@pytest.mark.usefixtures("small_limits")
def test_a_line_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n" + "1," * 60 + "\n")
    with pytest.raises(InputError, match=r"line 2 of .* has more than 100 characters"):
        read_table(tmp_path / "x.csv", ReadOptions())


def test_tables_below_the_limits_are_read(tmp_path: Path) -> None:
    of_npz(tmp_path / "x.npz")
    of_gz(tmp_path / "x.csv.gz")
    assert read_table(tmp_path / "x.npz", ReadOptions()).frame.shape == (1000, 10)
    assert read_table(tmp_path / "x.csv.gz", ReadOptions()).frame.shape == (10_000, 2)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    assert "is a pipe or a device" in error_of("fit", tmp_path / "x.csv", "--k", 2)


def test_standard_input_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "standard input cannot be read twice; write the table to a file" in error_of("fit", "-", "--k", 2)
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("a\n1\n2\n")
    with pytest.raises(InputError, match="is of no known format"):
        read_table(Path("-"), ReadOptions())


def marked(value: Any) -> Any:
    """The same structure with markup in every string, also in names."""
    if isinstance(value, dict):
        names = {"n_clusters": f"n_clusters{MARK}"}
        return {names.get(key, key): marked(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [marked(entry) for entry in value] or [MARK]
    return f"{MARK}{value}" if isinstance(value, str) else value


def test_no_markup_of_the_file_reaches_the_page(tmp_path: Path) -> None:
    result = marked(a_result(parameters={"n_clusters": 2, "init": [MARK, {"a": MARK}]}, warnings=[MARK, 3]))
    (tmp_path / "result.json").write_text(json.dumps(result), encoding="utf-8")
    run("report", tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\x1b" not in page
    assert page.count(html.escape(MARK)) >= 8


@settings(max_examples=40, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=4))
def test_the_page_escapes_any_value_of_any_entry(value: Any) -> None:
    for place in ("rows", "features", "file", "sha256"):
        result = a_result(estimator=MARK, parameters={MARK: value}, warnings=[value, MARK])
        result["data"][place] = MARK
        result["summary"]["parts"] = [
            {"heading": MARK, "names": [MARK, value], "numbers": [value, True], "rows": [[MARK, value], []]}
        ]
        assert "<script" not in as_page(result, {}, date(2026, 1, 1))


def broken_results() -> list[Any]:
    """Contents of result.json that sparsek does not write."""
    found: list[Any] = [None, [], 3, "sparsek", {}, {"sparsek": "0.1.0"}]
    for name, kind in FORM.items():
        for wrong in (None, 3.5, [None], MARK):
            if type(wrong) is not kind:
                found.append(a_result(**{name: wrong}))
        if isinstance(kind, dict):
            for inner in kind:
                lacking = deepcopy(a_result())
                del lacking[name][inner]
                found.append(lacking)
    for part in (None, MARK, {"heading": MARK}, {"heading": "", "names": [], "numbers": [], "rows": [3]}):
        wrong_part = deepcopy(a_result())
        wrong_part["summary"]["parts"].append(part)
        found.append(wrong_part)
    uneven = a_result()
    uneven["checks"]["smallest sd"] = [MARK]
    return [*found, uneven]


def test_broken_results_are_named(tmp_path: Path) -> None:
    texts = [*map(json.dumps, broken_results()), "[" * 100_000, '{"a": NaN', "", '{"a": ' + "9" * 5000 + "}"]
    for text in texts:
        (tmp_path / "result.json").write_text(text, encoding="utf-8")
        line = error_of("report", tmp_path)
        assert "holds no results of sparsek: " in line, text[:99]
        assert line.endswith("make some by sparsek fit --out")
    assert not (tmp_path / "report.html").exists()


def test_force_replaces_no_folder_with_another_result_json(tmp_path: Path) -> None:
    make_frame().to_csv(tmp_path / "x.csv")
    (tmp_path / "out").mkdir()
    for content in broken_results()[::4]:  # the test before reads all of them by the same function
        (tmp_path / "out" / "result.json").write_text(json.dumps(content))
        line = error_of(*quick_fit(tmp_path), "--force")
        assert "but no result.json of sparsek, so its files may be others'" in line
        assert (tmp_path / "out" / "result.json").read_text() == json.dumps(content)


@pytest.mark.parametrize("name", ["result.json", "weights.png", "report.html"])
def test_links_in_a_folder_are_not_followed(tmp_path: Path, name: str) -> None:
    folder, private = tmp_path / "result", tmp_path / "private"
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(a_result()))
    private.write_text((folder / "result.json").read_text() if name == "result.json" else "precious")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(private)
    before = private.read_text()
    line = error_of("report", folder)
    assert name in line
    assert "link" in line or "no regular file" in line
    assert private.read_text() == before
    assert not (folder / "report.html").is_file() or name == "report.html"


def test_other_files_of_the_folder_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "result"
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(a_result()))
    (tmp_path / "private").write_text("precious")
    for name in ("summary.txt", "labels.csv", "other.png"):
        (folder / name).symlink_to(tmp_path / "private")
    run("report", folder)
    assert "precious" not in (folder / "report.html").read_text(encoding="utf-8")


def test_pictures_are_pictures(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps(a_result()))
    (tmp_path / "pca.png").write_bytes(b"root:x:0:0")
    assert "pca.png is no PNG picture" in error_of("report", tmp_path)
    (tmp_path / "pca.png").write_bytes(PNG)
    run("report", tmp_path)


def test_names_are_no_formulas(tmp_path: Path) -> None:
    names = dict(zip("abcde", ["$$", "$^$", r"$\frac{a}$", "a$b$c", "\\$"], strict=True))
    frame = make_frame().rename(columns=names)
    frame.loc["r3", "$$"] = np.nan
    frame.to_csv(tmp_path / "x.csv")
    done = run(*quick_fit(tmp_path))
    assert "warning" not in done.stderr
    assert {"missingness.png", "weights.png", "centers.png"} <= {p.name for p in (tmp_path / "out").iterdir()}


def test_a_picture_that_fails_costs_no_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_frame().to_csv(tmp_path / "x.csv")

    def fail(self: Figure, file: Path, **_: object) -> None:
        file.write_bytes(b"half")
        raise RuntimeError("no font")

    monkeypatch.setattr(Figure, "savefig", fail)
    done = run(*quick_fit(tmp_path))
    assert "warning: weights.png could not be drawn, and is left out: no font" in done.stderr
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"labels.csv", "features.csv", "centers.csv", "summary.txt", "result.json"} == left
    assert not left & set(PICTURES)


def test_a_full_disk_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_frame().to_csv(tmp_path / "x.csv")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_write, "write_csv", full)
    out = tmp_path / "out"
    line = error_of(*quick_fit(tmp_path))
    assert f"{out} could not be written (No space left on device); make room" in line
    assert not out.exists()
    (tmp_path / "result.json").write_text(json.dumps(a_result()), encoding="utf-8")
    monkeypatch.setattr(Path, "write_text", full)
    line = error_of("report", tmp_path)
    assert f"'{tmp_path / 'report.html'}' could not be written (No space left on device); make room" in line
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("name", ["result.json", "weights.png"])
def test_files_beyond_all_size_are_not_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_frame().to_csv(tmp_path / "x.csv")
    run(*quick_fit(tmp_path))
    monkeypatch.setattr(_limits, "MEMBER_BYTES", 10**6)
    os.truncate(tmp_path / "out" / name, 10**7)
    assert "holds more than 1000000 bytes, the limit" in error_of("report", tmp_path / "out")
