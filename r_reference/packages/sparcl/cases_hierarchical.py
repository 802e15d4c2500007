"""Cases of sparcl's sparse hierarchical clustering and of its permutation gap."""

import math
from random import Random
from typing import Any

from r_reference.case_parts import (
    LINKAGES,
    SIX_ROWS,
    Case,
    RandomCases,
    new_case,
    random_recipe,
    real,
    sample_kind,
)


def _with_missing(r: Random, data: Case, share: float) -> Case:
    """The data, sometimes with missing values."""
    if r.random() >= share:
        return data
    count = r.randint(1, max(1, data["n"] * data["p"] // 6))
    return {**data, "steps": [*data["steps"], ["missing", r.randrange(1, 2**31), count]]}


def random_hierarchical(r: Random, seed: int) -> Case:
    """A call of HierarchicalSparseCluster with most of its arguments."""
    data = _with_missing(r, random_recipe(r, (2, 14), (2, 12)), 0.3)
    args: Case = {}
    if data["p"] <= 4 or r.random() < 0.8:
        args["wbound"] = round(r.uniform(1.02, math.sqrt(data["p"]) + 0.3), 3)
    if r.random() < 0.6:
        args["method"] = r.choice([*LINKAGES, "cent"])
    if r.random() < 0.4:
        args["dissimilarity"] = r.choice(["absolute.value", "squared.distance", "abs"])
    for name, share in [("standardize.arrays", 0.2), ("cluster.features", 0.25), ("complement", 0.2)]:
        if r.random() < share:
            args[name] = True
    if "cluster.features" in args:
        args["method.features"] = r.choice(LINKAGES)
    elif "standardize.arrays" not in args and r.random() < 0.15:
        args["reuse"] = True
    if r.random() < 0.2:
        args["niter"] = r.choice([0, 1, 2, 3.5, 30])
    args = args or {"niter": 15}
    return new_case("HierarchicalSparseCluster", args, data, seed, sample_kind=sample_kind(r))


def random_permute(r: Random, seed: int) -> Case:
    """A call of HierarchicalSparseCluster.permute with few permutations."""
    data = _with_missing(r, random_recipe(r, (3, 12), (3, 9)), 0.2)
    args: Case = {"nperms": r.randint(1, 4)}
    if r.random() < 0.7:
        args["wbounds"] = [
            round(r.uniform(1.05, math.sqrt(data["p"]) + 0.2), 3) for _ in range(r.randint(2, 4))
        ]
    if r.random() < 0.3:
        args["dissimilarity"] = "absolute.value"
    if r.random() < 0.2:
        args["standardize.arrays"] = True
    kind = sample_kind(r)
    return new_case("HierarchicalSparseCluster.permute", args, data, seed, sample_kind=kind)


RANDOM_CASES: RandomCases = {
    "HierarchicalSparseCluster": (60, random_hierarchical),
    "HierarchicalSparseCluster.permute": (30, random_permute),
}
"""Number of random cases in the table, and their generator, of each function."""


def _named(args: dict[str, Any]) -> Case:
    """Arguments by R's names."""
    return {name.replace("_", "."): value for name, value in args.items()}


def hierarchical_cases() -> list[Case]:
    """Calls of HierarchicalSparseCluster: small data, errors, limits, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case("HierarchicalSparseCluster", _named(args) or {"niter": 15}, data, seed)

    def changed(*steps: list[Any]) -> Case:
        return {**SIX_ROWS, "steps": list(steps)}

    cases = [on(SIX_ROWS, wbound=1.6, method=method) for method in LINKAGES]
    cases += [
        on(SIX_ROWS, wbound=1.6, dissimilarity="absolute.value"),
        on(SIX_ROWS, wbound=1.6, complement=True),
    ]
    cases += [on(changed(["set", 2, 3, "NaN"]), wbound=1.6, dissimilarity=d) for d in ("squ", "abs")]
    cases += [on(SIX_ROWS, wbound=1.6, cluster_features=True, method_features=method) for method in LINKAGES]
    cases += [on(SIX_ROWS), on(SIX_ROWS, wbound=1), on(SIX_ROWS, wbound="NaN"), on(SIX_ROWS, wbound="Inf")]
    cases += [on(SIX_ROWS, wbound=1.5, niter=niter) for niter in (0, 1, 2, 2.5, -1)]
    cases += [on(SIX_ROWS, wbound=1.5, method="ward"), on(SIX_ROWS, wbound=1.5, dissimilarity="city")]
    cases += [on(SIX_ROWS, wbound=1.5, reuse=True), on(changed(["columns", 4])), on(SIX_ROWS, wbound=1.00001)]
    for steps in ([["columns", 1]], [["columns", 2]], [["multiply", 0]], [["duplicate", 2]], [["every", 3]]):
        cases.append(on(changed(*steps), wbound=1.2))
    for scale in (1e-4, 1e-6, 1e-30, 1e-50, 1e10, 1e38, 1e100):
        cases.append(on(changed(["multiply", scale]), wbound=1.5))
    cases += [on(changed(["set", 2, 3, "Inf"]), wbound=1.5), on(changed(["constant", 3, "NaN"]), wbound=1.5)]
    cases += [on(SIX_ROWS, wbound=1.5, standardize_arrays=True, method="complete")]
    cases += [on(SIX_ROWS, wbound=1.5, uorth={"rows_of_x": [1, 2, 3, 4, 5, 6]})]
    for size in (5, 8):
        cases.append(on(SIX_ROWS, wbound=1.5, uorth={"matrix": [[1] * size] * size}))
    for name, thin in (("iris", 10), ("wine", 14), ("wdbc", 45)):
        for scaled in (False, True):
            data = real(name, scaled, ["every", thin])
            cases += [
                on(data, seed=41, wbound=1.4),
                on(data, seed=42, wbound=1.8, dissimilarity="absolute.value"),
            ]
    digits = real("digits", False, ["every", 30], ["missing", 7, 60])
    cases += [on(digits, seed=43), on(digits, seed=44, standardize_arrays=True, cluster_features=True)]
    return cases


def permute_cases() -> list[Case]:
    """Calls of HierarchicalSparseCluster.permute: small data, errors, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        args = _named(args) or {"nperms": 10}
        return new_case("HierarchicalSparseCluster.permute", args, data, seed)

    cases = [on(SIX_ROWS, nperms=2, wbounds=[1.3, 1.7]), on(SIX_ROWS, nperms=1, wbounds=[1.7, 1.3])]
    cases += [on(SIX_ROWS, wbounds=[1, 2]), on(SIX_ROWS, wbounds=2), on(SIX_ROWS, nperms=2), on(SIX_ROWS)]
    cases += [
        on({**SIX_ROWS, "steps": [["columns", 2]]}),
        on({**SIX_ROWS, "steps": [["multiply", 0]]}, nperms=2),
    ]
    for name, thin in (("iris", 12), ("wine", 16), ("wdbc", 50)):
        data = real(name, True, ["every", thin])
        cases += [
            on(data, seed=45, nperms=2, wbounds=[1.2, 1.8]),
            on(data, seed=46, nperms=2, dissimilarity="abs"),
        ]
    return cases


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return hierarchical_cases() + permute_cases()
