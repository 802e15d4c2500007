"""Intended use and risk class of R functions and estimators, and the report's verdicts in few words."""

from collections.abc import Sequence
from typing import Any

import sparsek
from r_reference.listing import find_twin, our_calls
from r_reference.recipes import load_table as load_cases
from sparsek._registry import ESTIMATORS
from validation.fuzz.verdict import findings
from validation.report.outcomes import TestRun
from validation.report.requirements import load_table

RESULT = "result"
"""The impact of what `impacts.toml` does not name."""
FOUND = ("exact", "within", "differs", "none", "tested", "failed")
"""What comparisons with R showed of a function, or the tests of its family of an estimator."""
CLASSES = {
    "conclusion": dict(zip(FOUND, ("medium", "medium", "high", "high", "medium", "high"), strict=True)),
    RESULT: dict(zip(FOUND, ("low", "medium", "high", "high", "medium", "high"), strict=True)),
    "step": dict(zip(FOUND, ("low", "low", "high", "medium", "low", "high"), strict=True)),
}
"""The class by impact and by what was shown."""
ORDER = ("high", "medium", "low")


def impacts() -> dict[str, str]:
    """By function or estimator that is named: its impact."""
    return {name: entry["impact"] for entry in load_table("impacts") for name in entry["functions"]}


def intended_use(function: str) -> str:
    """The first line of the docstring of our function, or of our side of the calls."""
    return _first_line(find_twin(function) or our_calls()[function])


def _first_line(entry: Any) -> str:
    """The first line of a docstring, without marks of code."""
    return (entry.__doc__ or "").strip().partition("\n")[0].replace("`", "")


def evidence(cases: Sequence[dict[str, Any]]) -> str:
    """What comparisons show: "exact", "within" a tolerance, "differs", or "none" without any."""
    if not cases:
        return "none"
    if not all(case["exact"] or case["within_tolerance"] for case in cases):
        return "differs"
    return "exact" if all(case["exact"] for case in cases) else "within"


def tested_evidence(family: str, tests: TestRun | None) -> tuple[str, int]:
    """What the tests of a family of estimators show, and how many of them ran."""
    counts = {} if tests is None or tests.outdated else tests.counts
    found = [count for name, count in counts.items() if name.startswith(f"tests/methods/{family}/")]
    passed, failed = (sum(count[word] for count in found) for word in ("passed", "failed"))
    return ("failed" if failed else "tested" if passed else "none"), passed + failed


def risk_rows(cases: Sequence[dict[str, Any]], tests: TestRun | None = None) -> list[dict[str, Any]]:
    """Each function and estimator with use, impact, evidence and risk class; high ones first."""
    rows = [*_function_rows(cases), *_estimator_rows(tests)]
    return sorted(rows, key=lambda row: ORDER.index(row["risk"]))


def _row(name: str, source: str, use: str, evidence: tuple[str, int]) -> dict[str, Any]:
    """One row; evidence is a word and a number of comparisons or tests."""
    impact, (found, count) = impacts().get(name, RESULT), evidence
    facts = {"impact": impact, "evidence": found, "count": count, "risk": CLASSES[impact][found]}
    return {"name": name, "source": source, "use": use, **facts}


def _estimator_rows(tests: TestRun | None) -> list[dict[str, Any]]:
    """The rows of the estimators, which have no answer of R's to be equal to."""
    return [
        _row(
            entry.name,
            entry.paper or "sparsek",
            _first_line(getattr(sparsek, entry.name)),
            tested_evidence(entry.module.partition(".")[0], tests),
        )
        for entry in ESTIMATORS
    ]


def _function_rows(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the functions that are compared with R."""
    packages = {case["function"]: case["package"] for case in load_cases()["cases"]}
    members: dict[str, list[dict[str, Any]]] = {function: [] for function in packages}
    for case in cases:
        members.setdefault(case["function"], []).append(case)
    return [
        _row(name, package, intended_use(name), (evidence(members[name]), len(members[name])))
        for name, package in packages.items()
    ]


def failed_tests(tests: dict[str, Any] | None) -> int:
    """How many tests failed; none of a run before the last change, which says nothing about these files."""
    return 0 if tests is None or tests["outdated"] else tests["failed"]


def verdict_scope(report: dict[str, Any]) -> str:
    """What the verdict is about: R, and the tests if they ran on these files."""
    tests = report["tests"]
    return "R alone" if tests is None or tests["outdated"] else "R and the tests"


def verdict_sentence(report: dict[str, Any]) -> str:
    """The verdict with the numbers of recorded, live and skipped comparisons, without the final period."""
    counts = {name: f"{count:,}" for name, count in report["counts"].items()}
    verdict = f"Pass, which is about {verdict_scope(report)}" if report["passed"] else "Fail"
    failed = failed_tests(report["tests"])
    tests = f"{failed:,} test{'s' * (failed > 1)} failed; " if failed else ""
    made = f"{counts['recorded']} with recorded answers and {counts['live']} with R live"
    exact = f"{counts['exact']} exactly and {counts['within']} within a stated tolerance"
    counting = "that count" if report["counts"]["apart"] else "made"
    if not report["counts"]["compared"]:
        parity = "no case was compared"
    elif report["counts"]["failing"]:
        parity = f"sparsek differs from R in {counts['failing']} of {counts['compared']} comparisons, {made}"
    else:
        parity = f"sparsek agrees with R in all comparisons {counting}, {exact}, {made}"
    return f"{verdict}: {tests}{parity}; {counts['skipped']} live ones were skipped"


def requirements_gist(report: dict[str, Any]) -> str:
    """How many requirements there are, what their tests gave, and which lack something in a record."""
    outcomes = [row["outcomes"] for row in report["requirements"]]
    lacking = [row["id"] for row in report["requirements"] if row["lacks"]]
    record = f"; the record does not bear out {', '.join(lacking)}" if lacking else ""
    if report["tests"] is None:
        return f"{len(outcomes)}; their tests were not run (make test runs them){record}"
    if report["tests"]["outdated"]:
        return f"{len(outcomes)}; files were changed since their tests ran (make test runs them){record}"
    left = sum(1 for found in outcomes if not any(found.values()))
    failed = sum(1 for found in outcomes if found["failed"])
    passed = sum(1 for found in outcomes if found["passed"] and not found["failed"])
    skipped = len(outcomes) - failed - passed - left
    counts = [
        f"tests of {passed} passed",
        f"{failed} failed" * bool(failed),
        f"{skipped} skipped" * bool(skipped),
        f"{left} only in make test-all" * bool(left),
    ]
    return f"{len(outcomes)}; {', '.join(filter(None, counts))}{record}"


def package_gist(package: dict[str, Any]) -> str:
    """Exact cases of a package by source, and those within a tolerance."""
    texts = [
        f"{package['exact'][source]:,} of {count:,} {source} exact"
        + (f", {package['within'][source]:,} within tolerance" if package["within"][source] else "")
        for source, count in package["cases"].items()
        if count
    ]
    return "; ".join(texts)


def missing_gist(data_sets: dict[str, bool]) -> str:
    """How many of the papers' data sets are not here, and where they come from; nothing if all are here."""
    missing = list(data_sets.values()).count(False)
    if not missing:
        return ""
    return (
        f"{missing} of the papers' {len(data_sets)} data sets are not here: "
        "their tables are shown from recorded runs (docs/reproducing.md#data)"
    )


def campaign_gist(campaign: dict[str, Any] | None) -> str:
    """Number of calls with inputs of every kind, and how many were neither right nor clearly refused."""
    if campaign is None:
        return "none recorded"
    return f"{sum(campaign['groups']['all']):,} calls, {findings(campaign):,} findings"
