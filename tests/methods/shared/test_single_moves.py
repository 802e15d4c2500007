"""Moves of single rows after the best start: what they reach, what they keep, and what refuses them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sparsek import SKFR, SparseKMeans, set_engine
from sparsek.core.scaling import prepare
from sparsek.core.steps import FitResult
from sparsek.engine import has_numba
from sparsek.methods.shared import loops, single_moves
from sparsek.methods.shared.single_moves import descend, refine_best

ROUNDING = 1e-9
"""Share of the total sum of squares: moves that gain less than about 1e-13 of it are left out."""


def overlapping(seed: int, n: int = 40, p: int = 6, k: int = 4) -> np.ndarray:
    """Groups that overlap, so that Lloyd's algorithm ends early."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(k, p))[rng.integers(k, size=n)]


def loss(X: np.ndarray, labels: np.ndarray, w: np.ndarray, used: np.ndarray) -> float:
    """Weighted sum of squares about the cluster means in the columns in use, about the origin in others."""
    total = 0.0
    for k in set(labels.tolist()):
        rows = labels == k
        center = np.where(used[k], np.average(X[rows], axis=0, weights=w[rows]), 0)
        total += float(w[rows] @ ((X[rows] - center) ** 2).sum(axis=1))
    return total


def test_moves_that_leave_the_criterion_end_the_search() -> None:
    start = FitResult(np.zeros(2, np.int32), object(), (3.0, 2.0), True)
    moves = iter([replace(start, history=(1.0,)), replace(start, history=(1.0,))])
    found = refine_best([start], 0.0, lambda best: next(moves))
    assert found[0].history == (3.0, 2.0, 1.0)
    assert not list(moves)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31 - 1), st.integers(1, 5), st.booleans(), st.booleans())
def test_no_single_move_is_left_and_every_cluster_keeps_a_row(
    seed: int, k: int, weighted: bool, local: bool
) -> None:
    X = overlapping(seed, n=18)
    rng = np.random.default_rng(seed)
    w = rng.integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    used = rng.random((k, X.shape[1])) < 0.6 if local else np.ones((k, X.shape[1]), dtype=bool)
    labels = rng.permutation(np.arange(len(X)) % k).astype(np.int32)
    Z = np.column_stack([X, np.ones(len(X))])
    found = descend(Z, labels, k, w if weighted else None, used if local else None)
    assert set(found.tolist()) == set(range(k))
    reached = loss(X, found, w, used)
    assert reached <= loss(X, labels, w, used)
    for i in range(len(X)):
        if np.count_nonzero(found == found[i]) > 1:
            for other in range(k):
                moved = found.copy()
                moved[i] = other
                assert loss(X, moved, w, used) >= reached * (1 - ROUNDING)


def test_an_empty_cluster_gets_a_row() -> None:
    X = np.column_stack([overlapping(0), np.ones(40)])
    assert len(set(descend(X, np.zeros(40, np.int32), 3).tolist())) == 3


FORMS = [
    SKFR(4, 3, standardize=True),
    SKFR(4, 6, standardize=True),
    SKFR(4, 3, scope="local", standardize=True),
    SKFR(4, 3, winsorize=2.0, standardize=True),
]
FORMS += [SKFR(4, 3, standardize=False)]


@pytest.mark.parametrize("model", FORMS, ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_criterion_never_rises(model: Any, weighted: bool) -> None:
    lower = 0
    for seed in range(3):
        X = overlapping(seed)
        w = np.random.default_rng(seed).integers(1, 4, len(X)) if weighted else None
        options = {"n_init": 2, "random_state": seed}
        plain = model.set_params(refine=False, **options).fit(X, sample_weight=w).objective_
        fitted = model.set_params(refine=True).fit(X, sample_weight=w)
        assert fitted.objective_ <= plain
        lower += fitted.objective_ < plain
        assert (np.diff(fitted.criterion_history_) <= 0).all()
        assert fitted.objective_ == fitted.criterion_history_[-1] == fitted.start_objectives_.min()
        assert set(fitted.labels_.tolist()) == set(range(4))
        assert np.array_equal(fitted.labels_, fitted.predict(X))
    assert lower


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_result_does_not_depend_on_threads_and_keeps_the_precision(dtype: Any) -> None:
    X = overlapping(3).astype(dtype)
    fits = [
        SKFR(4, 3, refine=True, n_init=4, n_jobs=jobs, random_state=0, scope="local", standardize=True).fit(X)
        for jobs in (1, 2)
    ]
    assert fits[0].objective_ == fits[1].objective_
    assert fits[0].cluster_centers_.dtype == dtype


def test_a_start_that_did_not_converge_is_left_as_it_is() -> None:
    X = overlapping(1)
    with pytest.warns(UserWarning, match="did not converge"):
        model = SKFR(4, 3, refine=True, max_iter=1, n_init=1, random_state=0, standardize=True).fit(X)
    assert model.n_iter_ == 1


HOLES = np.where(np.arange(240).reshape(40, 6) % 17 == 0, np.nan, overlapping(0))


@pytest.mark.parametrize(
    ("model", "X"),
    [
        (SKFR(4, 3, standardize=True), HOLES),
        (SKFR(4, 3, loss="absolute"), overlapping(0)),
        (SKFR(4, projection="nonnegative", standardize=True), overlapping(0)),
        (SKFR(4, 3, standardize=True), csr_array(overlapping(0))),
        (SparseKMeans(4, standardize=False), csr_array(overlapping(0))),
    ],
    ids=["holes", "absolute", "projection", "sparse", "sparse matrix of SparseKMeans"],
)
def test_what_cannot_be_refined_is_an_error_that_says_so(model: Any, X: Any) -> None:
    with pytest.raises(ValueError, match="refine=True"):
        model.set_params(refine=True).fit(X)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans(), st.booleans())
def test_moves_by_loops_are_those_of_the_arrays(seed: int, k: int, weighted: bool, masked: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4)) + 2 * rng.normal(size=(k, 4))[rng.integers(k, size=30)]
    X[20:] = X[:10]
    weights = rng.integers(1, 4, 30).astype(float) if weighted else None
    Z, _ = prepare(X, weights, standardize=True)
    labels = rng.integers(0, k, 30).astype(np.int32)
    used = rng.random((k, 4)) < 0.6 if masked else None
    with set_engine("numpy"):
        expected = descend(Z, labels, k, weights, used)
    runs = [loops.move_rows, *([loops.move_rows.compiled] if has_numba() else [])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single_moves, "compiles", lambda *_, **__: True)
        for run in runs:
            patch.setitem(vars(loops.move_rows), "compiled", run)
            assert np.array_equal(descend(Z, labels, k, weights, used), expected)


@pytest.mark.compiled
@pytest.mark.parametrize("spread", [0.75, 1.5, 2.5])
def test_sparse_kmeans_is_the_same_under_both_engines(spread: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 50))
    X[:, :10] += rng.normal(0, spread, (5, 10))[rng.integers(5, size=200)]
    fits = []
    for engine in ("numpy", "compiled"):
        with set_engine(engine):
            fits.append(SparseKMeans(5, l1_bound=3, random_state=0, standardize=False).fit(X))
    base, model = fits
    assert np.array_equal(model.labels_, base.labels_)
    assert np.array_equal(model.get_support(), base.get_support())
    assert np.array_equal(model.start_n_iter_, base.start_n_iter_)
    np.testing.assert_allclose(
        model.start_objectives_, base.start_objectives_, rtol=1e-10
    )  # sums of thousands


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_last_digits_of_gains_do_not_order_the_rows(dtype):
    gains = np.array([0.3, 0.3 + 0.3 * np.finfo(dtype).eps, 1e-3, np.finfo(dtype).eps, -np.inf], dtype)
    found = single_moves._rounded(gains, np.full(5, 2, dtype))
    assert found[0] == found[1]
    assert found[3] == 0
    np.testing.assert_allclose(found[:3], gains[:3], rtol=0, atol=512 * np.finfo(dtype).eps)
    assert found[4] == -np.inf
