"""The recorded counts of a full campaign, for the report."""

from pathlib import Path
from typing import Any

from validation.papers.shared.store import RESULTS, load_table, origin

NAME = "fuzz"
"""Name of the files of counts, without extension."""


def load_campaign(folder: Path = RESULTS) -> dict[str, Any] | None:
    """The counts of a recorded campaign, by group and by target."""
    if not (folder / f"{NAME}.csv").exists():
        return None
    table, about = load_table(NAME, folder)
    sums = table.drop(columns="target").groupby("group", sort=False).sum()
    sums.loc["all"] = sums.sum()
    return {
        "kinds": list(sums.columns),
        "groups": {str(name): [int(count) for count in row] for name, row in sums.iterrows()},
        "calls": table.set_index("target").drop(columns="group").sum(axis=1).astype(int).to_dict(),
        "command": about["scale"],
        "sparsek": about["environment"]["sparsek"],
        "origin": origin(NAME, about),
    }
