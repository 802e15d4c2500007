"""Python call for wskm's predict: a fit, and the numbers of the centres that predict returns as names."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _predict_ewkm(x: np.ndarray, newdata: np.ndarray, rng: RRandom, **args: Any) -> np.ndarray:
    """The numbers of the centres that predict names; an empty vector, as in R, if every row is missing."""
    names = rcompat.predict_ewkm(rcompat.ewkm(x, **args, rng=rng), newdata).tolist()
    return np.array([np.nan if name is None else float(name) for name in names if set(names) != {None}])


CALLS = {"predict.ewkm": _predict_ewkm}
"""By R function."""
