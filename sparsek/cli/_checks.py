"""What one should know about a table before one trusts a clustering of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sparsek.cli._read import Table
from sparsek.cli._scale import scaled

LISTED = 10
"""Names that are listed at most."""


def check_data(table: Table) -> dict[str, Any]:
    """Facts about the columns and rows of a table: missing cells, constant columns, equal rows, scales."""
    frame = table.frame
    holes = frame.isna().sum().to_numpy()
    constant = (frame.min() == frame.max()).to_numpy()
    spreads = scaled(table)[1]["sd"].to_numpy()
    varying = np.flatnonzero(~constant & np.isfinite(spreads) & (spreads > 0))
    facts: dict[str, Any] = {
        "missing": int(holes.sum()),
        "columns with missing": _names(table, np.flatnonzero(holes)),
        "constant columns": _names(table, np.flatnonzero(constant)),
        "rows equal to another": int(frame.duplicated(keep=False).sum()),
    }
    if len(varying):
        order = varying[np.argsort(spreads[varying], kind="stable")]
        facts["smallest sd"] = [str(frame.columns[order[0]]), float(spreads[order[0]])]
        facts["largest sd"] = [str(frame.columns[order[-1]]), float(spreads[order[-1]])]
    return facts


def _names(table: Table, columns: np.ndarray) -> list[str]:
    """Names of columns, the first `LISTED`, and how many more there are."""
    names = [str(table.frame.columns[j]) for j in columns[:LISTED]]
    return [*names, f"{len(columns) - LISTED} more"] if len(columns) > LISTED else names


def in_words(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The facts as pairs of a question and its answer."""
    holes = f"{facts['missing']} cells, in {', '.join(facts['columns with missing'])}"
    answers = [
        ("Missing values", holes if facts["missing"] else "none"),
        ("Constant columns, which can tell nothing", ", ".join(facts["constant columns"]) or "none"),
        ("Rows equal to another row", str(facts["rows equal to another"] or "none")),
    ]
    if "smallest sd" in facts:
        (narrow, small), (wide, large) = facts["smallest sd"], facts["largest sd"]
        answers.append(("Standard deviations", f"from {small:.4g} ({narrow}) to {large:.4g} ({wide})"))
    return answers
