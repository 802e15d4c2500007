"""Intended use and risk class of R functions and estimators: what rests on the answer, what was shown."""

from collections.abc import Sequence
from typing import Any

import sparsek
from r_reference.listing import find_twin, our_calls
from r_reference.recipes import load_table as load_cases
from sparsek._registry import ESTIMATORS
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
