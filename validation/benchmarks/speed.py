"""``python -m validation speed``: run the benchmarks that yield rows, and record them for docs/speed.md.

Every script of `validation/benchmarks` that has a function ``rows`` is run, or those named. Rows of the other
scripts stay as they were recorded on the same machine.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_info

from validation.benchmarks.rows import Row, Work, line_of, measure_machine, one_thread, print_threads
from validation.environment import describe_environment, live_versions
from validation.papers.shared.store import RESULTS, load_table, save_table

FOLDER = Path(__file__).parent
NAME = "speed"
"""Name of the files of the record, without extension."""
USUAL = "methods.usual"
"""The script of the cases in seconds with which the page begins."""
R_PACKAGES = ["base", "sparcl", "kpodclustr", "Gmedian", "wskm", "RSKC", "wrsk", "KmeansInference"]


def scripts() -> list[str]:
    """Modules below `validation.benchmarks` that yield rows: R's functions first."""
    found = [
        path.relative_to(FOLDER)
        for path in FOLDER.glob("*/*.py")
        if re.search(r"^def rows\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    order = sorted(found, key=lambda path: (path.parts[0] != "rcompat", path))
    return [".".join(path.with_suffix("").parts) for path in order]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT", help=f"default all: {', '.join(scripts())}")
    parser.add_argument("--repeats", type=int, help="of every call; default: as each script says")
    parser.add_argument("--large", action="store_true", help="with the sizes that take minutes")
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=RESULTS, help="default: validation/results"
    )


def rows_of(script: str, given: list[str]) -> Iterator[Row]:
    """The rows of a script, with its default options but for those given that it has."""
    module: Any = importlib.import_module(f"validation.benchmarks.{script}")
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    yield from module.rows(parser.parse_known_args(given)[0])


def recorded(folder: Path) -> pd.DataFrame:
    """The rows in the record, none if it is of another machine or there is none."""
    if not (folder / f"{NAME}.csv").exists():
        return pd.DataFrame({"script": []})
    table, about = load_table(NAME, folder)
    if about["environment"]["cpu"] != describe_environment({})["cpu"]:
        return table.iloc[:0]
    return table


def time_script(script: str, machine: Work, given: list[str]) -> pd.DataFrame:
    """The rows of a script as a table, with the least seconds, the commit and the load of the machine."""
    found = []
    for row in rows_of(script, given):
        print(line_of(row, machine), flush=True)
        limit = Work(row.multiplications, row.n_bytes).seconds(machine)
        found.append(
            {"script": script, **dataclasses.asdict(row), "limit": limit, "load": os.getloadavg()[0]}
        )
    if many := [library["filepath"] for library in threadpool_info() if library["num_threads"] > 1]:
        raise SystemExit(f"{script} ran with more than one thread of {', '.join(many)}: nothing is recorded")
    about = {
        "sparsek": describe_environment({})["sparsek"],
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    return pd.DataFrame(found).assign(**about)


def main(options: argparse.Namespace) -> int:
    """Run the scripts and write the record after each."""
    known = scripts()
    unknown = set(options.scripts) - set(known)
    if unknown:
        print(f"unknown script {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
        return 2
    versions = live_versions(R_PACKAGES)
    given = ["--large"] if options.large else []
    given += [] if options.repeats is None else ["--repeats", str(options.repeats)]
    with one_thread():
        print_threads()
        machine = measure_machine()
        for script in options.scripts or known:
            table = time_script(script, machine, given)
            if table.empty:
                continue
            before = recorded(options.output)
            others = before[before["script"] != script]
            table = pd.concat([others, table]) if len(others) else table
            order = table["script"].map({name: i for i, name in enumerate(known)})
            table = table.iloc[order.argsort(kind="stable")]
            save_table(table, options.output, NAME, "python -m validation speed", versions)
            print(f"recorded: {script}", flush=True)
    return 0
