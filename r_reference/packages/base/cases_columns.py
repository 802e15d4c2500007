"""Cases of base R: scale."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, REAL, Case, RandomCases, new_case, random_recipe, real


def column_recipe(r: Random) -> Case:
    """Data of any scale, sometimes with missing or infinite cells."""
    data = random_recipe(r, (2, 60), (1, 8))
    n, p = data["n"], data["p"]
    steps = [step for step in data["steps"] if step[0] != "set"]
    if r.random() < 0.3:
        steps.append(["multiply", r.choice([1e-290, 1e-160, 1e150, 1e290, -7.3])])
    if r.random() < 0.3:
        steps.append(["missing", r.randrange(1, 2**31), r.randint(1, n * p)])
    if r.random() < 0.1:
        steps.append(["set", r.randint(1, n), r.randint(1, p), r.choice(["Inf", "-Inf", "NaN", 1e200])])
    return {**data, "steps": steps}


def _columns_by(r: Random, p: int) -> Any:
    """What the columns are centred or scaled by: yes, no, numbers, sometimes too many."""
    if r.random() < 0.6:
        return r.random() < 0.6
    count = p if r.random() < 0.9 else p + 1
    return [r.choice([0, 1, "NA", round(r.uniform(-3, 3), 3), r.uniform(0.1, 9)]) for _ in range(count)]


def random_scale(r: Random, seed: int) -> Case:
    """A call of scale."""
    data = column_recipe(r)
    args = {name: _columns_by(r, data["p"]) for name in ("center", "scale") if r.random() < 0.5}
    return new_case("scale", args, data, seed)


RANDOM_CASES: RandomCases = {"scale": (60, random_scale)}
"""Number of random cases in the table, and their generator, of each function."""


def scale_cases() -> list[Case]:
    """Calls of scale: real data, constant and missing columns, vectors, extreme scales, errors."""
    cases = [
        new_case("scale", {}, real(name, scaled), 1) for name in (*REAL, "digits") for scaled in (False, True)
    ]
    both = [{"center": center, "scale": scale} for center in (True, False) for scale in (True, False)]
    vectors: list[Case] = [
        {"center": [1, 2, 3]},
        {"scale": [1, 0, -3]},
        {"center": [0.1, "NA", "Inf"], "scale": [1, 2, "NaN"]},
    ]
    wrong: list[Case] = [
        {"center": 1},
        {"scale": 2},
        {"center": [1, 2]},
        {"scale": [1, 2, 3, 4]},
        {"center": "NA"},
    ]
    cases += [new_case("scale", args, MATRIX_A, 1) for args in both + vectors + wrong]
    for rows in (
        [[2, 1], [2, 2], [2, 4]],
        [[1, "NaN"], ["NaN", "NaN"], [3, "NaN"]],
        [[1, "NaN"], ["NaN", 2]],
        [[1, "Inf"], [2, 2], ["NaN", 1]],
        [[1, 2, 3]],
        [[7]],
        [[1e308, -1e308], [1.5e308, 1], [1.7e308, 2]],
        [[5e-324, 1e-310], [0, 3e-310], [1e-323, -1e-310]],
        [[-0.0, 0], [-0.0, 0]],
    ):
        cases += [new_case("scale", args, {"rows": rows}, 1) for args in both[::2]]
    return cases


def fixed_cases() -> list[Case]:
    """The chosen cases of these functions."""
    return scale_cases()
