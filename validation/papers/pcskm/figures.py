"""Run Figures 1 to 4 of the PCSKM paper: tables and pictures."""

from collections.abc import Iterable

import pandas as pd
from matplotlib.figure import Figure

from validation.papers.paper import Result, Task
from validation.papers.pcskm.designs import CONDITIONS, CONTAMINATED, DATA, NESTED_PERCENT, SCALES
from validation.papers.pcskm.drawings import draw_scores, draw_weights
from validation.papers.pcskm.samples import find_missing
from validation.papers.pcskm.summary import summarise_scores, summarise_shares, summarise_weights
from validation.papers.pcskm.trials import Cell, NestedCell, choose_bound, run_trial
from validation.papers.shared.cells import run_cells

PICTURES = {
    1: ("pcskm-figure-1", ("seeding", "dkm++")),
    3: ("pcskm-figure-3", ("robin",)),
    4: ("pcskm-figure-4", ("maximin",)),
}
"""Starts that the figures show: 1 in the paper, 3 and 4 in its appendix."""


def list_cells(scale: str, names: Iterable[str]) -> list[Cell]:
    """Cells to run: everything on six data sets and the synthetic ones, less on the contaminated digits."""
    size = SCALES[scale]
    return [
        Cell(name, start, kind, percent, size.n_trials, size.thin)
        for name in names
        for start, kind in CONDITIONS
        for percent in size.percents
        if name not in CONTAMINATED or (kind == "both" and percent in (size.percents[0], size.percents[-1]))
    ]


def run_figures(task: Task) -> Result:
    """Run the trials, continuing an earlier run that stopped, and draw all figures from them.

    Missing data sets are named on the terminal and left out; iris and the synthetic sets are always
    available.

    Parameters
    ----------
    task : Task
        How they are run; the full scale also downloads missing data.

    Returns
    -------
    Result
        F-scores, weights, shares of the uninformative features, choice of s; Figure 1, similar figures of the
        appendix, and Figure 2.
    """
    missing = find_missing(download=task.scale == "full")
    there = [name for name in DATA if name not in missing]
    for name, why in missing.items():
        print(f"{DATA[name].title}: left out. {why}")
    trials = run_cells(list_cells(task.scale, there), run_trial, task.cells, task.n_jobs, "PCSKM paper")
    nested = [NestedCell(name, NESTED_PERCENT) for name in SCALES[task.scale].nested if name in there]
    scores, weights = summarise_scores(trials), summarise_weights(trials)
    frames = {
        "pcskm-figure-1": scores,
        "pcskm-figure-2": weights,
        "pcskm-figure-2-shares": summarise_shares(trials),
        "pcskm-bounds": run_cells(nested, choose_bound, task.cells, task.n_jobs, "choice of s"),
    }
    return Result(frames, {**draw_all_scores(scores), "pcskm-figure-2": draw_weights(weights)})


def draw_all_scores(table: pd.DataFrame) -> dict[str, Figure]:
    """Figure 1 and similar figures of the appendix.

    Parameters
    ----------
    table : DataFrame
        From `summarise_scores`.

    Returns
    -------
    dict of str to Figure
        Figures by the name of their files.
    """
    return {name: draw_scores(table, starts) for name, starts in PICTURES.values()}
