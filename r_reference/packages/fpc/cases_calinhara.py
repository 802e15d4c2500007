"""Cases of calinhara."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real


def random_index(r: Random, seed: int) -> Case:
    """A call of calinhara, sometimes with small, empty or left out clusters and with missing values."""
    data = random_recipe(r, (2, 60), (1, 6))
    n, k = data["n"], r.randint(1, 6)
    labels: list[Any] = [r.randint(1, k) for _ in range(n)]
    args: Case = {"clustering": labels}
    choice = r.random()
    if choice < 0.15:
        args["cn"] = r.randint(1, 7)
    elif choice < 0.2:
        labels[r.randrange(n)] = "NA"
    elif choice < 0.3:
        data["steps"] = [*data["steps"], ["set", r.randint(1, n), 1, "NaN"]]
    return new_case("calinhara", args, data, seed)


RANDOM_CASES: RandomCases = {"calinhara": (60, random_index)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    labels = [[1] * 12, list(range(1, 13)), [1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4], [1] * 6 + [2] * 6]
    cases = [new_case("calinhara", {"clustering": given}, MATRIX_A, 1) for given in labels]
    thirds = [1 + i // 50 for i in range(150)]
    return [*cases, new_case("calinhara", {"clustering": thirds}, real("iris", False), 1)]
