"""Cluster sums that follow the rows which move are those of all rows, in every bit."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.core.scaling import prepare
from sparsek.sources.blocks import dense_steps
from sparsek.sources.local import LocalRows, OneBlock, RowReader, array_rows
from sparsek.sources.protocol import Subspace
from sparsek.sources.sparse import sparse_steps

K = 4


def holders(X, labels, weights):
    """The same rows as an array, as blocks of an array and as a sparse matrix."""
    Z, scaling = prepare(X, weights, standardize=True, exact=True)
    yield array_rows(Z, labels, K, weights, scaling.grid)
    for sparse in (False, True):
        source = OneBlock(sp.csr_array(X) if sparse else X)
        steps = (
            sparse_steps(scaling, K, source.X, weights)
            if sparse
            else dense_steps(scaling, K, len(X), weights)
        )
        yield LocalRows(RowReader(source, steps, np.inf, weights), labels)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(K, 700),
    kind=st.sampled_from(["normal", "tenths", "far", "heavy"]),
    weighted=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_sums_do_not_depend_on_the_way(seed, n, kind, weighted, dtype):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    if kind != "normal":
        heavy = np.clip(rng.standard_cauchy((n, 5)) ** 3, -1e9, 1e9)  # beyond, single precision is rescaled
        X = {"tenths": np.round(X, 1), "far": 1e9 + X, "heavy": heavy}[kind]
    X = X.astype(dtype)
    weights = rng.uniform(0.1, 3, n).astype(dtype) if weighted else None
    labels = rng.integers(0, K, n).astype(np.int32)
    found = []
    for rows in holders(X, labels, weights):
        walk = np.random.default_rng(seed)
        sums = rows.sums()
        for _ in range(6):
            columns = np.sort(walk.choice(5, 3, replace=False))
            rows.assign(walk.normal(size=(K, 3)), columns)
            sums = rows.moved_sums(sums)
        np.testing.assert_array_equal(sums.whole, rows.sums().whole)
        narrow = rows.narrowed(Subspace(np.array([1, 3]), np.array([0.7, 1.3])), sums)
        found.append((rows.labels, sums.sums, narrow.sums().sums))
    for labels, sums, narrow in found[1:]:
        np.testing.assert_array_equal(labels, found[0][0])
        np.testing.assert_array_equal(sums, found[0][1])
        np.testing.assert_array_equal(narrow, found[0][2])


@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_the_sums_of_an_emptied_cluster_are_exactly_zero(weight):
    X = np.random.default_rng(1).normal(size=(12, 3)) * 0.1 + 0.3
    weights = np.full(12, weight)
    start = (np.arange(12) % K).astype(np.int32)
    for rows in holders(X, start, weights):
        sums = rows.sums()
        far = np.full((K, 3), 1e3)
        far[0] = 0
        rows.assign(far)
        assert not rows.moved_sums(sums).sums[1:].any()
