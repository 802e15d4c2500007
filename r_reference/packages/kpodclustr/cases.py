"""Cases of kpodclustr."""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import (
    DATASETS,
    MATRIX_A,
    NEAR_TIES,
    SPECIAL_STEPS,
    Case,
    RandomCases,
    new_case,
    random_recipe,
    real,
    sample_kind,
)

# Ten rows in three groups, with missing cells.
NAN = "NaN"
SMALL = {"rows": [[1, 2], [1.2, NAN], [NAN, 2.2], [0.8, 1.9], [5, 6.1],
                  [5.3, NAN], [4.9, 5.8], [NAN, 6], [9.1, 0.5], [8.8, 0.2]]}  # fmt: skip
COMPLETE = {"rows": [[v if v != NAN else 3.8 for v in row] for row in SMALL["rows"]]}
CUBE = {"rows": [[i % 4, i // 4 % 4, i // 16] for i in range(64)]}
"""All points of a grid: runs of k-means that kpod discards do not converge in 10 iterations."""
ALL_BOUNDS = (-3.5, -1, -0.5, 0, 0.5, 1, 1.5, 1.9999999999, 2.5, "NaN", "Inf", "-Inf", 1e16)
"""Sizes that R truncates, uses as the end of a decreasing sequence, or refuses."""


def _incomplete(r: Random, n: tuple[int, int], p: tuple[int, int]) -> Case:
    """A data recipe with missing cells, sometimes with none, or with whole rows or columns missing."""
    data = random_recipe(r, n, p)
    rows, columns = data["n"], data["p"]
    if r.random() < 0.1:
        return data
    share = r.choice([0.02, 0.1, 0.2, 0.3, 0.5])
    steps = [["missing", r.randrange(1, 2**31), max(1, int(share * rows * columns))]]
    if r.random() < 0.15:
        steps += [["constant", r.randint(1, columns), NAN]]
    if r.random() < 0.15:
        row = r.randint(1, rows)
        steps += [["set", row, j, NAN] for j in range(1, columns + 1)]
    return {**data, "steps": data["steps"] + steps}


def random_kpod(r: Random, seed: int) -> Case:
    """A call of kpod."""
    data = _incomplete(r, (6, 90), (1, 8))
    args: Case = {"k": r.randint(2, 6)}
    if r.random() < 0.25:
        args["kmpp_flag"] = r.random() < 0.3
    if r.random() < 0.25:
        args["maxiter"] = r.choice([0, 1, 1.5, 2, 3, 10])
    return new_case("kpod", args, data, seed, sample_kind=sample_kind(r))


def random_assign(r: Random, seed: int) -> Case:
    """A call of assign_clustpp from rows of the data or from a number."""
    data = random_recipe(r, (6, 90), (1, 8))
    k = r.randint(2, 6)
    rows = r.sample(range(1, data["n"] + 1), k)
    args: Case = {"init_centers": k if r.random() < 0.3 else {"rows_of_x": rows}}
    if r.random() < 0.3:
        args["kmpp_flag"] = r.random() < 0.5
    if r.random() < 0.5:
        args["max_iter"] = r.choice([0, 1, 2, 5, 21, 45])
    return new_case("assign_clustpp", args, data, seed, sample_kind=sample_kind(r))


def random_kmpp(r: Random, seed: int) -> Case:
    """A call of kmpp."""
    data = random_recipe(r, (2, 120), (1, 8))
    return new_case("kmpp", {"k": r.randint(2, 12)}, data, seed, sample_kind=sample_kind(r))


def _of_data(function: str) -> Callable[[Random, int], Case]:
    """The generator of calls of a function whose only argument is the data."""

    def generate(r: Random, seed: int) -> Case:
        args = {"as_vector": r.random() < 0.2}
        return new_case(function, args, _incomplete(r, (2, 80), (1, 12)), seed)

    return generate


def random_make_data(r: Random, seed: int) -> Case:
    """A call of makeData."""
    args: Case = {
        "p": r.randint(1, 12),
        "n": r.randint(1, 120),
        "k": r.randint(1, 7),
        "sigma": r.choice([0, 0.15, 1, round(r.uniform(0, 5), 4), -0.5]),
        "missing": r.choice([0, 0.1, 0.25, 1, round(r.random(), 4)]),
    }
    if r.random() < 0.7:
        args["seed"] = r.randrange(-(2**31) + 1, 2**31)
    return new_case("makeData", args, None, seed, sample_kind=sample_kind(r))


RANDOM_CASES: RandomCases = {
    "kpod": (60, random_kpod),
    "assign_clustpp": (30, random_assign),
    "kmpp": (30, random_kmpp),
    "initialImpute": (24, _of_data("initialImpute")),
    "findMissing": (24, _of_data("findMissing")),
    "makeData": (34, random_make_data),
}
"""Number of random cases in the table, and their generator, of each function."""


def _on(function: str, data: Case | None, seed: int = 1, **args: Any) -> Case:
    return new_case(function, args, data, seed)


def _with(data: Case, *steps: list[Any]) -> Case:
    return {**data, "steps": [*data.get("steps", []), *steps]}


def _real_missing(name: str, scaled: bool, share: float, seed: int) -> Case:
    """A real data set with missing cells; one row in four of the larger ones, 20 columns of digits."""
    n, p = DATASETS[name][0]().data.shape
    thin: list[list[Any]] = [["every", 4]] if name == "wdbc" else []
    if name == "digits":
        thin, n, p = [["every", 3], ["columns", 20]], 100, 20
    rows = -(-n // 4) if name == "wdbc" else n
    return real(name, scaled, *thin, ["missing", seed, int(share * rows * p)])


def kpod_cases() -> list[Case]:
    """Calls of kpod: small data, limits of every argument, errors, real data."""
    cases = [_on("kpod", SMALL, seed, k=3) for seed in (1, 2)]
    cases += [_on("kpod", SMALL, k=k) for k in (2, 2.5, 9, 10, 11, *ALL_BOUNDS)]
    cases += [_on("kpod", SMALL, seed, k=3, maxiter=m) for seed in (1, 2) for m in ALL_BOUNDS]
    cases += [_on("kpod", SMALL, k=3, kmpp_flag=flag) for flag in (False, 0, 2, "TRUE", "NaN")]
    cases += [_on("kpod", COMPLETE, k=3), _on("kpod", _with(SMALL, ["set", 1, 1, "Inf"]), k=3)]
    cases += [_on("kpod", _with(SMALL, ["constant", 1, NAN], ["constant", 2, NAN]), k=2)]
    cases += [_on("kpod", _with(COMPLETE, ["duplicate", 2]), k=k) for k in (2, 3)]
    cases += [
        _on("kpod", _with(SMALL, step), k=2)
        for step in SPECIAL_STEPS
        if step[0] in ("round", "add", "multiply")
    ]
    cases += [
        _on("kpod", {"rows": rows}, k=2) for rows in ([[NAN]], [[1, 3], [NAN, 4]], [[1, 4], [NAN, 7], [3, 8]])
    ]
    cases += [_on("kpod", data, k=k, as_vector=True) for data in (SMALL, COMPLETE) for k in (2, -1)]
    # Noise in few columns: the labels keep changing.
    noise = {"draw": "normal", "n": 20, "p": 3, "steps": [["missing", 5, 25]]}
    cases += [
        _on("kpod", {**noise, "seed": s}, s, k=3, **args)
        for s in (2, 13, 17)
        for args in ({}, {"maxiter": 1}, {"maxiter": 1.5}, {"maxiter": 2}, {"maxiter": 0})
    ]
    cases += [_on("kpod", _with(CUBE, ["missing", m, 8]), seed, k=6) for m in (1, 2) for seed in (1, 2, 3)]
    for k, m in ((3, 2), (3, 3), (3, 14), (3, 28), (4, 1), (4, 8)):
        cases += [_on("kpod", _with(NEAR_TIES, ["missing", m, 2]), 2, k=k)]
    for name, (_, k) in DATASETS.items():
        for scaled in (False, True):
            cases += [
                _on("kpod", _real_missing(name, scaled, share, 7), 41, k=min(k, 6)) for share in (0.1, 0.3)
            ]
    return cases


def assign_cases() -> list[Case]:
    """Calls of assign_clustpp: limits of every argument, errors, real data."""

    def on(data: Case, init_centers: Any, seed: int = 1, **args: Any) -> Case:
        return _on("assign_clustpp", data, seed, init_centers=init_centers, **args)

    start = {"rows_of_x": [1, 5, 9]}
    cases = [on(COMPLETE, k) for k in (2, 3, 3.7, 9, 10, 11, *ALL_BOUNDS)]
    cases += [on(COMPLETE, start), on(COMPLETE, 1, kmpp_flag=False), on(COMPLETE, {"rows_of_x": [1]})]
    cases += [on(COMPLETE, start, max_iter=m) for m in ALL_BOUNDS[:-1]]
    cases += [on(COMPLETE, start, max_iter=NAN, kmpp_flag=flag) for flag in (False, NAN)]
    cases += [on(COMPLETE, start, kmpp_flag=flag) for flag in (0, 2, 1, "TRUE", "no", NAN)]
    cases += [on(COMPLETE, {"rows_of_x": [1, 1, 5]}), on(COMPLETE, {"matrix": [[1], [2]]})]
    cases += [on(COMPLETE, {"matrix": [[1, 2], [3, 4], [100, 100]]}), on(SMALL, 3), on(SMALL, start)]
    cases += [on(_with(COMPLETE, ["duplicate", 2]), k) for k in (2, 3)]
    cases += [on(COMPLETE, 3, as_vector=True, kmpp_flag=flag) for flag in (False, True)]
    cases += [on(CUBE, 6, seed, max_iter=45) for seed in (1, 2, 3)]
    cases += [on(NEAR_TIES, 3, seed, max_iter=3) for seed in (1, 2, 3, 4)]
    cases += [on(MATRIX_A, k, seed) for k in (3, 5) for seed in (2, 3)]
    for name, (_, k) in DATASETS.items():
        data = real(name, True, *([["every", 4]] if name in ("wdbc", "digits") else []))
        cases += [on(data, min(k, 5), 5, max_iter=4), on(data, {"rows_of_x": [1, 20, 60]}, 6, max_iter=6)]
    return cases


def kmpp_cases() -> list[Case]:
    """Calls of kmpp: limits of k, data without seeds, ties broken by the order of a heap sort."""
    cases = [_on("kmpp", COMPLETE, k=k) for k in (2, 3, 9, 10, 11, *ALL_BOUNDS)]
    cases += [_on("kmpp", SMALL, k=k) for k in (1, 3)]
    cases += [
        _on("kmpp", _with(COMPLETE, ["set", 2, 2, "Inf"]), k=3),
        _on("kmpp", _with(COMPLETE, ["columns", 1]), k=3),
    ]
    cases += [_on("kmpp", _with(COMPLETE, ["duplicate", 2]), k=k) for k in (1, 2, 3)]
    cases += [_on("kmpp", {"rows": rows}, k=2) for rows in ([[1, 2]], [[1, 2], [3, 4]])]
    cases += [
        _on("kmpp", _with(COMPLETE, ["multiply", scale]), k=3) for scale in (1e150, 1e155, 1e-150, 1e-170)
    ]
    lattice = {"rows": [[i % 5, i // 5] for i in range(25)]}
    cases += [_on("kmpp", lattice, seed, k=k) for seed in range(1, 5) for k in (2, 6)]
    cases += [_on("kmpp", COMPLETE, k=k, as_vector=True) for k in (2, -1)]
    for name, (_, k) in DATASETS.items():
        cases += [_on("kmpp", real(name, scaled), 3, k=k) for scaled in (False, True)]
    return cases


def imputation_cases() -> list[Case]:
    """Calls of initialImpute and findMissing: no or all cells missing, infinite and huge values, vectors."""
    inputs = [SMALL, COMPLETE, _with(SMALL, ["constant", 1, NAN], ["constant", 2, NAN])]
    inputs += [_with(SMALL, ["set", 1, 1, value]) for value in ("Inf", "-Inf", 1e308, -1e-300)]
    inputs += [_with(SMALL, ["set", 1, 1, "Inf"], ["set", 2, 1, "-Inf"]), {"rows": [[NAN]]}, {"rows": [[5]]}]
    inputs += [_with(SMALL, ["multiply", 1e307]), _with(SMALL, ["add", 1e15])]
    inputs += [_real_missing(name, scaled, 0.2, 9) for name in DATASETS for scaled in (False, True)]
    return [
        _on(function, data, as_vector=vector)
        for function in ("initialImpute", "findMissing")
        for data in inputs
        for vector in ((False, True) if data in inputs[:3] else (False,))
    ]


def make_data_cases() -> list[Case]:
    """Calls of makeData: an example, and every argument out of range."""

    def on(p: Any, n: Any, k: Any, sigma: Any, missing: Any, **args: Any) -> Case:
        sizes = {"p": p, "n": n, "k": k, "sigma": sigma, "missing": missing}
        return new_case("makeData", {**sizes, **args}, None, 3)

    cases = [on(5, 50, 3, 0.15, 0.2, seed=12345), on(2, 5, 2, 1, 1), on(1, 1, 1, 1, 1), on(2, 5, 1, 1, 0.3)]
    cases += [on(*sizes, 1, 0.1) for sizes in ((0, 5, 2), (2, -1, 2), (2, 5, 0), (NAN, 5, 0), (NAN, 5, 2))]
    cases += [on(2, 5, 2, 1, share) for share in (-0.1, 1.1, NAN)] + [on(-1, 5, 2, 1, 5)]
    cases += [on(2, 5, 2, sigma, 0.3) for sigma in (0, -1, NAN, "Inf")]
    return cases + [on(2, 5, 2, 1, 0.3, seed=seed) for seed in (1.7, -4, 0, NAN)]


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return kpod_cases() + assign_cases() + kmpp_cases() + imputation_cases() + make_data_cases()
