"""Tables 1 to 6 of the sparse MinMax paper as sections of the report: printed, full run, this run."""

from pathlib import Path
from typing import Any

import pandas as pd

from validation.papers.drawing import to_svg
from validation.papers.minmax.designs import NOT_HERE, SETTINGS, TABLES
from validation.papers.minmax.other_tables import time_claims
from validation.papers.minmax.pictures import CONVERGENCE, TSNE_TABLE, draw_criterion, draw_rows
from validation.papers.minmax.tables import run_table
from validation.papers.printed import VERDICTS, beside, count_verdicts
from validation.papers.skfr.simulation.report_tables import origin
from validation.papers.skfr.simulation.store import RESULTS, load_table
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


def run_quick(folder: Path, n_jobs: int) -> dict[int, pd.DataFrame]:
    """All tables at the quick scale, as far as the data are at hand.

    Parameters
    ----------
    folder : Path
        Holds finished cells.
    n_jobs : int
        Processes.

    Returns
    -------
    dict of int to DataFrame
        By number of the table.
    """
    return {
        number: run_table(number, "quick", folder, n_jobs).frames[f"minmax-table-{number}"]
        for number in TABLES
    }


def minmax_sections(this_run: dict[int, pd.DataFrame], folder: Path = RESULTS) -> list[Section]:
    """The sections on Tables 1 to 6.

    Parameters
    ----------
    this_run : dict of int to DataFrame
        By number of the table, from this run; tables may be missing.
    folder : Path
        Holds the full run.

    Returns
    -------
    list of Section
        One per table; that on Table 2 has the figures.
    """
    return [_section(number, this_run.get(number), folder) for number in TABLES]


def _section(number: int, this_run: pd.DataFrame | None, folder: Path) -> Section:
    full, about = load_table(f"minmax-table-{number}", folder)
    counts = count_verdicts(full)
    judged = sum(counts.values())
    known = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS) + f" of {judged} at hand. "
    if "exact" in full:
        known = known.replace(
            " reproduced", f" reproduced ({int(full['exact'].eq(True).sum())} to the last digit)", 1
        )
    missing = list(full.loc[full["verdict"] == NOT_HERE, "data"].unique())
    remarks = [f"{NOT_HERE.capitalize()}: {', '.join(missing)}."] if missing else []
    gone = [] if this_run is None else this_run.loc[this_run["verdict"] == NOT_HERE, "data"].unique()
    if set(gone) - set(missing):
        remarks.append(f"Not at hand in this run: {', '.join(gone)}.")
    return Section(
        f"Sparse MinMax paper, Table {number}: {TITLES[number]}",
        f"minmax-table-{number}",
        ("" if number == 6 else known) + TEXTS[number],
        pictures=_pictures(folder) if number == 2 else (),
        tables=(
            _table(number, beside(full, this_run, [name for name in KEYS if name in full])),
            *_further(number, full),
            *_readings(number, folder),
        ),
        settings=SETTINGS if number == 1 else (),
        remarks=(*remarks, *REMARKS.get(number, ()), origin("Full run", about)),
    )


BEST = (
    "Ours is the best of 20 runs by the error rate that the column prints; the interval holds 95 % of such "
    "numbers. The best of 20 runs is chosen by the classes, as in the paper."
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
    """The table itself."""
    columns = {"Data": "data", "Method": "method"}
    if number == 5:
        columns |= {"Measure": "measure"}
    columns |= {"Printed": "printed"}
    columns |= {"sd": "printed_sd", "p": "printed_p"} if number == 4 else {}
    columns |= {"Ours": "ours"}
    if number < 5:
        columns |= {"Lowest": "low", "Highest": "high", "Our sd": "sd", "Verdict": "verdict"}
    if number == 4:
        columns |= {"Our p": "p", "Holm": "p_holm", "Conclusion": "p_verdict"}
    if number < 5:
        columns |= {"Rate": "error", "Many-to-one": "many_to_one", "One-to-one": "one_to_one",
                    "Pairs": "pairs", "s": "bound", "Features": "n_features"}  # fmt: skip
    if number == 5:
        columns |= {"Verdict": "verdict", "Share of runs": "share", "Median": "median"}
    if number == 6:
        columns |= {"Printed seconds": "printed_seconds", "Our seconds": "seconds", "Verdict": "verdict"}
    columns |= {"This run": "this run"}
    found = [[row.get(key) for key in columns.values()] for row in rows]
    caption = "Printed and ours" + (", seconds over those of kM_0" if number == 6 else "")
    return make_table(caption + ".", list(columns), found)


def _further(number: int, full: pd.DataFrame) -> tuple[Table, ...]:
    """What differs and why; claims on times."""
    if number == 6:
        return (make_table("Claims", ("Claim", "Measured", "Verdict"), time_claims(full)),)
    if number == 4 or "reason" not in full:
        return ()
    chosen = full[full["verdict"].isin(VERDICTS[1:]) & full["reason"].notna()]
    if not len(chosen):
        return ()
    rows = [[row["data"], row["method"], row["verdict"], row["reason"]] for row in chosen.to_dict("records")]
    heads = ["Data", "Method", "Verdict", "Other readings"]
    return (make_table("Where ours is another number: other readings that give it.", heads, rows),)


def _readings(number: int, folder: Path) -> tuple[Table, ...]:
    """The printed numbers under the other readings, from the full run."""
    if number > 3:
        return ()
    found, _ = load_table(f"minmax-table-{number}-readings", folder)
    columns = {"Data": "data", "Method": "method", "Reading": "reading", "Printed": "printed", "Ours": "ours",
               "Lowest": "low", "Highest": "high", "Verdict": "verdict", "s": "bound",
               "Features": "n_features"}  # fmt: skip
    rows = found.loc[found["printed"].notna(), list(columns.values())].sort_values(
        "data",
        key=lambda titles: titles.map({name: i for i, name in enumerate(titles.unique())}),
        kind="stable",
    )
    return (make_table("Other readings, full run.", list(columns), rows.to_numpy(dtype=object).tolist()),)


def _pictures(folder: Path) -> tuple[Picture, ...]:
    """Both figures from the full run."""
    rows, _ = load_table(TSNE_TABLE, folder)
    criterion, _ = load_table(CONVERGENCE, folder)
    return (
        Picture("Leukemia by t-SNE: classes and clusters", to_svg(draw_rows(rows), TSNE_TABLE)),
        Picture("Weighted BCSS by weight update", to_svg(draw_criterion(criterion), CONVERGENCE)),
    )
