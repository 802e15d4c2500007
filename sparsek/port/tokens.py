"""Splits R text into tokens; runs nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\n\u00a0;]+ | \#[^\n]*)
    | (?P<raw>[rR]["'](?P<dashes>-*)[(\[{])
    | (?P<number>(?:0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?
        | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[Li]?)
    | (?P<text>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
    | (?P<quoted>`(?:[^`\\]|\\.)*`)
    | (?P<name>(?:[^\W\d_]|\.(?!\d))[\w.]*)
    | (?P<mark><<-|->>|\|>|%[^%\n]*%|:::|::|:=|<-|->|<=|>=|==|!=|&&|\|\||[-+*/^~?!&|<>=:,$@()\[\]{}\\])""",
    re.VERBOSE | re.DOTALL,
)
CLOSING = {"(": ")", "[": "]", "{": "}"}


class TextError(ValueError):
    """Text that is not R; the message names the line."""

    def __init__(self, line: int, rest: str) -> None:
        self.rest = rest.strip().partition("\n")[0][:20]
        super().__init__(f"line {line}: cannot read {self.rest!r} as R")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of R text."""

    kind: str  # What it is. Names in backticks are names without them
    text: str  # The token; texts with their quotes
    start: int  # start, end: where it is in the whole text: its first character and the one after its last
    end: int
    line: int  # Its line, from 1


def tokens_of(text: str) -> list[Token]:
    """The tokens of R text; blanks, ends of lines, semicolons and comments are left out.

    Raises TextError where the text is not R, such as a quote that is never closed.
    """
    tokens: list[Token] = []
    at, line = 0, 1
    while at < len(text):
        found = TOKEN.match(text, at)
        kind = found.lastgroup if found else None
        if found is None or kind is None:
            raise TextError(line, text[at:])
        end = _end_of_raw(text, found, line) if found["raw"] is not None else found.end()
        if kind != "space":
            kind, content = _kind_and_text(kind, text[at:end])
            tokens.append(Token(kind, content, at, end, line))
        line += text.count("\n", at, end)
        at = end
    return tokens


def _kind_and_text(kind: str, text: str) -> tuple[str, str]:
    """Kind and text of a token, from those of its match."""
    if kind == "quoted":
        return "name", text[1:-1]
    return ("text" if kind in ("raw", "dashes") else kind), text


def _end_of_raw(text: str, found: re.Match[str], line: int) -> int:
    """Where a raw text, such as r"(...)", ends."""
    quote, opening = found["raw"][1], found["raw"][-1]
    closing = CLOSING[opening] + found["dashes"] + quote
    end = text.find(closing, found.end())
    if end < 0:
        raise TextError(line, text[found.start() :])
    return end + len(closing)
