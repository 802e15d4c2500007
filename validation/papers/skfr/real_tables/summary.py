"""Numbers of a table of 20 runs, their Monte Carlo errors, and verdicts on the printed numbers."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from validation.papers.shared.verdict_tables import MARKS, TOO_FEW, markdown_grid
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS

PUBLISHED = Path(__file__).parent / "published.toml"
N_RESAMPLES = 2000
ROUNDING = {"nmi": 5e-4}
"""Half a unit of the last digit printed; counts are exact."""
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
    """

    value: float
    sd: float
    error: float


@cache
def load_published() -> dict[str, Any]:
    """The printed numbers: ``table3`` and ``table4`` by method and data set."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def printed_once(number: int, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of Table 3 or 4 by the paper's own methods; other rows repeat the same printed numbers."""
    return table[table["method"].isin(load_published()[f"table{number}"])]


def explain(others: pd.DataFrame) -> str:
    """A sentence on the other readings that give a printed number.

    Parameters
    ----------
    others : DataFrame
        Columns reading, ours and verdict, a row per other reading of one printed number.

    Returns
    -------
    str
        The readings that reproduce it, with our number; if none, the nearest.
    """

    def name(rows: pd.DataFrame) -> str:
        return "; ".join(f"{row.reading} ({row.ours:.3g})" for row in rows.itertuples())

    hits = others[others["verdict"] == "reproduced"]
    if len(hits):
        return f"reproduced with {name(hits)}"
    nearest = (others["ours"] - others["printed"]).abs().argsort().iloc[:1]
    return f"no other reading gives it; nearest: {name(others.iloc[nearest])}"


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
    return Estimate(mean, sd / RUNS_OF_THE_PAPERS**0.5, sd / max(len(known), 1) ** 0.5)


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
    return Estimate(float(best.mean()), sd, sd * (RUNS_OF_THE_PAPERS / len(runs)) ** 0.5)


def judge(
    ours: Estimate, printed: float, printed_error: float, n_runs: int, *, larger: bool, rounding: float = 0.0
) -> str:
    """Verdict on a printed number.

    Parameters
    ----------
    ours : Estimate
        Our number.
    printed, printed_error : float
        The printed number and its standard error.
    n_runs : int
        Our runs.
    larger : bool
        Whether larger is better.
    rounding : float, default=0.0
        Half a unit of the last digit printed.

    Returns
    -------
    str
        "reproduced" within two combined standard errors, else "better" or "not reproduced"; "too few runs"
        with fewer runs than in the paper; empty if nothing is printed.
    """
    if np.isnan(printed):
        return ""
    if n_runs < RUNS_OF_THE_PAPERS or np.isnan(ours.value):
        return TOO_FEW
    difference = ours.value - printed if larger else printed - ours.value
    if abs(difference) <= 2 * float(np.hypot(ours.error, printed_error)) + rounding:
        return "reproduced"
    return "better" if difference > 0 else "not reproduced"


def to_markdown(table: pd.DataFrame, rows: str, columns: list[str], digits: int) -> str:
    """A table with the printed number, ours and its standard error, and the verdict in every cell.

    Parameters
    ----------
    table : DataFrame
        Columns printed, ours, se, verdict, and those named by `rows` and `columns`.
    rows : str
        Column that names the rows.
    columns : list of str
        Columns that together name the columns.
    digits : int
        Decimal places.

    Returns
    -------
    str
        Markdown; cells read "printed | ours +- error verdict".
    """

    def cell(row: Any) -> str:
        printed = "-" if np.isnan(row.printed) else f"{row.printed:.{digits}f}"
        ours = f"{row.ours:.{digits}f} ± {row.se:.{digits}f}"
        return f"{printed} / {ours} {MARKS.get(row.verdict, '')}".strip()

    names = table[columns].astype(str).agg(" ".join, axis=1)
    return markdown_grid(table[rows].tolist(), names.tolist(), [cell(row) for row in table.itertuples()])
