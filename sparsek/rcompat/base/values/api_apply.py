"""R's ``apply`` and ``tapply``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.inputs.containers import as_array, as_frame, has_columns, unmasked
from sparsek.rcompat.base.api_table import RTable
from sparsek.rcompat.base.arrays import RArray, dimnames_of, with_names
from sparsek.rcompat.base.data import RMatrix, as_flag, as_matrix, as_number, as_vector, dimensions
from sparsek.rcompat.base.factors import as_factor
from sparsek.rcompat.base.printing import format_cells
from sparsek.rcompat.base.values.functions import Function, entry_names, listed, partial_of, side_by_side


def apply(X: ArrayLike, MARGIN: Any, FUN: Any, *more: Any, simplify: bool = True, **dots: Any) -> Any:
    """Call a function with each row or column of a matrix, as R's ``apply``.

    Parameters
    ----------
    X : array_like or data frame of shape (n, p)
        Real numbers.
    MARGIN : {1, 2} or sequence of both
        Whether the function gets rows, 1, columns, 2, or each number, [1, 2].
    FUN : callable or str
        Function of a vector: a function, the name of one of `sparsek.rcompat`, or "length", "max", "min",
        "range".
    *more : object
        Further arguments of `FUN`.
    simplify : bool, default=True
        Whether results of one length become an array.
    **dots : object
        Further arguments of `FUN`, by name.

    Returns
    -------
    RArray of shape (n,) or (p,), RArray of shape (m, n) or (m, p), RArray of shape (n, p), list or RList
        Single results as a vector with the names of the rows or columns; results of m entries as columns, as
        in R; of each number as a matrix; otherwise a list. Units are those of `FUN`.

    Raises
    ------
    RError
        With R's message: X is a vector, it has no such margin, or there is no such function.
    TypeError
        For anything but real numbers.
    ValueError
        `MARGIN` is empty, or the results of single numbers are no single numbers.

    See Also
    --------
    tapply : Calls by groups.
    sweep : Takes a number from each row or column.

    Examples
    --------
    >>> apply([[1, 2], [3, 5]], 1, "sum")
    RArray([3., 8.])
    >>> apply([[1, 2], [3, 5]], 2, "range")
    RArray([[1., 2.],
            [3., 5.]])
    """
    function = partial_of(FUN, more, dots)
    if dimensions(X, "X") < 2:
        raise RError("dim(X) must have a positive length", "X must be a matrix or a data frame")
    data, kept = as_matrix(X, "X"), as_flag(simplify, "simplify")
    margin = _margin(MARGIN)
    if len(margin) == 2:
        return _of_cells(data, margin, function, kept)
    rows = margin[0] == 1
    slices = data.values if rows else data.values.T
    own, inner = (data.row_names, data.column_names)[:: 1 if rows else -1]
    results = [function(with_names(entries.copy(), inner)) for entries in slices]
    if kept and all(result is None for result in results):
        return None
    values = side_by_side(results) if kept else None
    if values is None:
        return listed(results, own)
    if len(values) < 2:
        return RArray(values.ravel(), names=own if len(values) else None)
    return RArray(values, dimnames=dimnames_of(entry_names(results), own))


def _margin(MARGIN: Any) -> list[int]:
    """The margins, 1 or 2 or both."""
    if isinstance(MARGIN, str):
        raise RError("'X' must have named dimnames", "MARGIN must be 1 for rows or 2 for columns")
    given = as_vector(MARGIN, "MARGIN")
    if not len(given):
        raise ValueError("MARGIN is empty; give 1 for rows or 2 for columns")
    if not all(1 <= m < 3 for m in given):
        raise RError("'MARGIN' does not match dim(X)", f"MARGIN must be 1 or 2; got {MARGIN!r}")
    if len(set(given.tolist())) < len(given):
        raise ValueError(f"MARGIN must have different numbers; got {MARGIN!r}")
    return [math.trunc(m) for m in given]


def _of_cells(data: RMatrix, margin: list[int], function: Function, kept: bool) -> Any:
    """Results for each number, in a matrix whose rows are the first margin."""
    names = (data.row_names, data.column_names)
    cells, names = (data.values, names) if margin == [1, 2] else (data.values.T, names[::-1])
    values = side_by_side([function(float(v)) for v in np.ravel(cells, order="F")])
    if values is None or len(values) != 1 or not kept:
        raise ValueError("of each number only single results are carried over, simplified; give one margin")
    return RArray(values[0].reshape(cells.shape, order="F"), dimnames=dimnames_of(*names))


class GroupedArray(RTable):
    """Results by one or two groupings that have names, printed as by R."""

    def _cells(self) -> list[list[str]]:
        """The texts of the entries; each column has decimals of its own."""
        columns = [format_cells(column) for column in np.asarray(self).T]
        widths = [max(map(len, column)) for column in columns]
        padded = [[f"{cell:>{w}}" for cell in column] for w, column in zip(widths, columns, strict=True)]
        return [list(row) for row in zip(*padded, strict=True)]


def tapply(
    X: ArrayLike,
    INDEX: Any,
    FUN: Any = None,
    *more: Any,
    default: float | None = None,
    simplify: bool = True,
    **dots: Any,
) -> Any:
    """Call a function with the entries of each group, as R's ``tapply``.

    Parameters
    ----------
    X : array_like of shape (n,)
        Numbers or texts; a matrix is read column by column.
    INDEX : array_like of shape (n,), or list, dict or data frame of one or two such vectors
        Labels; a list of vectors or the columns of a frame make groups by pairs of labels. Missing labels
        belong to no group.
    FUN : callable or str, optional
        Function of a vector, as of `apply`. Without one, the numbers of the groups are given.
    *more : object
        Further arguments of `FUN`.
    default : float, optional
        What stands for labels and pairs of labels that do not occur; by default NaN.
    simplify : bool, default=True
        Whether results that are single numbers become an array.
    **dots : object
        Further arguments of `FUN`, by name.

    Returns
    -------
    RArray of shape (m,) or (m, q), or RList
        Results by label, or by pair of labels, in the order of `table`; a list by label where they are no
        single numbers. Without `FUN` the number of its group for each entry, RArray of shape (n,), from 1.

    Raises
    ------
    RError
        With R's message: no labels, another number of them than of entries, or no such function.
    ValueError
        More than two vectors of labels, or results by pairs that are no single numbers.
    TypeError
        For complex numbers; `default` not one number.

    See Also
    --------
    table : Counts labels.
    aggregate : Results of several columns.

    Examples
    --------
    >>> tapply([1, 2, 4], ["a", "b", "a"], "mean").print()  # doctest: +NORMALIZE_WHITESPACE
      a   b
    2.5 2.0
    """
    function = None if FUN is None else partial_of(FUN, more, dots)
    vectors, names = labels_of(INDEX)
    if not vectors:
        raise RError("'INDEX' is of length zero", "give labels")
    if len(vectors) > 2:
        raise ValueError(f"INDEX may have one or two vectors of labels; got {len(vectors)}")
    if has_columns(X):
        values = np.asarray(as_frame(X).columns)
    else:
        values = np.ravel(as_array(unmasked(X, "X", holes=True), "X"), order="F")
    if values.dtype.kind == "c":
        raise TypeError("X must hold real numbers; got complex ones")
    factors = [as_factor(vector, f"vector {i + 1} of INDEX") for i, vector in enumerate(vectors)]
    if any(len(factor.codes) != len(values) for factor in factors):
        lengths = " and ".join(str(len(factor.codes)) for factor in factors)
        raise RError("arguments must have same length", f"X has {len(values)} entries, INDEX {lengths}")
    levels = [factor.levels for factor in factors]
    codes = _cells_of([factor.codes for factor in factors], len(levels[0]))
    if function is None:
        return RArray(np.where(codes < 0, math.nan, codes + 1.0) if (codes < 0).any() else codes + 1)
    empty = math.nan if default is None else default
    as_number(empty, "default")
    results: list[Any] = [None] * math.prod(map(len, levels))
    occupied = np.unique(codes[codes >= 0])
    for code in occupied:
        results[code] = function(values[codes == code])
    single = as_flag(simplify, "simplify") and _are_single([results[code] for code in occupied])
    return _by_level(results, levels, names, empty, single)


def labels_of(INDEX: Any) -> tuple[list[Any], list[str] | None]:
    """Vectors of labels, and their names where these were given."""
    if has_columns(INDEX):
        frame = as_frame(INDEX)
        return [frame.iloc[:, j] for j in range(frame.shape[1])], [str(name) for name in frame.columns]
    if isinstance(INDEX, Mapping):
        vectors = [part if dimensions(part, str(name)) else [part] for name, part in INDEX.items()]
        return vectors, [str(name) for name in INDEX]  # a single label is a vector of length 1
    if isinstance(INDEX, list | tuple) and all(dimensions(part, "a vector of labels") == 1 for part in INDEX):
        return list(INDEX), None
    return [INDEX], None


def _cells_of(codes: list[NDArray[np.int64]], rows: int) -> NDArray[np.int64]:
    """The number of the cell of each entry, from 0, the first grouping fastest; -1 where a label is missing.

    Shapes: codes of (n,); returns (n,).
    """
    if len(codes) == 1:
        return codes[0]
    return np.where((codes[0] < 0) | (codes[1] < 0), -1, codes[0] + rows * codes[1])


def _are_single(results: list[Any]) -> bool:
    """Whether all results are single values."""
    values = side_by_side(results)
    return not results or (values is not None and len(values) == 1)


def _by_level(
    results: list[Any], levels: list[list[str]], names: list[str] | None, default: float, single: bool
) -> Any:
    """Results as an array, where they are single values, or a list; None stands for those of empty cells."""
    if single or not results:
        filled = [np.ravel(default if result is None else result)[0] for result in results]
        array = np.array(filled if filled else [], dtype=None if filled else bool)
        array = array.reshape([len(level) for level in levels], order="F")
        if names is not None:
            return GroupedArray(array, dimnames=tuple(levels), dnn=names)
        if len(levels) == 2:
            return RArray(array, dimnames=tuple(levels))
        return RArray(array, names=levels[0])
    if len(levels) == 2:
        raise ValueError("FUN must give single numbers where INDEX has two vectors of labels")
    return listed(results, levels[0])
