"""Cases of RSKC's clustering, choice of the number of clusters, and silhouette."""

import math
from random import Random
from typing import Any

from r_reference.case_parts import REAL, Case, RandomCases, new_case, random_recipe, real, sample_kind

NORMAL = {"draw": "normal", "seed": 3, "n": 40, "p": 5}
OUTLIERS = [["set", 40, j, 9 + j] for j in range(1, 6)] + [["set", 1, 5, 12]]
# Two groups in two features; an outlier in all features, and one in the last feature.
W_MATRIX: Case = {**NORMAL, "steps": [["clusters", 2, 3, 2], *OUTLIERS]}


def random_data(r: Random, n: tuple[int, int], p: tuple[int, int], missing: float) -> Case:
    """A recipe of at least two features, in some cases with a few missing cells."""
    data = random_recipe(r, n, p)
    if r.random() < missing:
        cells = max(1, round(0.03 * data["n"] * data["p"]))
        data["steps"] = [*data["steps"], ["missing", r.randrange(1, 2**31), cells]]
    return data


def random_rskc(r: Random, seed: int) -> Case:
    """A call of RSKC: trimming, bounds and starts of all kinds, missing values, standardised data."""
    data = random_data(r, (8, 60), (2, 15), 0.35)
    missing = data["steps"][-1:] and data["steps"][-1][0] == "missing"
    k = r.randint(2, 5)
    # A tight bound could put all weight on features that a row lacks; R then returns uninitialised memory.
    lowest = 0.8 * math.sqrt(data["p"]) if missing else 1
    bound = round(max(1, r.uniform(lowest, math.sqrt(data["p"]) + 0.5)), 3)
    alpha = r.choice([0.1, 0.2, 0.3, 0.45, 0.7] if missing else [0, 0, 0.05, 0.1, 0.2, 0.45, 0.7, 0.95])
    args: Case = {"ncl": k, "alpha": alpha, "nstart": r.choice([1, 2, 5, 10, 20])}
    args |= {"weighted": False} if r.random() < 0.2 else {"L1": bound}
    rounded = data["draw"] == "integer" or any(step[0] in ("round", "duplicate") for step in data["steps"])
    if r.random() < 0.15 and data["p"] > 3 and not rounded:  # results are undefined if a row has no variance
        args[r.choice(["scaling", "correlation"])] = True
    return new_case("RSKC", args, data, seed, sample_kind=sample_kind(r))


def random_clest(r: Random, seed: int) -> Case:
    """A call of Clest with reference data along the columns or the principal axes."""
    data = random_data(r, (15, 36), (3, 6), 0.2)
    missing = data["steps"][-1:] and data["steps"][-1][0] == "missing"
    args: Case = {"maxK": r.randint(3, 4), "alpha": 0.2 if missing else r.choice([0, 0.1])}
    args |= {
        "B": r.randint(1, 3),
        "B0": r.randint(1, 3),
        "nstart": r.choice([1, 3, 6]),
        "beta": r.choice([0.1, 0.5]),
    }
    args |= {"weighted": False} if r.random() < 0.2 else {"L1": round(r.uniform(1.5, 2.2), 2)}
    args["pca"] = not missing and r.random() < 0.6
    return new_case("Clest", args, data, seed, sample_kind=sample_kind(r))


def random_silhouette(r: Random, seed: int) -> Case:
    """A call of revisedsil with any weights and clusters."""
    data = random_data(r, (8, 40), (2, 8), 0.4)
    k = r.randint(2, 4)
    weights = [round(r.uniform(0.05, 1), 3) * (r.random() < 0.8) for _ in range(data["p"])]
    labels = [*range(1, k + 1), *(r.choice([1 + i % k, r.randint(1, k)]) for i in range(data["n"] - k))]
    rows = r.sample(range(1, data["n"] + 1), r.randint(0, 3))
    args: Case = {"W": weights, "C": labels, "out": rows}
    return new_case("revisedsil", args, data, seed)


RANDOM_CASES: RandomCases = {
    "RSKC": (90, random_rskc),
    "Clest": (34, random_clest),
    "revisedsil": (40, random_silhouette),
}
"""Number of random cases in the table, and their generator, of each function."""


def rskc_cases() -> list[Case]:
    """Calls of RSKC: small data, limits of the arguments, errors, and the real data sets."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        return new_case("RSKC", {"ncl": 2, "nstart": 20, **args}, data, seed)

    plain = {"weighted": False}
    gaps = {**W_MATRIX, "steps": [*W_MATRIX["steps"], ["missing", 4, 6]]}
    row = {**W_MATRIX, "steps": [*W_MATRIX["steps"], *([["set", 7, j, "NaN"] for j in range(1, 6)])]}
    column = {**W_MATRIX, "steps": [*W_MATRIX["steps"], *([["set", i, 3, "NaN"] for i in range(1, 41)])]}
    one = {**W_MATRIX, "steps": [*W_MATRIX["steps"], ["columns", 1]]}
    same = {**W_MATRIX, "steps": [["multiply", 0]]}
    tiny = {**W_MATRIX, "steps": [["multiply", 1e-5]]}
    cases = [on(W_MATRIX, alpha=0.1, L1=1.5), on(W_MATRIX, alpha=0, L1=1.5), on(W_MATRIX, alpha=0.1, **plain)]
    cases += [on(gaps, alpha=0.1, L1=1.5), on(gaps, alpha=0.1, **plain), on(W_MATRIX, alpha=0, **plain)]
    cases += [on(row, alpha=0.1, L1=1.8), on(column, alpha=0.1, L1=1.5), on(one, alpha=0.1, **plain)]
    cases += [
        on(one, alpha=0.1, L1=1.5),
        on(same, alpha=0.1, L1=1.5),
        on(same, alpha=0, L1=1.5),
        on(same, alpha=0.1, **plain),
    ]
    cases += [on(tiny, alpha=0.1, L1=1.2), on(W_MATRIX, alpha=0.1, L1=1), on(W_MATRIX, alpha=0.1, L1=12)]
    cases += [on(W_MATRIX, alpha=a, L1=1.5) for a in (-0.1, 1.1, 1, 0.99, 0.95, 0.5, "NaN")]
    cases += [on(W_MATRIX, alpha=a, **plain) for a in (1, 0.7, 0.99)]
    cases += [on(W_MATRIX, ncl=k, alpha=0.1, L1=1.5) for k in (1, 0.4, -2.5, 2.5, 2.6, 12, "NaN")]
    cases += [
        on(W_MATRIX, alpha=0.1, L1=0.5),
        on(W_MATRIX, alpha=2, L1=0.5, ncl=1),
        on(W_MATRIX, alpha=0.1, L1="NaN"),
    ]
    cases += [
        on(W_MATRIX, alpha=0.1, L1=1.5, nstart=2.9),
        on(W_MATRIX, alpha=0.1, L1=1.5, scaling=True, correlation=True),
    ]
    for name, k in REAL.items():
        thin = [["every", 3]] if name == "wdbc" else []
        for scaled in (False, True):
            data = real(name, scaled, *thin)
            cases += [
                on(data, 21, ncl=k, alpha=0.1, L1=1.7, nstart=10),
                on(data, 22, ncl=k, alpha=0.05, nstart=5, **plain),
            ]
    cases += [on(real("iris", True, ["missing", 5, 20]), 23, ncl=3, alpha=0.1, L1=1.8, nstart=10)]
    cases += [on(real("digits", False, ["every", 3]), 24, ncl=10, alpha=0.05, L1=4, nstart=3)]
    return cases


def clest_cases() -> list[Case]:
    """Calls of Clest: small data, errors, and iris."""

    def on(data: Case, seed: int = 1, **args: Any) -> Case:
        standard = {"maxK": 4, "alpha": 0.1, "B": 2, "B0": 2, "nstart": 5, "pca": False}
        return new_case("Clest", {**standard, **args}, data, seed)

    small = {**W_MATRIX, "steps": [*W_MATRIX["steps"], ["columns", 3]]}
    cases = [
        on(small, L1=1.4),
        on(small, weighted=False),
        on(small, maxK=3.9, L1=1.4),
        on(small, maxK=2, L1=1.4),
    ]
    cases += [
        on({**small, "steps": [*small["steps"], ["constant", 2, 1.0]]}, L1=1.4),
        on(small, L1=1.4, beta=0),
    ]
    cases += [on(real("iris", True, ["every", 4]), 7, L1=1.5, nstart=3, B=2)]
    return cases


def silhouette_cases() -> list[Case]:
    """Calls of revisedsil: ties, empty clusters and rows, few weights."""

    def on(data: Case, weights: list[float], labels: list[int], rows: list[int]) -> Case:
        return new_case("revisedsil", {"W": weights, "C": labels, "out": rows}, data, 1)

    def line(*x: float) -> Case:
        return {"rows": [[v, 0] for v in x]}

    both, w = [0.5, 0.5], [0.8, 0.5, 0.1, 0, 0.3]
    halves = [1] * 20 + [2] * 20
    gap = {**W_MATRIX, "steps": [*W_MATRIX["steps"], *([["set", 7, j, "NaN"] for j in range(1, 6)])]}
    cases = [
        on(W_MATRIX, w, halves, []),
        on(W_MATRIX, w, halves, [1, 8, 19, 40]),
        on(W_MATRIX, w, halves, list(range(1, 21))),
    ]
    cases += [
        on(W_MATRIX, w, [1] * 10 + [2] * 30, [99]),
        on(gap, w, halves, []),
        on(W_MATRIX, w, [1] * 39 + [2], [40]),
    ]
    cases += [
        on(W_MATRIX, w, [1] * 40, []),
        on(W_MATRIX, w, [1] * 20 + [3] * 20, []),
        on(W_MATRIX, [0, 1, 0, 0, 0], halves, []),
    ]
    cases += [on(line(0, 1, 1, 1, 2, 10, 11, 12, 13, 13.5), both, [1] * 5 + [2] * 5, [])]
    cases += [on(line(0, 1, 1, 2, 2, 2, 2, 10, 11, 12, 13, 13.5), both, [1] * 7 + [2] * 5, [])]
    cases += [on(line(0, 0, 10, 11, 12, 30, 30), both, [1, 1, 2, 2, 2, 3, 3], [])]
    cases += [on(line(0, 1, 2, 10, 10, 30, 31, 32), both, [1, 1, 1, 2, 2, 3, 3, 3], [])]
    return cases


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return rskc_cases() + clest_cases() + silhouette_cases()
