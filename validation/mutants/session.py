"""Run mutants in a copy of the tree and store the outcomes in a file, so that a run can be continued."""

import compileall
import hashlib
import importlib
import json
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator

from validation.mutants.noise import behaviour
from validation.mutants.sample import Mutant

log = logging.getLogger(__name__)

PYTEST = (
    *("-x", "-q", "--assert=plain", "--strict-markers", "-o", "addopts=", "-p", "no:cacheprovider"),
    *("-m", "not live_r and not slow"),
)
OURS = ("sparsek", "tests", "validation", "r_reference")
"""Packages of the tree, which every run of the tests loads from its copy."""
LOADED_ONCE = (
    *("numpy.testing", "pandas", "joblib", "threadpoolctl", "mpmath", "hypothesis.extra.numpy"),
    *("scipy.cluster.hierarchy", "scipy.optimize", "scipy.sparse.csgraph", "scipy.spatial", "scipy.stats"),
    *("sklearn.cluster", "sklearn.datasets", "sklearn.metrics", "sklearn.utils.estimator_checks"),
)
"""Other packages that the tests load: once for a worker, whose children inherit them."""
NOT_COPIED = (".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "_build", "_made")
TIMES = "seconds of the test files"
KILLED, TIMED_OUT, SURVIVED = "killed", "timed out", "survived"


def load(path: Path) -> dict[str, dict[str, Any]]:
    """Outcomes of earlier runs, by identifier."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {entry["id"]: entry for entry in map(json.loads, lines)}


def identify(root: Path, mutant: Mutant) -> str:
    """The key of a mutant with a digest of its file: an outcome is valid until the file changes."""
    state = behaviour((root / mutant.file).read_text(encoding="utf-8")) or ""
    return f"{mutant.key}-{hashlib.sha256(state.encode()).hexdigest()[:8]}"


def _enter_copy(root: Path, folder: str) -> None:
    """Give a worker process its own copy of the tree, and load there what the tests need."""
    copy = Path(tempfile.mkdtemp(dir=folder))
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*NOT_COPIED), dirs_exist_ok=True)
    sys.path[:] = [str(copy), *(place for place in sys.path if Path(place).resolve() != root)]
    os.chdir(copy)
    os.environ |= {"PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    os.environ["SCIPY_ARRAY_API"] = "1"  # as in tests/conftest.py, which comes too late here
    compileall.compile_dir(copy, quiet=1)
    sys.dont_write_bytecode = True  # else the bytecode of one mutant may be taken for that of the next
    for name in LOADED_ONCE:
        importlib.import_module(name)


class _ExamplesOfThePackage:
    """Of a module of the package the examples are tests, but no function whose name begins with "test"."""

    @staticmethod
    def pytest_pycollect_makeitem(collector: pytest.Collector) -> list[pytest.Item] | None:
        """No items from functions of the package; other files as pytest does it."""
        return [] if Path("sparsek").resolve() in collector.path.parents else None


def _pytest(tests: list[str], output: Path) -> None:
    """Run the tests in this process, which then ends."""
    os.setsid()
    with output.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    code = pytest.ExitCode.USAGE_ERROR
    try:
        code = pytest.main([*PYTEST, *tests], plugins=[_ExamplesOfThePackage])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(int(code))


def _run_tests(tests: list[str], limit: float) -> tuple[str, str]:
    """What came out, and what pytest printed."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output.txt"
        process = multiprocessing.get_context("fork").Process(target=_pytest, args=(tests, output))
        process.start()
        process.join(limit)
        if process.is_alive():
            os.killpg(process.pid, signal.SIGKILL)
            process.join()
            return TIMED_OUT, ""
        printed = output.read_text(errors="replace", encoding="utf-8")
        if process.exitcode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise RuntimeError(f"no test was run:\n{printed}")
        return SURVIVED if process.exitcode == pytest.ExitCode.OK else KILLED, printed


def _time_tests(tests: list[str]) -> dict[str, float]:
    """Run the tests on the unchanged code, where they must pass; seconds by test file."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        options = ["--doctest-modules", "-o", "junit_family=legacy", f"--junitxml={report}"]
        outcome, output = _run_tests([*options, *tests], 3600)
        if outcome != SURVIVED:
            raise RuntimeError(f"these tests fail on the code as it is:\n{output}")
        seconds: Counter[str] = Counter()
        for case in ElementTree.parse(report).iter("testcase"):
            seconds[case.attrib["classname"].replace(".", "/") + ".py"] += float(case.attrib["time"])
    return dict(seconds)


def _run(mutant: Mutant, identifier: str, tests: list[str], seconds: dict[str, float]) -> dict[str, Any]:
    """Test one mutant in the copy of the tree of this process."""
    begin = time.perf_counter()
    operator = get_operator(mutant.spec.operator_name)()
    with use_mutation(mutant.spec.module_path, operator, mutant.spec.occurrence):
        for part in _parts(tests):
            outcome, output = _run_tests(part, _limit(part, seconds))
            if outcome != SURVIVED:
                break
    taken = round(time.perf_counter() - begin, 1)
    return {"id": identifier, "outcome": outcome, "seconds": taken, "by": _failed(output)}


def _parts(tests: list[str]) -> list[list[str]]:
    """The tests in up to four runs, the likeliest to fail first: most mutants need only the first."""
    examples = ["--doctest-modules", *(test for test in tests if test.startswith("sparsek/"))]
    files = [test for test in tests if test.startswith("tests/") and "::" not in test]
    cases = [test for test in tests if "::" in test]
    return [part for part in (examples[1:] and examples, files[:1], files[1:], cases) if part]


def _states(root: Path, files: list[str]) -> dict[str, str]:
    """Each test file with a digest of its text and of the package: it is run again when either changes."""
    package = b"".join(path.read_bytes() for path in sorted((root / "sparsek").rglob("*.py")))
    return {
        file: f"{file} {hashlib.sha256(package + (root / file).read_bytes()).hexdigest()[:8]}"
        for file in files
    }


def _limit(tests: list[str], seconds: dict[str, float]) -> float:
    """The time limit of some tests: three times their time on the unchanged code, plus a minute."""
    return 60 + 3 * sum(seconds.get(file, 0) for file in {test.partition("::")[0] for test in tests})


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
    """Test mutants and write each outcome to the session file at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = {
        name: select_tests(root, mutant.spec.module_path, mutant.spec.definition_name, settings)
        for name, mutant in wanted.items()
    }
    with _workers(root, n_jobs) as pool, path.open("a", encoding="utf-8") as file:

        def keep(entry: dict[str, Any]) -> None:
            file.write(json.dumps(entry) + "\n")
            file.flush()

        files = sorted({test.partition("::")[0] for tests in chosen.values() for test in tests})
        states = _states(root, files)
        known = load(path).get(TIMES, {}).get("seconds", {})
        seconds = {file: known[states[file]] for file in files if states[file] in known}
        if missing := [file for file in files if file not in seconds]:
            log.info("running %d test files on the code as it is", len(missing))
            found = pool.submit(_time_tests, missing).result()
            seconds |= {file: round(found.get(file, 0), 1) for file in missing}
            keep({"id": TIMES, "seconds": known | {states[file]: seconds[file] for file in missing}})
        jobs = {
            pool.submit(_run, mutant, name, chosen[name], seconds): mutant for name, mutant in wanted.items()
        }
        for count, job in enumerate(as_completed(jobs), 1):
            entry = job.result()
            keep(entry)
            log.info(
                "%d of %d %s in %s s: %s", count, len(jobs), entry["outcome"], entry["seconds"], jobs[job]
            )


PARITY = "tests/validation/parity/test_parity.py"


def _folders(root: Path, file: Path, also: dict[str, list[str]]) -> list[Path]:
    """The mirrored test folder, or the nearest one above, then those of the settings."""
    above = [folder.as_posix() for folder in file.parents][:-2]
    mirrored = [Path("tests", *Path(folder).parts[1:]) for folder in above]
    nearest = next((place for place in mirrored if (root / place).is_dir()), None)
    further = next((also[folder] for folder in above if folder in also), [])
    return [*([nearest] if nearest else []), *(Path("tests", name) for name in further)]


def _test_files(root: Path, folder: Path, words: list[str], left_out: list[str]) -> list[str]:
    """The test files of a folder; files that often name the module or the function come first."""
    paths = [path for path in (root / folder).glob("test_*.py") if path.name not in left_out]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    paths.sort(key=lambda path: (-sum(texts[path].count(word) for word in words), path.name))
    return [path.relative_to(root).as_posix() for path in paths]


@cache
def _records(root: Path) -> dict[str, list[str]]:
    """The tests of the recorded cases by package: for each function some cases, then the others."""
    cases = json.loads((root / "r_reference" / "cases.json").read_text(encoding="utf-8"))["cases"]
    found: dict[str, list[str]] = {}
    for (package, function), count in Counter((case["package"], case["function"]) for case in cases).items():
        names = ["test_some_recorded_cases"] + ["test_the_other_recorded_cases"] * (count > 1)
        found.setdefault(package, []).extend(f"{PARITY}::{name}[{function}]" for name in names)
    return found


def _packages(root: Path, file: Path, settings: dict[str, Any]) -> list[str]:
    """The packages whose recorded cases belong to a file: that of its folder, then those of the settings."""
    _, room, folder, *_ = file.parts
    records = _records(root) if room == "rcompat" else {}
    own = [name for name in records if name.casefold() == folder.removesuffix("_package")]
    above = [folder.as_posix() for folder in file.parents]
    named = next((settings["records"][folder] for folder in above if folder in settings["records"]), [])
    return [*own, *named]


def select_tests(root: Path, file: Path, function: str | None, settings: dict[str, Any]) -> list[str]:
    """The arguments of pytest for a mutant."""
    words = [".".join(file.with_suffix("").parts), *([function] if function else [])]
    folders = _folders(root, file, settings["also"])
    tests = [name for folder in folders for name in _test_files(root, folder, words, settings["left_out"])]
    examples = [file.as_posix()] if ">>> " in (root / file).read_text(encoding="utf-8") else []
    cases = [name for package in _packages(root, file, settings) for name in _records(root)[package]]
    return [*examples, *tests, *cases, *settings["always"]]
