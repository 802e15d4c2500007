"""Cases of the random draws of stats: every branch of the algorithms, limits, recycling, errors."""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case

SPECIAL = [0, 1, 0.5, -1, "NaN", "Inf", 1e-300, 1e300, [1, 2], [0.5, "NaN", 30], [0, 700]]
"""Parameters at the limits, missing, recycled."""
SIZES = [0, 1, 10, 1e4, 1e9, -1, 2.5, "NaN", "Inf", [3, 400]]
PROBABILITIES = [0, 1, 0.5, 1e-10, -0.1, 1.1, "NaN", [0.2, 0.95, 0.01]]
CHANCE_OF_SPECIAL = 0.15

Make = Callable[[Random], Any]


def _positive(r: Random) -> Any:
    """A positive parameter of any size, sometimes a special one."""
    if r.random() < CHANCE_OF_SPECIAL:
        return r.choice(SPECIAL)
    return float(f"{10 ** r.uniform(-2, 3):.4g}")


def _size(r: Random) -> Any:
    """A number of trials."""
    return r.choice(SIZES) if r.random() < CHANCE_OF_SPECIAL else int(10 ** r.uniform(0, 6))


def _probability(r: Random) -> Any:
    """A probability."""
    return r.choice(PROBABILITIES) if r.random() < CHANCE_OF_SPECIAL else round(r.random(), 4)


def _weights(r: Random) -> list[float]:
    """Weights of classes, some 0, one above."""
    return [1, *(r.choice([0, round(r.random(), 3), r.random()]) for _ in range(r.randint(0, 9)))]


REQUIRED: dict[str, dict[str, Make]] = {
    "rgamma": {"shape": _positive},
    "rchisq": {"df": _positive},
    "rbeta": {"shape1": _positive, "shape2": _positive},
    "rt": {"df": _positive},
    "rlnorm": {},
    "rweibull": {"shape": _positive},
    "rcauchy": {},
    "rlogis": {},
    "rpois": {"lambda": _positive},
    "rbinom": {"size": _size, "prob": _probability},
    "rgeom": {"prob": _probability},
    "rnbinom": {"size": _positive},
    "rmultinom": {"size": lambda r: int(10 ** r.uniform(0, 6)), "prob": _weights},
}
"""Arguments that every call has, and what makes them."""

OPTIONAL: dict[str, list[dict[str, Make]]] = {
    "rgamma": [{}, {"rate": _positive}, {"scale": _positive}],
    "rchisq": [{}, {}, {"ncp": _positive}],
    "rbeta": [{}, {}, {}, {"ncp": _positive}],
    "rt": [{}, {}, {"ncp": _positive}],
    "rlnorm": [{}, {"meanlog": _positive, "sdlog": _positive}],
    "rweibull": [{}, {"scale": _positive}],
    "rcauchy": [{}, {"location": _positive, "scale": _positive}],
    "rlogis": [{}, {"location": _positive, "scale": _positive}],
    "rnbinom": [{"prob": _probability}, {"mu": _positive}],
}
"""Sets of further arguments, of which a call has one."""


def _maker(function: str) -> Callable[[Random, int], Case]:
    """What makes a random call of a function."""

    def make(r: Random, seed: int) -> Case:
        chosen = REQUIRED[function] | r.choice(OPTIONAL.get(function, [{}]))
        args: Case = {"n": r.randint(1, 20 if function == "rmultinom" else 300)}
        args |= {name: draw(r) for name, draw in chosen.items()}
        return new_case(function, args, None, seed, before=r.randint(0, 700))

    return make


RANDOM_CASES: RandomCases = {function: (50, _maker(function)) for function in REQUIRED}
"""Number of random cases in the table, and their generator, of each function."""

USUAL: dict[str, list[Case]] = {
    "rgamma": [{"shape": a} for a in (0.01, 0.3, 0.999, 1, 1.5, 3.686, 8, 13.022, 20, 1e5)]
    + [{"shape": 2, "rate": 2, "scale": 0.5}, {"shape": 2, "rate": 2, "scale": 3}, {"shape": 2, "rate": 0}]
    + [{"shape": 2, "rate": [1, 2], "scale": 1}, {"shape": 2, "rate": "NaN", "scale": 1}],
    "rchisq": [{"df": d} for d in (0.5, 1, 2, 3, 50, 0, "Inf", -1)]
    + [{"df": d, "ncp": c} for d in (0, 2, 30, "Inf", -1) for c in (0, 0.1, 5, 80)],
    "rbeta": [{"shape1": a, "shape2": b} for a in (0, 0.2, 1, 1.5, 40, "Inf") for b in (0, 0.2, 1, 7, "Inf")]
    + [{"shape1": a, "shape2": 2, "ncp": c} for a in (0, 1) for c in (0, 3)],
    "rt": [{"df": d} for d in (1e-3, 0.5, 1, 2, 5, 30, 1e6, "Inf", 0)]
    + [{"df": d, "ncp": c} for d in (0, 3, [1, 2, 3, 4], [2, 3, 5, 7, 11, 13, 17]) for c in (0, 1.5, "NaN")],
    "rlnorm": [{"meanlog": m, "sdlog": s} for m in (0, -5, 800, "Inf", "-Inf", "NaN") for s in (0, 1, -1)],
    "rweibull": [{"shape": a, "scale": b} for a in (0, 0.001, 0.5, 2, "Inf", -1) for b in (0, 3, "Inf")],
    "rcauchy": [{"location": m, "scale": s} for m in (0, 5, "Inf", "NaN") for s in (0, 2, -1, 1e308)],
    "rlogis": [{"location": m, "scale": s} for m in (0, 5, "Inf", "NaN") for s in (0, 2, -1, "Inf")],
    "rpois": [{"lambda": m} for m in (0, 0.1, 2, 9.99, 10, 12.5, 100, 1e5, 2e9, 1e10, 1e300, -1, "Inf")],
    "rbinom": [
        {"size": n, "prob": p} for n in (1, 59, 60, 61, 400, 1e6, 2147483646) for p in (0.02, 0.5, 0.97)
    ],
    "rgeom": [{"prob": p} for p in (0, 1, 0.5, 0.01, 1e-10, 1e-300, 1.1, [0.1, 0.9, "NaN"])],
    "rnbinom": [{"size": s, "prob": 0.3} for s in (0, 0.5, 3, 100, "Inf")]
    + [{"size": s, "mu": m} for s in (0, 0.5, 3, "Inf") for m in (0, 2, 60)]
    + [{"size": 3}, {"size": 3, "mu": 2, "prob": 0.5}, {"size": 3, "prob": 1}],
    "rmultinom": [{"size": s, "prob": [1, 2, 0, 5]} for s in (0, 1, 10, 1e6, -1, "NaN", [4, 5])]
    + [{"size": 5, "prob": p} for p in (1, [0, 0], [1, -1], [1, "NaN"], [1, "Inf"], [0, 3, 0], [0.1] * 10)],
}
"""Chosen arguments of each function, the number of draws left out."""


def fixed_cases() -> list[Case]:
    """The chosen cases: usual parameters in blocks of 624 words, and numbers of draws."""
    cases = []
    for function, calls in USUAL.items():
        few = 6 if function == "rmultinom" else 200
        for number, args in enumerate(calls):
            cases.append(new_case(function, {"n": few, **args}, None, number + 1, before=7 * number))
        first = next(args for args in calls if -1 not in args.values() and "NaN" not in args.values())
        for n in (0, 1, 2.9, [5, 6, 7], -1, "NaN"):
            cases.append(new_case(function, {"n": n, **first}, None, 3))
    lengths: list[tuple[str, Case]] = [("runif", {}), ("rnorm", {"mean": [0, 100]}), ("rexp", {"rate": 2})]
    return cases + [new_case(name, {"n": [5, 6, 7], **args}, None, 4) for name, args in lengths]
