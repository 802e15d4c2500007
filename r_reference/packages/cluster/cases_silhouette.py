"""Cases of silhouette."""

from random import Random
from typing import Any

from r_reference.case_parts import MATRIX_A, SIX_ROWS, Case, RandomCases, new_case, random_recipe, real


def random_silhouette(r: Random, seed: int) -> Case:
    """A call of silhouette: labels and distances in several forms, or a fit of pam; sometimes faults."""
    data = random_recipe(r, (2, 60), (1, 5))
    n, k = data["n"], r.randint(1, 7)
    if r.random() < 0.2 and n > 2:
        return new_case("silhouette", {"k": r.randint(1, n - 1)}, data, seed)
    codes = r.choice([list(range(1, k + 1)), [r.randint(-5, 20) for _ in range(k)]])
    labels: list[Any] = [r.choice(codes) for _ in range(n)]
    if r.random() < 0.3:
        labels = [codes[i % k] for i in range(n)]
    args: Case = {"labels": labels, "form": r.choice(["dist", "dist", "dist", "dmatrix", "lower", "list"])}
    choice = r.random()
    if choice < 0.05:
        labels[0] = r.choice(["NA", 1.5, 3e9])
    elif choice < 0.1:
        args["labels"] = r.choice([labels[1:], [*labels, 1]])
    elif choice < 0.14:
        args["form"] = r.choice(["none", "text"])
    elif choice < 0.18:
        data["steps"] = [*data["steps"], ["set", 1, 1, r.choice(["NaN", "Inf"])]]
    return new_case("silhouette", args, data, seed)


RANDOM_CASES: RandomCases = {"silhouette": (60, random_silhouette)}
"""Number of random cases in the table, and their generator, of each function."""


def fixed_cases() -> list[Case]:
    """The chosen cases of this file."""

    def on(data: Case, labels: Any = None, **args: Any) -> Case:
        given = {} if labels is None else {"labels": labels}
        return new_case("silhouette", {**given, **args}, data, 1)

    six = [
        [1, 1, 1, 2, 2, 2],
        [1, 1, 2, 2, 3, 3],
        [1] * 6,
        [1, 2, 3, 4, 5, 6],
        [4, 4, 0, 0, 9, 9],
        [1, 2, 2, 2, 2, 2],
    ]
    cases = [on(SIX_ROWS, labels, form=form) for labels in six for form in ("dist", "dmatrix")]
    cases += [on(MATRIX_A, k=k) for k in (1, 2, 3, 5, 11)]
    cases += [on({"rows": [[1], [1], [1], [1], [5]]}, [1, 1, 2, 2, 3])]
    cases += [on(MATRIX_A, k=k, fit=fit) for k in (1, 2, 4) for fit in ("clara", "fanny")]
    for name in ("iris", "wine"):
        data, n = real(name, True, ["every", 2]), {"iris": 75, "wine": 89}[name]
        cases += [on(data, [1 + i * 3 // n for i in range(n)]), on(data, k=3), on(data, k=3, fit="clara")]
    return cases
