"""Tables 5 and 6: retained features with Dunn's index, and run times as ratios."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.minmax.designs import DATA, FOUR, TABLES, measure_of
from validation.papers.minmax.error_tables import printed_rows
from validation.papers.minmax.summary import is_exact
from validation.papers.shared.claims import Claim
from validation.papers.shared.outcomes import OUTCOMES, write_outcomes
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS


def feature_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Table 5.

    Parameters
    ----------
    runs : DataFrame
        All runs.

    Returns
    -------
    DataFrame
        One row per data set, method and measure. Our number is of the first run with the lowest error; beside
        it is the share of the first 20 runs with the printed number.
    """
    rows: list[dict[str, Any]] = []
    for (data, method), cell in runs.groupby(["data", "method"], sort=False):
        first = cell.iloc[:RUNS_OF_THE_PAPERS]
        best = first.loc[first[measure_of(method)].idxmin()]
        for entry in printed_rows(5, method, data):
            values = first["n_features" if entry["measure"] == "RF" else "dunn"]
            near = values.map(partial(is_exact, entry["printed"]))
            ours = float(best[values.name])
            ranked = cell.sort_values(measure_of(method), kind="stable")[values.name]
            rows.append({"data": DATA[data].title, **entry, "ours": ours, "share": near.mean(),
                         "median": values.median(), "bound": best["bound"], "runs": len(cell),
                         OUTCOMES: write_outcomes(ranked)})  # fmt: skip
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["data", "method", "measure", "ours"])


def time_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Table 6.

    Parameters
    ----------
    runs : DataFrame
        All runs.

    Returns
    -------
    DataFrame
        One row per data set and method: seconds over those of kM_0, printed and ours (medians of the
        processor's seconds of the first 20 runs). No verdicts: two machines and two languages.
    """
    seconds = (
        runs[runs["trial"] < RUNS_OF_THE_PAPERS].groupby(["data", "method"], sort=False)["seconds"].median()
        if len(runs)
        else pd.Series(dtype=float)
    )
    rows: list[dict[str, Any]] = []
    for data in dict.fromkeys(runs["data"]):
        for column, method in TABLES[6][1].items():
            (entry,) = printed_rows(6, column, data)
            ours = seconds[data, method] / seconds[data, "kM_0"]
            rows.append({"data": DATA[data].title, **entry, "ours": ours, "seconds": seconds[data, method],
                         })  # fmt: skip
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else ["data", "method", "printed", "ours"])


def time_claims(table: pd.DataFrame) -> list[Claim]:
    """The paper's claims on run times, checked on the data at hand.

    Parameters
    ----------
    table : DataFrame
        From `time_table`.

    Returns
    -------
    list of Claim
        A claim holds if it holds on all data sets.
    """
    wide = table.dropna(subset="ours").pivot(index="data", columns="method", values="ours")
    if not len(wide):
        return []
    madd, ifpca, sparse, minmax = (wide[name] for name in FOUR)

    def claim(text: str, holds: pd.Series) -> Claim:
        return Claim(text, f"on {int(holds.sum())} of {len(holds)} sets", bool(np.all(holds)))

    return [
        claim("IF-HCT-PCA takes longest", ifpca >= wide.max(axis=1)),
        claim("MADD k-Means takes least", madd <= wide.min(axis=1)),
        claim("Sparse MinMax k-Means takes longer than Sparse k-Means", minmax > sparse),
    ]
