"""What callers pass as data, turned into plain numbers: masked arrays, data frames of any library, objects.

numpy converts dates, texts and the entries under a mask to numbers without a word. Here dates and texts are
refused by the name of their column, and masked entries become NaN where the method takes missing values.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

MOST_NAMED = 8
"""Largest number of further columns that an error names."""
CELLS = {"anndata": "AnnData", "mudata": "MuData"}
"""Classes of tables of cells, by their package: numpy would read them cell by cell, which takes minutes."""
UNREAD = {
    ("polars", "LazyFrame"): "collect()",
    ("pyarrow", "Dataset"): "to_table()",
    ("pyarrow", "RecordBatchReader"): "read_all()",
    ("pyarrow", "Scanner"): "to_table()",
}
"""Tables whose rows are not read yet, by package and class, with the method that reads them."""
REMEDY = "leave it out, or give numbers that have its meaning"
CATEGORIES_REMEDY = "; categories are for SKFR, SparseKMeans and KPod, from data frames or by categories="
"""What can be done with columns of texts and categories, which are no numbers."""


def counts_only(index: Any) -> bool:
    """Whether an index counts all rows, from 0 as pandas' or from 1 as R's, and so names nothing."""
    return type(index).__name__ == "RangeIndex" and index.step == 1 and index.start in (0, 1)


def numbers(x: Any, name: str = "X", holes: bool = False) -> Any:
    """Data whose entries numpy reads as the numbers that they are.

    Raises TypeError for dates, texts, categories and other objects, with the name of their column. It is
    raised for iterators, mappings, objects of anndata and tables that are not read yet, too. Raises
    ValueError for masked entries without `holes`, numbers too large for double precision, and rows of
    different lengths.
    """
    if issparse(x) or isinstance(x, str | bytes):
        return x
    refuse_unread(x, name)
    if isinstance(x, Iterator | Mapping | Set) and not hasattr(x, "__array__"):
        raise TypeError(
            f"{name} must be an array or a table; got {type(x).__name__}: make an array of it first"
        )
    if is_table(x):
        return _table(x, name)
    x = unmasked(x, name, holes)
    if isinstance(x, int) and abs(x) > sys.float_info.max:
        raise ValueError(f"{name} is a number too large for double precision")
    if isinstance(x, list | tuple):
        x = as_array(x, name)
    if any(_is_pandas(x, kind) for kind in ("Series", "Index")) or _is_extension(getattr(x, "dtype", None)):
        return _pandas_column(x, name)
    if _is_foreign(x, "Series", "ChunkedArray") or (hasattr(x, "type") and hasattr(x, "null_count")):
        x = np.asarray(x)
    return _plain(x, name) if isinstance(x, np.ndarray | np.generic) else x


def unmasked(x: Any, name: str = "X", holes: bool = False) -> Any:
    """`x`, and where it is a masked array or a list of them, its data, with NaN for masked entries.

    Raises ValueError for masked entries without `holes`; TypeError for masked entries of something else than
    real numbers, for objects of anndata and for tables that are not read yet.
    """
    if isinstance(x, list | tuple):
        x = _masked_list(x, name)
    if not isinstance(x, np.ndarray):
        _refuse_cells(x, name)
    if not isinstance(x, np.ma.MaskedArray):
        return x
    data, mask = np.asarray(np.ma.getdata(x)), np.ma.getmaskarray(x)
    if not mask.any():
        return data
    if not holes:
        first = tuple(int(i[0]) for i in np.nonzero(mask)) if mask.ndim else ()
        raise ValueError(
            f"{name} is a masked array with {int(mask.sum())} masked entries, the first at {first}, and "
            f"missing values are not allowed here: fill them with {name}.filled(value) or leave them out"
        )
    values = _plain(data, name)
    filled: NDArray[Any] = np.array(values, dtype=np.float32 if values.dtype == np.float32 else np.float64)
    filled[mask] = np.nan
    return filled


def as_array(x: Any, name: str, dtype: Any = None) -> NDArray[Any]:
    """`x` as an array, whatever its entries are.

    Raises ValueError for rows of different lengths; TypeError for objects of anndata, and tables that are
    not read yet.
    """
    _refuse_cells(x, name)
    if dtype is not None and (isinstance(x, complex) or getattr(x, "dtype", np.dtype(float)).kind == "c"):
        raise TypeError(f"{name} must hold real numbers; got complex ones")
    try:
        return np.asarray(x, dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{name} cannot be made an array: {error}; give all rows the same length") from None


def as_given(values: NDArray[Any], x: Any) -> Any:
    """A matrix as a table with the columns of `x`, and its index, if `x` is a table of pandas or polars.

    Shapes: values (n, p).
    """
    if _is_pandas(x, "DataFrame"):
        return type(x)(values, index=x.index, columns=x.columns)
    return type(x)(values, schema=list(x.columns)) if _is_foreign(x, "DataFrame") else values


def as_frame(x: Any) -> Any:
    """A table of pandas, polars or Arrow as a frame of pandas, whatever its columns hold."""
    import pandas as pd

    if isinstance(x, pd.DataFrame):
        return x
    frame = pd.DataFrame({place: np.asarray(column) for place, column in enumerate(columns_of(x))})
    frame.columns = pd.Index(column_labels(x))
    return frame


def column_labels(x: Any) -> list[Any]:
    """The names of the columns of a table of pandas, polars or Arrow."""
    return list(x.column_names if hasattr(x, "column_names") else x.columns)


def columns_of(x: Any) -> list[Any]:
    """The columns of a table of polars or Arrow; by place, since those of Arrow may share a name."""
    return list(x.columns) if hasattr(x, "column_names") else [x[label] for label in column_labels(x)]


def is_table(x: Any) -> bool:
    """Whether `x` is a table of pandas, polars or Arrow."""
    return _is_pandas(x, "DataFrame") or _is_foreign(x, "DataFrame", "Table", "RecordBatch")


def has_columns(x: Any) -> bool:
    """Whether `x` is a table of any library; TypeError for one that is not read yet."""
    refuse_unread(x, "a table")
    return hasattr(x, "columns")


def refuse_unread(x: Any, name: str) -> None:
    """Raise TypeError for a table whose rows are not read yet."""
    for kind in type(x).__mro__:
        read = UNREAD.get((kind.__module__.partition(".")[0], kind.__name__))
        if read is not None:
            raise TypeError(
                f"{name} is a {kind.__name__}, whose rows are not read yet: pass what its {read} gives"
            )


def holds_sparse(x: Any) -> bool:
    """Whether `x` is a sparse matrix, or a pandas frame of sparse columns that leave out zeros."""
    return issparse(x) or (
        _is_pandas(x, "DataFrame")
        and x.shape[1] > 0
        and all(
            _is_pandas(t, "SparseDtype") and t.subtype.kind in "biuf" and t.fill_value == 0 for t in x.dtypes
        )
    )


def _refuse_cells(x: Any, name: str) -> None:
    """Raise TypeError for an object of anndata or mudata, which holds several matrices, and unread tables."""
    refuse_unread(x, name)
    for kind in type(x).__mro__:
        if CELLS.get(kind.__module__.partition(".")[0]) == kind.__name__:
            one = "adata" if kind.__name__ == "AnnData" else 'mdata.mod["rna"]'
            raise TypeError(
                f"{name} is an object of class {kind.__name__}, which holds several matrices: pass one of "
                f'them, such as {one}.X or {one}.obsm["X_pca"]; sparsek.anndata.cluster({one}, estimator) '
                f"clusters the cells and stores the results in it, sparsek.anndata.explain({one}, column) "
                "explains clusters"
            )


def _masked_list(x: list[Any] | tuple[Any, ...], name: str) -> Any:
    """A list of numbers or rows as a masked array, if it holds masked arrays or numpy's constant `masked`."""
    masked = np.ma.MaskedArray  # also the class of the constant; its `tolist` has None for masked entries
    parts = [list(row) if isinstance(row, list | tuple) else [row] for row in x]
    if not any(isinstance(entry, masked) for part in parts for entry in part):
        return x
    plain = [[entry.tolist() if isinstance(entry, masked) else entry for entry in part] for part in parts]
    nested = [part if isinstance(row, list | tuple) else part[0] for row, part in zip(x, plain, strict=True)]
    values = as_array(nested, name, object)
    missing = [entry is None for entry in values.ravel().tolist()]
    return np.ma.array(values, mask=np.reshape(missing, values.shape))


def _is_pandas(x: Any, kind: str) -> bool:
    """Whether `x` is of a class of pandas; where pandas is not loaded, nothing is."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(x, getattr(pandas, kind))


def _is_extension(dtype: Any) -> bool:
    """Whether a type of entries is one of pandas' own."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(dtype, pandas.api.extensions.ExtensionDtype)


def _is_foreign(x: Any, *kinds: str) -> bool:
    """Whether `x` is of one of these classes of polars or pyarrow."""
    return type(x).__module__.split(".")[0] in ("polars", "pyarrow") and type(x).__name__ in kinds


def _table(x: Any, name: str) -> Any:
    """A table whose columns all hold plain numbers; itself where they do already."""
    import pandas as pd

    if isinstance(x, pd.DataFrame):
        if all(_is_plain(dtype) for dtype in set(x.dtypes)):
            return x
        labels, index = x.columns, x.index
        columns = _columns(
            [partial(_pandas_column, x.iloc[:, j], name, label) for j, label in enumerate(labels)], labels
        )
    else:
        labels, index = pd.Index(column_labels(x)), None
        columns = _columns(
            [
                partial(_plain, np.asarray(column), name, label)
                for column, label in zip(columns_of(x), labels, strict=True)
            ],
            labels,
        )
    table = pd.DataFrame(np.column_stack(columns) if columns else None, index=index)
    table.columns = labels
    return table


def _columns(read: list[Callable[[], Any]], labels: Any) -> list[Any]:
    """The numbers of every column; TypeError with the names of all columns that hold none."""
    found, wrong = [], {}
    for label, column in zip(labels, read, strict=True):
        try:
            found.append(column())
        except TypeError as error:
            wrong[label] = error
    if not wrong:
        return found
    first, *others = wrong
    if others:
        names = ", ".join(repr(label) for label in others[:MOST_NAMED])
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        raise TypeError(f"{wrong[first]}; likewise the columns {names}{more}") from None
    raise wrong[first]


def _pandas_column(column: Any, name: str, label: Any = None) -> NDArray[Any]:
    """The numbers of a pandas column, dense, with NaN for missing ones."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    dtype = column.dtype
    if isinstance(dtype, np.dtype) or _is_pandas(dtype, "SparseDtype"):
        return np.asarray(_plain(np.asarray(column), name, label))
    if not (is_numeric_dtype(dtype) or is_bool_dtype(dtype)) or _is_pandas(dtype, "CategoricalDtype"):
        raise _refusal(name, label, f"has type {dtype}")
    single = dtype.kind == "f" and dtype.itemsize == 4
    return np.asarray(column.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan))


def _is_plain(dtype: Any) -> bool:
    """Whether numpy converts entries of this type to double precision as the numbers that they are."""
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf" and dtype.itemsize <= 8


def _plain(values: Any, name: str, label: Any = None) -> Any:
    """An array (or scalar) of real numbers of at most 64 bits."""
    dtype = values.dtype
    if _is_plain(dtype):
        return values
    if dtype.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            doubles = values.astype(np.float64)
        if np.any(np.isinf(doubles) & np.isfinite(values)):
            raise ValueError(
                f"{place_of(name, label)} has a number too large for double precision: rescale it"
            )
        return doubles
    if dtype.kind == "O":
        entries = np.asarray(values)
        found = [_entry(entry, name, label) for entry in entries.ravel().tolist()]
        return np.array(found, dtype=np.float64).reshape(entries.shape)
    if dtype.kind == "c" and label is None:
        return values  # refused by what checks the array next
    raise _refusal(name, label, f"has type {dtype}")


def _entry(entry: Any, name: str, label: Any) -> float:
    """An object as a number; NaN for a missing one."""
    if entry is None or type(entry).__name__ == "NAType" or entry is np.ma.masked:
        return math.nan
    kind = entry.dtype.kind if isinstance(entry, np.generic) else ""
    if isinstance(entry, str | bytes | np.ndarray) or kind in ("M", "m"):
        raise _refusal(name, label, f"holds {entry!r}, a {type(entry).__name__}")
    try:
        return float(entry)
    except OverflowError:
        raise ValueError(f"{place_of(name, label)} has a number too large for double precision") from None
    except (TypeError, ValueError) as error:
        raise TypeError(f"{place_of(name, label)} must hold real numbers: {error}") from None


def place_of(name: str, label: Any) -> str:
    """An argument, or its column."""
    return name if label is None else f"column {label!r} of {name}"


def _refusal(name: str, label: Any, what: str) -> TypeError:
    """The error for data that are no numbers."""
    more = CATEGORIES_REMEDY if name == "X" else ""
    return TypeError(f"{place_of(name, label)} {what}, and {name} must hold real numbers: {REMEDY}{more}")
