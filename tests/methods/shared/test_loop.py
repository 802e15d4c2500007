"""Rows handed to empty clusters."""

from contextlib import nullcontext

import numpy as np
import pytest
from joblib import parallel_config

from sparsek.core.steps import hand_out_farthest, run_all


def hand_out(labels, n_clusters, distances, noise=0.0):
    """Labels after the empty clusters have got rows."""
    counts = np.bincount(labels, minlength=n_clusters)
    distances = np.array(distances, dtype=float)
    labels = np.array(labels, dtype=np.int32)
    return hand_out_farthest(labels, counts, distances, np.full(len(labels), noise)).tolist()


def test_the_farthest_row_of_a_cluster_with_several_rows_is_taken():
    assert hand_out([0, 0, 0], 2, [1, 3, 2]) == [0, 1, 0]
    assert hand_out([0, 0, 1], 3, [1, 2, 9]) == [0, 2, 1]  # row 2 is alone in its cluster
    assert hand_out([0, 0, 0, 0], 3, [1, 3, 2, 0]) == [0, 1, 2, 0]
    assert hand_out([0, 0, 2, 2, 2], 4, [5, 5, 4, 3, 2]) == [1, 0, 3, 2, 2]  # row 1 is alone by then


def test_rows_at_their_centre_are_not_taken():
    assert hand_out([0, 0, 0], 2, [0.1, 0.1, 0], noise=0.1) == [0, 0, 0]


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_every_start_is_run_in_order_whatever_the_number_of_jobs(n_jobs):
    starts = (np.array([value], np.int32) for value in range(5))
    with parallel_config(backend="loky", n_jobs=2) if n_jobs is None else nullcontext():
        assert [int(labels[0]) for labels in run_all(lambda labels: labels, starts, n_jobs)] == list(range(5))
