"""Pictures of Figures 1 and 2 of the PCSKM paper."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from validation.papers.pcskm.designs import CONDITIONS, DATA, FIGURE_1, KINDS, METHODS, STARTS
from validation.report.drawing import STYLE

COLOURS = {"LKM": "#8b97a5", "SKM": "#1d2733", "PCKM": "#009e73", "MPCKM": "#d55e00", "PCSKM": "#0072b2"}
COLUMNS = (("SKM", "dkm++"), ("PCSKM", "dkm++"), ("MPCKM", "dkm++"), ("MPCKM", "seeding"))
"""Methods and starts that Figure 2 shows."""


def _draw_panel(axes: Axes, panel: pd.DataFrame) -> None:
    """F-scores against the number of constraints; methods are shifted so that error bars do not overlap."""
    for i, method in enumerate(METHODS):
        line = panel[panel["method"] == method]
        dashed = "--" if method in ("LKM", "SKM") else "-"
        axes.errorbar(
            line["percent"].to_numpy(float) + 0.12 * (i - 2), line["f_score"].to_numpy(float),
            line["se"].to_numpy(float), color=COLOURS[method], label=method, fmt="o" + dashed, markersize=2.5,
            linewidth=1.1, elinewidth=0.7,
        )  # fmt: skip


def _draw_points(axes: Axes, points: pd.DataFrame, column: str, marker: str, label: str) -> None:
    """Further means of PCSKM, as marks without a line."""
    axes.plot(
        points["percent"].to_numpy(float), points[column].to_numpy(float), marker, color=COLOURS["PCSKM"],
        markerfacecolor="white", markersize=4, label=label,
    )  # fmt: skip


def draw_scores(
    table: pd.DataFrame, starts: Sequence[str], penalties: pd.DataFrame, choice: pd.DataFrame
) -> Figure:
    """F-scores, one row per start and kind of constraints, one column per data set."""
    names = [name for name in FIGURE_1 if name in set(table["data"])]
    rows = [condition for condition in CONDITIONS if condition[0] in starts]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(2.1 * len(names) + 0.6, 1.7 * len(rows) + 0.7), layout="constrained")
        panels = figure.subplots(len(rows), len(names), sharex=True, sharey="col", squeeze=False)
        for line, (start, kind) in zip(panels, rows, strict=True):
            for axes, name in zip(line, names, strict=True):
                _draw_panel(axes, table[_panel(table, name, start, kind)])
                # A mean over the few fits that did not fail says little.
                mostly = 2 * penalties["failed"] <= penalties["trials"]
                of_panel = penalties[_panel(penalties, name, start, kind) & mostly]
                if len(of_panel):
                    _draw_points(axes, of_panel, "penalties", "s", "PCSKM, weights by (15)")
                if (start, kind) == ("dkm++", "both") and name in set(choice["data"]):
                    inner = choice[choice["data"] == name]
                    _draw_points(axes, inner, "nested", "D", "PCSKM, s by inner folds")
            line[0].set_ylabel(f"{STARTS[start]}, {KINDS[kind]}\nF-score", fontsize=8)
        for axes, name in zip(panels[0], names, strict=True):
            axes.set_title(DATA[name].title, fontsize=9)
        for axes in panels[-1]:
            axes.set_xlabel("constraints, % of the pool", fontsize=8)
        found = [pair for axes in panels.flat for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
        handles = {label: handle for handle, label in reversed(found)}
        order = [*METHODS, *(label for label in handles if label not in METHODS)]
        figure.legend(
            [handles[label] for label in order], order, loc="outside lower center", ncols=len(order),
            fontsize=8, frameon=False,
        )  # fmt: skip
    return figure


def _panel(table: pd.DataFrame, name: str, start: str, kind: str) -> pd.Series:
    """Rows of one panel."""
    return (table["data"] == name) & (table["start"] == start) & (table["kind"] == kind)


def draw_weights(table: pd.DataFrame) -> Figure:
    """Weights of the features, a bar for each number of constraints."""
    names = [name for name in DATA if name in set(table["data"])]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10.5, 1.45 * len(names) + 0.4), layout="constrained")
        panels = figure.subplots(len(names), len(COLUMNS), squeeze=False)
        for line, name in zip(panels, names, strict=True):
            for axes, (method, start) in zip(line, COLUMNS, strict=True):
                chosen = (table["data"] == name) & (table["method"] == method) & (table["start"] == start)
                _draw_bars(axes, table[chosen], COLOURS[method])
            line[0].set_ylabel(f"{DATA[name].title}\nshare of weight", fontsize=7.5)
        for axes, (method, start) in zip(panels[0], COLUMNS, strict=True):
            axes.set_title(f"{method}, {STARTS[start]}", fontsize=9)
        for axes in panels[-1]:
            axes.set_xlabel("feature", fontsize=8)
    return figure


def _draw_bars(axes: Axes, panel: pd.DataFrame, colour: str) -> None:
    """Mean shares of the features with one standard error, darker with more constraints."""
    percents = list(dict.fromkeys(panel["percent"]))
    width = 0.84 / max(len(percents), 1)
    for i, percent in enumerate(percents):
        bars = panel[panel["percent"] == percent]
        x = bars["feature"].to_numpy(float) + (i - (len(percents) - 1) / 2) * width
        shade = {"color": colour, "alpha": 0.35 + 0.65 * (i + 1) / len(percents)}
        heights, errors = bars["weight"].to_numpy(float), bars["se"].to_numpy(float)
        axes.bar(x, heights, width, yerr=errors, error_kw={"elinewidth": 0.5}, **shade)
    out = panel.loc[panel["uninformative"], "feature"]
    if len(out):
        axes.axvspan(out.min() - 0.5, out.max() + 0.5, color="#8b97a5", alpha=0.15, linewidth=0)
    ticks = np.unique(panel["feature"])
    axes.set_xticks(ticks[:: max(1, len(ticks) // 6)])
    axes.tick_params(labelsize=7)
