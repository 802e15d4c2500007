"""Progress bars start no thread, so that processes may fork."""

import subprocess
import sys

import pytest

SEARCH = """
import sys, threading
import numpy as np
from joblib import parallel_config
from sparsek import PermutationGap, SparseKMeans
if __name__ == "__main__":
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = PermutationGap(SparseKMeans(2), "l1_bound", [1.2, 1.4], n_permutations=2, random_state=0)
    with parallel_config(backend=sys.argv[1], n_jobs=int(sys.argv[2])):
        model.fit(X)
    print([thread.name for thread in threading.enumerate()])
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", "1"), ("multiprocessing", "2")])
def test_a_search_leaves_no_thread(backend, n_jobs):
    command = [sys.executable, "-c", SEARCH, backend, n_jobs]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['MainThread']"
