"""Sparse k-means and its relatives: clusters of the rows, and the features that tell them apart.

The estimators follow scikit-learn: parameters in the constructor, then ``fit``, ``labels_``, ``predict``,
``get_support``, ``summary``.

    >>> from sklearn.datasets import load_wine
    >>> from sparsek import SKFR
    >>> X = load_wine(as_frame=True).data
    >>> model = SKFR(n_clusters=3, n_features_to_select=6, random_state=0).fit(X)
    >>> model.get_selected_names()[:2].tolist()
    ['alcohol', 'total_phenols']

Where to start:

- ``SKFR``: selects a number of features; takes missing values. ``SparseKMeans``: weights them, as R's sparcl.
- ``KPod``: k-means of data with missing values. ``RobustSparseKMeans``: data with outliers.
- ``ModelChoice``: chooses the number of clusters and of features, and says how sure it is.
- ``sparsek.plots``: pictures of fits. ``sparsek.anndata``: single cells. ``sparsek.datasets``: data.
- ``sparsek.rcompat``: R's functions (sparcl, kpodclustr, RSKC, wskm and more) with R's answers.

``dir(sparsek)`` has all names; the command ``sparsek`` clusters files.
"""

# Nothing is loaded before it is used: a public name imports its module when it is first asked for (PEP 562).
# Type checkers and editors read `__init__.pyi`; both come from the rows of `sparsek/_registry.py`.

import os
import sys

if (
    getattr(sys, "argv", [])[:1] == ["-m"]
    and ("-m", "sparsek") in zip(sys.orig_argv, sys.orig_argv[1:], strict=False)
    and not sys.flags.safe_path
    and os.path.realpath(sys.path[0]) != os.path.realpath(os.path.dirname(os.path.dirname(__file__)))
):
    # `python -m sparsek`: Python put the current folder first, and would run a numpy.py from there.  That of
    # another package, run by -m, which imports this one, is its own and stays.
    del sys.path[0]

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
    return sorted({*__all__, *_SUBMODULES, *(name for name in globals() if name.startswith("__"))})
