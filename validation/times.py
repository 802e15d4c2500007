"""How long README's commands take: each in turn in a fresh clone, without what the installation takes.

``make times`` measures them, keeps the record and writes the table of README from it.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

from validation.environment import commit_here, cpu_model
from validation.papers.shared.store import RESULTS, load_table, save_table

ROOT = Path(__file__).parents[1]
NAME = "times"
COMMANDS = {
    "make setup": "installs what the other commands need into `.venv` and compiles the loops that tests run; "
    "without it they do so themselves",
    "make test": "tests the package",
    "make validate": "compares every function with R's recorded results, repeats the papers' tables and "
    "writes `report/index.html`, with the outcomes of `make test`",
    "make test-all": "also tests papers, pages, packaging and rare platforms",
    "make docs": "builds the documentation",
}
"""The commands in the order in which they run, and what each does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=Path("results"))


def main(options: argparse.Namespace) -> int:
    """Run the commands in a fresh clone; after each the record of those that ended well is written."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), folder], check=True)
        for command in COMMANDS:
            print(f"== {command}", flush=True)
            row = _measure(command, Path(folder))
            if row is not None:
                rows.append(row)
                written = save_table(pd.DataFrame(rows), options.output, NAME, "a fresh clone")
                work = f"{row['processor_minutes']:.1f} of processor time"
                print(f"{row['minutes']:.1f} minutes, {work}, written: {written}", flush=True)
    return int(len(rows) < len(COMMANDS))


def _measure(command: str, folder: Path) -> dict[str, Any] | None:
    """Times of a command, and the machine; None if it fails, since then it may have done less."""
    began, before = time.monotonic(), os.times()
    code = subprocess.run(command.split(), cwd=folder, check=False).returncode
    minutes, after = (time.monotonic() - began) / 60, os.times()
    if code:
        print(f"{command} ended with {code}: its times are not kept", flush=True)
        return None
    work = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "command": command,
        "minutes": round(minutes, 1),
        "processor_minutes": round(max(work, 0.0) / 60, 1),  # a difference of sums, which may be below 0
        "processor": cpu_model(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "r": "with R" if shutil.which("R") else "without R",
        "commit": (commit_here() or "").removesuffix("-dirty"),
    }


def times_in_words(folder: Path = RESULTS) -> str:
    """The table of README: commands, what they do, and their times; and the machine."""
    table = (
        load_table(NAME, folder)[0] if (folder / f"{NAME}.csv").exists() else pd.DataFrame({"command": []})
    )
    measured = table.set_index("command")
    lines = ["| Command | What it does | Time | Processor time |", "|---|---|---|---|"]
    for command, text in COMMANDS.items():
        times = ("not measured", "not measured")
        if command in measured.index:
            row = measured.loc[command]
            times = (f"{row['minutes']:.1f} minutes", f"{row['processor_minutes']:.1f} minutes")
        lines.append(f"| `{command}` | {text} | {' | '.join(times)} |")
    return "\n".join(["", *lines, "", _machine_in_words(table)])


def _machine_in_words(table: pd.DataFrame) -> str:
    """Where the times were measured: sentences."""
    ran = "`make times` measures them in a fresh clone, one after the other"
    if table.empty:
        return f"{ran}."
    first = table.iloc[0]
    machine = f"{first['processor']}, {first['cores']} cores, {first['r']}"
    return f"{ran}. These are of {machine}, at commit {first['commit']}."
