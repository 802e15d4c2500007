"""Table 1 of the PCSKM paper: sizes of the data, and of the pools from which constraints are drawn."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from sparsek.methods.constrained.splits import even
from validation.papers.paper import Result, Task
from validation.papers.pcskm.designs import CONTAMINATED, DATA, N_FOLDS
from validation.papers.pcskm.samples import find_missing, load_sample
from validation.papers.pcskm.trials import splits
from validation.papers.shared.store import load_table, origin
from validation.report.sections import Section, inferred, make_table


class Sizes(NamedTuple):
    """A row of the table: rows, labelled rows of a fold, pairs of these, and 1 % and 10 % of the pairs."""

    points: int
    labels: int
    pool: int
    least: int
    most: int


PRINTED = {
    "ionosphere": Sizes(351, 316, 49738, 497, 4974),
    "fisheriris": Sizes(150, 135, 9045, 90, 905),
    "digits048": Sizes(150, 135, 9045, 90, 905),
    "digits389": Sizes(150, 135, 9045, 90, 905),
    "mwm_ttscst": Sizes(424, 382, 72618, 726, 7262),
    "mwm_ttchst": Sizes(406, 365, 66576, 666, 6658),
    "synthetic_5_5": Sizes(120, 108, 5778, 58, 578),
    "synthetic_3_7": Sizes(120, 108, 5778, 58, 578),
}
HEADS = {
    "points": "points",
    "labels": f"labels in {N_FOLDS - 1} of {N_FOLDS} folds",
    "pool": "pairs of these",
    "least": "1 % of the pairs",
    "most": "10 % of the pairs",
}


def measure(name: str) -> Sizes:
    """The sizes that our runs have."""
    n_labels = len(splits(name, 0, "both", 1, 1)[0, 0].train)
    pool = n_labels * (n_labels - 1) // 2
    return Sizes(len(load_sample(name, 0).X), n_labels, pool, even(pool / 100), even(pool / 10))


def run_table(task: Task) -> Result:
    """Count rows and pairs of the data sets."""
    missing = find_missing(download=task.scale == "full")
    rows = [
        {"data": name, "size": size, "printed": getattr(printed, size), "ours": getattr(ours, size)}
        for name, printed in PRINTED.items()
        if name not in missing
        for ours in [measure(name)]
        for size in Sizes._fields
    ]
    table = pd.DataFrame(rows)
    shown = [f"{DATA[r['data']].title}, {HEADS[r['size']]}: {r['printed']} and {r['ours']}" for r in rows]
    return Result({"pcskm-table-1": table}, text="Table 1, printed and ours\n" + "\n".join(shown))


def section(result: Result, folder: Path) -> Section:
    """Table 1 of the full run, printed numbers beside ours."""
    full, about = load_table("pcskm-table-1", folder)
    wide = full.pivot_table(["printed", "ours"], "data", "size", sort=False)
    rows = [
        [
            DATA[name].title,
            *(wide.loc[name, (source, size)] for size in HEADS for source in ("printed", "ours")),
        ]
        for name in wide.index
    ]
    columns = ["Data", *(f"{head}, {source}" for head in HEADS.values() for source in ("printed", "ours"))]
    n_equal = int((full["printed"] == full["ours"]).sum())
    left_out = ", ".join(DATA[name].title for name in CONTAMINATED)
    return Section(
        "PCSKM, Table 1: data and constraints",
        "pcskm-table-1",
        f"Counts, no trials: {n_equal} of {len(full)} are equal. Our pairs are those of the first fold; all "
        "folds have its number of constraints.",
        tables=(make_table("Printed and ours", columns, rows, digits=0),),
        settings=(
            inferred(
                "the paper's pairs are 0.9 n (0.9 n - 1) / 2 with 0.9 n not rounded; folds have whole rows"
            ),
            inferred(
                "numbers of constraints are even, because both kinds take one half each (authors' program)"
            ),
        ),
        remarks=(f"Not in the table of the paper: {left_out}.", origin("Full run", about)),
    )
