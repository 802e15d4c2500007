"""Cases of Clest with reference data along the principal axes, R's default."""

from r_reference.case_parts import Case, RandomCases, new_case, real
from r_reference.packages.RSKC.cases import W_MATRIX

RANDOM_CASES: RandomCases = {}


def fixed_cases() -> list[Case]:
    """Small data, all bounds and shares, data sets; fewer rows than columns are not there."""

    def on(data: Case, seed: int = 1, **args: object) -> Case:
        standard = {"maxK": 3, "alpha": 0.1, "B": 2, "B0": 2, "nstart": 3, "pca": True}
        return new_case("Clest", {**standard, **args}, data, seed)

    cases = []
    for seed in range(1, 31):
        draw = ("normal", "uniform", "normal", "integer")[seed % 4]
        data: Case = {"draw": draw, "seed": seed, "n": 15 + seed, "p": 2 + seed % 7}
        data |= {"levels": 9} if draw == "integer" else {}
        data["steps"] = [["clusters", 2 + seed % 3, 4, 1 + seed % 2]]
        cases.append(on(data, seed, alpha=(0, 0.1)[seed % 2], L1=1.3, beta=(0.1, 0.5)[seed % 3 == 0]))
    for scaled in (False, True):
        cases += [on(real("iris", scaled, ["every", k]), k, L1=1.5) for k in (3, 4)]
        cases += [on(real("wine", scaled, ["every", k]), k, L1=1.8) for k in (3, 4)]
        cases.append(on(real("wdbc", scaled, ["every", 9]), 9, L1=2.5))
    constant = {**W_MATRIX, "steps": [*W_MATRIX["steps"], ["constant", 2, 1.0]]}
    twice = {**W_MATRIX, "steps": [*W_MATRIX["steps"], ["duplicate", 3]]}
    cases += [on(W_MATRIX, weighted=False), on(W_MATRIX, L1=1.4, maxK=4, B=3, B0=4)]
    cases += [on(constant, L1=1.4), on(twice, L1=1.4)]
    return cases
