"""FeatureFDR: sets without clusters, the knockoff+ rule, rates on simulated data, results, bad input."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsek import SKFR, FeatureFDR, ModelChoice, RobustSparseKMeans, SparseKMeans
from sparsek.inference import test_one_cluster as one_cluster_test
from sparsek.methods.search.nulls.feature_fdr import knockoff_q_values, sets_compared
from sparsek.methods.search.nulls.null_sets import (
    fit_null,
    normal_scores,
    stepped_quantiles,
    unimodal_quantiles,
)
from sparsek.methods.search.nulls.one_cluster import shares_explained
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.plots import plot_feature_fdr

FIVE = (-1.2, -0.4, 0.4, 1.2)
"""Limits of five answers."""


def groups(seed: int, n: int = 60, p: int = 60, true: int = 15, delta: float = 3.0) -> np.ndarray:
    """Two groups that differ in the first features."""
    X = np.random.default_rng(seed).normal(size=(n, p))
    X[: n // 2, :true] += delta
    return X


SHARES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30)


@given(SHARES, st.sampled_from([0.1, 0.3, 0.5, 0.9]), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_q_values_select_what_the_rule_selects(
    shares: list[tuple[int, int]], level: float, n_sets: int
) -> None:
    gains, null = np.array(shares, dtype=float).T
    wins = gains > null
    selected = np.zeros(len(gains), dtype=bool)
    for t in np.unique(gains[wins])[::-1]:
        chosen, lost = wins & (gains >= t), ~wins & (null >= t)
        if 1 + lost.sum() <= level * n_sets * chosen.sum():
            selected = chosen
    assert np.array_equal(knockoff_q_values(gains, null, n_sets) <= level, selected)


@pytest.mark.parametrize("fdr", [0.05, 0.1, 0.2, 0.5, 1])
def test_three_features_can_be_selected(fdr: float) -> None:
    few = knockoff_q_values(np.array([0.9, 0.8, 0.7, 0.1]), np.full(4, 0.2), sets_compared(fdr))
    assert (few[:3] <= fdr).all()
    assert few[3] == 1


@given(st.integers(0, 500), st.integers(4, 40))
@settings(max_examples=40, deadline=None)
def test_unimodal_quantiles_have_one_mode(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    ordered = np.sort(rng.normal(size=n) + 6 * (rng.random(n) < 0.5))
    gaps = np.diff(unimodal_quantiles(ordered))
    turn = int(np.argmin(gaps))
    rounding = 1e-9  # of sums of gaps up to 12
    assert (np.diff(gaps[: turn + 1]) <= rounding).all()
    assert (np.diff(gaps[turn:]) >= -rounding).all()
    assert unimodal_quantiles(ordered)[-1] == pytest.approx(ordered[-1], rel=1e-9)


@pytest.mark.parametrize(("n", "p"), [(40, 5), (40, 90)])
def test_sets_without_clusters_keep_the_covariance_of_normal_features(n: int, p: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(n, 1))
    X[:, 0] = np.exp(X[:, 0])
    model = fit_null(X)
    # One in twenty normal features does not look normal.
    assert model.normal[1:].mean() >= 0.8
    assert not model.normal[0]
    drawn = model.draw(np.random.default_rng(2))
    kept = model.normal
    # Rounding of sums of n products.
    np.testing.assert_allclose(np.cov(drawn[:, kept].T), np.cov(X[:, kept].T), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(drawn[:, kept].mean(axis=0), X[:, kept].mean(axis=0), rtol=1e-10)
    assert (X[:, ~kept].min(axis=0) <= drawn[:, ~kept] + 1e-9).all()
    assert (X[:, ~kept].max(axis=0) >= drawn[:, ~kept] - 1e-9).all()


def test_features_keep_their_sign_and_constant_ones_their_value() -> None:
    rng = np.random.default_rng(3)
    near = rng.normal(2.5, 1, size=60)
    X = np.column_stack([np.abs(near), -np.abs(near), np.full(60, 0.1)])
    model = fit_null(X)
    assert model.normal.tolist() == [True, True, False]
    for _ in range(20):
        drawn = model.draw(rng)
        assert (drawn[:, 0] > 0).all()
        assert (drawn[:, 1] < 0).all()
        np.testing.assert_allclose(drawn[:, 2], 0.1, rtol=1e-12)


@given(st.integers(0, 200), st.integers(4, 12), st.integers(1, 15), st.sampled_from([1e-300, 1.0, 1e300]))
@settings(max_examples=15, deadline=None)
def test_sets_of_few_rows_and_any_unit_are_finite(seed: int, n: int, p: int, unit: float) -> None:
    X = np.random.default_rng(seed).integers(-3, 4, size=(n, p)) * unit
    drawn = fit_null(X).draw(np.random.default_rng(1)) / unit
    # At most the root of n - 1 standard deviations, of up to 3, from a mean of up to 3.
    assert (np.abs(drawn) <= 3 + 3 * np.sqrt(11)).all()


def test_counts_stay_counts_and_constants_constant() -> None:
    X = np.column_stack([np.random.default_rng(0).poisson(3, size=(30, 4)), np.full(30, 7)]).astype(float)
    drawn = fit_null(X).draw(np.random.default_rng(1))
    assert np.array_equal(drawn, np.rint(drawn))
    assert (drawn[:, 4] == 7).all()


def items(rng: np.random.Generator, n: int, factors: int = 1) -> np.ndarray:
    """Answers from 1 to 5 to twelve questions, which one or two factors run through; no clusters."""
    loads = np.repeat(np.eye(factors), 12 // factors, axis=1) * 0.8
    return np.digitize(rng.normal(size=(n, factors)) @ loads + 0.6 * rng.normal(size=(n, 12)), FIVE) + 1.0


@pytest.mark.parametrize("factors", [1, 2])
def test_answers_keep_their_shares_and_their_correlations(factors: int) -> None:
    X = items(np.random.default_rng(4), 150, factors)
    X = np.column_stack([X, np.random.default_rng(5).normal(size=150) + X[:, 0]])
    model, rng = fit_null(X), np.random.default_rng(6)
    drawn = [model.draw(rng) for _ in range(60)]
    assert set(np.unique(drawn[0][:, :12])) == {1.0, 2.0, 3.0, 4.0, 5.0}
    shares = [[np.mean(Y[:, j] == level) for Y in drawn for j in range(12)] for level in range(1, 6)]
    kept = [np.mean(X[:, :12] == level) for level in range(1, 6)]
    # A share of 150 rows in 60 sets of 12 columns has an error below .01; one mode moves it by at most .03.
    np.testing.assert_allclose(np.mean(shares, axis=1), kept, atol=0.04)
    mean = np.mean([np.corrcoef(Y.T) for Y in drawn], axis=0)
    # Without the correction the mean difference is .1; the error of a mean of 60 is about .01.
    assert abs(np.mean(mean - np.corrcoef(X.T))) < 0.02
    assert np.abs(mean - np.corrcoef(X.T)).max() < 0.12


@pytest.mark.parametrize("factors", [0, 1])
def test_sets_have_the_holes_and_the_correlations_of_the_data(factors: int) -> None:
    rng = np.random.default_rng(7)
    X = items(rng, 150) if factors else rng.normal(size=(150, 12)) + rng.normal(size=(150, 1))
    holes = np.random.default_rng(8).random(X.shape) < 0.2
    X[holes] = np.nan
    model = fit_null(X)
    drawn = [model.draw(rng) for _ in range(60)]
    assert all(np.array_equal(np.isnan(Y), holes) for Y in drawn)
    known = pd.DataFrame(X).corr().to_numpy()
    mean = np.mean([pd.DataFrame(Y).corr().to_numpy() for Y in drawn], axis=0)
    # Means in the holes would lower correlations of .5 by .1; the error of a mean of 60 is about .01.
    assert abs(np.mean(mean - known)) < 0.02
    assert np.abs(mean - known).max() < 0.12


def test_holes_are_taken_where_the_estimator_takes_them() -> None:
    X = groups(6)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = FeatureFDR(SKFR(2, 20, n_init=2, standardize=True), n_null=9, random_state=0).fit(X)
    assert model.get_support()[:15].sum() >= 12
    assert np.isfinite(model.gains_).all()
    with pytest.raises(ValueError, match="NaN"):
        FeatureFDR(KMeans(2), n_null=9).fit(X)


def test_zeros_of_counts_stay_and_the_rest_has_one_mode() -> None:
    counts = np.repeat([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [30, 1, 2, 5, 9, 20, 9, 5, 2, 1])
    found = np.unique(stepped_quantiles(counts), return_counts=True)
    assert found[0].tolist() == list(range(10))
    assert found[1][0] == 30
    rise = np.diff(found[1][1:])
    assert (np.diff(np.sign(rise[rise != 0])) <= 0).all()
    two = np.repeat([1.0, 2, 3], [40, 5, 40])  # two modes become one
    shares = np.unique(stepped_quantiles(two), return_counts=True)[1]
    assert not shares[0] > shares[1] < shares[-1]


@pytest.mark.thorough
@pytest.mark.parametrize("factors", [1, 2])
def test_questionnaires_without_clusters_have_none(factors: int) -> None:
    found = []
    for seed in range(20):
        X = items(np.random.default_rng(seed), 60, factors)
        model = SKFR(2, 6, n_init=2, standardize=True)
        found.append(one_cluster_test(X, model, (2, 3), n_null=19, random_state=seed).p_value <= 0.05)
    # Without the correction .97 of such sets had p at most .05.  Binomial(20, .05) is at most 4 with .997.
    assert sum(found) <= 4


def test_shares_are_those_of_the_scores_and_outliers_do_not_count() -> None:
    X, labels = groups(0), np.repeat([0, 1], 30)
    shares = shares_explained(X, labels)
    scores = normal_scores(X)
    means = np.array([scores[labels == k].mean(axis=0) for k in (0, 1)])
    np.testing.assert_allclose(shares, (means**2).mean(axis=0), rtol=1e-12)
    labels[[3, 50]] = -1
    np.testing.assert_allclose(
        shares_explained(X, labels), shares_explained(np.delete(X, [3, 50], 0), np.delete(labels, [3, 50]))
    )
    assert (shares_explained(X, np.full(60, -1)) == 0).all()
    codes = np.repeat(np.array([0, 1], np.int32), 30)
    first = np.where(codes == 0, labels, -1)  # of the other batch no row is left
    batches = RowArguments(codes=codes, batches=("a", "b"))
    np.testing.assert_array_equal(shares_explained(X, first, batches), shares_explained(X, first))


def test_features_are_found_and_the_rest_left_out() -> None:
    false, found = [], []
    for seed in range(4):
        support = FeatureFDR(SKFR(2, 20, n_init=2, standardize=True), 0.2, n_null=9, random_state=seed).fit(
            groups(seed)
        )
        mask = support.get_support()
        false.append(mask[15:].sum() / max(1, mask.sum()))
        found.append(mask[:15].mean())
    assert np.mean(false) <= 0.2
    assert np.mean(found) > 0.8


@pytest.mark.thorough
def test_nothing_is_found_without_clusters_also_under_correlation() -> None:
    some = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 60)) + 1.2 * np.repeat(rng.normal(size=(40, 6)), 10, axis=1)
        some += (
            FeatureFDR(SKFR(2, 15, n_init=2, standardize=True), 0.1, n_null=9, random_state=seed)
            .fit(X)
            .get_support()
            .any()
        )
    # Binomial(15, .1) is at most 6 with probability .9997.
    assert some <= 6


@pytest.mark.parametrize(
    "estimator",
    [
        SKFR(2, 20, n_init=2, standardize=True),
        SparseKMeans(2, l1_bound=4, n_init=2, standardize=False),
        RobustSparseKMeans(2, l1_bound=4, n_init=2),
        KMeans(2, n_init=2),
        make_pipeline(StandardScaler(), KMeans(2, n_init=2)),
        DBSCAN(eps=9),
    ],
)
def test_any_clusterer_is_taken(estimator: Any) -> None:
    model = FeatureFDR(estimator, 0.5, n_null=3, random_state=0).fit(groups(1))
    assert model.labels_.shape == (60,)
    assert model.q_values_.shape == model.contrasts_.shape == (60,)
    assert ((model.q_values_ > 0) & (model.q_values_ <= 1)).all()
    assert np.array_equal(model.contrasts_, model.gains_ - model.null_gains_)


def test_the_result_has_a_summary_a_plot_and_names() -> None:
    frame = pd.DataFrame(groups(2), columns=[f"g{j}" for j in range(60)])
    model = FeatureFDR(SKFR(2, 20, n_init=2, standardize=True), 0.2, n_null=9, random_state=0).fit(frame)
    chosen = model.get_support(indices=True)
    assert np.array_equal(np.flatnonzero(model.get_support()), chosen)
    assert model.threshold_ == model.gains_[chosen].min()
    table = model.summary(5).features
    assert set(table.loc[table["selected"], "feature"]) == {f"g{j}" for j in chosen}
    assert f"Features selected {len(chosen)} " in " ".join([*str(model.summary()).split(), ""])
    for top in (10, None):
        ax = plot_feature_fdr(model, top=top)
        assert f"{len(chosen)} of 60 features" in ax.get_title()
        plt.close(ax.figure)
    assert model.plot().get_xlabel() == "share explained"
    plt.close("all")
    with pytest.raises(TypeError, match="give a fitted FeatureFDR"):
        plot_feature_fdr(SKFR(standardize=True))


def test_the_same_seed_gives_the_same_result_with_any_number_of_jobs() -> None:
    X = groups(3)
    one = FeatureFDR(SKFR(2, 20, n_init=2, standardize=True), n_null=9, random_state=5).fit(X)
    with parallel_config("threading"):
        two = FeatureFDR(SKFR(2, 20, n_init=2, standardize=True), n_null=9, random_state=5, n_jobs=2).fit(X)
    assert np.array_equal(one.contrasts_, two.contrasts_)
    assert one.cluster_p_value_ == two.cluster_p_value_


@pytest.mark.parametrize(
    ("options", "X", "message"),
    [
        ({"fdr": 0}, groups(0), "fdr"),
        ({"n_null": 0}, groups(0), "n_null"),
        ({"fdr": 0.1, "n_null": 8}, groups(0), "n_null=8 sets give .* above fdr=0.1"),
        ({}, np.where(np.arange(60) == 7, np.nan, groups(0)), "column 7 of X has 0 values"),
        ({}, groups(0)[:3], "n_samples=3 must be at least 4"),
    ],
)
def test_bad_input_is_named(options: dict[str, Any], X: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FeatureFDR(SKFR(2, 2, n_init=1, standardize=True), **options).fit(X)


def test_sets_without_clusters_keep_batches() -> None:
    """Rows of several batches are turned within these: means and covariances of each stay."""
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) * (1 + codes[:, None]) + 10 * codes[:, None]
    drawn = fit_null(X, codes).draw(np.random.default_rng(1))
    for code in range(3):
        own, other = X[codes == code], drawn[codes == code]
        np.testing.assert_allclose(other.mean(axis=0), own.mean(axis=0), rtol=1e-9)
        np.testing.assert_allclose(np.cov(other.T), np.cov(own.T), rtol=1e-9)
        assert not np.allclose(own, other)
    one = fit_null(X, np.zeros(60)).draw(np.random.default_rng(1))
    np.testing.assert_array_equal(one, fit_null(X).draw(np.random.default_rng(1)))


def test_batches_are_no_clusters() -> None:
    rng = np.random.default_rng(0)
    batch = np.arange(60) % 2
    noise = rng.normal(size=(60, 6))
    noise[batch == 1, :3] += 5
    found, options = [], {"n_null": 9, "random_state": 0}
    for own in (None, batch):
        test = one_cluster_test(noise, SKFR(2, 3, n_init=2, standardize=True), (2,), batch=own, **options)
        found.append(test.p_value)
    assert found[0] == 0.1 < found[1]
    plain = FeatureFDR(SKFR(2, 3, n_init=2, standardize=True), fdr=0.5, **options).fit(noise)
    within = FeatureFDR(SKFR(2, 3, n_init=2, standardize=True), fdr=0.5, **options).fit(noise, batch=batch)
    assert adjusted_rand_score(batch, plain.labels_) == 1
    assert adjusted_rand_score(batch, within.labels_) < 0.2
    model = SKFR(n_features_to_select=3, n_init=2, standardize=True)
    choice = ModelChoice(model, {"n_clusters": [1, 2]}, "consistency", random_state=0)
    assert choice.fit(noise, batch=batch).best_params_ == {"n_clusters": 1}
    assert choice.best_estimator_.batches_.tolist() == [0, 1]
    with pytest.raises(
        ValueError, match="batch 1 has 3 rows, and sets without clusters need 4 of each batch"
    ):
        choice.fit(noise, batch=np.where(np.arange(60) < 3, 1, 0))


def with_categories(seed: int, apart: float) -> np.ndarray:
    """Two groups in four of ten columns of numbers and in two of three of categories 2, 5 and 9."""
    rng = np.random.default_rng(seed)
    group, factor = np.arange(90) % 2, rng.normal(size=90)
    X = rng.normal(size=(90, 13)) + 0.6 * factor[:, None]
    X[:, 3:7] += apart * (group[:, None] - 0.5)
    for j in range(3):
        odds = rng.normal(size=(90, 3)) + np.outer(factor, rng.normal(size=3))
        odds += (j < 2) * apart * np.outer(group - 0.5, [1, -1, 0])
        X[:, j] = np.array([2.0, 5.0, 9.0])[odds.argmax(axis=1)]
    return X


def test_categories_keep_their_shares_and_are_no_numbers() -> None:
    X, mask = with_categories(0, 0.0), np.arange(13) < 3
    X[5, 1] = X[7, 4] = np.nan
    model = fit_null(X, None, mask)
    drawn = [model.draw(np.random.default_rng(seed)) for seed in range(40)]
    assert set(np.unique(drawn[0][:, 0])) == {2.0, 5.0, 9.0}
    assert np.isnan(drawn[0][5, 1])
    assert np.count_nonzero(np.isnan(drawn[0])) == 2
    for level in (2, 5, 9):
        # The mean of 40 shares of 90 rows that are turned, not drawn, has an error below .01.
        assert np.mean([Y[:, 0] == level for Y in drawn]) == pytest.approx(
            np.mean(X[:, 0] == level), abs=0.02
        )
    other = X.copy()
    other[:, 0] = np.array([0, 0, 7, 0, 0, 1, 0, 0, 0, 3.0])[
        X[:, 0].astype(int)
    ]  # other numbers, same classes
    labels = np.arange(90) % 2
    shares = [shares_explained(Y, labels, categories=mask) for Y in (X, other)]
    np.testing.assert_allclose(*shares, rtol=1e-12)
    assert shares[0][0] < 0.1


def test_features_and_clusters_of_categories_are_found() -> None:
    model = SKFR(2, 6, n_init=5, categories=[0, 1, 2])
    few = FeatureFDR(model, n_null=9, random_state=0).fit(with_categories(1, 4.0))
    assert set(few.get_support(indices=True)) <= {0, 1, 3, 4, 5, 6}
    assert few.get_support()[3:7].all()
    found = [one_cluster_test(with_categories(2, apart), model, (2,), n_null=19) for apart in (0.0, 4.0)]
    assert found[1].p_value == 0.05 < found[0].p_value
    with pytest.raises(ValueError, match="n_factors=1 takes columns of numbers"):
        one_cluster_test(with_categories(2, 0.0), model, (2,), n_factors=1)
