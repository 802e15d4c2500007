"""Verdicts on Tables 1 to 5."""

import math
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.minmax.designs import FIXED, IFPCA, NOT_HERE
from validation.papers.minmax.summary import BELOW
from validation.papers.shared.margins import MARGINS
from validation.papers.shared.verdict_tables import Row, with_verdicts
from validation.papers.shared.verdicts import (
    EQUIVALENT,
    NOTHING,
    RUNS_OF_THE_PAPERS,
    Sample,
    Verdict,
    judge_interval,
    judge_mean,
    judge_sd,
)

MARGIN = MARGINS["error rate"].value
JUDGED = {
    **dict.fromkeys((1, 2, 3), ("data", "method", "printed", "ours", "low", "high")),
    4: ("data", "method", "printed", "printed_sd", "ours", "sd", "runs"),
    5: ("data", "method", "measure", "printed", "ours", "low", "high"),
    6: (),
}
"""Columns that verdicts are computed from, by table; times have none."""
CHOSEN = {
    1: "the scaling of the columns and which error rate a column prints follow from the printed numbers",
    2: "which error rate a column prints, and s by the printed number of features",
    3: "the scaling of the series and which error rate a column prints follow from the printed numbers",
    4: "which error rate a column prints, and s by the printed number of features",
    5: "s by the printed number of features",
}
"""What was chosen after seeing the printed numbers, by table."""


def judge_table(number: int, table: pd.DataFrame) -> pd.DataFrame:
    """A table with verdicts; for Table 6, of times, the table itself.

    Parameters
    ----------
    number : {1, 2, 3, 4, 5, 6}
        Number of the table.
    table : DataFrame
        Our numbers beside the printed ones.

    Returns
    -------
    DataFrame
        See `with_verdicts`. Where the data are not here, the column ``verdict`` says so.
    """
    if number == 6:
        return table
    judged = judge_features(table) if number == 5 else judge_errors(table, spreads=number == 4)
    return judged.assign(verdict=judged["verdict"].mask(judged["ours"].isna(), NOT_HERE))


def judge_errors(table: pd.DataFrame, spreads: bool) -> pd.DataFrame:
    """Table 1, 2, 3 or 4, or its readings, with verdicts.

    Parameters
    ----------
    table : DataFrame
        Our numbers beside the printed ones; rows without our number are of data that are not here.
    spreads : bool
        Whether means with standard deviations are printed, as in Table 4.

    Returns
    -------
    DataFrame
        See `with_verdicts`. A cell is a printed number, in Table 4 a mean with its standard deviation.
    """

    def samples(row: Row) -> tuple[Sample, Sample]:
        printed = Sample(row["printed"], row["printed_sd"], RUNS_OF_THE_PAPERS)
        return Sample(row["ours"], row["sd"], min(row["runs"], RUNS_OF_THE_PAPERS)), printed

    def judge(row: Row) -> Verdict:
        if math.isnan(row["ours"]):
            return NOTHING
        if spreads:
            return judge_mean(*samples(row), MARGIN, BELOW)
        if row["method"] in FIXED:
            low = high = row["ours"]
        else:
            low, high = row["low"], row["high"]
        return judge_interval(row["ours"], (low, high), row["printed"], MARGIN, BELOW)

    def judge_deviation(row: Row) -> Verdict:
        return NOTHING if math.isnan(row["ours"]) else judge_sd(*samples(row), BELOW)

    return with_verdicts(table, judge, judge_deviation if spreads else None)


def judge_features(table: pd.DataFrame) -> pd.DataFrame:
    """Table 5 with verdicts.

    Parameters
    ----------
    table : DataFrame
        From `feature_table`; rows without our number are of data that are not here.

    Returns
    -------
    DataFrame
        See `with_verdicts`. A cell is a printed number. Numbers of features that served to choose s have no
        verdict.
    """

    def judge(row: Row) -> Verdict:
        if np.isnan(row["ours"]) or (row["measure"] == "RF" and row["method"] != IFPCA):
            return NOTHING
        margin = MARGINS["features" if row["measure"] == "RF" else "Dunn index"].around(row["printed"])
        return judge_interval(row["ours"], (row["low"], row["high"]), row["printed"], margin, BELOW)

    return with_verdicts(table, judge)


def with_reasons(judged: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
    """A judged table with the column ``reason``: other readings equivalent to a number to which ours is not.

    Parameters
    ----------
    judged, readings : DataFrame
        The table and its other readings, both with verdicts.

    Returns
    -------
    DataFrame
        The table; the reason is empty where ours is equivalent or no reading is.
    """

    def reason(row: Any) -> str:
        if row.word in ("", EQUIVALENT) or not len(readings):
            return ""
        same = (readings["data"] == row.data) & (readings["method"] == row.method)
        hits = readings[same & (readings["word"] == EQUIVALENT)]
        return "; ".join(f"equivalent with {hit.reading} ({hit.ours:.3f})" for hit in hits.itertuples())

    return judged.assign(reason=[reason(row) for row in judged.itertuples()])
