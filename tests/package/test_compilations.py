"""How often numba compiles: once for each precision, however the rows lie in memory."""

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sparsek import SKFR, KPod, rcompat, set_engine
from sparsek.engine import Loop
from sparsek.errors import RWarning
from sparsek.rng import RRandom

pytestmark = pytest.mark.compiled

X = np.random.default_rng(0).normal(size=(60, 6))
X[:20] += 3
HOLES = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
CALLS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "SKFR": (SKFR(3, n_features_to_select=2, n_init=3, random_state=0).fit, X),
    "KPod": (KPod(3, n_init=3, random_state=0).fit, HOLES),
    "Hartigan-Wong": (lambda x: rcompat.kmeans(x, 3, nstart=3, rng=RRandom(1)), X),
    "hclust": (lambda x: rcompat.hclust(rcompat.dist(x)), X),
    "Gmedian": (rcompat.Gmedian, X),
    "ewkm": (lambda x: rcompat.ewkm(x, 3, rng=RRandom(1)), X),
    "RSKC": (lambda x: rcompat.RSKC(x, 3, 0.1, L1=2, rng=RRandom(1)), X),
    "HierarchicalSparseCluster": (lambda x: rcompat.HierarchicalSparseCluster(x, wbound=1.5), X),
}
"""A call for each way that rows take to loops; other algorithms of a function take the way of the first."""


def read_only(x: np.ndarray) -> np.ndarray:
    """A copy that cannot be written."""
    x = x.copy()
    x.flags.writeable = False
    return x


def strided(x: np.ndarray) -> np.ndarray:
    """Every second row and column of a larger array."""
    large = np.zeros((2 * len(x), 2 * x.shape[1]), x.dtype)
    large[::2, ::2] = x
    return large[::2, ::2]


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "read-only": read_only,
    "strided": strided,
    "by columns": np.asfortranarray,
    "read-only by columns": lambda x: read_only(np.asfortranarray(x)),
    "backwards": lambda x: x[::-1].copy()[::-1],
    "list": np.ndarray.tolist,
}


def compiled_kinds() -> dict[str, int]:
    """For how many kinds of arguments each loop is compiled."""
    ours = [module for name, module in sys.modules.items() if name.partition(".")[0] == "sparsek"]
    found = [value for module in ours for value in vars(module).values() if type(value) is Loop]
    return {
        loop.__qualname__: len(loop.compiled.signatures)  # type: ignore[attr-defined]
        for loop in found
        if "compiled" in vars(loop)
    }


@pytest.mark.parametrize("name", CALLS)
def test_rows_in_any_form_are_compiled_for_once(name: str) -> None:
    call, x = CALLS[name]
    with set_engine("compiled"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        call(x)
        before = compiled_kinds()
        assert before
        for form in FORMS.values():
            call(form(x))
        assert compiled_kinds() == before
        # Single precision is a kind of its own for the estimators; R has none.
        call(x.astype(np.float32))
        single = compiled_kinds()
        for form in FORMS.values():
            call(form(x.astype(np.float32)))
        assert compiled_kinds() == single
        assert all(single[loop] <= 2 * before.get(loop, 1) for loop in single)
        assert name in ("SKFR", "KPod") or single == before
