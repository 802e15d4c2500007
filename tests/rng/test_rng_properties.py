"""R's stream: block methods against one draw at a time, and properties under any seed."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.errors import RError
from sparsek.rng import RRandom
from sparsek.rng.pools import pool_indices, pool_words
from sparsek.rng.weighted_sampling import heap_sort_descending

SEEDS = st.integers(-(2**31 - 1), 2**31 - 1)
KINDS = st.sampled_from(["Rejection", "Rounding"])


@settings(max_examples=40, deadline=None)
@given(SEEDS, KINDS, st.integers(1, 600), st.integers(0, 70))
def test_permutations_are_successive_samples(seed, kind, n, count):
    rng, plain = RRandom(seed, sample_kind=kind), RRandom(seed, sample_kind=kind)
    expected = [plain.sample_int(n) for _ in range(count)]
    np.testing.assert_array_equal(rng.permutations(n, count), np.array(expected).reshape(count, n))
    assert rng.getstate() == plain.getstate()


@settings(max_examples=40, deadline=None)
@given(
    SEEDS, KINDS, st.sampled_from([1, 2, 50, 256, 257, 5000, 40000]), st.integers(0, 50), st.integers(0, 40)
)
def test_sets_are_successive_samples(seed, kind, n, size, count):
    size = min(n, size)
    rng, plain = RRandom(seed, sample_kind=kind), RRandom(seed, sample_kind=kind)
    expected = [literal_sample(plain, n, size) for _ in range(count)]
    np.testing.assert_array_equal(rng.sample_sets(n, size, count), np.array(expected).reshape(count, size))
    assert rng.getstate() == plain.getstate()


def literal_sample(rng, n, size):
    """Take `size` of a shrinking pool, one index at a time."""
    pool = list(range(1, n + 1))
    taken = []
    for m in range(n, n - size, -1):
        j = rng.unif_index(m)
        taken.append(pool[j])
        pool[j] = pool[m - 1]
    return taken


@pytest.mark.parametrize("n", [4096, 4097, 32768, 32769, 66000])
def test_long_permutation(n):
    rng, plain = RRandom(n), RRandom(n)
    assert rng.sample_int(n).tolist() == literal_sample(plain, n, n)
    assert rng.getstate() == plain.getstate()


def test_many_permutations_in_blocks():
    rng, plain = RRandom(2), RRandom(2)
    many = rng.permutations(200, 5000)
    np.testing.assert_array_equal(many[-1], [plain.sample_int(200) for _ in range(5000)][-1])
    assert rng.getstate() == plain.getstate()


@pytest.mark.parametrize("n", [200, 5000])
def test_too_short_block_is_noticed(n):
    words = np.random.MT19937(1).random_raw(int(pool_words(n, n)) // 2)
    assert pool_indices(words, n, n, 1) is None


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(0, 1500), st.integers(0, 1500), st.sampled_from(["runif", "rnorm", "rexp"]))
def test_draws_can_be_split(seed, a, b, method):
    rng, whole = RRandom(seed), RRandom(seed)
    parts = np.concatenate([getattr(rng, method)(a), getattr(rng, method)(b)])
    np.testing.assert_array_equal(parts, getattr(whole, method)(a + b))
    assert rng.getstate() == whole.getstate()


@settings(max_examples=60, deadline=None)
@given(SEEDS, KINDS, st.integers(1, 2**40), st.integers(0, 120))
def test_replacement_splits_into_single_indices(seed, kind, n, size):
    rng, single = RRandom(seed, sample_kind=kind), RRandom(seed, sample_kind=kind)
    draws = rng.sample_int(n, size, replace=True)
    assert draws.tolist() == [single.unif_index(n) + 1 for _ in range(size)]
    assert np.all((draws >= 1) & (draws <= n))
    assert rng.getstate() == single.getstate()


@settings(max_examples=60, deadline=None)
@given(SEEDS, KINDS, st.integers(1, 3 * 10**7), st.integers(0, 60))
def test_sample_is_distinct_and_in_range(seed, kind, n, size):
    size = min(n, size) if n <= 10**6 else min(size, n // 2)
    if 10**6 < n <= 10**7:
        n //= 10  # keep the pool of a plain sample small
    draws = RRandom(seed, sample_kind=kind).sample_int(n, size)
    assert len(set(draws.tolist())) == size
    assert np.all((draws >= 1) & (draws <= n))


@settings(max_examples=60, deadline=None)
@given(
    SEEDS,
    KINDS,
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.3, 1e-9]), min_size=1, max_size=300),
    st.booleans(),
)
def test_weighted_support(seed, kind, weights, replace):
    positive = {i + 1 for i, w in enumerate(weights) if w > 0}
    rng = RRandom(seed, sample_kind=kind)
    if not positive:
        with pytest.raises(RError, match="too few positive probabilities"):
            rng.sample_int(len(weights), 1, replace, weights)
        return
    draws = rng.sample_int(len(weights), len(positive), replace, weights).tolist()
    assert positive.issuperset(draws)
    assert replace or set(draws) == positive


@pytest.mark.parametrize("kind", ["Rejection", "Rounding"])
@pytest.mark.parametrize("n", [4, 400])  # by inversion and by the alias method
def test_weighted_frequencies(kind, n):
    weights = np.arange(1, n + 1) ** 2
    draws = RRandom(1, sample_kind=kind).sample_int(n, 40000, True, weights)
    counts = np.bincount(draws, minlength=n + 1)[1:]
    expected = 40000 * weights / weights.sum()
    z = (counts - expected) / np.sqrt(expected + 1)
    assert np.abs(z).max() < 5  # at most 400 normal deviates: one exceeds 5 once in 4000 seeds


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]) | st.floats(0, 1), max_size=60))
def test_heap_sort(values):
    ordered, labels = heap_sort_descending(np.array(values, dtype=float))
    expected_values, expected_labels = literal_heap_sort(values)
    assert ordered.tolist() == expected_values == sorted(values, reverse=True)
    assert labels.tolist() == expected_labels


def literal_heap_sort(values):
    """Textbook heap sort, 1-based, with its two phases in one loop."""
    n = len(values)
    a = [math.nan, *values]
    b = list(range(n + 1))
    if n < 2:
        return a[1:], b[1:]
    left, right = n // 2 + 1, n
    while True:
        if left > 1:
            left -= 1
            v, label = a[left], b[left]
        else:
            v, label = a[right], b[right]
            a[right], b[right] = a[1], b[1]
            right -= 1
            if right == 1:
                a[1], b[1] = v, label
                return a[1:], b[1:]
        i, j = left, 2 * left
        while j <= right:
            if j < right and a[j] > a[j + 1]:
                j += 1
            if not v > a[j]:
                break
            a[i], b[i] = a[j], b[j]
            i, j = j, 2 * j
        a[i], b[i] = v, label


@settings(max_examples=30, deadline=None)
@given(SEEDS, KINDS, st.integers(0, 2000))
def test_state_round_trip(seed, kind, n_words):
    rng = RRandom(seed, sample_kind=kind)
    rng.skip(n_words)
    others = [RRandom(), copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng)), RRandom()]
    others[0].setstate(rng.getstate())
    others[-1].setstate(rng.random_seed.tolist())
    expected = rng.sample_int(30).tolist()
    for other in others:
        assert other.sample_int(30).tolist() == expected
        assert other.getstate() == rng.getstate()
