"""Verdicts on whole tables: columns, families of tests, counts, cells of the report."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.shared.verdicts import (
    DIFFERENT,
    LEVEL,
    NOTHING,
    WORDS,
    Verdict,
    adjust,
    join_words,
)
from validation.report.sections import Table, make_table

Row = dict[str, Any]
MARKS = {"equivalent": "=", "different, higher": "▲", "different, lower": "▼", "undecided": "?"}
"""Signs of verdicts in Markdown."""
COUNTED = ("cells", *WORDS, "after Holm")
"""Counts of `count_verdicts`."""


def with_verdicts(
    table: pd.DataFrame, judge: Callable[[Row], Verdict], judge_sd: Callable[[Row], Verdict] | None = None
) -> pd.DataFrame:
    """A table with verdicts, computed anew from its numbers.

    Parameters
    ----------
    table : DataFrame
        Our numbers beside the printed ones.
    judge, judge_sd : callable
        The verdict on the number of a row, and on its standard deviation.

    Returns
    -------
    DataFrame
        The table with the columns ``verdict`` (in words, with the sign of a difference), ``interval`` (of the
        difference, with its width, as text) and ``p``; with `judge_sd` the same for the ratio of standard
        deviations, prefixed ``sd_``; ``word``, of both together; and ``holm``, whether the row is different
        and one of its tests remains significant in the family of all tests of the table (NaN without
        p-values).
    """
    rows = table.to_dict("records")
    found = {"": [judge(row) for row in rows]}
    if judge_sd is not None:
        found["sd_"] = [judge_sd(row) for row in rows]
    columns: dict[str, list[Any]] = {}
    for prefix, verdicts in found.items():
        columns[f"{prefix}verdict"] = [verdict.text for verdict in verdicts]
        columns[f"{prefix}interval"] = [_show_interval(verdict) for verdict in verdicts]
        columns[f"{prefix}p"] = [verdict.p_different for verdict in verdicts]
    pairs = list(zip(*found.values(), strict=True))
    columns["word"] = [join_words(verdict.word for verdict in pair) for pair in pairs]
    p_values = np.array([[_p_of(verdict) for verdict in pair] for pair in pairs]).reshape(len(rows), -1)
    adjusted = adjust(p_values.ravel()).reshape(p_values.shape)
    different = np.array([[v.word == DIFFERENT for v in pair] for pair in pairs]).reshape(p_values.shape)
    holm = (different & (adjusted <= 1 - LEVEL)).any(axis=1)
    columns["holm"] = np.where(np.isnan(adjusted).all(), np.nan, holm).tolist()
    return table.drop(columns=[*columns, "reason"], errors="ignore").assign(**columns)


def _p_of(verdict: Verdict) -> float:
    """The p-value of a verdict in its family; NaN, which does not count, where nothing is printed."""
    return np.nan if verdict is NOTHING else verdict.p_different


def _show_interval(verdict: Verdict) -> str:
    """The interval as text."""
    if np.isnan(verdict.low):
        return ""
    return f"{verdict.low:.3g} to {verdict.high:.3g}, width {verdict.width:.3g}"


def count_verdicts(judged: pd.DataFrame) -> dict[str, int | None]:
    """Numbers of cells: the only count of verdicts, for README, pages and report.

    Parameters
    ----------
    judged : DataFrame
        From `with_verdicts`. Rows with the same value of the column ``fact``, if there is one, are one cell.

    Returns
    -------
    dict of str to int or None
        Keys `COUNTED`; "after Holm" counts the different cells that remain so in their family, and is None
        for tables whose tests have no p-values.
    """
    facts = judged["fact"] if "fact" in judged else pd.Series(range(len(judged)), index=judged.index)
    words = judged.groupby(facts, sort=False)["word"].agg(join_words)
    counts: dict[str, int | None] = {word: int((words == word).sum()) for word in WORDS}
    holm = judged["holm"].groupby(facts, sort=False).max()
    return {
        "cells": int(words.ne("").sum()),
        **counts,
        "after Holm": int(holm.sum()) if holm.notna().any() else None,
    }


def count_in_words(judged: pd.DataFrame) -> str:
    """The counts of verdicts as text."""
    counts = count_verdicts(judged)
    holm = "" if counts["after Holm"] is None else f" ({counts['after Holm']} after Holm)"
    words = [f"{counts[word]} {word}" + (holm if word == DIFFERENT else "") for word in WORDS]
    return f"of {counts['cells']} cells {', '.join(words)}"


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
