"""Numbers of a table of 20 runs, their intervals, verdicts on printed numbers, and rank-sum tests."""

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu

from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS, adjust

PUBLISHED = Path(__file__).parent / "published.toml"
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


def is_exact(printed: float, ours: float) -> bool:
    """Whether our number, rounded or truncated, equals the printed one."""
    return -BELOW <= printed - ours <= ABOVE


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
    frame = pd.DataFrame({"p": raw, "p_holm": adjust(raw)}, index=others).reindex(list(samples))
    return frame.assign(best=[name == best for name in samples])
