"""The search behind ``sparsek tune``: the gap statistic over sizes, numbers of clusters, or both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparsek.cli._cells import InputError, number_of
from sparsek.cli._methods import METHODS, OPTIONS, check_option, has_parameter, method_class
from sparsek.methods.search.permutation_gap import PermutationGap
from sparsek.methods.shared.parameters import check_values
from sparsek.methods.skfr.estimator import SKFR

DEFAULT_SIZES = 10
"""Sizes that are tried when none are given."""
MOST_VALUES = 1000
"""Largest number of values in a range."""
WITHOUT_CRITERION = ("cosa", "madd", "dec")
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
            f"method {name} has no criterion by which tune compares fits; these have: {', '.join(able)}"
        )
    if len(n_clusters) == 1 and has_parameter(name, OPTIONS["bound"]) and not _explains(method_class(name)):
        raise InputError(
            f"method {name} has no criterion by which tune compares sizes; give several numbers of clusters, "
            "such as --k 2:6"
        )


def _explains(kind: type) -> bool:
    """Whether fits of a class say how much of the scatter the clusters explain."""
    return hasattr(kind, "gap_objective_")


def unexplained(fit: Any) -> float:
    """Objective 1 / W by which Tibshirani et al. compare numbers of clusters; see PermutationGap's notes."""
    return float(1 / fit.inertia_) if fit.inertia_ > 0 else np.inf


def size_grid(name: str, select: str | None, bound: str | None, p: int) -> dict[str, list[Any] | None]:
    """The sparsity parameter and its values (None for the default ones); empty if the method has none."""
    given = {key: text for key, text in (("select", select), ("bound", bound)) if text is not None}
    for option in given:
        check_option(name, option)
    if given:
        option, text = given.popitem()
        return {OPTIONS[option]: parse_values(text, f"--{option}")}
    if has_parameter(name, OPTIONS["select"]):
        return {OPTIONS["select"]: sorted({int(size) for size in np.geomspace(1, p, DEFAULT_SIZES)})}
    return {OPTIONS["bound"]: None} if has_parameter(name, OPTIONS["bound"]) else {}


def check_grid(estimator: Any, grid: dict[str, list[Any] | None]) -> None:
    """Raise for a value that the estimator's parameter cannot have."""
    for name, values in grid.items():
        check_values(estimator, name, values or ())


def make_search(
    estimator: Any, n_clusters: list[Any], sizes: dict[str, list[Any] | None], **options: Any
) -> PermutationGap:
    """The search over the sizes, the numbers of clusters, or both.

    Sizes are compared by the variation that the clusters explain; so are numbers of clusters in methods with
    feature weights. There the unexplained variation also falls with the weights, which favours many clusters.
    The other methods compare numbers of clusters by the unexplained variation.
    """
    if len(n_clusters) > 1:
        left = isinstance(estimator, SKFR) or not _explains(type(estimator))
        grid = {"n_clusters": n_clusters, **sizes}
        objective = unexplained if left else None
    elif sizes:
        grid, objective = sizes, None
    else:
        raise InputError("nothing to choose: give several numbers of clusters, such as --k 2:6")
    names, values = tuple(grid), tuple(grid.values())
    single = len(grid) == 1
    return PermutationGap(
        estimator,
        names[0] if single else names,
        values[0] if single else values,
        objective=objective,
        **options,
    )
