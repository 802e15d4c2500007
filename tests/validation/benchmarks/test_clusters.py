"""The suite for the number of clusters: what it draws, what rules are given, the tables of the record."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from validation import __main__ as validation
from validation.benchmarks.clusters import command, methods, page
from validation.benchmarks.clusters.battery import battery
from validation.benchmarks.clusters.designs import FAMILIES, draw
from validation.papers.shared.store import load_table

LINE = next(family for family in FAMILIES if family.name == "on a line")


def call(*words: object) -> int:
    return validation.main(["clusters", "--n-jobs", "1", *map(str, words)])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_draws_numbers_with_a_number_of_clusters(family) -> None:
    for number in range(2):
        X, k = draw(family, 7, number)
        assert X.ndim == 2
        assert X.dtype == np.float64
        assert (k == 1) == family.null
        assert len(X) >= 60
        assert np.isnan(X).any() == (family.name == "holes")
        assert np.array_equal(X, draw(family, 7, number)[0], equal_nan=True)
        assert X.shape != draw(family, 8, number)[0].shape or not np.array_equal(
            X, draw(family, 8, number)[0]
        )


def test_the_command_prints_and_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "commit_here", lambda: "0123456789ab-dirty")
    assert call("--record") == 2
    assert "commit your changes" in capsys.readouterr().out
    monkeypatch.setattr(command, "commit_here", lambda: "0123456789ab")
    monkeypatch.setattr(command, "FAMILIES", [replace(family, draws=2) for family in FAMILIES])
    families = ("--families", "on a line", "a gradient", "--methods", "ModelChoice", "silhouette")
    assert call(*families, "--output", tmp_path, "--record") == 0
    table, about = load_table(page.NAME, tmp_path)
    assert set(table["family"]) == {"on a line", "a gradient"}
    own = table[table["rule"] == page.OURS]
    assert (own["chosen"] == own["k"]).all()
    assert (own["low"] <= own["chosen"]).all()
    assert (own["chosen"] <= own["high"]).all()
    assert table.loc[table["rule"] == "silhouette", "low"].isna().all()
    shown = capsys.readouterr().out
    assert "4 sets, 2 rules" in shown
    text = page.clusters_text(table, about, pd.DataFrame.to_string)
    assert "Shares of 4 sets, recorded" in text


@pytest.mark.thorough
def test_every_rule_has_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "REFERENCES", 2)
    X, k = draw(LINE, 3, 1)
    answers = {name: methods.choose(name, X, range(1, 9))[0] for name in methods.METHODS}
    assert answers[page.OURS] == k
    assert set(answers) == set(methods.METHODS)
    assert all(0 <= found <= 8 for found in answers.values())


def test_slow_criteria_have_some_sets_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "commit_here", lambda: "0123456789ab")
    monkeypatch.setattr(command, "choose", lambda name, X, ks: (len(name) % 3, np.nan, np.nan))
    assert (
        call(
            "--criteria", "--families", "on a line", "few of many features", "--record", "--output", tmp_path
        )
        == 0
    )
    table, about = load_table(page.CRITERIA, tmp_path)
    assert set(table["rule"]) == {page.OURS, *page.SLOW}
    assert table["set"].max() < methods.OLD_DRAWS
    assert table["p"].max() <= methods.OLD_COLUMNS
    assert "on all features of two sets" in page.criteria_text(table, about, pd.DataFrame.to_string)


def test_the_battery_is_read_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "fcps").mkdir()
    np.savetxt(tmp_path / "fcps" / "two.data.gz", np.arange(12.0).reshape(6, 2))
    np.savetxt(tmp_path / "fcps" / "two.labels0.gz", [1, 1, 2, 2, 0, 0], fmt="%d")
    ((name, X, k),) = battery(tmp_path)
    assert (name, X.shape, k) == ("fcps/two", (6, 2), 2)


def test_the_battery_has_a_record_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "commit_here", lambda: "0123456789ab")
    X, k = draw(LINE, 3, 1)
    monkeypatch.setattr(command, "battery", lambda folder: [("a/line", X, k), ("b/line", X, k + 1)])
    assert call("--battery", tmp_path, "--methods", "ModelChoice", "--record", "--output", tmp_path) == 0
    text = page.battery_text(*load_table(page.BATTERY, tmp_path), pd.DataFrame.to_string)
    assert "The same on 2 sets" in text
    assert "clusters --battery FOLDER --methods 'ModelChoice' --record" in text
    assert text.splitlines()[-1].split()[-2:] == ["all", "0.5"]


def test_shares_of_the_tables() -> None:
    table = pd.DataFrame(
        {
            "family": ["a", "a", "b", "b", page.REAL],
            "set": [0, 1, 0, 1, 0],
            "null": [False, False, True, True, False],
            "k": [3, 4, 1, 1, 2],
            "rule": page.OURS,
            "chosen": [3, 5, 1, 2, 7],
            "low": [3, 2, 1, 2, 1],
            "high": [3, 4, 1, 2, 9],
            "seconds": 1.0,
        }
    )
    shares = page.in_all(table).loc[page.OURS]
    assert shares.tolist() == [0.5, 1.0, 0.5, 0.5, 1.0]
    assert page.by_family(table)[page.OURS].to_dict() == {"a": 0.5, "b": 0.5, page.REAL: 0.0}
    assert page.intervals(table).tolist() == [0.75, 0.75, 0.67, 0.0]
