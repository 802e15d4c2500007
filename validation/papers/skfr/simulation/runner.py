"""The trials of the experiments, as cells for `validation.papers.shared.cells`."""

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from sparsek.metrics import false_negative_rate, false_positive_rate, normalized_variation_of_information
from validation.papers.shared.cells import Row, file_name
from validation.papers.skfr.simulation.designs import EXPERIMENTS, R_SPARCL, count_trials
from validation.papers.skfr.simulation.methods import METHODS

SECONDS = {"SKM": (1.5, 0.008), R_SPARCL: (0.5, 0.018), "geometric k-medians": (0.1, 0.0004)}
"""Approximate seconds of a trial, a + b p, for the order of the work and the bar; others take less."""
OTHERS = (0.02, 0.0001)


class Cell(NamedTuple):
    """One method on the samples of one experiment at one number of features."""

    experiment: str  # experiment, method: keys of `EXPERIMENTS` and of `METHODS`
    n_features: int  # Number p of features
    method: str
    n_trials: int  # Number of trials; they are numbered from 0

    @property
    def file_name(self) -> str:
        """Name of the file of its trials, which does not depend on their number."""
        return file_name(self.experiment, self.n_features, self.method)

    @property
    def seconds(self) -> float:
        """Approximate seconds of a trial."""
        constant, slope = SECONDS.get(self.method, OTHERS)
        return constant + slope * self.n_features


def run_trial(cell: Cell, trial: int) -> Row:
    """One method on one sample; the sample depends on experiment, number of features and trial only."""
    experiment, n_features, method, _ = cell
    setting = EXPERIMENTS[experiment]
    place = list(EXPERIMENTS).index(experiment)
    sample = setting.make(
        n_features=n_features, random_state=np.random.default_rng([place, n_features, trial])
    )
    with threadpool_limits(1):
        begin = time.perf_counter()
        answer = METHODS[method](sample, trial + 1, setting.n_init)
        seconds = time.perf_counter() - begin
    rated = answer.support is not None and answer.support.shape == sample.informative.shape
    return {
        "experiment": experiment,
        "n_features": n_features,
        "method": method,
        "trial": trial,
        "ari": adjusted_rand_score(sample.target, answer.labels),
        "nvi": normalized_variation_of_information(sample.target, answer.labels),
        "fpr": false_positive_rate(sample.informative, answer.support) if rated else np.nan,
        "fnr": false_negative_rate(sample.informative, answer.support) if rated else np.nan,
        "n_iter": answer.n_iter,
        "n_nonzero": answer.n_nonzero,
        "seconds": seconds,
    }


def experiment_cells(
    experiment: str, sizes: Sequence[int], scale: str, methods: Iterable[str] | None = None
) -> list[Cell]:
    """The cells of an experiment."""
    chosen = EXPERIMENTS[experiment].methods if methods is None else tuple(methods)
    return [Cell(experiment, p, method, count_trials(method, scale)) for p in sizes for method in chosen]
