"""Constraints of parameters: what the tables `_parameter_constraints` of the estimators are made of.

scikit-learn checks the values of an estimator's parameters by such a table, a list of constraints for every
parameter, of which a value must meet one (`BaseEstimator._validate_params`). Functions use `check_arguments`;
the command line reads its texts by the same tables.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import RealNotInt, StrOptions

from sparsek.errors import callers_level
from sparsek.inputs.arguments import (  # noqa: F401 - the tables of estimators find all constraints here
    COUNT,
    FLAG,
    FUNCTION,
    JOBS,
    LARGEST,
    MOST_RUNS,
    NOT_NEGATIVE,
    PATH,
    POSITIVE,
    RUNS,
    SEED,
    SEED_SEQUENCE,
    TOLERANCE,
    VERBOSE,
    AnEstimator,
    Described,
    Numbers,
    Range,
    check_arguments,
    count,
    names,
    number,
)
from sparsek.starts.by_name import SEEDINGS

UNKNOWN_MEMORY = 8 * 1024**3
"""Memory assumed for a machine that does not report its own."""
UNITS = {"": 1, "B": 1} | {
    prefix + unit: base**power
    for unit, base in (("B", 1000), ("IB", 1024))
    for power, prefix in enumerate("KMGT", 1)
}
"""Bytes in the units that a text such as "2GB" may have."""


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


def starts(*more: str) -> list[Any]:
    """What `init` may be: the common names, those given here, an array or a function."""
    return [names("k-means++", "greedy-k-means++", "random", *SEEDINGS, *more), "array-like", FUNCTION]


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
