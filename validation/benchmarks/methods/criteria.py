"""How often each criterion of ModelChoice finds the truth: seven simulated designs and ten real data sets.

Run with ``python validation/benchmarks/methods/criteria.py`` and ``--trials 10``, ``--real``,
``--method SKFR`` or ``--out FILE``.

One line of the table for each criterion and rule, means over the designs and trials, or over the data sets:
share of right numbers of clusters, mean number of clusters less the right one, false positive and false
negative rates of the features (designs only), share of the features kept, adjusted Rand index with the true
groups. The line "truth" is the fit with the right k and s, or on real data with the right k and all features.
The real data are read from SPARSEK_DATA; of more than 500 rows a random 500 are used.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from sparsek import SKFR, ModelChoice, SparseKMeans
from sparsek.datasets import make_brodinova, make_doughnut, make_partially_observed, make_subset_attributes
from sparsek.methods.search.choice.model_choice import CRITERIA
from sparsek.metrics import false_negative_rate, false_positive_rate
from validation.papers.skfr.real_tables.designs import BENCHMARKS
from validation.papers.skfr.real_tables.samples import load_sample
from validation.papers.skfr.simulation.choice import corners, three_groups

FIVE = (30,) * 5
MOST_ROWS, N_INIT = 500, 5
QUICK = {"gap": {"n_permutations": 10}, "consistency": {"n_resamples": 20}}


def planted(X: np.ndarray, k: int, informative: int) -> Bunch:
    """A sample of groups of equal sizes that differ in the first features."""
    return Bunch(
        data=X, target=np.repeat(np.arange(k), len(X) // k), informative=np.arange(X.shape[1]) < informative
    )


def interleaved(seed: int) -> Bunch:
    """Three groups that differ in 10 of 40 features; their rows alternate."""
    sample = planted(three_groups(10, seed), 3, 10)
    sample.target = np.arange(120) % 3
    return sample


DESIGNS: dict[str, Callable[[int], Bunch]] = {
    "five groups": lambda seed: make_brodinova(50, 10, FIVE, random_state=seed),
    "outliers": lambda seed: make_brodinova(
        50, 10, FIVE, scatter_outliers=0.1, noise_outliers=0.1, random_state=seed
    ),
    "own features": lambda seed: make_subset_attributes(150, 40, 4, 5, random_state=seed),
    "missing": lambda seed: make_partially_observed(150, 40, 4, 10, random_state=seed),
    "doughnut": lambda seed: make_doughnut(150, 20, random_state=seed),
    "corners": lambda seed: planted(corners(5, seed), 5, 6),
    "three groups": interleaved,
}
METHODS = {
    "SKFR": (SKFR(init="screened", n_init=N_INIT), "n_features_to_select"),
    "SparseKMeans": (SparseKMeans(n_init=N_INIT, refine=False), "l1_bound"),
}


def numbers_of_clusters(k: int) -> list[int]:
    """Six numbers of clusters around the right one, evenly from 2 to three more."""
    return sorted({k, *np.linspace(2, k + 3, 6).astype(int).tolist()})


def sizes(method: str, p: int, informative: int) -> list[float]:
    """Numbers of features, or L1 bounds, to choose from."""
    if method == "SparseKMeans":
        return np.round(np.geomspace(1.3, 0.9 * np.sqrt(p), 5), 2).tolist()
    return sorted({max(1, informative // 2), informative, min(p, 2 * informative), max(1, p // 2), p})


def measure(sample: Bunch, method: str, seed: int, criteria: list[str]) -> list[dict[str, Any]]:
    """Measures of what every rule chooses on one sample."""
    model, name = METHODS[method]
    truth = sample.get("informative")
    informative = None if truth is None else truth.reshape(-1, sample.data.shape[1]).any(axis=0)
    k, p = len(np.unique(sample.target)), sample.data.shape[1]
    grid = {
        "n_clusters": numbers_of_clusters(k),
        name: sizes(method, p, p // 4 or 1 if informative is None else int(informative.sum())),
    }
    choices, seconds = [], {}
    for one in criteria:
        begin = time.perf_counter()
        options = {one: QUICK.get(one, {})}
        choice = ModelChoice(model, grid, one, options=options, refit=False, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", (ConvergenceWarning, UserWarning))
            choices.append(choice.fit(sample.data).choices_)
        seconds[one] = time.perf_counter() - begin
    right = {"n_clusters": k, name: p if informative is None else int(informative.sum())}
    rows = [row for frame in choices for row in frame.to_dict("records")]
    rows += [{"criterion": "truth", "rule": "", **right}] if method == "SKFR" else []
    fits: dict[Any, Any] = {}
    for row in rows:
        point = {one: row[one] for one in grid}
        key = tuple(point.values())
        if key not in fits:
            fits[key] = clone(model).set_params(**point, random_state=seed).fit(sample.data)
        row |= score(fits[key], sample.target, informative)
        row |= {"right k": point["n_clusters"] == k, "k off": point["n_clusters"] - k}
        row["seconds"] = seconds.get(row["criterion"])
    return rows


def score(fit: Any, target: np.ndarray, informative: Any) -> dict[str, float]:
    """Error rates of the features and agreement of the labels."""
    support = fit.get_support()
    found = {"kept": support.mean(), "ARI": adjusted_rand_score(target, fit.labels_)}
    if informative is not None:
        found |= {
            "FPR": false_positive_rate(informative, support),
            "FNR": false_negative_rate(informative, support),
        }
    return found


def real_sample(name: str) -> Bunch:
    """A real data set, standardised, with at most 500 rows."""
    sample = load_sample(name)
    X, y = sample.X, sample.target
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
    return Bunch(data=StandardScaler().fit_transform(X[rows]), target=y[rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--real", action="store_true", help="the real data sets in place of the designs")
    parser.add_argument("--method", choices=METHODS, default="SKFR")
    parser.add_argument("--out", help="csv file for the lines of all samples, written as they come")
    options = parser.parse_args()
    criteria = [one for one in CRITERIA if options.method == "SKFR" or one != "entries"]
    samples: dict[tuple[str, int], Callable[[], Bunch]]
    if options.real:
        samples = {(name, 0): partial(real_sample, name) for name in BENCHMARKS}
    else:
        samples = {
            (name, seed): partial(make, seed)
            for seed in range(options.trials)
            for name, make in DESIGNS.items()
        }
    lines: list[dict[str, Any]] = []
    for (name, seed), make in samples.items():
        sample = make()
        if options.method != "SKFR" and np.isnan(sample.data).any():
            continue
        found = measure(sample, options.method, seed, criteria)
        lines += [{"data": name, "trial": seed, **row} for row in found]
        if options.out:
            pd.DataFrame(lines).to_csv(options.out, index=False)
    table = pd.DataFrame(lines)
    measures = [one for one in ("right k", "k off", "FPR", "FNR", "kept", "ARI", "seconds") if one in table]
    by = ["criterion", "rule"]
    print(table.groupby(by, sort=False)[measures].mean().round(2).to_string(), "\n")
    for one in ("right k", "ARI"):
        wide = table.pivot_table(index=by, columns="data", values=one, aggfunc="mean", sort=False)
        print(f"{one}\n{wide.round(2).to_string()}\n")


if __name__ == "__main__":
    main()
