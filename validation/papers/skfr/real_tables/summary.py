"""Numbers of a table of 20 runs, their intervals, and verdicts on the printed numbers."""

import math
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from validation.papers.shared.margins import MARGINS
from validation.papers.shared.verdict_tables import MARKS, markdown_grid, with_verdicts
from validation.papers.shared.verdicts import (
    EQUIVALENT,
    RUNS_OF_THE_PAPERS,
    Sample,
    Verdict,
    best_interval,
    draw_tables,
    interval_of,
    judge_interval,
    judge_mean,
    judge_sd,
    shown_error,
)

PUBLISHED = Path(__file__).parent / "published.toml"
N_RESAMPLES = 2000
ROUNDING = 5e-4
"""Half a unit of the last digit printed of NMI; counts are exact."""
OTHER_PROTOCOL = {"Ecoli": "another protocol: all four printed numbers are near 0.36, ours 0.48 to 0.54"}
"""Data sets of Table 4 on which the paper did something else than it says, whatever the method."""
JUDGED_3 = ("half", "method", "measure", "printed", "ours", "low", "high")
"""Columns of Table 3 and its readings that their verdicts are computed from."""
JUDGED_4 = ("data", "method", "printed", "printed_sd", "ours", "sd", "runs")
"""Columns of Table 4 and its readings that their verdicts are computed from."""
REPORTED = ("fewest mixed", "lowest objective", "mean")
"""Rules for the run, of 20, that a table reports."""


class Estimate(NamedTuple):
    """A number of one table of 20 runs.

    Attributes
    ----------
    value : float
        Its expectation over such tables, from our runs.
    sd : float
        Its standard deviation over such tables.
    error : float
        Monte Carlo standard error of `value`.
    low, high : float
        95 % interval of the number of such a table.
    """

    value: float
    sd: float
    error: float
    low: float
    high: float


@cache
def load_published() -> dict[str, Any]:
    """The printed numbers: ``table3`` and ``table4`` by method and data set."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def explain(others: pd.DataFrame) -> str:
    """A sentence on the other readings of a printed number.

    Parameters
    ----------
    others : DataFrame
        Columns reading, printed, ours and word, a row per other reading of one printed number.

    Returns
    -------
    str
        The readings whose number is equivalent, with our number; if none, the nearest. Empty without
        readings.
    """

    def name(rows: pd.DataFrame) -> str:
        return "; ".join(f"{row.reading} ({row.ours:.3g})" for row in rows.itertuples())

    if not len(others):
        return ""
    hits = others[others["word"] == EQUIVALENT]
    if len(hits):
        return f"equivalent with {name(hits)}"
    nearest = (others["ours"] - others["printed"]).abs().argsort().iloc[:1]
    return f"no other reading is equivalent; nearest: {name(others.iloc[nearest])}"


def estimate_mean(values: pd.Series) -> Estimate:
    """The mean of 20 runs.

    Parameters
    ----------
    values : Series
        One number per run; NaN if the method failed.

    Returns
    -------
    Estimate
        Estimate from the runs that did not fail.
    """
    known = values.dropna().to_numpy()
    sd = float(known.std(ddof=1)) if len(known) > 1 else float("nan")
    mean = float(known.mean()) if len(known) else float("nan")
    low, high = (
        interval_of(known[draw_tables(len(known))].mean(axis=1)) if len(known) else (math.nan, math.nan)
    )
    return Estimate(mean, sd / RUNS_OF_THE_PAPERS**0.5, sd / max(len(known), 1) ** 0.5, low, high)


def estimate_reported(runs: pd.DataFrame, measure: str, reported: str) -> Estimate:
    """The number of the run that a table of 20 runs reports, estimated by resampling our runs.

    Parameters
    ----------
    runs : DataFrame
        Columns nodes, total and objective, a row for each run.
    measure : str
        Column that is reported.
    reported : str
        One of `REPORTED`: the run with fewest mixed nodes (ties: fewest rows in them), the run with the
        lowest objective, or the mean of all.

    Returns
    -------
    Estimate
        The estimate; its Monte Carlo error is computed from as many groups of 20 runs as we have.
    """
    if reported == "mean":
        return estimate_mean(runs[measure])
    order = ["nodes", "total"] if reported == "fewest mixed" else ["objective"]
    ranked = runs.sort_values(order, kind="stable")[measure].to_numpy(float)
    draws = np.random.default_rng(0).integers(len(ranked), size=(N_RESAMPLES, RUNS_OF_THE_PAPERS))
    best = ranked[draws.min(axis=1)]
    sd = float(best.std(ddof=1))
    error = sd * (RUNS_OF_THE_PAPERS / len(runs)) ** 0.5
    return Estimate(float(best.mean()), sd, error, *best_interval(ranked))


def margin_of(measure: str) -> float:
    """The margin of a count of Table 3."""
    return MARGINS[{"nodes": "mixed nodes", "total": "mice"}[measure]].value


def judge_table_3(table: pd.DataFrame) -> pd.DataFrame:
    """Table 3 or its readings with verdicts, from the columns ours, low and high.

    Parameters
    ----------
    table : DataFrame
        "table-3" or "table-3-readings".

    Returns
    -------
    DataFrame
        See `with_verdicts`. A cell is a count of one method in one half.
    """

    def judge(row: dict[str, Any]) -> Verdict:
        interval = row["low"], row["high"]
        return judge_interval(row["ours"], interval, row["printed"], margin_of(row["measure"]))

    return with_verdicts(table, judge)


def judge_table_4(table: pd.DataFrame) -> pd.DataFrame:
    """Table 4 with verdicts on the means and standard deviations of the paper's own methods.

    Parameters
    ----------
    table : DataFrame
        "table-4", or "table-4-readings", whose standard deviations are not judged.

    Returns
    -------
    DataFrame
        See `with_verdicts`. A cell is a mean with its standard deviation; rows of other methods repeat
        printed numbers and have no verdict. The column ``protocol`` says where the paper's protocol is
        another.
    """
    own = load_published()["table4"]

    def samples(row: dict[str, Any]) -> tuple[Sample, Sample]:
        printed = Sample(row["printed"], row["printed_sd"], RUNS_OF_THE_PAPERS)
        ours = Sample(row["ours"], row["sd"], row["runs"])
        return (
            (ours, printed) if row["method"] in own else (ours, replace(printed, mean=math.nan, sd=math.nan))
        )

    def judge(row: dict[str, Any]) -> Verdict:
        return judge_mean(*samples(row), MARGINS["nmi"].value, ROUNDING)

    def judge_deviation(row: dict[str, Any]) -> Verdict:
        return judge_sd(*samples(row), ROUNDING)

    judged = with_verdicts(table, judge, judge_deviation)
    return judged.assign(protocol=judged["data"].map(OTHER_PROTOCOL).fillna(""))


def add_reasons(judged: pd.DataFrame, readings: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """A judged table with the column ``reason``: other readings where ours is not equivalent.

    Parameters
    ----------
    judged, readings : DataFrame
        The table and its other readings, both with verdicts.
    keys : list of str
        Columns that name a printed number.

    Returns
    -------
    DataFrame
        The table; the reason is empty where ours is equivalent or nothing was tried.
    """
    groups = dict(iter(readings.groupby(keys))) if len(readings) else {}
    reasons = [
        explain(groups[key]) if row["word"] not in ("", EQUIVALENT) and key in groups else ""
        for row in judged.to_dict("records")
        for key in [tuple(row[name] for name in keys)]
    ]
    return judged.assign(reason=reasons)


def to_markdown(table: pd.DataFrame, rows: str, columns: list[str], digits: int) -> str:
    """A table with the printed number, ours and its standard error, and the verdict in every cell.

    Parameters
    ----------
    table : DataFrame
        Columns printed, ours, se, runs, verdict, and those named by `rows` and `columns`.
    rows : str
        Column that names the rows.
    columns : list of str
        Columns that together name the columns.
    digits : int
        Decimal places.

    Returns
    -------
    str
        Markdown; cells read "printed / ours ± error verdict", without error from fewer than 3 runs.
    """

    def cell(row: Any) -> str:
        printed = "-" if np.isnan(row.printed) else f"{row.printed:.{digits}f}"
        error = shown_error(row.se, row.runs)
        ours = f"{row.ours:.{digits}f}" + ("" if np.isnan(error) else f" ± {error:.{digits}f}")
        return f"{printed} / {ours} {MARKS.get(row.verdict, '')}".strip()

    names = table[columns].astype(str).agg(" ".join, axis=1)
    return markdown_grid(table[rows].tolist(), names.tolist(), [cell(row) for row in table.itertuples()])
