"""What arguments of functions and parameters of estimators may be, and how functions check theirs.

scikit-learn checks the parameters of an estimator by a table, a list of constraints for every parameter, of
which a value must meet one. `takes` puts such a table on a function: its arguments are checked before it does
anything.
"""

from __future__ import annotations

import inspect
import os
import re
import warnings
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

from sparsek.errors import callers_level

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
FUNCTION: Described = Described("a function", lambda val: callable(val) and not isinstance(val, type), len)
"""A function; a class can be called too, but gives no result of the right kind."""


def names(*options: str) -> StrOptions:
    """One of these names, which messages list in this order."""
    return StrOptions(dict.fromkeys(options).keys())


MOST_SHOWN = 80
"""Characters of a wrong value that an error shows."""


def check_arguments(caller: str, constraints: Mapping[str, list[Any]], **values: Any) -> None:
    """Raise scikit-learn's InvalidParameterError for a value that meets none of its constraints."""
    try:
        validate_parameter_constraints(constraints, values, caller_name=caller)
    except ValueError as error:
        raise type(error)(shortened(str(error), values)) from None


def shortened(message: str, values: Mapping[str, Any]) -> str:
    """The message with the beginning of a long value, such as data where a model belongs, and its shape."""
    for value in values.values():
        whole = repr(value)
        if len(whole) > MOST_SHOWN and whole in message:
            shape = f" of shape {value.shape}" if hasattr(value, "shape") else ""
            begin = " ".join(whole[:MOST_SHOWN].split())
            message = message.replace(whole, f"{begin}... ({type(value).__name__}{shape})")
    return message


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


UNKNOWN_MEMORY = 8 * 1024**3
"""Memory assumed for a machine that does not report its own."""


UNITS = {"": 1, "B": 1} | {
    prefix + unit: base**power
    for unit, base in (("B", 1000), ("IB", 1024))
    for power, prefix in enumerate("KMGT", 1)
}
"""Bytes in the units that a text such as "2GB" may have."""


def parse_bytes(text: str) -> float | None:
    """Bytes that a text such as "2GB" stands for; None if it stands for none."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text, flags=re.ASCII | re.IGNORECASE)
    unit = UNITS.get(found[2].upper()) if found else None
    return None if found is None or unit is None else float(found[1]) * unit


def warn_of_excess(name: str, wanted: float, what: str, most: float) -> None:
    """Warn if a value is larger than the largest possible one."""
    if wanted > most:
        number = f"{most:.6g}" if isinstance(most, float) else most
        warnings.warn(
            f"{name}={wanted} is more than {what}={number}: {number} is used, the largest possible value",
            UserWarning,
            stacklevel=callers_level(),
        )


def resolve_memory_limit(limit: float | str | None) -> float:
    """Bytes that `memory_limit` allows: for None half of the physical memory."""
    if limit is None:
        return physical_memory() / 2
    return float(parse_bytes(limit) or 0) if isinstance(limit, str) else float(limit)


def require_matrices(
    count: int, n: int, limit: float, remedy: str = "raise memory_limit, or use fewer rows"
) -> None:
    """Raise MemoryError if so many matrices of all pairs of rows take more bytes than the limit."""
    needed = 8 * count * n * n
    if needed > limit:
        raise MemoryError(
            f"{count} matrices of n_samples^2 = {n}^2 doubles take {needed} bytes; memory_limit allows "
            f"{float(limit):.0f}: {remedy}"
        )


def physical_memory() -> float:
    """Bytes of memory of this machine."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return float(UNKNOWN_MEMORY)


def in_words(n_bytes: float) -> str:
    """A number of bytes for messages, as "2.5 GB"."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
