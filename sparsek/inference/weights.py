"""Weights of rows, which every test refuses by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

NO_WEIGHTS = "it compares plain means of rows with the same noise, and for weighted rows neither holds"
"""Why a test of means takes no weights."""


def unweighted(why: str = NO_WEIGHTS) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a test refuse `sample_weight`, on its own and among `fit_params`, before it does anything."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def checked(*args: P.args, **named: P.kwargs) -> T:
            refuse_weights(function.__name__, named, why)
            named.pop("sample_weight", None)
            return function(*args, **named)

        return checked

    return decorate


def refuse_weights(test: str, named: Mapping[str, Any], why: str) -> None:
    """ValueError for weights or batches of the rows among the arguments of a test or those of its fits."""
    fits = named.get("fit_params")
    own = fits if isinstance(fits, Mapping) else {}
    for name, value in own.items():
        if name.rpartition("__")[2] == "batch" and value is not None:
            raise ValueError(
                f"{test} does not take {name}, because it compares means of rows as they are: fit and test "
                "each batch alone"
            )
    for name, value in {**own, **named}.items():
        if name.rpartition("__")[2] == "sample_weight" and value is not None:
            raise ValueError(
                f"{test} does not take {name}, because {why}: leave out rows of weight 0, and fit and test "
                "without weights"
            )
