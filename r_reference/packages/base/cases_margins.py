"""Cases of sweep and prop.table."""

from random import Random

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe


def random_sweep(r: Random, seed: int) -> Case:
    """A call of sweep; the numbers fit, or not."""
    data = random_recipe(r, (2, 20), (1, 6))
    margin = r.choice([1, 2])
    extent = data["n"] if margin == 1 else data["p"]
    size = extent if r.random() < 0.7 else r.choice([1, 2, extent + 1, 2 * extent])
    args: Case = {"MARGIN": margin, "STATS": [r.choice([0, round(r.gauss(0, 3), 2)]) for _ in range(size)]}
    if r.random() < 0.6:
        args["FUN"] = r.choice(["-", "+", "*", "/"])
    if r.random() < 0.2:
        args["check.margin"] = r.random() < 0.5
    return new_case("sweep", args, data, seed)


def random_shares(r: Random, seed: int) -> Case:
    """A call of prop.table on a matrix or a table of counts."""
    args: Case = {"margin": r.choice([1, 2])} if r.random() < 0.6 else {}
    if r.random() < 0.5:
        n = r.randint(2, 60)
        args |= {name: [r.randint(1, 4) for _ in range(n)] for name in ("first", "second")}
        return new_case("prop.table", args, None, seed)
    return new_case("prop.table", args, random_recipe(r, (2, 20), (1, 5)), seed)


RANDOM_CASES: RandomCases = {"sweep": (40, random_sweep), "prop.table": (40, random_shares)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    cases = [new_case("sweep", {"MARGIN": m, "STATS": [1, 2, 3]}, MATRIX_A, 1) for m in (1, 2, 3)]
    cases += [new_case("prop.table", args, MATRIX_A, 1) for args in ({}, {"margin": 1}, {"margin": 3})]
    return [*cases, new_case("prop.table", {"x": [1, 2, "NaN"]}, None, 1)]
