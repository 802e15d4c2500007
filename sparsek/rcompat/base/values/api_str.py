"""R's ``str``: the structure of a value."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek.inputs.containers import counts_only
from sparsek.rcompat.base.expressions import Call, deparse
from sparsek.rcompat.base.factors import as_factor
from sparsek.rcompat.base.printing import PRINT_WIDTH, format_column
from sparsek.rcompat.base.values.frames import plain_column
from sparsek.rcompat.base.values.lists import is_vector

MOST_PLAIN, MOST_NUMBERS, MOST_TRUTHS, MOST_TEXTS = 10, 5, 6, 4
"""So many numbers of few digits, other numbers, truth values and texts are shown."""
MOST_PARTS = 99
"""So many parts of a list are shown."""
DIGITS = 3
NEAR = 2.0**-50
"""Numbers so near to three digits have no more, as part of their size."""
SMALL, LARGE = 1e-10, 1e10
"""Numbers between these may have few digits."""
LEVEL_ROOM = 13
"""Levels are shown until they and what is between them are wider."""
LONGEST, KEPT = 128, 111
"""Texts that are longer in quotes are cut to so many characters."""
KINDS = {"f": "num", "i": "int", "u": "int", "b": "logi"}


def str(object: Any) -> None:
    """Show the structure of a value, as R's ``str``: kinds, sizes and first entries, a line for each part.

    Parameters
    ----------
    object : array_like, data frame, Series, Categorical, list, dict, or a result of a function
        What is shown. Whole numbers are R's integers.

    Raises
    ------
    TypeError
        For values that R does not have here, such as complex numbers.

    See Also
    --------
    summary : Quartiles and counts.
    print : The value itself.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> rcompat.str({"size": [3, 4], "name": "b"})
    List of 2
     $ size: int [1:2] 3 4
     $ name: chr "b"
    """
    builtins.print("\n".join(lines_of(object, 0)))


def lines_of(x: Any, level: int, column: bool = False) -> list[builtins.str]:
    """The lines of a value; the first one follows what its name is written with."""
    own = getattr(type(x), "structure", None)
    if own is not None:
        return list(own(x, level))
    if isinstance(x, pd.DataFrame):
        count = f"{x.shape[1]} variable{'s' * (x.shape[1] != 1)}"
        first = f"'data.frame':\t{len(x)} obs. of  {count}" + ":" * bool(x.shape[1])
        parts = [(builtins.str(name), x.iloc[:, j].array) for j, name in enumerate(x.columns)]
        return [first, *_parts(parts, level, column=not level)]
    if x is None:
        return [" NULL"]
    if isinstance(x, Call):
        return [f" language {' '.join(x.lines())}"]
    if isinstance(x, Mapping):
        return _list([(builtins.str(name), value) for name, value in x.items()], level, _class_of(x))
    if isinstance(x, list | tuple) and not is_vector(x):
        return _list([("", value) for value in x], level)
    if builtins.str(getattr(x, "dtype", "")) == "category":
        return [_factor(x)]
    return _vector(x, level, column)


def _list(
    parts: list[tuple[builtins.str, Any]], level: int, of_class: tuple[builtins.str, ...] = ()
) -> list[builtins.str]:
    """The lines of a list."""
    if not parts:
        return [" list()"]
    lines = [f"List of {len(parts)}", *_parts(parts, level)]
    return lines + _attributes({"class": list(of_class)} if of_class else {}, level)


def _parts(parts: list[tuple[builtins.str, Any]], level: int, column: bool = False) -> list[builtins.str]:
    """A line for each part, and those of its own parts."""
    wide = max((len(name) for name, _ in parts), default=0)
    lines = []
    for name, value in parts[:MOST_PARTS]:
        head = f"{_indent(level)}$ {name:<{wide}}:"
        first, *more = lines_of(value, level + 1, column)
        lines += [head + first, *more]
    return lines + [f"{_indent(level)} [list output truncated]"] * (len(parts) > MOST_PARTS)


def _indent(level: int) -> builtins.str:
    """What the lines of the parts begin with."""
    return " " + " .." * level


def _attributes(known: Mapping[builtins.str, Any], level: int) -> list[builtins.str]:
    """The lines of attributes."""
    lines = []
    for name, value in known.items():
        head = f'{_indent(level)}- attr(*, "{name}")='
        first, *more = lines_of(value, level + 1)
        lines += [head + first, *more]
    return lines


def _class_of(x: Any) -> tuple[builtins.str, ...]:
    """R's class of a result."""
    return tuple(getattr(type(x), "r_class", ()))


def _factor(x: Any) -> builtins.str:
    """Categories: the first levels, and their numbers."""
    factor, ordered = as_factor(x, "object"), bool(getattr(x, "cat", x).ordered)
    between, shown, room = ("<" if ordered else ","), [], 0
    for level in factor.levels:
        if room > LEVEL_ROOM:
            break
        shown.append(deparse(level, level))
        room += len(shown[-1]) + 1
    n = len(factor.levels)
    levels = between.join(shown) + f"{between}.." * (len(shown) < n)
    codes = [builtins.str(code + 1) if code >= 0 else "NA" for code in factor.codes[:MOST_PLAIN]]
    dots = " ..." * (len(factor.codes) > MOST_PLAIN)
    kind = "Ord.factor" if ordered else "Factor"
    return f" {kind} w/ {n} level{'s' * (n != 1)} {levels}: {' '.join(codes)}{dots}"


def _vector(x: Any, level: int, column: bool) -> list[builtins.str]:
    """A vector or a matrix: its kind, size and first entries, then its names and other attributes."""
    names, known = _names(x)
    values = plain_column(x) if isinstance(x, pd.Series | pd.api.extensions.ExtensionArray) else np.asarray(x)
    known_entries = values.dtype.kind != "O" or all(
        v is None or isinstance(v, builtins.str | bool | np.bool_) for v in values.flat
    )
    if values.dtype.kind not in "fiubUO" or not known_entries:
        raise TypeError(f"str takes numbers, truth values, texts and lists; got {x!r}")
    texts = values.dtype.kind == "U" or (
        values.dtype.kind == "O" and any(isinstance(v, builtins.str) for v in values.flat)
    )
    kind = "chr" if texts else KINDS.get(values.dtype.kind, "logi")
    if kind == "num" and pd.api.types.is_integer_dtype(getattr(x, "dtype", "float64")):
        kind = "int"
    of_class = f"'{_class_of(x)[0]}' " if _class_of(x) else ""
    extents = _size(values, column, "table" in _class_of(x))
    first = f" {of_class}{'Named ' * (names is not None)}{kind}{extents}"
    entries = np.ravel(values, order="F")
    if not entries.size:
        return [f" {kind}" + ("(0) " if values.ndim < 2 else f"{_size(values, False, False)[1:]} ")]
    width = PRINT_WIDTH - len(f"{first} ") if not level else None
    attributes = {"names": names} if names is not None else {}
    return [f"{first} {_entries(entries, kind, width)}", *_attributes(attributes | known, level)]


def _size(values: NDArray[Any], column: bool, one_way: bool) -> builtins.str:
    """The extents; none for a single number, a space for a column of a frame."""
    if column:
        return " "
    if values.ndim < 2:
        single = values.size == 1 and not one_way
        return "" if single else f" [1:{values.size}{'(1d)' * one_way}]"
    extents = [f"1:{m}" if m > 1 else f"{m}" if m else "0 " for m in values.shape]
    return f" [{', '.join(extents)}]"


def _names(x: Any) -> tuple[list[builtins.str] | None, dict[builtins.str, Any]]:
    """The names of a vector, and the other attributes of an array."""
    if isinstance(x, pd.Series):
        return None if counts_only(x.index) else [builtins.str(i) for i in x.index], {}
    known = dict(getattr(x, "attributes", {}))
    names = known.pop("names", None)
    if known.get("dimnames") is not None:
        known["dimnames"] = _DimNames(known["dimnames"], known.pop("dnn", None))
    return names, known


class _DimNames:
    """Names of rows and columns, a list with their own names."""

    def __init__(self, names: Any, own: list[builtins.str] | None) -> None:
        self.parts = list(zip(own or [""] * len(names), names, strict=True))

    def structure(self, level: int) -> list[builtins.str]:
        """The lines."""
        return _list(self.parts, level)


def _entries(values: NDArray[Any], kind: builtins.str, width: int | None) -> builtins.str:
    """The first entries, with dots where there are more."""
    if kind == "chr":
        texts = ["NA" if v is None else _shortened(v) for v in values[:PRINT_WIDTH].tolist()]
        if width is None:
            most = MOST_TEXTS
        else:
            room = np.cumsum([len(text) + 1 for text in texts])
            most = max(1, int((room < width - len("...")).sum()))
    elif kind == "logi":
        texts = ["NA" if v is None else builtins.str(bool(v)).upper() for v in values[:MOST_TRUTHS].tolist()]
        most = MOST_TRUTHS
    elif kind == "int":
        most = MOST_PLAIN
        texts = ["NA" if v != v else f"{v:.0f}" for v in values[:most].tolist()]
    else:
        most = MOST_PLAIN if _has_few_digits(values[:MOST_PLAIN]) else MOST_NUMBERS
        texts = [_trimmed(text) for text in format_column(values[:most].tolist(), DIGITS)]
    return " ".join(texts[:most]) + " ..." * (len(values) > most)


def _has_few_digits(values: NDArray[Any]) -> bool:
    """Whether all numbers have at most three digits and none is very small or large."""
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    sizes = np.abs(known)
    plain = ((sizes > SMALL) & (sizes < LARGE)) | (sizes == 0)
    rounded = np.array([float(f"{v:.{DIGITS - 1}e}") for v in known.tolist()])
    return bool(plain.all()) and bool((np.abs(known - rounded) <= NEAR * sizes).all())


def _trimmed(number: builtins.str) -> builtins.str:
    """A number without zeros after its last digit behind the point; with an exponent, without one of 0."""
    text = number.strip()
    if "." not in text:
        return text
    return text.removesuffix("e+00") if "e" in text else text.rstrip("0").rstrip(".")


def _shortened(text: builtins.str) -> builtins.str:
    """A text in quotes, cut where it is very long."""
    quoted = deparse(text, text)
    if len(quoted) <= LONGEST:
        return quoted
    return f'"{text[:KEPT]}"| __truncated__'
