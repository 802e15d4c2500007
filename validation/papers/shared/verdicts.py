"""Verdicts on printed numbers: four words, by one rule for all papers.

The hypothesis of "no difference" is that the paper's runs are further runs of ours. What the paper prints (a
mean, a spread, a median, the best of its runs) is computed for tables of as many further runs, drawn from
ours, and compared with the printed number: exact Monte Carlo tests, for runs of any distribution, such as
mixtures of local optima. `tests_of` gives them; a word follows from two P-values:

- *different*: P of a difference is at most `ALPHA` after Holm's rule over all tests of the table.
- *equivalent*: no difference is shown, and the paper's runs being ours moved by the margin, up or down, are
  both rejected (two one-sided tests at `ALPHA`).
- *different within the margin*: both.
- *undecided*: neither.

A printed mean and a printed spread are two numbers with a verdict each.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.multitest import multipletests
from statsmodels.tools.sm_exceptions import ModelWarning

from validation.papers.shared.margins import SD_FACTOR

EQUIVALENT, WITHIN, DIFFERENT, UNDECIDED = WORDS = (
    "equivalent",
    "different within the margin",
    "different",
    "undecided",
)
RUNS_OF_THE_PAPERS = 20
"""Number of runs behind a printed number, in all of the papers but for the medians of SKFR's Table 2."""
ALPHA = 0.05
"""Level of the tests; intervals hold 1 - ALPHA."""
FEWEST = 3
"""Fewest runs of ours with a test; with fewer the verdict is "undecided"."""
N_DRAWS = 20_000
"""Drawn tables: the smallest P-value is 1 in so many, so that Holm's rule over a hundred tests can reject."""
SLACK = 1e-9
"""Numbers this near, relative to the margin, are the same: float64 rounds, and records have six digits."""
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tests of one printed number."""

    # Our number minus the printed one, in the unit of the measure; for spreads ours over the printed one
    estimate: float
    # low, high: between these lie 95 % of the differences (or ratios) of drawn tables and the printed number
    low: float
    high: float
    margin: float  # Largest difference that counts as none; for spreads the largest factor
    # p_equivalent, p_different: P-value of the two one-sided tests (the larger of the two) and of the
    # two-sided test
    p_equivalent: float
    p_different: float
    error: float = float("nan")  # Standard deviation of the difference over drawn tables, for the joint model
    p_holm: float = float("nan")  # `p_different` adjusted for all tests of the table; NaN before
    neutral: float = 0.0  # The estimate of equal numbers: 0 for differences, 1 for ratios

    @property
    def word(self) -> str:
        """One of `WORDS`; empty if nothing is printed or we have no number."""
        if np.isnan(self.estimate):
            return ""
        p = self.p_different if np.isnan(self.p_holm) else self.p_holm
        near = self.p_equivalent <= ALPHA + SLACK
        if p <= ALPHA + SLACK:
            return WITHIN if near else DIFFERENT
        return EQUIVALENT if near else UNDECIDED

    @property
    def text(self) -> str:
        """The word; for different numbers also where ours is."""
        if self.word not in (DIFFERENT, WITHIN):
            return self.word
        return f"{self.word}, {'higher' if self.estimate > self.neutral else 'lower'}"


NOTHING = Verdict(*[float("nan")] * 6)
"""The verdict where nothing is printed or we have no number."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A number that a table would print, over drawn tables."""

    low: FloatArray  # low, high: (B,): the number of each; the two differ where runs beyond ours would decide
    high: FloatArray
    weights: FloatArray  # (B,): probability of each
    least: float  # Smallest P-value that the number of drawn tables allows; 0 if `weights` are exact

    def at_most(self, value: float) -> float:
        """P of a number up to this."""
        return min(1.0, self.least + float(self.weights[self.low <= value].sum()))

    def at_least(self, value: float) -> float:
        """P of a number from this on."""
        return min(1.0, self.least + float(self.weights[self.high >= value].sum()))

    def ends(self) -> tuple[float, float]:
        """The interval that holds all but `ALPHA`."""
        ends = []
        for values, share in ((self.low, ALPHA / 2), (self.high, 1 - ALPHA / 2)):
            order = np.argsort(values, kind="stable")
            place = np.searchsorted(np.cumsum(self.weights[order]), share)
            ends.append(float(values[order][min(int(place), len(values) - 1)]))
        return ends[0], ends[1]


@lru_cache(maxsize=16)
def draw_places(n_runs: int, n_printed: int = RUNS_OF_THE_PAPERS, n_draws: int = N_DRAWS) -> NDArray[np.intp]:
    """Drawn tables of further runs, as places of ours.

    Every table is drawn from an urn with our runs (Polya's): a run that is drawn is put back with a copy. So
    the tables vary with the paper's number of runs and with ours.

    Shapes: returns (n_draws, n_printed).
    """
    rng = np.random.default_rng([n_runs, n_printed])
    places = np.empty((n_draws, n_printed), dtype=np.intp)
    rows = np.arange(n_draws)
    for drawn in range(n_printed):
        ball = rng.integers(n_runs + drawn, size=n_draws)
        copied = places[rows, np.maximum(ball - n_runs, 0)]
        places[:, drawn] = np.where(ball < n_runs, ball, copied)
    places.setflags(write=False)
    return places


def _from_draws(values: FloatArray) -> Drawn:
    """Equally probable tables; the printed one counts as one of them."""
    share = 1 / (len(values) + 1)
    return Drawn(values, values, np.full(len(values), share), share)


def _known(runs: ArrayLike) -> FloatArray:
    """The runs that did not fail."""
    values = np.asarray(runs, dtype=np.float64)
    return values[~np.isnan(values)]


def _judge(ours: float, drawn: Drawn, printed: float, margin: float, rounding: float) -> Verdict:
    """The tests of a number whose differences are judged."""
    room = rounding + SLACK * margin
    p_different = 2 * min(drawn.at_most(printed + room), drawn.at_least(printed - room))
    p_equivalent = max(
        drawn.at_most(printed - margin + rounding), drawn.at_least(printed + margin - rounding)
    )
    low, high = drawn.ends()
    finite = np.isfinite(drawn.low) & np.isfinite(drawn.high)
    shares = drawn.weights[finite] / drawn.weights[finite].sum()
    middle = (drawn.low[finite] + drawn.high[finite]) / 2
    spread = float(np.sqrt(shares @ (middle - shares @ middle) ** 2))
    error = float(np.hypot(spread, rounding / 3**0.5))
    gaps = (float(value) - printed for value in (ours, low, high))
    return Verdict(*gaps, margin, p_equivalent, min(1.0, p_different), error)


def _too_few(estimate: float, margin: float, neutral: float = 0.0) -> Verdict:
    """An undecided verdict."""
    low = 0.0 if neutral else -np.inf
    return Verdict(estimate, low, np.inf, margin, 1.0, 1.0, neutral=neutral)


def judge_mean(
    runs: ArrayLike,
    printed: float,
    margin: float,
    rounding: float = 0.0,
    printed_sd: float = float("nan"),
    n_printed: int = RUNS_OF_THE_PAPERS,
    n_draws: int = N_DRAWS,
) -> Verdict:
    """Verdict on a printed mean.

    Shapes: runs (n,).
    """
    values = _known(runs)
    if np.isnan(printed) or not len(values):
        return NOTHING
    mean = float(values.mean())
    if len(values) < FEWEST:
        return _too_few(mean - printed, margin)
    deviations = values - mean
    sd = float(values.std(ddof=1))
    wanted = 0.0 if np.isnan(printed_sd) else printed_sd
    if sd <= SLACK * margin:
        rng = np.random.default_rng([len(values), n_printed])
        error = wanted * (1 / n_printed + 1 / len(values)) ** 0.5
        drawn = mean + error * rng.standard_t(n_printed - 1, size=n_draws)
    else:
        moved = deviations[draw_places(len(values), n_printed, n_draws)].mean(axis=1)
        drawn = mean + moved * max(1.0, wanted / sd)
    return _judge(mean, _from_draws(drawn), printed, margin, rounding)


def judge_median(
    runs: ArrayLike, printed: float, margin: float, rounding: float = 0.0, n_printed: int = RUNS_OF_THE_PAPERS
) -> Verdict:
    """Verdict on a printed median; arguments and result as those of `judge_mean`."""
    values = _known(runs)
    if np.isnan(printed) or not len(values):
        return NOTHING
    median = float(np.median(values))
    if len(values) < FEWEST:
        return _too_few(median - printed, margin)
    drawn = np.median(values[draw_places(len(values), n_printed)], axis=1)
    return _judge(median, _from_draws(drawn), printed, margin, rounding)


def judge_spread(
    runs: ArrayLike,
    printed: float,
    rounding: float = 0.0,
    factor: float = SD_FACTOR,
    n_printed: int = RUNS_OF_THE_PAPERS,
    n_draws: int = N_DRAWS,
) -> Verdict:
    """Verdict on a printed standard deviation.

    Shapes: runs (n,).
    """
    values = _known(runs)
    if np.isnan(printed) or not len(values):
        return NOTHING
    sd = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
    estimate = _ratio(sd, printed, rounding)
    if len(values) < FEWEST:
        return _too_few(estimate, factor, neutral=1.0)
    drawn = values[draw_places(len(values), n_printed, n_draws)].std(axis=1, ddof=1)
    return _judge_ratio(estimate, drawn, printed, rounding, factor)


def _ratio(ours: float, printed: float, rounding: float) -> float:
    """A ratio of spreads; 1 where both are 0 to the printed digits."""
    if ours <= rounding and printed <= rounding:
        return 1.0
    return ours / printed if printed > 0 else float("inf")


def _judge_ratio(
    estimate: float, spreads: FloatArray, printed: float, rounding: float, factor: float
) -> Verdict:
    """The tests of a spread, from the spreads of drawn tables."""
    unit = 2 * rounding
    drawn = _from_draws(spreads)
    larger = _from_draws(np.maximum(spreads * factor - rounding, spreads + unit))
    smaller = _from_draws(np.minimum(spreads / factor + rounding, spreads - unit))
    slack = SLACK * (printed + unit)
    room = unit + slack
    p_different = 2 * min(drawn.at_most(printed + room), drawn.at_least(printed - room))
    p_equivalent = max(larger.at_most(printed - slack), smaller.at_least(printed + slack))
    low, high = (_ratio(end, printed, rounding) for end in drawn.ends())
    return Verdict(estimate, low, high, factor, p_equivalent, min(1.0, p_different), neutral=1.0)


def judge_best(
    ordered: ArrayLike,
    printed: float,
    margin: float,
    rounding: float = 0.0,
    n_printed: int = RUNS_OF_THE_PAPERS,
    floor: float = 0.0,
) -> Verdict:
    """Verdict on a number of the best of a paper's runs, exact for runs of any distribution.

    The rank of the best of `n_printed` further runs among ours has a known distribution, if nothing differs.
    A run better than all of ours is among the possibilities: with fewer than 380 runs of ours for 20 of the
    paper its probability alone is above `ALPHA`, and nothing is equivalent.

    Shapes: ordered (n,).
    """
    values = _known(ordered)
    if np.isnan(printed) or not len(values):
        return NOTHING
    weights = rank_weights(len(values), n_printed)
    low = np.minimum(np.r_[floor, values], np.r_[values, values[-1]])
    high = np.maximum(np.r_[values[0], values], np.r_[values, np.inf])
    expected = float(weights @ np.r_[values, values[-1]])
    if len(values) < FEWEST:
        return _too_few(expected - printed, margin)
    return _judge(expected, Drawn(low, high, weights, 0.0), printed, margin, rounding)


@lru_cache(maxsize=64)
def rank_weights(n_runs: int, n_printed: int) -> FloatArray:
    """Probabilities that 0, 1, ... n_runs of our runs are better than the best of the paper's runs."""
    better = np.arange(n_runs)
    still = np.cumprod((n_runs - better) / (n_runs + n_printed - better))
    reached = np.r_[1.0, still, 0.0]
    return reached[:-1] - reached[1:]


def judge_exact(ours: float, printed: float, margin: float, rounding: float = 0.0) -> Verdict:
    """Verdict on a number without randomness; arguments as those of `judge_mean`."""
    if np.isnan(printed) or np.isnan(ours):
        return NOTHING
    gap = ours - printed
    apart = abs(gap) > rounding + SLACK * margin
    beyond = abs(gap) > margin - rounding + SLACK * margin
    return Verdict(gap, gap, gap, margin, float(beyond), float(not apart), rounding / 3**0.5)


def judge_estimate(estimate: float, error: float, df: float, margin: float) -> Verdict:
    """Verdict on an estimated difference, by Student's t."""
    t = stats.t(df)
    half = error * float(t.ppf(1 - ALPHA / 2))
    if error <= 0:
        return judge_exact(estimate, 0.0, margin)
    p_equivalent = float(max(t.cdf((estimate - margin) / error), t.sf((estimate + margin) / error)))
    p_different = float(2 * t.sf(abs(estimate) / error))
    return Verdict(estimate, estimate - half, estimate + half, margin, p_equivalent, p_different, error)


def judge_dependent(differences: ArrayLike, groups: Sequence[object], margin: float) -> Verdict:
    """Verdict on the mean of differences that depend on each other within groups, by a mixed model.

    The model has one mean and a random effect per group (REML, statsmodels' MixedLM). The interval of the
    mean is Student's with one degree of freedom less than there are groups.

    Shapes: differences (n,).
    """
    values = np.asarray(differences, dtype=np.float64)
    n_groups = len(set(groups))
    scale = float(values.std())
    if n_groups < FEWEST:
        return _too_few(float(values.mean()), margin)
    if scale <= SLACK * float(np.abs(values).max()):
        return judge_exact(float(values.mean()), 0.0, margin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # groups without a difference: variance 0
        fit = MixedLM(values / scale, np.ones(len(values)), np.asarray(groups)).fit(reml=True)
    # The mean and its error from the two variances: statsmodels' own fail where that of groups is 0.
    between, within = float(np.squeeze(fit.cov_re)), float(fit.scale)
    numbers, sizes = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)[1:]
    weights = sizes / (within + sizes * between)
    mean = float(np.average(np.bincount(numbers, values) / sizes, weights=weights))
    error = float(weights.sum() ** -0.5) * scale
    return judge_estimate(mean, error, n_groups - 1, margin)


def adjust(p_values: Iterable[float]) -> FloatArray:
    """P-values of one family of tests, adjusted by Holm's rule; NaN stays and does not count."""
    adjusted = np.asarray(list(p_values), dtype=np.float64)
    known = ~np.isnan(adjusted)
    if known.any():
        adjusted[known] = multipletests(adjusted[known], method="holm")[1]
    return adjusted


def as_family(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts of one table, their P-values of a difference adjusted together."""
    adjusted = adjust(verdict.p_different for verdict in verdicts)
    return [replace(verdict, p_holm=float(p)) for verdict, p in zip(verdicts, adjusted, strict=True)]


def join_words(words: Iterable[str]) -> str:
    """The word on several numbers that are one fact."""
    found = set(words) - {""}
    return next((word for word in (DIFFERENT, UNDECIDED, WITHIN, EQUIVALENT) if word in found), "")


def interval_of(draws: FloatArray) -> tuple[float, float]:
    """The interval that holds 95 % of some draws."""
    low, high = np.quantile(draws, [ALPHA / 2, 1 - ALPHA / 2])
    return float(low), float(high)


def shown_error(error: float, runs: float) -> float:
    """A standard error as it is printed: NaN (no error) from fewer than `FEWEST` runs."""
    return error if runs >= FEWEST else float("nan")
