"""`python -m validation explore`, and that nothing but the seed decides what a test draws."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.places import ROOT
from validation import __main__ as command
from validation import explore

DRAWING = """
import random
import sys
from hypothesis import given, strategies as st

import numpy as np
import pytest

@given(st.lists(st.floats(), min_size=3), st.integers())
def test_property(values, number):
    print("drawn", values, number)

@pytest.mark.seeds(2, 5)
def test_seeds(seed):
    print("drawn", seed)

@pytest.mark.parametrize("number", range(2))
def test_globals(number):
    from sparsek.rng import RRandom
    print("drawn", random.random(), np.random.random(), RRandom().runif(1))
"""


def drawn(folder: Path, *options: str) -> list[str]:
    """What the tests of a file draw."""
    pytest = [sys.executable, "-m", "pytest", "-s", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)]
    done = subprocess.run(
        [*pytest, *settings, *options, str(folder / "test_it.py")],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return re.findall("^.*(drawn .*)$", done.stdout, flags=re.MULTILINE)


@pytest.mark.thorough
def test_nothing_but_the_seed_decides_what_a_test_draws(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(DRAWING, encoding="utf-8")
    first = drawn(tmp_path)
    assert len(first) > 40
    assert first[-4:-2] == ["drawn 5", "drawn 6"]
    assert first[-1] == first[-2]
    explored = drawn(tmp_path, "--hypothesis-seed=3")
    file.write_text(f"import sparsek.rcompat, validation.fuzz.values\n{DRAWING}", encoding="utf-8")
    assert drawn(tmp_path) == first
    assert drawn(tmp_path, "--hypothesis-seed=3") == explored
    assert not {*explored[:-2]} & {*first[-4:-2]}
    assert explored != first


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command; the seeds in `failing` fail. Gives exit code, options of pytest, lines printed."""

    def run(*arguments: str, failing: tuple[int, ...] = ()) -> tuple[int, list[list[str]], list[str]]:
        ran = []

        def run_tests(file: Path, options: list[str], environment: Any, n_jobs: str) -> tuple[bool, str]:
            ran.append(options)
            return file.name not in [f"seed-{seed}" for seed in failing], "outcomes"

        monkeypatch.setattr(explore, "run_tests", run_tests)
        code = command.main(["explore", *arguments])
        return code, ran, capsys.readouterr().out.splitlines()

    return run


def test_a_seed_is_run_again(run: Any) -> None:
    code, ran, lines = run("--seed", "22", "tests/bits")
    assert code == 0
    assert ran == [["-m", "drawn and not slow", "--hypothesis-seed=22", "tests/bits"]]
    assert lines == ["seed 22", "seed 22: passed: outcomes"]


def test_several_seeds_all_run_and_those_that_fail_are_named_last(run: Any) -> None:
    code, ran, lines = run("--seed", "7", "--seeds", "3", failing=(8,))
    assert code == 1
    assert [options[2] for options in ran] == [f"--hypothesis-seed={seed}" for seed in (7, 8, 9)]
    assert lines[3] == "seed 8: FAILED: outcomes"
    assert lines[-1] == "again: make explore SEED=8"


def test_seeds_are_new_unless_given(run: Any) -> None:
    found = {run("--seeds", "2")[1][0][2] for _ in range(5)}
    assert len(found) > 1
