"""Runs of the student report: SKFR1, SKFR2 and its listing on generated data, SKFR1 on three real sets."""

from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics import normalized_mutual_info_score

from sparsek import SKFR
from sparsek.datasets import load_iris, load_wdbc, load_wine
from sparsek.metrics import misclassification_error
from validation.papers.shared.runs import quietly
from validation.papers.student.listing import (
    MAX_ITER,
    N_CLUSTERS,
    N_FEATURES,
    Run,
    make_sample,
    skfr2_listing,
)

LISTED, NEAREST = "SKFR2 as listed (farthest)", "SKFR2 as listed, but nearest"
METHODS = ("SKFR1", "SKFR2", NEAREST, LISTED)
REAL = {"WDBC": load_wdbc, "Iris": load_iris, "Wine": load_wine}
N_INIT = 20
RISE = 1e-9
"""A loss that grows by more than this share of it has risen; less is rounding."""


def start_labels(X: NDArray[np.float64], seed: int) -> NDArray[np.int64]:
    """Clusters of k-means++ seeds on standardised data; the report does not say how it starts."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    seeds, _ = kmeans_plusplus(Z, N_CLUSTERS, random_state=seed)
    labels: NDArray[np.int64] = ((Z[:, None] - seeds) ** 2).sum(axis=2).argmin(axis=1)
    return labels


def run_method(method: str, X: NDArray[np.float64], labels: NDArray[np.int64], n_selected: int) -> Run:
    """A method from given clusters.

    Shapes: X (n, p), labels (n,).
    """
    if method in (NEAREST, LISTED):
        return skfr2_listing(X, labels, N_CLUSTERS, n_selected, farthest=method == LISTED)
    scope = {"SKFR1": "global", "SKFR2": "local"}[method]
    with quietly():
        model = SKFR(
            N_CLUSTERS, n_selected, scope=scope, init=labels, ddof=0, max_iter=MAX_ITER, standardize=True
        ).fit(X)
    return Run(model.labels_.astype(np.int64), model.criterion_history_, model.n_iter_ < MAX_ITER)


def run_seed(seed: int) -> list[dict[str, Any]]:
    """Every method on one sample, for s = 1 and s = 2 (the report's, which keeps both features)."""
    X, y = make_sample(seed)
    start = start_labels(X, seed)
    rows = []
    for n_selected in range(1, N_FEATURES + 1):
        runs = {method: run_method(method, X, start, n_selected) for method in METHODS}
        for method, run in runs.items():
            rises = np.diff(run.losses) > RISE * run.losses[:-1]
            rows.append(
                {
                    "s": n_selected,
                    "method": method,
                    "seed": seed,
                    "nmi": normalized_mutual_info_score(y, run.labels),
                    "error": misclassification_error(y, run.labels),
                    "passes": len(run.losses),
                    "converged": run.converged,
                    "rises": int(rises.sum()),
                    "loss": run.losses[-1],
                    "clusters": len(np.unique(run.labels)),
                    "as_skfr2": bool((run.labels == runs["SKFR2"].labels).all()),
                }
            )
    return rows


def run_generated(n_seeds: int, n_jobs: int) -> pd.DataFrame:
    """Every method on many samples."""
    rows = Parallel(n_jobs=n_jobs)(delayed(run_seed)(seed) for seed in range(n_seeds))
    return pd.DataFrame([row for some in rows for row in some])


def fit_real(name: str, n_selected: int) -> SKFR:
    """SKFR1 on a real set: the best of 20 starts."""
    bunch = REAL[name]()
    with quietly():
        model = SKFR(
            len(np.unique(bunch.target)),
            n_selected,
            init="screened",
            n_init=N_INIT,
            random_state=0,
            standardize=True,
        )
        return model.fit(bunch.data)


def run_real() -> pd.DataFrame:
    """SKFR1 on the three real sets, for every s."""
    rows = []
    for name, load in REAL.items():
        bunch = load()
        for n_selected in range(1, bunch.data.shape[1] + 1):
            labels = fit_real(name, n_selected).labels_
            nmi = normalized_mutual_info_score(bunch.target, labels)
            error = misclassification_error(bunch.target, labels)
            rows.append({"data": name, "s": n_selected, "nmi": nmi, "error": error})
    return pd.DataFrame(rows)
