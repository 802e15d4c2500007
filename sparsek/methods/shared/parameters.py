"""What parameters of estimators may be: the annotations of `__init__`, and what their values mean.

``Annotated[type, constraint, ...]`` names the type of a parameter, and the constraints of scikit-learn of
which its value must meet one. `Estimator` makes a table of them, by which scikit-learn checks the values and
the command line reads its texts. ``Count | None`` allows None too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import numpy as np
from sklearn.utils._param_validation import RealNotInt

from sparsek.core.column_scaling import ColumnScaling
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
    parse_bytes,
    warn_of_excess,
)
from sparsek.starts.by_name import SEEDINGS

AUTO = "auto"
"""Asks for a number of features, a bound, or a scale of the columns, that is chosen from the data."""


def is_auto(value: Any) -> bool:
    """Whether a parameter asks for a choice from the data."""
    return isinstance(value, str) and value == AUTO


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
SCALE_OF_A_FIT = Described("the scaling_ of a fit", lambda val: isinstance(val, ColumnScaling))
GIVEN_SCALE = [*FLAG, names("range"), "array-like", SCALE_OF_A_FIT]
"""What columns are divided by, where nothing is chosen."""
ColumnScale = Annotated[Any, *FLAG, names(AUTO, "range"), "array-like", SCALE_OF_A_FIT]
"""What columns are divided by: a choice from the data, deviations or nothing, ranges, or numbers."""
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


def resolve_l1_bound(l1_bound: float | None, n_features: int, what: str = "n_features") -> float:
    """The bound on the L1 norm of feature weights; None means sqrt(n_features) / 2, at least 1."""
    if l1_bound is None:
        return max(1.0, float(np.sqrt(n_features)) / 2)
    return resolve_l1_bounds([l1_bound], n_features, what)[0]


def resolve_l1_bounds(bounds: list[float], n_features: int, what: str = "n_features") -> list[float]:
    """The bounds, at most sqrt(n_features); one warning if any is larger."""
    most = float(np.sqrt(n_features))
    warn_of_excess("l1_bound", max(bounds), f"sqrt({what})", most)
    return [min(float(bound), most) for bound in bounds]
