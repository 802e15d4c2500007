"""Cases of table."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case

NUMBERS = [0.1 + 0.2, 0.3, 1 / 3, 1e5, 123456, 1e15, -2, 1e-7, 0, "Inf", "-Inf", 100, 2.5]


def random_table(r: Random, seed: int) -> Case:
    """A call of table: one vector or two, numbers or words, missing ones, names; sometimes faults."""
    n = r.choice([1, 2, r.randint(3, 60), r.randint(100, 300)])
    words = r.choice(["none", "none", "first", "second", "both", "truth", "levels", "integers"])
    most = 7 if words != "none" else r.choice([2, 5, 12, 60])
    args: Case = {"first": [r.randint(1, most) for _ in range(n)], "words": words}
    if words == "none" and r.random() < 0.3:
        args["first"] = [r.choice(NUMBERS) for _ in range(n)]
    if r.random() < 0.7:
        args["second"] = [r.randint(1, r.choice([1, 3, 7])) for _ in range(n)]
        if words not in ("second", "both") and r.random() < 0.3:
            args["second"] = [r.randint(1, r.choice([30, 10**6])) for _ in range(n)]
    for name in ("first", "second"):
        if name in args and r.random() < 0.25:
            args[name] = [r.choice(["NA", v, v]) for v in args[name]]
    if r.random() < 0.4:
        args["useNA"] = r.choice(["no", "ifany", "always", "al", "foo"])
    if r.random() < 0.3:
        args["dnn"] = "cluster" if "second" not in args else None
    if r.random() < 0.05:
        args["second"] = [*args["first"], 1]
    return new_case("table", {name: value for name, value in args.items() if value is not None}, None, seed)


RANDOM_CASES: RandomCases = {"table": (60, random_table)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(first: Any, second: Any = None, **other: Any) -> Case:
        given = {"first": first} if second is None else {"first": first, "second": second}
        return new_case("table", {**given, **other}, None, 1)

    cases = [on([1, 1, 2]), on([1, 1, 2], [3, 4, 4]), on([1, 1, 2], [3, 4, 4], words="both"), on([5], [5])]
    cases += [on([1, "NA", 2], useNA=use) for use in ("no", "ifany", "always")]
    cases += [on([1, "NA", 2], [1, 1, "NA"], useNA=use) for use in ("no", "ifany", "always")]
    cases += [on(["NA", "NA"]), on(["NA", 1], [1, "NA"]), on([1, 2, 3], [1, 2]), on(list(range(1, 31)))]
    cases += [on([1 + i % 2 for i in range(60)], list(range(1, 61))), on(NUMBERS), on(NUMBERS, NUMBERS)]
    return cases
