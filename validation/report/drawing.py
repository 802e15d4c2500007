"""The pictures of the report, drawn by matplotlib as SVG inside the HTML."""

import io
from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from validation.report.svg import shrink

INK, MUTED, ACCENT = "#1d2733", "#8b97a5", "#1f6f8b"
STYLE = {
    "svg.fonttype": "none",  # keep text as text: searchable, and in the font of the report
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
MANY_MARKS = 200
"""More marks of one artist than this are dots in a picture of pixels, not elements of the page."""
DOTS_PER_INCH = 144
LRE_LIMIT = 15  # cap of the LRE: the digits of a double


def to_svg(figure: Figure, name: str) -> str:
    """The figure as one <svg> element; `name` tells its ids and styles from those of others."""
    for axes in figure.axes:
        for artist in (*axes.lines, *axes.collections):
            if _count_marks(artist) > MANY_MARKS:
                artist.set_rasterized(True)
    stream = io.StringIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None}, dpi=DOTS_PER_INCH)
    return shrink(stream.getvalue(), name)


def _count_marks(artist: Line2D | Collection) -> int:
    """How many marks an artist draws; lines without marks have none."""
    if isinstance(artist, Collection):
        return len(artist.get_offsets())
    return len(artist.get_xdata()) if artist.get_marker() not in ("None", None, "", " ") else 0


def draw_lre_histogram(lres: Sequence[float]) -> str:
    """Histogram of the worst LRE of each case, log(1 + count) high; exact cases count as 15."""
    counts = [0] * (LRE_LIMIT + 1)
    for lre in lres:
        counts[int(min(max(lre, 0), LRE_LIMIT))] += 1
    heights = 24 * np.log1p(counts) / np.log1p(max(counts))
    bars = "".join(
        f'<rect class="bar-{"exact" if digits == LRE_LIMIT else "other"}" x="{10 * digits + 5}" '
        f'y="{24 - height:.1f}" width="8" height="{height:.1f}"/>'
        for digits, height in enumerate(heights)
        if height
    )
    digits = "".join(
        f'<text class="bar-digit" x="{10 * digit + 9}" y="33">{digit}</text>' for digit in (0, 5, 10, 15)
    )
    return f'<svg width="168" height="36" viewBox="0 0 168 36" aria-hidden="true">{bars}{digits}</svg>'


def draw_weights(name: str, features: Sequence[str], weights: Mapping[str, Sequence[float]]) -> str:
    """Feature weights, one panel per method, features in the order of the data."""
    with mpl.rc_context(STYLE):
        height = 1.1 * len(weights) + 0.3 + 0.06 * max(map(len, features))
        figure = Figure(figsize=(7.6, height), layout="constrained")
        panels = figure.subplots(len(weights), 1, sharex=True, squeeze=False)[:, 0]
        positions = range(len(features))
        for axes, (method, values) in zip(panels, weights.items(), strict=True):
            axes.bar(positions, values, width=0.7, color=ACCENT)
            axes.set_title(method, loc="left", fontsize=9)
            axes.set(ylim=(0, None), ylabel="weight")
            axes.tick_params(length=0)
        turned = {"rotation": 60, "ha": "right", "rotation_mode": "anchor", "fontsize": 7.5}
        panels[-1].set_xticks(positions, features, **turned)
    return to_svg(figure, name)
