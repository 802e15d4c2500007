"""How the arguments of a call in Python are matched as in R: full names, abbreviations, then positions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import FrameType
from typing import Any

import numpy as np

from sparsek.errors import RError
from sparsek.rcompat.base.expressions import Call, call_in_source, deparse, expression, r_name

WITH_UNDERSCORES = ("kpodclustr", "wrsk_package")
"""Packages whose arguments have underscores in R too."""


LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class Formals:
    """The arguments of a function: R's in R's order, those without a default, and those that R has not."""

    names: tuple[str, ...]
    required: frozenset[str]
    own: frozenset[str]
    dots: bool
    underscores: bool
    known: frozenset[str]
    kinds: dict[str, str]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Formals:
        """Read them from a signature: keyword-only ones are ours, ``**`` is R's ``...``."""
        parameters = inspect.signature(function).parameters.values()
        shared = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        names = tuple(p.name for p in shared)
        own = frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        return cls(
            names,
            frozenset(p.name for p in shared if p.default is p.empty),
            own,
            any(p.kind is p.VAR_KEYWORD for p in parameters),
            function.__module__.split(".")[2] in WITH_UNDERSCORES,
            own.union(names),
            {p.name: _kind(str(p.annotation)) for p in parameters},
        )

    def checked(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments, with single flags and names out of their vectors; errors for what R has not."""
        return {name: _checked(value, name, self.kinds.get(name, "")) for name, value in given.items()}

    def in_r(self, name: str) -> str:
        """R's name of an argument."""
        return name if self.underscores else r_name(name)

    def fit(self, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
        """Whether Python matches the arguments as R does: full names, nothing missing or left over."""
        given = {*self.names[: len(args)], *named}
        return (
            len(given) == len(args) + len(named)
            and given <= self.known
            and self.required <= given
            and ("call" not in self.own or "call" in named)
        )

    def match_call(
        self, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[dict[str, Any], list[int | str]]:
        """Values by the full names of their arguments, and the places or names of those that fit nowhere."""
        matched = {name: value for name, value in named.items() if name in self.names or name in self.own}
        full = self._completed([name for name in named if name not in self.own], matched, len(args))
        matched |= {full[name]: value for name, value in named.items() if name in full}
        free = [name for name in self.names if name not in matched]
        matched |= dict(zip(free, args, strict=False))
        over: list[int | str] = list(range(len(free), len(args)))
        return matched, over + [name for name in named if name not in matched and name not in full]

    def _completed(self, given: list[str], matched: dict[str, Any], before: int) -> dict[str, str]:
        """The full names of those given that are abbreviations."""
        full: dict[str, str] = {}
        for formal in self.names:
            if formal in matched:
                continue
            fitting = [name for name in given if name not in matched and formal.startswith(name)]
            if len(fitting) > 1:
                message = f'formal argument "{self.in_r(formal)}" matched by multiple actual arguments'
                raise RError(message, f"{' and '.join(fitting)} begin it alike: write the names out")
            for name in fitting:
                if name in full:
                    message = f"argument {before + given.index(name) + 1} matches multiple formal arguments"
                    raise RError(message, f"{name} begins {full[name]} and {formal}: write more of the name")
                full[name] = formal
        return full


def as_r_calls(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function be called as in R, where the names of arguments may be abbreviated."""
    if any(p.kind is p.VAR_POSITIONAL for p in inspect.signature(function).parameters.values()):
        return function
    formals = Formals.of(function)

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        if formals.fit(args, named):
            given = zip(formals.names, args, strict=False)
            values = [_checked(value, name, formals.kinds[name]) for name, value in given]
            return function(*values, **formals.checked(named))
        matched, unused = formals.match_call(args, named)
        if unused and not formals.dots:
            raise _unused(args, named, unused, formals, sys._getframe(1))
        for name in formals.names:
            if name in formals.required and name not in matched:
                message = f'argument "{formals.in_r(name)}" is missing, with no default'
                raise RError(message, f"{function.__name__} needs it")
        matched = formals.checked(matched)
        if "call" in formals.own and "call" not in matched:
            matched["call"] = _matched_call(r_name(function.__name__), matched, formals, sys._getframe(1))
        dots = {name: named[name] for name in unused if isinstance(name, str)}
        return function(**matched, **dots)

    called.__module__ = "sparsek.rcompat"  # where pickle finds it
    return called


def _kind(annotation: str) -> str:
    """What an annotation says that one value is: "flag", "name", "axes" or, for anything else, nothing.

    "flag or nothing" and "name or nothing" stand for arguments that may be None.
    """
    kind = {"bool": "flag", "str": "name", "Axes": "axes"}.get(annotation.removesuffix(" | None"), "")
    return f"{kind} or nothing" if kind and annotation.endswith(" | None") else kind


def _checked(value: Any, name: str, kind: str) -> Any:
    """An argument; errors for what R cannot have, and for what is no single flag or name."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ValueError(f"{name} is a number too large for double precision; the limit is {LARGEST:.6g}")
    if kind:
        return _single(value, name, kind)
    if isinstance(value, list | tuple):
        _refuse_ragged(value, name)
    return value


def _single(value: Any, name: str, kind: str) -> Any:
    """A single flag, name or axes, out of a vector of length 1."""
    what, _, optional = kind.partition(" or ")
    if value is None and optional:
        return None
    if what == "axes":
        if not (hasattr(value, "plot") and hasattr(value, "get_ylim")):
            raise TypeError(f"{name} must be Axes of Matplotlib; got {value!r}")
        return value
    if value is None or isinstance(value, list | tuple | np.ndarray):
        single: list[Any] = [] if value is None else np.asarray(value, dtype=object).ravel().tolist()
        if len(single) != 1:
            message = "the condition has length > 1" if len(single) else "argument is of length zero"
            raise RError(message, f"{name} must be a single {what}; got {value!r}")
        value = single[0]
    # Texts as flags and numbers as names are the function's: R takes some, and has errors of its own.
    if not isinstance(value, str | bool | int | float | np.number | np.bool_):
        raise TypeError(f"{name} must be a single {what}; got {value!r}")
    return value  # a missing flag is the function's error, which R raises when it comes to it


def _refuse_ragged(value: Any, name: str) -> None:
    """Raise ValueError for rows of numbers of different lengths, which are no matrix."""
    if not all(isinstance(row, list | tuple) and not any(map(_is_long, row)) for row in value):
        return
    lengths = {len(row) for row in value}
    if len(lengths) > 1:
        raise ValueError(f"{name} has rows of {min(lengths)} to {max(lengths)} entries; give all one length")


def _is_long(entry: Any) -> bool:
    """Whether an entry of a row is no single value."""
    return isinstance(entry, list | tuple | dict) or np.ndim(entry) > 0


def passed_on(function: Callable[..., Any], named: dict[str, Any], *taken: str) -> dict[str, Any]:
    """Arguments for another function by their full names; errors for those it has not, and for `taken`."""
    formals = Formals.of(function)
    matched, unused = formals.match_call((), named)
    if unused:
        raise _unused((), named, unused, formals, None)
    for name in taken:
        if name in matched:
            raise TypeError(
                f"{name} of {function.__name__} is set by the function that calls it: leave it out"
            )
    return formals.checked(matched)


def _unused(
    args: tuple[Any, ...],
    named: dict[str, Any],
    unused: list[int | str],
    formals: Formals,
    frame: FrameType | None,
) -> RError:
    """R's error about arguments that the function has not."""
    node = None if frame is None else call_in_source(frame)
    texts = []
    for key in unused:
        value = args[key] if isinstance(key, int) else named[key]
        text = deparse(value, type(value).__name__)
        if node is not None:
            found = node.args[key] if isinstance(key, int) else _keyword(node, key)
            text = expression(found)
        texts.append(text if isinstance(key, int) else f"{formals.in_r(key)} = {text}")
    arguments = ", ".join(map(formals.in_r, formals.names))
    return RError(f"unused argument{'s' * (len(unused) > 1)} ({', '.join(texts)})", f"there are {arguments}")


def _keyword(node: Any, name: str) -> Any:
    """The expression of an argument that was given by name."""
    return next(word.value for word in node.keywords if word.arg == name)


def _matched_call(name: str, matched: dict[str, Any], formals: Formals, frame: FrameType) -> Call:
    """R's ``match.call``: the arguments given, in R's order, as expressions where these are known."""
    node = call_in_source(frame)
    dots: list[str] = []
    if node is None:
        texts = {formal: deparse(value, formal) for formal, value in matched.items()}
    else:
        given = {word.arg: word.value for word in node.keywords if word.arg}
        known, unused = formals.match_call(tuple(node.args), given)
        texts = {formal: expression(part) for formal, part in known.items()}
        dots = [
            f"{formals.in_r(name)} = {expression(given[name])}" for name in unused if isinstance(name, str)
        ]
    written = [f"{formals.in_r(formal)} = {texts[formal]}" for formal in formals.names if formal in texts]
    written += dots
    return Call(f"{name}({', '.join(written)})")
