"""Cases of VALIDICLUST."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case
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


RANDOM_CASES: RandomCases = {
    "test_selective_inference": (60, random_test),
    "merge_selective_inference": (60, random_merged),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """No chosen cases."""
    return []
