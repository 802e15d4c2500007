"""R's ``heatmap``: the order of rows and columns, and the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.plots import plot_heatmap
from sparsek.rcompat.base.api_columns import rowMeans
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList, as_flag, as_matrix, shape_of
from sparsek.rcompat.base.matching import partial_match
from sparsek.rcompat.base.values.functions import partial_of
from sparsek.rcompat.stats.dendrogram.api_dendrogram import as_dendrogram, order_dendrogram, rev
from sparsek.rcompat.stats.dendrogram.dendrograms import Dendrogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALES = {"row": "rows", "column": "columns", "none": None}
"""R's choices of `scale`, and what `plot_heatmap` calls them."""
AS_ROWS = "Rowv"
"""What R calls columns in the order of the rows."""
TITLE = 1.26
"""Place of the title above the tree, in heights of the matrix."""
Function = str | Callable[..., Any]


def heatmap(
    x: Any,
    Rowv: Any = None,
    Colv: Any = None,
    distfun: Function = "dist",
    hclustfun: Function = "hclust",
    reorderfun: Function = "reorder",
    symm: bool = False,
    scale: str | None = None,
    na_rm: bool = True,
    labRow: Sequence[str] | None = None,
    labCol: Sequence[str] | None = None,
    main: str | None = None,
    xlab: str | None = None,
    ylab: str | None = None,
    keep_dendro: bool = False,
    *,
    ax: Axes | None = None,
) -> RList:
    """Draw a matrix between the trees of its rows and columns, in the order of R's ``heatmap``.

    Parameters
    ----------
    x : array_like of shape (n, p)
        Numbers, at least two rows and columns, NaN where missing.
    Rowv, Colv : Dendrogram, array_like or NaN, optional
        A dendrogram, taken as it is; or weights, by which the tree is ordered, by default the means of the
        rows or columns; or NaN: no tree and no order. Colv "Rowv" treats columns like rows, which is the
        default where `symm`.
    distfun : str or callable, default="dist"
        What makes distances of rows: a function, or the name of one of `sparsek.rcompat`, as the next two.
    hclustfun : str or callable, default="hclust"
        What makes a tree of distances.
    reorderfun : str or callable, default="reorder"
        What orders a dendrogram by weights.
    symm : bool, default=False
        Whether x is symmetric.
    scale : {"row", "column", "none"}, optional
        What is centred and divided by its standard deviation for the colours; default "row", or "none" where
        `symm`. The order does not depend on it.
    na_rm : bool, default=True
        Whether missing entries are left out of means.
    labRow, labCol : sequence of str, optional
        Names of rows and columns; default those of x.
    main, xlab, ylab : str, optional
        Title, and labels of the axes.
    keep_dendro : bool, default=False
        Whether the result has the dendrograms.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    RList
        ``rowInd`` (n,) and ``colInd`` (p,), rows and columns from 1 in the order drawn, from the bottom and
        from the left; ``Rowv`` and ``Colv``, the dendrograms, or None. Where columns are treated like rows,
        rows are drawn from the top, and ``Rowv`` is turned round, as in R.

    Raises
    ------
    RError
        With R's message: x that is no matrix of numbers, too few rows or columns, an unknown `scale`, a
        dendrogram of another number of leaves, columns like rows in a matrix that is not square.
    ImportError
        Without matplotlib, when no axes are given.

    See Also
    --------
    sparsek.plots.plot_heatmap : The picture.
    reorder : Turn the branches of a dendrogram by weights.

    Examples
    --------
    >>> from sparsek.rcompat import heatmap
    >>> heatmap([[5.0, 1.0], [2.0, 0.0], [5.5, 2.0]]).rowInd  # doctest: +SKIP
    array([2, 1, 3])
    """
    square = as_flag(symm, "symm")
    full = ("none" if square else "row") if scale is None else partial_match(scale, SCALES)
    if full is None:
        raise RError(f"'arg' should be one of {', '.join(f'“{s}”' for s in SCALES)}", f"got {scale!r}")
    matrix = _matrix(x)
    values, kept = matrix.values, as_flag(na_rm, "na_rm")
    like_rows = (isinstance(Colv, str) and Colv == AS_ROWS) or (Colv is None and square)
    if like_rows and len(values) != values.shape[1]:
        raise RError('Colv = "Rowv" but nrow(x) != ncol(x)', f"x has shape {values.shape}")
    functions = (
        partial_of(distfun, name="distfun", takes="the matrix"),
        partial_of(hclustfun, name="hclustfun", takes="distances"),
        partial_of(reorderfun, name="reorderfun", takes="a dendrogram and weights"),
    )
    named = RArray(values, dimnames=(matrix.row_names, matrix.column_names))
    turned = named if square else RArray(values.T, dimnames=(matrix.column_names, matrix.row_names))
    rows, row_order = _ordered("row", Rowv, named, values, kept, functions)
    if like_rows:
        columns, column_order, rows = rows, row_order, rows and rev(rows)
    else:
        columns, column_order = _ordered("column", Colv, turned, values.T, kept, functions)
    drawn = plot_heatmap(
        values,
        ax=ax,
        row_tree=rows or False,
        column_tree=columns or False,
        standardize=SCALES[full],  # type: ignore[arg-type]
        row_names=matrix.row_names if labRow is None else labRow,
        names=matrix.column_names if labCol is None else labCol,
    )
    drawn.set(xlabel=xlab or "", ylabel=ylab or "")
    drawn.set_title(main or "", y=TITLE)
    trees = (rows, columns) if as_flag(keep_dendro, "keep_dendro") else (None, None)
    return RList({"rowInd": row_order, "colInd": column_order, "Rowv": trees[0], "Colv": trees[1]})


def _matrix(x: Any) -> Any:
    """A matrix of numbers, with its names."""
    try:
        plain = len(shape_of(x, "x")) == 2
        matrix = as_matrix(x, "x") if plain else None
    except (TypeError, ValueError) as error:
        raise RError("'x' must be a numeric matrix", str(error)) from None
    if matrix is None:
        raise RError("'x' must be a numeric matrix", "x must have rows and columns")
    if min(matrix.values.shape) < 2:
        raise RError("'x' must have at least 2 rows and 2 columns", f"x has shape {matrix.values.shape}")
    return matrix


def _ordered(
    what: str, given: Any, source: RArray, rows: FloatArray, na_rm: bool, functions: tuple[Any, ...]
) -> tuple[Dendrogram | None, IntArray]:
    """The dendrogram of rows or columns, None for none, and their order.

    Shapes: rows (m, q); returns (m,).
    """
    if isinstance(given, float | np.floating) and np.isnan(given):
        return None, np.arange(1, len(rows) + 1)
    if isinstance(given, Dendrogram):
        tree = given
    else:
        distances, cluster, turn = functions
        weights = rowMeans(rows, na_rm=na_rm) if given is None else given
        tree = turn(as_dendrogram(cluster(distances(source))), weights)
    order = order_dendrogram(tree)
    if len(order) != len(rows):
        message = f"{what} dendrogram ordering gave index of wrong length"
        raise RError(message, f"it has {len(order)} leaves, and there are {len(rows)} {what}s")
    return tree, order
