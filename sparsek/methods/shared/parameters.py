"""Constraints of parameters: what the tables `_parameter_constraints` of the estimators are made of.

scikit-learn checks the values of an estimator's parameters by such a table, a list of constraints for every
parameter, of which a value must meet one (`BaseEstimator._validate_params`). Functions use `check_arguments`;
the command line reads its texts by the same tables.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    Options,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)

from sparsek.errors import callers_level
from sparsek.methods.starts.by_name import SEEDINGS

LARGEST = 2**31 - 1
"""The largest count: labels are of 32 bits."""
MOST_RUNS = 10**8
"""The largest number of starts or resamples; more would run for days."""
UNKNOWN_MEMORY = 8 * 1024**3
"""Memory assumed for a machine that does not report its own."""
UNITS = {"": 1, "B": 1} | {
    prefix + unit: base**power
    for unit, base in (("B", 1000), ("IB", 1024))
    for power, prefix in enumerate("KMGT", 1)
}
"""Bytes in the units that a text such as "2GB" may have."""


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
    """Values that a function knows.

    Parameters
    ----------
    text : str
        What the values are, for the message.
    accepts : callable
        ``accepts(value)`` returns whether the value is right.
    *examples : object
        Values that are right, for tests.
    """

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
TOLERANCE = [NOT_NEGATIVE]
FLAG = ["boolean"]
VERBOSE = ["verbose"]
SEED = [Range(Integral, 0, 2**32 - 1, closed="both"), np.random.RandomState, None]
"""What `random_state` may be."""
SEED_SEQUENCE = Range(Integral, 0, None, closed="left")
"""A seed of numpy's SeedSequence, of any size."""
JOBS = [count(), Range(Integral, -LARGEST, -1, closed="both"), None]
"""What `n_jobs` may be: 0 means nothing."""
L1_BOUND = [number(1), None]
AUTO = "auto"
"""Asks for a number of features, or a bound, that is chosen from the data."""
AUTO_BOUND = [*L1_BOUND, StrOptions({AUTO})]
SIZE = [count(), Range(RealNotInt, 0, 1, closed="right"), StrOptions({AUTO}), None]
"""A number of features, a share of them, "auto" for a choice from the data, or None for half of them."""
BYTES = [POSITIVE]
"""What `memory_limit` may be where it is a number."""
POSITIVE_OR_NONE = [POSITIVE, None]
"""None for a default that depends on the data or on other parameters."""


def parse_bytes(text: str) -> float | None:
    """Bytes that a text such as "2GB" stands for; None if it stands for none."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text, flags=re.ASCII | re.IGNORECASE)
    unit = UNITS.get(found[2].upper()) if found else None
    return None if found is None or unit is None else float(found[1]) * unit


BYTES_OR_TEXT = [
    number(0, closed="right"),
    Described(
        "a text such as '2GB', '500 MB' or '1.5GiB'",
        lambda val: isinstance(val, str) and (parse_bytes(val) or 0) > 0,
        "2GB",
    ),
    None,
]
"""What `memory_limit` may be where data can be read by blocks; infinity is no limit."""
PATH = Described("a path", lambda val: isinstance(val, str | os.PathLike) and bool(os.fspath(val)), "file")
FUNCTION = Described("a function", lambda val: callable(val) and not isinstance(val, type), len)
"""A function; a class can be called too, but gives no result of the right kind."""


def starts(*more: str) -> list[Any]:
    """What `init` may be: the common names, those given here, an array or a function."""
    return [names("k-means++", "greedy-k-means++", "random", *SEEDINGS, *more), "array-like", FUNCTION]


def names(*options: str) -> StrOptions:
    """One of these names, which messages list in this order."""
    return StrOptions(dict.fromkeys(options).keys())


def check_arguments(caller: str, constraints: Mapping[str, list[Any]], **values: Any) -> None:
    """Raise scikit-learn's InvalidParameterError for a value that meets none of its constraints.

    Parameters
    ----------
    caller : str
        Name of the function, for the message.
    constraints : mapping of str to list
        What each argument may be.
    **values : object
        The arguments.
    """
    validate_parameter_constraints(constraints, values, caller_name=caller)


def check_values(estimator: Any, name: str, values: Iterable[Any]) -> None:
    """Raise InvalidParameterError for a value that the estimator's parameter of this name cannot have."""
    constraints = {name: estimator._parameter_constraints[name]}
    for value in values:
        check_arguments(type(estimator).__name__, constraints, **{name: value})


def resolve_n_selected(wanted: Any, p: int) -> int:
    """Number s of features, at most p; `wanted` is `n_features_to_select`."""
    if wanted is None:
        return max(1, p // 2)
    if isinstance(wanted, Integral):
        return min(int(wanted), p)
    return max(1, int(p * wanted))


def warn_of_excess(wanted: int | float | str | None, p: int) -> None:
    """Warn if more features are wanted than there are."""
    if isinstance(wanted, Integral) and wanted > p:
        warnings.warn(
            f"n_features_to_select={wanted} is more than n_features={p}: all {p} features are selected",
            UserWarning,
            stacklevel=callers_level(),
        )


def resolve_memory_limit(limit: float | str | None) -> float:
    """Bytes that `memory_limit` allows: for None half of the physical memory."""
    if limit is None:
        return physical_memory() / 2
    return float(parse_bytes(limit) or 0) if isinstance(limit, str) else float(limit)


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
