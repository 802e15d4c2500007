"""Cases of the hypergeometric draws: both algorithms, all four symmetries, limits, recycling, errors."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case

NUMBERS: list[Any] = [0, 1, 2.5, 3.5, -1, -0.4, "NaN", "NA", "Inf", [4, 400], [0, 7, 30], 1e9]
"""Numbers of balls at the limits, missing, recycled."""


def _number(r: Random) -> Any:
    """A number of balls, sometimes a special one."""
    return r.choice(NUMBERS) if r.random() < 0.1 else int(10 ** r.uniform(0, 6))


def random_rhyper(r: Random, seed: int) -> Case:
    """A call of rhyper, mostly with at most as many balls drawn as there are."""
    white, black = _number(r), _number(r)
    both = [white, black] if isinstance(white, int) and isinstance(black, int) else [20, 30]
    drawn = r.randint(0, sum(both)) if r.random() < 0.9 else _number(r)
    args = {"nn": r.randint(1, 300), "m": white, "n": black, "k": drawn}
    return new_case("rhyper", args, None, seed, before=r.randint(0, 700))


RANDOM_CASES: RandomCases = {"rhyper": (50, random_rhyper)}
"""Number of random cases in the table, and their generator, of each function."""

URNS: list[tuple[Any, Any, Any]] = [
    (10, 7, 8), (7, 10, 8), (10, 7, 9), (7, 10, 9), (8, 8, 8), (1, 1, 1), (5, 5, 0), (5, 5, 10), (0, 9, 4),
    (9, 0, 4), (0, 0, 0), (40, 60, 30), (60, 40, 30), (40, 60, 70), (60, 40, 70), (50, 50, 50),
    (200, 200, 200),
    (300, 500, 400), (1000, 5000, 600), (5000, 1000, 5400), (1000, 1000, 990), (12345, 54321, 30000),
    (40, 1e6, 3e5), (1e6, 40, 3e5), (16, 727144275, 444338439), (38, 1104159449, 274640908), (1e9, 1e9, 1e9),
    (818366172, 917127680, 250878388), (10.4, 7, 8), (10.5, 7.5, 8.5), (3.5, 2, 1), (10, 7, 17.4),
    (10, 7, 17.6), (10, 7, 18), (-1, 7, 3), (-0.4, 7, 3), (7, -1, 3), (7, 3, -1), ("NA", 3, 1), (3, "NaN", 1),
    (3, 3, "Inf"), ("Inf", 3, 1), ([10, 200], [7, 300, 2], 8), ([10, 200], 100, [0, 5, 300, 20]),
]  # fmt: skip
"""White, black and drawn balls of the chosen calls."""


def fixed_cases() -> list[Case]:
    """The chosen cases: urns in blocks of 624 words, and numbers of draws."""
    cases = [
        new_case("rhyper", {"nn": 200, "m": m, "n": n, "k": k}, None, number + 1, before=7 * number)
        for number, (m, n, k) in enumerate(URNS)
    ]
    lengths: list[Any] = [0, 1, 2.9, [5, 6, 7], -1, "NaN"]
    return cases + [new_case("rhyper", {"nn": nn, "m": 30, "n": 40, "k": 20}, None, 3) for nn in lengths]
