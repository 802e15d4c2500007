"""Cases of svd: random data of all shapes, special matrices, numbers of vectors, errors."""

from random import Random

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real


def random_svd(r: Random, seed: int) -> Case:
    """Tall, wide and square matrices, sometimes with the values alone or with all vectors."""
    data = random_recipe(r, (2, r.choice([12, 50])), (1, r.choice([6, 25])))
    args: Case = {}
    if r.random() < 0.08:  # divided and in blocks
        data = random_recipe(r, (26, 60), (26, 60))
    if r.random() < 0.4:
        args["nu"] = r.choice([0, 0, 1, data["n"]])
    if r.random() < 0.4:
        args["nv"] = r.choice([0, 0, 1, data["p"]])
    return new_case("svd", args, data, seed)


RANDOM_CASES: RandomCases = {"svd": (60, random_svd)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Small and special matrices, real data, errors."""

    def on(rows: list[list[object]], **args: object) -> Case:
        return new_case("svd", args, {"rows": rows}, 1)

    band = [[(2.0 if i == j else -1.0 if abs(i - j) == 1 else 0.0) for j in range(7)] for i in range(7)]
    cases = [on([[3]]), on([[-3]]), on([[0, 0], [0, 0]]), on([[2, 1], [1, 2]]), on([[0, -2], [3, 0]])]
    cases += [on([[1, 2, 3]]), on([[1], [2], [3]]), on([[1, 1], [1, 1], [1, 1]]), on(band)]
    cases += [on([[v * size for v in row] for row in band]) for size in (1e-160, 1e-300, 1e150, 1e300)]
    cases += [on([[1, "NaN"], ["NaN", 1]]), on([[1, "Inf"], ["Inf", 1]])]
    counts = [{"nu": 0}, {"nv": 0}, {"nu": 0, "nv": 0}, {"nu": 1.7, "nv": 4}, {"nu": 12}, {"nu": 99, "nv": 1}]
    counts += [{"nu": -1}, {"nv": -2}, {"nu": "NA"}, {"nu": 0.5}, {"nu": 3.5}]
    cases += [new_case("svd", args, MATRIX_A, 1) for args in counts]
    return cases + [new_case("svd", {}, real(name, True), 1) for name in ("iris", "wine")]
