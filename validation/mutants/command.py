"""``python -m validation mutants``: runs the tests on the sampled mutants and prints the survivors."""

import argparse
import logging
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from validation.mutants.sample import Mutant, draw_sample
from validation.mutants.session import KILLED, SURVIVED, TIMED_OUT, identify, load, run

if TYPE_CHECKING:
    from validation.mutants.sample import Mutant


ROOT = Path(__file__).parents[2]
SETTINGS = Path(__file__).with_name("settings.toml")
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
SIZE = 300
"""Number of mutants in the sample."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--n-jobs", metavar="N", type=int, default=1, help="mutants at a time (default 1)")
    parser.add_argument("--session", type=Path, default=ROOT / "results" / "mutants.jsonl", help="its file")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--survivors", action="store_true", help="test those again that survived before")
    parser.add_argument("--list", action="store_true", help="only print what earlier runs found")


def main(options: argparse.Namespace) -> int:
    """Test the mutants of the sample and print the survivors."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("validation.mutants").setLevel(logging.INFO)
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])
    sample = {identify(ROOT, mutant): mutant for mutant in draw_sample(ROOT, settings["operators"], SIZE)}
    equivalent, wrong = match_equivalents(entries, sample.values())
    if options.fresh:
        options.session.unlink(missing_ok=True)
    known = load(options.session)
    again = SURVIVED if options.survivors else None
    open_ones = {
        name: mutant
        for name, mutant in sample.items()
        if name not in known or (known[name]["outcome"] == again and mutant.key not in equivalent)
    }
    if open_ones and not options.list:
        run(ROOT, options.session, open_ones, settings, options.n_jobs)
    outcomes = {name: entry["outcome"] for name, entry in load(options.session).items() if name in sample}
    wrong += [
        f"is killed by a test, so not equivalent: {sample[name]}"
        for name, outcome in outcomes.items()
        if outcome == KILLED and sample[name].key in equivalent
    ]
    survivors = report(sample, outcomes, equivalent)
    for message in wrong:
        print(f"An entry of equivalent.toml {message}", file=sys.stderr)
    return 2 if wrong else int(bool(survivors))


def report(sample: dict[str, Mutant], outcomes: dict[str, str], equivalent: dict[str, str]) -> list[Mutant]:
    """Print the survivors and the counts."""
    counts = Counter(outcomes.values())
    survived = [sample[name] for name, outcome in outcomes.items() if outcome == SURVIVED]
    survivors = sorted((mutant for mutant in survived if mutant.key not in equivalent), key=str)
    for mutant in survivors:
        print(mutant)
    same = len(survived) - len(survivors)
    noticed, told = counts[KILLED] + counts[TIMED_OUT], len(outcomes) - same
    share = f"{noticed / told:.1%}" if told else "none"
    print(
        f"{len(sample)} sampled, {len(sample) - len(outcomes)} not tested yet, {counts[KILLED]} killed, "
        f"{counts[TIMED_OUT]} timed out, {counts[SURVIVED]} survived, {same} of them equivalent; "
        f"noticed of those that are not: {share}"
    )
    return survivors


def match_equivalents(
    entries: Iterable[Mapping[str, str]], sample: "Iterable[Mutant]"
) -> tuple[dict[str, str], list[str]]:
    """Match the entries with mutants of the sample."""
    keys: dict[tuple[str, str, str], list[str]] = {}
    for mutant in sample:
        keys.setdefault((mutant.file, mutant.before, mutant.after), []).append(mutant.key)
    reasons, wrong = {}, []
    for entry in entries:
        found = keys.get((entry["file"], entry["before"], entry["after"]), [])
        if not found:
            wrong.append(f"matches no mutant of the sample: {entry['file']}: {entry['after']}")
        if not entry.get("reason", "").strip():
            wrong.append(f"has no reason: {entry['file']}: {entry['after']}")
        reasons.update(dict.fromkeys(found, entry.get("reason", "")))
    return reasons, wrong
