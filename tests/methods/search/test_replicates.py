"""Replicate weights of survey designs in FitUncertainty: formulas of textbooks, literal loops, bad input."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hadamard
from scipy.stats import norm
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, EntropyWeightedKMeans, FitUncertainty, SparseKMeans, WeightedRobustSparseKMeans
from sparsek.methods.search.uncertainty.replicates import Replicates, variance_factors

RNG = np.random.default_rng(0)
X = RNG.normal(size=(48, 6))
X[:24, :3] += 2
W = RNG.integers(1, 4, 48).astype(float)
UNITS = np.arange(48) % 8
"""The unit of each row; units 2 h and 2 h + 1 are the pair of stratum h."""
SLEEP = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
"""Hours of sleep gained: Student (1908), The probable error of a mean, first column of his table."""


def jackknife(units, weights):
    """Leave a unit out, and raise the weights of the others so that their sum is kept, by a literal loop."""
    count = len(np.unique(units))
    columns = []
    for unit in np.unique(units):
        column = [
            0.0 if own == unit else w * count / (count - 1) for own, w in zip(units, weights, strict=True)
        ]
        columns.append(column)
    return np.array(columns).T


def pairs_jackknife(units, weights):
    """JKn of strata of two units: one is left out, the other one counts twice."""
    columns = []
    for unit in np.unique(units):
        other = unit + 1 - 2 * (unit % 2)
        factor = np.where(units == unit, 0.0, np.where(units == other, 2.0, 1.0))
        columns.append(factor * weights)
    return np.array(columns).T


def half_samples(units, weights, fay=0.0):
    """Balanced half-samples of four strata of two units, by the Hadamard matrix of order 8."""
    signs = hadamard(8)[:, 1:5]
    chosen = signs[:, units // 2] == np.where(units % 2 == 0, 1, -1)
    return (np.where(chosen, 2 - fay, fay) * weights).T


class Mean(SKFR):
    """The weighted mean in place of feature weights, one cluster."""

    def fit(self, X, y=None, sample_weight=None):
        self.feature_weights_ = (sample_weight[:, None] * X).sum(axis=0) / sample_weight.sum()
        self.labels_ = np.zeros(len(X), np.int32)
        self.n_features_in_ = X.shape[1]
        return self

    def get_support(self, indices=False):
        return np.ones(self.n_features_in_, dtype=bool)


def test_the_jackknife_of_students_sleep_data() -> None:
    """Its mean is .75 hours and its standard deviation, of divisor n, 1.70: an error of 1.70 / 3."""
    found = FitUncertainty(Mean(1), "JK1", level=0.9).fit(
        SLEEP[:, None], replicate_weights=jackknife(np.arange(10), np.ones(10))
    )
    assert found.weights_[0] == pytest.approx(0.75, abs=1e-15)
    assert round(found.weight_errors_[0] * 3, 2) == 1.70
    exact = SLEEP.std(ddof=1) / np.sqrt(10)
    assert found.weight_errors_[0] == pytest.approx(exact, rel=1e-13)  # the formula, rounded elsewhere
    reach = norm.ppf(0.95) * exact
    np.testing.assert_allclose(
        found.weight_intervals_[:, 0], [max(0.75 - reach, 0), 0.75 + reach], rtol=1e-12
    )
    assert found.n_resamples_ == 10


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20))
def test_the_jackknife_of_a_mean_is_its_formula(values) -> None:
    x = np.array(values)[:, None]
    weights = jackknife(np.arange(len(x)), np.ones(len(x)))
    found = (weights * x).sum(axis=0) / weights.sum(axis=0)
    error = Replicates(weights, variance_factors("JK1", len(x))).errors(found, x.mean())
    # Differences of means of numbers up to 100.
    assert error == pytest.approx(x.std(ddof=1) / np.sqrt(len(x)), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("kind", ["JKn", "BRR", "Fay"])
def test_pairs_of_strata_have_the_textbook_variance(kind) -> None:
    """With two units of one row in every stratum it is the sum over strata of (W_h (y_1 - y_2) / 2)^2."""
    y, units = RNG.normal(size=8), np.arange(8)
    expected = np.sqrt(sum(((y[2 * h] - y[2 * h + 1]) / 8) ** 2 for h in range(4)))
    ones = np.ones(8)
    weights = {
        "JKn": pairs_jackknife(units, ones),
        "BRR": half_samples(units, ones),
        "Fay": half_samples(units, ones, 0.3),
    }[kind]
    scale = np.full(8, 0.5) if kind == "JKn" else None
    found = FitUncertainty(Mean(1), kind, fay=0.3, scale=scale).fit(y[:, None], replicate_weights=weights)
    assert found.weight_errors_[0] == pytest.approx(expected, rel=1e-12)


def literal_error(values, own, factors):
    """The square root of sum_r c_r (theta_r - theta)^2, by a loop."""
    total = np.zeros(np.shape(own))
    for value, factor in zip(values, factors, strict=True):
        total = total + factor * (np.asarray(value) - own) ** 2
    return np.sqrt(total)


MODELS = {
    "SKFR": SKFR(2, 3, n_init=2, standardize=True),
    "SparseKMeans": SparseKMeans(2, l1_bound=1.7, n_init=2, standardize=False, random_state=3),
    "EWKM": EntropyWeightedKMeans(2, n_init=2, random_state=0),
}
DESIGNED = {
    "JK1": (jackknife(UNITS, W), None, np.full(8, 7 / 8)),
    "JKn": (pairs_jackknife(UNITS, W), np.full(8, 0.5), np.full(8, 0.5)),
    "BRR": (half_samples(UNITS, W), None, np.full(8, 1 / 8)),
    "Fay": (half_samples(UNITS, W, 0.5), None, np.full(8, 1 / (8 * 0.25))),
    "bootstrap": (RNG.integers(0, 3, size=(48, 8)) * W[:, None], 0.2, np.full(8, 0.2)),
}


@pytest.mark.parametrize(
    ("name", "design"), [*(("SKFR", design) for design in DESIGNED), ("SparseKMeans", "JK1"), ("EWKM", "JKn")]
)
def test_everything_by_definition(name, design) -> None:
    columns, scale, factors = DESIGNED[design]
    sure = FitUncertainty(MODELS[name], design, scale=scale, random_state=5)
    found = sure.fit(X, sample_weight=W, replicate_weights=columns)
    model = clone(MODELS[name])
    if model.random_state is None:
        model.set_params(random_state=np.random.RandomState(5).randint(2**31 - 1))
    whole = clone(model).fit(X, sample_weight=W)
    np.testing.assert_array_equal(found.labels_, whole.labels_)
    weights, supports, shares, counts, seen = [], [], [], np.zeros((48, 2)), np.zeros(48)
    for column in columns.T:
        rows = np.flatnonzero(column)
        fit = clone(model).fit(X[rows], sample_weight=column[rows])
        match = best_match_by_weight(whole.labels_[rows], fit.labels_, W[rows])
        own = fit.feature_weights_
        weights.append(own[np.argsort(match)] if own.ndim == 2 else own)
        supports.append(fit.get_support() if hasattr(fit, "get_support") else np.ones(6))
        shares.append([column[rows][match[fit.labels_] == k].sum() / column.sum() for k in (0, 1)])
        counts[rows, match[fit.labels_]] += 1
        seen[rows] += 1
    close = {"rtol": 1e-12, "atol": 1e-15}  # sums in another order
    np.testing.assert_allclose(
        found.weight_errors_, literal_error(weights, whole.feature_weights_, factors), **close
    )
    chosen = whole.get_support() if hasattr(whole, "get_support") else np.ones(6)
    np.testing.assert_allclose(
        found.selection_errors_, literal_error(supports, chosen.astype(float), factors), **close
    )
    np.testing.assert_allclose(found.selection_frequencies_, np.mean(supports, axis=0), **close)
    own = [W[whole.labels_ == k].sum() / W.sum() for k in (0, 1)]
    np.testing.assert_allclose(found.cluster_shares_, own, **close)
    np.testing.assert_allclose(found.cluster_share_errors_, literal_error(shares, own, factors), **close)
    np.testing.assert_array_equal(found.membership_, counts / seen[:, None])
    if found.weights_.ndim == 1:
        np.testing.assert_array_equal(found.results_["error"], found.weight_errors_)
    np.testing.assert_array_equal(found.results_["selection_error"], found.selection_errors_)


def best_match_by_weight(labels, other, weights):
    """The naming of two clusters with which rows of the most weight agree."""
    same, swapped = np.array([0, 1]), np.array([1, 0])
    return max((same, swapped), key=lambda way: weights[way[other] == labels].sum())


def test_replicates_of_the_sample_itself_have_no_variance() -> None:
    """The fits differ by their weights alone: not by seeds."""
    hard = SKFR(5, 2, n_init=1)
    found = FitUncertainty(hard, "BRR").fit(X, sample_weight=W, replicate_weights=np.repeat(W[:, None], 3, 1))
    assert not found.weight_errors_.any()
    assert not found.selection_errors_.any()
    assert not found.cluster_share_errors_.any()
    assert (found.membership_.max(axis=1) == 1).all()


def test_powers_of_two_change_nothing() -> None:
    columns = DESIGNED["JK1"][0]
    sure = FitUncertainty(SparseKMeans(2, l1_bound=1.7, n_init=2, standardize=False), "JK1", random_state=0)
    first = sure.fit(X, sample_weight=W, replicate_weights=columns).results_
    second = sure.fit(X, sample_weight=8 * W, replicate_weights=0.25 * columns).results_
    assert first.equals(second)


def test_rows_outside_the_sample_are_left_out() -> None:
    columns = DESIGNED["JK1"][0]
    inside = UNITS < 6
    sure = FitUncertainty(MODELS["SKFR"], "JK1", random_state=0)
    some = sure.fit(X[inside], sample_weight=W[inside], replicate_weights=columns[inside]).results_
    all_rows = sure.fit(X, sample_weight=W * inside, replicate_weights=columns * inside[:, None])
    assert all_rows.results_.equals(some)
    assert np.isnan(all_rows.membership_[~inside]).all()


def test_a_later_fit_without_replicates_has_no_errors() -> None:
    sure = FitUncertainty(MODELS["SKFR"], n_resamples=2, random_state=0)
    sure.fit(X, replicate_weights=DESIGNED["bootstrap"][0])
    sure.fit(X)
    assert not hasattr(sure, "cluster_shares_")
    assert "error" not in sure.results_


def test_in_a_pipeline_the_last_step_gets_the_columns() -> None:
    pipeline = make_pipeline(StandardScaler(with_std=False), MODELS["SparseKMeans"])
    columns = DESIGNED["JK1"][0]
    found = FitUncertainty(pipeline, "JK1", random_state=0).fit(X, replicate_weights=columns)
    plain = FitUncertainty(MODELS["SparseKMeans"], "JK1", random_state=0).fit(X, replicate_weights=columns)
    np.testing.assert_allclose(found.weight_errors_, plain.weight_errors_, rtol=1e-8)  # centred twice


def test_a_checkpoint_and_processes_give_the_same(tmp_path) -> None:
    columns = DESIGNED["JK1"][0]
    sure = FitUncertainty(MODELS["SKFR"], "JK1", random_state=0, checkpoint=tmp_path)
    first = sure.fit(X, replicate_weights=columns).results_
    assert sure.fit(X, replicate_weights=columns).results_.equals(first)
    assert sure.set_params(checkpoint=None, n_jobs=2).fit(X, replicate_weights=columns).results_.equals(first)
    with pytest.raises(ValueError, match="replicate_weights"):
        sure.set_params(checkpoint=tmp_path).fit(X, replicate_weights=2 * columns)


JK = DESIGNED["JK1"][0]
REFUSED = {
    "drawn rows": ({"method": "subsampling"}, {}, "method='subsampling' draws its own rows and takes no"),
    "strata": ({"method": "JKn"}, {}, "method='JKn' needs scale, for each replicate"),
    "scales": ({"scale": [1.0, 2.0]}, {}, "one for each of the 8 replicates; got [1.0, 2.0]"),
    "negative scale": ({"scale": [-1.0] * 8}, {}, "scale must be a number of at least 0"),
    "one column": ({}, {"replicate_weights": JK[:, :1]}, "R of at least 2; got (48, 1)"),
    "rows": ({}, {"replicate_weights": JK[1:]}, "must have shape (48, R), a row for each row of X"),
    "negative": ({}, {"replicate_weights": -JK}, "replicate_weights[:, 0] must not be negative"),
    "empty": ({}, {"replicate_weights": JK * (np.arange(8) != 3)}, "replicate_weights[:, 3] is zero"),
    "NaN": ({}, {"replicate_weights": JK * np.nan}, "replicate_weights contains NaN"),
    "large": ({}, {"replicate_weights": JK * 1e80}, "replicate_weights[:, 0] must be 0 or from"),
    "outside": ({}, {"sample_weight": W * (UNITS > 0)}, "row 0 has sample_weight 0 and a positive weight"),
    "no replicates": ({}, {"replicate_weights": None}, "method='JK1' needs replicate_weights"),
}


@pytest.mark.parametrize(("settings", "given", "text"), REFUSED.values(), ids=REFUSED)
def test_wrong_input_is_refused_before_any_fit(settings, given, text) -> None:
    class Never(SKFR):
        def fit(self, X, y=None, sample_weight=None):
            raise AssertionError("fitted")

    options = {"sample_weight": W, "replicate_weights": JK} | given
    with pytest.raises(ValueError, match=re.escape(text)):
        FitUncertainty(Never(2), **({"method": "JK1"} | settings)).fit(X, **options)


def test_a_summary_cannot_have_a_design() -> None:
    model = SKFR(2, 3, n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="method='BRR' needs replicate_weights"):
        model.summary(uncertainty="BRR", X=X)


def test_an_estimator_without_weights_is_named() -> None:
    with pytest.raises(TypeError, match=r"WeightedRobustSparseKMeans\.fit takes no sample_weight"):
        FitUncertainty(WeightedRobustSparseKMeans(2), "JK1").fit(X, replicate_weights=JK)


def test_the_summary_names_the_design() -> None:
    sure = FitUncertainty(MODELS["SKFR"], "JK1", random_state=0).fit(X, replicate_weights=JK)
    assert "8 replicates (JK1)" in str(sure.summary())


@pytest.mark.parametrize("method", ["JK1", "bootstrap"])
def test_labels_as_init_lose_the_rows_that_a_replicate_lacks(method: str) -> None:
    start = (np.arange(48) >= 24).astype(int)
    model = SKFR(2, 3, init=start, standardize=True)
    given = {"replicate_weights": jackknife(UNITS, W)} if method == "JK1" else {}
    found = FitUncertainty(model, method, n_resamples=8, random_state=0).fit(X, **given)
    agree = found.membership_[np.arange(48), found.labels_].mean()
    assert agree > 0.9
    np.testing.assert_array_equal(model.init, start)
