"""The record of the speeds, and the tables and the picture that are made of it."""

import argparse
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from validation.benchmarks import page, speed
from validation.benchmarks.rows import Row, Work
from validation.benchmarks.scale import growth
from validation.papers.shared.store import RESULTS, load_table


def row(call: str, data: str, numpy: float, compiled: float = math.nan) -> Row:
    return Row(call, "(2, 3)", data, "R", 0.5, 2.0, numpy, compiled, math.nan, 1e9, 0.0)


@pytest.fixture
def two_topics(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Row]]:
    rows = {"b.g": [row("g", "", 4.0)], "a.f": [row("f", "noise", 1.0, 0.5), row("f", "groups", 3.0, 0.25)]}
    monkeypatch.setattr(speed, "TABLES", dict.fromkeys(rows, ()))
    monkeypatch.setattr(speed, "ALONE", {})
    monkeypatch.setattr(speed, "rows", lambda topic, options: iter(rows[topic]))
    monkeypatch.setattr(speed, "measure_machine", lambda: Work(1e9, 1e9))
    monkeypatch.setattr(speed, "live_versions", lambda packages: {})
    return rows


def options(*topics: str, output: Path, **given: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    speed.add_arguments(parser)
    parsed = parser.parse_args([*topics, "--output", str(output)])
    return argparse.Namespace(**vars(parsed) | given)


def test_a_part_of_the_rows_is_not_recorded(
    two_topics: dict[str, list[Row]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speed.main(options(output=tmp_path, only="f")) == 2
    assert "add --print-only" in capsys.readouterr().out
    assert speed.main(options("a.f", output=tmp_path, only="f", print_only=True)) == 0
    assert "f " in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_rows_of_topics_that_did_not_run_stay(two_topics: dict[str, list[Row]], tmp_path: Path) -> None:
    assert speed.main(options(output=tmp_path)) == 0
    table, about = load_table("speed", tmp_path)
    assert table["topic"].tolist() == ["b.g", "a.f", "a.f"]
    assert table["limit"].tolist() == [1.0, 1.0, 1.0]
    assert about["scale"] == "python -m validation speed"
    two_topics["b.g"] = [row("g", "", 8.0)]
    assert speed.main(options("b.g", output=tmp_path)) == 0
    again, _ = load_table("speed", tmp_path)
    assert again["numpy"].tolist() == [8.0, 1.0, 3.0]


def test_rows_of_another_machine_do_not_stay(
    two_topics: dict[str, list[Row]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speed.main(options(output=tmp_path))
    monkeypatch.setattr(speed, "describe_environment", lambda versions: {"cpu": "another", "sparsek": "0"})
    speed.main(options("b.g", output=tmp_path))
    assert load_table("speed", tmp_path)[0]["topic"].tolist() == ["b.g"]


def test_unknown_topics_are_named(
    two_topics: dict[str, list[Row]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speed.main(options("c", output=tmp_path)) == 2
    assert "unknown topic c; choose from b.g, a.f" in capsys.readouterr().out


def test_the_table_has_ranges_over_the_kinds_of_data(
    two_topics: dict[str, list[Row]], tmp_path: Path
) -> None:
    speed.main(options(output=tmp_path))
    rows, about = load_table("speed", tmp_path)
    table = page.speed_table(rows)
    assert table.to_dict("list") == {
        "call": ["`g`", "`f`"],
        "size": ["(2, 3)", "(2, 3)"],
        "against": ["R", "R"],
        "numpy": ["2.0", "0.50 to 1.5"],
        "compiled": ["", "0.12 to 0.25"],
        "compiled, 2 threads": ["", ""],
        "limit": ["0.50", "0.50"],
        "goal": ["0.50", "0.50"],
    }
    figure = page.draw_speed(rows, "black", "red", "green", "blue")
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["g (2, 3)", "f (2, 3)"]
    quiet, busy = (page.describe_run(rows.assign(load=load), about) for load in (1.0, 4.0))
    assert "shared" not in quiet
    assert "- sparsek " in quiet
    assert "`b.g`, `a.f`" in quiet
    assert "processors at a time: `b.g` (4.0), `a.f` (4.0)" in busy


def test_goals_that_are_missed_are_counted(two_topics: dict[str, list[Row]], tmp_path: Path) -> None:
    speed.main(options(output=tmp_path))
    rows, _ = load_table("speed", tmp_path)
    assert page.goals_in_words(rows).startswith("Of 2 lines with a goal, 1 miss it")  # f is compiled
    assert page.goals_table(rows).to_dict("list") == {
        "call": ["`g`"],
        "size": ["(2, 3)"],
        "against": ["R"],
        "ratio": ["2.0"],
        "goal": ["0.50"],
    }


def test_usual_cases_are_in_seconds(two_topics: dict[str, list[Row]], tmp_path: Path) -> None:
    two_topics["b.g"] = [Row("f(x)", "(2, 3)", "a case", "R", math.nan, 2.0, 12.3, 0.0123, *[math.nan] * 3)]
    speed.main(options("b.g", output=tmp_path))
    assert page.usual_table(load_table("speed", tmp_path)[0]).to_dict("list") == {
        "case": ["a case"],
        "call": ["`f(x)`"],
        "size": ["(2, 3)"],
        "plain installation": ["12 s"],
        "compiled": ["12 ms"],
        "the other side": ["2.0 s"],
        "which is": ["R"],
    }


@pytest.mark.parametrize(
    ("value", "text"), [(0.00123, "0.0012"), (0.5, "0.50"), (1.26, "1.3"), (14.2, "14"), (123.4, "123")]
)
def test_ratios_have_two_digits(value: float, text: str) -> None:
    assert page.as_text(value) == text


def test_the_exponent_of_growth_does_not_count_the_fixed_time() -> None:
    sizes = 10 ** np.arange(3, 7.5, 0.5)
    fixed, exponent = growth.growth_of(sizes, 0.3 + 2e-5 * sizes)
    assert fixed == pytest.approx(0.3, rel=1e-3)  # an iterative fit of noiseless numbers
    assert exponent == pytest.approx(1.0, abs=1e-3)
    assert growth.growth_of(sizes, 0.3 + 2e-7 * sizes**1.3)[1] == pytest.approx(1.3, abs=1e-3)


def test_the_table_of_growth() -> None:
    sizes = np.array([1000, 10_000, 100_000])
    rows = pd.DataFrame(
        {
            "method": "SKFR",
            "axis": "n",
            "n": sizes,
            "p": 50,
            "ms": 0.1 + 1e-4 * sizes,
            "memory": 500.0 * sizes,
        }
    ).assign(data=400.0 * sizes)
    (line,) = page.growth_table(rows).to_dict("records")
    assert line["sizes"] == "n from 1,000 to 100,000, 50 columns"
    assert (line["ms per iteration, from"], line["to"]) == ("0.20", "10")
    assert line["*e*"] == "1.00"
    assert line["memory over data, largest size"] == "1.2"
    assert line["most of what we aim at"] == "49%"  # 50 MB of 1.3 * 40 + 50 MB


def test_the_record_has_the_machine_and_a_commit() -> None:
    rows, about = load_table(speed.NAME, RESULTS)
    assert set(rows["topic"]) <= set(speed.TABLES)
    assert {"cpu", "blas", "engine", "sparsek"} <= about["environment"].keys()
    assert (rows["theirs"] > 0).all()
    assert all(line.endswith(" 1 threads") for line in about["environment"]["blas"])
    assert page.speed_table(rows).shape[1] == 8
