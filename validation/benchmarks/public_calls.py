"""The calls that a row times: written as text, made of public names alone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import sklearn.cluster

import sparsek
from sparsek import rcompat
from sparsek.rng import RRandom

PEERS = {name: getattr(sklearn.cluster, name) for name in ("KMeans", "kmeans_plusplus")}
"""Names of scikit-learn."""


def public_call(text: str, **data: Any) -> Callable[[], Any]:
    """A call as a function without arguments; the text is what a user writes.

    Raises ValueError if the text has a name that is not public.
    """
    tree = ast.parse(text, mode="eval")
    names: dict[str, Any] = {"rcompat": rcompat, "RRandom": RRandom, **PEERS, **data}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise ValueError(f"{node.attr} in {text!r} is private; a row times what a user calls")
        if isinstance(node, ast.Name) and node.id not in names:
            if node.id not in sparsek.__all__:
                raise ValueError(f"{node.id} in {text!r} is no public name of sparsek, and no data")
            names[node.id] = getattr(sparsek, node.id)
    code = compile(tree, text, "eval")
    return lambda: eval(code, names)
