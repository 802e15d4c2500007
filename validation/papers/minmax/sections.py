"""Tables 1 to 6 of the sparse MinMax paper as sections of the report: printed, full run, this run."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.minmax.designs import NOT_HERE, SETTINGS
from validation.papers.minmax.judging import CHOSEN, JUDGED, MARGIN, judge_table
from validation.papers.minmax.other_tables import time_claims
from validation.papers.minmax.pictures import (
    CONVERGENCE,
    TSNE_TABLE,
    convergence_claims,
    draw_criterion,
    draw_rows,
)
from validation.papers.paper import Result
from validation.papers.shared.claims import claim_table
from validation.papers.shared.store import load_record, load_table, origin
from validation.papers.shared.verdict_tables import add_reasons, beside, count_in_words, other_readings
from validation.report.drawing import to_svg
from validation.report.sections import Picture, Section, Table, make_table

KEYS = ("data", "method", "measure")
TITLES = {
    1: "UCI data and Yale faces",
    2: "ten gene expression sets",
    3: "benchmark sets",
    4: "means and rank-sum tests",
    5: "retained features and Dunn index",
    6: "run times as ratios",
}


def make_section(number: int, result: Result, folder: Path) -> Section:
    """A section with a table of this run beside the full run; the section on Table 2 has the figures."""
    name = f"minmax-table-{number}"
    full, about = judged(number, folder)
    this_run = result.frames[name]
    known = ""
    if number != 6:
        known = f"At hand, {count_in_words(full)}"
        known += f"; {int(full['exact'].eq(True).sum())} to the last digit. " if "exact" in full else ". "
    missing = list(full.loc[full["ours"].isna(), "data"].unique())
    remarks = [f"{NOT_HERE.capitalize()}: {', '.join(missing)}."] if missing else []
    if number in CHOSEN:
        remarks.append(f"Chosen after seeing the printed numbers: {CHOSEN[number]}.")
    gone = this_run.loc[this_run["ours"].isna(), "data"].unique() if "ours" in this_run else []
    if set(gone) - set(missing):
        remarks.append(f"Not at hand in this run: {', '.join(gone)}.")
    return Section(
        f"Sparse MinMax paper, Table {number}: {TITLES[number]}",
        name,
        known + TEXTS[number],
        pictures=_pictures(folder) if number == 2 else (),
        tables=(
            _table(number, beside(full, this_run, [name for name in KEYS if name in full])),
            *_further(number, full),
            *((_convergence(folder),) if number == 2 else ()),
            *_readings(number, folder),
        ),
        settings=SETTINGS if number == 1 else (),
        remarks=(*remarks, *REMARKS.get(number, ()), origin("Full run", about)),
    )


def judged(number: int, folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The full run of a table with verdicts and other readings, and its date and versions."""
    full, about = load_record(f"minmax-table-{number}", JUDGED[number], folder)
    full = judge_table(number, full)
    if number <= 3:
        full = add_reasons(full, load_readings(number, folder), ["data", "method"])
    return full, about


def load_readings(number: int, folder: Path) -> pd.DataFrame:
    """The other readings of Table 1, 2 or 3, from the full run."""
    return load_record(f"minmax-table-{number}-readings", ("data", "method", "ours", "reading"), folder)[0]


BEST = (
    "Ours is the best of the first 20 runs by the error rate that the column prints; the interval holds 95 % "
    "of such numbers, from 0 where our runs are too few to exclude a better one. "
    "The best of 20 runs is chosen by the classes, as in the paper."
)
TEXTS = {
    1: BEST,
    2: BEST + " kmeans and kmeans++ are means of runs.",
    3: BEST,
    4: "Means of 20 runs by the error rate that the column prints. Each method is compared with that of the "
    "lowest mean of its row; p-values are also adjusted for the three tests of a row by Holm's rule.",
    5: "RF is given where s was chosen for it. Dunn's index is that of the best run, on all raw features.",
    6: "Processor time on one thread, median of 20 runs, over that of kM_0. Absolute times of two machines "
    "and languages say nothing about each other.",
}
REMARKS = {
    2: (
        "The printed numbers are multiples of 1/n, which shares of pairs are not: they are misclassification "
        "rates. With two classes a many-to-one rate never exceeds the share of the smaller class.",
        "At the largest gap Sparse k-Means retains as many features as Table 5 prints, on all sets at hand "
        "but Brain; Sparse MinMax k-Means on none.",
    ),
    4: (
        "The printed p-values cannot come from the printed means and sds: two methods that never vary and "
        "differ have the same p-value in every row, but five different ones are printed.",
    ),
}


def _table(number: int, rows: list[dict[str, Any]]) -> Table:
    """The table of printed numbers, full run and this run."""
    columns = {"Data": "data", "Method": "method"}
    if number == 5:
        columns |= {"Measure": "measure"}
    columns |= {"Printed": "printed"}
    columns |= {"sd": "printed_sd", "p": "printed_p"} if number == 4 else {}
    columns |= {"Ours": "ours"}
    if number < 5:
        columns |= {"Our sd": "sd", "Runs": "runs"}
    if number < 6:
        columns |= {"Verdict": "verdict", "95 % interval of the difference": "interval"}
    if number == 4:
        columns |= {"Verdict on the sd": "sd_verdict", "95 % interval of the ratio": "sd_interval"}
        columns |= {"Our p": "p", "Holm": "p_holm", "Conclusion": "p_verdict"}
    if number < 5:
        columns |= {"Rate": "error", "Many-to-one": "many_to_one", "One-to-one": "one_to_one",
                    "Pairs": "pairs", "s": "bound", "Features": "n_features"}  # fmt: skip
    if number == 5:
        columns |= {"Share of runs": "share", "Median": "median"}
    if number == 6:
        columns |= {"Printed seconds": "printed_seconds", "Our seconds": "seconds"}
    columns |= {"This run": "this run"}
    found = [[None if row.get(key) == "" else row.get(key) for key in columns.values()] for row in rows]
    caption = "Printed and ours" + (", seconds over those of kM_0" if number == 6 else "")
    return make_table(caption + ".", list(columns), found)


def _further(number: int, full: pd.DataFrame) -> tuple[Table, ...]:
    """Reasons for differences; claims on times."""
    if number == 6:
        return (claim_table("Claims", time_claims(full)),)
    if number == 4 or "reason" not in full:
        return ()
    caption = "Where ours is not equivalent: other readings."
    table = other_readings(caption, full, ["data", "method"])
    return (table,) if table.rows else ()


def _readings(number: int, folder: Path) -> tuple[Table, ...]:
    """The printed numbers under the other readings, from the full run."""
    if number > 3:
        return ()
    found = load_readings(number, folder)
    gaps = (found["ours"] - found["printed"]).abs()
    found = found.assign(near=np.where(gaps <= MARGIN, "yes", "no"))
    columns = {"Data": "data", "Method": "method", "Reading": "reading", "Printed": "printed", "Ours": "ours",
               "Within the margin": "near",
               "s": "bound", "Features": "n_features"}  # fmt: skip
    rows = found.loc[found["printed"].notna(), list(columns.values())].sort_values(
        "data",
        key=lambda titles: titles.map({name: i for i, name in enumerate(titles.unique())}),
        kind="stable",
    )
    return (make_table("Other readings, full run.", list(columns), rows.to_numpy(dtype=object).tolist()),)


def _convergence(folder: Path) -> Table:
    """The claim of Figure 1."""
    return claim_table("Claim of Figure 1", convergence_claims(load_table(CONVERGENCE, folder)[0]))


def _pictures(folder: Path) -> tuple[Picture, ...]:
    """Both figures from the full run."""
    rows, _ = load_table(TSNE_TABLE, folder)
    criterion, _ = load_table(CONVERGENCE, folder)
    return (
        Picture("Leukemia by t-SNE: classes and clusters", to_svg(draw_rows(rows), TSNE_TABLE)),
        Picture("Weighted BCSS by weight update", to_svg(draw_criterion(criterion), CONVERGENCE)),
    )
