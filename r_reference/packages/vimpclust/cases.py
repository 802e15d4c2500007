"""Cases of vimpclust."""

from random import Random
from typing import Any

from r_reference.case_parts import (
    MATRIX_A,
    MATRIX_X,
    Case,
    RandomCases,
    new_case,
    random_recipe,
    real,
    sample_kind,
)

OF_NUMBERS = ("weights.features", "weights.groups", "sel.features", "sel.groups")
OF_MIXED = ("weights.features", "weights.levels", "sel.features", "sel.levels")


def random_control(r: Random) -> Case:
    """Arguments of the path and of k-means."""
    args: Case = {"centers": r.randint(2, 5), "nstart": r.randint(2, 12)}
    if r.random() < 0.5:
        args["lambda"] = [round(r.uniform(0, 0.5), 3) for _ in range(r.randint(1, 4))]
    else:
        args["nlambda"] = r.randint(1, 7)
    if r.random() < 0.3:
        args["itermaxw"] = r.choice([1, 2, 3, 5, 40])
    if r.random() < 0.2:
        args["itermaxkm"] = r.choice([1, 2, 4, 25])
    if r.random() < 0.2:
        args["epsilonw"] = r.choice([0, 1e-8, 0.05, 0.5, 0.95, 3])
    return args


def random_groups(r: Random, p: int) -> list[int]:
    """Groups of p features, without gaps or with some."""
    most = r.randint(1, p)
    return [r.randint(1, most) for _ in range(p)]


def random_numeric(r: Random, seed: int) -> Case:
    """A call of groupsparsewkm."""
    data = random_recipe(r, (8, 60), (2, 8))
    p, args = data["p"], random_control(r)
    if r.random() < 0.6:
        args["index"] = random_groups(r, p)
        if r.random() < 0.3:
            args |= {"Which": [args["index"][0]], "what": "weights.features"}
    if r.random() < 0.3:
        args["sizegroup"] = False
    if r.random() < 0.3:
        args["scaling"] = False
    args.setdefault("what", r.choice(OF_NUMBERS))
    return new_case("groupsparsewkm", args, data, seed, sample_kind=sample_kind(r))


def random_kinds(r: Random, p: int) -> str:
    """Kinds of p columns."""
    return "".join(r.choice(r.choice(["n", "f", "nf", "nft", "nfi"])) for _ in range(p))


def random_mixed(r: Random, seed: int) -> Case:
    """A call of sparsewkm."""
    data = random_recipe(r, (10, 60), (2, 7))
    args = random_control(r)
    if r.random() < 0.85:
        args["kinds"] = random_kinds(r, data["p"])
        if r.random() < 0.1:
            args["kinds"] = r.choice("lo") + args["kinds"][1:]
    args["what"] = r.choice(OF_MIXED) if "kinds" in args else "sel.levels"
    if r.random() < 0.15:
        args["renamelevel"] = False
    if r.random() < 0.05:
        data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), r.randint(1, 4)]]
    return new_case("sparsewkm", args, data, seed)


def random_recoding(r: Random, seed: int) -> Case:
    """A call of recodmix."""
    data = random_recipe(r, (5, 40), (1, 7))
    args: Case = {"kinds": random_kinds(r, data["p"])} if r.random() < 0.9 else {}
    if r.random() < 0.85:
        args["renamelevel"] = True
    if args and r.random() < 0.3:
        data["steps"] = [*data["steps"], ["missing", r.randint(1, 10**6), r.randint(1, data["n"])]]
    return new_case("recodmix", args, data, seed)


def random_description(r: Random, seed: int) -> Case:
    """A call of info_clust."""
    data = random_recipe(r, (12, 50), (2, 6))
    kinds = random_kinds(r, data["p"])
    args: Case = {"kinds": kinds, "centers": r.randint(2, 4), "nlambda": 3, "nstart": 5}
    args["which.lambda"] = r.sample([1, 2, 3], r.randint(1, 3)) if r.random() < 0.95 else [4]
    if r.random() < 0.2:
        args["other"] = random_kinds(r, data["p"])
    return new_case("info_clust", args, data, seed)


def random_squares(r: Random, seed: int) -> Case:
    """A call of weightedss."""
    data = random_recipe(r, (6, 50), (1, 7))
    args: Case = {"groups": r.randint(1, 6)}
    if r.random() < 0.6:
        args["w"] = [round(r.uniform(-0.02, 2), 2) for _ in range(data["p"])]
    return new_case("weightedss", args, data, seed)


def random_threshold(r: Random, seed: int) -> Case:
    """A call of groupsoft."""
    data = {**random_recipe(r, (2, 9), (1, 1)), "steps": []}
    args: Case = {"lambda": round(r.uniform(-0.05, 1.5), 3)}
    if r.random() < 0.7:
        args["index"] = random_groups(r, data["n"])
    if r.random() < 0.4:
        args["sizegroup"] = r.random() < 0.5
    return new_case("groupsoft", args, data, seed)


RANDOM_CASES: RandomCases = {
    "groupsparsewkm": (40, random_numeric),
    "sparsewkm": (30, random_mixed),
    "recodmix": (15, random_recoding),
    "info_clust": (15, random_description),
    "weightedss": (15, random_squares),
    "groupsoft": (15, random_threshold),
}
"""Number of random cases in the table, and their generator, of each function."""


IRIS, WINE = real("iris", False, ["every", 3]), real("wine", False, ["every", 3])
FLAT = real("iris", False, ["every", 3], ["constant", 2, 1])
HEART = real("wine", True, ["every", 2], ["columns", 5])
KINDS = "nnffn"
"""Kinds of the columns of HEART."""
LIMITS = (
    *({"nstart": 0}, {"nstart": 1}, {"itermaxw": 1}, {"itermaxw": 2}, {"itermaxkm": 0}, {"itermaxkm": 1}),
    *({"epsilonw": 1e9}, {"index": [1, 1, 4, 4]}, {"index": [0, 1, 2, 3]}, {"index": [1, 2, 5, 3]}),
)


def on(function: str, data: Case, **args: Any) -> Case:
    """A case under seed 1; dots of names are written as underscores."""
    return new_case(function, {name.rstrip("_").replace("_", "."): v for name, v in args.items()}, data, 1)


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""
    return [*_of_numbers(), *_of_mixed(), *_of_parts()]


def _of_numbers() -> list[Case]:
    """Cases of groupsparsewkm."""

    def fit(data: Case = IRIS, centers: int = 3, **args: Any) -> Case:
        return on("groupsparsewkm", data, centers=centers, **args)

    cases = [fit(index=[1, 2, 1, 2], nlambda=6, what=what) for what in OF_NUMBERS]
    cases += [fit(), fit(WINE, nlambda=5)]
    cases += [fit(lambda_=penalties) for penalties in (0, 0.3, 0.9, 5, -1, [0.5, 0.1])]
    cases += [fit(centers=k, nlambda=2) for k in (1, 2, 7, 50, 60)]
    cases += [fit(nlambda=2, **args) for args in LIMITS]
    cases += [fit(MATRIX_A, 2, nlambda=n) for n in (0, 1, 3)]
    cases += [fit(FLAT, 2, scaling=scaling, nlambda=3) for scaling in (True, False)]
    near = {"rows": [[i * 1e-3, (7 * i) % 5 * 1e-3] for i in range(12)]}
    cases += [fit(near, 2, scaling=False, nlambda=3)]  # the grid is negative
    steps = (["columns", 1], ["missing", 1, 2])
    return cases + [fit(real("iris", False, ["every", 3], step), 2) for step in steps]


def _of_mixed() -> list[Case]:
    """Cases of sparsewkm, recodmix and info_clust."""

    def fit(kinds: str = KINDS, centers: int = 2, **args: Any) -> Case:
        return on("sparsewkm", HEART, kinds=kinds, centers=centers, **args)

    def describe(which: list[int], kinds: str = KINDS, **args: Any) -> Case:
        return on("info_clust", HEART, kinds=kinds, centers=2, nlambda=3, which_lambda=which, **args)

    cases = [fit(nlambda=5, what=what) for what in OF_MIXED]
    cases += [fit(centers=3, nlambda=3, what=what, Which=[4]) for what in OF_MIXED[:2]]
    cases += [fit(kinds, nlambda=3) for kinds in ("nnnnn", "fffff", "tnnnn", "innnn", "lnnnn", "onnnn")]
    cases += [fit(renamelevel=False)]
    cases += [on("recodmix", HEART, kinds=KINDS, renamelevel=renamed) for renamed in (True, False)]
    cases += [on("recodmix", IRIS), on("recodmix", FLAT), on("recodmix", FLAT, kinds="nfnn")]
    cases += [describe(which) for which in ([1], [3, 1], [4])]
    cases += [describe([1, 2], kinds) for kinds in ("nnnnn", "fffff")]
    return [*cases, describe([2], "nnnnn", other=KINDS, mixed=False)]


def _of_parts() -> list[Case]:
    """Cases of weightedss and groupsoft."""
    clusters = ([1] * 6 + [3] * 6, [1, 2], [0, 1] * 6, [1] * 11 + [2])
    cases = [on("weightedss", MATRIX_X, groups=k) for k in (1, 2, 3, 12)]
    cases += [on("weightedss", MATRIX_A, cl=cl) for cl in clusters]
    cases += [on("weightedss", MATRIX_A, groups=2, w=w) for w in ([1, 2, 0], [0, 0, 0], [1, -1, 1])]
    b = {"rows": [[0.1], [0.2], [0.8], [0.1], [0.1], [0.3]]}
    penalties = (0, 0.1, 0.3, 0.8, -0.1)
    return cases + [on("groupsoft", b, index=[1, 1, 2, 2, 3, 3], lambda_=penalty) for penalty in penalties]
