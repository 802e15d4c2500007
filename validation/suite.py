"""The tests of the tree, run by pytest in processes of their own; commands choose which, and under what."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from validation.report.outcomes import TestRun, load_tests

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"


def run_tests(
    file: Path, options: Sequence[str], environment: Mapping[str, str], n_jobs: str = "auto"
) -> tuple[bool, str]:
    """Run pytest, and say whether all passed, with counts and times.

    What pytest prints and finds goes to two files, `file` with the endings .txt and .xml.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    log, report = Path(f"{file}.txt"), Path(f"{file}.xml")
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", n_jobs]
    command += ["--dist", "loadfile", "--no-loadscope-reorder"]  # as in the Makefile
    began, before = time.monotonic(), os.times()
    with log.open("w", encoding="utf-8") as printed:
        code = subprocess.run(
            [*command, f"--junitxml={report}", *options],
            env=os.environ | environment,
            cwd=ROOT,
            stdout=printed,
            stderr=subprocess.STDOUT,
        ).returncode
    minutes, after = (time.monotonic() - began) / 60, os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    line = f"{_counted(load_tests(report))}; {minutes:.1f} minutes, {work / 60:.1f} of processor time"
    if code:
        line += f"; pytest ended with {code}, see {os.path.relpath(log, ROOT)}{_failures(log)}"
    return code == 0, line


def _failures(log: Path) -> str:
    """The lines in which pytest names failed tests, the first twenty, each on a line of its own."""
    lines = log.read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return "".join(f"\n  {line}" for line in named[:20])


def _counted(found: TestRun | None) -> str:
    """Numbers of outcomes in words."""
    if found is None:
        return "no outcomes"
    return ", ".join(f"{found.total()[word]:,} {word}" for word in ("passed", "failed", "skipped"))


def number(text: str) -> int:
    """A whole number of at least 1, from the command line."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1; got {value}")
    return value
