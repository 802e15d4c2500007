"""How often the intervals of FitUncertainty hold the weight of a feature.

The weight that an interval is for is that of a fit to very many rows of the same design. Three groups, or
two, differ in the first half of the features by random places.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from sparsek import SKFR, FitUncertainty, SparseKMeans
from validation.papers.inference.robust import noise, rows_table
from validation.papers.shared.runs import on_one_thread, quietly

FEATURES, TRUE, MANY, SEED = 12, 6, 40_000, 60
"""Features, those that differ, rows of the fit that is taken for the truth, and seed."""
DESIGNS = {
    "even": (3, 1.6, "normal"),
    "sizes 6 : 3 : 1": (3, 1.6, "normal"),
    "two groups": (2, 1.6, "normal"),
    "heavy tails": (3, 1.6, "t4"),
    "skewed": (3, 1.6, "exponential"),
    "correlated": (3, 1.6, "correlated"),
    "overlapping": (3, 1.0, "normal"),
    "far apart": (3, 3.2, "normal"),
}
"""Groups, standard deviation of their places, and noise."""
METHODS = ("bootstrap", "subsampling")
MODELS = {
    "SKFR": partial(SKFR, n_features_to_select=TRUE, n_init=5, standardize=True, random_state=0),
    "SparseKMeans": partial(SparseKMeans, l1_bound=2.2, n_init=3, standardize=True, random_state=0),
}
ROWS = 150


def rows_of(design: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Rows of a design; the places of the groups are those of one draw."""
    k, apart, kind = DESIGNS[design]
    places = apart * np.random.default_rng(SEED).normal(size=(k, FEATURES)) * (np.arange(FEATURES) < TRUE)
    shares = (0.6, 0.3, 0.1) if design.startswith("sizes") else None
    return places[rng.choice(k, n, p=shares)] + noise(kind, rng, n, FEATURES)


def _held(name: str, design: str, method: str, truth: np.ndarray, seed: int) -> tuple[float, float]:
    """Share of the features that matter whose interval holds the truth, and the mean length of these."""
    rng = np.random.default_rng([SEED, seed])
    with on_one_thread(), quietly():
        model = MODELS[name](DESIGNS[design][0])
        found = FitUncertainty(model, method, random_state=seed).fit(rows_of(design, rng, ROWS))
    low, high = found.weight_intervals_[:, truth > 0]
    inside = (low <= truth[truth > 0]) & (truth[truth > 0] <= high)
    return float(inside.mean()), float((high - low).mean())


def _truth(name: str, design: str) -> np.ndarray:
    """Weights of a fit to very many rows."""
    X = rows_of(design, np.random.default_rng(SEED), MANY)
    with quietly():
        weights: np.ndarray = MODELS[name](DESIGNS[design][0]).fit(X).feature_weights_
    return weights


def run_coverage(n_samples: int, n_jobs: int) -> pd.DataFrame:
    """Coverage of the intervals by estimator, design and method."""
    rows = []
    for name in MODELS:
        for design in DESIGNS:
            truth = _truth(name, design)
            for method in METHODS:
                found = Parallel(n_jobs=n_jobs)(
                    delayed(_held)(name, design, method, truth, seed) for seed in range(n_samples)
                )
                held, length = np.array(found).T
                row = {"estimator": name, "design": design, "method": method, "data_sets": n_samples}
                row |= {"held": held.mean(), "held_se": held.std(ddof=1) / np.sqrt(n_samples)}
                rows.append(row | {"length": length.mean()})
    return pd.DataFrame(rows)


def coverage_table(frame: pd.DataFrame) -> str:
    """Coverage by design, a column for each estimator and method, in Markdown."""
    cells: Any = frame.assign(column=frame["estimator"] + ", " + frame["method"]).pivot(
        index="design", columns="column", values="held"
    )
    columns = [f"{name}, {method}" for name in MODELS for method in METHODS]
    wide = cells.loc[list(DESIGNS), columns].reset_index()
    wide["data_sets"] = int(frame["data_sets"].iloc[0])
    return rows_table(wide, {"design": "groups", **{name: name for name in columns}})
