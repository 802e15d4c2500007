"""Limits on the size of what is downloaded and unpacked: a small file can hold more than a disk."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEMBER_BYTES = 512 * 1024**2
"""Largest size of one unpacked member; the largest set has 78 MB."""
ARCHIVE_BYTES = 2 * 1024**3
"""Largest size of all members together, and of a download."""


FREE_BYTES = 100 * 1000**2
"""What any compressed table may unpack to."""
RATIO = 100
"""How many times its own size a compressed table may unpack to beyond that."""
PIECE_BYTES = 2**20
"""Bytes that are unpacked at a time."""


class SizeError(ValueError):
    """Data that unpack to more than a limit."""


def check_unpacked(path: str | os.PathLike[str], n_bytes: int, what: str = "it") -> None:
    """Raise SizeError if a file, or a part of it, unpacks to more than a table of its size may hold."""
    packed = os.stat(path).st_size
    limit = FREE_BYTES + RATIO * packed
    if n_bytes > limit:
        raise SizeError(
            f"{os.fspath(path)} has {packed} bytes, and {what} unpacks to {n_bytes} or more; the limit is "
            f"{limit}, {FREE_BYTES // 1000**2} MB and {RATIO} times the file: if you trust it, unpack it "
            "yourself and give the unpacked file"
        )


def check_gzip(path: Path) -> None:
    """`check_unpacked` of a gzip file, of which nothing is kept."""
    total = 0
    with gzip.open(path) as file:
        while piece := file.read(PIECE_BYTES):
            total += len(piece)
            check_unpacked(path, total)


def check_table_zip(path: str | os.PathLike[str]) -> None:
    """`check_unpacked` of a zip archive that holds arrays or a table (.npz, .xlsx)."""
    with zipfile.ZipFile(path) as archive:
        check_unpacked(path, sum(member.file_size for member in archive.infolist()))


def opened(path: Path) -> Any:
    """The file as it is, opened."""
    return path.open("rb")


def read_whole(path: Path, opener: Callable[[Path], Any]) -> bytes:
    """The unpacked content of a file that `opener` opens; SizeError beyond `MEMBER_BYTES`."""
    with opener(path) as file:
        content: bytes = file.read(MEMBER_BYTES + 1)
    if len(content) > MEMBER_BYTES:
        raise SizeError(f"{path} holds more than {MEMBER_BYTES} bytes, the limit")
    return content


def check_zip(path: Path) -> None:
    """`check_sizes` of a zip archive (also .npz), which unpacks no more of a member than it declares."""
    with zipfile.ZipFile(path) as archive:
        check_sizes({member.filename: member.file_size for member in archive.infolist()}, path)


def check_sizes(sizes: dict[str, int], path: Path) -> None:
    """Raise SizeError if a member of an archive, or all of them together, are too large unpacked."""
    for name, size in sizes.items():
        if size > MEMBER_BYTES:
            raise SizeError(f"{name} in {path} unpacks to {size} bytes; the limit is {MEMBER_BYTES}")
    if sum(sizes.values()) > ARCHIVE_BYTES:
        raise SizeError(f"{path} unpacks to {sum(sizes.values())} bytes; the limit is {ARCHIVE_BYTES}")


class LimitedFile(io.FileIO):
    """A file to write; SizeError beyond `ARCHIVE_BYTES`."""

    def write(self, content: Any) -> int:
        """Write, if there is room below the limit."""
        if self.tell() + len(content) > ARCHIVE_BYTES:
            raise SizeError(f"{self.name} would be larger than {ARCHIVE_BYTES} bytes, the limit")
        return super().write(content)
