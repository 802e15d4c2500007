"""The counts of a recorded campaign, and what it lacks to be a full one without findings."""

import re
from pathlib import Path
from typing import Any

from validation.fuzz.command import FAULTS, HARD, NAME, TARGETS
from validation.fuzz.judge import CLEAR, RIGHT
from validation.papers.shared.store import RESULTS, load_table, origin

CALLS = 50_000
"""Calls of a full campaign, all seeds together."""
SEEDS = 3
"""Seeds of a full campaign."""
TRIES = 200
"""Tries of each target of `--tries`."""
NAMED = 5
"""Targets that are named at most; the others are counted."""


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


def findings(campaign: dict[str, Any]) -> int:
    """Number of calls and faults that were neither right nor clearly refused."""
    counts = dict(zip(campaign["kinds"], campaign["groups"]["all"], strict=True))
    return int(sum(counts.values()) - counts[RIGHT] - counts[CLEAR])


def missing(campaign: dict[str, Any] | None) -> list[str]:
    """What keeps a campaign from showing that any input gives a right result or a clear error."""
    if campaign is None:
        return ["no campaign is recorded"]
    made = campaign["calls"]
    calls = sum(made.get(name, 0) for name in TARGETS)
    seldom = [name for name in HARD if made.get(name, 0) < TRIES]
    seeds = set(re.findall(r"\d+", campaign["command"].partition("--seed ")[2].partition(" --")[0]))
    never = [name for name in TARGETS if not made.get(name)]
    others = f" and {len(never) - NAMED} more" if len(never) > NAMED else ""
    points = {
        f"{findings(campaign):,} findings": findings(campaign) > 0,
        f"{calls:,} calls, fewer than {CALLS:,}": calls < CALLS,
        f"seeds: {len(seeds)}, fewer than {SEEDS}": len(seeds) < SEEDS,
        f"never called: {', '.join(never[:NAMED])}{others}": bool(never),
        f"tried fewer than {TRIES} times: {', '.join(seldom)}": bool(seldom),
        "faults were not tried": not made.get(FAULTS),
        "not of a clean commit": "(commit " not in campaign["sparsek"] or "-dirty" in campaign["sparsek"],
    }
    return [point for point, holds in points.items() if holds]
