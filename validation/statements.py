"""Sentences and tables of README and the pages that state what runs found.

They stand between two marks. ``python -m validation statements`` writes all of them from the records;
``python -m validation statements --check`` writes nothing and fails where one is out of date.
"""

import argparse
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path

from sparsek._files import whole_file
from validation import in_words
from validation.benchmarks.mixed_page import peers_in_words
from validation.benchmarks.real.page import choosing_in_words, means_in_words
from validation.papers import overview, settings
from validation.papers.inference.paper import CALL, COVERAGE, FDR, ONE, ROBUST, table_in_words
from validation.papers.minmax.checks import memory_in_words
from validation.papers.shared.power import power_in_words
from validation.papers.skfr.gain import gain_in_words
from validation.papers.skfr.real_tables.grid_section import identified_in_words
from validation.papers.skfr.simulation.table_sections import iterations_in_words
from validation.times import times_in_words

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/*.md", "docs/*/*.md")
"""Where statements may stand."""
STATEMENTS: dict[str, Callable[[], str]] = {
    "defaults": settings.defaults_in_words,
    "list-of-defaults": settings.list_of_defaults,
    "papers": overview.joint_in_words,
    "parity": in_words.parity_in_words,
    "parity-in-short": in_words.equal_in_words,
    "arguments": in_words.arguments_in_words,
    "argument-list": in_words.list_arguments,
    "platforms": in_words.platforms_in_words,
    "platform-table": in_words.platform_table,
    "gain": gain_in_words,
    "identified": identified_in_words,
    "power": power_in_words,
    "counts": overview.all_in_words,
    "claims": overview.claims_in_words,
    "iterations": iterations_in_words,
    "minmax-memory": memory_in_words,
    "inference-robust": partial(table_in_words, ROBUST),
    "inference-call": partial(table_in_words, CALL),
    "inference-one": partial(table_in_words, ONE),
    "inference-fdr": partial(table_in_words, FDR),
    "inference-coverage": partial(table_in_words, COVERAGE),
    "mixed-peers": peers_in_words,
    "times": times_in_words,
    "real": means_in_words,
    "real-methods": choosing_in_words,
}
"""What makes the text of a statement, by its name."""
BETWEEN = re.compile(
    r"(<!-- (?P<name>[\w-]+), written by python -m validation statements: -->\n).*?(<!-- End -->)", re.DOTALL
)


def find_pages() -> list[Path]:
    """The pages on which a statement stands."""
    files: Iterable[Path] = (path for pattern in PAGES for path in sorted(ROOT.glob(pattern)))
    return [path for path in files if BETWEEN.search(path.read_text(encoding="utf-8"))]


def fill_in(text: str) -> str:
    """The text of a page with every statement as the records have it now.

    Raises ValueError if a mark names no statement.
    """

    def written(marks: re.Match[str]) -> str:
        return f"{marks[1]}{_state(marks['name'])}\n{marks[3]}"

    return BETWEEN.sub(written, text)


@cache
def _state(name: str) -> str:
    """The text of a statement; made once, because some read many records."""
    if name not in STATEMENTS:
        raise ValueError(f"no statement is called {name!r}; known are {', '.join(STATEMENTS)}")
    return STATEMENTS[name]().rstrip()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-command."""
    parser.add_argument("--check", action="store_true", help="only say which pages are out of date")


def main(options: argparse.Namespace) -> int:
    """Write the statements, or check them."""
    stale = 0
    for path in find_pages():
        before = path.read_text(encoding="utf-8")
        after = fill_in(before)
        if after == before:
            continue
        place = path.relative_to(ROOT)
        if options.check:
            stale += 1
            print(f"{place} is out of date: run python -m validation statements")
        else:
            with whole_file(path) as temporary:
                temporary.write_text(after, encoding="utf-8")
            print(f"written: {place}")
    return int(stale > 0)
