"""Results as CSV, with a JSON file of their date and versions."""

import datetime
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from sparsek._files import whole_file
from validation.environment import describe_environment

RESULTS = Path(__file__).parents[2] / "results"
"""Folder of the full runs."""


def load_table(name: str, folder: Path = RESULTS) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table that `save_table` wrote, and the content of its JSON file."""
    about = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    # A commit is a text, also one of twelve digits or one like 1234e5678901.
    return pd.read_csv(folder / f"{name}.csv", dtype={"commit": str}), about


def load_record(
    name: str, columns: Iterable[str], folder: Path = RESULTS
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A recorded table whose printed numbers are judged, and the content of its JSON file.

    Raises ValueError if the record lacks one of the columns; FileNotFoundError if there is none.
    """
    if not (folder / f"{name}.json").exists():
        raise FileNotFoundError(f"there is no record {name} in {folder}; make it: {record_command(name)}")
    table, about = load_table(name, folder)
    missing = [column for column in columns if column not in table]
    if missing:
        raise ValueError(
            f"the record {name} has no column {', '.join(missing)}, from which its verdicts are computed; "
            f"record it again: {record_command(name)}"
        )
    return table, about


def record_command(name: str) -> str:
    """The command that records a table: "table-1" is of SKFR, "minmax-table-1-readings" of MinMax."""
    paper, number = re.fullmatch(r"(?:(\w+)-)?table-(\d)(?:-\w+)?", name).groups()
    return (
        f"python -m validation tables --paper {paper or 'skfr'} --table {number} --scale full "
        "--output validation/results"
    )


def save_table(
    table: pd.DataFrame, folder: Path, name: str, scale: str, r_versions: dict[str, str] | None = None
) -> Path:
    """Write ``<name>.csv`` and ``<name>.json`` into a folder, each completely or not at all."""
    about = {"name": name, "scale": scale, **describe_run(r_versions)}
    write_whole(folder / f"{name}.csv", table.to_csv(index=False))
    write_whole(folder / f"{name}.json", json.dumps(about, indent=1))
    return folder / f"{name}.csv"


def describe_run(r_versions: dict[str, str] | None = None) -> dict[str, Any]:
    """Date and environment of a run."""
    return {
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "environment": describe_environment(r_versions or {}),
    }


def origin(name: str, about: dict[str, Any]) -> str:
    """Date and versions of a recorded run."""
    environment = about["environment"]
    versions = [f"{package} {version}" for package, version in environment["versions"].items()]
    parts = [f"sparsek {environment['sparsek']}", *environment["r"], *versions, environment["cpu"]]
    return f"{name}: {about['created'][:10]}, {', '.join(parts)}."


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all; its folder is created if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
