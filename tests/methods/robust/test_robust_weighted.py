"""WeightedRobustSparseKMeans: results, attributes, bad input."""

from __future__ import annotations

from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from sparsek import SparseKMeans, WeightedRobustSparseKMeans
from sparsek.core.weights import l1_weights
from sparsek.methods.robust.weighting import _first_of_round, _lowest, robust_row_weights
from sparsek.rcompat.wrsk_package.algorithm import outlier_weights


@pytest.fixture(scope="module")
def groups():
    """Two groups in three of twenty features; rows 7 and 40 outlie in noise features."""
    x = np.random.default_rng(0).normal(size=(60, 20))
    x[:30, :3] += 6
    x[7, 10:] += 15
    x[40, 5] -= 40
    return x


def fitted(x, **parameters):
    return WeightedRobustSparseKMeans(
        **{"n_clusters": 2, "l1_bound": 1.7, "random_state": 0, **parameters}
    ).fit(x)


def test_features_groups_and_outliers_are_found(groups):
    model = fitted(groups)
    assert model.get_support(indices=True).tolist() == [0, 1, 2]
    assert len(np.unique(model.labels_[:30])) == len(np.unique(model.labels_[30:])) == 1
    assert model.outliers_[[7, 40]].all()
    assert model.observation_weights_[[7, 40]].tolist() == [0, 0]
    assert model.outliers_.mean() < 0.25
    plain = SparseKMeans(2, l1_bound=1.7, random_state=0).fit(groups)
    truth = np.array([groups[:30].mean(axis=0), groups[30:].mean(axis=0)])
    clean = np.delete(np.arange(60), [7, 40])
    truth = np.array([groups[clean[clean < 30]].mean(axis=0), groups[clean[clean >= 30]].mean(axis=0)])
    miss = [
        min(np.abs(m.cluster_centers_[o] - truth).max() for o in ([0, 1], [1, 0])) for m in (model, plain)
    ]
    assert miss[0] < 0.6 < miss[1]  # outliers move plain means by 15 / 30 and 40 / 30


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_starts_agree_on_clear_groups(init):
    x = np.random.default_rng(1).normal(size=(60, 10))
    x[:30, :3] += 6
    model = fitted(x, init=init)
    assert model.objective_ == pytest.approx(fitted(x).objective_, rel=1e-12)  # sums in another order


def test_only_robin_keeps_outliers_from_being_clusters(groups):
    sizes = {init: np.bincount(fitted(groups, init=init).labels_).min() for init in ("robin", "k-means++")}
    assert sizes["robin"] == 30
    assert sizes["k-means++"] <= 2


def test_given_starts(groups):
    labels = (np.arange(60) >= 30).astype(int)
    by_labels = fitted(groups, init=labels)
    by_centers = fitted(groups, init=groups[[3, 50]])
    by_callable = fitted(groups, init=lambda X, k, random_state: X[[3, 50]], n_init=2)
    assert np.array_equal(by_labels.labels_, labels)
    assert np.array_equal(by_centers.labels_, by_callable.labels_)
    assert by_labels.start_objectives_.shape == (1,)
    assert by_callable.start_objectives_.shape == (2,)


def test_attributes_fit_together(groups):
    model = fitted(groups)
    weights, v = model.feature_weights_, model.observation_weights_
    rows = [model.labels_ == k for k in (0, 1)]
    assert np.isclose(np.linalg.norm(weights), 1)
    assert weights.sum() <= 1.7 * (1 + 1e-12)  # rounding of the sum
    assert ((v >= 0) & (v <= 1)).all()
    assert np.array_equal(model.outliers_, v <= 0.5)
    means = np.array(
        [np.average(groups[model.labels_ == k], axis=0, weights=v[model.labels_ == k]) for k in (0, 1)]
    )
    assert np.allclose(model.cluster_centers_, means, atol=1e-12)  # a few sums of 30 terms
    overall = np.average(groups, axis=0, weights=v)
    sizes = np.array([v[r].sum() for r in rows])
    between = (sizes[:, None] * (means - overall) ** 2).sum(axis=0)
    assert model.objective_ == pytest.approx(-weights @ between, rel=1e-10)  # difference of larger sums
    assert model.gap_objective_ == -model.objective_
    assert model.criterion_history_[-1] == model.objective_
    assert np.array_equal(model.predict(groups), model.labels_)
    distances = model.transform(groups)
    assert distances.shape == (60, 2)
    assert np.allclose(distances, np.sqrt(((groups[:, None] - means) ** 2 * weights).sum(axis=2)))
    assert model.inertia_ == pytest.approx(-model.score(groups), rel=1e-14)


def test_same_seed_same_model_in_any_number_of_threads(groups):
    one, two = fitted(groups), fitted(groups, n_jobs=2)
    assert np.array_equal(one.feature_weights_, two.feature_weights_)
    assert np.array_equal(one.observation_weights_, two.observation_weights_)


def test_float32_is_kept(groups):
    model = fitted(groups.astype(np.float32))
    assert model.cluster_centers_.dtype == np.float32
    assert model.transform(groups.astype(np.float32)).dtype == np.float32
    assert np.array_equal(model.labels_, fitted(groups).labels_)


@pytest.mark.filterwarnings("ignore:the best start repeats")  # some of the draws end in a cycle
@settings(max_examples=6)
@given(st.integers(0, 10**6))
def test_shift_scale_and_column_order_change_nothing(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(40, 6))
    x[:20, :2] += 6
    order = rng.permutation(6)
    base = fitted(x, l1_bound=1.5, n_init=2)
    # Powers of two and small integers: equal arithmetic except for the last digits.
    moved = fitted(4 * x[:, order] + 8, l1_bound=1.5, n_init=2)
    assert np.array_equal(base.labels_, moved.labels_)
    assert np.allclose(base.feature_weights_[order], moved.feature_weights_, atol=1e-7)
    assert np.allclose(base.observation_weights_, moved.observation_weights_, atol=1e-7)


@pytest.mark.parametrize(("unit", "offset"), [(1e-160, 0.0), (1e160, 0.0), (1.0, 1e8)])
def test_extreme_units(groups, unit, offset):
    model = fitted(groups * unit + offset)
    assert np.array_equal(model.labels_, fitted(groups).labels_)
    assert model.get_support(indices=True).tolist() == [0, 1, 2]


def test_copies_of_rows():
    x = np.repeat(np.array([[0.0, 0.0, 1.0], [5.0, 0.0, 2.0], [5.0, 9.0, 0.0]]), 8, axis=0)
    model = WeightedRobustSparseKMeans(3, l1_bound=3**0.5, random_state=0).fit(x)
    assert len(np.unique(model.labels_)) == 3
    assert model.observation_weights_.tolist() == [1] * 24


def test_one_cluster_and_constant_data():
    x = np.random.default_rng(0).normal(size=(30, 4))
    model = WeightedRobustSparseKMeans(1, random_state=0).fit(x)
    assert not model.feature_weights_.any()
    assert model.labels_.tolist() == [0] * 30
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        WeightedRobustSparseKMeans(2, random_state=0).fit(np.ones((30, 4)))


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_few_rows():
    x = np.array([[0.0, 1.0], [0.1, 1.0], [5.0, 1.1]])
    assert len(np.unique(WeightedRobustSparseKMeans(2, random_state=0).fit(x).labels_)) == 2


def test_stopping_early_warns(groups):
    noise = np.random.default_rng(3).normal(size=(60, 10))
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        WeightedRobustSparseKMeans(3, max_iter=1, random_state=0).fit(noise)


@pytest.mark.parametrize("factor", [1, 3, 0.7])  # other last digits, the same clusters and weights
@pytest.mark.parametrize(("seed", "length"), [(1, 2), (49, 2), (99, 9)])
def test_a_cycle_is_warned_of(seed, length, factor):
    noise = factor * np.random.default_rng(seed).standard_normal((30, 4))
    with pytest.warns(ConvergenceWarning, match=f"repeats {length} partitions in a cycle"):
        model = WeightedRobustSparseKMeans(3, l1_bound=1.5, n_init=1, random_state=0).fit(noise)
    v, means = model.observation_weights_, model.cluster_centers_[model.labels_]
    overall = np.average(noise, axis=0, weights=v)
    between = v @ ((noise - overall) ** 2 - (noise - means) ** 2)
    assert np.allclose(model.feature_weights_, l1_weights(between, 1.5), atol=1e-10)  # sums in another order


def states_of(rounds, criteria=(-1.0,)):
    """Labels and parameters of updates with these labels and weights, whose last digits change every time."""
    digits = np.random.default_rng(0).uniform(-1e-13, 1e-13, (len(rounds), 2))
    return [
        (np.array(labels), SimpleNamespace(weights=np.array(weights) + noise, criterion=criterion + noise[0]))
        for (labels, weights), noise, criterion in zip(rounds, digits, cycle(criteria), strict=False)
    ]


A, B = ([0, 1], [0.9, 0.4]), ([0, 1], [0.8, 0.6])
C, D = ([1, 0], [0.8, 0.6]), ([1, 0], [0.7, 0.7])


@pytest.mark.parametrize(
    ("rounds", "first"),
    [
        ([A], None),
        ([A, B], None),
        ([A, B, A], 1),  # the last round is B, A
        ([D, A, B, D], 1),
        ([B, A, C], None),  # equal weights, other labels
        ([A, B, B], 2),  # settled
        ([A, B, C], 2),
        ([A, ([0, 1], [0.8, 0.6 + 1e-6]), A, B], None),  # 1e-6 is more than rounding
    ],
)
def test_a_cycle_is_found_whatever_its_last_digits(rounds, first):
    assert _first_of_round(states_of(rounds), 1e-9, 1e-9) == first


def test_of_criteria_that_tie_up_to_rounding_the_first_is_the_lowest():
    assert _lowest(states_of([A, B, C, A], [-3.0, -1.0, -2.0]), 1, 1e-9) == 3
    assert _lowest(states_of([A, B, C, A], [-3.0, -2.0, -2.0, -1.0]), 1, 1e-9) == 1


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"cutoff": -0.1}, ValueError, "'cutoff' parameter of"),
        ({"cutoff": 1.5}, ValueError, "'cutoff' parameter of"),
        ({"cutoff": "half"}, TypeError, "cutoff"),
        ({"l1_bound": 0.5}, ValueError, "l1_bound"),
        ({"init": "best"}, ValueError, "init"),
        ({"n_clusters": 61}, ValueError, "n_samples=60"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"tol": -1.0}, ValueError, "tol"),
    ],
)
def test_refusals(groups, change, error, message):
    with pytest.raises(error, match=message):
        fitted(groups, **change)


def test_row_weights_are_those_of_r_where_these_are_defined():
    rng = np.random.default_rng(5)
    for q in (3, 8, 30):
        x = rng.normal(size=(q, 4))
        # Sums in another order change the last digits of standardised factors of size 1.
        assert np.allclose(robust_row_weights(x), outlier_weights(x), atol=1e-10)
    assert np.isnan(outlier_weights(np.ones((5, 2)))).all()
    assert robust_row_weights(np.ones((5, 2))).tolist() == [1] * 5
    assert robust_row_weights(np.array([[0.0]] * 12 + [[1.0]]))[-1] == 0


def test_a_cluster_without_rows_gets_one():
    rng = np.random.default_rng(0)
    x = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 8])
    far = np.array([[0.0, 0.0], [8.0, 8.0], [-90.0, -90.0]])  # no row is nearest to the third centre
    model = WeightedRobustSparseKMeans(3, l1_bound=1.4, init=far).fit(x)
    assert np.bincount(model.labels_).min() > 0
    assert len(np.bincount(model.labels_)) == 3
