"""The pictures of the report, drawn by matplotlib as SVG inside the HTML."""

import io
import re
from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

INK, MUTED, ACCENT, ALARM = "#1d2733", "#8b97a5", "#1f6f8b", "#b3261e"
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
LRE_LIMIT = 15  # cap of the LRE: the digits of a double


def to_svg(figure: Figure, name: str) -> str:
    """The figure as one <svg> element, without prolog and metadata; `name` makes its ids unique."""
    stream = io.StringIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    svg = stream.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # HTML needs no namespace; without it the page contains no address.
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    # Matplotlib gives groups equal ids in every figure; in one page they must differ.
    return re.sub(r'\bid="([\w.]+_\d+)"', rf'id="{name}-\1"', svg)


def draw_lre_histogram(name: str, lres: Sequence[float]) -> str:
    """Histogram of the worst LRE of each case, log(1 + count) high; exact cases count as 15."""
    counts = [0] * (LRE_LIMIT + 1)
    for lre in lres:
        counts[int(min(max(lre, 0), LRE_LIMIT))] += 1
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(2.3, 0.42), layout="constrained")
        axes = figure.add_subplot()
        colours = [ALARM] * LRE_LIMIT + [ACCENT]
        axes.bar(range(LRE_LIMIT + 1), np.log1p(counts), width=0.85, color=colours)
        axes.set(xlim=(-0.6, LRE_LIMIT + 0.6), yticks=[], xticks=[0, 5, 10, 15])
        axes.spines["left"].set_visible(False)
        axes.tick_params(labelsize=7, length=0, pad=1)
    return to_svg(figure, name)


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
