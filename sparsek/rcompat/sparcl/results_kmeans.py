"""Results of sparcl's k-means functions: R's lists, printing and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparsek.numerics.ordered_arithmetic import long_sum
from sparsek.rcompat.base.data import RList
from sparsek.rcompat.base.printing import fill, format_number, format_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
            blocks.append(
                f"Wbound is  {format_number(fit['wbound'])} :\n"
                f"Number of non-zero weights:  {np.count_nonzero(fit['ws'])}\n"
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
