"""Checks of installation (IQ) and operation (OQ) by name, each with its outcome and what shows it."""

import base64
import hashlib
import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet

import sparsek
from validation.environment import commit_here
from validation.report.outcomes import TestRun
from validation.report.release import needed

PASS, FAIL, NOT_RUN, DIFFERS = "pass", "fail", "not run", "differs"
Outcome = tuple[str, str]
"""The outcome of a check, and what shows it."""


def _check(name: str, title: str, outcome: Outcome) -> dict[str, str]:
    """A check as plain values."""
    return {"id": name, "title": title, "outcome": outcome[0], "shown": outcome[1]}


def installation_checks(environment: dict[str, Any]) -> list[dict[str, str]]:
    """The checks of the installation that this process runs in."""
    installed = _distribution()
    absent = (NOT_RUN, "sparsek is imported from its source; pip install it to check this")
    python, packages = (absent, absent) if installed is None else (_python(installed), _packages())
    unlike = environment["unlike_reference"]
    return [
        _check("IQ-1", "Python is of a supported version", python),
        _check("IQ-2", "Every package that sparsek needs is installed in an allowed version", packages),
        _check("IQ-3", "The files of sparsek are those of the release or of a commit", _files(installed)),
        _check(
            "IQ-4",
            "Processor, long double and C library are those of the recorded answers",
            (DIFFERS, "; ".join(unlike)) if unlike else (PASS, environment["long_double"]),
        ),
    ]


def _distribution() -> importlib.metadata.Distribution | None:
    """The installed sparsek; None where it is not installed."""
    try:
        return importlib.metadata.distribution("sparsek")
    except importlib.metadata.PackageNotFoundError:
        return None


def _python(installed: importlib.metadata.Distribution) -> Outcome:
    """Whether this Python is one of those that the metadata allow."""
    allowed = installed.metadata["Requires-Python"]
    here = platform.python_version()
    fits = SpecifierSet(allowed).contains(here, prereleases=True)
    return PASS if fits else FAIL, f"Python {here}; allowed is {allowed}"


def _packages() -> Outcome:
    """Whether every requirement is met by what is installed."""
    problems, count = [], 0
    for requirement in needed("sparsek"):
        count += 1
        try:
            found = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            problems.append(f"{requirement.name} is missing; {requirement} is needed")
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            problems.append(f"{requirement.name} {found}; {requirement} is needed")
    return (FAIL, "; ".join(problems)) if problems else (PASS, f"{count} requirements met")


def _files(installed: importlib.metadata.Distribution | None) -> Outcome:
    """Whether the imported files are those of the installed wheel, or of a commit."""
    listed = [file for file in (installed.files if installed else None) or () if file.hash is not None]
    here = Path(sparsek.__file__).resolve()
    if any(Path(str(file.locate())).resolve() == here for file in listed):
        wrong = [str(file) for file in listed if not _has_its_hash(file)]
        if wrong:
            return FAIL, f"changed: {', '.join(wrong)}"
        return PASS, f"{len(listed)} files as in RECORD"
    commit = commit_here()
    if commit is None:
        return NOT_RUN, "neither an installed wheel nor a checkout with git"
    clean = commit.removesuffix("-dirty")
    return (PASS, f"commit {clean}") if clean == commit else (FAIL, f"files differ from commit {clean}")


def _has_its_hash(file: importlib.metadata.PackagePath) -> bool:
    """Whether a file is there with the hash that RECORD gives."""
    path = Path(str(file.locate()))
    if not path.is_file() or file.hash is None:
        return False
    digest = hashlib.new(file.hash.mode, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value


def operational_checks(report: dict[str, Any], tests: TestRun | None) -> list[dict[str, str]]:
    """The checks of what sparsek computes here, from the parts of the report."""
    failing, counts = report["failing"], report["counts"]
    rows: list[tuple[str, str, Callable[[], Outcome]]] = [
        ("OQ-1", "Recorded answers of R", lambda: _compared(counts["recorded"], failing, "recorded", ())),
        ("OQ-2", "R itself", lambda: _compared(counts["live"], failing, "live", report["skipped"])),
        ("OQ-3", "Tests of the requirements", lambda: _tests(report["requirements"], tests)),
        ("OQ-4", "Every method on real data", lambda: _real_data(report["real_data"])),
    ]
    return [_check(name, title, outcome()) for name, title, outcome in rows]


def _compared(
    count: int, failing: Sequence[dict[str, Any]], source: str, skipped: Sequence[dict[str, Any]]
) -> Outcome:
    """What the comparisons with one source gave."""
    left = "".join(f"; skipped {entry['cases']}: {entry['reason']}" for entry in skipped)
    if not count:
        return NOT_RUN, f"0 comparisons{left}"
    differ = sum(case["source"] == source for case in failing)
    return (FAIL if differ else PASS), f"{count} comparisons, {differ} differ{left}"


def _tests(requirements: Sequence[dict[str, Any]], tests: TestRun | None) -> Outcome:
    """What the tests that the requirements name gave."""
    if tests is None:
        return NOT_RUN, "make test runs them"
    failed = [row["id"] for row in requirements if row["outcomes"]["failed"]]
    passed = sum(bool(row["outcomes"]["passed"]) for row in requirements)
    if tests.outdated:
        return NOT_RUN, f"files were changed since {tests.created}: run make test again"
    if failed:
        return FAIL, f"failed tests of {', '.join(failed)}"
    return PASS, f"tests of {passed} of {len(requirements)} requirements passed, on {tests.created}"


def _real_data(sets: Sequence[dict[str, Any]]) -> Outcome:
    """On which data the methods ran."""
    names = ", ".join(f"{entry['name']} ({len(entry['rows'])} methods)" for entry in sets)
    return (PASS, names) if sets else (NOT_RUN, "no data set")
