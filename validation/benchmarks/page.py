"""The table and the picture of docs/speed.md, from the recorded rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from validation.benchmarks.rows import ENGINES

BUSY = 1.5
"""A load above this, of which the timed program itself is 1, means that other work shared the machine."""
MARKERS = {"numpy": ("o", "none"), "compiled": ("o", None), "two_threads": ("D", None), "limit": ("|", None)}
"""Marker of each column of ratios, and the colour that fills it: its own unless none."""


def ratios(rows: pd.DataFrame) -> pd.DataFrame:
    """The recorded rows with our seconds, and the least ones, divided by the peer's."""
    columns = [*ENGINES, "limit"]
    return rows.assign(**{name: rows[name] / rows["theirs"] for name in columns})


def lines(rows: pd.DataFrame) -> list[tuple[pd.Series, pd.DataFrame]]:
    """The first row of every line of the table, and its rows: one for each kind of data."""
    groups = ratios(rows).groupby(["peer", "call", "size"], sort=False)
    return [(group.iloc[0], group) for _, group in groups]


def speed_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The table of the page as text: ranges over the kinds of data."""
    return pd.DataFrame(
        {
            "call": f"`{first['call']}`" if " " not in first["call"] else first["call"],
            "size": first["size"],
            "against": first["peer"],
            **{shown: as_range(group[name]) for name, shown in ENGINES.items()},
            "limit": as_range(group["limit"]),
            "goal": as_range(group["goal"]),
        }
        for first, group in lines(rows)
    )


def as_range(values: pd.Series) -> str:
    """Smallest and largest number with two digits; empty without any."""
    known = values.dropna()
    ends = dict.fromkeys(as_text(value) for value in (known.min(), known.max()) if len(known))
    return " to ".join(ends)


def as_text(value: float) -> str:
    """A ratio with two digits, never in powers of ten."""
    digits = max(0, 1 - int(np.floor(np.log10(value)))) if value > 0 else 1
    return f"{value:.{digits}f}"


def shared_machine(rows: pd.DataFrame) -> str:
    """A sentence on other work that ran at the same time; empty if there was none."""
    load = float(rows["load"].median())
    if load <= BUSY:
        return ""
    return (
        f"Other work shared the machine while this was recorded: on average {load:.1f} programs wanted a "
        "processor, one of them this one. Ratios of calls that were timed in turn suffer less than times."
    )


def draw_speed(rows: pd.DataFrame, ink: str, faint: str, colours: Sequence[str]) -> Figure:
    """Ratios of every line on a logarithmic axis, one colour for each column."""
    shown = lines(rows)
    figure = Figure(figsize=(9, 1.5 + 0.21 * len(shown)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(shown))[::-1]
    for (name, (marker, fill)), colour in zip(MARKERS.items(), [*colours, ink], strict=True):
        label = ENGINES.get(name, "limit")
        for place, (_, group) in zip(places, shown, strict=True):
            _draw_range(axes, group[name].to_numpy(float), place, marker, colour, fill, label)
            label = ""
    axes.axvline(1, color=faint, linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(places, [f"{first['call']} {first['size']}" for first, _ in shown], fontsize=8)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.set_xlabel("our time divided by that of R or scikit-learn")
    axes.tick_params(axis="y", length=0)
    axes.legend(loc="lower right", frameon=False)
    return figure


def _draw_range(
    axes: Axes,
    values: NDArray[np.float64],
    place: float,
    marker: str,
    colour: str,
    fill: str | None,
    label: str,
) -> None:
    """The ratios of one line and column: their median, and a bar from the smallest to the largest."""
    known = values[np.isfinite(values)]
    if len(known):
        axes.plot([known.min(), known.max()], [place, place], color=colour, linewidth=1)
    middle = float(np.median(known)) if len(known) else np.nan
    axes.plot(middle, place, marker, color=colour, markerfacecolor=fill or colour, markersize=6, label=label)
