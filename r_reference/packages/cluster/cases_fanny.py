"""Cases of fanny."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real

METRICS = ("euclidean", "manhattan", "SqEuclidean")
TIES = {"rows": [[1], [1], [1], [2], [5], [5], [6], [9], [1], [2], [6]]}


def random_memberships(r: Random, n: int, k: int) -> Case:
    """A matrix of memberships in eighths; sometimes rows do not add up to 1."""
    rows: list[list[float]] = []
    for _ in range(n):
        cuts = sorted(r.randint(0, 8) for _ in range(k - 1))
        rows.append([(b - a) / 8 for a, b in zip([0, *cuts], [*cuts, 8], strict=True)])
    if r.random() < 0.1:
        rows[0][0] += r.choice([1e-6, 0.5, -2])
    return {"matrix": rows}


def random_fanny(r: Random, seed: int) -> Case:
    """A call of fanny: rows or dissimilarities, exponents, starts, sometimes missing values or faults."""
    data = random_recipe(r, (6, 30), (1, 5))
    n = data["n"]
    k = r.randint(1, max(1, min(n // 2 - 1, 5)))
    args: Case = {"k": k, "form": r.choice(["rows", "rows", "rows", "dist", "vector", "square"])}
    if args["form"] == "rows":
        if r.random() < 0.5:
            args["metric"] = r.choice([*METRICS, "Sq", "man"])
        if r.random() < 0.3:
            args["stand"] = True
        if r.random() < 0.2 and data["p"] > 1:
            data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), r.randint(1, max(1, n // 4))]]
    if r.random() < 0.6:
        args["memb.exp"] = r.choice([1.25, 1.5, 1.1, 1.7, 2, 2.5, 3, 1, 1.01, 6, 40])
    if r.random() < 0.5:
        args["maxit"] = r.choice([0, 1, 2, 5, 20])
    if r.random() < 0.4:
        args["tol"] = r.choice([0, 1e-3, 1e-6, 1e-10])
    if r.random() < 0.25:
        args["iniMem.p"] = random_memberships(r, n, k)
    if r.random() < 0.15:
        args[r.choice(["keep.diss", "keep.data", "cluster.only"])] = r.random() < 0.5
    if r.random() < 0.3 and args["form"] in ("rows", "dist"):
        args["form"] = f"named {args['form']}"
    if r.random() < 0.1:
        faults: list[Any] = [("k", 0), ("k", n // 2), ("k", "NA"), ("k", 1e10), ("maxit", -1), ("tol", "NA")]
        faults += [
            ("memb.exp", 0.5),
            ("memb.exp", "Inf"),
            ("memb.exp", "NA"),
            ("metric", "none"),
            ("k", k + 0.5),
        ]
        name, value = r.choice(faults)
        args[name] = value
    return new_case("fanny", args, data, seed)


RANDOM_CASES: RandomCases = {"fanny": (60, random_fanny)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(data: Case, k: Any, **args: Any) -> Case:
        return new_case("fanny", {"k": k, **{name.replace("_", "."): v for name, v in args.items()}}, data, 1)

    cases = [on(data, k) for data in (MATRIX_A, TIES) for k in (1, 2, 3, 4)]
    cases += [on(MATRIX_A, 3, metric=m, stand=stand) for m in METRICS for stand in (True, False)]
    cases += [on(MATRIX_A, 2, memb_exp=r) for r in (1, 1.1, 1.5, 3, 10)]
    cases += [on(MATRIX_A, 2, maxit=limit, tol=1e-3) for limit in (0, 1, 50)]
    cases += [on(MATRIX_A, 3, form=form) for form in ("named rows", "named dist", "vector", "square")]
    equal = {"matrix": [[0.5, 0.25, 0.25]] * 12}
    cases += [on(MATRIX_A, 3, iniMem_p=equal, form=form, maxit=0) for form in ("rows", "named rows")]
    cases += [on(MATRIX_A, 2, iniMem_p=equal), on(MATRIX_A, 2, cluster_only=True), on(MATRIX_A, 2, tol="NA")]
    holes = {**MATRIX_A, "steps": [["set", 2, 1, "NaN"], ["set", 5, 3, "NaN"]]}
    cases += [on(holes, 3, metric=m) for m in METRICS]
    cases += [
        on({**MATRIX_A, "steps": [["set", 2, j, "NaN"] for j in (1, 2, 3)]}, 2, maxit=m) for m in (0, 9)
    ]
    cases += [on({**MATRIX_A, "steps": [["set", 2, 1, "Inf"]]}, 2, form=form) for form in ("rows", "dist")]
    for name in ("iris", "wine"):
        cases += [on(real(name, True, ["every", 3]), 3), on(real(name, True, ["every", 3]), 4, memb_exp=1.4)]
    return cases
