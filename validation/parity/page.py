"""The report of a comparison as a page in Markdown: versions, counts, differences, tolerances."""

import datetime
import platform
from collections.abc import Sequence

import numpy as np

from r_reference import bridge
from r_reference.listing import tolerances
from r_reference.records import recorded_with
from validation.parity.cases import CaseResult
from validation.parity.tables import format_failures, format_table, format_total


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
