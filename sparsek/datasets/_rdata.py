"""Reads numbers, factors and lists of an R file (.rda, .RData), a format of the manual R Internals."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sparsek._limits import opened, read_whole

_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
_NIL, _REFERENCE, _SYMBOL, _PAIRLIST, _CHARS = 254, 255, 1, 2, 9
_LOGICAL, _INTEGER, _REAL, _STRINGS, _LIST = 10, 13, 14, 16, 19


def read_rdata(path: Path) -> dict[str, Any]:
    """Objects of an R file by name: arrays with R's dimensions, lists as dicts, factors as lists of str.

    Raises ValueError for a file that is damaged, too large or no R file.
    """
    with path.open("rb") as file:
        beginning = file.read(2)
    try:
        raw = read_whole(path, _OPENERS.get(beginning, opened))
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"{path} is a damaged R data file: {error}") from error
    if raw[:7] != b"RDX2\nX\n":
        raise ValueError(f"{path} is not a binary R data file of version 2")
    try:
        found = _ByteReader(raw, 7 + 12).item()  # three version numbers of 4 bytes follow the head
    except Exception as error:  # damaged bytes can raise any error
        raise ValueError(
            f"{path} is a damaged R data file, or holds what no data set holds: {error}"
        ) from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} is a damaged R data file: it holds no named objects")
    return found


class _ByteReader:
    """Reader of the bytes of one file; `item` reads the next object."""

    def __init__(self, raw: bytes, at: int) -> None:
        self.raw, self.at, self.symbols = raw, at, list[str]()

    def integer(self) -> int:
        """The next 4 bytes, big-endian."""
        value: int = struct.unpack_from(">i", self.raw, self.at)[0]
        self.at += 4
        return value

    def length(self) -> int:
        """A length, which the rest of the file must be able to hold."""
        found = self.integer()
        if not 0 <= found <= len(self.raw) - self.at:
            raise ValueError(f"an object of length {found} before byte {self.at}")
        return found

    def vector(self, dtype: str) -> np.ndarray:
        """A length, followed by that many numbers."""
        length = self.length()
        values = np.frombuffer(self.raw, dtype, length, self.at)
        self.at += values.nbytes
        return values.astype(dtype[1:])

    def item(self) -> Any:
        """The next object; only kinds that occur in data sets are read."""
        flags = self.integer()
        kind, has_attributes, has_tag = flags & 255, bool(flags & 512), bool(flags & 1024)
        if kind == _NIL:
            return None
        if kind == _REFERENCE:
            return self.symbols[(flags >> 8) - 1]
        if kind == _SYMBOL:
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == _CHARS:
            return self.text()
        if kind == _PAIRLIST:
            return self.pairlist(has_attributes, has_tag)
        readers: dict[int, Callable[[], Any]] = {
            _LOGICAL: lambda: self.vector(">i4"),
            _INTEGER: lambda: self.vector(">i4"),
            _REAL: lambda: self.vector(">f8"),
            _STRINGS: lambda: [self.item() for _ in range(self.length())],
            _LIST: lambda: [self.item() for _ in range(self.length())],
        }
        if kind not in readers:
            raise ValueError(f"an R object of type {kind}, which data sets do not hold")
        value = readers[kind]()
        return _shape(value, self.item() or {}) if has_attributes else value

    def text(self) -> str | None:
        """A string; None for NA."""
        length = self.integer()
        if length < 0:
            return None
        self.at += length
        if self.at > len(self.raw):
            raise ValueError(f"the file ends before byte {self.at}")
        return self.raw[self.at - length : self.at].decode("utf-8", errors="replace")

    def pairlist(self, has_attributes: bool, has_tag: bool) -> dict[str, Any]:
        """A pairlist (R's linked list of tagged values) as a dict."""
        if has_attributes:
            self.item()
        tag = self.item() if has_tag else ""
        value = self.item()
        return {tag: value, **(self.item() or {})}


def _shape(value: Any, attributes: dict[str, Any]) -> Any:
    """Apply R's dim, levels and names."""
    if "levels" in attributes:
        return [attributes["levels"][code - 1] for code in value]
    if "dim" in attributes:
        return value.reshape(attributes["dim"], order="F")
    if "names" in attributes:
        return dict(zip(attributes["names"], value, strict=True))
    return value
