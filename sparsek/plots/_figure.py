"""Shared parts of the plots: axes, colours of clusters, names that fit. Matplotlib is imported when used."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from sparsek._printable import printable
from sparsek.inputs.arguments import Described
from sparsek.inputs.containers import as_array, numbers, unmasked
from sparsek.inputs.indices import aligned
from sparsek.summary.tables import without_middle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]

PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#882255", "#56B4E9",
    "#332288", "#DDCC77", "#D55E00", "#CC79A7", "#785A3C",
)  # fmt: skip
"""Colours of the clusters (Okabe and Ito, and Tol's muted scheme), which the colour-blind can tell apart."""
PLAIN, FAINT, NEUTRAL = "#0072B2", "#BFBFBF", "#757575"
"""Colours of data without groups, of data in the background, and of lines on white or black."""
SEQUENTIAL, DIVERGING = "Blues", "RdBu_r"
"""Colour maps of amounts, and of deviations from 0."""
LONGEST_NAME = 30
"""Largest number of characters of a name."""
LARGEST_LABEL, SMALLEST_LABEL = 9.0, 5.0
"""Largest and smallest size of the names beside an axis, points."""


ROUNDS = 2
"""How often names and layout are made: names need the size of the axes, and the axes room for names."""
AN_AX = Described(
    "Axes of Matplotlib", lambda val: hasattr(val, "get_window_extent") and hasattr(val, "plot")
)
AX = [AN_AX, None]
"""What `ax` may be."""


def new_axes(size: tuple[float, float] | None = None) -> Axes:
    """Axes on a new figure; if a size in inches is given, the layout makes room for labels."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "sparsek[plot]"') from error
    if size is None:
        return plt.subplots()[1]
    return plt.subplots(figsize=size, layout="constrained")[1]


def new_panels(n_panels: int) -> NDArray[Any]:
    """Axes beside one another on a new figure, at most three in a row."""
    columns = min(n_panels, 3)
    rows = -(-n_panels // columns)
    first = new_axes((4.8 * columns, 3.6 * rows))
    figure = first.figure
    first.remove()
    axes: NDArray[Any] = np.array(
        [figure.add_subplot(rows, columns, number + 1) for number in range(n_panels)], dtype=object
    )
    return axes


def as_panels(axes: Any, n_panels: int, what: str = "panels") -> NDArray[Any]:
    """The given axes, or new ones, as a vector; ValueError for another number, TypeError for no axes."""
    panels: NDArray[Any] = as_array(new_panels(n_panels) if axes is None else axes, "axes", object).reshape(
        -1
    )
    if len(panels) != n_panels:
        raise ValueError(f"axes must hold one for each of {n_panels} {what}; got {len(panels)}")
    check_axes(panels)
    return panels


def check_axes(axes: NDArray[Any]) -> None:
    """Raise TypeError unless all are axes of Matplotlib."""
    for ax in axes.ravel():
        if not AN_AX.is_satisfied_by(ax):
            raise TypeError(f"axes must hold Axes of Matplotlib; got {ax!r}")


def size_for_rows(n_rows: int, width: float = 6.4) -> tuple[float, float]:
    """Size in inches of a figure with `n_rows` names on the vertical axis."""
    return width, float(np.clip(1.2 + 0.24 * n_rows, 2.6, 9.0))


def colors_of(n_clusters: int) -> list[str]:
    """A colour per cluster; after ten the colours start again."""
    return [PALETTE[k % len(PALETTE)] for k in range(n_clusters)]


def tidy(ax: Axes) -> None:
    """Remove the top and right borders of the axes."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def literal(name: object) -> str:
    """A name as it is: Matplotlib takes what stands between two dollar signs for a formula."""
    return printable(str(name)).replace("$", r"\$")


def short(name: object, longest: int = LONGEST_NAME) -> str:
    """A name as it is, without its middle if it is too long."""
    return literal(without_middle(printable(str(name)), longest))


def settle(ax: Axes) -> None:
    """Make the layout, if the figure has one."""
    assert ax.figure is not None
    figure = ax.figure.canvas.figure  # also of axes on a part of a figure
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)


def name_rows(ax: Axes, names: Sequence[object], colors: Sequence[str] | None = None) -> None:
    """Write names at 0, 1, ... of the vertical axis, small enough not to touch; none if too small to read."""
    size = _label_size(ax, len(names), ax.get_window_extent().height)
    if size is None:
        ax.set_yticks([])
        return
    ax.set_yticks(range(len(names)), [short(name) for name in names], fontsize=size)
    ax.tick_params(axis="y", length=0)
    for text, color in zip(ax.get_yticklabels(), colors or (), strict=bool(colors)):
        text.set_color(color)


def name_columns(ax: Axes, names: Sequence[object], rotate: bool = False) -> None:
    """Write names at 0, 1, ... of the horizontal axis, upright on request; none if too small to read."""
    texts = [short(name) for name in names]
    width = ax.get_window_extent().width
    longest = max((len(line) for text in texts for line in text.split("\n")), default=1)
    # A letter is about 0.6 font sizes wide, a line 1.2 font sizes high.
    size = _label_size(ax, len(texts), width, 1.2 if rotate else 0.6 * (longest + 2))
    if size is None:
        ax.set_xticks([])
        return
    ax.set_xticks(range(len(texts)), texts, fontsize=size, rotation=90 if rotate else 0)
    ax.tick_params(axis="x", length=0)


def _label_size(ax: Axes, n: int, pixels: float, extent: float = 1.2) -> float | None:
    """Font size in points for n names on so many pixels, each `extent` sizes long; None if too small."""
    assert ax.figure is not None
    # The layout takes about 15 % of the axes for titles and labels.
    points = 0.85 * pixels * 72 / ax.figure.dpi
    size = min(LARGEST_LABEL, points / max(n, 1) / extent)
    return size if size >= SMALLEST_LABEL else None


def draw_matrix(
    ax: Axes,
    matrix: FloatArray,
    label: str,
    *,
    diverging: bool = False,
    limits: tuple[float, float] | None = None,
    beside: Axes | None = None,
) -> Any:
    """Draw a matrix as an image with a colour key and return the image; `diverging` puts white at 0.

    `beside` are axes for a level key; without them it stands on the right.
    """
    shown = np.ma.masked_invalid(matrix)
    if limits is None:
        low, high = (float(shown.min()), float(shown.max())) if shown.count() else (0.0, 1.0)
        largest = max(abs(low), abs(high)) or 1.0
        limits = (-largest, largest) if diverging else (min(low, 0.0), max(high, 0.0) or float(low == 0))
    image = ax.imshow(
        shown, aspect="auto", cmap=DIVERGING if diverging else SEQUENTIAL, vmin=limits[0], vmax=limits[1]
    )
    ax.spines[:].set_visible(False)
    assert ax.figure is not None
    below, above = bool(shown.min() < limits[0]), bool(shown.max() > limits[1])
    extend = "both" if below and above else "min" if below else "max" if above else "neither"
    place: dict[str, Any] = {"ax": ax, "fraction": 0.05, "pad": 0.02}
    if beside is not None:
        place = {"cax": beside, "orientation": "horizontal"}
    key = ax.figure.colorbar(image, label=label, extend=extend, **place)
    key.outline.set_visible(False)
    return image


def write_cells(ax: Axes, image: Any, texts: Sequence[Sequence[str]]) -> None:
    """Write a text into every cell of an image, in white on dark cells."""
    values = image.get_array()
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            red, green, blue, _ = image.cmap(image.norm(values[i, j]))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            ax.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else NEUTRAL)


def mark_clusters(ax: Axes, groups: NDArray[np.intp], names: Sequence[str] | None = None) -> None:
    """Draw a coloured bar and the name of each cluster beside its rows (rows are sorted by cluster)."""
    found, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    from matplotlib.transforms import ScaledTranslation

    assert ax.figure is not None
    beside = ax.get_yaxis_transform() + ScaledTranslation(-6 / 72, 0, ax.figure.dpi_scale_trans)
    for start, size, color in zip(first, sizes, colors_of(len(found)), strict=True):
        ends = [start - 0.5, start + size - 0.5]
        ax.plot(
            [0, 0], ends, transform=beside, color=color, linewidth=5, solid_capstyle="butt", clip_on=False
        )
    called = [str(k) if names is None or k < 0 else literal(names[k]) for k in found]
    ax.set_yticks(first + (sizes - 1) / 2, called, fontsize=9)
    ax.tick_params(axis="y", length=0, pad=11)
    ax.set_ylabel("rows by cluster")


def check_vector(name: str, values: ArrayLike) -> FloatArray:
    """Check a vector of at least one finite number."""
    vector = as_floats(name, values)
    if vector.ndim != 1 or not vector.size:
        raise ValueError(f"{name} must be a vector of at least one number; got shape {vector.shape}")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} must be finite; entry {np.flatnonzero(~np.isfinite(vector))[0]} is not")
    return vector


def check_labels(labels: ArrayLike, n: int, X: Any = None) -> NDArray[np.intp]:
    """Cluster numbers of the n rows of X."""
    given = as_array(unmasked(aligned(labels, X, "labels"), "labels"), "labels")
    if given.shape != (n,):
        raise ValueError(f"labels must have one entry for each of the {n} rows; got shape {given.shape}")
    if not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"labels must be integers; got {given.dtype}")
    return given.astype(np.intp)


def check_names(names: Sequence[object] | None, n: int, prefix: str = "x") -> list[str]:
    """Names as texts; without names, the prefix followed by 0, 1, ..."""
    if names is None:
        return [f"{prefix}{j}" for j in range(n)]
    flat = isinstance(names, Sized) and not isinstance(names, str | bytes) and getattr(names, "ndim", 1) == 1
    if not flat or issparse(names) or len(names) != n:
        raise ValueError(f"names must be {n} names; got {names!r}")
    return [str(name) for name in names]


def check_top(top: int | None) -> None:
    """Raise unless `top` is None or a positive integer."""
    if top is None:
        return
    if isinstance(top, bool) or not isinstance(top, int | np.integer):
        raise TypeError(f"top must be an integer or None; got {top!r}")
    if top < 1:
        raise ValueError(f"top must be at least 1; got {top}")


def as_floats(name: str, values: ArrayLike, holes: bool = False) -> FloatArray:
    """An array of numbers; `holes`: masked entries are NaN."""
    if issparse(values):
        raise TypeError(f"{name} is a sparse matrix, which plots do not take; give {name}.toarray()")
    if values is None:
        raise TypeError(f"{name} must hold numbers; got None")
    try:
        plain = numbers(values, name, holes)
        if np.iscomplexobj(plain):
            raise TypeError("they are complex")
        return np.asarray(plain, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must hold numbers; got {values!r}: {error}") from None


def check_matrix(name: str, values: ArrayLike) -> FloatArray:
    """Check a matrix of numbers with at least one row and column; NaN is allowed."""
    matrix = as_floats(name, values, holes=True)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"{name} must be a matrix with rows and columns; got shape {matrix.shape}")
    return matrix
