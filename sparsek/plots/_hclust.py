"""Trees drawn with matplotlib as R's ``plot.hclust`` draws them. They need ``sparsek[plot]``."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sparsek._printable import printable
from sparsek.plots._figure import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

PALETTE = ("#000000", "#DF536B", "#61D04F", "#2297E6", "#28E2E5", "#CD0BBC", "#F5C710", "#9E9E9E")
"""R's colours 1 to 8."""


def positions(merge: IntArray, order: IntArray) -> tuple[FloatArray, FloatArray]:
    """Horizontal positions of the objects (1 to n) and of the merges (midway between their branches)."""
    objects, merges = np.empty(len(order)), np.empty(len(merge))
    objects[order - 1] = np.arange(1, len(order) + 1)
    for i, pair in enumerate(merge.tolist()):
        merges[i] = sum(objects[-k - 1] if k < 0 else merges[k - 1] for k in pair) / 2
    return objects, merges


def parent_heights(merge: IntArray, height: FloatArray) -> FloatArray:
    """Height of the merge at which each object joins the tree."""
    rows, columns = np.nonzero(merge < 0)
    heights = np.empty(len(merge) + 1)
    heights[-merge[rows, columns] - 1] = height[rows]
    return heights


def draw_tree(
    merge: IntArray,
    height: FloatArray,
    order: IntArray,
    *,
    labels: Sequence[str] | None = None,
    hang: float = 0.1,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree.

    Shapes: merge (n - 1, 2), height (n - 1,), order (n,).

    Raises ImportError without matplotlib, when no axes are given.
    """
    ax = new_axes() if ax is None else ax
    objects, merges = positions(merge, order)
    foot = parent_heights(merge, height) - hang * np.ptp(height)
    for pair, top in zip(merge.tolist(), height.tolist(), strict=True):
        ends = [(objects[-k - 1], foot[-k - 1]) if k < 0 else (merges[k - 1], height[k - 1]) for k in pair]
        (left, low), (right, lower) = ends
        ax.plot([left, left, right, right], [low, top, top, lower], color="black", linewidth=0.8)
    if labels is not None:
        for x, y, label in zip(objects, foot, labels, strict=True):
            ax.annotate(
                printable(str(label)),
                (x, y),
                (0, -3),
                textcoords="offset points",
                rotation=90,
                ha="center",
                va="top",
            )
    ax.set(xticks=[], ylabel="")
    for side in ("top", "right", "bottom"):
        ax.spines[side].set_visible(False)
    return ax


def color_leaves(
    merge: IntArray, height: FloatArray, order: IntArray, colors: Sequence[str], length: float, ax: Axes
) -> None:
    """Draw a line of the given length in the colour of each object, downwards from its merge."""
    objects, _ = positions(merge, order)
    tops = parent_heights(merge, height)
    ax.vlines(objects, tops - length, tops, colors=list(colors), linewidth=0.8)


def color_of(group: object) -> str:
    """R's colour of a group: for group g colour g + 1 of R's palette; the name of a colour is kept."""
    from matplotlib.colors import is_color_like

    if isinstance(group, str) and is_color_like(group):
        return group
    number = float(group) if isinstance(group, Real) else -1.0
    if not np.isfinite(number) or number < 0:
        raise ValueError(f"y must hold whole numbers of at least 0, or names of colours; got {group!r}")
    return PALETTE[int(number) % 8]
