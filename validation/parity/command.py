"""``python -m validation parity``: the table per function, the failing cases, files, the exit code."""

import argparse
import dataclasses
import datetime
import itertools
import json
import platform
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from r_reference import bridge
from r_reference.case_parts import Case
from r_reference.listing import tolerances
from r_reference.records import recorded_with
from sparsek._files import check_target, whole_file
from validation.parity import cases as parity
from validation.parity.cases import CaseResult
from validation.parity.table import by_function, write_table


def format_table(results: Sequence[CaseResult]) -> str:
    """The counts per function and source."""
    lines = [f"{'function':<28} {'against':<9} {'cases':>6} {'exact':>6} {'within':>6} {'worst LRE':>9}"]
    for (function, source), members in by_function(results).items():
        exact = sum(member.exact for member in members)
        within = sum(member.within_tolerance for member in members)
        worst = min(member.worst_lre for member in members)
        lines.append(f"{function:<28} {source:<9} {len(members):>6} {exact:>6} {within:>6} {worst:>9.1f}")
    return "\n".join(lines)


def format_failures(results: Sequence[CaseResult]) -> str:
    """One line per case that differs, with its seed."""
    failing = [result for result in results if not result.passed]
    return "\n".join(f"DIFFERS {r.id} (seed {r.seed}, {r.source}): {r.message}" for r in failing)


def format_total(results: Sequence[CaseResult]) -> str:
    """How many of the comparisons are exact, and how many within a tolerance."""
    exact = sum(result.exact for result in results)
    within = sum(result.within_tolerance for result in results)
    tolerated = f", {within} within a stated tolerance" * (within > 0)
    return f"{exact} of {len(results)} comparisons exact{tolerated}"


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
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=Path,
        help="write versions, counts and differences to FILE",
    )
    parser.add_argument(
        "--table",
        metavar="FILE",
        type=Path,
        help="write counts, times and differing cases of each function to a CSV file, after each function",
    )


def main(options: argparse.Namespace) -> int:
    """Run the comparison and print it."""
    try:
        for file in filter(None, (options.json, options.report, options.table)):
            check_target(file)
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
    results = _compare(table, fresh, options)
    if not results:
        reason = f"no case matches {options.cases!r}; ids look like kmeans-3f9a1c02"
        empty = "there are no cases; python -m r_reference.make_cases writes their table"
        print(empty if options.cases is None else reason, file=sys.stderr)
        return 2
    skips = parity.live_skips([*(table if options.live_r else []), *fresh])
    skipped = [f"{skip['cases']} live cases: {skip['reason']}" for skip in skips]
    _write_files(options, results, skipped)
    for line in skipped:
        print(f"SKIPPED {line}")
    print("\n".join(filter(None, [format_table(results), format_failures(results), format_total(results)])))
    return _exit_code(results)


def _compare(table: Sequence[Case], fresh: Sequence[Case], options: argparse.Namespace) -> list[CaseResult]:
    """Compare recorded and fresh cases; the table is written after each function of the fresh ones."""
    results = parity.run_cases(table, live=options.live_r)
    parts = [list(members) for _, members in itertools.groupby(fresh, key=lambda case: case["function"])]
    for part in parts or [[]]:
        results += parity.run_cases(part, recorded=False, live=True)
        if options.table and results:
            write_table(results, options.table)
    return results


def _write_files(options: argparse.Namespace, results: Sequence[CaseResult], skipped: Sequence[str]) -> None:
    """Write every comparison, and the report, where they are asked for."""
    texts = {}
    if options.json:
        texts[options.json] = json.dumps([dataclasses.asdict(r) for r in results], indent=1, allow_nan=False)
    if options.report:
        texts[options.report] = write_page(results, skipped, repeat(options))
    for file, text in texts.items():
        with whole_file(file) as temporary:
            temporary.write_text(text, encoding="utf-8")


def repeat(options: argparse.Namespace) -> str:
    """The command that makes these comparisons again."""
    words = ["--live-r"] * options.live_r
    words += ["--cases", options.cases] if options.cases else []
    words += ["--random", str(options.random), "--seed", str(options.seed)] if options.random else []
    return shlex.join(["python", "-m", "validation.parity", *words])


def _exit_code(results: Sequence[CaseResult]) -> int:
    """0 where all comparisons pass; those that this R itself makes differ are counted apart."""
    differing = [result for result in results if not result.passed]
    apart = [result for result in differing if result.source == "live"]
    reason = bridge.other_digits() if apart else ""
    if reason:
        print(f"counted apart: {len(apart)} live comparisons differ: {reason}")
    return 0 if len(differing) == len(apart) * bool(reason) else 1


def write_page(results: Sequence[CaseResult], skipped: Sequence[str], command: str) -> str:
    """The report on these comparisons, made by a command."""
    functions = {result.function for result in results}
    parts = [
        "# Comparison with R",
        format_total(results) + ".",
        f"`{command}`",
        "## Made with",
        "\n".join(f"- {fact}" for fact in _facts(results)),
        "## Functions",
        _block(format_table(results)),
        *(["## Left out", "\n".join(f"- {line}" for line in skipped)] if skipped else []),
        "## Differences",
        _block(format_failures(results)) if not all(r.passed for r in results) else "None.",
        "## Tolerances",
        _tolerances(functions) or "None: every field must equal R's in every bit.",
    ]
    return "\n\n".join(parts) + "\n"


def _block(text: str) -> str:
    """A text as it is."""
    return f"```text\n{text}\n```"


def _facts(results: Sequence[CaseResult]) -> list[str]:
    """Day, versions and platform of both sides."""
    sources = {result.source for result in results}
    facts = [
        f"on {datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        f"Python {platform.python_version()}, numpy {np.__version__}, {platform.platform()}",
    ]
    if "recorded" in sources:
        facts += [f"records of {line}" for line in recorded_with()]
    if "live" in sources:
        versions = bridge.live_versions(sorted({result.package for result in results}))
        named = [text if name == "R" else f"{name} {text}" for name, text in versions.items()]
        facts.append(f"live: {', '.join(named)}")
    return facts


def _tolerances(functions: set[str]) -> str:
    """Table of the fields that need not equal R's in every bit; empty without any."""
    stated = [entry for entry in tolerances() if functions & set(entry["functions"])]
    rows = [
        (", ".join(entry["functions"]), ", ".join(entry["fields"]), entry["digits"], entry["reason"])
        for entry in stated
    ]
    table = [("functions", "fields", "digits that must agree", "reason"), ("---",) * 4, *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in table) if rows else ""
