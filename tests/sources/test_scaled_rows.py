"""Columns that are kept, and columns that are prepared again at every use."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek import SparseKMeans
from sparsek.core.scaling import prepare
from sparsek.sources import source
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import LocalRows, RowReader, array_rows
from sparsek.sources.protocol import Subspace

K = 3


def both_forms(seed, weights=None, used=(0, 2, 3, 5), p=6, n=40):
    """The same rows, copied and not copied; factors that are not powers of two."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 2 * rng.integers(K, size=(n, 1))
    Z, _ = prepare(X, weights, standardize=True)
    labels = rng.integers(K, size=n).astype(np.int32)
    rows, subspace = (
        array_rows(Z, labels, K, weights),
        Subspace(np.array(used), rng.uniform(0.1, 1, len(used))),
    )
    steps, block = rows.reader.steps, rows.reader.source
    again = LocalRows(RowReader(block, steps, 0, weights), labels)
    return rows.narrowed(subspace, None), again.narrowed(subspace, rows.sums())


@given(st.integers(0, 10_000), st.booleans())
def test_lloyd_ends_with_the_same_labels_as_on_a_copy(seed, weighted):
    weights = np.random.default_rng(seed).uniform(0.5, 2, 40) if weighted else None
    copied, scaled = both_forms(seed, weights)
    expected = lloyd(copied)
    found = lloyd(scaled)
    np.testing.assert_array_equal(scaled.labels, copied.labels)
    assert found.n_iter == expected.n_iter
    # Sums of 40 terms, in another order of the multiplications.
    np.testing.assert_allclose(found.history, expected.history, rtol=1e-12)
    np.testing.assert_allclose(scaled.scatter(found.params.centers), copied.scatter(found.params.centers))
    np.testing.assert_allclose(scaled.array(), copied.array(), rtol=0, atol=0)


def test_an_empty_cluster_takes_the_farthest_row():
    copied, scaled = both_forms(3)
    centers = np.vstack([copied.array()[:2, :-1], np.full((1, 4), 1e3)])
    assert copied.assign(centers, fill=True)
    assert scaled.assign(centers, fill=True)
    np.testing.assert_array_equal(scaled.labels, copied.labels)
    assert np.bincount(scaled.labels, minlength=K).all()


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fits_do_not_depend_on_the_copy(monkeypatch, refine, dtype):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 12)).astype(dtype)
    X[:, :4] += 2 * rng.integers(3, size=(300, 1)).astype(dtype)
    model = SparseKMeans(K, l1_bound=2.5, n_init=3, refine=refine, random_state=0, standardize=False)
    expected = model.fit(X).labels_, model.n_iter_, model.feature_weights_
    monkeypatch.setattr(source, "LEAST_KEPT", 0)
    monkeypatch.setattr(source, "KEPT_SHARE", 0)
    np.testing.assert_array_equal(model.fit(X).labels_, expected[0])
    assert model.n_iter_ == expected[1]
    # Weights follow from sums over 300 rows of the same labels.
    rtol = 1e-4 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(model.feature_weights_, expected[2], rtol=rtol)
