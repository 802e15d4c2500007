"""Cases of datathin."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case

FAMILIES = (
    "poisson", "negative binomial", "binomial", "multinomial", "normal", "gaussian", "normal-variance",
    "mvnormal", "exponential", "gamma", "chi-squared", "gamma-weibull", "weibull", "pareto",
    "shifted-exponential", "scaled-uniform", "scaled-beta",
)  # fmt: skip
OF_TRIALS = ("binomial", "multinomial")
COUNTS = ("poisson", "negative binomial", *OF_TRIALS)
SHARED = (*COUNTS, "normal", "gaussian", "mvnormal", "exponential", "gamma")
FREE = ("poisson", "exponential", "chi-squared", "scaled-uniform")
SHARES = ([0.5, 0.5], [0.25, 0.75], [0.125, 0.5, 0.375], [0.25, 0.25, 0.25, 0.25])
SMALL = {"rows": [[3, 5], [4, 6], [2, 9]]}


def data_of(r: Random, family: str, rows: int, columns: int) -> Case:
    """Data that the family can have: counts, numbers above 1, or any numbers."""
    recipe: Case = {"seed": r.randrange(1, 2**31), "n": rows, "p": columns, "steps": []}
    if family in COUNTS:
        return {**recipe, "draw": "integer", "levels": r.choice([2, 12, 200])}
    if "normal" in family or family == "gaussian":
        return {**recipe, "draw": "normal", "steps": [["add", r.choice([0.0, 3.5])]]}
    return {**recipe, "draw": "uniform", "steps": [["multiply", r.choice([1.0, 20.0])], ["add", 1.25]]}


def parameter_of(r: Random, family: str, rows: int, columns: int) -> Any:
    """The extra parameter: one number, or one for each entry; a covariance."""
    if family == "mvnormal":
        # Diagonally dominant, so that it is positive definite.
        off = r.choice([0.0, 0.25, -0.125])
        return {"matrix": [[2.0 + i if i == j else off for j in range(columns)] for i in range(columns)]}
    if family in OF_TRIALS:
        # More trials than a row has counts are NA in a multinomial fold, as fewer are in a binomial one.
        number = r.choice([4, 8, 24, 60, 120, 7] if family == "multinomial" else [60, 240, 1200, 24000, 7])
        size = [[number + r.choice([0, 0, 120, 60, 8, 1]) for _ in range(columns)] for _ in range(rows)]
        if family == "multinomial":
            return r.choice([number, [row[0] for row in size]])
        return r.choice([number, {"matrix": size}])
    # The location of a Pareto distribution is below the data, which are 1.25 and more.
    values = [0.4, 1.0, 1.25] if family == "pareto" else [0.4, 1.0, 2.0, 7.5]
    if r.random() < 0.6:
        return r.choice(values)
    return {"matrix": [[r.choice(values) for _ in range(columns)] for _ in range(rows)]}


def random_thinning(r: Random, seed: int) -> Case:
    """A call of datathin with a family, folds and a parameter; sometimes with what R refuses or warns of."""
    family = r.choice(FAMILIES)
    rows, columns = r.randint(1, 8), r.randint(2, 4)
    args: Case = {"family": family}
    if r.random() < 0.6:
        args["K"] = r.randint(2, 5)
    if family in SHARED and r.random() < 0.5:
        args["epsilon"] = r.choice(SHARES)
        if r.random() < 0.8:
            args["K"] = len(args["epsilon"])
    if family not in FREE or r.random() < 0.1:
        args["arg"] = parameter_of(r, family, rows, columns)
    fault = r.random()
    if fault < 0.03:
        args["epsilon"] = [0.25, 0.5]
    elif fault < 0.06:
        args.pop("arg", None)
    elif fault < 0.09 and family not in ("mvnormal", *FREE):
        args["arg"] = [1.0, 2.0]
    return new_case("datathin", args, data_of(r, family, rows, columns), seed)


RANDOM_CASES: RandomCases = {"datathin": (90, random_thinning)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""
    of_small: list[Case] = [
        {"family": "poisson"},
        {"family": "poisson", "K": 3, "arg": 2.0},
        {"family": "poisson", "epsilon": [0.1, 0.2, 0.7]},
        {"family": "negative binomial", "arg": 0.3},
        {"family": "normal", "arg": 4.0, "K": 3},
        {"family": "mvnormal", "arg": {"matrix": [[2.0, 1.0], [1.0, 1.0]]}, "K": 3},
        {"family": "gamma"},
        {"family": "gamma", "arg": [1.0, 2.0, 3.0]},
        {"family": "exponential", "epsilon": [0.5, 0.6]},
        {"family": "weibull", "arg": 2.0},
        {"family": "binomial", "arg": 10},
        {"family": "binomial", "arg": 8},
        {"family": "binomial", "arg": 9},
        {"family": "binomial", "arg": 20, "epsilon": [0.25, 0.75]},
        {"family": "binomial", "arg": {"matrix": [[10, 12], [8, 7], [2, 10]]}},
        {"family": "multinomial", "arg": 8, "K": 4},
        {"family": "multinomial", "arg": 8, "epsilon": [0.125, 0.5, 0.375]},
        {"family": "multinomial", "arg": [8, 10, 12]},
        {"family": "multinomial", "arg": [8, 10, "NA"], "K": 2},
        {"family": "multinomial", "arg": [8, 10]},
    ]
    column = {**SMALL, "steps": [["columns", 1]]}
    missing = {**SMALL, "steps": [["set", 1, 2, "NaN"]]}
    many = {"seed": 5, "n": 40, "p": 3, "steps": [], "draw": "integer", "levels": 500}
    return [
        *(new_case("datathin", args, SMALL, 1) for args in of_small),
        *(new_case("datathin", {"family": family, "arg": 30}, column, 1) for family in OF_TRIALS),
        *(new_case("datathin", {"family": family, "arg": 30}, missing, 1) for family in OF_TRIALS),
        *(new_case("datathin", {"family": family, "arg": 1800, "K": 3}, many, 1) for family in OF_TRIALS),
        new_case("datathin", {"family": "poisson"}, missing, 1),
        new_case("datathin", {"family": "gamma", "arg": 2}, missing, 1),
    ]
