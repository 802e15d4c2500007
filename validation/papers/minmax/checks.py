"""What the tables leave open: both forms of the method, choice among starts, memory, other settings."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from validation.papers.minmax.designs import DATA, MINMAX, SCALES
from validation.papers.minmax.grid import run_grid
from validation.papers.minmax.memory import SETS, memory_claims, memory_table
from validation.papers.minmax.samples import find_data
from validation.papers.minmax.starts import (
    bounds_by_form,
    is_near,
    paper_bounds,
    run_starts,
    starts_table,
    variants_table,
)
from validation.papers.minmax.study import RECORD_PAPER, Study
from validation.papers.paper import Result, Task
from validation.papers.shared.claims import claim_table
from validation.papers.shared.store import load_table, origin
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS
from validation.report.sections import Section, make_table

VARIANTS_TABLE, STARTS_TABLE, GRID_TABLE = "minmax-variants", "minmax-starts", "minmax-grid"
MEMORY_TABLE = "minmax-memory"
TITLES = {
    VARIANTS_TABLE: "released code and formulas",
    STARTS_TABLE: "choice among starts",
    MEMORY_TABLE: "memory of the cluster weights",
    GRID_TABLE: "Breast and Leukemia by all settings",
}
COLUMNS = {
    VARIANTS_TABLE: {"Data": "data", "Form": "variant", "Table": "table", "Of 20": "statistic",
                     "Printed": "printed", "Ours": "ours", "Within the margin": "near",
                     "Printed sd": "printed_sd", "Our sd": "sd",
                     "s": "bound", "Features": "n_features", "Printed features": "printed_features"},
    STARTS_TABLE: {"Data": "data", "Form": "variant", "Ended at a smaller alpha": "ended_lower",
                   "One start": "one", "Best of ten": "ten", "by the alpha reached": "ten_own",
                   "by the classes": "ten_classes", "Correlation": "correlation",
                   "From the classes": "classes",
                   "Starts with a better criterion than from the classes": "beat_classes", "Rows": "rows",
                   "Largest class": "largest_class", "Largest cluster": "largest_cluster"},
    MEMORY_TABLE: {"Data": "data", "Form": "variant", "beta": "beta", "Mean error": "error",
                   "Difference to beta = 0": "difference", "SE": "se", "Starts": "runs",
                   "Mean alpha reached": "alpha"},
    GRID_TABLE: {"Data": "data", "Method": "method", "Holes": "holes", "Scaling": "scaling", "s": "bound",
                 "Printed": "printed", "Best": "best", "Mean": "mean", "Features": "n_features"},
}  # fmt: skip
KEYS = {
    VARIANTS_TABLE: (["data", "variant", "table"], "ours"),
    STARTS_TABLE: (["data", "variant"], "one"),
    MEMORY_TABLE: (["data", "variant", "beta"], "error"),
    GRID_TABLE: (["data", "method", "holes", "scaling", "bound"], "best"),
}
"""Columns that name a row, and the number of this run that is shown beside the full one."""
TEXTS = {
    VARIANTS_TABLE: "Sparse MinMax k-means as released (r) and by the formulas of the paper (paper), 20 runs "
    "of one start (means: 40). For the gene sets s is such that each form retains the printed number of "
    "features, for the others it is that of the tables.",
    STARTS_TABLE: "Mean many-to-one error of one start and of the best of ten, over 2000 groups of ten drawn "
    "from 40 starts. The best has the best criterion at the alpha aimed for; beside it the best by the "
    "criterion at the alpha that each start reached, and the best by the classes.",
    MEMORY_TABLE: "Mean many-to-one error of single starts for each beta of equation (16), from the same "
    "random rows. The paper says that 0, .1 and .3 give similar results.",
    GRID_TABLE: "Best of the runs for every way to fill the missing values of Breast, every scaling, and the "
    "ten bounds of the gap statistic. A setting that meets a printed number here was found after the number "
    "was seen.",
}


def run_checks(task: Task) -> Result:
    """Run all of them.

    Parameters
    ----------
    task : Task
        How they are run.

    Returns
    -------
    Result
        The tables, and the values of s for the paper's formulas. Without data the tables are empty.
    """
    study = Study(SCALES[task.scale], task.cells, task.n_jobs)
    here, _ = find_data(tuple(DATA), download=False)  # the tables have fetched what there is
    frames = dict.fromkeys((VARIANTS_TABLE, STARTS_TABLE, MEMORY_TABLE), pd.DataFrame())
    if here:
        recorded = Study(replace(study.scale, tune=False), study.folder, study.n_jobs)
        released = recorded.bounds((name, MINMAX, DATA[name].scaling, DATA[name].bound) for name in here)
        formulas = paper_bounds(study, here)
        runs = run_starts(study, here, released, formulas)
        chosen = bounds_by_form([name for name in here if name in SETS], released, formulas)
        n_starts = min(study.scale.runs_unprinted, RUNS_OF_THE_PAPERS)
        frames = {
            VARIANTS_TABLE: variants_table(runs),
            STARTS_TABLE: starts_table(runs),
            MEMORY_TABLE: memory_table(chosen, n_starts, study.folder, study.n_jobs),
        }
        if study.scale.tune:
            frames[RECORD_PAPER] = formulas.reset_index()
    frames[GRID_TABLE] = run_grid(study, here)
    text = "\n\n".join(f"{name}\n{frame.round(3).to_string(index=False)}" for name, frame in frames.items())
    return Result(frames, text=text)


def make_check(name: str, result: Result, folder: Path) -> Section:
    """A section with one of the tables, the full run beside this run.

    Parameters
    ----------
    name : {"minmax-variants", "minmax-starts", "minmax-memory", "minmax-grid"}
        The table.
    result : Result
        This run.
    folder : Path
        Folder of the full run.

    Returns
    -------
    Section
        For the report.
    """
    full, about = load_table(name, folder)
    keys, value = KEYS[name]
    this_run = result.frames[name]
    shown = dict(COLUMNS[name])
    if value in this_run:
        here = this_run[[*keys, value]].rename(columns={value: "this run"})
        full = full.merge(here, how="left", on=keys)
        shown["This run"] = "this run"
    if name == GRID_TABLE:
        full = full[full["exact"]]
    if name == VARIANTS_TABLE:
        full = full.assign(near=np.where(is_near(full), "yes", "no"))
    rows = full[list(shown.values())].to_numpy(dtype=object).tolist()
    caption = "Settings that give the printed number." if name == GRID_TABLE else "Full run and this run."
    return Section(
        f"Sparse MinMax paper: {TITLES[name]}",
        name,
        TEXTS[name],
        tables=(
            make_table(caption, list(shown), rows),
            *((claim_table("Claims", memory_claims(full)),) if name == MEMORY_TABLE else ()),
        ),
        remarks=(origin("Full run", about),),
    )
