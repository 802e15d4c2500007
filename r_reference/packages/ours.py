"""What sparsek has of R's functions: those of `sparsek.rcompat` that have R's name."""

from inspect import isfunction

from r_reference.listing import PACKAGES
from sparsek import rcompat

FUNCTIONS = rcompat
"""Has our functions as attributes."""
OF_BASE = ("as_matrix", "cut", "labels", "rev", "summary")
OF_OTHER_PACKAGES = dict.fromkeys(OF_BASE, "base") | {"lof": "dbscan", "str": "utils"}
"""Functions that stand in the folder of another R package than their own."""
NO_FUNCTIONS = ("resolve_rng", "DBWorld", "DutchUtility", "optd", "fgkm_sample", "twkm_sample")
"""Functions of `sparsek.rcompat` that are none in R: our own, and data sets."""


def packages() -> dict[str, str]:
    """The functions that have R's name, and the R package of each."""
    spelled = {path.name.lower(): path.name for path in PACKAGES.iterdir()}
    found = {}
    for function in rcompat.__all__:
        entry = getattr(rcompat, function)
        if (
            isfunction(entry)
            and function not in NO_FUNCTIONS
            and entry.__module__.startswith(rcompat.__name__)
        ):
            folder = rcompat.packages_of(function)[0]
            found[function] = OF_OTHER_PACKAGES.get(function, spelled[folder])
    return found
