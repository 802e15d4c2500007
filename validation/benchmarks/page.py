"""The tables and the picture of docs/speed.md, from the recorded rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from validation.benchmarks.rows import ENGINES
from validation.benchmarks.scale.first_calls import ALLOWANCE as MORE
from validation.benchmarks.scale.first_calls import LARGER, MOST
from validation.benchmarks.scale.growth import ALLOWANCE, growth_of

BUSY = 1.5
"""A load above this, of which the timed program itself is 1, means that other work shared the machine."""
MARKERS = {"numpy": ("o", "none"), "compiled": ("o", None), "two_threads": ("D", None), "limit": ("|", None)}
"""Marker of each column of ratios, and the colour that fills it: its own unless none."""


def usual_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The usual cases, one line each, in seconds."""
    return pd.DataFrame(
        {
            "case": row["data"],
            "call": f"`{row['call']}`",
            "size": row["size"],
            "plain installation": as_time(row["numpy"]),
            "compiled": as_time(row["compiled"]),
            "the other side": as_time(row["theirs"]),
            "which is": row["peer"],
        }
        for _, row in rows.iterrows()
    )


def as_time(seconds: float) -> str:
    """Seconds or milliseconds with two digits; empty where nothing ran."""
    if np.isnan(seconds):
        return ""
    return f"{as_text(seconds)} s" if seconds >= 1 else f"{as_text(1e3 * seconds)} ms"


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
            "call": shown_call(first),
            "size": first["size"],
            "against": first["peer"],
            **{shown: as_range(group[name]) for name, shown in ENGINES.items()},
            "limit": as_range(group["limit"]),
            "goal": as_range(group["goal"]),
        }
        for first, group in lines(rows)
    )


def goals_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The lines whose goal is missed on some of their data, with compiled loops where there are some."""
    found = []
    for first, group in lines(rows):
        ours = group["compiled"].fillna(group["numpy"])
        if (ours > group["goal"]).any():
            found.append(
                {
                    "call": shown_call(first),
                    "size": first["size"],
                    "against": first["peer"],
                    "ratio": as_range(ours),
                    "goal": as_range(group["goal"]),
                }
            )
    return pd.DataFrame(found)


def goals_in_words(rows: pd.DataFrame) -> str:
    """How many lines of the table miss their goal."""
    aimed = rows[rows["goal"].notna()]
    return (
        f"Of {len(lines(aimed))} lines with a goal, {len(goals_table(aimed))} miss it on some of their data, "
        "with compiled loops where there are some.\n"
    )


def shown_call(row: pd.Series) -> str:
    """The call of a row: as code where it is a name alone."""
    return f"`{row['call']}`" if " " not in row["call"] else str(row["call"])


def as_range(values: pd.Series) -> str:
    """Smallest and largest number with two digits; empty without any."""
    known = values.dropna()
    ends = dict.fromkeys(as_text(value) for value in (known.min(), known.max()) if len(known))
    return " to ".join(ends)


def as_text(value: float) -> str:
    """A ratio with two digits, never in powers of ten."""
    digits = max(0, 1 - int(np.floor(np.log10(value)))) if value > 0 else 1
    return f"{value:.{digits}f}"


def growth_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Growth with the number of rows and with that of columns: one line for each method and axis."""
    lines = []
    for (method, axis), part in rows.groupby(["method", "axis"], sort=False):
        sizes, ms = part[axis].to_numpy(float), part["ms"].to_numpy(float)
        fixed, exponent = growth_of(sizes, ms)
        other, name = (part["p"].iloc[0], "columns") if axis == "n" else (part["n"].iloc[0], "rows")
        share = part["memory"] / (1.3 * part["data"] + ALLOWANCE)
        lines.append(
            {
                "method": method,
                "sizes": f"{axis} from {sizes.min():,.0f} to {sizes.max():,.0f}, {other} {name}",
                "ms per iteration, from": as_text(ms.min()),
                "to": as_text(ms.max()),
                "*a*, ms": as_text(fixed),
                "*e*": f"{exponent:.2f}",
                "memory over data, largest size": as_text(part["memory"].iloc[-1] / part["data"].iloc[-1]),
                "most of what we aim at": f"{share.max():.0%}",
            }
        )
    return pd.DataFrame(lines)


def describe_run(rows: pd.DataFrame, about: dict[str, Any]) -> str:
    """Where, when and with what the rows were recorded, and when other work shared the machine."""
    environment = about["environment"]
    versions = ", ".join(f"{name} {number}" for name, number in environment["versions"].items())
    text = (
        f"Recorded on {environment['cpu']}, {environment['cores']} cores, one thread of BLAS and OpenMP; "
        f"engine {environment['engine']}, {', '.join(environment['r'])}, {versions}.\n\n"
    )
    for commit, part in rows.groupby("sparsek", sort=False):
        topics = ", ".join(f"`{name}`" for name in dict.fromkeys(part["topic"]))
        text += f"- sparsek {commit}, {part['created'].max()[:10]}: {topics}\n"
    load = rows.groupby("topic", sort=False)["load"].median()
    if (busy := load[load > BUSY]).empty:
        return text
    names = ", ".join(f"`{name}` ({value:.1f})" for name, value in busy.items())
    return (
        f"{text}\nOther programs ran on the machine meanwhile. In brackets is how many wanted one of its "
        f"{environment['cores']} processors at a time: {names}. Seconds are longer than on a quiet machine. "
        "Ratios suffer less, because the two sides alternate, but single ones can be off several times.\n"
    )


def draw_speed(rows: pd.DataFrame, ink: str, *colours: str) -> Figure:
    """Ratios of every line on a logarithmic axis, one colour for each column; the limit in ink."""
    shown = lines(rows)
    figure = Figure(figsize=(9, 1.5 + 0.21 * len(shown)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(shown))[::-1]
    for (name, (marker, fill)), colour in zip(MARKERS.items(), [*colours, ink], strict=True):
        label = ENGINES.get(name, "limit")
        for place, (_, group) in zip(places, shown, strict=True):
            _draw_range(axes, group[name].to_numpy(float), place, marker, colour, fill, label)
            label = ""
    axes.axvline(1, color=ink, linewidth=0.5)
    axes.set_xscale("log")
    axes.set_yticks(places, [f"{first['call']} {first['size']}" for first, _ in shown], fontsize=8)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.set_xlabel("our time divided by that of the other side")
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


def first_calls_table(rows: pd.DataFrame) -> pd.DataFrame:
    """First calls on data of some size, one line each."""
    return pd.DataFrame(
        {
            "call": f"`{call}`",
            "rows x columns": f"{n:,} x {p:,}",
            "plain": as_time(row["plain"]),
            "with numba, nothing kept": as_time(row["cold"]),
            "with numba, loops kept": as_time(row["warm"]),
        }
        for call, (n, p) in LARGER.items()
        for _, row in rows[rows["call"] == f"{call}, {n} x {p}"].iterrows()
    )


def first_calls_in_words(rows: pd.DataFrame, about: dict[str, Any]) -> str:
    """How many first calls take little more than with a plain installation, and which take more."""
    environment = about["environment"]
    limit = f"at most {MOST} times the processor time of the plain installation and {MORE} s"
    beyond = rows.loc[~rows["within"], "call"]
    others = f" The others: {', '.join(f'`{call}`' for call in beyond)}." if len(beyond) else ""
    return (
        f"{len(rows)} first calls were made, each in a process of its own, of every estimator and every R function. "
        f"With numba {rows['within'].sum()} of them took {limit}.{others} "
        f"Recorded on {environment['cpu']}, {environment['cores']} cores, "
        f"one thread; sparsek {environment['sparsek']}."
    )
