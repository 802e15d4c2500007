"""Cases of base R: sampling."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case, sample_kind

BOTH_KINDS = ("Rejection", "Rounding")


def _weights(r: Random, n: int) -> list[float]:
    """Sampling weights with ties and some zeros."""
    return [r.choice([0, 0.1, 0.1, 0.5, 1, round(r.random(), 4)]) for _ in range(n)]


def random_sample(r: Random, seed: int) -> Case:
    """A call of sample on a vector or on a single number."""
    single = r.random() < 0.4
    n = r.randint(1, 300)
    x = [n + r.choice([0, 0.7])] if single else [round(r.uniform(-5, 5), 3) for _ in range(n + 1)]
    args: Case = {"x": x[0] if single else x}
    if r.random() < 0.5:
        args |= {"size": r.randint(0, n), "replace": r.random() < 0.5}
    return new_case("sample", args, None, seed, sample_kind=sample_kind(r), before=r.randint(0, 700))


def random_sample_int(r: Random, seed: int) -> Case:
    """A call of sample.int: plain, weighted, hashed, with or without replacement, sometimes an error."""
    sizes = [r.randint(1, 20), r.randint(1, 400), 32768, 65536, 65537, 10**6, 2 * 10**7, 2 * 10**9]
    n = r.choice(sizes[:2] * 3 + sizes[2:])
    replace = r.random() < 0.4
    size = r.randint(0, min(n, 200)) if r.random() < 0.97 else min(n, 400) + 1
    args: Case = {"n": n, "size": size, "replace": replace}
    if n <= 400 and r.random() < 0.5:
        args["prob"] = _weights(r, n)
    return new_case("sample.int", args, None, seed, sample_kind=sample_kind(r), before=r.randint(0, 700))


RANDOM_CASES: RandomCases = {"sample": (6, random_sample), "sample.int": (14, random_sample_int)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Sampling with both sample kinds: permutations, replacement, hashing, weights, alias tables, errors."""
    cases = [new_case("sample", {"x": x}, None, 5) for x in (4, 3.7, [2.5, 7], [9, 8, 7, 6, 5, 4, 3])]
    cases.append(new_case("sample", {"x": [9, 8, 7], "size": 5}, None, 5))
    cases.append(
        new_case("sample", {"x": [3, 1, 2], "size": 9, "replace": True, "prob": [1, 0.5, 2]}, None, 5)
    )
    full = [{"n": n} for n in (1, 2, 10, 400)]
    parts = [{"n": n, "size": 40} for n in (32768, 32769, 65535, 65536, 65537, 100000)]
    replaced = [{"n": n, "size": 60, "replace": True} for n in (1, 6, 65536, 2 * 10**9)]
    hashed = [{"n": 2 * 10**7, "size": 100}]
    weighted = [
        {"n": 5, "size": 3, "prob": [0.1, 0.2, 0.2, 0.4, 0.1]},
        {"n": 5, "size": 30, "replace": True, "prob": [0.1, 0.2, 0.2, 0.4, 0.1]},
        {"n": 300, "size": 60, "replace": True, "prob": list(range(1, 301))},
        {"n": 300, "size": 60, "prob": [i % 7 for i in range(300)]},
    ]
    for kind in BOTH_KINDS:
        for args in full + parts + replaced + hashed + weighted:
            cases.append(new_case("sample.int", args, None, 42, sample_kind=kind))
    for args in (
        {"n": 5, "size": 6},
        {"n": 3, "size": 2, "prob": [1, -1, 1]},
        {"n": 3, "size": 2, "prob": [1, "NA", 1]},
        {"n": 3, "size": 2, "prob": [1, 0, 0]},
        {"n": 3, "size": 2, "prob": [1, 1]},
        {"n": 3.9, "size": 2.9},
    ):
        cases.append(new_case("sample.int", args, None, 3))
    return cases
