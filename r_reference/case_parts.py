"""Building blocks of cases: their form, random data recipes, real data sets, small matrices."""

from collections.abc import Callable
from random import Random
from typing import Any

from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

Case = dict[str, Any]
RandomCases = dict[str, tuple[int, Callable[[Random, int], Case]]]
"""By R function: number of random cases in the table, and the function that makes one."""

DATASETS = {
    "iris": (load_iris, 3),
    "wine": (load_wine, 3),
    "wdbc": (load_breast_cancer, 2),
    "digits": (load_digits, 10),
}
"""Loader and number of classes of each data set; only the first `DIGITS_ROWS` rows of digits are kept."""

DIGITS_ROWS = 300
REAL = {"iris": 3, "wine": 3, "wdbc": 2}
"""The data sets without missing values and their numbers of classes."""

SPECIAL_STEPS: list[list[list[Any]]] = [
    [["round", 4]],
    [["round", 1]],
    [["add", 1e6]],
    [["add", 1e9]],
    [["multiply", 1e-4]],
    [["multiply", 1e5]],
    [["set", 2, 1, 1e4]],
    [["set", 1, 2, -1e7]],
    [["constant", 1, 2.5]],
]
"""Steps that make a data set awkward: ties, offsets, scales, outliers, a constant column."""


def new_case(function: str, args: Case, data: Case | None, seed: int, **other: Any) -> Case:
    """A case without its id and package; ``other`` may give sample_kind and before."""
    case = {"function": function, "args": args, "data": data, "seed": seed}
    return {**case, "sample_kind": "Rejection", "before": 0, **other}


def sample_kind(r: Random) -> str:
    """R's sample.kind: mostly "Rejection", R's default."""
    return "Rounding" if r.random() < 0.15 else "Rejection"


def random_recipe(r: Random, n: tuple[int, int], p: tuple[int, int]) -> Case:
    """A data recipe with sizes in the given ranges."""
    rows, columns = r.randint(*n), r.randint(*p)
    draw = r.choice(["normal", "normal", "normal", "uniform", "integer"])
    recipe: Case = {"draw": draw, "seed": r.randrange(1, 2**31), "n": rows, "p": columns}
    if draw == "integer":
        recipe["levels"] = r.randint(2, 12)
    steps: list[list[Any]] = []
    if r.random() < 0.6:
        steps.append(["clusters", r.randint(2, 6), r.choice([1, 2, 4.5]), r.randint(1, columns)])
    if r.random() < 0.5:
        steps += [step for step in r.choice(SPECIAL_STEPS) if step[0] != "set" or step[2] <= columns]
    if r.random() < 0.15:
        steps.append(["duplicate", r.randint(2, rows)])
    return {**recipe, "steps": steps}


def real(name: str, scaled: bool, *steps: list[Any]) -> Case:
    """The recipe of a real data set."""
    return {"dataset": name, "scaled": scaled, "steps": list(steps)}


# Small matrices for cases that can be checked by hand.
MATRIX_A = {"rows": [[(7 * i + 5 * j + i * j) % 11 / 2 + (4 if i > 6 and j == 1 else 0) for j in (1, 2, 3)]
                     for i in range(1, 13)]}  # fmt: skip
MATRIX_X = {"rows": [[(7 * i + 5 * j + i * j) % 11 / 2 + (6 if i > 6 and j <= 2 else 0) for j in range(1, 7)]
                     for i in range(1, 13)]}  # fmt: skip
NEAR_TIES = {"rows": [[-0.4]] * 5 + [[-0.4 - 1.11e-16]] * 14 + [[-0.5]]}
SIX_ROWS = {"rows": [MATRIX_X["rows"][i] for i in (0, 1, 2, 6, 7, 8)]}
"""Six rows of MATRIX_X, for small trees."""
LINKAGES = ["average", "complete", "single", "centroid"]
