"""Runs scripts in fresh processes and reads what they left: statements, random streams, objects."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
CHECK = r"#\s*check:\s*(.*\S)\s*$"
"""A comment after which objects are compared."""
NAMES = (" names", " row names", " column names")
"""What follows the name of a field where its names are meant."""
START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from sparsek.port.driver import main
del sys.path[0]
main(*sys.argv[1:])
"""
"""Runs the driver of the sparsek that runs this, whichever others are installed."""
SHOWN = 100
"""Most characters of a statement that a message shows."""


class ScriptError(ValueError):
    """A script that cannot be run or compared; the message names the script and the line."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement at the top of a script."""

    line: int  # Its first line
    text: str  # Its text
    state: str | None  # Digest of the random stream after it; None before the first draw
    seeded: bool  # Whether it started the stream from a seed, itself or in a function that it calls

    def shown(self) -> str:
        """The line and the beginning of the text, as messages show it."""
        first, *more = self.text.splitlines()
        cut = len(first) > SHOWN or bool(more)
        return f"line {self.line}: {first[:SHOWN]}{' ...' if cut else ''}"


@dataclass(frozen=True, slots=True)
class Check:
    """The objects that exist at a place of a script."""

    name: str  # Name of the check, empty for the end of the script
    line: int  # Line of the comment
    # By name, the fields of each: arrays of numbers or lists of texts; none for functions and the like
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """What a script did."""

    script: Path  # The script
    before: str | None  # Digest of the random stream before the first statement
    statements: list[Statement]  # Its statements, in order
    checks: dict[str, Check]  # By name, in order; the end of the script last
    # loops, positions: of a Python script: its loop variables, and the names that hold positions from 0
    loops: frozenset[str] = frozenset()
    positions: frozenset[str] = frozenset()
    free_signs: bool = False  # Of a Python script: whether it warned of signs that rest on R's BLAS


def common(name: str) -> str:
    """A spelling that R's and Python's names share: underscores for dots, none at the end (``lambda_``)."""
    return name.replace(".", "_").rstrip("_")


def _numbers(text: str, size: Sequence[int]) -> Any:
    """Hexadecimal numbers, filled in column by column."""
    values = [np.nan if word == "NA" else float.fromhex(word) for word in text.split()]
    return np.array(values).reshape(size, order="F")


def read_recording(script: Path, lines: Iterable[str], ending: str = "") -> Recording:
    """The recording of a script from what its driver wrote.

    Raises ScriptError if the script failed or ended early, or two checks have the same name.
    """
    found = Recording(script, None, [], {})
    begun: dict[str, Any] | None = None
    before: str | None = None
    fields: dict[str, Any] = {}
    for entry in map(json.loads, lines):
        kind = entry["kind"]
        if kind == "statement":
            begun = entry
        elif kind == "state" and begun is None:
            before = entry["value"]
        elif kind == "state" and begun is not None:
            statement = Statement(begun["line"], begun["text"], entry["value"], entry["seeded"])
            found.statements.append(statement)
            begun = None
        elif kind == "check":
            if entry["name"] in found.checks:
                raise ScriptError(
                    f"{script}, line {entry['line']}: the check {entry['name']!r} is there twice"
                )
            check = found.checks[entry["name"]] = Check(entry["name"], int(entry["line"]))
        elif kind == "object":
            fields = check.objects[entry["name"]] = {}
        elif kind == "numbers":
            fields[entry["field"]] = _numbers(entry["values"], entry["dim"])
        elif kind == "texts":
            fields[entry["field"]] = entry["values"]
        elif kind == "script":
            loops, positions = frozenset(entry["loops"]), frozenset(entry["positions"])
            found = replace(found, loops=loops, positions=positions, free_signs=entry["free_signs"])
        elif kind == "error":
            raise ScriptError(f"{script} {_place(begun)} {entry['message']}")
    if "" not in found.checks:
        raise ScriptError(f"{script} {_place(begun)} the script ends here, before its last line; {ending}")
    return replace(found, before=before)


def _place(begun: dict[str, Any] | None) -> str:
    """Where a script failed: at the statement that has begun, or before the first one."""
    if begun is None:
        return "cannot be read:"
    return f"fails in {Statement(begun['line'], begun['text'], None, False).shown()}\n "


def _run(script: Path, command: list[str], wanted: Sequence[str], **settings: str) -> Recording:
    """Run a driver on a script in a fresh process, in the current folder."""
    if not script.is_file():
        raise ScriptError(f"there is no file {script}")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "recording")
        output.touch()
        done = subprocess.run(
            [*command, str(script), str(output), *wanted],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **settings},
            check=False,
        )
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        ending = " ".join([f"exit code {done.returncode}", *last])
        with output.open(encoding="utf-8") as lines:
            return read_recording(script, lines, ending)


def run_r(script: Path, wanted: Sequence[str] = ()) -> Recording:
    """Run an R script.

    Raises ScriptError if there is no Rscript, or the script fails.
    """
    program = shutil.which("Rscript")
    if program is None:
        raise ScriptError("Rscript is not found: install R, or add the folder of Rscript to PATH")
    return _run(script, [program, str(FOLDER / "driver.R")], wanted)


def run_python(script: Path, wanted: Sequence[str] = ()) -> Recording:
    """Run a Python script with the Python that runs this.

    Raises ScriptError if the script fails.
    """
    # -P: the driver imports nothing from the current folder. The script does what it would do by itself.
    command = [sys.executable, "-P", "-c", START, str(FOLDER.parent.parent)]
    return _run(script, command, wanted, MPLBACKEND="agg", PYTHONSAFEPATH="")
