"""Cases of stats: fitted values of k-means."""

from random import Random

from r_reference.case_parts import MATRIX_X, Case, RandomCases, new_case, random_recipe

METHODS = ("centers", "classes", "cent", "cl", "ce", "cla")


def random_fitted(r: Random, seed: int) -> Case:
    """A call of fitted, rarely with a method that R refuses."""
    data = random_recipe(r, (6, 40), (1, 5))
    args: Case = {"centers": r.choice([1, 2, 3, {"rows_of_x": [1, 4]}])}
    if r.random() < 0.4:
        args["nstart"] = r.choice([1, 2, 5])
    if r.random() < 0.7:
        args["method"] = r.choice(METHODS)
    if r.random() < 0.05:
        args["method"] = r.choice(["c", "", "foo"])
    return new_case("fitted", args, data, seed)


RANDOM_CASES: RandomCases = {"fitted": (60, random_fitted)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Every method, whole and abbreviated."""
    return [new_case("fitted", {"centers": 2, "method": method}, MATRIX_X, 1) for method in (*METHODS, "c")]
