"""Two objects with an index: rows are told by their labels, or by their position where these say nothing.

The rule for what has an entry for each row of another object, such as weights, batches and labels, and for
what has one for each of its columns, such as groups of features:

- Without an index on both sides, and with equal ones, rows are told by their position.
- Indices of the same labels in another order, each label once, are brought into the order of the rows.
- An index that only counts the rows from 0 or 1, as pandas makes it, names nothing else: position.
- All other pairs of indices are refused.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sparsek.inputs.containers import counts_only

BY_ROW = ("sample_weight", "batch", "replicate_weights")
"""Arguments of methods with an entry for each row of X."""


def index_of(x: Any) -> Any:
    """The index of a table or a column of pandas; None for all else."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not issubclass(type(x), (pandas.Series, pandas.DataFrame)):
        return None  # `isinstance` would ask x for its class, and parameters are checked before x is read
    return x.index


def aligned(given: Any, X: Any, name: str, other: str = "X") -> Any:
    """What has an entry for each row of X, in the order of these rows; another length is left as it is.

    Raises ValueError for indices that do not belong to each other.
    """
    return _in_order(given, index_of(X), name, other)


def aligned_features(given: Any, names: Any, name: str) -> Any:
    """What has an entry for each feature of X, in the order of their names, if X has some; see `aligned`."""
    if names is None or index_of(given) is None:
        return given
    import pandas as pd

    return _in_order(given, pd.Index(names), name, "the columns of X")


def _in_order(given: Any, index: Any, name: str, other: str) -> Any:
    """The entries in the order of an index; as they are where one of the two has none."""
    own = index_of(given)
    if own is None or index is None or len(own) != len(index) or own.equals(index):
        return given
    once = own.is_unique and index.is_unique
    places = own.get_indexer(index) if once else np.full(len(index), -1)
    if (places >= 0).all():
        return given.iloc[places]
    if counts_only(own) or counts_only(index):
        return given
    raise ValueError(
        f"{name} and {other} have indices that do not belong to each other: "
        f"{_difference(own, index, places, name, other)}; give {name} the index of {other}, or pass "
        f"{name}.to_numpy() where its entries are in this order"
    )


def _difference(own: Any, index: Any, places: Any, name: str, other: str) -> str:
    """What is wrong with two indices, by the first label."""
    for labels, of in ((index, other), (own, name)):
        if not labels.is_unique:
            first = labels[labels.duplicated()][0]
            return f"the label {first!r} is there twice in the index of {of}, and the orders differ"
    missing = index[places < 0]
    return f"{len(missing)} labels of {other}, the first {missing[0]!r}, are not in the index of {name}"


def aligned_call(method: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The arguments of a method of rows X, those of each row in the order of these rows."""
    X = args[0] if args else named.get("X")
    if index_of(X) is None:
        return args, named
    names = _parameters(method)
    found = [aligned(one, X, name) if name in BY_ROW else one for one, name in zip(args, names, strict=False)]
    named = {name: aligned(one, X, name) if name in BY_ROW else one for name, one in named.items()}
    return (*found, *args[len(found) :]), named


@cache
def _parameters(method: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the parameters of a method after `self`."""
    return tuple(inspect.signature(method).parameters)[1:]
