"""Tables with categories as numbers: a category becomes one indicator column for each of its levels.

Chavent, M., Kuentz-Simonet, V. and Saracco, J. (2012), "Orthogonal rotation in PCAMIX", Advances in Data
Analysis and Classification 6, 131-146: the indicator of a level with share p is centred and divided by
sqrt(p). The scaling of a fit does that (`sparsek.sources.blocks.block_scaling`); here are the indicators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.inputs.containers import (
    MOST_NAMED,
    as_array,
    column_labels,
    is_table,
    numbers,
    place_of,
    unmasked,
)

FloatArray = NDArray[np.float64]
MOST_LEVELS = 1000
"""Largest number of levels of a category, each of which takes a column."""
LEAST_DISTINCT = 10
"""Texts that differ in all rows are refused where there are this many rows or more."""


def indicators(codes: NDArray[Any], n_levels: int, missing: float = 0.0) -> FloatArray:
    """1 where a row has a level, else 0; `missing` in a row whose code is negative or NaN.

    Shapes: codes (n,); returns (n, n_levels).
    """
    found: FloatArray = (codes[:, None] == np.arange(n_levels)).astype(np.float64)
    if missing != 0:
        found[~(codes >= 0)] = missing
    return found


@dataclass(frozen=True, slots=True)
class Variable:
    """A column of the user's data: a number, a category, or an ordered category with scores 1 to m."""

    label: Any  # The name of the column, or its index
    levels: tuple[Any, ...] | None = None  # None for a number
    scored: bool = False  # Whether the levels become the scores 1 to m, a number

    @property
    def coded(self) -> bool:
        """Whether the levels become indicators."""
        return self.levels is not None and not self.scored

    def codes(self, column: Any, name: str = "X") -> FloatArray:
        """Scores from 1, or numbers of levels from 0, of the entries of a column; NaN where missing."""
        assert self.levels is not None
        codes, found = factorized(column)
        known = {level: float(number) for number, level in enumerate(self.levels, start=int(self.scored))}
        places = [known.get(level, -1.0) for level in found]
        values = np.array([*places, np.nan])[codes]
        if (values < 0).any():
            row = int(np.argmax(values < 0))
            raise ValueError(
                f"{place_of(name, self.label)} has the level {found[codes[row]]!r} in row {row}, which no "
                f"row of the fit had; its levels are {listed(self.levels)}: leave the row out, make the "
                "entry missing where the estimator takes missing values, or fit again with such rows"
            )
        return values


@dataclass(frozen=True)
class Coding:
    """How the columns of a table with categories become columns of numbers; p variables, q columns."""

    variables: tuple[Variable, ...]
    labels: tuple[Any, ...] | None  # Names of the columns of the table; None for an array

    @cached_property
    def columns(self) -> tuple[NDArray[np.intp], ...]:
        """For each variable the indices of its columns."""
        counts = [len(v.levels) if v.coded and v.levels is not None else 1 for v in self.variables]
        return tuple(np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1]))

    @cached_property
    def firsts(self) -> NDArray[np.intp]:
        """The first column of each variable, (p,)."""
        return np.array([columns[0] for columns in self.columns])

    @cached_property
    def is_level(self) -> NDArray[np.bool_]:
        """Mask of the columns that are indicators, (q,)."""
        return np.repeat([v.coded for v in self.variables], list(map(len, self.columns)))

    @cached_property
    def variable_of(self) -> NDArray[np.intp]:
        """The variable of each column, (q,)."""
        return np.repeat(np.arange(len(self.variables)), list(map(len, self.columns)))

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """Names of the columns, (q,): those of the variables, for indicators "variable=level"."""
        found: list[str] = []
        for variable in self.variables:
            label = variable.label if self.labels is not None else f"x{variable.label}"
            levels = map(level_text, variable.levels or ())
            found += [f"{label}={level}" for level in levels] if variable.coded else [str(label)]
        return np.array(found, dtype=object)

    def totals(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums over the columns of each variable: (q,) to (p,), or (k, q) to (k, p)."""
        return np.stack([values[..., columns].sum(axis=-1) for columns in self.columns], axis=-1)

    @cached_property
    def unordered(self) -> NDArray[np.bool_]:
        """Mask of the variables that are categories without an order, (p,)."""
        return np.array([variable.coded for variable in self.variables])

    def __getstate__(self) -> dict[str, Any]:
        """What the coding is, without what was found of it since: equal ones are then stored alike."""
        return {"variables": self.variables, "labels": self.labels}

    def table(self, X: Any, name: str = "X") -> Any:
        """Numbers, scores, and numbers of levels from 0, NaN where missing, (n, p); a frame for a table.

        Raises ValueError for levels that the fit did not have; TypeError for columns that are no numbers.
        """
        if isinstance(X, CodedRows):
            return X.values
        X = as_columns(X, name)
        plain = [j for j, variable in enumerate(self.variables) if variable.levels is None]
        found = np.empty((len(X), len(self.variables)))
        if plain:
            found[:, plain] = np.asarray(numbers(_some_columns(X, plain), name, True), dtype=np.float64)
        for j, variable in enumerate(self.variables):
            if variable.levels is not None:
                found[:, j] = variable.codes(column_of(X, j), name)
        if self.labels is None:
            return found
        import pandas as pd

        frame = pd.DataFrame(found, index=getattr(X, "index", None))
        frame.columns = pd.Index(self.labels)
        return frame

    def expand(self, table: NDArray[Any]) -> FloatArray:
        """The columns of a table: indicators in place of numbers of levels, NaN where missing.

        Shapes: table (n, p); returns (n, q).
        """
        found = np.empty((len(table), len(self.is_level)))
        for values, variable, columns in zip(np.asarray(table).T, self.variables, self.columns, strict=True):
            found[:, columns] = (
                indicators(values, len(columns), np.nan) if variable.coded else values[:, None]
            )
        return found

    def collapsed(self, values: NDArray[Any]) -> FloatArray:
        """The table of which these are the columns: numbers of levels in place of indicators.

        Shapes: values (n, q); returns (n, p).
        """
        found = np.empty((len(values), len(self.variables)))
        for j, (variable, columns) in enumerate(zip(self.variables, self.columns, strict=True)):
            own = values[:, columns]
            found[:, j] = np.where(
                np.isnan(own[:, 0]), np.nan, own.argmax(axis=1) if variable.coded else own[:, 0]
            )
        return found

    def within_shares(self, centers: NDArray[Any]) -> NDArray[Any]:
        """Centres in units of the table, shares of levels rounded into [0, 1], in place.

        Shapes: centers (..., q); returns the same.
        """
        centers[..., self.is_level] = np.clip(centers[..., self.is_level], 0, 1)
        return centers

    def degrees(self, values: NDArray[Any]) -> FloatArray:
        """Degrees of freedom of the variables for rows of a fit: 1, or levels that occur less 1, at least 1.

        Shapes: values (n, q); returns (p,).
        """
        seen = np.fmax.reduce(values, axis=0) > 0
        return np.array([
            max(1, np.count_nonzero(seen[columns]) - 1) if variable.coded else 1
            for variable, columns in zip(self.variables, self.columns, strict=True)
        ], dtype=np.float64)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodedRows:
    """Rows of a table with categories, which know all levels of the table, also those that no row has.

    A subset of rows, ``rows[numbers]``, is of the same kind; a fit to it is one to these rows of the table.
    """

    values: FloatArray  # (n, p): numbers, scores, and numbers of levels from 0; NaN where missing
    coding: Coding

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of variables."""
        n, p = self.values.shape
        return n, p

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """The type of the values."""
        return self.values.dtype

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> CodedRows:
        return CodedRows(self.values[rows], self.coding)

    @property
    def columns(self) -> FloatArray:
        """The columns of numbers and indicators, (n, q)."""
        return self.coding.expand(self.values)


def coding_of(X: Any, declared: NDArray[np.bool_], name: str = "X") -> Coding | None:
    """How the columns of X become numbers; None if all are numbers.

    `declared` is a mask of the columns, (p,), that are categories whatever they hold. Others are by their
    type: texts and categories of a table are, of which ordered ones are scored.

    Raises TypeError for columns of complex numbers, of texts and other objects, or of texts of numbers;
    ValueError for columns without a value, with too many levels, or with another text in every row.
    """
    table = is_table(X)
    if not (table or declared.any()):
        return None
    labels = tuple(column_labels(X)) if table else None
    if table and not declared.any() and _holds_numbers(X):
        return None
    X = as_columns(X, name)
    variables = []
    for j, is_declared in enumerate(declared):
        label = j if labels is None else labels[j]
        column, place = column_of(X, j), place_of(name, label)
        kind = "category" if is_declared else kind_of(column, place) if table else "number"
        if getattr(column.dtype, "kind", "") == "c":
            raise TypeError(f"{place} has type {column.dtype}; real numbers or categories are needed")
        if kind != "number" and getattr(column.dtype, "kind", "") in "mM":
            raise TypeError(
                f"{place} holds dates or durations, which are no categories: make it texts (astype(str)), or "
                "numbers in a unit of your choice"
            )
        levels = None if kind == "number" else _levels(column, kind, place)
        variables.append(Variable(label, levels, kind == "ordered"))
    coded = any(variable.levels is not None for variable in variables)
    return Coding(tuple(variables), labels) if coded else None


def _holds_numbers(X: Any) -> bool:
    """Whether all columns of a frame of pandas are of numpy's types of numbers."""
    dtypes = set(X.dtypes) if hasattr(X, "iloc") else {None}
    return all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes)


def as_columns(X: Any, name: str) -> Any:
    """A table, or an array of two dimensions whose columns may be of any kind."""
    if is_table(X):
        return X
    values = as_array(unmasked(X, name, holes=True), name)
    if values.ndim != 2:
        raise ValueError(f"{name} must have two dimensions; got shape {values.shape}")
    return values


def column_of(X: Any, place: int) -> Any:
    """A column, of a table as a series of pandas."""
    if isinstance(X, np.ndarray):
        return X[:, place]
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        column = X.iloc[:, place]
        arrow = str(column.dtype).startswith("dictionary")
        return column.array.__arrow_array__().to_pandas() if arrow else column
    if hasattr(X, "column_names"):
        return X.column(place).to_pandas()
    series = X[column_labels(X)[place]]
    values, kind = np.asarray(series), type(series.dtype).__name__
    if kind == "Enum":  # which polars itself gives to Arrow and pandas as an ordered category
        return pd.Series(pd.Categorical(values, series.dtype.categories.to_list(), ordered=True))
    return pd.Series(values, dtype="category" if kind == "Categorical" else values.dtype)


def _some_columns(X: Any, places: list[int]) -> Any:
    """Some columns of a table or an array."""
    if hasattr(X, "iloc"):
        return X.iloc[:, places]
    if isinstance(X, np.ndarray):
        return X[:, places]
    return X.select(places if hasattr(X, "column_names") else [column_labels(X)[j] for j in places])


def kind_of(column: Any, place: str) -> str:
    """What a column of a table holds by its type: "number", "category", "text" or "ordered" category."""
    dtype = column.dtype
    if str(dtype) == "category":
        return "ordered" if column.cat.ordered else "category"
    if getattr(dtype, "kind", "") not in "OUT" or str(dtype) == "period":
        return "number"
    known = [entry for entry in column.dropna().tolist() if entry is not np.ma.masked]
    texts = [entry for entry in known if isinstance(entry, str)]
    if not texts:
        return "number"
    if len(texts) < len(known):
        other = next(entry for entry in known if not isinstance(entry, str))
        raise TypeError(
            f"{place} holds {texts[0]!r}, a str, and {other!r}, a {type(other).__name__}: make all of them "
            "texts, or all of them real numbers"
        )
    if all(map(_is_number, set(texts))):
        raise TypeError(
            f"{place} holds {texts[0]!r}, a str, and all its texts are real numbers: make it numbers "
            "(pandas.to_numeric), or name it in categories="
        )
    return "text"


def factorized(column: Any) -> tuple[NDArray[np.intp], list[Any]]:
    """The number of the level of each entry, -1 where missing, and the levels; of categories all declared."""
    import pandas as pd

    if str(column.dtype) == "category":
        return column.cat.codes.to_numpy().astype(np.intp), column.cat.categories.tolist()
    codes, found = pd.factorize(pd.Series(np.asarray(column, dtype=object), dtype=object))
    return codes.astype(np.intp), list(found)


def _levels(column: Any, kind: str, place: str) -> tuple[Any, ...]:
    """The levels of a column: sorted ones that occur, or of an ordered category all, in their order."""
    codes, found = factorized(column)
    occurring = np.unique(codes[codes >= 0])
    if not len(occurring):
        raise ValueError(f"{place} has no value in any row; leave it out")
    if kind == "ordered":
        return tuple(found)
    if len(occurring) > MOST_LEVELS:
        raise ValueError(
            f"{place} has {len(occurring)} levels, and each takes a column; at most {MOST_LEVELS} are "
            "allowed: join levels, or leave it out"
        )
    if kind == "text" and len(occurring) == len(codes) >= LEAST_DISTINCT:
        raise ValueError(
            f"{place} has another text in each of its {len(codes)} rows, as identifiers and free answers "
            "have: leave it out, or name it in categories="
        )
    levels = [found[code] for code in occurring.tolist()]
    if any(isinstance(level, complex | np.complexfloating) for level in levels):
        raise TypeError(f"{place} has type complex; real numbers or categories are needed")
    try:
        return tuple(sorted(levels))
    except TypeError:
        return tuple(sorted(levels, key=lambda level: (type(level).__name__, str(level))))


def _is_number(text: str) -> bool:
    """Whether a text is read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def level_text(level: Any) -> str:
    """A level in words, whole numbers without a point."""
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)


def listed(levels: Sequence[Any]) -> str:
    """The first levels, for a message."""
    more = ", ..." if len(levels) > MOST_NAMED else ""
    return ", ".join(map(repr, levels[:MOST_NAMED])) + more
