"""Cases of wrsk."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case, real, sample_kind
from r_reference.packages.dbscan.cases import COPIES, EQUAL, SMALL, SPEC, outlying_recipe


def random_robin(r: Random, seed: int) -> Case:
    """A call of ROBIN."""
    args: Case = {"k": r.randint(1, 7)}
    if r.random() < 0.5:
        args["mp"] = r.choice([1, 2, 5, 10, 15, 2.5])
    if r.random() < 0.4:
        args["critRobin"] = r.choice([0.9, 1, 1.01, 1.2, 2])
    return new_case("ROBIN", args, outlying_recipe(r, (9, 60), (1, 10)), seed, sample_kind=sample_kind(r))


def random_wrk(r: Random, seed: int) -> Case:
    """A call of wrk."""
    args: Case = {"k": r.choice([1, 2, 2, 3, 3, 4, 6])}
    if r.random() < 0.3:
        args["max.iter"] = r.choice([1, 2, 3, 5])
    if r.random() < 0.3:
        args["cutoff"] = r.choice([0, 0.2, 0.8, 1])
    return new_case("wrk", args, outlying_recipe(r, (10, 70), (1, 12)), seed, sample_kind=sample_kind(r))


def random_wrsk(r: Random, seed: int) -> Case:
    """A call of wrsk, mostly with an attainable bound."""
    data = outlying_recipe(r, (10, 70), (1, 14))
    args: Case = {"k": r.choice([2, 2, 3, 3, 4, 5]), "s": round(r.uniform(0.9, data["p"] ** 0.5 + 0.4), 3)}
    if r.random() < 0.3:
        args["iteration"] = r.choice([1, 2, 4])
    if r.random() < 0.3:
        args["cutoff"] = r.choice([0, 0.2, 0.8, 1])
    return new_case("wrsk", args, data, seed, sample_kind=sample_kind(r))


def random_gap(r: Random, seed: int) -> Case:
    """A call of wrskGap with few bounds and permutations."""
    data = outlying_recipe(r, (20, 45), (2, 6))
    bounds = sorted(round(r.uniform(1.05, data["p"] ** 0.5), 3) for _ in range(r.randint(1, 3)))
    args: Case = {"K": r.choice([2, 2, 3]), "S": bounds, "npermute": r.randint(1, 2)}
    return new_case("wrskGap", args, data, seed, sample_kind=sample_kind(r))


def random_rates(r: Random, seed: int) -> Case:
    """A call of GetOutRates on whole numbers, where 0 marks an outlier."""
    n = r.randint(1, 20)
    label, predict = ([r.randint(0, r.choice([1, 3])) for _ in range(n)] for _ in range(2))
    args = {"label": label, "predict": predict, "out": r.choice([0, 0, 1, 7])}
    return new_case("GetOutRates", args, None, seed)


def random_simulation(r: Random, seed: int) -> Case:
    """A call of SimData."""
    p, noise = r.randint(2, 9), r.randint(1, 8)
    args: Case = {
        "size_grp": [r.randint(8, 30) for _ in range(r.randint(2, min(p, 4)))],
        "p_inf": p,
        "p_noise": noise,
        "p_out_inf": r.randint(1, p),
        "scatter_out": r.random() < 0.5,
    }
    if r.random() < 0.5:
        args["pct_out"] = r.choice([0.05, 0.25, 0.5])
    if r.random() < 0.6:
        args["p_out_noise"] = r.randint(2, noise) if noise > 1 else 1
    if r.random() < 0.4:
        args["noise_pct_out"] = r.choice([0.2, 0.3])
    return new_case("SimData", args, None, seed, sample_kind=sample_kind(r))


RANDOM_CASES: RandomCases = {
    "ROBIN": (36, random_robin),
    "wrk": (40, random_wrk),
    "wrsk": (44, random_wrsk),
    "wrskGap": (30, random_gap),
    "GetOutRates": (36, random_rates),
    "SimData": (36, random_simulation),
}
"""Number of random cases in the table, and their generator, of each function."""


def _on(function: str, data: Case | None, seed: int = 1, **args: Any) -> Case:
    """A chosen case."""
    return new_case(function, {name.replace("_iter", ".iter"): v for name, v in args.items()}, data, seed)


def _start_cases() -> list[Case]:
    """ROBIN: limits of its arguments, ties, real data."""
    cases = [_on("ROBIN", SPEC, k=k) for k in (0, 1, 3, 2.5, 61, -1)]
    cases += [_on("ROBIN", SPEC, k=2, mp=m) for m in (59, 60, 1, 0)]
    cases += [_on("ROBIN", SPEC, k=2, critRobin=0), _on("ROBIN", EQUAL, k=2), _on("ROBIN", COPIES, k=3)]
    return cases + [_on("ROBIN", real("iris", scaled), k=3) for scaled in (False, True)]


def _kmeans_cases() -> list[Case]:
    """wrk: inputs that end it at once, lost clusters, real data."""
    cases = [_on("wrk", SPEC, k=k) for k in (0, 1, 2, 2.5, 7, 30, 70, -1)]
    cases += [_on("wrk", SPEC, k=2, max_iter=m) for m in (0, 1, 2, 3)]
    cases += [_on("wrk", SPEC, k=2, cutoff=c) for c in (-1, 0, 1, 3)]
    cases += [_on("wrk", {**SMALL, "n": 10}, k=2)]
    cases += [
        _on("wrk", data, k=k, **more)
        for data in (EQUAL, COPIES)
        for k in (2, 3)
        for more in ({}, {"max_iter": 2})
    ]
    cases += [
        _on("wrk", {**SPEC, "steps": [["columns", 1]]}, k=k, cutoff=c) for k in (1, 2) for c in (0.5, 2)
    ]
    for name, k in (("iris", 3), ("wine", 3)):
        cases += [_on("wrk", real(name, scaled), k=k, seed=7) for scaled in (False, True)]
    return cases


def _sparse_cases() -> list[Case]:
    """wrsk: small data, errors and quirks, real data."""
    awkward = [{**SPEC, "steps": [["set", 3, 3, v]]} for v in ("NaN", "Inf")]
    cases = [_on("wrsk", SPEC, k=2, s=s) for s in (1.5, 1, 0.5, 0, -1, 100)]
    cases += [_on("wrsk", SPEC, k=k, s=1.5) for k in (0, 1, 2.5, 4, 30, 70, -1)]
    cases += [_on("wrsk", SPEC, k=2, s=1.5, iteration=i) for i in (1, 2, 15)]
    cases += [_on("wrsk", SPEC, k=2, s=1.5, cutoff=c) for c in (-1, 0, 1, 2)]
    cases += [_on("wrsk", data, k=2, s=1.5) for data in (*awkward, EQUAL, SMALL, {**SMALL, "n": 10})]
    cases += [_on("wrsk", COPIES, k=3, s=1.5, iteration=i) for i in (1, 15)]
    cases += [_on("wrsk", {**SPEC, "steps": [["columns", 1]]}, k=k, s=1.5) for k in (1, 2)]
    constant = [["constant", 3, 2.5], ["multiply", 1e-4]]
    cases += [
        _on("wrsk", {**SPEC, "steps": [*SPEC["steps"], *steps]}, k=2, s=1.6)
        for steps in (constant, constant[:1])
    ]
    for name, k in (("iris", 3), ("wine", 3)):
        cases += [_on("wrsk", real(name, scaled), k=k, s=1.4, seed=7) for scaled in (False, True)]
    return [*cases, _on("wrsk", real("wdbc", True, ["every", 4]), k=2, s=3, seed=7)]


def _other_cases() -> list[Case]:
    """wrskGap, GetOutRates and SimData."""
    cases = [_on("wrskGap", SPEC, K=2, S=bounds, npermute=2) for bounds in ([1.2, 1.5, 2], [2, 1.5], [1.2])]
    cases += [
        _on("wrskGap", SPEC, K=1, S=[1.2, 1.3], npermute=2),
        _on("wrskGap", COPIES, K=3, S=[1.2, 1.5], npermute=2),
    ]
    cases += [_on("wrskGap", SPEC, K=2, S=[1.2, 1.3], npermute=1)]
    for name in ("iris", "wine"):
        thin = real(name, True, ["every", 4], ["columns", 4])
        cases += [_on("wrskGap", thin, K=k, S=[1.1, 1.4], npermute=2) for k in (2, 3)]
    few = {"label": [1, 1, 2, 1], "predict": [0, 0, 2, 1]}
    cases += [_on("GetOutRates", None, **few, out=out) for out in (0, 1, 2, 3)]
    groups: Case = {"size_grp": [20, 30], "p_inf": 10, "p_noise": 30}
    cases += [
        _on("SimData", None, **groups, p_out_inf=q, scatter_out=s) for q in (1, 2, 10) for s in (True, False)
    ]
    cases += [_on("SimData", None, **groups, p_out_inf=3, p_out_noise=q) for q in (2, 30)]
    return [*cases, _on("SimData", None, **{**groups, "p_noise": 1}, p_out_inf=3, p_out_noise=1)]


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return _start_cases() + _kmeans_cases() + _sparse_cases() + _other_cases()
