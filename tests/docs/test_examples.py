"""The examples of the documentation run without a network, and the statements of their text are true."""

import re
import runpy
import socket
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from sparsek import datasets, plots
from tests.places import ROOT

FOLDER = ROOT / "docs" / "examples"
SCRIPTS = sorted(file.stem for file in FOLDER.glob("*.py"))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """No network, no data except those of installed packages, no windows."""

    def refuse(*arguments: Any, **options: Any) -> None:
        raise OSError("no network in the examples")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.delenv("SPARSEK_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    monkeypatch.setitem(plt.rcParams, "figure.max_open_warning", 0)  # the gallery closes each picture
    yield
    plt.close("all")


def run(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    """Variables and output of a script."""
    found = runpy.run_path(str(FOLDER / f"{name}.py"))
    return found, capsys.readouterr().out


@pytest.mark.parametrize("name", SCRIPTS)
def test_layout_is_that_of_sphinx_gallery(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    over, title, under = text.splitlines()[1:4]
    assert over == under == "=" * len(title)
    assert text.count("\n# %%\n") > 3


def test_every_script_is_run_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in SCRIPTS if f'run("{name}", capsys)' not in source] == []
    assert len(SCRIPTS) >= 10


def agreements(shown: str) -> list[float]:
    """The numbers after ``ARI`` in the output of a script."""
    return [float(found) for found in re.findall(r"ARI (-?[\d.]+)", shown)]


def test_digits_pixels(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = run("digits_pixels", capsys)
    assert found["scores"][30] > found["baseline"] - 0.05  # "about as well as k-means on all 64"
    assert found["scores"][10] < found["baseline"] - 0.2
    chosen = found["fits"][40].get_support().reshape(8, 8)
    assert not chosen[:, [0, 7]].any()


def test_tumours(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = run("tumours", capsys)
    ari = found["table"]["ARI"]
    assert ari["SKFR"] < ari["k-means"] < ari["sparse k-means"]
    chosen = found["X"].columns[found["skfr"].get_support()]
    assert all(name.split()[-1] in ("radius", "perimeter", "area") for name in chosen)
    assert found["stable"].get_support().sum() == 6


def test_iris_tree(capsys: pytest.CaptureFixture[str]) -> None:
    found, shown = run("iris_tree", capsys)
    plain, kmeans, sparse = agreements(shown)
    assert plain < kmeans < sparse
    assert found["tree"].get_support(indices=True).max() < 4  # "measurements of the flowers"


def test_holes_in_wine(capsys: pytest.CaptureFixture[str]) -> None:
    found, shown = run("holes_in_wine", capsys)
    filled, ours = found["scores"]["k-means, means filled in"], found["scores"]["SKFR, 9 features"]
    assert filled[0] > ours[0]
    assert filled[-1] < min(ours[-1], found["scores"]["k-POD"][-1])
    assert found["complete"][2] < 20  # "hardly a row is complete"
    assert round(ours[0], 2) == 0.88
    assert agreements(shown) == [0.73]


def test_gross_errors(capsys: pytest.CaptureFixture[str]) -> None:
    scores = run("gross_errors", capsys)[0]["scores"]
    assert max(scores["k-means"], scores["sparse k-means"], scores["SKFR"]) < 0.6
    assert min(scores["SKFR, clipped"], scores["trimmed"]) > 0.8


def test_few_labels(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = run("few_labels", capsys)
    means = {name: values.mean() for name, values in found["scores"].items()}
    assert abs(means["COPKMeans"] - means["k-means"]) < 0.03  # "gains little"
    assert min(means["MPCKMeans"], means["PCSparseKMeans"]) > means["COPKMeans"] + 0.05
    assert found["sparse"].feature_weights_[2] > 0.9


def test_gene_expression(capsys: pytest.CaptureFixture[str]) -> None:
    found, shown = run("gene_expression", capsys)
    scores = {
        name: adjusted_rand_score(found["kind"], found[name].labels_) for name in ("kmeans", "skfr", "search")
    }
    assert scores["kmeans"] < 0.5 < 0.9 < min(scores["skfr"], scores["search"])
    assert np.array_equal(found["skfr"].get_support(), found["planted"])
    assert found["others"].max() < found["weights"][found["planted"]].min()  # "a few too many do little harm"
    assert "60 of 60 planted genes among 60 in use" in shown


@pytest.mark.parametrize("real", [False, True])
def test_mice_proteins(
    real: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if real:
        beside = FOLDER.parents[2] / "shared" / "data"
        if not beside.is_dir():
            pytest.skip("the data of the papers are not here")
        monkeypatch.setenv("SPARSEK_DATA", str(beside))
        try:
            datasets.fetch_mice_protein(download_if_missing=False)
        except datasets.DatasetError as error:
            pytest.skip(str(error))
    found, shown = run("mice_proteins", capsys)
    assert shown.startswith("real data" if real else "a generated look-alike")
    assert found["X"].shape == (570, 77)
    mixed = dict(zip(found["sizes"], found["counts"], strict=True))
    assert mixed[20] < min(mixed[5], mixed[77])
    filled, kpod, skfr = (int(line.split(":")[1].split()[0]) for line in shown.splitlines()[2:5])
    assert skfr < min(filled, kpod)


def test_plots(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = run("plots", capsys)
    text = (FOLDER / "plots.py").read_text(encoding="utf-8")
    assert all(f"plots.{name}(" in text for name in plots.__all__)
    objectives = found["skfr"].start_objectives_
    assert np.isclose(objectives, found["skfr"].objective_, rtol=1e-6).sum() == 2  # "two of the 20"
    assert found["search"].best_params_ == {"n_features_to_select": 13}
    assert found["grid"].best_params_["n_features_to_select"] == 13
    means = pd.DataFrame(
        found["centers"].images[0].get_array(), index=found["skfr"].summary().features["feature"][:6]
    )
    assert (means[1] > 0).all()
    assert (means[2].drop("alcohol") < 0).all()


def test_single_cell(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = run("single_cell", capsys)
    for name in ("skfr", "sparse"):
        assert adjusted_rand_score(found["types"], found[name].labels_) > 0.9
        assert np.mean(found["is_marker"][found[name].get_support()]) > 0.9
    assert adjusted_rand_score(found["types"], found["kmeans"].labels_) < 0.9


def test_text_counts(capsys: pytest.CaptureFixture[str]) -> None:
    found, shown = run("text_counts", capsys)
    assert adjusted_rand_score(found["subject"], found["skfr"].labels_) > 0.9
    assert "36 of 36 words of the subjects among 36 in use" in shown
    assert adjusted_rand_score(found["subject"], found["kmeans"].labels_) < 0.5
    objectives = [float(line.split()[1].strip(",")) for line in shown.splitlines() if "objective" in line]
    assert objectives[0] < objectives[1]
