"""Cases of sparcl's sparse k-means and its permutation gap."""

import math
from random import Random
from typing import Any

from r_reference.case_parts import (
    MATRIX_X,
    REAL,
    Case,
    RandomCases,
    new_case,
    random_recipe,
    real,
    sample_kind,
)


def _bounds(r: Random, p: int, count: int) -> list[float]:
    """Bounds in random order, mostly attainable; sometimes one that leaves a single weight."""
    if r.random() < 0.1:
        return [1.0001] * count
    return [round(r.uniform(1.15, math.sqrt(p) + 0.3), 3) for _ in range(count)]


def random_sparse(r: Random, seed: int) -> Case:
    """A call of KMeansSparseCluster with one to five bounds or the default ones."""
    data = random_recipe(r, (10, 60), (3, 25))
    k = r.randint(2, 5)
    args: Case = {"K": k}
    if r.random() < 0.9:
        args["wbounds"] = _bounds(r, data["p"], r.randint(1, 5))
    if r.random() < 0.2:
        rows = r.sample(range(1, data["n"] + 1), k)
        args = {**args, "centers": {"rows_of_x": rows}}
        if r.random() < 0.5:
            del args["K"]
    if r.random() < 0.5:
        args["nstart"] = r.choice([1, 3, 10])
    if r.random() < 0.2:
        args["maxiter"] = r.choice([1, 2, 15])
    return new_case("KMeansSparseCluster", args, data, seed, sample_kind=sample_kind(r))


def random_permute(r: Random, seed: int) -> Case:
    """A call of KMeansSparseCluster.permute with few permutations."""
    data = random_recipe(r, (10, 40), (3, 15))
    args: Case = {"K": r.randint(2, 4), "nperms": r.randint(1, 4)}
    if r.random() < 0.5:
        args["wbounds"] = _bounds(r, data["p"], r.randint(2, 4))
    else:
        args["nvals"] = r.randint(2, 5)
    return new_case("KMeansSparseCluster.permute", args, data, seed, sample_kind=sample_kind(r))


RANDOM_CASES: RandomCases = {
    "KMeansSparseCluster": (84, random_sparse),
    "KMeansSparseCluster.permute": (14, random_permute),
}
"""Number of random cases in the table, and their generator, of each function."""


def sparse_cases() -> list[Case]:
    """Calls of KMeansSparseCluster: small data, errors and quirks, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case("KMeansSparseCluster", args, data, seed)

    scaled_down = {**MATRIX_X, "steps": [["multiply", 1e-4]]}
    constant = {**MATRIX_X, "steps": [["multiply", 0]]}
    centers = {"rows_of_x": [1, 2, 7]}
    cases = [on(MATRIX_X, K=3, wbounds=[1.5, 2.2]), on(MATRIX_X, centers=centers, wbounds=1.5)]
    cases += [on(MATRIX_X, K=3, wbounds=[2.2, 1.2]), on(MATRIX_X, K=3, wbounds=1.3), on(MATRIX_X, K=3)]
    cases += [on(scaled_down, K=3, wbounds=1.3), on(MATRIX_X, K=3, wbounds=1.5, maxiter=0)]
    cases += [
        on(MATRIX_X, wbounds=2),
        on(MATRIX_X, K=2, centers=centers, wbounds=2),
        on(MATRIX_X, K=3, wbounds=1),
    ]
    cases += [on(MATRIX_X, K=3, centers=centers, wbounds=2), on(MATRIX_X, K=3, wbounds=[2, 0.5])]
    cases += [on(MATRIX_X, centers={"matrix": [[1, 2], [3, 4]]}, wbounds=2), on(MATRIX_X, K=1, wbounds=2)]
    cases += [on(constant, K=2, wbounds=2), on(MATRIX_X, K=13, wbounds=2), on(MATRIX_X, K=12, wbounds=2)]
    cases += [
        on(MATRIX_X, K=2, wbounds=[1.01, 1.5]),
        on({**MATRIX_X, "steps": [["set", 3, 2, "NaN"]]}, K=2, wbounds=2),
    ]
    cases += [on({**MATRIX_X, "steps": [["columns", 1]]}, K=2, wbounds=1.5)]
    cases += [on(MATRIX_X, K=2, wbounds=[1.5, bound]) for bound in (1.001, 1.0001)]
    cases += [on(real("iris", False), K=3, wbounds=1.0001)]
    single = {
        "draw": "normal",
        "n": 20,
        "p": 3,
        "steps": [["clusters", 2, 3, 1]],
    }  # a single weight remains: R's 'dims' error
    cases += [on({**single, "seed": seed}, K=2, wbounds=[1.5, 1.0001]) for seed in range(1, 13)]
    for name, k in REAL.items():
        for scaled in (False, True):
            cases += [on(real(name, scaled), seed=21, K=k, wbounds=[1.2, 1.5, 1.9])]
            cases += [on(real(name, scaled), seed=22, K=k + 1, wbounds=[2.5, 1.4], nstart=5)]
            cases += [on(real(name, scaled), seed=23, centers={"rows_of_x": [1, 60, 101]}, wbounds=1.7)]
    cases += [on(real(name, scaled), seed=24, K=3) for name in ("iris", "wine") for scaled in (False, True)]
    return cases


def permute_cases() -> list[Case]:
    """Calls of KMeansSparseCluster.permute: small data, errors, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case("KMeansSparseCluster.permute", args, data, seed)

    cases = [on(MATRIX_X, K=2, nperms=3, nvals=3), on(MATRIX_X, K=2, nperms=1, wbounds=[1.5, 2])]
    cases += [
        on(MATRIX_X, centers={"rows_of_x": [1, 8]}, nperms=2, nvals=3),
        on(MATRIX_X, K=2, wbounds=[1, 2]),
    ]
    cases += [on(MATRIX_X, K=2, wbounds=2), on(MATRIX_X, wbounds=[1.5, 2]), on(MATRIX_X, K=2, nperms=2)]
    cases += [on(MATRIX_X, K=3, centers={"rows_of_x": [1, 8]}, wbounds=[1.5, 2])]
    for name, k in REAL.items():
        thin = [["every", 4]] if name == "wdbc" else []
        cases += [on(real(name, scaled, *thin), seed=31, K=k, nperms=2, nvals=4) for scaled in (False, True)]
    return cases


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return sparse_cases() + permute_cases()
