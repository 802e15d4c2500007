"""What an R script calls, beside the functions of `sparsek.rcompat`; the script is read, not run."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from sparsek import rcompat
from sparsek.port.arguments import match_in_script
from sparsek.port.tokens import Token, tokens_of
from sparsek.port.ways import GUIDE, PAGES, PLAIN, WAYS

CONTROL = frozenset({"if", "else", "for", "in", "while", "function", "repeat", "return"})
"""Words before a bracket that are R's own grammar."""
CONSTANTS = {"TRUE": "True", "T": "True", "FALSE": "False", "F": "False", "NULL": "None"}
OURS = frozenset({"rng", "call"})
"""Arguments that R's functions do not have."""
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
DEFINES = (("<-", "function"), ("=", "function"), ("<<-", "function"), ("<-", "\\"), ("=", "\\"))
"""What follows the name of a function that a script defines."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A call of an R script."""

    line: int  # Its line
    name: str  # The function, with its package if the script names it
    call: str  # Its text, on one line
    # The call in Python; what stands between < and > is R text that is left to you. None without a twin
    python: str | None
    remark: str  # What our function lacks, or which functions have a similar name


def _python_name(name: str) -> str:
    """The Python name of an R name."""
    name = name.replace(".", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _is_name(name: str) -> bool:
    """Whether an R name has a Python name, which one in backticks may lack, and those of R's dots."""
    return _python_name(name).isidentifier() and not name.startswith("..")


def _twin(name: str, package: str) -> Callable[..., Any] | None:
    """Our function of that name, if it is of that package; None without one."""
    homes = rcompat.packages_of(_python_name(name))
    if not homes or (package and package.lower() not in homes):
        return None
    found = getattr(rcompat, _python_name(name))
    return found if inspect.isfunction(found) else None


class _Script:
    """The tokens of a script and what they stand for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.defined = {
            token.text
            for token, sign, word in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
            if token.kind == "name" and (sign.text, word.text) in DEFINES
        }

    def is_mark(self, at: int, mark: str) -> bool:
        """Whether the token at a place is this sign."""
        return 0 <= at < len(self.tokens) and (self.tokens[at].kind, self.tokens[at].text) == ("mark", mark)

    def end_of(self, opening: int) -> int:
        """The place of the bracket that closes the one at a place; the last token if none does."""
        depth = 0
        for at in range(opening, len(self.tokens)):
            token = self.tokens[at]
            if token.kind == "mark" and token.text in OPENING | CLOSING:
                depth += 1 if token.text in OPENING else -1
                if depth == 0:
                    return at
        return len(self.tokens) - 1

    def source(self, begin: int, end: int) -> str:
        """The text from one token to another, the end left out, on one line."""
        return " ".join(self.text[self.tokens[begin].start : self.tokens[end - 1].end].split())

    def arguments(self, opening: int) -> list[tuple[str, int, int]]:
        """Name (empty without one), first token and end of each argument of the call with this bracket."""
        found = []
        last = self.end_of(opening)
        begin = at = opening + 1
        while at <= last:
            token = self.tokens[at]
            if at == last or self.is_mark(at, ","):
                if at > begin:
                    named = self.tokens[begin].kind in ("name", "text") and self.is_mark(begin + 1, "=")
                    name = self.tokens[begin].text.strip("\"'") if named else ""
                    found.append((name, begin + 2 * named, at))
                begin = at + 1
            at = self.end_of(at) + 1 if token.kind == "mark" and token.text in OPENING else at + 1
        return found

    def function(self, at: int) -> tuple[str, str] | None:
        """Name and package of the function whose call begins at a place; None where none begins."""
        token = self.tokens[at]
        if token.kind != "name" or self.is_mark(at - 1, "::") or self.is_mark(at - 1, ":::"):
            return None
        if self.is_mark(at + 1, "::") and self.is_mark(at + 3, "("):
            return self.tokens[at + 2].text, token.text
        return (token.text, "") if self.is_mark(at + 1, "(") else None


def _value(script: _Script, begin: int, end: int) -> str:
    """An argument in Python, or its R text between < and > where it is more than values and our calls."""
    tokens = script.tokens[begin:end]
    if len(tokens) == 1:
        return _word(tokens[0]) or f"<{script.source(begin, end)}>"
    if len(tokens) == 2 and tokens[0].text == "-" and tokens[1].kind == "number" and _word(tokens[1]):
        return f"-{_word(tokens[1])}"
    found = script.function(begin) if tokens else None
    if found is not None:
        name, package = found
        opening = begin + (3 if package else 1)
        if script.end_of(opening) == end - 1:
            parts = [(label, _value(script, *part)) for label, *part in script.arguments(opening)]
            if name == "c" and not any(
                label or part.startswith(("<", "[", "rcompat")) for label, part in parts
            ):
                return f"[{', '.join(part for _, part in parts)}]"
            twin = None if name in script.defined else _twin(name, package)
            if twin is not None:
                return _call(twin, parts)[0]
    return f"<{script.source(begin, end)}>"


def _word(token: Token) -> str:
    """A single token in Python; empty where it has another meaning there."""
    if token.kind == "number" and token.text[-1] != "i" and token.text[:2].lower() != "0x":
        number = token.text.removesuffix("L")
        return number.lstrip("0") or "0" if number.isdigit() else number
    if token.kind == "text" and token.text[0] in "\"'" and "\\" not in token.text:
        return repr(token.text[1:-1])
    if token.kind == "name" and token.text not in ("NA", "NaN", "Inf") and _is_name(token.text):
        return CONSTANTS.get(token.text) or _python_name(token.text)
    return ""


def _call(twin: Callable[..., Any], arguments: list[tuple[str, str]]) -> tuple[str, str]:
    """The call of one of our functions, and what it lacks."""
    parameters = list(inspect.signature(twin).parameters.values())
    names = [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD]
    more = [p.name for p in parameters if p.kind == p.KEYWORD_ONLY and p.name not in OURS]
    spelled = {name.rstrip("_"): name for name in names + more}
    dots = any(p.kind == p.VAR_KEYWORD for p in parameters)
    many = any(p.kind == p.VAR_POSITIONAL for p in parameters)
    parts, keywords, left, lacking, labels = [], dict[str, str](), [], [], []
    for name, value in arguments:
        full = _python_name(name).rstrip("_")
        try:
            (known,) = match_in_script([full], list(spelled)) if name else ("",)
        except ValueError:
            lacking += [] if dots or many else [name]
            labels += [name] if many else []
            if many:
                parts.append(value)
            elif dots and _is_name(name):
                keywords[_python_name(name)] = value
            else:
                left.append(f"<{name}={value}>")
            continue
        labels += [] if name else [""]
        if not name:
            parts.append(value)
        elif spelled[known] in keywords:
            left.append(f"<{name}={value}>")
        else:
            keywords[spelled[known]] = value
    # What has no name stands for what is left in R, and for the first ones in Python.
    free = [name for name in names if name not in keywords]
    first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(free, names, strict=False)))
    if not many:
        keywords |= dict(zip(free[first:], parts[first:], strict=False))
        parts = parts[:first] + parts[len(free) :]
    if any(labels) and "dnn" in spelled:
        keywords["dnn"] = repr(labels)
    remark = f"no argument {', '.join(lacking)}" if lacking else ""
    positional = sum(not name for name, _ in arguments)
    if positional > len(names) and not many:
        remark = f"takes {len(names)} arguments"
    named = [f"{name}={value}" for name, value in keywords.items()]
    return f"rcompat.{twin.__name__}({', '.join([*parts, *named, *left])})", remark


def find_hints(text: str) -> list[Hint]:
    """The calls of an R script, in order, those of functions that it defines itself left out.

    Raises TextError if the text is not R.
    """
    script = _Script(text)
    hints = []
    for at, token in enumerate(script.tokens):
        found = script.function(at)
        member = script.is_mark(at - 1, "$") or script.is_mark(at - 1, "@")
        if found is None or member or (not found[1] and found[0] in CONTROL | script.defined):
            continue
        name, package = found
        if name in PLAIN:
            continue
        opening = at + (3 if package else 1)
        end = script.end_of(opening) + 1
        full = f"{package}::{name}" if package else name
        twin = _twin(name, package)
        python, remark = None, "; ".join(filter(None, (_way(name), "" if package else _similar(name))))
        if twin is not None:
            arguments = [(label, _value(script, *part)) for label, *part in script.arguments(opening)]
            piped = script.is_mark(at - 1, "|>") or script.is_mark(at - 1, "%>%")
            python, remark = _call(twin, [("", "<what is piped>"), *arguments] if piped else arguments)
        hints.append(Hint(token.line, full, script.source(at, end), python, remark))
    return hints


def _similar(name: str) -> str:
    """Our functions whose names go on after this one, such as R's methods for some classes."""
    similar = [other for other in dir(rcompat) if other.startswith(f"{_python_name(name)}_")]
    return f"of a similar name: {', '.join(similar)}" if similar else ""


def _way(name: str) -> str:
    """The nearest way in Python of a function that has no twin, if one is known."""
    return f"in Python: {WAYS[name]}" if name in WAYS else ""


def find_packages(text: str) -> list[str]:
    """The packages that a script loads or names, in order.

    Raises TextError if the text is not R.
    """
    script = _Script(text)
    found: dict[str, None] = {}
    for at, token in enumerate(script.tokens):
        loads = token.text in ("library", "require", "requireNamespace") and script.is_mark(at + 1, "(")
        if loads and at + 2 < len(script.tokens) and script.tokens[at + 2].kind in ("name", "text"):
            found[script.tokens[at + 2].text.strip("\"'")] = None
        elif token.kind == "name" and (script.is_mark(at + 1, "::") or script.is_mark(at + 1, ":::")):
            found[token.text] = None
    return list(found)


def as_text(hints: list[Hint], packages: Sequence[str] = ()) -> str:
    """The calls as a table, below it what has no twin, and the packages."""
    lines = []
    for hint in hints:
        if hint.python is not None:
            lines.append(f"line {hint.line:<4} {hint.call}")
            lines.append(f"{'':9} {hint.python}" + (f"  # {hint.remark}" if hint.remark else ""))
    lacking: dict[tuple[str, str], list[str]] = {}
    for hint in hints:
        if hint.python is None:
            lacking.setdefault((hint.name, hint.remark), []).append(str(hint.line))
    if lacking:
        lines.append("not in sparsek.rcompat:")
    for (name, remark), places in lacking.items():
        more = f"; {remark}" if remark else ""
        lines.append(f"  {name} (line {', '.join(dict.fromkeys(places))}{more})")
    lines = lines or ["the script calls no function"]
    if packages:
        pages = {name: PAGES.get(name.lower()) for name in packages}
        lines.append("packages:")
        lines += [f"  {name:<14} {f'{GUIDE}#{at}' if at else 'no twin'}" for name, at in pages.items()]
    return "\n".join(lines)
