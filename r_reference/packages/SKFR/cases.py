"""Cases of the SKFR authors' functions, from given labels.

Only cases in which their code and sparsek must agree: fewer features than there are, and data without ties,
which their code breaks in another order (see the deviations).
"""

from collections.abc import Callable
from random import Random

from r_reference.case_parts import DATASETS, Case, RandomCases, new_case, real

THIN = {"iris": 2, "wine": 2, "wdbc": 6}
"""Thinning of the real data sets: one row in this many, to keep the vectors of labels short."""


def _labels(r: Random, n: int, k: int) -> list[int]:
    """Labels 1 to k, sometimes with an empty cluster."""
    absent = r.randint(1, k) if k > 2 and r.random() < 0.15 else 0
    return [r.choice([label for label in range(1, k + 1) if label != absent]) for _ in range(n)]


def _call(function: str, r: Random, data: Case, n: int, k: int, sparsity: int, seed: int) -> Case:
    args = {"class": _labels(r, n, k), "classes": k, "sparsity": sparsity}
    return new_case(function, args, data, seed)


def _random(function: str) -> Callable[[Random, int], Case]:
    """The generator of random cases of a function."""

    def generate(r: Random, seed: int) -> Case:
        n, p, k = r.randint(8, 60), r.randint(2, 20), r.randint(2, 6)
        steps = []
        if r.random() < 0.7:
            steps.append(["clusters", r.randint(2, 6), r.choice([1, 2, 4.5]), r.randint(1, p)])
        if r.random() < 0.3:
            steps.append([*r.choice([["add", 100], ["multiply", 1e-4], ["multiply", 1e5]])])
        draw = r.choice(["normal", "uniform"])
        data = {"draw": draw, "seed": r.randrange(1, 2**31), "n": n, "p": p, "steps": steps}
        return _call(function, r, data, n, k, r.randint(1, p - 1), seed)

    return generate


RANDOM_CASES: RandomCases = {
    "sparsekmeans1": (40, _random("sparsekmeans1")),
    "sparsekmeans2": (25, _random("sparsekmeans2")),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Real data, raw and scaled, from random labels."""
    r = Random("skfr")
    cases = []
    for function in RANDOM_CASES:
        for name, every in THIN.items():
            source, k = DATASETS[name]
            n, p = source().data[::every].shape
            for scaled in (False, True):
                data = real(name, scaled, ["every", every])
                sizes = {1, p // 3, p - 1} if function == "sparsekmeans1" else {p // 2}
                cases += [_call(function, r, data, n, k, s, 1) for s in sorted(sizes)]
    return cases
