"""Numbers of a table of 20 runs, their variation, verdicts on printed numbers, and rank-sum tests."""

import math
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from validation.papers.shared.verdict_tables import TOO_FEW
from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS

PUBLISHED = Path(__file__).parent / "published.toml"
N_TABLES = 2000
"""Number of resampled tables of 20 runs."""
LEVEL = 0.95
ABOVE, BELOW = 5.001e-4, 9.999e-4
"""Largest amounts by which a printed number may be above and below the true one: some are rounded, others
truncated, as 13/42 to 0.309."""
SIGNIFICANT = 0.05

Statistic = Callable[..., Any]


@cache
def load_published() -> dict[str, Any]:
    """The printed numbers: ``table1`` to ``table6`` by column and data set."""
    return tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))


def table_value(values: pd.Series, statistic: Statistic) -> float:
    """A statistic of the first 20 runs, as printed in a table.

    Parameters
    ----------
    values : Series
        One number per run, in their order.
    statistic : {np.min, np.mean}
        Best run, or mean.

    Returns
    -------
    float
        The number.
    """
    return float(statistic(values.to_numpy(float)[:RUNS_OF_THE_PAPERS]))


def table_interval(values: pd.Series, statistic: Statistic) -> tuple[float, float]:
    """95 % interval of a statistic over tables of 20 runs, by resampling all our runs.

    Parameters
    ----------
    values : Series
        One number per run.
    statistic : {np.min, np.mean}
        Best run, or mean.

    Returns
    -------
    low, high : float
        Ends of the interval.
    """
    known = values.to_numpy(float)
    draws = np.random.default_rng(0).integers(len(known), size=(N_TABLES, RUNS_OF_THE_PAPERS))
    tables = statistic(known[draws], axis=1)
    low, high = np.quantile(tables, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def is_exact(printed: float, ours: float) -> bool:
    """Whether our number, rounded or truncated, equals the printed one."""
    return -BELOW <= printed - ours <= ABOVE


def judge(printed: float, ours: float, interval: tuple[float, float], n_runs: int) -> str:
    """Verdict on a printed error rate.

    Parameters
    ----------
    printed, ours : float
        The numbers.
    interval : tuple of float
        95 % interval of ours over tables.
    n_runs : int
        Our runs.

    Returns
    -------
    str
        "reproduced" if the printed number equals ours or lies in the interval, to the digits printed; else
        "better" if ours is lower, or "not reproduced". "too few runs" with fewer runs than in the paper;
        empty if nothing is printed.
    """
    if math.isnan(printed):
        return ""
    low, high = interval
    if n_runs < RUNS_OF_THE_PAPERS:
        return TOO_FEW
    if low - BELOW <= printed <= high + ABOVE or is_exact(printed, ours):
        return "reproduced"
    return "better" if ours < printed else "not reproduced"


def rank_sum(a: Sequence[float] | NDArray[Any], b: Sequence[float] | NDArray[Any]) -> float:
    """Two-sided p-value of Wilcoxon's rank-sum test, as by R's wilcox.test with ties; 1 for equal samples.

    Parameters
    ----------
    a, b : array_like
        Two samples.

    Returns
    -------
    float
        From the normal approximation, corrected for ties and continuity.
    """
    if len(np.unique(np.concatenate([a, b]))) == 1:
        return 1.0
    return float(mannwhitneyu(a, b, method="asymptotic", use_continuity=True).pvalue)


def holm(pvalues: Sequence[float]) -> NDArray[np.float64]:
    """P-values adjusted for the number of tests by Holm's step-down rule.

    Parameters
    ----------
    pvalues : sequence of float
        P-values of one family of tests.

    Returns
    -------
    ndarray
        In the order given, at most 1.
    """
    values = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def compare_with_best(samples: dict[str, NDArray[Any]]) -> pd.DataFrame:
    """Rank-sum tests of every method against the method with the lowest mean.

    Parameters
    ----------
    samples : dict of str to ndarray
        Errors of the runs by method.

    Returns
    -------
    DataFrame
        By method: ``best`` (whether it has the lowest mean), ``p`` and ``p_holm``, NaN for the best.
    """
    best = min(samples, key=lambda name: float(np.mean(samples[name])))
    others = [name for name in samples if name != best]
    raw = [rank_sum(samples[name], samples[best]) for name in others]
    frame = pd.DataFrame({"p": raw, "p_holm": holm(raw)}, index=others).reindex(list(samples))
    return frame.assign(best=[name == best for name in samples])
