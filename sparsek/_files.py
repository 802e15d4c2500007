"""Writes files whole or not at all, and replaces regular files only."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PART = ".part"
"""Ending of temporary files."""


def check_target(path: str | os.PathLike[str]) -> Path:
    """The file that a path leads to, through links, if it can be written: it is missing or a regular file.

    Raises OSError if the path leads to a folder, a device, a pipe or a socket, to a file without permission
    to write, or into a folder that is not there.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder; give the name of a file")
    if target.exists() and not target.is_file():
        raise OSError(f"{os.fspath(path)!r} is a device, a pipe or a socket; give the name of a regular file")
    if target.is_symlink():
        raise OSError(f"{os.fspath(path)!r} is a link that leads back to itself; give the name of a file")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"{os.fspath(path)!r} must not be written; change its permissions or the name")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent}, in which {target.name} should be")
    return target


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside a file; it takes the place of the file at the end, if nothing failed.

    Raises OSError as `check_target`, before anything is written.
    """
    target = check_target(path)
    temporary = target.with_name(f"{_beginning(target)}{secrets.token_hex(8)}{PART}")
    try:
        yield temporary
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def named_in_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise errors of the system, such as that of a full disk, with the name of the file and a remedy."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # it has a text of its own
            raise
        raise OSError(
            f"{os.fspath(path)!r} could not be written ({error.strerror}); make room, or give another path"
        ) from error


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as a file, whole or not at all.

    Raises OSError as `check_target`, and with the name of the file where it cannot be written.
    """
    with named_in_errors(path), whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def remove_parts(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files that a killed process may have left beside a file."""
    target = Path(os.path.realpath(path))
    for part in target.parent.glob(f"{glob.escape(_beginning(target))}*{PART}"):
        part.unlink(missing_ok=True)


def is_part(path: Path, name: str) -> bool:
    """Whether a path is that of a temporary file of `whole_file` for a file of this name."""
    return path.name.startswith(_beginning(path.with_name(name))) and path.suffix == PART


def _beginning(target: Path) -> str:
    """First part of the names of temporary files; long names are cut, because 255 bytes are the limit."""
    return f".{target.name.encode()[:200].decode(errors='ignore')}."
