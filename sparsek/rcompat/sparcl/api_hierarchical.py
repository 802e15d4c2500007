"""R's ``sparcl``: ``HierarchicalSparseCluster`` and ``HierarchicalSparseCluster.permute``."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.correlation import pairwise_correlations
from sparsek.bits.ordered_arithmetic import FloatArray, seq_length
from sparsek.errors import RError
from sparsek.rcompat.base.data import RMatrix, as_flag, as_number, require_runs
from sparsek.rcompat.sparcl.arguments_hierarchical import (
    all_pairs,
    as_bounds,
    as_direction,
    as_distances,
    match_arg,
    matrix_of_rows,
    standardized_on_request,
)
from sparsek.rcompat.sparcl.pair_distances import MEMORY_LIMIT, pair_matrix, require_memory
from sparsek.rcompat.sparcl.permutations import hierarchical_gap
from sparsek.rcompat.sparcl.results import SparseHierarchy, SparseHierarchyGap
from sparsek.rcompat.sparcl.sparse_dissimilarity import DEFAULT_STEPS, SparseDissimilarity
from sparsek.rcompat.sparcl.tree_files import treeview_files, write_files
from sparsek.rcompat.stats import agglomeration as core_hclust
from sparsek.rcompat.stats.api_hclust import Tree, as_tree
from sparsek.rng import RRandom, resolve_rng

_log = logging.getLogger(__name__)

METHODS = ("average", "complete", "single", "centroid")
DISSIMILARITIES = ("squared.distance", "absolute.value")


def HierarchicalSparseCluster(
    x: ArrayLike | None = None,
    dists: ArrayLike | None = None,
    method: str = "average",
    wbound: float | None = None,
    niter: float = DEFAULT_STEPS,
    dissimilarity: str = "squared.distance",
    uorth: ArrayLike | None = None,
    silent: bool = False,
    cluster_features: bool = False,
    method_features: str = "average",
    output_cluster_files: bool = False,
    outputfile_prefix: str = "output",
    genenames: Sequence[str] | None = None,
    genedesc: Sequence[object] | None = None,
    standardize_arrays: bool = False,
    *,
    memory_limit: float = MEMORY_LIMIT,
    rng: RRandom | None = None,
) -> SparseHierarchy:
    """Sparse hierarchical clustering as R's ``sparcl::HierarchicalSparseCluster``, equal under the same seed.

    Maximises ``u' D w`` with ``|u|_2 <= 1``, ``|w|_2 <= 1``, ``|w|_1 <= wbound`` and ``w_j >= 0``, where D
    holds the dissimilarities of all pairs of rows in every feature, and clusters the rows on u.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p), optional
        Data; missing values (NaN) are allowed. `x` or `dists` must be given.
    dists : array_like of shape (n (n - 1) / 2, p), optional
        Distances of the pairs of rows (1, 2), (1, 3), ... in every feature, not squared: ``dists`` of an
        earlier result, which saves their computation. Ignored when `standardize_arrays`. Another number m of
        rows, such as n^2, counts for ceil(sqrt(2 m)) objects whose pairs repeat the rows, with R's warning.
    method : {"average", "complete", "single", "centroid"}, default="average"
        Linkage; may be abbreviated.
    wbound : float, optional
        Bound on the sum of the weights, above 1, dimensionless. Default: 0.5 sqrt(p).
    niter : float, default=15
        Largest number of steps.
    dissimilarity : {"squared.distance", "absolute.value"}, default="squared.distance"
        Dissimilarity in one feature; may be abbreviated.
    uorth : array_like of shape (n, n), optional
        ``u`` of an earlier result: the new dissimilarities are orthogonal to it (complementary clustering).
    silent : bool, default=False
        False logs the end of the fit at level INFO (R prints the number of every step, and does so by
        default).
    cluster_features : bool, default=False
        Cluster the features of positive weight too, on 2 (1 - correlation).
    method_features : {"average", "complete", "single", "centroid"}, default="average"
        Linkage of the features.
    output_cluster_files : bool, default=False
        Write ``.cdt``, ``.atr`` and, with `cluster_features`, ``.gtr`` files for a tree viewer.
    outputfile_prefix : str, default="output"
        Their path without the ending.
    genenames : sequence of str, optional
        Not used, as in R: the ``.cdt`` file says "Gene 1" and so on.
    genedesc : sequence of str, optional
        Descriptions of the features in the ``.cdt`` file.
    standardize_arrays : bool, default=False
        First give every row mean 0 and standard deviation 1; needs `x`.
    memory_limit : float, default=4e9
        Bytes that the distances, n (n - 1) / 2 x p doubles, may take.
    rng : RRandom, optional

    Returns
    -------
    SparseHierarchy
        ``hc``, a tree as of `hclust` whose labels are the numbers of the rows, ``ws`` (p, 1), ``u``
        (n, n), ``crit``, ``dists`` (n (n - 1) / 2, p; the given array where one was given), ``uorth``,
        ``wbound``, and ``hc.features`` with `cluster_features`.

    Raises
    ------
    RError
        With R's message: neither `x` nor `dists`, standardising or clustering features without `x`, a bound
        of 1 or less, `uorth` not symmetric or of another size, distances all 0, missing or not finite.
    MemoryError
        The distances would take more than `memory_limit`; nothing is allocated or drawn then.
    ValueError
        `dists` that do not fit `x`.
    TypeError
        `x` or `dists` sparse, complex, text or objects; a scalar that is not one number.

    Warns
    -----
    RWarning
        A feature is constant over the rows that it shares with another one (`cluster_features`); `dists` of
        another number of rows than n (n - 1) / 2.

    See Also
    --------
    sparsek.SparseAgglomerativeClustering : A tree of the rows on few features.
    HierarchicalSparseCluster_permute : R's choice of the bound of a tree, bit for bit.
    ColorDendrogram : Draw a tree with coloured leaves.

    Notes
    -----
    Distances are computed in single precision and the bound holds only approximately, as in R. The results
    equal R's bit for bit when R uses its reference BLAS.

    References
    ----------
    Witten, D. M. & Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105, 713-726,
    Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import HierarchicalSparseCluster, cutree, set_seed
    >>> i, j = np.arange(1, 13)[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> set_seed(1)
    >>> fit = HierarchicalSparseCluster(x, wbound=1.5, method="complete")
    >>> fit.print()
    Wbound is  1.5 :
    Number of non-zero weights:  5
    Sum of weights:  1.500011
    <BLANKLINE>
    >>> cutree(fit.hc, k=2)
    RArray([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    """
    method = match_arg(method, METHODS, "method")
    method_features = match_arg(method_features, METHODS, "method_features")
    squared = match_arg(dissimilarity, DISSIMILARITIES, "dissimilarity") == DISSIMILARITIES[0]
    matrix = None if x is None else matrix_of_rows(x)
    if matrix is None and dists is None:
        raise RError("x or dists must be given!!!", "pass the data as x, or the dists of an earlier result")
    prepared = standardized_on_request(matrix, standardize_arrays)
    distances, given = as_distances(
        prepared, None if as_flag(standardize_arrays, "standardize_arrays") else dists, squared, memory_limit
    )
    bound = 0.5 * math.sqrt(len(distances)) if wbound is None else as_number(wbound, "wbound")
    if math.isnan(bound):
        raise RError("missing value where TRUE/FALSE needed", "wbound must be a number above 1; got NaN")
    if bound <= 1:
        raise RError("Cannot have wbound <= 1", f"wbound is {bound:g}; give one above 1, at most sqrt(p)")
    direction = None if uorth is None else as_direction(uorth)
    steps = as_number(niter, "niter")
    if squared and given is None:  # computed here: square in place, later take roots, which is exact
        squares = np.square(distances, out=distances)
        fit = SparseDissimilarity(squares, False, direction).fit(bound, steps, resolve_rng(rng))
        np.sqrt(squares, out=squares)
    else:
        fit = SparseDissimilarity(distances, squared, direction).fit(bound, steps, resolve_rng(rng))
    u = pair_matrix(all_pairs(fit.pairs))
    numbered = [str(i + 1) for i in range(len(u))]
    call = "hclust(d = as.dist(out$u), method = method)"
    fields: dict[str, Any] = {"hc": _tree(u, method, numbered, call), "ws": fit.weights[:, None]}
    fields |= {"u": u, "crit": fit.objective, "dists": given if given is not None else distances.T}
    fields |= {"uorth": uorth, "wbound": bound}
    if as_flag(cluster_features, "cluster_features"):
        fields["hc.features"] = _feature_tree(matrix, fit.weights, method_features)
    result = SparseHierarchy(fields, *_names(matrix), {"u": (numbered, numbered)})
    if as_flag(output_cluster_files, "output_cluster_files"):
        if matrix is None:
            raise RError("Cannot output files unless x is given.", "pass the data as x too")
        if not isinstance(outputfile_prefix, str | PathLike):
            raise TypeError(f"outputfile_prefix must be a path; got {outputfile_prefix!r}")
        write_files(treeview_files(result, matrix, descriptions=genedesc), outputfile_prefix)
    if not as_flag(silent, "silent"):
        _log.info("wbound %g: %d features with weight", bound, np.count_nonzero(fit.weights))
    return result


def HierarchicalSparseCluster_permute(
    x: ArrayLike,
    nperms: int = 10,
    wbounds: ArrayLike | None = None,
    dissimilarity: str = "squared.distance",
    standardize_arrays: bool = False,
    *,
    memory_limit: float = MEMORY_LIMIT,
    rng: RRandom | None = None,
) -> SparseHierarchyGap:
    """Choose the bound by permutation, as R's ``sparcl::HierarchicalSparseCluster.permute``.

    Parameters
    ----------
    x : array_like or data frame of shape (n, p)
        Data; missing values (NaN) are allowed.
    nperms : int, default=10
        Number of permuted matrices of distances; as in R each one permutes the one before.
    wbounds : array_like of shape (m,), optional
        At least two bounds above 1. Default: 10 values from 1.1 to 0.7 sqrt(p).
    dissimilarity : {"squared.distance", "absolute.value"}, default="squared.distance"
        Dissimilarity in one feature; may be abbreviated.
    standardize_arrays : bool, default=False
        First give every row mean 0 and standard deviation 1.
    memory_limit : float, default=4e9
        Bytes that the distances and two permuted copies, 3 x n (n - 1) / 2 x p doubles, may take.
    rng : RRandom, optional

    Returns
    -------
    SparseHierarchyGap
        Mapping with ``tots``, ``permtots``, ``nnonzerows``, ``gaps``, ``sdgaps``, ``wbounds``, ``bestw``,
        ``dists``.

    Raises
    ------
    RError
        With R's message: fewer than two bounds, a bound of 1 or less, distances that are all 0 or not finite.
    MemoryError
        The distances would take more than `memory_limit`.
    ValueError
        `nperms` not a whole number of at least 1.

    See Also
    --------
    sparsek.PermutationGap : Choose parameters by the permutation gap statistic.
    HierarchicalSparseCluster : R's sparse hierarchical clustering, bit for bit.

    Notes
    -----
    Progress is logged at level INFO (R prints it).

    References
    ----------
    Witten, D. M. & Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105, 713-726,
    Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.rcompat import HierarchicalSparseCluster_permute, set_seed
    >>> i, j = np.array([1, 2, 3, 7, 8, 9])[:, None], np.arange(1, 7)
    >>> x = (7 * i + 5 * j + i * j) % 11 / 2 + 6 * ((i > 6) & (j <= 2))
    >>> set_seed(1)
    >>> HierarchicalSparseCluster_permute(x, nperms=2, wbounds=[1.3, 1.7]).print()
    Tuning parameter selection results for Sparse Hierarchical Clustering:
      Wbound # Non-Zero W's Gap Statistic Standard Deviation
    1    1.3              2        0.0307             0.0249
    2    1.7              5        0.0499             0.0327
    Tuning parameter that leads to largest Gap statistic:  1.7
    """
    squared = match_arg(dissimilarity, DISSIMILARITIES, "dissimilarity") == DISSIMILARITIES[0]
    matrix = matrix_of_rows(x)
    p = matrix.values.shape[1]
    bounds = seq_length(1.1, math.sqrt(p) * 0.7, 10) if wbounds is None else as_bounds(wbounds)
    if bounds.min() <= 1:
        raise RError("Cannot have wbounds <= 1", f"the smallest is {bounds.min():g}: give bounds above 1")
    if len(bounds) < 2:
        raise RError("Wbounds should be a vector with at least 2 elements.", "got one: give more bounds")
    count = as_number(nperms, "nperms")
    if not 1 <= count < math.inf or count != math.floor(count):
        raise ValueError(f"nperms must be a whole number of at least 1; got {nperms!r}")
    require_runs(count, "nperms")
    prepared = standardized_on_request(matrix, standardize_arrays)
    require_memory(matrix.values.shape, memory_limit, copies=3)
    distances, _ = as_distances(prepared, None, squared, memory_limit)
    fit = hierarchical_gap(
        distances,
        squared,
        bounds.tolist(),
        n_permutations=int(count),
        rng=resolve_rng(rng),
        report=lambda done, due: _log.info("permutation %d of %d", done, due),
    )
    return SparseHierarchyGap(
        {
            "tots": fit.objectives,
            "permtots": fit.permuted,
            "nnonzerows": fit.n_nonzero,
            "gaps": fit.gaps,
            "sdgaps": fit.deviations,
            "wbounds": bounds,
            "bestw": fit.best_bound,
            "dists": distances.T,
        }
    )


def _tree(d: FloatArray, method: str, labels: list[str] | None, call: str) -> Tree:
    """R's hclust object."""
    if not np.isfinite(d).all():
        message = "NA/NaN/Inf in foreign function call (arg 10)"
        raise RError(message, "two features have no two rows in common, or one does not vary over these")
    return as_tree(core_hclust.run_hclust(d, method), labels, method, call)


def _feature_tree(matrix: RMatrix | None, weights: FloatArray, method: str) -> Tree:
    """Tree of the features that have a weight, on 2 (1 - correlation)."""
    if matrix is None:
        raise RError("Cannot cluster features unless x is given.", "pass the data as x too")
    used = np.flatnonzero(weights)
    if len(used) < 2:
        message = "supply both 'x' and 'y' or a matrix-like 'x'"
        raise RError(message, "only one feature has a weight: use a larger wbound to cluster features")
    names = matrix.column_names
    labels = None if names is None else [names[j] for j in used]
    call = "hclust(d = as.dist(2 * (1 - rho)), method = method.features)"
    return _tree(2 * (1 - pairwise_correlations(matrix.values[:, used])), method, labels, call)


def _names(matrix: RMatrix | None) -> tuple[list[str] | None, list[str] | None]:
    """Row and column names."""
    return (None, None) if matrix is None else (matrix.row_names, matrix.column_names)
