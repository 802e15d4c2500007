"""What the tests assume: the check, its warning, the default noise, weights, all pairs."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from sklearn.cluster import KMeans

from sparsek import inference
from sparsek.errors import AssumptionWarning
from sparsek.inference.noise import default_method

NORMAL = np.random.default_rng(0).normal(size=(80, 6))


def broken(X: np.ndarray, labels: np.ndarray | None = None, sigma: object = None) -> list[str]:
    """The assumptions that do not hold."""
    table = inference.check_assumptions(X, labels, sigma)
    return table.index[~table["holds"]].tolist()


def test_normal_noise_is_left_alone_and_others_are_named() -> None:
    rng = np.random.default_rng(1)
    assert broken(NORMAL) == broken(NORMAL, sigma="sample") == []
    assert "skewness" in broken(rng.exponential(size=(80, 6)))
    assert broken(rng.standard_t(3, size=(80, 6)))[-1] == "tails"
    together = NORMAL + 1.5 * rng.normal(size=(80, 1))
    assert broken(together, sigma="sample") == ["covariance"]
    assert broken(together) == []  # the covariance matrix that is estimated by default knows it
    assert broken(NORMAL * [1, 1, 1, 1, 1, 3], sigma="median") == ["covariance"]
    assert broken(np.round(NORMAL * 2)) == ["rounding"]


def test_clusters_are_no_skewness() -> None:
    labels = np.repeat([0, 1], [20, 60])
    apart = NORMAL + 6 * labels[:, None]
    assert "skewness" in broken(apart)
    assert broken(apart, labels) == []


def test_false_alarms_are_rare() -> None:
    rng = np.random.default_rng(2)
    found = []
    for seed in range(30):
        X = rng.normal(size=(60, 8))
        model = KMeans(3, init="random", n_init=1, random_state=seed).fit(X)
        names = broken(X, model.labels_, 1.0)
        found.append([name in names for name in ("skewness", "tails", "covariance")])
    # Three tests at level .01: Binomial(30, .01) is at most 3 with probability .999.
    assert (np.sum(found, axis=0) <= 3).all()


@settings(max_examples=9)
@given(st.integers(0, 1000), st.integers(1, 30), st.sampled_from([1e-8, 1.0, 1e8]), st.integers(-100, 100))
def test_units_and_places_do_not_matter(seed: int, p: int, unit: float, place: int) -> None:
    X = np.random.default_rng(seed).normal(size=(30, p))
    one, other = inference.check_assumptions(X), inference.check_assumptions(unit * (X + place))
    # Means of 100 take two of the 16 digits, third and fourth powers a few more.
    np.testing.assert_allclose(one["p_value"], other["p_value"], rtol=1e-5, atol=1e-10)


def test_few_rows_and_holes_say_less() -> None:
    assert inference.check_assumptions(NORMAL[:10]).index.tolist() == ["rounding"]
    holes = NORMAL.copy()
    holes[::4, 0] = np.nan
    assert inference.check_assumptions(holes, sigma=1.0)["holds"].all()
    with pytest.raises(ValueError, match=r"80 rows; got labels of shape \(3,\)"):
        inference.check_assumptions(NORMAL, [0, 1, 1])


@pytest.mark.filterwarnings("ignore:p rests on")
def test_the_tests_warn_with_a_remedy() -> None:
    X = np.random.default_rng(3).exponential(size=(60, 5))
    model = inference.LinkageClustering(2, "ward").fit(X)
    with pytest.warns(AssumptionWarning, match="skewed within the clusters.*normal scores.*test_feature"):
        inference.test_hierarchical(model, X, 0, 1)
    inference.test_feature(model, X, 0, 0, 1)  # means of one feature are nearly normal: no warning
    with pytest.warns(AssumptionWarning, match="skewed"):
        inference.test_clusters(model, X, 0, 1, n_draws=2)


def test_the_default_noise_is_a_covariance_matrix_where_it_can_be() -> None:
    assert default_method(NORMAL) == "shrunk"
    assert default_method(np.where(NORMAL > 2, np.nan, NORMAL)) == "sample"
    assert default_method(np.zeros((3, 2001))) == "sample"
    model = inference.LinkageClustering(2, "ward").fit(NORMAL)
    given = inference.test_hierarchical(model, NORMAL, 0, 1, inference.estimate_sigma(NORMAL, "shrunk"))
    assert inference.test_hierarchical(model, NORMAL, 0, 1).p_value == given.p_value


@pytest.mark.thorough
def test_the_default_holds_its_level_under_correlation() -> None:
    p_values, one_number = [], []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 6)) + rng.normal(size=(40, 1))
        model = inference.LinkageClustering(2, "ward").fit(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssumptionWarning)  # one set in a hundred warns by chance
            p_values.append(inference.test_hierarchical(model, X, 0, 1).p_value)
        with pytest.warns(AssumptionWarning, match="covariance matrix"):
            one_number.append(inference.test_hierarchical(model, X, 0, 1, "median").p_value)
    # Binomial(120, .05) is at most 14 with probability .999.
    assert np.sum(np.array(p_values) < 0.05) <= 14
    assert np.sum(np.array(one_number) < 0.05) > 40


@pytest.mark.filterwarnings("ignore:p rests on")
def test_all_pairs_are_tested_as_one_by_one() -> None:
    X = NORMAL.copy()
    X[:25] += 5
    tree = inference.LinkageClustering(3, "average").fit(X)
    table = inference.test_pairs(tree, X)
    assert list(zip(table["a"], table["b"], strict=True)) == [(0, 1), (0, 2), (1, 2)]
    for row in table.itertuples():
        one = inference.test_hierarchical(tree, X, row.a, row.b)
        assert (row.p_value, row.statistic, row.naive_p_value) == (
            one.p_value,
            one.statistic,
            one.naive_p_value,
        )
    p = table["p_value"].to_numpy()
    assert (table["p_holm"] >= false_discovery_control(p)).all()
    assert table["p_holm"].min() == min(1, p.min() * len(p))
    lloyd = KMeans(2, init="random", n_init=1, random_state=1).fit(X)
    assert inference.test_pairs(lloyd, X)["standard_error"].tolist() == [0]
    drawn = inference.test_pairs(KMeans(2, n_init=1, random_state=1).fit(X), X, n_draws=5)
    assert drawn["p_value"].between(0, 1).all()
    with pytest.raises(ValueError, match="two clusters are needed for a test; the model has 1"):
        inference.test_pairs(inference.LinkageClustering(1).fit(X), X)
    with pytest.raises(TypeError, match="'fit_params' parameter of test_pairs must be"):
        inference.test_pairs(lloyd, X, fit_params=[])


def test_tails_that_are_little_in_every_feature_are_seen() -> None:
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        heavy, normal = rng.standard_t(5, size=(60, 10)), rng.normal(size=(60, 10)) + rng.normal(size=(60, 1))
        found.append([inference.check_assumptions(X)["p_value"]["tails"] < 0.01 for X in (heavy, normal)])
    seen, false = np.sum(found, axis=0)
    # 95 % are seen in 300 sets (by the largest feature alone 78 %): at least 33 of 40 with probability .997.
    assert seen >= 33
    # Binomial(40, .01) is at most 3 with probability .9993.
    assert false <= 3


@pytest.mark.parametrize("name", [name for name in inference.__all__ if name.startswith("test_")])
def test_weights_are_refused_by_name(name: str) -> None:
    test = getattr(inference, name)
    for arguments in (
        {"sample_weight": np.ones(80)},
        {"fit_params": {"sample_weight": np.ones(80)}},
        {"fit_params": {"skfr__sample_weight": np.ones(80)}},
    ):
        with pytest.raises(
            ValueError, match=rf"{name} does not take .*sample_weight, because .*without weights"
        ):
            test(**arguments)
    with pytest.raises(TypeError, match="missing"):
        test(sample_weight=None)
