"""A summary, and what a command shows below it, as texts: for the terminal, result.json and the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from sparsek.summary import tables

if TYPE_CHECKING:
    from sparsek.summary.results import Summary


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence, or a table below its heading."""

    heading: str
    table: pd.DataFrame | None = None


def part_as_text(part: Part) -> str:
    """A part as it is printed."""
    if part.table is None:
        return tables.wrapped(part.heading)
    return tables.as_text(part.heading, part.table)


def stored(summary: Summary, shown: Iterable[Part]) -> dict[str, Any]:
    """A summary and the parts below it for result.json."""
    parts = [Part(heading, table) for heading, table in summary.tables.items()]
    return {
        "lead": summary.lead.splitlines(),
        "parts": [_stored(part) for part in (*parts, *shown)],
        "notes": list(summary.notes),
    }


def _stored(part: Part) -> dict[str, Any]:
    """A part with the cells of its table as texts."""
    table = pd.DataFrame() if part.table is None else part.table
    names, right, cells = tables.as_texts(table) if table.size else ([], [], [])
    return {"heading": part.heading, "names": names, "numbers": right, "rows": cells}
