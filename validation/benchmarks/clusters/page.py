"""The tables of the record of ``python -m validation clusters``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

NAME, BATTERY, CRITERIA = "clusters", "clusters-battery", "clusters-criteria"
"""Names of the files of the records, without extension."""
OURS = "ModelChoice"
"""The default of ModelChoice among the rules."""
SLOW = ("thinning", "strength", "gap")
"""Other criteria of ModelChoice, which are run on some sets."""
REAL = "real data"
"""The family of the sets of the benchmark on real data, whose classes are not always clusters."""


def in_all(table: pd.DataFrame) -> pd.DataFrame:
    """By rule: shares right with clusters, within one, without clusters, and median seconds of a set."""
    table = table[table["family"] != REAL]
    right = table["chosen"] == table["k"]
    near = (table["chosen"] - table["k"]).abs() <= 1
    parts = {
        "several clusters, right": right[~table["null"]],
        "within one": near[~table["null"]],
        "one cluster, right": right[table["null"]],
        "all, right": right,
    }
    found = {name: part.groupby(table["rule"], sort=False).mean() for name, part in parts.items()}
    found["seconds"] = table.groupby("rule")["seconds"].median()
    return pd.DataFrame(found).loc[table["rule"].unique()].round(2)


def by_family(table: pd.DataFrame) -> pd.DataFrame:
    """Shares right by family and rule."""
    lines = table.assign(right=table["chosen"] == table["k"])
    wide = lines.pivot_table("right", "family", "rule", "mean", sort=False)
    return wide[list(table["rule"].unique())].round(2)


def intervals(table: pd.DataFrame) -> pd.Series:
    """How often the numbers that may fit hold the true one, and how often there is one only."""
    own = table[(table["rule"] == OURS) & (table["family"] != REAL)]
    holds = (own["low"] <= own["k"]) & (own["k"] <= own["high"])
    single, right = own["low"] == own["high"], own["chosen"] == own["k"]
    return pd.Series(
        {
            "holds": holds.mean(),
            "single": single.mean(),
            "right where single": right[single].mean(),
            "right elsewhere": right[~single].mean(),
        }
    ).round(2)


def clusters_text(table: pd.DataFrame, about: dict[str, Any], as_table: Callable[[pd.DataFrame], str]) -> str:
    """The part of the page that the record gives, in Markdown; `as_table` writes a table."""
    said, sets = intervals(table), len(table[["family", "set"]].drop_duplicates())
    return "\n\n".join(
        [
            f"Shares of {sets} sets, recorded {about['created'][:10]} by `{about['scale']}`:",
            as_table(in_all(table).reset_index()),
            f"The interval holds the true number in {said['holds']:.0%} of the sets. It is one number in "
            f"{said['single']:.0%} of them, which is then right in {said['right where single']:.0%}; in the "
            f"others the chosen number is right in {said['right elsewhere']:.0%}.",
            "Shares right by family:",
            as_table(by_family(table).reset_index()),
        ]
    )


def criteria_text(table: pd.DataFrame, about: dict[str, Any], as_table: Callable[[pd.DataFrame], str]) -> str:
    """The shares of the other criteria of ModelChoice, in Markdown."""
    return (
        "The other criteria of `ModelChoice`, on all features of two sets of each family, recorded "
        f"{about['created'][:10]} by `{about['scale']}`:\n\n{as_table(in_all(table).reset_index())}\n\n"
        f"{as_table(by_family(table).reset_index())}"
    )


def battery_text(table: pd.DataFrame, about: dict[str, Any], as_table: Callable[[pd.DataFrame], str]) -> str:
    """The shares on the published battery, in Markdown."""
    folders = table.assign(family=table["family"].str.partition("/")[0])
    sets = len(table[["family", "set"]].drop_duplicates())
    shares = by_family(folders)
    shares.loc["all"] = (table["chosen"] == table["k"]).groupby(table["rule"]).mean().round(2)
    return (
        f"The same on {sets} sets of at most 1,500 rows and ten clusters of gagolews/clustering-data-v1, a "
        "published battery of rings, arcs, squares and real data. It was looked at while the limits of the "
        f"separation were chosen. Recorded {about['created'][:10]} by `{about['scale']}`:\n\n"
        f"{as_table(shares.rename_axis('folder').reset_index())}"
    )
