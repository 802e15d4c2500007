"""R's ``cut`` of numbers and of dendrograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsek.errors import RError
from sparsek.rcompat.base.data import RList, as_vector
from sparsek.rcompat.base.values.intervals import intervals
from sparsek.rcompat.base.values.lists import format_list
from sparsek.rcompat.stats.dendrogram import dendrograms as core
from sparsek.rcompat.stats.dendrogram.api_dendrogram import MISSING
from sparsek.rcompat.stats.dendrogram.dendrograms import Dendrogram


class CutDendrogram(RList):
    """A dendrogram above and below a height, printed as by R."""

    def __str__(self) -> str:
        return format_list({**self, "lower": self["lower"] or RList({})})


def cut(
    x: Any,
    breaks: Any = None,
    labels: Any = None,
    include_lowest: bool = False,
    right: bool = True,
    dig_lab: float = 3,
    ordered_result: bool = False,
    *,
    h: Any = None,
) -> Any:
    """Divide numbers into intervals, or cut a dendrogram at a height, as R's ``cut``.

    Parameters
    ----------
    x : array_like of shape (n,), or Dendrogram
        Numbers, NaN where missing; or a tree, for which only `h` counts.
    breaks : int or array_like of shape (m + 1,)
        Number m of intervals of equal length, at least 2, or their ends in any order, in the unit of `x`. Of
        a dendrogram the height, where `h` is not given.
    labels : sequence of shape (m,) or False, optional
        Names of the intervals; by default their ends as text, ``"(0,2]"``; False for their numbers.
    include_lowest : bool, default=False
        Whether the outermost end that an interval leaves out belongs to it.
    right : bool, default=True
        Whether intervals have their right end, or else their left one.
    dig_lab : int, default=3
        Significant digits of ends in `labels`; more, up to 12, where ends would be the same text.
    ordered_result : bool, default=False
        Whether the categories are ordered.
    h : float, optional
        Height at which a dendrogram is cut, in the unit of its heights. As in R the root is always opened.

    Returns
    -------
    pandas.Categorical, RArray of shape (n,), or CutDendrogram
        The interval of each number, R's factor, missing outside of all; with ``labels=False`` its number
        from 1, NaN outside. Of a dendrogram ``upper``, the tree above the height, whose leaves are
        "Branch 1", "Branch 2", ... with the height and the midpoint of what was cut off, and its members as
        ``"x.member"``; ``lower``, a list of the branches that were cut off, from left to right.

    Raises
    ------
    RError
        With R's message: `x` is not numeric, `breaks` are equal or fewer than two intervals, another number
        of labels; `h` missing, or other than one number.

    See Also
    --------
    cutree : The groups of the objects of a tree.
    quantile : Ends that divide numbers into equal parts.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> rcompat.print(rcompat.cut([1.0, 2.0, 5.0], [0, 2, 6]))
    [1] (0,2] (0,2] (2,6]
    Levels: (0,2] (2,6]
    >>> from sparsek.rcompat import as_dendrogram, cut, dist, hclust
    >>> cut(as_dendrogram(hclust(dist([[0.0], [1.0], [5.0]]))), h=2).lower
    ['dendrogram' leaf '3', at height 0, 'dendrogram' with 2 branches and 2 members total, at height 1]
    """
    if isinstance(x, Dendrogram):
        return _of_dendrogram(x, breaks if h is None else h)
    if breaks is None:
        raise RError('argument "breaks" is missing, with no default', "give a number of intervals, or ends")
    return intervals(x, breaks, labels, include_lowest, right, dig_lab, ordered_result)


def _of_dendrogram(tree: Dendrogram, h: Any) -> CutDendrogram:
    """A dendrogram above and below a height."""
    if h is None:
        raise RError('argument "h" is missing, with no default', "h is the height of the cut")
    heights = as_vector(h, "h")
    if len(heights) != 1:
        message = "the condition has length > 1" if len(heights) else "argument is of length zero"
        raise RError(message, f"h must be one number; got {len(heights)}")
    if np.isnan(heights[0]):
        raise RError(MISSING, "h must be a number")
    if not tree:
        return CutDendrogram({"upper": tree, "lower": []})
    height = float(heights[0])

    def below(node: Dendrogram) -> bool:
        """Whether a node is cut off."""
        return node is not tree and bool(node.attributes["height"] <= height)

    lower = [node for node in core.nodes_of(tree, below) if below(node)]
    places = iter(range(1, len(lower) + 1))

    def keep(node: Dendrogram, branches: list[Dendrogram]) -> Dendrogram:
        """A node of the upper tree, or the leaf in the place of what is cut off."""
        known = node.attributes
        if below(node):
            place = next(places)
            changed = {"label": f"Branch {place}", "members": 1, "leaf": True, "x.member": known["members"]}
            return Dendrogram((), known | changed, place)
        if not node:
            return node
        members = sum(branch.attributes["members"] for branch in branches)
        return Dendrogram(branches, known | {"members": members, "x.member": known["members"]})

    return CutDendrogram({"upper": core.folded(tree, keep, below), "lower": lower})
