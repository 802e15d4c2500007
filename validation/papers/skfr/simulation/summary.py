"""Medians with quartiles and intervals, beside the printed numbers."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from validation.papers.skfr.simulation.designs import count_trials

PUBLISHED = Path(__file__).parent / "published.toml"
TRIALS_OF_THE_PAPER = 30
N_RESAMPLES = 2000


def load_published() -> list[dict[str, Any]]:
    """The printed numbers: table, experiment, method, measure, and values by number of features."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["published"]


def median_interval(values: np.ndarray, size: int = TRIALS_OF_THE_PAPER) -> tuple[float, float]:
    """95 % interval of the median of `size` trials, by resampling the trials that were run.

    Parameters
    ----------
    values : ndarray of shape (m,)
        One number per trial.
    size : int, default=30
        Trials behind one median.

    Returns
    -------
    low, high : float
        The interval.
    """
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(values, (N_RESAMPLES, size)), axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    return float(low), float(high)


def summarise_trials(trials: pd.DataFrame, measures: tuple[str, ...]) -> pd.DataFrame:
    """Median, quartiles and interval of every measure in every cell, with the printed value if there is one.

    Parameters
    ----------
    trials : DataFrame
        From `validation.papers.skfr.simulation.runner.run_experiment`.
    measures : tuple of str
        Columns of `trials`.

    Returns
    -------
    DataFrame
        Columns experiment, n_features, method, measure, trials, median, q25, q75, low, high, first,
        published, inside; `first` is the median of the trials that the quick scale repeats.
    """
    printed = {
        (entry["experiment"], int(size), entry["method"], entry["measure"]): value
        for entry in load_published()
        for size, value in entry["values"].items()
    }
    rows = []
    for (experiment, size, method), cell in trials.groupby(
        ["experiment", "n_features", "method"], sort=False
    ):
        for measure in measures:
            values = cell.get(measure, pd.Series(dtype=float)).dropna().to_numpy()
            if not len(values):
                continue
            enough = len(values) >= TRIALS_OF_THE_PAPER  # fewer would give too narrow intervals
            low, high = median_interval(values) if enough else (float("nan"), float("nan"))
            printed_as = str(method).removesuffix(" (R sparcl)")
            value = printed.get((experiment, size, printed_as, measure), float("nan"))
            q25, median, q75 = np.quantile(values, [0.25, 0.5, 0.75])
            row = {"experiment": experiment, "n_features": size, "method": method, "measure": measure}
            row |= {"trials": len(values), "median": median, "q25": q25, "q75": q75, "low": low, "high": high}
            row["first"] = cell.loc[cell["trial"] < count_trials(method, "quick"), measure].median()
            # The paper rounds to two or three digits.
            inside = None if np.isnan(value) or not enough else bool(low - 5e-4 <= value <= high + 5e-4)
            rows.append({**row, "published": value, "inside": inside})
    return pd.DataFrame(rows)
