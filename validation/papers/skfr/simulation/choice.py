"""Choosing k and s on simulated data.

Run with ``python -m validation.papers.skfr.simulation.choice [--trials N] [--n-jobs J]``.

Prints four tables: how often a permutation gap over k and s finds both, numbers of features chosen by the gap
and by held-out entries, false selections of stability selection beside their bound, and numbers of clusters
chosen by consensus clustering.
"""

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning

from sparsek import (
    SKFR,
    ConsensusClustering,
    EntryCrossValidation,
    PermutationGap,
    SparseKMeans,
    StabilitySelection,
)

P, INFORMATIVE, PER_GROUP, SHIFT = 30, 6, 30, 4.0
SKFR_SIZES, BOUNDS = (3, 6, 12), (1.5, 2.2, 3.2)
SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 22, 25, 30)


def corners(k: int, seed: int) -> np.ndarray:
    """k groups of rows around corners of a cube in the first columns, and columns of noise.

    Every column of the cube separates some groups, and any two groups differ in two columns at least.
    """
    rng = np.random.default_rng(seed)
    centers = np.zeros((k, INFORMATIVE))
    while k > 1 and (np.ptp(centers, axis=0).min() == 0 or pdist(centers, "sqeuclidean").min() < 2):
        centers = rng.integers(2, size=(k, INFORMATIVE)).astype(float)
    X = rng.normal(size=(k * PER_GROUP, P))
    X[:, :INFORMATIVE] += np.repeat(SHIFT * centers, PER_GROUP, axis=0)
    return X


def unexplained(fit: Any) -> float:
    """1 / W, with W the unexplained sum of squares that Tibshirani et al. compare."""
    return float(1 / fit.inertia_)


def joint_choice(k: int, seed: int) -> list[dict[str, Any]]:
    """Choices of k and s by the gap, for two methods and two objectives."""
    X = corners(k, seed)
    rows = []
    for model, name, values in (
        (SKFR(init="screened", n_init=10, standardize=True), "n_features_to_select", SKFR_SIZES),
        (SparseKMeans(init="k-means++", n_init=5, refine=False, standardize=False), "l1_bound", BOUNDS),
    ):
        for objective in (None, unexplained):
            search = PermutationGap(
                model, ("n_clusters", name), (range(2, 7), values), objective=objective, n_permutations=5,
                rule="one_se", random_state=seed,
            ).fit(X)  # fmt: skip
            heaviest = np.argsort(-search.best_estimator_.feature_weights_, kind="stable")[:INFORMATIVE]
            right_k = search.best_params_["n_clusters"] == k
            right_features = set(heaviest) == set(range(INFORMATIVE))
            rows.append(
                {
                    "k": k,
                    "method": type(model).__name__,
                    "objective": "1 / W" if objective else "explained",
                    "right k": right_k,
                    "right k and features": right_k and right_features,
                    "selected": np.count_nonzero(search.get_support()),
                }
            )
    return rows


def three_groups(informative: int, seed: int) -> np.ndarray:
    """120 rows in three groups, which differ in the first of 40 columns."""
    signs = np.array([[-1, -1, 0, 1, 0], [1, 0, -1, -1, 1], [0, 1, 1, 0, -1]])
    X = np.random.default_rng(seed).normal(size=(120, 40))
    X[:, :informative] += 1.5 * np.tile(signs, 4)[np.arange(120) % 3, :informative]
    return X


def number_of_features(informative: int, seed: int) -> list[dict[str, Any]]:
    """Numbers of features by both rules of the gap and of the error of held-out entries."""
    X, sizes, model = (
        three_groups(informative, seed),
        SIZES,
        SKFR(3, init="screened", n_init=5, standardize=True),
    )
    gap = PermutationGap(model, "n_features_to_select", sizes, n_permutations=10, random_state=seed).fit(X)
    error = EntryCrossValidation(model, "n_features_to_select", sizes, random_state=seed).fit(X)
    found = {
        ("gap", "max"): gap.max_index_,
        ("gap", "one_se"): gap.one_se_index_,
        ("held-out entries", "min"): error.min_index_,
        ("held-out entries", "one_se"): error.one_se_index_,
    }
    return [
        {
            "informative": informative,
            "criterion": criterion,
            "rule": rule,
            "chosen": sizes[index],
            "right": sizes[index] == informative,
            "off by at most 2": abs(sizes[index] - informative) <= 2,
        }
        for (criterion, rule), index in found.items()
    ]


def two_groups(kind: str, seed: int) -> np.ndarray:
    """60 rows in two groups, which differ in 5 of 50 columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 50))
    if kind == "correlated noise":
        X[:, 5:] = np.sqrt(0.5) * (X[:, 5:] + rng.normal(size=(60, 1)))
    if kind == "another grouping in 5 more":
        X[:, 5:10] += 4 * rng.permutation(np.arange(60) % 2)[:, None]
    X[:30, :5] += {"no groups": 0.0, "weak groups": 1.5}.get(kind, 2.5)
    return X


def false_selections(kind: str, seed: int) -> list[dict[str, Any]]:
    """Numbers of right and wrong selections, and the bound on the wrong ones."""
    X = two_groups(kind, seed)
    rows = []
    for name, selection in (
        ("SKFR, s = 5", StabilitySelection(SKFR(2, 5, init="screened", n_init=5, standardize=True))),
        (
            "SKFR, s = 2, 5, 10",
            StabilitySelection(
                SKFR(2, init="screened", n_init=5, standardize=True), "n_features_to_select", [2, 5, 10]
            ),
        ),
        (
            "SparseKMeans, bound 1.8",
            StabilitySelection(
                SparseKMeans(2, l1_bound=1.8, init="k-means++", n_init=3, refine=False, standardize=False)
            ),
        ),
    ):
        selection.set_params(n_resamples=50, complementary_pairs=True, threshold=0.7, random_state=seed)
        chosen = selection.fit(X).get_support()
        n_true = 0 if kind == "no groups" else 5
        rows.append(
            {
                "data": kind,
                "method": name,
                "false": chosen[n_true:].sum(),
                "bound": selection.expected_false_selections_,
                "true": chosen[:n_true].sum(),
            }
        )
    return rows


def agreed_clusters(k: int, seed: int) -> list[dict[str, Any]]:
    """The number of clusters with the smallest PAC; for k = 1 the rows form one group."""
    model = ConsensusClustering(
        SKFR(n_features_to_select=6, init="screened", n_init=10, standardize=True),
        n_resamples=30,
        random_state=seed,
    )
    model.fit(corners(k, seed))
    pac = model.results_["pac"].min()
    return [{"k": k, "chosen": model.n_clusters_, "right": model.n_clusters_ == k, "PAC": pac}]


def run(work: Callable[..., list[dict[str, Any]]], cases: tuple[Any, ...], trials: int, n_jobs: int) -> Any:
    """All trials of all cases as one table."""

    def quietly(case: Any, seed: int) -> list[dict[str, Any]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of shuffled columns
            return work(case, seed)

    found = Parallel(n_jobs=n_jobs)(delayed(quietly)(case, seed) for case in cases for seed in range(trials))
    return pd.DataFrame([row for rows in found for row in rows])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--n-jobs", type=int, default=-1)
    options = parser.parse_args()
    kinds = ("no groups", "weak groups", "groups", "correlated noise", "another grouping in 5 more")
    for title, work, cases, by in (
        ("Gap over k and s: share of the samples", joint_choice, (3, 5), ["k", "method", "objective"]),
        (
            "Number of features: means over the samples",
            number_of_features,
            (4, 10, 20),
            ["informative", "criterion", "rule"],
        ),
        ("Stability selection: means over the samples", false_selections, kinds, ["data", "method"]),
        ("Consensus clustering: means over the samples", agreed_clusters, (1, 3, 5), ["k"]),
    ):
        table = run(work, cases, options.trials, options.n_jobs)
        print(f"{title}\n{table.groupby(by, sort=False).mean().round(2).to_string()}\n", flush=True)


if __name__ == "__main__":
    main()
