"""Cases of eigen for symmetric matrices: covariances of random data, special matrices, errors."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case, random_recipe, real


def random_eigen(r: Random, seed: int) -> Case:
    """Covariances of random data, of full rank or not, sometimes the values alone."""
    args: Case = {"of": r.choice(["var", "var", "crossprod"])}
    if r.random() < 0.2:
        args["only.values"] = True
    return new_case("eigen", args, random_recipe(r, (2, 40), (2, r.choice([8, 20, 60]))), seed)


RANDOM_CASES: RandomCases = {"eigen": (50, random_eigen)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Small and special matrices, real data, errors."""

    def on(rows: list[list[float]], **args: object) -> Case:
        return new_case("eigen", args, {"rows": rows}, 1)

    identity = [[float(i == j) for j in range(5)] for i in range(5)]
    equal = [[1.0 if i == j else 0.5 for j in range(6)] for i in range(6)]
    band = [[(2.0 if i == j else -1.0 if abs(i - j) == 1 else 0.0) for j in range(7)] for i in range(7)]
    cases = [on([[3]]), on([[-3]]), on([[0, 0], [0, 0]]), on([[2, 1], [1, 2]]), on([[1, 2], [2, 1]])]
    for m in (identity, equal, band):
        cases += [on(m), on(m, **{"only.values": True})]
    cases += [on([[v * size for v in row] for row in band]) for size in (1e-160, 1e-300, 1e150, 1e300)]
    cases += [on([[1, 9, 9], [2, 3, 9], [3, 4, -5]], symmetric=True), on([[1, 2, 3], [4, 5, 6]])]
    cases += [on([[1, "NaN"], ["NaN", 1]]), on([[1, "Inf"], ["Inf", 1]])]
    for name in ("iris", "wine", "wdbc"):
        cases += [new_case("eigen", {"of": "var"}, real(name, scaled), 1) for scaled in (False, True)]
    wide = {"draw": "normal", "seed": 4, "n": 150, "p": 100, "steps": []}
    return [*cases, new_case("eigen", {"of": "var"}, wide, 1)]
