"""Tuning and runs for Tables 3 and 4, kept in a checkpoint."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from validation.papers.shared.cells import run_cells
from validation.papers.skfr.real_tables.designs import Reading, Scale
from validation.papers.skfr.real_tables.runs import MethodCell, TuningCell, run_trial, tune


@dataclass(frozen=True, slots=True)
class Study:
    """The amount of work, and where results are stored."""

    scale: Scale  # Amount of work
    folder: Path  # Folder of the finished cells
    n_jobs: int  # Processes
    names: tuple[str, ...]  # Data sets, keys of `BENCHMARKS`

    def tune(self, wanted: list[tuple[str, str, Reading]]) -> pd.DataFrame:
        """Gap curves by data, method and reading."""
        size = (self.scale.n_permutations, self.scale.n_init, self.scale.n_values)
        cells = [TuningCell(*which, *size) for which in wanted]
        curves = run_cells(cells, tune, self.folder, self.n_jobs, "tuning")
        return curves.set_index(["data", "method", "reading"])

    def run(self, cells: list[MethodCell], description: str) -> pd.DataFrame:
        """Trials of some cells."""
        return run_cells(cells, run_trial, self.folder, self.n_jobs, description)
