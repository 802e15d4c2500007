"""Finished tasks of a search stored as files, so that an interrupted search can continue."""

from __future__ import annotations

import hashlib
import io
import json
import os
import warnings
from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from types import CodeType
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from sparsek._files import whole_file
from sparsek.core.steps import Array
from sparsek.errors import callers_level

NAME = "search.json"
CHECKSUM_BYTES = hashlib.sha256().digest_size
WITHOUT_EFFECT = {"n_jobs": None, "verbose": 0, "random_state": None}
"""Parameters of the estimator that do not affect results; the search replaces every random_state."""


class Checkpoint:
    """A folder with a description of a search and the result of every finished task.

    Several processes and threads may use one folder at once. A file of a task is a ``.npy`` file followed by
    a checksum of the search, the number of the task and the array.

    Raises ValueError if the folder holds tasks of another search, or anything else; OSError if the folder
    cannot be written to.
    """

    def __init__(
        self, folder: str | os.PathLike[str], search: dict[str, Any], shape: tuple[int, ...]
    ) -> None:
        self.folder, self._shape = Path(folder).absolute(), shape
        digests = {name: _digest(value) for name, value in search.items()}
        self._check(digests)
        self._search = json.dumps(digests, sort_keys=True).encode()

    def load(self, number: int) -> Array | None:
        """The stored result of a task; None if there is none, or with a warning if it is damaged."""
        path = self._path(number)
        if not path.exists():
            return None
        if not path.is_file():  # asked second: another process may write the file between the questions
            raise ValueError(f"{path} is no file with the result of a task; remove it")
        content = path.read_bytes()
        array, checksum = content[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
        if checksum == self._checksum(number, array):
            found: Array = np.load(io.BytesIO(array), allow_pickle=False)
            if found.shape == self._shape and np.isfinite(found).all():
                return found
        warnings.warn(
            f"{path} is damaged or of another search; its task is run again", stacklevel=callers_level()
        )
        return None

    def save(self, number: int, result: Array) -> None:
        """Write the result of a task, completely or not at all."""
        array = io.BytesIO()
        np.save(array, result, allow_pickle=False)
        self._write(self._path(number), array.getvalue() + self._checksum(number, array.getvalue()))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.npy"

    def _checksum(self, number: int, array: bytes) -> bytes:
        """Checksum that follows the array in the file of a task."""
        return hashlib.sha256(b"%d %s %s" % (number, self._search, array)).digest()

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        """Write a file completely or not at all; OSError, if that fails, with what to do."""
        try:
            with whole_file(path) as part:
                part.write_bytes(content)
        except OSError as error:
            raise OSError(
                f"the checkpoint {path} could not be written ({error.strerror or error}); make room, or give "
                "another folder; tasks stored before are not run again"
            ) from error

    def _check(self, search: dict[str, str]) -> None:
        """Create the folder, or check that the existing one belongs to the same search."""
        path = self.folder / NAME
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(
                f"checkpoint={str(self.folder)!r} is no folder, but holds other data; give a folder"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        # Files *.part are unfinished ones, of a process that runs or was killed.
        others = [file for file in self.folder.iterdir() if file.suffix != ".part"]
        if path.exists() and not path.is_file():
            raise ValueError(
                f"checkpoint={str(self.folder)!r} holds {NAME}, which is no file; give another folder"
            )
        if not path.exists():  # asked after the list was made: another process may have begun the search
            if others:
                raise ValueError(f"checkpoint={str(self.folder)!r} holds other files; give another folder")
            self._write(path, (json.dumps(search, indent=1) + "\n").encode())
        try:
            there = dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path} cannot be read ({error}); delete the folder") from error
        other = sorted(name for name in search | there if search.get(name) != there.get(name))
        if other:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} is of a search that differs in: {', '.join(other)}; give "
                "another folder, or delete this one"
            )


def open_checkpoint(
    folder: Any, random_state: Any, estimator: Any, shape: tuple[int, ...], **search: Any
) -> Checkpoint | None:
    """The checkpoint of a search; None without a folder."""
    if folder is None:
        return None
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"checkpoint must be the path of a folder; got {folder!r}")
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise ValueError(f"a checkpoint needs an integer random_state to go on with; got {random_state!r}")
    from sparsek import __version__

    plain = clone(estimator)
    names = [name for name in plain.get_params() if name.rpartition("__")[2] in WITHOUT_EFFECT]
    plain.set_params(**{name: WITHOUT_EFFECT[name.rpartition("__")[2]] for name in names})
    search = {
        "version of sparsek": __version__,
        "estimator": plain,
        "random_state": int(random_state),
    } | search
    return Checkpoint(folder, search, shape)


def _digest(value: Any) -> str:
    """A number or text as it is; a hash of any other value."""
    if isinstance(value, str | int | float):
        return str(value)
    described = _described(value) if callable(value) and hasattr(value, "__code__") else value
    try:
        return str(joblib.hash(described))
    except Exception as error:  # pickle raises almost anything
        raise TypeError(
            f"a checkpoint needs to tell {value!r} from others, which does not pickle ({error}); leave "
            "checkpoint=None, or give something that pickles"
        ) from error


def _described(function: Callable[..., Any]) -> Any:
    """Code, defaults and captured values of a function, which determine what it computes."""
    captured = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    return _code(function.__code__), getattr(function, "__defaults__", None), captured


def _code(code: CodeType) -> Any:
    """Instructions, names and constants, without file names and line numbers."""
    constants = [_code(one) if isinstance(one, CodeType) else one for one in code.co_consts]
    return code.co_code, code.co_names, constants
