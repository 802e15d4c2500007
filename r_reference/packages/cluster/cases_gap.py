"""Cases of clusGap and maxSE."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, Case, RandomCases, new_case, random_recipe, real

METHODS = ["firstSEmax", "Tibs2001SEmax", "globalSEmax", "firstmax", "globalmax", "Tibs", "first"]


def random_gap(r: Random, seed: int) -> Case:
    """A call of clusGap with k-means, medoids or a tree; sometimes faults."""
    data = random_recipe(r, (8, 40), (1, 4))
    args: Case = {"K.max": r.randint(2, 5), "method": r.choice(["kmeans", "kmeans", "pam", "hclust"])}
    args["B"] = r.choice([1, 2, 3, 5])
    if args["method"] == "kmeans" and r.random() < 0.6:
        args["nstart"] = r.randint(1, 4)
    if r.random() < 0.4:
        args["d.power"] = r.choice([2, 2, 3, 0.5, 1])
    if r.random() < 0.5:
        args["print.method"] = r.choice(METHODS)
        args["print.factor"] = r.choice([1, 2, 0.25, 0])
    if r.random() < 0.5:
        args["spaceH0"] = r.choice(["scaledPCA", "scaledPCA", "scaled"])
        data = random_recipe(r, (6, 40), (1, 8))
    if r.random() < 0.12:
        name, value = r.choice(
            [("K.max", 1), ("K.max", 2.7), ("B", 0), ("B", 1.5), ("B", "NA"), ("K.max", "NA")]
        )
        args[name] = value
    elif r.random() < 0.03:
        args = {"K.max": 2, "method": "none"}
    return new_case("clusGap", args, data, seed)


def random_max(r: Random, seed: int) -> Case:
    """A call of maxSE: values with ties, missing ones, faults."""
    k = r.randint(1, 8)
    values: list[Any] = [r.choice([r.randint(0, 5), r.uniform(0, 3)]) for _ in range(k)]
    errors: list[Any] = [r.choice([0, 0.5, 1, r.random()]) for _ in range(k)]
    args: Case = {"f": values, "SE.f": errors, "method": r.choice(METHODS)}
    if r.random() < 0.4:
        args["SE.factor"] = r.choice([0, 0.25, 2, 4])
    choice = r.random()
    if choice < 0.1:
        values[r.randrange(k)] = r.choice(["NA", "Inf", "-Inf"])
    elif choice < 0.2:
        errors[r.randrange(k)] = r.choice(["NA", -1, "Inf"])
    elif choice < 0.25:
        args["SE.f"] = [*errors, 1]
    elif choice < 0.3:
        args["SE.factor"] = r.choice([-1, "NA"])
    return new_case("maxSE", args, None, seed)


RANDOM_CASES: RandomCases = {"clusGap": (90, random_gap), "maxSE": (54, random_max)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""
    example = {"f": [2, 3, 5, 4, 7, 8, 5, 4], "SE.f": [0.5, 0.5, 1, 0.5, 0.5, 1.5, 0.5, 0.5]}
    cases = [
        new_case("maxSE", {**example, "method": method, "SE.factor": factor}, None, 1)
        for method in METHODS[:5]
        for factor in (0.25, 1, 2, 4)
    ]
    for data in (MATRIX_A, real("iris", True, ["every", 3])):
        cases += [
            new_case("clusGap", {"K.max": 4, "B": 4, "method": m}, data, 1)
            for m in ("kmeans", "pam", "hclust")
        ]
        cases += [new_case("clusGap", {"K.max": 3, "B": 2, "nstart": 5, "d.power": 2}, data, 2)]
        axes: Case = {"K.max": 4, "B": 3, "spaceH0": "scaledPCA"}
        cases += [new_case("clusGap", {**axes, "method": m}, data, 3) for m in ("kmeans", "pam", "hclust")]
    missing = {**MATRIX_A, "steps": [["set", 2, 1, "NaN"]]}
    cases += [new_case("clusGap", {"K.max": 2, "method": "fixed", "spaceH0": "scaledPCA"}, missing, 1)]
    cases += [new_case("maxSE", {"f": ["NaN", "NaN"], "SE.f": [1, 1], "method": "globalSEmax"}, None, 1)]
    return cases
