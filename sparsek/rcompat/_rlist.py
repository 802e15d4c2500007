"""R's named list: a mapping with R's field names, attributes with underscores, and R's way of printing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


class RList(Mapping[str, Any]):
    """A result as R returns it.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows and columns of the data, used for printing.

    Examples
    --------
    >>> fit = RList({"tot.withinss": 2.5, "iter": 1})
    >>> fit["tot.withinss"], fit.tot_withinss
    (2.5, 2.5)
    """

    def __init__(
        self,
        fields: Mapping[str, Any],
        row_names: list[str] | None = None,
        column_names: list[str] | None = None,
    ) -> None:
        self._fields = dict(fields)
        self._by_attribute = {name.replace(".", "_"): name for name in self._fields}
        self.row_names = row_names
        self.column_names = column_names

    def __getitem__(self, key: str) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __getattr__(self, name: str) -> Any:
        by_attribute = self.__dict__.get("_by_attribute", {})
        if name in by_attribute:
            return self._fields[by_attribute[name]]
        raise AttributeError(f"no field {name!r}; the fields are {', '.join(by_attribute) or 'not set'}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._by_attribute]

    def __str__(self) -> str:
        return "\n".join(f"${name}\n{format_value(value)}\n" for name, value in self._fields.items())

    def __repr__(self) -> str:
        return str(self)

    def print(self) -> None:
        """Print the result as R does."""
        print(self)


def format_number(value: float, digits: int = 7) -> str:
    """One number with R's default of seven significant digits."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "NA" if value is None else "NaN"
    return f"{value:.{digits}g}"


def format_columns(values: list[list[str]], row_labels: list[str], column_labels: list[str]) -> str:
    """A right-aligned table under a header, as R prints a matrix."""
    left = max((len(label) for label in row_labels), default=0)
    columns = list(zip(*values, strict=True)) if values else [[] for _ in column_labels]
    widths = [
        max([len(head), *map(len, column)]) for head, column in zip(column_labels, columns, strict=True)
    ]
    head = " " * left + "".join(f" {c:>{w}}" for c, w in zip(column_labels, widths, strict=True))
    lines = [
        f"{label:<{left}}" + "".join(f" {v:>{w}}" for v, w in zip(row, widths, strict=True))
        for label, row in zip(row_labels, values, strict=True)
    ]
    return "\n".join([head, *lines])


def format_vector(values: list[str], width: int = 80) -> str:
    """Strings in rows of equal cells, each row headed by the index of its first entry, as R prints."""
    cell = max((len(v) for v in values), default=0)
    head = len(f"[{len(values)}]")
    per_line = max(1, (width - head) // (cell + 1))
    lines = []
    for begin in range(0, len(values), per_line):
        label = f"[{begin + 1}]"
        lines.append(f"{label:>{head}} " + " ".join(f"{v:>{cell}}" for v in values[begin : begin + per_line]))
    return "\n".join(lines)


def format_matrix(matrix: np.ndarray, row_labels: list[str], column_labels: list[str]) -> str:
    """A numeric matrix as R prints it, seven significant digits to a column."""
    columns = [common_digits(matrix[:, j]) for j in range(matrix.shape[1])]
    return format_columns([list(row) for row in zip(*columns, strict=True)], row_labels, column_labels)


def common_digits(values: np.ndarray, digits: int = 7) -> list[str]:
    """Numbers with as many decimals as the neediest of them has at seven significant digits."""
    texts = [format_number(float(v), digits) for v in values]
    if any("e" in t or "n" in t.lower() for t in texts):
        return texts
    decimals = max((len(t.partition(".")[2]) for t in texts), default=0)
    return [f"{float(v):.{decimals}f}" for v in values]


def format_value(value: Any) -> str:
    """A field of a list: vectors and matrices as R prints them, anything else by its own text."""
    array = np.asarray(value)
    if array.ndim == 2:
        rows, columns = ([f"[{i + 1},]" for i in range(array.shape[0])],
                         [f"[,{j + 1}]" for j in range(array.shape[1])])  # fmt: skip
        return format_matrix(array.astype(float), rows, columns)
    if array.dtype.kind in "iu":
        return format_vector([str(v) for v in array.ravel()])
    if array.dtype.kind == "f":
        return format_vector(common_digits(array.ravel()))
    return str(value)
