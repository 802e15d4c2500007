"""Cases of KmeansInference."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case

SPEC = {"draw": "normal", "seed": 5, "n": 60, "p": 3, "steps": [["clusters", 2, 4, 2]]}


def continuous(r: Random) -> Case:
    """Normal data, with groups in most cases: no ties, on which sets of numbers depend."""
    n, p = r.randint(15, 70), r.randint(2, 8)
    steps = (
        [["clusters", r.randint(2, 4), r.choice([1, 2, 4.5]), r.randint(1, p)]] if r.random() < 0.7 else []
    )
    return {"draw": "normal", "seed": r.randrange(1, 2**31), "n": n, "p": p, "steps": steps}


def random_test(r: Random, seed: int) -> Case:
    """A call of kmeans_inference."""
    args: Case = {"k": r.choice([2, 2, 3, 4]), "cluster_1": 1, "cluster_2": 2, "seed": r.randint(1, 9999)}
    args["iter.max"] = r.choice([1, 10, 30])
    if r.random() < 0.5:
        args["sig"] = r.choice([0.5, 1, 2])
    elif r.random() < 0.5:
        args["covariance"] = r.choice([0, 0.3, 0.6])
    return new_case("kmeans_inference", args, continuous(r), seed)


def random_run(r: Random, seed: int) -> Case:
    """A call of kmeans_estimation."""
    args: Case = {
        "k": r.choice([2, 3, 4, 5]),
        "seed": r.randint(1, 9999),
        "iter.max": r.choice([1, 3, 10, 30]),
    }
    return new_case("kmeans_estimation", args, continuous(r), seed)


RANDOM_CASES: RandomCases = {"kmeans_inference": (55, random_test), "kmeans_estimation": (57, random_run)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this package."""

    def on(function: str, **args: object) -> Case:
        return new_case(function, args, SPEC, 1)

    tests = [
        {"k": 2},
        {"k": 3, "sig": 1},
        {"k": 60},
        {"k": 2, "cluster_2": 3},
        {"k": 2, "cluster_1": 2, "cluster_2": 1},
    ]
    given = {"cluster_1": 1, "cluster_2": 2}
    runs = [{"k": 2}, {"k": 4, "seed": 3}, {"k": 60}]
    return [on("kmeans_inference", **{**given, **one}) for one in tests] + [
        on("kmeans_estimation", **one) for one in runs
    ]
