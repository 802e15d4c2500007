"""The page on real data and the section of the report, from the recorded lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.shared.store import RESULTS, load_table, origin
from validation.report.sections import Section, make_table

NAME = "real"
"""Name of the files of the record, without extension."""
COMMAND = "python -m validation real --record"
K_MEANS = {"raw": "k-means", "standardised": "k-means, standardised", "ranges": "k-means, ranges"}
"""The k-means that sees columns of each kind."""
OTHERS = (*K_MEANS.values(), "Ward", "Gaussian mixture", "sparcl's permute")
"""Methods that are not ours."""
SHOWN = (*OTHERS, "SKFR", "SparseKMeans")
"""Columns of the table set by set."""
LATER = (
    *("ad_data", "ckd", "coffee", "dermatology", "fish", "fruit", "hyptis", "ma_nakayama", "ma_shipp"),
    *("ma_su", "olitos", "phenyl", "usps358"),
)
"""Sets of the third collection, which came after the trials."""
BEHIND = 0.02
"""A method is lower than k-means where its index is lower by more than this."""
GROUPS = {"all sets": ("expression", "table"), "expression": ("expression",), "other tables": ("table",)}
Show = Callable[[pd.DataFrame], str]


def means(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each method: mean index by group of sets, warnings, and seconds in all."""
    rows = []
    for method, part in lines.groupby("method", sort=False):
        found = {name: part.loc[part["kind"].isin(kinds), "ARI"].mean() for name, kinds in GROUPS.items()}
        rows.append(
            {
                "method": method,
                **found,
                "sets with a warning": int(part["warnings"].fillna("").ne("").sum()),
                "seconds": part["seconds"].sum(),
            }
        )
    return pd.DataFrame(rows)


def behind(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each of our methods: the sets where it is lower than k-means on the same or other columns."""
    index = lines.pivot_table("ARI", "set", "method", sort=False)
    rows = []
    for method, part in lines[~lines["method"].isin(OTHERS)].groupby("method", sort=False):
        counts = {
            kind: int((index[method] < index[peer] - BEHIND).sum())
            for kind, peer in K_MEANS.items()
            if peer in index
        }
        own = part["columns"].fillna("").iloc[0]
        rows.append({"method": method, "same columns": counts.get(own, np.nan), **counts})
    return pd.DataFrame(rows)


def set_by_set(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each set: its size, the index of each of `SHOWN`, and what our defaults took and warned of."""
    rows = []
    for name, part in lines.groupby("set", sort=False):
        of = part.set_index("method")
        first = part.iloc[0]
        row = {"set": name, "kind": first["kind"], "rows": first["n"], "columns": first["p"], "k": first["k"]}
        row |= {method: of["ARI"].get(method, np.nan) for method in SHOWN}
        for method in SHOWN[len(OTHERS) :]:
            row[f"{method}: features"] = of["features"].get(method, np.nan)
            row[f"{method}: warnings"] = of["warnings"].fillna("").get(method, "")
        rows.append(row)
    return pd.DataFrame(rows)


def as_texts(table: pd.DataFrame) -> pd.DataFrame:
    """The table with every number as text: whole ones without decimals, seconds with none, others with three."""

    def show(column: str, value: Any) -> str:
        if isinstance(value, str):
            return value
        if np.isnan(value):
            return ""
        return f"{value:z.3f}" if column not in WHOLE and ": " not in column else f"{value:.0f}"

    return pd.DataFrame(
        {column: [show(column, value) for value in values] for column, values in table.items()}
    )


WHOLE = ("rows", "columns", "k", "sets with a warning", "seconds", "same columns", *K_MEANS)
"""Columns of whole numbers."""


def in_words(lines: pd.DataFrame) -> str:
    """How many sets and methods the record has, and which of the sets were looked at before."""
    kinds = lines.drop_duplicates("set")["kind"].value_counts()
    names = list(dict.fromkeys(lines["set"]))
    later = [f"`{name}`" for name in names if name in LATER]
    text = (
        f"{len(names)} sets with known classes, {kinds.get('expression', 0)} of gene expression and "
        f"{kinds.get('table', 0)} other tables, and {lines['method'].nunique()} methods. The number of clusters "
        "is the number of classes. No method sees the classes themselves, which only the adjusted Rand index uses."
    )
    return f"{text}\n\n{seen(len(names), later)}"


def seen(total: int, later: list[str]) -> str:
    """Which sets were looked at while the rules of the package were made."""
    if not later:
        return f"All {total} sets were looked at while the rules of the package were made."
    return (
        f"{total - len(later)} of the sets were looked at while the rules of the package were made. "
        f"{len(later)} came later, as part of a third collection: {', '.join(later)}. "
        "A rule that was tried for the scale of columns failed on `dermatology`, and was then changed. "
        "So none of these sets is a test that a later rule has not seen."
    )


def left_out(lines: pd.DataFrame) -> str:
    """Which methods were not run on which sets; empty if none."""
    absent = lines[lines["ARI"].isna()]
    parts = [
        f"{method}: {', '.join(f'`{name}`' for name in part['set'])}"
        for method, part in absent.groupby("method", sort=False)
    ]
    return f"Left out because they take too long: {'; '.join(parts)}.\n\n" if parts else ""


def real_text(lines: pd.DataFrame, about: dict[str, Any], as_table: Show) -> str:
    """The page's tables in Markdown; `as_table` writes a table."""
    return (
        f"{in_words(lines)}\n\n## Means\n\n"
        f"Mean adjusted Rand index; seconds are the sum over the sets.\n\n{as_table(as_texts(means(lines)))}\n"
        f"{left_out(lines)}## Lower than k-means\n\n"
        f"On so many sets the index of ours is lower by more than {BEHIND:g} than that of k-means: on the columns "
        "that the method itself clusters, on columns as they are, on standardised ones, and on columns divided "
        f"by their ranges.\n\n{as_table(as_texts(behind(lines)))}\n"
        f"## Set by set\n\n{as_table(as_texts(set_by_set(lines)))}\n"
        f"Recorded {about['created'][:10]} by `{about['scale']}`, sparsek {about['environment']['sparsek']}.\n"
    )


def load_section(folder: Path = RESULTS) -> Section | None:
    """The section of the report, if a run was recorded."""
    if not (folder / f"{NAME}.csv").exists():
        return None
    lines, about = load_table(NAME, folder)
    tables = [
        make_table(caption, list(table), table.to_numpy(object).tolist())
        for caption, table in (
            ("Mean adjusted Rand index with the classes", means(lines)),
            (f"Sets where the index is lower than that of k-means by more than {BEHIND:g}", behind(lines)),
        )
    ]
    text = in_words(lines).replace("`", "")
    return Section(
        "The benchmark of real data", "benchmark", text, (), tuple(tables), (), (origin(NAME, about),)
    )
