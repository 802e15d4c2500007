"""Tables of papers repeated: their parts, verdicts on printed numbers, files and Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from validation.papers.skfr.simulation.store import save_table
from validation.report.sections import Setting

RUNS_OF_THE_PAPERS = 20
"""Runs behind a number, in all of the papers."""
VERDICTS = ("reproduced", "better", "not reproduced")
TOO_FEW = "too few runs"
MARKS = {"reproduced": "✓", "better": "▲", "not reproduced": "✗"}


@dataclass(frozen=True, slots=True)
class Result:
    """Everything about one table.

    Attributes
    ----------
    frames : dict of str to DataFrame
        By the name that files get; the first is the table itself.
    figures : dict of str to Figure
        By the name that files get.
    settings : tuple of Setting
        What the paper leaves open, as it is here.
    verdicts : dict of str to int
        How many printed numbers were reproduced, were bettered, were not.
    r_versions : dict of str to str
        Versions of R and of its packages, where R was run.
    """

    frames: dict[str, pd.DataFrame]
    figures: dict[str, Figure]
    settings: tuple[Setting, ...]
    verdicts: dict[str, int]
    r_versions: dict[str, str]


def write_result(result: Result, folder: Path, scale: str) -> None:
    """Every table as CSV with a JSON file about it, every picture as PNG.

    Parameters
    ----------
    result : Result
        What was run.
    folder : Path
        Where.
    scale : str
        For the record.
    """
    for name, frame in result.frames.items():
        save_table(frame, folder, name, scale, result.r_versions)
    for name, figure in result.figures.items():
        figure.savefig(folder / f"{name}.png", dpi=150)


def count_verdicts(table: pd.DataFrame) -> dict[str, int]:
    """How many printed numbers got which verdict."""
    counts = table["verdict"].value_counts()
    return {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}


def beside(full: pd.DataFrame, this_run: pd.DataFrame | None, keys: list[str]) -> list[dict[str, Any]]:
    """Rows of the full run with ``this run``, our number there; NaN for all without one."""
    if this_run is None or "ours" not in this_run:
        return full.assign(**{"this run": float("nan")}).to_dict("records")
    here = this_run[[*keys, "ours"]].rename(columns={"ours": "this run"})
    return full.merge(here, how="left", on=keys).to_dict("records")


def markdown_grid(rows: Sequence[str], columns: Sequence[str], texts: Sequence[str]) -> str:
    """A Markdown table of cells that are given one by one.

    Parameters
    ----------
    rows, columns, texts : sequence of str
        Row, column and text of each cell; rows and columns stand in the order of their first appearance.

    Returns
    -------
    str
        Lines; cells that are not given are empty.
    """
    found = dict(zip(zip(rows, columns, strict=True), texts, strict=True))
    heads = list(dict.fromkeys(columns))
    lines = [["", *heads], ["---"] * (len(heads) + 1)]
    lines += [[row, *(found.get((row, head), "") for head in heads)] for row in dict.fromkeys(rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
