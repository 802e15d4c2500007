"""Cases of VALIDICLUST."""

from random import Random

from r_reference.case_parts import SIX_ROWS, Case, RandomCases, new_case, random_recipe, real
from r_reference.packages.KmeansInference.cases import continuous


def _cut(r: Random) -> tuple[Case, Case]:
    """Arguments for a cut tree, and data."""
    data = continuous(r)
    args: Case = {
        "link": r.choice(["average", "complete", "ward.D"]),
        "K": r.choice([2, 3]),
        "k1": 1,
        "k2": 2,
    }
    return {**args, "g": r.randint(1, data["p"])}, data


def random_test(r: Random, seed: int) -> Case:
    """A call of test_selective_inference."""
    args, data = _cut(r)
    args["ndraws"] = r.choice([20, 60])
    if r.random() < 0.4:
        args["sig"] = r.choice([0.5, 1, 2])
    return new_case("test_selective_inference", args, data, seed)


def random_merged(r: Random, seed: int) -> Case:
    """A call of merge_selective_inference."""
    args, data = _cut(r)
    # R takes the clusters from k1 to k2 in the order of their means, whichever is first.
    return new_case("merge_selective_inference", {**args, "K": 3, "ndraws": r.choice([20, 60])}, data, seed)


def random_dip(r: Random, seed: int) -> Case:
    """A call of test_multimod: normal data, or data with ties, offsets or scales."""
    data = continuous(r) if r.random() < 0.5 else random_recipe(r, (8, 120), (1, 5))
    K = r.choice([2, 3, 4, 6])
    k1, k2 = r.sample(range(1, K + 1), 2)
    link = r.choice(["average", "complete", "ward.D"])
    args: Case = {"link": link, "K": K, "g": r.randint(1, data["p"]), "k1": k1, "k2": k2}
    return new_case("test_multimod", args, data, seed)


RANDOM_CASES: RandomCases = {
    "test_multimod": (60, random_dip),
    "test_selective_inference": (60, random_test),
    "merge_selective_inference": (60, random_merged),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases: few rows, real data, ties, one cluster, what is no variable or cluster."""
    args: Case = {"link": "average", "K": 3, "g": 1, "k1": 1, "k2": 2}
    iris = real("iris", False)
    calls: list[tuple[Case, Case]] = [
        (iris, {}),
        (iris, {"g": 3, "k2": 3}),
        (real("wine", True), {"K": 5, "k1": 5}),
        (SIX_ROWS, {"K": 2}),
        (SIX_ROWS, {"K": 6}),
        (SIX_ROWS, {"K": 6, "k1": 6, "k2": 1}),
        (iris, {"k2": 1}),
        (real("wdbc", True, ["constant", 1, 2.5]), {"K": 2}),
        (iris, {"g": 5}),
        (iris, {"k2": 4}),
    ]
    return [new_case("test_multimod", {**args, **changed}, data, 1) for data, changed in calls]
