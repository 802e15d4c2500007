"""Cases of stats: random draws, kmeans, cutree."""

import math
from random import Random
from typing import Any

from r_reference.case_parts import (
    LINKAGES,
    MATRIX_A,
    NEAR_TIES,
    REAL,
    SIX_ROWS,
    Case,
    RandomCases,
    new_case,
    random_recipe,
    real,
    sample_kind,
)


def random_runif(r: Random, seed: int) -> Case:
    """A call of runif."""
    args: Case = {"n": r.randint(1, 400)}
    if r.random() < 0.7:
        low = round(r.uniform(-10, 10), 3)
        args |= {"min": low, "max": round(low + r.choice([0, 1e-3, 1, 1e6]), 3)}
    return new_case("runif", args, None, seed, before=r.randint(0, 700))


def random_rnorm(r: Random, seed: int) -> Case:
    """A call of rnorm."""
    args: Case = {"n": r.randint(1, 400)}
    if r.random() < 0.7:
        args |= {"mean": round(r.uniform(-10, 10), 3), "sd": r.choice([0, 0.1, 1, 12.5, 1e8])}
    return new_case("rnorm", args, None, seed, before=r.randint(0, 700))


def random_rexp(r: Random, seed: int) -> Case:
    """A call of rexp."""
    args: Case = {"n": r.randint(1, 400)}
    if r.random() < 0.7:
        args["rate"] = round(math.exp(r.uniform(-5, 5)), 4)
    return new_case("rexp", args, None, seed, before=r.randint(0, 700))


def random_kmeans(r: Random, seed: int) -> Case:
    """A call of kmeans with a number or rows of x as centres."""
    data = random_recipe(r, (5, 120), (1, 12))
    k = r.randint(1, 8)
    algorithm = r.choice(["Hartigan-Wong"] * 3 + ["Lloyd", "Forgy", "MacQueen"])
    args: Case = {"centers": k, "iter.max": r.choice([1, 2, 3, 10, 10, 10, 50])}
    if r.random() < 0.2:
        args["centers"] = {"rows_of_x": r.sample(range(1, data["n"] + 1), min(k + 1, data["n"]))}
    args |= {"nstart": r.choice([1, 1, 2, 5, 20]), "algorithm": algorithm}
    return new_case("kmeans", args, data, seed, sample_kind=sample_kind(r))


def random_cutree(r: Random, seed: int) -> Case:
    """A call of cutree with numbers of groups or heights, some of them out of range."""
    data = random_recipe(r, (2, 30), (1, 4))
    args: Case = {"method": r.choice(LINKAGES)}
    if r.random() < 0.5:
        args["k"] = [r.randint(1, data["n"]) for _ in range(r.randint(1, 5))]
        if r.random() < 0.2:
            args["k"].append(r.choice([0, data["n"] + 1, data["n"] + 0.5, 1.7]))
    if "k" not in args or r.random() < 0.2:
        args["h"] = [r.choice([0, 0.3, 1, 2.5, 1e5, -1, "Inf"]) for _ in range(r.randint(1, 4))]
    return new_case("cutree", args, data, seed)


RANDOM_CASES: RandomCases = {
    "runif": (2, random_runif),
    "rnorm": (2, random_rnorm),
    "rexp": (2, random_rexp),
    "kmeans": (150, random_kmeans),
    "cutree": (36, random_cutree),
}
"""Number of random cases in the table, and their generator, of each function."""


def draw_cases() -> list[Case]:
    """Uniform, normal and exponential draws: seeds, limits, degenerate arguments, blocks of 624 words."""
    cases = []
    for seed in (0, 1, 42, -1, 2147483647, -2147483647):
        cases.append(new_case("runif", {"n": 300}, None, seed))
        cases.append(new_case("rnorm", {"n": 300}, None, seed))
    for args in (
        {"n": 5, "min": 2, "max": 2},
        {"n": 0},
        {"n": 3, "min": 2, "max": 1},
        {"n": 3, "min": 0, "max": "Inf"},
    ):
        cases.append(new_case("runif", args, None, 9, before=620))
    for args in (
        {"n": 4, "mean": 3, "sd": 0},
        {"n": 3, "mean": 0, "sd": -1},
        {"n": 3, "mean": "Inf", "sd": 1},
    ):
        cases.append(new_case("rnorm", args, None, 10, before=623))
    cases.append(new_case("rnorm", {"n": 1000, "mean": -2.5, "sd": 0.3}, None, 10))
    cases += [
        new_case("rexp", {"n": 300, "rate": rate}, None, seed)
        for seed, rate in ((1, 1), (-5, 0.01), (8, 37.5))
    ]
    return cases


def kmeans_cases() -> list[Case]:
    """Calls of kmeans on small matrices, warnings and errors, and the real data sets."""

    def on(data: Case, centers: Any, seed: int = 1, **args: Any) -> Case:
        return new_case(
            "kmeans", {"centers": centers, **{k.replace("_", "."): v for k, v in args.items()}}, data, seed
        )

    far = {"matrix": [*MATRIX_A["rows"][:2], [100, 100, 100]]}
    first_rows = {"rows_of_x": [1, 2, 3]}
    cases = [
        on(MATRIX_A, 3),
        on(MATRIX_A, 3, nstart=5),
        on(MATRIX_A, first_rows),
        on(MATRIX_A, first_rows, nstart=9),
    ]
    for algorithm in ("Lloyd", "Forgy", "MacQueen"):
        cases += [on(MATRIX_A, 3, algorithm=algorithm), on(MATRIX_A, 3, algorithm=algorithm, iter_max=1)]
        cases += [on(MATRIX_A, far, algorithm=algorithm), on(MATRIX_A, 12, algorithm=algorithm)]
        cases += [on(MATRIX_A, 1, algorithm=algorithm), on(MATRIX_A, first_rows, algorithm=algorithm)]
    cases += [
        on(MATRIX_A, 4, seed=4, iter_max=1),
        on(MATRIX_A, far),
        on(MATRIX_A, 12),
        on(MATRIX_A, 1),
        on(MATRIX_A, 3.9),
    ]
    cases += [
        on(MATRIX_A, 13),
        on(MATRIX_A, 13, nstart=3),
        on(MATRIX_A, 3, iter_max=0),
        on(MATRIX_A, 3, iter_max="NA"),
    ]
    cases += [on(MATRIX_A, {"rows_of_x": [1, 2, 1]}), on(MATRIX_A, {"matrix": [[1, 2], [3, 4]]})]
    cases += [on(MATRIX_A, {"matrix": [[i, i, i] for i in range(13)]}), on(MATRIX_A, [1, 2, 3])]
    for value in ("NaN", "Inf"):
        cases += [on({**MATRIX_A, "steps": [["set", 3, 2, value]]}, 3, nstart=nstart) for nstart in (1, 2)]
    cases += [
        on({**MATRIX_A, "steps": [["duplicate", 4]]}, k, nstart=nstart)
        for k in (3, 4, 5)
        for nstart in (1, 3)
    ]
    cases += [on(NEAR_TIES, 3, seed=seed) for seed in range(1, 7)] + [on(NEAR_TIES, 3, seed=2, nstart=2)]
    for name, k in REAL.items():
        for scaled in (False, True):
            cases += [on(real(name, scaled), k, seed=11), on(real(name, scaled), k + 2, seed=12, nstart=20)]
            cases += [
                on(real(name, scaled), k, seed=13, nstart=5, algorithm=a) for a in ("Lloyd", "MacQueen")
            ]
            cases += [on(real(name, scaled), {"rows_of_x": [1, 60, 101]}, seed=14, iter_max=3)]
    return cases


def cutree_cases() -> list[Case]:
    """Calls of cutree: every number of groups, heights, ties, errors, real data."""

    def on(data: Case, method: str = "average", **args: Any) -> Case:
        return new_case("cutree", {"method": method, **args}, data, 1)

    ties = {"rows": [[1], [1], [1], [1], [5], [5], [5]]}
    cases = [
        on(SIX_ROWS, k=[1, 2, 3, 4, 5, 6]),
        on(SIX_ROWS, k=2),
        on(SIX_ROWS, k=2.7),
        on(SIX_ROWS),
        on(SIX_ROWS, k=0),
    ]
    cases += [
        on(SIX_ROWS, k=7),
        on(SIX_ROWS, h=[0, 1, 3, "Inf", "-Inf"]),
        on(SIX_ROWS, k=3, h=1),
        on(SIX_ROWS, k=[3, 2, 3]),
    ]
    cases += [on(ties, k=[2, 3, 4, 5, 6]), on(ties, h=[0, 3, 4]), on(SIX_ROWS, "centroid", k=[2, 4])]
    for name in ("iris", "wine"):
        data = real(name, True, ["every", 6])
        cases += [on(data, method, k=[2, 3, 9]) for method in LINKAGES] + [on(data, "single", h=[0.5, 1.5])]
    return cases


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""
    return draw_cases() + kmeans_cases() + cutree_cases()
