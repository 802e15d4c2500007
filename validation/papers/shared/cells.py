"""Trials on several processes with a checkpoint: finished cells are files, and an interrupted run goes on."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from validation.papers.shared.store import write_whole

Row = dict[str, Any]
BAR = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}, {remaining} left"


class Cell(Protocol):
    """What is run a number of times, with a name of its own; hashable."""

    @property
    def file_name(self) -> str:
        """Where its trials are kept; the number of trials may grow."""

    @property
    def n_trials(self) -> int:
        """Trials 0 to n_trials - 1."""

    @property
    def seconds(self) -> float:
        """About how long a trial takes: for the order of the work and the bar."""


def file_name(*parts: object) -> str:
    """A file's name from parts of any kind."""
    return re.sub(r"[^\w.-]+", "_", "-".join(map(str, parts)).replace(", ", "-")) + ".csv"


AnyCell = TypeVar("AnyCell", bound=Cell)


def run_cells(
    cells: Sequence[AnyCell],
    run_trial: Callable[[AnyCell, int], Row],
    folder: Path,
    n_jobs: int,
    description: str = "trials",
) -> pd.DataFrame:
    """All trials of some cells; those that `folder` holds already are not run again.

    Parameters
    ----------
    cells : sequence of Cell
        What to run; the costliest begin.
    run_trial : callable
        ``run_trial(cell, trial)`` gives the trial's row, its number in "trial".
    folder : Path
        Holds one CSV file per cell, written when the cell is done.
    n_jobs : int
        Processes.
    description : str, default="trials"
        Text before the progress bar.

    Returns
    -------
    DataFrame
        One row per cell and trial, in the order of `cells`.
    """
    paths = {cell: folder / cell.file_name for cell in cells}
    done = {cell: pd.read_csv(path) if path.exists() else pd.DataFrame() for cell, path in paths.items()}
    missing = {
        cell: sorted(set(range(cell.n_trials)) - set(rows["trial"] if len(rows) else ()))
        for cell, rows in done.items()
    }
    order = sorted(paths, key=lambda cell: cell.seconds, reverse=True)
    tasks = [(cell, trial) for cell in order for trial in missing[cell]]
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(run_trial)(cell, trial) for cell, trial in tasks
    )
    rows: list[Row] = []
    total = sum(cell.seconds for cell, _ in tasks)
    with tqdm(total=total, desc=description, bar_format=BAR, disable=None if tasks else True) as bar:
        for (cell, trial), row in zip(tasks, results, strict=True):
            rows.append(row)
            bar.update(cell.seconds)
            if trial == missing[cell][-1]:
                trials = pd.concat([done[cell], pd.DataFrame(rows)]).sort_values("trial")
                write_whole(paths[cell], trials.to_csv(index=False))
                done[cell] = pd.read_csv(paths[cell])  # what is kept is what is used
                rows = []
    return pd.concat([done[cell][done[cell]["trial"] < cell.n_trials] for cell in cells], ignore_index=True)
