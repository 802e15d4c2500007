"""The first screen: what of the papers' tables is reproduced, what is not, and why."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from validation.papers.overview import count_judged, counts_in_words
from validation.papers.paper import Paper
from validation.papers.shared.joint import joint_models
from validation.papers.shared.store import RESULTS
from validation.papers.shared.verdict_tables import SIGNS, SPREAD, WIDTH, Layout, count_verdicts, plain_grid
from validation.papers.shared.verdicts import WORDS


@dataclass(frozen=True, slots=True)
class Line:
    """One method of a table, or its spreads.

    Attributes
    ----------
    table, method : str
        Names.
    counts : tuple of int
        Cells by word, in the order of `WORDS`; empty where a line has a joint model alone.
    difference : str
        The joint model in figures; empty without one.
    word : str
        Its verdict.
    """

    table: str
    method: str
    counts: tuple[int, ...]
    difference: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Map:
    """The cells of a table by their words.

    Attributes
    ----------
    title : str
        Name of the table.
    columns : tuple of str
        Headings.
    rows : tuple of (str, tuple of str)
        Name of each row and the verdicts of its cells; empty where nothing is printed.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """The first screen of a paper.

    Attributes
    ----------
    lead : tuple of str
        Sentences at the top.
    lines : tuple of Line
        One for each table and method.
    maps : tuple of Map
        One for each table.
    reasons : tuple of (str, str)
        Table, and what of it is not reproduced and why.
    runs : tuple of str
        Runs behind our numbers, and when they were run.
    """

    lead: tuple[str, ...]
    lines: tuple[Line, ...]
    maps: tuple[Map, ...]
    reasons: tuple[tuple[str, str], ...]
    runs: tuple[str, ...]

    @property
    def signs(self) -> dict[str, str]:
        """The signs of the words."""
        return SIGNS


def make_screen(paper: Paper, folder: Path = RESULTS, names: Sequence[str] | None = None) -> Screen:
    """The first screen of a paper's tables.

    Parameters
    ----------
    paper : Paper
        A paper with `judged` and `layouts`.
    folder : Path
        Folder of the full run.
    names : sequence of str or None
        Tables to show; None shows all.

    Returns
    -------
    Screen
        Its content, computed from the numbers of the full run.
    """
    shown = [name for name in paper.layouts if names is None or name in names]
    found = {name: paper.judged[name](folder) for name in shown}
    lines, maps, reasons, runs = [], [], [], []
    for name, (judged, about) in found.items():
        layout = paper.layouts[name]
        title = paper.captions[name].partition(": ")[0].partition(", ")[2]
        lines += _lines(title, judged, layout)
        maps += _maps(title, judged, layout)
        if layout.why:
            reasons.append((title, layout.why))
        runs.append(f"{title}: {layout.runs}, {about['created'][:10]}")
    lead = [] if paper.lead is None else [paper.lead(folder)]
    lead.append(counts_in_words(count_judged({name: judged for name, (judged, _) in found.items()}, paper)))
    return Screen(tuple(lead), tuple(lines), tuple(maps), tuple(reasons), tuple(runs))


def _lines(title: str, judged: pd.DataFrame, layout: Layout) -> list[Line]:
    """The lines of a table: its methods, these without what is judged apart, and its spreads."""
    named = layout.named(judged)
    named = named[named["word"].ne("")]
    keys = named[list(layout.joint or layout.columns[:1])].astype(str).agg(" ".join, axis=1)
    by_name = {model.name: model for model in joint_models(judged, layout)}
    lines = []
    for name, rows in named.groupby(keys, sort=False):
        counts = count_verdicts(rows)
        model = by_name.get(str(name))
        joint = ("", "") if model is None else (model.numbers, model.verdict.text)
        lines.append(Line(title, str(name), tuple(counts[word] for word in WORDS), *joint))
    if layout.apart:
        lines += [
            Line(title, f"{model.name}, no {layout.apart}", (), model.numbers, model.verdict.text)
            for model in joint_models(judged, layout, layout.apart)
        ]
    if f"{SPREAD}word" in judged:
        counts = count_verdicts(named, SPREAD)
        lines.append(Line(title, "all spreads", tuple(counts[word] for word in WORDS)))
    return lines


def _maps(title: str, judged: pd.DataFrame, layout: Layout) -> list[Map]:
    """The maps of a table: of its numbers, and of its spreads if it prints some."""
    named = layout.named(judged)
    named = named[named["word"].ne("")]
    columns, rows = (tuple(dict.fromkeys(named[key])) for key in ("column", "row"))
    maps = []
    for prefix, what in (("", ""), (SPREAD, ", spreads")):
        if f"{prefix}word" in named:
            words = named.set_index(["row", "column"])[f"{prefix}word"].to_dict()
            cells = tuple((row, tuple(words.get((row, column), "") for column in columns)) for row in rows)
            maps.append(Map(title + what, columns, cells))
    return maps


def screen_text(screen: Screen) -> str:
    """The first screen for the terminal, no line longer than `WIDTH`."""
    parts = [textwrap.fill(sentence, WIDTH) for sentence in screen.lead]
    rows = [f"{line.table}  {line.method}" for line in screen.lines]
    cells: list[tuple[str, str, str]] = []
    for row, line in zip(rows, screen.lines, strict=True):
        shown = [str(count or "·") for count in line.counts] or [""] * len(WORDS)
        cells += [(row, sign, text) for sign, text in zip(SIGNS.values(), shown, strict=True)]
        cells += [(row, "ours minus printed (95 %)", line.difference), (row, "jointly", line.word)]
    parts.append(plain_grid(*zip(*cells, strict=True)))
    parts.append(", ".join(f"{sign} {word}" for word, sign in SIGNS.items()))
    for title, why in screen.reasons:
        parts.append(textwrap.fill(f"{title}: {why}", WIDTH))
    parts.append(textwrap.fill("Runs: " + "; ".join(screen.runs) + ".", WIDTH))
    return "\n\n".join(parts)
