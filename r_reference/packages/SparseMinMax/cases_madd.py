"""Cases of the k-means on MADD that was released with the sparse MinMax k-means paper."""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case, random_recipe, real, sample_kind

THIN = {"iris": 4, "wine": 4, "wdbc": 13}
"""Thinning of the real data sets: one row in this many, to save time in R."""


def _random(function: str) -> Callable[[Random, int], Case]:
    """The generator of random cases of a function."""

    def generate(r: Random, seed: int) -> Case:
        data = random_recipe(r, (3, 36), (1, 25))
        return new_case(function, {"k": r.randint(1, 7)}, data, seed, sample_kind=sample_kind(r))

    return generate


RANDOM_CASES: RandomCases = {
    "maddkmeans": (40, _random("maddkmeans")),
    "maddkmeans1": (40, _random("maddkmeans1")),
    "maddkmeans2": (40, _random("maddkmeans2")),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """A small example, and the real data."""
    example = {"rows": [[0, 0], [1, 0], [0, 2], [6, 5], [7, 5]]}

    def on(function: str, data: Case, seed: int, **args: Any) -> Case:
        return new_case(function, args, data, seed)

    cases = []
    for function in RANDOM_CASES:
        cases += [on(function, example, seed, k=2) for seed in (1, 2)]
        for name, every in THIN.items():
            for scaled in (False, True):
                data = real(name, scaled, ["every", every])
                cases += [on(function, data, k, k=k) for k in (2, 3, 5)]
    return cases
