"""Reads the text of one R call, such as ``KMeansSparseCluster(K=3, wbounds=c(2,4))``; evaluates no code."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from r_reference.formals import python_name
from r_reference.listing import find_twin, our_calls
from r_reference.recipes import load_table
from sparsek.port.arguments import match_in_script
from validation.compare.rvalues import DATA, HELP, CallError, Inner, Reader, check_package

NESTED = {"hclust": ("dist", {"method": "metric"}), "cutree": ("hclust", {"method": "method"})}
"""Functions whose first argument may be another's result: its name, and what its arguments are called in the
case table of the outer function, which makes the whole of the data."""


@dataclass(frozen=True, slots=True)
class RCall:
    """A function's name and its arguments by R's names, without the data."""

    function: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Signature:
    """An R function: package and arguments."""

    package: str  # Its R package
    data: str  # R's name of its first argument, the data
    formals: tuple[str, ...]  # R's names of the other arguments, in order
    extra: frozenset[str]  # Further names that the calls of the case table use


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
            data, *others = (known.get(name, name.replace("_", ".")) for name in _names(twin))
            found[function] = Signature(package, data, tuple(others), frozenset(spellings[function]))
    return found


def _names(twin: Callable[..., Any]) -> list[str]:
    """The arguments that a function takes by their place, without what Python's keywords add."""
    parameters = inspect.signature(twin).parameters.values()
    return [p.name.rstrip("_") for p in parameters if p.kind != p.KEYWORD_ONLY]  # e.g. lambda_


def parse_call(text: str) -> RCall:
    """Read the text of a call.

    Raises CallError if the text is not such a call.
    """
    reader = Reader(text)
    package, function = reader.function() if reader.tokens else ("", "")
    if function not in signatures():
        raise CallError(f"unknown function {function!r}; known are {', '.join(signatures())}")
    check_package(function, package, signatures()[function].package)
    given = reader.arguments()
    if reader.peek()[0] != "end":
        raise CallError(f"text after the call: {reader.peek()[1]!r}")
    first = given[0] if given else ("", None)
    inner: dict[str, Any] = {}
    if first[0] in ("", signatures()[function].data):
        if isinstance(first[1], Inner):
            inner = _inner_arguments(function, first[1])
        if first[1] is DATA or isinstance(first[1], Inner):
            given = given[1:]
    args = {**inner, **_match_arguments(function, given)}
    return RCall(function, _with_needed(function, args, nested=isinstance(first[1], Inner)))


def _match_arguments(function: str, given: list[tuple[str, Any]]) -> dict[str, Any]:
    """Values by R's argument names."""
    signature = signatures()[function]
    further = sorted(signature.extra - set(signature.formals))
    try:
        names = match_in_script([name for name, _ in given], signature.formals, further)
    except ValueError as error:
        raise CallError(f"{error}; {function} takes {', '.join(signature.formals)}") from None
    args = dict(zip(names, (value for _, value in given), strict=True))
    if any(value is DATA or isinstance(value, Inner) for value in args.values()):
        raise CallError(
            "x stands for the data and can only be the first argument, or rows of it in x[rows, ]"
        )
    return {name: value for name, value in args.items() if value is not None and name != "silent"}


def _inner_arguments(function: str, call: Inner) -> dict[str, Any]:
    """What a call like ``dist(x, "manhattan")`` says, as arguments of the function around it."""
    inner, translated = NESTED.get(function, ("x", {}))
    if call.function != inner:
        raise CallError(f"the data of {function} are written {inner}, not {call.function}(...)")
    twin = find_twin(inner)
    assert twin is not None
    formals = _names(twin)
    try:
        names = match_in_script([name for name, _ in call.arguments], formals)
    except ValueError as error:
        raise CallError(f"{error}; {inner} takes {', '.join(formals)}") from None
    args = dict(zip(names, (value for _, value in call.arguments), strict=True))
    data = args.pop(formals[0], None)
    found = _inner_arguments(inner, data) if isinstance(data, Inner) else {}
    if data is not DATA and not isinstance(data, Inner):
        raise CallError(f"the first argument of {inner} must be the data, x; {HELP}")
    defaults = inspect.signature(twin).parameters
    found |= {
        translated.get(name, name): value for name, value in args.items() if value != defaults[name].default
    }
    unknown = set(found) - signatures()[function].extra
    if unknown:
        raise CallError(f"compare makes {function} of {inner} without {' and '.join(sorted(unknown))}")
    return found


def _with_needed(function: str, args: dict[str, Any], nested: bool) -> dict[str, Any]:
    """The arguments, with R's defaults for those that our side needs; CallError where R has none."""
    call = our_calls().get(function) or find_twin(function)
    assert call is not None
    _, *parameters = inspect.signature(call).parameters.values()
    given = {python_name(name) for name in args}
    needed = [p.name for p in parameters if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
    twins = [find_twin(function), find_twin(NESTED[function][0]) if nested else None]
    defaults: dict[str, Any] = {}
    for twin in filter(None, reversed(twins)):
        known = inspect.signature(twin).parameters.values()
        defaults |= {p.name: p.default for p in known if p.default is not p.empty}
    missing = [name for name in needed if name not in given and name != "rng"]
    for name in missing:
        if name not in defaults:
            form = f"{function}({NESTED[function][0]}(...), ...)" if function in NESTED else f"{name}=..."
            raise CallError(f"{function} needs {name.rstrip('_').replace('_', '.')}; write {form}")
    return args | {name: defaults[name] for name in missing}
