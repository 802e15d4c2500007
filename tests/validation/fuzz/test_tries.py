"""The targets of `--tries`: a few tries of each, planted faults, and their place in the counts."""

import os
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sparsek.cli import _folder, _page
from sparsek.core.checkpoint import Checkpoint
from sparsek.port import hints
from validation.__main__ import main
from validation.fuzz import damage, processes
from validation.fuzz.command import HARD, hard_target_of, make_try
from validation.fuzz.judge import CLEAR, CRASH, HANG, RIGHT, WRONG, judge
from validation.fuzz.verdict import load_campaign

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")


SLOW = ("search killed", "one folder, several commands", "fork after fit", "names of R scripts")
"""Targets of which a try may take a second."""


def test_every_target_has_its_maker() -> None:
    assert [*HARD] == [*processes.MAKERS, *damage.MAKERS]
    assert [hard_target_of(number) for number in range(2 * len(HARD))] == [*HARD] * 2


@pytest.mark.thorough
def test_tries_follow_from_their_numbers() -> None:
    for number in range(2 * len(HARD)):
        assert make_try(3, number).text == make_try(3, number).text


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] * (name in SLOW)) for name in HARD]
)
def test_a_few_tries(name: str) -> None:
    first, count = [*HARD].index(name), 2 if HARD[name] == "processes" else 4
    for number in range(first, first + count * len(HARD), len(HARD)):
        call = make_try(0, number)
        outcome = judge(call, 60.0)
        assert outcome.kind in (RIGHT, CLEAR), f"{call.text}: {outcome.detail}"


def test_how_children_end(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome, found = processes.Child(lambda: 7).end()
    assert (outcome.kind, found) == (RIGHT, 7)
    outcome, found = processes.Child(os.abort).end()
    assert (outcome.kind, found) == (CRASH, None)
    monkeypatch.setattr(processes, "PATIENCE", 0.1)
    assert processes.Child(lambda: time.sleep(60)).end()[0].kind == HANG


def kinds(target: str, holds: Callable[[str], bool], count: int) -> set[str]:
    """What comes of the first tries of a target whose text has something."""
    numbers = range([*HARD].index(target), 10_000, len(HARD))
    calls = (call for call in (make_try(0, number) for number in numbers) if holds(call.text))
    return {judge(call, 60.0).kind for call in islice(calls, count)}


def test_half_a_file_of_a_search_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are not written whole: the resumed search warns of what the kill has left."""
    monkeypatch.setattr(Checkpoint, "_write", staticmethod(lambda path, content: path.write_bytes(content)))
    monkeypatch.setitem(
        processes.KILLS, "at a file", lambda fit, place, share, lasts: _leave_half(fit, place)
    )
    found = kinds("search killed", lambda text: text.startswith("Stab") and ": at a file, then" in text, 3)
    assert WRONG in found  # others have an estimator that selects no features


def _leave_half(fit: Callable[[], Any], folder: Path) -> None:
    fit()
    file = min(folder.glob("*.npy"))
    file.write_bytes(file.read_bytes()[:-9])


@pytest.mark.thorough
def test_a_mixture_of_two_results_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are put into the folder one by one."""

    def put(new: Path, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        for path in new.iterdir():
            if path.name != "labels.csv" or not (folder / path.name).exists():
                path.replace(folder / path.name)

    processes.alone()
    monkeypatch.setattr(_folder, "_replace", put)
    assert WRONG in kinds("one folder, several commands", lambda text: "t0 --force, t1 --force" in text, 2)


@pytest.mark.thorough
def test_markup_and_python_that_is_none_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_page, "in_html", str)
    monkeypatch.setattr(hints, "_is_name", lambda name: True)
    assert WRONG in kinds("hostile results", lambda text: "report" in text and '="<script>' in text, 8)
    assert WRONG in kinds("names of R scripts", lambda text: "--hints" in text and "x\u00b2" in text, 12)


@pytest.mark.thorough
def test_the_command_counts_tries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--calls", "0", "--tries", "1", "--limit", "120", "--n-jobs", "1", "--output", str(tmp_path)]
    assert main(["fuzz", *options]) == 0
    assert "6 calls" in capsys.readouterr().out
    campaign = load_campaign(tmp_path)
    assert campaign is not None
    assert campaign["calls"] == dict.fromkeys(HARD, 1)
    assert campaign["command"] == "python -m validation fuzz --calls 0 --seed 0 --limit 120 --tries 1"
    assert main(["fuzz", "--try", "3"]) == 0
    assert "--seed 0 --try 3" in capsys.readouterr().out
