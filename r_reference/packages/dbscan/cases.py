"""Cases of dbscan's local outlier factors."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case, random_recipe, real

SPEC = {"draw": "normal", "seed": 5, "n": 60, "p": 6, "steps": [["clusters", 2, 4, 2], ["set", 1, 1, 11]]}
"""Two groups and an outlier."""
SMALL = {"draw": "normal", "seed": 1, "n": 12, "p": 2, "steps": []}
EQUAL = {"draw": "normal", "seed": 1, "n": 30, "p": 2, "steps": [["multiply", 0]]}
COPIES = {"draw": "normal", "seed": 1, "n": 40, "p": 3, "steps": [["duplicate", 4]]}
SCALES = [[["add", 1e6]], [["multiply", 1e-4]], [["multiply", 1e5]], [["multiply", 1e-9]]]


def outlying_recipe(r: Random, rows: tuple[int, int], columns: tuple[int, int]) -> Case:
    """Data of any kind, sometimes with a few rows far away or of another scale."""
    recipe = random_recipe(r, rows, columns)
    if r.random() < 0.15:
        recipe["steps"] += r.choice(SCALES)
    for row in range(1, 1 + r.choice([0, 0, 0, 1, 2])):
        recipe["steps"].append(["set", row, 1, r.choice([40, -40, 900])])
    return recipe


def _min_points(r: Random) -> Case:
    """The argument minPts, sometimes too large or a fraction."""
    return {"minPts": r.choice([2, 3, 5, 5, 8, 11, 11, 4.5, 16])}


def random_lof(r: Random, seed: int) -> Case:
    """A call of dbscan's lof on data."""
    return new_case("lof", _min_points(r), outlying_recipe(r, (3, 60), (1, 10)), seed)


def random_lof_dist(r: Random, seed: int) -> Case:
    """A call of dbscan's lof on distances."""
    return new_case("lof.dist", _min_points(r), outlying_recipe(r, (3, 60), (1, 10)), seed)


RANDOM_CASES: RandomCases = {"lof": (36, random_lof), "lof.dist": (36, random_lof_dist)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Calls of lof: ties, repeated rows, limits of the number of neighbours, real data."""

    def on(function: str, data: Case, **args: Any) -> Case:
        return new_case(function, args, data, 1)

    cases = []
    for function in ("lof", "lof.dist"):
        cases += [on(function, SPEC, minPts=m) for m in (2, 11, 60, 61, 1, 2.9)]
        cases += [on(function, data, minPts=5) for data in (EQUAL, COPIES, SMALL)]
        cases += [on(function, real("iris", scaled, ["every", 2]), minPts=11) for scaled in (False, True)]
        cases += [on(function, real(name, False, ["every", 4]), minPts=8) for name in ("wine", "digits")]
    missing = {**SPEC, "steps": [["set", 3, 3, "NaN"]]}
    return [*cases, on("lof", missing, minPts=5)]
