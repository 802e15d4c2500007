"""``python -m validation fuzz``: makes calls with inputs of every kind, and counts what comes of them."""

import argparse
import importlib
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from validation.fuzz import commands, doors, estimators, functions, rfunctions, strangers
from validation.fuzz.judge import CLEAR, KINDS, RIGHT, Call
from validation.fuzz.workers import Finished, NoWorkerError, make_and_judge, run_calls
from validation.papers.shared.store import save_table

NAME = "fuzz"
"""Name of the files of recorded counts, without extension."""
FOLDER = Path(__file__).parents[2] / "results"
MINUTES = 5.0
LIMIT = 60.0
"""Seconds of a call at most."""
FAULTS = "faults"
"""Name of the faults in the table of counts."""
HARD = {
    "search killed": "processes",
    "one folder, several commands": "processes",
    "fork after fit": "processes",
    "flipped bits": "damage",
    "hostile results": "damage",
    "names of R scripts": "damage",
}
"""Targets of `--tries` with their modules, which are loaded for them alone: some need POSIX."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--minutes", type=float, default=MINUTES, help="how long (default %(default)g)")
    size.add_argument("--calls", metavar="N", type=int, help="the first N calls of each seed")
    size.add_argument("--call", metavar="N", type=int, help="one call again, by its number")
    size.add_argument("--try", dest="attempt", metavar="N", type=int, help="one try again, by its number")
    parser.add_argument("--seed", type=int, nargs="+", default=[0], help="other campaigns (default 0)")
    parser.add_argument("--only", metavar="NAME", choices=list(TARGETS), help="only calls of this target")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=LIMIT, help="time limit of a call")
    parser.add_argument("--n-jobs", metavar="N", type=int, default=2, help="processes (default %(default)s)")
    parser.add_argument("--faults", action="store_true", help="kills, full disks, changing files as well")
    parser.add_argument(
        "--tries",
        metavar="N",
        type=int,
        default=0,
        help="N tries of each as well: kills, forks, flipped bits",
    )
    parser.add_argument("--output", metavar="DIR", type=Path, default=FOLDER, help="default: results")


def main(options: argparse.Namespace) -> int:
    """Make the calls, print the findings and the counts, and write both into a folder."""
    if options.call is not None:
        return show(options.seed[0], options.call, options.limit)
    if options.attempt is not None:
        return show(options.seed[0], options.attempt, options.limit, hard=True)
    counts: Counter[tuple[str, str]] = Counter()
    started = time.monotonic()
    options.output.mkdir(parents=True, exist_ok=True)
    try:
        _count(options, started, counts)
    except NoWorkerError as error:
        print(f"fuzz: error: {error}", file=sys.stderr)
        return 2
    minutes = (time.monotonic() - started) / 60
    table = count_table(counts)
    save_table(table, options.output, NAME, _command(options))
    print(table.to_string(index=False))
    return report(table, minutes)


def _count(options: argparse.Namespace, started: float, counts: Counter[tuple[str, str]]) -> None:
    """Count the outcomes, and print and write the findings as they come."""
    with (options.output / "fuzz-findings.jsonl").open("w", encoding="utf-8") as file:
        for target, kind, finding in _outcomes(options, started):
            counts[target, kind] += 1
            if kind not in (RIGHT, CLEAR):
                print(in_words(finding), flush=True)
                print(json.dumps(finding), file=file, flush=True)


def _command(options: argparse.Namespace) -> str:
    """The command that repeats the campaign."""
    size = f"--minutes {options.minutes:g}" if options.calls is None else f"--calls {options.calls}"
    only = f" --only '{options.only}'" if options.only else ""
    limit = "" if options.limit == LIMIT else f" --limit {options.limit:g}"
    seeds = " ".join(map(str, options.seed))
    tries = f" --tries {options.tries}" if options.tries else ""
    return (
        f"python -m validation fuzz {size} --seed {seeds}{limit}{only}{tries}{' --faults' * options.faults}"
    )


def _outcomes(options: argparse.Namespace, started: float) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Target, class and description of every call, then of every try and fault that are asked for."""
    for i, seed in enumerate(options.seed, start=1):
        until = started + 60 * options.minutes * i / len(options.seed)
        for finished in run_calls(
            make_call, seed, _numbers(options, seed, until), options.limit, options.n_jobs
        ):
            target = target_of(seed, finished.number)
            yield target, finished.outcome.kind, describe(seed, target, finished)
    seed, numbers = options.seed[0], iter(range(options.tries * len(HARD)))
    for finished in (
        run_calls(make_try, seed, numbers, options.limit, options.n_jobs) if options.tries else ()
    ):
        target = hard_target_of(finished.number)
        yield target, finished.outcome.kind, describe(seed, target, finished, "try")
    for module in ("faults", "concurrency") if options.faults else ():
        for scenario in importlib.import_module(f"validation.fuzz.{module}").SCENARIOS:
            name, kind, detail = scenario()
            again = "python -m validation fuzz --calls 0 --faults"
            finding = {
                "target": name,
                "kind": kind,
                "detail": detail,
                "place": "",
                "call": name,
                "again": again,
            }
            yield FAULTS, kind, finding


def report(table: pd.DataFrame, minutes: float) -> int:
    """Print the sums over all targets; 1 if there are findings, else 0."""
    sums = table[list(KINDS)].sum()
    calls = int(sums.sum())
    words = ", ".join(f"{count} {kind}" for kind, count in sums.items())
    print(f"{calls} calls, {calls / max(minutes, 1e-9):.0f} a minute: {words}")
    return int(calls > sums[RIGHT] + sums[CLEAR])


def _numbers(options: argparse.Namespace, seed: int, until: float) -> Iterator[int]:
    """The numbers of the calls with a seed, until enough are made or the time is over."""
    numbers = itertools.count() if options.calls is None else iter(range(options.calls))
    for number in numbers:
        if options.calls is None and time.monotonic() > until:
            return
        if options.only in (None, target_of(seed, number)):
            yield number


def describe(seed: int, target: str, finished: Finished, option: str = "call") -> dict[str, str]:
    """A finding as a line of the file of findings."""
    return {
        "target": target,
        "kind": finished.outcome.kind,
        "detail": finished.outcome.detail,
        "place": finished.outcome.place,
        "call": finished.text,
        "again": f"python -m validation fuzz --seed {seed} --{option} {finished.number}",
    }


def in_words(finding: dict[str, str]) -> str:
    """A finding for people, in three lines."""
    place = f" at {finding['place']}" if finding["place"] else ""
    return f"{finding['kind']}: {finding['detail']}{place}\n    {finding['call']}\n    {finding['again']}"


def count_table(counts: Counter[tuple[str, str]]) -> pd.DataFrame:
    """Counts of every class by target, in the order of the schedule."""
    found = {target for target, _ in counts}
    groups = {**GROUP, **dict.fromkeys(HARD, "killed, forked, damaged"), FAULTS: "faults"}
    rows = [
        {"group": group, "target": name, **{kind: counts[name, kind] for kind in KINDS}}
        for name, group in groups.items()
        if name in found
    ]
    return pd.DataFrame(rows, columns=["group", "target", *KINDS])


def show(seed: int, number: int, limit: float, hard: bool = False) -> int:
    """Make one call, or one try, and print what comes of it; 1 for a finding, else 0."""
    finished = make_and_judge(make_try if hard else make_call, seed, number, limit)
    target = hard_target_of(number) if hard else target_of(seed, number)
    print(in_words(describe(seed, target, finished, "try" if hard else "call")))
    return int(finished.outcome.kind not in (RIGHT, CLEAR))


GROUPS = (
    (estimators, "estimators", 48),
    (rfunctions, "R's functions", 20),
    (doors, "public functions, one or two wrong values", 16),
    (functions, "other functions", 10),
    (commands, "command line", 2),
    (strangers, "files and folders of strangers", 4),
)
"""Modules of calls, with the name of the group and its share in percent."""
SLOW = {
    "Clest": 0.15,
    "wrskGap": 0.15,
    "KMeansSparseCluster.permute": 0.3,
    "HierarchicalSparseCluster.permute": 0.3,
    "DEC": 0.4,
    "StabilitySelection": 0.5,
    "ConsensusClustering": 0.5,
    "PermutationGap": 0.5,
    "EntryCrossValidation": 0.5,
    "ModelChoice": 0.5,
    "ThinnedSearch": 0.5,
    "PredictionStrength": 0.5,
    "SelectionConsistency": 0.5,
    "FitUncertainty": 0.5,
}
"""Weights of targets that take long or are drawn within others; all others have 1."""
TARGETS = {name: module for module, _, _ in GROUPS for name in module.NAMES}
"""Module by target."""
GROUP = {name: group for module, group, _ in GROUPS for name in module.NAMES}
"""Group by target."""


def _shares() -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Probability of each target."""
    parts = []
    for module, _, percent in GROUPS:
        weights = np.array([SLOW.get(name, 1.0) for name in module.NAMES])
        parts.append(percent / 100 * weights / weights.sum())
    return np.concatenate(parts)


SHARES = _shares()


def target_of(seed: int, number: int) -> str:
    """The target of a call."""
    return str(np.random.default_rng([seed, number]).choice(list(TARGETS), p=SHARES))


def make_call(seed: int, number: int) -> Call:
    """A call by its number."""
    name = target_of(seed, number)
    return TARGETS[name].make_call(name, np.random.default_rng([seed, number, 1]))


def hard_target_of(number: int) -> str:
    """The target of a try."""
    return list(HARD)[number % len(HARD)]


def make_try(seed: int, number: int) -> Call:
    """A try by its number."""
    name = hard_target_of(number)
    module = importlib.import_module(f"validation.fuzz.{HARD[name]}")
    call: Call = module.MAKERS[name](np.random.default_rng([seed, number, 2]))
    return call
