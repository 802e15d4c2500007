"""Verdicts on whole tables: columns, families of tests, counts, cells of the report."""

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.shared.verdicts import (
    DIFFERENT,
    EQUIVALENT,
    UNDECIDED,
    WITHIN,
    WORDS,
    Verdict,
    as_family,
    join_words,
)
from validation.report.sections import Table, make_table

Row = dict[str, Any]
MARKS = {
    EQUIVALENT: "=",
    f"{WITHIN}, higher": "≳",
    f"{WITHIN}, lower": "≲",
    f"{DIFFERENT}, higher": "▲",
    f"{DIFFERENT}, lower": "▼",
    UNDECIDED: "?",
}
"""Signs of verdicts in text."""
SIGNS = dict(zip(WORDS, ("=", "≈", "≠", "?"), strict=True))
"""Signs of the words in maps."""
COUNTED = ("cells", *WORDS)
"""Counts of `count_verdicts`."""
WIDTH = 100
"""Longest line of a table in the terminal."""
SPREAD = "sd_"
"""Prefix of the columns on printed standard deviations."""


def with_verdicts(
    table: pd.DataFrame, judge: Callable[[Row], Verdict], judge_sd: Callable[[Row], Verdict] | None = None
) -> pd.DataFrame:
    """A table with verdicts, computed anew from its numbers."""
    rows = table.to_dict("records")
    judges = {"": judge} if judge_sd is None else {"": judge, SPREAD: judge_sd}
    family = as_family([one(row) for one in judges.values() for row in rows])
    columns: dict[str, list[Any]] = {}
    for place, prefix in enumerate(judges):
        verdicts = family[place * len(rows) : (place + 1) * len(rows)]
        columns[f"{prefix}word"] = [verdict.word for verdict in verdicts]
        columns[f"{prefix}verdict"] = [verdict.text for verdict in verdicts]
        columns[f"{prefix}interval"] = [_show_interval(verdict) for verdict in verdicts]
        columns[f"{prefix}p_different"] = [verdict.p_different for verdict in verdicts]
        columns[f"{prefix}p_adjusted"] = [verdict.p_holm for verdict in verdicts]
        columns[f"{prefix}p_equivalent"] = [verdict.p_equivalent for verdict in verdicts]
        columns[f"{prefix}difference"] = [verdict.estimate for verdict in verdicts]
        columns[f"{prefix}error"] = [verdict.error for verdict in verdicts]
        columns[f"{prefix}margin"] = [verdict.margin for verdict in verdicts]
    return table.drop(columns=[*columns, "reason"], errors="ignore").assign(**columns)


def _show_interval(verdict: Verdict) -> str:
    """The interval as text."""
    if np.isnan(verdict.low):
        return ""
    return f"{verdict.low:.3g} to {verdict.high:.3g}, width {verdict.high - verdict.low:.3g}"


def count_verdicts(judged: pd.DataFrame, prefix: str = "") -> dict[str, int]:
    """Numbers of cells: the only count of verdicts, for README, pages and report."""
    facts = judged["fact"] if "fact" in judged else pd.Series(range(len(judged)), index=judged.index)
    words = judged.groupby(facts, sort=False)[f"{prefix}word"].agg(join_words)
    counts = {word: int((words == word).sum()) for word in WORDS}
    return {"cells": int(words.ne("").sum()), **counts}


def count_in_words(judged: pd.DataFrame) -> str:
    """The counts of verdicts as text."""

    def text(prefix: str, noun: str) -> str:
        counts = count_verdicts(judged, prefix)
        return f"of {counts['cells']} {noun} " + ", ".join(f"{counts[word]} {word}" for word in WORDS)

    spreads = f"; {text(SPREAD, 'spreads')}" if f"{SPREAD}word" in judged else ""
    return text("", "numbers") + spreads


def add_reasons(judged: pd.DataFrame, readings: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """A judged table with the column ``reason``: other readings where ours is not equivalent."""
    groups = dict(iter(readings.groupby(keys))) if len(readings) else {}
    reasons = [
        _explain(row, groups[key]) if row["word"] not in ("", EQUIVALENT) and key in groups else ""
        for row in judged.to_dict("records")
        for key in [tuple(row[name] for name in keys)]
    ]
    return judged.assign(reason=reasons)


def _explain(row: Row, others: pd.DataFrame) -> str:
    """A sentence on the other readings of a printed number."""

    def name(rows: pd.DataFrame) -> str:
        return "; ".join(f"{other.reading} ({other.ours:.3g})" for other in rows.itertuples())

    gaps = (others["ours"] - row["printed"]).abs()
    near = others[gaps <= row["margin"]]
    if len(near):
        return f"within the margin with {name(near)}"
    return f"no other reading is within the margin; nearest: {name(others.loc[[gaps.idxmin()]])}"


def other_readings(caption: str, judged: pd.DataFrame, keys: Sequence[str]) -> Table:
    """A table of the other readings beside printed numbers to which the main reading is not equivalent."""
    rows = judged.loc[judged["reason"].ne(""), [*keys, "verdict", "reason"]]
    heads = [*(key.capitalize() for key in keys), "Verdict", "Other readings"]
    return make_table(caption, heads, rows.to_numpy(dtype=object).tolist())


def beside(full: pd.DataFrame, this_run: pd.DataFrame, keys: list[str]) -> list[dict[str, Any]]:
    """Rows of the full run with the number of this run as ``this run``; NaN if this run is empty."""
    if "ours" not in this_run:
        return full.assign(**{"this run": float("nan")}).to_dict("records")
    here = this_run[[*keys, "ours"]].rename(columns={"ours": "this run"})
    return full.merge(here, how="left", on=keys).to_dict("records")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a judged table is shown, and what its joint models are."""

    row: str  # Column that names the rows
    columns: tuple[str, ...]  # Columns that together name the columns
    margin: str  # Key of `MARGINS`, the margin of the joint models
    measure: str  # What is printed, in words
    # Columns that together name what is judged jointly; empty if nothing is
    joint: tuple[str, ...] = ("method",)
    digits: int = 3  # Decimal places of the numbers
    printed: str = "printed"  # printed, ours: columns with the numbers
    ours: str = "ours"
    runs: str = ""  # Our runs behind a number, in words
    why: str = ""  # What does not agree, and why, as far as it was found out
    apart: str = ""  # Row whose numbers follow another protocol: the joint models are given without it too

    def named(self, judged: pd.DataFrame) -> pd.DataFrame:
        """The rows with a printed number; the columns ``row`` and ``column`` name their cells."""
        known = judged[judged[self.printed].notna()]
        names = known[list(self.columns)].astype(str).agg(" ".join, axis=1)
        return known.assign(row=known[self.row].astype(str), column=names)


def cell_texts(judged: pd.DataFrame, layout: Layout) -> str:
    """A judged table as plain text, no line longer than `WIDTH`."""
    cells = layout.named(judged).to_dict("records")

    def text(cell: Row) -> str:
        pair = [cell[layout.printed], cell[layout.ours]]
        return _pair(pair, layout.digits) + MARKS.get(cell.get("verdict", ""), "")

    shown = plain_grid([c["row"] for c in cells], [c["column"] for c in cells], [text(c) for c in cells])
    if f"{SPREAD}word" not in judged:
        return shown
    spreads = [
        _pair([c["printed_sd"], c.get("sd", math.nan)], layout.digits) + MARKS.get(c[f"{SPREAD}verdict"], "")
        for c in cells
    ]
    rows, columns = [c["row"] for c in cells], [c["column"] for c in cells]
    return f"{shown}\n\nspreads\n{plain_grid(rows, columns, spreads)}"


def show_judged(title: str, judged: pd.DataFrame, layout: Layout) -> str:
    """A judged table for the terminal: what its signs mean, the numbers, the counts of the words."""
    sides = f"{MARKS[f'{WITHIN}, higher']} {MARKS[f'{WITHIN}, lower']} {WITHIN}"
    apart = f"{MARKS[f'{DIFFERENT}, higher']} {MARKS[f'{DIFFERENT}, lower']} {DIFFERENT}"
    signs = f"{MARKS[EQUIVALENT]} {EQUIVALENT}, {sides}, {apart}, {MARKS[UNDECIDED]} {UNDECIDED}"
    counts = textwrap.fill(count_in_words(judged), WIDTH)
    return f"{title}: {layout.measure}, printed/ours\n{signs}\n\n{cell_texts(judged, layout)}\n\n{counts}"


def _pair(numbers: Sequence[float], digits: int) -> str:
    """Two numbers; "-" for one that is missing."""
    return "/".join("-" if pd.isna(value) else f"{value:.{digits}f}" for value in numbers)


def plain_grid(rows: Sequence[str], columns: Sequence[str], texts: Sequence[str]) -> str:
    """A table of text whose lines are at most `WIDTH` long: columns that do not fit go below."""
    found = dict(zip(zip(rows, columns, strict=True), texts, strict=True))
    names, heads = list(dict.fromkeys(rows)), list(dict.fromkeys(columns))
    first = max(map(len, names), default=0)
    widths = {head: max(len(head), *(len(found.get((name, head), "")) for name in names)) for head in heads}
    blocks: list[list[str]] = [[]]
    for head in heads:
        used = first + sum(2 + widths[other] for other in blocks[-1])
        if blocks[-1] and used + 2 + widths[head] > WIDTH:
            blocks.append([])
        blocks[-1].append(head)
    parts = []
    for block in blocks:
        lines = ["".join([" " * first, *(f"  {head:<{widths[head]}}" for head in block)])]
        for name in names:
            cells = (f"  {found.get((name, head), ''):<{widths[head]}}" for head in block)
            lines.append("".join([f"{name:<{first}}", *cells]))
        parts.append("\n".join(line.rstrip() for line in lines))
    return "\n\n".join(parts)
