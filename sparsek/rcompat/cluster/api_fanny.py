"""R's ``cluster::fanny``: fuzzy clusters."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.errors import RError, RWarning
from sparsek.rcompat.base.arrays import RArray, dimnames_of, with_names
from sparsek.rcompat.base.data import RList, as_flag, as_number, as_numbers, require_runs
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.printing import DIGITS, format_array, format_matrix
from sparsek.rcompat.base.printing import format_number as shown
from sparsek.rcompat.cluster.arguments_clara import as_count
from sparsek.rcompat.cluster.arguments_pam import (
    METRICS,
    UNDECIDED,
    Objects,
    given_dissimilarities,
    is_triangle,
    kept_dissimilarities,
    rows_as_objects,
)
from sparsek.rcompat.cluster.cluster_tables import SILHOUETTE_COLUMNS, silhouette_list
from sparsek.rcompat.cluster.fuzzy import Fuzzy, first_memberships, fuzzy_clusters
from sparsek.rcompat.cluster.summaries import components, dissimilarities, silhouettes

FANNY_METRICS = (*METRICS, "SqEuclidean")
"""Distances between rows."""
NOT_NUMERIC = "x is not a numeric dataframe or matrix."
KEPT_BELOW = 100
"""Dissimilarities are kept by default for fewer rows than this."""
NEAR_ONE = 1e-8
"""How far from 1 the memberships of an object may add up."""
COMPLETE = 1e-7
"""Below this normalised coefficient, memberships are all nearly equal."""
WIDTH = 8
"""The numbers at the head of a print are at least so wide."""


class FannyResult(RList):
    """Result of `fanny`, printed as R prints it.

    Fields (n objects, k clusters): ``membership`` (n, k), shares that add up to 1; ``coeff`` (2,), Dunn's
    coefficient and its normalised form, dimensionless; ``memb.exp``; ``clustering`` (n,) from 1, clusters of
    the largest memberships; ``k.crisp``, how many these are; ``objective`` (2,), in the unit of the
    dissimilarities, and the tolerance; ``convergence`` (3,), iterations, or -1, whether they converged, their
    limit; ``diss`` (n (n - 1) / 2,) or None; ``call``; ``silinfo`` as of `pam`, and ``data``, where they are.
    """

    r_class = ("fanny", "partition")

    def __str__(self) -> str:
        return f"{self._memberships()}{components(self)}"

    def summary(self) -> FannyResult:
        """Give the result with a longer print, as R's ``summary``: silhouettes and dissimilarities too.

        Returns
        -------
        FannyResult
            The same fields.
        """
        return FannySummary(self)

    def _memberships(self) -> str:
        """Numbers, memberships, coefficients and clusters, and an empty line."""
        head = self._head()
        names = getattr(self["clustering"], "attributes", {}).get("names")
        crisp, k = self["k.crisp"], self["membership"].shape[1]
        left, right = max(map(len, head)), max(map(len, head.values()))
        rows = [f"{name:<{left}} {text:<{right}}" for name, text in head.items()]
        percent = np.round(100 * np.asarray(self["membership"]))
        return "\n".join(
            [
                f"Fuzzy Clustering object of class 'fanny' :{' ' * (left + right + 1)}",
                *rows,
                "Membership coefficients (in %, rounded):",
                format_matrix(percent, names),
                "Fuzzyness coefficients:",
                format_array(np.asarray(self["coeff"]), self["coeff"].attributes["names"]),
                "Closest hard clustering:",
                format_array(np.asarray(self["clustering"]), names),
                *([f"k_crisp (= {crisp}) < k !!"] if crisp < k else []),
                "\n",
            ]
        )

    def _head(self) -> dict[str, str]:
        """The numbers at the head."""
        names = ("m.ship.expon.", "objective", "tolerance", "iterations", "converged", "maxit", "n")
        numbers = [self["memb.exp"], *self["objective"], *self["convergence"], len(self["clustering"])]
        texts = [f"{v:.{DIGITS}g}" if np.isfinite(v) else shown(v) for v in numbers]
        return dict(zip(names, (text.rjust(WIDTH) for text in texts), strict=True))


class FannySummary(FannyResult):
    """Summary of a result of `fanny`."""

    def __str__(self) -> str:
        return f"{self._memberships()}{silhouettes(self)}{dissimilarities(self)}{components(self)}"


def fanny(
    x: ArrayLike,
    k: float,
    diss: bool | None = None,
    memb_exp: float = 2,
    metric: str = "euclidean",
    stand: bool = False,
    iniMem_p: ArrayLike | None = None,
    cluster_only: bool = False,
    keep_diss: bool | None = None,
    keep_data: bool | None = None,
    maxit: float = 500,
    tol: float = 1e-15,
    *,
    call: str | None = None,
) -> FannyResult:
    """Fuzzy clustering of objects by their dissimilarities, as R's ``cluster::fanny``.

    It lowers the sum over clusters v of sum_ij u_iv^r u_jv^r d_ij / (2 sum_j u_jv^r), r being `memb_exp`.

    Parameters
    ----------
    x : array_like, data frame or Dist
        Data of shape (n, p), NaN where missing; or dissimilarities, (n (n - 1) / 2,) or (n, n).
    k : int
        Number of clusters, from 1 to n / 2 - 1; a fraction is cut off.
    diss : bool, optional
        As of :func:`pam`.
    memb_exp : float, default=2
        Exponent of the memberships, at least 1, dimensionless: the nearer to 1, the crisper are clusters.
    metric : {"euclidean", "manhattan", "SqEuclidean"}, default="euclidean"
        Distance between rows; may be abbreviated. The last is the square of the first.
    stand : bool, default=False
    iniMem_p : array_like of shape (n, k), optional
        Memberships to start from, not negative, each row with sum 1.
    cluster_only : bool, default=False
        Whether silhouettes are left out.
    keep_diss, keep_data : bool, optional
        Whether the result has the dissimilarities (by default for fewer than 100 rows of data) and the data;
        by default not with `cluster_only`.
    maxit : int, default=500
        Most iterations.
    tol : float, default=1e-15
        Iterations end when one changes the objective by no more than this share of it, dimensionless.
    call : str, optional

    Returns
    -------
    FannyResult
        The fields are described at :class:`FannyResult`.

    Raises
    ------
    RError
        With R's message: data that are not numbers, missing or infinite dissimilarities, unknown metric, `k`,
        `memb_exp`, `maxit`, `tol` or `iniMem_p` out of range.
    ValueError
        x or `iniMem_p` has another shape.

    Warns
    -----
    RWarning
        With R's message: no convergence in `maxit` iterations, memberships that are all nearly 1 / k.

    See Also
    --------
    pam : Crisp clusters around medoids.
    silhouette : R's silhouette widths.

    References
    ----------
    Kaufman, L. & Rousseeuw, P. J. (1990). Finding Groups in Data, chapter 4. Wiley, New York.

    Examples
    --------
    >>> from sparsek.rcompat import fanny
    >>> fit = fanny([[1.0], [2.0], [4.0], [14.0], [15.0], [17.0]], 2)
    >>> fit.clustering.tolist(), fit.membership[2].round(3).tolist()
    ([1, 1, 1, 2, 2, 2], [0.908, 0.092])
    """
    given = is_triangle(x) if diss is None else as_flag(diss, "diss")
    objects = (
        given_dissimilarities(x) if given else rows_as_objects(x, metric, stand, NOT_NUMERIC, FANNY_METRICS)
    )
    n = len(objects.d)
    clusters, exponent = _clusters(k, n), _exponent(memb_exp)
    limit = _limit(maxit)
    start = first_memberships(n, clusters) if iniMem_p is None else _start(iniMem_p, n, clusters)
    crisp_only = as_flag(cluster_only, "cluster_only")
    tolerance = _require_finite(objects, tol, limit)
    found = fuzzy_clusters(objects.d, start, exponent, limit, tolerance)
    coefficients = _coefficients(found, limit)
    kept = objects.data is not None and not crisp_only
    with_diss = kept and n < KEPT_BELOW if keep_diss is None else as_flag(keep_diss, "keep_diss")
    with_data = kept if keep_data is None else as_flag(keep_data, "keep_data") and objects.data is not None
    fields = _fields(objects, found, coefficients, exponent)
    fields["objective"] = RArray([found.objective, tolerance], names=["objective", "tolerance"])
    converged = [found.iterations, int(found.iterations > 0), limit]
    fields["convergence"] = RArray(np.array(converged), names=["iterations", "converged", "maxit"])
    fields["diss"] = kept_dissimilarities(objects) if with_diss else None
    fields["call"] = None if call is None else Call(call)
    if clusters > 1 and not crisp_only:
        fields["silinfo"] = _silhouettes(objects, found, fields["k.crisp"])
    return FannyResult(fields | ({"data": objects.data} if with_data else {}))


def _fields(objects: Objects, found: Fuzzy, coefficients: list[float], exponent: float) -> dict[str, Any]:
    """The first fields of R's list."""
    names = None if objects.names is None else dimnames_of(objects.names, None)
    return {
        "membership": RArray(found.memberships, dimnames=names),
        "coeff": RArray(coefficients, names=["dunn_coeff", "normalized"]),
        "memb.exp": exponent,
        "clustering": with_names(found.labels + 1, objects.names),
        "k.crisp": int(found.labels.max()) + 1,
    }


def _silhouettes(objects: Objects, found: Fuzzy, crisp: int) -> RList:
    """R's silhouette widths; clusters without objects have the memberships of the last object there."""
    n = len(objects.d)
    if crisp == 1:
        table = RArray(np.zeros((n, 3)), dimnames=(None if objects.names else ["0"] * n, SILHOUETTE_COLUMNS))
        return RList({"widths": table, "clus.avg.widths": found.memberships[-1], "avg.width": 0.0})
    names = objects.names or [str(i + 1) for i in range(n)]
    widths = silhouette_list(objects.d, found.labels, crisp, names)
    left = found.memberships[-1, crisp:]
    return RList(widths | {"clus.avg.widths": np.append(widths["clus.avg.widths"], left)})


def _clusters(k: Any, n: int) -> int:
    """The number of clusters, with R's error for others."""
    number = as_count(k, "k")
    if not 1 <= number <= n // 2 - 1:
        message = "'k' (number of clusters) must be in {1,2, .., n/2 -1}"
        raise RError(message, f"got k={k!r} for {n} objects")
    return number


def _exponent(memb_exp: Any) -> float:
    """The exponent of the memberships, with R's error for others."""
    exponent = as_number(memb_exp, "memb_exp")
    if math.isnan(exponent):
        raise RError(UNDECIDED, "memb_exp must be a number above 1")
    if not 1 <= exponent < math.inf:
        raise RError("'memb.exp' must be a finite number > 1", f"got {memb_exp!r}")
    return exponent


def _limit(maxit: Any) -> int:
    """The most iterations, with R's error for negative ones."""
    limit = as_count(maxit, "maxit")
    if limit < 0:
        raise RError("'maxit' must be non-negative integer", f"got {maxit!r}")
    require_runs(limit, "maxit")
    return limit


def _start(memberships: Any, n: int, k: int) -> FloatArray:
    """Given memberships, with R's error for others."""
    p = as_numbers(memberships, "iniMem_p")
    if p.shape == (n, k) and (p >= 0).all() and np.abs(p.sum(axis=1) - 1).max() <= NEAR_ONE:
        return p.copy()
    message = "'iniMem.p' must be a nonnegative n * k matrix with rowSums == 1"
    raise RError(message, f"need shape ({n}, {k}), got {p.shape}" if p.shape != (n, k) else "scale its rows")


def _require_finite(objects: Objects, tol: Any, limit: int) -> float:
    """The tolerance; refuse numbers that R's C code does not take, and rows without a column in common."""
    message = "NA/NaN/Inf in foreign function call (arg {})"
    data = None if objects.data is None else np.asarray(objects.data)
    if data is not None and (np.isinf(data).any() or np.isnan(data).all()):
        raise RError(message.format(4), "x must hold finite numbers, NaN where missing")
    if data is None and not np.isfinite(objects.d).all():
        raise RError(message.format(5), "dissimilarities must be finite")
    tolerance = as_number(tol, "tol")
    if not math.isfinite(tolerance):
        raise RError(message.format(26), f"tol must be a finite number; got {tol!r}")
    if np.isnan(objects.d).any():
        if limit == 0:
            _warn_of_limit(limit)
        message = "No clustering performed, NA-values in the dissimilarity matrix."
        raise RError(message, "two rows have no column in common: drop or impute rows")
    return tolerance


def _warn_of_limit(limit: int) -> None:
    """R's warning of no convergence."""
    message = f"FANNY algorithm has not converged in 'maxit' = {limit} iterations"
    warnings.warn(message, RWarning, stacklevel=4)


def _coefficients(found: Fuzzy, limit: int) -> list[float]:
    """Dunn's coefficient and its normalised form; R's warnings."""
    if found.iterations < 0:
        _warn_of_limit(limit)
    k = found.memberships.shape[1]
    with np.errstate(all="ignore"):
        normalized = float((k * np.float64(found.dunn) - 1) / np.float64(k - 1))
    if math.isnan(normalized):
        raise RError(UNDECIDED, "one cluster has no normalised coefficient")
    if abs(normalized) < COMPLETE:
        message = "the memberships are all very close to 1/k. Maybe decrease 'memb.exp' ?"
        warnings.warn(message, RWarning, stacklevel=3)
    return [found.dunn, normalized]
