"""Cases of pamk."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real, sample_kind


def random_choice(r: Random, seed: int) -> Case:
    """A call of pamk: rows or dissimilarities, all criteria, tests of one cluster, sometimes faults."""
    data = random_recipe(r, (8, 60), (1, 4))
    n, p = data["n"], data["p"]
    numbers = list(range(r.randint(1, 3), r.randint(3, 6)))
    if r.random() < 0.3:
        numbers = r.sample(range(1, 7), r.randint(2, 4))
    args: Case = {"krange": numbers, "form": r.choice(["rows", "rows", "rows", "named rows", "dist"])}
    if args["form"] == "dist":
        if r.random() < 0.3:
            args["criterion"] = "ch"
        return new_case("pamk", args, data, seed, sample_kind=sample_kind(r))
    choice = r.random()
    if choice < 0.3:
        args["criterion"] = "ch"
    elif choice < 0.6:
        args |= {"criterion": "multiasw", "ns": r.randint(2, 3)}
        if r.random() < 0.5:
            args["seed"] = r.randint(1, 1000)
    if r.random() < 0.4:
        args["scaling"] = r.choice([True, [r.choice([0.5, 1, 2, 10]) for _ in range(p)]])
    if r.random() < 0.3:
        args["alpha"] = r.choice([0, 0.01, 0.2, 0.5, 0.9, 1])
    if r.random() < 0.3:
        args["usepam"] = False
        if r.random() < 0.5:
            args["samples"] = r.randint(1, 6)
    if r.random() < 0.3:
        args |= r.choice([{"metric": "manhattan"}, {"stand": True}, {"metric": "manhattan", "stand": True}])
    choice = r.random()
    if choice < 0.05:
        args["krange"] = r.choice([[1], [0, 2], [2, n], [2, "NA"], [n - 1, 2]])
    elif choice < 0.1:
        args |= r.choice([{"criterion": "none"}, {"alpha": 2}, {"alpha": "NA"}, {"scaling": [1] * (p + 1)}])
    elif choice < 0.15:
        data["steps"] = [*data["steps"], ["set", 1, 1, "NaN"]]
    return new_case("pamk", args, data, seed, sample_kind=sample_kind(r))


RANDOM_CASES: RandomCases = {"pamk": (60, random_choice)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(data: Case, numbers: list[Any], **args: Any) -> Case:
        named = {name.replace("_", "."): value for name, value in args.items()}
        return new_case("pamk", {"krange": numbers, **named}, data, 1)

    cases = [on(MATRIX_A, numbers) for numbers in ([2], [1, 2, 3], [3, 2, 1], [1, 3], [3, 3, 2], [11, 10])]
    cases += [on(MATRIX_A, numbers) for numbers in ([1], [2, 12], [0, 2], [2, "NA"], [])]
    cases += [on(MATRIX_A, numbers, form="dist") for numbers in ([1], [1, 2, 3], [2, 4])]
    cases += [on(MATRIX_A, [2, 3, 4], criterion=name, ns=2, seed=3) for name in ("ch", "multiasw", "none")]
    cases += [on(MATRIX_A, [2, 3, 4], criterion="multiasw", ns=parts) for parts in (5, 6, 12, 13)]
    cases += [on(MATRIX_A, [1, 2], alpha=level) for level in (0, 0.5, 1, 2, -1, "NA")]
    cases += [on(MATRIX_A, [2, 3], scaling=by) for by in (True, False, 2, [1, 2, 3], [1, 2], "NA")]
    cases += [on(MATRIX_A, [2, 3], **args) for args in ({"cluster_only": True}, {"usepam": False})]
    cases += [on({"rows": [[1, 1]] * 6}, numbers) for numbers in ([2, 3], [1, 2])]
    holes = {**MATRIX_A, "steps": [["set", 2, 1, "NaN"]]}
    cases += [on(holes, numbers, criterion=name) for numbers in ([1, 2], [2, 3]) for name in ("asw", "ch")]
    for name in ("iris", "wine"):
        cases += [
            on(real(name, scaled), [1, 2, 3, 4, 5], **args)
            for scaled in (False, True)
            for args in ({}, {"criterion": "ch"}, {"usepam": False, "criterion": "multiasw", "ns": 3})
        ]
    return cases
