"""Rows in memory: bounds spare distances and change no label."""

import numpy as np
import pytest

from sparsek.core.scaling import prepare
from sparsek.sources import local
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows


@pytest.mark.seeds(12)
def test_lloyd_takes_the_same_path_with_bounds(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 6)) + 2 * rng.standard_normal((5, 6))[rng.integers(5, size=200)]
    Z, _ = prepare(X, None, standardize=False)
    start = rng.integers(0, 1 + seed % 5, 200).astype(np.int32)  # with empty clusters, which take far rows
    expected = lloyd(array_rows(Z, start, 8))
    monkeypatch.setattr(local, "MIN_ROWS", 1)
    found = lloyd(array_rows(Z, start, 8))
    assert np.array_equal(found.labels, expected.labels)
    assert found.history == expected.history  # sums of equal labels


def test_labels_set_from_outside_are_scored_anew(monkeypatch):
    monkeypatch.setattr(local, "MIN_ROWS", 1)
    rng = np.random.default_rng(0)
    Z, _ = prepare(rng.standard_normal((50, 3)), None, standardize=False)
    centers = Z[:4, :-1].copy()
    rows = array_rows(Z, np.zeros(50, np.int32), 4)
    rows.assign(centers)
    nearest = rows.labels
    rows.labels = np.zeros(50, np.int32)
    assert rows.assign(centers)
    assert np.array_equal(rows.labels, nearest)
