"""The comparisons of the PCSKM paper, with cases of one data set taken as dependent.

The paper tests 60 cases as if they were independent; ten of them share each data set, and LKM and SKM repeat
themselves over the kinds of constraints. A mixed model with a random effect per data set counts them as six
groups.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from validation.papers.pcskm.designs import KINDS, METHODS, STARTS
from validation.papers.shared.margins import MARGINS
from validation.papers.shared.verdicts import DIFFERENT, Verdict, as_family, judge_dependent
from validation.report.sections import Table, make_table

MARGIN = MARGINS["F score"].value
KIND_PAIRS = (("cl", "ml"), ("both", "ml"), ("cl", "both"))
ALL = "all cases"


class Comparison(NamedTuple):
    """A comparison: its cases, and the verdict, whose P-value is adjusted within its family."""

    n_cases: int
    verdict: Verdict

    @property
    def ahead(self) -> bool:
        """Whether the first is better, at 5 % for the comparisons of its family together."""
        return self.verdict.word == DIFFERENT and self.verdict.estimate > 0

    @property
    def text(self) -> str:
        """The comparison in words."""
        found = self.verdict
        return (
            f"mean difference {found.estimate:+.3f}, 95 % interval {found.low:+.3f} to {found.high:+.3f} "
            f"(mixed model, {self.n_cases} cases), Holm p = {found.p_holm:.1e}: {found.text}"
        )


def differences(cases: pd.DataFrame) -> dict[tuple[str, str], pd.Series]:
    """Differences of F-scores of all comparisons.

    Parameters
    ----------
    cases : DataFrame
        From `case_means`.

    Returns
    -------
    dict of tuple to Series
        PCSKM minus each method, over all cases and of single starts, by start and method; and one kind of
        constraints minus another, by the two kinds. Their index has a level "data".
    """
    others = [method for method in METHODS if method != "PCSKM"]
    found = {(ALL, method): cases["PCSKM"] - cases[method] for method in others}
    for start in ("robin", "maximin"):
        few = cases.xs(start, level="start")
        found |= {(start, method): few["PCSKM"] - few[method] for method in others}
    constrained = [method for method in METHODS if method not in ("LKM", "SKM")]
    by_kind = cases[constrained].stack().unstack("kind").dropna()
    return found | {(a, b): by_kind[a] - by_kind[b] for a, b in KIND_PAIRS}


def compare(cases: pd.DataFrame) -> dict[tuple[str, str], Comparison]:
    """Every comparison, judged by a mixed model.

    Parameters
    ----------
    cases : DataFrame
        From `case_means`.

    Returns
    -------
    dict of tuple to Comparison
        With the keys of `differences`.
    """
    values = {key: found.dropna() for key, found in differences(cases).items()}
    verdicts = {
        key: judge_dependent(found.to_numpy(), found.index.get_level_values("data"), MARGIN)
        for key, found in values.items()
    }
    for family in dict.fromkeys(map(_family, verdicts)):
        keys = [key for key in verdicts if _family(key) == family]
        verdicts |= zip(keys, as_family([verdicts[key] for key in keys]), strict=True)
    return {key: Comparison(len(values[key]), verdicts[key]) for key in verdicts}


def _family(key: tuple[str, str]) -> str:
    """The tests that are adjusted together: those of one set of cases, and those of the kinds."""
    return "kinds" if key[0] in KINDS else key[0]


def comparison_table(found: Mapping[tuple[str, str], Comparison]) -> Table:
    """The comparisons as a table of the report.

    Parameters
    ----------
    found : mapping of tuple to Comparison
        From `compare`.

    Returns
    -------
    Table
        One row each.
    """
    rows = [
        [_name(key), one.n_cases, one.verdict.estimate, one.verdict.low, one.verdict.high,
         one.verdict.high - one.verdict.low,
         one.verdict.text, f"{one.verdict.p_holm:.1e}"]
        for key, one in found.items()
    ]  # fmt: skip
    caption = (
        "Mean differences over the cases, full run: mixed model with a random effect per data set; margin of "
        f'equivalence {MARGIN:g}; p of "different", adjusted by Holm\'s rule for the whole table'
    )
    heads = ["Difference", "Cases", "Mean", "95 % from", "to", "Width", "Verdict", "p, Holm"]
    return make_table(caption, heads, rows)


def _name(key: tuple[str, str]) -> str:
    """A comparison's name."""
    first, second = key
    if first in KINDS:
        return f"{KINDS[first]} - {KINDS[second]}"
    return f"PCSKM - {second}" + ("" if first == ALL else f", {STARTS[first]}")
