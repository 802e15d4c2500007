"""The comparison on real data: what it reads, what the methods are given, and the tables of the record."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.places import DATA
from validation import __main__ as validation
from validation.benchmarks.real import command, methods, page, sets
from validation.papers.shared.store import load_table, save_table

TWO = np.r_[np.zeros(6, int), np.ones(6, int)]
COLUMNS = ["set", "kind", "n", "p", "k", "method", "columns", "ARI", "features", "warnings", "seconds"]


def rows(seed: int = 0) -> np.ndarray:
    """Two groups of six rows, far apart in every column."""
    return np.random.default_rng(seed).normal(size=(12, 3)) + 20 * TWO[:, None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of data with a set of each kind."""
    for i, (place, name) in enumerate((("real", "small"), ("microarray", "genes"))):
        (tmp_path / place).mkdir()
        np.savez(tmp_path / place / f"{name}.npz", X=rows(i), y=TWO + 4)
    return tmp_path


def call(*words: object) -> int:
    return validation.main(["real", "--n-jobs", "1", *map(str, words)])


def test_the_command_prints_and_records(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sets, "PACKAGED", {"absent": ("no_such_package", rows)})
    monkeypatch.setattr(command, "NAMES", ("small", "absent"))
    monkeypatch.setattr(
        command, "METHODS", [one for one in methods.METHODS if one.name in ("k-means", "Ward", "SKFR")]
    )
    monkeypatch.setattr(command, "commit_here", lambda: "0123456789ab")
    assert call("--data", folder, "--record") == 2
    shown = capsys.readouterr().out
    assert "left out, because no file and no package has them: absent\na record has every set" in shown
    monkeypatch.setattr(command, "NAMES", ("small", "genes"))
    assert call("--data", folder, "--output", folder / "out", "--record") == 0
    shown = capsys.readouterr().out
    assert "left out" not in shown
    assert "2 sets, 3 methods" in shown
    table, about = load_table(page.NAME, folder / "out")
    assert table.columns.tolist() == COLUMNS
    assert table["method"].tolist() == ["k-means", "Ward", "SKFR"] * 2
    assert table["kind"].tolist() == ["expression"] * 3 + ["table"] * 3
    assert table["ARI"].tolist() == [1.0] * 6
    assert table["features"].notna().tolist() == [False, False, True] * 2
    assert about["scale"] == page.COMMAND


def test_what_makes_no_record_and_unknown_names_are_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "NAMES", ())
    assert call("--data", folder, "--record", "--sets", "small") == 2
    assert "--sets and --methods leave lines out" in capsys.readouterr().out
    for commit in ("0123456789ab-dirty", None):
        monkeypatch.setattr(command, "commit_here", lambda commit=commit: commit)
        assert call("--data", folder, "--record") == 2
        assert "commit your changes" in capsys.readouterr().out
    assert call("--data", folder, "--sets", "large", "--methods", "k-modes") == 2
    assert "unknown: k-modes, large" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        call("--help")
    assert "--data FOLDER" in capsys.readouterr().out


class Spy:
    """A method that notes what it is given."""

    given: list[tuple[Any, ...]]

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes

    def __repr__(self) -> str:
        return f"Spy{self.sizes}"

    def fit_predict(self, *data: Any, **others: Any) -> np.ndarray:
        Spy.given.append((self.sizes, *data, *others.items()))
        return 1 - TWO


def test_no_method_is_given_the_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    Spy.given = []
    data = sets.RealSet("small", "table", rows(), TWO)
    some = tuple(methods.Method(name, "raw", Spy) for name in ("one", "the same"))
    found = command.run_set(data, some)
    ((sizes, X),) = Spy.given  # equal estimators are fitted once
    assert sizes == (12, 3, 2)
    assert X is data.X
    assert [line["ARI"] for line in found] == [1.0, 1.0]


def test_an_error_is_recorded() -> None:
    """sparcl gives few features a weight, and in these the rows have fewer values than there are clusters."""
    (permute,) = (one for one in methods.METHODS if one.name == "sparcl's permute")
    X = np.random.default_rng(0).integers(2, size=(40, 4)).astype(float)
    table = command.run_sets([sets.RealSet("small", "table", X, np.arange(40) % 10)], (permute,), 1)
    assert (table["warnings"].item(), table["ARI"].isna().item()) == ("RError RWarning", True)
    assert "not in the means: sparcl's permute on `small` (RError RWarning).\n\n" in page.failures(table)


def test_the_other_methods_find_clear_groups() -> None:
    names = [one.name for one in methods.METHODS]
    assert len(set(names)) == len(names)
    assert tuple(names[: len(page.OTHERS)]) == page.OTHERS
    assert {*page.DEFAULTS} < {*names}
    for one in methods.METHODS[: len(page.OTHERS)]:
        labels, found = methods.run(one, rows(), 2)
        assert len(set(labels[:6])) == len(set(labels[6:])) == 1, one.name
        assert {*found} == {"features", "warnings", "seconds"}


def test_columns_that_a_method_clusters() -> None:
    found = {one.name: one.columns for one in methods.METHODS}
    assert found["SKFR(standardize=True)"] == found["SparseKMeans(standardize=True)"] == "standardised"
    assert found["SKFR(standardize=False)"] == found["sparcl's permute"] == "raw"
    assert found["IFPCA"] == ""


def test_rows_with_holes_and_constant_columns_are_left_out_and_many_rows_drawn() -> None:
    columns = pd.DataFrame({"a": np.arange(2000.0), "same": 1.0, "b": np.arange(2000.0) % 7})
    columns.loc[3, "a"] = np.nan
    X, y = sets.prepare(columns, pd.Series(np.where(columns.index < 1000, "x", "w")))
    assert X.shape == (1200, 2)
    assert 3.0 not in X[:, 0]
    assert (np.diff(X[:, 0]) > 0).all()
    assert y.tolist() == (X[:, 0] >= 1000).astype(int).tolist()


def test_what_packages_have_equals_the_files() -> None:
    files = DATA / "real"
    if not files.is_dir():
        pytest.skip("no real data: neither SPARSEK_DATA nor ../shared/data")
    for name, (package, reader) in sets.PACKAGED.items():
        if importlib.util.find_spec(package) is None:
            continue
        for ours, theirs in zip(reader(), sets.read(files / f"{name}.npz"), strict=True):
            np.testing.assert_array_equal(ours, theirs, err_msg=name)


def lines() -> pd.DataFrame:
    """The lines of two sets: SKFR is far behind k-means on the first, and a little on the second."""
    index = {"k-means": (0.5, 0.5), "k-means, standardised": (0.4, 0.9), "SKFR": (0.4, 0.89)}
    return pd.DataFrame(
        [
            {
                "set": name,
                "kind": kind,
                "n": 12,
                "p": 3,
                "k": 2,
                "method": method,
                "columns": "raw" if method == "k-means" else "standardised",
                "ARI": index[method][i],
                "features": 3 if method == "SKFR" else np.nan,
                "warnings": "SelectionWarning" if (method, i) == ("SKFR", 0) else "",
                "seconds": 2.0,
            }
            for i, (name, kind) in enumerate((("colon", "expression"), ("fish", "table")))
            for method in index
        ]
    )


def test_the_tables_of_the_record(tmp_path: Path) -> None:
    assert page.load_section(tmp_path) is None
    save_table(lines(), tmp_path, page.NAME, page.COMMAND)
    table, about = load_table(page.NAME, tmp_path)
    ours = page.as_texts(page.means(table)).iloc[-1].to_dict()
    assert ours == {
        "method": "SKFR",
        "looked at": "0.645",
        "expression": "0.400",
        "other tables": "0.890",
        "of papers": "",
        "sets with a warning": "1",
        "seconds": "4",
    }
    (lower,) = page.as_texts(page.behind(table)).to_dict("records")
    assert lower == {"method": "SKFR", "its own columns": "0", "raw": "1", "standardised": "0"}
    first, second = page.as_texts(page.set_by_set(table)).to_dict("records")
    assert (first["size"], first["features of SKFR"], first["Ward"]) == ("12 x 3", "3", "")
    assert (first["warnings of SKFR"], second["warnings of SKFR"]) == ("SelectionWarning", "")
    text = page.real_text(table, about, lambda shown: shown.to_string())
    assert "1 of gene expression, 1 other tables and 0 sets of the papers" in text
    assert f"by `{page.COMMAND}`" in text
    section = page.load_section(tmp_path)
    assert section is not None
    assert [len(shown.rows) for shown in section.tables] == [3, 1]
