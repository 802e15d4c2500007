"""``python -m validation clusters``: rules for the number of clusters on sets with a known number."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from validation.benchmarks.clusters.battery import battery
from validation.benchmarks.clusters.designs import FAMILIES, draw
from validation.benchmarks.clusters.methods import METHODS, OLD, OLD_COLUMNS, OLD_DRAWS, choose
from validation.benchmarks.clusters.page import BATTERY, CRITERIA, NAME, OURS, REAL, by_family, in_all
from validation.benchmarks.real.sets import find_sets
from validation.benchmarks.rows import one_thread
from validation.environment import commit_here
from validation.papers.shared.store import RESULTS, save_table

MOST_CLUSTERS, MOST_OF_BATTERY = 8, 12
"""Numbers from 1 to this one are tried."""
MOST_REAL_ROWS, MOST_REAL_COLUMNS = 700, 500
"""Real sets of more rows or columns are left out, because gaps of 10 references take minutes there."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other sets (default 1)")
    parser.add_argument(
        "--methods", nargs="+", metavar="RULE", help="these rules only, by the names it prints"
    )
    parser.add_argument(
        "--criteria", action="store_true", help="other criteria of ModelChoice, on two sets of each family"
    )
    parser.add_argument("--families", nargs="+", metavar="FAMILY", help="these families only")
    parser.add_argument(
        "--battery",
        metavar="FOLDER",
        type=Path,
        help="a checkout of gagolews/clustering-data-v1: its sets instead",
    )
    parser.add_argument(
        "--data", metavar="FOLDER", type=Path, help="the folder that holds real/: its sets are a family too"
    )
    parser.add_argument("--n-jobs", type=int, default=2, help="processes over sets (default 2)")
    parser.add_argument(
        "--record", action="store_true", help="write the record, from a commit without changes"
    )
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=RESULTS, help="default: validation/results"
    )


def sets_of(options: argparse.Namespace) -> Iterator[tuple[str, int, bool, Any, int, int]]:
    """Family, number, whether it has one cluster, rows, number of clusters, and the most to try."""
    if options.battery:
        for i, (name, X, k) in enumerate(battery(options.battery)):
            yield name, i, False, X, k, MOST_OF_BATTERY
        return
    for family in FAMILIES:
        for i in range(family.draws if family.name in (options.families or [family.name]) else 0):
            X, k = draw(family, options.seed, i)
            if not options.criteria or (i < OLD_DRAWS and X.shape[1] <= OLD_COLUMNS):
                yield family.name, i, family.null, X, k, MOST_CLUSTERS
    if options.data:
        for i, (_, read) in enumerate(find_sets(options.data).values()):
            X, y = read()
            k, (n, p) = len(np.unique(y)), X.shape
            if n <= MOST_REAL_ROWS and p <= MOST_REAL_COLUMNS and k <= MOST_CLUSTERS:
                yield REAL, i, False, X, k, MOST_CLUSTERS


def run_set(
    name: str, number: int, null: bool, X: Any, k: int, most: int, methods: list[str]
) -> list[dict[str, Any]]:
    """The lines of the record on one set."""
    lines = []
    with one_thread():
        for method in methods:
            begin = perf_counter()
            found = dict(zip(("chosen", "low", "high"), choose(method, X, range(1, most + 1)), strict=True))
            line = {"family": name, "set": number, "null": null, "n": len(X), "p": X.shape[1], "k": k}
            lines.append(line | {"rule": method, **found, "seconds": round(perf_counter() - begin, 2)})
    return lines


def main(options: argparse.Namespace) -> int:
    """Run every rule on every set and print the shares that are right."""
    wanted = options.methods or ([OURS, *OLD] if options.criteria else METHODS)
    methods = [name for name in METHODS | OLD if name in wanted]
    if options.record and (commit_here() or "-dirty").endswith("-dirty"):
        print("a record names its commit: commit your changes, then run it again")
        return 2
    tasks = [(*one, methods) for one in sets_of(options)]
    begin = perf_counter()
    found = Parallel(n_jobs=options.n_jobs, return_as="generator")(delayed(run_set)(*task) for task in tasks)
    lines = [line for part in tqdm(found, total=len(tasks), unit="set", disable=None) for line in part]
    table = pd.DataFrame(lines)
    print(in_all(table).to_string())
    print(by_family(table).to_string())
    print(f"{len(tasks)} sets, {len(methods)} rules, {perf_counter() - begin:.0f} s")
    if options.record:
        given = "--battery FOLDER" if options.battery else f"--seed {options.seed}"
        name = BATTERY if options.battery else CRITERIA if options.criteria else NAME
        given += " --criteria" if options.criteria else ""
        given += " --data FOLDER" if options.data else ""
        given += "".join(
            f" --{name} {' '.join(map(repr, values))}"
            for name in ("methods", "families")
            if (values := getattr(options, name))
        )
        scale = f"python -m validation clusters {given} --record"
        print(f"recorded: {save_table(table, options.output, name, scale)}")
    return 0
