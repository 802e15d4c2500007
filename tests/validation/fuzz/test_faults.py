"""Faults: how outcomes are judged, one scenario, and damaged trials of the papers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sparsek.engine import has_numba
from validation.fuzz import concurrency, faults
from validation.fuzz.faults import Ended, Outcome, judge, together
from validation.papers.shared.cells import read_trials

ENGINES = concurrency.ENGINES if has_numba() else ("numpy",)


@pytest.mark.parametrize(
    ("ended", "outcome"),
    [
        (Ended(0, "1", ""), "right"),
        (Ended(0, "2", ""), "wrong"),
        (Ended(1, "", "Traceback\nOSError: x was changed"), "clear"),
        (Ended(1, "", "Traceback\nValueError: cannot reshape"), "unclear"),
        (Ended(-7, "", ""), "wrong"),
        (Ended(None, "", ""), "hang"),
    ],
)
def test_judgement(ended: Ended, outcome: str) -> None:
    assert judge(ended, "1", "was changed")[0] == outcome


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals are POSIX")
def test_a_hang_says_where_its_threads_are() -> None:
    code = "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    outcome, detail = judge(faults.finish(process, patience=5), "")
    assert outcome == "hang"
    assert detail.startswith("no end after 5 seconds\nFatal Python error: Aborted")
    assert detail.count("hread 0x") == 2


def test_the_worst_counts() -> None:
    assert together("a", ("right", ""), ("unclear", "b"), ("clear", "c")) == Outcome("a", "unclear", "b")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
@pytest.mark.parametrize(
    ("way", "engine"), [("fork", "numpy"), ("processes", "numpy"), ("threads", ENGINES[-1])]
)
def test_fits_at_once_have_the_labels_of_one(way: str, engine: str) -> None:
    """Each way once, and each engine: the campaign makes every pair."""
    found = concurrency.at_once(engine, way)
    assert found.outcome == "right", found


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals are POSIX")
@pytest.mark.parametrize("engine", ENGINES)
def test_interrupts_change_nothing_later(engine: str) -> None:
    found = concurrency.interrupted(engine)
    assert found.outcome == "right", found


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_full_disk_while_a_model_is_saved() -> None:
    assert faults.full_disk_in_save().outcome == "clear"


def test_damaged_trials(tmp_path: Path) -> None:
    path = tmp_path / "cell.csv"
    path.write_text("trial,x\n0,1.25\n1,2.5\n")
    assert read_trials(path)["x"].tolist() == [1.25, 2.5]
    texts = ("", "trial,x\n0,1.25\n1,2.", "x\n1\n", "trial,x\n0,1\n0,2\n", "trial,x\n0,1\n,2\n")
    for text in (*texts, "a\n1,2,3\n4\n"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"cell\.csv is damaged; delete it to run its trials again"):
            read_trials(path)
