"""All verdicts on printed numbers at a glance: the counts on README, pages and report."""

from collections.abc import Collection, Iterable
from pathlib import Path

import pandas as pd

from validation.papers import find_papers
from validation.papers.paper import Paper
from validation.papers.shared.store import RESULTS
from validation.papers.shared.verdict_tables import count_verdicts
from validation.report.sections import Table, make_table

CHOSEN = "chosen after the fact"
TOTAL = "all"


def overview(folder: Path = RESULTS) -> pd.DataFrame:
    """Counts of verdicts, one row per table or figure, from the recorded full runs.

    Parameters
    ----------
    folder : Path
        Folder of the full runs.

    Returns
    -------
    DataFrame
        By caption, the last row for all: the counts of `count_verdicts` and `CHOSEN`, the cells whose reading
        was chosen after seeing printed numbers. Missing where a table or figure has no printed numbers that
        are judged.
    """
    rows = {caption: _count(paper, name, folder) for paper, name, caption in _captions()}
    table = pd.DataFrame.from_dict(rows, orient="index").astype("Int64")
    return pd.concat([table, table.sum().to_frame(TOTAL).T.astype("Int64")])


def in_words(folder: Path = RESULTS) -> str:
    """The counts of all tables in sentences."""
    row = overview(folder).loc[TOTAL]
    return (
        f"Of {row['cells']} numbers that papers print, {row['equivalent']} are equivalent to ours, "
        f"{row['different']} are different and {row['undecided']} are undecided. {_count_chosen(row)}"
    )


def chosen_in_words(folder: Path = RESULTS) -> str:
    """How many numbers are in tables for which something was chosen after seeing what is printed."""
    return _count_chosen(overview(folder).loc[TOTAL])


def _count_chosen(row: pd.Series) -> str:
    """`chosen_in_words` of the counts of all tables."""
    return (
        f"{row[CHOSEN]} of the {row['cells']} judged numbers are in tables for which a reading or a setting "
        "was chosen after seeing the printed numbers."
    )


def overview_table(folder: Path = RESULTS) -> Table:
    """The overview for the report."""
    table = overview(folder)
    rows = [
        [caption, *(None if pd.isna(count) else int(count) for count in row)]
        for caption, row in zip(table.index, table.to_numpy(object), strict=True)
    ]
    return make_table(
        "Cells are printed numbers (a mean with its standard deviation is one); blank: nothing printed is "
        "judged. After Holm: different cells that remain so among all tests of their table. A number is "
        "equivalent if the 95 % interval of the difference between ours and the printed one lies within the "
        "margin of its measure, else different if the interval excludes 0, else undecided. The margins do "
        f"not depend on results, but agreement may: {_count_chosen(table.loc[TOTAL])}",
        ["Table or figure", *(f"{name[0].upper()}{name[1:]}" for name in map(str, table.columns))],
        rows,
        digits=0,
    )


def overview_links(anchors: Collection[str]) -> dict[str, str]:
    """The sections of the report that the rows of the overview lead to.

    Parameters
    ----------
    anchors : collection of str
        Anchors of the sections that are there.

    Returns
    -------
    dict of str to str
        Anchor by caption; captions without a section are left out.
    """
    return {
        caption: anchor
        for _, name, caption in _captions()
        for anchor in (name, f"paper-{name}")
        if anchor in anchors
    }


def _captions() -> Iterable[tuple[Paper, str, str]]:
    """Paper, name and caption of every table and figure."""
    return (
        (paper, name, caption) for paper in find_papers().values() for name, caption in paper.captions.items()
    )


def _count(paper: Paper, name: str, folder: Path) -> dict[str, int | None]:
    """The counts of a table; empty where nothing is judged."""
    if name not in paper.judged:
        return {}
    counts = count_verdicts(paper.judged[name](folder)[0])
    return {**counts, CHOSEN: counts["cells"] if name in paper.chosen else 0}
