"""Tables 3 and 4: runs, files, text."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from r_reference import bridge
from r_reference.bridge import live_versions
from validation.papers.paper import Result, Task
from validation.papers.shared.verdict_tables import show_judged
from validation.papers.skfr.real_tables import table3, table4
from validation.papers.skfr.real_tables.designs import BENCHMARKS, MAIN_3, MAIN_4, MICE, SCALES
from validation.papers.skfr.real_tables.drawings import LARGEST_DRAWN, draw_centers, draw_mixed, draw_nmi
from validation.papers.skfr.real_tables.grid_section import draw_grids
from validation.papers.skfr.real_tables.methods import IN_R, Run
from validation.papers.skfr.real_tables.runs import MethodCell
from validation.papers.skfr.real_tables.samples import is_here, load_sample
from validation.papers.skfr.real_tables.summary import LAYOUT_3, LAYOUT_4, judge_table_3, judge_table_4


def run_table(number: int, task: Task) -> Result:
    """Run a table, continuing an earlier run that stopped.

    Raises ValueError for another number or scale; RuntimeError if R or one of its packages is wanted but
    missing; sparsek.datasets.DatasetError if the data are neither here nor can be downloaded.
    """
    if number not in (3, 4) or task.scale not in SCALES:
        raise ValueError(f"number must be 3 or 4 and scale quick or full; got {number!r} and {task.scale!r}")
    return _run_table_3(task) if number == 3 else _run_table_4(task)


def _run_table_3(task: Task) -> Result:
    """Run Table 3, on the mice data."""
    if task.at_hand and not is_here(next(iter(MICE))):
        return Result({"table-3": pd.DataFrame()})
    frames = table3.make_table_3(task.scale, task.cells, task.n_jobs)
    figures = {
        "table-3-mixed": draw_mixed(frames["table-3"]),
        "table-3-centers": _mice_centers(task.scale, task.cells),
    }
    return Result(frames, figures, show_judged("Table 3", judge_table_3(frames["table-3"]), LAYOUT_3))


def _run_table_4(task: Task) -> Result:
    """Run Table 4, on the benchmark data sets."""
    packages = [package for package, _ in IN_R.values()] if task.live_r else []
    for package in packages:
        found, why = bridge.available(package)
        if not found:
            raise RuntimeError(f"{why}; leave live_r out to compare with R's recorded runs")
    names = [name for name in BENCHMARKS if not task.at_hand or is_here(name)]
    frames = table4.make_table_4(task.scale, task.cells, task.n_jobs, task.live_r, names)
    figures = {"table-4-nmi": draw_nmi(frames["table-4"]), **_benchmark_centers(frames["table-4"])}
    figures |= draw_grids(frames["table-4-grid"])
    versions = dict.fromkeys(frames, live_versions(packages)) if packages else {}
    return Result(
        frames, figures, show_judged("Table 4", judge_table_4(frames["table-4"]), LAYOUT_4), versions
    )


def _mice_centers(scale: str, folder: Path) -> Figure:
    """Centres of the reported runs, read from the checkpoint."""
    n_trials = SCALES[scale].runs_3
    cells = [MethodCell(half, "SKFR1", MAIN_3, float(table3.PRINTED_S), n_trials) for half in MICE]
    trials = pd.concat([pd.read_csv(folder / cell.file_name) for cell in cells])
    best = {half: int(table3.reported_run(trials, half)["trial"]) for half in MICE}
    return draw_centers(
        {f"{half} mice": Run(half, MAIN_3, trial, float(table3.PRINTED_S)) for half, trial in best.items()}
    )


def _benchmark_centers(table: pd.DataFrame) -> dict[str, Figure]:
    """Centres of the first run of SKFR1 on the data sets with few enough selected features."""
    tuned = table[table["method"] == "SKFR1"].set_index("data")["tuned"]
    runs = {
        title: Run(name, MAIN_4, 0, float(tuned[title]))
        for name, title in BENCHMARKS.items()
        if tuned.get(title, np.inf) <= LARGEST_DRAWN and len(load_sample(name).features) <= LARGEST_DRAWN
    }
    return {"table-4-centers": draw_centers(runs)} if runs else {}
