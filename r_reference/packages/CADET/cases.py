"""Cases of CADET."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case
from r_reference.packages.clusterpval.cases import EXACT, MONOTONE
from r_reference.packages.KmeansInference.cases import SPEC, continuous


def random_kmeans(r: Random, seed: int) -> Case:
    """A call of kmeans_inference_1f."""
    data = continuous(r)
    args: Case = {
        "k": r.choice([2, 2, 3, 4]),
        "cluster_1": 1,
        "cluster_2": 2,
        "feat": r.randint(1, data["p"]),
    }
    args |= {"seed": r.randint(1, 9999), "iter.max": r.choice([2, 10, 30])}
    if r.random() < 0.4:
        args["covariance"] = r.choice([0, 0.3, 0.6])
    else:
        args |= {"iso": True, **({"sig": r.choice([0.5, 1, 2])} if r.random() < 0.6 else {})}
    return new_case("kmeans_inference_1f", args, data, seed)


def random_tree(r: Random, seed: int) -> Case:
    """A call of test_hier_clusters_exact_1f."""
    data = continuous(r)
    args: Case = {"link": r.choice(MONOTONE), "K": r.choice([2, 3, 4, 6]), "k1": 1, "k2": 2}
    args["feat"] = r.randint(1, data["p"])
    if r.random() < 0.3:
        args["indpt"] = False
    elif r.random() < 0.6:
        args["sig"] = r.choice([0.5, 1, 2])
    return new_case("test_hier_clusters_exact_1f", args, data, seed)


RANDOM_CASES: RandomCases = {
    "kmeans_inference_1f": (59, random_kmeans),
    "test_hier_clusters_exact_1f": (54, random_tree),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this package: every linkage, and no variance at all."""
    given = {"K": 3, "k1": 1, "k2": 3, "feat": 2}
    trees = [new_case("test_hier_clusters_exact_1f", {"link": link, **given}, SPEC, 1) for link in EXACT]
    none = {"k": 2, "cluster_1": 1, "cluster_2": 2, "feat": 1}
    return [*trees, new_case("kmeans_inference_1f", none, SPEC, 1)]
