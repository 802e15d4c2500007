"""The methods that Tables 3 and 4 compare, each as one run from given rows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r_reference import bridge
from sparsek import SKFR, PowerKMeans, SparseKMeans, rcompat
from sparsek.errors import RError
from sparsek.rng import RRandom
from validation.papers.shared.runs import quietly
from validation.papers.skfr.real_tables import maps
from validation.papers.skfr.real_tables.designs import Reading
from validation.papers.skfr.real_tables.samples import (
    FloatArray,
    load_sample,
    scaled,
    start_labels,
    start_rows,
)

IntArray = NDArray[np.int64]
IN_R = {"SKM": ("sparcl", "KMeansSparseCluster"), "EW k-means": ("wskm", "ewkm")}
"""Package and function of the methods that the paper ran in R; ours are the same functions of `rcompat`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of one run."""

    labels: NDArray[Any]  # (n,): clusters
    # Objective of the method, minimised, comparable between runs on the same data; NaN without one
    objective: float = float("nan")
    selected: IntArray | None = None  # Columns in use, for methods that select features


@dataclass(frozen=True, slots=True)
class Run:
    """One run: data set, reading, number of the start, and the tuned value (NaN without one)."""

    data: str
    reading: Reading
    trial: int
    value: float

    @property
    def X(self) -> FloatArray:
        """The columns as the competitors get them."""
        return scaled(self.data, self.reading.scaling, self.reading.fill)

    @property
    def centers(self) -> FloatArray:
        """The starting rows, on the same columns."""
        return self.X[list(start_rows(self.data, self.reading, self.trial))]

    @property
    def labels(self) -> NDArray[np.int32]:
        """Number of the nearest starting row, on the columns on which these were drawn."""
        return start_labels(self.data, self.reading, self.trial)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return load_sample(self.data).n_clusters


def skfr(run: Run) -> Answer:
    """SKFR1 from the labels of the starting rows; missing entries are left out."""
    X = load_sample(run.data).X
    return _ranked(run, X if np.isnan(X).any() else run.X)


def skfr_filled(run: Run) -> Answer:
    """SKFR1 on data with missing entries filled beforehand."""
    return _ranked(run, run.X)


def _ranked(run: Run, X: FloatArray) -> Answer:
    model = SKFR(run.n_clusters, int(run.value), init=run.labels, standardize=True).fit(X)
    return Answer(model.labels_, model.objective_, model.get_support(indices=True))


def lloyd(run: Run) -> Answer:
    """Lloyd's k-means: SKFR that keeps every feature and does not standardise."""
    return _lloyd(run, standardize=False)


def lloyd_standardized(run: Run) -> Answer:
    """Lloyd's k-means on standardised columns."""
    return _lloyd(run, standardize=True)


def _lloyd(run: Run, standardize: bool) -> Answer:
    X = run.X
    model = SKFR(run.n_clusters, X.shape[1], standardize=standardize, init=run.labels).fit(X)
    return Answer(model.labels_, model.objective_)


def sparcl_twin(run: Run) -> Answer:
    """sparcl's sparse k-means, by `rcompat`."""
    (fit,) = rcompat.KMeansSparseCluster(
        run.X, None, wbounds=run.value, centers=run.centers, rng=RRandom(run.trial + 1)
    )
    return Answer(fit.Cs, selected=np.flatnonzero(fit.ws))


def sparse_kmeans(run: Run) -> Answer:
    """Sparse k-means, by `SparseKMeans`."""
    model = SparseKMeans(
        run.n_clusters, l1_bound=run.value, init=run.centers, refine=False, standardize=False
    ).fit(run.X)
    return Answer(model.labels_, model.objective_, model.get_support(indices=True))


def ewkm_twin(run: Run) -> Answer:
    """wskm's entropy-weighted k-means with default settings, by `rcompat`."""
    return Answer(rcompat.ewkm(run.X, run.centers, rng=RRandom(run.trial + 1)).cluster)


def power_kmeans(run: Run) -> Answer:
    """Power k-means with the released code's schedule."""
    model = PowerKMeans(run.n_clusters, init=run.centers).fit(run.X)
    return Answer(model.labels_, model.objective_)


def som(method: str, run: Run) -> Answer:
    """A self-organising map; the objective is its quantisation error."""
    return Answer(*maps.train(maps.SCHEDULES[method], run.X, run.centers, run.trial + 1))


METHODS: dict[str, Callable[[Run], Answer]] = {
    "SKFR1": skfr,
    "SKFR1, filled": skfr_filled,
    "k-means++": lloyd,
    "k-means++, standardised": lloyd_standardized,
    "SKM": sparcl_twin,
    "SKM, estimator": sparse_kmeans,
    "EW k-means": ewkm_twin,
    "power k-means": power_kmeans,
    **{name: partial(som, name) for name in maps.SCHEDULES},
}
"""The methods by the names used in tables."""
TUNED = {"SKFR1", "SKFR1, filled", "SKM", "SKM, estimator"}
"""Methods with a number of features or an L1 bound."""


def answer_ours(method: str, run: Run) -> Answer:
    """One run in sparsek."""
    try:
        with quietly():
            return METHODS[method](run)
    except RError:
        return Answer(np.empty(0))


def answer_in_r(method: str, run: Run) -> Answer:
    """One run in R itself.

    Raises RuntimeError if R, rpy2 or the package is missing.
    """
    package, function = IN_R[method]
    found, reason = bridge.available(package)
    if not found:
        raise RuntimeError(f"{method} cannot be run by R: {reason}")
    args = {"x": run.X, "centers": run.centers}
    if method in TUNED:
        args["wbounds"] = np.array(run.value)
    case = {"function": function, "package": package, "seed": run.trial + 1}
    case |= {"sample_kind": "Rejection", "before": 0}
    value = bridge.run_case(case, args)["value"]
    name = "1$Cs" if function == "KMeansSparseCluster" else "cluster"
    return Answer(value.get(name, np.empty(0)))
