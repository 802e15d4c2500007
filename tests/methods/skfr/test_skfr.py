"""SKFR against a literal loop, and the invariants of the method."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.feature_selection import SelectFromModel
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from sparsek import SKFR
from sparsek.core.scaling import prepare
from sparsek.core.steps import cluster_sums, moved_sums
from sparsek.methods.skfr import problem as skfr_problem
from sparsek.methods.skfr.algorithm import Sizes, skfr, sparse_means
from sparsek.methods.skfr.problem import array_problem, skfr_stack
from sparsek.sources.local import array_rows
from tests.partitions import by_size

# h is a difference of sums of n p terms of size 1: rounding relative to the total sum of squares.
RELATIVE = 1e-12


def literal_skfr(z, labels, k, s, local=False, max_iter=300):
    """The paper's algorithm in loops; returns labels, selected features, centres, n_iter and h."""
    n, p = z.shape
    labels = list(labels)
    history = []
    while len(history) < max_iter:
        means = np.zeros((k, p))
        counts = [labels.count(j) for j in range(k)]
        for j in range(k):
            for i in range(n):
                if labels[i] == j:
                    means[j] += z[i] / counts[j]
        gains = np.array([counts[j] * means[j] ** 2 for j in range(k)])
        if not local:
            gains = np.tile(gains.sum(axis=0), (k, 1))
        selected = [sorted(sorted(range(p), key=lambda f, g=g: (-g[f], f))[:s]) for g in gains]
        theta = np.zeros((k, p))
        for j in range(k):
            theta[j, selected[j]] = means[j, selected[j]]
        history.append(sum(((z[i] - theta[labels[i]]) ** 2).sum() for i in range(n)))
        new = []
        for i in range(n):
            distances = [((z[i] - theta[j]) ** 2).sum() for j in range(k)]
            new.append(distances.index(min(distances)))
        if new == labels:
            break
        labels = new
    return new, selected, theta, len(history), history


@st.composite
def problems(draw):
    """Random data, k, s and start labels; some clusters may be empty."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p, k = draw(st.integers(1, 8)), draw(st.integers(2, 6))
    # More rows than clusters: with one row in each, all features have equal gains.
    n = k + draw(st.integers(2, 25))
    s = draw(st.integers(1, p))
    X = rng.standard_normal((n, p)) + 2 * rng.standard_normal((k, p))[rng.integers(k, size=n)]
    starts = [rng.integers(0, draw(st.integers(2, k)), n).astype(np.int32) for _ in range(3)]
    for labels in starts:
        # With a single occupied cluster every gain is rounding error, and so is the ranking.
        labels[:2] = [0, 1]
    return X, k, s, starts


def run_skfr(Z, labels, k, s, local=False, weights=None, tss=0.0, max_iter=300):
    """One start on an array."""
    rank = partial(sparse_means, n_selected=s, local=local)
    return skfr(array_rows(Z, labels, k, weights), rank, tss=tss, max_iter=max_iter)


@pytest.mark.engines
@settings(max_examples=40)
@given(problems(), st.booleans())
def test_same_path_as_the_literal_loop(problem, local):
    X, k, s, starts = problem
    Z, _ = prepare(X, None, standardize=True)
    tss = float((Z[:, :-1] ** 2).sum())
    for labels in starts:
        new, selected, theta, n_iter, history = literal_skfr(Z[:, :-1], labels, k, s, local)
        if len(set(new)) < 2:
            continue
        got = run_skfr(Z, labels, k, s, local, tss=tss)
        assert got.labels.tolist() == new
        assert got.n_iter == n_iter
        assert got.params.selected.tolist() == (selected if local else selected[0])
        np.testing.assert_allclose(got.params.centers, theta[:, got.params.columns], atol=1e-12)
        np.testing.assert_allclose(got.history, history, atol=RELATIVE * tss)


@pytest.mark.engines
@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_emptied_clusters_return_to_the_origin(weight):
    X = np.random.default_rng(2).standard_normal((9, 3)) * 0.1
    Z, _ = prepare(X, None, standardize=True)
    weights = np.full(9, weight)
    full = cluster_sums(Z, np.array([0, 0, 0, 1, 2, 1, 2, 0, 0], dtype=np.int32), 3, weights)
    moved = moved_sums(Z, np.array([0, 0, 0, 1, 2, 1, 0, 0, 0], dtype=np.int32), full, weights)
    emptied = moved_sums(Z, np.array([0, 0, 0, 1, 0, 1, 0, 0, 0], dtype=np.int32), moved, weights)
    assert emptied.age == 2  # both updates used only the rows that moved
    assert not emptied.sums[2].any()
    assert not emptied.means[2].any()


@settings(max_examples=40)
@given(problems(), st.booleans())
def test_stacked_starts_equal_single_starts(problem, weighted):
    X, k, s, starts = problem
    w = np.random.default_rng(0).integers(1, 4, len(X)).astype(float) if weighted else None
    rows, sizes = array_problem(X, k, w), Sizes(s, local=False, max_iter=50)
    Z = rows.scaling.apply(X)
    for labels, got in zip(starts, skfr_stack(rows, Z, starts, sizes), strict=True):
        single = run_skfr(Z, labels, k, s, weights=w, tss=rows.tss, max_iter=50)
        assert np.array_equal(got.labels, single.labels)
        assert np.array_equal(got.params.labels, single.params.labels)
        assert (got.n_iter, got.converged) == (single.n_iter, single.converged)
        # tss is only a constant here; gains are sums of up to 30 terms per feature.
        np.testing.assert_allclose(got.history, single.history, atol=1e-10)


@settings(max_examples=30)
@given(problems(), st.booleans())
def test_history_never_rises_and_the_gains_add_up(problem, local):
    X, k, s, starts = problem
    Z, _ = prepare(X, None, standardize=True)
    tss = float((Z[:, :-1] ** 2).sum())
    got = run_skfr(Z, starts[0], k, s, local, tss=tss)
    assert got.converged
    assert np.diff(got.history).max(initial=0) <= RELATIVE * tss
    theta = np.zeros((k, X.shape[1]))
    theta[:, got.params.columns] = got.params.centers
    direct = ((Z[:, :-1] - theta[got.labels]) ** 2).sum()
    assert abs(direct - got.criterion) <= RELATIVE * tss


def blobs(n=300, p=20, k=3, informative=4, seed=0):
    """Clusters that differ in the first columns; returns data and truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = rng.standard_normal((n, p))
    X[:, :informative] += rng.normal(0, 4, (k, informative))[truth]
    return X, truth


def same_fit(a, b):
    """Assert that two fitted models agree bit for bit."""
    assert np.array_equal(a.labels_, b.labels_)
    assert np.array_equal(a.cluster_centers_, b.cluster_centers_)
    assert np.array_equal(a.feature_weights_, b.feature_weights_)
    assert np.array_equal(a.start_objectives_, b.start_objectives_)
    assert (a.inertia_, a.objective_, a.n_iter_) == (b.inertia_, b.objective_, b.n_iter_)


SCOPES = pytest.mark.parametrize("scope", ["global", "local"])


@pytest.mark.engines
@SCOPES
def test_finds_the_informative_features(scope):
    X, truth = blobs()
    model = SKFR(3, 4, scope=scope, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    # A cluster with a small mean in an informative feature selects noise instead.
    expected = {0, 1, 2, 3} if scope == "global" else {0, 1, 2, 3} | set(model.get_support(indices=True))
    assert set(model.get_support(indices=True)) == expected
    assert model.selected_features_.shape == ((4,) if scope == "global" else (3, 4))
    assert model.feature_weights_.shape == ((20,) if scope == "global" else (3, 20))
    assert np.array_equal(SelectFromModel(model, importance_getter="feature_weights_", threshold=1e-12)
                          .fit(X).get_support(), model.get_support())  # fmt: skip


@pytest.mark.engines
@SCOPES
def test_attributes_agree_with_each_other(scope):
    X, _ = blobs()
    model = SKFR(3, 4, scope=scope, random_state=0).fit(X)
    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    support = model.get_support()
    assert not model.standardized_centers_[:, ~support].any()
    np.testing.assert_allclose(
        model.cluster_centers_[:, ~support], np.tile(X.mean(axis=0), (3, 1))[:, ~support]
    )
    h = ((z - model.standardized_centers_[model.labels_]) ** 2).sum()
    assert abs(model.inertia_ - h) <= RELATIVE * model.tss_
    assert abs(model.objective_ - h) <= RELATIVE * model.tss_
    assert abs(model.score(X) + model.inertia_) <= RELATIVE * model.tss_
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.transform(X).argmin(axis=1), model.labels_)
    assert model.criterion_history_.shape == (model.n_iter_,)
    assert model.objective_ == model.criterion_history_[-1]
    # Among starts that agree up to rounding the first is kept.
    assert abs(model.objective_ - model.start_objectives_.min()) <= RELATIVE * model.tss_
    # One share per feature and cluster, in units of the n - 1 = TSS of a standardised column.
    explained = (model.feature_weights_ * (len(X) - 1)).sum()
    assert abs(explained + model.objective_ - model.tss_) <= RELATIVE * model.tss_


@pytest.mark.engines
@pytest.mark.seeds(2)
def test_all_features_is_lloyd_on_standardised_data(seed):
    X, _ = blobs(n=150, p=6, k=4, seed=seed)
    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    labels = np.random.default_rng(seed).integers(4, size=150)
    model = SKFR(4, 6, init=labels, standardize=True).fit(X)
    lloyd = KMeans(4, init=np.array([z[labels == k].mean(axis=0) for k in range(4)]), n_init=1, tol=0).fit(z)
    assert np.array_equal(model.labels_, lloyd.labels_)
    assert model.inertia_ == pytest.approx(lloyd.inertia_, rel=1e-12)


@pytest.mark.engines
@SCOPES
@pytest.mark.seeds(2)
def test_invariances(scope, seed):
    X, _ = blobs(n=60, p=8, seed=seed)
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 3, 60)
    base = SKFR(3, 3, scope=scope, init=start, standardize=True).fit(X)

    columns = rng.permutation(8)
    moved = SKFR(3, 3, scope=scope, init=start, standardize=True).fit(X[:, columns])
    assert np.array_equal(moved.labels_, base.labels_)
    assert np.array_equal(moved.get_support(), base.get_support()[columns])

    scaled = SKFR(3, 3, scope=scope, init=start, standardize=True).fit(
        X * rng.choice([-3.0, 0.5], 8) + rng.normal(size=8)
    )
    assert np.array_equal(scaled.labels_, base.labels_)
    assert np.array_equal(scaled.get_support(), base.get_support())

    rows = rng.permutation(60)
    shuffled = SKFR(3, 3, scope=scope, init=start[rows], standardize=True).fit(X[rows])
    assert np.array_equal(shuffled.labels_, base.labels_[rows])

    names = rng.permutation(3)
    renamed = SKFR(3, 3, scope=scope, init=names[start], standardize=True).fit(X)
    assert np.array_equal(renamed.labels_, names[base.labels_])


@pytest.mark.engines
@SCOPES
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_weights_are_repetitions_in_any_row_order(scope, init):
    X, _ = blobs(n=60, p=8)
    rng = np.random.default_rng(0)
    w = rng.integers(0, 4, 60)
    rows = rng.permutation(60)
    options = {"scope": scope, "init": init, "n_init": 5, "random_state": 0}
    weighted = SKFR(3, 3, **({"standardize": True} | options)).fit(X[rows], sample_weight=w[rows])
    repeated = SKFR(3, 3, **({"standardize": True} | options)).fit(X.repeat(w, axis=0))
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    assert np.array_equal(weighted.labels_, weighted.predict(X[rows]))
    assert weighted.inertia_ == pytest.approx(repeated.inertia_, rel=1e-12)
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-12)


@pytest.mark.engines
@SCOPES
def test_threads_do_not_change_a_bit(scope):
    X, _ = blobs(n=9000, p=12, k=5)
    options = {"scope": scope, "n_init": 2, "random_state": 0}
    base = SKFR(5, 8, **options, standardize=True).fit(X)
    same_fit(SKFR(5, 8, n_jobs=2, **options, standardize=True).fit(X), base)
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            again = SKFR(5, 8, **options, standardize=True).fit(X)
            same_fit(again, base)
            assert np.array_equal(again.predict(X), base.labels_)


@pytest.mark.engines
@SCOPES
def test_huge_offset_does_not_change_the_labels(scope):
    X, _ = blobs()
    # Integers survive the offset exactly.
    X = np.round(X * 64)
    base = SKFR(3, 4, scope=scope, random_state=0).fit(X)
    far = SKFR(3, 4, scope=scope, random_state=0).fit(X + 1e8)
    assert np.array_equal(far.labels_, base.labels_)
    assert np.array_equal(far.predict(X + 1e8), base.labels_)
    assert np.array_equal(far.get_support(), base.get_support())


@pytest.mark.engines
@SCOPES
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("scale", [2.0**-1040, 1e-310, 1e-300, 1e-160, 1e160, 1e300])
def test_tiny_and_huge_scales(scope, standardize, scale):
    X, _ = blobs(n=90, p=8)
    options = {"scope": scope, "standardize": standardize, "n_init": 3, "random_state": 0}
    base = SKFR(3, 4, **options).fit(X)
    model = SKFR(3, 4, **options).fit(X * scale)
    assert np.array_equal(model.labels_, base.labels_)
    assert np.array_equal(model.predict(X * scale), base.labels_)
    assert np.array_equal(model.get_support(), base.get_support())


@pytest.mark.engines
def test_a_subnormal_column_counts_like_any_other():
    X, _ = blobs()
    base = SKFR(3, 4, random_state=0).fit(X)
    X[:, 0] *= 1e-310
    model = SKFR(3, 4, random_state=0).fit(X)
    assert np.array_equal(model.labels_, base.labels_)
    assert model.get_support(indices=True).tolist() == [0, 1, 2, 3]


@pytest.mark.engines
@SCOPES
def test_constant_columns_come_last_with_weight_0(scope):
    X, _ = blobs(p=6)
    X[:, 0] = 0.1
    X[:, 5] = 1e8
    model = SKFR(3, 4, scope=scope, random_state=0, standardize=True).fit(X)
    assert model.get_support(indices=True).tolist() == [1, 2, 3, 4]
    everything = SKFR(3, 6, scope=scope, random_state=0, standardize=True).fit(X)
    assert everything.get_support().all()
    assert not everything.feature_weights_[..., [0, 5]].any()


@pytest.mark.engines
def test_equal_columns_tie_to_the_lowest_index():
    X, _ = blobs(p=4, informative=1)
    X = X[:, [1, 0, 2, 0, 0]]
    assert SKFR(3, 2, random_state=0, standardize=True).fit(X).get_support(indices=True).tolist() == [1, 3]


@pytest.mark.engines
@SCOPES
def test_empty_start_cluster_can_win_rows(scope):
    X, _ = blobs()
    start = np.arange(300) % 2
    model = SKFR(3, 4, scope=scope, init=start).fit(X)
    assert len(np.unique(model.labels_)) == 3


@pytest.mark.engines
@SCOPES
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_kept(scope, dtype):
    X, _ = blobs()
    base = SKFR(3, 4, scope=scope, random_state=0).fit(X)
    model = SKFR(3, 4, scope=scope, random_state=0).fit(X.astype(dtype))
    assert model.cluster_centers_.dtype == model.standardized_centers_.dtype == dtype
    assert model.transform(X.astype(dtype)).dtype == dtype
    assert np.array_equal(model.labels_, base.labels_)
    assert np.array_equal(model.get_support(), base.get_support())


def test_pandas_pickle_clone():
    X, _ = blobs(p=6)
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(1000, 1300))
    model = SKFR(3, 4, random_state=0).set_output(transform="pandas").fit(frame)
    assert model.feature_names_in_.tolist() == list("abcdef")
    out = model.transform(frame)
    assert out.columns.tolist() == model.get_feature_names_out().tolist() == ["skfr0", "skfr1", "skfr2"]
    assert out.index.equals(frame.index)
    same_fit(pickle.loads(pickle.dumps(model)), model)
    same_fit(clone(model).fit(X), model)
    assert clone(model).fit_predict(X).tolist() == model.labels_.tolist()


@pytest.mark.parametrize(("wanted", "number"), [(None, 3), (2, 2), (7, 7), (0.3, 2), (0.01, 1), (1.0, 7)])
def test_number_of_selected_features(wanted, number):
    X, _ = blobs(p=7)
    assert SKFR(3, wanted, random_state=0).fit(X).get_support().sum() == number


@pytest.mark.engines
def test_init_given_as_labels_centres_or_callable_agree():
    X, _ = blobs()
    centers = X[:3]
    start = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    base = SKFR(3, 4, init=centers).fit(X)
    same_fit(SKFR(3, 4, init=start).fit(X), base)
    seeds = []

    def seeded(X, n_clusters, random_state):
        seeds.append(random_state)
        return X[:n_clusters]

    called = SKFR(3, 4, init=seeded, n_init=2, random_state=0).fit(X)
    assert np.array_equal(called.labels_, by_size(base.labels_))
    assert len(set(seeds)) == 2


@pytest.mark.engines
@SCOPES
def test_one_cluster_and_one_feature(scope):
    X, _ = blobs(p=1, informative=1)
    assert not SKFR(1, scope=scope).fit_predict(X).any()
    model = SKFR(3, scope=scope, random_state=0).fit(X)
    assert model.get_support().tolist() == [True]


def test_stacked_starts_of_data_too_large_to_transpose(monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 6))
    starts = [rng.integers(0, 3, 40).astype(np.int32) for _ in range(4)]
    problem, sizes = array_problem(X, 3), Sizes(2, local=False, max_iter=50)
    Z = problem.scaling.apply(X)
    expected = skfr_stack(problem, Z, starts, sizes)
    monkeypatch.setattr(skfr_problem, "TRANSPOSED_ENTRIES", 0)
    for labels, got, usual in zip(starts, skfr_stack(problem, Z, starts, sizes), expected, strict=True):
        assert np.array_equal(got.labels, usual.labels)
        assert np.array_equal(got.labels, run_skfr(Z, labels, 3, 2, tss=100.0, max_iter=50).labels)


@pytest.mark.engines
@pytest.mark.parametrize("exponent", [-600, 0, 500])
def test_distances_are_those_to_the_centres_in_the_units_of_the_data(exponent):
    X = np.random.default_rng(0).normal(size=(20, 3))
    scaled = np.ldexp(X, exponent)  # squares of the smallest and largest of these leave the range of doubles
    model = SKFR(2, n_features_to_select=2, standardize=False, random_state=0).fit(scaled)
    used = model.selected_features_
    expected = cdist(X[:, used], np.ldexp(model.cluster_centers_[:, used], -exponent))
    found = np.ldexp(model.transform(scaled), -exponent)
    np.testing.assert_allclose(found, expected, rtol=1e-12)  # centred data lose a few of 16 digits


def test_rounding_of_stacked_sums_does_not_add_up():
    # Uniform numbers in 40 clusters, from the 40 smallest: labels change in each of 300 iterations.
    x = np.sort(np.random.default_rng(0).uniform(size=6_000))
    X = x[:, None].astype(np.float32)
    problem = array_problem(X, 40, divisor=False)
    Z = problem.scaling.apply(X)
    start = np.searchsorted((x[:39] + x[1:40]) / 2, x).astype(np.int32)
    sizes = Sizes(1, local=False, max_iter=300)
    found = skfr_stack(problem, Z, [start, start], sizes)[0]
    assert found.n_iter == 300
    members = np.bincount(found.params.labels)
    exact = np.bincount(found.params.labels, Z[:, 0].astype(float)) / members
    # Means near 0.5 at most, of sums changed at most 32 times since they were computed: 32 * 0.5 * 6e-8.
    np.testing.assert_allclose(found.params.centers[:, 0], exact, rtol=0, atol=1e-6)


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # one iteration is asked for
@pytest.mark.parametrize("max_iter", [1, 2, 300])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_that_need_no_conversion_give_what_others_give(dtype, standardize, max_iter):
    X = np.random.default_rng(0).normal(size=(90, 12)).astype(dtype)
    X[:30, :2] += 5
    options = {"init": X[[0, 40, 80]], "max_iter": max_iter, "standardize": standardize}
    plain = SKFR(3, 4, **options).fit(X)
    converted = SKFR(3, 4, **options).fit(np.asfortranarray(X))  # scikit-learn's checks copy these
    assert vars(plain).keys() == vars(converted).keys()
    for name in ("labels_", "cluster_centers_", "feature_weights_", "feature_gains_", "selected_features_"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(converted, name))
    for name in ("inertia_", "objective_", "tss_", "n_iter_", "n_features_in_", "_n_missing"):
        assert getattr(plain, name) == getattr(converted, name)


def test_sums_of_one_start_are_kept_where_they_are_asked_for():
    problem = array_problem(np.random.default_rng(0).normal(size=(200, 6)), 3)
    labels = np.random.default_rng(1).integers(3, size=200).astype(np.int32)
    for max_iter in range(1, 12):
        kept = problem.start(labels, Sizes(2, local=False, max_iter=max_iter), keep_sums=True).params
        np.testing.assert_array_equal(kept.sums.sums, problem.rows(kept.labels).sums().sums)
    assert problem.start(labels, Sizes(2, local=False, max_iter=300)).params.sums is None
