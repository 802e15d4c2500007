"""Run mutants in a copy of the tree and store the outcomes in a file, so that a run can be continued."""

import compileall
import hashlib
import json
import logging
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.testing import run_tests
from cosmic_ray.work_item import TestOutcome

from validation.mutants.sample import Mutant
from validation.mutants.selection import select_tests

log = logging.getLogger(__name__)

PYTEST = "-m pytest -x -q -p no:cacheprovider --hypothesis-profile=ci -m 'not live_r and not slow'"
NOT_COPIED = (".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "_build", "_made")
TIMES = "seconds of the test files"
KILLED, TIMED_OUT, SURVIVED = "killed", "timed out", "survived"


def load(path: Path) -> dict[str, dict[str, Any]]:
    """Outcomes of earlier runs, by identifier.

    Parameters
    ----------
    path : Path
        The session file: one JSON object per line; later ones replace earlier ones.

    Returns
    -------
    dict
        The objects by their ``id``.
    """
    lines = path.read_text().splitlines() if path.exists() else []
    return {entry["id"]: entry for entry in map(json.loads, lines)}


def identify(root: Path, mutant: Mutant) -> str:
    """The key of a mutant with a digest of its file: an outcome is valid until the file changes.

    Parameters
    ----------
    root : Path
        The top of the tree.
    mutant : Mutant
        The mutant.

    Returns
    -------
    str
        Its identifier in the session file.
    """
    return f"{mutant.key}-{hashlib.sha256((root / mutant.file).read_bytes()).hexdigest()[:8]}"


def command(tests: list[str]) -> str:
    """The command that runs some tests."""
    return f"{shlex.quote(sys.executable)} {PYTEST} {shlex.join(tests)}"


def _enter_copy(root: Path, folder: str) -> None:
    """Give a worker process its own copy of the tree, as its working directory."""
    copy = Path(tempfile.mkdtemp(dir=folder))
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*NOT_COPIED), dirs_exist_ok=True)
    compileall.compile_dir(copy, quiet=1)  # so that test runs need not write bytecode
    os.chdir(copy)
    os.environ |= {"PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}


def _time_tests(tests: list[str]) -> dict[str, float]:
    """Run the tests on the unchanged code, where they must pass; seconds by test file."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        outcome, output = run_tests(f"{command(tests)} --junitxml {report}", 3600)
        if outcome is not TestOutcome.SURVIVED:
            raise RuntimeError(f"these tests fail on the code as it is:\n{output}")
        seconds: Counter[str] = Counter()
        for case in ElementTree.parse(report).iter("testcase"):
            seconds[case.attrib["classname"].replace(".", "/") + ".py"] += float(case.attrib["time"])
    return dict(seconds)


def _run(mutant: Mutant, identifier: str, tests: list[str], limit: float) -> dict[str, Any]:
    """Test one mutant in the copy of the tree of this process."""
    begin = time.perf_counter()
    result = mutate_and_test([mutant.spec], command(tests), limit)
    if result.test_outcome is TestOutcome.INCOMPETENT or result.test_outcome is None:
        raise RuntimeError(f"{mutant}\n{result.output}")
    outcome = SURVIVED if result.test_outcome is TestOutcome.SURVIVED else KILLED
    if result.output == "timeout":
        outcome = TIMED_OUT
    seconds = round(time.perf_counter() - begin, 1)
    return {"id": identifier, "outcome": outcome, "seconds": seconds, "by": _failed(result.output or "")}


def _limit(tests: list[str], seconds: dict[str, float]) -> float:
    """The time limit of some tests: three times their time on the unchanged code, plus a minute."""
    return 60 + 3 * sum(seconds[file] for file in {test.partition("::")[0] for test in tests})


def _failed(output: str) -> str:
    """Name of the first failed test in pytest's summary."""
    lines = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0].split(" - ")[0] if lines else ""


@contextmanager
def _workers(root: Path, n_jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes with a temporary copy of the tree each."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(n_jobs, initializer=_enter_copy, initargs=(root, folder)) as pool,
    ):
        yield pool


def run(root: Path, path: Path, wanted: dict[str, Mutant], settings: dict[str, Any], n_jobs: int) -> None:
    """Test mutants and write each outcome to the session file at once.

    Parameters
    ----------
    root : Path
        The top of the tree.
    path : Path
        The session file.
    wanted : dict
        The mutants by identifier.
    settings : dict
        What ``settings.toml`` says.
    n_jobs : int
        Number of mutants tested at the same time.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = {
        name: select_tests(root, mutant.spec.module_path, mutant.spec.definition_name, settings)
        for name, mutant in wanted.items()
    }
    with _workers(root, n_jobs) as pool, path.open("a") as file:

        def keep(entry: dict[str, Any]) -> None:
            file.write(json.dumps(entry) + "\n")
            file.flush()

        files = sorted({test.partition("::")[0] for tests in chosen.values() for test in tests})
        seconds = load(path).get(TIMES, {}).get("seconds", {})
        if not set(files) <= set(seconds):
            log.info("running %d test files on the code as it is", len(files))
            found = pool.submit(_time_tests, files).result()
            seconds = {file: round(found.get(file, 0), 1) for file in files}
            keep({"id": TIMES, "seconds": seconds})
        jobs = {
            pool.submit(_run, mutant, name, chosen[name], _limit(chosen[name], seconds)): mutant
            for name, mutant in wanted.items()
        }
        for count, job in enumerate(as_completed(jobs), 1):
            entry = job.result()
            keep(entry)
            log.info(
                "%d of %d %s in %s s: %s", count, len(jobs), entry["outcome"], entry["seconds"], jobs[job]
            )
