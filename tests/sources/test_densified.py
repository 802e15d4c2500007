"""Sparse matrices of KPod and of power k-means: a few rows at a time are made dense."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import EntropyWeightedPowerKMeans, KPod, PowerKMeans

FITS = [
    (KPod, {}),
    (KPod, {"standardize": True, "init": "random"}),
    (PowerKMeans, {}),
    (PowerKMeans, {"standardize": True, "polish": True}),
    (EntropyWeightedPowerKMeans, {"init": "random"}),
    (EntropyWeightedPowerKMeans, {"polish": True}),
]
ROUNDING = 1e-9  # sums in another order, of numbers near 1


def counts(seed: int, n: int = 90, p: int = 12) -> np.ndarray:
    """Two groups; many zeros."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2, size=(n, p)) * (rng.random((n, p)) < 0.3)
    X[: n // 2, :3] += rng.gamma(9, size=(n // 2, 3))
    return X


@pytest.mark.parametrize(
    ("estimator", "options", "kind"),
    [*((*fit, sp.csr_array) for fit in FITS), (*FITS[0], sp.csc_matrix), (*FITS[0], sp.coo_array)],
)
def test_the_fit_of_the_dense_array(estimator: Any, options: dict[str, Any], kind: Any) -> None:
    X = counts(1)
    dense = estimator(2, random_state=0, **options).fit(X)
    sparse = estimator(2, random_state=0, **options).fit(kind(X))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    assert sparse.n_iter_ == dense.n_iter_
    for name in ("cluster_centers_", "criterion_history_", "inertia_"):
        np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name), ROUNDING, ROUNDING)
    np.testing.assert_array_equal(sparse.predict(kind(X)), dense.predict(X))
    np.testing.assert_allclose(sparse.transform(kind(X)), dense.transform(X), ROUNDING)


@pytest.mark.parametrize("estimator", [KPod, PowerKMeans, EntropyWeightedPowerKMeans])
def test_starts_and_weights_are_those_of_the_dense_array(estimator: Any) -> None:
    X, weights = counts(2), np.random.default_rng(0).integers(0, 3, 90)

    def init(rows: Any, n_clusters: int, random_state: int) -> Any:
        return rows[:n_clusters].toarray() if sp.issparse(rows) else rows[:n_clusters]

    for start in (init, X[[0, 80]], np.arange(90) % 2, np.flatnonzero(weights)[[3, -3]]):
        dense, sparse = (
            estimator(2, init=start).fit(data, sample_weight=weights) for data in (X, sp.csr_array(X))
        )
        np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    with pytest.raises(ValueError, match="init='maximin' needs dense data, but X is sparse; convert X"):
        estimator(2, init="maximin").fit(sp.csr_array(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", [KPod(2, max_iter=3), PowerKMeans(2, s0=-99, eta=2, max_iter=3)])
def test_no_dense_copy(model: Any) -> None:
    X = sp.random_array((5000, 1000), density=0.01, rng=np.random.default_rng(0), format="csr")
    model.set_params(init=np.array([0, 1])).fit(X[:100])  # imports
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.shape[0] * X.shape[1] * 8 / 4  # a few blocks, whatever the size


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0.05, 0.6))
def test_stored_nan_is_missing_for_kpod(seed: int, share: float) -> None:
    X = counts(seed, 40, 6)
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    matrix = sp.csr_array(X)
    start = np.arange(40) % 2
    dense, sparse = KPod(2, init=start).fit(X), KPod(2, init=start).fit(matrix)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    completed = sparse.impute(matrix)
    np.testing.assert_allclose(completed.toarray(), dense.impute(X), ROUNDING, ROUNDING)
    assert np.isnan(matrix.data).sum() == np.isnan(X).sum()  # not changed


def test_what_is_refused_is_told() -> None:
    X = counts(3)
    with pytest.raises(ValueError, match="the completed data are not kept; impute X, or blocks of its rows"):
        KPod(2, random_state=0).fit(sp.csr_array(X)).impute()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="PowerKMeans takes complete data only"):
        PowerKMeans(2).fit(sp.csr_array(X))
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        KPod(2).fit(sp.csr_array(X))
