"""Reads the values in the text of an R call: numbers, texts, c(...), rows of the data; evaluates no code."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import seq_length
from sparsek.port.arguments import match_in_script
from sparsek.port.tokens import TextError, Token, tokens_of

CONSTANTS = {"TRUE": True, "T": True, "FALSE": False, "F": False, "NULL": None, "NA": np.nan, "Inf": np.inf}
DEEPEST = 50
"""How many values may stand inside each other, minus signs included."""
MOST_NUMBERS = 10**7
"""A call has fewer numbers than this in a range."""
MARKS = frozenset("-+*/(),=:[]") | {"::"}
"""Signs that a call may have."""
TINIEST = 100 * np.finfo(float).eps
"""Ends of a sequence that differ by a smaller share than this are one number for R's ``seq``."""
HELP = (
    "understood are numbers with + - * / and sqrt(...), c(...), a:b, seq(a, b, by=d), "
    "seq(a, b, length.out=n), x[rows, ], texts, TRUE, FALSE and NULL"
)
INNER = ("dist", "hclust")
"""Functions whose result may be the first argument of another function."""


class CallError(ValueError):
    """A call text that is not understood; the message says where and gives a valid form."""


@dataclass(frozen=True, slots=True)
class RowsOfX:
    """``x[rows, ]``: rows of the data by numbers from 1."""

    rows: np.ndarray


@dataclass(frozen=True, slots=True)
class Inner:
    """A call inside another: its function, and pairs of a name (empty without one) and a value."""

    function: str
    arguments: list[tuple[str, Any]]


def check_package(function: str, package: str, expected: str) -> None:
    """Refuse a function of another package than is written before it."""
    if package not in ("", expected):
        raise CallError(f"{function} is known of the package {expected}, not of {package!r}")


def _pairs_of(text: str) -> list[tuple[str, str]]:
    """Kinds and texts of the tokens of a call; CallError at the first that no call has."""
    try:
        tokens = tokens_of(text)
    except TextError as error:
        raise CallError(f"cannot read {error.rest!r} in the call; {HELP}") from None
    for token in tokens:
        if not _is_understood(token, text):
            raise CallError(f"cannot read {text[token.start :].strip()[:20]!r} in the call; {HELP}")
    return [(token.kind, token.text) for token in tokens]


def _is_understood(token: Token, text: str) -> bool:
    """Whether a call may have this token."""
    if token.kind == "number":
        return token.text[-1] != "i" and token.text[:2].lower() != "0x"
    if token.kind == "text":
        return token.text[0] in "\"'" and "\\" not in token.text
    return token.text in MARKS if token.kind == "mark" else text[token.start] != "`"


class Reader:
    """The tokens of a text, read one after the other."""

    def __init__(self, text: str) -> None:
        self.tokens = _pairs_of(text)
        self.position = 0
        self.depth = 0

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

    def function(self) -> tuple[str, str]:
        """A function's package, empty if none is written, and its name; CallError for anything else."""
        kind, name = self.take()
        package = ""
        if self.peek() == ("mark", "::"):
            self.take()
            package, (kind, name) = name, self.take()
        if kind != "name":
            raise CallError(f"expected the name of a function but found {name!r} in the call; {HELP}")
        return package, name

    def value(self) -> Any:
        """A value: sums of products of ranges."""
        return self.operations("+-", lambda: self.operations("*/", self.range))

    def operations(self, marks: str, operand: Callable[[], Any]) -> Any:
        """Operands with signs between them, computed from left to right."""
        found = operand()
        while self.peek()[0] == "mark" and self.peek()[1] in marks:
            found = _compute(self.take()[1], found, operand())
        return found

    def range(self) -> Any:
        """A value with its sign, or a range of values."""
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
        """A constant, a value in brackets, a call that is understood, or rows of x."""
        kind, text = self.peek()
        if kind == "name" and self.peek(1) in (("mark", "("), ("mark", "::")):
            return self.call()
        self.take()
        if kind == "number":
            return float(text.removesuffix("L"))
        if kind == "text":
            return text[1:-1]
        if (kind, text) == ("mark", "("):
            found = self.value()
            self.take(")")
            return found
        if kind == "name" and text == "x":
            return self.rows() if self.peek() == ("mark", "[") else DATA
        if kind == "name" and text in CONSTANTS:
            return CONSTANTS[text]
        raise CallError(f"{text!r} is not understood in the call; {HELP}")

    def call(self) -> Any:
        """The value of c(...), seq(...) or sqrt(...), or a call that the outer function is made of."""
        package, name = self.function()
        if name not in INNER and name not in FUNCTIONS:
            raise CallError(f"{name!r} is not understood in the call; {HELP}")
        check_package(name, package, "stats" if name in INNER else "base")
        arguments = self.arguments()
        return Inner(name, arguments) if name in INNER else FUNCTIONS[name](arguments)

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


def _compute(mark: str, left: Any, right: Any) -> Any:
    """Two numbers, or vectors of them, with a sign between them."""
    sizes = {np.size(part) for part in (left, right)} - {1}
    if not all(isinstance(part, float | np.ndarray) for part in (left, right)) or len(sizes) > 1:
        raise CallError(f"{mark} needs numbers, or vectors of the same length, in the call; {HELP}")
    with np.errstate(all="ignore"):  # infinite or NaN as in R
        found = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[mark](left, right)
    return float(found) if np.ndim(found) == 0 else found


def _root(arguments: list[tuple[str, Any]]) -> Any:
    """The value of ``sqrt(...)``."""
    values = [value for name, value in arguments if name in ("", "x")]
    if len(values) != 1 or len(arguments) != 1 or not isinstance(values[0], float | np.ndarray):
        raise CallError(f"sqrt takes a number or a vector of them in the call; {HELP}")
    if np.any(np.asarray(values[0]) < 0):
        raise CallError(f"sqrt takes numbers of at least 0; got {np.min(values[0]):g}")
    found = np.sqrt(values[0])
    return float(found) if np.ndim(found) == 0 else found


def _sequence(arguments: list[tuple[str, Any]]) -> np.ndarray:
    """The value of ``seq(a, b)``, ``seq(a, b, by=d)`` or ``seq(a, b, length.out=n)``."""
    try:
        names = match_in_script([name for name, _ in arguments], ("from", "to", "by", "length.out"))
    except ValueError as error:
        raise CallError(f"seq: {error}; {HELP}") from None
    given = {name: _number(value, "seq") for name, (_, value) in zip(names, arguments, strict=True)}
    if not {"from", "to"} <= set(given) or len(given) > 3:
        raise CallError(f"seq needs two ends, and by or length.out at most, in the call; {HELP}")
    start, stop, length = given["from"], given["to"], given.get("length.out")
    if length is None:
        return _steps(start, stop, given.get("by", 1.0 if stop >= start else -1.0))
    if not 1 <= length < MOST_NUMBERS or length != int(length):
        raise CallError(f"length.out must be a whole number from 1 to {MOST_NUMBERS - 1}; got {length:g}")
    return seq_length(start, stop, int(length))


def _steps(start: float, stop: float, by: float) -> np.ndarray:
    """R's ``seq(start, stop, by)``: the last step ends at most 1e-10 of a step beyond the end, cut there."""
    if start == stop:
        return np.array([start])
    with np.errstate(all="ignore"):
        count = np.divide(stop - start, by)
    if not 0 <= count < MOST_NUMBERS:
        raise CallError(
            f"seq must go from {start:g} to {stop:g} by fewer than {MOST_NUMBERS} steps of that sign; "
            f"got by={by:g}"
        )
    if abs(stop - start) < TINIEST * max(abs(start), abs(stop)):
        return np.array([start])
    values = start + np.arange(int(count + 1e-10) + 1) * by
    return np.minimum(values, stop) if by > 0 else np.maximum(values, stop)


FUNCTIONS: dict[str, Callable[[list[tuple[str, Any]]], Any]] = {
    "c": _combine,
    "seq": _sequence,
    "sqrt": _root,
}
