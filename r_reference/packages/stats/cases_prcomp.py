"""Cases of prcomp, with the importance of components of its summary."""

from random import Random

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real


def random_prcomp(r: Random, seed: int) -> Case:
    """Axes of data of all shapes, centred and scaled or not, sometimes fewer than there are."""
    data = random_recipe(r, (2, r.choice([12, 50])), (1, r.choice([6, 25])))
    args: Case = {}
    if r.random() < 0.05:  # divided and in blocks
        data = random_recipe(r, (26, 60), (26, 60))
    if r.random() < 0.4:
        args["scale."] = True
    if r.random() < 0.3:
        args["center"] = r.choice([False, [round(r.gauss(0, 1), 2) for _ in range(data["p"])]])
    if r.random() < 0.2:
        args["rank."] = r.randint(1, 6)
    if r.random() < 0.2:
        args["tol"] = r.choice([0, 0.1, 0.5, 1e-8])
    if r.random() < 0.1:
        args["retx"] = False
    return new_case("prcomp", args, data, seed)


RANDOM_CASES: RandomCases = {"prcomp": (60, random_prcomp)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Real data, small matrices, every argument, errors."""
    cases = [
        new_case("prcomp", {"scale.": s}, real(name, False), 1)
        for name in ("iris", "wine")
        for s in (False, True)
    ]
    few: list[Case] = [{}, {"center": False}, {"center": [1, 2, 3], "scale.": [1, -1, 2]}, {"center": [1, 2]}]
    few += [{"retx": False}, {"tol": 0.5}, {"tol": 2}, {"tol": -1}, {"tol": "NA"}]
    few += [{"rank.": k} for k in (1, 2, 9, 1.5, 0, -1, "NA", "Inf")] + [
        {"rank.": [1, 2]},
        {"scale.": [1, 0, 2]},
    ]
    few += [{"scale.": [1, "NA", 2]}, {"scale.": "NA"}, {"scale.": True, "tol": 0.9, "rank.": 3}]
    cases += [new_case("prcomp", args, MATRIX_A, 1) for args in few]
    for rows in (
        [[1, 2, 3]],
        [[1, 2, 3], [3, 1, 0]],
        [[1], [4], [2]],
        [[0, 0], [0, 0], [0, 0]],
        [[1, "NaN"], [2, 1]],
    ):
        cases += [new_case("prcomp", {}, {"rows": rows}, 1)]
    constant: Case = {"rows": [[1, 2], [1, 3], [1, 5]]}
    return cases + [
        new_case("prcomp", args, constant, 1) for args in ({}, {"scale.": True}, {"tol": 0}, {"tol": -1})
    ]
