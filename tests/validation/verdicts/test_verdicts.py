"""Verdicts on printed numbers: size and power on mixtures of local optima, words, edge cases."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.papers.shared.margins import MARGINS, SD_FACTOR, SD_REASON
from validation.papers.shared.outcomes import read_outcomes, write_outcomes
from validation.papers.shared.verdicts import (
    ALPHA,
    DIFFERENT,
    EQUIVALENT,
    NOTHING,
    UNDECIDED,
    WITHIN,
    Verdict,
    adjust,
    as_family,
    draw_places,
    join_words,
    judge_best,
    judge_dependent,
    judge_estimate,
    judge_exact,
    judge_mean,
    judge_median,
    judge_spread,
    rank_weights,
)

MARGIN = 0.02
PAPER = 20
# Two local optima and some scatter: the means of 20 such runs are far from normal.
OPTIMA = np.array([0.49, 0.30])


def mixture(rng: np.random.Generator, n: int, shift: float = 0.0, share: float = 0.05) -> np.ndarray:
    return OPTIMA[(rng.random(n) < share).astype(int)] + rng.normal(0, 1e-3, n) + shift


def words(judge: Callable[[np.ndarray, np.ndarray], Verdict], shift: float, repeats: int = 60) -> list[str]:
    rng = np.random.default_rng(7)
    return [judge(mixture(rng, 400), mixture(rng, PAPER, shift)).word for _ in range(repeats)]


def of_means(ours: np.ndarray, theirs: np.ndarray) -> Verdict:
    return judge_mean(ours, float(theirs.mean()), MARGIN, 5e-4, float(theirs.std(ddof=1)))


def of_spreads(ours: np.ndarray, theirs: np.ndarray) -> Verdict:
    return judge_spread(ours, float(theirs.std(ddof=1)), 5e-4)


def of_bests(ours: np.ndarray, theirs: np.ndarray) -> Verdict:
    return judge_best(np.sort(ours), float(theirs.min()), MARGIN, 5e-4)


def share(found: list[str], *wanted: str) -> float:
    return float(np.mean([word in wanted for word in found]))


# 5 % and four standard errors of 60 repeats; `power.py` has the record of many more.
AT_MOST = 0.05 + 4 * (0.05 * 0.95 / 60) ** 0.5


@pytest.mark.parametrize("judge", [of_means, of_spreads, of_bests])
def test_mixtures_of_equal_runs_are_rarely_different(judge: Callable[..., Verdict]) -> None:
    """By F tests a fifth to a half of such spreads was "different"."""
    assert share(words(judge, 0.0), DIFFERENT, WITHIN) <= AT_MOST


@pytest.mark.parametrize("judge", [of_means, of_bests])
def test_mixtures_at_the_margin_are_rarely_equivalent_and_distant_ones_different(
    judge: Callable[..., Verdict],
) -> None:
    assert share(words(judge, MARGIN), EQUIVALENT, WITHIN) <= AT_MOST
    assert share(words(judge, 0.3, 20), DIFFERENT) == 1


def test_equal_runs_are_equivalent_where_they_hardly_vary() -> None:
    rng = np.random.default_rng(0)
    ours = rng.normal(0.5, 0.01, 400)
    assert judge_mean(ours, 0.5, MARGIN, 5e-4, 0.01).word == EQUIVALENT
    assert judge_spread(ours, 0.01, 5e-4).word == EQUIVALENT


def test_a_difference_within_the_margin_has_a_word_of_its_own() -> None:
    ours = np.random.default_rng(0).normal(0.51, 0.002, 400)
    verdict = judge_mean(ours, 0.5, MARGIN, 0.0, 0.002)
    assert (verdict.word, verdict.text) == (WITHIN, "different within the margin, higher")
    assert judge_mean(ours, 0.47, MARGIN, 0.0, 0.002).text == "different, higher"


def test_wide_draws_are_undecided() -> None:
    ours = np.random.default_rng(0).normal(0.5, 0.2, 400)
    assert judge_mean(ours, 0.53, MARGIN).word == UNDECIDED


def test_a_larger_printed_spread_is_no_difference_of_means() -> None:
    """The mean of runs that always give the same was compared as if the paper's never varied either."""
    still = np.full(400, 0.5)
    assert judge_mean(still, 0.508, 0.001, 5e-4, 0.06).word == UNDECIDED
    assert judge_mean(still, 0.508, 0.001, 5e-4).word == DIFFERENT
    assert judge_spread(still, 0.06, 5e-4).text == "different, lower"


def test_one_printed_digit_of_a_spread_counts_as_none() -> None:
    """A spread of .001 against one of 0 was "different"."""
    still = np.full(400, 0.5)
    assert judge_spread(still, 0.0, 5e-4).word == EQUIVALENT
    assert judge_spread(still, 0.001, 5e-4).word == EQUIVALENT
    assert judge_spread(still, 0.002, 5e-4).text == "different, lower"
    assert judge_spread(np.random.default_rng(0).normal(0, 0.01, 400), 0.0, 5e-4).text == "different, higher"


@pytest.mark.parametrize(("runs", "word"), [(379, UNDECIDED), (380, EQUIVALENT)])
def test_the_best_of_20_needs_380_runs_of_ours(runs: int, word: str) -> None:
    """With fewer, a run better than all of ours cannot be excluded: its probability is 20 / (runs + 20)."""
    verdict = judge_best(np.full(runs, 0.3), 0.3, MARGIN)
    assert verdict.word == word
    assert verdict.p_equivalent == pytest.approx(PAPER / (runs + PAPER))


@pytest.mark.parametrize(("n_runs", "n_printed"), [(5, 3), (40, 20), (400, 20)])
def test_ranks_of_the_best_have_their_probabilities(n_runs: int, n_printed: int) -> None:
    weights = rank_weights(n_runs, n_printed)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(n_printed / (n_runs + n_printed))
    rng = np.random.default_rng(3)
    runs = rng.random((4000, n_runs + n_printed))
    better = (runs[:, :n_runs] < runs[:, n_runs:].min(axis=1, keepdims=True)).sum(axis=1)
    found = np.bincount(better, minlength=n_runs + 1) / 4000
    assert np.abs(found - weights).max() <= 4 * (0.25 / 4000) ** 0.5


def test_a_best_run_beyond_ours() -> None:
    values = np.linspace(0.1, 0.5, 800)
    assert judge_best(values, 0.05, MARGIN).text == "different, higher"
    assert judge_best(values[:40], 0.05, MARGIN).word == UNDECIDED
    assert judge_best(values, 0.6, MARGIN).text == "different, lower"


def test_a_number_of_the_best_run_need_not_be_in_order() -> None:
    rng = np.random.default_rng(0)
    other = rng.normal(0.5, 0.2, 400)
    assert judge_best(other, 0.5, MARGIN).p_different > ALPHA
    assert judge_best(other, 2.0, MARGIN).word == DIFFERENT


def test_draws_come_from_an_urn() -> None:
    places = draw_places(50, PAPER)
    assert (places == draw_places(50, PAPER)).all()
    assert not places.flags.writeable
    values = np.random.default_rng(1).normal(0, 1, 50)
    drawn = values[places].mean(axis=1)
    # Of the mean of 20 further runs: 1 / 20 of the paper, about 1 / 50 of ours; a twentieth for 20,000 draws.
    assert drawn.var() == pytest.approx(values.var() * (1 / PAPER + 1 / 50), rel=0.05)
    assert np.bincount(places[:, -1], minlength=50).min() > 0


def test_medians() -> None:
    ours = np.random.default_rng(0).normal(0.2, 0.05, 400)
    assert judge_median(ours, 0.2, 0.05, 5e-4, 30).word == EQUIVALENT
    assert judge_median(ours, 0.3, 0.05, 5e-4, 30).text == "different, lower"


def test_numbers_without_randomness() -> None:
    assert judge_exact(0.3, 0.3004, MARGIN, 5e-4).word == EQUIVALENT
    assert judge_exact(0.31, 0.3, MARGIN, 5e-4).word == WITHIN
    assert judge_exact(0.4, 0.3, MARGIN, 5e-4).text == "different, higher"


@pytest.mark.parametrize("judge", [judge_mean, judge_median, judge_best])
def test_too_few_runs_decide_nothing(judge: Callable[..., Verdict]) -> None:
    verdict = judge([0.5, 0.5], 0.0, MARGIN)
    assert (verdict.word, verdict.high) == (UNDECIDED, np.inf)
    assert judge([np.nan], 0.5, MARGIN) is NOTHING
    assert judge([0.5] * 3, float("nan"), MARGIN) is NOTHING
    assert judge_spread([0.5, 0.5], 0.1).word == UNDECIDED
    assert NOTHING.word == NOTHING.text == ""


def test_failed_runs_are_left_out() -> None:
    runs = [0.5, np.nan, 0.6, 0.7]
    assert judge_mean(runs, 0.5, MARGIN) == judge_mean([0.5, 0.6, 0.7], 0.5, MARGIN)


VALUES = st.lists(st.floats(0, 1), min_size=3, max_size=30)


@settings(max_examples=20)
@given(VALUES, st.floats(0, 1), st.floats(0.01, 0.3))
def test_a_larger_margin_never_makes_a_number_less_equivalent(
    runs: list[float], printed: float, margin: float
) -> None:
    for judge in (judge_mean, judge_best):
        near, wide = judge(sorted(runs), printed, margin), judge(sorted(runs), printed, 2 * margin)
        assert wide.p_equivalent <= near.p_equivalent
        assert wide.p_different == pytest.approx(near.p_different, abs=0.05) or near.p_different == 0
        assert near.low <= near.high
        assert 0 <= near.p_equivalent <= 1
        assert 0 <= near.p_different <= 1


def test_a_family_is_adjusted_by_holm() -> None:
    one = judge_exact(0.3, 0.3, MARGIN)
    family = [replace(one, p_equivalent=1.0, p_different=p) for p in (0.01, 0.04, 0.03, np.nan)]
    found = as_family(family)
    assert [verdict.p_holm for verdict in found[:3]] == pytest.approx([0.03, 0.06, 0.06])
    assert [verdict.word for verdict in found[:3]] == [DIFFERENT, UNDECIDED, UNDECIDED]
    assert np.isnan(found[3].p_holm)


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_a_p_value(p_values: list[float]) -> None:
    adjusted = adjust([*p_values, np.nan])
    assert (adjusted[:-1] >= np.array(p_values) - 1e-12).all()  # rounding of the product
    assert np.isnan(adjusted[-1])


def dependent(rng: np.random.Generator, mean: float) -> Verdict:
    groups = np.repeat(np.arange(6), 10)
    return judge_dependent(
        mean + rng.normal(0, 0.05, 6)[groups] + rng.normal(0, 0.05, 60), list(groups), MARGIN
    )


def test_dependent_cases_have_size_and_power() -> None:
    rng = np.random.default_rng(5)
    assert share([dependent(rng, 0).word for _ in range(40)], DIFFERENT, WITHIN) <= 0.05 + 4 * 0.034
    assert share([dependent(rng, 0.2).word for _ in range(5)], DIFFERENT) == 1


def test_dependent_cases_without_spread_or_with_few_groups() -> None:
    assert judge_dependent([0.1] * 6, [1, 1, 2, 2, 3, 3], MARGIN).text == "different, higher"
    assert judge_dependent([0.1, 0.2, 0.3, 0.4], [1, 1, 2, 2], MARGIN).word == UNDECIDED


def test_an_estimate_is_judged_by_students_t() -> None:
    verdict = judge_estimate(0.001, 0.002, 9, MARGIN)
    assert verdict.word == EQUIVALENT
    assert (verdict.low, verdict.high) == pytest.approx((0.001 - 0.004524, 0.001 + 0.004524), abs=1e-6)
    assert judge_estimate(0.1, 0.01, 9, MARGIN).text == "different, higher"


def test_words_of_several_numbers() -> None:
    assert join_words([EQUIVALENT, DIFFERENT, UNDECIDED]) == DIFFERENT
    assert join_words([EQUIVALENT, UNDECIDED, WITHIN]) == UNDECIDED
    assert join_words([EQUIVALENT, WITHIN, ""]) == WITHIN
    assert join_words([""]) == ""


@given(st.lists(st.floats(-1e6, 1e6).map(lambda value: float(f"{value:.6g}")), max_size=30))
def test_outcomes_are_written_and_read(values: list[float]) -> None:
    assert read_outcomes(write_outcomes(values)).tolist() == values


def test_outcomes_of_equal_and_failed_runs() -> None:
    assert write_outcomes([0.5, 0.5, 0.25, np.nan, 0.5]) == "0.5x2 0.25 0.5"
    assert read_outcomes(float("nan")).size == 0


def test_margins_have_a_value_and_a_reason() -> None:
    for margin in MARGINS.values():
        assert margin.value > 0
        assert margin.reason
    assert SD_FACTOR > 1
    assert SD_REASON
    assert MARGINS["features"].around(-40) == pytest.approx(2)


def test_the_margin_of_spreads_is_a_share_of_papers_that_20_runs_can_show() -> None:
    """`SD_REASON` states how often equal spreads are shown to be equal."""
    rng = np.random.default_rng(2)
    ours = rng.normal(0.5, 0.05, 400)
    printed = [float(rng.normal(0.5, 0.05, PAPER).std(ddof=1)) for _ in range(40)]
    found = [judge_spread(ours, spread).word for spread in printed]
    assert 0.3 < share(found, EQUIVALENT, WITHIN) < 0.9
