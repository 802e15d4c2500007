"""R's ``aggregate``."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError
from sparsek.inputs.containers import as_frame, has_columns
from sparsek.rcompat.base.data import as_flag, as_matrix, dimensions
from sparsek.rcompat.base.factors import Factor, as_factor, as_labels
from sparsek.rcompat.base.values.api_apply import labels_of
from sparsek.rcompat.base.values.frames import MATRICES, plain_column
from sparsek.rcompat.base.values.functions import entry_names, partial_of, side_by_side

if TYPE_CHECKING:
    import pandas as pd

CBIND = re.compile(r"cbind\((.*)\)")
"""Several columns on the left of a formula."""
FORMS = '"a ~ g", "cbind(a, b) ~ g + h" or ". ~ g"'


def aggregate(
    x: ArrayLike | str,
    by: Any = None,
    FUN: Any = None,
    *more: Any,
    simplify: bool = True,
    drop: bool = True,
    data: Any = None,
    **dots: Any,
) -> pd.DataFrame:
    """Call a function with each column of each group of rows, as R's ``aggregate``.

    Parameters
    ----------
    x : array_like or data frame of shape (n,) or (n, p), or str
        Data; or a formula of columns of `data`: "a ~ g", "cbind(a, b) ~ g + h", ". ~ g". Of a formula, rows
        with missing values are left out.
    by : list, dict or data frame of vectors of n labels
        The groupings; a dict gives their names. Rows with missing labels are left out. Next to a formula, the
        data frame.
    FUN : callable or str
        Function of a vector, as of `apply`.
    *more : object
        Further arguments of `FUN`.
    simplify : bool, default=True
        Must be True.
    drop : bool, default=True
        Whether combinations of labels that do not occur are left out.
    data : data frame, optional
        The data of a formula.
    **dots : object
        Further arguments of `FUN`, by name.

    Returns
    -------
    data frame of shape (groups, groupings + columns)
        The labels of each group, the first grouping changing fastest, and the results, in the units of
        `FUN`. Several results for each column are columns ``a.1``, ``a.2``, as R prints them.

    Raises
    ------
    RError
        With R's message: `by` is no list, there is no such function or column, no rows, or lengths differ.
    ValueError
        The formula has other parts, or `FUN` gives different numbers of results.
    TypeError
        The data of a formula are no frame, or a column on its left does not have numbers.

    See Also
    --------
    tapply : One column, as an array.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> rcompat.print(aggregate([1, 2, 4], {"cluster": [1, 2, 1]}, "mean"))
      cluster   x
    1       1 2.5
    2       2 2.0
    """
    if by is None and data is None:
        raise RError('argument "by" is missing, with no default', "give labels in a list or a dict")
    if FUN is None:
        raise RError('argument "FUN" is missing, with no default', "give a function or its name")
    if not as_flag(simplify, "simplify"):
        raise ValueError("simplify must be True: a data frame has no lists here; use tapply")
    if isinstance(x, str):
        if not callable(FUN) and not isinstance(FUN, str):
            raise RError(
                "object 'FUN' of mode 'function' was not found", f"FUN must be a function; got {FUN!r}"
            )
        columns, by = _of_formula(x, by if data is None else data)
    else:
        columns = _columns(x)
    if not _is_list(by):
        raise RError("'by' must be a list", "give the labels in a list or a dict")
    function = partial_of(FUN, more, dots)
    labels, names = labels_of(by)
    names = names or [f"Group.{i + 1}" for i in range(len(labels))]
    groups = _Groups(labels, _rows(x, columns, labels), as_flag(drop, "drop"))
    found, matrices = groups.labels(labels, names), []
    for name, values in columns.items():
        results = [function(values[rows]) if len(rows) else None for rows in groups.rows]
        new = _result_columns(name, results)
        matrices += [list(range(len(found), len(found) + len(new)))] if len(new) > 1 else []
        found += new
    frame = _frame(found)
    if matrices:
        frame.attrs[MATRICES] = matrices
    return frame


def _is_list(by: Any) -> bool:
    """Whether the groupings are in a list of R: a list or dict of vectors, or a frame."""
    if isinstance(by, list | tuple):
        return all(dimensions(part, "by") == 1 for part in by)
    return isinstance(by, dict) or has_columns(by)


def _columns(x: Any) -> dict[str, NDArray[Any]]:
    """The columns of data by name: numbers, truth values or texts."""
    if has_columns(x):
        frame = as_frame(x)
        return {str(name): _texts(plain_column(frame.iloc[:, j])) for j, name in enumerate(frame.columns)}
    if dimensions(x, "x") == 1:
        import pandas as pd

        as_labels(x, "x")
        return {"x": _texts(plain_column(pd.Series(x)))}
    matrix = as_matrix(x)
    names = matrix.column_names or [f"V{j + 1}" for j in range(matrix.values.shape[1])]
    return dict(zip(names, matrix.values.T, strict=True))


def _texts(column: NDArray[Any]) -> NDArray[Any]:
    """A column of texts as such."""
    texts = column.dtype.kind == "O" and any(isinstance(v, str) for v in column)
    return column.astype(str) if texts else column


def _rows(x: Any, columns: dict[str, NDArray[Any]], labels: list[Any]) -> int:
    """The number of rows, which that of the labels must be."""
    n = len(next(iter(columns.values()))) if columns else len(x)
    if n == 0:
        raise RError("no rows to aggregate", "the data have no rows")
    if not labels:
        raise RError("no input has determined the number of cases", "by has no vector of labels")
    if any(len(vector) != n for vector in labels):
        lengths = " and ".join(str(len(vector)) for vector in labels)
        raise RError("arguments must have same length", f"x has {n} rows, by has {lengths} labels")
    return n


class _Groups:
    """The rows of each group, and its label by each grouping."""

    def __init__(self, labels: list[Any], n: int, drop: bool) -> None:
        factors = [as_factor(vector, f"vector {i + 1} of by") for i, vector in enumerate(labels)]
        known = np.all([factor.codes >= 0 for factor in factors], axis=0)
        factors = [_used(f, known, vector) for f, vector in zip(factors, labels, strict=True)]
        sizes = [len(factor.levels) for factor in factors]
        codes = np.stack([factor.codes for factor in factors])
        cells = np.full(n, -1)
        cells[known] = np.ravel_multi_index(tuple(codes[:, known]), tuple(sizes), order="F")
        chosen = np.unique(cells[known]) if drop else np.arange(math.prod(sizes))
        self.rows = [np.flatnonzero(cells == cell) for cell in chosen]
        self._factors = factors
        self._places = np.unravel_index(chosen, tuple(sizes), order="F") if len(chosen) else codes[:, :0]

    def labels(self, vectors: list[Any], names: list[str]) -> list[tuple[str, Any]]:
        """The columns of the labels of the groups, of the kinds that were given."""
        parts = zip(names, vectors, self._factors, self._places, strict=True)
        return [(name, _labels(vector, factor, places)) for name, vector, factor, places in parts]


def _used(factor: Factor, known: NDArray[np.bool_], vector: Any) -> Factor:
    """A factor without the levels of left out rows; categories stay."""
    if _is_category(vector):
        return factor
    used = np.unique(factor.codes[known])
    codes = np.where(known, np.searchsorted(used, factor.codes), -1)
    return Factor(codes, [factor.levels[code] for code in used])


def _is_category(vector: Any) -> bool:
    """Whether labels are categories."""
    return str(getattr(vector, "dtype", "")) == "category"


def _labels(vector: Any, factor: Factor, places: NDArray[np.int64]) -> Any:
    """The labels at some places among the levels."""
    import pandas as pd

    if _is_category(vector):
        column = getattr(vector, "array", vector)
        return pd.Categorical.from_codes(places, dtype=column.dtype)
    values = plain_column(pd.Series(vector))
    firsts = [values[np.flatnonzero(factor.codes == place)[0]] for place in places]
    return np.array(firsts, dtype=None if firsts else values.dtype)


def _result_columns(name: str, results: list[Any]) -> list[tuple[str, Any]]:
    """The results of one column of the data, as one column or several."""
    found = [result for result in results if result is not None]
    if not found:
        return [(name, np.empty(0))]
    values = side_by_side(found)
    if values is None or not len(values):
        raise ValueError("FUN must give the same number of results for each group, at least one")
    if len(found) < len(results):
        filled = np.full((len(values), len(results)), math.nan)
        filled[:, [i for i, result in enumerate(results) if result is not None]] = values
        values = filled
    if len(values) == 1:
        return [(name, values[0])]
    ends = entry_names(found) or [str(i + 1) for i in range(len(values))]
    return [(f"{name}.{end}", row) for end, row in zip(ends, values, strict=True)]


def _frame(columns: list[tuple[str, Any]]) -> pd.DataFrame:
    """Columns as a data frame; names may occur twice, as in R."""
    import pandas as pd

    frame = pd.DataFrame({place: values for place, (_, values) in enumerate(columns)})
    frame.columns = pd.Index([name for name, _ in columns])
    return frame


def _of_formula(formula: str, data: Any) -> tuple[dict[str, NDArray[Any]], Any]:
    """The columns on the left of a formula, and the frame of those on its right, without missing values."""
    if not has_columns(data):
        raise TypeError(f"data must be a data frame; got {type(data).__name__}")
    data = as_frame(data)
    sides = [side.strip() for side in formula.split("~")]
    if len(sides) != 2:
        raise ValueError(f"the formula must be like {FORMS}; got {formula!r}")
    several = CBIND.fullmatch(sides[0])
    left = [name.strip() for name in (several[1] if several else sides[0]).split(",")]
    right = [name.strip() for name in sides[1].split("+")]
    columns = [str(name) for name in data.columns]
    left, right = (
        [name for name in columns if name not in other] if side == ["."] else side
        for side, other in ((left, right), (right, left))
    )
    for name in (*left, *right):
        if name not in columns:
            raise RError(f"object '{name}' not found", f"the columns are {', '.join(columns)}")
    kept = data[[*left, *right]].dropna()
    if not len(kept):
        raise RError("no rows to aggregate", "every row has a missing value")
    return {name: as_matrix(kept[name], name).values[:, 0] for name in left}, kept[right]
