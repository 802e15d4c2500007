"""The published loops of dist and hclust give what numpy gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.engine import set_engine
from sparsek.rcompat import dist, hclust
from sparsek.rcompat.stats.agglomeration import METHODS as LINKAGES
from sparsek.rcompat.stats.distances.api_dist import METHODS
from tests.loops import KINDS, by_loops


def data(seed, kind):
    """Rows with ties, zeros, missing and infinite values, as the kind says."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rng.integers(2, 25), rng.integers(1, 7)))
    if kind in ("ties", "holes"):
        x = np.round(x)
    if kind == "holes":
        x[rng.random(x.shape) < 0.3] = np.nan
        x[rng.random(x.shape) < 0.1] = rng.choice([np.inf, -np.inf])
    if kind == "tiny":
        x *= 1e-308
    return x


@pytest.mark.filterwarnings("ignore:treating non-finite values as NA")
@pytest.mark.parametrize("loops", KINDS)
@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["normal", "ties", "holes", "tiny"]),
    method=st.sampled_from(METHODS),
    p=st.sampled_from([0.5, 1.0, 2.0, 2.7, 300.0]),
)
def test_distances(loops, seed, kind, method, p):
    x = data(seed, kind)
    with set_engine("numpy"):
        expected = dist(x, method, p=p)
    with by_loops(loops):
        found = dist(x, method, p=p)
    np.testing.assert_array_equal(found, expected)
    assert np.signbit(found).tolist() == np.signbit(expected).tolist()


@pytest.mark.parametrize("loops", KINDS)
def test_canberra_where_sums_of_two_overflow(loops):
    with by_loops(loops):
        found = dist([[1.5e308], [1.4e308], [-1.5e308]], "canberra")
    assert np.asarray(found).tolist() == [0, 1, 1]  # R 4.2.2


@pytest.mark.parametrize("loops", KINDS)
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["normal", "ties", "tiny"]),
    method=st.sampled_from(LINKAGES),
    square=st.booleans(),
    weighted=st.booleans(),
)
def test_trees(loops, seed, kind, method, square, weighted):
    x = data(seed, kind)
    d = np.asarray(dist(x))
    if square:
        full = np.zeros((len(x), len(x)))
        full[np.triu_indices(len(x), 1)] = d
        d = full + full.T
    members = np.random.default_rng(seed).integers(1, 5, len(x)) if weighted else None
    before = d.copy()
    with set_engine("numpy"):
        expected = hclust(d, method, members)
    with by_loops(loops):
        found = hclust(d, method, members)
    for name in ("merge", "height", "order"):
        np.testing.assert_array_equal(found[name], expected[name])
    np.testing.assert_array_equal(d, before)


def test_dissimilarities_that_may_overflow_are_left_to_numpy():
    d = np.random.default_rng(1).random(45) * 1e308
    with set_engine("numpy"):
        expected = hclust(d, "ward.D").height
    with by_loops("plain"):
        np.testing.assert_array_equal(hclust(d, "ward.D").height, expected)
