"""The grid of readings of Table 4 beside the printed numbers: agreement, pictures, section of the report."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from validation.papers.paper import Result
from validation.papers.shared.likelihood import fit_pairs, marginal, posterior
from validation.papers.shared.margins import MARGINS
from validation.papers.shared.store import RESULTS, load_record, origin
from validation.papers.shared.verdicts import ALPHA
from validation.papers.skfr.real_tables.designs import BENCHMARKS
from validation.papers.skfr.real_tables.grid import FEW_VALUES, MANY_FEATURES, MOMENTS, NORMALISERS, READINGS
from validation.papers.skfr.real_tables.summary import ROUNDING, load_published
from validation.report.drawing import STYLE, to_svg
from validation.report.sections import Picture, Section, Table, make_table

NAME = "table-4-grid"
METHOD = "SKFR1"
COLUMN_NAMES = {"raw": "raw", "minmax": "0..1", "standardised": "std"}
SETTINGS = ["data", "columns", "seeds_on", "power", "s", "runs"]
"""Columns that name a cell of the grid, and its number of runs."""
READING = ["columns", "seeds_on", "power", "nmi"]
"""Columns that name a reading; s is free."""
PLAIN = "k-means++"
"""The method of the grid's cells with all features."""


def judge_grid(grid: pd.DataFrame, method: str = METHOD) -> pd.DataFrame:
    """How probable the printed pairs of mean and standard deviation are in every cell."""
    if method == PLAIN:
        grid = grid[grid["s"] == grid.groupby("data")["s"].transform("max")]
    parts = [
        grid[SETTINGS].assign(nmi=name, **{key: grid[f"{name}{end}"] for key, end in MOMENTS.items()})
        for name in NORMALISERS
    ]
    cells = pd.concat(parts, ignore_index=True)
    pairs = load_published()["table4"][method]
    printed = tuple(cells["data"].map(lambda data, place=place: pairs[data][place]) for place in (0, 1))
    moments = [cells[name].fillna(0) for name in MOMENTS]
    fit = fit_pairs(moments, cells["runs"], (printed[0].to_numpy(), printed[1].to_numpy()), ROUNDING)
    near = (cells["mean"] - printed[0]).abs() <= MARGINS["nmi"].value
    return cells.drop(columns=["skew", "kurtosis"]).assign(
        near=near, p=fit.p, log_likelihood=fit.log_likelihood, agrees=fit.p > ALPHA
    )


def judged_grid(folder: Path = RESULTS, method: str = METHOD) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The grid of the full run beside the printed numbers of a method, and its date and versions."""
    numbers = [f"{name}{end}" for name in NORMALISERS for end in MOMENTS.values()]
    grid, about = load_record(NAME, (*SETTINGS, *numbers), folder)
    return judge_grid(grid, method), about


def identified(folder: Path = RESULTS) -> dict[str, pd.DataFrame]:
    """The readings of each method by their posterior probability, from the full run."""
    return {
        PLAIN: posterior(judged_grid(folder, PLAIN)[0], READING),
        METHOD: posterior(judged_grid(folder)[0], READING, free="s"),
    }


def identified_in_words(folder: Path = RESULTS) -> str:
    """What the printed pairs of each method say on the open questions."""
    sentences = []
    for method, readings in identified(folder).items():
        best, others = readings.iloc[0], readings.iloc[1:]
        found = marginal(readings, READING)
        same = others[(others["columns"] == best["columns"]) & (others["nmi"] == best["nmi"])]
        rest = others.drop(same.index)
        answers = ", ".join(
            f"{name.replace('_', ' ')} {COLUMN_NAMES.get(str(value), value)} ({share:.2f})"
            for name, (value, share) in found.items()
        )
        sentences.append(
            f"{method}: log likelihood {best['log_likelihood']:.0f} at best, "
            f"{rest['log_likelihood'].max():.0f} at most with other columns or another NMI; "
            f"posterior probabilities: {answers}."
        )
    return " ".join(sentences)


def name_reading(cell: pd.Series) -> str:
    """A cell in words."""
    power = "squared distances" if cell["power"] == 2 else "distances"
    columns, seeds = (COLUMN_NAMES[cell[name]] for name in ("columns", "seeds_on"))
    return f"s = {cell['s']}, columns {columns}, seeds on {seeds} by {power}, NMI {cell['nmi']}"


def agreement(cells: pd.DataFrame) -> pd.DataFrame:
    """How many readings agree in mean and standard deviation, and the nearest, by data set."""
    rows = []
    for data, group in cells.groupby("data", sort=False):
        mean, sd = load_published()["table4"][METHOD][data]
        nearest = group.loc[group["p"].idxmax()]
        rows.append(
            {"data": BENCHMARKS[str(data)], "printed": mean, "printed_sd": sd, "readings": len(group)}
            | {"near": int(group["near"].sum()), "agree": int(group["agrees"].sum())}
            | {"nearest": name_reading(nearest), "mean": nearest["mean"], "sd": nearest["sd"]}
            | {"p": nearest["p"]}
        )
    return pd.DataFrame(rows)


def draw_grid(cells: pd.DataFrame, data: str) -> Figure:
    """Heat maps of one data set: the mean against s and reading, one panel per quantity called NMI."""
    printed = load_published()["table4"][METHOD][data][0]
    group = cells[cells["data"] == data]
    low, high = min(group["mean"].min(), printed - 0.01), max(group["mean"].max(), printed + 0.01)
    norm = TwoSlopeNorm(printed, low, high)
    rows = [(r.scaling, r.seeds_on, r.power) for r in READINGS]
    names = [f"{COLUMN_NAMES[c]}, {COLUMN_NAMES[o]}, {'d²' if power == 2 else 'd'}" for c, o, power in rows]
    sizes = sorted(group["s"].unique())
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(11, 2.7), layout="constrained")
        panels = figure.subplots(1, len(NORMALISERS), sharey=True)
        for axes, name in zip(panels, NORMALISERS, strict=True):
            panel = group[group["nmi"] == name].set_index(["columns", "seeds_on", "power", "s"])
            values = np.array([[panel["mean"][(*row, s)] for s in sizes] for row in rows])
            image = axes.imshow(values, cmap="RdBu_r", norm=norm, aspect="auto", interpolation="nearest")
            hits = panel.index[panel["agrees"]]
            x, y = [sizes.index(hit[3]) for hit in hits], [rows.index(hit[:3]) for hit in hits]
            axes.plot(x, y, "o", color="black", markersize=4, fillstyle="none", linestyle="none")
            step = -(-len(sizes) // 8)
            axes.set_xticks(range(0, len(sizes), step), sizes[::step], fontsize=7)
            axes.set_title(f"NMI {name}", fontsize=9)
            axes.set_xlabel("s")
        panels[0].set_yticks(range(len(rows)), names, fontsize=7)
        panels[0].set_ylabel("columns, seeds on, draws by")
        bar = figure.colorbar(image, ax=panels, label="mean NMI", ticks=[low, printed, high])
        bar.ax.set_yticklabels([f"{low:.2f}", f"printed {printed:.3f}", f"{high:.2f}"])
        bar.ax.axhline(printed, color="black")
    return figure


def draw_grids(grid: pd.DataFrame) -> dict[str, Figure]:
    """The heat maps of all data sets of a grid, by the name of their files."""
    cells = judge_grid(grid)
    return {f"{NAME}-{data}": draw_grid(cells, data) for data in cells["data"].unique()}


def show_agreement(caption: str, cells: pd.DataFrame) -> Table:
    """The result of `agreement` as a table of the report."""
    heads = ["Data", "Printed", "sd", "Readings", "Mean within the margin", "Agree", "Nearest", "Mean", "sd",
             "P"]  # fmt: skip
    return make_table(caption, heads, agreement(cells).to_numpy(dtype=object).tolist())


def is_usual(cells: pd.DataFrame) -> pd.Series:
    """Mask of the readings with the usual k-means++ on raw columns, the paper's columns and the main NMI."""
    return (
        (cells["columns"] == "standardised")
        & (cells["seeds_on"] == "raw")
        & (cells["power"] == 2)
        & (cells["nmi"] == "max")
    )


def table_4_grid(result: Result, folder: Path) -> Section:
    """The grid of the full run in `folder`."""
    cells, about = judged_grid(folder)
    runs = int(cells["runs"].max())
    return Section(
        "Table 4: every reading of SKFR1",
        "paper-table-4-grid",
        "The paper leaves open s, the columns on which seeds are drawn, how they are drawn, and which "
        f"quantity it calls NMI. All combinations, {runs} runs each. With so many readings some agree by "
        "chance, and one that is chosen because it agrees is chosen after the fact: it shows what the "
        "printed number may be, and reproduces nothing.",
        pictures=tuple(
            Picture(
                f"{BENCHMARKS[data]}: mean NMI of every reading, white where it is the printed mean; ring: "
                "agrees in mean and sd",
                to_svg(draw_grid(cells, data), f"{NAME}-{data}"),
            )
            for data in cells["data"].unique()
        ),
        tables=(
            show_agreement(
                "All readings: whether the printed mean and standard deviation together are within what 95 % "
                "of 20 runs give. The nearest is chosen after the fact: the printed numbers picked it.",
                cells,
            ),
            show_agreement(
                "Standardised columns, seeds on raw columns by squared distances, NMI over the larger "
                "entropy: s alone is chosen after the fact.",
                cells[is_usual(cells)],
            ),
        ),
        remarks=(
            identified_in_words(folder),
            "Rows of a picture: columns that SKFR1 gets (std: standardised, as the paper says; raw or 0..1 "
            "depart from it), columns on which seeds are drawn, draws by the distance or its square.",
            f"With more than {MANY_FEATURES} features (the faces) {FEW_VALUES} values of s are run, with 30 "
            "to 1000 features at most 30, else all.",
            origin("Full run", about),
        ),
    )
