"""Results of the sparcl functions: R's lists, printing and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_fit, as_number
from sparsek.rcompat.base.factors import as_labels
from sparsek.rcompat.base.printing import fill, format_number, format_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HANG = 0.2
"""Length of the leaves of a coloured tree, as a fraction of the range of the heights."""


class SparseClusters(list[RList]):
    """Result of `KMeansSparseCluster`: one `RList` per bound, in the order of ``wbounds``.

    Fields of an entry (p features, n rows): ``ws`` weights (p,); ``Cs`` clusters from 1 (n,); ``wcss``,
    itself an `RList` of ``wcss.perfeature`` (p,), ``wcss``, ``wcss.ws`` and ``bcss.perfeature`` (p,), in
    squared units of the data; ``crit``, the objective after every weight step; ``wbound``.

    Parameters
    ----------
    iterable : iterable of RList, default=()
        The entries.
    """

    def __str__(self) -> str:
        blocks = []
        for fit in self:
            used = "NA" if np.isnan(fit["ws"]).any() else np.count_nonzero(fit["ws"])
            blocks.append(
                f"Wbound is  {format_number(fit['wbound'])} :\n"
                f"Number of non-zero weights:  {used}\n"
                f"Sum of weights:  {format_number(long_sum(fit['ws']))}\n"
                f"{fill(['Clustering: ', *map(str, fit['Cs'].tolist())])}\n"
            )
        return "\n".join(blocks)

    def __repr__(self) -> str:
        return str(self)

    def print(self) -> None:
        """Print as R does."""
        print(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the weights of every bound against the feature number; see `sparsek.plots.plot_weights`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        matplotlib Axes
            The axes drawn on.
        """
        from sparsek.plots import plot_weights

        return plot_weights({f"Wbound is {format_number(fit['wbound'])}": fit["ws"] for fit in self}, ax=ax)


class SparseClusterGap(RList):
    """Result of `KMeansSparseCluster_permute`.

    Fields (m bounds): ``tots`` (m,) objectives; ``permtots`` (m, nperms); ``nnonzerows`` (m,) numbers of
    non-zero weights; ``gaps`` and ``sdgaps`` (m,); ``wbounds`` (m,); ``bestw``.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Not used.
    """

    method = "K-means"

    def __str__(self) -> str:
        columns = {
            "Wbound": self["wbounds"],
            "# Non-Zero W's": self["nnonzerows"],
            "Gap Statistic": self["gaps"],
            "Standard Deviation": self["sdgaps"],
        }
        return (
            f"Tuning parameter selection results for Sparse {self.method} Clustering:\n"
            f"{format_table(columns)}\n"
            f"Tuning parameter that leads to largest Gap statistic:  {format_number(self['bestw'])}"
        )

    def print(self) -> None:
        """Print as R does."""
        print(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the gap against the number of non-zero weights; see `sparsek.plots.plot_gap`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        matplotlib Axes
            The axes drawn on.
        """
        from sparsek.plots import plot_gap

        return plot_gap(self["nnonzerows"], self["gaps"], ax=ax)


class SparseHierarchy(RList):
    """Result of `HierarchicalSparseCluster`.

    Fields (p features, n rows): ``hc``, the tree; ``ws`` weights (p, 1); ``u`` dissimilarities (n, n);
    ``crit``; ``dists`` (n (n - 1) / 2, p) in the unit of the data; ``uorth``; ``wbound``; ``hc.features``,
    where asked for.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows and columns of the data.
    """

    def __str__(self) -> str:
        return (
            f"Wbound is  {format_number(self['wbound'])} :\n"
            f"Number of non-zero weights:  {np.count_nonzero(self['ws'])}\n"
            f"Sum of weights:  {format_number(long_sum(self['ws']))}\n"
        )

    def print(self) -> None:
        """Print as R does."""
        print(self)

    def plot(self, axes: tuple[Axes, Axes] | None = None) -> tuple[Axes, Axes]:
        """Draw the tree, and the weights against the feature number.

        Parameters
        ----------
        axes : pair of matplotlib Axes, optional
            Where to draw; default two in a new figure.

        Returns
        -------
        pair of matplotlib Axes
            The axes drawn on.
        """
        from sparsek.plots import plot_weights
        from sparsek.plots._hclust import draw_tree

        left, right = _pair_of_axes() if axes is None else axes
        tree = self["hc"]
        draw_tree(tree["merge"], tree["height"], tree["order"], ax=left)
        left.set_title("Sparse Clustering")
        plot_weights({f"Wbound is {format_number(self['wbound'])}": self["ws"].ravel()}, ax=right)
        return left, right


class SparseHierarchyGap(SparseClusterGap):
    """Result of `HierarchicalSparseCluster_permute`.

    Fields (m bounds): ``tots`` (m,) objectives; ``permtots`` (m, nperms); ``nnonzerows`` (m,) numbers of
    non-zero weights; ``gaps`` and ``sdgaps`` (m,); ``wbounds`` (m,); ``bestw``; ``dists``
    (n (n - 1) / 2, p), not permuted.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Not used.
    """

    method = "Hierarchical"


def _pair_of_axes() -> tuple[Axes, Axes]:
    """Two axes side by side in a new figure."""
    from sparsek.plots._figure import new_axes

    left = new_axes()
    figure = left.figure
    left.remove()
    return figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)


def ColorDendrogram(
    hc: Mapping[str, Any],
    y: ArrayLike,
    main: str = "",
    branchlength: float = 0.7,
    labels: Sequence[str] | None = None,
    xlab: str | None = None,
    sub: str | None = None,
    ylab: str = "",
    cex_main: float | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree whose leaves are coloured by group, as R's ``sparcl::ColorDendrogram``.

    Parameters
    ----------
    hc : RList
        A tree: the result of `hclust`, or ``hc`` of a `HierarchicalSparseCluster`.
    y : array_like of shape (n,)
        Groups of the objects: whole numbers of at least 0, which get R's colours (1 red, 2 green, 3 blue,
        ...), or names of colours.
    main : str, default=""
        Title.
    branchlength : float, default=0.7
        Length of the coloured lines, in units of the heights.
    labels : sequence of str, optional
        Names of the objects; default none.
    xlab, sub : str, optional
        Texts under the tree; default none and the linkage.
    ylab : str, default=""
        Text beside the tree.
    cex_main : float, optional
        Size of the title relative to matplotlib's.
    ax : matplotlib Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib Axes
        The axes drawn on.

    Raises
    ------
    RError
        With R's message, when `y` has not one group per object.
    ValueError
        A group that has no colour.
    ImportError
        Without matplotlib, when no axes are given.

    See Also
    --------
    sparsek.plots.plot_dendrogram : Draw a tree.
    HierarchicalSparseCluster : R's sparse hierarchical clustering, bit for bit.
    rect_hclust : Draw rectangles around the groups of a tree.

    Examples
    --------
    >>> from sparsek.rcompat import ColorDendrogram, dist, hclust
    >>> tree = hclust(dist([[0.0], [1.0], [5.0]]), "average")
    >>> ax = ColorDendrogram(tree, y=[1, 1, 2], branchlength=0.5)  # doctest: +SKIP
    """
    from sparsek.plots._hclust import color_leaves, color_of, draw_tree

    hc = as_fit(hc, {"merge", "height", "order"}, "hc", "hclust")
    merge, height, order = hc["merge"], hc["height"], hc["order"]
    groups, length = as_labels(y, "y"), as_number(branchlength, "branchlength")
    size = None if cex_main is None else as_number(cex_main, "cex_main")
    below = ["" if text is None else text for text in (xlab, sub)]
    for name, text in zip(("main", "xlab", "sub", "ylab"), (main, *below, ylab), strict=True):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a text; got {text!r}")
    texts = isinstance(labels, Sequence | np.ndarray) and getattr(labels, "ndim", 1) == 1
    if labels is not None and (not texts or len(labels) != len(order)):
        raise ValueError(f"labels must be None or {len(order)} texts; got {labels!r}")
    if groups.shape != order.shape:
        raise RError("invalid dendrogram input", f"y must have one group per object, {len(order)}")
    colors = [color_of(group) for group in groups.tolist()]
    ax = draw_tree(merge, height, order, labels=labels, hang=HANG, ax=ax)
    color_leaves(merge, height, order, colors, length, ax)
    method = hc.get("method")
    if sub is None and method:
        below[1] = f'hclust (*, "{method}")'
    title = ax.set_title(main)
    if size is not None:
        title.set_fontsize(float(title.get_fontsize()) * size)
    ax.set(xlabel="\n".join(filter(None, below)), ylabel=ylab)
    return ax
