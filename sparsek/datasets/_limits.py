"""Limits on the size of what is downloaded and unpacked: a small archive can hold more than a disk."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEMBER_BYTES = 512 * 1024**2
"""Largest size of one unpacked member; the largest set has 78 MB."""
ARCHIVE_BYTES = 2 * 1024**3
"""Largest size of all members together, and of a download."""


class SizeError(ValueError):
    """Data that are larger than any data set that sparsek knows."""


def read_whole(path: Path, opener: Callable[[Path], Any]) -> bytes:
    """The unpacked content of a file that `opener` opens; SizeError beyond `MEMBER_BYTES`."""
    with opener(path) as file:
        content: bytes = file.read(MEMBER_BYTES + 1)
    if len(content) > MEMBER_BYTES:
        raise SizeError(f"{path} unpacks to more than {MEMBER_BYTES} bytes, the limit")
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
