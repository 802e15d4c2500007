"""``python -m validation figures``: figures of the papers, drawn from our trials."""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from validation.papers import FIGURE_PAPERS
from validation.papers.cells import run_cells
from validation.papers.drawing import STYLE
from validation.papers.skfr.simulation import gap
from validation.papers.skfr.simulation.designs import EXPERIMENTS, SIZES
from validation.papers.skfr.simulation.runner import experiment_cells, run_trial
from validation.papers.skfr.simulation.store import save_table
from validation.papers.skfr.simulation.summary import summarise_trials
from validation.papers.tables_cmd import add_scale_arguments
from validation.report.pages import write_page

MEASURES = ("ari", "nvi")
PANELS = {2: ("clean", "outliers"), 3: ("subsets", "missing")}
LOOKS = {
    "SKFR1": ("#0072b2", "o"),
    "SKFR2": ("#6a3d9a", "D"),
    "SKFR1, screened seeds": ("#56b4e9", "s"),
    "SKFR1, standardised seeds": ("#7f8c9b", "v"),
    "SKFR1, winsorised, screened seeds": ("#6a3d9a", "P"),
    "SKFR1, observed entries": ("#56b4e9", "s"),
    "SKFR1, imputation": ("#0072b2", "o"),
    "Lloyd": ("#d55e00", "^"),
    "Lloyd, standardised": ("#e69f00", "<"),
    "SKM": ("#009e73", "X"),
    "geometric k-medians": ("#cc79a7", "h"),
    "k-POD": ("#d55e00", "^"),
}
"""Colour and marker of each method, the same in every picture."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command.

    Parameters
    ----------
    parser : ArgumentParser
        The sub-command's parser, extended in place.
    """
    parser.add_argument("--paper", choices=["skfr", *FIGURE_PAPERS], default="skfr", help="default: skfr")
    parser.add_argument(
        "--figure", type=int, choices=[1, 2, 3], action="append", help="of the SKFR paper; default: all"
    )
    add_scale_arguments(parser)


def draw_gap(curves: pd.DataFrame) -> Figure:
    """Figure 1: the gap against the number of features kept on the first data set, one panel per number of
    features."""
    first = curves[curves["data_set"] == curves["data_set"].min()]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 3), layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, first["n_features"].nunique()))
        for axes, (size, curve) in zip(panels, first.groupby("n_features"), strict=True):
            values, gaps = curve["n_features_to_select"].to_numpy(float), curve["gap"].to_numpy()
            axes.axvline(gap.TRUE, linestyle=":", color="0.5")
            axes.errorbar(values, gaps, curve["gap_se"].to_numpy(), fmt="o-", markersize=3, linewidth=1)
            best = int(np.argmax(gaps))
            axes.plot(values[best], gaps[best], "o", markersize=8, color="#b3261e", fillstyle="none")
            axes.set(title=f"p = {size}: largest at {values[best]:.0f}, true {gap.TRUE}")
            axes.set(xlabel="features kept", ylabel="gap")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _draw_panel(axes: Axes, panel: pd.DataFrame) -> None:
    """The lines of one experiment, drawn side by side so that quartiles do not cover each other."""
    groups = list(panel.groupby("method", sort=False))
    for i, (method, line) in enumerate(groups):
        shift = 1.018 ** (i - (len(groups) - 1) / 2)
        median = line["median"].to_numpy()
        spread = np.abs(line[["q25", "q75"]].to_numpy().T - median)
        colour, marker = LOOKS.get(str(method), (None, "o"))
        look = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.2, "elinewidth": 0.7}
        axes.errorbar(line["n_features"].to_numpy(float) * shift, median, spread, label=method, **look)
    axes.set_xscale("log")
    axes.set_xticks(SIZES, map(str, SIZES))
    axes.minorticks_off()


def draw_lines(summary: pd.DataFrame, measure: str) -> Figure:
    """Figures 2 and 3: medians with quartiles against the number of features, one panel per experiment."""
    chosen = summary[summary["measure"] == measure]
    names = list(dict.fromkeys(chosen["experiment"]))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.1 * len(names), 4.2), layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, len(names), sharey=True))
        for axes, name in zip(panels, names, strict=True):
            _draw_panel(axes, chosen[chosen["experiment"] == name])
            axes.set(title=EXPERIMENTS[name].title, xlabel="features", ylabel=f"median {measure.upper()}")
            axes.legend(fontsize=7.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return figure


def make_figure(number: int, scale: str, folder: Path, n_jobs: int) -> tuple[pd.DataFrame, dict[str, Figure]]:
    """The numbers behind a figure, and its pictures by name.

    Parameters
    ----------
    number : {1, 2, 3}
        Which.
    scale : {"quick", "full"}
        Trials per cell.
    folder : Path
        Where cells are kept.
    n_jobs : int
        Processes.

    Returns
    -------
    numbers : DataFrame
        What is drawn.
    pictures : dict of str to Figure
        By file stem.
    """
    if number == 1:
        curves = gap.run_gaps(scale, folder / "cells", n_jobs)
        return curves, {"figure-1": draw_gap(curves)}
    cells = [cell for name in PANELS[number] for cell in experiment_cells(name, SIZES, scale)]
    trials = run_cells(cells, run_trial, folder / "cells", n_jobs, f"Figure {number}")
    summary = summarise_trials(trials, (*MEASURES, "fpr", "fnr", "n_iter", "n_nonzero"))
    return summary, {f"figure-{number}-{m}": draw_lines(summary, m) for m in MEASURES}


def main(options: argparse.Namespace) -> int:
    """Run the trials and draw.

    Parameters
    ----------
    options : Namespace
        What `add_arguments` describes.

    Returns
    -------
    int
        0.
    """
    if options.paper != "skfr":
        sections = FIGURE_PAPERS[options.paper](options)
        path = options.output / f"{options.paper}-figures.html"
        write_page(path, f"Figures: {options.paper}", options.scale, sections)
        return 0
    for number in options.figure or [1, 2, 3]:
        table, pictures = make_figure(number, options.scale, options.output, options.n_jobs)
        print(f"written: {save_table(table, options.output, f'figure-{number}', options.scale)}")
        for name, figure in pictures.items():
            path = options.output / f"{name}.png"
            figure.savefig(path, dpi=150)
            print(f"written: {path}")
        for panel in PANELS.get(number, ()):
            print(f"Left open for {panel}:", "; ".join(map(str, EXPERIMENTS[panel].settings)))
    return 0
