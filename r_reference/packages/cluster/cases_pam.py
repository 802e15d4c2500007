"""Cases of pam."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, SIX_ROWS, Case, RandomCases, new_case, random_recipe, real

TIES = {"rows": [[1], [1], [1], [2], [5], [5], [6], [9]]}


def random_pam(r: Random, seed: int) -> Case:
    """A call of pam: rows or dissimilarities, often with ties, sometimes with missing values or faults."""
    data = random_recipe(r, (3, 60), (1, 6))
    n = data["n"]
    k = r.randint(1, min(n - 1, 8))
    args: Case = {"k": k, "form": r.choice(["rows", "rows", "rows", "dist", "dist", "vector", "square"])}
    if args["form"] == "rows":
        if r.random() < 0.5:
            args["metric"] = r.choice(["manhattan", "euclidean", "man"])
        if r.random() < 0.3:
            args["stand"] = True
        if r.random() < 0.2:
            data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), r.randint(1, n)]]
    choice = r.random()
    if choice < 0.2:
        args["medoids"] = r.sample(range(1, n + 1), k)
    elif choice < 0.3:
        args["nstart"] = r.randint(1, 4)
    elif choice < 0.35:
        args["medoids"] = r.choice([[1, 1], [0, 2], [1, n + 1], [1, "NA"]])
    for name in ("do.swap", "cluster.only"):
        if r.random() < 0.15:
            args[name] = r.choice([True, False])
    if r.random() < 0.1:
        args["k"] = r.choice([0, n, n - 1, k + 0.5, -1, "NA"])
    if r.random() < 0.3 and args["form"] in ("rows", "dist"):
        args["form"] = f"named {args['form']}"
    return new_case("pam", args, data, seed)


RANDOM_CASES: RandomCases = {"pam": (60, random_pam)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(data: Case, k: Any, **args: Any) -> Case:
        return new_case("pam", {"k": k, **{name.replace("_", "."): v for name, v in args.items()}}, data, 1)

    cases = [on(data, k) for data in (MATRIX_A, SIX_ROWS, TIES) for k in (1, 2, 3, 5)]
    cases += [on(TIES, k, form="dist", do_swap=swap) for k in (2, 4, 7) for swap in (True, False)]
    cases += [on(MATRIX_A, 3, **args) for args in ({"stand": True}, {"metric": "foo"}, {"keep_diss": False})]
    cases += [on(MATRIX_A, 3, keep_data=False), on(MATRIX_A, 3, keep_data=True, form="dist")]
    cases += [on(MATRIX_A, 3, keep_diss=True, form="named dist"), on(MATRIX_A, 3, cluster_only=True)]
    cases += [on(MATRIX_A, 3, nstart=4), on(MATRIX_A, 3, medoids="random", nstart=2, do_swap=False)]
    cases += [on({**MATRIX_A, "steps": [["constant", 2, 1.5]]}, 3, stand=True)]
    cases += [on({**MATRIX_A, "steps": [["set", 2, j, "NaN"] for j in (1, 2, 3)]}, 2)]
    cases += [on({"rows": [[0, 0], [0, "NaN"], [0, 0], [0, 0]]}, 2)]
    for name in ("iris", "wine"):
        cases += [
            on(real(name, True, ["every", 2]), 3),
            on(real(name, False, ["every", 3]), 4, metric="manhattan"),
        ]
    return cases
