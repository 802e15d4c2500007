"""Reads the text of one R call, such as ``KMeansSparseCluster(K=3, wbounds=c(2,4))``; evaluates no code."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from r_reference.recipes import load_table
from sparsek.numerics.ordered_arithmetic import seq_length
from validation.parity.outcome import find_twin

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)L?"
    r"|(?P<text>\"[^\"\\]*\"|'[^'\\]*')"
    r"|(?P<name>[A-Za-z.][\w.]*(?:::[A-Za-z.][\w.]*)?)"
    r"|(?P<mark>[-(),=:\[\]]))"
)
CONSTANTS = {"TRUE": True, "T": True, "FALSE": False, "F": False, "NULL": None, "NA": np.nan, "Inf": np.inf}
DEEPEST = 50
"""How many values may stand inside each other, minus signs included."""
MOST_NUMBERS = 10**7
"""A call has fewer numbers than this in a range."""
HELP = "understood are numbers, c(...), a:b, seq(a, b, length.out=n), x[rows, ], texts, TRUE, FALSE and NULL"


class CallError(ValueError):
    """A call text that is not understood; the message says where and gives a valid form."""


@dataclass(frozen=True, slots=True)
class RowsOfX:
    """``x[rows, ]``: rows of the data by numbers from 1."""

    rows: np.ndarray


@dataclass(frozen=True, slots=True)
class RCall:
    """A function's name and its arguments by R's names, without the data."""

    function: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Signature:
    """An R function: package and arguments.

    Attributes
    ----------
    package : str
        Its R package.
    data : str
        R's name of its first argument, the data.
    formals : tuple of str
        R's names of the other arguments, in order.
    extra : frozenset of str
        Further names that the calls of the case table use.
    """

    package: str
    data: str
    formals: tuple[str, ...]
    extra: frozenset[str]


@cache
def signatures() -> dict[str, Signature]:
    """The calls that can be compared: the functions of the case table that take data.

    Arguments have the order of the function in `sparsek.rcompat`, which is R's. An underscore in a name
    stands for R's spelling in the case table, or else for a dot.
    """
    packages: dict[str, str] = {}
    spellings: dict[str, set[str]] = {}
    for case in load_table()["cases"]:
        if case["data"] is not None:
            packages[case["function"]] = case["package"]
            spellings.setdefault(case["function"], set()).update(case["args"])
    found = {}
    for function, package in packages.items():
        twin = find_twin(function)
        if twin is not None:
            known = {name.replace(".", "_"): name for name in spellings[function]}
            parameters = inspect.signature(twin).parameters.values()
            names = [p.name.rstrip("_") for p in parameters if p.kind != p.KEYWORD_ONLY]  # e.g. lambda_
            data, *others = (known.get(name, name.replace("_", ".")) for name in names)
            found[function] = Signature(package, data, tuple(others), frozenset(spellings[function]))
    return found


class _Reader:
    """The tokens of a text, read one after the other."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.position = 0
        self.depth = 0
        at = 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if match is None:
                raise CallError(f"cannot read {text[at:].strip()[:20]!r} in the call; {HELP}")
            kind = match.lastgroup or ""
            self.tokens.append((kind, match.group(kind)))
            at = match.end()

    def peek(self, ahead: int = 0) -> tuple[str, str]:
        """The next token, which stays in place."""
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else ("end", "the end")

    def take(self, mark: str = "") -> tuple[str, str]:
        """Remove and return the next token; CallError unless it is `mark`, if given."""
        token = self.peek()
        if mark and token != ("mark", mark):
            raise CallError(f"expected {mark!r} but found {token[1]!r} in the call; {HELP}")
        self.position += 1
        return token

    def arguments(self) -> list[tuple[str, Any]]:
        """The arguments up to the closing bracket: pairs of a name (empty without one) and a value."""
        found: list[tuple[str, Any]] = []
        self.take("(")
        while self.peek() != ("mark", ")"):
            name = ""
            if self.peek()[0] == "name" and self.peek(1) == ("mark", "="):
                name = self.take()[1]
                self.take("=")
            found.append((name, self.value()))
            if self.peek() != ("mark", ")"):
                self.take(",")
        self.take(")")
        return found

    def value(self) -> Any:
        """A value, or a range of values."""
        first = self.signed()
        if self.peek() != ("mark", ":"):
            return first
        self.take(":")
        start, stop = _number(first, "a:b"), _number(self.signed(), "a:b")
        if not abs(stop - start) < MOST_NUMBERS:
            raise CallError(f"a:b must give fewer than {MOST_NUMBERS} numbers; got {start:g}:{stop:g}")
        count = int(abs(stop - start) + 1e-10) + 1
        return start + np.arange(count) * (1.0 if stop >= start else -1.0)

    def signed(self) -> Any:
        """A value with or without a minus sign."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise CallError(f"the call is nested too deeply; {HELP}")
        if self.peek() == ("mark", "-"):
            self.take("-")
            found = -_number(self.signed(), "the minus sign")
        else:
            found = self.primary()
        self.depth -= 1
        return found

    def primary(self) -> Any:
        """A constant, c(...), seq(...) or rows of x."""
        kind, text = self.take()
        if kind == "number":
            return float(text)
        if kind == "text":
            return text[1:-1]
        if kind == "name" and self.peek() == ("mark", "(") and text in FUNCTIONS:
            return FUNCTIONS[text](self.arguments())
        if kind == "name" and text == "x":
            return self.rows() if self.peek() == ("mark", "[") else DATA
        if kind == "name" and text in CONSTANTS:
            return CONSTANTS[text]
        raise CallError(f"{text!r} is not understood in the call; {HELP}")

    def rows(self) -> RowsOfX:
        """The rows in ``x[rows, ]``."""
        self.take("[")
        rows = self.value()
        if not isinstance(rows, float | np.ndarray):
            raise CallError(f"the rows in x[rows, ] must be numbers; {HELP}")
        self.take(",")
        self.take("]")
        return RowsOfX(np.atleast_1d(rows))


DATA = object()
"""Placeholder for ``x`` among the arguments: the user's data."""


def _number(value: Any, place: str) -> float:
    """A single number."""
    if isinstance(value, float):
        return value
    raise CallError(f"{place} needs single numbers in the call; {HELP}")


def _combine(arguments: list[tuple[str, Any]]) -> np.ndarray:
    """The value of ``c(...)``: numbers and ranges joined."""
    parts = [value for _, value in arguments]
    if not parts or not all(isinstance(part, float | np.ndarray) for part in parts):
        raise CallError(f"c(...) takes numbers only in the call; {HELP}")
    return np.concatenate([np.atleast_1d(part) for part in parts])


def _sequence(arguments: list[tuple[str, Any]]) -> np.ndarray:
    """The value of ``seq(a, b, length.out=n)``."""
    names = [name for name, _ in arguments]
    if [name.removeprefix("from").removeprefix("to") for name in names[:2]] != ["", ""] or names[2:] not in (
        ["length.out"],
        ["length"],
        ["len"],
    ):
        raise CallError(f"seq is understood as seq(a, b, length.out=n) only; {HELP}")
    start, stop, length = (_number(value, "seq") for _, value in arguments)
    if not 1 <= length < MOST_NUMBERS or length != int(length):
        raise CallError(f"length.out must be a whole number from 1 to {MOST_NUMBERS - 1}; got {length:g}")
    return seq_length(start, stop, int(length))


FUNCTIONS: dict[str, Callable[[list[tuple[str, Any]]], np.ndarray]] = {"c": _combine, "seq": _sequence}


def parse_call(text: str) -> RCall:
    """Read the text of a call.

    Parameters
    ----------
    text : str
        One of the functions in `signatures`, with or without its package, the data left out or written ``x``.

    Returns
    -------
    RCall
        The function and its arguments by R's names; NULL arguments are left out.

    Raises
    ------
    CallError
        If the text is not such a call.
    """
    reader = _Reader(text)
    kind, name = reader.take()
    function = name.rpartition("::")[2]
    if kind != "name" or function not in signatures():
        raise CallError(f"unknown function {name!r}; known are {', '.join(signatures())}")
    given = reader.arguments()
    if reader.peek()[0] != "end":
        raise CallError(f"text after the call: {reader.peek()[1]!r}")
    if given and given[0][1] is DATA and given[0][0] in ("", signatures()[function].data):
        given = given[1:]
    return RCall(function, _match_arguments(function, given))


def _match_arguments(function: str, given: list[tuple[str, Any]]) -> dict[str, Any]:
    """Values by R's argument names: named ones first, the others in the order of the free names."""
    formals = signatures()[function].formals
    takes = ", ".join(formals)
    named = [name for name, _ in given if name]
    for name in named:
        if name not in {*formals, *signatures()[function].extra} or named.count(name) > 1:
            raise CallError(f"argument {name!r} is unknown or given twice; {function} takes {takes}")
    free = [name for name in formals if name not in named]
    if len(given) - len(named) > len(free):
        raise CallError(f"too many arguments; {function} takes {takes}")
    names = iter(free)
    args = {name or next(names): value for name, value in given}
    if any(value is DATA for value in args.values()):
        raise CallError(
            "x stands for the data and can only be the first argument, or rows of it in x[rows, ]"
        )
    return {name: value for name, value in args.items() if value is not None and name != "silent"}
