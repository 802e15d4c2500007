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

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info

from sparsek.engine import compiled_calls
from sparsek.numerics.ordered_arithmetic import HAS_EXTENDED
from sparsek.numerics.ordered_arithmetic import VARIABLE as LONG_DOUBLE
from validation.environment import commit_here, cpu_model
from validation.papers.shared.store import RESULTS, load_table, save_table
from validation.parity import compare
from validation.parity.command import case_pattern

NAME = "platforms"
"""Name of the files of the record, without extension."""
ROOT = Path(__file__).parents[2]
OWN = "own"
"""The setting without any change."""
KERNELS = ("SkylakeX", "Zen", "Haswell", "Nehalem", "Prescott")
"""Kernels of OpenBLAS for x86-64, the newest first."""
ALIASES = {"Katmai": "Prescott"}
"""Names that OpenBLAS gives to a kernel where it has two."""
ARM64 = "arm64"
TEXTS = ("pattern", "functions")
"""Columns that may be empty."""


def vector_loops() -> str:
    """The names of numpy's loops that this processor can run beyond those that numpy needs."""
    return " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))  # type: ignore[call-overload]


def find_settings() -> dict[str, dict[str, str]]:
    """The variables of each setting, by its name."""
    kernels = {kernel: {"OPENBLAS_CORETYPE": kernel} for kernel in KERNELS}
    plain = {"NPY_DISABLE_CPU_FEATURES": vector_loops()}
    return {
        OWN: {},
        **kernels,
        "no vector loops": plain,
        "no vector loops, Prescott": plain | kernels["Prescott"],
        "software": {LONG_DOUBLE: "software"},
        "compiled": {"SPARSEK_ENGINE": "compiled"},
    }


def load_platforms(folder: Path = RESULTS) -> pd.DataFrame:
    """The record.

    Parameters
    ----------
    folder : Path
        Folder of ``platforms.csv`` and ``platforms.json``.

    Returns
    -------
    DataFrame
        A row for each setting and R package; ``pattern`` is empty where all cases were compared, and
        ``functions`` where none differs.
    """
    table = load_table(NAME, folder)[0]
    texts = {name: table[name].astype(object).where(table[name].notna(), "") for name in TEXTS}
    return table.assign(**texts)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command.

    Parameters
    ----------
    parser : ArgumentParser
        The sub-command's parser, extended in place.
    """
    parser.add_argument(
        "--only", metavar="NAME", action="append", help=f"these of: {', '.join(find_settings())}"
    )
    parser.add_argument(
        "--python", metavar="PATH", action="append", default=[], help="these interpreters instead"
    )
    parser.add_argument("--arm64", action="store_true", help="64-bit ARM instead, emulated by qemu-user")
    parser.add_argument("--cases", metavar="PATTERN", type=case_pattern, default="", help="only these cases")
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=Path("results"))
    parser.add_argument("--here", metavar="FILE", type=Path, help=argparse.SUPPRESS)


def main(options: argparse.Namespace) -> int:
    """Run the cases under each setting and write the record.

    Parameters
    ----------
    options : Namespace
        Options of `add_arguments`.

    Returns
    -------
    int
        0 if no case differs anywhere, 1 if one does, 2 if a setting is unknown or broke off.
    """
    if options.here:
        options.here.write_text(json.dumps(run_here(options.cases)), encoding="utf-8")
        return 0
    settings = find_settings()
    unknown = sorted(set(options.only or []) - set(settings))
    absent = [path for path in options.python if not Path(path).exists()]
    if unknown or absent:
        print(f"no setting is called {', '.join(unknown)}; known are {', '.join(settings)}" * bool(unknown))
        print(f"there is no interpreter {', '.join(absent)}" * bool(absent))
        return 2
    different = 0
    for name, command, variables in _choose(options, settings):
        rows = _run(name, command, variables, options.cases)
        if rows is None:
            return 2
        different += int(rows["different"].sum())
        _record(rows, options.output)
    return int(different > 0)


def _choose(
    options: argparse.Namespace, settings: dict[str, dict[str, str]]
) -> Iterable[tuple[str, list[str], dict[str, str]]]:
    """Names of the chosen settings, with the commands that start Python and their variables."""
    if options.arm64:
        yield ARM64, ["bash", ".ci/arm64"], {"PYTHON": sys.executable}
    for path in options.python:
        yield f"python {path}", [path, "-m", "validation"], {}
    if not options.arm64 and not options.python:
        for name in options.only or settings:
            yield name, [sys.executable, "-m", "validation"], settings[name]


def _run(name: str, command: list[str], variables: dict[str, str], pattern: str) -> pd.DataFrame | None:
    """The rows of one setting; none for a kernel that this processor cannot run, None if it broke off."""
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
    if not found["counts"]:
        print(f"{name}: left out, because OpenBLAS takes {found['facts']['kernel']} here")
        return pd.DataFrame({"different": []})
    if name.startswith("python "):
        name = f"Python {found['facts']['python']}, numpy {found['facts']['numpy']}"
    rows = [{"setting": name, **row, "pattern": pattern, **found["facts"]} for row in found["counts"]]
    sums = pd.DataFrame(rows)[["exact", "within", "different"]].sum()
    print(", ".join(f"{count} {kind}" for kind, count in sums.items()))
    return pd.DataFrame(rows)


def run_here(pattern: str) -> dict[str, Any]:
    """Compare the recorded cases in this process.

    Parameters
    ----------
    pattern : str
        Only the cases whose id this regular expression finds.

    Returns
    -------
    dict
        ``counts``, a row for each R package, and ``facts``, what it ran on. There are no counts where
        OpenBLAS does not take the kernel that it was asked for.
    """
    facts = _facts()
    if os.environ.get("OPENBLAS_CORETYPE", facts["kernel"]) != facts["kernel"]:
        return {"counts": [], "facts": facts}
    counts: dict[str, Counter[str]] = {}
    differing: dict[str, set[str]] = {}
    for result in compare.run_cases(compare.select_cases(pattern)):
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
    return {"counts": rows, "facts": facts | {"loops": "numba" if compiled_calls() else "numpy"}}


def _facts() -> dict[str, str]:
    """What the process ran on."""
    kernels = [lib.get("architecture", "") for lib in threadpool_info() if lib["user_api"] == "blas"]
    return {
        "machine": platform.machine(),
        "system": platform.system(),
        "processor": cpu_model(),
        "kernel": ALIASES.get(kernels[0], kernels[0]) if kernels else "",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "sums": "long double" if HAS_EXTENDED else "software",
        "commit": commit_here() or "",
        "created": pd.Timestamp.now("UTC").strftime("%Y-%m-%d"),
    }


def _record(rows: pd.DataFrame, folder: Path) -> None:
    """Put the rows of a setting into the record, in place of those it has."""
    if rows.empty:
        return
    if (folder / f"{NAME}.csv").exists():
        before = load_platforms(folder)
        rows = pd.concat([before[before["setting"] != rows["setting"].iloc[0]], rows], ignore_index=True)
    print(f"written: {save_table(rows, folder, NAME, 'all recorded cases')}", flush=True)
