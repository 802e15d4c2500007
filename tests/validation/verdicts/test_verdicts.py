"""Verdicts on printed numbers: each can fail, with the size and power that its level promises."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from validation.papers.shared.cells import run_until_decided
from validation.papers.shared.margins import MARGINS, SD_FACTOR
from validation.papers.shared.verdicts import (
    DIFFERENT,
    EQUIVALENT,
    FEWEST,
    NOTHING,
    UNDECIDED,
    Sample,
    Verdict,
    adjust,
    best_can_be_decided,
    best_interval,
    best_ranks,
    can_be_decided,
    draw_tables,
    interval_of,
    join_words,
    judge_dependent,
    judge_draws,
    judge_interval,
    judge_mean,
    judge_sd,
)

PAPER = 20
MARGIN = 0.02
REPEATS = 1000
# Wrong verdicts may make up 2.5 % (one-sided) or 5 % (two-sided); four standard errors of 1,000 repeats.
ONE_SIDED, TWO_SIDED = (level + 4 * (level * (1 - level) / REPEATS) ** 0.5 for level in (0.025, 0.05))


def draw(rng: np.random.Generator, mean: float, sd: float, runs: int) -> Sample:
    """Mean and deviation of normal runs, drawn from their own distributions."""
    deviation = sd * (rng.chisquare(runs - 1) / (runs - 1)) ** 0.5
    return Sample(rng.normal(mean, sd / runs**0.5), deviation, runs)


def means(true: float, sd: float, ours: int, repeats: int = REPEATS) -> list[Verdict]:
    """Verdicts on printed means that are `true` below ours, from `ours` runs of us and 20 of the paper."""
    rng = np.random.default_rng(1)
    return [judge_mean(draw(rng, true, sd, ours), draw(rng, 0, sd, PAPER), MARGIN) for _ in range(repeats)]


def spreads(ratio: float, ours: int, repeats: int = REPEATS) -> list[Verdict]:
    """Verdicts on printed standard deviations, ours being `ratio` times as large."""
    rng = np.random.default_rng(2)
    return [judge_sd(draw(rng, 0, ratio, ours), draw(rng, 0, 1, PAPER)) for _ in range(repeats)]


def share(verdicts: list[Verdict], word: str) -> float:
    return float(np.mean([verdict.word == word for verdict in verdicts]))


def test_equal_means_are_rarely_different_and_distant_ones_always() -> None:
    # A sd of 0.1 makes the interval wider than the margin, so that no verdict of equivalence goes first.
    assert 0.03 < share(means(0.0, 0.1, 40), DIFFERENT) < TWO_SIDED
    assert share(means(0.3, 0.1, 40, 100), DIFFERENT) == 1
    assert all(verdict.text == "different, higher" for verdict in means(0.3, 0.1, 40, 100))
    assert all(verdict.text == "different, lower" for verdict in means(-0.3, 0.1, 40, 100))


def test_means_at_the_margin_are_rarely_equivalent_and_equal_ones_always() -> None:
    assert 0.01 < share(means(MARGIN, 0.01, 40), EQUIVALENT) < ONE_SIDED
    assert share(means(0.0, 0.01, 40, 100), EQUIVALENT) == 1
    assert share(means(2 * MARGIN, 0.01, 40, 100), EQUIVALENT) == 0


def test_wide_intervals_are_undecided() -> None:
    """Ours .082, printed .200 with a spread of .2 over 20 runs: this passed as reproduced."""
    verdict = judge_mean(Sample(0.12, 0.3, 20), Sample(0.2, 0.3, PAPER), MARGIN)
    assert verdict.word == UNDECIDED
    assert verdict.low < -MARGIN
    assert verdict.high > MARGIN
    assert verdict.width == verdict.high - verdict.low


def test_standard_deviations_have_size_and_power() -> None:
    assert 0.03 < share(spreads(1.0, 40), DIFFERENT) < TWO_SIDED
    assert 0.01 < share(spreads(SD_FACTOR, 10_000), EQUIVALENT) < ONE_SIDED
    assert share(spreads(1.0, 10_000, 300), EQUIVALENT) > 0.3  # the paper's 20 runs allow no more
    assert share(spreads(4.0, 40, 100), DIFFERENT) == 1
    assert {verdict.text for verdict in spreads(0.25, 40, 100)} == {"different, lower"}


def test_a_printed_spread_of_another_size_is_found() -> None:
    """Wall Robot: .065 printed, .008 ours, the means alike; only the mean was looked at."""
    ours, printed = Sample(0.170, 0.008, 20), Sample(0.176, 0.065, PAPER)
    assert judge_sd(ours, printed, 0.0005).text == "different, lower"
    assert judge_mean(ours, printed, MARGIN, 0.0005).word == UNDECIDED


def medians(shift: float, repeats: int) -> list[Verdict]:
    """Verdicts on printed medians of 30 trials, which are `shift` below ours of 60."""
    rng = np.random.default_rng(3)
    draws = draw_tables(60, 30)
    found = []
    for _ in range(repeats):
        runs, printed = rng.gamma(4, size=60) + shift, np.median(rng.gamma(4, size=30))
        tables = np.median(runs[draws], axis=1)
        found.append(judge_draws(float(np.median(runs)), tables, float(printed), MARGIN))
    return found


def test_medians_have_size_and_power() -> None:
    assert share(medians(0.0, 400), DIFFERENT) < 0.05 + 4 * (0.05 * 0.95 / 400) ** 0.5
    assert share(medians(4.0, 50), DIFFERENT) == 1
    assert share(medians(0.0, 50), EQUIVALENT) == 0  # the interval is wider than 0.04


@pytest.mark.parametrize("n_runs", [40, 200, 780, 2000])
def test_the_interval_of_the_best_run_has_its_level(n_runs: int) -> None:
    """Misses on either side are at most 2.5 %; resampling our 200 runs missed 9 % of better ones."""
    rng = np.random.default_rng(7)
    first, last = best_ranks(n_runs)
    assert (first == 0) == (n_runs < 780)
    best = rng.random((REPEATS, PAPER)).min(axis=1)
    ours = np.sort(rng.random((REPEATS, n_runs)), axis=1)
    above = (best > ours[:, last - 1]).mean()
    below = (best < ours[:, first - 1]).mean() if first else 0.0
    assert max(above, below) < ONE_SIDED
    assert above > 0.001  # not empty words: some printed numbers are found to be different


def test_the_best_of_few_runs_leaves_the_better_side_open() -> None:
    values = np.linspace(0.1, 0.9, 40)
    low, high = best_interval(values)
    assert low == 0
    assert 0.1 < high < 0.4
    assert judge_interval(0.1, (low, high), 0.05, MARGIN).word == UNDECIDED
    assert judge_interval(0.1, (low, high), 0.6, MARGIN).text == "different, lower"
    assert best_interval([0.5]) == (0, np.inf)


def test_tables_are_resampled_at_both_levels() -> None:
    """A mean of 20 among n of our runs varies as the difference of two means does."""
    values = np.random.default_rng(0).normal(size=40)
    tables = values[draw_tables(40)].mean(axis=1)
    assert tables.std() == pytest.approx(values.std() * (1 / 20 + 1 / 40) ** 0.5, rel=0.05)  # 2,000 tables
    assert (draw_tables(40) == draw_tables(40)).all()


def test_numbers_of_statsmodels() -> None:
    """From mean, deviation and number of runs come the same tests as from the runs."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.5, 0.05, 30), rng.normal(0.52, 0.08, PAPER)
    verdict = judge_mean(Sample.of(a), Sample.of(b), MARGIN)
    both = CompareMeans(DescrStatsW(a), DescrStatsW(b))
    expected = (*both.tconfint_diff(0.05, usevar="unequal"), both.ttost_ind(-0.02, 0.02, usevar="unequal")[0])
    found = (verdict.low, verdict.high, verdict.p_equivalent)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert verdict.p_different == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, rel=1e-12)


def test_a_printed_mean_without_deviation_varies_as_ours() -> None:
    ours = Sample(0.5, 0.1, 40)
    verdict = judge_mean(ours, Sample(0.45, float("nan"), PAPER), MARGIN)
    half = stats.t.ppf(0.975, 39) * 0.1 * (1 / 40 + 1 / 20) ** 0.5
    np.testing.assert_allclose([verdict.low, verdict.high], [0.05 - half, 0.05 + half], rtol=1e-12)
    exact = judge_mean(ours, Sample.exact(0.45), MARGIN)
    half = stats.t.ppf(0.975, 39) * 0.1 / 40**0.5
    np.testing.assert_allclose([exact.low, exact.high], [0.05 - half, 0.05 + half], rtol=1e-12)


def test_rounding_widens_the_interval() -> None:
    ours, printed = Sample(0.5, 0.01, 40), Sample(0.5, 0.01, PAPER)
    sharp, rounded = (judge_mean(ours, printed, MARGIN, rounding) for rounding in (0.0, 0.005))
    assert rounded.width == pytest.approx(sharp.width + 0.01, rel=1e-12)
    assert rounded.p_equivalent > sharp.p_equivalent
    coarse = judge_mean(ours, printed, MARGIN, 0.05)  # printed to one digit: equivalence cannot be shown
    assert coarse.word == UNDECIDED
    assert coarse.p_equivalent == 1


def test_significant_within_the_margin_is_equivalent() -> None:
    verdict = judge_mean(Sample(0.51, 0.001, 100), Sample(0.5, 0.001, PAPER), MARGIN)
    assert verdict.p_different < 1e-10
    assert verdict.low > 0
    assert verdict.word == verdict.text == EQUIVALENT


def test_runs_without_any_spread() -> None:
    still = Sample(0.5, 0.0, 20)
    assert judge_mean(still, Sample(0.519, 0.0, PAPER), MARGIN, 5e-4).word == EQUIVALENT
    assert judge_mean(still, Sample(0.53, 0.0, PAPER), MARGIN, 5e-4).text == "different, lower"
    assert judge_mean(still, Sample(0.52, float("nan"), PAPER), MARGIN).word == EQUIVALENT  # at the margin
    assert judge_sd(still, Sample(0.5, 0.0, PAPER), 5e-4).word == EQUIVALENT
    assert judge_sd(Sample(0.5, 0.01, 20), Sample(0.5, 0.0, PAPER), 5e-4).text == "different, higher"
    assert judge_sd(Sample(0.5, 0.01, 20), Sample(0.5, 0.0, PAPER)).text == "different, higher"
    assert judge_sd(still, Sample(0.5, 0.01, PAPER), 5e-4).text == "different, lower"


@pytest.mark.parametrize("runs", [1, 2])
def test_too_few_runs_decide_nothing(runs: int) -> None:
    ours, printed = Sample.of(np.full(runs, 5.0)), Sample(0.0, 0.1, PAPER)
    assert runs < FEWEST
    for verdict in (judge_mean(ours, printed, MARGIN), judge_sd(ours, printed)):
        assert verdict.word == UNDECIDED
        assert np.isinf(verdict.width)


def test_nothing_printed_or_found_gives_no_verdict() -> None:
    nothing, some = Sample.of([np.nan, np.nan]), Sample(0.5, 0.1, PAPER)
    assert judge_mean(nothing, some, MARGIN) is NOTHING
    assert judge_mean(some, nothing, MARGIN) is NOTHING
    assert judge_sd(some, Sample(0.5, float("nan"), PAPER)) is NOTHING
    assert judge_draws(0.5, np.full(9, 0.5), float("nan"), MARGIN) is NOTHING
    assert judge_interval(0.5, (0.4, 0.6), float("nan"), MARGIN) is NOTHING
    assert NOTHING.text == ""


def test_a_recorded_interval_gives_the_verdict_of_its_draws() -> None:
    rng = np.random.default_rng(4)
    for printed in (0.0, 0.02, 0.5, 1.5):
        draws = rng.normal(0.02, 0.01, 500)
        whole = judge_draws(0.02, draws, printed, MARGIN, 5e-4)
        again = judge_interval(0.02, interval_of(draws), printed, MARGIN, 5e-4)
        assert (whole.word, whole.text) == (again.word, again.text)
        np.testing.assert_allclose([whole.low, whole.high], [again.low, again.high], rtol=1e-9, atol=1e-12)


NUMBERS = st.floats(-5, 5)
SDS = st.floats(0.01, 2)
RUNS = st.integers(FEWEST, 200)
SAMPLES = st.builds(Sample, NUMBERS, SDS, RUNS)
OPPOSITE = {"different, higher": "different, lower", "different, lower": "different, higher"}


@given(SAMPLES, SAMPLES, st.floats(0.01, 1))
def test_the_interval_and_the_tests_agree(ours: Sample, printed: Sample, margin: float) -> None:
    verdict = judge_mean(ours, printed, margin)
    assert (verdict.word == EQUIVALENT) == (verdict.p_equivalent <= 0.025)
    if verdict.word != EQUIVALENT:
        assert (verdict.word == DIFFERENT) == (verdict.p_different < 0.05)
    spread = judge_sd(ours, printed)
    assert (spread.word == EQUIVALENT) == (spread.p_equivalent <= 0.025)
    if spread.word != EQUIVALENT:
        assert (spread.word == DIFFERENT) == (spread.p_different < 0.05)


@given(SAMPLES, SAMPLES, st.floats(0.01, 1))
def test_exchanging_the_sides_changes_the_sign_only(ours: Sample, printed: Sample, margin: float) -> None:
    for judge in (lambda a, b: judge_mean(a, b, margin), judge_sd):
        there, back = judge(ours, printed), judge(printed, ours)
        assert back.text == OPPOSITE.get(there.text, there.text)


@given(SAMPLES, SAMPLES, st.floats(0.01, 1), st.sampled_from([2.0**-20, 0.25, 8.0, 2.0**30]))
def test_another_unit_changes_nothing(ours: Sample, printed: Sample, margin: float, unit: float) -> None:
    """Powers of two, which are exact."""
    scaled = [Sample(sample.mean * unit, sample.sd * unit, sample.runs) for sample in (ours, printed)]
    assert judge_mean(*scaled, margin * unit).text == judge_mean(ours, printed, margin).text
    assert judge_sd(*scaled).text == judge_sd(ours, printed).text


@given(SAMPLES, SAMPLES, st.floats(0.01, 1), st.integers(2, 50))
def test_more_runs_narrow_the_interval_and_decide_nothing_by_themselves(
    ours: Sample, printed: Sample, margin: float, times: int
) -> None:
    """Where the paper's 20 runs alone leave an interval wider than the margins, no number of ours shows
    equivalence."""
    more = Sample(ours.mean, ours.sd, ours.runs * times)
    few, many = judge_mean(ours, printed, margin), judge_mean(more, printed, margin)
    paper = stats.norm.ppf(0.975) * printed.sd / printed.runs**0.5
    assert many.width >= 2 * paper
    if paper > margin:
        assert EQUIVALENT not in (few.word, many.word)
    if ours.sd >= printed.sd and ours.runs <= printed.runs:  # else Welch's degrees of freedom may fall
        assert (
            many.width <= few.width
            or many.width
            <= 2
            * stats.t.ppf(0.975, printed.runs - 1)
            * (printed.sd**2 / printed.runs + more.sd**2 / more.runs) ** 0.5
        )


@given(st.lists(NUMBERS, min_size=3, max_size=60), NUMBERS, st.floats(0.01, 1))
def test_draws_agree_with_their_interval(values: list[float], printed: float, margin: float) -> None:
    verdict = judge_draws(values[0], np.array(values), printed, margin)
    assert verdict.width == pytest.approx(np.subtract(*interval_of(np.array(values))[::-1]), abs=1e-9)
    if verdict.word == EQUIVALENT:
        assert max(abs(verdict.low), abs(verdict.high)) <= margin * (1 + 1e-9)
    mirrored = judge_draws(-values[0], -np.array(values), -printed, margin)
    assert mirrored.text == OPPOSITE.get(verdict.text, verdict.text)


def dependent(mean: float, between: float, n_sets: int, repeats: int) -> list[Verdict]:
    """Verdicts on leads in ten cases of each data set, the sets varying by `between`."""
    rng = np.random.default_rng(6)
    sets = np.repeat(np.arange(n_sets), 10)
    return [
        judge_dependent(
            mean + between * rng.normal(size=n_sets)[sets] + 0.02 * rng.normal(size=len(sets)), sets, MARGIN
        )
        for _ in range(repeats)
    ]


def test_dependent_cases_have_size_and_power() -> None:
    """Sets that vary much: taken as 60 independent cases, 0 would be excluded far too often."""
    repeats = 100
    null = dependent(0.0, 0.05, 6, repeats)
    assert share(null, DIFFERENT) < 0.05 + 4 * (0.05 * 0.95 / repeats) ** 0.5
    assert share(dependent(0.3, 0.05, 6, 20), DIFFERENT) == 1
    assert share(dependent(0.0, 0.0, 6, 20), EQUIVALENT) == 1
    rng = np.random.default_rng(6)
    sets = np.repeat(np.arange(6), 10)
    naive = [
        stats.ttest_1samp(0.05 * rng.normal(size=6)[sets] + 0.02 * rng.normal(size=60), 0).pvalue < 0.05
        for _ in range(repeats)
    ]
    assert np.mean(naive) > 0.4


def test_dependent_cases_without_spread_or_with_few_groups() -> None:
    assert judge_dependent([0.1] * 6, [1, 1, 2, 2, 3, 3], MARGIN).text == "different, higher"
    assert judge_dependent([0.1, 0.2, 0.3, 0.4], [1, 1, 2, 2], MARGIN).word == UNDECIDED


def test_families_are_adjusted_by_holm() -> None:
    np.testing.assert_allclose(adjust([0.01, np.nan, 0.04, 0.03]), [0.03, np.nan, 0.06, 0.06], rtol=1e-12)
    assert len(adjust([])) == 0
    assert np.isnan(adjust([np.nan])).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
@settings(max_examples=20)
def test_holm_never_lowers_a_p_value(p_values: list[float]) -> None:
    adjusted = adjust(p_values)
    assert (adjusted >= p_values).all()
    assert (adjusted <= 1).all()


def test_more_of_our_runs_help_where_the_papers_runs_allow_it() -> None:
    assert can_be_decided(Sample(0.5, 0.1, 5), Sample(0.6, 0.1, PAPER), MARGIN)
    assert not can_be_decided(
        Sample(0.5, 0.1, 5), Sample(0.5, 0.1, PAPER), MARGIN
    )  # 0.1 / 20^0.5 is too much
    assert not can_be_decided(Sample(0.5, 0.1, 50), Sample(0.9, 0.1, PAPER), MARGIN)  # different already


def test_more_runs_help_the_best_of_20_where_it_lies_beyond_ours() -> None:
    values = np.linspace(0.1, 0.9, 100)
    assert best_can_be_decided(values, 0.05, MARGIN)  # better than all of ours: 800 runs would tell
    assert not best_can_be_decided(values, 0.15, MARGIN)  # among ours, whose spread is above the margin
    assert not best_can_be_decided(values, 0.8, MARGIN)  # different already
    assert best_can_be_decided(np.full(100, 0.3), 0.3, MARGIN)  # always the same: equivalent with 800


@dataclass(frozen=True)
class Toy:
    name: str
    n_trials: int


def test_trials_of_undecided_cells_are_doubled_up_to_the_budget() -> None:
    asked: list[dict[str, int]] = []

    def run(cells: list[Toy]) -> pd.DataFrame:
        asked.append({cell.name: cell.n_trials for cell in cells})
        return pd.DataFrame({"name": np.repeat([cell.name for cell in cells], [c.n_trials for c in cells])})

    def is_open(cell: Toy, trials: pd.DataFrame) -> bool:
        assert (trials["name"] == cell.name).all()
        assert len(trials) == cell.n_trials
        return cell.name == "never" or (cell.name == "soon" and cell.n_trials < 20)

    final = run_until_decided([Toy("never", 20), Toy("at once", 20), Toy("soon", 10)], run, is_open, 70)
    assert final == [Toy("never", 70), Toy("at once", 20), Toy("soon", 20)]
    assert asked == [
        {"never": 20, "at once": 20, "soon": 10}, {"never": 40, "soon": 20},
    ]  # fmt: skip
    assert run_until_decided(final, run, is_open, 10) == final  # a budget that is no more changes nothing


def test_words_of_several_numbers() -> None:
    assert join_words([EQUIVALENT, DIFFERENT, UNDECIDED]) == DIFFERENT
    assert join_words([EQUIVALENT, UNDECIDED, ""]) == UNDECIDED
    assert join_words([EQUIVALENT, ""]) == EQUIVALENT
    assert join_words([""]) == ""


def test_margins_have_a_value_and_a_reason() -> None:
    frame = pd.DataFrame(MARGINS.values(), index=list(MARGINS))
    assert (frame["value"] > 0).all()
    assert frame["reason"].str.len().gt(10).all()
    assert MARGINS["features"].around(-200) == 10
    assert MARGINS["nmi"].around(0.9) == MARGINS["nmi"].value == 0.02
