"""Cases of clusterpval."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case
from r_reference.packages.KmeansInference.cases import SPEC, continuous

EXACT = ["single", "average", "centroid", "ward.D", "mcquitty", "median"]
MONOTONE = ["single", "average", "ward.D", "mcquitty"]
"""Linkages whose heights never fall: where they do, R's sets are wrong (deviation CI-3)."""
TREES = ["average", "complete", "ward.D"]


def noise(r: Random) -> Case:
    """Arguments on the noise."""
    if r.random() < 0.3:
        return {"iso": False}
    return {"sig": r.choice([0.5, 1, 2])} if r.random() < 0.6 else {}


def random_exact(r: Random, seed: int) -> Case:
    """A call of test_hier_clusters_exact."""
    args: Case = {"link": r.choice(MONOTONE), "K": r.choice([2, 3, 4, 6]), "k1": 1, "k2": 2, **noise(r)}
    return new_case("test_hier_clusters_exact", args, continuous(r), seed)


def random_complete(r: Random, seed: int) -> Case:
    """A call of test_complete_hier_clusters_approx."""
    args: Case = {"K": r.choice([2, 3]), "k1": 1, "k2": 2, "ndraws": r.choice([20, 60]), **noise(r)}
    return new_case("test_complete_hier_clusters_approx", args, continuous(r), seed)


def random_any(r: Random, seed: int) -> Case:
    """A call of test_clusters_approx on cut trees."""
    args: Case = {
        "link": r.choice(["average", "complete", "ward.D"]),
        "K": r.choice([2, 3]),
        "k1": 1,
        "k2": 2,
    }
    return new_case(
        "test_clusters_approx", {**args, "ndraws": r.choice([20, 60]), **noise(r)}, continuous(r), seed
    )


RANDOM_CASES: RandomCases = {
    "test_hier_clusters_exact": (54, random_exact),
    "test_complete_hier_clusters_approx": (60, random_complete),
    "test_clusters_approx": (60, random_any),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this package: every linkage."""
    given = {"K": 3, "k1": 1, "k2": 3}
    return [new_case("test_hier_clusters_exact", {"link": link, **given}, SPEC, 1) for link in EXACT]
