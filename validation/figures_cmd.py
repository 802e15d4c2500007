"""``python -m validation figures``: Figures 1, 2 and 3 of the SKFR paper, drawn from our trials."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sparsek import SKFR, PermutationGap
from sparsek.datasets import make_brodinova
from validation.simulation.designs import EXPERIMENTS, SIZES
from validation.simulation.runner import run_experiment
from validation.simulation.store import save_table
from validation.simulation.summary import summarise_trials
from validation.tables_cmd import add_scale_arguments

MEASURES = ("ari", "nvi")
PANELS = {2: ("clean", "outliers"), 3: ("subsets", "missing")}
GAP_TRUE = 15
GAP_SIZES = {"sparse": 50, "dense": 20}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command.

    Parameters
    ----------
    parser : ArgumentParser
        The sub-command's parser, extended in place.
    """
    parser.add_argument("--figure", type=int, choices=[1, 2, 3], action="append", help="default: all")
    add_scale_arguments(parser)


def run_gap(n_features: int, n_permutations: int, n_init: int, n_jobs: int) -> pd.DataFrame:
    """The gap curve over all numbers of features on one data set with 15 informative ones.

    Parameters
    ----------
    n_features : int
        Number p of features.
    n_permutations, n_init : int
        Shuffled data sets and starts.
    n_jobs : int
        Processes.

    Returns
    -------
    DataFrame
        `PermutationGap.results_` with a column n_features.
    """
    X = make_brodinova(n_features, GAP_TRUE, random_state=1).data
    model = SKFR(10, init="k-means++", init_on="raw", n_init=n_init)
    gap = PermutationGap(
        model,
        "n_features_to_select",
        np.arange(2, n_features + 1),
        n_permutations=n_permutations,
        n_jobs=n_jobs,
        random_state=1,
    ).fit(X)
    return gap.results_.assign(n_features=n_features)


def draw_gap(curves: pd.DataFrame) -> Figure:
    """Figure 1: the gap against the number of features kept, one panel per number of features."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    panels = figure.subplots(1, curves["n_features"].nunique())
    for axes, (size, curve) in zip(np.atleast_1d(panels), curves.groupby("n_features"), strict=True):
        values, gaps = curve["n_features_to_select"].to_numpy(float), curve["gap"].to_numpy()
        axes.errorbar(values, gaps, curve["gap_se"].to_numpy(), fmt="o-", markersize=3, linewidth=1)
        axes.axvline(GAP_TRUE, linestyle=":", color="0.5")
        best = values[int(np.argmax(gaps))]
        axes.set(title=f"p = {size}: largest at {best:.0f}, true 15", xlabel="features kept", ylabel="gap")
    return figure


def draw_lines(summary: pd.DataFrame, measure: str) -> Figure:
    """Figures 2 and 3: medians with quartiles against the number of features, one panel per experiment."""
    chosen = summary[summary["measure"] == measure]
    names = list(dict.fromkeys(chosen["experiment"]))
    figure = Figure(figsize=(4.6 * len(names), 3.6), layout="constrained")
    for axes, name in zip(np.atleast_1d(figure.subplots(1, len(names), sharey=True)), names, strict=True):
        panel = chosen[chosen["experiment"] == name]
        for method, line in panel.groupby("method", sort=False):
            x, median = line["n_features"].to_numpy(float), line["median"].to_numpy()
            spread = np.abs(line[["q25", "q75"]].to_numpy().T - median)
            axes.errorbar(x, median, spread, fmt="o-", markersize=3, linewidth=1, capsize=2, label=method)
        axes.set_xscale("log")
        axes.set_xticks(SIZES, map(str, SIZES))
        axes.minorticks_off()
        axes.set(title=EXPERIMENTS[name].title, xlabel="features", ylabel=measure.upper())
        axes.title.set_fontsize(9)
        axes.legend(fontsize=7)
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
        n_permutations, n_init = (25, 10) if scale == "full" else (10, 5)
        curves = pd.concat([run_gap(p, n_permutations, n_init, n_jobs) for p in GAP_SIZES.values()])
        return curves, {"figure-1": draw_gap(curves)}
    trials = pd.concat(
        [run_experiment(name, SIZES, scale, folder / "cells", n_jobs) for name in PANELS[number]]
    )
    summary = summarise_trials(trials, (*MEASURES, "fpr", "fnr", "n_iter"))
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
    for number in options.figure or [1, 2, 3]:
        table, pictures = make_figure(number, options.scale, options.output, options.n_jobs)
        print(f"written: {save_table(table, options.output, f'figure-{number}', options.scale)}")
        for name, figure in pictures.items():
            path = options.output / f"{name}.png"
            figure.savefig(path, dpi=150)
            print(f"written: {path}")
        for panel in PANELS.get(number, ()):
            print(f"Inferred for {panel}:", "; ".join(EXPERIMENTS[panel].inferred))
    return 0
