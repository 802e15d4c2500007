"""Notices that a file was changed, cut off or replaced while its rows are read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from sparsek.sources.readers import unwatched

ENDS = 16_384
"""Bytes at the beginning and at the end of a file, where formats have headers, that its checksum covers."""
METADATA = ("zarr.json", ".zarray")
"""Names of the header of a Zarr array, version 3 and version 2."""

State = dict[str, object]
"""What is compared, by its name in messages."""


class Watch:
    """Data on a disk that must stay as they are while they are read."""

    def __init__(self, name: str, look: Callable[[], State]) -> None:
        self._name, self._look, self._first = name, look, look()

    def __call__(self) -> None:
        """Raise OSError if the data are not those of the beginning."""
        try:
            now = self._look()
        except FileNotFoundError as error:
            raise FileNotFoundError(f"{self._name} has gone since it was opened; restore it") from error
        changes = ", ".join(
            f"{what} was {value} and is {now[what]}"
            for what, value in self._first.items()
            if now[what] != value
        )
        if changes:
            raise OSError(
                f"{self._name} was changed while it was read: {changes}; start again when nothing writes to "
                "it, or give a copy"
            )


def watch_file(file: Path | int, name: str) -> Watch:
    """The watch of one file, given by path or by the number of the opened file."""
    return Watch(name, lambda: file_state(file))


def watch_stored(X: Any, name: str) -> Callable[[], None]:
    """The watch of the files of an HDF5 dataset or Zarr array; one that sees nothing if they are unknown."""
    opened: Any = getattr(X, "file", None)
    if isinstance(getattr(opened, "filename", None), str) and os.path.isfile(opened.filename):
        if getattr(opened, "mode", "r") != "r":
            opened.flush()  # else h5py might write to the file while it reads it
        return watch_file(Path(opened.filename), f"{name} of {opened.filename}")
    store: Any = getattr(X, "store", None)
    root = getattr(store, "root", getattr(store, "path", None))  # of Zarr 3 and of Zarr 2
    if isinstance(root, str | os.PathLike):
        folder = Path(root) / str(getattr(X, "path", ""))
        if folder.is_dir():
            return Watch(f"{name} in {folder}", lambda: folder_state(folder))
        if os.path.isfile(root):
            return watch_file(Path(root), f"{name} of {root}")
    return unwatched


def file_state(file: Path | int) -> State:
    """Size, time of modification, number and checksum of a file."""
    found = os.stat(file)
    with open(file, "rb", buffering=0, closefd=not isinstance(file, int)) as opened:
        opened.seek(0)
        checksum = hashlib.sha256(opened.read(ENDS))
        opened.seek(max(0, found.st_size - ENDS))
        checksum.update(opened.read(ENDS))
    seconds, rest = divmod(found.st_mtime_ns, 10**9)
    return {
        "its size": f"{found.st_size} bytes",
        "its time of modification": f"{datetime.fromtimestamp(seconds)}.{rest:09d}",
        "its number in the file system": found.st_ino,
        "the checksum of its first and last bytes": checksum.hexdigest()[:12],
    }


def folder_state(folder: Path) -> State:
    """Number, sizes and times of modification of the files of a Zarr array, and its header's checksum."""
    files = sorted(Path(where) / name for where, _, names in os.walk(folder) for name in names)
    listing, checksum = hashlib.sha256(), hashlib.sha256()
    for file in files:
        found = file.stat()
        listing.update(f"{file} {found.st_size} {found.st_mtime_ns} {found.st_ino}\n".encode())
        if file.name in METADATA:
            checksum.update(file.read_bytes())
    return {
        "its number of files": len(files),
        "the checksum of its header": checksum.hexdigest()[:12],
        "the checksum of the sizes and times of its files": listing.hexdigest()[:12],
    }
