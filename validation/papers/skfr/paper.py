"""The quick run of the SKFR paper's tables and figures inside the report, and its sections."""

from pathlib import Path

import pandas as pd

from validation.papers.cells import run_cells
from validation.papers.figures_cmd import PANELS, make_figure
from validation.papers.skfr.simulation.designs import EXPERIMENTS, SIZES
from validation.papers.skfr.simulation.report_figures import figure_1, figure_2, figure_3
from validation.papers.skfr.simulation.report_tables import Runs, table_1, table_2
from validation.papers.skfr.simulation.runner import experiment_cells, run_trial
from validation.papers.skfr.simulation.store import RESULTS, load_table
from validation.papers.tables_cmd import make_table_1, make_table_2
from validation.report.sections import Section


def run_quick(folder: Path, n_jobs: int) -> dict[str, pd.DataFrame]:
    """All tables and figures at the quick scale; an interrupted run goes on from the cells in `folder`.

    Parameters
    ----------
    folder : Path
        Holds the finished cells.
    n_jobs : int
        Processes over trials; Table 1 is timed alone.

    Returns
    -------
    dict of str to DataFrame
        By the names that the files of the full run have.
    """
    tables = {"table-1": make_table_1()}
    cells = [cell for name in EXPERIMENTS for cell in experiment_cells(name, SIZES, "quick")]
    run_cells(cells, run_trial, folder / "cells", n_jobs, "SKFR paper, quick scale")
    tables["table-2"] = make_table_2("quick", folder, n_jobs)
    for number in (1, *PANELS):
        tables[f"figure-{number}"] = make_figure(number, "quick", folder, n_jobs)[0]
    return tables


def paper_sections(quick: dict[str, pd.DataFrame], folder: Path = RESULTS) -> list[Section]:
    """The sections: printed numbers, the full run in `folder`, R's recorded sparcl, and this run.

    Parameters
    ----------
    quick : dict of str to DataFrame
        From `run_quick`.
    folder : Path
        Holds the full run.

    Returns
    -------
    list of Section
        Tables 1 and 2, Figures 1 to 3.
    """
    runs = {name: Runs(table, *load_table(name, folder)) for name, table in quick.items()}
    recorded = load_table("table-2-r", folder)
    return [
        table_1(runs["table-1"]),
        table_2(runs["table-2"], recorded),
        figure_1(runs["figure-1"]),
        figure_2(runs["figure-2"], recorded),
        figure_3(runs["figure-3"]),
    ]
