"""Cases of daisy: numbers, mixed variables, types, missing values, faults."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real

TYPES = ("asymm", "symm", "ordratio", "logratio")
"""Types of columns that may be given."""


def random_types(r: Random, kinds: str) -> Case:
    """Types of some columns, which mostly fit."""
    binary = [j + 1 for j, kind in enumerate(kinds) if kind in "bl"]
    numbers = [j + 1 for j, kind in enumerate(kinds) if kind == "n"]
    args: Case = {}
    if binary and r.random() < 0.5:
        args[r.choice(["asymm", "symm"])] = r.sample(binary, r.randint(1, len(binary)))
    if numbers and r.random() < 0.3:
        args[r.choice(["ordratio", "logratio"])] = r.sample(numbers, r.randint(1, len(numbers)))
    if r.random() < 0.05:
        args[r.choice(TYPES)] = [r.choice([0, 1, len(kinds) + 1])]
    return args


def random_daisy(r: Random, seed: int) -> Case:
    """A call of daisy on a matrix or a frame."""
    data = random_recipe(r, (2, 25), (1, 6))
    args: Case = {}
    if r.random() < 0.6:
        kinds = "".join(r.choice(r.choice(["n", "nfolb", "nb", "nl"])) for _ in range(data["p"]))
        args["kinds"] = kinds if r.random() < 0.97 else "t" + kinds[1:]
        args |= random_types(r, kinds)
        if r.random() < 0.3:
            args["named"] = True
    if r.random() < 0.6:
        args["metric"] = r.choice(["euclidean", "manhattan", "gower", "man", "gower"])
    if r.random() < 0.3:
        args["stand"] = True
    if r.random() < 0.2:
        weights: list[Any] = [r.choice([1, 2, 0.5, 0, 3.7]) for _ in range(data["p"])]
        args["weights"] = weights if r.random() < 0.9 else [*weights, 1, 1]
    if r.random() < 0.15:
        args[r.choice(["warnBin", "warnAsym", "warnConst", "warnType"])] = False
    if r.random() < 0.3:
        cells = data["n"] * data["p"]
        data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), r.randint(1, max(1, cells // 2))]]
    if r.random() < 0.02:
        args["metric"] = "none"
    return new_case("daisy", args, data, seed)


RANDOM_CASES: RandomCases = {"daisy": (90, random_daisy)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    cases = [
        new_case("daisy", {"metric": metric, "stand": stand}, MATRIX_A, 1)
        for metric in ("euclidean", "manhattan", "gower")
        for stand in (False, True)
    ]
    cases += [new_case("daisy", {"kinds": kinds}, MATRIX_A, 1) for kinds in ("nfo", "lbn", "ffo", "bbb")]
    cases += [
        new_case(
            "daisy", {"kinds": "nfo", "named": True}, real("iris", True, ["every", 9], ["columns", 3]), 1
        )
    ]
    return cases
