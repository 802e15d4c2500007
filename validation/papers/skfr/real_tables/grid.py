"""Table 4: SKFR1 at every s under every reading of the start, the columns and the NMI.

The paper does not say at which s, from which draws, on which columns, and by which of several quantities
called NMI the printed numbers were made. This grid runs all combinations of the usual answers. Every cell has
the same starts, so neighbours can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from sparsek.core.scaling import prepare
from sparsek.methods.skfr.algorithm import Sizes
from sparsek.methods.skfr.problem import RankedProblem, array_problem, run_rows
from sparsek.starts.seeds import seeded_labels
from validation.papers.shared.cells import Row, file_name, run_cells
from validation.papers.shared.runs import on_one_thread
from validation.papers.skfr.real_tables.designs import Reading
from validation.papers.skfr.real_tables.runs import size_grid
from validation.papers.skfr.real_tables.samples import load_sample, scaled, start_seed

NORMALISERS = ("max", "arithmetic", "geometric", "min", "joint")
"""Quantities called NMI: the mutual information over the larger, mean, geometric mean or smaller of both
entropies, or over the joint entropy."""
MOMENTS = {"mean": "", "sd": "_sd", "skew": "_skew", "kurtosis": "_kurtosis"}
"""What is recorded of the runs of a cell, with the ends of the columns' names."""
READINGS = tuple(
    Reading(scaling, seeds_on, power)
    for scaling, seeds_on in (
        ("standardised", "raw"),
        ("standardised", "minmax"),
        ("standardised", "standardised"),
        ("minmax", "minmax"),
        ("raw", "raw"),
    )
    for power in (1, 2)
)
"""The columns that SKFR1 gets, those on which seeds are drawn, and the power of the distance. The first is
the reading of Table 4; the paper's algorithm standardises, the last two pairs of columns depart from it."""
MANY_FEATURES, FEW_VALUES = 1000, 12
"""With more features than this (the faces) at most so many values of s are run: a fit takes much longer."""
MAX_ITER = 300
DIGITS = 5
"""Decimal places that are recorded; the paper prints three."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """SKFR1 at every s on one data set under one reading; a trial is one s."""

    data: str  # Key of `BENCHMARKS`
    reading: Reading  # One of `READINGS`
    n_runs: int  # Runs at each s
    n_values: int  # Largest number of values of s; fewer with very many features

    @property
    def file_name(self) -> str:
        """File of the cell, named by all attributes."""
        return file_name("grid", self.data, self.reading, f"{self.n_runs}x{self.n_trials}")

    @property
    def sizes(self) -> list[int]:
        """The values of s."""
        p = load_sample(self.data).X.shape[1]
        return size_grid(p, min(self.n_values, FEW_VALUES) if p > MANY_FEATURES else self.n_values)

    @property
    def n_trials(self) -> int:
        """Number of values of s."""
        return len(self.sizes)

    @property
    def seconds(self) -> float:
        """Approximate seconds of one s."""
        return self.n_runs * (1 + load_sample(self.data).X.size / 10_000) / 2000


@lru_cache(maxsize=2)
def prepared(name: str, scaling: str) -> RankedProblem:
    """The columns that SKFR1 gets."""
    standardize = scaling == "standardised"
    X = scaled(name, "raw" if standardize else scaling, "column")
    return array_problem(X, load_sample(name).n_clusters, divisor=standardize)


@lru_cache(maxsize=2)
def starts(name: str, reading: Reading, n_runs: int) -> list[NDArray[np.int32]]:
    """Labels of the starting rows of every run; the first runs start as those of Table 4."""
    X = scaled(name, reading.seeds_on, reading.fill)
    Z = prepare(X, None, standardize=False, by_column=False)[0]
    seeds = np.array([start_seed(trial) for trial in range(n_runs)])
    return seeded_labels(Z, load_sample(name).n_clusters, seeds, power=reading.power)


def run_size(cell: GridCell, trial: int) -> Row:
    """All runs at one s."""
    sample, s = load_sample(cell.data), cell.sizes[trial]
    problem = prepared(cell.data, cell.reading.scaling)
    sizes = Sizes(s, local=False, max_iter=MAX_ITER)
    with on_one_thread():
        results = run_rows(problem, starts(cell.data, cell.reading, cell.n_runs), sizes)
    scores = informations(sample.target, np.array([result.labels for result in results]))
    row: Row = {
        "data": cell.data,
        "columns": cell.reading.scaling,
        "seeds_on": cell.reading.seeds_on,
        "power": cell.reading.power,
        "trial": trial,
        "s": s,
        "runs": cell.n_runs,
    }
    for name, values in scores.items():
        row |= {name: round(float(values.mean()), DIGITS), f"{name}_sd": round(_spread(values), DIGITS)}
        shape = _shape(values)
        row |= {f"{name}_skew": round(shape[0], 2), f"{name}_kurtosis": round(shape[1], 2)}
    return row


def _shape(values: NDArray[np.float64]) -> tuple[float, float]:
    """Skewness and excess kurtosis; 0 where all runs give the same to the recorded digits."""
    if np.ptp(values) < 10.0**-DIGITS:
        return 0.0, 0.0
    return float(stats.skew(values)), float(stats.kurtosis(values))


def _spread(values: NDArray[np.float64]) -> float:
    """Standard deviation, dividing by runs - 1."""
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


def informations(target: NDArray[np.int64], labels: NDArray[np.int32]) -> dict[str, NDArray[np.float64]]:
    """Mutual information of the classes and of many partitions, normalised in every way.

    Shapes: target (n,), labels (R, n); returns (R,).
    """
    n_runs, n = labels.shape
    n_classes, n_clusters = int(target.max()) + 1, int(labels.max()) + 1
    codes = (np.arange(n_runs)[:, None] * n_classes + target) * n_clusters + labels
    counts = np.bincount(codes.ravel(), minlength=n_runs * n_classes * n_clusters)
    joint = (counts / n).reshape(n_runs, n_classes, n_clusters)
    classes, clusters = _entropy(joint.sum(axis=2)), _entropy(joint.sum(axis=1))
    both = _entropy(joint.reshape(n_runs, -1))
    shared = np.maximum(classes + clusters - both, 0)
    sizes = (
        np.maximum(classes, clusters),
        (classes + clusters) / 2,
        np.sqrt(np.maximum(classes * clusters, 0)),
        np.minimum(classes, clusters),
        both,
    )
    zeros = np.zeros(n_runs)
    return {
        name: np.divide(shared, size, out=zeros.copy(), where=size > 0)
        for name, size in zip(NORMALISERS, sizes, strict=True)
    }


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Entropy of each row, in nats; 0 where it is rounding, as of a single class."""
    found = -np.sum(shares * np.log(shares, out=np.zeros_like(shares), where=shares > 0), axis=1)
    return np.where(found > 64 * np.finfo(float).eps, found, 0.0)


def run_grid(names: Sequence[str], n_runs: int, n_values: int, folder: Path, n_jobs: int) -> pd.DataFrame:
    """The grid of some data sets."""
    cells = [GridCell(name, reading, n_runs, n_values) for name in names for reading in READINGS]
    return run_cells(cells, run_size, folder, n_jobs, "every s and reading").drop(columns="trial")
