"""The page on `sparsek.rcompat`, made of the packages; it needs no Sphinx, so that a test reads it."""

from importlib import import_module
from pkgutil import iter_modules

from sparsek import rcompat


def show_r_functions() -> str:
    """The page on `sparsek.rcompat`: the functions of every R package."""
    text = (
        "# R's functions: `sparsek.rcompat`\n\n"
        "R's names with underscores for dots, R's arguments and defaults, labels from 1, R's numbers. "
        "[Migrating from R](migrating-from-r.md) goes through them call by call.\n"
    )
    for entry in iter_modules(rcompat.__path__):
        package = import_module(f"sparsek.rcompat.{entry.name}")
        title = str(package.__doc__).partition("\n")[0].rstrip(".")
        names = "".join(f"   {name}\n" for name in package.__all__)
        text += (
            f"\n## {title}\n\n```{{eval-rst}}\n.. currentmodule:: sparsek.rcompat\n\n"
            f".. autosummary::\n   :toctree: api\n\n{names}```\n"
        )
    return text
