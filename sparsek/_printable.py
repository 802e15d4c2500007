"""Texts from data and files, such as names of features, made safe to print. Light: imports nothing heavy."""

from __future__ import annotations

import re

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that command a terminal, turn the direction of text or cannot be written."""


def printable(text: str) -> str:
    r"""The text with control characters as in Python's literals, such as \\x1b; line ends and tabs stay."""
    return CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def on_one_line(text: str) -> str:
    """The printable text with escapes for line ends and tabs too."""
    return printable(text).replace("\n", r"\n").replace("\t", r"\t")
