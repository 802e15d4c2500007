"""The part of the cases that `make test` compares with R; `make test-all` and `make validate` compare all."""

from r_reference.case_parts import Case
from r_reference.recipes import load_table

EVERY = 4
"""Every fourth case of a function, of the chosen ones and of the random ones behind them."""
CASES: dict[str, list[Case]] = {}
"""The cases of the table by function."""
for _case in load_table()["cases"]:
    CASES.setdefault(_case["function"], []).append(_case)
FUNCTIONS = list(CASES)


def some_cases(function: str) -> list[Case]:
    """The cases of a function that `make test` compares."""
    return CASES[function][::EVERY]


def other_cases(function: str) -> list[Case]:
    """The cases that it leaves out; a function may have none."""
    return [case for i, case in enumerate(CASES[function]) if i % EVERY]
