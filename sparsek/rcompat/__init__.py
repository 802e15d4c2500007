"""R's names, arguments, quirks and 1-based labels; the same answers as R under the same seed.

Every folder here is an R package and lists its functions in ``__all__``. The packages are loaded when one of
these names is first used (PEP 562), because `sparsek.rng` imports `sparsek.rcompat.arithmetic` alone. A
function that is called from here matches its arguments as R does: `sparsek.rcompat.base.calls`.
"""

from functools import cache
from importlib import import_module
from inspect import isfunction
from pkgutil import iter_modules
from typing import Any

NOT_PACKAGES = ("arithmetic",)
"""Folders that hold no functions of R."""


@cache
def _functions() -> dict[str, Any]:
    """The functions of all packages, by name."""
    names = [entry.name for entry in iter_modules(__path__) if entry.name not in NOT_PACKAGES]
    packages = [import_module(f"{__name__}.{name}") for name in names]
    found = {name: getattr(package, name) for package in packages for name in package.__all__}
    as_r_calls = import_module(f"{__name__}.base.calls").as_r_calls
    return {name: as_r_calls(entry) if _of_r(entry) else entry for name, entry in found.items()}


def _of_r(entry: Any) -> bool:
    """Whether it is a function of R, whose arguments may be abbreviated."""
    return isfunction(entry) and entry.__module__.startswith(f"{__name__}.")


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
