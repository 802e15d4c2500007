"""Cases of clara."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real

METRICS = ("euclidean", "manhattan")
TIES = {"rows": [[1], [1], [1], [2], [5], [5], [6], [9], [1], [2], [6]]}


def random_clara(r: Random, seed: int) -> Case:
    """A call of clara: samples of all sizes, ties, missing values, sometimes faults."""
    data = random_recipe(r, (3, 130), (1, 5))
    n = data["n"]
    k = r.randint(1, min(n - 1, 7))
    args: Case = {"k": k, "form": r.choice(["rows", "rows", "named rows"])}
    if r.random() < 0.8:
        args["sampsize"] = r.randint(k + 1, n) if r.random() < 0.6 else min(n, k + r.randint(1, 12))
    if r.random() < 0.5:
        args["samples"] = r.choice([1, 2, 3, 10, 20])
    if r.random() < 0.4:
        args["metric"] = r.choice(["manhattan", "euclidean", "man"])
    for name, share in (("stand", 0.3), ("rngR", 0.4), ("pamLike", 0.4), ("cluster.only", 0.1)):
        if r.random() < share:
            args[name] = r.random() < 0.8
    if r.random() < 0.1 and "stand" not in args:  # rows without a value above 0.9 make R's answer NaN
        args["metric"] = r.choice(["jaccard", "jac"])
        data["steps"] = [*data["steps"], ["constant", 1, 1]]
    if r.random() < 0.3 and data["draw"] == "normal":
        data["steps"] = [*data["steps"], ["round", 1]]
    if r.random() < 0.15:
        args[r.choice(["medoids.x", "keep.data"])] = False
    # Of equal rows with missing values R loses clusters.
    apart = data["draw"] != "integer" and not {"round", "duplicate"} & {step[0] for step in data["steps"]}
    if r.random() < 0.4 and data["p"] > 1 and apart and "jac" not in args.get("metric", ""):
        data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), r.randint(1, max(1, n // 2))]]
        if r.random() < 0.8:
            args["correct.d"] = r.random() < 0.5
    if r.random() < 0.08:
        faults: list[Any] = [("k", 0), ("k", n), ("k", "NA"), ("k", 1e10), ("samples", 0), ("samples", "NA")]
        faults += [("sampsize", k), ("sampsize", n + 1), ("metric", "none"), ("rngR", "NA"), ("k", k + 0.5)]
        name, value = r.choice(faults)
        args[name] = value
    return new_case("clara", args, data, seed)


RANDOM_CASES: RandomCases = {"clara": (60, random_clara)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(data: Case, k: Any, **args: Any) -> Case:
        return new_case("clara", {"k": k, **{name.replace("_", "."): v for name, v in args.items()}}, data, 1)

    cases = [on(MATRIX_A, k) for k in (1, 2, 3, 11)]
    cases += [
        on(TIES, k, sampsize=size, pamLike=like) for k in (2, 4) for size in (6, 11) for like in (True, False)
    ]
    cases += [on(MATRIX_A, 3, medoids_x=False, keep_data=keep) for keep in (True, False)]
    cases += [on(MATRIX_A, 2, **args) for args in ({"stand": True}, {"keep_data": False}, {"pamLike": "NA"})]
    holes = {**MATRIX_A, "steps": [["set", 2, 1, "NaN"], ["set", 5, 3, "NaN"]]}
    cases += [on(holes, 3, correct_d=correct, metric=m) for correct in (True, False) for m in METRICS]
    cases += [on(holes, 2), on(holes, 2, correct_d="NA")]
    empty = {**MATRIX_A, "steps": [["set", 2, j, "NaN"] for j in (1, 2, 3)]}
    cases += [on(empty, 2), on({**MATRIX_A, "steps": [["set", 2, 1, "Inf"]]}, 2)]
    cases += [on({"rows": [[i % 2, 1, i % 3] for i in range(13)]}, k, metric="jaccard") for k in (2, 3)]
    for name in ("iris", "wine", "digits"):
        cases += [on(real(name, False), 4, metric=m, form="named rows") for m in METRICS]
        cases += [on(real(name, False), 3, rngR=True, samples=10)]
    return cases
