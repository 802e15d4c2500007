"""Cases of print, str and summary: values of many kinds, made of numbers, and what is printed of them."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real

VECTORS = ["plain", "named", "logical", "texts", "factor", "ordered", "integers"]
KINDS = [*VECTORS, "matrix", "dimnamed", "frame", "rows", "mixed", "list", "words"]
DISTANCES = ["dist", "minkowski", "named.dist", "as.dist", "cophenetic", "cophenetic.tree", "tree"]


def _case(function: str, kind: str, data: Any, seed: int, **args: Any) -> Case:
    """A call that makes a value of a kind from data."""
    return new_case(function, {"kind": kind, **args}, data, seed)


def _data(r: Random) -> Case:
    """Data of any scale, often rounded, sometimes with missing cells."""
    data = random_recipe(r, (2, 40), (1, 7))
    steps = [step for step in data["steps"] if step[0] != "set"]
    if r.random() < 0.5:
        steps.append(["round", r.choice([1, 2, 10, 1000])])
    if r.random() < 0.3:
        steps.append(["multiply", r.choice([1e-10, 1e-4, 1e5, 1e12])])
    if r.random() < 0.3:
        steps.append(["missing", r.randrange(1, 2**31), 1])
    return {**data, "steps": steps}


def random_print(r: Random, seed: int) -> Case:
    """A call of print, sometimes with other digits."""
    args: Case = {"digits": r.choice([1, 3, 4, 10, 15])} if r.random() < 0.4 else {}
    kind = r.choice(KINDS)
    if kind in ("factor", "ordered", "texts", "mixed", "words", "list"):
        args = {}
    return _case("print", kind, _data(r), seed, **args)


def random_summary(r: Random, seed: int) -> Case:
    """A call of summary."""
    return _case("summary", r.choice([kind for kind in KINDS if kind != "list"]), _data(r), seed)


def random_str(r: Random, seed: int) -> Case:
    """A call of str."""
    return _case("str", r.choice([*KINDS, *DISTANCES]), _data(r), seed)


RANDOM_CASES: RandomCases = {
    "print": (70, random_print),
    "str": (50, random_str),
    "summary": (50, random_summary),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    cases = [_case("print", kind, MATRIX_A, 1) for kind in KINDS]
    cases += [_case("print", "matrix", MATRIX_A, 1, digits=digits) for digits in (0, 3, 23)]
    cases += [_case("summary", kind, MATRIX_A, 1) for kind in KINDS if kind != "list"]
    cases += [_case("str", kind, MATRIX_A, 1) for kind in (*KINDS, *DISTANCES)]
    return cases + [_case(name, "frame", real("iris", False), 1) for name in ("print", "str", "summary")]
