"""Sparse k-means and its relatives, with R's answers under R's seeds.

Nothing is loaded before it is used: a public name imports its module when it is first asked for (PEP 562).
Type checkers and editors read `__init__.pyi`; both come from the rows of `sparsek/_registry.py`.
"""

from importlib import import_module
from typing import Any

from sparsek._registry import MODULES as _MODULES
from sparsek._registry import SUBMODULES as _SUBMODULES

__version__ = "0.1.0"

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    """Import the module of a name at its first use."""
    if name in _MODULES:
        value = getattr(import_module(f"sparsek.{_MODULES[name]}"), name)
        globals()[name] = value  # found directly from now on
        return value
    if name in _SUBMODULES:
        return import_module(f"sparsek.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names and modules, loaded or not."""
    return sorted({*globals(), *__all__, *_SUBMODULES})
