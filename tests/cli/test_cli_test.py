"""The command ``sparsek test``: what it prints and writes, its page, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sparsek import SKFR, inference
from sparsek.cli._testing import _about_part, _answers
from tests.cli.cli_runner import error_of, make_frame, run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "data.csv"
    make_frame().to_csv(file)
    return file


QUICK = ("--k", 3, "--select", 2, "--n-init", 2, "--null", 9, "--id-col", "id", "--no-plots")


def test_all_tests_are_printed_written_and_on_the_page(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "tested"
    done = run("test", data, *QUICK, "--out", out)
    for text in (
        "Is there more than one cluster? ",
        "Which features differ? ",
        "How sure are the clusters? In 50 bootstrap samples a row of the least sure cluster, ",
        "Assumptions of the tests of pairs",
        "Pairs of clusters of one half of the information, tested on the other",
        "Features at a false discovery rate of 0.1: ",
        "All means of these clusters are equal: p = ",
        "These are the clusters of the half",
    ):
        assert text in " ".join(done.stdout.split())
    assert (out / "summary.txt").read_text() == done.stdout
    result = json.loads((out / "result.json").read_text())["tests"]
    assert [(pair["a"], pair["b"]) for pair in result["pairs"]] == [(0, 1), (0, 2), (1, 2)]
    assert len(result["part"]["labels"]) == 30
    assert {row["feature"] for row in result["features"]} == set("abcdef")
    assert [row["assumption"] for row in result["assumptions"]][-1] == "rounding"
    run("report", out)
    assert "Is there more than one cluster?" in (out / "report.html").read_text()


def test_the_numbers_are_those_of_python(data: Path) -> None:
    done = run("test", data, *QUICK, "--seed", 4, "--json", "--no-scale", "--sigma", 1)
    result = json.loads(done.stdout)["tests"]
    frame = make_frame()
    model = SKFR(3, 2, n_init=2, random_state=4, standardize=False)
    thinned = inference.test_thinned(frame, model, sigma=1.0, random_state=4)
    assert result["part"]["labels"] == thinned.labels.tolist()
    single = inference.test_one_cluster(frame, model, (2, 3), n_null=9, random_state=4)
    assert result["one cluster"]["p_value"] == single.p_value
    assert result["one cluster"]["refused"] == single.refused


def answers(**changes: object) -> list[str]:
    """The three sentences of made-up tests."""
    single = {"refused": False, "p_value": 0.01, "n_clusters": (2, 3), "n_null": 99, "text": "no answer"}
    features = pd.DataFrame({"feature": list("abcdefg"), "selected": [True] * 7})
    tests = {"one cluster": single, "features": features, "fdr": 0.1, "membership": {0: 0.9, 1: 0.7}}
    return _answers(tests | changes)


def test_three_sentences_answer() -> None:
    more, which, sure = answers()
    assert more.startswith("Is there more than one cluster? Yes: one cluster against 2 or 3 has p = 0.01")
    assert which == "Which features differ? a, b, c, d, e and 2 more, at a false discovery rate of 0.1"
    assert "least sure cluster, 1, is in it with a share of 0.70; the mean over the clusters is 0.80" in sure
    none = pd.DataFrame({"feature": ["a"], "selected": [False]})
    assert answers(features=none)[1].startswith("Which features differ? none is shown to, at")
    single = {"p_value": 0.3, "n_clusters": (2,), "n_null": 99, "text": "no answer: far rows"}
    assert "That is not shown" in answers(**{"one cluster": single | {"refused": False}})[0]
    assert answers(**{"one cluster": single | {"refused": True}})[0].endswith("no answer: far rows")


def test_a_skewed_column_that_takes_no_part_is_no_warning(tmp_path: Path) -> None:
    frame = make_frame()
    frame["skewed"] = np.exp(3 * np.random.default_rng(0).normal(size=len(frame)))
    frame.to_csv(tmp_path / "skewed.csv")
    done = run("test", tmp_path / "skewed.csv", *QUICK, "--json")
    result = json.loads(done.stdout)
    assert "skewed" not in {row["feature"] for row in result["tests"]["assumptions"]}


def test_three_questions_are_answered_where_values_are_missing(data: Path, tmp_path: Path) -> None:
    holes = pd.read_csv(data)
    holes.loc[[2, 7], "b"] = np.nan
    holes.to_csv(tmp_path / "holes.csv", index=False)
    done = run("test", tmp_path / "holes.csv", *QUICK, "--out", tmp_path / "out")
    printed = " ".join(done.stdout.split())
    for text in (
        "Is there more than one cluster? ",
        "Which features differ? ",
        "How sure are the clusters? ",
        "Pairs of clusters are not tested: normal data can be halved for that, and 2 values are missing",
    ):
        assert text in printed
    result = json.loads((tmp_path / "out" / "result.json").read_text())["tests"]
    assert result["untested"].startswith("2 values are missing")
    assert not {"pairs", "part", "assumptions"} & set(result)
    frame = holes.set_index("id")
    model = SKFR(3, 2, n_init=2, random_state=0)
    single = inference.test_one_cluster(frame, model, (2, 3), n_null=9, random_state=0)
    assert result["one cluster"]["p_value"] == single.p_value


@pytest.mark.parametrize(
    ("agreement", "sigma", "told"), [(0.1, None, True), (0.9, None, False), (0.1, 1.0, False)]
)
def test_other_clusters_in_the_half_are_pointed_out(
    agreement: float, sigma: float | None, told: bool
) -> None:
    parts = _about_part({"p_value": 0.01, "agreement": agreement, "sigma": sigma})
    assert any("Give --sigma" in part.heading for part in parts) == told


def test_what_cannot_be_tested_is_refused(data: Path, tmp_path: Path) -> None:
    assert "--k must be at least 2 to test clusters; got 1" in error_of(
        "test", data, "--k", 1, "--id-col", "id"
    )
    holes = pd.read_csv(data)
    holes.loc[2, "b"] = np.nan
    holes.to_csv(tmp_path / "holes.csv", index=False)
    message = error_of(
        "test", tmp_path / "holes.csv", "--method", "sparse-kmeans", "--k", 3, "--id-col", "id"
    )
    assert "has 1 missing values, the first in row r2, column b; method sparse-kmeans needs" in message
    assert "n_null=4 sets give p-values of at least 0.2, above fdr=0.1" in error_of(
        "test", data, "--k", 2, "--null", 4, "--id-col", "id"
    )
