"""Cases of base R: scale, sums and means of columns and rows, mean, cumsum, matrix."""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, REAL, Case, RandomCases, new_case, random_recipe, real


def column_recipe(r: Random) -> Case:
    """Data of any scale, sometimes with missing or infinite cells."""
    data = random_recipe(r, (2, 60), (1, 8))
    n, p = data["n"], data["p"]
    steps = [step for step in data["steps"] if step[0] != "set"]
    if r.random() < 0.3:
        steps.append(["multiply", r.choice([1e-290, 1e-160, 1e150, 1e290, -7.3])])
    if r.random() < 0.3:
        steps.append(["missing", r.randrange(1, 2**31), r.randint(1, n * p)])
    if r.random() < 0.1:
        steps.append(["set", r.randint(1, n), r.randint(1, p), r.choice(["Inf", "-Inf", "NaN", 1e200])])
    return {**data, "steps": steps}


def _columns_by(r: Random, p: int) -> Any:
    """What the columns are centred or scaled by: yes, no, numbers, sometimes too many."""
    if r.random() < 0.6:
        return r.random() < 0.6
    count = p if r.random() < 0.9 else p + 1
    return [r.choice([0, 1, "NA", round(r.uniform(-3, 3), 3), r.uniform(0.1, 9)]) for _ in range(count)]


def random_scale(r: Random, seed: int) -> Case:
    """A call of scale."""
    data = column_recipe(r)
    args = {name: _columns_by(r, data["p"]) for name in ("center", "scale") if r.random() < 0.5}
    return new_case("scale", args, data, seed)


def random_sums(function: str) -> Callable[[Random, int], Case]:
    """What makes a call of colSums, colMeans, rowSums or rowMeans."""

    def random_call(r: Random, seed: int) -> Case:
        """A call with or without missing values left out, sometimes with wrong arguments."""
        args: Case = {}
        if r.random() < 0.7:
            args["na.rm"] = r.choice([True, True, True, False, 1, 0, "NA"])
        if r.random() < 0.1:
            args["dims"] = r.choice([0, 1, 1.5, 2, "NA"])
        return new_case(function, args, column_recipe(r), seed)

    return random_call


def random_mean(r: Random, seed: int) -> Case:
    """A call of mean, trimmed or not."""
    args: Case = {}
    if r.random() < 0.6:
        args["trim"] = r.choice([0, 0.1, 0.25, 0.49, 0.5, 2, -1, round(r.random() / 2, 4)])
    if r.random() < 0.6:
        args["na.rm"] = r.random() < 0.8
    return new_case("mean", args, column_recipe(r), seed)


def random_cumsum(r: Random, seed: int) -> Case:
    """A call of cumsum."""
    return new_case("cumsum", {}, column_recipe(r), seed)


def random_matrix(r: Random, seed: int) -> Case:
    """A call of matrix: extents that fit the numbers, that do not, that are no extents."""
    size = r.choice([1, 2, 3, 4, 6, 8, 12, r.randint(2, 30)])
    args: Case = {"data": [round(r.uniform(-9, 9), 2) for _ in range(size)]}
    for name in ("nrow", "ncol"):
        if r.random() < 0.65:
            args[name] = r.choice([1, 2, 3, 4, 6, 12, r.randint(0, 9), r.uniform(0, 9)])
            if r.random() < 0.06:
                args[name] = r.choice([-1, "NA", "Inf", 3e9, -0.5, [2, 3]])
    if r.random() < 0.5:
        args["byrow"] = r.choice([True, True, False, 1, "NA"])
    return new_case("matrix", args, None, seed)


SUMS = ("colSums", "colMeans", "rowSums", "rowMeans")
RANDOM_CASES: RandomCases = {
    "scale": (60, random_scale),
    **{function: (50, random_sums(function)) for function in SUMS},
    "mean": (50, random_mean),
    "cumsum": (50, random_cumsum),
    "matrix": (50, random_matrix),
}
"""Number of random cases in the table, and their generator, of each function."""


def scale_cases() -> list[Case]:
    """Calls of scale: real data, constant and missing columns, vectors, extreme scales, errors."""
    cases = [
        new_case("scale", {}, real(name, scaled), 1) for name in (*REAL, "digits") for scaled in (False, True)
    ]
    both = [{"center": center, "scale": scale} for center in (True, False) for scale in (True, False)]
    vectors: list[Case] = [
        {"center": [1, 2, 3]},
        {"scale": [1, 0, -3]},
        {"center": [0.1, "NA", "Inf"], "scale": [1, 2, "NaN"]},
    ]
    wrong: list[Case] = [
        {"center": 1},
        {"scale": 2},
        {"center": [1, 2]},
        {"scale": [1, 2, 3, 4]},
        {"center": "NA"},
    ]
    cases += [new_case("scale", args, MATRIX_A, 1) for args in both + vectors + wrong]
    for rows in (
        [[2, 1], [2, 2], [2, 4]],
        [[1, "NaN"], ["NaN", "NaN"], [3, "NaN"]],
        [[1, "NaN"], ["NaN", 2]],
        [[1, "Inf"], [2, 2], ["NaN", 1]],
        [[1, 2, 3]],
        [[7]],
        [[1e308, -1e308], [1.5e308, 1], [1.7e308, 2]],
        [[5e-324, 1e-310], [0, 3e-310], [1e-323, -1e-310]],
        [[-0.0, 0], [-0.0, 0]],
    ):
        cases += [new_case("scale", args, {"rows": rows}, 1) for args in both[::2]]
    return cases


def sums_cases() -> list[Case]:
    """Sums, means and running sums: real data, extreme scales, missing columns."""
    few: list[list[list[Any]]] = [
        [[1, "NaN"], ["NaN", "NaN"], [3, "NaN"]],
        [[1, "Inf"], [2, "-Inf"], ["NaN", 1]],
        [[1.7e308, 1.5e308], [1.7e308, 1], [-1.7e308, 2]],
        [[7]],
    ]
    cases = []
    for function in (*SUMS, "mean"):
        cases += [new_case(function, {}, real(name, scaled), 1) for name in REAL for scaled in (False, True)]
        cases += [
            new_case(function, {"na.rm": drop}, {"rows": rows}, 1) for rows in few for drop in (True, False)
        ]
    cases += [new_case("cumsum", {}, real(name, scaled), 1) for name in REAL for scaled in (False, True)]
    cases += [new_case("cumsum", {}, {"rows": rows}, 1) for rows in few]
    trims: list[Any] = [0.34, 0.5, [0.1, 0.2], "NaN", True]
    return cases + [new_case("mean", {"trim": trim}, MATRIX_A, 1) for trim in trims]


def matrix_cases() -> list[Case]:
    """Calls of matrix whose warnings and errors differ."""
    six = [1, 2, 3, 4, 5, 6]
    extents: list[Case] = [
        {},
        {"nrow": 2},
        {"ncol": 3, "byrow": True},
        {"nrow": 4},
        {"nrow": 4, "ncol": 4},
        {"nrow": 4, "ncol": 3},
        {"nrow": 3, "ncol": 5},
        {"nrow": 3, "ncol": 1},
        {"nrow": 0},
        {"ncol": 0},
        {"nrow": 2, "ncol": 0},
        {"nrow": "NA", "ncol": -1},
        {"ncol": -1},
        {"nrow": -1, "byrow": "NA"},
        {"nrow": 3e9},
    ]
    cases = [new_case("matrix", {"data": six, **args}, None, 1) for args in extents]
    return cases + [
        new_case("matrix", {"data": data, "nrow": 2, "ncol": 3}, None, 1) for data in (7, "NA", [1, "NaN"])
    ]


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return scale_cases() + sums_cases() + matrix_cases()
