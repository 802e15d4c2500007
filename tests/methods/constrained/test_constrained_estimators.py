"""Constrained estimators: labels, starts, invariances and edge cases."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from sparsek import COPKMeans, MPCKMeans, PairwiseConstraints, PCKMeans, PCSparseKMeans, SparseKMeans
from sparsek.errors import (
    ConstraintConflictWarning,
    EmptyClusterError,
)
from sparsek.init import seeding
from sparsek.methods.constrained import pcskm
from sparsek.methods.constrained.pckm import pckm
from tests.partitions import by_size

IRIS, SPECIES = load_iris(return_X_y=True)
SOFT = [PCKMeans, MPCKMeans, PCSparseKMeans]
EACH = pytest.mark.parametrize("estimator", [*SOFT, COPKMeans])
EACH_SOFT = pytest.mark.parametrize("estimator", SOFT)
CENTERS = IRIS[[7, 126, 92]]


def draw_pairs(n_pairs, seed, y=SPECIES):
    """Random pairs, must-linked or cannot-linked according to the truth."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(len(y), size=(n_pairs, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


def relabelled(labels):
    """Labels numbered by first appearance."""
    first = np.sort(np.unique(labels, return_index=True)[1])
    rank = {int(labels[i]): k for k, i in enumerate(first)}
    return [rank[k] for k in labels.tolist()]


def test_a_start_may_fail_as_long_as_one_does_not():
    # Rows 0 and 3 get clusters before 1 and 2 are visited: only some starts allow a solution.
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    pairs = [(0, 2), (1, 2), (1, 3), (2, 3), (0, 3)]
    model = COPKMeans(3, n_init=30, random_state=0, init="random").fit(X, cannot_link=pairs)
    failed = np.isnan(model.start_objectives_)
    assert len(failed) == 30
    assert (model.start_n_iter_[failed] == 0).all()
    assert model.objective_ == np.nanmin(model.start_objectives_)
    labels = model.labels_
    assert all(labels[u] != labels[v] for u, v in pairs)


@EACH
def test_labels_are_all_their_pairs(estimator):
    y = np.full(150, -1)
    known = np.random.default_rng(0).choice(150, 15, replace=False)
    y[known] = SPECIES[known]
    pairs = PairwiseConstraints.from_labels(y)
    one = estimator(3, init=CENTERS).fit(IRIS, y)
    other = estimator(3, init=CENTERS).fit(IRIS, **pairs.fit_params())
    np.testing.assert_array_equal(one.labels_, other.labels_)
    floats = np.where(y < 0, np.nan, y)
    np.testing.assert_array_equal(estimator(3, init=CENTERS).fit(IRIS, floats).labels_, one.labels_)
    both = estimator(3, init=CENTERS).fit(IRIS, y, must_link=[(0, 1)], ml_weight=[2.0])
    assert both.constraints_.must_link[0].tolist() == [0, 1]
    assert both.constraints_.ml_weight[0] == 2
    assert (both.constraints_.ml_weight[1:] == 1).all()


@EACH
def test_more_classes_than_clusters_share_them(estimator):
    with pytest.warns(ConstraintConflictWarning, match="y has 3 classes, more than n_clusters=2"):
        model = estimator(2, init=CENTERS[:2]).fit(IRIS, SPECIES)
    assert not len(model.constraints_.cannot_link)
    assert len(model.violated_must_link_) == 0


def test_full_labels_give_back_the_classes():
    for seed in range(3):
        start = IRIS[[np.flatnonzero(k == SPECIES)[seed] for k in range(3)]]
        for model in (COPKMeans(3, init=start), COPKMeans(3, init="random", random_state=seed)):
            assert relabelled(model.fit(IRIS, SPECIES).labels_) == SPECIES.tolist()


def test_many_labels_need_no_pairs_for_hard_constraints():
    # 1e5 labelled rows have 5e9 pairs; the closure of a few pairs is equivalent.
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=100_000)
    X = rng.normal(size=(100_000, 2)) + 3 * y[:, None]
    model = COPKMeans(3, init="seeding").fit(X, y)
    assert relabelled(model.labels_) == relabelled(y)
    with pytest.raises(ValueError, match="labels make 4999950000 pairs"):
        PCKMeans(3).fit(X, y)


@EACH
def test_order_of_pairs_and_ends_does_not_matter(estimator):
    pairs = draw_pairs(25 if estimator is COPKMeans else 80, 0)
    wanted = estimator(3, init=CENTERS).fit(IRIS, **pairs).labels_
    turned = {name: value[::-1, ::-1] for name, value in pairs.items()}
    np.testing.assert_array_equal(estimator(3, init=CENTERS).fit(IRIS, **turned).labels_, wanted)


@EACH_SOFT
def test_repeats_count_as_weights(estimator):
    pairs = draw_pairs(40, 1)
    twice = {name: np.repeat(value, 2, axis=0) for name, value in pairs.items()}
    one = estimator(3, init=CENTERS).fit(IRIS, **twice)
    other = estimator(3, init=CENTERS).fit(IRIS, **pairs, ml_weight=2.0, cl_weight=2.0)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-12)  # sums in another order


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@EACH_SOFT
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 999))
def test_numbers_of_clusters_units_and_shifts_do_not_matter(estimator, seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 3)) + 3 * truth[:, None]
    pairs = draw_pairs(30, seed, truth)
    centers, turn = X[[0, 20, 40]] + 0.01, rng.permutation(3)
    model = estimator(3, init=centers, max_iter=200).fit(X, **pairs)
    turned = estimator(3, init=centers[turn], max_iter=200).fit(X, **pairs)
    np.testing.assert_array_equal(turn[turned.labels_], model.labels_)
    for data, init in ((X * 1024, centers * 1024), (X + 64, centers + 64)):
        np.testing.assert_array_equal(
            estimator(3, init=init, max_iter=200).fit(data, **pairs).labels_, model.labels_
        )


@pytest.mark.parametrize("metric", ["diagonal", "per_cluster_full"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_better_start_of_one_pass_is_taken_in_every_unit(metric):
    """The first metric is 1, so that criteria of one pass are in squared units."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    found = [
        MPCKMeans(3, metric=metric, n_init=6, max_iter=1, random_state=0).fit(X * unit, cannot_link=[[0, 1]])
        for unit in (1.0, 2.0**-30, 2.0**30)
    ]
    assert len(set(np.round(found[0].start_objectives_, 6))) > 1
    for other in found[1:]:
        np.testing.assert_array_equal(other.labels_, found[0].labels_)


@EACH
@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_extreme_units(estimator, size):
    pairs = draw_pairs(60, 3)
    wanted = estimator(3, init=CENTERS).fit(IRIS, **pairs)
    X = IRIS * size
    model = estimator(3, init=CENTERS * size).fit(X, **pairs)
    np.testing.assert_array_equal(model.labels_, wanted.labels_)
    np.testing.assert_allclose(model.cluster_centers_ / size, wanted.cluster_centers_, rtol=1e-12)
    assert np.isfinite(model.transform(X)).all()


@EACH
def test_order_of_the_visits(estimator):
    order = np.random.default_rng(0).permutation(150)
    rank = np.argsort(order)
    pairs = draw_pairs(60, 4)
    model = estimator(3, init=CENTERS, order=order).fit(IRIS, **pairs)
    moved = {name: rank[value] for name, value in pairs.items()}
    other = estimator(3, init=CENTERS).fit(IRIS[order], **moved)
    np.testing.assert_array_equal(model.labels_[order], other.labels_)
    assert model.violated_must_link_.tolist() == other.violated_must_link_.tolist()


@EACH
def test_violated_pairs_are_counted(estimator):
    pairs = draw_pairs(25 if estimator is COPKMeans else 120, 5)
    model = estimator(3, init=CENTERS).fit(IRIS, **pairs)
    u, v = pairs["must_link"].T
    assert model.violated_must_link_.tolist() == np.flatnonzero(model.labels_[u] != model.labels_[v]).tolist()
    u, v = pairs["cannot_link"].T
    same = np.flatnonzero(model.labels_[u] == model.labels_[v])
    assert model.violated_cannot_link_.tolist() == same.tolist()
    if estimator is COPKMeans:
        assert not len(model.violated_must_link_)
        assert not len(model.violated_cannot_link_)


@pytest.mark.parametrize("model", [PCKMeans(3, init=CENTERS, max_iter=300), COPKMeans(3, init=CENTERS)])
def test_without_constraints_it_is_lloyd(model):
    wanted = KMeans(3, init=CENTERS, n_init=1, tol=0, algorithm="lloyd").fit(IRIS)
    np.testing.assert_array_equal(model.fit(IRIS).labels_, wanted.labels_)
    np.testing.assert_allclose(model.inertia_, wanted.inertia_, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(IRIS), model.labels_)
    np.testing.assert_allclose(model.score(IRIS), -wanted.inertia_, rtol=1e-12)


def test_without_constraints_it_is_sparse_k_means():
    X = np.random.default_rng(0).normal(size=(60, 10))
    X[:30, :3] += 4
    model = PCSparseKMeans(2, l1_bound=1.5, random_state=0).fit(X)
    other = SparseKMeans(2, l1_bound=1.5, random_state=0, standardize=False).fit(X)
    assert relabelled(model.labels_) == relabelled(other.labels_)
    np.testing.assert_allclose(model.feature_weights_, other.feature_weights_, rtol=1e-9)
    np.testing.assert_allclose(model.objective_, other.objective_, rtol=1e-9)
    np.testing.assert_allclose(model.inertia_, other.inertia_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=10)
@given(st.integers(0, 999), st.floats(1, 2.4))  # sqrt(6) is the largest
def test_sparse_weights_meet_their_bounds(seed, bound):
    X = np.random.default_rng(seed).normal(size=(30, 6))
    pairs = draw_pairs(20, seed, np.repeat([0, 1, 2], 10))
    weights = PCSparseKMeans(3, l1_bound=bound, random_state=seed, n_init=2).fit(X, **pairs).feature_weights_
    assert (weights >= 0).all()
    assert abs(np.linalg.norm(weights) - 1) < 1e-12
    assert weights.sum() <= bound + 1e-10


@pytest.mark.parametrize("warm", [False, True])
def test_each_assignment_after_the_first_starts_with_labels_on_request(warm, monkeypatch):
    given, found = [], []

    def watched(*arguments, labels, **options):
        given.append(None if labels is None else labels.copy())
        result = pckm(*arguments, labels=labels, **options)
        found.append(result.labels.copy())
        return result

    monkeypatch.setattr(pcskm, "pckm", watched)
    options = {"l1_bound": 1.3, "init": CENTERS, "n_init": 1, "max_iter": 6}
    PCSparseKMeans(3, warm_labels=warm, **options).fit(IRIS, **draw_pairs(60, 6))
    assert len(given) > 2
    for labels, before in zip(given[1:], found[:-1], strict=True):
        assert labels is None if not warm else np.array_equal(labels, before)


def test_penalties_in_weights_follow_the_paper():
    options = {"l1_bound": 1.3, "init": CENTERS}
    model = PCSparseKMeans(3, penalties_in_weights=True, **options).fit(IRIS, **draw_pairs(60, 6))
    assert abs(model.feature_weights_.sum() - 1.3) < 1e-10
    everything = PairwiseConstraints.from_labels(np.arange(150) % 75)
    heavy = {**everything.fit_params(), "ml_weight": 100.0}
    with pytest.raises(ValueError, match="penalties_in_weights=True leaves no feature"):
        PCSparseKMeans(3, penalties_in_weights=True, **options).fit(IRIS, **heavy)


@pytest.mark.parametrize("penalties", [False, True])
def test_weights_maximise_the_criterion_that_is_reported(penalties):
    pairs = draw_pairs(60, 6, np.roll(SPECIES, 5))
    options = {"l1_bound": 1.3, "init": CENTERS, "penalties_in_weights": penalties}
    model = PCSparseKMeans(3, **options).fit(IRIS, **pairs)
    between = np.zeros(4)
    for k in range(3):
        rows = IRIS[model.labels_ == k]
        between += len(rows) * (rows.mean(axis=0) - IRIS.mean(axis=0)) ** 2
    w = model.feature_weights_
    assert len(model.violated_must_link_)  # else the two criteria are one
    costs = w @ between + model.objective_
    assert costs > 0
    # Two ways of summing 150 rows: 1e-12 is about a thousand roundings.
    expected = -model.objective_ if penalties else w @ between
    assert model.weight_criterion_ == pytest.approx(expected, rel=1e-12)
    if not penalties:
        others = np.random.default_rng(0).dirichlet(np.ones(4), 1000) * 1.3
        others = others[np.linalg.norm(others, axis=1) <= 1]
        assert len(others) > 100
        assert (others @ between).max() <= model.weight_criterion_


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_one_member_cluster_adds_nothing_to_the_scatter():
    # The authors' program also adds the variance across features of a single row and can end below zero.
    X = np.array([[0.0, 0.0, 900.0], [1.0, 0.1, 900.0], [50.0, 0.05, 0.0]])
    model = PCSparseKMeans(2, l1_bound=1.7, init=X[[0, 2]]).fit(X)
    assert model.labels_.tolist() == [0, 0, 1]
    gains = X.var(axis=0) * 3 - np.array([0.5, 0.005, 0])
    np.testing.assert_allclose(model.feature_weights_, gains / np.linalg.norm(gains), atol=1e-12)


@EACH
def test_one_cluster_and_constant_data(estimator):
    model = estimator(1, random_state=0).fit(IRIS, must_link=[(0, 149)])
    assert not model.labels_.any()
    np.testing.assert_allclose(model.cluster_centers_[0], IRIS.mean(axis=0), rtol=1e-13)
    with pytest.warns(
        ConvergenceWarning, match=r"distinct clusters \(1\) found smaller than n_clusters \(2\)"
    ):
        model = estimator(2, random_state=0).fit(np.full((5, 2), 3.0), must_link=[(0, 1)])
    assert np.isfinite(model.cluster_centers_).all()
    if estimator is PCSparseKMeans:
        assert not model.feature_weights_.any()


def test_empty_clusters_follow_the_option():
    X = np.arange(6.0)[:, None]
    options = {"n_clusters": 3, "init": [[0.0], [5.0], [99.0]]}
    for estimator in SOFT:
        with pytest.raises(EmptyClusterError, match="cluster 2 is empty after pass 1") as caught:
            estimator(**options, on_empty="error", order=[5, 4, 3, 2, 1, 0]).fit(X)
        assert caught.value.labels.tolist() == [0, 0, 0, 1, 1, 1]
        again = pickle.loads(pickle.dumps(caught.value))
        assert again.iteration == 1
        with pytest.warns(ConvergenceWarning, match=r"found smaller .* due to the constraints, or duplicate"):
            kept = estimator(**options).fit(X)
        assert kept.cluster_centers_[2, 0] == pytest.approx(99, rel=1e-14)  # the shift is rounded
        assert len(set(estimator(**options, on_empty="farthest").fit(X).labels_.tolist())) == 3


def test_constant_features_keep_their_metric():
    X = np.column_stack([IRIS, np.full(150, 7.0)])
    model = MPCKMeans(3, init="maximin").fit(X, **draw_pairs(50, 7))
    assert model.feature_weights_[4] == 1
    assert np.isfinite(model.objective_)
    np.testing.assert_allclose(
        model.feature_weights_[:4],
        MPCKMeans(3, init="maximin").fit(IRIS, **draw_pairs(50, 7)).feature_weights_,
    )


def test_subspace_of_perfect_clusters_stays_finite():
    X = np.repeat([[0.1, 1.0], [7.3, 1.0], [7.3, 5.2]], 10, axis=0)
    X[:, 1] += np.tile(np.arange(10) / 10, 3)
    model = MPCKMeans(3, init=X[[0, 10, 20]]).fit(X)
    assert np.isfinite(model.feature_weights_).all()
    assert model.feature_weights_[0] == 1


@EACH
def test_starts_from_labels_and_neighbourhoods(estimator):
    y = np.full(150, -1)
    y[[0, 1, 60, 61, 120, 121]] = [0, 0, 1, 1, 2, 2]
    seeds = seeding(IRIS, 3, PairwiseConstraints.from_labels(y).must_link)
    by_name = estimator(3, init="seeding").fit(IRIS, y)
    by_centers = estimator(3, init=seeds.centers)
    by_labels = clone(by_name).set_params(init=seeds.labels)
    if estimator is MPCKMeans:  # the first pass starts from labels, as in the authors' runs
        by_labels.fit(IRIS, y)
        assert len(by_name.start_objectives_) == 1
        np.testing.assert_array_equal(by_name.labels_, by_size(by_labels.labels_))
        by_name = clone(by_name).set_params(label_seeds=False).fit(IRIS, y)
    np.testing.assert_array_equal(by_name.labels_, by_size(by_centers.fit(IRIS, y).labels_))
    if "label_seeds" in by_labels.get_params():
        by_labels.set_params(label_seeds=False)
    # Centres are computed by another sum: equal up to rounding.
    np.testing.assert_array_equal(by_size(by_labels.fit(IRIS, y).labels_), by_name.labels_)


@EACH
@pytest.mark.parametrize("init", ["dkm++", "robin", "maximin", "random", "k-means++", "seeding"])
def test_named_starts(estimator, init):
    model = estimator(3, init=init, n_init=3, random_state=0, max_iter=100)
    first = model.fit(IRIS, **draw_pairs(40, 8)).labels_
    np.testing.assert_array_equal(clone(model).fit_predict(IRIS, **draw_pairs(40, 8)), first)
    n_starts = 3 if init in ("random", "k-means++") else 1
    assert len(model.start_objectives_) == n_starts


def test_callable_starts():
    calls = []

    def init(X, n_clusters, random_state):
        calls.append(random_state)
        return X[np.random.default_rng(random_state).choice(len(X), n_clusters, replace=False)]

    PCKMeans(3, init=init, n_init=4, random_state=0).fit(IRIS)
    assert len(set(calls)) == 4


def test_seeding_fills_up_with_other_rows():
    X = np.arange(12.0)[:, None]
    seeds = seeding(X, 4, [(0, 1), (5, 6)], random_state=0)
    np.testing.assert_allclose(seeds.centers[:2], [[0.5], [5.5]])
    rest = set(seeds.centers[2:, 0])
    assert len(rest) == 2
    assert rest <= set(range(12)) - {0, 1, 5, 6}
    assert seeds.labels.tolist() == [0, 0, -1, -1, -1, 1, 1, -1, -1, -1, -1, -1]
    every = seeding(X[:4], 3, [(0, 1), (2, 3)], random_state=0)  # no row outside the pairs: drawn from all
    assert every.centers[2, 0] in range(4)
    near = seeding(X, 3, fill="perturbed_mean", random_state=0).centers
    assert (abs(near / 5.5 - 1) <= 0.35).all()
    for bad in ({"fill": "x"}, {"n_clusters": 13}, {"must_link": [(0, 12)]}):
        with pytest.raises(ValueError, match=r"'fill' parameter of|at most n_samples|outside 0\.\.11"):
            seeding(X, **{"n_clusters": 2, **bad})


@EACH
def test_results_do_not_depend_on_threads_or_change_the_input(estimator):
    pairs = draw_pairs(50, 9)
    X, copies = IRIS.copy(), {name: value.copy() for name, value in pairs.items()}
    one = estimator(3, random_state=1).fit(X, **pairs)
    two = estimator(3, random_state=1, n_jobs=2).fit(X, **pairs)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.start_objectives_, two.start_objectives_)
    np.testing.assert_array_equal(X, IRIS)
    for name, value in pairs.items():
        np.testing.assert_array_equal(value, copies[name])


def test_objective_is_scatter_and_violations():
    pairs = draw_pairs(60, 10)
    model = PCKMeans(3, init=CENTERS).fit(IRIS, **pairs)
    cost = 0.0
    for i in model.violated_must_link_:
        u, v = pairs["must_link"][i]
        cost += ((IRIS[u] - IRIS[v]) ** 2).sum()
    for i in model.violated_cannot_link_:
        u, v = pairs["cannot_link"][i]
        cost += (np.ptp(IRIS, axis=0) ** 2).sum() - ((IRIS[u] - IRIS[v]) ** 2).sum()
    scatter = ((IRIS - model.cluster_centers_[model.labels_]) ** 2).sum()
    np.testing.assert_allclose([model.inertia_, model.objective_], [scatter, scatter + cost], rtol=1e-12)


def test_every_further_start_of_copkmeans_visits_the_rows_in_an_order_of_its_own():
    # From the same centres, starts differ by their orders alone.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    pairs = rng.integers(60, size=(40, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]

    def same(data, n_clusters, random_state):
        return data[:n_clusters]

    model = COPKMeans(4, init=same, n_init=8, random_state=0).fit(X, cannot_link=pairs)
    assert len(np.unique(model.start_objectives_)) > 2
    assert model.violated_cannot_link_.size == 0
    in_order = COPKMeans(4, init=same, n_init=8, order=np.arange(60)).fit(X, cannot_link=pairs)
    assert set(in_order.start_objectives_.tolist()) == {model.start_objectives_[0]}
    assert model.objective_ < in_order.objective_
    again = COPKMeans(4, init=same, n_init=8, random_state=0, n_jobs=2).fit(X, cannot_link=pairs)
    assert np.array_equal(again.labels_, model.labels_)
    assert np.array_equal(again.start_objectives_, model.start_objectives_, equal_nan=True)
    within = sum(((X[model.labels_ == k] - X[model.labels_ == k].mean(axis=0)) ** 2).sum() for k in range(4))
    assert model.objective_ == pytest.approx(within, rel=1e-12)  # a difference of sums of 120 terms


def constant_cost(X, labels, pairs):
    """Squares within clusters plus the weights of the violated pairs."""
    within = sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in np.unique(labels))
    must = [w for (i, j), w in zip(pairs.must_link, pairs.ml_weight, strict=True) if labels[i] != labels[j]]
    cannot = [
        w for (i, j), w in zip(pairs.cannot_link, pairs.cl_weight, strict=True) if labels[i] == labels[j]
    ]
    return within + sum(must) + sum(cannot)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_a_constant_cost_is_the_weight_of_each_violated_pair(seed, scale):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 3)) * scale
    links = rng.permutation(24).reshape(-1, 2)
    weights = rng.uniform(0.1, 3, 12) * scale**2
    pairs = PairwiseConstraints(24, links[:6], links[6:], weights[:6], weights[6:])
    model = PCKMeans(3, violation_cost="constant", n_init=2, max_iter=100, random_state=0)
    model.fit(X, **pairs.fit_params())
    expected = constant_cost(X, model.labels_, pairs)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)  # sums in another order
    falls = np.diff(model.criterion_history_[1:])
    assert (falls <= 1e-9 * abs(expected)).all()


def test_a_constant_cost_finds_the_best_partition_of_few_rows():
    X = np.array([[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]])
    pairs = PairwiseConstraints(6, [(2, 3)], [(0, 1)], [30.0], [0.2])
    model = PCKMeans(2, violation_cost="constant", n_init=20, random_state=0).fit(X, **pairs.fit_params())
    every = [np.array(labels) for labels in itertools.product([0, 1], repeat=6) if len(set(labels)) == 2]
    best = min(every, key=lambda labels: constant_cost(X, labels, pairs))
    assert model.objective_ == pytest.approx(constant_cost(X, best, pairs))
    assert model.violated_must_link_.size == 0  # 30 is more than the squares it saves
    assert model.violated_cannot_link_.size == 1  # .2 is less


def test_a_constant_cost_needs_no_farthest_pair():
    X = np.random.default_rng(0).normal(size=(5001, 1))
    PCKMeans(2, violation_cost="constant", max_separation="pair", n_init=1, random_state=0).fit(
        X, cannot_link=[(0, 1)]
    )
    with pytest.raises(ValueError, match="'violation_cost' parameter of"):
        PCKMeans(2, violation_cost="none").fit(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_beyond_the_largest_number_are_told_of():
    """Weights are in one over squared units: of data near 1e-160 they are infinite, and labels are right."""
    X = np.random.default_rng(3).normal(size=(30, 3)) + 6 * np.repeat([0, 1, 2], 10)[:, None]
    expected = MPCKMeans(3, init=X[[0, 10, 20]]).fit(X, cannot_link=[[0, 10]])
    with pytest.warns(UserWarning, match="exceed the largest number there; labels and centres are right"):
        model = MPCKMeans(3, init=X[[0, 10, 20]] * 1e-160).fit(X * 1e-160, cannot_link=[[0, 10]])
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert np.isinf(model.feature_weights_).all()


def test_a_constant_cost_beside_tiny_data_is_finite() -> None:
    X = np.repeat([[0.0, 1], [5, 5]], 4, axis=0) * 1e-200
    model = PCKMeans(2, violation_cost="constant", n_init=2, random_state=0).fit(X, cannot_link=[(0, 1)])
    assert model.labels_[0] != model.labels_[1]
