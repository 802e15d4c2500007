"""Python calls for wrsk: distances passed with the data, one core, reproducible parts of simulated data."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _wrk(x: np.ndarray, rng: RRandom, **args: Any) -> Any:
    """The result of wrk on x and its distances."""
    return rcompat.wrk(x, rcompat.dist(x), **args, rng=rng)


def _robin(x: np.ndarray, rng: RRandom, **args: Any) -> Any:
    """The starts that ROBIN finds in x and its distances."""
    return rcompat.ROBIN(rcompat.dist(x), x, **args, rng=rng)


def _gap(x: np.ndarray, rng: RRandom, **args: Any) -> Any:
    """The gap statistic with one core, on which R's result is reproducible."""
    return rcompat.wrskGap(x, **args, cores=1, rng=rng)


def _sim_data(p_inf: float, p_out_inf: float, rng: RRandom, **args: Any) -> dict[str, Any]:
    """The parts of a simulated data set that can equal R's; ``calls.R`` gives the reason."""
    sim = rcompat.SimData(p_inf=p_inf, p_out_inf=p_out_inf, **args, rng=rng)
    noise, outliers = sim["x"][:, int(p_inf) :], sim["x"][sim["lbout"] == 0, : int(p_out_inf)]
    return {**{name: sim[name] for name in ("y", "lb", "lbout")}, "noise": noise, "outliers": outliers}


CALLS = {"wrk": _wrk, "ROBIN": _robin, "wrskGap": _gap, "SimData": _sim_data}
"""Calls, by the name of the R function."""
