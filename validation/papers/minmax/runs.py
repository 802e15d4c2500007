"""Runs, and the choice of s, as cells of a checkpoint."""

import json
import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sparsek import PermutationGap
from sparsek.metrics import clustering_error_rate, dunn_index, misclassification_error
from validation.papers.minmax.designs import IFPCA, MADD, SPARSE
from validation.papers.minmax.methods import Run, answer, minmax_model
from validation.papers.minmax.samples import load_sample, scaled
from validation.papers.shared.cells import Row, file_name
from validation.papers.shared.runs import default_bounds, digest, on_one_thread, quietly, tune_sparcl

SEED = 1
RUNS_AT_A_BOUND = 5
"""Runs of sparse MinMax k-means whose median number of features is used; sparcl's number hardly varies."""
HALVINGS = 12
"""Number of halvings of the range of log s."""
N_BOUNDS = 10
COST = {IFPCA: 15.0, SPARSE: 2.0, "kmeans": 0.5, MADD[2]: 4.0}
"""Approximate seconds of a run at 2 million values; half a second for other methods."""


@dataclass(frozen=True, slots=True)
class RunCell:
    """Runs of one method on one data set."""

    data: str  # data, method: keys of `DATA` and of `METHODS`
    method: str
    scaling: str  # Scaling of the data
    bound: float  # s; NaN for methods without s
    n_trials: int  # Runs

    @property
    def file_name(self) -> str:
        """File of the runs, named by all attributes except the number of runs."""
        return file_name("minmax", self.data, self.method, self.scaling, f"{self.bound:.9g}")

    @property
    def seconds(self) -> float:
        """Approximate seconds of a run."""
        return COST.get(self.method, 0.5) * load_sample(self.data).X.size / 2e6


@dataclass(frozen=True, slots=True)
class BoundCell:
    """The choice of s for one method on one data set."""

    data: str  # data, method, scaling: as in `RunCell`
    method: str
    scaling: str
    n_features: int  # Number of features to retain; 0 for the largest gap
    n_permutations: int  # Shuffled data sets of the gap statistic
    n_trials: ClassVar[int] = 1

    @property
    def file_name(self) -> str:
        """File of the choice, named by all attributes."""
        rule = f"features{self.n_features}" if self.n_features else f"gap{self.n_permutations}"
        return file_name("minmax-s", rule, self.data, self.method, self.scaling)

    @property
    def seconds(self) -> float:
        """Approximate seconds of the choice."""
        return 20 * load_sample(self.data).X.size / 1e6


def run_trial(cell: RunCell, trial: int) -> Row:
    """One run, scored against the classes."""
    run, sample = Run(cell.data, cell.scaling, trial, cell.bound), load_sample(cell.data)
    scaled(cell.data, cell.scaling)  # made before the clock starts
    with on_one_thread():
        begin = time.process_time()
        found = answer(cell.method, run)
        seconds = time.process_time() - begin
    labels = np.asarray(found.labels, dtype=np.int64)
    return {
        "data": cell.data,
        "method": cell.method,
        "scaling": cell.scaling,
        "bound": cell.bound,
        "trial": trial,
        "many_to_one": misclassification_error(sample.target, labels, matching="many-to-one"),
        "one_to_one": misclassification_error(sample.target, labels),
        "pairs": clustering_error_rate(sample.target, labels),
        "dunn": dunn_index(sample.X, labels),
        "n_features": math.nan if found.n_features is None else found.n_features,
        "seconds": seconds,
        "labels": digest(labels),
    }


def choose_bound(cell: BoundCell, trial: int) -> Row:
    """The bound s of a cell."""
    with on_one_thread(), quietly():
        if cell.n_features:
            bounds, gaps, chosen = [], [], _bound_for(cell)
        else:
            bounds, gaps = (_sparcl_gaps if cell.method == SPARSE else _minmax_gaps)(cell)
            chosen = bounds[int(np.argmax(gaps))]
        retained = _retained(cell, chosen)
    return {
        "data": cell.data,
        "method": cell.method,
        "scaling": cell.scaling,
        "rule": "features" if cell.n_features else "gap",
        "trial": trial,
        "wanted": cell.n_features or math.nan,
        "bound": chosen,
        "n_features": retained,
        "bounds": json.dumps(list(map(float, bounds))),
        "gaps": json.dumps(list(map(float, gaps))),
    }


def _retained(cell: BoundCell, bound: float) -> float:
    """Median number of features at a bound."""
    trials = range(1 if cell.method == SPARSE else RUNS_AT_A_BOUND)
    counts = [answer(cell.method, Run(cell.data, cell.scaling, trial, bound)).n_features for trial in trials]
    return float(np.median(np.array(counts, dtype=float)))


def _bound_for(cell: BoundCell) -> float:
    """The bound that retains the wanted number of features most nearly, by halving the range of log s."""
    low, high = math.log(1.05), math.log(math.sqrt(load_sample(cell.data).X.shape[1]))
    tried: list[tuple[float, float]] = []
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        count = _retained(cell, math.exp(middle))
        tried.append((abs(count - cell.n_features), math.exp(middle)))
        low, high = (low, middle) if count >= cell.n_features else (middle, high)
    return min(tried)[1]


def _grid(cell: BoundCell) -> np.ndarray:
    """sparcl's default bounds."""
    return default_bounds(load_sample(cell.data).X.shape[1], N_BOUNDS)


def _sparcl_gaps(cell: BoundCell) -> tuple[list[float], Any]:
    """Bounds and gaps by sparcl."""
    X, n_clusters = scaled(cell.data, cell.scaling), load_sample(cell.data).n_clusters
    bounds, fit = tune_sparcl(X, n_clusters, _grid(cell), cell.n_permutations, SEED)
    return bounds, fit.gaps


def _minmax_gaps(cell: BoundCell) -> tuple[list[float], Any]:
    """Bounds and gaps of sparse MinMax k-means."""
    gap = PermutationGap(
        minmax_model(load_sample(cell.data).n_clusters, 2.0, 0), "l1_bound", _grid(cell).tolist(),
        n_permutations=cell.n_permutations, refit=False, random_state=SEED,
    )  # fmt: skip
    gap.fit(scaled(cell.data, cell.scaling))
    return list(gap.param_range_), gap.gap_
