"""Table 3: the self-organising map under every schedule that was tried, the one in use and the rejected."""

import math

import pandas as pd

from validation.papers.skfr.real_tables.designs import MAIN_3, MICE, RUNS_MAPS
from validation.papers.skfr.real_tables.maps import SCHEDULES, USED
from validation.papers.skfr.real_tables.runs import MethodCell
from validation.papers.skfr.real_tables.study import Study
from validation.papers.skfr.real_tables.summary import (
    REPORTED,
    estimate_reported,
    load_published,
    margin_of,
)
from validation.report.sections import Table, make_table

MEASURE_NAMES = {"nodes": "mixed nodes", "total": "mice in them"}


def run_maps(study: Study) -> pd.DataFrame:
    """Every schedule on both halves of the mice.

    Parameters
    ----------
    study : Study
        Amount of work.

    Returns
    -------
    DataFrame
        One row per schedule, half and measure: the printed number, ours (the run with fewest mixed nodes of
        20, its expectation over tables of 20), its standard error, mean of all runs.
    """
    cells = [MethodCell(half, name, MAIN_3, math.nan, RUNS_MAPS) for name in SCHEDULES for half in MICE]
    trials = study.run(cells, "schedules of the map")
    rows = []
    for (name, half), runs in trials.groupby(["method", "data"], sort=False):
        printed = dict(zip(MEASURE_NAMES, load_published()["table3"][USED][half], strict=True))
        for measure in MEASURE_NAMES:
            ours = estimate_reported(runs, measure, REPORTED[0])
            about = {"schedule": SCHEDULES[str(name)].text, "used": name == USED, "half": half}
            numbers = {"ours": ours.value, "se": ours.error, "runs": len(runs)}
            numbers |= {"run_mean": runs[measure].mean()}
            rows.append({**about, "measure": measure, "printed": printed[measure], **numbers})
    return pd.DataFrame(rows)


def show_maps(maps: pd.DataFrame) -> Table:
    """The schedules as a table of the report, one row each.

    Parameters
    ----------
    maps : DataFrame
        Result of `run_maps`.

    Returns
    -------
    Table
        Counts of both halves beside the printed ones, and how many of the four are within the margin.
    """
    keys = [(half, measure) for half in MICE for measure in MEASURE_NAMES]
    rows = []
    gaps = (maps["ours"] - maps["printed"]).abs()
    near = maps.assign(near=gaps <= maps["measure"].map(margin_of))
    for (schedule, used), four in near.groupby(["schedule", "used"], sort=False):
        ours = four.set_index(["half", "measure"])["ours"]
        count = int(four["near"].sum())
        rows.append([schedule, "used" if used else "rejected", *(ours[key] for key in keys), count])
    printed = maps.drop_duplicates(["half", "measure"]).set_index(["half", "measure"])["printed"]
    rows.append(["printed", None, *(float(printed[key]) for key in keys), None])
    heads = [f"{half}, {MEASURE_NAMES[measure]}" for half, measure in keys]
    return make_table(
        "Schedules of the self-organising map that were tried, the best run of 20 under each. The one in use "
        "was chosen after seeing the printed counts.",
        ["Schedule", "", *heads, "Within the margin, of 4"],
        rows,
        digits=1,
    )
