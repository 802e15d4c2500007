"""The papers besides the SKFR paper: what ``tables --paper`` and ``figures --paper`` run.

A new reproduction is one function here: it runs from a checkpoint, writes its numbers and pictures, and
returns the sections of its page.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from validation.papers.kernel import report_sections as kernel
from validation.papers.minmax.designs import TABLES
from validation.papers.minmax.report_sections import minmax_sections
from validation.papers.minmax.tables import run_table
from validation.papers.pcskm import report_sections as pcskm
from validation.papers.pcskm.reproduce import draw_all, run_figures
from validation.papers.printed import write_result
from validation.papers.skfr.simulation.store import save_table
from validation.report.sections import Section

Maker = Callable[[argparse.Namespace], list[Section]]


def make_minmax(options: argparse.Namespace) -> list[Section]:
    """Tables of the sparse MinMax paper.

    Parameters
    ----------
    options : Namespace
        Those of ``tables``.

    Returns
    -------
    list of Section
        One per table.
    """
    found = {}
    for number in options.table or TABLES:
        result = run_table(number, options.scale, options.output, options.n_jobs)
        write_result(result, options.output, options.scale)
        found[number] = result.frames[f"minmax-table-{number}"]
        print(f"Table {number}\n{found[number].round(3).to_string(index=False)}\n")
    return [
        section for number, section in zip(TABLES, minmax_sections(found), strict=True) if number in found
    ]


def make_pcskm(options: argparse.Namespace) -> list[Section]:
    """Figures of the paper on pairwise-constrained sparse k-means.

    Parameters
    ----------
    options : Namespace
        Those of ``figures``.

    Returns
    -------
    list of Section
        Both figures.
    """
    frames = run_figures(options.scale, options.output, options.n_jobs)
    _write(frames, draw_all(frames), options)
    return pcskm.sections(frames)


def make_kernel(options: argparse.Namespace) -> list[Section]:
    """The doughnut, and deep embedded clustering on digits.

    Parameters
    ----------
    options : Namespace
        Those of ``figures``.

    Returns
    -------
    list of Section
        Both experiments.
    """
    trials, figures = kernel.run(options.scale, options.n_jobs)
    _write(trials, figures, options)
    return kernel.sections(trials, figures)


def _write(frames: dict[str, pd.DataFrame], figures: dict[str, Figure], options: argparse.Namespace) -> None:
    """Numbers as CSV, pictures as PNG."""
    folder: Path = options.output
    for name, frame in frames.items():
        print(f"written: {save_table(frame, folder, name, options.scale)}")
    for name, figure in figures.items():
        figure.savefig(folder / f"{name}.png", dpi=150)


TABLE_PAPERS: dict[str, Maker] = {"minmax": make_minmax}
FIGURE_PAPERS: dict[str, Maker] = {"pcskm": make_pcskm, "kernel": make_kernel}
"""By the name that ``--paper`` takes; "skfr", the default, is in the commands themselves."""
