"""Finished tasks of a search stored as files, so that an interrupted search can continue."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from types import CodeType
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from sparsek.methods.shared.sums import Array

NAME = "search.json"
WITHOUT_EFFECT = {"n_jobs": None, "verbose": 0, "random_state": None}
"""Parameters of the estimator that do not affect results; the search replaces every random_state."""


class Checkpoint:
    """A folder with a description of a search and the result of every finished task.

    Parameters
    ----------
    folder : str or path-like
        Created if it does not exist. Processes on other machines must reach it by the same path.
    search : dict
        Everything that the results depend on, by name; values of any kind that pickle, and functions.

    Raises
    ------
    ValueError
        If the folder holds tasks of another search, or anything else.
    """

    def __init__(self, folder: str | os.PathLike[str], search: dict[str, Any]) -> None:
        self.folder = Path(folder).absolute()
        self._check({name: _digest(value) for name, value in search.items()})

    def load(self, number: int) -> Array | None:
        """The stored result of a task, or None."""
        path = self._path(number)
        try:
            found: Array = np.load(path, allow_pickle=False)
        except FileNotFoundError:
            return None
        except (ValueError, EOFError, OSError) as error:
            raise ValueError(f"{path} cannot be read ({error}); delete it to run it again") from error
        return found

    def save(self, number: int, result: Array) -> None:
        """Write the result of a task, completely or not at all."""
        path = self._path(number)
        with path.with_suffix(f".{os.getpid()}.part").open("wb") as file:
            np.save(file, result, allow_pickle=False)
        Path(file.name).replace(path)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.npy"

    def _check(self, search: dict[str, str]) -> None:
        """Create the folder, or check that the existing one belongs to the same search."""
        path = self.folder / NAME
        if not path.exists():
            if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
                raise ValueError(f"checkpoint={str(self.folder)!r} holds other files; give another folder")
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(".part")
            temporary.write_text(json.dumps(search, indent=1) + "\n", encoding="utf-8")
            temporary.replace(path)
            return
        try:
            there = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} cannot be read ({error}); delete the folder") from error
        other = sorted(name for name in search | there if search.get(name) != there.get(name))
        if other:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} is of a search that differs in: {', '.join(other)}; give "
                "another folder, or delete this one"
            )


def open_checkpoint(folder: Any, random_state: Any, estimator: Any, **search: Any) -> Checkpoint | None:
    """The checkpoint of a search; None without a folder.

    Parameters
    ----------
    folder : str, path-like or None
        The folder.
    random_state : object
        Seed of the search; it must be an integer, so that a run can be repeated.
    estimator : estimator
        The estimator to fit.
    **search : object
        Everything else that the results depend on.

    Returns
    -------
    Checkpoint or None
        Ready to load and save.
    """
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
    return Checkpoint(folder, search)


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
