"""Probabilities on the command line, and genotypes as its input."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sparsek import SKFR, FitUncertainty, PowerKMeans
from tests.cli.cli_runner import EXACT, error_of, make_frame, run
from tests.sources.files.plink_files import simulated, write_plink


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.csv"
    make_frame().to_csv(file)
    return file


def test_probabilities_of_the_method(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = ["fit", data, "--k", 3, "--id-col", "id", "--method", "power", "--no-scale", "--no-plots"]
    run(*call, "--proba", "--out", out)
    run(*call, "--proba", "--out", out, "--force")  # which replaces its own files only
    found = pd.read_csv(out / "probabilities.csv", **EXACT)
    assert list(found.columns) == ["id", "cluster_0", "cluster_1", "cluster_2"]
    assert found["id"].tolist() == make_frame().index.tolist()
    model = PowerKMeans(3, random_state=0).fit(make_frame())
    np.testing.assert_array_equal(found.iloc[:, 1:], model.predict_proba(make_frame()))
    result = json.loads((out / "result.json").read_text())
    assert result["probabilities"]["from"] == "predict_proba of the method"
    assert " --proba" in result["command"]
    np.testing.assert_array_equal(np.argmax(result["probabilities"]["values"], axis=1), result["labels"])
    run("report", out)


def test_probabilities_by_resamples(data: Path) -> None:
    call = ["fit", data, "--k", 3, "--id-col", "id", "--select", 2, "--n-init", 2, "--proba"]
    found = json.loads(run(*call, "--json").stdout)["probabilities"]
    assert found["from"] == "shares of 100 bootstrap resamples"
    model = SKFR(3, 2, n_init=2, random_state=0)
    sure = FitUncertainty(model, random_state=0).fit(make_frame())
    np.testing.assert_array_equal(found["values"], sure.membership_)


def test_without_probabilities_nothing_is_written(data: Path, tmp_path: Path) -> None:
    run("fit", data, "--k", 3, "--id-col", "id", "--n-init", 2, "--no-plots", "--out", tmp_path / "out")
    assert not (tmp_path / "out" / "probabilities.csv").exists()
    assert "probabilities" not in json.loads((tmp_path / "out" / "result.json").read_text())


def test_probabilities_that_are_refused(data: Path, tmp_path: Path) -> None:
    call = ["fit", data, "--k", 3, "--id-col", "id", "--proba"]
    assert "name a folder by --out, or add --json" in error_of(*call)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("r0,r1,must\n")
    text = error_of(*call, "--json", "--method", "pckm", "--constraints", pairs)
    assert "leave one of them out" in text


def test_genotypes(tmp_path: Path) -> None:
    X = simulated(0, 30, 12)
    X[:15, :4], X[15:, :4] = 0, 2
    X[3, 1] = 1
    path = write_plink(tmp_path, X)
    out = tmp_path / "out"
    run("fit", path, "--k", 2, "--select", 4, "--no-plots", "--out", out)
    labels = pd.read_csv(out / "labels.csv")
    assert list(labels.columns) == ["sample", "cluster"]
    assert labels["sample"].tolist() == [f"S{i}" for i in range(30)]
    assert labels["cluster"].tolist() == [0] * 15 + [1] * 15
    chosen = pd.read_csv(out / "features.csv").query("selected == 1")["feature"]
    assert set(chosen) == {"rs0", "rs1", "rs2", "rs3"}
    some = tmp_path / "some"
    run("fit", path, "--k", 2, "--select", 2, "--drop", "rs0,rs1", "--no-plots", "--out", some)
    assert json.loads((some / "result.json").read_text())["data"]["features"] == 10


@pytest.mark.parametrize("missing", [".bim", ".fam"])
def test_genotypes_without_a_file(missing: str, tmp_path: Path) -> None:
    path = write_plink(tmp_path, simulated(0, 30, 12))
    path.with_suffix(missing).unlink()
    assert f"study{missing}, which names" in error_of("fit", path, "--k", 2)


def test_genotypes_that_are_damaged(tmp_path: Path) -> None:
    path = write_plink(tmp_path, simulated(0, 30, 12))
    path.write_bytes(path.read_bytes()[:-1])
    assert "it is cut off, or the three files do not belong together" in error_of("fit", path, "--k", 2)
    path.write_text("chr1\t1\t2\n")
    assert "genomic intervals" in error_of("fit", path, "--k", 2)


def test_missing_genotypes_need_a_method(tmp_path: Path) -> None:
    path = write_plink(tmp_path, simulated(0, 30, 12, missing=0.1))
    text = error_of("fit", path, "--k", 2, "--method", "sparse-kmeans")
    assert "missing values, the first in row S0, column rs" in text
    run("fit", path, "--k", 2, "--method", "kpod", "--no-plots", "--out", tmp_path / "out")
