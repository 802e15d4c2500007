"""The grid of readings of Table 4 beside the printed numbers: agreement, pictures, section of the report."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from validation.papers.paper import Result
from validation.papers.shared.margins import MARGINS
from validation.papers.shared.store import RESULTS, load_record, origin
from validation.papers.shared.verdicts import (
    DIFFERENT,
    EQUIVALENT,
    RUNS_OF_THE_PAPERS,
    UNDECIDED,
    Sample,
    join_words,
    judge_mean,
    judge_sd,
)
from validation.papers.skfr.real_tables.designs import BENCHMARKS
from validation.papers.skfr.real_tables.grid import FEW_VALUES, MANY_FEATURES, NORMALISERS, READINGS
from validation.papers.skfr.real_tables.summary import ROUNDING, load_published
from validation.report.drawing import STYLE, to_svg
from validation.report.sections import Picture, Section, Table, make_table

NAME = "table-4-grid"
METHOD = "SKFR1"
COLUMN_NAMES = {"raw": "raw", "minmax": "0..1", "standardised": "std"}
SETTINGS = ["data", "columns", "seeds_on", "power", "s", "runs"]
"""Columns that name a cell of the grid, and its number of runs."""
MARKS = {EQUIVALENT: "*", UNDECIDED: "o"}
"""Marks of the cells that agree with the printed mean and standard deviation, or may."""


def judge_grid(grid: pd.DataFrame) -> pd.DataFrame:
    """Verdict on the printed mean and standard deviation in every cell.

    Parameters
    ----------
    grid : DataFrame
        Result of `run_grid`.

    Returns
    -------
    DataFrame
        One row per cell and quantity called NMI: the columns of the grid up to runs, nmi (its name), mean,
        sd, mean_word and word, the verdicts on the mean and on both together, and p, the smaller p-value of
        the tests for a difference in mean and in standard deviation.
    """
    parts = [grid[SETTINGS].assign(nmi=name, mean=grid[name], sd=grid[f"{name}_sd"]) for name in NORMALISERS]
    cells = pd.concat(parts, ignore_index=True)
    table = load_published()["table4"][METHOD]
    printed = {data: Sample(mean, sd, RUNS_OF_THE_PAPERS) for data, (mean, sd) in table.items()}
    rounding = ROUNDING
    found = []
    for data, *numbers in cells[["data", "mean", "sd", "runs"]].itertuples(index=False):
        ours, theirs = Sample(*numbers), printed[data]
        mean = judge_mean(ours, theirs, MARGINS["nmi"].around(theirs.mean), rounding)
        spread = judge_sd(ours, theirs, rounding)
        word = join_words([mean.word, spread.word])
        found.append((mean.word, word, np.fmin(mean.p_different, spread.p_different)))
    return cells.join(pd.DataFrame(found, columns=["mean_word", "word", "p"]))


def judged_grid(folder: Path = RESULTS) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The grid of the full run with verdicts, and its date and versions."""
    numbers = [column for name in NORMALISERS for column in (name, f"{name}_sd")]
    grid, about = load_record(NAME, (*SETTINGS, *numbers), folder)
    return judge_grid(grid), about


def name_reading(cell: pd.Series) -> str:
    """A cell in words."""
    power = "squared distances" if cell["power"] == 2 else "distances"
    columns, seeds = (COLUMN_NAMES[cell[name]] for name in ("columns", "seeds_on"))
    return f"s = {cell['s']}, columns {columns}, seeds on {seeds} by {power}, NMI {cell['nmi']}"


def agreement(cells: pd.DataFrame) -> pd.DataFrame:
    """How many readings agree in mean and standard deviation, and the nearest, by data set.

    Parameters
    ----------
    cells : DataFrame
        Result of `judge_grid`, or a part of it.

    Returns
    -------
    DataFrame
        One row per data set: printed mean and sd; numbers of readings, of those with an equivalent mean, and
        of those equivalent, undecided and different in mean and sd together; the nearest reading, which has
        the largest p, with its mean, sd and verdict.
    """
    rows = []
    for data, group in cells.groupby("data", sort=False):
        mean, sd = load_published()["table4"][METHOD][data]
        words = group["word"].value_counts()
        nearest = group.loc[group["p"].fillna(0).idxmax()]
        rows.append(
            {"data": BENCHMARKS[str(data)], "printed": mean, "printed_sd": sd, "readings": len(group)}
            | {"mean_only": int((group["mean_word"] == EQUIVALENT).sum())}
            | {word: int(words.get(word, 0)) for word in (EQUIVALENT, UNDECIDED, DIFFERENT)}
            | {"nearest": name_reading(nearest), "mean": nearest["mean"], "sd": nearest["sd"]}
            | {"word": nearest["word"]}
        )
    return pd.DataFrame(rows)


def draw_grid(cells: pd.DataFrame, data: str) -> Figure:
    """Heat maps of one data set: the mean against s and reading, one panel per quantity called NMI.

    Parameters
    ----------
    cells : DataFrame
        Result of `judge_grid`.
    data : str
        Key of `BENCHMARKS`.

    Returns
    -------
    Figure
        White is the printed mean, which the colour bar marks; a star marks readings equivalent in mean and
        standard deviation, a ring undecided ones.
    """
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
            for word, mark in MARKS.items():
                hits = panel.index[panel["word"] == word]
                x, y = [sizes.index(hit[3]) for hit in hits], [rows.index(hit[:3]) for hit in hits]
                axes.plot(x, y, mark, color="black", markersize=4, fillstyle="none", linestyle="none")
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
    heads = ["Data", "Printed", "sd", "Readings", "Equivalent mean", "Equivalent", "Undecided", "Different",
             "Nearest", "Mean", "sd", "Verdict"]  # fmt: skip
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
                f"{BENCHMARKS[data]}: mean NMI of every reading, white where it is the printed mean; star: "
                "equivalent in mean and sd, ring: undecided",
                to_svg(draw_grid(cells, data), f"{NAME}-{data}"),
            )
            for data in cells["data"].unique()
        ),
        tables=(
            show_agreement(
                "All readings by their verdict on mean and standard deviation together. The nearest is "
                "chosen after the fact: it was picked by the printed numbers.",
                cells,
            ),
            show_agreement(
                "Standardised columns, seeds on raw columns by squared distances, NMI over the larger "
                "entropy: s alone is chosen after the fact.",
                cells[is_usual(cells)],
            ),
        ),
        remarks=(
            "With 20 printed runs and a standard deviation above 0.04 no mean can be shown to lie within the "
            "margin: readings that agree are then undecided, not equivalent.",
            "Rows of a picture: columns that SKFR1 gets (std: standardised, as the paper says; raw or 0..1 "
            "depart from it), columns on which seeds are drawn, draws by the distance or its square.",
            f"With more than {MANY_FEATURES} features (the faces) {FEW_VALUES} values of s are run, with 30 "
            "to 1000 features at most 30, else all.",
            origin("Full run", about),
        ),
    )
