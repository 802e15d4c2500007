"""A paper whose tables and figures are repeated: its tasks, results and sections of the report."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from sparsek._files import whole_file
from validation.papers.shared.claims import Claim
from validation.papers.shared.store import RESULTS, save_table
from validation.papers.shared.verdict_tables import Layout
from validation.report.sections import Section


@dataclass(frozen=True, slots=True)
class Task:
    """Settings of the run of a table or figure."""

    scale: str  # Amount of work
    folder: Path  # Folder of the checkpoint, from which an interrupted run continues
    n_jobs: int  # Processes
    live_r: bool = False  # Whether R itself is run too, for tables that `Paper.in_r` names
    at_hand: bool = False  # Whether only data at hand are used, without downloads

    @property
    def cells(self) -> Path:
        """Folder of finished trials."""
        return self.folder / "cells"


@dataclass(frozen=True, slots=True)
class Result:
    """Result of one table or figure, or of several together."""

    # Numbers, by the name of their files; a frame without rows if the data are missing
    frames: dict[str, pd.DataFrame]
    figures: dict[str, Figure] = field(default_factory=dict)  # Pictures, by the name of their files
    text: str = ""  # What the command prints
    # Versions of R and of its packages, for the frames with results of R itself
    r_versions: dict[str, dict[str, str]] = field(default_factory=dict)

    def write(self, folder: Path, scale: str) -> tuple[list[Path], list[Path]]:
        """Write every table as CSV with a JSON file about it, every picture as PNG."""
        tables = [
            save_table(frame, folder, name, scale, self.r_versions.get(name))
            for name, frame in self.frames.items()
        ]
        pictures = [folder / f"{name}.png" for name in self.figures]
        for path, figure in zip(pictures, self.figures.values(), strict=True):
            with whole_file(path) as temporary:
                figure.savefig(temporary, format="png", dpi=150)
        return tables, pictures


Make = Callable[[Task], Result]
MakeSection = Callable[[Result, Path], Section]
Judge = Callable[[Path], tuple[pd.DataFrame, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: the object `PAPER` in ``validation/papers/<name>/paper.py``."""

    name: str  # Name of its folder, and value of the option ``--paper``
    title: str  # Its title in the report
    # Position in the report; by default ``tables`` and ``figures`` take the first paper that has some
    place: int
    # ``make(result, folder)`` gives a section from this run and the full run in `folder`. Keys are the names
    # of the frames shown, in the order of the report
    section_makers: Mapping[str, MakeSection]
    # Captions of the recorded full runs, by the name of their files, for the pages
    captions: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[int, Make] = field(default_factory=dict)  # Function that runs each table, by number
    # Function that runs each figure, by number, or by name if the source has no numbers. Several figures may
    # share one function
    figures: Mapping[int | str, Make] = field(default_factory=dict)
    # File names of the pages that ``tables`` and ``figures`` write, by command; none for a command that
    # writes only pictures and numbers
    pages: Mapping[str, str] = field(default_factory=dict)
    # Tables that R itself can repeat, with the R packages needed
    in_r: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    # ``judge(folder)`` gives the recorded full run of a table with verdicts on its printed numbers, and its
    # date and versions; by the names of `captions`
    judged: Mapping[str, Judge] = field(default_factory=dict)
    # ``claims(folder)`` gives what the paper says in words of a table or figure, judged by the recorded full
    # run; by the names of `captions`
    claims: Mapping[str, Callable[[Path], list[Claim]]] = field(default_factory=dict)
    # How the tables of `judged` are shown, what is judged jointly, and why some numbers differ
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    # ``lead(folder)`` gives sentences on what else was compared, such as with R itself; they lead the page
    lead: Callable[[Path], str] | None = None
    # What was chosen after seeing the printed numbers, for the tables where something was
    chosen: Mapping[str, str] = field(default_factory=dict)
    # Real data sets that are fetched for it, by their names in ``sparsek/datasets/registry.toml``
    data: tuple[str, ...] = ()
    # Looks for all of `data` without a download, by the functions that its tables read them with
    look_up: Callable[[], object] = tuple

    def quick(self, folder: Path, n_jobs: int) -> Result:
        """Run everything at the quick scale on the data at hand."""
        return self._run_all(Task("quick", folder, n_jobs, at_hand=True))

    def full(self, folder: Path, n_jobs: int, live_r: bool = False) -> Result:
        """Run everything at the full scale, downloading missing data."""
        return self._run_all(Task("full", folder, n_jobs, live_r))

    def sections(self, result: Result, folder: Path = RESULTS) -> list[Section]:
        """Sections of the report: printed numbers, the full run, this run."""
        return [make(result, folder) for name, make in self.section_makers.items() if name in result.frames]

    def _run_all(self, task: Task) -> Result:
        """Every table and figure, one after the other."""
        return join(run_each((*self.tables.values(), *self.figures.values()), task))


def run_each(makers: Iterable[Make], task: Task) -> Iterator[Result]:
    """Yield results of tables or figures when ready; a function shared by several is run once."""
    return (make(task) for make in dict.fromkeys(makers))


def join(results: Iterable[Result]) -> Result:
    """Several results as one."""
    joined = Result({})
    for result in results:
        joined.frames.update(result.frames)
        joined.figures.update(result.figures)
        joined.r_versions.update(result.r_versions)
    return joined
