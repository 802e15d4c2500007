"""Cases of NbClust."""

from collections.abc import Callable
from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case, random_recipe, real

TREES = ("ward.D", "ward.D2", "single", "complete", "average", "mcquitty", "median", "centroid")
BY_DISTANCE = ("frey", "mcclain", "cindex", "silhouette", "dunn")
BY_SCATTER = (
    *("kl", "ch", "hartigan", "ccc", "scott", "marriot", "trcovw", "tracew", "friedman", "rubin", "db"),
    *("duda", "pseudot2", "beale", "ratkowsky", "ball", "ptbiserial", "gamma", "gplus", "tau"),
    *("sdindex", "sdbw", "gap", "hubert"),
)


def random_choice(r: Random, seed: int) -> Case:
    """A call of NbClust: all indices or one, trees and k-means, distances or dissimilarities."""
    data = random_recipe(r, (14, 50), (2, 5))
    # Equal rows, constant columns and few different numbers have singular sums of squares.
    data["steps"] = [step for step in data["steps"] if step[0] in ("clusters", "multiply")]
    data = {k: v for k, v in data.items() if k != "levels"}
    if r.random() < 0.4:  # ties
        data = {**data, "draw": "integer", "levels": r.randint(12, 60)}
    elif data["draw"] == "integer":
        data["draw"] = "normal"
    first = r.randint(2, 4)
    args: Case = {"min.nc": first, "max.nc": first + r.randint(2, 4)}
    args["method"] = r.choice([*TREES, "kmeans"])
    together = r.choice(["all", "alllong"])
    args["index"] = together if r.random() < 0.5 else r.choice([*BY_SCATTER, *BY_DISTANCE, "gap", "hubert"])
    if args["index"] in (
        "gap",
        "alllong",
    ):  # R fills a matrix with as many rows as the variance of a single row
        data["steps"] = [step for step in data["steps"] if step[0] != "multiply"]
    if r.random() < 0.4:
        args["distance"] = r.choice(["maximum", "manhattan", "minkowski", "euclidean"])
    elif args["method"] != "kmeans" and r.random() < 0.3:
        args["form"] = "dist" if args["index"] in BY_DISTANCE else "both"
    if r.random() < 0.2:
        args["alphaBeale"] = r.choice([0.01, 0.3, 0.9])
    return new_case("NbClust", args, data, seed)


LONG = ("gap", "hubert", "alllong")
RANDOM_CASES: RandomCases = {"NbClust": (60, random_choice)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""

    def on(data: Case, method: str, index: str, first: int = 2, last: int = 6, **args: Any) -> Case:
        return new_case(
            "NbClust", {"method": method, "index": index, "min.nc": first, "max.nc": last, **args}, data, 1
        )

    iris = real("iris", False, ["every", 3])
    cases = [on(iris, "average", index) for index in (*BY_SCATTER, *BY_DISTANCE, "dindex")]
    cases += [on(iris, method, "all") for method in (*TREES, "kmeans")]
    cases += [on(iris, "complete", index, form="dist") for index in BY_DISTANCE]
    cases += [on(iris, "complete", index, 2, 3) for index in ("kl", "duda", "hartigan", "cindex", "all")]
    cases += [on(iris, method, "beale", alphaBeale=1.1) for method in ("average", "kmeans")]
    cases += [on(iris, "foo", "ch"), on(iris, "average", "ch", distance="foo")]
    cases += [on(iris, "complete", "none"), on(iris, "ward.D2", "all", 3, 8, distance="manhattan")]
    cases += [on(real("wine", True, ["every", 3]), method, "all") for method in ("ward.D2", "kmeans")]
    return cases + _cases_of_long(on, iris)


def _cases_of_long(on: Callable[..., Case], iris: Case) -> list[Case]:
    """Cases of "gap", "hubert" and "alllong", and of whole numbers."""
    cases = [on(iris, method, index) for method in (*TREES, "kmeans") for index in LONG]
    whole = {"draw": "integer", "levels": 9, "seed": 3, "n": 30, "p": 3, "steps": []}
    few = {**whole, "levels": 4, "n": 25, "p": 2}
    cases += [on(whole, method, index) for method in ("average", "kmeans") for index in (*LONG, "all", "tau")]
    cases += [on(few, method, index, 2, 4) for method in ("single", "kmeans") for index in ("tau", "alllong")]
    cases += [on(iris, "mcquitty", index, 2, 5, form="both") for index in LONG]
    cases += [on(iris, "complete", "gap", distance=name) for name in ("maximum", "canberra")]
    cases += [on(iris, "complete", index, 2, 3) for index in LONG] + [on(iris, "average", "gap", 4, 4)]
    far = {**whole, "steps": [["set", 2, 1, 1e6]]}
    return [*cases, on(far, "single", "gap"), on(far, "single", "hubert")]
