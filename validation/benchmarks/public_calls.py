"""The calls that are timed: written as text, ours made of public names alone."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.cluster
import sklearn.metrics
import sklearn.neighbors

import sparsek
from sparsek._registry import SUBMODULES
from sparsek.rng import RRandom
from validation.benchmarks import others


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
