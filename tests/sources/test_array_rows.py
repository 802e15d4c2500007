"""Rows in memory whose labels are set from outside."""

import numpy as np

from sparsek.core.scaling import prepare
from sparsek.sources.local import array_rows


def test_labels_set_from_outside_are_scored_anew():
    rng = np.random.default_rng(0)
    Z, _ = prepare(rng.standard_normal((50, 3)), None, standardize=False)
    centers = Z[:4, :-1].copy()
    rows = array_rows(Z, np.zeros(50, np.int32), 4)
    rows.assign(centers)
    nearest = rows.labels
    rows.labels = np.zeros(50, np.int32)
    assert rows.assign(centers)
    assert np.array_equal(rows.labels, nearest)
