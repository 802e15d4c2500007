"""Tables in files of R's saveRDS and save, read without R by rdata."""

from __future__ import annotations

import bz2
import gzip
import lzma
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csc_matrix

from sparsek._limits import PIECE_BYTES, check_unpacked
from sparsek.cli._cells import InputError

PACKED = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
"""First bytes of compressed files, and what opens them."""
CELL_BYTES = 8
"""What a number takes in a table."""
LISTED = 12
"""Tables that an error lists at most."""


def read_r(file: Path, name: str | None) -> pd.DataFrame:
    """The table of this name, ``$`` between a list and its element, or the only one.

    A table is a data frame, a matrix of numbers or a sparse matrix (dgCMatrix).
    """
    found = dict(_tables(_objects(file), ""))
    if not found:
        raise InputError(
            f"{file} has no data frame and no matrix of numbers; save one in R: saveRDS(as.data.frame(x), "
            '"x.rds")'
        )
    if name is None:
        if len(found) != 1:
            raise InputError(f"{file} has {len(found)} tables{_listed(found)}; name one by --array")
        (name,) = found
    elif name not in found:
        raise InputError(
            f"{file} has no data frame and no matrix of numbers {name!r}; it has {len(found)}{_listed(found)}"
        )
    return _as_frame(found[name], file)


def _listed(found: Mapping[str, Any]) -> str:
    """The names of tables with their sizes."""
    texts = [f"{name} ({' x '.join(map(str, _shape(table)))})" for name, table in found.items()]
    more = f" and {len(texts) - LISTED} more" if len(texts) > LISTED else ""
    return f": {', '.join(texts[:LISTED])}{more}" if texts else ""


def _objects(file: Path) -> Any:
    """What R saved: a dict of the objects of save, or the one of saveRDS."""
    from rdata import parser

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of R that rdata does not know are lists, as R stores them
        content = _unpacked(file)
        parsed = parser.parse_data(
            content,
            extension=".rds" if file.suffix.lower() == ".rds" else ".rda",
            altrep_constructor_dict=_sequences(file),
        )
        if file.suffix.lower() == ".rds":
            return _converted(parsed.object, parsed)
        objects, node = {}, parsed.object
        while node.info.type is parser.RObjectType.LIST:
            objects[_converted(node.tag, parsed)] = _converted(node.value[0], parsed)
            node = node.value[1]
        return objects


def _converted(value: Any, parsed: Any) -> Any:
    """An object in Python's types, None for functions and whatever else rdata cannot convert."""
    from rdata.conversion import DEFAULT_CLASS_MAP, SimpleConverter

    def dates(numbers: Any, _: Any, unit: str = "D") -> Any:
        return pd.to_datetime(np.asarray(numbers, dtype=np.float64), unit=unit)  # type: ignore[call-overload]  # unit is a text

    classes = {
        **DEFAULT_CLASS_MAP,
        "Date": dates,
        "POSIXct": lambda numbers, more: dates(numbers, more, "s"),
        "ts": lambda numbers, _: numbers,
    }
    encoding = parsed.extra.encoding or "utf-8"
    try:
        return SimpleConverter(classes, default_encoding=encoding).convert(value)
    except Exception:  # of one object among others, and what rdata raises is not documented
        return None


def _unpacked(file: Path) -> bytes:
    """The content of a file, unpacked if it is packed; SizeError beyond the limit."""
    with file.open("rb") as stream:
        first = stream.read(8)
    opened = next((opener for magic, opener in PACKED if first.startswith(magic)), open)
    pieces, total = [], 0
    with opened(file, "rb") as stream:
        while piece := stream.read(PIECE_BYTES):
            total += len(piece)
            check_unpacked(file, total)
            pieces.append(piece)
    return b"".join(pieces)


def _sequences(file: Path) -> dict[bytes, Any]:
    """What makes vectors that are stored in few bytes, such as 1:n, below the limit."""
    from rdata.parser import DEFAULT_ALTREP_MAP

    def limited(make: Any) -> Any:
        def made(state: Any) -> Any:
            check_unpacked(file, CELL_BYTES * int(state.value[0]), "a sequence in it")
            return make(state)

        return made

    counted = (b"compact_intseq", b"compact_realseq")
    return {name: limited(make) if name in counted else make for name, make in DEFAULT_ALTREP_MAP.items()}


def _tables(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The tables in an object with their names; elements of lists without names have numbers from 1."""
    if _shape(value):
        yield name, value
    elif isinstance(value, dict):  # of an environment nothing is looked at
        for key, element in value.items():
            yield from _tables(element, f"{name}${key}" if name else str(key))
    elif isinstance(value, list):
        for number, element in enumerate(value, start=1):
            yield from _tables(element, f"{name}${number}" if name else str(number))


def _shape(value: Any) -> tuple[int, ...]:
    """Rows and columns of a table, nothing for anything else."""
    if isinstance(value, pd.DataFrame):
        return value.shape
    if _is_sparse(value):
        return tuple(int(size) for size in value.Dim)
    shape = tuple(getattr(value, "shape", ()))
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return shape if len(shape) == 2 and kind in "fiub" else ()


def _is_sparse(value: Any) -> bool:
    """Whether an object is a dgCMatrix of the package Matrix."""
    return "dgCMatrix" in list(getattr(value, "class", ()))


def _as_frame(table: Any, file: Path) -> pd.DataFrame:
    """A table with the names that R gives it."""
    if isinstance(table, pd.DataFrame):
        usual = isinstance(table.index, pd.RangeIndex)
        return table.reset_index(drop=True) if usual else table
    if _is_sparse(table):
        rows, columns = _shape(table)
        check_unpacked(file, CELL_BYTES * rows * columns, "its table")
        values = csc_matrix((table.x, table.i, table.p), shape=(rows, columns)).toarray()
        found = table.Dimnames
    else:
        values = np.ma.filled(np.ma.asarray(getattr(table, "values", table)).astype(np.float64), np.nan)
        named = getattr(table, "coords", {})
        found = [named[dim].values if dim in named else None for dim in getattr(table, "dims", (0, 1))]
    names = [None if given is None or len(given) == 0 else [str(name) for name in given] for given in found]
    frame = pd.DataFrame(values, columns=names[1] or [f"x{j}" for j in range(1, values.shape[1] + 1)])
    return frame if names[0] is None else frame.set_axis(pd.Index(names[0]))
