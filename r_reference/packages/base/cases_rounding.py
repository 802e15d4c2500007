"""Cases of round and zapsmall."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe

EDGES: list[Any] = [
    0.15,
    2.675,
    -0.5,
    1.5,
    2.5,
    1e15,
    1e22,
    0.1 + 0.2,
    5.015,
    1e-10,
    "NaN",
    "Inf",
    "-Inf",
    0,
    0.285,
]


def _numbers(r: Random) -> list[Any]:
    """Numbers with few decimals, halves of them, or of any scale."""
    kind = r.choice(["halves", "any", "few"])
    if kind == "halves":
        unit = 10.0 ** r.randint(0, 6)
        return [(2 * r.randint(-(10**6), 10**6) + 1) / (2 * unit) for _ in range(r.randint(1, 30))]
    if kind == "few":
        return [round(r.gauss(0, 100), r.randint(0, 8)) for _ in range(r.randint(1, 30))]
    return [r.choice([*EDGES, r.gauss(0, 1) * 10.0 ** r.randint(-20, 20)]) for _ in range(r.randint(1, 30))]


def random_round(r: Random, seed: int) -> Case:
    """A call of round."""
    args: Case = {"x": _numbers(r)}
    if r.random() < 0.9:
        args["digits"] = r.choice([r.randint(0, 18), 0, 1, 2, 3, 4, 5, 8, 12, 15, 16, -1, -2, -5, 2.5, 400])
    return new_case("round", args, None, seed)


def random_zapsmall(r: Random, seed: int) -> Case:
    """A call of zapsmall, on numbers or a matrix."""
    args: Case = {"digits": r.choice([1, 3, 7, 10])} if r.random() < 0.5 else {}
    if r.random() < 0.3:
        return new_case("zapsmall", args, random_recipe(r, (2, 20), (1, 5)), seed)
    return new_case("zapsmall", {"x": _numbers(r), **args}, None, seed)


RANDOM_CASES: RandomCases = {"round": (60, random_round), "zapsmall": (40, random_zapsmall)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    cases = [new_case("round", {"x": EDGES, "digits": d}, None, 1) for d in (0, 1, 2, 15, -1, "NA")]
    cases += [new_case("round", {"digits": 2}, MATRIX_A, 1), new_case("zapsmall", {}, MATRIX_A, 1)]
    return [*cases, new_case("zapsmall", {"x": [1e-20, 1, 2.5]}, None, 1)]
