"""Cases of agnes and diana."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, SIX_ROWS, Case, RandomCases, new_case, random_recipe, real

METHODS = ("average", "single", "complete", "ward", "weighted", "flexible", "gaverage")


def _objects(r: Random) -> tuple[Case, Case]:
    """Data and the arguments that both functions have: rows or dissimilarities, often with ties."""
    data = random_recipe(r, (2, 40), (1, 5))
    args: Case = {"form": r.choice(["rows", "rows", "rows", "dist", "dist", "vector", "square"])}
    if r.random() < 0.3:
        data["steps"] = [*data["steps"], ["round", 1]]
    if args["form"] == "rows":
        if r.random() < 0.4:
            args["metric"] = r.choice(["manhattan", "euclidean"])
        if r.random() < 0.3:
            args["stand"] = True
        if r.random() < 0.2:
            holes = r.randint(1, max(1, data["n"] * data["p"] // 6))
            data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), holes]]
    if r.random() < 0.15:
        args[r.choice(["keep.diss", "keep.data"])] = r.random() < 0.3 and args["form"] == "rows"
    if r.random() < 0.3 and args["form"] in ("rows", "dist"):
        args["form"] = f"named {args['form']}"
    return data, args


def random_agnes(r: Random, seed: int) -> Case:
    """A call of agnes."""
    data, args = _objects(r)
    method = r.choice(METHODS)
    args["method"] = method if r.random() < 0.8 else method[: r.randint(2, len(method))]
    if args["method"] == "w":
        args["method"] = "none"
    if method == "flexible":
        args["par.method"] = r.choice(
            [0.5, 0.6, 0.625, [0.5, 0.5, 0], [0.5, 0.5, 0, 0.5], [0.5, 0.5, 0, -0.5]]
        )
    elif method == "gaverage" and r.random() < 0.5:
        args["par.method"] = r.choice([0, -0.25, [1, 1, 0], [1, 1, 0, 0]])
    if r.random() < 0.04:
        args |= r.choice([{"method": "none"}, {"method": "flexible", "par.method": [1, 2]}])
    return new_case("agnes", args, data, seed)


def random_diana(r: Random, seed: int) -> Case:
    """A call of diana."""
    data, args = _objects(r)
    return new_case("diana", args, data, seed)


RANDOM_CASES: RandomCases = {"agnes": (70, random_agnes), "diana": (60, random_diana)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    coefficients: dict[str, Any] = {"flexible": {"par.method": 0.625}}
    sets: list[Case] = [MATRIX_A, SIX_ROWS, real("iris", True, ["every", 5])]
    cases = [
        new_case("agnes", {"method": m, **coefficients.get(m, {})}, data, 1) for data in sets for m in METHODS
    ]
    cases += [new_case("diana", args, data, 1) for data in sets for args in ({}, {"metric": "manhattan"})]
    cases += [new_case("agnes", {"method": "flexible"}, MATRIX_A, 1)]
    return cases
