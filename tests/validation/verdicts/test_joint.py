"""Joint models of tables, likelihood of readings, size and power by simulation."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.meta_analysis import combine_effects

from validation.papers.shared import power
from validation.papers.shared.joint import join_methods, joint_models, pool
from validation.papers.shared.likelihood import fit_pairs, marginal, posterior
from validation.papers.shared.verdict_tables import Layout
from validation.papers.shared.verdicts import DIFFERENT, EQUIVALENT, UNDECIDED, WITHIN, WORDS

MARGIN = 0.02


def test_the_mean_difference_is_that_of_random_effects() -> None:
    values, errors = [0.01, 0.03, -0.02, 0.05, 0.0], [0.01, 0.012, 0.02, 0.01, 0.015]
    found = pool("a", "NMI", values, errors, MARGIN)
    expected = combine_effects(np.array(values), np.square(errors), method_re="iterated", use_t=True)
    assert found.verdict.estimate == pytest.approx(expected.mean_effect_re)
    assert found.heterogeneity == pytest.approx(expected.tau2**0.5)
    low, high = expected.conf_int()[1] if expected.scale_hksj_re < 1 else expected.conf_int()[3]
    assert (found.verdict.low, found.verdict.high) == pytest.approx((low, high))
    assert found.verdict.word == UNDECIDED


@pytest.mark.parametrize(("mean", "word"), [(0.0, EQUIVALENT), (0.008, WITHIN), (0.1, DIFFERENT)])
def test_the_words_of_joint_models(mean: float, word: str) -> None:
    gaps = mean + 0.004 * np.array([-1, 1, -1, 1, -0.5, 0.5, 0.0, 0.0])
    assert pool("a", "NMI", gaps.tolist(), [0.004] * 8, MARGIN).verdict.word == word


def test_heterogeneity_widens_the_interval() -> None:
    same = pool("a", "NMI", [0.0] * 6, [0.01] * 6, MARGIN)
    apart = pool("a", "NMI", [0.2, -0.2, 0.1, -0.1, 0.3, -0.3], [0.01] * 6, MARGIN)
    assert same.heterogeneity == 0
    assert apart.heterogeneity > 0.1
    assert apart.verdict.high - apart.verdict.low > 5 * (same.verdict.high - same.verdict.low)
    with pytest.raises(ValueError, match="needs 3 cells; a has 2"):
        pool("a", "NMI", [0.0, 0.1], [0.01, 0.01], MARGIN)


def judged_table() -> pd.DataFrame:
    """Two methods on four data sets, of which one follows another protocol for both."""
    rows = [
        {"data": data, "method": method, "printed": 0.5, "ours": 0.5 + gap, "word": "equivalent",
         "difference": gap, "error": 0.005}
        for method, offset in (("a", 0.0), ("b", 0.1))
        for data, gap in (("x", offset), ("y", offset), ("z", offset), ("odd", 0.4))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_methods_of_a_table_are_judged_with_and_without_a_row() -> None:
    layout = Layout("data", ("method",), "nmi", "NMI", apart="odd")
    both = joint_models(judged_table(), layout)
    assert [(model.name, model.n) for model in both] == [("a", 4), ("b", 4)]
    without = joint_models(judged_table(), layout, "odd")
    assert [model.verdict.word for model in without] == [EQUIVALENT, DIFFERENT]
    assert [model.n for model in without] == [3, 3]
    assert without[1].verdict.p_holm > without[1].verdict.p_different  # two methods, one family
    assert joint_models(judged_table(), Layout("data", ("method",), "nmi", "NMI", joint=())) == []
    assert join_methods(judged_table().head(2), "method", "NMI", MARGIN) == []  # two cells


def test_the_likelihood_is_largest_where_the_numbers_were_drawn() -> None:
    rng = np.random.default_rng(0)
    means, sds = np.array([0.3, 0.5, 0.7]), np.array([0.02, 0.05, 0.1])
    runs = rng.normal(0.5, 0.05, 20)
    printed = tuple(np.full(3, value) for value in (runs.mean(), runs.std(ddof=1)))
    fit = fit_pairs((means, sds, np.zeros(3), np.zeros(3)), np.full(3, 200), printed, 5e-4)
    assert fit.log_likelihood.argmax() == 1
    assert fit.p[1] > 0.05 > max(fit.p[0], fit.p[2])
    # A pair that no reading describes costs the same everywhere.
    odd = fit_pairs((means, sds, np.zeros(3), np.zeros(3)), np.full(3, 200), (means + 5, sds), 5e-4)
    assert np.ptp(odd.log_likelihood) == pytest.approx(0)


def test_p_values_of_pairs_of_normal_runs_are_uniform() -> None:
    rng = np.random.default_rng(1)
    runs = rng.normal(0.5, 0.05, (2000, 20))
    printed = runs.mean(axis=1), runs.std(axis=1, ddof=1)
    moments = [np.full(2000, value) for value in (0.5, 0.05, 0.0, 0.0)]
    fit = fit_pairs(moments, np.full(2000, 1e9), printed, 0.0)
    # 5 %, four standard errors, and half as much again: the spread of 20 runs is only nearly normal.
    assert (fit.p <= 0.05).mean() == pytest.approx(0.05, abs=0.025 + 4 * (0.05 * 0.95 / 2000) ** 0.5)


def test_the_posterior_of_readings() -> None:
    table = pd.DataFrame({
        "data": ["x", "y"] * 4, "columns": ["raw"] * 4 + ["std"] * 4, "s": [1, 1, 2, 2] * 2,
        "log_likelihood": [2.0, 2.0, -50.0, -50.0, 0.0, 0.0, -50.0, -50.0],
    })  # fmt: skip
    found = posterior(table, ["columns"], free="s")
    assert found["columns"].tolist() == ["raw", "std"]
    assert found["log_likelihood"].tolist() == pytest.approx([4 - 2 * np.log(2), -2 * np.log(2)])
    assert found["posterior"].sum() == pytest.approx(1)
    assert marginal(found, ["columns"])["columns"] == ("raw", pytest.approx(1 / (1 + np.exp(-4))))
    assert posterior(table[table["s"] == 1], ["columns"])["log_likelihood"].tolist() == [4.0, 0.0]


def test_size_and_power_are_simulated_on_real_runs() -> None:
    runs = np.repeat([0.49, 0.3], [380, 20]) + np.linspace(0, 1e-3, 400)
    rows = [power.simulate("cell", runs, setting, 4) for setting in power.SETTINGS]
    table = pd.DataFrame(rows)
    assert np.allclose(table[list(WORDS)].sum(axis=1), 1)
    again = power.simulate("cell", runs, power.SETTINGS[0], 4)
    assert again == rows[0]
    found = power.summarise(table).set_index(["kind", "truth"])
    assert len(found) == len(power.SETTINGS)
    assert np.isnan(found.loc[("mean", 0.5), "worst"])
    assert found.loc[("mean", 2.0), DIFFERENT] > 0
