"""Where compiled loops are kept, so that the next process need not compile them.

numba compiles a function anew when its own file has changed, but not when a function that it calls in another
file has. So the directory is named after a digest of all files with loops and of the versions that compiled
them. It lies beside the package, or in the user's cache, or in a private directory for temporary files.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).parent
KEPT = 3
"""Digests of which loops are kept in one place; those that were used last."""


def sources() -> list[Path]:
    """All files with loops, and those that compile them."""
    others = [PACKAGE / "engine.py", PACKAGE / "bits" / "elementary.py"]
    return [*others, *sorted([*PACKAGE.rglob("loops.py"), *PACKAGE.rglob("literal*.py")])]


@functools.cache
def digest() -> str:
    """Digest of the sources of all loops, and of the versions that compile them."""
    found = hashlib.sha256()
    for path in sources():
        found.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    versions = [f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy")]
    found.update(" ".join([*versions, sys.version, platform.machine()]).encode())
    return found.hexdigest()[:16]


@functools.cache
def directory() -> str | None:
    """A directory for the loops of this digest that can be written; None if there is none."""
    for place in _places():
        path = place / digest()
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(place):
                continue
            path.mkdir(mode=0o700, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
            os.utime(path)
        except OSError:
            continue
        _prune(place)
        return str(path)
    return None


def is_kept(name: str) -> bool:
    """Whether a loop of this name lies in the directory, compiled."""
    place = directory()
    return place is not None and (Path(place) / f"{name}.kept").exists()


def note_kept(name: str) -> None:
    """Note that a loop of this name lies in the directory; numba's own names are known to numba alone."""
    place = directory()
    if place is not None:
        with suppress(OSError):  # a full disk: the loop is compiled once more
            (Path(place) / f"{name}.kept").touch()


def _places() -> Iterator[Path]:
    """Directories that may hold the loops, the best first."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(given) / "sparsek"
        return
    yield PACKAGE / "__pycache__" / "loops"
    if home := os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA"):
        yield Path(home) / "sparsek"
    elif not (home := os.path.expanduser("~")).startswith("~"):
        yield Path(home) / ".cache" / "sparsek"
    yield Path(tempfile.gettempdir()) / f"sparsek-{getattr(os, 'getuid', lambda: 'loops')()}"


def _is_ours(place: Path) -> bool:
    """Whether no other user can write here: what lies here is run."""
    if not hasattr(os, "getuid"):  # Windows: the directory for temporary files is the user's own
        return True
    found = place.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _prune(place: Path) -> None:
    """Remove the loops of all digests but those that were used last."""
    with suppress(OSError), os.scandir(place) as entries:  # another process may remove some at the same time
        used = sorted((entry.stat().st_mtime, entry.path) for entry in entries if entry.is_dir())
        for _, path in used[:-KEPT]:
            shutil.rmtree(path, ignore_errors=True)
