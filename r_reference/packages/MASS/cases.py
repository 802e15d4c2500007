"""Cases of mvrnorm: covariances of random data, real data, errors."""

from random import Random

from r_reference.case_parts import Case, RandomCases, new_case, random_recipe, real, sample_kind


def random_mvrnorm(r: Random, seed: int) -> Case:
    """Draws with the covariances of random data, of full rank or not."""
    data = random_recipe(r, (3, 40), (1, r.choice([4, 10, 40])))
    args: Case = {"n": r.choice([1, 2, 5, 30]), "mu": [round(r.uniform(-9, 9), 2) for _ in range(data["p"])]}
    if r.random() < 0.5:
        args |= {"empirical": True, "n": data["p"] + r.choice([-1, 0, 1, 3, 10, 60])}
    return new_case("mvrnorm", args, data, seed, sample_kind=sample_kind(r), before=r.randint(0, 3))


RANDOM_CASES: RandomCases = {"mvrnorm": (90, random_mvrnorm)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Real data, and errors."""
    three = {"rows": [[1, 2], [3, 1], [2, 7]]}
    cases = [new_case("mvrnorm", {"n": n, "mu": mu}, three, 1) for n, mu in
             ((0, [1, 2]), (-1, [1, 2]), (3, [1]), (1, [1, 2]), (500, [0, 0]))]  # fmt: skip
    cases += [
        new_case("mvrnorm", {"n": n, "mu": [1, 2], "empirical": True}, three, 1) for n in (-1, 0, 1, 2, 9)
    ]
    cases += [
        new_case("mvrnorm", {"n": n, "mu": [1], "empirical": True}, {"rows": [[1], [4]]}, 1) for n in (1, 2)
    ]
    cases.append(new_case("mvrnorm", {"n": 3, "mu": [0, 0], "sign": -1}, three, 1))
    for name, p in (("iris", 4), ("wine", 13)):
        for scaled in (False, True):
            cases.append(new_case("mvrnorm", {"n": 40, "mu": [1.5] * p}, real(name, scaled), 7))
    return cases
