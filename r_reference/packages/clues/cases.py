"""Cases of clues."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case


def on(first: Any, second: Any, **other: Any) -> Case:
    """A call on two labellings."""
    return new_case("adjustedRand", {"cl1": first, "cl2": second, **other}, None, 1)


def random_rand(r: Random, seed: int) -> Case:
    """A call of adjustedRand: independent, related, nested or renamed labels; sometimes invalid ones."""
    n, k = r.choice([1, 2, 3, r.randint(4, 60), r.randint(100, 400)]), r.randint(1, 8)
    first = [r.randint(1, k) for _ in range(n)]
    kind = r.choice(["independent", "related", "nested", "same", "fault"])
    second = [v if r.random() < 0.7 else r.randint(1, k) for v in first]
    if kind == "independent":
        second = [r.randint(-2, k) for _ in range(n)]
    elif kind == "nested":
        second = [v // 2 for v in first]
    elif kind == "same":
        second = [10 - 2 * v for v in first]
    elif kind == "fault" and r.random() < 0.5:
        second = [*second[:-1], r.choice(["NA", "Inf", 3e9])]
    elif kind == "fault":
        second = [*second, 1]
    args: Case = {"cl1": first, "cl2": second}
    if r.random() < 0.3:
        args["randMethod"] = r.choice(["Rand", "HA", "MA", "FM", "Jaccard", "Other"])
    return new_case("adjustedRand", args, None, seed)


RANDOM_CASES: RandomCases = {
    "adjustedRand": (44, random_rand),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""
    return [
        on([1, 1, 1, 2, 2, 3], [1, 1, 2, 2, 3, 3]),
        on([1, 2, 3], [1, 2, 3]),
        on([1], [1]),
        on([1, 1, 1], [1, 2, 3]),
        on([1, 1], [1, 1]),
        on([1, 2, 3], [1, 1, 2], randMethod="FM"),
        on([1, 2, 3], [1, 1, 2], randMethod="other"),
    ]
