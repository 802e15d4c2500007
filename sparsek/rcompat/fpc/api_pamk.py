"""R's ``pamk``: medoids with a choice of the number of clusters."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.caller import warn_as_r
from sparsek.bits.normal import normal_probability
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.api_scale import scale
from sparsek.rcompat.base.calls import passed_on
from sparsek.rcompat.base.data import RList, as_flag, as_matrix, as_number, as_vector, whole_numbers
from sparsek.rcompat.base.expressions import deparse, r_name
from sparsek.rcompat.base.printing import format_number
from sparsek.rcompat.cluster.api_clara import ClaraResult, clara
from sparsek.rcompat.cluster.api_pam import PamResult, pam
from sparsek.rcompat.cluster.api_silhouette import Silhouette, silhouette
from sparsek.rcompat.cluster.arguments_pam import UNDECIDED
from sparsek.rcompat.fpc.api import calinhara
from sparsek.rcompat.fpc.api_cluster_stats import cluster_stats
from sparsek.rcompat.fpc.cluster_statistics import NO_MAXIMUM, over
from sparsek.rcompat.fpc.sums_of_squares import squares, squares_within
from sparsek.rcompat.stats.distances.api_dist import Dist, as_class, dist
from sparsek.rng import RRandom, resolve_rng
from sparsek.rng.generator import normal_quantile

_log = logging.getLogger(__name__)
CRITERIA = ("asw", "multiasw", "ch")
SET_HERE = ("x", "k", "call")
"""Arguments of the clustering that are set here."""
Fit = PamResult | ClaraResult
NO_RATIO = "the test of one cluster needs data without missing or infinite values that are not all the same"


@dataclass(frozen=True, slots=True)
class PamkPlan:
    """How a clustering is judged."""

    criterion: str  # One of CRITERIA
    parts: int  # Number of parts for "multiasw"
    seed: float | None  # Seed of each drawing of parts
    stream: RRandom  # R's stream


def pamk(
    data: ArrayLike,
    krange: ArrayLike = tuple(range(2, 11)),
    criterion: str = "asw",
    usepam: bool = True,
    scaling: bool | ArrayLike = False,
    alpha: float = 0.001,
    diss: bool | None = None,
    critout: bool = False,
    ns: float = 10,
    seed: float | None = None,
    *,
    rng: RRandom | None = None,
    **arguments: Any,
) -> RList:
    """Medoids with the number of clusters of the largest criterion, as R's ``pamk`` of package fpc.

    Parameters
    ----------
    data : array_like, data frame or Dist
        Real data of shape (n, p), where a vector is one column; or dissimilarities.
    krange : array_like of int, default=(2, 3, 4, 5, 6, 7, 8, 9, 10)
        Numbers of clusters, below n. With 1 among them, Duda and Hart's test says whether there is more than
        one cluster, unless `diss`.
    criterion : {"asw", "multiasw", "ch"}, default="asw"
        Mean silhouette width, its approximation by `ns` random parts of the data, or the index of
        :func:`calinhara` (for dissimilarities that of :func:`cluster_stats`).
    usepam : bool, default=True
        Whether medoids are found by `pam`, otherwise by `clara`.
    scaling : bool or array_like of shape (p,), default=False
        Whether columns are centred and scaled, or what centred columns are divided by; see :func:`scale`.
    alpha : float, default=0.001
        Level of the test, from 0 to 1, dimensionless.
    diss : bool, optional
        Whether data are dissimilarities; by default those of :func:`dist` and :func:`daisy`.
    critout : bool, default=False
        Whether the logger "sparsek" tells of each criterion.
    ns : int, default=10
        Number of parts, at least 2.
    seed : float, optional
        Seed of the stream before each drawing of parts, as `set_seed`.
    rng : RRandom, optional
    **arguments : object
        Further arguments of `pam` or `clara`.

    Returns
    -------
    RList
        ``pamobject``, the result of `pam` or `clara` of the chosen number, None where that is 1 and 1 was not
        asked for; ``nc``, the chosen number, 1 too where no criterion is above 0; ``crit`` (largest of
        krange,), the criteria (dimensionless), 0 where not asked for, and first of all the p-value of the
        test where there was one. The test is of the two clusters of `pam` or `clara`; without 2 in `krange`
        R tests none, so that its p-value means nothing.

    Raises
    ------
    RError
        With R's message: what `pam`, `clara` and `scale` refuse, no or missing numbers of clusters, unknown
        criterion, a missing flag, 1 alone in `krange`, data that the test cannot take, `alpha` out of range,
        parts with a single cluster, further arguments that `pam` or `clara` has not.
    TypeError
        Arguments that are no numbers, and further ones that are set here.
    ValueError
        Numbers of clusters or of parts that are not whole, and where R takes dissimilarities for data:
        with `scaling`, without `usepam`, and for "multiasw".

    Warns
    -----
    RWarning
        R's warnings before its errors, and those of `pam` and `clara`.

    See Also
    --------
    prediction_strength : Another choice of the number of clusters.
    silhouette : The widths that are averaged.

    References
    ----------
    Duda, R. O. & Hart, P. E. (1973). Pattern Classification and Scene Analysis. Wiley, New York.

    Hennig, C. & Liao, T. (2013). How to find an appropriate clustering for mixed-type variables with
    application to socio-economic stratification. Applied Statistics 62, 309-369.

    Examples
    --------
    >>> from sparsek.rcompat import pamk
    >>> found = pamk([[0, 0], [1, 0], [0, 1], [9, 8], [8, 9], [9, 9], [0, 9], [1, 9]], range(2, 5))
    >>> found.nc, found.pamobject.clustering
    (3, array([1, 1, 1, 2, 2, 2, 3, 3]))
    """
    stream, level, told = resolve_rng(rng), as_number(alpha, "alpha"), as_flag(critout, "critout")
    given = isinstance(data, Dist) if diss is None else as_flag(diss, "diss")
    medoids, scaled = as_flag(usepam, "usepam"), not (isinstance(scaling, bool | np.bool_) and not scaling)
    _require_rows(given, medoids, scaled, criterion)
    x = _numbered(data) if given else scale(data, scale=scaling) if scaled else data
    numbers, fits = _numbers(krange), dict[int, Fit]()
    _require_known(criterion)
    arguments = passed_on(pam if medoids else clara, arguments, *SET_HERE)
    plan = PamkPlan(criterion, _parts(ns, criterion), seed, stream)
    values = dict[int, float]()
    for k in numbers:
        fits[k] = _fit(x, k, given, medoids, stream, arguments)
        values[k] = _criterion(x, fits[k], given, plan) if k > 1 else 0.0
        if told:
            _log.info("pamk: %d clusters, criterion %s", k, format_number(values[k]))
    crit = np.array([values.get(k, 0.0) for k in range(1, max(values) + 1)])
    best = int(np.nanargmax(crit)) + 1
    if 1 in fits and not given:
        rows = as_matrix(x).values
        verdict = duda_hart(rows, _tested_clusters(fits, len(rows)), level)
        crit[0] = verdict.p_value
        best = 1 if verdict.one_cluster else best
    return RList({"pamobject": fits.get(best), "nc": best, "crit": crit})


def _numbers(krange: Any) -> list[int]:
    """The numbers of clusters; RError with R's messages for none and missing ones, with R's warning."""
    numbers = as_vector(krange, "krange")
    if not len(numbers):
        warn_as_r(NO_MAXIMUM)
        raise RError("vector size cannot be infinite", "krange is empty: give numbers of clusters")
    if np.isnan(numbers).any():
        raise RError("vector size cannot be NA/NaN", "krange has missing numbers")
    if np.isinf(numbers.max()):
        raise RError("vector size cannot be infinite", f"krange holds {numbers.max()}")
    if not np.isfinite(numbers).all() or (numbers % 1 != 0).any():
        raise ValueError(f"krange must hold whole numbers; got {numbers.tolist()}")
    return [whole_numbers(krange=k)[0] for k in numbers]


def _parts(ns: Any, criterion: str) -> int:
    """The number of parts."""
    if criterion != "multiasw":
        return 0
    number = as_number(ns, "ns")
    if not number >= 2 or number % 1:
        raise ValueError(f"ns must be a whole number of at least 2; got {ns!r}")
    return whole_numbers(ns=ns)[0]


def _require_known(criterion: Any) -> None:
    """Refuse unknown criteria, with R's message."""
    if not isinstance(criterion, str) or criterion not in CRITERIA:
        message = f"criterion must be one of {', '.join(CRITERIA)}; got {criterion!r}"
        raise RError("replacement has length zero", message)


def _require_rows(given: bool, medoids: bool, scaled: bool, criterion: str) -> None:
    """Refuse dissimilarities where R takes them for rows of data."""
    if not given:
        return
    wants = {"scaling": scaled, "usepam=False": not medoids, 'criterion="multiasw"': criterion == "multiasw"}
    for name in (name for name, wanted in wants.items() if wanted):
        raise ValueError(f"{name} needs rows of data; got dissimilarities, which R would take for rows")


def _numbered(d: Any) -> Any:
    """Dissimilarities with names of the objects: their numbers, as R's ``as.matrix`` gives them."""
    if not isinstance(d, Dist) or d.attributes.get("Labels"):
        return d
    names = [str(i + 1) for i in range(d.attributes["Size"])]
    return as_class(d, {**d.attributes, "Labels": names}, type(d))


def _fit(x: Any, k: int, given: bool, medoids: bool, stream: RRandom, arguments: dict[str, Any]) -> Fit:
    """The clusters of one number, under R's call, whose arguments have the order of the function's."""
    method: Any = pam if medoids else clara
    set_here = {"diss": given} if medoids else {}
    order = [name for name in signature(method).parameters if name in arguments]
    values = [f"{r_name(name)} = {deparse(arguments[name], '...')}" for name in order]
    call = ", ".join(["x = sdata", "k = k", *(f"{name} = {name}" for name in set_here), *values])
    fit = method(x, k, rng=stream, call=f"{method.__name__}({call})", **set_here, **arguments)
    if isinstance(fit, np.ndarray):
        raise RError("$ operator is invalid for atomic vectors", "leave cluster_only out")
    found: Fit = fit
    return found


def _criterion(x: Any, fit: Fit, given: bool, plan: PamkPlan) -> float:
    """The criterion of two clusters or more."""
    if plan.criterion == "asw":
        return float(fit["silinfo"]["avg.width"])
    if plan.criterion == "multiasw":
        if plan.seed is not None:
            plan.stream.seed(plan.seed)
        return mean_silhouette(as_matrix(x).values, np.asarray(fit["clustering"]), plan.parts, plan.stream)
    if given:
        return float(cluster_stats(x, fit["clustering"])["ch"])
    return calinhara(x, fit["clustering"])


def _tested_clusters(fits: dict[int, Fit], n: int) -> FloatArray:
    """The labels that are tested, none where two clusters were not asked for."""
    if max(fits) == 1:
        raise RError("subscript out of bounds", "the test of one cluster needs two: put 2 into krange")
    return np.asarray(fits[2]["clustering"], dtype=np.float64) if 2 in fits else np.zeros(n)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What Duda and Hart's test says."""

    p_value: float  # Of one cluster
    one_cluster: bool  # Whether one cluster is not rejected


def duda_hart(data: FloatArray, labels: FloatArray, alpha: float) -> Verdict:
    """The test of clusters 1 and 2 at a level, as R's ``dudahart2``.

    Shapes: data (n, p), labels (n,).

    RError with R's message, for missing data, constant data and levels outside of 0 to 1, with R's warning.

    Source: Duda & Hart (1973): the ratio of the squares within two clusters to all.
    """
    n, p = data.shape
    ratio = over(long_sum(squares_within(data, labels, 2)), long_sum(squares(data)))
    if not 0 <= alpha <= 1 and not math.isnan(alpha):
        warn_as_r("NaNs produced")
    if math.isnan(ratio) or not 0 <= alpha <= 1:
        remedy = f"alpha must be from 0 to 1; got {alpha:g}" if not math.isnan(ratio) else NO_RATIO
        raise RError(UNDECIDED, remedy)
    error = math.sqrt(2 * (1 - 8 / (math.pi**2 * p)) / (n * p))
    z = float(normal_quantile(np.array([1 - alpha]))[0])
    critical = 1 - 2 / (math.pi * p) - z * error
    p_value = 1 - normal_probability((1 - ratio - 2 / (math.pi * p)) / error)
    return Verdict(p_value, ratio >= critical)


def mean_silhouette(data: FloatArray, labels: IntArray, parts: int, stream: RRandom) -> float:
    """The mean of the mean silhouette widths in drawn parts, weighted by their sizes, as ``distcritmulti``.

    Shapes: data (n, p), labels (n,).

    Raises RError with R's message, for a part of one cluster or of single rows only.

    Source: Hennig & Liao (2013).
    """
    n = len(data)
    order, size = stream.sample_int(n, n) - 1, n // parts
    total = []
    for part in range(parts):
        rows = order[part * size : (part + 1) * size if part < parts - 1 else n]
        found = silhouette(labels[rows], dist(data[rows])) if len(rows) else None
        if not isinstance(found, Silhouette):
            message = f"part {part + 1} of {parts} has a single cluster or rows without company: lower ns"
            raise RError("$ operator is invalid for atomic vectors", message)
        total.append(len(rows) * found.summary().avg_width)
    return long_sum(np.array(total)) / n
