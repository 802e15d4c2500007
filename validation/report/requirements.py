"""The requirements with their parity cases of a run and the outcomes of their tests."""

import tomllib
from collections.abc import Sequence
from typing import Any

from r_reference.recipes import load_table as load_cases
from validation.fuzz.command import NAME
from validation.fuzz.verdict import missing
from validation.report.outcomes import TestRun
from validation.report.pages import FOLDER


def load_table(name: str) -> list[dict[str, Any]]:
    """The entries of `requirements.toml` or `deviations.toml`, by the file's stem."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))[name]


def load_requirements() -> list[dict[str, Any]]:
    """The entries of `requirements.toml`, and one per R package for functions that no entry names."""
    stated = load_table("requirements")
    named = {function for entry in stated for function in entry.get("functions", [])}
    others: dict[str, list[str]] = {}
    for function, package in {case["function"]: case["package"] for case in load_cases()["cases"]}.items():
        if function not in named:
            others.setdefault(package, []).append(function)
    return stated + [
        {
            "id": f"R-{package}",
            "text": f"Equal to R's bit for bit, but for stated tolerances: {', '.join(functions)}.",
            "functions": functions,
            "tests": ["tests/validation/parity/test_parity.py", "tests/validation/parity/test_live_r.py"],
        }
        for package, functions in others.items()
    ]


def requirement_rows(
    cases: Sequence[dict[str, Any]], tests: TestRun | None, campaign: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The requirements, each with its parity cases, what its tests gave, and what its record lacks."""
    rows = []
    for requirement in load_requirements():
        relevant = [case for case in cases if case["function"] in requirement.get("functions", [])]
        rows.append(
            {
                **requirement,
                "cases": len(relevant),
                "exact": sum(case["exact"] for case in relevant),
                "within": sum(case["within_tolerance"] for case in relevant),
                "lacks": missing(campaign) if requirement.get("record") == NAME else [],
                "outcomes": None if tests is None else tests.of(requirement["tests"]),
            }
        )
    return rows
