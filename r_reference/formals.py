"""R's arguments and defaults beside ours: ``python -m r_reference.formals`` asks R and writes formals.csv.

Packages that are not installed keep the rows they have; those that never were have none, and `unrecorded`
names their functions. What differs from R on purpose is listed in arguments.toml.
"""

import ast
import csv
import inspect
import math
import re
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

from r_reference.listing import find_twin, twins

FOLDER = Path(__file__).parent
TABLE = FOLDER / "formals.csv"
COLUMNS = ["package", "version", "function", "name", "argument", "default"]
KEYWORD = inspect.Parameter.KEYWORD_ONLY
"""Arguments of this kind are our own, unless R has one of that name."""
NAMED = {"NULL": None, "TRUE": True, "FALSE": False, "Inf": math.inf}
"""What R's constants are in Python."""
COMPUTED = {"seq(0, 1, 0.25)": (0.0, 0.25, 0.5, 0.75, 1.0), "NA": (None,), "interactive()": (False,)}
"""Values of defaults that are no constants; nobody sits before a call from Python."""


@dataclass(frozen=True, slots=True)
class RFunction:
    """A function of R."""

    package: str  # package, version: its package, and the version that was asked
    version: str
    name: str  # R's name
    defaults: dict[str, str]  # By argument, in R's order: the default as R writes it, empty without one


@cache
def load_formals() -> dict[str, RFunction]:
    """The functions in the table, by our names."""
    found: dict[str, RFunction] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            new = RFunction(row["package"], row["version"], row["name"], {})
            found.setdefault(row["function"], new).defaults[row["argument"]] = row["default"]
    return found


def unrecorded() -> dict[str, list[str]]:
    """By R package: functions of ours whose arguments in R are not in the table."""
    missing: dict[str, list[str]] = {}
    for function, package in twins().items():
        if function not in load_formals():
            missing.setdefault(package, []).append(function)
    return missing


def python_name(name: str) -> str:
    """The Python name of an argument: underscores for dots, and one after Python's keywords."""
    name = name.replace(".", "_")
    return f"{name}_" if iskeyword(name) else name


def _our_arguments(function: str) -> dict[str, inspect.Parameter]:
    """Our arguments by name, in order."""
    twin = find_twin(function)
    assert twin is not None
    parameters = inspect.signature(twin).parameters
    return {name: p for name, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, KEYWORD)}


def differences(function: str) -> dict[str, str]:
    """What of the arguments of a function differs from R's."""
    ours = _our_arguments(function)
    theirs = {python_name(name): name for name in load_formals()[function].defaults if name != "..."}
    found = {theirs[name]: "lacks" for name in theirs if name not in ours}
    found |= {
        name: "adds" for name, parameter in ours.items() if name not in theirs and parameter.kind != KEYWORD
    }
    if [name for name in ours if name in theirs] != [name for name in theirs if name in ours]:
        found["..."] = "order"
    for name in theirs.keys() & ours.keys():
        kind = _compare_defaults(ours[name].default, load_formals()[function].defaults[theirs[name]])
        if kind:
            found[theirs[name]] = kind
    return found


def _compare_defaults(ours: Any, theirs: str) -> str:
    """How our default differs from the text of R's: "", "default" or "not given"."""
    if not theirs:  # R may ask whether it was given
        return "" if ours in (inspect.Parameter.empty, None) else "default"
    choices = _constants(theirs)
    if choices is None:  # computed from other arguments
        return "" if ours is None else "default"
    if ours is None and choices != [None]:
        return "not given"
    return "" if ours == choices[0] or ours == tuple(choices) else "default"


def _constants(text: str) -> list[Any] | None:
    """The values of a constant of R, several where the first of them is taken; None for any other text."""
    if text in NAMED:
        return [NAMED[text]]
    if text in COMPUTED:
        return list(COMPUTED[text])
    try:
        value = ast.literal_eval(re.sub(r"(?<=\d)L\b", "", text.removeprefix("c")))
    except (SyntaxError, ValueError):
        return None
    return list(value) if isinstance(value, tuple) else [value]


def stated_differences() -> dict[str, dict[str, Any]]:
    """The entries of arguments.toml by function and argument, written ``function(argument)``."""
    entries = tomllib.loads((FOLDER / "arguments.toml").read_text(encoding="utf-8"))["differences"]
    return {f"{e['function']}({argument})": e for e in entries for argument in e["arguments"]}


def main() -> None:
    """Ask R, and write the table."""
    wanted = "".join(f"{package} {name}\n" for name, package in twins().items())
    command = ["Rscript", "--vanilla", str(FOLDER / "formals.R")]
    done = subprocess.run(command, input=wanted, capture_output=True, text=True, check=True)
    asked = [line.split("\t") for line in done.stdout.splitlines()]
    rows = [row for row in _rows() if row[0] not in {row[0] for row in asked}] + asked
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *sorted(rows, key=lambda row: row[:3])])
    load_formals.cache_clear()
    for package, functions in unrecorded().items():
        print(f"not recorded: {package} ({', '.join(functions)})")


def _rows() -> list[list[str]]:
    """The rows of the table, without its header; none before it was first written."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


if __name__ == "__main__":
    main()
