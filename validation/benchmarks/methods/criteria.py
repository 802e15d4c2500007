"""How often each criterion of ModelChoice finds the truth: seven simulated designs and ten real data sets.

Run with ``python validation/benchmarks/methods/criteria.py`` and ``--trials 10``, ``--minutes 25``,
``--method SKFR`` for one method, or ``--output DIR``, the folder of the record. With 10 trials it takes about
45 minutes of one processor. The page choosing-k-and-s is made from the record in validation/results.

One line of the record for each sample, criterion and rule: whether the number of clusters is right, how far
it is off, false positive and false negative rates of the features (designs only), share of the features kept,
adjusted Rand index with the true groups, seconds of processor time of the whole grid. The criterion "truth"
is the fit with the right k and s, or on real data with the right k and all features. The number of a trial is
its seed. The real data are read from SPARSEK_DATA; of more than 500 rows a random 500 are used.

With ``--null`` the data have no clusters, the searches of the criteria may choose one cluster, and the record
criteria-null says which number each chose, beside the default of ModelChoice, which tests for one cluster
first. A level near .05 needs many trials, so the test has ``--test-trials`` of its own. With 60 trials of
both it takes about 5 minutes of one processor.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
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
from sparsek.methods.search.choice.model_choice import CRITERIA, unexplained
from sparsek.metrics import false_negative_rate, false_positive_rate
from validation.benchmarks.criteria_page import NAME, NULL_NAME, TEST, null_table, table_of
from validation.papers.inference.robust import noise
from validation.papers.shared.store import RESULTS, load_table, save_table
from validation.papers.skfr.real_tables.designs import BENCHMARKS
from validation.papers.skfr.real_tables.samples import load_sample
from validation.papers.skfr.simulation.choice import corners, three_groups

FIVE = (30,) * 5
MOST_ROWS, N_INIT = 500, 5
BY = ["method", "data"]
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
    "SKFR": (SKFR(init="screened", n_init=N_INIT, standardize=True), "n_features_to_select"),
    "SparseKMeans": (SparseKMeans(n_init=N_INIT, refine=False, standardize=False), "l1_bound"),
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
        begin = time.process_time()
        options = {one: QUICK.get(one, {})}
        choice = ModelChoice(model, grid, one, options=options, refit=False, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", (ConvergenceWarning, UserWarning))
            choices.append(choice.fit(sample.data).choices_)
        seconds[one] = time.process_time() - begin
    right = {"n_clusters": k, name: p if informative is None else int(informative.sum())}
    rows = [row for frame in choices for row in frame.to_dict("records")]
    rows += [{"criterion": "truth", "rule": "", **right}] if method == "SKFR" else []  # no true L1 bound
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


NULL_DESIGNS = ("normal", "exponential", "correlated")
"""Rows without clusters, correlated by .3 or not."""
NULL_ROWS, NULL_COLUMNS, NULL_CLUSTERS = 60, 20, (1, 2, 3)


def null_lines(kind: str, trial: int, criteria: list[str]) -> list[dict[str, Any]]:
    """The number of clusters that the test and every rule of the criteria choose on rows without clusters."""
    X = noise(kind, np.random.default_rng(trial), NULL_ROWS, NULL_COLUMNS)
    model = SKFR(n_features_to_select=6, init="screened", n_init=N_INIT, standardize=True)
    rows = []
    for name in criteria:
        options = {"refit": False, "random_state": trial, **QUICK.get(name, {})}
        if name in ("gap", "entries", "blocks"):
            options |= {"param_name": "n_clusters", "param_range": NULL_CLUSTERS}
        else:
            options["params"] = {"n_clusters": NULL_CLUSTERS}
        if name == "gap":
            options["objective"] = unexplained
        search = CRITERIA[name].search(model, **options).fit(X)
        for rule, index in CRITERIA[name].rules.items():
            rows.append({"criterion": name, "rule": rule, "k": NULL_CLUSTERS[getattr(search, index)]})
    choice = ModelChoice(model, {"n_clusters": NULL_CLUSTERS}, refit=False, random_state=trial).fit(X)
    rows.append({"criterion": TEST, "rule": "", "k": choice.best_params_["n_clusters"]})
    return [{"design": kind, "trial": trial, **row} for row in rows]


def run_null(trials: int, test_trials: int, folder: Path) -> None:
    """The record of the null designs."""
    about_k = [name for name in CRITERIA if name != "consistency"]  # it is about features only
    lines: list[dict[str, Any]] = []
    for trial in range(max(trials, test_trials)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", (ConvergenceWarning, UserWarning))
            for kind in NULL_DESIGNS:
                lines += null_lines(kind, trial, about_k if trial < trials else [])
    table = pd.DataFrame(lines)
    save_table(table, folder, NULL_NAME, f"criteria.py --null --trials {trials} --test-trials {test_trials}")
    print(null_table(table).to_string(index=False))


def real_sample(name: str) -> Bunch:
    """A real data set, standardised, with at most 500 rows."""
    sample = load_sample(name)
    X, y = sample.X, sample.target
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
    return Bunch(data=StandardScaler().fit_transform(X[rows]), target=y[rows])


def block_of(
    method: str, trial: int | None, end: float, wanted: Sequence[str] = tuple(CRITERIA)
) -> list[dict[str, Any]]:
    """Lines of one sample of every design, or without a trial of the real data; none if time runs out."""
    names: Iterable[str] = BENCHMARKS if trial is None else DESIGNS
    lines: list[dict[str, Any]] = []
    criteria = [one for one in wanted if method == "SKFR" or one != "entries"]
    renamed = {METHODS[method][1]: "size"}
    for name in names:
        sample = real_sample(name) if trial is None else DESIGNS[name](trial)
        if method != "SKFR" and np.isnan(sample.data).any():
            continue
        if time.monotonic() > end:
            return []
        about = {"method": method, "data": "real" if trial is None else "designs", "name": name}
        about["trial"] = trial or 0
        for row in measure(sample, method, trial or 0, criteria):
            lines.append(about | {renamed.get(key, key): value for key, value in row.items()})
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=10, help="samples of each design")
    parser.add_argument("--minutes", type=float, default=np.inf, help="leave out what is not done by then")
    parser.add_argument("--method", choices=METHODS, action="append", help="may be repeated; default: all")
    parser.add_argument("--output", type=Path, default=RESULTS, help="default: validation/results")
    parser.add_argument(
        "--criterion", choices=CRITERIA, action="append", help="may be repeated; the record keeps the others"
    )
    parser.add_argument("--null", action="store_true", help="data without clusters: the record criteria-null")
    parser.add_argument("--test-trials", type=int, default=400, help="with --null: samples for the test")
    options = parser.parse_args()
    if options.null:
        return run_null(options.trials, options.test_trials, options.output)
    end = time.monotonic() + 60 * options.minutes
    methods = options.method or list(METHODS)
    designs: list[tuple[str, int | None]] = [
        (method, trial) for trial in range(options.trials) for method in methods
    ]
    real: list[tuple[str, int | None]] = [(method, None) for method in methods]
    lines: list[dict[str, Any]] = []
    kept, scale = pd.DataFrame(), ""
    if options.criterion:
        kept, about = load_table(NAME, options.output)
        kept = kept[~kept["criterion"].isin(options.criterion)]
        scale = f"{about['scale']}, then --criterion {' '.join(options.criterion)}"
    for method, trial in [*designs[: len(methods)], real[0], *designs[len(methods) :], *real[1:]]:
        found = block_of(method, trial, end, options.criterion or tuple(CRITERIA))
        if not found:
            break
        lines += found
        new = pd.DataFrame([line for line in lines if not options.criterion or line["criterion"] != "truth"])
        table = pd.concat([kept, new], ignore_index=True)
        save_table(table, options.output, NAME, scale or f"criteria.py --trials {table['trial'].max() + 1}")
        print(f"{method}, {'real data' if trial is None else f'trial {trial}'}", flush=True)
    for (method, data), part in pd.DataFrame(lines, columns=None if lines else BY).groupby(BY, sort=False):
        print(f"{method}, {data}\n{table_of(part).to_string(index=False)}\n")


if __name__ == "__main__":
    main()
