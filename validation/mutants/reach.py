"""What default arguments reach: estimators fitted to a small matrix, R's functions on their examples."""

import ast
import contextlib
import inspect
import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import sparsek
from sparsek._registry import ESTIMATORS
from sparsek.engine import set_engine
from validation.fuzz import doors

EMPTY = inspect.Parameter.empty
NEEDED: dict[str, Any] = {
    "estimator": sparsek.SKFR(2, 2),
    "params": {"n_features_to_select": [1, 2]},
    "param_name": "n_features_to_select",
    "param_range": [1, 2],
}
"""What searches have no default for, or none that fits the estimator."""


def _default_calls() -> Iterator[Callable[[], Any]]:
    """A fit of every estimator, and R's functions as in their examples without what has a default."""
    X = np.random.default_rng(0).normal(size=(30, 4)) + 5 * (np.arange(30) % 3)[:, None] * [1, 1, 0, 0]
    for row in ESTIMATORS:
        cls = getattr(sparsek, row.name)
        known = inspect.signature(cls).parameters
        model = cls(**{name: NEEDED[name] for name in known if name in NEEDED and "estimator" in known})
        yield partial(model.fit, X)
    for name in doors.NAMES:
        for call in doors.known_calls(name)[:1] if name.startswith("rcompat.") else []:
            named = call.signature.parameters
            needed = {key: value for key, value in call.arguments.items() if named[key].default is EMPTY}
            bound = inspect.BoundArguments(call.signature, OrderedDict(needed))
            yield partial(getattr(sparsek.rcompat, name[8:-2]), *bound.args, **bound.kwargs)


def default_lines(root: Path, folders: tuple[str, ...]) -> dict[str, set[int]]:
    """By file of the folders, the lines that calls with default arguments run; paths start at the root."""
    starts = tuple(f"{root / folder}/" for folder in folders)
    found: dict[str, set[int]] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(starts):
            return None
        lines = found.setdefault(Path(file).relative_to(root).as_posix(), set())

        def note(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return note

        return note

    for call in _default_calls():
        with warnings.catch_warnings(), contextlib.suppress(Exception), set_engine("numpy"):
            warnings.simplefilter("ignore")
            sys.settrace(trace)
            try:
                call()
            finally:
                sys.settrace(None)
    return found


def off_default_lines(source: str, run: set[int]) -> set[int]:
    """The lines of statements in functions of which no line was run; of a block, those of its first line."""
    off: set[int] = set()
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for statement in (node for function in functions for part in function.body for node in ast.walk(part)):
        if not isinstance(statement, ast.stmt):
            continue
        body = getattr(statement, "body", None)
        stop = body[0].lineno if body else (statement.end_lineno or statement.lineno) + 1
        own = set(range(statement.lineno, max(stop, statement.lineno + 1)))
        off |= own if own.isdisjoint(run) else set()
    return off
