"""Tables whose rows are features and whose columns are observations, as expression data are stored."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sparsek.cli._cells import (
    Ids,
    InputError,
    ReadOptions,
    Row,
    as_category,
    choose_columns,
    find_column,
    not_numbers,
    numbers_of,
    refuse_no_value,
    shorten,
    without_missing,
)
from sparsek.cli._formats.rows import header_names, refuse_title, wrong_width

ID_NAME = "id"
"""Name of the ids that were names of columns."""


@dataclass(slots=True)
class _Features:
    """The rows of a table, each a feature."""

    options: ReadOptions
    names: list[str] = field(default_factory=list)
    values: array[float] = field(default_factory=lambda: array("d"))
    texts: dict[int, Sequence[Any]] = field(default_factory=dict)  # Cells of rows that are not all numbers
    wrong: dict[int, tuple[int, Any]] = field(default_factory=dict)  # The first of these cells, with its line

    def add(self, line: int, name: str, cells: Sequence[Any]) -> None:
        """Append a row."""
        numbers, wrong = numbers_of(cells, self.options)
        place = len(self.names)
        self.names.append(name)
        self.values.extend(numbers)
        asked = {self.options.id_col, self.options.truth, self.options.batch, *self.options.categories}
        if wrong or name in asked or str(place + 1) in asked:
            self.texts[place] = cells
        if wrong:
            self.wrong[place] = line, cells[wrong[0]]


def turned_table(
    rows: Iterable[Row], options: ReadOptions, file: Path, unit: str
) -> tuple[pd.DataFrame, Ids | None]:
    """The numbers of a table of cells, shape (n, p), with its p features in rows, and the ids."""
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        raise InputError(f"{file} is empty; no data")
    second = next(rows, None)
    begin = [] if options.header else [first]
    begin += [] if second is None else [second]
    header = header_names(first[1]) if options.header else [str(j) for j in range(1, len(first[1]) + 1)]
    refuse_title(file, header, unit, first[0])
    names_col = _names_column(header, second or first, options, file)
    out = [find_column(header, name, file) for name in options.drop if name in header]
    samples = [j for j in range(len(header)) if j != names_col and j not in out]
    found = _Features(options)
    for line, cells in chain(begin, rows):
        if len(cells) != len(header):
            raise wrong_width(file, unit, (line, cells), first, options.header)
        refuse_no_value(file, *cells)
        number = len(found.names) + 1
        name = f"x{number}" if names_col is None else header_names([cells[names_col]])[0]
        found.add(line, name, [cells[j] for j in samples])
    rest = replace(options, drop=tuple(name for name in options.drop if name not in header))
    ids = Ids(ID_NAME, [header[j] for j in samples]) if options.header else None
    return _table(found, len(samples), rest, file, unit), _ids(found, rest, file, ids)


def _names_column(header: list[str], row: Row, options: ReadOptions, file: Path) -> int | None:
    """The column with the names of the features: the one that is named, or the first if it has texts."""
    if options.names_col is not None:
        return find_column(header, options.names_col, file)
    unnamed = options.header and not header[0]
    return 0 if unnamed or numbers_of(row[1][:1], options)[1] else None


def _table(found: _Features, n: int, options: ReadOptions, file: Path, unit: str) -> pd.DataFrame:
    """The features that are left, as columns."""
    first: dict[str, int] = {}
    for number, name in enumerate(found.names, start=1):
        if first.setdefault(name, number) != number:
            raise InputError(
                f"features {first[name]} and {number} of {file} are both named {name!r}; names must differ: "
                "name another column by --id-col, or make them differ as R's make.unique does"
            )
    columns = choose_columns(found.names, options, file)
    if not (n and columns.features):
        raise InputError(f"{file} has {len(columns.features)} rows and {n} columns of numbers; no data")
    categories = columns.categories | (set(found.wrong) if columns.all_text else set())
    wrong = [j for j in columns.features if j in found.wrong and j not in categories]
    if wrong:
        line, cell = found.wrong[wrong[0]]
        place = f"; {unit} {line}: {shorten(cell)} is not a number"
        raise not_numbers(file, [found.names[j] for j in wrong], place)
    values = np.array(found.values).reshape(len(found.names), n)[columns.features].T
    frame = pd.DataFrame(
        np.ascontiguousarray(without_missing(values, options)),
        columns=[found.names[j] for j in columns.features],
    )
    for j in sorted(categories & set(columns.features)):
        frame[found.names[j]] = as_category(found.texts[j], options.missing)
    return frame


def _ids(found: _Features, options: ReadOptions, file: Path, usual: Ids | None) -> Ids | None:
    """The ids of the observations: the row of this name, or the names of the columns."""
    if options.id_col is None:
        return usual
    place = find_column(found.names, options.id_col, file)
    return Ids(found.names[place], ["" if cell is None else str(cell) for cell in found.texts[place]])


def turned_frame(frame: pd.DataFrame, options: ReadOptions, file: Path) -> tuple[pd.DataFrame, ReadOptions]:
    """A table of typed columns, turned; and what is left of the options."""
    names = [str(name) for name in frame.columns]
    if options.names_col is not None and options.names_col not in map(str, frame.index.names):
        frame = frame.set_index(frame.columns[find_column(names, options.names_col, file)])
    elif isinstance(frame.index, pd.RangeIndex) and not pd.api.types.is_numeric_dtype(frame.dtypes.iloc[0]):
        frame = frame.set_index(frame.columns[0])
    out = [str(name) for name in frame.columns if str(name) in options.drop]
    frame = frame.drop(columns=[name for name in frame.columns if str(name) in out])
    texts = [str(name) for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    if texts:
        raise not_numbers(file, texts)
    features = [f"x{j}" for j in range(1, len(frame) + 1)]
    if not isinstance(frame.index, pd.RangeIndex):
        features = ["" if pd.isna(name) else str(name) for name in frame.index]
    turned = pd.DataFrame(
        frame.to_numpy(dtype=np.float64, na_value=np.nan).T,
        index=pd.Index([str(name) for name in frame.columns], name=ID_NAME),
        columns=features,
    )
    return turned, replace(options, drop=tuple(name for name in options.drop if name not in out))
