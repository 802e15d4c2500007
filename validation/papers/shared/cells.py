"""Trials on several processes with a checkpoint: finished cells are files; an interrupted run continues."""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from validation.papers.shared.store import write_whole

Row = dict[str, Any]
BAR = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}, {remaining} left"


class Cell(Protocol):
    """A set of trials under one name; hashable."""

    @property
    def file_name(self) -> str:
        """Name of the file of its trials, which does not depend on their number."""

    @property
    def n_trials(self) -> int:
        """Number of trials; they are numbered from 0."""

    @property
    def seconds(self) -> float:
        """Approximate seconds of a trial, for the order of the work and the progress bar."""


def file_name(*parts: object) -> str:
    """A file name from parts of any type."""
    return re.sub(r"[^\w.-]+", "_", "-".join(map(str, parts)).replace(", ", "-")) + ".csv"


def read_trials(path: Path) -> pd.DataFrame:
    """The trials of a cell from its file; ValueError if the file has been cut off or damaged."""
    text = path.read_text(encoding="utf-8")
    try:
        rows = pd.read_csv(io.StringIO(text))
        sound = text.endswith("\n") and rows["trial"].is_unique and rows["trial"].dtype.kind == "i"
    except (ValueError, KeyError):  # no table, or no trials in it
        sound = False
    if not sound:
        raise ValueError(f"{path} is damaged; delete it to run its trials again")
    return rows


AnyCell = TypeVar("AnyCell", bound=Cell)


def run_cells(
    cells: Sequence[AnyCell],
    run_trial: Callable[[AnyCell, int], Row],
    folder: Path,
    n_jobs: int,
    description: str = "trials",
) -> pd.DataFrame:
    """All trials of some cells; trials in `folder` are not run again."""
    paths = {cell: folder / cell.file_name for cell in cells}
    done = {cell: read_trials(path) if path.exists() else pd.DataFrame() for cell, path in paths.items()}
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
                done[cell] = read_trials(paths[cell])  # a continued run reads the file, so this one does too
                rows = []
    return pd.concat([done[cell][done[cell]["trial"] < cell.n_trials] for cell in cells], ignore_index=True)


def run_until_decided(
    cells: Sequence[AnyCell],
    run: Callable[[list[AnyCell]], pd.DataFrame],
    is_open: Callable[[AnyCell, pd.DataFrame], bool],
    budget: int,
) -> list[AnyCell]:
    """Cells with as many trials as their verdicts need: doubled while undecided, up to a budget."""
    final = list(cells)
    waiting = [place for place, cell in enumerate(final) if cell.n_trials < budget]
    while waiting:
        trials = run([final[place] for place in waiting])
        ends = np.cumsum([final[place].n_trials for place in waiting])
        found = [
            trials.iloc[end - final[place].n_trials : end] for place, end in zip(waiting, ends, strict=True)
        ]
        waiting = [place for place, rows in zip(waiting, found, strict=True) if is_open(final[place], rows)]
        for place in waiting:
            final[place] = replace(final[place], n_trials=min(2 * final[place].n_trials, budget))
        waiting = [place for place in waiting if final[place].n_trials < budget]
    return final
