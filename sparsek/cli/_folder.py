"""The folder of the results: what may be replaced, and a folder that is made whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sparsek._files import is_part
from sparsek._limits import opened, read_whole
from sparsek._signals import undisturbed
from sparsek.cli._cells import InputError

RESULT = "result.json"
"""The file that every folder of results has."""
PAGE = "report.html"
"""The page, which `sparsek report` adds."""
FILES = (
    "labels.csv",
    "features.csv",
    "centers.csv",
    "probabilities.csv",
    "choice.csv",
    "truth.csv",
    "summary.txt",
    RESULT,
    PAGE,
    "weights.png",
    "centers.png",
    "silhouette.png",
    "convergence.png",
    "missingness.png",
    "choice.png",
    "pca.png",
)
"""All files that sparsek writes."""
ATTEMPTS = 100
"""How often results of other runs that appear meanwhile are replaced."""


def check_folder(folder: Path, force: bool, inputs: Iterable[Path] = ()) -> Path:
    """The folder that a path leads to, through links, if results can be put there.

    Raises InputError if it is no folder, the one the user is in, one with anything that sparsek did not write
    or with results that must stay, or cannot be made.
    """
    target, here = Path(os.path.realpath(folder)), Path.cwd()
    if target == here or target in here.parents:
        raise InputError(
            f"{folder} is the folder that you are in, or around it; name another by --out, such as result"
        )
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise InputError(f"{folder} is a file; name a folder by --out")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}, in which {folder} should be")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{target.parent} must not be written, so {folder} cannot be made in it")
    for file in inputs:
        if target in Path(os.path.realpath(file)).parents:
            raise InputError(f"{folder} holds {file}, which is read; name another folder by --out")
    if target.exists():
        _check_content(folder, target, force)
    return target


def _check_content(folder: Path, target: Path, force: bool) -> None:
    """Refuse a folder that holds anything, or, with `force`, anything but results of sparsek."""
    found = sorted(target.iterdir())
    foreign = [path for path in found if not _is_ours(path)]
    if foreign:
        raise InputError(
            f"{folder} holds {foreign[0].name}, which sparsek did not write; name another folder"
        )
    if found and not _is_result(target / RESULT):
        raise InputError(
            f"{folder} holds {found[0].name}, but no {RESULT} of sparsek, so its files may be others'; name "
            "another folder"
        )
    if found and not force:
        raise InputError(f"{folder} holds results already; --force replaces them")


def _is_ours(path: Path) -> bool:
    """Whether sparsek may have written this: a file, or what a stopped report has left of its page."""
    known = path.name in FILES or is_part(path, PAGE)
    return known and path.is_file() and not path.is_symlink()


FORM: dict[str, Any] = {
    "sparsek": str,
    "command": str,
    "method": str,
    "scaled": bool,
    "estimator": str,
    "data": {"file": str, "sha256": str, "rows": int, "features": int},
    "parameters": dict,
    "checks": {
        "missing": int,
        "columns with missing": list,
        "constant columns": list,
        "rows equal to another": int,
    },
    "labels": list,
    "warnings": list,
    "summary": {"lead": list, "parts": list, "notes": list},
}
"""What a result.json of sparsek holds, with the types."""
PART: dict[str, Any] = {"heading": str, "names": list, "numbers": list, "rows": list}
"""What a part of the summary holds; a row is a list."""
SPREADS = ("smallest sd", "largest sd")
"""Checks that are there if a column varies: its name and its standard deviation."""


def read_result(file: Path) -> dict[str, Any]:
    """The content of a result.json, a regular file as sparsek writes it.

    Raises InputError for anything else.
    """
    if file.is_symlink() or not file.is_file():
        raise InputError(f"there is no regular file {file}")
    try:
        result: dict[str, Any] = json.loads(read_whole(file, opened).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    wrong = _wrong_entries(result, FORM) or [
        *(f"checks.{name} is no name and number" for name in SPREADS if not _named(result, name)),
        *(entry for part in result["summary"]["parts"] for entry in _wrong_part(part)),
    ]
    if wrong:
        raise InputError(f"{file} is not as sparsek writes it: {', '.join(wrong)}")
    return result


def _wrong_entries(found: Any, form: dict[str, Any], place: str = "") -> list[str]:
    """What is missing or of another type than in a form."""
    if not isinstance(found, dict):
        return [f"{place.rstrip('.') or 'its content'} is no object"]
    wrong = []
    for name, kind in form.items():
        if name not in found:
            wrong.append(f"{place}{name} is missing")
        elif isinstance(kind, dict):
            wrong += _wrong_entries(found[name], kind, f"{place}{name}.")
        elif type(found[name]) is not kind:
            wrong.append(f"{place}{name} is no {kind.__name__}")
    return wrong


def _wrong_part(part: Any) -> list[str]:
    """What is not as in `PART`."""
    wrong = _wrong_entries(part, PART, "summary.parts.")
    if not wrong and any(not isinstance(row, list) for row in part["rows"]):
        wrong.append("summary.parts.rows holds something else than lists")
    return wrong


def _named(result: dict[str, Any], name: str) -> bool:
    """Whether one of the checks is missing, or a name and a number."""
    found = result["checks"].get(name, ["", 0.0])
    return isinstance(found, list) and [type(entry) for entry in found] in ([str, float], [str, int])


def _is_result(file: Path) -> bool:
    """Whether a file is a result.json of sparsek."""
    try:
        return bool(read_result(file))
    except InputError:
        return False


@contextmanager
def new_folder(folder: Path, force: bool) -> Iterator[Path]:
    """A temporary folder that becomes the folder at the end, if nothing failed."""
    temporary = _beside(folder, "new")
    try:
        temporary.mkdir()
        yield temporary
        assert {path.name for path in temporary.iterdir()} <= {*FILES}  # else --force would refuse them
        with undisturbed():
            (_replace if force else _put)(temporary, folder)
    except OSError as error:
        if error.errno is None:  # it has a text of its own
            raise
        raise OSError(
            f"{folder} could not be written ({error.strerror}); make room, or name another folder by --out"
        ) from error
    finally:
        with undisturbed():
            shutil.rmtree(temporary, ignore_errors=True)


def _beside(folder: Path, ending: str) -> Path:
    """A path for a temporary folder beside a folder."""
    return folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.{ending}")


def _put(new: Path, folder: Path) -> None:
    """Move the new folder to its place, where nothing or an empty folder is."""
    try:
        _move(new, folder)
    except OSError:
        check_folder(folder, force=False)  # names results that another run has put there meanwhile
        raise


def _move(new: Path, folder: Path) -> None:
    """Rename a folder; an OSError if the other name belongs to anything but an empty folder."""
    with suppress(OSError):
        folder.rmdir()
    new.rename(folder)


def _replace(new: Path, folder: Path) -> None:
    """Move the new folder to its place, and remove the results that were there."""
    aside: list[Path] = []
    try:
        for attempt in range(ATTEMPTS):
            old = _beside(folder, "old")
            with suppress(FileNotFoundError):
                folder.rename(old)
                aside.append(old)
                _check_content(folder, old, force=True)
            try:
                _move(new, folder)
                break
            except OSError as error:  # with one of these numbers, another run was quicker
                if attempt == ATTEMPTS - 1 or error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
    except BaseException:
        if aside:
            _move(aside.pop(), folder)
        raise
    finally:
        for old in aside:
            shutil.rmtree(old, ignore_errors=True)
