"""Starting rows chosen by fixed rules: DKM++, Maximin and ROBIN with its local outlier factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.init._checks import check_doubles, check_neighbors, check_row
from sparsek.inputs.arguments import COUNT, SEED, check_arguments, count, names, number
from sparsek.starts.by_name import N_NEIGHBORS, robin_start, tolerant_factors
from sparsek.starts.dkm import MAX_ROWS, dkm_start
from sparsek.starts.farthest_first import maximin_rows

ROBIN: dict[str, list[Any]] = {
    "n_clusters": COUNT,
    "n_neighbors": [count(), None],
    "crit": [number(0, 1)],
    "lof": [names("simple", "reachability")],
    "reference": [count(0), names("mean", "origin", "lof", "random")],
    "random_state": SEED,
}
"""What the arguments of `robin` may be."""


def dkm_plus_plus(
    X: ArrayLike,
    n_clusters: int,
    *,
    quantile: str = "hazen",
    edge_scale: str = "normalised",
    max_rows: int | None = MAX_ROWS,
    random_state: Any = None,
) -> NDArray[np.intp]:
    r"""Density k-means++ (DKM++): rows of high density far from each other, without random draws.

    With distances d in units of the largest one, the radius is :math:`\epsilon = \min(\max L, q_3 + 3 (q_3 -
    q_1))` for the edge lengths L of a minimum spanning tree and their quartiles. The density of row i is
    :math:`\rho_i = \sum_{j \ne i, d_{ij} \le \epsilon} \exp(-d_{ij} / \epsilon)`, scaled to [0, 1]. The first
    row has the largest density, every other the largest product of density and distance to the nearest row
    before.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite. Never changed.
    n_clusters : int
        Number of rows.
    quantile : {"hazen", "linear"}, default="hazen"
        Definition of the quartiles, as in :func:`numpy.quantile`.
    edge_scale : {"normalised", "raw"}, default="normalised"
        Unit of L: the largest distance, or that of X. R's dkmpp has ``quantile="linear"`` and
        ``edge_scale="raw"``, which makes the radius depend on the units.
    max_rows : int or None, default=30000
        More rows are refused, because the time grows with their square; None for no limit.
    random_state : None
        Ignored; here so that the function can be the `init` of an estimator.

    Returns
    -------
    ndarray of shape (n_clusters,), int
        Row numbers from 0, all different, in order of selection; ties go to the lowest row. Those for fewer
        clusters come first.

    Raises
    ------
    ValueError
        NaN or infinite data, `n_clusters` out of range, more rows than `max_rows`, or too few distinct ones:
        fewer than `n_clusters`, or so many repetitions that the radius is 0.
    TypeError

    See Also
    --------
    robin : Rows far from each other that are not outlying.
    maximin : Farthest-first rows.
    kmeans_plus_plus : K-means++.

    Notes
    -----
    Time grows with n^2 p, memory with n p. Distances within 1e-10, relatively, of the radius count as equal
    to it. Where all products are 0, the lowest row is taken that equals none before.

    References
    ----------
    Nidheesh, N., Nazeer, K. A. A. and Ameer, P. M. (2017). An enhanced deterministic K-Means clustering
    algorithm for cancer subtype prediction from gene expression data. Computers in Biology and Medicine 91,
    213-221.

    Examples
    --------
    >>> from sparsek.init import dkm_plus_plus
    >>> X = [[0.0], [1.0], [2.0], [3.0], [20.0], [21.0], [22.0], [60.0]]
    >>> dkm_plus_plus(X, 2)
    array([2, 6])
    """
    constraints = {
        "n_clusters": COUNT,
        "quantile": [names("hazen", "linear")],
        "edge_scale": [names("normalised", "raw")],
        "max_rows": [count(), None],
    }
    check_arguments(
        "dkm_plus_plus",
        constraints,
        n_clusters=n_clusters,
        quantile=quantile,
        edge_scale=edge_scale,
        max_rows=max_rows,
    )
    x = check_doubles(X, n_clusters)
    return np.array(dkm_start(x, n_clusters, quantile, edge_scale, max_rows).rows, np.intp)


def maximin(
    X: ArrayLike, n_clusters: int, *, first: int | str = "norm", random_state: Any = None
) -> NDArray[np.intp]:
    """Farthest-first rows: each is the row farthest from its nearest row chosen before.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite. Never changed.
    n_clusters : int
        Number of rows.
    first : int, "norm" or "random", default="norm"
        The first row: its number; the row farthest from the origin, so that shifting the data matters; or a
        row drawn at random.
    random_state : int, RandomState instance or None, default=None
        Seed of ``first="random"``.

    Returns
    -------
    ndarray of shape (n_clusters,), int
        Row numbers from 0, all different, in order of selection; ties go to the lowest row. Those for fewer
        clusters come first.

    Raises
    ------
    ValueError
        NaN or infinite data, `n_clusters` or `first` out of range, fewer distinct rows than `n_clusters`.
    TypeError

    See Also
    --------
    robin : Rows far from each other that are not outlying.
    dkm_plus_plus : Dense rows far from each other, without random draws.

    Notes
    -----
    Time grows with n p K. The distance at which a row is chosen never exceeds those before. R's
    ``inaparc::maximin`` and ``inaparc::kkz`` look for each chosen row at the nearest of the others, which is
    not farthest-first.

    References
    ----------
    Gonzalez, T. F. (1985). Clustering to minimize the maximum intercluster distance. Theoretical Computer
    Science 38, 293-306.

    Katsavounidis, I., Kuo, C.-C. J. and Zhang, Z. (1994). A new initialization technique for generalized
    Lloyd iteration. IEEE Signal Processing Letters 1, 144-146.

    Examples
    --------
    >>> from sparsek.init import maximin
    >>> maximin([[0.0], [1.0], [2.0], [9.0], [5.0]], 3)
    array([3, 0, 4])
    """
    constraints = {
        "n_clusters": COUNT,
        "first": [count(0), names("norm", "random")],
        "random_state": SEED,
    }
    check_arguments("maximin", constraints, n_clusters=n_clusters, first=first, random_state=random_state)
    x = check_doubles(X, n_clusters)
    row = None if first == "norm" else check_row("first", first, len(x), random_state)
    return np.array(maximin_rows(x, n_clusters, row), np.intp)


def robin(
    X: ArrayLike,
    n_clusters: int,
    *,
    n_neighbors: int | None = None,
    crit: float = 0.05,
    lof: str = "simple",
    reference: int | str = "mean",
    random_state: Any = None,
) -> NDArray[np.intp]:
    """ROBIN: farthest-first among rows that are neither outlying nor much denser than their neighbours.

    Only rows whose local outlier factor lies strictly between 1 - crit and 1 + crit are chosen. The first is
    the farthest from a reference point, every other the farthest from its nearest row chosen before.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite. Never changed.
    n_clusters : int
        Number of rows.
    n_neighbors : int or None, default=None
        Neighbours of the factors, at most n_samples - 1; None means 10, or n_samples - 1 where that is less.
    crit : float, default=0.05
        Half the width of the band of factors, dimensionless, in [0, 1). Once all rows within it are chosen,
        rows with factors below 1 - crit follow, with a warning.
    lof : {"simple", "reachability"}, default="simple"
        Form of the factors, see `local_outlier_factors`.
    reference : int or {"mean", "origin", "lof", "random"}, default="mean"
        Point from which the first row is farthest: the mean, the origin, the row whose factor is nearest 1, a
        row drawn at random, or the row of this number.
    random_state : int, RandomState instance or None, default=None
        Seed of ``reference="random"``.

    Returns
    -------
    ndarray of shape (n_clusters,), int
        Row numbers from 0, all different, in order of selection; ties go to the lowest row. Those for fewer
        clusters come first.

    Raises
    ------
    ValueError
        NaN or infinite data, an argument out of range, or fewer than `n_clusters` factors below 1 + crit.
    TypeError

    Warns
    -----
    UserWarning
        Fewer than `n_clusters` factors lie within the band.

    See Also
    --------
    sparsek.rcompat.ROBIN : R's ROBIN.
    maximin : Farthest-first rows.
    local_outlier_factors : Local outlier factors of the rows.

    Notes
    -----
    The authors' program gives the rows sorted by number and does not end where too few qualify. R's wrsk has
    reachabilities, the one-sided rule ``factor < 1.05`` and a random reference:
    :func:`sparsek.rcompat.ROBIN`.

    References
    ----------
    Al Hasan, M., Chaoji, V., Salem, S. and Zaki, M. J. (2009). Robust partitional clustering by outlier and
    density insensitive seeding. Pattern Recognition Letters 30, 994-1002.

    Examples
    --------
    >>> from sparsek.init import robin
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [60.0]]
    >>> robin(X, 2, n_neighbors=2, crit=0.3)
    array([1, 6])
    """
    check_arguments(
        "robin",
        ROBIN,
        n_clusters=n_clusters,
        n_neighbors=n_neighbors,
        crit=crit,
        lof=lof,
        reference=reference,
        random_state=random_state,
    )
    x = check_doubles(X, n_clusters)
    check_neighbors(n_neighbors, len(x))
    if not isinstance(reference, str) or reference == "random":
        reference = check_row("reference", reference, len(x), random_state)
    rows = robin_start(x, n_clusters, n_neighbors, float(crit), lof == "simple", reference)
    return np.array(rows, np.intp)


def local_outlier_factors(
    X: ArrayLike, n_neighbors: int = N_NEIGHBORS, *, kind: str = "simple"
) -> FloatArray:
    r"""Local outlier factors: how much denser the neighbours of a row are than the row itself.

    With the neighbours :math:`N_i`, all other rows within the distance :math:`r_i` of the m-th nearest one,
    the density is :math:`f_i = |N_i| / \sum_{j \in N_i} d_{ij}` and the factor the mean of
    :math:`f_j / f_i` over :math:`N_i`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite. Never changed.
    n_neighbors : int, default=10
        The number m, from 1 to n_samples - 1.
    kind : {"simple", "reachability"}, default="simple"
        "simple" is as above; "reachability" has the larger of :math:`d_{ij}` and :math:`r_j` in place of
        :math:`d_{ij}`, as Breunig et al. and scikit-learn.

    Returns
    -------
    ndarray of shape (n_samples,)
        Factors, dimensionless: about 1 inside a group, larger for outliers; 1 for more than m equal rows, and
        infinite for a row whose neighbours, but not itself, have that many copies.

    Raises
    ------
    ValueError
        NaN or infinite data, `n_neighbors` or `kind` out of range.
    TypeError

    See Also
    --------
    sparsek.rcompat.lof : R's local outlier factors.
    robin : Rows far from each other that are not outlying.

    Notes
    -----
    Distances within 1e-10, relatively, of the m-th count as equal to it. More than 2000 rows of at most 15
    features are searched in scikit-learn's k-d tree; otherwise time grows with n^2 p.

    References
    ----------
    Al Hasan, M., Chaoji, V., Salem, S. and Zaki, M. J. (2009). Robust partitional clustering by outlier and
    density insensitive seeding. Pattern Recognition Letters 30, 994-1002.

    Breunig, M. M., Kriegel, H.-P., Ng, R. T. and Sander, J. (2000). LOF: identifying density-based local
    outliers. SIGMOD 2000, 93-104, Definitions 3-7.

    Examples
    --------
    >>> from sparsek.init import local_outlier_factors
    >>> local_outlier_factors([[0.0], [1.0], [2.0], [9.0]], 2).round(3)
    array([1.25 , 0.667, 1.25 , 6.25 ])
    """
    constraints = {"n_neighbors": COUNT, "kind": [names("simple", "reachability")]}
    check_arguments("local_outlier_factors", constraints, n_neighbors=n_neighbors, kind=kind)
    x = check_doubles(X, 1)
    check_neighbors(n_neighbors, len(x))
    return tolerant_factors(x, n_neighbors, kind == "simple")
