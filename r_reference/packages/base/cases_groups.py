"""Cases of apply, tapply and as.matrix."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe

SINGLE = ["mean", "median", "sum", "sd", "length", "min", "max", "var"]
"""Functions whose result is one number."""
SEVERAL = ["range", "quantile", "cumsum", "large", "none"]
"""Functions whose results have several entries, other numbers of them, or none."""


def random_function(r: Random, several: bool = True) -> Case:
    """A function, sometimes with an argument of its own."""
    name = r.choice(SINGLE + (SEVERAL if several else []))
    args: Case = {"FUN": name}
    if name == "quantile" and r.random() < 0.5:
        args["probs"] = r.choice([[0.5], [0.1, 0.9]])
    if name in ("mean", "median", "sum", "sd", "quantile") and r.random() < 0.4:
        args["na.rm"] = r.random() < 0.8
    return args


def with_holes(r: Random, data: Case) -> Case:
    """A recipe, sometimes with missing values."""
    if r.random() < 0.3:
        holes = r.randint(1, max(1, data["n"] * data["p"] // 4))
        data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), holes]]
    return data


def random_apply(r: Random, seed: int) -> Case:
    """A call of apply, on rows, columns or numbers, sometimes with faults."""
    args: Case = {"MARGIN": r.choice([1, 1, 2, 2, [1, 2], [2, 1]]), **random_function(r)}
    if isinstance(args["MARGIN"], list):
        args = {"MARGIN": args["MARGIN"], "FUN": r.choice(["sum", "max", "length", "cumsum"])}
    elif r.random() < 0.1:
        args["simplify"] = r.random() < 0.5
    if r.random() < 0.06:
        args |= r.choice([{"MARGIN": 3}, {"MARGIN": "rows"}, {"FUN": "nofunction"}, {"FUN": 3}])
    args["named"] = r.choice(["no", "rows", "columns", "both", "frame"])
    return new_case("apply", args, with_holes(r, random_recipe(r, (2, 20), (1, 5))), seed)


def random_labels(r: Random, n: int) -> list[Any]:
    """Labels of n objects, from 1, sometimes missing ones."""
    labels: list[Any] = [r.randint(1, r.choice([1, 3, 5])) for _ in range(n)]
    if r.random() < 0.2:
        labels[r.randrange(n)] = "NA"
    return labels


def random_tapply(r: Random, seed: int) -> Case:
    """A call of tapply with labels of several kinds, sometimes with faults."""
    data = with_holes(r, random_recipe(r, (2, 30), (1, 1)))
    n, two = data["n"], r.random() < 0.4
    args: Case = {"first": random_labels(r, n), "words": r.choice(["none", "first", "levels"])}
    args["list"] = r.choice(["named", "list"]) if two else r.choice(["vector", "vector", "named", "list"])
    if two:
        args["second"] = random_labels(r, n)
    if r.random() < 0.9:
        args |= random_function(r, several=not two)
    if r.random() < 0.15:
        args |= r.choice([{"default": 0}, {"simplify": False}] if not two else [{"default": 0}])
    if r.random() < 0.05:
        args |= r.choice([{"first": [1]}, {"FUN": "nofunction"}, {"first": ["NA"] * n}])
    return new_case("tapply", args, data, seed)


def random_matrix(r: Random, seed: int) -> Case:
    """A call of as.matrix on distances, a frame, a matrix or a vector."""
    form = r.choice(["dist", "dist", "named dist", "frame", "matrix", "vector"])
    return new_case("as.matrix", {"form": form}, with_holes(r, random_recipe(r, (2, 20), (1, 5))), seed)


RANDOM_CASES: RandomCases = {
    "apply": (60, random_apply),
    "tapply": (60, random_tapply),
    "as.matrix": (40, random_matrix),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    cases = [
        new_case("apply", {"MARGIN": m, "FUN": f, "named": "both"}, MATRIX_A, 1)
        for m in (1, 2)
        for f in (*SINGLE, *SEVERAL)
    ]
    cases += [new_case("apply", {"MARGIN": 1, "FUN": "sum", "named": "vector"}, MATRIX_A, 1)]
    labels = {"first": [1, 2, 1, 3, "NA", 2, 1, 1, 3, 3, 2, 2], "list": "vector", "words": "first"}
    column = {**MATRIX_A, "steps": [["columns", 1]]}
    cases += [new_case("tapply", {**labels, "FUN": f}, column, 1) for f in (*SINGLE, *SEVERAL)]
    cases += [new_case("tapply", {**labels, "FUN": "sum", "list": "empty"}, column, 1)]
    return [*cases, *[new_case("as.matrix", {"form": f}, MATRIX_A, 1) for f in ("dist", "named dist")]]
