"""Cases of base R and stats: random draws, sampling, kmeans, hclust."""

import math
from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.tables.common import (
    MATRIX_A,
    NEAR_TIES,
    REAL,
    Case,
    new_case,
    random_recipe,
    real,
    sample_kind,
)

BOTH_KINDS = ("Rejection", "Rounding")
N_RANDOM = {"runif": 2, "rnorm": 2, "rexp": 2, "sample": 6, "sample.int": 14, "kmeans": 150, "hclust": 40}
"""Random cases of each function in the table."""


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


def _weights(r: Random, n: int) -> list[float]:
    """Sampling weights with ties and some zeros."""
    return [r.choice([0, 0.1, 0.1, 0.5, 1, round(r.random(), 4)]) for _ in range(n)]


def random_sample(r: Random, seed: int) -> Case:
    """A call of sample on a vector or on a single number."""
    single = r.random() < 0.4
    n = r.randint(1, 300)
    x = [n + r.choice([0, 0.7])] if single else [round(r.uniform(-5, 5), 3) for _ in range(n + 1)]
    args: Case = {"x": x[0] if single else x}
    if r.random() < 0.5:
        args |= {"size": r.randint(0, n), "replace": r.random() < 0.5}
    return new_case("sample", args, None, seed, sample_kind=sample_kind(r), before=r.randint(0, 700))


def random_sample_int(r: Random, seed: int) -> Case:
    """A call of sample.int: plain, weighted, hashed, with or without replacement, now and then an error."""
    sizes = [r.randint(1, 20), r.randint(1, 400), 32768, 65536, 65537, 10**6, 2 * 10**7, 2 * 10**9]
    n = r.choice(sizes[:2] * 3 + sizes[2:])
    replace = r.random() < 0.4
    size = r.randint(0, min(n, 200)) if r.random() < 0.97 else min(n, 400) + 1
    args: Case = {"n": n, "size": size, "replace": replace}
    if n <= 400 and r.random() < 0.5:
        args["prob"] = _weights(r, n)
    return new_case("sample.int", args, None, seed, sample_kind=sample_kind(r), before=r.randint(0, 700))


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


def random_hclust(r: Random, seed: int) -> Case:
    """A call of hclust on the distances of a small data set, often with ties."""
    data = random_recipe(r, (2, 60), (1, 6))
    return new_case("hclust", {"method": r.choice(["average", "complete", "single", "centroid"])}, data, seed)


GENERATORS: dict[str, Callable[[Random, int], Case]] = {
    "runif": random_runif,
    "rnorm": random_rnorm,
    "rexp": random_rexp,
    "sample": random_sample,
    "sample.int": random_sample_int,
    "kmeans": random_kmeans,
    "hclust": random_hclust,
}
"""The generator of random cases of each function."""


def draw_cases() -> list[Case]:
    """Uniform, normal and exponential draws: seeds, limits, degenerate arguments, blocks of 624 crossed."""
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


def sample_cases() -> list[Case]:
    """Sampling under both kinds: permutations, replacement, hashing, weights, alias tables, errors."""
    cases = [new_case("sample", {"x": x}, None, 5) for x in (4, 3.7, [2.5, 7], [9, 8, 7, 6, 5, 4, 3])]
    cases.append(new_case("sample", {"x": [9, 8, 7], "size": 5}, None, 5))
    cases.append(
        new_case("sample", {"x": [3, 1, 2], "size": 9, "replace": True, "prob": [1, 0.5, 2]}, None, 5)
    )
    full = [{"n": n} for n in (1, 2, 10, 400)]
    parts = [{"n": n, "size": 40} for n in (32768, 32769, 65535, 65536, 65537, 100000)]
    replaced = [{"n": n, "size": 60, "replace": True} for n in (1, 6, 65536, 2 * 10**9)]
    hashed = [{"n": 2 * 10**7, "size": 100}]
    weighted = [
        {"n": 5, "size": 3, "prob": [0.1, 0.2, 0.2, 0.4, 0.1]},
        {"n": 5, "size": 30, "replace": True, "prob": [0.1, 0.2, 0.2, 0.4, 0.1]},
        {"n": 300, "size": 60, "replace": True, "prob": list(range(1, 301))},
        {"n": 300, "size": 60, "prob": [i % 7 for i in range(300)]},
    ]
    for kind in BOTH_KINDS:
        for args in full + parts + replaced + hashed + weighted:
            cases.append(new_case("sample.int", args, None, 42, sample_kind=kind))
    for args in (
        {"n": 5, "size": 6},
        {"n": 3, "size": 2, "prob": [1, -1, 1]},
        {"n": 3, "size": 2, "prob": [1, "NA", 1]},
        {"n": 3, "size": 2, "prob": [1, 0, 0]},
        {"n": 3, "size": 2, "prob": [1, 1]},
        {"n": 3.9, "size": 2.9},
    ):
        cases.append(new_case("sample.int", args, None, 3))
    return cases


def kmeans_cases() -> list[Case]:
    """Calls of kmeans on the matrices of the specification, faults and errors, and the real data sets."""

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


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""
    return draw_cases() + sample_cases() + kmeans_cases()
