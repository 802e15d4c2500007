"""Figures 1 to 3: runs and pictures."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from validation.papers.paper import Result, Task
from validation.papers.shared.cells import run_cells
from validation.papers.skfr.simulation import gap
from validation.papers.skfr.simulation.designs import EXPERIMENTS, SIZES
from validation.papers.skfr.simulation.runner import experiment_cells, run_trial
from validation.papers.skfr.simulation.summary import summarise_trials
from validation.report.drawing import STYLE

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
"""Colour and marker of each method, in all pictures."""


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
    """The lines of one experiment, shifted so that quartiles do not overlap."""
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


def run_figure(number: int, task: Task) -> Result:
    """Run a figure and draw it."""
    name = f"figure-{number}"
    if number == 1:
        curves = gap.run_gaps(task.scale, task.cells, task.n_jobs)
        return Result({name: curves}, {name: draw_gap(curves)})
    cells = [cell for panel in PANELS[number] for cell in experiment_cells(panel, SIZES, task.scale)]
    trials = run_cells(cells, run_trial, task.cells, task.n_jobs, f"Figure {number}")
    summary = summarise_trials(trials, (*MEASURES, "fpr", "fnr", "n_iter", "n_nonzero"))
    left_open = [
        f"Left open for {panel}: {'; '.join(map(str, EXPERIMENTS[panel].settings))}"
        for panel in PANELS[number]
    ]
    pictures = {f"{name}-{measure}": draw_lines(summary, measure) for measure in MEASURES}
    return Result({name: summary}, pictures, "\n".join(left_open))
