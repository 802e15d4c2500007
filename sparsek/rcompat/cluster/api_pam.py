"""R's ``cluster::pam``: partitioning around medoids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray, dimnames_of, with_names
from sparsek.rcompat.base.data import RList, as_flag
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.printing import (
    format_column,
    format_columns,
    format_vector,
    row_numbers,
)
from sparsek.rcompat.cluster.arguments_pam import (
    Objects,
    given_dissimilarities,
    initial_medoids,
    is_triangle,
    kept_dissimilarities,
    number_of_clusters,
    number_of_starts,
    rows_as_objects,
)
from sparsek.rcompat.cluster.cluster_tables import describe_clusters, silhouette_list
from sparsek.rcompat.cluster.medoids import Partition, partition
from sparsek.rcompat.cluster.summaries import components, dissimilarities, silhouettes
from sparsek.rng import RRandom, resolve_rng

ISOLATION = ("no", "L", "L*")
CLUSTER_NUMBERS = ["size", "max_diss", "av_diss", "diameter", "separation"]
KEPT_BELOW = 100
"""Dissimilarities are kept by default for fewer rows than this."""


class PamResult(RList):
    """Result of `pam`, printed as R prints it.

    Fields (n objects, p features, k clusters): ``medoids`` (k, p), or where dissimilarities were given the
    medoids' names or numbers (k,); ``id.med`` (k,), objects from 1; ``clustering`` (n,) from 1, clusters
    numbered by their first object; ``objective`` (2,), mean dissimilarity to the nearest medoid after the
    phases "build" and "swap"; ``isolation`` (k,), "no", "L" or "L*"; ``clusinfo`` (k, 5), numbers of the
    clusters; ``silinfo``, a list of ``widths`` (n, 3), ``clus.avg.widths`` (k,) and ``avg.width``, None for
    one cluster; ``diss`` (n (n - 1) / 2,), the dissimilarities, or None; ``call``; ``data`` (n, p),
    standardised where asked for, or absent. Dissimilarities are in the unit of the data; widths are
    dimensionless.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the objects and of the columns of the data.
    """

    r_class = ("pam", "partition")

    def __str__(self) -> str:
        return f"{self._partition()}{components(self)}"

    def summary(self) -> PamResult:
        """Give the result with a longer print, as R's ``summary``: the clusters and silhouettes too.

        Returns
        -------
        PamResult
            The same fields.
        """
        return PamSummary(self, self.row_names, self.column_names)

    def _partition(self) -> str:
        """Medoids, clusters and objective, and an empty line."""
        labels = format_vector([str(v) for v in self.clustering], self.row_names)
        heights = format_vector(format_column(self.objective), ["build", "swap"])
        return (
            f"Medoids:\n{self._medoid_table()}\nClustering vector:\n{labels}\n"
            f"Objective function:\n{heights}\n\n"
        )

    def _medoid_table(self) -> str:
        """The medoids: their numbers, then their rows or names."""
        numbers, medoids = [str(v) for v in self.id_med], self.medoids
        if np.ndim(medoids) == 2:
            names = None if self.row_names is None else [self.row_names[i - 1] for i in self.id_med]
            columns = [numbers, *(format_column(column) for column in medoids.T)]
            heads = ["ID", *(self.column_names or [""] * medoids.shape[1])]
        else:
            names, heads, columns = None, ["ID", ""], [numbers, [str(v) for v in medoids]]
            if self.row_names is not None:
                columns = [[f'"{v}"' for v in column] for column in columns]
                widths = [max(map(len, column)) for column in columns]
                columns = [[f"{v:<{w}}" for v in c] for c, w in zip(columns, widths, strict=True)]
                heads = [f"{head:<{w}}" for head, w in zip(heads, widths, strict=True)]
        rows = [list(row) for row in zip(*columns, strict=True)]
        return format_columns(rows, names or row_numbers(len(rows)), heads)


class PamSummary(PamResult):
    """Summary of a result of `pam`."""

    def __str__(self) -> str:
        kinds = {
            kind: [str(i + 1) for i, of in enumerate(self.isolation) if of == kind] for kind in ISOLATION
        }
        isolated = [
            f" {kind}-clusters: {format_vector(which, None, '<') if which else 'character(0)'}\n"
            for kind, which in list(kinds.items())[1:]
        ]
        return (
            f"{self._partition()}Numerical information per cluster:\n{self.clusinfo}\n\n"
            f"Isolated clusters:\n{''.join(isolated)}\n"
            f"{silhouettes(self)}{dissimilarities(self)}{components(self)}"
        )


def pam(
    x: ArrayLike,
    k: float,
    diss: bool | None = None,
    metric: str = "euclidean",
    medoids: ArrayLike | None = None,
    nstart: float | None = None,
    stand: bool = False,
    cluster_only: bool = False,
    do_swap: bool = True,
    keep_diss: bool | None = None,
    keep_data: bool | None = None,
    *,
    rng: RRandom | None = None,
    call: str | None = None,
) -> PamResult | NDArray[np.int64]:
    """Partitioning around medoids, as R's ``cluster::pam`` with its default ``pamonce = FALSE``.

    Parameters
    ----------
    x : array_like, data frame or Dist
        Data of shape (n, p), NaN where missing; or dissimilarities, from `dist`, (n (n - 1) / 2,) or (n, n).
    k : int
        Number of clusters, from 1 to n - 1; a fraction is cut off.
    diss : bool, optional
        Whether x are dissimilarities. By default those of `dist` and all vectors are; R takes a vector for
        one column of data, which is ``diss=False`` here.
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Distance between rows; may be abbreviated.
    medoids : array_like of shape (k,) or "random", optional
        Objects from 1 to start from; by default those of the phase BUILD.
    nstart : int, optional
        Number of random starts, of which the best counts; without `medoids`, they are random then.
    stand : bool, default=False
    cluster_only : bool, default=False
        Whether the clusters alone are given.
    do_swap : bool, default=True
        Whether the phase SWAP is run.
    keep_diss, keep_data : bool, optional
        Whether the result has the dissimilarities (by default for fewer than 100 rows of data) and the data
        (by default where data are given).
    rng : RRandom, optional
        R's stream for random starts; by default the one that `set_seed` acts on.
    call : str, optional

    Returns
    -------
    PamResult, or ndarray of int64, shape (n,)
        The fields are described at :class:`PamResult`; with `cluster_only` its ``clustering``.

    Raises
    ------
    RError
        With R's message: data that are not numbers, missing dissimilarities, rows without a column in common,
        `k` or `medoids` out of range, unknown metric, `keep_data` with dissimilarities.
    ValueError
        `nstart` is not a whole number of at least 1, or x has another shape.

    Warns
    -----
    RWarning
        With R's message: every value is missing, `k` is beyond R's integers.

    See Also
    --------
    silhouette : R's silhouette widths.
    clusGap : R's gap statistic of the number of clusters.
    kmeans : R's k-means, bit for bit.

    References
    ----------
    Kaufman, L. & Rousseeuw, P. J. (1990). Finding Groups in Data, chapter 2. Wiley, New York.

    Examples
    --------
    >>> from sparsek.rcompat import dist, pam
    >>> fit = pam([[1.0], [2.0], [4.0], [8.0], [9.0]], 2)
    >>> fit.clustering, fit.id_med
    (array([1, 1, 1, 2, 2]), array([2, 5]))
    >>> pam(dist([[1.0], [2.0], [4.0], [8.0], [9.0]]), 2).isolation.tolist()
    ['L*', 'L*']
    """
    given = is_triangle(x) if diss is None else as_flag(diss, "diss")
    objects = given_dissimilarities(x) if given else rows_as_objects(x, metric, stand)
    n = len(objects.d)
    clusters = number_of_clusters(k, n)
    swap = as_flag(do_swap, "do_swap")
    with_data = objects.data is not None if keep_data is None else as_flag(keep_data, "keep_data")
    if given and with_data:
        raise RError("Cannot keep data when 'x' is a dissimilarity!", "leave keep_data out")
    random = nstart is not None if medoids is None else isinstance(medoids, str) and medoids == "random"
    if random:
        start, number = None, number_of_starts(nstart)
    else:
        start, number = None if medoids is None else initial_medoids(medoids, clusters, n), 0
    found = _best_partition(objects.d, clusters, start, number, swap, resolve_rng(rng))
    if as_flag(cluster_only, "cluster_only"):
        return with_names(found.labels + 1, objects.names)
    keep = (
        objects.data is not None and n < KEPT_BELOW if keep_diss is None else as_flag(keep_diss, "keep_diss")
    )
    return _result(objects, found, keep, with_data, call)


def _best_partition(
    d: FloatArray, k: int, start: IntArray | None, number: int, swap: bool, stream: RRandom
) -> Partition:
    """The first of the best partitions from so many random starts; without any, the one from the start."""
    best = None
    for _ in range(max(number, 1)):
        medoids = stream.sample_int(len(d), k) - 1 if number else start
        if np.isnan(d).any():
            message = "No clustering performed, NAs in the computed dissimilarity matrix."
            raise RError(message, "two rows have no column in common: drop or impute rows")
        run = partition(d, k, medoids, swap)
        if best is None or run.objective[1] < best.objective[1]:
            best = run
    assert best is not None
    return best


def _result(
    objects: Objects, found: Partition, keep_diss: bool, keep_data: bool, call: str | None
) -> PamResult:
    """R's list."""
    k, names, data = len(found.medoids), objects.names, objects.matrix
    shown = names or [str(i + 1) for i in range(len(objects.d))]
    numbers, isolation = describe_clusters(objects.d, found.labels, found.medoids)
    columns = None if data is None else data.column_names
    fields: dict[str, Any] = {
        "medoids": _medoids(objects, found.medoids),
        "id.med": found.medoids + 1,
        "clustering": with_names(found.labels + 1, names),
        "objective": RArray(found.objective, names=["build", "swap"]),
        "isolation": np.array([ISOLATION[i] for i in isolation]),
        "clusinfo": RArray(numbers, dimnames=(None, CLUSTER_NUMBERS)),
        "silinfo": silhouette_list(objects.d, found.labels, k, shown) if k > 1 else None,
        "diss": kept_dissimilarities(objects) if keep_diss else None,
        "call": None if call is None else Call(call),
    }
    if keep_data:
        fields["data"] = objects.data
    return PamResult(fields, names, columns)


def _medoids(objects: Objects, medoids: IntArray) -> Any:
    """The medoids' rows, or their names, or their numbers."""
    names = None if objects.names is None else [objects.names[i] for i in medoids]
    if objects.matrix is None:
        return medoids + 1 if names is None else np.array(names)
    return RArray(objects.matrix.values[medoids], dimnames=dimnames_of(names, objects.matrix.column_names))
