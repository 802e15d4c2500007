"""Influential features and spectral steps: reference numbers, literal definitions, invariants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.methods.spectral import gram as gram_form
from sparsek.methods.spectral.gram import gram, prepared_columns, project, scale_columns
from sparsek.methods.spectral.ifpca import higher_criticism, score_features, screen, shares_above
from sparsek.methods.spectral.ks_null import null_scores
from sparsek.methods.spectral.spectral_gem import complete_linkage, graph_project, graph_rows, principal_rows
from tests.methods.spectral import literal_spectral as literal

PVALUES = np.array([0.001, 0.004, 0.02, 0.05, 0.2, 0.3, 0.5, 0.7, 0.8, 0.95])
SEEDS = st.integers(0, 2**32 - 1)


def test_checked_score():
    X = np.array([[1.0], [2], [4], [8], [9]])
    scores, scaling = score_features(X)
    z = prepared_columns(X, scaling, np.arange(1))[:, 0]
    # The reference numbers have ten digits.
    np.testing.assert_allclose(
        z, [-1.0663057132, -0.7856989466, -0.2244854133, 0.8979416532, 1.1785484199], atol=5e-11
    )
    assert scores[0] == pytest.approx(0.5417850738, abs=5e-11)


def test_checked_higher_criticism():
    expected = [
        0.3500915941, 0.4919620231, 0.5842542542, 0.6473617323, 0.5602282792,
        0.5359007186, 0.3522299631, 0.0909211842, 0.0595190592, -0.1356801051,
    ]  # fmt: skip
    np.testing.assert_allclose(higher_criticism(PVALUES, 40), expected, atol=5e-11)  # ten digits


@pytest.mark.parametrize(("cut", "index", "found"), [(None, 10, False), (0.03, 4, True)])
def test_checked_search(cut, index, found, monkeypatch):
    # Null scores are 1..1000; each score lies just below the null score that leaves 1000 pi above it.
    null = np.arange(1.0, 1001)
    scores = 1000.5 - 1000 * PVALUES
    monkeypatch.setattr("sparsek.methods.spectral.ifpca.renormalise", lambda scores, *_: scores)
    result = screen(scores, null, 40, cut)
    assert np.array_equal(result.pvalues, PVALUES)
    assert (result.index, result.found) == (index, found)
    assert result.selected.sum() == index


def test_last_maximum_and_ties(monkeypatch):
    monkeypatch.setattr("sparsek.methods.spectral.ifpca.renormalise", lambda scores, *_: scores)
    null = np.arange(1.0, 1001)
    # p-values above the cut from the start; 5 and 6 tie, so that L = 5 selects six features.
    pvalues = np.array([0.4, 0.4, 0.4, 0.4, 0.05, 0.05, 0.4, 0.4, 0.4, 0.05])[::-1]
    result = screen(1000.5 - 1000 * pvalues, null, 30, 0.01)
    assert result.index == 3
    assert np.array_equal(result.selected, pvalues == 0.05)
    pvalues = np.sort(np.r_[0.02, 0.3, 0.3, 0.3])
    result = screen(1000.5 - 1000 * pvalues, null, 30, 0.5)  # none is above the cut: starts at the first
    assert (result.index, result.found) == (1, True)
    hc = np.array([1.0, 2.0, 2.0, 1.0, 0.0, 0.0])
    monkeypatch.setattr("sparsek.methods.spectral.ifpca.higher_criticism", lambda *_: hc)
    assert screen(1000.5 - 1000 * np.arange(1, 7) / 10, null, 30, 0.01).index == 3


@settings(max_examples=60, deadline=None)
@given(
    SEEDS,
    st.integers(5, 30),
    st.integers(2, 40),
    st.sampled_from([0.5, 0.73, 1.0]),
    st.sampled_from(["mean", "median"]),
    st.sampled_from([None, 0.0, 0.1, 0.6]),
)
def test_selection_is_the_literal_one(seed, n, p, per, center, cut):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(3, size=(n, p))
    X[: n // 2, : p // 4] += 3
    null = np.sort(null_scores(n, 200, 0)).astype(np.float64)
    scores, _ = score_features(X)
    # libm's erfc and scipy's normal distribution differ in the last digits.
    np.testing.assert_allclose(scores, [literal.ks_score(column) for column in X.T], rtol=1e-11)
    if per * p + 0.5 < 2 or literal.location(sorted(scores)[: literal.half_up(per * p)], center)[1] < 1e-3:
        return  # nearly no spread
    adjusted, pvalues, hc, index, mask = literal.select(scores, null, n, cut, per, center)
    found = screen(scores, null, n, cut, per, center)
    np.testing.assert_allclose(found.adjusted, adjusted, rtol=1e-9)  # divided by a spread of 1e-3 or more
    assert found.pvalues.tolist() == pvalues
    np.testing.assert_allclose(found.hc, hc, rtol=1e-12, atol=1e-14)
    ties = np.sum(np.isclose(found.hc, found.hc[found.index - 1], rtol=1e-12))
    if ties == 1:
        assert found.index == index
        assert found.selected.tolist() == mask


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(3, 40), st.floats(-300, 300), st.floats(-5, 5))
def test_scores_do_not_depend_on_units_and_order(seed, n, exponent, offset):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    scores, _ = score_features(X)
    order = rng.permutation(n)
    changed = (X[order] + offset) * 10**exponent
    # Rounding of the shifted data, 1e-15, relative to their spread.
    np.testing.assert_allclose(score_features(changed)[0], scores, rtol=1e-9)
    np.testing.assert_allclose(score_features(-X)[0], scores, rtol=1e-9)
    columns = rng.permutation(5)
    assert np.array_equal(score_features(X[:, columns])[0], scores[columns])


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 60))
def test_pvalues_and_mask(seed, p):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.gamma(9, 0.07, size=p), rng.integers(1, 5))  # with ties
    found = screen(scores, np.sort(null_scores(30, 500, 0)), 30)
    assert ((found.pvalues >= 0) & (found.pvalues <= 1)).all()
    order = np.argsort(found.adjusted, kind="stable")
    assert (np.diff(found.pvalues[order]) <= 0).all()
    assert np.array_equal(found.selected, found.pvalues <= np.sort(found.pvalues)[found.index - 1])
    assert found.selected.sum() >= found.index >= 1
    if p > 1 and np.ptp(scores) > 0:
        null = null_scores(30, 500, 0)
        assert found.adjusted.mean() == pytest.approx(null.mean(), rel=1e-5)  # single precision
        assert found.adjusted.std(ddof=1) == pytest.approx(null.std(ddof=1), rel=1e-5)


def test_shares_are_strictly_above():
    null = np.sort(np.float32([0.1, 0.2, 0.3]))
    exact = null.astype(np.float64)
    values = np.concatenate([exact, np.nextafter(exact, 1), np.nextafter(exact, 0)])
    expected = [(exact > value).mean() for value in values]
    assert shares_above(null, values).tolist() == expected
    assert shares_above(exact, values).tolist() == expected


def test_constant_features_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 40))
    wide = np.insert(X, [0, 7, 40], [1e6, 0, -3.7], axis=1)
    varying = np.ptp(wide, axis=0) > 0
    null = np.sort(null_scores(30, 500, 0))
    (scores, _), (padded, _) = score_features(X), score_features(wide)
    assert np.array_equal(padded[varying], scores)
    assert (padded[~varying] == -np.inf).all()
    a, b = screen(scores, null, 30), screen(padded, null, 30)
    assert np.array_equal(a.hc, b.hc)
    assert a.index == b.index
    assert np.array_equal(b.pvalues[~varying], [1, 1, 1])
    assert np.array_equal(b.selected[varying], a.selected)
    assert not b.selected[~varying].any()


def test_equal_scores_are_not_renormalised():
    null = np.sort(null_scores(10, 100, 0))
    for scores in (np.full(6, 0.5), np.array([0.5])):
        found = screen(scores, null, 10)
        assert np.array_equal(found.adjusted, scores)
        assert np.isfinite(found.hc).all()


def test_noise_has_pvalues_about_one_half():
    X = np.random.default_rng(0).normal(size=(40, 2000))
    found = screen(score_features(X)[0], np.sort(null_scores(40, 20_000, 0)), 40)
    assert found.pvalues.mean() == pytest.approx(0.5, abs=0.02)  # standard error 0.0065


@pytest.mark.parametrize("shape", [(12, 30), (30, 12), (20, 20)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_principal_rows_are_singular_vectors(shape, dtype):
    X = (np.random.default_rng(0).normal(size=shape) * np.linspace(1, 9, shape[1]) + 100).astype(dtype)
    scaling, columns = scale_columns(X), np.arange(1, shape[1])
    Z = np.array([literal.standardise(column) for column in X.astype(np.float64).T]).T[:, 1:]
    found = principal_rows(X, scaling, columns, 4)
    rounding = 1e-10 if dtype == np.float64 else 1e-4  # eigenvectors of X - 100; eigenvalues differ by 5 %
    np.testing.assert_allclose(found.rows, literal.left_singular(Z, 4), atol=rounding)
    np.testing.assert_allclose(found.rows.T @ found.rows, np.eye(4), atol=1e-10)
    # New rows equal to old ones; float32 rows are scaled in float32.
    np.testing.assert_allclose(project(X, scaling, columns, found.loadings), found.rows, atol=rounding)


@pytest.mark.parametrize("entries", [1, 50, 10**6])
def test_chunks_do_not_matter(monkeypatch, entries):
    X = np.random.default_rng(0).normal(size=(10, 70))
    scores, scaling = score_features(X)
    products = gram(X, scaling, np.arange(70))
    monkeypatch.setattr(gram_form, "CHUNK_ENTRIES", entries)
    again, _ = score_features(X)
    assert np.array_equal(again, scores)
    # Sums in another order.
    np.testing.assert_allclose(gram(X, scaling, np.arange(70)), products, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(12, 30), (30, 12)])
def test_rank_limits_the_directions(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(shape[0], 2)) @ rng.normal(size=(2, shape[1]))
    found = principal_rows(X, scale_columns(X), np.arange(shape[1]), 5)
    assert found.rows.shape == (shape[0], 2)
    np.testing.assert_allclose(found.rows.T @ found.rows, np.eye(2), atol=1e-10)


@pytest.mark.parametrize("graph", ["root", "linear"])
def test_graph_rows_are_the_literal_ones(graph):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 40)) + np.repeat(rng.normal(size=(5, 40)), 5, axis=0)
    scaling = scale_columns(X)
    flat = type(scaling)(scaling.unit, scaling.offset, np.ones(40))
    found = graph_rows(X, flat, np.arange(40), 3, graph)
    # Gaps between the eigenvalues are above 1 %.
    np.testing.assert_allclose(found.rows, literal.graph_vectors(X, 3, graph), atol=1e-9)
    # The graph is connected, so these are the eigenvectors after the first.
    W = np.maximum(gram(X, flat, np.arange(40)), 0)
    W = np.sqrt(W) if graph == "root" else W
    roots = np.sqrt(W.sum(axis=1))
    values, vectors = np.linalg.eigh(W / np.outer(roots, roots))
    assert values[-2] < 0.99
    np.testing.assert_allclose(np.abs(vectors[:, [-2, -3, -4]]), np.abs(found.rows), atol=1e-9)
    products = gram(X, flat, np.arange(40), X)
    np.testing.assert_allclose(graph_project(products, found.loadings, graph), found.rows, atol=1e-9)
    assert np.array_equal(graph_project(-np.ones((1, 25)), found.loadings, graph), np.zeros((1, 3)))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(2, 14), st.integers(1, 14))
def test_complete_linkage_is_the_literal_one(seed, n, n_clusters):
    n_clusters = min(n, n_clusters)
    Z = np.random.default_rng(seed).normal(size=(n, 3))
    assert np.array_equal(complete_linkage(Z, n_clusters), literal.complete_linkage(Z, n_clusters))


def test_complete_linkage_gives_as_many_clusters_as_asked_for():
    # All merges have equal height: a cut by height gives 1 or 6 clusters.
    Z = np.eye(6)
    for n_clusters in range(1, 7):
        assert len(np.unique(complete_linkage(Z, n_clusters))) == n_clusters
