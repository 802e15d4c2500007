"""Cases of the code released with the sparse MinMax paper: MinMax k-means, its sparse form, the gap.

Only data without many equal rows: if every cluster is a single point, the released code stops with an error.
"""

import math
from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case, real

STEPS: list[list[Any]] = [
    ["add", 1e6],
    ["multiply", 1e-4],
    ["multiply", 1e5],
    ["round", 4],
    ["set", 1, 2, 1e3],
]
"""Steps that make a data set awkward."""
MATRIX_A = {"rows": [[0, 0], [0, 1], [1, 0], [1, 1], [4, 4], [5, 4], [9, 0], [9, 1], [10, 0]]}
NOISE = [[1, 0.3], [-1, 0.1], [0.5, -0.2], [0, 0.4], [-0.5, 0.2], [1, -0.1], [0, -0.3], [0.2, 0.1], [-1, 0]]
MATRIX_B = {"rows": [[*a, *b] for a, b in zip(MATRIX_A["rows"], NOISE, strict=True)]}
"""Two small matrices, A and B."""


def _recipe(r: Random, n: tuple[int, int], p: tuple[int, int]) -> Case:
    """A data recipe, mostly with clusters."""
    rows, columns = r.randint(*n), r.randint(*p)
    draw = r.choice(["normal", "normal", "uniform"])
    steps: list[list[Any]] = []
    if r.random() < 0.6:
        steps.append(["clusters", r.randint(2, 5), r.choice([1, 2, 4.5]), r.randint(1, columns)])
    if r.random() < 0.4:
        steps.append(r.choice(STEPS))
    return {"draw": draw, "seed": r.randrange(1, 2**31), "n": rows, "p": columns, "steps": steps}


def _bounds(r: Random, p: int, count: int) -> list[float]:
    """Bounds in random order; bounds above sqrt(p) have no effect."""
    return [round(r.uniform(1.05, math.sqrt(p) + 0.3), 3) for _ in range(count)]


def random_minmax(r: Random, seed: int) -> Case:
    """A call of minmaxkmeans from random rows; large steps of alpha make clusters lose all rows."""
    data = _recipe(r, (10, 60), (2, 20))
    rows = r.sample(range(1, data["n"] + 1), r.randint(2, 6))
    args: Case = {"start": {"rows_of_x": rows}}
    if r.random() < 0.5:
        args["pstep"] = r.choice([0, 0.02, 0.05])
    if r.random() < 0.3:
        args["p_max"] = r.choice([0.05, 0.3])
    if r.random() < 0.4:
        args["beta"] = r.choice([0.1, 0.3])
    return new_case("minmaxkmeans", args, data, seed)


def random_sparse(r: Random, seed: int) -> Case:
    """A call of SparseCl with one to four bounds or the default ones."""
    data = _recipe(r, (10, 60), (2, 30))
    args: Case = {"K": r.randint(2, 5)}
    if r.random() < 0.9:
        args["wbounds"] = _bounds(r, data["p"], r.randint(1, 4))
    if r.random() < 0.2:
        args["maxiter"] = r.choice([1, 2, 12])
    return new_case("SparseCl", args, data, seed)


def random_gap(r: Random, seed: int) -> Case:
    """A call of sp.perm with few permutations."""
    data = _recipe(r, (10, 30), (3, 12))
    args: Case = {"K": r.randint(2, 3), "nperms": r.randint(1, 3)}
    if r.random() < 0.6:
        args["wbounds"] = _bounds(r, data["p"], r.randint(2, 3))
    else:
        args["nvals"] = r.randint(2, 4)
    return new_case("sp.perm", args, data, seed)


RANDOM_CASES: RandomCases = {
    "minmaxkmeans": (44, random_minmax),
    "SparseCl": (50, random_sparse),
    "sp.perm": (36, random_gap),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Small matrices, errors, and iris and wine."""

    def on(function: str, data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case(function, args, data, seed)

    start = {"rows_of_x": [1, 2, 7]}
    cases = [on("minmaxkmeans", MATRIX_A, start=start), on("minmaxkmeans", MATRIX_A, start=start, beta=0.3)]
    cases += [on("minmaxkmeans", MATRIX_A, start={"rows_of_x": [1, 1, 7]})]
    cases += [on("SparseCl", MATRIX_B, seed, K=3, wbounds=[1.5, 1.1]) for seed in range(1, 9)]
    cases += [on("SparseCl", MATRIX_B, K=3, wbounds=1), on("SparseCl", MATRIX_B, K=10, wbounds=1.5)]
    cases += [on("SparseCl", MATRIX_B, K=1, wbounds=1.5), on("sp.perm", MATRIX_B, K=2, wbounds=1.5)]
    cases += [on("sp.perm", MATRIX_B, seed, K=2, nperms=2, wbounds=[1.2, 1.8]) for seed in (1, 2)]
    for name in ("iris", "wine"):
        for scaled in (False, True):
            data = real(name, scaled, ["every", 3])
            cases += [
                on("minmaxkmeans", data, start={"rows_of_x": [1, 2, 30]}, pstep=s) for s in (0.01, 0.05)
            ]
            cases += [on("SparseCl", data, seed, K=3, wbounds=[1.2, 1.7]) for seed in (3, 4)]
            cases += [on("SparseCl", data, 5, K=4)]
            cases += [on("sp.perm", data, 6, K=3, nperms=1, nvals=2)]
    return cases
