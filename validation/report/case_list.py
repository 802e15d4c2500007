"""The cases of every function as short rows, for the page's lists."""

from collections.abc import Mapping, Sequence
from typing import Any

from r_reference.recipes import load_table as load_cases

LONGEST = 90
"""Characters of a call or of a message after which it is cut off."""
SHOWN = 6
"""Entries of a vector that are shown."""


def list_cases(cases: Sequence[Mapping[str, Any]]) -> dict[str, list[list[Any]]]:
    """Rows of the lists, by function."""
    known = {case["id"]: case for case in load_cases()["cases"]}
    lists: dict[str, dict[str, list[Any]]] = {}
    for case in cases:
        rows = lists.setdefault(case["function"], {})
        call = describe_call(known[case["id"]]) if case["id"] in known else ""
        row = rows.setdefault(case["id"], [case["id"], call, case["seed"], "", "", 15.0, ""])
        row[3 if case["source"] == "recorded" else 4] = outcome(case)
        row[5] = min(row[5], round(case["worst_lre"], 1))
        row[6] = row[6] or _cut(case["message"])
    return {function: list(rows.values()) for function, rows in lists.items()}


def outcome(case: Mapping[str, Any]) -> str:
    """The word for how a case came out."""
    if case["exact"]:
        return "equal"
    return "within tolerance" if case["within_tolerance"] else "differs"


def describe_call(case: Mapping[str, Any]) -> str:
    """Arguments of a case as R has them, and its data, in short."""
    arguments = [f"{name}={_show(value)}" for name, value in case["args"].items()]
    data = describe_data(case["data"]) if case["data"] else ""
    return _cut("; ".join(part for part in (", ".join(arguments), data) if part))


def describe_data(recipe: Mapping[str, Any]) -> str:
    """A data recipe in short: where the data come from and what was done to them."""
    if "rows" in recipe:
        start = f"{len(recipe['rows'])} x {len(recipe['rows'][0])} given"
    elif "dataset" in recipe:
        start = recipe["dataset"] + (", scaled" if recipe.get("scaled") else "")
    else:
        start = f"{recipe['n']} x {recipe['p']} {recipe['draw']}"
    return ", ".join([start, *(str(step[0]) for step in recipe.get("steps", []))])


def _show(value: Any) -> str:
    """A value as R writes it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, list):
        more = ", ..." if len(value) > SHOWN else ""
        return f"c({', '.join(map(_show, value[:SHOWN]))}{more})"
    if isinstance(value, Mapping):
        return f"x[{_show(value['rows_of_x'])}, ]" if "rows_of_x" in value else "a matrix"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cut(text: str) -> str:
    """A text of at most `LONGEST` characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
