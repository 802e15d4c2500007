"""Integer weights and repeated rows give the same fit, also with winsorising."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek import SKFR
from sparsek.core.medians import winsorizing_limits

CELLS = st.one_of(st.integers(-4, 4).map(float), st.floats(-1e6, 1e6), st.just(float("nan")))


@settings(max_examples=50)
@given(
    st.integers(1, 3).flatmap(
        lambda p: st.lists(
            st.tuples(st.lists(CELLS, min_size=p, max_size=p), st.integers(1, 4)), min_size=1, max_size=9
        )
    ),
    st.sampled_from([np.float64, np.float32]),
)
def test_limits_of_weighted_rows_are_those_of_repeated_rows(rows, dtype):
    X = np.array([row for row, _ in rows], dtype=dtype)
    counts = np.array([count for _, count in rows])
    weighted = winsorizing_limits(X, counts.astype(dtype), 4.0)
    repeated = winsorizing_limits(np.repeat(X, counts, axis=0), None, 4.0)
    np.testing.assert_array_equal(weighted, repeated)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.seeds(5, also=[61, 82, 157, 295, 300, 2054059509])  # centres with an outlier had no rows
def test_weights_count_in_winsorising(seed, holes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 4))
    X[:12, :2] += 3
    X[0, 3], X[5, 2] = 50, -30
    centers = X[:3].copy()
    if holes:
        X[rng.random(X.shape) < 0.1] = np.nan
    counts = np.r_[1, 1, 1, rng.integers(0, 5, 21)]
    model = SKFR(3, 0.5, winsorize=2, init=centers, standardize=True)
    weighted = model.fit(X, sample_weight=counts)
    labels, center = weighted.labels_, weighted.cluster_centers_
    repeated = SKFR(3, 0.5, winsorize=2, init=centers, standardize=True).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_array_equal(np.repeat(labels, counts), repeated.labels_)
    # Sums of the same numbers in another order: a few units in the last place of numbers up to 50.
    np.testing.assert_allclose(center, repeated.cluster_centers_, rtol=1e-12, atol=1e-12)


@pytest.mark.seeds(5)
def test_given_centres_are_clipped_like_the_rows_that_they_are(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 4))
    X[:12, :2] += 3
    X[0, 3], X[5, 2] = 50, -30
    rows = np.array([0, 5, 12])
    by_number, by_value = (SKFR(3, 0.5, winsorize=2, init=init).fit(X) for init in (rows, X[rows]))
    np.testing.assert_array_equal(by_number.labels_, by_value.labels_)
    np.testing.assert_array_equal(by_number.cluster_centers_, by_value.cluster_centers_)
