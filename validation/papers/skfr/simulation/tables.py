"""Tables 1 and 2: runs, files, text."""

from pathlib import Path

import pandas as pd

from r_reference.bridge import live_versions
from validation.papers.paper import Result, Task
from validation.papers.shared.cells import run_cells
from validation.papers.shared.verdict_tables import show_judged
from validation.papers.skfr.simulation import timing
from validation.papers.skfr.simulation.designs import R_RECORD, R_SPARCL, SIZES, count_trials
from validation.papers.skfr.simulation.runner import Cell, experiment_cells, run_trial
from validation.papers.skfr.simulation.summary import (
    LAYOUT_1,
    LAYOUT_2,
    judge_iterations,
    judge_rates,
    load_published,
    summarise_trials,
)

R_MEASURES = ("fpr", "fnr", "ari", "nvi", "n_nonzero")
R_MOST = {200: 10, 500: 10, 1000: 10}  # most trials of sparcl in R by p: up to 20 s each
TABLE_2 = ("SKFR1", "SKFR1, screened seeds", "SKFR1, winsorised, screened seeds", "SKM")


def run_table_1(task: Task) -> Result:
    """Table 1, always timed on one thread, without parallel trials."""
    table = make_table_1()
    return Result({"table-1": table}, text=show_judged("Table 1", judge_iterations(table), LAYOUT_1))


def run_table_2(task: Task) -> Result:
    """Table 2, and R's sparcl on the same samples."""
    table = make_table_2(task.scale, task.cells, task.n_jobs)
    text = show_judged("Table 2", judge_rates(table), LAYOUT_2)
    if not task.live_r:
        return Result({"table-2": table}, text=text)
    in_r = make_table_r(task.scale, task.cells, task.n_jobs)
    text += "\n\n" + show_judged("Table 2 by R's sparcl", judge_rates(in_r), LAYOUT_2)
    versions = {R_RECORD: live_versions(["sparcl"])}
    return Result({"table-2": table, R_RECORD: in_r}, text=text, r_versions=versions)


def make_table_1() -> pd.DataFrame:
    """Milliseconds and iterations, ours and printed (the paper used Julia on another machine)."""
    ours = timing.summarise_timing(timing.run_timing())
    printed = pd.DataFrame(
        [
            {"n_features": int(size), "method": entry["method"], entry["measure"]: value}
            for entry in load_published()
            if entry["table"] == "Table 1"
            for size, value in entry["values"].items()
        ]
    ).groupby(["n_features", "method"], as_index=False).first()  # fmt: skip
    printed = printed.rename(columns={"seconds": "published_seconds", "n_iter": "published_n_iter"})
    return ours.merge(printed, how="left", on=["n_features", "method"])


def make_table_2(scale: str, folder: Path, n_jobs: int) -> pd.DataFrame:
    """False positive and negative rates under outliers."""
    cells = experiment_cells("outliers", SIZES, scale, TABLE_2)
    trials = run_cells(cells, run_trial, folder, n_jobs, "Table 2")
    return summarise_trials(trials, ("fpr", "fnr"))


def make_table_r(scale: str, folder: Path, n_jobs: int) -> pd.DataFrame:
    """Sparse k-means of R's sparcl on the samples with and without outliers, tuned like ours."""
    n_trials = count_trials(R_SPARCL, scale)
    cells = [
        Cell(name, p, R_SPARCL, min(n_trials, R_MOST.get(p, n_trials)))
        for name in ("outliers", "clean")
        for p in SIZES
    ]
    trials = run_cells(cells, run_trial, folder, n_jobs, "R's sparcl")
    return summarise_trials(trials, R_MEASURES)
