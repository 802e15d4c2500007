"""Table 1: seconds and iterations of one start, SKFR1 and Lloyd from the same labels, one after the other.

Seconds are those of the processor, so that other processes do not count.
"""

import time
from functools import partial

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._testing import ignore_warnings
from threadpoolctl import threadpool_limits

from sparsek.core.scaling import column_squares, prepare
from sparsek.core.steps import cluster_sums
from sparsek.datasets import make_brodinova
from sparsek.methods.skfr.algorithm import skfr, sparse_means
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows
from sparsek.starts.seeds import seeded_labels
from validation.papers.shared.outcomes import OUTCOMES, write_outcomes
from validation.papers.skfr.simulation.designs import SIZES
from validation.papers.skfr.simulation.methods import N_SELECTED

N_RUNS = 400
"""Runs of each method and size; a run takes milliseconds."""
EXPERIMENT = "timing"


@ignore_warnings(category=ConvergenceWarning)
def run_once(n_features: int, run: int) -> list[dict[str, object]]:
    """One data set, one start: SKFR1 on standardised columns, Lloyd on raw ones, scikit-learn's Lloyd."""
    sample = make_brodinova(n_features, random_state=np.random.default_rng([run, n_features]))
    k = len(np.unique(sample.target))
    raw, _ = prepare(sample.data, None, standardize=False, by_column=False)
    Z, _ = prepare(sample.data, None, standardize=True)
    (labels,) = seeded_labels(raw, k, np.array([run]), None, power=1)
    centers = cluster_sums(raw, labels, k).means
    plain = np.ascontiguousarray(raw[:, :-1])
    tss = float(column_squares(Z, None).sum())
    model = KMeans(k, init=centers, n_init=1, tol=0, algorithm="lloyd")
    rank = partial(sparse_means, n_selected=N_SELECTED, local=False)
    calls = {
        "SKFR1": lambda: skfr(array_rows(Z, labels, k), rank, tss=tss).n_iter,
        "Lloyd": lambda: lloyd(array_rows(raw, labels, k)).n_iter,
        "Lloyd, scikit-learn": lambda: model.fit(plain).n_iter_,
    }
    rows: list[dict[str, object]] = []
    for name, call in calls.items():
        begin = time.process_time()
        n_iter = call()
        seconds = time.process_time() - begin
        row = {"experiment": EXPERIMENT, "n_features": n_features, "method": name, "trial": run}
        rows.append({**row, "n_iter": n_iter, "seconds": seconds})
    return rows


def run_timing(sizes: tuple[int, ...] = SIZES, n_runs: int = N_RUNS) -> pd.DataFrame:
    """All runs, serially, on one thread."""
    with threadpool_limits(1):
        run_once(sizes[0], n_runs)  # modules are loaded at first use, which is not timed
        return pd.DataFrame([row for p in sizes for run in range(n_runs) for row in run_once(p, run)])


def summarise_timing(trials: pd.DataFrame) -> pd.DataFrame:
    """Mean milliseconds and iterations of each method, as in the paper's table, the iterations of every run,
    and `ratio`, the median over the runs of its time divided by SKFR1's in the same run."""
    means = trials.groupby(["n_features", "method"], sort=False)[["seconds", "n_iter"]].mean()
    n_iter = trials.groupby(["n_features", "method"], sort=False)["n_iter"]
    means["runs"], means[OUTCOMES] = (
        n_iter.size(),
        n_iter.agg(lambda runs: write_outcomes(runs.sort_values())),
    )
    means["ms"] = 1e3 * means.pop("seconds")
    skfr = trials[trials["method"] == "SKFR1"].set_index(["n_features", "trial"])["seconds"]
    places = pd.MultiIndex.from_frame(trials[["n_features", "trial"]])
    ratios = trials.assign(ratio=trials["seconds"] / skfr.reindex(places).to_numpy())
    means["ratio"] = ratios.groupby(["n_features", "method"], sort=False)["ratio"].median()
    return means.reset_index()
