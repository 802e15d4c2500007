"""Outcomes of the tests: the JUnit file that `make test` writes, and its counts for each requirement."""

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "report" / "tests.xml"
"""Where `make test` writes what each test gave."""
WORDS = ("passed", "failed", "skipped")


@dataclass(frozen=True, slots=True)
class TestRun:
    """What the tests gave."""

    __test__ = False

    created: str  # Date and time of the run, as pytest wrote it
    outdated: bool  # Whether a file of the package or of the tests was changed after the run
    # Numbers of outcomes, by test function: file and name, without parameters
    counts: Mapping[str, Counter[str]]

    def of(self, tests: Sequence[str]) -> dict[str, int]:
        """Numbers of outcomes of some tests."""
        found = {
            name: counts
            for name, counts in self.counts.items()
            if any(name == test or name.startswith(f"{test}::") for test in tests)
        }
        return {word: sum(counts[word] for counts in found.values()) for word in WORDS}

    def total(self) -> dict[str, Any]:
        """The run as plain values: its date, whether it is outdated, its counts, the names of what failed."""
        counts = {word: sum(found[word] for found in self.counts.values()) for word in WORDS}
        failing = sorted(name for name, found in self.counts.items() if found["failed"])
        return {"created": self.created, "outdated": self.outdated, **counts, "failing": failing}


def load_tests(file: Path = RESULTS) -> TestRun | None:
    """Read the outcomes of the tests.

    Raises ValueError if the file was cut off or damaged.
    """
    if not file.is_file():
        return None
    created, counts = "", dict[str, Counter[str]]()
    try:
        for _, element in ElementTree.iterparse(file):
            if element.tag == "testcase":
                counts.setdefault(_name(element), Counter())[_outcome(element)] += 1
                element.clear()
            elif element.tag == "testsuite":
                created = element.get("timestamp", "").partition(".")[0]
    except ElementTree.ParseError as error:
        raise ValueError(f"{file} is damaged ({error}); run make test again, or delete the file") from error
    return TestRun(created, _is_outdated(file), counts)


def _name(case: ElementTree.Element) -> str:
    """File and name of a test without its parameters: ``tests/test_a.py::test_b``."""
    module, name = case.get("classname", ""), case.get("name", "")
    return f"{module.replace('.', '/')}.py::{name.partition('[')[0]}"


def _outcome(case: ElementTree.Element) -> str:
    """The word for a test's outcome; an error in its preparation is a failure."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def _is_outdated(file: Path) -> bool:
    """Whether a source file is newer than the outcomes."""
    written = datetime.datetime.fromtimestamp(file.stat().st_mtime)
    return any(
        datetime.datetime.fromtimestamp(path.stat().st_mtime) > written
        for folder in ("sparsek", "tests")
        for path in (ROOT / folder).rglob("*.py")
    )
