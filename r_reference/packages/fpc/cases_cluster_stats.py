"""Cases of cluster.stats."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, SIX_ROWS, Case, RandomCases, new_case, random_recipe, real


def random_statistics(r: Random, seed: int) -> Case:
    """A call of cluster.stats: small, single and noise clusters, second clusterings, sometimes faults."""
    data = random_recipe(r, (3, 50), (1, 4))
    n, k = data["n"], r.randint(2, 6)
    labels: list[Any] = [r.randint(1, k) for _ in range(n)]
    if r.random() < 0.5:
        labels = [1 + i * k // n for i in range(n)]
    args: Case = {"clustering": labels, "form": r.choice(["dist", "dist", "dist", "square", "lower"])}
    if r.random() < 0.4:
        args["alt.clustering"] = [v if r.random() < 0.6 else r.randint(1, k) for v in labels]
    for name, share in (("noisecluster", 0.35), ("G2", 0.3), ("G3", 0.3), ("aggregateonly", 0.15)):
        if r.random() < share:
            args[name] = True
    for name, share in (("silhouette", 0.2), ("wgap", 0.15), ("sepindex", 0.15), ("sepwithnoise", 0.4)):
        if r.random() < share:
            args[name] = False
    if r.random() < 0.3:
        args["sepprob"] = r.choice([0, 0.01, 0.25, 0.5, 0.9, 1])
    if r.random() < 0.05:
        args["compareonly"] = True
    choice = r.random()
    if choice < 0.05:
        args["clustering"] = r.choice(
            [[1] * n, list(range(1, n + 1)), [0, *labels[1:]], [2 * v for v in labels]]
        )
    elif choice < 0.09:
        labels[0] = r.choice(["NA", 0, 1.5, 7])
    elif choice < 0.13:
        data["steps"] = [*data["steps"], ["set", 1, 1, r.choice(["NaN", "Inf"])]]
    elif choice < 0.17:
        name, value = r.choice([("sepprob", -1), ("sepprob", "NA"), ("alt.clustering", labels[1:])])
        args[name] = value
    return new_case("cluster.stats", args, data, seed)


RANDOM_CASES: RandomCases = {"cluster.stats": (60, random_statistics)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(data: Case | None, labels: list[Any], **args: Any) -> Case:
        named = {name.replace("_", "."): value for name, value in args.items()}
        return new_case("cluster.stats", {"clustering": labels, **named}, data, 1)

    six = [[1, 1, 1, 2, 2, 2], [1, 1, 2, 2, 3, 3], [1, 2, 2, 2, 2, 2], [1, 1, 2, 3, 4, 4], [5, 5, 0, 0, 9, 9]]
    cases = [on(SIX_ROWS, labels, noisecluster=noise) for labels in six for noise in (False, True)]
    cases += [
        on(SIX_ROWS, labels, silhouette=False, G2=True, G3=True) for labels in ([1] * 6, [1, 2, 3, 4, 5, 6])
    ]
    cases += [on(SIX_ROWS, labels) for labels in ([1] * 6, [1, 2, 3, 4, 5, 6], [0, 0, 0, 2, 2, 2], [1, 1, 2])]
    cases += [
        on(SIX_ROWS, [1] * 6, silhouette=False, noisecluster=True, sepwithnoise=noise)
        for noise in (True, False)
    ]
    pairs = [
        ([1, 1, 2], [1, 2, 2]),
        ([1, 1], [1, 1]),
        ([1, 2, 3], [1, 1, 1]),
        ([3, 3, 5], [2, 2, 2]),
        ([1, 2], [1]),
    ]
    cases += [on(None, a, alt_clustering=b, compareonly=True) for a, b in pairs]
    constant = {"rows": [[0]] * 4}
    cases += [
        on(constant, [1, 1, 2, 2], G2=True, G3=True),
        on({"rows": [[1], [3]]}, [1, 1], silhouette=False),
    ]
    thirds = [1 + i // 4 for i in range(12)]
    cases += [on(MATRIX_A, thirds, form=form, aggregateonly=True) for form in ("dist", "square", "lower")]
    cases += [on(MATRIX_A, thirds, alt_clustering=thirds[::-1], sepprob=share) for share in (0, 0.5, 1, 1.5)]
    for name in ("iris", "wine"):
        data, n = real(name, True, ["every", 2]), {"iris": 75, "wine": 89}[name]
        cases += [on(data, [1 + i * 3 // n for i in range(n)], G2=True, G3=True)]
    return cases
