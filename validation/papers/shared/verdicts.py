"""Verdicts on printed numbers: equivalent, different or undecided, by one rule for all papers.

The interval of the difference between our number and the printed one decides. It has a level of 95 % and
counts the runs on both sides and the rounding of the printed number.

- *equivalent*: the whole interval lies within the margin of the measure (`margins`). These are two
  one-sided tests (TOST), each at 2.5 %, so that one interval serves all three words. Equivalent goes first: a
  difference that is significant but whose interval lies within the margin is equivalent.
- *different*: the interval excludes 0 and the numbers are not equivalent. "Higher" and "lower" say where our
  number is.
- *undecided*: anything else. The interval is too wide.

Standard deviations are judged likewise, by the ratio of ours to the printed one, with `SD_FACTOR` as margin.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW
from statsmodels.tools.sm_exceptions import ModelWarning

from validation.papers.shared.margins import SD_FACTOR

EQUIVALENT, DIFFERENT, UNDECIDED = WORDS = ("equivalent", "different", "undecided")
RUNS_OF_THE_PAPERS = 20
"""Number of runs behind a printed number, in all of the papers."""
LEVEL = 0.95
"""Level of the intervals; a verdict "different" is a test at 1 - LEVEL."""
FEWEST = 3
"""Fewest runs with an interval; with fewer the verdict is "undecided"."""
N_TABLES = 2000
"""Number of resampled tables."""
TAIL = (1 - LEVEL) / 2
MANY = 10**6
"""Runs that leave the paper's as the only source of error."""
SLACK = 1e-12
"""A difference that is the margin up to rounding of float64 is within it, relative to the margin."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What is known of some runs.

    Attributes
    ----------
    mean : float
        Mean.
    sd : float
        Standard deviation, dividing by runs - 1; NaN if it was not printed.
    runs : float
        Number of runs; infinite for a number that is given without any error.
    """

    mean: float
    sd: float
    runs: float

    @classmethod
    def of(cls, values: ArrayLike) -> "Sample":
        """The sample of these values; NaN (a run that failed) is left out."""
        known = np.asarray(values, dtype=np.float64)
        known = known[~np.isnan(known)]
        sd = float(known.std(ddof=1)) if len(known) > 1 else float("nan")
        return cls(float(known.mean()) if len(known) else float("nan"), sd, len(known))

    @classmethod
    def exact(cls, value: float) -> "Sample":
        """A number without error, such as a size that was set."""
        return cls(value, float("nan"), float("inf"))

    @classmethod
    def with_error(cls, mean: float, error: float, runs: int) -> "Sample":
        """The sample with this standard error of the mean."""
        return cls(mean, error * runs**0.5, runs)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict with the numbers behind it.

    Attributes
    ----------
    word : str
        One of `WORDS`; empty if nothing is printed.
    estimate : float
        Our number minus the printed one, in the unit of the measure; for spreads our standard deviation
        divided by the printed one.
    low, high : float
        Ends of the 95 % interval of `estimate`.
    margin : float
        Largest difference that counts as none; for spreads the largest factor.
    p_equivalent, p_different : float
        P-value of the two one-sided tests (the larger of the two) and of the two-sided test.
    neutral : float
        The estimate of equal numbers: 0 for differences, 1 for ratios.
    """

    word: str
    estimate: float
    low: float
    high: float
    margin: float
    p_equivalent: float
    p_different: float
    neutral: float = 0.0

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.high - self.low

    @property
    def text(self) -> str:
        """The word; for different numbers also where ours is."""
        if self.word != DIFFERENT:
            return self.word
        return f"{DIFFERENT}, {'higher' if self.low > self.neutral else 'lower'}"


NOTHING = Verdict("", *[float("nan")] * 6)
"""The verdict where nothing is printed or we have no number."""


def shown_error(error: float, runs: float) -> float:
    """A standard error as it is printed: NaN (no error) from fewer than `FEWEST` runs."""
    return error if runs >= FEWEST else float("nan")


def judge_mean(ours: Sample, printed: Sample, margin: float, rounding: float = 0.0) -> Verdict:
    """Verdict on a printed mean, by Welch's t tests.

    Parameters
    ----------
    ours, printed : Sample
        Our runs and the printed ones. A printed mean without standard deviation is taken to vary as
        ours does; with infinitely many runs it is taken as exact (a one-sample test).
    margin : float
        Largest difference that counts as none, in the unit of the mean.
    rounding : float, default=0.0
        Half a unit of the last digit printed.

    Returns
    -------
    Verdict
        Undecided without interval if either side has fewer than `FEWEST` runs.
    """
    difference = ours.mean - printed.mean
    if np.isnan(difference):
        return NOTHING
    spreads = [sample.sd for sample in (ours, printed) if not np.isnan(sample.sd)]
    if not spreads or np.isnan(ours.sd) or min(ours.runs, printed.runs) < FEWEST:
        return _without_interval(difference, margin)
    inner, near = margin - rounding, float(np.clip(difference, -rounding, rounding))
    if max(spreads) == 0:
        low = high = difference
        p_equivalent = float(abs(difference) > inner + SLACK * margin)
        p_different = float(difference == near)
    elif np.isnan(printed.sd):
        scale = (1 + ours.runs / printed.runs) ** 0.5
        one = _describe(Sample(difference, ours.sd * scale, ours.runs))
        low, high = one.tconfint_mean(1 - LEVEL)
        p_equivalent = one.ttost_mean(-inner, inner)[0] if inner > 0 else 1.0
        p_different = one.ttest_mean(near)[1]
    else:
        two = CompareMeans(_describe(ours), _describe(printed))
        low, high = two.tconfint_diff(1 - LEVEL, usevar="unequal")
        p_equivalent = two.ttost_ind(-inner, inner, usevar="unequal")[0] if inner > 0 else 1.0
        p_different = two.ttest_ind(usevar="unequal", value=near)[1]
    ends = float(low) - rounding, float(high) + rounding
    return _decide(difference, ends, margin, (float(p_equivalent), float(p_different)))


def judge_sd(ours: Sample, printed: Sample, rounding: float = 0.0, factor: float = SD_FACTOR) -> Verdict:
    """Verdict on a printed standard deviation, by F tests of the ratio of variances.

    The F tests assume runs that are close to normal; rare outliers make "different" too frequent.

    Parameters
    ----------
    ours, printed : Sample
        Our runs and the printed ones; the means are not used.
    rounding : float, default=0.0
        Half a unit of the last digit printed.
    factor : float, default=1.5
        Largest ratio of the standard deviations, either way, that counts as none; dimensionless.

    Returns
    -------
    Verdict
        Its estimate and interval are ratios of standard deviations. Two spreads that are both 0 to the digits
        printed are equivalent.
    """
    if np.isnan(printed.sd) or np.isnan(ours.mean):
        return NOTHING
    ratio = float(ours.sd / printed.sd) if printed.sd > 0 else (1.0 if ours.sd <= rounding else np.inf)
    if np.isnan(ours.sd) or min(ours.runs, printed.runs) < FEWEST:
        return _without_interval(ratio, factor, neutral=1.0)
    if ours.sd <= rounding and printed.sd <= rounding:
        return Verdict(EQUIVALENT, 1.0, 1.0, 1.0, factor, 0.0, 1.0, neutral=1.0)
    spread = stats.f(ours.runs - 1, printed.runs - 1)
    smallest = ours.sd / (printed.sd + rounding) if printed.sd + rounding > 0 else np.inf
    largest = ours.sd / (printed.sd - rounding) if printed.sd > rounding else np.inf
    low, high = smallest / spread.ppf(1 - TAIL) ** 0.5, largest / spread.ppf(TAIL) ** 0.5
    p_equivalent = max(spread.cdf((largest / factor) ** 2), spread.sf((smallest * factor) ** 2))
    p_different = min(1.0, 2 * min(spread.sf(smallest**2), spread.cdf(largest**2)))
    if smallest <= 1 <= largest:
        p_different = 1.0
    ends, p_values = (float(low), float(high)), (float(p_equivalent), float(p_different))
    return _decide(ratio, ends, factor, p_values, neutral=1.0)


def draw_tables(n_runs: int, n_reported: int = RUNS_OF_THE_PAPERS) -> NDArray[np.intp]:
    """Runs of resampled tables, for numbers that are no means, such as the best of 20 runs.

    Parameters
    ----------
    n_runs : int
        Our runs.
    n_reported : int, default=20
        Runs behind a printed number.

    Returns
    -------
    ndarray of shape (2000, n_reported)
        Each row draws as many runs as we have, with replacement, and then its own runs from these: so the
        rows vary with our number of runs and with the paper's. Always the same for the same arguments.
    """
    rng = np.random.default_rng(0)
    again = rng.integers(n_runs, size=(N_TABLES, n_runs))
    return np.take_along_axis(again, rng.integers(n_runs, size=(N_TABLES, n_reported)), axis=1)


def judge_draws(
    ours: float, draws: NDArray[np.float64], printed: float, margin: float, rounding: float = 0.0
) -> Verdict:
    """Verdict on a printed number that is one table's statistic, by resampled tables of our runs.

    Parameters
    ----------
    ours : float
        Our number.
    draws : ndarray
        The statistic of tables from `draw_tables`.
    printed : float
        Printed number.
    margin : float
        Largest difference that counts as none, in the unit of the number.
    rounding : float, default=0.0
        Half a unit of the last digit printed.

    Returns
    -------
    Verdict
        Its interval holds 95 % of the differences between `draws` and the printed number.
    """
    if np.isnan(printed) or np.isnan(ours):
        return NOTHING
    gaps = np.sort(np.asarray(draws, dtype=np.float64) - printed)
    low, high = interval_of(gaps)
    size = len(gaps) + 1

    def share(hits: NDArray[Any]) -> float:
        return float((hits.sum() + 1) / size)

    p_equivalent = max(share(gaps < rounding - margin), share(gaps > margin - rounding))
    p_different = min(1.0, 2 * min(share(gaps <= rounding), share(gaps >= -rounding)))
    return _decide(ours - printed, (low - rounding, high + rounding), margin, (p_equivalent, p_different))


def best_ranks(n_runs: int, n_reported: int = RUNS_OF_THE_PAPERS) -> tuple[int, int]:
    """Ranks among our runs between which the best of the paper's runs lies with 95 %, if nothing differs.

    Exact for runs of any distribution. Resampling our runs would not do: the paper's best may be better than
    all of ours.

    Parameters
    ----------
    n_runs : int
        Our runs.
    n_reported : int, default=20
        The paper's runs, of which the best is printed.

    Returns
    -------
    low, high : int
        Ranks from 1 (our best run). 0 stands for a run better than all of ours: with fewer than 780 runs for
        20 of the paper. ``n_runs + 1`` stands for one worse than all of ours.
    """
    ranks = np.arange(n_runs + 1)
    steps = np.arange(n_reported)[:, None]
    # Probability that all runs of the paper are worse than our run of this rank.
    worse = ((n_runs + 1 - ranks + steps) / (n_runs + 1 + steps)).prod(axis=0)
    low = int(ranks[1 - worse <= TAIL + SLACK].max())
    high = ranks[worse <= TAIL]
    return low, int(high.min()) if len(high) else n_runs + 1


def best_interval(ordered: ArrayLike, floor: float = 0.0) -> tuple[float, float]:
    """95 % interval of the number that a table prints for the best of 20 runs.

    Parameters
    ----------
    ordered : array_like
        The number of each of our runs, the best run first; a smaller number is better.
    floor : float, default=0.0
        The smallest number possible: the end of the interval if the paper's best may be better than all ours.

    Returns
    -------
    low, high : float
        Smallest and largest number between the ranks of `best_ranks`; infinite if it may be worse than all.
    """
    values = np.asarray(ordered, dtype=np.float64)
    first, last = best_ranks(len(values))
    between = values[max(first, 1) - 1 : last]
    return floor if first == 0 else float(between.min()), np.inf if last > len(values) else float(
        between.max()
    )


def interval_of(draws: NDArray[np.float64]) -> tuple[float, float]:
    """The interval that holds 95 % of some draws."""
    low, high = np.quantile(draws, [TAIL, 1 - TAIL])
    return float(low), float(high)


def judge_interval(
    ours: float, interval: tuple[float, float], printed: float, margin: float, rounding: float = 0.0
) -> Verdict:
    """Verdict from a recorded 95 % interval of our number, by the same rule and without p-values.

    Parameters
    ----------
    ours : float
        Our number.
    interval : tuple of float
        `interval_of` the statistic over tables from `draw_tables`.
    printed, margin, rounding : float
        As in `judge_draws`.

    Returns
    -------
    Verdict
        Its p-values are NaN.
    """
    if np.isnan(printed) or np.isnan(ours):
        return NOTHING
    low, high = (end - printed for end in interval)
    if np.isnan(low) or np.isnan(high):
        return _without_interval(ours - printed, margin)
    return _decide(ours - printed, (low - rounding, high + rounding), margin, (np.nan, np.nan))


def judge_dependent(differences: ArrayLike, groups: Sequence[Any], margin: float) -> Verdict:
    """Verdict on the mean of differences that depend on each other within groups, by a mixed model.

    The model has one mean and a random effect per group (REML, statsmodels' MixedLM). The interval of the
    mean is Student's with one degree of freedom less than there are groups.

    Parameters
    ----------
    differences : array_like of shape (n,)
        Such as the lead of a method in the cases of several data sets.
    groups : sequence of length n
        The group of each, such as its data set; at least `FEWEST` groups.
    margin : float
        Largest mean difference that counts as none, in the unit of the differences.

    Returns
    -------
    Verdict
        Undecided without interval with fewer than `FEWEST` groups.
    """
    values = np.asarray(differences, dtype=np.float64)
    n_groups = len(set(groups))
    scale = float(values.std())
    if n_groups < FEWEST:
        return _without_interval(float(values.mean()), margin)
    if scale <= SLACK * float(np.abs(values).max()):
        return judge_mean(Sample(float(values.mean()), 0.0, n_groups), Sample.exact(0.0), margin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # groups without a difference: variance 0
        fit = MixedLM(values / scale, np.ones(len(values)), np.asarray(groups)).fit(reml=True)
    # The error of the mean from the two variances: statsmodels' own fails where that of groups is 0.
    between, within = float(np.squeeze(fit.cov_re)), float(fit.scale)
    sizes = np.unique(np.asarray(groups), return_counts=True)[1]
    error = float((sizes / (within + sizes * between)).sum() ** -0.5) * scale
    mean = float(fit.fe_params[0]) * scale
    return judge_mean(Sample.with_error(mean, error, n_groups), Sample.exact(0.0), margin)


def can_be_decided(ours: Sample, printed: Sample, margin: float, rounding: float = 0.0) -> bool:
    """Whether a cell is undecided that would be decided if endless runs of ours gave the same numbers.

    Parameters
    ----------
    ours, printed, margin, rounding
        As in `judge_mean`; the standard deviations are judged too.

    Returns
    -------
    bool
        False for a decided cell, and where the paper's own runs leave the interval too wide.
    """

    def word(sample: Sample) -> str:
        verdicts = judge_mean(sample, printed, margin, rounding), judge_sd(sample, printed, rounding)
        return join_words(verdict.word for verdict in verdicts)

    return word(ours) == UNDECIDED != word(replace(ours, runs=MANY))


def best_can_be_decided(ordered: ArrayLike, printed: float, margin: float) -> bool:
    """`can_be_decided` for the best of 20 runs.

    Parameters
    ----------
    ordered : array_like
        The number of each of our runs, the best run first.
    printed, margin : float
        As in `judge_interval`.

    Returns
    -------
    bool
        Whether the number is undecided now, and would not be if endless runs were distributed as ours.
    """
    values = np.asarray(ordered, dtype=np.float64)
    shares = 1 - (1 - TAIL) ** (1 / RUNS_OF_THE_PAPERS), 1 - TAIL ** (1 / RUNS_OF_THE_PAPERS)
    first, last = (int(share * len(values)) for share in shares)
    between = values[first : last + 1]
    endless = float(between.min()), float(between.max())
    words = [
        judge_interval(float(values[0]), ends, printed, margin).word
        for ends in (best_interval(values), endless)
    ]
    return words[0] == UNDECIDED != words[1]


def adjust(p_values: Iterable[float]) -> NDArray[np.float64]:
    """P-values of one family of tests, adjusted by Holm's rule; NaN stays and does not count.

    Parameters
    ----------
    p_values : iterable of float
        One per test, such as `Verdict.p_different` of all numbers of a table.

    Returns
    -------
    ndarray
        In the order given.
    """
    adjusted = np.asarray(list(p_values), dtype=np.float64)
    known = ~np.isnan(adjusted)
    if known.any():
        adjusted[known] = multipletests(adjusted[known], method="holm")[1]
    return adjusted


def join_words(words: Iterable[str]) -> str:
    """The word on several numbers of one cell, such as a mean and its standard deviation.

    Parameters
    ----------
    words : iterable of str
        Words of the single numbers; empty ones do not count.

    Returns
    -------
    str
        "different" if one is, else "undecided" if one is, else "equivalent"; empty without any.
    """
    found = set(words) - {""}
    return next((word for word in (DIFFERENT, UNDECIDED, EQUIVALENT) if word in found), "")


def _describe(sample: Sample) -> DescrStatsW:
    """A sample for statsmodels: two values, weighted so that mean, deviation and number of runs are these."""
    half = sample.sd * ((sample.runs - 1) / sample.runs) ** 0.5
    return DescrStatsW(np.array([sample.mean - half, sample.mean + half]), weights=[sample.runs / 2] * 2)


def _without_interval(estimate: float, margin: float, neutral: float = 0.0) -> Verdict:
    """An undecided verdict from too few runs."""
    low = 0.0 if neutral else -np.inf
    return Verdict(UNDECIDED, estimate, low, np.inf, margin, np.nan, np.nan, neutral)


def _decide(
    estimate: float,
    ends: tuple[float, float],
    margin: float,
    p_values: tuple[float, float],
    neutral: float = 0.0,
) -> Verdict:
    """The verdict from the interval."""
    lowest, highest = (1 / margin, margin) if neutral else (-margin, margin)
    slack = SLACK * margin
    low, high = ends
    if lowest - slack <= low and high <= highest + slack:
        word = EQUIVALENT
    else:
        word = DIFFERENT if low > neutral or high < neutral else UNDECIDED
    return Verdict(word, estimate, low, high, margin, *p_values, neutral)
