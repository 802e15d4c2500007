"""What a command says: text without control characters, errors and warnings on one line."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that command a terminal, turn the direction of text or cannot be written."""


def printable(text: str) -> str:
    r"""The text with control characters as in Python's literals, such as \\x1b; line ends and tabs stay."""
    return CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def show(text: str, err: bool = False) -> None:
    """Print a text, with escapes for what must not or cannot be printed."""
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    typer.echo(printable(text).encode(encoding, "backslashreplace").decode(encoding), err=err)


def say(text: str) -> None:
    """Write a message of one line to standard error."""
    show("sparsek: " + " ".join(text.split()), err=True)


@contextmanager
def warnings_on_one_line() -> Iterator[list[str]]:
    """Collect warnings and show each text once; those meant for programmers are left out."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            yield texts
        finally:
            for warning in found:
                text = " ".join(str(warning.message).split())
                kind = warning.category  # pyparsing's warnings of deprecation are of both classes
                meant = issubclass(kind, UserWarning) and not issubclass(kind, DeprecationWarning)
                if meant and text not in texts:
                    texts.append(text)
                    say(f"warning: {text}")
