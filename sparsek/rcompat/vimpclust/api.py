"""R's ``groupsparsewkm`` and ``sparsewkm`` of package vimpclust."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.rcompat.base.api_scale import scale
from sparsek.rcompat.base.arrays import RArray, dimnames_of
from sparsek.rcompat.base.data import RMatrix, as_flag, real_number, require_runs
from sparsek.rcompat.base.printing import as_character
from sparsek.rcompat.vimpclust.algorithm import Control, Fit, VariableGroups, WeightedKMeans, make_groups
from sparsek.rcompat.vimpclust.arguments import (
    NOT_FINITE,
    as_boolean,
    as_features,
    as_groups,
    as_penalties,
    check_features,
    whole_number,
)
from sparsek.rcompat.vimpclust.recoding import check_mixed, read_mixed, recode
from sparsek.rcompat.vimpclust.results import SparseWeightedClusters
from sparsek.rng import RRandom, resolve_rng

_log = logging.getLogger(__name__)


def groupsparsewkm(
    X: ArrayLike,
    centers: Any,
    lambda_: ArrayLike | None = None,
    nlambda: int = 20,
    index: ArrayLike | None = None,
    sizegroup: bool = True,
    nstart: int = 10,
    itermaxw: int = 20,
    itermaxkm: int = 10,
    scaling: bool = True,
    verbose: int = 1,
    epsilonw: float = 1e-4,
    *,
    rng: RRandom | None = None,
) -> SparseWeightedClusters:
    """Group-sparse weighted k-means as R's ``groupsparsewkm`` of package vimpclust, bit for bit.

    Maximises ``sum_j w_j b_j - lambda sum_g sqrt(p_g) |w_g|`` over partitions and weights w of norm 1, where
    b are between-cluster variances of the features and p_g is the size of group g.

    Parameters
    ----------
    X : array_like or data frame of shape (n, p)
        Finite numbers, two columns or more.
    centers : int
        Number of clusters.
    lambda_ : float or array_like of shape (m,), optional
        Penalties, dimensionless where `scaling` is True. By default `nlambda` values from 0 almost to the one
        that leaves no weight.
    nlambda : int, default=20
        Number of penalties.
    index : array_like of shape (p,), optional
        Number of the group of each feature, from 1 to p; by default each feature has its own.
    sizegroup : bool, default=True
        Whether the penalty of a group is multiplied by the root of its size.
    nstart : int, default=10
        Random starts of each k-means.
    itermaxw : int, default=20
        Largest number of weights, equal ones at the start included; at least 2.
    itermaxkm : int, default=10
        Largest number of iterations of k-means.
    scaling : bool, default=True
        Whether columns are centred and divided by their standard deviations.
    verbose : int, default=1
        Other than 0: whether the weights stayed is logged at level INFO (R prints it).
    epsilonw : float, default=1e-4
        Relative change of the weights below which they stay, dimensionless.
    rng : RRandom, optional

    Returns
    -------
    SparseWeightedClusters
        ``type``, ``lambda`` (m,), ``W`` (p, m), ``Wg`` (groups, m), ``cluster`` (n, m), ``sel.feat`` (m,),
        ``sel.groups`` (m,), ``Z`` (n, p), ``index`` (p,) and ``bss.per.feature`` (p, m); features in the
        order of their groups.

    Raises
    ------
    RError
        With R's message: what k-means refuses, missing values, one column, one cluster, groups that are no
        whole numbers from 1 to p, penalties that are negative or leave no weight, `itermaxw` below 2.
    TypeError, ValueError
        An argument of another kind; an `index` of another length than X has columns.

    Warns
    -----
    RWarning
        What R's k-means warns of.

    See Also
    --------
    sparsewkm : The same for mixed data.
    info_clust : Means and frequencies in the clusters.
    KMeansSparseCluster : R's sparse k-means, bit for bit.

    Notes
    -----
    The first k-means, of equal weights, has `itermaxkm` starts of at most `nstart` iterations, as in R. The
    weights are those by which the clusters were found. R's field ``call`` is left out.

    References
    ----------
    Chavent, M., Lacaille, J., Mourer, A. & Olteanu, M. (2020). Sparse k-means for mixed data via group-sparse
    clustering. ESANN proceedings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek.rcompat import groupsparsewkm, set_seed
    >>> set_seed(1)
    >>> fit = groupsparsewkm(load_iris().data, 3, nlambda=3, index=[1, 2, 1, 2])
    >>> fit.sel_feat.tolist()
    [4, 4, 2]
    """
    matrix = as_features(X)
    groups = as_groups(index, matrix.values.shape[1])
    penalties, length = _penalties(lambda_, nlambda)
    by_size, scaled = as_boolean(sizegroup, "sizegroup"), as_boolean(scaling, "scaling")
    control = _control(nstart, itermaxw, itermaxkm, epsilonw)
    order = np.argsort(groups, kind="stable")
    z = np.asarray(scale(matrix.values))[:, order] if scaled else matrix.values[:, order]
    names = None if matrix.column_names is None else [matrix.column_names[j] for j in order]
    data = RMatrix(z, matrix.row_names, names)
    parts = make_groups(groups[order], by_size)
    fits = _path(data.values, centers, penalties, length, parts, control, verbose, rng)
    return _numeric_result(fits, data, groups[order], parts)


def sparsewkm(
    X: Any,
    centers: Any,
    lambda_: ArrayLike | None = None,
    nlambda: int = 20,
    nstart: int = 10,
    itermaxw: int = 20,
    itermaxkm: int = 10,
    renamelevel: bool = True,
    verbose: int = 1,
    epsilonw: float = 1e-4,
    *,
    rng: RRandom | None = None,
) -> SparseWeightedClusters:
    """Sparse weighted k-means of mixed data, as R's ``sparsewkm`` of package vimpclust, bit for bit.

    The columns are recoded by :func:`recodmix`; the levels of a categorical column are a group of
    :func:`groupsparsewkm`.

    Parameters
    ----------
    X : array_like or data frame of shape (n, p)
        Numbers and categories without missing values.
    centers : int
        Number of clusters.
    lambda_ : float or array_like of shape (m,), optional
        Penalties, dimensionless. By default `nlambda` values from 0 almost to the one that leaves no weight.
    nlambda : int, default=20
        Number of penalties.
    nstart : int, default=10
        Random starts of each k-means.
    itermaxw : int, default=20
        Largest number of weights, equal ones at the start included; at least 2.
    itermaxkm : int, default=10
        Largest number of iterations of k-means.
    renamelevel : bool, default=True
        Whether a level is called ``"column=level"``.
    verbose : int, default=1
        Other than 0: whether the weights stayed is logged at level INFO (R prints it).
    epsilonw : float, default=1e-4
        Relative change of the weights below which they stay, dimensionless.
    rng : RRandom, optional

    Returns
    -------
    SparseWeightedClusters
        ``type``, ``W`` (p, m), ``Wm`` (q, m), ``cluster`` (n, m), ``lambda`` (m,), ``sel.init.feat`` (m,),
        ``sel.trans.feat`` (m,), ``X.transformed`` (n, q), ``index`` (q,) and ``bss.per.feature`` (q, m); q
        counts numbers and levels, numbers come first.

    Raises
    ------
    RError
        With R's message: what `recodmix` and `groupsparsewkm` refuse.
    TypeError, ValueError
        An argument of another kind.

    Warns
    -----
    RWarning
        What R's k-means warns of; columns of whole numbers, which are taken for numbers.

    See Also
    --------
    recodmix : The recoded columns.
    info_clust : Means and frequencies in the clusters.

    References
    ----------
    Chavent, M., Lacaille, J., Mourer, A. & Olteanu, M. (2020). Sparse k-means for mixed data via group-sparse
    clustering. ESANN proceedings.

    Examples
    --------
    >>> import pandas as pd
    >>> from sparsek.rcompat import set_seed, sparsewkm
    >>> frame = pd.DataFrame({"size": [1.0, 1.2, 5.0, 5.3], "age": [2, 1, 2, 1.0], "kind": list("aabb")})
    >>> frame["kind"] = frame["kind"].astype("category")
    >>> set_seed(1)
    >>> sparsewkm(frame, 2, lambda_=0.2).W.print()
          Lambda 1
    size 0.8824898
    age  0.0000000
    kind 0.4703315
    """
    mixed, renamed = read_mixed(X), as_flag(renamelevel, "renamelevel")
    if mixed.texts or not mixed.complete:
        remedy = "make categories of texts, and impute or leave out missing and infinite values"
        raise RError(NOT_FINITE, remedy)
    penalties, length = _penalties(lambda_, nlambda)
    control = _control(nstart, itermaxw, itermaxkm, epsilonw)
    check_mixed(mixed, renamed)
    coded = recode(mixed, renamed)
    check_features(coded.values)
    parts = make_groups(coded.index, True)
    fits = _path(coded.values, centers, penalties, length, parts, control, verbose, rng)
    data = RMatrix(coded.values, mixed.row_names, coded.names, coded.attributes)
    return _mixed_result(fits, data, mixed.names, coded.index, parts)


def _penalties(lambda_: ArrayLike | None, nlambda: Any) -> tuple[FloatArray | None, int]:
    """The penalties, and how many there are where they are not given."""
    penalties = None if lambda_ is None else as_penalties(lambda_)
    length = whole_number(nlambda, "nlambda")
    if length < 1:
        raise RError("nlambda must strictly positive", f"got {length}")
    require_runs(length, "nlambda")
    return penalties, length


def _control(nstart: Any, itermaxw: Any, itermaxkm: Any, epsilonw: Any) -> Control:
    """The arguments of k-means and of the alternation."""
    return Control(
        whole_number(nstart, "nstart"),
        whole_number(itermaxw, "itermaxw"),
        whole_number(itermaxkm, "itermaxkm"),
        real_number(epsilonw, "epsilonw"),
    )


def _path(
    z: FloatArray,
    centers: Any,
    penalties: FloatArray | None,
    length: int,
    parts: VariableGroups,
    control: Control,
    verbose: Any,
    rng: RRandom | None,
) -> list[Fit]:
    """A fit for each penalty."""
    loud = real_number(verbose, "verbose") != 0
    model = WeightedKMeans(z, centers, parts, control, resolve_rng(rng))
    fits = []
    for fit in model.path(model.grid(length) if penalties is None else penalties):
        if loud:
            outcome = "is" if fit.converged else "is not"
            _log.info("the stopping criterion over w %s satisfied for lambda = %s", outcome,
                      as_character(fit.penalty))  # fmt: skip
        fits.append(fit)
    return fits


def _columns(columns: list[Any], row_names: list[str] | None) -> RArray:
    """A matrix with a column for each penalty."""
    return RArray(np.column_stack(columns), dimnames=(row_names, _labels(len(columns))))


def _labels(count: int) -> list[str]:
    """R's names of the penalties."""
    return [f"Lambda {i + 1}" for i in range(count)]


def _numeric_result(
    fits: list[Fit], data: RMatrix, index: IntArray, parts: VariableGroups
) -> SparseWeightedClusters:
    """R's list of groupsparsewkm."""
    norms = [parts.norms(fit.weights) for fit in fits]
    names = _labels(len(fits))
    fields = {
        "type": "NumGroupSparse",
        "lambda": np.array([fit.penalty for fit in fits]),
        "W": _columns([fit.weights for fit in fits], data.column_names),
        "Wg": _columns(norms, [f"Group {g}" for g in parts.numbers]),
        "cluster": _columns([fit.labels for fit in fits], data.row_names),
        "sel.feat": RArray([int((fit.weights > 0).sum()) for fit in fits], names=names),
        "sel.groups": RArray([int((norm > 0).sum()) for norm in norms], names=names),
        "Z": RArray(data.values, dimnames=dimnames_of(data.row_names, data.column_names)),
        "index": index,
        "bss.per.feature": _columns([fit.between for fit in fits], data.column_names),
    }
    return SparseWeightedClusters(fields, data.row_names, data.column_names)


def _mixed_result(
    fits: list[Fit], data: RMatrix, columns: list[str], index: IntArray, parts: VariableGroups
) -> SparseWeightedClusters:
    """R's list of sparsewkm."""
    norms = [parts.norms(fit.weights) for fit in fits]
    names = _labels(len(fits))
    fields = {
        "type": "MixedSparse",
        "W": _columns(norms, columns),
        "Wm": _columns([fit.weights for fit in fits], data.column_names),
        "cluster": _columns([fit.labels for fit in fits], data.row_names),
        "lambda": np.array([fit.penalty for fit in fits]),
        "sel.init.feat": RArray([int((norm > 0).sum()) for norm in norms], names=names),
        "sel.trans.feat": RArray([int((fit.weights > 0).sum()) for fit in fits], names=names),
        "X.transformed": RArray(data.values, dimnames=(data.row_names, data.column_names), **data.others),
        "index": index,
        "bss.per.feature": _columns([fit.between for fit in fits], data.column_names),
    }
    return SparseWeightedClusters(fields, data.row_names, columns)
