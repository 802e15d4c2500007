"""Cases of base: every generator and every way to make normals, followed by calls that draw."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case, real
from r_reference.packages.base.cases import random_sample, random_sample_int
from r_reference.packages.stats.cases import random_kmeans, random_rexp, random_rnorm, random_runif
from r_reference.packages.stats.cases_draws import RANDOM_CASES as DISTRIBUTIONS

GENERATORS = (
    "L'Ecuyer-CMRG",
    "Wichmann-Hill",
    "Marsaglia-Multicarry",
    "Super-Duper",
    "Knuth-TAOCP-2002",
    "Knuth-TAOCP",
)
NORMALS = ("Box-Muller", "Ahrens-Dieter", "Kinderman-Ramage", "Buggy Kinderman-Ramage")
SAMPLERS = ("Rejection", "Rounding")
CALLS = {
    "runif": random_runif,
    "rnorm": random_rnorm,
    "rexp": random_rexp,
    "sample": random_sample,
    "sample.int": random_sample_int,
    "kmeans": random_kmeans,
    **{name: make for name, (_, make) in DISTRIBUTIONS.items()},
}
SEEDS = (-405560683, -2133280540, 433966899, 75348296, 1845489507, -1990828124, 0, 2147483647)
"""Seeds that give a word 0 or words above L'Ecuyer's moduli, and ends of the range."""


def random_kinds(r: Random, seed: int) -> Case:
    """A choice of kinds, most often with a seed, and a call."""
    kinds = {
        "kind": r.choice([*GENERATORS, "Mersenne-Twister", "default"]),
        "normal.kind": r.choice([*NORMALS, "Inversion", "default"]),
        "sample.kind": r.choice([*SAMPLERS, "default"]),
    }
    args: Case = {name: kind for name, kind in kinds.items() if r.random() < 0.8}
    if r.random() < 0.7:
        args["then.seed"] = r.randrange(-(2**31) + 1, 2**31)
    then = r.choice([*CALLS, "rnorm", "sample"])
    case = CALLS[then](r, seed)
    return {**case, "function": "RNGkind", "args": {**args, "then": then, **case["args"]}}


RANDOM_CASES: RandomCases = {"RNGkind": (60, random_kinds)}
"""Number of random cases in the table, and their generator, of each function."""


def _after(kinds: Case, then: str, seed: int, data: Case | None = None, **args: object) -> Case:
    """A call after kinds and a seed."""
    named = {name.replace("_", "."): value for name, value in args.items()}
    return new_case("RNGkind", {**kinds, "then.seed": seed, "then": then, **named}, data, 1)


def draws(kinds: Case) -> list[Case]:
    """Sixty calls under one choice of kinds: uniforms, normals, exponentials, samples, kmeans."""
    cases = [_after(kinds, "runif", seed, n=12) for seed in SEEDS]
    cases += [_after(kinds, "runif", seed, n=30 * seed + 1, min=-seed, max=1e3) for seed in range(1, 7)]
    cases += [_after(kinds, "rnorm", seed, n=7 * seed + 1) for seed in range(1, 13)]
    cases += [_after(kinds, "rnorm", -seed, n=45, mean=seed, sd=0.3 * seed) for seed in range(9)]
    cases += [_after(kinds, "rexp", seed, n=20, rate=seed) for seed in range(1, 5)]
    for sampler in SAMPLERS:
        both = {**kinds, "sample.kind": sampler}
        cases += [_after(both, "sample", seed, x=n) for seed, n in enumerate((1, 2, 40, 257), 3)]
        for n in (5, 65536, 33554432, 2**31):
            cases.append(_after(both, "sample.int", 7, n=n, size=5, replace=True))
        cases.append(_after(both, "sample.int", 8, n=2 * 10**7, size=15))
        cases.append(_after(both, "sample.int", 9, n=300, size=15, replace=True, prob=list(range(1, 301))))
    cases.append(_after(kinds, "kmeans", 1, real("iris", False, ["every", 3]), centers=3, nstart=4))
    return cases


def fixed_cases() -> list[Case]:
    """All generators and normal kinds, kinds without a seed, beginnings of names, errors."""
    cases = [case for kind in GENERATORS for case in draws({"kind": kind})]
    for number, normal in enumerate(NORMALS):
        kinds = {"kind": GENERATORS[number % 2], "normal.kind": normal}
        cases += draws({"normal.kind": normal})
        cases += [_after(kinds, "rnorm", seed, n=60) for seed in range(8)]
    chosen: list[Case] = [
        {"kind": kind} for kind in (*GENERATORS, "Wich", "Knuth", "Mers", "L", "M", "x", "")
    ]
    chosen += [{"normal.kind": kind} for kind in (*NORMALS, "B", "Box", "Inv", "x", "user")]
    chosen += [{"sample.kind": kind} for kind in ("R", "Rou", "Rej", "x")]
    chosen += [{"kind": "Marsaglia-Multicarry", "normal.kind": normal} for normal in NORMALS]
    chosen += [{"kind": "Mar", "normal.kind": "Ahrens", "sample.kind": "Rounding"}, {"kind": "user"}]
    chosen += [{"kind": 3}, {"normal.kind": 3}, {"sample.kind": True}, {"kind": "x", "normal.kind": "x"}]
    cases += [new_case("RNGkind", {**args, "then": "rnorm", "n": 3}, None, 5) for args in chosen]
    distributions: list[Case] = [{"then": "rgamma", "shape": 0.5}, {"then": "rgamma", "shape": 7}]
    distributions += [{"then": "rt", "df": 3}, {"then": "rpois", "lambda": 30}]
    distributions += [{"then": "rbinom", "size": 90, "prob": 0.4}, {"then": "rlnorm"}]
    kinds_of_all = [{"kind": kind} for kind in GENERATORS] + [{"normal.kind": kind} for kind in NORMALS]
    for number, kinds in enumerate(kinds_of_all):
        cases += [new_case("RNGkind", {**kinds, "n": 31, **call}, None, number) for call in distributions]
    return cases
