"""COSA: numbers of the authors' Fortran program, literal loops, bad input."""

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sparsek import COSA, cosa_distances
from sparsek.methods.cosa.algorithm import iterate_cosa, quartile_distances
from tests.methods.kernel import literal_kernel

ROWS = np.column_stack(
    [
        [0, 0, 1, 1, 4, 5, 9, 9, 10],
        [0, 1, 0, 1, 4, 4, 0, 1, 0],
        [1, -1, 0.5, 0, -0.5, 1, 0, 0.2, -1],
        [0.3, 0.1, -0.2, 0.4, 0.2, -0.1, -0.3, 0.1, 0],
    ]
).astype(float)
SINGLE = float(np.float32(1.35))
SETTINGS = {"regularization": 0.2, "n_neighbors": 2, "relax": 0.1, "power": 1.0, "whole": False, "tol": 1e-5}


def test_checked_first_iteration():
    found = iterate_cosa(ROWS, **SETTINGS, max_iter=1, quartiles=SINGLE)
    # Ten decimals printed.
    expected = [0, 0.3043350362, 0.2090414971, 0.8405581457, 0.9840102773]
    np.testing.assert_allclose(found.distances[0, :5], expected, atol=6e-11)
    expected = [0.9954042882, 0.0044958236, 0.0000499441, 0.0000499441]
    np.testing.assert_allclose(found.weights[0], expected, atol=6e-11)
    assert found.eta == pytest.approx(0.22, rel=1e-15)
    assert not found.converged


def test_checked_end():
    found = iterate_cosa(ROWS, **SETTINGS, max_iter=100, quartiles=SINGLE)
    assert found.n_iter == 21
    assert found.eta == pytest.approx(0.62, rel=1e-15)
    assert found.converged
    ours = cosa_distances(ROWS, n_neighbors=2)
    # 1.35 in double precision: 2e-9 relative in the differences, some 50 times that in their exponentials.
    np.testing.assert_allclose(ours.distances, found.distances, rtol=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**31 - 1), st.integers(1, 5), st.booleans(), st.integers(1, 4))
def test_equals_the_literal_loops(seed, n_neighbors, whole, max_iter):
    X = np.random.default_rng(seed).normal(size=(8, 3))
    D, w, eta, n_iter = literal_kernel.cosa(X, n_neighbors, max_iter, whole=whole)
    combine = "whole" if whole else "each"
    found = cosa_distances(X, n_neighbors=n_neighbors, combine=combine, max_iter=max_iter)
    # eta log(sum): cancellation of sums near 1 if two rows nearly agree.
    np.testing.assert_allclose(found.distances, D, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(found.weights, w, rtol=1e-11)
    assert (found.eta, found.n_iter) == (eta, n_iter)


@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("combine", ["each", "whole"])
def test_invariants(power, combine):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 5))
    options = {"power": power, "combine": combine}
    found = cosa_distances(X, **options)
    assert np.array_equal(found.distances, found.distances.T)
    assert (found.distances.diagonal() == 0).all()
    assert (found.distances >= 0).all()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1, rtol=1e-14)  # five terms
    # Units and offsets have no effect; powers of two and integers change no digit of the differences.
    moved = cosa_distances(X * [1, 2, 4, 8, 16.0], **options)
    np.testing.assert_allclose(moved.distances, found.distances, rtol=1e-12)  # scales are rounded differently
    rows, columns = rng.permutation(30), rng.permutation(5)
    shuffled = cosa_distances(X[rows][:, columns], **options)
    np.testing.assert_allclose(shuffled.distances, found.distances[np.ix_(rows, rows)], rtol=1e-11)
    np.testing.assert_allclose(shuffled.weights, found.weights[np.ix_(rows, columns)], rtol=1e-11)


def test_blocks_of_rows_do_not_matter(monkeypatch):
    X = np.random.default_rng(1).normal(size=(40, 4))
    base = cosa_distances(X)
    monkeypatch.setattr("sparsek.methods.cosa.algorithm.BLOCK_ENTRIES", 700)
    assert np.array_equal(cosa_distances(X).distances, base.distances)


def test_constant_features_are_left_out():
    X = np.random.default_rng(2).normal(size=(20, 3))
    base = cosa_distances(X)
    found = cosa_distances(np.insert(X, 1, 7.0, axis=1))
    assert np.array_equal(found.distances, base.distances)
    assert (found.weights[:, 1] == 0).all()
    nothing = cosa_distances(np.ones((5, 2)))
    assert not nothing.distances.any()
    assert not nothing.weights.any()
    one = cosa_distances(X[:, :1])
    assert one.converged
    assert (one.weights == 1).all()


def test_ties_widen_the_quartiles():
    # The middle half has one value: order statistics 1 and 8 are used, then further ones.
    x = np.array([0.0, 1, 1, 1, 1, 1, 1, 4])
    D, *_ = literal_kernel.cosa(np.column_stack([x, np.arange(8.0)]), 2, 1)
    found = cosa_distances(np.column_stack([x, np.arange(8.0)]), n_neighbors=2, max_iter=1)
    np.testing.assert_allclose(found.distances, D, rtol=1e-12, atol=1e-14)


def test_weights_that_vanish_leave_finite_distances():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 2))
    X[:5] *= 1e6  # differences of 1e6 quartiles: exp(-5e6) is 0
    for combine in ("each", "whole"):
        found = cosa_distances(X, combine=combine)
        assert np.isfinite(found.distances).all()
    assert np.isfinite(cosa_distances(X * 1e-200).distances).all()


def test_clusters_on_subsets_of_features():
    X = np.random.default_rng(0).normal(size=(60, 10))
    X[:30, :3] *= 0.05
    X[30:, 3:6] *= 0.05
    model = COSA(2).fit(X)
    assert np.bincount(model.labels_[:30]).max() == 30
    assert np.bincount(model.labels_[30:]).max() == 30
    mean = [model.feature_weights_[rows].mean(axis=0) for rows in (slice(30), slice(30, 60))]
    assert set(np.argsort(-mean[0])[:3]) == {0, 1, 2}
    assert set(np.argsort(-mean[1])[:3]) == {3, 4, 5}
    assert model.children_.shape == (59, 2)
    assert np.array_equal(model.dissimilarity_matrix_, cosa_distances(X).distances)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"regularization": 0}, ValueError, "'regularization' parameter of .* Got 0 instead"),
        ({"regularization": -1.0}, ValueError, "'regularization' parameter of .* Got -1.0 instead"),
        ({"power": 0}, ValueError, "'power' parameter of .* Got 0 instead"),
        ({"n_neighbors": 0}, ValueError, "'n_neighbors' parameter of .* Got 0 instead"),
        ({"n_neighbors": 9}, ValueError, "n_neighbors must be less than n_samples=9; got 9"),
        ({"n_neighbors": 2.0}, TypeError, "'n_neighbors' parameter of .* Got 2.0 instead"),
        ({"relax": -0.1}, ValueError, "'relax' parameter of"),
        ({"combine": "both"}, ValueError, "'combine' parameter of .* Got 'both' instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"tol": np.nan}, ValueError, "'tol' parameter of"),
        ({"memory_limit": 100}, MemoryError, "3240 bytes; memory_limit allows 100"),
    ],
)
def test_bad_parameters(options, error, message):
    for call in (lambda: cosa_distances(ROWS, **options), lambda: COSA(**options).fit(ROWS)):
        with pytest.raises(error, match=message):
            call()


def test_bad_input():
    for bad, error in (
        (ROWS[:1], ValueError),
        (sparse.csr_array(ROWS), TypeError),
        (ROWS * np.nan, ValueError),
    ):
        with pytest.raises(error):
            cosa_distances(bad)
        with pytest.raises(error):
            COSA().fit(bad)
    with pytest.raises(ValueError, match="n_samples=9 must be at least n_clusters=10"):
        COSA(10).fit(ROWS)
    with pytest.raises(ValueError, match="'linkage' parameter of"):
        COSA(linkage="ward").fit(ROWS)


def test_quartiles_move_outwards_until_they_differ():
    X = np.array([[1, 3, 0], [5, 3, 1], [5, 3, 2], [5, 3, 3], [5, 3, 4], [5, 3, 5], [5, 3, 6], [9, 4, 7.0]])
    # Numbers 2 and 6 of 8 in order; 1 and 7 in column 0; 1 and 8 in column 1.
    assert quartile_distances(X).tolist() == [4, 1, 4]


def test_the_change_is_averaged_over_whole_windows():
    """Iterations 1 to 10, then 11 to 21, 22 to 32, ...: the first window has tol itself as its first term."""
    X = np.random.default_rng(4).normal(size=(30, 5))
    X[:15, :2] *= 0.2
    weights = [np.full(X.shape, 1 / 5)]
    weights += [cosa_distances(X, regularization=0.2, tol=0.0, max_iter=m).weights for m in range(1, 44)]
    changes = [np.abs(b - a).sum() / (2 * len(X) * (1 - 1 / 5)) for a, b in pairwise(weights)]
    later = [np.mean(changes[i : i + 11]) for i in range(10, 43, 11)]
    for tol in (
        *(1.0001 * mean for mean in later if mean > 0),
        *(0.9999 * mean for mean in later if mean > 0),
    ):
        windows = [(tol + sum(changes[:10])) / 11, *later]
        stop = next((k for k, mean in enumerate(windows) if mean <= tol), None)
        if stop is not None:
            assert cosa_distances(X, regularization=0.2, tol=tol, max_iter=200).n_iter == 10 + 11 * stop


@pytest.mark.parametrize(
    ("linkage", "join"), [("single", np.min), ("complete", np.max), ("average", np.mean)]
)
def test_clusters_are_joined_by_the_named_linkage(linkage: str, join: Callable[[Any], Any]) -> None:
    """The two clusters with the least, largest or mean dissimilarity between their rows, again and again."""
    X = np.random.default_rng(8).normal(size=(14, 4))
    model = COSA(3, linkage=linkage).fit(X)
    D, groups = model.dissimilarity_matrix_, [[i] for i in range(len(X))]
    while len(groups) > 3:
        pairs = list(combinations(range(len(groups)), 2))
        a, b = min(pairs, key=lambda pair: join(D[np.ix_(groups[pair[0]], groups[pair[1]])]))
        groups[a] += groups.pop(b)
    found = [np.flatnonzero(model.labels_ == k).tolist() for k in range(3)]
    assert sorted(found) == sorted(map(sorted, groups))
