"""Cases of RSKC.trimkmeans: trimmed k-means with given starts and limits of passes."""

from math import ceil
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
from r_reference.packages.RSKC.cases import W_MATRIX


def random_trimkmeans(r: Random, seed: int) -> Case:
    """A call of RSKC.trimkmeans: shares, starts, limits of passes."""
    data = random_recipe(r, (8, 60), (1, 12))
    k = r.randint(2, 5)
    trim = r.choice([0, 0, 0.05, 0.1, 0.2, 0.45, 0.7, 0.95, 1])
    args: Case = {"ncl": k, "trim": trim}
    if r.random() < 0.7:
        args["runs"] = r.choice([1, 2, 5, 10, 20])
    if r.random() < 0.35:
        args["maxit"] = r.choice([2, 3, 4, 5, 50])
    if r.random() < 0.3:
        args["points"] = {"matrix": [[round(r.gauss(0, 2), 3) for _ in range(data["p"])] for _ in range(k)]}
    trimmed = data["n"] - ceil((1 - trim) * data["n"])
    if trimmed and r.random() < 0.5:
        missing = ["missing", r.randint(1, 10**6), r.randint(1, trimmed)]
        data = {**data, "steps": [*data["steps"], missing]}
    return new_case("RSKC.trimkmeans", args, data, seed, sample_kind=sample_kind(r))


RANDOM_CASES: RandomCases = {"RSKC.trimkmeans": (110, random_trimkmeans)}
"""Number of random cases in the table, and their generator."""


def fixed_cases() -> list[Case]:
    """Limits of the arguments, given points, errors, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case("RSKC.trimkmeans", {"ncl": 2, "trim": 0.1, **args}, data, seed)

    one = {**W_MATRIX, "steps": [*W_MATRIX["steps"], ["columns", 1]]}
    same = {**W_MATRIX, "steps": [["multiply", 0]]}
    cases = [on(data, runs=runs) for data in (W_MATRIX, one, same, MATRIX_X) for runs in (1, 7)]
    cases += [on(W_MATRIX, trim=trim, runs=3) for trim in (0, 0.01, 0.5, 0.99, 1, -0.1, "NaN")]
    cases += [on(W_MATRIX, ncl=k) for k in (2.7, 3, 12, 40)]
    cases += [on(MATRIX_X, maxit=limit, runs=4) for limit in (2, 2.9, 3, 100)]
    cases += [on(W_MATRIX, runs=2.7), on(MATRIX_X, points="Inf"), on(MATRIX_X, points="NaN")]
    cases += [on(MATRIX_X, points={"rows_of_x": rows}) for rows in ([1, 2], [12, 3], [5, 5])]
    cases += [on(MATRIX_X, points={"rows_of_x": [1, 2]}, runs=3, maxit=2, trim=trim) for trim in (0, 0.3)]
    holes = {**MATRIX_X, "steps": [*MATRIX_X.get("steps", []), ["set", 1, 1, "NaN"], ["set", 5, 2, "NaN"]]}
    cases += [
        on(holes, seed, trim=trim, runs=runs) for seed in (1, 2) for trim in (0.2, 0.5) for runs in (1, 9)
    ]
    cases += [on(holes, points={"rows_of_x": [2, 3]}, trim=0.3), on(holes, points="NaN", trim=1, runs=3)]
    cases += [on(holes, points={"matrix": [[999] * 6, [1] * 6]}, trim=0.3)]
    for name, k in REAL.items():
        thin = [["every", 3]] if name == "wdbc" else []
        cases += [on(real(name, scaled, *thin), 21, ncl=k, runs=5) for scaled in (False, True)]
    return cases
