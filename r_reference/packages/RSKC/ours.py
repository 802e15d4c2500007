"""Python calls for RSKC: the numbers of its results."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.errors import RError
from sparsek.rng import RRandom


def _rskc(name: str) -> Callable[..., Any]:
    """A function of RSKC without the texts of its result; weighted = False stands for R's L1 = NULL."""

    def call(x: np.ndarray, rng: RRandom, weighted: bool = True, **args: Any) -> dict[str, Any]:
        fit = getattr(rcompat, name)(x, **args, **({} if weighted else {"L1": None}), rng=rng)
        return {field: value for field, value in fit.items() if not isinstance(value, str)}

    return call


def _sensitivity(label1: Any, label2: Any, rng: RRandom) -> dict[str, Any]:
    """The numbers of Sensitivity, which R returns in a data frame."""
    found = rcompat.Sensitivity(label1, label2, rng=rng)
    share, label = found["prob"].values()
    return {"share": share, "label": label, "table": found["table"], "marginal": found["marginal"]}


def _trimmed(x: np.ndarray, rng: RRandom, **args: Any) -> dict[str, Any]:
    """RSKC.trimkmeans without the text that stands for no trimmed rows."""
    try:
        fit = rcompat.RSKC_trimkmeans(x, **args, rng=rng)
    except ValueError as error:
        if "no run has a defined criterion" in str(error):
            raise RError("memory") from error
        raise
    return {field: value for field, value in fit.items() if not isinstance(value, str)}


CALLS = {
    "Sensitivity": _sensitivity,
    "RSKC.trimkmeans": _trimmed,
    **{name: _rskc(name) for name in ("RSKC", "Clest", "revisedsil")},
}
"""Calls, by the name of the R function."""
