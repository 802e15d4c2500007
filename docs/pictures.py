"""Pictures of the first page and of README: ``python docs/pictures.py`` writes those of README.

They are drawn from the example in README, so that picture, code and numbers belong together.
"""

import re
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

ROOT = Path(__file__).parent.parent
LOOKS = {
    "light": ("#1d2733", "#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    "dark": ("#e6eaee", "#56b4e9", "#f0a35e", "#4fc9a4", "#e39cc4"),
}
"""Colours by theme: text, then four groups."""
MARKERS = "osD^"
KEY = (
    "shape: the kind of the tumour",
    "colour: the cluster it is put in",
    "number: adjusted Rand index",
)
UNIT = "(sd of a gene)"
"""In what the axes are measured: the noise of every gene in the example has standard deviation 1."""


def run_example() -> dict[str, Any]:
    """The names that the first two examples of README define."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    with redirect_stdout(StringIO()):
        for block in re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)[:2]:
            exec(block, names)
    return names


def style(theme: str) -> dict[str, Any]:
    """Matplotlib's settings for a theme."""
    ink = LOOKS[theme][0]
    colored = (
        "text.color",
        "axes.labelcolor",
        "axes.edgecolor",
        "xtick.color",
        "ytick.color",
    )
    return dict.fromkeys(colored, ink) | {
        "font.size": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.hashsalt": theme,
    }


def _draw_groups(
    ax: Axes,
    columns: np.ndarray,
    kind: np.ndarray,
    labels: np.ndarray,
    colors: Sequence[str],
) -> None:
    """The rows in the plane of two principal components: the shape is the kind, the colour the cluster."""
    plane = PCA(2, random_state=0).fit_transform(columns)
    _, order = linear_sum_assignment(-contingency_matrix(labels, kind))
    for k, marker in enumerate(MARKERS):
        x, y = plane[kind == k].T
        ax.scatter(
            x,
            y,
            c=[colors[order[label]] for label in labels[kind == k]],
            marker=marker,
            s=26,
        )
    ax.set_xlabel(f"first principal component {UNIT}")


def draw_selection(example: dict[str, Any], theme: str, narrow: bool = False) -> Figure:
    """The tumours of the example on all genes, and on those that SKFR selected; `narrow` is for phones."""
    X, kind, skfr = example["X"], example["kind"], example["skfr"]
    with mpl.rc_context(style(theme)):
        figure = Figure(figsize=(4.3, 7.0) if narrow else (9, 3.7), layout="constrained")
        left, right = figure.subplots(2, 1) if narrow else figure.subplots(1, 2)
        selected = X[:, skfr.get_support()]
        for ax, columns, title, model in (
            (left, X, f"k-means on all {X.shape[1]:,} genes", example["kmeans"].fit(X)),
            (right, selected, f"SKFR, which selected {selected.shape[1]} genes", skfr),
        ):
            _draw_groups(ax, columns, kind, model.labels_, LOOKS[theme][1:])
            ari = adjusted_rand_score(kind, model.labels_)
            ax.set_title(f"{title}: {ari:.2f}", loc="left", fontsize=11)
        for ax in (left, right) if narrow else (left,):
            ax.set_ylabel(f"second {UNIT}")
        figure.supxlabel(("\n" if narrow else "; ").join(KEY), fontsize=11)
    return figure


def overlapping_texts(figure: Figure) -> list[str]:
    """Pairs of texts of a picture that lie over each other, and texts that its edge cuts off."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    places = {
        text: text.get_window_extent(canvas.get_renderer()) for text in _texts(figure)
    }
    whole = figure.bbox.padded(1)
    cut = [
        f"{text.get_text()!r} is cut off"
        for text, box in places.items()
        if not (whole.containsx(box.x0) and whole.containsx(box.x1))
        or not (whole.containsy(box.y0) and whole.containsy(box.y1))
    ]
    return cut + [
        f"{one.get_text()!r} lies over {other.get_text()!r}"
        for (one, box), (other, place) in combinations(places.items(), 2)
        if box.padded(-1).overlaps(place.padded(-1))
    ]


def _texts(figure: Figure) -> list[Text]:
    """The texts that are drawn: of an axis only those of ticks in view."""
    hidden = set()
    for axis in figure.findobj(Axis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not (axis.get_visible() and low <= tick.get_loc() <= high):
                hidden |= {tick.label1, tick.label2}
    texts = (text for text in figure.findobj(Text) if text not in hidden)
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


PAPERS = {"light": "white", "dark": "#0d1117"}
"""The colour behind README's pictures by theme, for dark pages that of GitHub."""

if __name__ == "__main__":
    shown = run_example()
    for look, paper in PAPERS.items():
        for width, dpi in (("", 110), ("-narrow", 150)):
            file = ROOT / "docs" / f"selection{width}{'-dark' * (look == 'dark')}.png"
            with mpl.rc_context({"savefig.dpi": dpi, "axes.facecolor": paper}):
                draw_selection(shown, look, bool(width)).savefig(file, facecolor=paper)
