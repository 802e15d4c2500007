"""The runs behind the tables: the choice of s, and all runs of the methods on the data at hand."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from validation.papers.minmax.designs import (
    DATA,
    FIXED,
    IFPCA,
    MADD,
    MINMAX,
    MINMAX_PAPER,
    SCALINGS,
    TABLES,
    TUNED,
    Scale,
)
from validation.papers.minmax.runs import BoundCell, RunCell, choose_bound, run_trial
from validation.papers.minmax.summary import load_published
from validation.papers.shared.cells import run_cells
from validation.papers.shared.store import RESULTS, load_table
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS

RECORD = "minmax-bounds"
"""The values of s of the full run."""
RECORD_PAPER = "minmax-bounds-paper"
"""The same for the paper's formulas."""


def printed_features(data: str, method: str) -> int:
    """The number of features that Table 5 prints; 0 if it has no such row."""
    column = MINMAX if method == MINMAX_PAPER else method
    return int(load_published()["table5"].get(column, {}).get(data, [0])[0])


def recorded_bounds() -> pd.DataFrame:
    """The values of s of the full runs, as far as they are recorded."""
    columns = ["data", "method", "scaling", "rule", "bound", "wanted", "n_features"]
    files = [name for name in (RECORD, RECORD_PAPER) if (RESULTS / f"{name}.csv").exists()]
    parts = [load_table(name)[0] for name in files]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def is_printed(data: str, method: str) -> bool:
    """Whether a table has a number of this method on these data."""
    return any(data in names and method in columns.values() for names, columns in TABLES.values())


@dataclass(frozen=True, slots=True)
class Study:
    """The amount of work, and where results are stored.

    Attributes
    ----------
    scale : Scale
        Amount of work.
    folder : Path
        Folder of the finished cells.
    n_jobs : int
        Processes.
    """

    scale: Scale
    folder: Path
    n_jobs: int

    def bounds(self, wanted: Iterable[tuple[str, str, str, str]]) -> pd.DataFrame:
        """The values of s for sets of (data, method, scaling, rule): from the full run, or chosen anew."""
        keys = ["data", "method", "scaling", "rule"]
        wanted = list(wanted)
        known = pd.DataFrame(columns=[*keys, "bound", "wanted", "n_features"]).set_index(keys)
        if not self.scale.tune:
            recorded = recorded_bounds().set_index(keys)
            known = recorded[recorded.index.isin(wanted)]
        cells = [
            BoundCell(data, method, scaling, printed_features(data, method) if rule == "features" else 0,
                      self.scale.n_permutations)
            for data, method, scaling, rule in wanted
            if (data, method, scaling, rule) not in known.index
        ]  # fmt: skip
        if not cells:
            return known
        chosen = run_cells(cells, choose_bound, self.folder, self.n_jobs, "choice of s").set_index(keys)
        return pd.concat([known, chosen]) if len(known) else chosen

    def runs(self, data: Iterable[str], methods: Iterable[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """All runs under the main reading of the paper, and their values of s."""
        data, methods = list(data), list(methods)
        wanted = [
            (name, method, DATA[name].scaling, DATA[name].bound)
            for name in data
            for method in methods
            if method in TUNED
        ]
        bounds = self.bounds(wanted)
        cells = [
            self._cell(
                name, method, DATA[name].scaling, DATA[name].bound, bounds, printed=is_printed(name, method)
            )
            for name in data
            for method in methods
        ]
        return self._run(cells, "runs"), bounds

    def readings(self, data: Iterable[str], methods: Iterable[str]) -> pd.DataFrame:
        """Runs under other readings: s at the largest gap for gene sets, other scalings for the rest."""
        data, methods = list(data), [name for name in methods if name in (*MADD, *TUNED)]
        wanted = []
        for name in data:
            main = DATA[name]
            if main.bound == "features":
                wanted += [(name, method, main.scaling, "gap") for method in methods if method in TUNED]
            else:
                others = [scaling for scaling in SCALINGS if scaling != main.scaling]
                wanted += [(name, method, scaling, "gap") for scaling in others for method in methods]
        bounds = self.bounds([key for key in wanted if key[1] in TUNED])
        cells = [self._cell(*key, bounds) for key in wanted]
        return self._run(cells, "other readings")

    def _cell(
        self, data: str, method: str, scaling: str, rule: str, bounds: pd.DataFrame, printed: bool = False
    ) -> RunCell:
        """A cell with its value of s and its number of runs."""
        bound = float(bounds.loc[(data, method, scaling, rule), "bound"]) if method in TUNED else math.nan
        cell = RunCell(data, method, scaling, bound, self._n_runs(method))
        if not printed or method in (*FIXED, IFPCA):
            return cell
        affordable = max(int(self.scale.seconds / cell.seconds), min(RUNS_OF_THE_PAPERS, self.scale.runs))
        return replace(cell, n_trials=min(self.scale.runs, affordable))

    def _n_runs(self, method: str) -> int:
        """Number of runs where nothing is printed; one for a method without randomness."""
        if method in FIXED:
            return 1
        return self.scale.runs_ifpca if method == IFPCA else self.scale.runs_unprinted

    def _run(self, cells: list[RunCell], description: str) -> pd.DataFrame:
        columns = ["data", "method", "scaling", "bound", "trial"]
        if not cells:
            return pd.DataFrame(columns=columns)
        return run_cells(cells, run_trial, self.folder, self.n_jobs, description)
