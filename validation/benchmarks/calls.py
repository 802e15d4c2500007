"""A line of the tables of calls: ours beside a peer's on the same data, or ours alone against a target."""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import statistics
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import sklearn.cluster
import sklearn.metrics
import sklearn.neighbors
from joblib import parallel_config

import sparsek
from sparsek._registry import SUBMODULES
from sparsek.rng import RRandom
from validation.benchmarks import others
from validation.benchmarks.data import groups
from validation.benchmarks.rows import Row, Work, compare, has_r, in_r

NOISE: Mapping[str, Callable[..., Any]] = {"": groups}
"""One kind of data, without a name and without groups."""
Size = tuple[int, ...]


def same_numbers(expected: Any, found: Any) -> bool:
    """Whether all numbers are equal, NaN included."""
    return np.array_equal(expected, found, equal_nan=True)


def near(expected: Any, found: Any) -> bool:
    """Whether numbers agree but for the order of sums."""
    return np.shape(expected) == np.shape(found) and np.allclose(expected, found, rtol=1e-9, atol=1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Our call beside a peer's: a row for each size and kind of data.

    In the texts {n}, {p}, {k} and {s} are the numbers of a size. The data are `x` and `X`, or what the
    function of the data names.
    """

    name: str  # Our function and what is special about the call
    ours: str  # The call as a user writes it
    theirs: str  # The peer's call, R's or Python's; its last value is compared with ours
    sizes: tuple[Size, ...]  # Numbers of rows, columns, clusters, selected columns
    large: tuple[Size, ...] = ()  # Sizes that take minutes
    data: Mapping[str, Callable[..., Any]] = field(default_factory=lambda: NOISE)  # By kind
    r: str = ""  # The package of R's call; empty if the peer is called in Python
    module: str = ""  # The module of the peer, `theirs` in its text, if it need not be installed
    peer: str = "R"  # Whose function is compared, for the page
    goal: float | tuple[float, ...] = np.nan  # Our seconds divided by the peer's, one or by kind of data
    same: Callable[[Any, Any], bool] | None = same_numbers  # None: the results may differ
    work: Callable[[Size, Any], Work] | None = None  # The least work, from the size and our result
    threads: str = ""  # Our call in two threads, by joblib's setting
    first: str = ""  # R's call whose number both texts know as `first`
    loss: Callable[[Mapping[str, Any], Any], float] | None = None  # Of a result, printed for both sides


class Alone(NamedTuple):
    """A call of ours against targets in seconds and memory."""

    name: str  # The function and what is special about the call
    ours: str  # The call as a user writes it
    size: Size
    data: Callable[..., Any] = groups
    seconds: float = np.nan  # Target
    megabytes: float = np.nan  # Target, beside the data
    figures: str = ""  # What else is printed: an expression of `found`, the result, and of the data
    large: bool = False  # Whether it takes minutes


def filled(text: str, size: Size) -> str:
    """A text with the numbers of a size."""
    numbers = dict(zip("npks", size, strict=False))
    return re.sub(r"\{([npks])\}", lambda found: str(numbers[found[1]]), text)


def data_of(make: Callable[..., Any], size: Size) -> dict[str, Any]:
    """What the texts name."""
    made = make(*size)
    return made if isinstance(made, dict) else {"x": made, "X": made}


def chosen(name: str, size: Size, options: argparse.Namespace) -> bool:
    """Whether a call has the pattern asked for, and its data are small enough."""
    return bool(re.search(options.only, name)) and float(np.prod(size[:2])) <= options.most


def can_run(call: Call) -> bool:
    """Whether the peer is installed; prints what is missing."""
    if call.r:
        return has_r(call.r)
    try:
        importlib.import_module(call.module or "sklearn")
    except ImportError as error:
        print(f"{call.name} is not timed: {error}")
        return False
    return True


def rows_of(call: Call, options: argparse.Namespace) -> Iterator[Row]:
    """The rows of a call, smallest data first."""
    sizes = call.sizes + (call.large if options.large else ())
    sizes = tuple(size for size in sizes if chosen(call.name, size, options))
    if not sizes or not can_run(call):
        return
    for size in sizes:
        for place, (kind, make) in enumerate(call.data.items()):
            goal = call.goal[place] if isinstance(call.goal, tuple) else call.goal
            yield _row(call, size, kind, data_of(make, size), goal, options)


def _row(
    call: Call, size: Size, kind: str, data: dict[str, Any], goal: float, options: argparse.Namespace
) -> Row:
    """A row; prints the losses of both sides, if asked for."""
    if call.first:
        data["first"] = int(_theirs(call, call.first, size, data)()[-1])
    theirs = _theirs(call, call.theirs, size, data)
    ours = public_call(filled(call.ours, size), **data)
    in_threads = None
    if call.threads:
        in_threads = partial(_in_threads, public_call(filled(call.threads, size), **data))
    row = compare(
        call.name,
        size,
        theirs,
        ours,
        data=kind,
        peer=call.peer,
        goal=goal,
        work=call.work(size, _silent(ours)) if call.work else None,
        repeats=options.repeats,
        same=call.same,
        in_threads=in_threads,
    )
    if call.loss is not None:
        losses = (call.loss(data, _silent(run)) for run in (ours, theirs))
        print("loss {:.6g}, the peer's {:.6g}".format(*losses))
    return row


def _silent(call: Callable[[], Any]) -> Any:
    """The result of a call without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def _theirs(call: Call, text: str, size: Size, data: dict[str, Any]) -> Callable[[], Any]:
    """The peer's call as a function without arguments."""
    if not call.r:
        return peer_call(filled(text, size), call.module, **data)
    in_r(f"suppressMessages(library({call.r})); 0")()
    matrices = {name: np.atleast_2d(x) for name, x in data.items() if np.ndim(x) in (0, 2)}
    return in_r(f"set.seed(1); {filled(text, size)}", **matrices)


def _in_threads(call: Callable[[], Any]) -> Any:
    """The result of a call whose starts run in two threads."""
    with parallel_config(backend="threading", n_jobs=2):
        return call()


HEAD = f"{'call':<44} {'size':>22} {'s':>8} {'cpu s':>8} {'target':>7} {'MB':>8} {'target':>7}"
"""Heads of the columns of `alone`."""


def alone(call: Alone, options: argparse.Namespace) -> Iterator[str]:
    """A line: medians of wall-clock and processor time, the memory of a call beside its data, figures."""
    if not chosen(call.name, call.size, options) or (call.large and not options.large):
        return
    with tempfile.TemporaryDirectory() as folder:
        data = data_of(call.data, call.size) | {"folder": folder}
        run = public_call(filled(call.ours, call.size), **data)
        found, spent = _first(run), []
        for _ in range(options.repeats):
            begin = time.perf_counter(), time.process_time()
            _first(run)
            spent.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
        tracemalloc.start()
        _first(run)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    wall, cpu = (statistics.median(values) for values in zip(*spent, strict=True))
    shown = type(found).__name__ if isinstance(found, Exception) else _figures(call, found, data)
    times = f"{wall:8.3f} {cpu:8.3f} {_target(call.seconds)} {peak:8.1f} {_target(call.megabytes)}"
    yield f"{call.name:<44} {call.size!s:>22} {times}  {shown}"


def _first(run: Callable[[], Any]) -> Any:
    """The result of a call, or the error that it ends with."""
    try:
        return _silent(run)
    except Exception as error:
        return error


def _figures(call: Alone, found: Any, data: dict[str, Any]) -> str:
    """What is printed of a result."""
    if not call.figures:
        return ""
    values = public_call(call.figures, found=found, **data)()
    return " ".join(f"{value:.6g}" for value in np.ravel(values))


def _target(value: float) -> str:
    """A target in a cell, empty if there is none."""
    return " " * 7 if np.isnan(value) else f"{value:7g}"


def fields(result: Any, *names: str) -> np.ndarray:
    """Fields of a result, or of every result in a list, as one vector in R's order; `a$b` is b of a."""
    if isinstance(result, list):
        return np.concatenate([fields(one, *names) for one in result])
    return np.concatenate([np.ravel(_field(result, name), order="F") for name in names])


def _field(result: Any, path: str) -> Any:
    """A field by its path."""
    for name in path.split("$"):
        result = getattr(result, name) if hasattr(result, name) else result[name]
    return result


def and_next(call: Callable[[RRandom], Any]) -> np.ndarray:
    """The values that a call draws from a stream with seed 1, and the next uniform of the stream."""
    rng = RRandom(1)
    values = np.asarray(call(rng), dtype=float)
    return np.append(values.ravel(order="F"), rng.runif(1))


HELPERS: dict[str, Any] = {
    **{name: getattr(sklearn.cluster, name) for name in ("KMeans", "kmeans_plusplus")},
    "LocalOutlierFactor": sklearn.neighbors.LocalOutlierFactor,
    **{one.__name__: one for one in (RRandom, fields, and_next)},
    "np": np,
    "float": float,
    "ari": sklearn.metrics.adjusted_rand_score,
}
"""Names of other packages, and what turns results into numbers."""


def public_call(text: str, **data: Any) -> Callable[[], Any]:
    """A call as a function without arguments; the text is what a user writes.

    Raises ValueError if the text has a name that is not public.
    """
    tree = ast.parse(text, mode="eval")
    known = {**HELPERS, **data}
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise ValueError(f"{node.attr} in {text!r} is private; a row times what a user calls")
        if isinstance(node, ast.Attribute) and not _is_public(node):
            raise ValueError(f"{node.attr} in {text!r} is no public name of a module of sparsek")
        if isinstance(node, ast.Name) and node.id not in known.keys() | bound:
            if node.id not in {*sparsek.__all__, *SUBMODULES}:
                raise ValueError(f"{node.id} in {text!r} is no public name of sparsek, and no data")
            known[node.id] = getattr(sparsek, node.id)
    return _compiled(tree, text, known)


def _is_public(node: ast.Attribute) -> bool:
    """Whether an attribute is a public name, if it is one of a module of sparsek."""
    if not isinstance(node.value, ast.Name) or node.value.id not in SUBMODULES:
        return True
    return node.attr in dir(getattr(sparsek, node.value.id))


def peer_call(text: str, module: str = "", **data: Any) -> Callable[[], Any]:
    """A call of another package, whose module is `theirs` in the text, or of the functions of `others`."""
    theirs = importlib.import_module(module) if module else None
    return _compiled(
        ast.parse(text, mode="eval"), text, {**vars(others), **HELPERS, **data, "theirs": theirs}
    )


def _compiled(tree: ast.Expression, text: str, names: dict[str, Any]) -> Callable[[], Any]:
    """A text as a function without arguments."""
    code = compile(tree, text, "eval")
    return lambda: eval(code, names)
