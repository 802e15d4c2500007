"""The search behind ``sparsek tune``: a criterion over sizes, numbers of clusters, or both."""

from __future__ import annotations

import math
from typing import Any

from sparsek.cli._cells import InputError, number_of
from sparsek.cli._methods import METHODS, OPTIONS, method_class, takes
from sparsek.cli._options import CRITERIA

DEFAULT_SIZES = 10
"""Sizes that are tried when none are given."""
MOST_VALUES = 1000
"""Largest number of values in a range."""
SEPARATION = "separation"
"""The criterion that compares numbers of clusters, each with its own size."""
WITHOUT_CRITERION = ("cosa", "madd", "dec", "factor-mixture")
"""Methods without `inertia_` or `gap_objective_`, by which numbers of clusters are compared."""


def parse_values(text: str, option: str) -> list[Any]:
    """Numbers from a text like 2,4,8 or 2:6."""
    try:
        first, colon, last = text.partition(":")
        if colon:
            start, stop = _whole(first), _whole(last)
            if stop < start:
                raise InputError(f"{option} has no values: {text!r} counts downwards")
            if stop - start >= MOST_VALUES:
                raise InputError(f"{option} takes at most {MOST_VALUES} values; {text!r} has more")
            return list(range(start, stop + 1))
        return [_number(part) for part in text.split(",")]
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{option} takes numbers such as 3 or 2,4,8 or 2:6; got {text!r}") from error


def _number(text: str) -> int | float:
    """A finite number, as int where the text has digits only."""
    number = number_of(text)
    if not math.isfinite(number):
        raise ValueError(f"{text!r} is not finite")
    return int(text) if text.strip().isdigit() else number


def _whole(text: str) -> int:
    """A whole number."""
    number = _number(text)
    if number != int(number):
        raise ValueError(f"{text!r} is not a whole number")
    return int(number)


def check_method(name: str, n_clusters: list[Any]) -> None:
    """Refuse methods without a criterion that the gap statistic could compare."""
    if name in WITHOUT_CRITERION:
        able = [other for other in METHODS if other not in WITHOUT_CRITERION]
        raise InputError(
            f"method {name} has no criterion by which the gap compares fits; these have: {', '.join(able)}; "
            "or give another --criterion"
        )
    if len(n_clusters) > 1 or not takes(name, "bound"):
        return
    from sparsek.methods.search.choice.model_choice import explains  # slow to import

    if not explains(method_class(name)()):
        raise InputError(
            f"method {name} has no criterion by which the gap compares sizes; give several numbers of "
            "clusters, such as --k 2:6, or another --criterion"
        )


def usual_criterion(n_clusters: list[Any], has_categories: bool = False) -> str:
    """The criterion for these numbers of clusters where none is given; categories cannot be thinned."""
    return SEPARATION if len(n_clusters) > 1 else "gap" if has_categories else "thinning"


def criterion_options(criterion: str, permutations: int | None, rule: str | None) -> dict[str, Any]:
    """Options of the search of a criterion, of which only the gap has permutations."""
    if criterion not in CRITERIA:
        raise InputError(f"--criterion is one of {', '.join(CRITERIA)}; got {criterion!r}")
    if permutations is not None and criterion != "gap":
        raise InputError(f"--permutations belong to --criterion gap; got --criterion {criterion}")
    rules = CRITERIA[criterion]
    if rule is not None and (rule not in rules or len(rules) == 1):
        known = f"one of {', '.join(rules)}" if len(rules) > 1 else "not to be given"
        raise InputError(f"--rule is {known} for --criterion {criterion}; got {rule!r}")
    given = {"n_permutations": permutations, "rule": rule}
    return {name: value for name, value in given.items() if value is not None}


def given_sizes(
    name: str, n_clusters: list[Any], select: str | None, bound: str | None
) -> dict[str, list[Any]]:
    """The values of --select or --bound that are given; an error if nothing is left to choose."""
    if len(n_clusters) == 1 and not takes(name, "select") and not takes(name, "bound"):
        raise InputError("nothing to choose: give several numbers of clusters, such as --k 2:6")
    texts = {option: text for option, text in (("select", select), ("bound", bound)) if text is not None}
    return {option: parse_values(text, f"--{option}") for option, text in texts.items()}


def size_grid(name: str, given: dict[str, list[Any]], p: int, criterion: str) -> dict[str, list[Any] | None]:
    """The sparsity parameter and its values (None for the default ones); empty if the method has none.

    Empty too where every fit chooses its own size, as it does unless the sizes are compared.
    """
    if given:
        option, values = given.popitem()
        return {OPTIONS[option]: values}
    if criterion == SEPARATION and bool(getattr(method_class(name), "_path_parameter", "")):
        return {}
    if takes(name, "select"):
        import numpy as np  # slow to import

        return {OPTIONS["select"]: sorted({int(size) for size in np.geomspace(1, p, DEFAULT_SIZES)})}
    return {OPTIONS["bound"]: None} if takes(name, "bound") else {}


def n_units(model: Any, table: Any) -> int:
    """How many features of a table, or groups of them, the model can select."""
    groups = getattr(model, "groups", None)
    return int(table.frame.shape[1]) if groups is None else len(groups)


def check_grid(estimator: Any, grid: dict[str, list[Any] | None]) -> None:
    """Raise for a value that the estimator's parameter cannot have."""
    from sparsek.methods.shared.parameters import check_values  # slow to import

    for name, values in grid.items():
        check_values(estimator, name, values or ())


def make_search(
    estimator: Any,
    n_clusters: list[Any],
    sizes: dict[str, list[Any] | None],
    criterion: str,
    options: dict[str, Any],
    **running: Any,
) -> Any:
    """The search over the sizes, the numbers of clusters, or both, by one criterion with these options."""
    from sparsek import ModelChoice  # slow to import

    grid = {"n_clusters": n_clusters, **sizes} if len(n_clusters) > 1 else dict(sizes)
    return ModelChoice(estimator, grid, criterion, options={criterion: options}, **running)
