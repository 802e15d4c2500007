"""Statistics of the observed values of columns, block by block, against exact fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from sparsek import KPod
from sparsek.core.exact_sums import column_moments
from sparsek.sources.local import block_moments
from tests.sources.blocks_data import memory_taken, mixture, punch


def exact_columns(X, weights):
    """Counts, means and sums of squares of every column, in fractions."""
    found = []
    for column in X.T:
        pairs = [(Fraction(w), Fraction(x)) for w, x in zip(weights, column.tolist(), strict=True) if x == x]
        count = sum(w for w, _ in pairs)
        mean = sum(w * x for w, x in pairs) / count
        found.append((float(count), float(mean), float(sum(w * (x - mean) ** 2 for w, x in pairs))))
    return np.array(found).T


@pytest.mark.parametrize("cuts", [[12], [1, 20], [5, 9, 31]])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_merge_to_the_whole(cuts, weighted):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 4)) * [1, 10, 0.1, 1] + [0, 5, -3, 100]
    X[rng.random(X.shape) < 0.3] = np.nan
    weights = rng.integers(1, 4, 40) if weighted else np.ones(40, int)
    parts = [slice(a, b) for a, b in pairwise([0, *cuts, 40])]
    first = block_moments(lambda: ((part, X[part]) for part in parts), weights if weighted else None, True)
    expected = exact_columns(X, weights.tolist())
    # A few sums of 40 numbers of 16 digits; column 4 loses two more to its offset of 100.
    np.testing.assert_allclose([first.counts, first.means, first.squares], expected, rtol=1e-12)
    whole = column_moments(X, weights if weighted else None, holes=True)
    np.testing.assert_array_equal(first.means, whole.means)
    np.testing.assert_array_equal(first.squares, whole.squares)
    np.testing.assert_array_equal(first.top, np.nanmax(X, axis=0))
    np.testing.assert_array_equal(first.bottom, np.nanmin(X, axis=0))


def test_squares_about_the_mean_survive_a_large_offset():
    # Sums of 1000 numbers near 1e15 are rounded by up to 64 each time, so the first mean is off.
    X = 1e15 + np.arange(1000.0)[:, None] % 7
    found = column_moments(X, holes=True)
    _, mean, squares = exact_columns(X, [1] * 1000)
    np.testing.assert_allclose(found.squares, squares, rtol=1e-12)
    np.testing.assert_allclose(found.means, mean, atol=0.125)  # the spacing of doubles there


@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_memory_of_a_fit_is_what_the_limit_counts_with():
    model = KPod(3, n_init=1, max_iter=3, random_state=0)
    taken = memory_taken(model, punch(mixture(0, 5000, 200), 0))
    assert taken <= KPod._copies < taken + 1
