"""Texts from data and files, such as names of features, made safe to print. Light: imports nothing heavy."""

from __future__ import annotations

from html import escape
from unicodedata import category

HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs", "Zl", "Zp"))
"""Categories of characters that command a terminal, turn the direction of text, have no width or a private
meaning, end a line, or cannot be written."""
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Characters that show nothing although their categories are those of letters and marks."""
KEPT = frozenset("\t\n")
"""Line ends and tabs, which texts of several lines have."""


def printable(text: str) -> str:
    r"""The text with hidden characters as in Python's literals, such as \\x1b; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(letter) if _is_hidden(letter) else letter for letter in text)


def on_one_line(text: str) -> str:
    """The printable text with escapes for line ends and tabs too."""
    return printable(text).replace("\n", r"\n").replace("\t", r"\t")


def in_html(text: str) -> str:
    """The printable text as HTML, which takes none of it for its own."""
    return escape(printable(text))


def _is_hidden(letter: str) -> bool:
    """Whether a character is not to be shown as it is."""
    return letter not in KEPT and (category(letter) in HIDDEN or letter in BLANKS)


def _escaped(letter: str) -> str:
    r"""A character as in Python's literals, such as \\u202e."""
    return letter.encode("unicode_escape").decode()
