"""R's ``recodmix`` and ``info_clust`` of package vimpclust."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_column_means
from sparsek.errors import RError
from sparsek.inputs.mixed import indicators
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList, as_fit, as_flag
from sparsek.rcompat.base.printing import as_character
from sparsek.rcompat.vimpclust.arguments import whole_vector
from sparsek.rcompat.vimpclust.recoding import Mixed, check_mixed, level_names, read_mixed, recode


def recodmix(X: Any, renamelevel: bool = False) -> RList:
    """Recode mixed data as numbers, as R's ``recodmix``.

    Parameters
    ----------
    X : array_like or data frame of shape (n, p)
        Numbers, and texts or unordered categories. Columns of truth values are left out, as in R.
    renamelevel : bool, default=False
        Whether a level is called ``"column=level"``.

    Returns
    -------
    RList
        ``X``, the data as a frame of pandas, numbers first, levels that no row has left out; ``Z`` (n, q),
        dimensionless: numbers centred and divided by their standard deviations (divisor n), levels as dummy
        variables, divided by the roots of their shares and centred; ``index`` (q,), the column of ``X`` that
        each comes from, from 1.

    Raises
    ------
    RError
        With R's message: constant columns, infinite values, ordered categories, dates, columns that share
        levels without `renamelevel`.
    TypeError, ValueError
        X is no table, or has no columns of these kinds.

    Warns
    -----
    RWarning
        Columns of whole numbers, which are taken for numbers.

    See Also
    --------
    sparsewkm : Sparse k-means of mixed data.

    Notes
    -----
    Missing numbers become the mean; a row whose level is missing has none of the levels. As in R, a column
    whose squares overflow (above 1e154) becomes 0. One whose squares are 0 (below 1e-162) becomes infinite,
    or is refused as constant where a value is the mean.

    References
    ----------
    Chavent, M., Kuentz-Simonet, V., Labenne, A. & Saracco, J. (2014). Multivariate analysis of mixed data:
    the PCAmixdata R package. arXiv:1411.4911.

    Examples
    --------
    >>> import pandas as pd
    >>> from sparsek.rcompat import recodmix
    >>> found = recodmix(pd.DataFrame({"kind": list("abab"), "size": [1.0, 3.0, 1.0, 3.0]}))
    >>> found.Z.named()
       size         a         b
    0  -1.0  0.707107 -0.707107
    1   1.0 -0.707107  0.707107
    2  -1.0  0.707107 -0.707107
    3   1.0 -0.707107  0.707107
    """
    mixed, renamed = read_mixed(X), as_flag(renamelevel, "renamelevel")
    check_mixed(mixed, renamed)
    coded = recode(mixed, renamed)
    Z = RArray(coded.values, dimnames=(mixed.row_names, coded.names), **coded.attributes)
    return RList({"X": _ordered_frame(mixed), "Z": Z, "index": coded.index}, mixed.row_names, mixed.names)


def info_clust(out: Mapping[str, Any], which_lambda: ArrayLike, X: Any) -> RList:
    """Means and frequencies in the clusters of some penalties, as R's ``info_clust``.

    Parameters
    ----------
    out : SparseWeightedClusters
        Result of `groupsparsewkm` or `sparsewkm`.
    which_lambda : int or array_like of shape (m,)
        Numbers of the penalties, from 1.
    X : data frame of shape (n, p)
        The data, or others of the same rows: at least one column of numbers and one of categories, as in R.

    Returns
    -------
    RList
        ``mean.by.clust``, for each penalty a matrix (numbers, k) of means, in the units of the columns;
        ``freq.by.clust``, for each one a matrix (levels, k) of shares; ``lambda`` (m,).

    Raises
    ------
    RError
        With R's message: a penalty that is not there, another number of rows, no column of numbers or none of
        categories, and what `recodmix` refuses.
    TypeError, ValueError
        `out` or `X` is something else.

    Warns
    -----
    RWarning
        Columns of whole numbers, which are taken for numbers.

    See Also
    --------
    sparsewkm : Sparse k-means of mixed data.

    Examples
    --------
    >>> import pandas as pd
    >>> from sparsek.rcompat import info_clust, set_seed, sparsewkm
    >>> frame = pd.DataFrame({"size": [1.0, 1.2, 5.0, 5.3], "age": [2, 1, 2, 1.0], "kind": list("aabb")})
    >>> frame["kind"] = frame["kind"].astype("category")
    >>> set_seed(1)
    >>> info_clust(sparsewkm(frame, 2, lambda_=0.2), 1, frame)["mean.by.clust"].print()
    $`lambda = 0.2`
         cluster=1 cluster=2
    size       1.1      5.15
    age        1.5      1.50
    <BLANKLINE>
    """
    fit = as_fit(out, {"cluster", "lambda"}, "out", "groupsparsewkm or sparsewkm")
    mixed = read_mixed(X)
    check_mixed(mixed, renamed=True)
    levels = level_names(mixed, renamed=True)
    clusters, penalties = np.asarray(fit["cluster"]), np.asarray(fit["lambda"])
    chosen = whole_vector(which_lambda, "which.lambda")
    if chosen.min() < 1 or chosen.max() > len(penalties):
        raise RError("subscript out of bounds", f"which.lambda must be from 1 to {len(penalties)}")
    if len(clusters) != mixed.size:
        message = "arguments must have same length"
        raise RError(message, f"X has {mixed.size} rows, and {len(clusters)} were clustered")
    if not mixed.numbers or not mixed.factors:
        message = f"'names' attribute [{len(chosen)}] must be the same length as the vector [0]"
        raise RError(message, "X must have a column of numbers and one of categories")
    numbers = np.column_stack(list(mixed.numbers.values()))
    shares = np.hstack([indicators(f.codes, len(f.levels)) for f in mixed.factors.values()])
    parts = [clusters[:, i - 1] for i in chosen]
    names = [f"lambda = {as_character(penalties[i - 1])}" for i in chosen]
    columns = list(mixed.numbers) if len(mixed.numbers) > 1 else None  # R loses a single name
    means = [_means(numbers, part, columns) for part in parts]
    frequencies = [_means(shares, part, levels) for part in parts]
    return RList(
        {
            "mean.by.clust": RList(dict(zip(names, means, strict=True))),
            "freq.by.clust": RList(dict(zip(names, frequencies, strict=True))),
            "lambda": penalties[chosen - 1],
        }
    )


def _means(x: FloatArray, labels: IntArray, names: list[str] | None) -> RArray:
    """Means in each cluster.

    Shapes: x (n, p), labels (n,); returns (p, k).
    """
    found = np.unique(labels)
    means = np.column_stack([long_column_means(x[labels == k]) for k in found])
    return RArray(means, dimnames=(names, [f"cluster={k}" for k in found]))


def _ordered_frame(mixed: Mixed) -> Any:
    """The data, numbers first."""
    import pandas as pd

    columns: dict[str, Any] = dict(mixed.numbers)
    for name, factor in mixed.factors.items():
        columns[name] = pd.Categorical.from_codes(factor.codes.tolist(), pd.Index(factor.levels))
    return pd.DataFrame(columns, index=mixed.row_names)
