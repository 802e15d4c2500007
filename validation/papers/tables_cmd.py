"""``python -m validation tables``: the tables of the papers, ours beside the printed numbers."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from r_reference import bridge
from sparsek.datasets import DatasetError
from validation.environment import live_versions
from validation.papers import TABLE_PAPERS
from validation.papers.cells import run_cells
from validation.papers.printed import write_result
from validation.papers.skfr.real_tables.report_sections import real_sections
from validation.papers.skfr.real_tables.tables import run_table, show_result
from validation.papers.skfr.simulation import timing
from validation.papers.skfr.simulation.designs import EXPERIMENTS, R_SPARCL, SCALES, SIZES, count_trials
from validation.papers.skfr.simulation.report_tables import Runs, table_1, table_2
from validation.papers.skfr.simulation.runner import Cell, experiment_cells, run_trial
from validation.papers.skfr.simulation.store import RESULTS, load_table, save_table
from validation.papers.skfr.simulation.summary import load_published, summarise_trials
from validation.report.pages import write_page
from validation.report.sections import Section

IN_R = ("sparcl", "wskm")
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
    parser.add_argument("--paper", choices=["skfr", *TABLE_PAPERS], default="skfr", help="default: skfr")
    parser.add_argument(
        "--table", type=int, choices=range(1, 7), action="append", help="default: all; skfr has 1 to 4"
    )
    parser.add_argument(
        "--live-r",
        action="store_true",
        help="also have R run: sparcl on the samples of Table 2, sparcl and wskm on the data of Table 4",
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


def _timing(options: argparse.Namespace) -> Section:
    """Table 1."""
    table = make_table_1()
    save_table(table, options.output, "table-1", options.scale)
    print(f"Table 1\n{table.round(3).to_string(index=False)}\n")
    return table_1(Runs(table, *load_table("table-1")))


def _rates(options: argparse.Namespace) -> Section:
    """Table 2, and R's sparcl on the same samples."""
    table = make_table_2(options.scale, options.output, options.n_jobs)
    save_table(table, options.output, "table-2", options.scale)
    print(f"Table 2\n{table.round(3).to_string(index=False)}")
    print("Left open:", "; ".join(map(str, EXPERIMENTS["outliers"].settings)), end="\n\n")
    recorded = RESULTS
    if options.live_r:
        in_r = make_table_r(options.scale, options.output, options.n_jobs)
        save_table(in_r, options.output, "table-2-r", options.scale, live_versions(["sparcl"]))
        print(f"Table 2 by R's sparcl\n{in_r.round(3).to_string(index=False)}\n")
        recorded = options.output
    return table_2(Runs(table, *load_table("table-2")), load_table("table-2-r", recorded))


def _real(number: int, options: argparse.Namespace) -> Section:
    """Table 3 or 4."""
    result = run_table(number, options.scale, options.output, options.n_jobs, options.live_r and number == 4)
    write_result(result, options.output, options.scale)
    print(show_result(number, result), end="\n\n")
    return real_sections({number: result.frames[f"table-{number}"]})[number - 3]


MAKERS: dict[int, Callable[[argparse.Namespace], Section]] = {
    1: _timing,
    2: _rates,
    3: partial(_real, 3),
    4: partial(_real, 4),
}


PAPERS = {"skfr": "SKFR", "minmax": "sparse MinMax"}
PAGES = {"skfr": "tables.html", "minmax": "minmax-tables.html"}


def main(options: argparse.Namespace) -> int:
    """Run the tables, print them, and write them as CSV and as sections of one page.

    Parameters
    ----------
    options : Namespace
        What `add_arguments` describes.

    Returns
    -------
    int
        0, or 2 if a package of R or a data set that is asked for is not there.
    """
    for package in IN_R if options.live_r else ():
        found, why = bridge.available(package)
        if not found:
            print(f"R's {package} cannot be run: {why}")
            return 2
    numbers = options.table or list(MAKERS)
    if options.paper == "skfr" and max(numbers) > max(MAKERS):
        print(f"the SKFR paper has Tables 1 to {max(MAKERS)}; got --table {max(numbers)}")
        return 2
    try:
        if options.paper == "skfr":
            sections = [MAKERS[number](options) for number in numbers]
        else:
            sections = TABLE_PAPERS[options.paper](options)
    except DatasetError as error:
        print(error)
        return 2
    versions = live_versions(list(IN_R)) if options.live_r else {}
    title = f"Tables of the {PAPERS[options.paper]} paper"
    write_page(options.output / PAGES[options.paper], title, options.scale, sections, versions)
    return 0
