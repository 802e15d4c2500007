"""Checks of data by scikit-learn, without numpy's warnings about the sums that look for infinities.

What scikit-learn lets pass is checked before: names of columns that repeat, and names that are no texts in
another order than those of the fit.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import sklearn.utils.validation as checks
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from sparsek._printable import printable
from sparsek.inputs.containers import numbers
from sparsek.inputs.suspects import warn_of_suspects

_quiet = np.errstate(over="ignore", invalid="ignore")
_check_array = _quiet(checks.check_array)
_validate_data = _quiet(checks.validate_data)


def check_array(array: Any, **options: Any) -> Any:
    """Data checked by scikit-learn, which may not see columns of one name."""
    _names(array)
    return _check_array(array, **options)


def check_data(estimator: Any, X: Any, *, reset: bool = True, **options: Any) -> Any:
    """Data checked by scikit-learn, with the names of their columns."""
    names = _names(X)
    if names is not None and reset:
        ignored = getattr(estimator, "_ignored_columns", lambda p, names: None)(len(names), names)
        warn_of_suspects(X, ignored)
    _check_order(estimator, names, reset)
    try:
        return _validate_data(estimator, X, reset=reset, **options)
    except ValueError as error:
        text = str(error)
        if names is None or printable(text) == text:
            raise
        raise ValueError(printable(text)) from None  # scikit-learn quotes names as they are


def _names(X: Any) -> list[Any] | None:
    """The names of the columns of a table; ValueError if two have the same."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    names = columns.tolist() if hasattr(columns, "tolist") else list(columns)
    refuse_repeated_names(names)
    return names


def refuse_repeated_names(labels: list[Any], name: str = "X") -> None:
    """Raise ValueError if two columns have the same name."""
    first: dict[Any, int] = {}
    for position, label in enumerate(labels):
        if first.setdefault(label, position) != position:
            raise ValueError(
                f"columns {first[label]} and {position} of {name}, counted from 0, are both named {label!r}; "
                f"give each column its own name, or pass np.asarray({name})"
            )


def _check_order(estimator: Any, names: list[Any] | None, reset: bool) -> None:
    """Keep names that are no texts at a fit, and refuse the same names in another order afterwards.

    Texts are compared by scikit-learn itself; other names it takes for positions.
    """
    if reset:
        vars(estimator).pop("_column_labels", None)
    if names is None or all(isinstance(name, str) for name in names):
        return
    if reset:
        estimator._column_labels = names
    known: list[Any] = getattr(estimator, "_column_labels", [])
    if names == known or set(names) != set(known):
        return
    wrong = next(j for j, label in enumerate(names) if label != known[j])
    raise ValueError(
        f"the columns of X are those of the fit in another order: column {wrong}, counted from 0, is "
        f"{names[wrong]!r} and was {known[wrong]!r}; put them in the order of the fit, or pass np.asarray(X)"
    )


def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Data checked by scikit-learn; where cells are missing, the error names the methods that take them."""
    try:
        return check_data(estimator, X, **options)
    except ValueError as error:
        raise explained(error, estimator, X) from None


def explained(error: ValueError, estimator: Any, X: Any) -> ValueError:
    """An error of scikit-learn's checks, in our words if cells are missing."""
    return ValueError(_missing(estimator, X)) if "X contains NaN" in str(error) else error


def _missing(estimator: Any, X: Any) -> str:
    """The message about missing cells."""
    name = type(getattr(estimator, "estimator", estimator)).__name__
    loss = getattr(getattr(estimator, "estimator", estimator), "loss", "squared")
    others = "leave out the rows or columns that miss some, or impute them"
    if issparse(X) and name == "SKFR":
        remedy = (
            "SKFR takes missing values in arrays and tables, not in sparse matrices: pass X.toarray(), or "
            f"use KPod, which takes them in both; or {others}"
        )
    elif name == "SKFR" and loss != "squared":
        remedy = (
            f"SKFR with loss={loss!r} takes complete data only. SKFR with loss='squared', and KPod, "
            f"take missing values; or {others}"
        )
    elif name in ("SKFR", "KPod"):  # it takes them itself, and what was called with it does not
        remedy = f"{type(estimator).__name__} needs complete data, although {name} takes others: {others}"
    else:
        remedy = (
            f"{name} takes complete data only. SKFR (which selects features) and KPod (which uses all of "
            f"them) take missing values; or {others}"
        )
    if issparse(X):
        matrix: Any = X
        stored = matrix.tocoo()
        missing = np.isnan(np.asarray(stored.data, dtype=np.float64))
        rows, columns = stored.row[missing], stored.col[missing]
        first = np.lexsort((columns, rows))[:1]
        rows, columns = rows[first], columns[first]
    else:
        missing = np.isnan(np.asarray(X, dtype=np.float64))
        if missing.ndim != 2:
            return f"Input X contains NaN. {remedy}"
        rows, columns = np.nonzero(missing)
    column = int(columns[0])
    called = f"{column} ({str(X.columns[column])!r})" if hasattr(X, "columns") else str(column)
    return (
        f"Input X contains NaN: {int(missing.sum())} of its {X.shape[0] * X.shape[1]} cells are missing, the "
        f"first in row {int(rows[0])}, column {called}, counted from 0. {remedy}"
    )


class _Table(BaseEstimator):
    """Keeps the names of the columns that scikit-learn's checks find."""


def complete_rows(X: Any) -> tuple[NDArray[Any], list[str] | None]:
    """Rows as plain finite numbers, perhaps none, and the names of their columns.

    Raises ValueError for missing and infinite entries; TypeError for sparse matrices, and as `numbers`.
    """
    table = _Table()
    data: NDArray[Any] = check_data(
        table,
        numbers(X, "X", holes=True),
        dtype=[np.float64, np.float32],
        order="C",
        ensure_all_finite="allow-nan",
        ensure_min_samples=0,
    )
    missing = np.isnan(data)
    if missing.any():
        row, column = np.argwhere(missing)[0].tolist()
        raise ValueError(
            f"X has {int(missing.sum())} missing values (NaN), the first in row {row}, column {column}, "
            "counted from 0, and complete rows are needed: leave out the rows or columns that miss some, or "
            "impute them"
        )
    names = getattr(table, "feature_names_in_", None)
    return data, None if names is None else names.tolist()


READ_ROWS = ("SKFR", "SparseKMeans", "KPod", "PowerKMeans", "EntropyWeightedPowerKMeans")
"""Estimators that take paths, HDF5 datasets, Zarr arrays and Dask collections."""


def is_plain_array(X: object) -> bool:
    """Whether X is an array of numbers, which needs no conversion."""
    return type(X) is np.ndarray and X.dtype.kind in "fiub" and X.dtype.itemsize <= 8


def is_dask(X: Any) -> bool:
    """Whether X is a collection of Dask."""
    return hasattr(X, "__dask_graph__")


def reject_dask(X: object) -> None:
    """Raise TypeError for a Dask collection, which numpy would load whole."""
    if is_dask(X):
        raise TypeError(
            f"X is a Dask collection ({type(X).__name__}), and this estimator needs all rows in memory, "
            f"where X.compute() loads them; {', '.join(READ_ROWS)} fit these chunk by chunk"
        )


def reject_stored(X: object) -> None:
    """Raise TypeError for a path, an HDF5 dataset or a Zarr array; a memory map is an array."""
    if isinstance(X, str | os.PathLike):
        kind, remedy = "a path", "load the file"
    # An array of xarray has `chunks` too; it also has `values`.
    elif all(hasattr(X, name) for name in ("shape", "dtype", "chunks")) and not hasattr(X, "values"):
        kind, remedy = "stored in chunks", "pass X[:]"
    else:
        return
    raise TypeError(
        f"X is {kind} ({type(X).__name__}), and this estimator needs all rows in memory: {remedy}; "
        f"{', '.join(READ_ROWS)} read by blocks what is larger than memory"
    )


def require_array(X: Any, holes: bool = False) -> Any:
    """Dense data in memory as plain numbers (`holes`: masked entries as NaN).

    Raises TypeError for Dask collections, files and sparse matrices, and as `numbers`.
    """
    reject_dask(X)
    reject_stored(X)
    if issparse(X):
        raise TypeError(
            "Sparse data was passed, but this estimator takes dense arrays only; "
            "use '.toarray()' to convert to a dense array"
        )
    return numbers(X, "X", holes)


def require_rows(n: int, n_clusters: int, kind: str = "") -> None:
    """Raise ValueError if there are fewer rows than clusters; `kind` says which rows count."""
    if n < n_clusters:
        which = f" ({kind})" if kind else ""
        raise ValueError(
            f"n_samples={n}{which} must be at least n_clusters={n_clusters}; add rows or lower n_clusters"
        )
