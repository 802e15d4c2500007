"""What arguments of functions and parameters of estimators may be, and how functions check theirs.

scikit-learn checks the parameters of an estimator by a table, a list of constraints for every parameter, of
which a value must meet one. `takes` puts such a table on a function: its arguments are checked before it does
anything.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from functools import wraps
from numbers import Integral, Real
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    Options,
    StrOptions,
    validate_parameter_constraints,
)

P = ParamSpec("P")
T = TypeVar("T")

LARGEST = 2**31 - 1
"""The largest count: labels are of 32 bits."""
MOST_RUNS = 10**8
"""The largest number of starts or resamples; more would run for days."""


class Range(Interval):
    """An interval of numbers that has no truth values: scikit-learn's takes True for 1."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is a number of the interval."""
        if isinstance(val, bool) or not isinstance(val, Real):
            return False
        if self.type is not Real and isinstance(val, Integral) != (self.type is Integral):
            return False
        try:
            return (val if self.type is Integral else float(val)) in self
        except OverflowError:  # a whole number above the largest float
            return False


class Numbers(Options):
    """A few numbers, without truth values: True is not 1."""

    def __init__(self, *options: int) -> None:
        super().__init__(Real, dict.fromkeys(options).keys())

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is one of the numbers."""
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))


class Described(Options):
    """Values that a function knows."""

    def __init__(self, text: str, accepts: Callable[[Any], bool], *examples: Any) -> None:
        super().__init__(object, dict.fromkeys(examples).keys())
        self.text, self.accepts = text, accepts

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the function accepts the value."""
        return self.accepts(val)

    def __str__(self) -> str:
        return self.text


class AnEstimator(HasMethods):
    """An object with the given methods; a class has them too, but is no estimator."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is an estimator."""
        return not isinstance(val, type) and bool(super().is_satisfied_by(val))


def count(low: int = 1, high: int = LARGEST) -> Range:
    """A whole number from `low` to `high`."""
    return Range(Integral, low, high, closed="both")


def number(
    low: float | None, high: float | None = None, closed: Literal["left", "right", "both", "neither"] = "left"
) -> Range:
    """A number from `low` to `high`, None for no limit; `closed` says which of the limits belong to it.

    An infinite limit belongs to it where None is on a closed side.
    """
    return Range(Real, low, high, closed=closed)


POSITIVE = number(0, closed="neither")
NOT_NEGATIVE = number(0)
COUNT = [count()]
"""Clusters, iterations: a whole number of at least 1."""
RUNS = [count(1, MOST_RUNS)]
"""Starts, resamples, permuted data sets."""
FLAG = ["boolean"]
VERBOSE = ["verbose"]
SEED = [Range(Integral, 0, 2**32 - 1, closed="both"), np.random.RandomState, None]
"""What `random_state` may be."""
SEED_SEQUENCE = Range(Integral, 0, None, closed="left")
"""A seed of numpy's SeedSequence, of any size."""
JOBS = [count(), Range(Integral, -LARGEST, -1, closed="both"), None]
"""What `n_jobs` may be: 0 means nothing."""
PATH = Described("a path", lambda val: isinstance(val, str | os.PathLike) and bool(os.fspath(val)), "file")
FUNCTION = Described("a function", lambda val: callable(val) and not isinstance(val, type), len)
"""A function; a class can be called too, but gives no result of the right kind."""


def names(*options: str) -> StrOptions:
    """One of these names, which messages list in this order."""
    return StrOptions(dict.fromkeys(options).keys())


def check_arguments(caller: str, constraints: Mapping[str, list[Any]], **values: Any) -> None:
    """Raise scikit-learn's InvalidParameterError for a value that meets none of its constraints."""
    validate_parameter_constraints(constraints, values, caller_name=caller)


def takes(**constraints: list[Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function check its arguments before it does anything."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **named: P.kwargs) -> T:
            given = signature.bind(*args, **named).arguments
            check_arguments(
                function.__name__, constraints, **{key: given[key] for key in constraints if key in given}
            )
            return function(*args, **named)

        return checked

    return decorate
