"""Results of the wskm functions: R's lists, printing and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sparsek.errors import RError
from sparsek.rcompat.stats.api_kmeans import KMeansResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class WeightedClusters(KMeansResult):
    """Result of `fgkm` and `twkm`, printed as R prints it.

    Fields (n rows, p features, k clusters, G groups): ``cluster`` (n,) from 1; ``centers`` (k, p); ``totss``;
    ``withinss``, always None as in R; ``tot.withinss``; ``betweenss``, equal to ``totss`` as in R; ``size``
    of the clusters present; ``iterations``, ``restarts``, ``totiters``; ``featureWeight`` (k, p) or (p,) and
    ``groupWeight`` (k, G) or (G,), dimensionless. Sums of squares are in squared units of the data.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows and columns of the data.
    """


class EntropyClusters(WeightedClusters):
    """Result of `ewkm`, printed and drawn as by R.

    Fields (n rows, p features, k clusters, m of them kept): ``cluster`` (n,) from 1; ``centers`` (m, p);
    ``totss``; ``withinss`` (k,); ``tot.withinss``; ``betweenss``; ``size`` of the clusters present;
    ``iterations``, ``total.iterations``, ``restarts``; ``weights`` (m, p), dimensionless, rows sum to 1. Sums
    of squares are in squared units of the data.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows and columns of the data.
    """

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the weights as R's ``plot``: standardised in every cluster, trees ordered by mean weight.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        matplotlib Axes
            The axes drawn on.

        Raises
        ------
        RError
            With R's message: fewer than two clusters or features, undefined weights.
        """
        from sparsek.rcompat.wskm.heatmaps import plot_heatmap

        if min(self.weights.shape) < 2:
            raise RError("'x' must have at least 2 rows and 2 columns", "there is one cluster or feature")
        self._require_defined()
        return plot_heatmap(self.weights.T, self._feature_names(), self._cluster_names(), ax=ax)

    def levelplot(self, ax: Axes | None = None) -> Axes:
        """Draw the weights as R's ``levelplot``: in steps of colour with a key, trees in their own order.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        matplotlib Axes
            The axes drawn on.

        Raises
        ------
        RError
            With R's message: fewer than two clusters or features, undefined weights.
        """
        from sparsek.rcompat.wskm.heatmaps import plot_levels

        if min(self.weights.shape) < 2:
            raise RError("must have n >= 2 objects to cluster", "there is one cluster or feature")
        self._require_defined()
        return plot_levels(self.weights.T, self._feature_names(), self._cluster_names(), ax=ax)

    def _require_defined(self) -> None:
        """Raise R's error when a weight is NaN."""
        if not np.isfinite(self.weights).all():
            raise RError(
                "NA/NaN/Inf in foreign function call (arg 10)", "undefined weights: use a larger lambda"
            )

    def _feature_names(self) -> list[str]:
        """Names of the features, or their numbers."""
        return self.column_names or [str(j + 1) for j in range(self.weights.shape[1])]

    def _cluster_names(self) -> list[str]:
        """Numbers of the centres."""
        return [str(i + 1) for i in range(len(self.centers))]
