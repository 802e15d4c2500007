"""Tables 3 and 4 of the SKFR paper as sections of the report: printed, full run, this run."""

from pathlib import Path
from typing import Any

import pandas as pd

from validation.papers.paper import Result
from validation.papers.shared.store import RESULTS, load_record, load_table, origin
from validation.papers.shared.verdict_tables import add_reasons, beside, count_in_words, other_readings
from validation.papers.shared.verdicts import shown_error
from validation.papers.skfr.real_tables.designs import BENCHMARKS, SETTINGS
from validation.papers.skfr.real_tables.drawings import draw_mixed, draw_nmi
from validation.papers.skfr.real_tables.summary import (
    JUDGED_3,
    JUDGED_4,
    REPORTED,
    judge_table_3,
    judge_table_4,
)
from validation.papers.skfr.real_tables.table3_maps import show_maps
from validation.report.drawing import to_svg
from validation.report.sections import Picture, Section, make_table

MISSES = "Where ours is not equivalent: are other readings of what the paper leaves open?"
MEASURE_NAMES = {"nodes": "mixed nodes", "total": "mice in them"}
CHOSEN_3 = (
    "columns from 0 to 1 and the run with fewest mixed nodes were picked after seeing the printed counts, "
    "and the rule uses the classes"
)
"""What was chosen after seeing the printed numbers of Table 3."""
CHOSEN_4 = (
    "raw columns for the competitors, the NMI and the draw of the seeds follow from the printed numbers"
)
"""What was chosen after seeing the printed numbers of Table 4."""
READINGS_3 = ("half", "method", "measure", "ours", "reading", "reported")
"""Columns of the other readings of Table 3 that are shown beside its verdicts."""
READINGS_4 = ("data", "method", "ours", "reading")
"""Columns of the other readings of Table 4 that are shown beside its verdicts."""
VERDICT_COLUMNS = {"Verdict": "verdict", "95 % interval of the difference": "interval"}


def judged_3(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The full run of Table 3 with verdicts and the other readings, and its date and versions."""
    full, about = load_record("table-3", JUDGED_3, folder)
    readings, _ = load_record("table-3-readings", READINGS_3, folder)
    readings = readings[readings["reported"] == REPORTED[0]]
    return add_reasons(judge_table_3(full), readings, ["half", "method", "measure"]), about


def judged_4(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The full run of Table 4 with verdicts and the other readings, and its date and versions."""
    full, about = load_record("table-4", JUDGED_4, folder)
    readings, _ = load_record("table-4-readings", READINGS_4, folder)
    return add_reasons(judge_table_4(full), readings, ["data", "method"]), about


def same_as_r(folder: Path = RESULTS) -> str:
    """In how many runs of Table 4 R's own packages give our labels."""
    full, _ = load_table("table-4", folder)
    compared, equal = int(full["R_compared"].sum()), int(full["R_equal"].sum())
    return f"On the data of Table 4 R's sparcl and wskm give our labels in {equal} of {compared} runs."


def table_3(result: Result, folder: Path) -> Section:
    """Table 3 of this run beside the full run in `folder`."""
    full, about = judged_3(folder)
    proteins, _ = load_table("table-3-proteins", folder)
    rows = [
        [row["half"], row["method"], MEASURE_NAMES[row["measure"]], row["printed"], row["ours"],
         shown_error(row["se"], row["runs"]), *(row[key] for key in VERDICT_COLUMNS.values()),
         row["run_mean"], row["this run"]]
        for row in beside(full, result.frames["table-3"], ["half", "method", "measure"])
    ]  # fmt: skip
    both = int((proteins["control"] & proteins["trisomic"]).sum())
    return Section(
        "Table 3: mice protein expression",
        "paper-table-3",
        "Clusters that hold mice of more than one class, of 49 (control) and 36 (trisomic): "
        f"{count_in_words(full)}. SKFR1 keeps 24 proteins, as printed. An SE is that of our own number.",
        pictures=(
            Picture("Full run: mixed nodes, ours and printed", to_svg(draw_mixed(full), "table-3-mixed")),
        ),
        tables=(
            make_table(
                "Ours is the run with fewest mixed nodes of 20, its expectation over such tables.",
                [
                    "Half",
                    "Method",
                    "Count",
                    "Printed",
                    "Ours",
                    "SE",
                    *VERDICT_COLUMNS,
                    "Mean of all runs",
                    "This run",
                ],
                rows,
                digits=1,
            ),
            other_readings(MISSES, full, ["half", "method", "measure"]),
            show_maps(load_table("table-3-maps", folder)[0]),
        ),
        settings=SETTINGS,
        remarks=(
            f"Chosen after seeing the printed numbers: {CHOSEN_3}.",
            "The gap statistic is largest at all 77 proteins here, not at the printed 24.",
            f"{both} proteins are selected in both halves. The paper gives the counts of proteins that the "
            "original study named too (18 and 20 of 24) but no names: this overlap cannot be derived.",
            origin("Full run", about),
        ),
    )


def table_4(result: Result, folder: Path) -> Section:
    """Table 4 of this run beside the full run in `folder`."""
    this_run = result.frames["table-4"]
    full, about = judged_4(folder)
    rows = [
        [
            *(row[key] for key in ("data", "method", "printed", "printed_sd", "R", "ours")),
            *(shown_error(row[key], row["runs"]) for key in ("sd", "se")),
            *(
                row[key] or None
                for key in (*VERDICT_COLUMNS.values(), "sd_verdict", "sd_interval", "protocol")
            ),
            row["ari"],
            None if pd.isna(row["n_selected"]) else round(row["n_selected"]),
            row["this run"],
        ]
        for row in beside(full, this_run, ["data", "method"])
    ]
    missing = [title for title in BENCHMARKS.values() if len(this_run) and title not in set(this_run["data"])]
    return Section(
        "Table 4: NMI on ten benchmark data sets",
        "paper-table-4",
        f"Means of 20 matched starts, SKFR1 and SKM tuned by the gap statistic: {count_in_words(full)}. "
        "A mean and its spread have a verdict each. "
        f"{same_as_r(folder)}",
        pictures=(
            Picture("Full run: mean NMI with its standard error", to_svg(draw_nmi(full), "table-4-nmi")),
        ),
        tables=(
            make_table(
                "NMI, mean and sd over runs; SE of the mean; verdict on the mean, and on our sd over "
                "the printed one; ARI; number of features in use.",
                [
                    "Data", "Method", "Printed", "sd", "R", "Ours", "sd", "SE", *VERDICT_COLUMNS,
                    "Verdict on the sd", "95 % interval of the ratio", "Protocol", "ARI", "Features",
                    "This run",
                ],
                rows,
            ),
            other_readings(f"{MISSES} Those of SKFR1 follow below.", full, ["data", "method"]),
        ),
        settings=SETTINGS,
        remarks=(
            "The largest gap keeps (nearly) all features of these data, so that SKFR1 here is Lloyd on "
            "standardised columns: the row of that name shows how much of the gain is standardising alone.",
            f"Chosen after seeing the printed numbers: {CHOSEN_4}.",
            *([f"Not at hand in this run: {', '.join(missing)}; the README says where data are looked for."]
              if missing else []),
            origin("Full run", about),
        ),
    )  # fmt: skip
