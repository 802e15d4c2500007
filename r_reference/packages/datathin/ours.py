"""Python calls for datathin, made from data as in ``calls.R``."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _datathin(data: np.ndarray, family: str, rng: RRandom, **args: Any) -> dict[str, Any]:
    """The folds, column by column, and their dimensions."""
    folds = rcompat.datathin(data, family, **args, rng=rng)
    names = {"normal": "normal", "gaussian": "normal", "mvnormal": "rows"}
    return {names.get(family, "folds"): folds.ravel(order="F"), "dim": np.array(folds.shape)}


CALLS = {"datathin": _datathin}
