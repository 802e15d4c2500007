"""Cases of RSKC's measures of agreement."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case


def _labels(r: Random) -> tuple[list[int], list[int]]:
    """Two labellings, independent or related."""
    n, k = r.choice([1, 2, 3, r.randint(4, 60), r.randint(100, 300)]), r.randint(1, 8)
    first = [r.randint(1, k) for _ in range(n)]
    second = [v if r.random() < 0.7 else r.randint(-2, k) for v in first]
    return first, second


def random_cer(r: Random, seed: int) -> Case:
    """A call of CER, sometimes with invalid arguments."""
    first, second = _labels(r)
    if r.random() < 0.1:
        second = [*second, 1]
    elif r.random() < 0.1:
        return new_case("CER", {"ind": first, "true.ind": [*second[:-1], "NA"]}, None, seed)
    return new_case("CER", {"ind": first, "true.ind": second}, None, seed)


def random_sensitivity(r: Random, seed: int) -> Case:
    """A call of Sensitivity, sometimes with invalid arguments or a missing label."""
    first, second = _labels(r)
    if r.random() < 0.1:
        second = [*second, 1]
    elif r.random() < 0.1 and len(first) > 1:
        args = {"label1": ["NA", *first[1:]], "label2": second}
        return new_case("Sensitivity", args, None, seed)
    return new_case("Sensitivity", {"label1": first, "label2": second}, None, seed)


RANDOM_CASES: RandomCases = {
    "CER": (42, random_cer),
    "Sensitivity": (42, random_sensitivity),
}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    a, b = [1, 1, 1, 2, 2, 3], [1, 1, 2, 2, 3, 3]
    return [
        new_case("CER", {"ind": a, "true.ind": b}, None, 1),
        new_case("Sensitivity", {"label1": a, "label2": b}, None, 1),
    ]
