"""Tables 1 to 4: error rates of the best run, and means with rank-sum tests."""

import math
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.minmax.designs import (
    DATA,
    FOUR,
    MEANS,
    MEASURES,
    TABLES,
    measure_of,
)
from validation.papers.minmax.summary import (
    SIGNIFICANT,
    Statistic,
    compare_with_best,
    is_exact,
    load_published,
    table_value,
)
from validation.papers.shared.outcomes import OUTCOMES, write_outcomes
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS

READINGS = {"raw": "raw data", "standardised": "standardised columns", "rows": "standardised rows"}


def printed_rows(number: int, column: str, data: str) -> list[dict[str, Any]]:
    """The printed numbers of a cell: one, or for Table 5 two."""
    found = load_published()[f"table{number}"][column][data]
    if number == 4:
        values = [*found, math.nan][:3]
        return [{"method": column, **dict(zip(("printed", "printed_sd", "printed_p"), values, strict=True))}]
    if number == 5:
        measures = ("RF", "DI")
        return [
            {"method": column, "measure": name, "printed": float(value)}
            for name, value in zip(measures, found, strict=True)
        ]
    if number == 6:
        return [{"method": column, "printed_seconds": found, "printed": printed_ratio(column, data)}]
    return [{"method": column, "printed": found}]


def printed_ratio(column: str, data: str) -> float:
    """Printed seconds over those of MADD k-Means."""
    printed = load_published()["table6"]
    return float(printed[column][data] / printed[next(iter(FOUR))][data])


def statistic_of(number: int, method: str) -> Statistic:
    """The statistic of 20 runs that a column prints."""
    return np.mean if number == 4 or (number == 2 and method in MEANS) else np.min


def describe_cell(number: int, method: str, runs: pd.DataFrame) -> dict[str, Any]:
    """Our numbers for one cell of Tables 1 to 4.

    Parameters
    ----------
    number : {1, 2, 3, 4}
        Table.
    method : str
        Method of the runs.
    runs : DataFrame
        Its runs on one data set.

    Returns
    -------
    dict
        The column's statistic of its error rate, its mean and sd, that of all our runs,
        the three error rates, s and the number of features retained.
    """
    measure, statistic = measure_of(method), statistic_of(number, method)
    first = runs.iloc[:RUNS_OF_THE_PAPERS]
    return {
        "ours": table_value(runs[measure], statistic),
        "mean": first[measure].mean(),
        "sd": first[measure].std(ddof=1) if len(first) > 1 else 0.0,
        "runs": len(runs),
        OUTCOMES: write_outcomes(runs[measure].sort_values()),
        "error": MEASURES[measure],
        **{name: table_value(runs[name], statistic) for name in MEASURES},
        "bound": runs["bound"].iloc[0],
        "n_features": runs["n_features"].dropna().median(),
    }


def best_table(number: int, runs: pd.DataFrame) -> pd.DataFrame:
    """Table 1, 2 or 3.

    Parameters
    ----------
    number : {1, 2, 3}
        Number of the table.
    runs : DataFrame
        All runs.

    Returns
    -------
    DataFrame
        One row per data set and method: printed and ours.
    """
    columns = {run: column for column, run in TABLES[number][1].items()}
    rows = []
    for (data, method), cell in runs.groupby(["data", "method"], sort=False):
        column = columns.get(method, method)
        printed = load_published()[f"table{number}"].get(column, {}).get(data, math.nan)
        found = describe_cell(number, method, cell)
        name = f"{column} ({method})" if column != method else method
        rows.append({"data": DATA[data].title, "method": name if number == 1 else method, "printed": printed,
                     **found, "exact": is_exact(printed, found["ours"])})  # fmt: skip
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["data", "method", "printed", "ours"])


def mean_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Table 4.

    Parameters
    ----------
    runs : DataFrame
        All runs.

    Returns
    -------
    DataFrame
        One row per data set and method: printed mean, sd and p-value, ours, adjusted p-value, and
        whether both p-values lie on the same side of 5 % (empty if one of them is missing, for the
        best method).
    """
    rows: list[dict[str, Any]] = []
    for data, found in runs.groupby("data", sort=False):
        cells = dict(iter(found.groupby("method", sort=False)))
        errors = {
            method: cell[measure_of(method)].to_numpy()[:RUNS_OF_THE_PAPERS] for method, cell in cells.items()
        }
        tests = compare_with_best(errors)
        for column, method in FOUR.items():
            (printed,) = printed_rows(4, column, str(data))
            ours = describe_cell(4, method, cells[method])
            test = tests.loc[method]
            rows.append(
                {
                    "data": DATA[str(data)].title,
                    **printed,
                    **ours,
                    "exact": is_exact(printed["printed"], ours["ours"]),
                    "best": bool(test["best"]),
                    "p": test["p"],
                    "p_holm": test["p_holm"],
                    "p_verdict": _same_side(printed["printed_p"], float(test["p"])),
                }
            )
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["data", "method", "printed", "ours"])


def _same_side(printed: float, ours: float) -> str:
    """Whether two p-values lead to the same conclusion."""
    if math.isnan(printed) or math.isnan(ours):
        return ""
    return "same" if (printed <= SIGNIFICANT) == (ours <= SIGNIFICANT) else "other"


def readings_table(number: int, runs: pd.DataFrame) -> pd.DataFrame:
    """Tables 1 to 3 under the other readings.

    Parameters
    ----------
    number : {1, 2, 3}
        Number of the table.
    runs : DataFrame
        Runs under the other readings.

    Returns
    -------
    DataFrame
        One row per data set, method and reading.
    """
    parts = []
    for scaling, found in runs.groupby("scaling", sort=False) if len(runs) else ():
        reading = READINGS[scaling] + (", s at the largest gap" if number == 2 else "")
        parts.append(best_table(number, found).assign(reading=reading))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["data", "method"])
