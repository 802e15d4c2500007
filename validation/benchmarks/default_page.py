"""The tables of docs/methods/skfr.md on the choice of s by default, from the recorded lines."""

from __future__ import annotations

from typing import Any

import pandas as pd

NAME = "default-size"
"""Name of the files of the record, without extension."""
SHARE, BEHIND = 0.95, 0.02
"""The goal: so much of the adjusted Rand index at the best s, and at most so far below k-means."""
GOAL = 0.9
"""Share of the samples that should reach it."""
COST = 8
"""The goal for the median cost, in fits with the value and the scale given."""
COUNTED = ("missed", "false")
"""Columns that differ and are not taken, and others that are; records of before 2026-12 have no counts."""
HARDER = "common factors"
"""A design that the goal does not name: its correlated noise has clusters of its own."""


COUNTS = "*Missed* are columns that differ and are not taken, *false* are others that are, in the mean.\n\n"


def judged(lines: pd.DataFrame) -> pd.DataFrame:
    """The lines with "reached", as good as the best s, and "loss", below k-means without a warning."""
    reached = lines["ARI"] >= SHARE * lines["best ARI"]
    behind = lines["ARI"] < lines["k-means"] - BEHIND
    return lines.assign(reached=reached, behind=behind, loss=behind & ~lines["warned"].astype(bool))


def table_of(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each design: means, shares and medians over its samples, as texts."""
    rows = []
    for (method, design), part in judged(lines).groupby(["method", "design"], sort=False):
        rows.append(
            {
                "estimator": f"`{method}`",
                "design": design,
                "samples": str(len(part)),
                "ARI": f"{part['ARI'].mean():.2f}",
                "best s": f"{part['best ARI'].mean():.2f}",
                "k-means": f"{part['k-means'].mean():.2f}",
                "as good": f"{part['reached'].mean():.2f}",
                "below k-means": f"{part['behind'].sum()}",
                "of these unwarned": f"{part['loss'].sum()}",
                "warned": f"{part['warned'].astype(bool).mean():.2f}",
                **{name: _mean(part[name]) for name in COUNTED if name in part},
                "chosen": f"{part['chosen'].median():.3g}",
                "cost": f"{part['cost'].median():.1f}",
            }
        )
    return pd.DataFrame(rows)


def _mean(values: pd.Series) -> str:
    """A mean in one decimal, empty where it is not known."""
    return "" if values.isna().all() else f"{values.mean():.1f}"


def verdict(lines: pd.DataFrame) -> str:
    """Whether the goal is reached, for each estimator, over all designs and without the harder one."""
    text = []
    for method, part in judged(lines[lines["design"] != "no clusters"]).groupby("method", sort=False):
        named, harder = part[part["design"] != HARDER], part[part["design"] == HARDER]
        words = f"`{method}`, all designs with clusters: {_reached(part)}"
        if len(harder):
            warned = int(harder["warned"].astype(bool).sum())
            words += (
                f" Without {HARDER}: {_reached(named)} Of the {len(harder)} samples of {HARDER}, "
                f"{int(harder['reached'].sum())} are as good, and {warned} have a warning."
            )
        cost = part["cost"].median()
        aim = "reached" if cost <= COST else "not reached"
        text.append(f"{words} The median cost is {cost:.1f} fits. The goal, at most {COST}, is {aim}.")
    return "\n\n".join(text)


def _reached(part: pd.DataFrame) -> str:
    """The share of samples that are as good, the losses, and whether these reach the goal."""
    share, losses = part["reached"].mean(), int(part["loss"].sum())
    kind = "reached" if share >= GOAL and not losses else "not reached"
    return (
        f"as good as the best s in {share:.0%} of {len(part)} samples, and unwarned below k-means in "
        f"{losses}. The goal, {GOAL:.0%} and none, is {kind}."
    )


def default_text(lines: pd.DataFrame, about: dict[str, Any], as_table: Any) -> str:
    """The table and the verdict in Markdown; `as_table` writes a table."""
    counts = COUNTS if COUNTED[0] in lines else ""
    return (
        f"{as_table(table_of(lines))}\n{counts}{verdict(lines)}\n\nRecorded {about['created'][:10]} by "
        f"`python validation/benchmarks/methods/{about['scale']}`, sparsek "
        f"{about['environment']['sparsek']}. The number of a sample is its seed.\n"
    )
