"""Columns of categories on the command line: --categories."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.cli_runner import error_of, run
from tests.methods.shared.options.test_mixed import survey


def written(folder: Path, kind: str) -> Path:
    """A survey in a file, with whole numbers as codes and a missing answer."""
    frame = survey().assign(code=lambda f: (f["job"] == "nurse") + 1)
    frame.loc[3, "job"] = None
    path = folder / f"survey.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_categories_are_fitted_and_written(tmp_path: Path, kind: str) -> None:
    path, out = written(tmp_path, kind), tmp_path / "out"
    named = "job,town,mood,code"
    drawn = [] if kind == "csv" else ["--no-plots"]
    run("fit", path, "--k", 3, "--select", 2, "--categories", named, "--out", out, "--never", "code", *drawn)
    centers = pd.read_csv(out / "centers.csv").set_index("feature")
    assert [name for name in centers.index if name.startswith("job=")] == [
        "job=clerk",
        "job=cook",
        "job=nurse",
        "job=smith",
    ]
    used = centers.index[centers["selected"] == 1]
    assert used.tolist() == ["income", *[name for name in centers.index if name.startswith("job=")]]
    features = pd.read_csv(out / "features.csv")
    assert features["feature"].head(2).tolist() == ["income", "job"]
    assert len(features) == 6
    assert json.loads((out / "result.json").read_text())["checks"]["missing"] == 1
    assert (out / "weights.png").exists() == (kind == "csv")


def test_all_columns_with_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "csv")
    found = run("fit", path, "--k", 3, "--select", 2, "--categories", "all-text", "--drop", "code").stdout
    assert "job=nurse" in found
    assert "income" in found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "columns that are not numbers: job, town, mood; "),
        ([], "or read them as categories by --categories (a,b or all-text)"),
        (["--categories", "job,town"], "columns that are not numbers: mood; "),
        (["--categories", "work"], "has no column 'work'"),
        (["--categories", "job", "--drop", "job"], "--categories names column 'job', which is left out"),
        (["--categories", "all-text", "--method", "minmax"], "has no --categories; these have: "),
        (
            ["--categories", "all-text", "--method", "sparse-kmeans"],
            "sparse-kmeans needs complete data",
        ),
    ],
)
def test_errors_name_the_remedy(tmp_path: Path, options: list[str], message: str) -> None:
    assert message in error_of("fit", written(tmp_path, "csv"), "--k", 3, *options)
