"""Tables 3 and 4: runs, files, text."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from r_reference import bridge
from validation.environment import live_versions
from validation.papers.printed import Result, count_verdicts
from validation.papers.skfr.real_tables import table3, table4
from validation.papers.skfr.real_tables.designs import BENCHMARKS, MAIN_3, MAIN_4, MICE, SCALES, SETTINGS
from validation.papers.skfr.real_tables.drawings import LARGEST_DRAWN, draw_centers, draw_mixed, draw_nmi
from validation.papers.skfr.real_tables.methods import IN_R, Run
from validation.papers.skfr.real_tables.runs import MethodCell
from validation.papers.skfr.real_tables.samples import load_sample
from validation.papers.skfr.real_tables.summary import printed_once, to_markdown


def run_table(
    number: int,
    scale: str,
    folder: Path,
    n_jobs: int,
    live_r: bool = False,
    names: Sequence[str] | None = None,
) -> Result:
    """Run a table, from where an earlier run stopped.

    Parameters
    ----------
    number : {3, 4}
        Which.
    scale : {"quick", "full"}
        How many runs.
    folder : Path
        Finished cells are kept in its folder ``cells``.
    n_jobs : int
        Processes.
    live_r : bool, default=False
        Whether R itself runs sparcl and wskm (Table 4); otherwise its recorded runs are shown.
    names : sequence of str or None, default=None
        Data sets of Table 4, keys of `BENCHMARKS`; None means all.

    Returns
    -------
    Result
        Tables, pictures, settings, counts of verdicts.

    Raises
    ------
    ValueError
        For another number or scale.
    RuntimeError
        If R or one of its packages is wanted but missing.
    sparsek.datasets.DatasetError
        If the data are neither here nor can be downloaded.
    """
    if number not in (3, 4) or scale not in SCALES:
        raise ValueError(f"number must be 3 or 4 and scale quick or full; got {number!r} and {scale!r}")
    cells = folder / "cells"
    if number == 3:
        frames = table3.make_table_3(scale, cells, n_jobs)
        figures = {
            "table-3-mixed": draw_mixed(frames["table-3"]),
            "table-3-centers": _mice_centers(scale, cells),
        }
    else:
        for package, _ in IN_R.values() if live_r else ():
            found, why = bridge.available(package)
            if not found:
                raise RuntimeError(f"{why}; leave live_r out to compare with R's recorded runs")
        frames = table4.make_table_4(scale, cells, n_jobs, live_r, names or tuple(BENCHMARKS))
        figures = {"table-4-nmi": draw_nmi(frames["table-4"]), **_benchmark_centers(frames["table-4"])}
    printed = printed_once(number, frames[f"table-{number}"])
    versions = live_versions([package for package, _ in IN_R.values()]) if number == 4 and live_r else {}
    return Result(frames, figures, SETTINGS, count_verdicts(printed), versions)


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
    """Centres of the first run of SKFR1 on the data sets where few enough features were selected."""
    tuned = table[table["method"] == "SKFR1"].set_index("data")["tuned"]
    runs = {
        title: Run(name, MAIN_4, 0, float(tuned[title]))
        for name, title in BENCHMARKS.items()
        if tuned.get(title, np.inf) <= LARGEST_DRAWN and len(load_sample(name).features) <= LARGEST_DRAWN
    }
    return {"table-4-centers": draw_centers(runs)} if runs else {}


def show_result(number: int, result: Result) -> str:
    """The table as Markdown, and how many printed numbers were reproduced."""
    table = result.frames[f"table-{number}"]
    if number == 3:
        text = to_markdown(table, "method", ["half", "measure"], digits=1)
    else:
        text = to_markdown(table, "data", ["method"], digits=3)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in result.verdicts.items())
    return f"Table {number}: printed / ours ± Monte Carlo standard error\n\n{text}\n\n{counts}"
