"""Every public function as a door: called as in the example of its docstring, with one or two values changed.

Functions are found from the public names, and their calls from their examples: a new one is tried without
being listed. Examples that doctest skips, because they draw or need another package, are run here too.
"""

import contextlib
import copy
import datetime
import doctest
import importlib
import inspect
import io
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache, wraps
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.cluster import KMeans

import sparsek
from sparsek._registry import SUBMODULES
from validation.fuzz.judge import Call
from validation.fuzz.values import Random

MODULES = ("sparsek", *(f"sparsek.{name}" for name in SUBMODULES))
"""Where public functions are."""
LEFT_OUT = ("fetch_", "set_engine", "describe_engine", "load_", "clear_", "RNGkind")
"""Beginnings of names that reach the network, files of the user or the state of the process."""
OUTSIDE = ("n_jobs", "verbose", "rng", "path", "file", "folder", "call", "cores", "outputfile_prefix")
"""Parameters with effects outside, or that change nothing in the result."""
WRONG: tuple[Any, ...] = (
    "x",
    "",
    b"2",
    -1,
    0,
    0.5,
    2.5,
    1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
    True,
    None,
    10**400,
    -(10**400),
    np.array(2),
    np.array([1.0, 2.0]),
    np.array([[1.0, 2.0], [3.0, 4.0]]),
    np.array(["a", "b"]),
    np.zeros((2, 0)),
    np.datetime64("2020-01-01"),
    datetime.date(2020, 1, 1),
    pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
    pd.Series([1.0, None]),
    pd.NA,
    pd.NaT,
    np.ma.masked,
    sp.csr_array(np.eye(3)),
    [],
    [1, "x"],
    [[1, 2], [3]],
    [[1.0, 2.0], [3.0, [4.0]]],
    np.full((20, 3), 5e-324) * np.arange(20)[:, None],
    np.arange(60.0).reshape(20, 3) * 1e300,
    np.column_stack([np.arange(20.0), np.full(20, np.nan)]),
    np.full((20, 3), np.nan),
    np.array([[0, 1, 1.0, 2], [0, 2, 2.0, 3]]),
    np.array([[0, 1, -1.0, 2], [9, 2, np.nan, 3]]),
    pd.DataFrame(np.eye(4), columns=["a", "b", "a", "c"]),
    (3,),
    {},
    {"a": 1},
    {1, 2},
    Fraction(1, 3),
    Decimal("0.5"),
    1j,
    range(3),
    object,
    object(),
    len,
)
"""Values of every type, right or wrong; numbers at the ends of their range, and trees that are none."""
TWO = 0.4
"""Share of the calls that change two values."""


@cache
def functions() -> dict[str, tuple[str, str]]:
    """Module and name of every public function, by the name of the target."""
    found = {}
    for module in MODULES:
        loaded = importlib.import_module(module)
        for name in sorted(getattr(loaded, "__all__", dir(loaded))):
            entry = getattr(loaded, name, None)
            if inspect.isfunction(entry) and not name.startswith(("_", *LEFT_OUT)):
                found[f"{module.removeprefix('sparsek.')}.{name}()"] = (module, name)
    return found


NAMES = tuple(functions())
"""The targets."""


def calls_of(module: str, name: str) -> list[inspect.BoundArguments]:
    """The calls of a function in the example of its docstring, as they were made."""
    loaded = importlib.import_module(module)
    function = getattr(loaded, name)
    signature, found = inspect.signature(function), []

    @wraps(function)
    def keep(*args: Any, **named: Any) -> Any:
        with contextlib.suppress(TypeError):
            found.append(signature.bind(*copy.deepcopy(args), **copy.deepcopy(named)))
        return function(*args, **named)

    examples = doctest.DocTestParser().get_examples(inspect.getdoc(function) or "")
    names: dict[str, Any] = {**vars(inspect.getmodule(inspect.unwrap(function))), name: keep}
    importlib.import_module("matplotlib").use("agg")
    setattr(loaded, name, keep)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), _elsewhere():
            warnings.simplefilter("ignore")
            for example in examples:
                with contextlib.suppress(Exception):
                    exec(compile(example.source, "<example>", "single"), names)
    finally:
        setattr(loaded, name, function)
    return found


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """Work in an empty folder, so that nothing is left of what a call writes."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def groups() -> Any:
    """Rows of two groups."""
    return np.random.default_rng(0).normal(size=(20, 3)) + 5 * (np.arange(20) % 2)[:, None]


def cells() -> Any:
    """Something with the parts of an AnnData object."""
    X = groups()
    obs = pd.DataFrame({"kind": ["u", "v"] * 10}, index=[f"c{i}" for i in range(20)])
    var = pd.DataFrame(index=list("abc"))
    parts: dict[str, Any] = {"layers": {}, "varm": {}, "uns": {}, "shape": X.shape}
    return SimpleNamespace(X=X, obs=obs, var=var, obs_names=obs.index, var_names=var.index, **parts)


FIRST_CALLS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "anndata.cluster()": lambda: (cells(), sparsek.SKFR(2, 1, n_init=1)),
    "anndata.explain()": lambda: (cells(), "kind"),
    "inference.test_features()": lambda: (KMeans(2, n_init=1), groups(), 0, 1),
    "inference.test_multimodal()": lambda: (KMeans(2, n_init=1), groups(), 0, 0, 1),
    "rcompat.rexp()": lambda: (3,),
    "rcompat.rnorm()": lambda: (3,),
    "rcompat.runif()": lambda: (3,),
    "rcompat.sample()": lambda: (5,),
    "rcompat.sample_int()": lambda: (5,),
    "rcompat.set_seed()": lambda: (1,),
    "rcompat.showDigit()": lambda: (1,),
    "rcompat.showbitmap()": lambda: (1,),
    "summary.summarise()": lambda: (sparsek.SKFR(2, 1, n_init=1).fit(groups()), 3),
}
"""Arguments for functions whose docstrings have no example."""


@cache
def known_calls(target: str) -> list[inspect.BoundArguments]:
    """The calls of a target in its example or, without one, in `FIRST_CALLS`; once in a process."""
    module, name = functions()[target]
    found = calls_of(module, name)
    if found or target not in FIRST_CALLS:
        return found
    signature = inspect.signature(getattr(importlib.import_module(module), name))
    return [signature.bind(*FIRST_CALLS[target]())]


def parameters_of(call: inspect.BoundArguments) -> list[str]:
    """The parameters that are changed."""
    kinds = call.signature.parameters
    plain = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [name for name in kinds if name not in OUTSIDE and kinds[name].kind not in plain]


def changed_call(
    target: str, call: inspect.BoundArguments, name: str, value: Any, others: Mapping[str, Any] | None = None
) -> Call:
    """The call of an example with other values of one or some parameters."""
    module, function = functions()[target]
    called: Callable[..., Any] = getattr(importlib.import_module(module), function)
    changes = {name: value, **(others or {})}

    def run() -> Any:
        changed = copy.deepcopy(call)
        for one, new in changes.items():
            changed.arguments[one] = copy.copy(new) if not isinstance(new, type) else new
        with _elsewhere():
            found = called(*changed.args, **changed.kwargs)
            repr(found)
        return found

    words = {one: " ".join(repr(new).split()) for one, new in changes.items()}
    shown = ", ".join(f"{one}={word if len(word) < 60 else word[:60] + '...'}" for one, word in words.items())
    return Call(f"{module}.{function}({shown})", run)


def make_call(name: str, r: Random) -> Call:
    """A call of a function as in its docstring, with one or two values changed."""
    known = known_calls(name)
    if not known:
        return Call(f"{name} has no example that runs", lambda: None)
    call = known[int(r.integers(len(known)))]
    names = parameters_of(call)
    if not names:
        return Call(f"{name} as in its example", lambda: None)
    n = 2 if len(names) > 1 and r.random() < TWO else 1
    drawn = {names[j]: WRONG[int(r.integers(len(WRONG)))] for j in r.permutation(len(names))[:n]}
    (first, value), *others = drawn.items()
    return changed_call(name, call, first, value, dict(others))
