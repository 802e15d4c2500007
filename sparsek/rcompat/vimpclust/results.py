"""Results of vimpclust's functions: their paths over the penalties, and pictures of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.bits.ordered_arithmetic import FloatArray, long_column_sums, long_sum
from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import RList
from sparsek.rcompat.vimpclust.arguments import whole_vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER_KIND = "The implementation does not allow to perform group-sparse k-means on mixed data yet!"
TITLES = {
    "weights.features": ("Features - regularization paths", "Features weights"),
    "weights.groups": ("Groups of features - regularization paths", "Group weights"),
    "weights.levels": ("Levels - regularization paths", "Levels weights"),
    "sel.features": ("Selected features path", "Number of selected features"),
    "sel.groups": ("Selected groups path", "Number of selected groups"),
    "sel.levels": ("Selected levels path", "Number of selected levels"),
    "expl.var": ("Explained variance path", "Explained variance"),
    "w.expl.var": ("Explained weighted-variance path", "Explained weighted variance"),
    "pen.crit": ("Penalized criterion path", "Penalized weighted between-class variance"),
}
"""Title and label of the vertical axis, by what is drawn."""


class SparseWeightedClusters(RList):
    """Result of `groupsparsewkm` and `sparsewkm`, drawn as by R's ``plot``.

    Parameters
    ----------
    fields : mapping of str to object
        Values by R's field names, in R's order.
    row_names, column_names : sequence of str or None
        Names of the rows, and of the columns of the data.
    """

    r_class = ("spwkm",)

    def path(self, what: str = "weights.features", Which: ArrayLike | None = None) -> RArray:
        """Give what R's ``plot`` draws over the penalties.

        Parameters
        ----------
        what : str, default="weights.features"
            "weights.features", "sel.features", "expl.var" (between-cluster variance over the number of
            features), "w.expl.var" (the same, weighted) or "pen.crit" (the maximised criterion); of
            `groupsparsewkm` also "weights.groups" and "sel.groups", of `sparsewkm` "weights.levels" and
            "sel.levels".
        Which : array_like of shape (m,), optional
            Numbers of the groups, or of the columns of `sparsewkm`, whose weights are drawn; by default all.
            Of "weights.groups" the places of the groups, where numbers have gaps.

        Returns
        -------
        RArray of shape (lines, penalties)
            The heights, dimensionless; counts for "sel".

        Raises
        ------
        RError
            With R's message: groups of mixed data, or levels of other data.
        ValueError
            An unknown `what`, or a number in `Which` that is not there.
        """
        if what not in TITLES:
            raise ValueError(f"what must be one of {', '.join(TITLES)}; got {what!r}")
        mixed = self["type"] == "MixedSparse"
        if what.endswith("groups" if mixed else "levels"):
            raise RError(OTHER_KIND, f"{what!r} is not for this result")
        if what.startswith("weights"):
            return self._weights(what, Which)
        fields = {"features": "sel.init.feat" if mixed else "sel.feat", "levels": "sel.trans.feat"}
        if what.startswith("sel"):
            heights = self[fields.get(what.removeprefix("sel."), "sel.groups")]
        else:
            heights = CRITERIA[what](self._parts())
        return RArray(np.asarray(heights)[None], dimnames=([what], self["W"].attributes["dimnames"][1]))

    def _weights(self, what: str, chosen: ArrayLike | None) -> RArray:
        """Weights of features, groups or levels, some of them."""
        index = np.asarray(self["index"])
        weights: RArray = self[{"weights.groups": "Wg", "weights.levels": "Wm"}.get(what, "W")]
        # Of groups R counts the lines: their numbers may have gaps.
        numbers = index if len(weights) == len(index) else np.arange(1, len(weights) + 1)
        shown = np.ones(len(weights), dtype=bool)
        if what == "weights.levels":  # R draws no numbers here
            shown = np.bincount(index)[index] > 1
        if chosen is not None:
            wanted = whole_vector(chosen, "Which")
            if not np.isin(wanted, numbers).all():
                known = np.unique(numbers).tolist()
                raise ValueError(f"Which must hold numbers from {known}; got {chosen!r}")
            shown &= np.isin(numbers, wanted)
        found: RArray = weights[shown]
        return found

    def _parts(self) -> dict[str, Any]:
        """What the criteria are computed of."""
        mixed = self["type"] == "MixedSparse"
        sizes = np.unique(np.asarray(self["index"]), return_counts=True)[1]
        return {
            "between": np.asarray(self["bss.per.feature"]),
            "weights": np.asarray(self["Wm" if mixed else "W"]),
            "norms": np.asarray(self["W" if mixed else "Wg"]),
            "penalties": np.asarray(self["lambda"]),
            "roots": np.sqrt(sizes.astype(np.float64)),
        }

    def plot(
        self,
        what: str = "weights.features",
        Which: ArrayLike | None = None,
        xtitle: str | None = None,
        ytitle: str | None = None,
        title: str | None = None,
        showlegend: bool | None = None,
        legendtitle: str | None = None,
        *,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw a path over the penalties, as R's ``plot``.

        Parameters
        ----------
        what : str, default="weights.features"
            What is drawn; see `path`.
        Which : array_like of shape (m,), optional
            Numbers of the groups whose weights are drawn; see `path`.
        xtitle, ytitle, title : str, optional
            Texts in place of R's.
        showlegend : bool, optional
            Whether there is a legend; by default for weights.
        legendtitle : str, optional
            Title of the legend.
        ax : matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        matplotlib Axes
            The axes drawn on.

        Raises
        ------
        RError
            With R's message: groups of mixed data, or levels of other data.
        ValueError
            An unknown `what`, or a number in `Which` that is not there.
        """
        from sparsek.plots._figure import new_axes

        heights = self.path(what, Which)
        ax = new_axes() if ax is None else ax
        names = heights.attributes["dimnames"][0] or range(1, len(heights) + 1)
        for name, line in zip(names, np.asarray(heights), strict=True):
            ax.plot(self["lambda"], line, marker="o", label=name)
        head, label = TITLES[what]
        ax.set(title=title or head, ylabel=ytitle or label, xlabel=xtitle or "Lambda")
        if what.startswith("weights") and showlegend is not False:
            ax.legend(title=legendtitle)
        return ax


def _explained(parts: dict[str, Any]) -> FloatArray:
    """Between-cluster variance over the number of features."""
    return long_column_sums(parts["between"]) / len(parts["between"])


def _weighted(parts: dict[str, Any]) -> FloatArray:
    """Weighted between-cluster variance over the sum of the weights."""
    return long_column_sums(parts["weights"] * parts["between"]) / long_column_sums(parts["weights"])


def _criterion(parts: dict[str, Any]) -> FloatArray:
    """The weighted between-cluster variance less the penalty, which R multiplies by roots of sizes always."""
    sums = long_column_sums(parts["weights"] * parts["between"])
    norms = np.array([long_sum(parts["roots"] * norm) for norm in parts["norms"].T])
    criterion: FloatArray = sums - parts["penalties"] * norms
    return criterion


CRITERIA: dict[str, Callable[[dict[str, Any]], FloatArray]] = {
    "expl.var": _explained,
    "w.expl.var": _weighted,
    "pen.crit": _criterion,
}
"""By what is drawn."""
