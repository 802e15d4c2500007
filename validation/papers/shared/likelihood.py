"""How probable a printed mean and standard deviation are under a reading of what a paper leaves open."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from validation.papers.shared.verdicts import RUNS_OF_THE_PAPERS

ELSEWHERE = 0.05
"""Share of printed pairs that come from something that no reading describes; it bounds what one data set can
say against a reading."""
RANGE = (1.0, 0.5)
"""Range of means and of standard deviations of a measure between 0 and 1, for such pairs."""
FloatArray = NDArray[np.float64]


class Fit(NamedTuple):
    """A printed pair under some readings.

    Attributes
    ----------
    log_likelihood : ndarray of shape (n,)
        Natural logarithm of the density of the printed mean and standard deviation.
    p : ndarray of shape (n,)
        P of a pair as far from the expected one as the printed pair, or farther.
    """

    log_likelihood: FloatArray
    p: FloatArray


def fit_pairs(
    moments: Sequence[ArrayLike],
    n_runs: ArrayLike,
    printed: tuple[FloatArray, FloatArray],
    rounding: float,
    n_printed: int = RUNS_OF_THE_PAPERS,
) -> Fit:
    """The likelihood of printed means and standard deviations.

    A mean and a standard deviation of `n_printed` runs are taken as jointly normal, with the variances and
    the covariance that the first four moments of our runs give.

    Parameters
    ----------
    moments : sequence of four array_like of shape (n,)
        Mean, standard deviation, skewness and excess kurtosis of our runs under each reading.
    n_runs : array_like of shape (n,)
        Our runs.
    printed : tuple of two ndarray of shape (n,)
        The printed mean and standard deviation.
    rounding : float
        Half a unit of the last digit printed.
    n_printed : int, default=20
        Runs behind a printed pair.

    Returns
    -------
    Fit
        One value per reading.
    """
    mean, sd, skew, kurtosis = (np.asarray(values, dtype=np.float64) for values in moments)
    per_run = 1 / n_printed + 1 / np.asarray(n_runs, dtype=np.float64)
    digit = rounding**2 / 3
    var_mean = sd**2 * per_run + digit
    # var(s) = var(s^2) / (4 sigma^2); the spread has a floor of one printed digit
    var_sd = sd**2 * np.maximum(kurtosis + 2, 0.1) * per_run / 4 + (2 * rounding) ** 2
    bound = 0.95 * np.sqrt(var_mean * var_sd)
    both = np.clip(skew * sd**2 * per_run / 2, -bound, bound)
    det = var_mean * var_sd - both**2
    d_mean, d_sd = printed[0] - mean, printed[1] - sd
    distance = (d_mean**2 * var_sd - 2 * d_mean * d_sd * both + d_sd**2 * var_mean) / det
    density = -0.5 * (distance + np.log(det)) - np.log(2 * np.pi)
    elsewhere = np.full_like(density, -np.log(np.prod(RANGE)))
    mixed = np.logaddexp(np.log1p(-ELSEWHERE) + density, np.log(ELSEWHERE) + elsewhere)
    return Fit(mixed, np.exp(-distance / 2))


def posterior(table: pd.DataFrame, keys: Sequence[str], free: str | None = None) -> pd.DataFrame:
    """Posterior probabilities of readings that are equally probable before.

    Parameters
    ----------
    table : DataFrame
        Columns data, `keys` and log_likelihood; with `free` a row for each of its values too.
    keys : sequence of str
        Columns that together name a reading.
    free : str or None, default=None
        A setting that may be another for each data set, such as s: all its values are equally probable
        before, and the likelihood is averaged over them.

    Returns
    -------
    DataFrame
        Columns `keys`, log_likelihood over all data sets, and posterior, largest first.
    """
    groups = [*keys, "data"]
    each = table.groupby(groups, sort=False)["log_likelihood"]
    average = "sum" if free is None else lambda values: logsumexp(values) - np.log(len(values))
    summed = each.agg(average)
    total = summed.groupby(list(keys), sort=False).sum().rename("log_likelihood").reset_index()
    log_likelihood = total["log_likelihood"]
    total["posterior"] = np.exp(log_likelihood - logsumexp(log_likelihood))
    return total.sort_values("posterior", ascending=False, ignore_index=True)


def marginal(readings: pd.DataFrame, keys: Sequence[str]) -> dict[str, tuple[object, float]]:
    """The most probable answer to each open question, with its posterior probability."""
    found = {}
    for key in keys:
        shares = readings.groupby(key, sort=False)["posterior"].sum()
        found[key] = (shares.idxmax(), float(shares.max()))
    return found
