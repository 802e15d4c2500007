"""Clustering methods under one interface, as R's ``kmeansCBI`` and ``claraCBI``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.api_scale import scale
from sparsek.rcompat.base.calls import passed_on
from sparsek.rcompat.base.data import as_flag, as_number, require_runs
from sparsek.rcompat.cluster.api_clara import clara
from sparsek.rcompat.cluster.api_pam import pam
from sparsek.rcompat.stats.api_kmeans import KMeansResult, kmeans
from sparsek.rng import RRandom

MOST_FAILURES = 1000
"""So many starts of k-means may fail one after the other; R would go on without end."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """A clustering of rows."""

    labels: IntArray  # (n,): clusters from 1
    centroids: FloatArray  # (k, p): centres or medoids


Method = Callable[..., Clustering]


def kmeans_interface(
    x: FloatArray,
    k: int,
    stream: RRandom,
    /,
    runs: float = 1,
    scaling: bool = False,
    criterion: str = "ch",
    iter_max: int = 100,
    **more: Any,
) -> Clustering:
    """The best of several runs of k-means, each repeated until it succeeds; `criterion` does not count.

    Raises ValueError where k-means fails again and again.
    """
    more = passed_on(kmeans, more, "x", "centers")
    data = np.asarray(scale(x)) if as_flag(scaling, "scaling") else x
    number = int(as_number(runs, "runs"))
    require_runs(number, "runs")
    best, least = None, np.inf
    for _ in range(max(number, 1)):
        fit = _successful(lambda: kmeans(data, k, iter_max=iter_max, rng=stream, **more), k)
        total = long_sum(fit["withinss"])
        if best is None or total < least:
            best, least = fit, total
    assert best is not None
    return Clustering(np.asarray(best["cluster"]), np.asarray(best["centers"]))


def _successful(run: Callable[[], KMeansResult], k: int) -> KMeansResult:
    """The first run that does not fail."""
    failure: RError | None = None
    for _ in range(MOST_FAILURES):
        try:
            return run()
        except RError as error:
            failure = error
    message = f"k-means with {k} clusters fails in every run ({failure}), and R would try without end"
    raise ValueError(f"{message}: ask for fewer clusters, or drop equal and missing rows")


def clara_interface(
    x: FloatArray, k: int, stream: RRandom, /, usepam: bool = True, **more: Any
) -> Clustering:
    """Clusters around medoids, by `pam` or `clara`."""
    method: Any = pam if as_flag(usepam, "usepam") else clara
    fit = method(x, k, rng=stream, **passed_on(method, more, "x", "k"))
    return Clustering(np.asarray(fit["clustering"]), np.asarray(fit["medoids"]))


METHODS: dict[str, tuple[Method, str]] = {
    "kmeansCBI": (kmeans_interface, "kmeans"),
    "claraCBI": (clara_interface, "clara/pam"),
}
"""By the name of R's function: ours, and what R calls the method."""
