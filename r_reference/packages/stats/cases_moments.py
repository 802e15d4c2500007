"""Cases of stats: var, sd, cov, cor, median, quantile."""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, REAL, Case, RandomCases, new_case, random_recipe, real

USES = ["everything", "complete.obs", "na.or.complete", "all.obs", "c", "every", "pairwise"]


def _recipe(r: Random) -> Case:
    """Data of any scale, often with missing cells, sometimes with an infinite one."""
    data = random_recipe(r, (2, 50), (1, 6))
    n, p = data["n"], data["p"]
    steps = [step for step in data["steps"] if step[0] != "set"]
    if r.random() < 0.3:
        steps.append(["multiply", r.choice([1e-290, 1e-160, 1e150, 1e290, -7.3])])
    if r.random() < 0.4:
        steps.append(["missing", r.randrange(1, 2**31), r.randint(1, r.choice([3, n]))])
    if r.random() < 0.07:
        steps.append(["set", r.randint(1, n), r.randint(1, p), r.choice(["Inf", "-Inf", "NaN", 1e200])])
    return {**data, "steps": [step for step in steps if step[0] != "missing" or step[2] <= n * p]}


def _column(r: Random, n: int) -> list[Any]:
    """A vector, sometimes constant or with missing values."""
    if r.random() < 0.1:
        return [2.5] * n
    digits = r.choice([1, 4, 15])
    return [round(r.gauss(3, 2), digits) if r.random() < 0.98 else "NaN" for _ in range(n)]


def _with_second(r: Random, data: Case) -> Case:
    """The argument y: none, a vector or a matrix, sometimes too short."""
    n = data["n"] - (r.random() < 0.04)
    kind = r.random()
    if kind < 0.4:
        return {}
    if kind < 0.7:
        return {"y": _column(r, n)}
    columns = [_column(r, n) for _ in range(r.randint(1, 3))]
    return {"y": {"matrix": [list(row) for row in zip(*columns, strict=True)]}}


def _tied(r: Random, data: Case) -> Case:
    """Data of which some are rounded, so that ranks tie."""
    steps = [*data["steps"][:1], ["round", 2], *data["steps"][1:]] if r.random() < 0.5 else data["steps"]
    return {**data, "steps": steps}


def random_pairs(function: str) -> Callable[[Random, int], Case]:
    """What makes a call of var, cov or cor."""

    def random_call(r: Random, seed: int) -> Case:
        """A call on a matrix, or on two vectors."""
        if r.random() < 0.15:
            n = r.randint(2, 30)
            data: Case | None = None
            args: Case = {"x": _column(r, n), "y": _column(r, n)}
        else:
            data = _recipe(r)
            args = _with_second(r, data)
        if r.random() < 0.6:
            args["use"] = r.choice(USES)
        if function != "var" and r.random() < 0.5:
            args["method"] = r.choice(["kendall", "spearman", "k", "sp", "pearson"])
            data = data and _tied(r, data)
            if args["method"][0] == "k" and args.get("use", "everything")[0] == "e":
                args["use"] = (
                    "complete.obs"  # with missing values R's warning rests on memory that was not set
                )
        if function == "var" and r.random() < 0.5:
            args["na.rm"] = r.random() < 0.8
        return new_case(function, args, data, seed)

    return random_call


def random_single(function: str) -> Callable[[Random, int], Case]:
    """What makes a call of sd or median."""

    def random_call(r: Random, seed: int) -> Case:
        """A call with or without missing values left out."""
        args: Case = {"na.rm": r.choice([True, True, False, 1])} if r.random() < 0.7 else {}
        return new_case(function, args, _recipe(r), seed)

    return random_call


def random_quantile(r: Random, seed: int) -> Case:
    """A call of quantile, probabilities at and between the places of the numbers."""
    args: Case = {"na.rm": True} if r.random() < 0.8 else {}
    if r.random() < 0.7:
        choices = [0, 1, 0.5, 1 / 3, 0.1, 0.975, r.random(), r.random(), round(r.random(), 2), 1e-9]
        args["probs"] = [r.choice(choices) for _ in range(r.randint(1, 8))]
        if r.random() < 0.1:
            args["probs"].append(r.choice(["NA", -1e-15, 1 + 1e-14, 1.1, -0.1, "Inf"]))
    if r.random() < 0.6:
        args["type"] = r.randint(1, 9)
    return new_case("quantile", args, _recipe(r), seed)


def random_covariances(r: Random, seed: int) -> Case:
    """A call of cov2cor on covariances, or on numbers that are none."""
    p = r.randint(1, 6)
    rows = [[r.gauss(0, 1) for _ in range(p + 3)] for _ in range(p)]
    v = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in rows] for x in rows]
    if r.random() < 0.15:
        v[0][0] = r.choice([0, -1, "NaN"])
    return new_case("cov2cor", {"x": {"matrix": v}}, None, seed)


RANDOM_CASES: RandomCases = {
    **{function: (60, random_pairs(function)) for function in ("var", "cov", "cor")},
    **{function: (50, random_single(function)) for function in ("sd", "median")},
    "quantile": (55, random_quantile),
    "cov2cor": (40, random_covariances),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    data = [real(name, scaled) for name in REAL for scaled in (False, True)]
    few: list[Case] = [
        {"rows": [[1, "NaN"], ["NaN", 2], [3, "NaN"]]},
        {"rows": [["NaN", 1, 3], ["NaN", 1, 4], ["NaN", 1, 6]]},
        {"rows": [[1, 1, 2], [2, 1, "Inf"], [4, 1, 0]]},
        {"rows": [[1e-200, 1], [2e-200, 2], [5e-200, 9]]},
        {"rows": [[1, 2, 3]]},
    ]
    cases = [
        new_case(function, {}, x, 1)
        for function in RANDOM_CASES
        if function != "cov2cor"
        for x in (*data, *few)
    ]
    for function in ("var", "cov", "cor"):
        uses = [*USES[1:4], "pairwise.complete.obs"]
        cases += [new_case(function, {"use": use}, x, 1) for x in few for use in uses]
        cases += [new_case(function, {"y": y}, few[3], 1) for y in ([1, 1, 1], [1, 2], [1, 5, 2])]
        cases += [
            new_case(function, {"use": "z"}, MATRIX_A, 1),
            new_case(function, {"x": [1, 2, 4]}, None, 1),
        ]
    cases.append(new_case("cor", {"method": "z"}, MATRIX_A, 1))
    for function in ("cov", "cor"):
        for method in ("kendall", "spearman"):
            plain = few if method == "spearman" else few[3:]
            cases += [new_case(function, {"method": method}, x, 1) for x in (*data[:2], *plain)]
            cases += [
                new_case(function, {"method": method, "use": use}, x, 1)
                for x in few
                for use in (*USES[1:4], "pairwise")
            ]
    return cases + [
        new_case("quantile", {"probs": p, "names": False, "type": kind}, MATRIX_A, 1)
        for p in (0.3, [0, 0.07, 0.25, 0.29, 0.5, 1])
        for kind in range(1, 10)
    ]
