"""Axes, fits and artists for the tests of the plots."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.datasets import load_wine

from sparsek import SKFR, PermutationGap, skfr_path

WINE = load_wine(as_frame=True).data
SKFR_FIT = SKFR(3, 6, n_init=3, standardize=True, random_state=0).fit(WINE)
SEARCH = PermutationGap(
    SKFR(3, n_init=1), "n_features_to_select", [1, 2, 4, 13], n_permutations=2, random_state=0
).fit(WINE)
PATH = skfr_path(SKFR(3, n_init=2, random_state=0), WINE, [1, 4, 13])


def new_ax() -> Any:
    """Axes on a figure outside pyplot."""
    figure = Figure(figsize=(7, 5), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots()


def rows_of(ax: Any) -> list[str]:
    """Names beside the vertical axis, from top to bottom."""
    labels = zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    ordered = sorted(labels, key=lambda item: float(item[0]), reverse=not ax.yaxis_inverted())
    return [text.get_text() for _, text in ordered]


def columns_of(ax: Any) -> list[str]:
    """Names under the horizontal axis."""
    return [text.get_text() for text in ax.get_xticklabels()]


def widths_of(ax: Any) -> np.ndarray:
    """Lengths of horizontal bars, from top to bottom."""
    return np.array([bar.get_width() for bar in sorted(ax.patches, key=lambda bar: bar.get_y())])


def hexes(colors: Any) -> list[str]:
    """Colours as texts."""
    return [to_hex(color).upper() for color in colors]


def overlaps(ax: Any, axis: str) -> bool:
    """Whether names beside an axis touch each other or leave the figure, once drawn."""
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in getattr(ax, f"get_{axis}ticklabels")()]
    low, high = ("y0", "y1") if axis == "y" else ("x0", "x1")
    boxes.sort(key=lambda box: getattr(box, low))
    touching = any(getattr(a, high) > getattr(b, low) for a, b in pairwise(boxes))
    width, height = figure.canvas.get_width_height()
    # The layout is accurate to a pixel.
    outside = any(box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1 for box in boxes)
    return touching or outside


def with_holes(share: float = 0.15) -> pd.DataFrame:
    """The wine data with missing entries."""
    return WINE.mask(np.random.default_rng(0).random(WINE.shape) < share)
