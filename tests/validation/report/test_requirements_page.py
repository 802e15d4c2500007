"""What requirements and deviations refer to: lines of docs/requirements.md, files of the project, papers."""

import re
from collections.abc import Iterator

import pytest

from tests.places import ROOT
from validation.report.requirements import load_table

PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\| ([a-z-]+ [^|]+?) \| (.+?) \|$", PAGE, re.MULTILINE)
NAMES = {line.partition(" ")[0] for line, _ in LINES}
KNOWN = {line for line, _ in LINES}
PAPER = re.compile(r"\b(19|20)\d\d\b|help page$")
"""Marks of a paper or a manual."""


def split_range(text: str) -> list[str]:
    """Ends and middle of a range such as ``A1-A7`` or ``3-5``."""
    for separator in ("-", " and "):
        first, found, last = text.partition(separator)
        if found:
            letter = re.sub(r"\d+", "", first)
            numbers = range(int(first.lstrip(letter)), int(last.lstrip(letter)) + 1)
            return [f"{letter}{n}" for n in (numbers if separator == "-" else (numbers[0], numbers[-1]))]
    return [text]


def references(text: str) -> Iterator[str]:
    """The lines and files that a text names; papers are left out."""
    for part in (part.strip() for part in text.split(";")):
        name, before = "", ""
        for piece in () if PAPER.search(part) else part.split(", "):
            first, _, rest = piece.partition(" ")
            if first in NAMES:
                name, piece = first, rest
            for one in split_range(piece) if name else [piece]:
                quirk = f"{name} {before}, {one}"
                yield quirk if quirk in KNOWN else f"{name} {one}".strip()
            before = before if before and f"{name} {piece}" not in KNOWN else piece


@pytest.mark.parametrize("table", ["requirements", "deviations"])
def test_every_reference_is_found(table: str) -> None:
    for entry in load_table(table):
        for reference in references(entry["spec"]) if "spec" in entry else ():
            assert reference in KNOWN or (ROOT / reference).exists(), (entry["id"], reference)


def test_lines_differ_and_say_something() -> None:
    assert len(LINES) == len(KNOWN) > 100
    assert all(text.endswith(".") for _, text in LINES)
