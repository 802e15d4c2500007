"""The registry of real data sets: registry.toml as frozen entries."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One data set of registry.toml, whose head explains the fields."""

    name: str
    title: str
    file: str
    shape: tuple[int, ...]
    source: str
    licence: str
    page: str
    features: tuple[str, ...] = ()
    sha256: str = ""
    content: str = ""
    urls: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    parser: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    class_sizes: tuple[int, ...] = ()
    decimals: int | None = None
    uci: int | None = None
    openml: int | None = None
    verified: bool = False
    note: str = ""

    @property
    def origin_files(self) -> tuple[str, ...]:
        """Names of the origin's files, as they lie in a folder after a download by hand."""
        return self.members or tuple(url.rpartition("/")[2] for url in self.urls)


@cache
def load_registry() -> dict[str, Entry]:
    """Every entry by name."""
    table = tomllib.loads(files("sparsek.datasets").joinpath("registry.toml").read_text(encoding="utf-8"))
    return {name: _make_entry(name, fields) for name, fields in table.items()}


def list_names(folder: str) -> list[str]:
    """Names of the sets whose file lies in a folder."""
    return [entry.name for entry in load_registry().values() if entry.file.startswith(f"{folder}/")]


def _make_entry(name: str, table: dict[str, Any]) -> Entry:
    """An entry from its table in the file; lists become tuples."""
    fields: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}
    return Entry(name, **fields)
