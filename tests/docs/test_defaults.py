"""Defaults in docstrings equal those of the signatures."""

import ast
import inspect
import math
import re

from numpydoc.docscrape import NumpyDocString

import sparsek
from sparsek import init, plots, rcompat

CALLABLES = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (sparsek, rcompat, init, plots)
    for name in module.__all__
    if callable(getattr(module, name))
}


NAMED = {"inf": math.inf}
"""Numbers that are stated by a name."""


def stated_defaults(function: object) -> dict[str, object]:
    """Defaults by parameter; a line such as ``a, b : int, default=1 and 2`` states several."""
    found: dict[str, object] = {}
    for entry in NumpyDocString(inspect.getdoc(function))["Parameters"]:
        names = [name.strip() for name in entry.name.split(",")]
        (text,) = re.findall(r"default=(.+)$", entry.type) or [""]
        values = re.split(r" and |, ", text) if len(names) > 1 else [text]
        values = values * len(names) if len(values) == 1 else values
        pairs = zip(names, values, strict=True)
        found |= {name: NAMED.get(value) or ast.literal_eval(value) for name, value in pairs if value}
    return found


def test_stated_defaults_are_those_of_the_signature() -> None:
    for name, function in CALLABLES.items():
        parameters = inspect.signature(function).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.default not in (inspect.Parameter.empty, None)}
        stated = {key: value for key, value in stated_defaults(function).items() if value is not None}
        assert stated == defaults, name
