"""Figures 1 and 2 of the PCSKM paper as sections of the report: pictures, means, tests, claims."""

from pathlib import Path
from typing import Any

import pandas as pd

from validation.papers.paper import Result
from validation.papers.pcskm.claims import score_claims, weight_claims
from validation.papers.pcskm.designs import (
    DATA,
    KINDS,
    METHODS,
    NESTED_PERCENT,
    SETTINGS,
    STARTS,
    WEIGHTED,
)
from validation.papers.pcskm.drawings import draw_weights
from validation.papers.pcskm.figures import PICTURES, draw_all_scores
from validation.papers.pcskm.judging import lead_table
from validation.papers.pcskm.summary import case_means, compare_kinds, compare_methods
from validation.papers.shared.claims import compare_claims
from validation.papers.shared.store import load_table, origin
from validation.report.drawing import to_svg
from validation.report.sections import Picture, Section, Table, make_table


def _left_out(full: pd.DataFrame, here: pd.DataFrame) -> tuple[str, ...]:
    """A sentence on the data sets missing in this run."""
    there = set(here["data"])
    missing = [DATA[name].title for name in dict.fromkeys(full["data"]) if name not in there]
    if not missing:
        return ()
    return (f"Not at hand in this run: {', '.join(missing)}. SPARSEK_DATA names a folder that holds them.",)


def scores(result: Result, folder: Path) -> Section:
    """Figure 1 of this run beside the full run in `folder`, and similar figures of the appendix."""
    (table, about), ours = load_table("pcskm-figure-1", folder), result.frames["pcskm-figure-1"]
    figures = draw_all_scores(table)
    n_trials, n_failed = int(table["trials"].max()), int(table["failed"].sum())
    return Section(
        "PCSKM, Figure 1: F-score and number of constraints",
        "pcskm-figure-1",
        "Ten folds; constraints join training rows, the F-score is that of the test rows. Means of "
        f"{n_trials} folds and draws with one standard error. The paper prints no numbers: claimed is the "
        "order of the methods. The last two pictures are those of its appendix.",
        pictures=tuple(
            Picture(f"Figure {number}, full run", to_svg(figures[name], name))
            for number, (name, _) in PICTURES.items()
        ),
        tables=(
            compare_claims("Claims", score_claims, table, ours),
            _tests(table, ours),
            lead_table(case_means(table)),
            _cases(table, ours),
            _bounds(load_table("pcskm-bounds", folder)[0]),
        ),
        settings=SETTINGS,
        remarks=(
            "The 60 cases are not independent: the starts share data sets, and LKM and SKM repeat themselves "
            "over the kinds of constraints. Wilcoxon's p-values are the paper's, not evidence of that size; "
            "the mixed model takes the dependence within data sets into account.",
            "As in the paper, s is chosen by the scores of the test rows, which flatters SKM and "
            "PCSKM alone; the last table says by how much.",
            f"{n_failed} fits of {int(table['trials'].sum())} lost a cluster and have no score.",
            f"This run has {int(ours['trials'].max())} folds per cell and fewer bounds: where they disagree, "
            "the full run counts.",
            *_left_out(table, ours),
            origin("Full run", about),
        ),
    )


def _tests(full: pd.DataFrame, here: pd.DataFrame) -> Table:
    """Wilcoxon's tests of both runs."""
    rows: list[list[Any]] = []
    for make, names in ((compare_methods, "PCSKM - {}".format), (compare_kinds, _kinds)):
        found, mine = make(case_means(full)), make(case_means(here))
        for key, (median, p) in found.items():
            rows.append([names(key), median, f"{p:.1e}", mine[key][0], f"{mine[key][1]:.1e}"])
    columns = ["Difference", "Median, full run", "p", "Median, this run", "p"]
    return make_table("Paired Wilcoxon tests over the cases, two-sided", columns, rows)


def _kinds(pair: tuple[str, str]) -> str:
    return f"{KINDS[pair[0]]} - {KINDS[pair[1]]}"


def _cases(full: pd.DataFrame, here: pd.DataFrame) -> Table:
    """Means over the numbers of constraints."""
    means, quick = case_means(full), case_means(here)
    errors = case_means(full, "se")["PCSKM"]
    rows = []
    for case, row in means.iterrows():
        data, start, kind = case
        mine = quick.loc[case] if case in quick.index else pd.Series(dtype=float)
        names = [DATA[data].title, STARTS[start], KINDS[kind]]
        rows.append([*names, *row, errors[case], mine.get("MPCKM"), mine.get("PCSKM")])
    head = ["Data", "Start", "Constraints", *METHODS, "SE of PCSKM", "MPCKM, this run", "PCSKM, this run"]
    return make_table("F-scores, means over the numbers of constraints, full run", head, rows)


def _bounds(table: pd.DataFrame) -> Table:
    """The bias in favour of PCSKM from the paper's choice of s."""
    rows = [
        [DATA[row["data"]].title, row["s"], row["optimistic"], row["nested"],
         row["optimistic"] - row["nested"], row["difference_se"]]
        for row in table.to_dict("records")
    ]  # fmt: skip
    return make_table(
        f"PCSKM with DKM++ and {NESTED_PERCENT} % of both constraints: s chosen by the test rows, as in the "
        "paper, or by inner folds of the training rows (full run, first subset of the digits)",
        ["Data", "s", "F-score, by test rows", "by inner folds", "Difference", "SE"],
        rows,
    )


def weights(result: Result, folder: Path) -> Section:
    """Figure 2 of this run beside the full run in `folder`, with Figure 7 of the appendix."""
    shares, ours = load_table("pcskm-figure-2-shares", folder)[0], result.frames["pcskm-figure-2-shares"]
    full, about = load_table("pcskm-figure-2", folder)
    svg = to_svg(draw_weights(full), "pcskm-figure-2")
    return Section(
        "PCSKM, Figure 2: weights of informative and uninformative features",
        "pcskm-figure-2",
        "Share of each feature in the sum of the weights, averaged over s for SKM and PCSKM, with one "
        "standard error; darker bars have more constraints. Features on grey ground hold no information: "
        "noise, shuffled values (MWM), or added exponential numbers (digits, Figure 7 of the appendix).",
        pictures=(Picture("Full run, both kinds of constraints", svg),),
        tables=(
            compare_claims("Claims", weight_claims, shares, ours),
            _shares(shares, ours),
        ),
        settings=SETTINGS,
        remarks=(
            "MPCKM's weights are n over a sum of squares, so that they depend on the units of each feature: "
            "the added numbers are small against the digits' 0 to 100, which alone gives them large weights.",
            *_left_out(shares, ours),
            origin("Full run", about),
        ),
    )


def _shares(full: pd.DataFrame, here: pd.DataFrame) -> Table:
    """Shares of the uninformative features, means over the numbers of constraints."""
    means = [
        run[run["kind"] == "both"].pivot_table("share", ["data", "start"], "method", "mean", sort=False)
        for run in (full, here)
    ]
    equal = full.groupby("data")["equal_weights"].first()
    rows = []
    for case, row in means[0].iterrows():
        data, start = case
        mine = means[1].loc[case] if case in means[1].index else pd.Series(dtype=float)
        shown = [row[method] for method in WEIGHTED], [mine.get(method) for method in WEIGHTED]
        rows.append([DATA[data].title, STARTS[start], equal[data], *shown[0], *shown[1]])
    head = ["Data", "Start", "Equal weights", *WEIGHTED, *(f"{method}, this run" for method in WEIGHTED)]
    return make_table("Share of the uninformative features, both kinds of constraints", head, rows)
