"""Cases of mclust."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case


def on(first: Any, second: Any, **other: Any) -> Case:
    """A call on two labellings."""
    return new_case("adjustedRandIndex", {"x": first, "y": second, **other}, None, 1)


def random_index(r: Random, seed: int) -> Case:
    """A call of adjustedRandIndex: independent, related, nested or renamed labels; missing ones; faults."""
    n, k = r.choice([1, 2, 3, r.randint(4, 60), r.randint(100, 400)]), r.randint(1, 8)
    first: list[Any] = [r.randint(1, k) for _ in range(n)]
    kind = r.choice(["independent", "related", "nested", "same", "fractions", "missing", "fault"])
    second: list[Any] = [v if r.random() < 0.7 else r.randint(1, k) for v in first]
    if kind == "independent":
        second = [r.randint(-2, k) for _ in range(n)]
    elif kind == "nested":
        second = [v // 2 for v in first]
    elif kind == "same":
        second = [10 - 2 * v for v in first]
    elif kind == "fractions":
        first = [r.choice([0.1 + 0.2, 0.3, 1 / 3, 1e-7, 12345.678]) for _ in first]
    elif kind == "missing":
        second = [r.choice(["NA", v]) for v in second]
        first = [r.choice(["NA", v, v, v]) for v in first]
    elif kind == "fault":
        second = [*second, 1]
    return new_case("adjustedRandIndex", {"x": first, "y": second}, None, seed)


RANDOM_CASES: RandomCases = {"adjustedRandIndex": (52, random_index)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""
    return [
        on([1, 1, 2, 2], [1, 1, 2, 2]),
        on([1, 1, 1], [1, 1, 1]),
        on([1, 2, 3], [1, 2, 3]),
        on([1, 1, 1], [1, 2, 3]),
        on([1], [5]),
        on([1, 2], [1, 2, 3]),
        on([1, "NA", 2, 2], [1, 1, 2, 2]),
        on([1, 1, "NA"], [2, 2, 2]),
        on(["NA", 1], [1, "NA"]),
        on([1, 2, "Inf"], ["-Inf", 2, 3]),
    ]
