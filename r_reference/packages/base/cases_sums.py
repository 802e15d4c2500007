"""Cases of base R: sum."""

from random import Random

from r_reference.case_parts import REAL, Case, RandomCases, new_case, real
from r_reference.packages.base.cases_columns import column_recipe


def random_sum(r: Random, seed: int) -> Case:
    """A call of sum, of a matrix alone or with more numbers."""
    args: Case = {}
    if r.random() < 0.6:
        args["na.rm"] = r.choice([True, True, False, 0, 1, "NA"])
    if r.random() < 0.4:
        choices = [1e16, -1e16, 1, 0.1, "NA", r.gauss(0, 1), r.gauss(0, 1e8)]
        args["more"] = [r.choice(choices) for _ in range(r.randint(1, 5))]
    return new_case("sum", args, column_recipe(r), seed)


RANDOM_CASES: RandomCases = {"sum": (55, random_sum)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """Real data, and sums whose order shows in the digits."""
    cases = [
        new_case("sum", {}, real(name, scaled), 1) for name in (*REAL, "digits") for scaled in (False, True)
    ]
    for more in ([1e16, 1, -1e16], [1e308, 1e308, -1e308], [1e-20, 1, -1], ["Inf", "-Inf"]):
        cases.append(new_case("sum", {"more": more}, {"rows": [[1e16, -1e16], [1, 1]]}, 1))
    return cases
