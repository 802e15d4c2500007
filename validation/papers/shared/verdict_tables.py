"""Counts and tables of verdicts on printed numbers."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from validation.report.sections import Table, make_table

VERDICTS = ("reproduced", "better", "not reproduced")
TOO_FEW = "too few runs"
MARKS = {"reproduced": "✓", "better": "▲", "not reproduced": "✗"}


def count_verdicts(table: pd.DataFrame) -> dict[str, int]:
    """Number of printed numbers by verdict."""
    counts = table["verdict"].value_counts()
    return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}


def count_in_words(table: pd.DataFrame) -> str:
    """The counts of verdicts as text."""
    return ", ".join(f"{count} {verdict}" for verdict, count in count_verdicts(table).items())


def other_readings(caption: str, full: pd.DataFrame, keys: Sequence[str]) -> Table:
    """A table of the other readings that give printed numbers which the main reading does not."""
    chosen = full[full["verdict"].isin(VERDICTS[1:])]
    rows = chosen[[*keys, "verdict", "reason"]].to_numpy(dtype=object).tolist()
    heads = [*(key.capitalize() for key in keys), "Verdict", "Other readings"]
    return make_table(caption, heads, rows)


def beside(full: pd.DataFrame, this_run: pd.DataFrame, keys: list[str]) -> list[dict[str, Any]]:
    """Rows of the full run with the number of this run as ``this run``; NaN if this run is empty."""
    if "ours" not in this_run:
        return full.assign(**{"this run": float("nan")}).to_dict("records")
    here = this_run[[*keys, "ours"]].rename(columns={"ours": "this run"})
    return full.merge(here, how="left", on=keys).to_dict("records")


def markdown_grid(rows: Sequence[str], columns: Sequence[str], texts: Sequence[str]) -> str:
    """A Markdown table from a list of cells.

    Parameters
    ----------
    rows, columns, texts : sequence of str
        Row, column and text of each cell; rows and columns keep the order of their first appearance.

    Returns
    -------
    str
        The table; cells that are not given are empty.
    """
    found = dict(zip(zip(rows, columns, strict=True), texts, strict=True))
    heads = list(dict.fromkeys(columns))
    lines = [["", *heads], ["---"] * (len(heads) + 1)]
    lines += [[row, *(found.get((row, head), "") for head in heads)] for row in dict.fromkeys(rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
