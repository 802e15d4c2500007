"""The lead of PCSKM over all cases, which depend on each other within data sets."""

import pandas as pd

from validation.papers.pcskm.designs import METHODS
from validation.papers.shared.margins import MARGINS
from validation.papers.shared.verdicts import LEVEL, adjust, judge_dependent
from validation.report.sections import Table, make_table


def judge_leads(cases: pd.DataFrame) -> pd.DataFrame:
    """The mean lead of PCSKM over each other method, by a mixed model with a random effect per data set.

    Parameters
    ----------
    cases : DataFrame
        From `validation.papers.pcskm.summary.case_means`: F-scores by data set, start and kind of
        constraints.

    Returns
    -------
    DataFrame
        By method: ``lead``, ``low``, ``high`` (95 % interval), ``width``, ``verdict``, and ``p`` and
        ``p_holm`` for a lead of 0. "Higher" is a lead of PCSKM.
    """
    groups = cases.index.get_level_values("data").tolist()
    others = [method for method in METHODS if method != "PCSKM"]
    verdicts = {
        method: judge_dependent(cases["PCSKM"] - cases[method], groups, MARGINS["F score"].value)
        for method in others
    }
    rows = {
        method: {"lead": found.estimate, "low": found.low, "high": found.high, "width": found.width,
                 "verdict": found.text, "p": found.p_different}
        for method, found in verdicts.items()
    }  # fmt: skip
    frame = pd.DataFrame.from_dict(rows, orient="index")
    return frame.assign(p_holm=adjust(frame["p"]))


def lead_table(cases: pd.DataFrame) -> Table:
    """The leads for the report."""
    found = judge_leads(cases)
    rows = [
        [f"PCSKM - {method}", row["lead"], f"{row['low']:.3f} to {row['high']:.3f}", row["width"],
         row["verdict"], f"{row['p_holm']:.1e}"]
        for method, row in found.iterrows()
    ]  # fmt: skip
    return make_table(
        "Mean lead over the cases, full run, by a mixed model with a random effect per data set: the cases "
        f"of one set are not independent; interval of {LEVEL:.0%}, p adjusted by Holm's rule for the methods",
        ["Difference", "Lead", "95 % interval", "Width", "Verdict", "p (Holm)"],
        rows,
    )
