"""All verdicts on printed numbers at a glance: the counts on README, pages and report."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pandas as pd

from validation.papers import find_papers
from validation.papers.paper import Paper
from validation.papers.shared.joint import joint_models
from validation.papers.shared.store import RESULTS
from validation.papers.shared.verdict_tables import COUNTED, SPREAD, count_verdicts
from validation.papers.shared.verdicts import WORDS
from validation.report.sections import Table, make_table

CHOSEN = "chosen after the fact"
NUMBERS, SPREADS = TOTALS = ("all means, medians and best runs", "all spreads")
"""The last two rows: numbers and standard deviations are counted apart."""
Counts = Mapping[str, Mapping[str, int]]


def count_judged(judged: Mapping[str, pd.DataFrame], paper: Paper) -> Counts:
    """The counts of some tables of a paper together."""
    rows = [row for name, table in judged.items() for row in _rows(paper, name, table)]
    return _sum(pd.DataFrame([counts for _, counts in rows], index=[total for total, _ in rows]))


def _rows(paper: Paper, name: str, judged: pd.DataFrame) -> list[tuple[str, dict[str, int]]]:
    """The counts of a table: of its numbers, and of its spreads if it prints some."""
    prefixes = {NUMBERS: "", SPREADS: SPREAD}
    found = []
    for total, prefix in prefixes.items():
        if f"{prefix}word" in judged:
            counts = count_verdicts(judged, prefix)
            found.append((total, {**counts, CHOSEN: counts["cells"] if name in paper.chosen else 0}))
    return found


def _sum(table: pd.DataFrame) -> Counts:
    """Sums of the rows of each total."""
    columns = [*COUNTED, CHOSEN]
    return {
        total: {
            name: int(table.loc[table.index == total, name].sum()) if len(table) else 0 for name in columns
        }
        for total in TOTALS
    }


def overview(folder: Path = RESULTS) -> pd.DataFrame:
    """Counts of verdicts, one row per table or figure, from the recorded full runs."""
    rows: dict[str, dict[str, int]] = {}
    parts: list[tuple[str, dict[str, int]]] = []
    for paper, name, caption in _captions():
        found = _rows(paper, name, paper.judged[name](folder)[0]) if name in paper.judged else []
        parts += found
        rows[caption] = {}
        for total, counts in found:
            rows[caption + ("" if total == NUMBERS else ", spreads")] = counts
    whole = _sum(pd.DataFrame([counts for _, counts in parts], index=[total for total, _ in parts]))
    table = pd.DataFrame.from_dict(rows | whole, orient="index", columns=[*COUNTED, CHOSEN])
    return table.astype("Int64")


def _listed(found: Mapping[str, int]) -> str:
    """How many have each word."""
    return ", ".join(f"{found[word]} {'is' if found[word] == 1 else 'are'} {word}" for word in WORDS)


def counts_in_words(counts: Counts) -> str:
    """The counts, with what was chosen after the fact in the same sentence."""
    numbers, spreads = counts[NUMBERS], counts[SPREADS]
    sentence = (
        f"Of {numbers['cells']} printed numbers {_listed(numbers)}; for {numbers[CHOSEN]} of them a setting "
        "was chosen after seeing what is printed."
    )
    return sentence + (
        f" Of {spreads['cells']} printed spreads {_listed(spreads)}." if spreads["cells"] else ""
    )


def all_in_words(folder: Path = RESULTS) -> str:
    """The counts of all tables in sentences."""
    table = overview(folder)
    return counts_in_words({total: table.loc[total].astype(int).to_dict() for total in TOTALS})


def joint_in_words(folder: Path = RESULTS) -> str:
    """What the joint models of all tables say, and for how many numbers a setting was chosen afterwards."""
    models = [
        model
        for paper in find_papers().values()
        for name, layout in paper.layouts.items()
        for model in joint_models(paper.judged[name](folder)[0], layout)
    ]
    words, numbers = [model.verdict.word for model in models], overview(folder).loc[NUMBERS]
    return (
        "The tables of the papers were computed anew, and each method of a table was compared with what is "
        f"printed: of {len(models)} comparisons {_listed(Counter(words))}. Agreement is partly a result "
        f"of choice: for {numbers[CHOSEN]} of {numbers['cells']} printed numbers a reading or a setting was "
        "chosen after seeing them."
    )


def claims_in_words(folder: Path = RESULTS) -> str:
    """How many claims in words hold in the recorded full runs, and the list of those that do not."""
    found = {
        caption: paper.claims[name](folder) for paper, name, caption in _captions() if name in paper.claims
    }
    missed = {caption: [claim for claim in claims if not claim.holds] for caption, claims in found.items()}
    lists = [
        f"{caption}:\n\n" + "\n".join(f"- {claim.text}. Here: {claim.measured}." for claim in claims)
        for caption, claims in missed.items()
        if claims
    ]
    n_claims, n_missed = (sum(map(len, some.values())) for some in (found, missed))
    return (
        f"The papers make {n_claims} claims in words of {len(found)} tables and figures. "
        f"{n_claims - n_missed} hold in our full runs. These do not hold, or are undecided:\n\n"
    ) + "\n\n".join(lists)


def overview_table(folder: Path = RESULTS) -> Table:
    """The overview for the report."""
    table = overview(folder)
    rows = [
        [caption, *(None if pd.isna(count) else int(count) for count in row)]
        for caption, row in zip(table.index, table.to_numpy(object), strict=True)
    ]
    return make_table(
        "Cells are printed numbers; blank: nothing printed is judged. The words follow from exact Monte "
        "Carlo tests: whether the paper's runs may be further runs of ours (P adjusted by Holm's rule over "
        "all tests of the table), and whether they may be ours moved by the margin of the measure. The "
        f"margins do not depend on results, but agreement may. {all_in_words(folder)}",
        ["Table or figure", *(f"{name[0].upper()}{name[1:]}" for name in map(str, table.columns))],
        rows,
        digits=0,
    )


def overview_links(anchors: Collection[str]) -> dict[str, str]:
    """The sections of the report that the rows of the overview lead to."""
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
