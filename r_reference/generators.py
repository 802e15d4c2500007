"""Random cases: the same generators fill most of the case table and give the fresh cases of a live run."""

import math
from collections.abc import Callable
from random import Random
from typing import Any

Case = dict[str, Any]

PACKAGES = {"sample": "base", "sample.int": "base"}
PACKAGES |= dict.fromkeys(["KMeansSparseCluster", "KMeansSparseCluster.permute"], "sparcl")
"""The R packages of the functions that are not in stats."""

SPECIAL_STEPS: list[list[list[Any]]] = [
    [["round", 4]],
    [["round", 1]],
    [["add", 1e6]],
    [["add", 1e9]],
    [["multiply", 1e-4]],
    [["multiply", 1e5]],
    [["set", 2, 1, 1e4]],
    [["set", 1, 2, -1e7]],
    [["constant", 1, 2.5]],
]
"""Steps that make a data set awkward: ties, offsets, scales, outliers, a constant column."""


def new_case(function: str, args: Case, data: Case | None, seed: int, **other: Any) -> Case:
    """A case of the table without its id; ``other`` gives sample_kind or before."""
    case = {
        "function": function,
        "package": PACKAGES.get(function, "stats"),
        "args": args,
        "data": data,
        "seed": seed,
    }
    return {**case, "sample_kind": "Rejection", "before": 0, **other}


def _kind(r: Random) -> str:
    """The sampler, mostly R's default."""
    return "Rounding" if r.random() < 0.15 else "Rejection"


def _recipe(r: Random, n: tuple[int, int], p: tuple[int, int]) -> Case:
    """A data recipe with sizes in the given ranges."""
    rows, columns = r.randint(*n), r.randint(*p)
    draw = r.choice(["normal", "normal", "normal", "uniform", "integer"])
    recipe: Case = {"draw": draw, "seed": r.randrange(1, 2**31), "n": rows, "p": columns}
    if draw == "integer":
        recipe["levels"] = r.randint(2, 12)
    steps: list[list[Any]] = []
    if r.random() < 0.6:
        steps.append(["clusters", r.randint(2, 6), r.choice([1, 2, 4.5]), r.randint(1, columns)])
    if r.random() < 0.5:
        steps += [step for step in r.choice(SPECIAL_STEPS) if step[0] != "set" or step[2] <= columns]
    if r.random() < 0.15:
        steps.append(["duplicate", r.randint(2, rows)])
    return {**recipe, "steps": steps}


def random_runif(r: Random, seed: int) -> Case:
    """A call of runif."""
    args: Case = {"n": r.randint(1, 400)}
    if r.random() < 0.7:
        low = round(r.uniform(-10, 10), 3)
        args |= {"min": low, "max": round(low + r.choice([0, 1e-3, 1, 1e6]), 3)}
    return new_case("runif", args, None, seed, before=r.randint(0, 700))


def random_rnorm(r: Random, seed: int) -> Case:
    """A call of rnorm."""
    args: Case = {"n": r.randint(1, 400)}
    if r.random() < 0.7:
        args |= {"mean": round(r.uniform(-10, 10), 3), "sd": r.choice([0, 0.1, 1, 12.5, 1e8])}
    return new_case("rnorm", args, None, seed, before=r.randint(0, 700))


def random_rexp(r: Random, seed: int) -> Case:
    """A call of rexp."""
    args: Case = {"n": r.randint(1, 400)}
    if r.random() < 0.7:
        args["rate"] = round(math.exp(r.uniform(-5, 5)), 4)
    return new_case("rexp", args, None, seed, before=r.randint(0, 700))


def _weights(r: Random, n: int) -> list[float]:
    """Sampling weights with ties and some zeros."""
    return [r.choice([0, 0.1, 0.1, 0.5, 1, round(r.random(), 4)]) for _ in range(n)]


def random_sample(r: Random, seed: int) -> Case:
    """A call of sample on a vector or on a single number."""
    single = r.random() < 0.4
    n = r.randint(1, 300)
    x = [n + r.choice([0, 0.7])] if single else [round(r.uniform(-5, 5), 3) for _ in range(n + 1)]
    args: Case = {"x": x[0] if single else x}
    if r.random() < 0.5:
        args |= {"size": r.randint(0, n), "replace": r.random() < 0.5}
    return new_case("sample", args, None, seed, sample_kind=_kind(r), before=r.randint(0, 700))


def random_sample_int(r: Random, seed: int) -> Case:
    """A call of sample.int: plain, weighted, hashed, with or without replacement, now and then an error."""
    sizes = [r.randint(1, 20), r.randint(1, 400), 32768, 65536, 65537, 10**6, 2 * 10**7, 2 * 10**9]
    n = r.choice(sizes[:2] * 3 + sizes[2:])
    replace = r.random() < 0.4
    size = r.randint(0, min(n, 200)) if r.random() < 0.97 else min(n, 400) + 1
    args: Case = {"n": n, "size": size, "replace": replace}
    if n <= 400 and r.random() < 0.5:
        args["prob"] = _weights(r, n)
    return new_case("sample.int", args, None, seed, sample_kind=_kind(r), before=r.randint(0, 700))


def random_kmeans(r: Random, seed: int) -> Case:
    """A call of kmeans with a number or rows of x as centres."""
    data = _recipe(r, (5, 120), (1, 12))
    k = r.randint(1, 8)
    algorithm = r.choice(["Hartigan-Wong"] * 3 + ["Lloyd", "Forgy", "MacQueen"])
    args: Case = {"centers": k, "iter.max": r.choice([1, 2, 3, 10, 10, 10, 50])}
    if r.random() < 0.2:
        args["centers"] = {"rows_of_x": r.sample(range(1, data["n"] + 1), min(k + 1, data["n"]))}
    args |= {"nstart": r.choice([1, 1, 2, 5, 20]), "algorithm": algorithm}
    return new_case("kmeans", args, data, seed, sample_kind=_kind(r))


def random_hclust(r: Random, seed: int) -> Case:
    """A call of hclust on the distances of a small data set, often with ties."""
    data = _recipe(r, (2, 60), (1, 6))
    return new_case("hclust", {"method": r.choice(["average", "complete", "single", "centroid"])}, data, seed)


def _bounds(r: Random, p: int, count: int) -> list[float]:
    """Bounds in random order, most of them attainable; now and then one that leaves a single weight."""
    if r.random() < 0.1:
        return [1.0001] * count
    return [round(r.uniform(1.15, math.sqrt(p) + 0.3), 3) for _ in range(count)]


def random_sparse(r: Random, seed: int) -> Case:
    """A call of KMeansSparseCluster with one to five bounds or the default ones."""
    data = _recipe(r, (10, 60), (3, 25))
    k = r.randint(2, 5)
    args: Case = {"K": k}
    if r.random() < 0.9:
        args["wbounds"] = _bounds(r, data["p"], r.randint(1, 5))
    if r.random() < 0.2:
        rows = r.sample(range(1, data["n"] + 1), k)
        args = {**args, "centers": {"rows_of_x": rows}}
        if r.random() < 0.5:
            del args["K"]
    if r.random() < 0.5:
        args["nstart"] = r.choice([1, 3, 10])
    if r.random() < 0.2:
        args["maxiter"] = r.choice([1, 2, 15])
    return new_case("KMeansSparseCluster", args, data, seed, sample_kind=_kind(r))


def random_permute(r: Random, seed: int) -> Case:
    """A call of KMeansSparseCluster.permute with few permutations."""
    data = _recipe(r, (10, 40), (3, 15))
    args: Case = {"K": r.randint(2, 4), "nperms": r.randint(1, 4)}
    if r.random() < 0.5:
        args["wbounds"] = _bounds(r, data["p"], r.randint(2, 4))
    else:
        args["nvals"] = r.randint(2, 5)
    return new_case("KMeansSparseCluster.permute", args, data, seed, sample_kind=_kind(r))


GENERATORS: dict[str, Callable[[Random, int], Case]] = {
    "runif": random_runif,
    "rnorm": random_rnorm,
    "rexp": random_rexp,
    "sample": random_sample,
    "sample.int": random_sample_int,
    "kmeans": random_kmeans,
    "hclust": random_hclust,
    "KMeansSparseCluster": random_sparse,
    "KMeansSparseCluster.permute": random_permute,
}
"""The generator of random cases of each function."""


def fresh_cases(function: str, count: int, seed: int, taken: set[int]) -> list[Case]:
    """Random cases of one function with seeds that the table does not use.

    Parameters
    ----------
    function : str
        A key of ``GENERATORS``.
    count : int
        Number of cases.
    seed : int
        Seed of the generator of cases; the same seed gives the same cases.
    taken : set of int
        Seeds of the table, which are not drawn.

    Returns
    -------
    list of dict
        Cases with the ids ``fresh-<function>-<seed>-<number>``.
    """
    r = Random(f"{function} {seed}")
    cases: list[Case] = []
    used = set(taken)
    while len(cases) < count:
        call_seed = r.randrange(-(2**31) + 1, 2**31)
        if call_seed in used:
            continue
        used.add(call_seed)
        case = GENERATORS[function](r, call_seed)
        cases.append({"id": f"fresh-{function}-{seed}-{len(cases) + 1}", **case})
    return cases
