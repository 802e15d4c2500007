"""MPCKMeans with a full metric for each cluster."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from sparsek import MPCKMeans
from sparsek.methods.constrained.mpckm_full import FLOOR
from tests.methods.constrained import literal_constrained

FULL = {"metric": "per_cluster_full"}
# Pairs and starts are drawn: they may contradict each other, empty a cluster, or need more passes.
DRAWN = (
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::sparsek.errors.ConstraintConflictWarning",
)
# Sums in another order, of numbers of size 100 at most.
ROUNDING = 1e-7


def draw(seed):
    """Data in two groups, pairs and centres."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(12, 25)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    X[: n // 2] += 2
    pairs = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(int(rng.integers(0, 12)))]
    cut = int(rng.integers(0, len(pairs) + 1))
    return X, pairs[:cut], pairs[cut:], X[rng.choice(n, k, replace=False)], rng.uniform(0.5, 2)


def crossed(seed=0):
    """Two thin ellipses at right angles whose ends cross."""
    rng = np.random.default_rng(seed)
    along = rng.normal(size=(200, 2)) * [2, 0.3]
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    return np.vstack([along[:100] @ turn, along[100:] @ turn.T + [4.0, 0.0]]), np.repeat([0, 1], 100)


@pytest.mark.filterwarnings(*DRAWN)
@settings(max_examples=10)
@given(st.integers(0, 2**31 - 1), st.sampled_from(["box", "pair"]))
def test_equals_the_literal_loops(seed, separation):
    X, ml, cl, centers, c = draw(seed)
    centred = X - X.mean(axis=0)
    arguments = ([(*pair, c) for pair in ml], [(*pair, c) for pair in cl], centers - X.mean(axis=0), 6)
    labels, A, history = literal_constrained.mpckm_full(centred, *arguments, FLOOR, separation)
    model = MPCKMeans(len(centers), init=centers, max_iter=6, max_separation=separation, **FULL)
    model.fit(X, must_link=ml or None, cannot_link=cl or None, ml_weight=c, cl_weight=c)
    assert model.labels_.tolist() == labels.tolist()
    np.testing.assert_allclose(model.metrics_, A, rtol=1e-6, atol=ROUNDING)
    np.testing.assert_allclose(model.criterion_history_, history, rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.filterwarnings(*DRAWN)
@settings(max_examples=25)
@given(st.integers(0, 2**31 - 1))
def test_metrics_are_positive_definite_and_attributes_agree(seed):
    X, ml, _, centers, _ = draw(seed)
    model = MPCKMeans(len(centers), init=centers, **FULL).fit(X, must_link=ml or None)
    values = np.linalg.eigvalsh(model.metrics_)
    # Beside the identity of the first pass: no eigenvalue above that of the floor.
    most = max(1, 1 / (FLOOR * X.var(axis=0).mean()))
    assert values.min() > 0
    assert values.max() <= most * (1 + ROUNDING)
    assert np.array_equal(model.feature_weights_, np.diagonal(model.metrics_, axis1=1, axis2=2))
    difference = X[:, None] - model.cluster_centers_
    squares = np.einsum("nki,kij,nkj->nk", difference, model.metrics_, difference)
    np.testing.assert_allclose(model.transform(X) ** 2, squares, rtol=ROUNDING, atol=ROUNDING)
    prices = np.linalg.slogdet(model.metrics_)[1]
    np.testing.assert_array_equal(model.predict(X), (squares - prices).argmin(axis=1))
    own = squares[np.arange(len(X)), model.labels_]
    assert model.inertia_ == pytest.approx(own.sum(), rel=ROUNDING, abs=ROUNDING)
    split = model.labels_[[u for u, v in ml]] != model.labels_[[v for u, v in ml]] if ml else []
    cost = 0.0
    for (u, v), violated in zip(ml, split, strict=True):
        d = [(X[u] - X[v]) @ model.metrics_[model.labels_[end]] @ (X[u] - X[v]) for end in (u, v)]
        cost += violated * sum(d) / 2
    J = (own - prices[model.labels_]).sum() + cost
    assert model.objective_ == pytest.approx(J, rel=ROUNDING, abs=ROUNDING)


@pytest.mark.seeds(6, also=[394227513])
def test_criterion_never_rises_without_cannot_links_and_floor(seed):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(60, 2)) * [2, 1], rng.normal(size=(60, 2)) * [1, 2] + 2])
    ml = rng.choice(120, (15, 2), replace=False)
    starts = (MPCKMeans(2, n_init=1, random_state=seed + i, **FULL).fit(X, must_link=ml) for i in range(10))
    # A cluster of few rows reaches the floor of the variances, where the criterion may rise.
    most = 0.9 / (FLOOR * X.var(axis=0).mean())
    model = next(fit for fit in starts if np.linalg.eigvalsh(fit.metrics_).max() < most)
    assert np.diff(model.criterion_history_[1:]).max(initial=0) <= ROUNDING


def test_equal_clusters_without_correlation_have_the_diagonal_metric():
    corners = np.array([(x, y, z) for x in (-1.0, 1) for y in (-2.0, 2) for z in (-0.5, 0.5)])
    X = np.vstack([corners, corners + np.array([6, 0, 0]), corners + np.array([0, 0, 9])])
    init = X[[0, 8, 16]]
    diagonal = MPCKMeans(3, init=init).fit(X)
    full = MPCKMeans(3, init=init, **FULL).fit(X)
    assert np.array_equal(full.labels_, diagonal.labels_)
    assert np.array_equal(full.labels_, np.repeat([0, 1, 2], 8))
    for matrix in full.metrics_:
        np.testing.assert_allclose(matrix, np.diag(diagonal.feature_weights_), atol=1e-12)
    np.testing.assert_allclose(full.criterion_history_, diagonal.criterion_history_, rtol=1e-12)
    np.testing.assert_allclose(full.transform(X), diagonal.transform(X), rtol=1e-12)


def test_one_feature_and_one_cluster_is_the_diagonal_metric():
    X = np.random.default_rng(0).normal(size=(30, 1))
    cl = [(0, 1), (2, 3)]
    diagonal, full = (
        MPCKMeans(1, max_separation=mode, **options).fit(X, cannot_link=cl)
        for mode, options in (("pair", {}), ("pair", FULL))
    )
    assert full.metrics_[0, 0, 0] == pytest.approx(diagonal.feature_weights_[0], rel=1e-12)
    assert full.objective_ == pytest.approx(diagonal.objective_, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_crossed_ellipses_need_a_matrix_for_each_cluster(seed):
    X, truth = crossed(seed)
    known = np.r_[0:5, 100:105]
    y = np.full(200, -1)
    y[known] = truth[known]
    hidden = y < 0
    rates = {
        metric: adjusted_rand_score(
            truth[hidden], MPCKMeans(2, init="seeding", metric=metric).fit(X, y).labels_[hidden]
        )
        for metric in ("diagonal", "per_cluster_full")
    }
    assert rates["per_cluster_full"] > 0.8
    assert rates["diagonal"] < rates["per_cluster_full"] - 0.05


def test_units_shifts_and_log_weight():
    X, truth = crossed(1)
    options = {"init": truth, **FULL}
    base = MPCKMeans(2, **options).fit(X, cannot_link=[(0, 150), (3, 4)])
    moved = MPCKMeans(2, **options).fit(1024 * X + 64, cannot_link=[(0, 150), (3, 4)])
    assert np.array_equal(moved.labels_, base.labels_)
    np.testing.assert_allclose(moved.metrics_ * 2**20, base.metrics_, rtol=1e-8)
    np.testing.assert_allclose(moved.transform(1024 * X + 64), base.transform(X), rtol=1e-8)
    scaled = MPCKMeans(2, log_weight=4.0, **options).fit(X, cannot_link=[(0, 150), (3, 4)])
    assert np.array_equal(scaled.labels_, base.labels_)
    assert np.array_equal(scaled.predict(X), base.predict(X))
    np.testing.assert_allclose(scaled.metrics_, 4 * base.metrics_, rtol=1e-8)


@pytest.mark.parametrize("on_empty", ["keep", "farthest"])
def test_a_cluster_without_rows(on_empty):
    X, _ = crossed(2)
    far = np.array([X[0], X[150], [90.0, 90.0]])
    model = MPCKMeans(3, init=far, on_empty=on_empty, **FULL)
    if on_empty == "keep":
        with pytest.warns(UserWarning, match="distinct clusters"):
            model.fit(X)
        assert np.array_equal(model.metrics_[2], np.eye(2))
    else:
        assert len(np.unique(model.fit(X).labels_)) == 3
    assert np.isfinite(model.objective_)


def test_refusals_and_summary():
    X, truth = crossed()
    with pytest.raises(ValueError, match=r"'box_origin' .*per_cluster_full.*use 'box' or 'pair'"):
        MPCKMeans(2, max_separation="box_origin", **FULL).fit(X)
    with pytest.raises(ValueError, match="'metric' parameter of"):
        MPCKMeans(2, metric="full").fit(X)
    assert "MPCKMeans" in str(MPCKMeans(2, init=truth, **FULL).fit(X).summary())
    equal = MPCKMeans(1, **FULL).fit(np.ones((5, 2)))
    assert np.isfinite(equal.metrics_).all()


@pytest.mark.parametrize("log_weight", [1e-100, 0.01, 1e20])
@pytest.mark.parametrize("exponent", [-40, 0, 40])
def test_small_units_lose_no_distance(log_weight, exponent):
    """The first metric has one determinant for all clusters, beside which distances must not be lost."""
    X = np.random.default_rng(0).normal(size=(10, 8)) + 4 * (np.arange(10) % 2)[:, None]
    plain = MPCKMeans(2, metric="per_cluster_full", n_init=2, random_state=0).fit(X)
    found = MPCKMeans(2, metric="per_cluster_full", n_init=2, random_state=0, log_weight=log_weight)
    found.fit(np.ldexp(X, exponent))
    assert found.labels_.tolist() == plain.labels_.tolist()
    assert found.predict(np.ldexp(X, exponent)).tolist() == plain.labels_.tolist()
