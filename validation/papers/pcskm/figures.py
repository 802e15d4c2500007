"""Run Figures 1 and 2 of the PCSKM paper: tables and pictures."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from validation.papers.cells import run_cells
from validation.papers.pcskm.designs import CONDITIONS, CONTAMINATED, DATA, NESTED_PERCENT, SCALES
from validation.papers.pcskm.drawings import draw_scores, draw_weights
from validation.papers.pcskm.samples import find_missing
from validation.papers.pcskm.summary import summarise_scores, summarise_shares, summarise_weights
from validation.papers.pcskm.trials import Cell, NestedCell, choose_bound, run_trial

PICTURES = {
    1: ("pcskm-figure-1", ("seeding", "dkm++")),
    3: ("pcskm-figure-3", ("robin",)),
    4: ("pcskm-figure-4", ("maximin",)),
}
"""Starts that the figures show: 1 in the paper, 3 and 4 in its appendix."""


def list_cells(scale: str, names: Iterable[str]) -> list[Cell]:
    """What is run: everything on six data sets and the synthetic ones, less on the contaminated digits."""
    size = SCALES[scale]
    return [
        Cell(name, start, kind, percent, size.n_trials, size.thin)
        for name in names
        for start, kind in CONDITIONS
        for percent in size.percents
        if name not in CONTAMINATED or (kind == "both" and percent in (size.percents[0], size.percents[-1]))
    ]


def run_figures(scale: str, folder: Path, n_jobs: int) -> dict[str, pd.DataFrame]:
    """Run the trials, from where an earlier run stopped.

    Data sets that cannot be had are named on the terminal and left out; iris and the synthetic sets are
    always there.

    Parameters
    ----------
    scale : {"quick", "full"}
        How much; the full scale also downloads data that are not at hand.
    folder : Path
        Finished cells are kept in its folder ``cells``.
    n_jobs : int
        Processes.

    Returns
    -------
    dict of str to DataFrame
        F-scores, weights, shares of the uninformative features, choice of s; by the name that files get.
    """
    missing = find_missing(download=scale == "full")
    there = [name for name in DATA if name not in missing]
    for name, why in missing.items():
        print(f"{DATA[name].title}: left out. {why}")
    trials = run_cells(list_cells(scale, there), run_trial, folder / "cells", n_jobs, "PCSKM paper")
    nested = [NestedCell(name, NESTED_PERCENT) for name in SCALES[scale].nested if name in there]
    return {
        "pcskm-figure-1": summarise_scores(trials),
        "pcskm-figure-2": summarise_weights(trials),
        "pcskm-figure-2-shares": summarise_shares(trials),
        "pcskm-bounds": run_cells(nested, choose_bound, folder / "cells", n_jobs, "choice of s"),
    }


def draw_all(frames: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    """The pictures of the frames.

    Parameters
    ----------
    frames : dict of str to DataFrame
        From `run_figures`, or read from the files of a full run.

    Returns
    -------
    dict of str to Figure
        Figure 1, those of the appendix like it, and Figure 2.
    """
    figures = {name: draw_scores(frames["pcskm-figure-1"], starts) for name, starts in PICTURES.values()}
    return figures | {"pcskm-figure-2": draw_weights(frames["pcskm-figure-2"])}
