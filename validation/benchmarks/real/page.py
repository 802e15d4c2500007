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
DEFAULTS = ("SKFR", "SparseKMeans")
"""Methods of ours in the table set by set."""
BEHIND = 0.02
"""A method is lower than k-means where its index is lower by more than this."""
GROUPS = {
    "looked at": ("expression", "table"),
    "expression": ("expression",),
    "other tables": ("table",),
    "of papers": ("paper",),
}
"""Groups of sets: those looked at while the rules were made, their two kinds, and those that judged them."""


def means(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each method: the mean index by group of sets, warnings, and seconds of all sets."""
    rows = []
    for method, part in lines.groupby("method", sort=False):
        found = {name: part.loc[part["kind"].isin(kinds), "ARI"].mean() for name, kinds in GROUPS.items()}
        warned = int((part["warnings"].fillna("") != "").sum())
        seconds = round(part["seconds"].sum())
        rows.append({"method": method, **found, "sets with a warning": warned, "seconds": seconds})
    return pd.DataFrame(rows)


def behind(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each of our methods: on how many sets it is lower than k-means on columns of each kind."""
    index = lines.pivot_table("ARI", "set", "method", sort=False)
    rows = []
    for method, part in lines[~lines["method"].isin(OTHERS)].groupby("method", sort=False):
        lower = {
            kind: int((index[method] < index[peer] - BEHIND).sum())
            for kind, peer in K_MEANS.items()
            if peer in index
        }
        same = lower.get(part["columns"].fillna("").iloc[0])
        rows.append({"method": method, "its own columns": same, **lower})
    return pd.DataFrame(rows).convert_dtypes()


def set_by_set(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for each set: its size, the indices, and the features and warnings of our defaults."""
    rows = []
    for name, part in lines.groupby("set", sort=False):
        of, first = part.set_index("method"), part.iloc[0]
        row = {"set": name, "kind": first["kind"], "size": f"{first['n']} x {first['p']}", "k": first["k"]}
        row |= {method: of["ARI"].get(method, np.nan) for method in (*OTHERS, *DEFAULTS)}
        for method in DEFAULTS:
            row[f"features of {method}"] = of["features"].get(method)
            row[f"warnings of {method}"] = of["warnings"].fillna("").get(method, "")
        rows.append(row)
    features = [f"features of {method}" for method in DEFAULTS]
    table = pd.DataFrame(rows)
    return table.astype(dict.fromkeys(features, "Int64"))


def as_texts(table: pd.DataFrame) -> pd.DataFrame:
    """The table as texts: three decimals, whole numbers as they are, and nothing for a missing value."""

    def show(value: Any) -> str:
        if pd.isna(value):
            return ""
        return f"{value:z.3f}" if isinstance(value, float) else str(value)

    return table.astype(object).map(show)


def in_words(lines: pd.DataFrame) -> str:
    """How many sets and methods the record has, and which of the sets were looked at before."""
    kinds = lines.drop_duplicates("set")["kind"]
    names = lines.drop_duplicates("set").set_index("set")["kind"]
    papers = ", ".join(f"`{name}`" for name in names[names == "paper"].index)
    return (
        f"{len(names)} sets with known classes were clustered by {lines['method'].nunique()} methods: "
        f"{(kinds == 'expression').sum()} of gene expression, {(kinds == 'table').sum()} other tables and "
        f"{(kinds == 'paper').sum()} sets of the papers. "
        "The number of clusters is the number of classes. No method sees the classes. "
        "Only the adjusted Rand index, the measure of all tables here, uses them.\n\n"
        "The sets of gene expression and the other tables were looked at while the rules for the scale of "
        "the columns, the number of features and the warnings were made, so that their means flatter these. "
        f"The sets of the papers ({papers}) decided nothing. They were run with an earlier form of the rule "
        "for the scale, and before and after its last change, which `lung1` called for."
    )


def means_in_words() -> str:
    """The means of `SKFR` and of the best of the other methods, and its largest loss, for README."""
    lines, _ = load_table(NAME, RESULTS)
    index, sets = means(lines).set_index("method"), lines.drop_duplicates("set")["kind"]
    parts = []
    for group, said in (
        ("looked at", "that the rules were made with"),
        ("of papers", "that decided nothing"),
    ):
        n_sets = int(sets.isin(GROUPS[group]).sum())
        if n_sets:
            others = index.loc[list(OTHERS), group]
            parts.append(
                f"On {n_sets} sets {said} the mean adjusted Rand index of `SKFR(k)` is "
                f"{index.loc['SKFR', group]:.3f}. The best of {len(others)} other methods there, "
                f"{others.idxmax()}, has {others.max():.3f}."
            )
    by_method = lines.pivot(index="set", columns="method", values="ARI")
    loss = by_method["Gaussian mixture"] - by_method["SKFR"]
    parts.append(
        f"It has no form for long clusters and correlated columns, which a Gaussian mixture has: its largest "
        f"loss to one is on `{loss.idxmax()}`, {by_method['SKFR'][loss.idxmax()]:.2f} beside "
        f"{by_method['Gaussian mixture'][loss.idxmax()]:.2f}."
    )
    return " ".join(
        ["[Real data with known classes](docs/real-data.md) judge the defaults, k given.", *parts]
    )


def choosing_in_words() -> str:
    """The mean index of every method by kind of set, the largest over all sets first."""
    lines, _ = load_table(NAME, RESULTS)
    kinds = ["expression", "other tables", "of papers"]
    table = means(lines).set_index("method")
    table["all"] = lines.groupby("method")["ARI"].mean()
    table = table.sort_values("all", ascending=False, kind="stable")
    sets = lines.drop_duplicates("set")["kind"]
    heads = [f"{int(sets.isin(GROUPS[kind]).sum())} {kind}" for kind in kinds]
    rows = [f"| method | {' | '.join(heads)} | all {len(sets)} |", "|---|" + "---|" * (len(kinds) + 1)]
    for method, row in table.iterrows():
        shown = [f"{row[kind]:.2f}" for kind in (*kinds, "all")]
        name = str(method) if method in OTHERS else f"`{method}`"
        rows.append(f"| {name} | {' | '.join(shown)} |")
    index = lines.pivot(index="set", columns="method", values="ARI")
    loss = (index["Gaussian mixture"] - index["SKFR"]).nlargest(3).index
    lost = [f"`{one}` ({index['SKFR'][one]:.2f} beside {index['Gaussian mixture'][one]:.2f})" for one in loss]
    rows += [
        "",
        "A mixture can tell clusters apart that are long or whose columns are correlated, which no k-means "
        f"can. `SKFR` loses most to it on {', '.join(lost)}.",
    ]
    return "\n".join(rows) + "\n"


def failures(lines: pd.DataFrame) -> str:
    """Which methods raised an error on which sets; empty if none did."""
    failed = lines[lines["ARI"].isna()]
    parts = [
        f"{method} on `{name}` ({error})"
        for method, name, error in failed[["method", "set", "warnings"]].itertuples(index=False)
    ]
    return f"Without an answer, and so not in the means: {', '.join(parts)}.\n\n" if parts else ""


def real_text(lines: pd.DataFrame, about: dict[str, Any], as_table: Callable[[pd.DataFrame], str]) -> str:
    """The page's tables in Markdown; `as_table` writes a table."""
    shown = [as_table(as_texts(table(lines))) for table in (means, behind, set_by_set)]
    return (
        f"{in_words(lines)}\n\n"
        f"## Means\n\nSeconds are the sum over all sets.\n\n{shown[0]}\n{failures(lines)}"
        f"## Lower than k-means\n\nOn so many sets our index is lower than that of k-means by more than "
        f"{BEHIND:g}. *Its own columns* compares with k-means on the columns that the method itself "
        "clusters. The other counts are against k-means on columns as they are, standardised, and divided "
        f"by their ranges.\n\n{shown[1]}\n## Set by set\n\n{shown[2]}\nRecorded {about['created'][:10]} by "
        f"`{about['scale']}`, sparsek {about['environment']['sparsek']}.\n"
    )


def load_section(folder: Path = RESULTS) -> Section | None:
    """The section of the report, if a run was recorded."""
    if not (folder / f"{NAME}.csv").exists():
        return None
    lines, about = load_table(NAME, folder)
    captions = {
        "Mean adjusted Rand index": means(lines),
        f"Sets where our index is lower than that of k-means by more than {BEHIND:g}": behind(lines),
    }
    tables = [
        make_table(caption, list(table), table.astype(object).where(table.notna(), None).to_numpy().tolist())
        for caption, table in captions.items()
    ]
    text = f"{in_words(lines)} {failures(lines)}".replace("`", "")
    return Section("Benchmark", "benchmark", text, tables=tuple(tables), remarks=(origin(NAME, about),))
