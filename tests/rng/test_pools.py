"""Permutations of many pools at a time against draws one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsek.rng import RRandom
from sparsek.rng import pools as rpools


def one_by_one(words, n, size, count):
    """R's draws: random numbers with as many bits as the pool's size needs, until one is below it."""
    halves = (words >> np.uint64(16)).tolist()
    position, rows = 0, []
    for _ in range(count):
        row = []
        for m in range(n, n - size, -1):
            bits = (m - 1).bit_length()
            while True:
                value = 0
                for _ in range(bits // 16 + 1):
                    if position == len(halves):
                        return None
                    value, position = (value << 16) | halves[position], position + 1
                value &= 2**bits - 1
                if value < m:
                    break
            row.append(value)
        rows.append(row)
    return rows, position


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.one_of(st.integers(2, 300), st.integers(240, 3000), st.sampled_from([256, 257, 512, 513, 40000])),
    share=st.sampled_from([1.0, 0.7, 0.3]),
    length=st.sampled_from([0.8, 1.0, 1.3]),
)
def test_pools_draw_as_one_by_one(seed, n, share, length):
    rng = np.random.default_rng(seed)
    size, count = max(1, int(share * n)), 2
    if n == 40000:
        size = 500
    words = rng.integers(
        0, 2**32, size=int(length * count * rpools.pool_words(n, size)) + 20, dtype=np.uint64
    )
    found, expected = rpools.pool_indices(words, n, size, count), one_by_one(words, n, size, count)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found[0].tolist() == expected[0]
        assert found[1] == expected[1]


def test_pools_of_unlikely_outputs():
    small = np.zeros(5000, dtype=np.uint64)  # every attempt is accepted, far from the expected half
    large = small + np.uint64((2**10 - 1) << 16)  # 1023: accepted only while the pool has 1024 elements
    assert rpools.pool_indices(small, 600, 600, 1)[1] == 600
    assert rpools.pool_indices(large, 1024, 1024, 1) is None


def test_blocks_of_pools_join(monkeypatch):
    whole = RRandom(4).permutations(700, 50)
    monkeypatch.setattr("sparsek.rng.stream._BLOCK_WORDS", 20_000)
    rng = RRandom(4)
    assert np.array_equal(rng.permutations(700, 50), whole)
    assert sorted(whole[17].tolist()) == list(range(1, 701))


@pytest.mark.parametrize("n", [300, 5000])
def test_permutations_are_samples_one_after_the_other(n):
    together, single = RRandom(9), RRandom(9)
    assert together.permutations(n, 3).tolist() == [single.sample_int(n).tolist() for _ in range(3)]
    assert together.runif(1) == single.runif(1)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 1500), st.data())
def test_long_rows_are_taken_as_one_by_one(seed, n, data):
    size = data.draw(st.integers(min(n, 201), n))
    spread = data.draw(st.sampled_from([1.0, 0.1, 1e-3]))  # small: the same few places again and again
    random = np.random.default_rng(seed).random(size) ** (1 / spread)
    row = (random * np.arange(n, n - size, -1)).astype(np.int64)
    pool, taken = list(range(1, n + 1)), []
    for last, j in zip(range(n - 1, -1, -1), row.tolist(), strict=False):
        taken.append(pool[j])
        pool[j] = pool[last]
    assert rpools.take_from_pools(row[None], n)[0].tolist() == taken
    assert rpools.take_from_pools((n - 1 - np.arange(size))[None], n)[0].tolist() == list(
        range(n, n - size, -1)
    )


def test_long_rows_of_large_numbers():
    row = np.array([2**33 + 5, 2**20, 2**33 + 5] * 300, dtype=np.int64)
    taken = rpools.take_from_pools(row[None], 2**33 + 2000)[0]
    assert taken[:4].tolist() == [2**33 + 6, 2**20 + 1, 2**33 + 2000, 2**33 + 1998]
