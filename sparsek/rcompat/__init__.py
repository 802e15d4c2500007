"""R's names, arguments, quirks and 1-based labels; the same answers as R under the same seed.

Every folder here is an R package and lists its functions in ``__all__``. They are loaded when a name is first
asked for (PEP 562): `sparsek.rng` stands on `sparsek.rcompat.arithmetic` and needs none of them.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

NOT_PACKAGES = ("arithmetic",)
"""Folders that hold no functions of R."""


@cache
def _functions() -> dict[str, Any]:
    """Everything that the packages list, by name."""
    names = [entry.name for entry in iter_modules(__path__) if entry.name not in NOT_PACKAGES]
    packages = [import_module(f"{__name__}.{name}") for name in names]
    return {name: getattr(package, name) for package in packages for name in package.__all__}


def __getattr__(name: str) -> Any:
    """Load the packages when a name is first asked for."""
    if name == "__all__":
        return sorted(_functions())
    if name.startswith("__") or name not in _functions():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals().update(_functions())
    return globals()[name]


def __dir__() -> list[str]:
    """List the functions, loaded or not."""
    return sorted(_functions())
