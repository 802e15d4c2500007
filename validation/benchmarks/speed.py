"""``python -m validation speed``: time the calls of the tables, and record them for docs/speed.md.

Calls beside a peer's are recorded unless ``--print-only`` is given; rows of the topics that are not asked for
stay as they were recorded on the same machine. Calls alone are printed only: seconds, seconds of the
processor, and the largest allocation beside the data, by tracemalloc.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import os
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_info

from r_reference.bridge import live_versions
from validation.benchmarks.calls import HEAD, alone, rows_of
from validation.benchmarks.rows import (
    Row,
    Work,
    line_of,
    measure_machine,
    one_thread,
    print_heads,
    print_threads,
)
from validation.benchmarks.tables import ALONE, TABLES
from validation.environment import describe_environment
from validation.papers.shared.store import RESULTS, load_table, save_table

NAME = "speed"
"""Name of the files of the record, without extension."""
USUAL = "methods.usual"
"""The topic of the cases in seconds with which the page begins."""
R_PACKAGES = ["base", "sparcl", "kpodclustr", "Gmedian", "wskm", "RSKC", "wrsk", "KmeansInference"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    known = ", ".join([*TABLES, *ALONE])
    parser.add_argument(
        "topics", nargs="*", metavar="TOPIC", help=f"default all with a peer; one or more of: {known}"
    )
    parser.add_argument("--repeats", type=int, default=3, help="of every call at least (default 3)")
    parser.add_argument("--large", action="store_true", help="with the sizes that take minutes")
    parser.add_argument("--only", default="", metavar="PATTERN", help="calls whose name has this pattern")
    parser.add_argument(
        "--most", type=float, default=float("inf"), metavar="N", help="data of at most N numbers"
    )
    parser.add_argument("--print-only", action="store_true", help="record nothing")
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=RESULTS, help="default: validation/results"
    )


def rows(topic: str, options: argparse.Namespace) -> Iterator[Row]:
    """The rows of a topic."""
    for call in TABLES[topic]:
        yield from rows_of(call, options)


def recorded(folder: Path) -> pd.DataFrame:
    """The rows in the record, none if it is of another machine or there is none."""
    if not (folder / f"{NAME}.csv").exists():
        return pd.DataFrame({"topic": []})
    table, about = load_table(NAME, folder)
    if about["environment"]["cpu"] != describe_environment({})["cpu"]:
        return table.iloc[:0]
    return table


def time_topic(topic: str, machine: Work, options: argparse.Namespace) -> pd.DataFrame:
    """The rows of a topic as a table, with the least seconds, the commit and the load of the machine."""
    found = []
    for row in rows(topic, options):
        print(line_of(row, machine), flush=True)
        limit = Work(row.multiplications, row.n_bytes).seconds(machine)
        found.append({"topic": topic, **dataclasses.asdict(row), "limit": limit, "load": os.getloadavg()[0]})
    if many := [library["filepath"] for library in threadpool_info() if library["num_threads"] > 1]:
        raise SystemExit(f"{topic} ran with more than one thread of {', '.join(many)}: nothing is recorded")
    about = {
        "sparsek": describe_environment({})["sparsek"],
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    return pd.DataFrame(found).assign(**about)


def record(topic: str, table: pd.DataFrame, folder: Path, versions: dict[str, str]) -> None:
    """Write the rows of a topic in place of those in the record."""
    before = recorded(folder)
    others = before[before["topic"] != topic]
    table = pd.concat([others, table]) if len(others) else table
    order = table["topic"].map({name: i for i, name in enumerate(TABLES)})
    table = table.iloc[order.argsort(kind="stable")]
    save_table(table, folder, NAME, "python -m validation speed", versions)
    print(f"recorded: {topic}", flush=True)


def main(options: argparse.Namespace) -> int:
    """Time the topics; the record is written after each."""
    if unknown := set(options.topics) - {*TABLES, *ALONE}:
        known = ", ".join([*TABLES, *ALONE])
        print(f"unknown topic {', '.join(sorted(unknown))}; choose from {known}")
        return 2
    beside = [topic for topic in TABLES if topic in options.topics or not options.topics]
    is_part = bool(options.only) or options.most < float("inf")
    if is_part and beside and not options.print_only:
        print("--only and --most leave rows out, which a record must have; add --print-only")
        return 2
    with one_thread():
        print_threads()
        if beside:
            _time_beside(beside, options)
        if of_alone := [topic for topic in options.topics if topic in ALONE]:
            print(HEAD)
            for topic in of_alone:
                for call in ALONE[topic]:
                    for line in alone(call, options):
                        print(line, flush=True)
    return 0


def _time_beside(topics: list[str], options: argparse.Namespace) -> None:
    """Time the calls beside a peer's."""
    versions = {} if options.print_only else live_versions(R_PACKAGES)
    machine = measure_machine()
    print_heads(machine)
    for topic in topics:
        table = time_topic(topic, machine, options)
        if len(table) and not options.print_only:
            record(topic, table, options.output, versions)
