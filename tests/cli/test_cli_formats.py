"""Tables that R, Stata, SPSS, spreadsheets, pandas and polars wrote; tests/cli/data has the files."""

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sparsek._limits import SizeError
from sparsek.cli._cells import InputError, ReadOptions
from sparsek.cli._read import Table, read_table
from tests.cli.cli_runner import error_of, make_frame, run

DATA = Path(__file__).parent / "data"
X = np.array([[0.5, 1 / 3, 9], [1.25, 6, 10], [-2, 7, 11], [3, np.nan, 12]])
"""The matrix of write.R; R writes 15 digits in texts."""


def read(name: str, **options: Any) -> Table:
    """A table of the folder."""
    return read_table(DATA / name, ReadOptions(**options))


def of_r(name: str, **options: Any) -> Table:
    """A table of R's formats, read by the optional rdata."""
    pytest.importorskip("rdata", reason="rdata is missing, which reads R's files")
    return read(name, **options)


def is_matrix(table: Table, digits: float = 0.0) -> None:
    """The numbers and names of the matrix of write.R."""
    np.testing.assert_allclose(table.frame, X, rtol=digits)
    assert (list(table.frame.columns), table.ids) == (["a", "b", "c"], ["s1", "s2", "s3", "s4"])


@pytest.mark.parametrize(
    ("name", "array"),
    [("matrix.rds", None), ("one.rda", None), ("list.rds", None), ("list.rds", "x"), ("objects.RData", "x")],
)
def test_matrices_of_r_are_read_with_their_names(name: str, array: str | None) -> None:
    is_matrix(of_r(name, array=array))


def test_matrices_of_r_without_names_and_sparse_ones() -> None:
    unnamed = of_r("unnamed.rds")
    np.testing.assert_array_equal(unnamed.frame, X)
    assert (list(unnamed.frame.columns), unnamed.ids) == (["x1", "x2", "x3"], ["1", "2", "3", "4"])
    sparse = of_r("sparse.rds")
    np.testing.assert_array_equal(sparse.frame, np.nan_to_num(X))
    assert sparse.ids == ["s1", "s2", "s3", "s4"]


def test_data_frames_of_r_have_factors_and_refuse_dates() -> None:
    table = of_r("people.rds", drop=("day",), categories=("job",))
    assert table.ids == ["Ann", "Bo", "Cy", "Di"]
    assert table.frame["job"].tolist() == ["cook", "smith", "cook", np.nan]
    numbers = table.frame.drop(columns="job")
    np.testing.assert_array_equal(
        numbers, [[31, 1.5, 1], [np.nan, 2.25, 0], [45, np.nan, np.nan], [52, 4, 1]]
    )
    with pytest.raises(InputError, match="columns that are not numbers: day;"):
        of_r("people.rds", drop=("job",))


def test_objects_of_r_are_named_by_array() -> None:
    with pytest.raises(InputError, match=r"has 2 tables: x \(4 x 3\), people \(4 x 5\); name one by --array"):
        of_r("objects.RData")
    with pytest.raises(InputError, match=r"no matrix of numbers 'fit'; it has 2: x \(4 x 3\), people"):
        of_r("objects.RData", array="fit")


def test_sequences_of_r_do_not_unpack_beyond_the_limit() -> None:
    with pytest.raises(SizeError, match="a sequence in it unpacks to 8000000000"):
        of_r("sequence.rds")


@pytest.mark.parametrize("name", ["matrix.rds", "one.rda"])
def test_damaged_files_of_r_are_one_line(tmp_path: Path, name: str) -> None:
    pytest.importorskip("rdata", reason="rdata is missing, which reads R's files")
    content = (DATA / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="cannot read"):
        read_table(tmp_path / name, ReadOptions())


@pytest.mark.parametrize(("name", "module"), [("matrix.rds", "rdata"), ("survey.sav", "pyreadstat")])
def test_without_the_package_the_extra_is_named(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=r'pip install "sparsek\[foreign\]"'):
        read(name)


def test_files_of_stata_and_spss(tmp_path: Path) -> None:
    stata = read("people.dta", categories=("job",))
    assert stata.frame["job"].tolist() == ["cook", "smith", "cook", np.nan]
    np.testing.assert_array_equal(stata.frame[["age", "income"]].iloc[1], [np.nan, 2.25])
    frame = pd.DataFrame({"age": [31.0, 52.0], "twice": [1.0, 2.0], "q1": [1.0, 2.0]})
    labels = {"age": {99: "no answer"}, "q1": {1: "no", 2: "yes"}}
    frame.to_stata(tmp_path / "x.dta", value_labels=labels, write_index=False)
    one = read_table(tmp_path / "x.dta", ReadOptions(categories=("q1",))).frame
    assert (one["age"].tolist(), one["q1"].tolist()) == ([31, 52], ["no", "yes"])
    pytest.importorskip("pyreadstat", reason="pyreadstat is missing, which reads SPSS files")
    spss = read("survey.sav", categories=("q1",))
    assert spss.frame["q1"].tolist() == ["never", "sometimes", np.nan, "often"]  # 9 was declared missing
    np.testing.assert_array_equal(spss.frame["age"], [31, np.nan, 45, 52])  # one label, of no value in it


def test_feather_of_polars_and_npy(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read("table.feather").frame, [[0.5, 1], [1.25, 2], [np.nan, 3]])
    np.save(tmp_path / "x.npy", np.asfortranarray(X))
    np.testing.assert_array_equal(read_table(tmp_path / "x.npy", ReadOptions()).frame, X)
    np.save(tmp_path / "x.npy", X[0])
    with pytest.raises(InputError, match=r"must be a matrix of numbers; got shape \(3,\)"):
        read_table(tmp_path / "x.npy", ReadOptions())


def test_the_index_of_parquet_by_its_name() -> None:
    table = read("indexed.parquet", id_col="person", na=("9",))
    assert (table.id_name, table.ids) == ("person", ["Ann", "Bo", "Cy", "Di"])
    np.testing.assert_array_equal(table.frame["q1"], [1, 2, np.nan, 3])
    found = run(
        "fit", DATA / "indexed.parquet", "--k", 2, "--method", "kpod", "--id-col", "person", "--truth", "q1"
    )
    assert "Clusters and q1" in found.stdout


@pytest.mark.parametrize(
    ("name", "recognised"),
    [
        ("csv2.csv", "columns separated by semicolons and commas as decimal marks"),
        ("table.txt", "columns separated by blanks"),
        ("tabs.txt", "commas as decimal marks"),
    ],
)
def test_separators_and_decimal_marks_are_recognised(name: str, recognised: str) -> None:
    table = read(name, id_col="1")
    is_matrix(table, digits=1e-14)  # R wrote 15 digits
    assert table.recognised == recognised


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a;b\n1,500;2\n", {}, "'1,500' is not a number; a decimal point"),  # perhaps thousands
        ("a;b\n1,5;2.5\n", {}, "'1,5' is not a number"),
        ("a;b\n1;2;3;4\n", {}, "separated by semicolons: use --sep ';'"),
        ("a\nu;v\n1;2\n", {}, r"'u;v' is not a number.*use --sep ';'"),
        ("My data\na,b,c\n1,2,3\n", {}, "if line 1 is a title, --skip 1 leaves it out"),
        ("My data,,\na,b,c\n1,2,3\n", {}, "one text, 'My data'; if that is a title, --skip 1 leaves it out"),
        ("a,b\n1,?\n", {}, "if it stands for a missing value, use --na '?'"),
        ("a,b\n1,5\n", {"sep": ",", "decimal": ","}, "--decimal ',' needs another separator"),
    ],
)
def test_what_leaves_doubt_is_no_table(
    tmp_path: Path, text: str, options: dict[str, Any], message: str
) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / "x.csv", ReadOptions(**options))


def test_lines_before_the_names_and_marks_of_missing_values(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('A title, "half quoted\n\nid,a,job\nu,-999.0,x\nv,?,-999\nw,2,?\n')
    table = read_table(
        tmp_path / "x.csv", ReadOptions(id_col="id", skip=2, na=("?", "-999"), categories=("job",))
    )
    np.testing.assert_array_equal(table.frame["a"], [np.nan, np.nan, 2])
    assert table.frame["job"].tolist() == ["x", np.nan, np.nan]
    (tmp_path / "x.csv").write_text("one\ntwo\na,b\n1,x\n")
    with pytest.raises(InputError, match="line 4, column b: 'x' is not a number"):
        read_table(tmp_path / "x.csv", ReadOptions(skip=2))


def test_covers_and_titles_of_sheets() -> None:
    with pytest.raises(
        InputError, match=r"This is the first sheet; the others are Data: name one by --sheet"
    ):
        read("cover.xlsx")
    with pytest.raises(InputError, match=r"row 1 .* should name 3 columns and holds one text.*--skip 1"):
        read("cover.xlsx", sheet="Data")
    table = read("cover.xlsx", sheet="Data", skip=1, id_col="person", na=("?", "-999"))
    assert table.ids == ["Ann", "Bo", "Cy"]
    np.testing.assert_array_equal(table.frame, [[31, 1.5], [np.nan, 2.25], [45, np.nan]])
    with pytest.raises(InputError, match="--skip leaves out lines of texts and rows of sheets"):
        read("table.feather", skip=1)


@pytest.mark.parametrize("name", ["genes.csv", "genes.gct", "genes.gct.gz"])
def test_genes_in_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy(DATA / "genes.csv", path)
    if name != "genes.csv":
        content = (DATA / "genes.gct").read_bytes()
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    table = read_table(path, ReadOptions(transpose=True if name == "genes.csv" else None))
    np.testing.assert_allclose(table.frame, np.column_stack([X, [-1, 0, 1, 2]]), rtol=1e-14)  # 15 digits
    assert (list(table.frame.columns), table.ids) == (["a", "b", "c", "d"], ["s1", "s2", "s3", "s4"])


def test_a_gct_file_as_it_stands() -> None:
    table = read("genes.gct", transpose=False)
    assert (table.ids, list(table.frame.columns)) == (["a", "b", "c", "d"], ["s1", "s2", "s3", "s4"])


def test_what_a_newer_gct_file_says_of_samples_and_genes(tmp_path: Path) -> None:
    lines = [
        "#1.3",
        "2\t2\t1\t1",
        "id\tsymbol\ts1\ts2",
        "tissue\tna\tliver\tlung",
        "g1\tA\t1\t2",
        "g2\tB\t3\t4",
    ]
    (tmp_path / "x.gct").write_text("\n".join(lines) + "\n")
    table = read_table(tmp_path / "x.gct", ReadOptions())
    assert table.frame.to_numpy().tolist() == [[1, 3], [2, 4]]
    assert read_table(tmp_path / "x.gct", ReadOptions(id_col="tissue")).ids == ["liver", "lung"]
    for wrong, message in (("#1.9", "line 1 must be #1.2 or #1.3; got '#1.9'"), ("#1.2\n2", "line 2 of")):
        (tmp_path / "y.gct").write_text(wrong + "\n")
        with pytest.raises(InputError, match=message):
            read_table(tmp_path / "y.gct", ReadOptions())


def test_genes_of_one_name_are_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("probe,gene,s1\nu,TP53,1\nv,TP53,2\n")
    options = {"transpose": True, "drop": ("probe",)}
    with pytest.raises(InputError, match=r"features 1 and 2 .* are both named 'TP53'.* --id-col"):
        read_table(tmp_path / "x.csv", ReadOptions(**options, names_col="gene"))
    other = ReadOptions(transpose=True, names_col="probe", drop=("gene",))
    assert list(read_table(tmp_path / "x.csv", other).frame.columns) == ["u", "v"]


def test_every_format_can_be_turned(tmp_path: Path) -> None:
    frame = pd.DataFrame({"gene": ["a", "b"], "s1": [1.0, 3.0], "s2": [2.0, np.nan]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_feather(tmp_path / "x.feather")
    frame.to_stata(tmp_path / "x.dta", write_index=False)
    for end in ("csv", "xlsx", "parquet", "feather", "dta"):
        for options in ({}, {"names_col": "gene"}):
            table = read_table(tmp_path / f"x.{end}", ReadOptions(transpose=True, **options))
            assert list(table.frame.columns) == ["a", "b"], end
            assert table.ids == ["s1", "s2"]
            np.testing.assert_array_equal(table.frame, [[1, 3], [2, np.nan]])
        only = read_table(tmp_path / f"x.{end}", ReadOptions(transpose=True, drop=("s1", "b")))
        assert (only.ids, only.frame.to_numpy().tolist()) == (["s2"], [[2]]), end
    np.savez(tmp_path / "x.npz", X=np.arange(6).reshape(3, 2))
    table = read_table(tmp_path / "x.npz", ReadOptions(transpose=True))
    assert (table.frame.shape, list(table.frame.columns)) == ((2, 3), ["x1", "x2", "x3"])


def test_rows_of_classes_in_turned_tables(tmp_path: Path) -> None:
    turned = make_frame().T.astype(object)
    turned.loc["type"] = np.repeat(["x", "y", "z"], 10)
    turned.to_csv(tmp_path / "genes.csv")
    result = run("fit", tmp_path / "genes.csv", "--k", 3, "--select", 2, "--transpose", "--truth", "type")
    assert "Clusters and type (adjusted Rand index 1.0000)" in result.stdout
    error = error_of("fit", tmp_path / "genes.csv", "--k", 3, "--transpose")
    assert "columns that are not numbers: type" in error
    assert "line 8: 'x' is not a number" in error


def samples(names: list[str], n: int = 600) -> pd.DataFrame:
    """Levels of genes in samples: the levels differ between genes more than between samples."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, 1)) * 2 + rng.normal(size=(n, len(names)))
    return pd.DataFrame(values, columns=names)


@pytest.mark.parametrize(
    "names",
    [
        [f"V{j}" for j in range(1, 13)],
        [f"GSM10{j}" for j in range(1, 13)],
        [f"{group}_{j}" for group in ("AML", "ALL") for j in range(1, 7)],
    ],
)
def test_far_more_rows_than_samples_are_asked_about(tmp_path: Path, names: list[str]) -> None:
    path = tmp_path / "genes.csv"
    samples(names).to_csv(path, index=False)
    error = error_of("fit", path, "--k", 2)
    assert "has 600 rows and 12 columns, and the columns " in error
    assert f"({names[0]}, {names[1]}, {names[2]}, ..., {names[-1]})" in error
    assert "use --transpose if the columns should be, or --no-transpose if the table is right" in error
    for way, rows in (("--transpose", 12), ("--no-transpose", 600)):
        shown = run("fit", path, "--k", 2, "--select", 3, "--n-init", 2, "--json", way).stdout
        assert json.loads(shown)["data"]["rows"] == rows


def test_variables_are_no_samples() -> None:
    from sparsek.inputs.orientation import samples_in_columns

    numbered = [f"V{j}" for j in range(1, 13)]
    assert samples_in_columns(samples(numbered)) is not None
    assert samples_in_columns(samples(numbered, n=240)) is None  # not 20 times the columns
    assert samples_in_columns(samples(["age", *numbered[1:]])) is None
    assert samples_in_columns(samples([str(year) for year in range(2001, 2013)])) is None
    assert samples_in_columns(samples([f"r{j}" for j in (1, 2, 3, 5, 6, 11, 12, 36, 60, 120)])) is None
    assert samples_in_columns(samples(numbered).round().clip(-2, 2)) is None  # marks on a scale
    apart = samples(numbered) + 10.0 * np.arange(12)
    assert samples_in_columns(apart) is None  # at levels of their own
    independent = pd.DataFrame(np.random.default_rng(0).normal(size=(600, 12)), columns=numbered)
    assert samples_in_columns(independent) is None


def test_skip_must_not_be_negative(tmp_path: Path) -> None:
    make_frame().to_csv(tmp_path / "x.csv")
    assert "--skip must be at least 0; got -1" in error_of("fit", tmp_path / "x.csv", "--k", 2, "--skip", -1)
