"""R's ``cluster::clara``: medoids of large data by samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.ordered_arithmetic import IntArray
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray, dimnames_of, names_of, with_names
from sparsek.rcompat.base.data import RList, RMatrix, as_flag
from sparsek.rcompat.base.expressions import Call, deparse
from sparsek.rcompat.base.printing import format_array, format_matrix, format_vector
from sparsek.rcompat.base.printing import format_number as shown
from sparsek.rcompat.cluster.arguments_clara import (
    CLARA_METRICS,
    foreign_flag,
    formula,
    require_drawable,
    require_finite,
    require_numbers,
    require_present,
    sizes,
    what_is_kept,
)
from sparsek.rcompat.cluster.arguments_pam import (
    Objects,
    full_metric,
    kept_dissimilarities,
    numeric_matrix,
    prepared,
)
from sparsek.rcompat.cluster.cluster_tables import silhouette_list
from sparsek.rcompat.cluster.samples import (
    Clusters,
    SamplePlan,
    best_clusters,
    book_uniforms,
    sample_distances,
)
from sparsek.rcompat.cluster.summaries import cluster_means, components, dissimilarities
from sparsek.rng import RRandom, resolve_rng

NOT_NUMERIC = "x is not a numeric dataframe or matrix."
NO_SAMPLE = "Each of the random samples contains objects between which no distance can be computed."
CLUSTER_NUMBERS = ["size", "max_diss", "av_diss", "isolation"]
SHOWN_LABELS, SHOWN_NAMES = 18, 7
"""A print has so many labels, and so many of their names."""


class ClaraResult(RList):
    """Result of `clara`, printed as R prints it.

    Fields (n rows, p columns, k clusters, samples of m rows): ``sample`` (m,), rows of the best sample, by
    number from 1 or by name; ``medoids`` (k, p), rows of x, or None; ``i.med`` (k,), their numbers from 1;
    ``clustering`` (n,) from 1; ``objective``, mean dissimilarity to the medoids; ``clusinfo`` (k, 4), size,
    largest and mean dissimilarity, isolation (dimensionless); ``diss`` (m (m - 1) / 2,) of the best sample;
    ``call``; ``silinfo`` of the best sample as of `pam`, absent for one cluster; ``data`` (n, p),
    standardised where asked for, or absent. Dissimilarities are in the unit of the data.
    """

    r_class = ("clara", "partition")

    def __str__(self) -> str:
        call = "\n".join(self["call"].lines()) if self["call"] is not None else "NULL"
        counts = " ".join(shown(v) for v in self["clusinfo"][:, 0])
        return (
            f"Call:\t {call} \nMedoids:\n{self._medoid_table()}\n"
            f"Objective function:\t {shown(self['objective'])}\n"
            f"Clustering vector: \t{self._labels()}\nCluster sizes:\t    \t {counts} \n"
            f"Best sample:\n{self._sample()}\n\n{components(self)}"
        )

    def summary(self) -> ClaraResult:
        """Give the result with a longer print, as R's ``summary``: all labels, the clusters, silhouettes.

        Returns
        -------
        ClaraResult
            The same fields.
        """
        return ClaraSummary(self)

    def _sample(self) -> str:
        """The rows of the best sample."""
        sample = self["sample"]
        return format_vector(sample.tolist(), None, "<") if sample.dtype.kind == "U" else format_array(sample)

    def _medoid_table(self) -> str:
        """The medoids as a matrix."""
        medoids = self["medoids"]
        names = () if medoids is None else medoids.attributes.get("dimnames", ())
        return "NULL" if medoids is None else format_matrix(medoids, *names)

    def _labels(self) -> str:
        """The first labels and names, as R's ``str`` shows them."""
        labels, names = self["clustering"], getattr(self["clustering"], "attributes", {}).get("names")
        n, head = len(labels), "" if names is None else "Named "
        text = f" {head}int [1:{n}] {_first([str(v) for v in labels[:SHOWN_LABELS]], n)}"
        if names is not None:
            quoted = [deparse(name, name) for name in names[:SHOWN_NAMES]]
            text += f'\n - attr(*, "names")= chr [1:{n}] {_first(quoted, n)}'
        return text


class ClaraSummary(ClaraResult):
    """Summary of a result of `clara`."""

    def __str__(self) -> str:
        labels, known = self["clustering"], self.get("silinfo")
        means = widths = ""
        if known is not None:
            whole = f"Average silhouette width of best sample: {shown(known['avg.width'])} \n"
            means = f"{cluster_means(known)}{whole}"
            widths = f"\nSilhouette plot information for best sample:\n{known['widths']}\n"
        return (
            f"Object of class 'clara' from call:\n {self['call'] or 'NULL'} \n"
            f"Medoids:\n{self._medoid_table()}\nObjective function:\t  {shown(self['objective'])} \n"
            f"Numerical information per cluster:\n{self['clusinfo']}\n{means}"
            f"\nBest sample:\n{self._sample()}\n"
            f"Clustering vector:\n{format_array(np.asarray(labels), names_of(labels))}\n{widths}"
            f"\n{dissimilarities(self)}{components(self)}"
        )


def _first(texts: Sequence[str], n: int) -> str:
    """Texts, with dots where there are more."""
    return " ".join([*texts, "..."] if len(texts) < n else texts)


def clara(
    x: ArrayLike,
    k: float,
    metric: str = "euclidean",
    stand: bool = False,
    cluster_only: bool = False,
    samples: float = 5,
    sampsize: float | None = None,
    medoids_x: bool = True,
    keep_data: bool | None = None,
    rngR: bool = False,
    pamLike: bool = False,
    correct_d: bool | None = None,
    *,
    rng: RRandom | None = None,
    call: str | None = None,
) -> ClaraResult | NDArray[np.int64]:
    """Clustering of large data around medoids of samples, as R's ``cluster::clara``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Data, NaN where missing.
    k : int
        Number of clusters, from 1 to n - 1; a fraction is cut off.
    metric : {"euclidean", "manhattan", "jaccard"}, default="euclidean"
        Distance between rows; may be abbreviated. "jaccard" is 1 less the share of columns above
        0.9 in both rows, of those above 0.9 in one; labels are then given by "manhattan", as in R.
    stand : bool, default=False
    cluster_only : bool, default=False
        Whether the clusters alone are given.
    samples : int, default=5
        Number of samples; one where the sample is all of the rows.
    sampsize : int, optional
        Rows of a sample, from k + 1 to n; by default 40 + 2 k, or n if that is less.
    medoids_x : bool, default=True
        Whether the result has the rows of the medoids.
    keep_data : bool, optional
        Whether it has the data; by default as `medoids_x`.
    rngR : bool, default=False
        Whether samples are drawn by R's generator. By default they are drawn by that of Kaufman and
        Rousseeuw, the same ones in every call.
    pamLike : bool, default=False
        Whether medoids are swapped as by `pam`. By default a row that loses its medoid counts with the
        distance to the new one, even where another one is nearer.
    correct_d : bool, optional
        Whether distances to medoids over p' of p columns are scaled by p / p', not by p' / p. By default they
        are, with R's warning.
    rng : RRandom, optional
        R's stream, for `rngR`; by default the one that `set_seed` acts on.
    call : str, optional

    Returns
    -------
    ClaraResult, or ndarray of int64, shape (n,)
        The fields are described at :class:`ClaraResult`; with `cluster_only` its ``clustering``.

    Raises
    ------
    RError
        With R's message: data that are not numbers, rows without a number, infinite numbers, `k`, `sampsize`
        or `samples` out of range, unknown metric, `keep_data` without `medoids_x`, samples in which
        distances are missing.
    ValueError
        Where R reads outside of its arrays: two rows without a value above 0.9, for "jaccard"; with missing
        values a cluster without rows, whose medoid is as near to another one as to itself. Some 65536 rows or
        more to draw without `rngR`: R would not end.

    Warns
    -----
    RWarning
        With R's message: missing values without `correct_d`, numbers beyond R's integers.

    See Also
    --------
    pam : Medoids of all rows.
    silhouette : R's silhouette widths.

    References
    ----------
    Kaufman, L. & Rousseeuw, P. J. (1990). Finding Groups in Data, chapter 3. Wiley, New York.

    Examples
    --------
    >>> from sparsek.rcompat import clara
    >>> fit = clara([[1.0], [2.0], [4.0], [8.0], [9.0]], 2, sampsize=4)
    >>> fit.clustering.tolist(), fit.sample.tolist(), fit.i_med.tolist()
    ([1, 1, 1, 2, 2], [1, 2, 3, 4], [2, 4])
    """
    matrix = numeric_matrix(x, NOT_NUMERIC)
    clusters, size, number = sizes(k, sampsize, samples, len(matrix.values))
    with_medoids, with_data = what_is_kept(medoids_x, keep_data)
    full = full_metric(metric, CLARA_METRICS)
    data = prepared(matrix, stand)
    correct = formula(data, correct_d)
    short = as_flag(cluster_only, "cluster_only")
    of_r = foreign_flag(rngR, 12, "rngR")
    plan = SamplePlan(clusters, number, size, full, foreign_flag(pamLike, 13, "pamLike"), correct)
    require_finite(data)
    require_present(data, full)
    if not of_r:
        require_drawable(len(data), size, clusters)
    uniform = (lambda: float(resolve_rng(rng).runif(1)[0])) if of_r else book_uniforms()
    found = best_clusters(np.asarray(data), plan, uniform)
    if found is None:
        require_numbers(data)
        raise RError(NO_SAMPLE, "drop or impute rows with missing values")
    if short:
        return with_names(found.labels + 1, matrix.row_names)
    fields = _fields(matrix, data, found, full, with_medoids, call)
    return ClaraResult(fields | ({"data": data} if with_data else {}))


def _fields(
    matrix: RMatrix, data: RArray, found: Clusters, metric: str, with_medoids: bool, call: str | None
) -> dict[str, Any]:
    """R's list without the data."""
    sample, k, names = found.sample, len(found.medoids), matrix.row_names
    d = sample_distances(np.asarray(data)[sample], metric)
    own = None if names is None else [names[i] for i in sample]
    table = np.column_stack([np.bincount(found.labels, minlength=k), found.spread])
    fields: dict[str, Any] = {
        "sample": sample + 1 if own is None else np.array(own),
        "medoids": _rows(matrix, found.medoids) if with_medoids else None,
        "i.med": found.medoids + 1,
        "clustering": with_names(found.labels + 1, names),
        "objective": found.objective,
        "clusinfo": RArray(table, dimnames=(None, CLUSTER_NUMBERS)),
        "diss": kept_dissimilarities(Objects(d, own, None, None, metric)),
        "call": None if call is None else Call(call),
    }
    if k > 1:
        fields["silinfo"] = silhouette_list(d, found.labels[sample], k, own or [str(i + 1) for i in sample])
    return fields


def _rows(matrix: RMatrix, rows: IntArray) -> RArray:
    """Rows of the data with their names."""
    names = None if matrix.row_names is None else [matrix.row_names[i] for i in rows]
    return RArray(matrix.values[rows], dimnames=dimnames_of(names, matrix.column_names))
