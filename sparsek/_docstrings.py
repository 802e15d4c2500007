"""Sentences of several docstrings, once: what a docstring leaves out is filled in from a table of texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import cleandoc
from textwrap import fill
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])
LINES: dict[str, Any] = {"width": 110, "break_long_words": False, "break_on_hyphens": False}
NAMED = re.compile(r"\[[^]]+\]")
"""A name in brackets, such as ``[starts]``."""
BARE = re.compile(r"^( *)(\S.*?)(?: : .+)?\n(?!\1 +\S)", re.MULTILINE)
"""A line that no text follows, with its indentation and name: an entry, a name in brackets, or any other."""


def completed(docstring: str, texts: Mapping[str, str]) -> str:
    """The docstring with a text below each entry that has none, and in place of each line ``[name]``.

    Texts may hold ``[name]`` too.
    """

    def whole(text: str) -> str:
        """A text with those that it names."""
        return NAMED.sub(lambda part: whole(texts[part[0]]) if part[0] in texts else part[0], text)

    def entry(found: re.Match[str]) -> str:
        """A line with what follows from it."""
        indent, name = found[1], found[2]
        if name not in texts:
            return found[0]
        kept, margin = ("", indent) if NAMED.fullmatch(name) else (found[0], indent + " " * 4)
        return f"{kept}{fill(whole(texts[name]), initial_indent=margin, subsequent_indent=margin, **LINES)}\n"

    return BARE.sub(entry, docstring)


def complete(parts: Iterable[Any], texts: Mapping[str, str]) -> None:
    """Fill texts into the docstrings of functions and classes, if docstrings are there at all."""
    for part in parts:
        if part.__doc__:
            part.__doc__ = completed(part.__doc__, texts)


def extends(base: type[Any]) -> Callable[[Method], Method]:
    """Give a method the docstring of that of the base, with its own as further parameters."""

    def decorate(method: Method) -> Method:
        whole = getattr(base, method.__name__).__doc__
        if whole and method.__doc__:
            entries = f"\n{cleandoc(method.__doc__)}\n\nReturns"
            method.__doc__ = cleandoc(whole).replace("\n\nReturns", entries, 1)
        return method

    return decorate
