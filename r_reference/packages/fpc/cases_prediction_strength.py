"""Cases of prediction.strength."""

from random import Random
from typing import Any

from r_reference.case_parts import Case, RandomCases, new_case, random_recipe, real, sample_kind


def random_strength(r: Random, seed: int) -> Case:
    """A call of prediction.strength: both clusterings with further arguments, near ties, sometimes faults."""
    data = random_recipe(r, (16, 60), (2, 4))
    # Where k-means cannot make so many clusters of a half, R goes on without end.
    data["steps"] = [step for step in data["steps"] if step[0] not in ("duplicate", "constant")]
    first = r.randint(2, 3)
    args: Case = {"Gmin": first, "Gmax": r.randint(first, 4), "M": r.randint(1, 4)}
    if data["draw"] == "integer" or ["round", 1] in data["steps"] or r.random() < 0.4:
        args["clustermethod"] = "claraCBI"
        if r.random() < 0.3:
            args["usepam"] = r.random() < 0.3
        if r.random() < 0.3:
            args["metric"] = "manhattan"
        if r.random() < 0.05:
            args["Gmax"] = data["n"] // 2 - 1
    else:
        if r.random() < 0.3:
            args["runs"] = r.randint(1, 3)
        if r.random() < 0.2:
            args["scaling"] = True
        if r.random() < 0.2:
            args[r.choice(["nstart", "iter.max"])] = r.randint(2, 8)
        if r.random() < 0.1:
            args["algorithm"] = r.choice(["Lloyd", "MacQueen"])
    if r.random() < 0.3:
        args["cutoff"] = r.choice([0, 0.1, 0.3, 0.95, 1, 2, "NA"])
    return new_case("prediction.strength", args, data, seed, sample_kind=sample_kind(r))


RANDOM_CASES: RandomCases = {"prediction.strength": (60, random_strength)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(data: Case, last: int, **args: Any) -> Case:
        named = {name.replace("_", "."): value for name, value in args.items()}
        return new_case("prediction.strength", {"Gmax": last, "M": 3, **named}, data, 1)

    grid = {"rows": [[i % 4, i // 4] for i in range(24)]}
    cases = [on(grid, k, clustermethod="claraCBI") for k in (2, 3, 4)]
    cases += [
        on(grid, 3, clustermethod="claraCBI", usepam=False),
        on(grid, 3),
        on({"rows": [[1, 1]] * 10}, 3, clustermethod="claraCBI"),
    ]
    cases += [on(grid, 3, cutoff=cut) for cut in (0, 0.5, 1, "NA")]
    holes = {**grid, "steps": [["set", 2, 1, "NaN"]]}
    cases += [on(holes, 2, clustermethod="claraCBI")]
    cases += [on(grid, 4, Gmin=g) for g in (2, 3, 4)]
    for name in ("iris", "wine"):
        cases += [
            on(real(name, True), 4, **args) for args in ({}, {"clustermethod": "claraCBI"}, {"runs": 3})
        ]
    return cases
