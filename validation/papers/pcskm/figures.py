"""Run Figures 1 to 4 of the PCSKM paper: tables and pictures."""

from collections.abc import Iterable

import pandas as pd
from matplotlib.figure import Figure

from validation.papers.paper import Result, Task
from validation.papers.pcskm.designs import CONDITIONS, CONTAMINATED, DATA, FIGURE_1, SCALES
from validation.papers.pcskm.drawings import draw_scores, draw_weights
from validation.papers.pcskm.samples import find_missing
from validation.papers.pcskm.summary import (
    summarise_choice,
    summarise_penalties,
    summarise_scores,
    summarise_shares,
    summarise_weights,
)
from validation.papers.pcskm.trials import Cell, choose_bound, run_penalties, run_trial
from validation.papers.shared.cells import run_cells

PICTURES = {
    1: ("pcskm-figure-1", ("seeding", "dkm++")),
    3: ("pcskm-figure-3", ("robin",)),
    4: ("pcskm-figure-4", ("maximin",)),
}
"""Starts that the figures show: 1 in the paper, 3 and 4 in its appendix."""


def list_cells(scale: str, names: Iterable[str]) -> list[Cell]:
    """Cells to run: most in Figure 1, fewer numbers of constraints and trials for the other figures."""
    size = SCALES[scale]
    few = size.few_percents
    cells = []
    for name in names:
        for start, kind in CONDITIONS:
            if name in FIGURE_1 and start in PICTURES[1][1]:
                cells += [Cell(name, start, kind, x, size.n_trials, size.thin) for x in size.percents]
            elif name not in CONTAMINATED:
                cells += [Cell(name, start, kind, x, size.few_trials, size.thin) for x in few]
            elif kind == "both":
                ends = (few[0], few[-1])
                cells += [Cell(name, start, kind, x, size.few_trials, size.thin) for x in ends]
    return cells


def list_penalty_cells(scale: str, names: Iterable[str]) -> list[Cell]:
    """Cells of Figure 1 that are also run with equation (15)."""
    size, starts = SCALES[scale], PICTURES[1][1]
    return [
        Cell(name, start, kind, percent, size.few_trials, size.thin, "pcskm-15")
        for name in names
        for start, kind in CONDITIONS
        for percent in size.few_percents
        if name in FIGURE_1 and start in starts
    ]


def list_nested_cells(scale: str, names: Iterable[str]) -> list[Cell]:
    """Cells on which s is also chosen by inner folds."""
    size = SCALES[scale]
    return [
        Cell(name, "dkm++", "both", percent, size.nested_trials, size.thin, "pcskm-nested")
        for name in size.nested
        for percent in size.few_percents
        if name in names
    ]


def run_figures(task: Task) -> Result:
    """Run the trials, continuing an earlier run that stopped, and draw all figures from them.

    Missing data sets are left out, and the text names them; iris and the synthetic sets are always available.
    """
    missing = find_missing(download=task.scale == "full")
    there = [name for name in DATA if name not in missing]
    how = (task.cells, task.n_jobs)
    trials = run_cells(list_cells(task.scale, there), run_trial, *how, "PCSKM paper")
    penalties = run_cells(list_penalty_cells(task.scale, there), run_penalties, *how, "equation (15)")
    nested = run_cells(list_nested_cells(task.scale, there), choose_bound, *how, "choice of s")
    few = trials[trials["percent"].isin(SCALES[task.scale].few_percents)]
    frames = {
        "pcskm-figure-1": summarise_scores(trials),
        "pcskm-figure-2": summarise_weights(few),
        "pcskm-figure-2-shares": summarise_shares(trials),
        "pcskm-penalties": summarise_penalties(trials, penalties),
        "pcskm-bounds": summarise_choice(nested),
    }
    figures = draw_all_scores(frames["pcskm-figure-1"], frames["pcskm-penalties"], frames["pcskm-bounds"])
    return Result(
        frames,
        {**figures, "pcskm-figure-2": draw_weights(frames["pcskm-figure-2"])},
        text="\n".join(f"{DATA[name].title}: left out. {why}" for name, why in missing.items()),
    )


def draw_all_scores(table: pd.DataFrame, penalties: pd.DataFrame, choice: pd.DataFrame) -> dict[str, Figure]:
    """Figure 1 and similar figures of the appendix."""
    return {name: draw_scores(table, starts, penalties, choice) for name, starts in PICTURES.values()}
