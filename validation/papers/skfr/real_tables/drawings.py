"""Pictures of Tables 3 and 4."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from validation.papers.skfr.real_tables.methods import Run, skfr
from validation.papers.skfr.real_tables.samples import load_sample, scaled

COLOURS = {
    "SKFR1": "#1f6f8b",
    "k-means++": "#99a8b5",
    "k-means++, standardised": "#d0d7de",
    "SKM": "#c98a2b",
    "SKM, estimator": "#e6c692",
    "EW k-means": "#7a4e8a",
    "power k-means": "#5b8c5a",
    "SOM": "#b7a99a",
}
LARGEST_DRAWN = 40
"""Most features in a heat map."""


def _bars(ax: Axes, table: pd.DataFrame, groups: Sequence[str], value: str) -> None:
    """Draw our numbers as bars with two standard errors, the printed numbers as diamonds with theirs."""
    methods = list(dict.fromkeys(table["method"]))
    width = 0.84 / len(methods)
    for i, method in enumerate(methods):
        rows = table[table["method"] == method].set_index(value).loc[list(groups)]
        x = np.arange(len(groups)) + (i - (len(methods) - 1) / 2) * width
        ax.bar(x, rows["ours"], 0.92 * width, color=COLOURS[method], label=method, yerr=2 * rows["error"],
               error_kw={"elinewidth": 0.8, "ecolor": "#1d2733"})  # fmt: skip
        ax.errorbar(x, rows["printed"], 2 * rows["printed_error"], fmt="D", markersize=3.2, elinewidth=0.7,
                    color="#b3261e", label="printed" if i == 0 else None)  # fmt: skip
    ax.set_xticks(range(len(groups)), groups)
    ax.spines[["top", "right"]].set_visible(False)


def _add_legend(figure: Figure, ax: Axes) -> None:
    """Add a legend of one line above the panels."""
    figure.legend(
        *ax.get_legend_handles_labels(), loc="outside upper center", ncols=7, fontsize=8, frameon=False
    )


def draw_nmi(table: pd.DataFrame) -> Figure:
    """NMI by data set and method."""
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    ax = figure.add_subplot()
    shown = table.assign(error=table["se"], printed_error=table["printed_sd"] / 20**0.5)
    _bars(ax, shown, list(dict.fromkeys(table["data"])), "data")
    ax.set(ylabel="NMI, mean of the runs", ylim=(0, 1))
    _add_legend(figure, ax)
    return figure


def draw_mixed(table: pd.DataFrame) -> Figure:
    """Mixed nodes and rows in them by half and method."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    titles = {"nodes": "mixed nodes", "total": "rows in mixed nodes"}
    panels = figure.subplots(1, len(titles))
    for ax, (measure, title) in zip(panels, titles.items(), strict=True):
        rows = table[table["measure"] == measure]
        _bars(ax, rows.assign(error=rows["sd"], printed_error=0.0), list(dict.fromkeys(rows["half"])), "half")
        ax.set_title(title, fontsize=10)
    _add_legend(figure, panels[0])
    return figure


def center_matrix(run: Run) -> tuple[np.ndarray, tuple[str, ...]]:
    """Cluster means over the selected features, in standard deviations from the mean, similar ones together.

    Shapes: returns centers (n_clusters, s).
    """
    answer = skfr(run)
    selected = np.asarray(answer.selected)
    Z = scaled(run.data, "standardised", "column")[:, selected]
    centers = np.array([Z[answer.labels == label].mean(axis=0) for label in np.unique(answer.labels)])
    centred = centers - centers.mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    order = np.argsort(centred @ axis, kind="stable")
    features = load_sample(run.data).features
    return centers[order], tuple(features[j] for j in selected)


def draw_centers(runs: dict[str, Run]) -> Figure:
    """Heat maps of cluster centres over the features that SKFR1 selected."""
    matrices = {title: center_matrix(run) for title, run in runs.items()}
    widths = [max(len(features), 6) for _, features in matrices.values()]
    figure = Figure(figsize=(1.5 + 0.19 * sum(widths), 6), layout="constrained")
    panels = figure.subplots(1, len(matrices), squeeze=False, width_ratios=widths)[0]
    limit = max(np.abs(centers).max() for centers, _ in matrices.values())
    for ax, (title, (centers, features)) in zip(panels, matrices.items(), strict=True):
        image = ax.imshow(centers, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
        ax.set_xticks(range(len(features)), features, rotation=90, fontsize=7)
        ax.set_yticks([])
        ax.set_title(title, fontsize=9)
    panels[0].set_ylabel("clusters")
    figure.colorbar(image, ax=panels, label="standard deviations from the mean", shrink=0.6)
    return figure
