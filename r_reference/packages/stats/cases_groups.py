"""Cases of aggregate and cmdscale."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real
from r_reference.packages.base.cases_groups import SINGLE, random_labels, with_holes

FORMULAS = ["c1 ~ first", "cbind(c1, c2) ~ first + second", ". ~ first", "c1 ~ ."]
"""Formulas of the columns of the data and of the groupings."""


def random_aggregate(r: Random, seed: int) -> Case:
    """A call of aggregate on data of several kinds, by lists or formulas, sometimes with faults."""
    data = with_holes(r, random_recipe(r, (2, 30), (2, 4)))
    n = data["n"]
    args: Case = {
        "FUN": r.choice([*SINGLE, "range", "quantile"]),
        "words": r.choice(["none", "first", "levels"]),
    }
    args |= {"first": random_labels(r, n), "form": r.choice(["frame", "frame", "matrix", "vector"])}
    if args["FUN"] in ("mean", "median", "sum", "sd", "quantile") and r.random() < 0.5:
        args["na.rm"] = True
    if r.random() < 0.5:
        args["second"] = random_labels(r, n)
    if r.random() < 0.3:
        args["named"] = True
    if r.random() < 0.15 and args["FUN"] != "quantile":
        args["drop"] = False
    if r.random() < 0.25:
        args = {name: args[name] for name in ("FUN", "words", "first") if name in args}
        args |= {"second": random_labels(r, n), "formula": r.choice(FORMULAS)}
    if r.random() < 0.05:
        args |= r.choice([{"FUN": "nofunction"}, {"FUN": 3}, {"first": [1]}, {"form": "plain"}])
    return new_case("aggregate", args, data, seed)


def random_cmdscale(r: Random, seed: int) -> Case:
    """A call of cmdscale on distances or a matrix, sometimes with faults."""
    data = random_recipe(r, (3, 40), (1, 8))
    args: Case = {"form": r.choice(["dist", "dist", "named dist", "matrix"])}
    args["metric"] = r.choice(["euclidean", "euclidean", "manhattan", "maximum"])
    if r.random() < 0.6:
        args["k"] = r.choice([1, 2, 3, 2.7, r.randint(1, data["n"])])
    for name in ("eig", "x.ret", "list."):
        if r.random() < 0.4:
            args[name] = r.random() < 0.8
    choice = r.random()
    if choice < 0.04:
        args["k"] = r.choice([0, -1, "NA"])
    elif choice < 0.07:
        args["form"] = "data"
    elif choice < 0.1:
        data["steps"] = [*data["steps"], ["missing", 7, data["n"] * data["p"] - 2]]
    return new_case("cmdscale", args, data, seed)


RANDOM_CASES: RandomCases = {"aggregate": (80, random_aggregate), "cmdscale": (60, random_cmdscale)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    labels: dict[str, Any] = {"first": [1, 2, 1, 3, "NA", 2, 1, 1, 3, 3, 2, 2], "words": "first"}
    cases = [
        new_case("aggregate", {**labels, "FUN": f, "form": "frame"}, MATRIX_A, 1)
        for f in (*SINGLE, "range", "quantile")
    ]
    second = {"second": [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]}
    cases += [
        new_case("aggregate", {**labels, **second, "FUN": "mean", "formula": formula}, MATRIX_A, 1)
        for formula in FORMULAS
    ]
    cases += [
        new_case("aggregate", {**labels, **second, "FUN": "sd", "form": "frame", "drop": False}, MATRIX_A, 1)
    ]
    for data in (MATRIX_A, real("iris", True, ["every", 3]), real("wine", True, ["every", 4])):
        cases += [new_case("cmdscale", {"form": "dist", "eig": eig}, data, 1) for eig in (True, False)]
    return cases
