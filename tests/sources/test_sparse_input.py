"""Sparse matrices: the fits equal those of the dense array, without a dense copy."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sparsek import SKFR, EntropyWeightedPowerKMeans, SparseKMeans
from sparsek.core.scaling import prepare
from sparsek.sources.blocks import dense_steps
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import LocalRows, OneBlock, RowReader, array_rows, block_moments
from sparsek.sources.sparse import sparse_normal_distance, sparse_steps
from sparsek.starts.seeds import View, normal_distance

ROUNDING = 1e-9  # sums in another order, of numbers near 1


def make_counts(seed: int, n: int = 80, p: int = 12, share: float = 0.3) -> np.ndarray:
    """Two groups; many zeros; the other numbers are continuous, so that no two distances are equal."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2, size=(n, p)) * (rng.random((n, p)) < share)
    X[: n // 2, :3] += rng.gamma(9, size=(n // 2, 3))
    return X


FITS = [
    (SKFR, {"n_features_to_select": 3, "standardize": True}),
    (SKFR, {"n_features_to_select": 3, "scope": "local", "init": "k-means++", "standardize": True}),
    (SKFR, {"n_features_to_select": 4, "init": "random", "standardize": True}),
    (SKFR, {"n_features_to_select": 5, "standardize": False, "init": "paper"}),
    (SparseKMeans, {"l1_bound": 2.0, "standardize": False}),
    (SparseKMeans, {"l1_bound": 1.0, "init": "random", "standardize": False}),
]


def assert_same_fit(dense: Any, sparse: Any, X: np.ndarray) -> None:
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_array_equal(sparse.get_support(), dense.get_support())
    for name in (
        "feature_weights_",
        "cluster_centers_",
        "criterion_history_",
        "start_objectives_",
        "inertia_",
    ):
        np.testing.assert_allclose(getattr(sparse, name), getattr(dense, name), ROUNDING, ROUNDING)
    np.testing.assert_array_equal(sparse.predict(sp.csc_array(X)), dense.predict(X))
    np.testing.assert_allclose(sparse.transform(sp.coo_array(X)), dense.transform(X), ROUNDING)
    assert sparse.score(sp.csr_matrix(X)) == pytest.approx(dense.score(X), rel=ROUNDING)


@pytest.mark.parametrize(("estimator", "options"), FITS)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_the_fit_of_the_dense_array(estimator: Any, options: dict[str, Any], kind: Any) -> None:
    X = make_counts(1)
    make = lambda: estimator(2, n_init=4, random_state=0, **options)  # noqa: E731  (twice the same)
    assert_same_fit(make().fit(X), make().fit(kind(X)), X)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")  # both fits may lose a cluster
@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(8, 60),
    p=st.integers(3, 15),
    fit=st.sampled_from(FITS[:4]),
    weighted=st.booleans(),
)
def test_any_sparse_matrix(seed: int, n: int, p: int, fit: Any, weighted: bool) -> None:
    X = make_counts(seed, n, p)
    assume(np.count_nonzero(np.count_nonzero(X, axis=0) == 1) < 2)  # standardised, such columns are equal
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 3, n) if weighted else None
    labels = rng.integers(0, 2, n)
    labels[:2] = [0, 1]  # an empty cluster has the centre of the only other one: rounding would decide
    estimator, options = fit
    options = {**options, "n_features_to_select": 3, "init": labels}
    make = lambda: estimator(2, **options)  # noqa: E731  (twice the same)
    dense = make().fit(X, sample_weight=weights)
    sparse = make().fit(sp.csr_array(X), sample_weight=weights)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_allclose(sparse.criterion_history_, dense.criterion_history_, 1e-7)


@pytest.mark.parametrize("init", ["centres", "labels", "rows", "callable"])
@pytest.mark.parametrize("estimator", [SKFR, SparseKMeans])
def test_given_starts(estimator: Any, init: str) -> None:
    X = make_counts(2)
    given: Any = {
        "centres": X[[0, 70]],
        "labels": np.arange(80) % 2,
        "rows": np.array([3, 60]),
        "callable": lambda X, k, random_state: np.arange(k) * 40,
    }[init]
    options = {"init": given, "n_init": 2, "standardize": estimator is SKFR}
    dense = estimator(2, **options).fit(X)
    np.testing.assert_array_equal(estimator(2, **options).fit(sp.csr_array(X)).labels_, dense.labels_)


def test_rows_of_weight_zero_are_left_out_and_labelled() -> None:
    X = make_counts(3)
    weights = np.where(np.arange(80) % 7 == 0, 0.0, 2.0)
    dense = SKFR(2, 3, random_state=0).fit(X, sample_weight=weights)
    sparse = SKFR(2, 3, random_state=0).fit(sp.csr_array(X), sample_weight=weights)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)


def test_float32_is_kept() -> None:
    X = sp.csr_array(make_counts(4).astype(np.float32))
    model = SKFR(2, 3, random_state=0, standardize=True).fit(X)
    assert model.cluster_centers_.dtype == np.float32
    assert model.transform(X).dtype == np.float32
    assert SparseKMeans(2, random_state=0, standardize=False).fit(X).cluster_centers_.dtype == np.float32


@pytest.mark.parametrize("weighted", [False, True])
def test_column_statistics(weighted: bool) -> None:
    X = make_counts(5)
    weights = np.random.default_rng(0).uniform(0.5, 3, 80) if weighted else None
    whole, halves = [slice(0, 80)], [slice(0, 30), slice(30, 80)]
    kinds = [(X, whole), (X, halves), (sp.csr_array(X), whole), (sp.csr_array(X), halves)]
    mass = np.ones(80) if weights is None else weights
    mean = mass @ X / mass.sum()
    first = None
    for rows, parts in kinds:
        found = block_moments(lambda: ((part, rows[part]) for part in parts), weights)  # noqa: B023
        first = found if first is None else first
        np.testing.assert_array_equal(found.means, first.means)
        np.testing.assert_array_equal(found.squares, first.squares)
        np.testing.assert_allclose(found.means, mean, 1e-13)
        np.testing.assert_allclose(found.squares, mass @ (X - mean) ** 2, 1e-12)
        np.testing.assert_array_equal(found.top, X.max(axis=0))
        np.testing.assert_array_equal(found.bottom, X.min(axis=0))


def test_normal_distance_of_sparse_columns() -> None:
    X = make_counts(6)
    Z, scaling = prepare(X, None, standardize=True)
    squares = (Z[:, :-1] ** 2).sum(axis=0)
    found = sparse_normal_distance(sp.csr_array(X), scaling, squares)
    np.testing.assert_array_equal(found, normal_distance(View(Z)))


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**20), k=st.integers(3, 6), sparse=st.booleans(), keep=st.booleans())
def test_lloyd_fills_empty_clusters_as_in_memory(seed: int, k: int, sparse: bool, keep: bool) -> None:
    X = make_counts(seed, 20, 4, 0.9)
    labels = (np.arange(20) // 10).astype(np.int32)  # all but two clusters are empty
    Z, scaling = prepare(X, None, standardize=True, exact=True)
    wanted = lloyd(array_rows(Z, labels, k, None, scaling.grid))
    steps = sparse_steps(scaling, k, sp.csr_array(X), None) if sparse else dense_steps(scaling, k, 20, None)
    reader = RowReader(OneBlock(sp.csr_array(X) if sparse else X), steps, 1e9 if keep else 0)
    rows = LocalRows(reader, labels)
    lloyd(rows)
    np.testing.assert_array_equal(rows.labels, wanted.labels)
    np.testing.assert_array_equal(rows.sums().sums, wanted.params.sums.sums)


def test_no_dense_copy() -> None:
    rng = np.random.default_rng(0)
    cells = rng.choice(4000 * 20_000, 80_000, replace=False)
    X = sp.csr_array((rng.random(cells.size), divmod(cells, 20_000)), shape=(4000, 20_000))
    tracemalloc.start()
    try:
        SKFR(3, 20, n_init=2, random_state=0).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.2 * 8 * 4000 * 20_000  # a dense copy would take this much


BAD = [
    ({"winsorize": 4.0}, "winsorize=4.0 needs dense data"),
    ({"loss": "absolute"}, "loss='absolute' needs dense data"),
    ({"projection": "nonnegative"}, "projection='nonnegative' needs dense data"),
    ({"init": "robin"}, "init='robin' needs dense data"),
    ({"init": "nearest"}, "The 'init' parameter of SKFR must be"),
    ({"init": np.zeros((3, 3))}, r"got shape \(3, 3\)"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_what_needs_dense_data_says_so(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SKFR(2, **options).fit(sp.csr_array(make_counts(7)))


def test_bad_values() -> None:
    X = sp.csr_array(make_counts(8))
    X.data[5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SKFR(2, standardize=True).fit(X)
    X.data[5] = 1e200
    with pytest.raises(ValueError, match=r"the squares of column \d+ overflow, whose size is 1e\+200"):
        SparseKMeans(2, standardize=False).fit(X)
    X.data[:] = 1e-200
    with pytest.raises(ValueError, match=r"the squares of column \d+ vanish, whose size is 1e-200"):
        SparseKMeans(2, standardize=False).fit(X)
    X = sp.csr_array(make_counts(8).astype(np.float32) * np.float32(1e-30))
    with pytest.raises(ValueError, match=r"the squares of column \d+ vanish"):
        SparseKMeans(2, standardize=False).fit(X)  # sums in single precision


@pytest.mark.parametrize("estimator", [SKFR, SparseKMeans])
@pytest.mark.parametrize("spread", [0, 1e140])
def test_columns_whose_own_squares_overflow_are_refused(estimator: Any, spread: float) -> None:
    X = sp.csr_array(np.column_stack([np.arange(40.0) % 3 + 1, 1e300 + spread * (np.arange(40) % 2)]))
    with pytest.raises(ValueError, match=r"of column 1 overflow, whose size is 1e\+300 .*; rescale it"):
        estimator(2, random_state=0).fit(X)


@pytest.mark.parametrize("exponent", [-395, 390])
@pytest.mark.parametrize(
    "estimator",
    [
        SKFR(2, n_features_to_select=3),
        SKFR(2, n_features_to_select=3, standardize=False),
        SparseKMeans(2, l1_bound=2.0),
        SparseKMeans(2, l1_bound=2.0, standardize=False),
        EntropyWeightedPowerKMeans(2),
    ],
)
def test_data_of_every_size_that_is_taken(estimator: Any, exponent: int) -> None:
    X = make_counts(9)
    expected = clone(estimator).set_params(random_state=0).fit(X)
    found = clone(estimator).set_params(random_state=0).fit(sp.csr_array(np.ldexp(X, exponent)))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(found.feature_weights_, expected.feature_weights_, ROUNDING, ROUNDING)


@pytest.mark.parametrize(("dtype", "level"), [(np.float32, 1e18), (np.float64, 1e153)])
def test_large_constant_columns_whose_squares_fit_are_taken(dtype: Any, level: float) -> None:
    X = np.column_stack([np.full(40, level), np.arange(40) % 2, np.full(40, -level)]).astype(dtype)
    labels = SKFR(2, 1, random_state=0).fit(X).labels_
    np.testing.assert_array_equal(SKFR(2, 1, random_state=0).fit(sp.csr_array(X)).labels_, labels)


def test_rows_at_the_mean_have_no_negative_length() -> None:
    X = sp.csr_array(np.full((40, 5), 1e15))
    with pytest.warns(ConvergenceWarning, match="distinct"):
        assert set(SKFR(2, random_state=0).fit(X).labels_) == {0}
