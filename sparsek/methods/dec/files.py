"""Nested values in one npz file without pickle: arrays, and JSON for the rest."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from sparsek._files import named_in_errors, whole_file
from sparsek._limits import check_table_zip
from sparsek.core.steps import Array
from sparsek.errors import own_version, warn_of_version

FORMAT = "sparsek DEC"
VERSION = 1


def as_tuples(value: Any) -> Any:
    """Turn lists, also nested ones, back into tuples (JSON stores tuples as lists)."""
    return tuple(as_tuples(each) for each in value) if isinstance(value, list) else value


def numbers(ndim: int, kinds: str = "f") -> Callable[[Any], bool]:
    """Whether a value is an array of so many dimensions, or a number for 0, of these kinds of numbers."""

    def of_the_kind(value: Any) -> bool:
        try:
            found = np.asarray(value)
        except ValueError:  # lists of several lengths
            return False
        return found.ndim == ndim and found.dtype.kind in kinds

    return of_the_kind


def several(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether a value is a list or a mapping of values of a kind."""

    def of_the_kind(value: Any) -> bool:
        entries = value.values() if isinstance(value, Mapping) else value
        return isinstance(value, Mapping | list | tuple) and all(map(kind, entries))

    return of_the_kind


def require_kinds(
    path: str | os.PathLike[str],
    content: str,
    values: Mapping[str, Any],
    kinds: Mapping[str, Callable[[Any], bool]],
) -> None:
    """Raise ValueError for the first value that is not of its kind."""
    for name, kind in kinds.items():
        if not kind(values[name]):
            raise ValueError(
                f"{os.fspath(path)!r} is not a {content} of DEC: {name} is no such value as `save` writes"
            )


def write_archive(path: str | os.PathLike[str], content: str, values: Mapping[str, Any]) -> None:
    """Write nested values as one npz file: arrays, and JSON for the rest; no pickle."""
    arrays: dict[str, Array] = {}

    def encode(value: Any, name: str) -> Any:
        if isinstance(value, np.ndarray):
            arrays[name] = value
            return {"array": name}
        if isinstance(value, Mapping):
            return {"values": {key: encode(each, f"{name}.{key}") for key, each in value.items()}}
        if isinstance(value, list | tuple):
            return [encode(each, f"{name}.{i}") for i, each in enumerate(value)]
        return value.item() if isinstance(value, np.generic) else value

    text = {
        "format": FORMAT,
        "version": VERSION,
        "sparsek": own_version(),
        "content": content,
        "data": encode(values, "data"),
    }
    arrays["json"] = np.array(json.dumps(text))
    with named_in_errors(path), whole_file(path) as part, zipfile.ZipFile(part, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def read_archive(path: str | os.PathLike[str], content: str, names: Iterable[str]) -> dict[str, Any]:
    """Read the values, of these names, that `write_archive` wrote; tuples come back as lists."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{os.fspath(path)!r} is not a {content} of DEC: it is no regular file")
    with open(path, "rb") as file:
        try:
            check_table_zip(path)
            with np.load(file, allow_pickle=False) as archive:
                arrays = dict(archive)
            text = json.loads(arrays["json"].item())
            found = [text[key] for key in ("format", "version", "content")]
        except Exception as error:  # a damaged or foreign file can raise any error
            raise ValueError(f"{os.fspath(path)!r} is not a {content} of DEC: {error}") from error
    if found != [FORMAT, VERSION, content]:
        raise ValueError(
            f"{os.fspath(path)!r} is not a {content} of {FORMAT} {VERSION}; got {found[0]} {found[1]}, "
            f"{found[2]}"
        )

    if text.get("sparsek", own_version()) != own_version() and content == "model":
        warn_of_version("DEC", str(text["sparsek"]))

    def decode(value: Any) -> Any:
        if isinstance(value, list):
            return [decode(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "array" in value:
            return arrays[value["array"]]
        return {key: decode(each) for key, each in value["values"].items()}

    try:
        data = decode(text["data"])
        missing = sorted(set(names) ^ set(data))
    except Exception as error:  # foreign content can raise any error
        raise ValueError(f"{os.fspath(path)!r} is not a {content} of DEC: {error!r}") from error
    if missing:
        raise ValueError(
            f"{os.fspath(path)!r} is not a {content} of DEC: {', '.join(missing)} missing or unknown"
        )
    return dict(data)
