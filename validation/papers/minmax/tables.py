"""Tables 1 to 6 of the sparse MinMax paper: runs, files, text."""

import math
import textwrap
from collections.abc import Callable
from functools import partial

import pandas as pd

from validation.papers.minmax import error_tables, other_tables, pictures
from validation.papers.minmax.designs import DATA, IFPCA, MADD, NOT_HERE, SCALES, TABLES, TUNED
from validation.papers.minmax.judging import LAYOUTS, judge_table
from validation.papers.minmax.samples import find_data
from validation.papers.minmax.study import RECORD, Study
from validation.papers.paper import Result, Task
from validation.papers.shared.outcomes import OUTCOMES
from validation.papers.shared.verdict_tables import WIDTH, cell_texts, show_judged

MAKERS: dict[int, Callable[[pd.DataFrame], pd.DataFrame]] = {
    1: partial(error_tables.best_table, 1),
    2: partial(error_tables.best_table, 2),
    3: partial(error_tables.best_table, 3),
    4: error_tables.mean_table,
    5: other_tables.feature_table,
    6: other_tables.time_table,
}


def run_table(number: int, task: Task) -> Result:
    """Run a table, continuing an earlier run that stopped.

    Raises ValueError for another number or scale.
    """
    if number not in TABLES or task.scale not in SCALES:
        raise ValueError(f"number must be 1 to 6 and scale quick or full; got {number!r} and {task.scale!r}")
    study = Study(SCALES[task.scale], task.cells, task.n_jobs)
    here, missing = find_data(TABLES[number][0], study.scale.download)
    methods = _methods(number)
    runs, bounds = study.runs(here, methods)
    name = f"minmax-table-{number}"
    table = _with_missing(MAKERS[number](runs), number, missing)
    frames = {name: table}
    if number == 2 and study.scale.tune:
        frames[RECORD] = _all_bounds(study, bounds)
    if number in (1, 2, 3) and study.scale.appendix:
        frames[f"{name}-readings"] = error_tables.readings_table(number, study.readings(here, methods))
    figures = {}
    if number == 2:
        more, figures = pictures.make_pictures(here, bounds)
        frames |= more
    return Result(frames, figures, show_table(number, table))


def _methods(number: int) -> tuple[str, ...]:
    """The methods that are run for a table."""
    if number == 1:  # shows other versions of MADD beside the printed one
        return (*MADD, IFPCA, *TUNED)
    return tuple(TABLES[number][1].values())


def _all_bounds(study: Study, bounds: pd.DataFrame) -> pd.DataFrame:
    """The values of s of all tables."""
    others = find_data(TABLES[1][0] + TABLES[3][0], study.scale.download)[0]
    return pd.concat([bounds, study.runs(others, TUNED)[1]]).reset_index()


def _with_missing(table: pd.DataFrame, number: int, missing: dict[str, str]) -> pd.DataFrame:
    """The table with a row for every printed number of missing data, in the paper's order."""
    names, columns = TABLES[number]
    rows = [
        {"data": DATA[name].title, **entry, "ours": math.nan, OUTCOMES: "", "missing": missing[name]}
        for name in missing
        for column in columns
        for entry in error_tables.printed_rows(number, column, name)
    ]
    gone = pd.DataFrame(rows)
    if table.empty:  # `concat` warns of tables without rows
        whole = gone.reindex(columns=list(dict.fromkeys([*table, *gone])))
    else:
        whole = pd.concat([table, gone], ignore_index=True) if rows else table
    order = {DATA[name].title: place for place, name in enumerate(names)}
    return whole.sort_values("data", key=lambda titles: titles.map(order), kind="stable", ignore_index=True)


def show_table(number: int, table: pd.DataFrame) -> str:
    """The table as text, the counts of verdicts, and the missing data."""
    judged, layout = judge_table(number, table), LAYOUTS[number]
    if number == 6:
        text = f"Table 6: {layout.measure}, printed/ours\n\n{cell_texts(judged, layout)}"
    else:
        text = show_judged(f"Table {number}", judged, layout)
    counts = [f"{int(table['exact'].eq(True).sum())} to the last digit"] if "exact" in table else []
    gone = table[table["ours"].isna()].drop_duplicates("data")
    notes = [textwrap.fill(f"{row.data}: {NOT_HERE} ({row.missing})", WIDTH) for row in gone.itertuples()]
    return "\n".join([text, *counts, *notes])
