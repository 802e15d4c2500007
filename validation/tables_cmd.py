"""``python -m validation tables``: Tables 1 and 2 of the SKFR paper, ours beside the printed numbers."""

import argparse
from pathlib import Path

import pandas as pd

from r_reference import bridge
from validation.cells import run_cells
from validation.environment import live_versions
from validation.simulation import timing
from validation.simulation.designs import EXPERIMENTS, R_SPARCL, SCALES, SIZES, count_trials
from validation.simulation.runner import Cell, experiment_cells, run_trial
from validation.simulation.store import save_table
from validation.simulation.summary import load_published, summarise_trials

R_MEASURES = ("fpr", "fnr", "ari", "nvi", "n_nonzero")
R_MOST = {200: 10, 500: 10, 1000: 10}  # trials of R's sparcl at most, by p: one takes up to 20 seconds there
TABLE_2 = ("SKFR1", "SKFR1, screened seeds", "SKFR1, winsorised, screened seeds", "SKM")


def add_scale_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that tables and figures share.

    Parameters
    ----------
    parser : ArgumentParser
        The sub-command's parser, extended in place.
    """
    parser.add_argument(
        "--scale", choices=list(SCALES), default="quick", help="trials per cell (default quick)"
    )
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=Path("results"), help="default: results"
    )
    parser.add_argument("--n-jobs", type=int, default=-1, help="processes over trials (default: all cores)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command.

    Parameters
    ----------
    parser : ArgumentParser
        The sub-command's parser, extended in place.
    """
    parser.add_argument("--table", type=int, choices=[1, 2], action="append", help="default: both")
    parser.add_argument(
        "--live-r",
        action="store_true",
        help="also run R's sparcl on the samples of Table 2, with and without outliers",
    )
    add_scale_arguments(parser)


def make_table_1() -> pd.DataFrame:
    """Milliseconds and iterations, ours and printed (Julia, another machine).

    Returns
    -------
    DataFrame
        One row per number of features and method.
    """
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
    """False positive and negative rates under outliers.

    Parameters
    ----------
    scale : {"quick", "full"}
        Trials per cell.
    folder : Path
        Where cells are kept.
    n_jobs : int
        Processes.

    Returns
    -------
    DataFrame
        One row per number of features, method and measure.
    """
    cells = experiment_cells("outliers", SIZES, scale, TABLE_2)
    trials = run_cells(cells, run_trial, folder / "cells", n_jobs, "Table 2")
    return summarise_trials(trials, ("fpr", "fnr"))


def make_table_r(scale: str, folder: Path, n_jobs: int) -> pd.DataFrame:
    """Sparse k-means of R's sparcl on the samples with and without outliers, tuned as ours.

    Parameters
    ----------
    scale : {"quick", "full"}
        Trials per cell, from 200 features on at most 10.
    folder : Path
        Where cells are kept.
    n_jobs : int
        Processes.

    Returns
    -------
    DataFrame
        One row per experiment, number of features and measure.
    """
    n_trials = count_trials(R_SPARCL, scale)
    cells = [
        Cell(name, p, R_SPARCL, min(n_trials, R_MOST.get(p, n_trials)))
        for name in ("outliers", "clean")
        for p in SIZES
    ]
    trials = run_cells(cells, run_trial, folder / "cells", n_jobs, "R's sparcl")
    return summarise_trials(trials, R_MEASURES)


def main(options: argparse.Namespace) -> int:
    """Run the tables and print them.

    Parameters
    ----------
    options : Namespace
        What `add_arguments` describes.

    Returns
    -------
    int
        0, or 2 if R's sparcl is asked for and not there.
    """
    if options.live_r and not (found := bridge.available("sparcl"))[0]:
        print(f"R's sparcl cannot be run: {found[1]}")
        return 2
    for number in options.table or [1, 2]:
        table = make_table_1() if number == 1 else make_table_2(options.scale, options.output, options.n_jobs)
        path = save_table(table, options.output, f"table-{number}", options.scale)
        print(f"Table {number}\n{table.round(3).to_string(index=False)}")
        if number == 2:
            print("Left open:", "; ".join(map(str, EXPERIMENTS["outliers"].settings)))
        print(f"written: {path}\n")
    if options.live_r:
        table = make_table_r(options.scale, options.output, options.n_jobs)
        path = save_table(table, options.output, "table-2-r", options.scale, live_versions(["sparcl"]))
        print(f"Table 2 by R's sparcl\n{table.round(3).to_string(index=False)}\nwritten: {path}")
    return 0
