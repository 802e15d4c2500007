"""Tuning and runs as cells of a checkpoint."""

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sparsek import SKFR, PermutationGap, SparseKMeans
from sparsek.methods.search.permutation_gap import gap_curve
from sparsek.metrics import mixed_class_nodes, normalized_variation_of_information
from validation.papers.shared.cells import Row, file_name
from validation.papers.shared.runs import default_bounds, digest, on_one_thread, quietly, tune_sparcl
from validation.papers.skfr.real_tables.designs import SEED, Reading
from validation.papers.skfr.real_tables.methods import Answer, Run, answer_in_r, answer_ours
from validation.papers.skfr.real_tables.samples import load_sample, scaled

SLOW = {"SOM": 1.0, "SKM": 0.05}
"""Approximate seconds of a run, also of variants of the method; 0.02 for other methods."""


@dataclass(frozen=True, slots=True)
class MethodCell:
    """Runs of one method on one data set."""

    data: str  # data, method: keys of the data sets and of `METHODS`
    method: str
    reading: Reading  # Scaling and filling of the data
    value: float  # Number of features or L1 bound; NaN without one
    n_trials: int  # Runs
    source: str = "ours"  # Program that runs the method

    @property
    def file_name(self) -> str:
        """File of the runs, named by all attributes except the number of runs."""
        return file_name(self.source, self.data, self.method, self.reading, f"{self.value:.6g}")

    @property
    def seconds(self) -> float:
        """Approximate seconds of a run."""
        size = scaled(self.data, "raw", "column").size / 50_000
        return SLOW.get(self.method.partition(",")[0], 0.02) * (1 + size) * (50 if self.source == "R" else 1)


@dataclass(frozen=True, slots=True)
class TuningCell:
    """The gap curve of one method on one data set."""

    data: str  # data, method: keys of the data sets and of `METHODS`
    method: str
    reading: Reading  # Scaling and filling of the data
    # n_permutations, n_init, n_values: shuffled data sets, starts of every fit, largest number of values
    n_permutations: int
    n_init: int
    n_values: int
    n_trials: ClassVar[int] = 1

    @property
    def file_name(self) -> str:
        """File of the curve, named by all attributes."""
        size = f"{self.n_permutations}x{self.n_init}x{self.n_values}"
        return file_name("gap", self.data, self.method, self.reading, size)

    @property
    def seconds(self) -> float:
        """Approximate seconds of the curve."""
        X = scaled(self.data, "raw", "column")
        return (1 + X.size / 10_000) * self.n_permutations / 25


def run_trial(cell: MethodCell, trial: int) -> Row:
    """One run, scored against the classes."""
    run = Run(cell.data, cell.reading, trial, cell.value)
    with on_one_thread():
        answer = (answer_ours if cell.source == "ours" else answer_in_r)(cell.method, run)
    return {
        "source": cell.source,
        "data": cell.data,
        "method": cell.method,
        "reading": str(cell.reading),
        "value": cell.value,
        "trial": trial,
        **_scores(load_sample(cell.data).target, answer),
    }


def _scores(target: np.ndarray, answer: Answer) -> Row:
    """Agreement with the classes."""
    names = ("nmi", "nmi_joint", "ari", "nodes", "total", "objective", "n_selected")
    if not len(answer.labels):
        return {**dict.fromkeys(names, np.nan), "selected": "", "labels": ""}
    labels = np.asarray(answer.labels, dtype=np.int64)
    mixed = mixed_class_nodes(target, labels)
    values = (
        normalized_mutual_info_score(target, labels, average_method="max"),
        1 - normalized_variation_of_information(target, labels),
        adjusted_rand_score(target, labels),
        mixed.nodes,
        mixed.total,
        answer.objective,
        np.nan if answer.selected is None else len(answer.selected),
    )
    selected = "" if answer.selected is None else " ".join(map(str, answer.selected))
    return {**dict(zip(names, values, strict=True)), "selected": selected, "labels": digest(labels)}


def size_grid(n_features: int, n_values: int) -> list[int]:
    """Numbers of features to try: all, or at most `n_values` in steps of equal ratio."""
    if n_features <= n_values:
        return list(range(1, n_features + 1))
    return np.unique(np.geomspace(1, n_features, n_values).round().astype(int)).tolist()


def tune(cell: TuningCell, trial: int) -> Row:
    """The gap curve of a cell, and the values that its rules choose."""
    with on_one_thread(), quietly():
        values, objectives, permuted = (_sparcl_curve if cell.method == "SKM" else _curve)(cell)
    curve = gap_curve(np.asarray(objectives), np.asarray(permuted))
    return {
        "data": cell.data,
        "method": cell.method,
        "reading": str(cell.reading),
        "trial": trial,
        "largest": values[curve.largest],
        "one_se": values[curve.one_se],
        "values": json.dumps(list(values)),
        "gaps": json.dumps(curve.gaps.tolist()),
        "errors": json.dumps(curve.errors.tolist()),
    }


def _curve(cell: TuningCell) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """Values and objectives of SKFR or of our sparse k-means."""
    sample, reading = load_sample(cell.data), cell.reading
    model: Any
    if cell.method == "SKM, estimator":
        X = scaled(cell.data, reading.scaling, reading.fill)
        model = SparseKMeans(
            sample.n_clusters, init="k-means++", n_init=cell.n_init, refine=False, standardize=False
        )
        name, values = "l1_bound", None
    else:  # SKFR standardises its input, so it can get the columns on which seeds are drawn
        X = scaled(cell.data, reading.seeds_on, "none")
        init = "paper" if reading.power == 1 else "k-means++"
        model = SKFR(sample.n_clusters, init=init, standardize=True)
        model.set_params(n_init=cell.n_init)
        name, values = "n_features_to_select", size_grid(X.shape[1], cell.n_values)
    gap = PermutationGap(
        model, name, values, n_permutations=cell.n_permutations, refit=False, random_state=SEED
    ).fit(X)
    return list(gap.param_range_), gap.objectives_, gap.permuted_objectives_


def _sparcl_curve(cell: TuningCell) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Bounds and objectives of sparcl's own tuning."""
    X, n_clusters = (
        scaled(cell.data, cell.reading.scaling, cell.reading.fill),
        load_sample(cell.data).n_clusters,
    )
    bounds, fit = tune_sparcl(X, n_clusters, default_bounds(X.shape[1]), cell.n_permutations, SEED)
    return bounds, fit["tots"], fit["permtots"]
