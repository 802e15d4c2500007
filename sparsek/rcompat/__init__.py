"""R's names, arguments, quirks and 1-based labels; R's answers under R's seed, some within stated tolerances.

Every folder here is an R package and lists its functions in ``__all__``. The packages are loaded when one of
these names is first used (PEP 562). A function that is called from here matches its arguments as R does:
`sparsek.rcompat.base.calls`.
"""

from functools import cache
from importlib import import_module
from inspect import isfunction
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from sparsek._docstrings import complete

_TEXTS = {
    "rng": "[stream]",
    "[stream]": "R's stream; by default the one that `set_seed` acts on.",
    "call": "What the field ``call`` holds; by default this call as R would write it.",
    "n": "How many; of an array of another length than 1, the length.",
    "stand": "Whether columns are centred by means and divided by mean absolute deviations.",
    "[of draws]": (
        "If `n` is not a number from 0 on or a parameter is not a number; nothing has been drawn then."
    ),
}
"""Sentences of several functions: see `sparsek._docstrings`."""


@cache
def _packages() -> dict[str, ModuleType]:
    """The packages, by the name of their folder."""
    return {entry.name: import_module(f"{__name__}.{entry.name}") for entry in iter_modules(__path__)}


@cache
def _functions() -> dict[str, Any]:
    """The functions of all packages, by name."""
    found = {name: getattr(package, name) for package in _packages().values() for name in package.__all__}
    as_r_calls = import_module(f"{__name__}.base.calls").as_r_calls
    complete(filter(_of_r, found.values()), _TEXTS)
    return {name: as_r_calls(entry) if _of_r(entry) else entry for name, entry in found.items()}


def _of_r(entry: Any) -> bool:
    """Whether it is a function of R, whose arguments may be abbreviated."""
    return isfunction(entry) and entry.__module__.startswith(f"{__name__}.")


def packages_of(function: str) -> list[str]:
    """The R packages, in lower case, that have a function here."""
    folders = [name for name, package in _packages().items() if function in package.__all__]
    return [name.removesuffix("_package") for name in folders]


def __getattr__(name: str) -> Any:
    """Load the packages when one of their names is first used."""
    if name == "__all__":
        return sorted(_functions())
    if name.startswith("__") or name not in _functions():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(_functions())
    return globals()[name]


def __dir__() -> list[str]:
    """List the functions, loaded or not."""
    return sorted(_functions())
