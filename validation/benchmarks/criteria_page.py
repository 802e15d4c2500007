"""The tables of docs/methods/choosing-k-and-s.md on what each criterion finds, from the recorded lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

NAME = "criteria"
"""Name of the files of the record, without extension."""
NULL_NAME = "criteria-null"
"""The same for the record of data without clusters."""
TEST = "the test of one cluster"
"""The default of ModelChoice in that record."""
MEASURES = {"right k": 1, "k off": 0, "FPR": 0, "FNR": 0, "kept": 0, "ARI": 1}
"""Columns of the tables, and whether their largest value is the best one."""
ERRORS = 2
"""So many standard errors of a mean difference are taken for a difference."""
SAMPLE, CHOICE = ["name", "trial"], ["criterion", "rule"]


def mean_and_error(values: pd.Series) -> str:
    """A mean and its standard error over the samples; empty without values."""
    known = values.dropna().astype(float)
    if known.empty:
        return ""
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.nan
    return f"{known.mean():.2f}" + ("" if np.isnan(error) else f" ± {error:.2f}")


def as_good(part: pd.DataFrame, measure: str) -> set[tuple[str, str]]:
    """The criteria and rules that cannot be told from the best: differences on the same samples.

    A rule is told apart where its mean difference from the one with the largest mean is more than `ERRORS`
    standard errors of that difference. The fit with the right k and s does not take part.
    """
    wide = part[part["criterion"] != "truth"].pivot_table(measure, SAMPLE, CHOICE, "first").astype(float)
    behind = wide.sub(wide[wide.mean().idxmax()], axis=0)
    error = behind.std(ddof=1) / np.sqrt(len(behind))
    return set(behind.columns[behind.mean() + ERRORS * error >= 0])


def table_of(part: pd.DataFrame) -> pd.DataFrame:
    """Means and standard errors of one method on one kind of data; bold are those that `as_good` names."""
    rows = []
    shown = [name for name in MEASURES if part[name].notna().any()]
    good = {name: as_good(part, name) for name in shown if MEASURES[name]}
    # A rule that is missing is read from a file as NaN, and no key of a group.
    for key, group in part.fillna({"rule": ""}).groupby(CHOICE, sort=False):
        criterion, rule = key
        cells = {}
        for name in shown:
            text = mean_and_error(group[name])
            cells[name] = f"**{text}**" if key in good.get(name, ()) else text
        named = "the right k and s" if criterion == "truth" else f'`"{criterion}"`'
        rows.append({"criterion": named, "rule": f'`"{rule}"`' if rule else "", **cells})
    return pd.DataFrame(rows)


def right_k_by_design(lines: pd.DataFrame, method: str = "SKFR") -> pd.DataFrame:
    """Share of right k by design, with the first rule of each criterion."""
    part = lines[(lines["method"] == method) & (lines["data"] == "designs") & (lines["criterion"] != "truth")]
    part = part[~part["rule"].isin(["one_se"])].assign(**{"right k": part["right k"].astype(float)})
    wide = part.pivot_table("right k", "criterion", "name", "mean", sort=False)
    return wide.map("{:.2f}".format).rename_axis(columns=None).reset_index()


def seconds_of(lines: pd.DataFrame) -> str:
    """Mean seconds of a grid on a design, by criterion."""
    part = lines[(lines["method"] == "SKFR") & (lines["data"] == "designs") & (lines["criterion"] != "truth")]
    seconds = part.groupby("criterion")["seconds"].mean().sort_values()
    return ", ".join(f"{name} {value:.1f}" for name, value in seconds.items())


def verdicts(lines: pd.DataFrame) -> pd.DataFrame:
    """For each criterion, with its better rule, what it is as good as the best in: right k and ARI."""
    found: dict[str, dict[str, str]] = {}
    kinds = {"designs": "simulated", "real": "real"}
    for (method, data), part in lines.groupby(["method", "data"], sort=False):
        for measure in (name for name, more in MEASURES.items() if more):
            good = {criterion for criterion, _ in as_good(part, measure)}
            for criterion in part.loc[part["criterion"] != "truth", "criterion"].unique():
                row = found.setdefault(criterion, {})
                row[f"{method}, {kinds[data]}: {measure}"] = "yes" if criterion in good else "no"
    table = pd.DataFrame.from_dict(found, orient="index").fillna("")
    return table.rename_axis("criterion").reset_index()


def verdict_text(table: pd.DataFrame) -> str:
    """Which criteria are as good as the best everywhere, or most often."""
    marks = table.set_index("criterion")
    counts = (marks == "yes").sum(axis=1)
    first = [f'`"{name}"`' for name in counts.index[counts == counts.max()]]
    named = first[0] if len(first) == 1 else f"{', '.join(first[:-1])} and {first[-1]}"
    return (
        f"Cannot be told from the best in {counts.max()} of {marks.shape[1]} lines, most of all: {named}.\n"
    )


def quoted(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the names of the criteria as code."""
    return table.assign(criterion=[f'`"{name}"`' for name in table["criterion"]])


def crosswise(table: pd.DataFrame) -> pd.DataFrame:
    """The table of verdicts with a column for each criterion, so that it fits a page."""
    turned = quoted(table).set_index("criterion").T.rename_axis(None, axis=1)
    return turned.rename_axis("cannot be told from the best").reset_index()


def null_table(lines: pd.DataFrame) -> pd.DataFrame:
    """Share of samples without clusters with more than one chosen, by design; of the test, errors too."""
    more = lines.fillna({"rule": ""}).assign(more=(lines["k"] > 1).astype(float))
    shares = more.pivot_table("more", CHOICE, "design", "mean", sort=False).map("{:.2f}".format)
    tests = more[more["criterion"] == TEST].groupby("design")["more"].agg(mean_and_error)
    shares.loc[(TEST, ""), tests.index] = tests
    table = shares.rename_axis(columns=None).reset_index()
    names = [name if name == TEST else f'`"{name}"`' for name in table["criterion"]]
    return table.assign(criterion=names, rule=[rule and f'`"{rule}"`' for rule in table["rule"]])


def null_text(lines: pd.DataFrame, about: dict[str, Any], as_table: Any) -> str:
    """The shares in Markdown, and where they come from."""
    tests = lines["criterion"] == TEST
    n_sets, n_tests = lines.loc[~tests, "trial"].nunique(), lines.loc[tests, "trial"].nunique()
    return (
        f"{as_table(null_table(lines))}\n{n_sets} samples of each design, and {n_tests} for the test (± its "
        f"standard error). Recorded {about['created'][:10]} by "
        f"`python validation/benchmarks/methods/{about['scale']}`.\n"
    )


def criteria_text(lines: pd.DataFrame, about: dict[str, Any], as_table: Any) -> str:
    """All tables in Markdown; `as_table` writes one."""
    found = verdicts(lines)
    command = f"python validation/benchmarks/methods/{about['scale']}"
    text = (
        f"{as_table(crosswise(found))}\n{verdict_text(found)}\nRecorded {about['created'][:10]} by "
        f"`{command}`, sparsek {about['environment']['sparsek']}. The number of a trial is its seed.\n"
    )
    for (method, data), part in lines.groupby(["method", "data"], sort=False):
        n_sets, trials = part["name"].nunique(), part["trial"].nunique()
        real = data == "real"
        samples = f"data sets: {n_sets}" if real else f"designs: {n_sets}, samples of each: {trials}"
        text += f"\n**`{method}`, {'real' if real else 'simulated'} data** ({samples})\n\n"
        text += as_table(table_of(part))
    text += "\n**Right k by design** (`SKFR`, the first rule of each criterion)\n\n"
    text += as_table(quoted(right_k_by_design(lines)))
    return text + f"\nSeconds of processor time for one grid on a design: {seconds_of(lines)}.\n"
