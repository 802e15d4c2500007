"""``python -m validation parity``: the table per function, the failing cases, the exit code."""

import argparse
import dataclasses
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from r_reference import bridge
from sparsek._files import check_target, whole_file
from validation.parity import cases as parity
from validation.parity.cases import CaseResult


def case_pattern(text: str) -> str:
    """Check a regular expression for case ids.

    Raises argparse.ArgumentTypeError if it is not a regular expression.
    """
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from error
    return text


def add_cases(parser: argparse.ArgumentParser) -> None:
    """The option that chooses cases."""
    parser.add_argument(
        "--cases",
        metavar="PATTERN",
        type=case_pattern,
        help="only cases whose id this regular expression finds",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--live-r", action="store_true", help="compare with R itself too")
    add_cases(parser)
    parser.add_argument("--random", metavar="N", type=int, default=0, help="N fresh cases per function, live")
    parser.add_argument(
        "--seed", metavar="S", type=int, default=1, help="seed of the fresh cases (default 1)"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every comparison to FILE")


def format_table(results: Sequence[CaseResult]) -> str:
    """The counts per function and source."""
    groups: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        groups.setdefault((result.function, result.source), []).append(result)
    lines = [f"{'function':<28} {'against':<9} {'cases':>6} {'exact':>6} {'within':>6} {'worst LRE':>9}"]
    for (function, source), members in groups.items():
        exact = sum(member.exact for member in members)
        within = sum(member.within_tolerance for member in members)
        worst = min(member.worst_lre for member in members)
        lines.append(f"{function:<28} {source:<9} {len(members):>6} {exact:>6} {within:>6} {worst:>9.1f}")
    return "\n".join(lines)


def format_failures(results: Sequence[CaseResult]) -> str:
    """One line per case that differs, with its seed."""
    failing = [result for result in results if not result.passed]
    return "\n".join(f"DIFFERS {r.id} (seed {r.seed}, {r.source}): {r.message}" for r in failing)


def main(options: argparse.Namespace) -> int:
    """Run the comparison and print it."""
    try:
        if options.json:
            check_target(options.json)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    live = options.live_r or options.random > 0
    found, reason = bridge.available() if live else (True, "")
    if not found:
        print(f"no live comparison: {reason}", file=sys.stderr)
        return 2
    table = parity.select_cases(options.cases)
    fresh = parity.random_cases(options.random, options.seed, options.cases) if options.random else []
    results = parity.run_cases(table, live=options.live_r)
    results += parity.run_cases(fresh, recorded=False, live=True)
    if not results:
        print(f"no case matches {options.cases!r}; ids look like kmeans-3f9a1c02", file=sys.stderr)
        return 2
    if options.json:
        with whole_file(options.json) as temporary:
            temporary.write_text(
                json.dumps([dataclasses.asdict(r) for r in results], indent=1, allow_nan=False)
            )
    for skip in parity.live_skips([*(table if options.live_r else []), *fresh]):
        print(f"SKIPPED {skip['cases']} live cases: {skip['reason']}")
    print("\n".join(filter(None, [format_table(results), format_failures(results)])))
    exact = sum(result.exact for result in results)
    within = sum(result.within_tolerance for result in results)
    print(
        f"{exact} of {len(results)} comparisons exact"
        + f", {within} within a stated tolerance" * (within > 0)
    )
    apart = [r for r in results if r.source == "live" and not r.passed]
    reason = bridge.other_digits() if apart else ""
    if reason:
        print(f"counted apart: {len(apart)} live comparisons differ: {reason}")
    counted_apart = len(apart) if reason else 0
    return 0 if exact + within + counted_apart == len(results) else 1
