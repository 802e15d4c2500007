"""``python -m validation tables``: Tables 1 and 2 of the SKFR paper, ours beside the printed numbers."""

import argparse
from pathlib import Path

import pandas as pd

from validation.simulation import timing
from validation.simulation.designs import EXPERIMENTS, SCALES, SIZES
from validation.simulation.runner import run_experiment
from validation.simulation.store import save_table
from validation.simulation.summary import load_published, summarise_trials

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
    trials = run_experiment("outliers", SIZES, scale, folder / "cells", n_jobs, TABLE_2)
    return summarise_trials(trials, ("fpr", "fnr"))


def main(options: argparse.Namespace) -> int:
    """Run the tables and print them.

    Parameters
    ----------
    options : Namespace
        What `add_arguments` describes.

    Returns
    -------
    int
        0.
    """
    for number in options.table or [1, 2]:
        table = make_table_1() if number == 1 else make_table_2(options.scale, options.output, options.n_jobs)
        path = save_table(table, options.output, f"table-{number}", options.scale)
        print(f"Table {number}\n{table.round(3).to_string(index=False)}")
        if number == 2:
            print("Inferred:", "; ".join(EXPERIMENTS["outliers"].inferred))
        print(f"written: {path}\n")
    return 0
