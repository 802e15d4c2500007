"""What the page on questionnaires says of other packages for categories, from the recorded lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.shared.store import RESULTS, load_table

NAME = "mixed-peers"
"""Name of the record of all tables and methods, without extension."""
PUBLISHED = "mixed-published"
"""Name of the record of the packages' published examples."""
OURS = ("SKFR", "SparseKMeans", "KPod")
SELECTING = ("SKFR", "SparseKMeans", "VarSelLCM")
"""Methods that leave variables out."""
NEAR = 0.02
"""Indices that differ by less are called equal."""


def table_of(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each table: the adjusted Rand index of each method, empty where it refuses the table."""
    return _wide(lines, lambda line: f"{line['ARI']:.2f}")


def selected_table(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each table: how many variables a method selects, and how many of these differ if known."""

    def shown(line: pd.Series) -> str:
        count = f"{line['selected']:.0f}"
        if np.isnan(line["relevant"]):
            return f"{count} of {line['p']}"
        return f"{count} of {line['p']}, {line['right']:.0f} of {line['relevant']:.0f} right"

    return _wide(lines[lines["method"].isin(SELECTING)], shown)


def time_table(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each table: median seconds of each method divided by those of SKFR."""
    unit = lines[lines["method"] == "SKFR"].set_index("data")["seconds"]
    return _wide(lines, lambda line: f"{line['seconds'] / unit[line['data']]:.2g}")


def published_table(examples: pd.DataFrame) -> pd.DataFrame:
    """The examples as texts."""
    return examples.fillna("").astype(str)


def _wide(lines: pd.DataFrame, shown: object) -> pd.DataFrame:
    """A text for each table and method; empty where the method refuses the table."""
    methods = list(dict.fromkeys(lines["method"]))
    rows = []
    for name, part in lines.groupby("data", sort=False):
        cells = dict.fromkeys(methods, "")
        for _, line in part[part["seconds"].notna()].iterrows():
            cells[line["method"]] = shown(line)  # type: ignore[operator]
        rows.append({"table": name, **cells})
    return pd.DataFrame(rows)


def wins(lines: pd.DataFrame, ours: str, peer: str) -> tuple[int, int, int]:
    """On how many tables that both take ours has the higher index, about the same, the lower one."""
    wide = lines.pivot(index="data", columns="method", values="ARI")
    apart = (wide[ours] - wide[peer]).dropna()
    higher, lower = int((apart >= NEAR).sum()), int((apart <= -NEAR).sum())
    return higher, len(apart) - higher - lower, lower


def as_markdown(table: pd.DataFrame) -> str:
    """A table in Markdown."""
    lines = [list(table), ["---"] * table.shape[1], *table.to_numpy(str).tolist()]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def peers_in_words(folder: Path = RESULTS) -> str:
    """The published examples and the tables of the page, as far as they are recorded."""
    parts = [published_in_words(folder), compared_in_words(folder)]
    recorded = [text for text in parts if text]
    return "\n\n".join(recorded)


def published_in_words(folder: Path) -> str:
    """The printed numbers beside those of the run, empty without a record."""
    if not (folder / f"{PUBLISHED}.csv").exists():
        return ""
    about = load_table(PUBLISHED, folder)[1]
    examples = pd.read_csv(folder / f"{PUBLISHED}.csv", dtype=str)  # numbers with the digits that are printed
    return (
        "Examples that the packages publish: the printed number, that of the package in this run, and ours "
        f"where it is an index of clusters:\n\n{as_markdown(published_table(examples))}\n{_origin(about)}"
    )


def compared_in_words(folder: Path) -> str:
    """The tables, and on how many tables each method has the higher index; or that there is no record."""
    if not (folder / f"{NAME}.csv").exists():
        return "The run on the tables listed above is not recorded yet."
    lines, about = load_table(NAME, folder)
    peers = [name for name in dict.fromkeys(lines["method"]) if name not in OURS]
    counts = [
        f"- {ours} against {peer}: higher on {higher}, within {NEAR} on {same}, lower on {lower}."
        for ours in [name for name in OURS[:2] if name in set(lines["method"])]
        for peer in peers
        for higher, same, lower in [wins(lines, ours, peer)]
    ]
    return "\n".join(
        [
            "Adjusted Rand index with the known classes:\n",
            as_markdown(table_of(lines)),
            "Variables that are selected:\n",
            as_markdown(selected_table(lines)),
            "Seconds divided by those of SKFR, medians of processor time:\n",
            as_markdown(time_table(lines)),
            "Tables on which the index is higher or lower:\n",
            *counts,
            f"\n{_origin(about)}",
        ]
    )


def _origin(about: dict[str, Any]) -> str:
    """When and with what a record was made."""
    environment = about["environment"]
    return (
        f"Recorded {about['created'][:10]}, sparsek {environment['sparsek']}, "
        f"engine {environment['engine']}. Packages: {', '.join(environment['r'])}."
    )
