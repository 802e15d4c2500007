"""Our defaults beside the papers' settings: the table, and what README and the pages say of it."""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

SETTINGS = Path(__file__).parent / "settings.toml"


@cache
def load_settings() -> dict[str, list[dict[str, Any]]]:
    """The tables ``setting`` and ``mention``; the head of the file says what their entries are."""
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


def differs(entry: dict[str, Any]) -> bool:
    """Whether our default is another setting than the paper's."""
    return bool(entry.get("default", entry.get("means")) != entry["paper"])


def departures() -> list[dict[str, Any]]:
    """The settings in which our default differs from the paper's."""
    return [entry for entry in load_settings()["setting"] if differs(entry)]


def defaults_in_words() -> str:
    """How many defaults depart from the papers, with a link from README to their list."""
    found = departures()
    estimators = dict.fromkeys(entry["estimator"] for entry in found)
    return (
        f"The estimators follow the papers, except in {len(found)} defaults of {len(estimators)} estimators: "
        "[the list](docs/validation.md#defaults-that-depart-from-the-papers) has the papers' settings "
        "and the reasons."
    )


def list_of_defaults() -> str:
    """The defaults that depart from the papers, as a table in Markdown."""
    rows: list[Sequence[str]] = [("estimator", "parameter", "the paper", "here", "why"), ["---"] * 5]
    for entry in departures():
        names = (f"`{entry[key]}`" for key in ("estimator", "parameter"))
        values = (_show(entry.get(key)) for key in ("paper", "default"))
        rows.append([*names, *values, entry["why"]])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _show(value: Any) -> str:
    """A value as Python has it; a number of steps is in words."""
    if isinstance(value, str) and " " in value:
        return value
    return f'`"{value}"`' if isinstance(value, str) else f"`{value!r}`"
