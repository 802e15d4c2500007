"""Runs of the command line in this process, on tables written in many ways, right and wrong."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from sparsek.cli import _app
from sparsek.cli._methods import METHODS
from sparsek.cli._options import CRITERIA
from validation.fuzz.invariants import require
from validation.fuzz.judge import Call, RefusedError
from validation.fuzz.values import Random

NAMES = ("sparsek fit", "sparsek tune", "sparsek compare")
RUNNER = CliRunner()
QUICK = (
    "skfr",
    "sparse-kmeans",
    "kpod",
    "ewkm",
    "rskc",
    "kgmedian",
    "minmax",
    "power",
    "kernel-kmeans",
    "cop-kmeans",
)
Lines = list[str]


def _each(change: Callable[[str], str], start: int = 1) -> Callable[[Lines, Random], Lines]:
    """A change to all lines from a number on."""
    return lambda lines, r: lines[:start] + [change(line) for line in lines[start:]]


def _one(change: Callable[[str], str]) -> Callable[[Lines, Random], Lines]:
    """A change to one line of numbers."""

    def make(lines: Lines, r: Random) -> Lines:
        i = int(r.integers(1, len(lines)))
        return [*lines[:i], change(lines[i]), *lines[i + 1 :]]

    return make


def _cell(text: str) -> Callable[[str], str]:
    """A text in place of the first number of a line."""
    return lambda line: ",".join([text, *line.split(",")[1:]])


MUTATIONS: dict[str, tuple[str, Callable[[Lines, Random], Lines]]] = {
    "as it is": ("same", lambda lines, r: lines),
    "blanks around": ("same", _each(lambda line: line.replace(",", " , "))),
    "in quotes": ("same", _each(lambda line: ",".join(f'"{cell}"' for cell in line.split(",")))),
    "blank last lines": ("same", lambda lines, r: [*lines, "", ""]),
    "byte order mark": ("same", lambda lines, r: ["\ufeff" + lines[0], *lines[1:]]),
    "trailing comma in rows": ("refuse", _each(lambda line: line + ",")),
    "trailing comma in one row": ("refuse", _one(lambda line: line + ",")),
    "trailing comma everywhere": ("any", _each(lambda line: line + ",", 0)),
    "surplus field": ("refuse", _one(lambda line: line + ",7")),
    "surplus field in row 1": ("refuse", lambda lines, r: [lines[0], lines[1] + ",7", *lines[2:]]),
    "missing field": ("refuse", _one(lambda line: line.rpartition(",")[0])),
    "text": ("refuse", _one(_cell("abc"))),
    "infinite": ("refuse", _one(_cell("inf"))),
    "date": ("refuse", _each(_cell("2020-01-02"))),
    "comma as decimal": ("refuse", _one(_cell("1;5"))),
    "missing cell": ("any", _one(_cell(""))),
    "NA": ("any", _one(_cell("NA"))),
    "true": ("any", _one(_cell("true"))),
    "huge": ("any", _one(_cell("1e300"))),
    "hex": ("refuse", _one(_cell("0x1F"))),
    "same name twice": ("any", lambda lines, r: [lines[0].replace("b", "a"), *lines[1:]]),
    "empty name": ("any", lambda lines, r: [lines[0].replace("b", ""), *lines[1:]]),
    "header only": ("refuse", lambda lines, r: lines[:1]),
    "nothing": ("refuse", lambda lines, r: []),
    "open quote": ("refuse", _one(_cell('"1'))),
    "zero byte": ("any", _one(_cell("\x00"))),
    "escapes": ("any", lambda lines, r: [lines[0].replace("b", "\x1b[31mb"), *lines[1:]]),
    "other separator": ("any", _each(lambda line: line.replace(",", ";"), 0)),
}
"""What a change to a table must lead to: the same result, a refusal, or either; and the change."""
PASSED_ON = ("infinite",)
"""Changes that `compare` gives to R and to sparsek, because R reads them too; both stop with R's error."""
NOT_IN_IDS = ("text", "infinite", "date", "comma as decimal", "hex", "open quote")
"""Changes to one cell that an id may have, so that a table with an id column may be accepted."""
OPTIONS: tuple[tuple[str, ...], ...] = (
    (),
    (),
    ("--scale",),
    ("--n-init", "2"),
    ("--select", "2"),
    ("--select", "inf"),
    ("--select", "nan"),
    ("--bound", "1.2"),
    ("--bound", "x"),
    ("--set", "standardize=false"),
    ("--set", "max_iter=5"),
    ("--set", "max_iter=x"),
    ("--set", "nonsense=1"),
    ("--set", "init"),
    ("--n-jobs", "0"),
    ("--n-jobs", "x"),
    ("--drop", "a"),
    ("--drop", "z"),
    ("--id-col", "a"),
    ("--id-col", "99"),
    ("--no-header",),
    ("--sep", ";"),
    ("--seed", "4294967296"),
    ("--seed", "-1"),
    ("--sheet", "x"),
    ("--array", "x"),
    ("--method", "none"),
)


def make_call(name: str, r: Random) -> Call:
    """A run of a command on a table."""
    X = np.round(r.normal(size=(24, 4)) + 5 * (np.arange(24) % 3)[:, None] * [1, 1, 0, 0], 3)
    clean = ["a,b,c,d", *(",".join(map(repr, row)) for row in X.tolist())]
    kind = str(r.choice(list(MUTATIONS)))
    wanted, change = MUTATIONS[kind]
    extra = OPTIONS[int(r.integers(len(OPTIONS)))] if r.random() < 0.5 else ()
    arguments = [*_arguments(name, r), *extra]
    lines = change(clean, r)
    ending = "\r\n" if r.random() < 0.2 else "\n"

    def run(table: Lines = lines) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            path.write_text(ending.join([*table, ""] if table else []), encoding="utf-8", newline="")
            command, *others = arguments
            return _ended(RUNNER.invoke(_app.app, [command, str(path), *others]))

    passed_on = name == "sparsek compare" and kind in PASSED_ON
    left_out = "--drop" in extra or "--id-col" in extra  # the column of the cell that was changed

    def check(found: Any, warned: list[str]) -> None:
        if passed_on and not left_out:
            require("R stops with" in found.stdout, f"R has a result for a table with {kind}")
        require("\x1b" not in found.stdout, "escapes of the table reach standard output")
        if name != "sparsek compare" and "--json" in arguments:
            require(isinstance(json.loads(found.stdout), dict), "standard output is no JSON")
            if wanted == "same":
                require(_results(found) == _results(run(clean)), f"another result for a table {kind}")

    header = "--no-header" not in extra
    must = wanted == "refuse" and header and "--drop" not in extra and not passed_on
    if kind in NOT_IN_IDS and "--id-col" in extra:
        must = False
    refuse = f"a table with {kind}" if must else ""
    return Call(f"sparsek {' '.join(arguments)}, table {kind}", run, (), check, refuse)


def _arguments(name: str, r: Random) -> list[str]:
    """The command and its options, without the file."""
    if name == "sparsek compare":
        calls = [
            "kmeans(centers=3)",
            "kmeans(centers=)",
            "nonsense(x)",
            "kpod(k=2",
            "KMeansSparseCluster(K=2, wbounds=c(1.2,2))",
        ]
        return [
            "compare",
            "--call",
            calls[int(r.integers(len(calls)))],
            "--seed",
            str(r.choice(["1", "2147483648", "x"])),
        ]
    method = str(r.choice(QUICK if r.random() < 0.9 else sorted(METHODS)))
    k = str(
        r.choice(
            ["2", "3", "3", "0", "-1", "99", "1000000000", "x", "2.5"], p=[0.3, 0.25, 0.25] + [0.2 / 6] * 6
        )
    )
    if name == "sparsek tune":
        grid = [
            ("--select", "1,2"),
            ("--bound", "1.1,1.5"),
            ("--select", "0"),
            ("--select", "x"),
            ("--bound", "0.5"),
            (),
        ]
        chosen = grid[int(r.integers(len(grid)))]
        criterion = str(r.choice([*CRITERIA, "gap", "x"]))
        quick = ("--permutations", "2") if criterion == "gap" else ()
        several = "2,3" if k == "3" else k
        how = ["--method", method, "--criterion", criterion, *quick, "--n-init", "2", "--json"]
        return ["tune", "--k", several, *how, *chosen]
    proba = ("--proba",) if r.random() < 0.1 else ()
    return ["fit", "--k", k, "--method", method, "--json", *proba]


def _ended(found: Any) -> Any:
    """The result of a run that ended well; RefusedError for one clear line, else RuntimeError."""
    if found.exit_code == 0:
        return found
    lines = found.stderr.strip().splitlines()
    if found.exit_code == 1 and found.stdout and not found.stderr:
        return found  # compare found a difference
    usage = bool(lines) and lines[0].startswith("Usage:")
    clear = found.exit_code == 2 and (usage or (lines and lines[-1].startswith("sparsek: error:")))
    if not clear or "please report" in found.stderr:
        raise RuntimeError(
            f"exit code {found.exit_code}: {found.stderr.strip()[-250:]}{found.exception or ''!r}"
        )
    raise RefusedError(lines[-1])


def _results(found: Any) -> Any:
    """The results of a run without what names the file."""
    content = json.loads(found.stdout)
    return {
        key: value
        for key, value in content.items()
        if key not in ("file", "data", "input", "seconds", "warnings")
    }
