"""Claims of papers in words, compared with our numbers."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from validation.papers.shared.store import load_table
from validation.report.sections import Table, make_table


class Claim(NamedTuple):
    """A claim: its text, our measurement, and whether it holds."""

    text: str
    measured: str
    holds: bool

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return "holds" if self.holds else "does not hold"


def claim_table(caption: str, claims: Iterable[Claim]) -> Table:
    """A table of claims, judged by one run."""
    rows = [(claim.text, claim.measured, claim.verdict) for claim in claims]
    return make_table(caption, ("Claim", "Measured", "Verdict"), rows)


def compare_claims(caption: str, make: Callable[[Any], list[Claim]], full: Any, this_run: Any) -> Table:
    """A table of claims, judged by the full run and by this run."""
    here = {claim.text: claim.verdict for claim in make(this_run)}
    rows = [(claim.text, claim.measured, claim.verdict, here.get(claim.text)) for claim in make(full)]
    return make_table(caption, ("Claim", "Full run: measured", "Full run", "This run"), rows)


def judge_record(
    names: Iterable[str], makers: Iterable[Callable[[Any], list[Claim]]], folder: Path
) -> list[Claim]:
    """Claims judged by a recorded full run, whose rows may stand in several files."""
    table = pd.concat([load_table(name, folder)[0] for name in names])
    return [claim for make in makers for claim in make(table)]
