"""What parameters of estimators may be: the annotations of `__init__`, and what their values mean.

``Annotated[type, constraint, ...]`` names the type of a parameter, and the constraints of scikit-learn of
which its value must meet one. `Estimator` makes a table of them, by which scikit-learn checks the values and
the command line reads its texts. ``Count | None`` allows None too.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Annotated, Any

import numpy as np
from sklearn.utils._param_validation import RealNotInt

from sparsek.errors import callers_level
from sparsek.inputs.arguments import (
    COUNT,
    FLAG,
    FUNCTION,
    JOBS,
    MOST_RUNS,
    NOT_NEGATIVE,
    PATH,
    POSITIVE,
    RUNS,
    SEED,
    SEED_SEQUENCE,
    VERBOSE,
    AnEstimator,
    Described,
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


def parse_bytes(text: str) -> float | None:
    """Bytes that a text such as "2GB" stands for; None if it stands for none."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text, flags=re.ASCII | re.IGNORECASE)
    unit = UNITS.get(found[2].upper()) if found else None
    return None if found is None or unit is None else float(found[1]) * unit


AUTO = "auto"
"""Asks for a number of features, or a bound, that is chosen from the data."""


def starts(*more: str) -> list[Any]:
    """What `init` may be: the common names, those given here, an array or a function."""
    return [names("k-means++", "greedy-k-means++", "random", *SEEDINGS, *more), "array-like", FUNCTION]


Count = Annotated[int, *COUNT]
"""Clusters, iterations: a whole number of at least 1."""
Runs = Annotated[int, *RUNS]
"""Starts, permuted data sets: at least 1."""
Repeats = Annotated[int, count(2, MOST_RUNS)]
"""Folds, resamples: at least 2."""
Flag = Annotated[bool, *FLAG]
Positive = Annotated[float, POSITIVE]
NotNegative = Annotated[float, NOT_NEGATIVE]
Share = Annotated[float, number(0, 1, "right")]
"""A part of the whole, in (0, 1]."""
UnitInterval = Annotated[float, number(0, 1, "both")]
BelowOne = Annotated[float, number(0, 1)]
"""From 0 to less than 1."""
Auto = Annotated[str, names(AUTO)]
Size = Annotated[int | float, count(), Range(RealNotInt, 0, 1, closed="right")]
"""A number of features, or a share of them."""
L1Bound = Annotated[float, number(1)]
Values = Annotated[Any, "array-like"]
"""Numbers in an array, a list or a table."""
Groups = Annotated[
    Any,
    "array-like",
    Described("a mapping from labels of groups to their features", lambda val: isinstance(val, Mapping)),
]
"""The groups of features: the label of each, or the features of each label."""
Starts = Annotated[Any, *starts()]
Model = Annotated[Any, AnEstimator(["fit", "get_params", "set_params"])]
"""An estimator that a search or a test fits."""
Linkage = Annotated[str, names("average", "complete", "single")]
Jobs = Annotated[int | None, *JOBS]
Seed = Annotated[Any, *SEED]
"""What `random_state` may be."""
LargeSeed = Annotated[int, SEED_SEQUENCE]
"""A seed of numpy's SeedSequence."""
Verbose = Annotated[int, *VERBOSE]
AnyPath = Annotated[str | os.PathLike[str], PATH]
Memory = Annotated[
    float | str | None,
    number(0, closed="right"),
    Described(
        "a text such as '2GB', '500 MB' or '1.5GiB'",
        lambda val: isinstance(val, str) and (parse_bytes(val) or 0) > 0,
        "2GB",
    ),
    None,
]
"""What `memory_limit` may be where data can be read by blocks; infinity is no limit."""


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


def warn_of_many(wanted: int | float | str | None, p: int, what: str = "n_features") -> None:
    """Warn if more features, or groups of them, are wanted than there are."""
    if isinstance(wanted, Integral):
        _warn_of_excess("n_features_to_select", int(wanted), what, p)


def resolve_l1_bound(l1_bound: float | None, n_features: int, what: str = "n_features") -> float:
    """The bound on the L1 norm of feature weights; None means sqrt(n_features) / 2, at least 1."""
    if l1_bound is None:
        return max(1.0, float(np.sqrt(n_features)) / 2)
    return resolve_l1_bounds([l1_bound], n_features, what)[0]


def resolve_l1_bounds(bounds: list[float], n_features: int, what: str = "n_features") -> list[float]:
    """The bounds, at most sqrt(n_features); one warning if any is larger."""
    most = float(np.sqrt(n_features))
    _warn_of_excess("l1_bound", max(bounds), f"sqrt({what})", most)
    return [min(float(bound), most) for bound in bounds]


def _warn_of_excess(name: str, wanted: float, what: str, most: float) -> None:
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


def require_rows(n: int, n_clusters: int, kind: str = "") -> None:
    """Raise ValueError if there are fewer rows than clusters; `kind` says which rows count."""
    if n < n_clusters:
        which = f" ({kind})" if kind else ""
        raise ValueError(
            f"n_samples={n}{which} must be at least n_clusters={n_clusters}; add rows or lower n_clusters"
        )


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
