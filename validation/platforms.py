"""``python -m validation platforms``: all recorded cases under every setting that can run here, recorded.

A setting is an environment for one more process of this command, which compares the cases and says what it
ran on. The table on docs/validation.md and README's sentences are written from the record.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_info

from sparsek.bits.ordered_arithmetic import HAS_EXTENDED
from sparsek.bits.ordered_arithmetic import VARIABLE as LONG_DOUBLE
from sparsek.engine import compiled_calls
from validation import kernels
from validation.environment import commit_here, cpu_model
from validation.papers.shared.store import RESULTS, load_table, save_table
from validation.parity import cases
from validation.parity.command import add_cases

NAME = "platforms"
"""Name of the files of the record, without extension."""
ROOT = Path(__file__).parents[1]
OWN = "own"
"""The setting without any change."""
NO_VECTORS_PRESCOTT = f"{kernels.NO_VECTORS}, Prescott"
ARITHMETIC = {"software": {LONG_DOUBLE: "software"}, "compiled": {"SPARSEK_ENGINE": "compiled"}}
"""Settings of sparsek itself."""
SETTINGS = (OWN, *kernels.SETTINGS, NO_VECTORS_PRESCOTT, *ARITHMETIC)
ARM64 = "arm64"
TEXTS = ("pattern", "functions")
"""Columns that may be empty."""


def load_platforms(folder: Path = RESULTS) -> pd.DataFrame:
    """The record."""
    table = load_table(NAME, folder)[0]
    texts = {name: table[name].astype(object).where(table[name].notna(), "") for name in TEXTS}
    return table.assign(**texts)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--only", metavar="NAME", action="append", help=f"these of: {', '.join(SETTINGS)}")
    parser.add_argument(
        "--python", metavar="PATH", action="append", default=[], help="these interpreters instead"
    )
    parser.add_argument("--arm64", action="store_true", help="64-bit ARM instead, emulated by qemu-user")
    add_cases(parser)
    parser.set_defaults(cases="")
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=Path("results"))
    parser.add_argument("--here", metavar="FILE", type=Path, help=argparse.SUPPRESS)


def main(options: argparse.Namespace) -> int:
    """Run the cases under each setting and write the record."""
    if options.here:
        options.here.write_text(json.dumps(run_here(options.cases)), encoding="utf-8")
        return 0
    unknown = sorted(set(options.only or []) - set(SETTINGS))
    absent = [path for path in options.python if not Path(path).exists()]
    if unknown or absent:
        print(f"no setting is called {', '.join(unknown)}; known are {', '.join(SETTINGS)}" * bool(unknown))
        print(f"there is no interpreter {', '.join(absent)}" * bool(absent))
        return 2
    different = 0
    for name, command, variables in _choose(options):
        rows = _run(name, command, variables, options.cases)
        if rows is None:
            return 2
        different += int(rows["different"].sum())
        _record(rows, options.output)
    return int(different > 0)


def _choose(options: argparse.Namespace) -> Iterable[tuple[str, list[str], dict[str, str]]]:
    """Names of the chosen settings that can run, with the commands that start Python and their variables."""
    if options.arm64:
        yield ARM64, ["bash", ".ci/arm64"], {"PYTHON": sys.executable}
    for path in options.python:
        yield f"python {path}", [path, "-m", "validation"], {}
    if options.arm64 or options.python:
        return
    names = options.only or SETTINGS
    some = argparse.Namespace(
        only=[name for name in names if name in kernels.SETTINGS], others=len(kernels.SETTINGS)
    )
    able = {OWN: {}} | {name: ARITHMETIC[name] for name in ARITHMETIC}
    for name, variables, reason in kernels.choose(some):
        if reason:
            print(f"{name}: left out, {reason}")
        else:
            able[name] = variables
    own = kernels.probe({})
    if own is not None and NO_VECTORS_PRESCOTT in names:
        able[NO_VECTORS_PRESCOTT] = kernels.variables(kernels.NO_VECTORS, own) | kernels.variables(
            "Prescott", own
        )
    for name in names:
        if name in able:
            yield name, [sys.executable, "-m", "validation"], able[name]


def _run(name: str, command: list[str], variables: dict[str, str], pattern: str) -> pd.DataFrame | None:
    """The rows of one setting; None if it broke off."""
    print(f"{name} ...", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "here.json"
        arguments = ["platforms", "--here", str(file), "--cases", pattern]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **variables}
        done = subprocess.run([*command, *arguments], cwd=ROOT, env=environment, check=False)
        if done.returncode:
            print(f"{name} broke off with exit code {done.returncode}", file=sys.stderr)
            return None
        found = json.loads(file.read_text(encoding="utf-8"))
    if name.startswith("python "):
        name = f"Python {found['facts']['python']}, numpy {found['facts']['numpy']}"
    facts = {**found["facts"], "commit": commit_here() or ""}  # asked before the first record is written
    rows = [{"setting": name, **row, "pattern": pattern, **facts} for row in found["counts"]]
    sums = pd.DataFrame(rows)[["exact", "within", "different"]].sum()
    print(", ".join(f"{count} {kind}" for kind, count in sums.items()))
    return pd.DataFrame(rows)


def run_here(pattern: str) -> dict[str, Any]:
    """Compare the recorded cases in this process."""
    counts: dict[str, Counter[str]] = {}
    differing: dict[str, set[str]] = {}
    for result in cases.run_cases(cases.select_cases(pattern)):
        kind = "exact" if result.exact else "within" if result.within_tolerance else "different"
        counts.setdefault(result.package, Counter())[kind] += 1
        if kind == "different":
            differing.setdefault(result.package, set()).add(result.function)
            print(f"DIFFERS {result.id}: {result.message}", flush=True)
    rows = [
        {"package": package}
        | {kind: count[kind] for kind in ("exact", "within", "different")}
        | {"functions": " ".join(sorted(differing.get(package, ())))}
        for package, count in sorted(counts.items())
    ]
    return {"counts": rows, "facts": _facts()}


def _facts() -> dict[str, str]:
    """What the process ran on."""
    found = [lib.get("architecture", "") for lib in threadpool_info() if lib["user_api"] == "blas"]
    named = [name for name, names in kernels.KERNELS.items() if found and found[0] in names]
    return {
        "machine": platform.machine(),
        "system": platform.system(),
        "processor": cpu_model(),
        "kernel": (named or found or [""])[0],
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "sums": "long double" if HAS_EXTENDED else "software",
        "loops": "numba" if compiled_calls() else "numpy",
        "created": pd.Timestamp.now("UTC").strftime("%Y-%m-%d"),
    }


def _record(rows: pd.DataFrame, folder: Path) -> None:
    """Put the rows of a setting into the record, in place of those it has."""
    if (folder / f"{NAME}.csv").exists():
        before = load_platforms(folder)
        rows = pd.concat([before[before["setting"] != rows["setting"].iloc[0]], rows], ignore_index=True)
    print(f"written: {save_table(rows, folder, NAME, 'all recorded cases')}", flush=True)
