"""What the footer of a Parquet file says of its columns.

Where the parts of a damaged footer do not fit together, pyarrow ends the process as soon as it is asked for a
column. Here the bytes are read one by one, as the format has them (Thrift's compact protocol), and any that
are wrong raise an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

END_BYTES = 8
"""Bytes after the footer: its length, and the mark of the format."""
TRUE, FALSE, BINARY, STRUCT = 1, 2, 8, 12
WHOLE, LISTS = (4, 5, 6), (9, 10)
"""Types of the protocol."""
WIDTHS = {TRUE: 1, FALSE: 1, 3: 1, 7: 8}
"""Bytes of the other types: of a truth value in a list, a byte and a double."""
ROW_GROUPS, COLUMNS, FILE_PATH, META, NUM_VALUES = 4, 1, 1, 3, 5
"""Fields of the format: of the file, a row group, a column of it twice, and of the metadata of a column."""


class Column(NamedTuple):
    """A column of a row group."""

    file_path: str  # Where it is, relative to the file; empty for the file itself
    n_values: int  # Cells, of a list each of its entries


def row_groups(file: Path) -> list[list[Column]]:
    """The columns of each row group; ValueError for a damaged footer."""
    with file.open("rb") as stream:
        end = stream.seek(0, 2)
        stream.seek(max(0, end - END_BYTES))
        length = int.from_bytes(stream.read(4), "little")
        stream.seek(max(0, end - END_BYTES - length))
        content = stream.read(length)
    try:
        groups = _ProtocolReader(content).value(STRUCT)[ROW_GROUPS]
        return [[_column(chunk) for chunk in group[COLUMNS]] for group in groups]
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise ValueError("its footer is damaged") from error


def _column(chunk: Any) -> Column:
    """A column, from its fields."""
    return Column(chunk.get(FILE_PATH, b"").decode(), int(chunk[META][NUM_VALUES]))


class _ProtocolReader:
    """Values of the protocol, one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def value(self, kind: int) -> Any:
        """The next value, of this type: a structure as its fields by their numbers."""
        if kind in WHOLE:
            number = self._number()
            return number >> 1 ^ -(number & 1)
        if kind == STRUCT:
            return self._fields()
        if kind == BINARY:
            return self._bytes(self._number())
        if kind in LISTS:
            return self._entries()
        if kind in WIDTHS:
            return self._bytes(WIDTHS[kind])
        raise ValueError(f"no type {kind}")

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _bytes(self, length: int) -> bytes:
        self.at += length
        if self.at > len(self.content):
            raise IndexError("the footer ends too early")
        return self.content[self.at - length : self.at]

    def _number(self) -> int:
        """A whole number without sign, of seven bits in each byte."""
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7

    def _fields(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        last = 0
        while head := self._byte():
            step, kind = divmod(head, 16)
            last = last + step if step else self.value(WHOLE[0])
            fields[last] = kind == TRUE if kind in (TRUE, FALSE) else self.value(kind)
        return fields

    def _entries(self) -> list[Any]:
        length, kind = divmod(self._byte(), 16)
        length = self._number() if length == 15 else length
        return [self.value(kind) for _ in range(length)]
