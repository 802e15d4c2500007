"""A survey on the command line: answers in words, holes, weights and sites, from the file to the page."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sparsek import SKFR, FitUncertainty
from sparsek.inputs.scales import guessed_orders, with_orders
from tests.cli.cli_runner import error_of, run

AGREE = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]


def survey(n: int = 90) -> pd.DataFrame:
    """Two groups that answer five questions otherwise, a trade of the groups, a town, weights and sites."""
    rng = np.random.default_rng(8)
    group = np.arange(n) % 2
    frame = pd.DataFrame({f"q{j}": rng.integers(0, 5, n) for j in range(1, 7)})
    for question in ("q1", "q2", "q3"):
        frame[question] = np.where(group == 0, rng.integers(0, 2, n), rng.integers(3, 5, n))
    frame = frame.apply(lambda column: np.array(AGREE, dtype=object)[column])
    frame["trade"] = np.where(group == 0, "cook", np.where(rng.random(n) < 0.5, "nurse", "smith"))
    frame["town"] = rng.choice(["east", "west"], n)
    frame = frame.mask(rng.random(frame.shape) < 0.04)
    return frame.assign(weight=rng.integers(1, 4, n), site=rng.choice(["x", "y"], n))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    survey().to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path / "survey.csv"


READ = ["--categories", "all-text", "--n-init", 2]


def test_from_the_file_to_the_page(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    beside = ["--weights", "weight", "--batch", "site"]
    tuned = run("tune", data, "--k", "1:3", *READ, *beside, "--json")
    assert json.loads(tuned.stdout)["chosen"] == {"n_clusters": 2}
    assert "taken as ordered, Strongly disagree < Disagree < Neutral < Agree < Strongly agree" in tuned.stderr
    run("fit", data, "--k", 2, "--select", 4, *READ, *beside, "--proba", "--out", out)
    features = pd.read_csv(out / "features.csv")
    assert set(features["feature"].head(4)) == {"q1", "q2", "q3", "trade"}
    shares = pd.read_csv(out / "probabilities.csv")
    assert shares.shape == (90, 3)
    result = json.loads((out / "result.json").read_text())
    assert result["weights"] == {"column": "weight", "sum": float(survey()["weight"].sum())}
    run("report", out)
    assert "q1" in (out / "report.html").read_text()
    tests = ["--select", 4, "--drop", "weight", "--batch", "site", "--null", 9, "--fdr", 0.4]
    found = run("test", data, "--k", 2, *READ, *tests)
    assert "holds answers in words. Leave such columns out to test pairs" in " ".join(found.stdout.split())
    assert "Which features differ? " in found.stdout


def test_the_fit_is_that_of_python(data: Path) -> None:
    call = ["fit", data, "--k", 2, "--select", 4, *READ, "--weights", "weight", "--drop", "site", "--proba"]
    found = json.loads(run(*call, "--json").stdout)
    answers = survey().drop(columns=["weight", "site"])
    answers = answers.astype("category")
    frame = with_orders(answers, guessed_orders(answers))
    assert [name for name, kind in frame.dtypes.items() if kind.ordered] == [f"q{j}" for j in range(1, 7)]
    model = SKFR(2, 4, n_init=2, random_state=0).fit(frame, sample_weight=survey()["weight"])
    assert found["labels"] == model.labels_.tolist()
    sure = FitUncertainty(SKFR(2, 4, n_init=2, random_state=0), random_state=0)
    sure.fit(frame, sample_weight=survey()["weight"])
    np.testing.assert_array_equal(found["probabilities"]["values"], sure.membership_)


def test_orders_that_are_given(data: Path, tmp_path: Path) -> None:
    call = ["fit", data, "--k", 2, "--select", 3, "--n-init", 2, "--drop", "site,weight,town"]
    order = "<".join(AGREE)
    names = ",".join(f"q{j}" for j in range(1, 7))
    given = run(*call, "--ordered", f"{names}={order}", "--ordered", "trade=cook<nurse<smith", "--json")
    assert "taken as ordered" not in given.stderr
    features = pd.DataFrame(json.loads(given.stdout)["features"])
    assert len(features) == 7
    run(*call, "--categories", "all-text", "--ordered", "none", "--out", tmp_path / "out", "--no-plots")
    centers = pd.read_csv(tmp_path / "out" / "centers.csv")["feature"].tolist()
    assert "q1=Strongly agree" in centers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ordered", "q1"], "--ordered takes columns and their different levels"),
        (["--ordered", "q1=a<a"], "from the lowest to the highest"),
        (["--ordered", "q1=a<b", "--ordered", "q1=a<b"], "names column 'q1' twice"),
        (
            ["--ordered", "q1=Agree<Neutral", "--categories", "all-text"],
            "has the entry 'Disagree', which is none of its ordered levels",
        ),
        (["--ordered", "q9=a<b"], "has no column 'q9'"),
        (["--ordered", "weight=1<2<3", "--categories", "all-text"], "column 'weight' holds numbers"),
        (["--weights", "q1", "--categories", "all-text"], "weights are numbers of at least 0"),
        (["--weights", "none"], "has no column 'none'"),
        (["--method", "mpckm", "--weights", "weight"], "method mpckm takes no --weights"),
        (["--method", "minmax", "--ordered", "q1=a<b"], "method minmax has no --categories"),
    ],
)
def test_errors_come_before_the_fit(data: Path, options: list[str], message: str) -> None:
    assert message in error_of("fit", data, "--k", 2, *options)


def test_what_a_criterion_cannot_take_is_an_error(data: Path) -> None:
    read = ["--categories", "all-text", "--drop", "site", "--n-init", 1]
    call = ["tune", data, "--k", "2", "--select", "2,4", *read]
    assert "one draw of a category cannot be split" in run(*call, "--criterion", "thinning", code=2).stderr
    found = run(*call, "--permutations", 3, "--weights", "weight", "--json")
    assert json.loads(found.stdout)["criterion"] == "gap"


def test_lost_probabilities_do_not_lose_the_fit(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no resample")

    monkeypatch.setattr("sparsek.cli._fitting.probabilities", broken)
    out = tmp_path / "out"
    call = ["fit", data, "--k", 2, *READ, "--drop", "site,weight", "--proba", "--out", out, "--no-plots"]
    assert "the fit is complete, and there are no probabilities: no resample" in run(*call, code=2).stderr
    assert (out / "labels.csv").exists()


def test_words_of_scales() -> None:
    frame = pd.DataFrame(
        {
            "how often": ["never", "rarely", "always", None],
            "when": ["often", "sometimes", "always", "never"],
            "two words": ["often", "frequently", "never", "always"],
            "two spellings": ["never", "Never", "often", "always"],
            "few": ["never", "always", "never", None],
            "town": ["a", "b", "c", "d"],
        }
    ).astype("category")
    frame["known"] = pd.Categorical(["low", "high", "medium", "low"], ["high", "medium", "low"], ordered=True)
    wanted = ["never", "rarely", "sometimes", "often", "always"]
    assert guessed_orders(frame) == {"how often": wanted, "when": wanted}
