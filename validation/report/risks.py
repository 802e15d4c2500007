"""Intended use and risk class of each R function: what rests on its answer, what this run showed."""

from collections.abc import Sequence
from typing import Any

from r_reference.listing import find_twin, our_calls
from r_reference.recipes import load_table as load_cases
from validation.report.requirements import load_table

RESULT = "result"
"""The impact of a function that `impacts.toml` does not name."""
CLASSES = {
    "conclusion": {"exact": "medium", "within": "medium", "differs": "high", "none": "high"},
    RESULT: {"exact": "low", "within": "medium", "differs": "high", "none": "high"},
    "step": {"exact": "low", "within": "low", "differs": "high", "none": "medium"},
}
"""The class by impact, and by what the comparisons with R showed."""
ORDER = ("high", "medium", "low")


def impacts() -> dict[str, str]:
    """By function that is named: its impact."""
    return {name: entry["impact"] for entry in load_table("impacts") for name in entry["functions"]}


def intended_use(function: str) -> str:
    """The first line of the docstring of our function, or of our side of the calls."""
    twin = find_twin(function) or our_calls()[function]
    return (twin.__doc__ or "").strip().partition("\n")[0].replace("``", "").replace("`", "")


def evidence(cases: Sequence[dict[str, Any]]) -> str:
    """What comparisons show: "exact", "within" a tolerance, "differs", or "none" without any."""
    if not cases:
        return "none"
    if not all(case["exact"] or case["within_tolerance"] for case in cases):
        return "differs"
    return "exact" if all(case["exact"] for case in cases) else "within"


def risk_rows(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each function with its use, impact, evidence in these cases and risk class; high ones first."""
    packages = {case["function"]: case["package"] for case in load_cases()["cases"]}
    members: dict[str, list[dict[str, Any]]] = {function: [] for function in packages}
    for case in cases:
        members.setdefault(case["function"], []).append(case)
    known = impacts()
    rows = []
    for function, package in packages.items():
        impact, found = known.get(function, RESULT), evidence(members[function])
        rows.append(
            {
                "function": function,
                "package": package,
                "use": intended_use(function),
                "impact": impact,
                "evidence": found,
                "cases": len(members[function]),
                "risk": CLASSES[impact][found],
            }
        )
    return sorted(rows, key=lambda row: ORDER.index(row["risk"]))
