"""PermutationGap on joblib's backends: equal bits, equal warnings, a progress bar, interruption."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pickle import PicklingError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning

from sparsek import PermutationGap, SparseKMeans
from sparsek.core.tasks import _lack_of_room
from tests.methods.search.test_permutation_gap import X, planted, search

ATTRIBUTES = ("objectives_", "permuted_objectives_", "n_selected_", "gap_", "gap_sd_", "gap_se_")


@pytest.mark.parametrize(
    ("backend", "options"),
    [
        ("loky", {"max_nbytes": 100}),  # X reaches the processes as a read-only memory map
        ("threading", {}),
        ("multiprocessing", {}),
    ],
)
def test_no_backend_changes_a_bit(backend, options):
    expected = search().fit(X)
    with parallel_config(backend=backend, n_jobs=2, **options):
        found = search().fit(X)
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.labels_, expected.labels_)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([None, 1, 3, -1]))
def test_threads_do_not_change_a_bit(seed, n_jobs):
    data = planted(12, 4, seed=seed)
    fits = []
    for jobs in (None, n_jobs):
        with parallel_config(backend="threading"):
            fits.append(search(n_jobs=jobs, n_permutations=2).fit(data))
    for name in ATTRIBUTES:
        np.testing.assert_array_equal(getattr(fits[0], name), getattr(fits[1], name))


@pytest.mark.parametrize(("backend", "n_jobs"), [("loky", 1), ("threading", 2), ("multiprocessing", 2)])
def test_warnings_are_summed_up_wherever_the_fits_run(backend, n_jobs):
    hurried = SparseKMeans(3, n_init=1, max_iter=1, standardize=False)
    model = PermutationGap(hurried, "l1_bound", [1.2, 1.4], n_permutations=3, random_state=0, refit=False)
    with parallel_config(backend=backend, n_jobs=n_jobs), pytest.warns(ConvergenceWarning) as caught:
        model.fit(X)
    (message,) = [str(warning.message) for warning in caught if warning.category is ConvergenceWarning]
    assert message.startswith("7 warnings about convergence in the fits, such as: the best start did not")


@pytest.mark.parametrize(("verbose", "shown"), [(0, False), (1, True)])
def test_progress_bar_on_a_terminal_on_request(verbose, shown, capsys, monkeypatch):
    search(verbose=1).fit(X)
    assert capsys.readouterr().err == ""  # not a terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    search(verbose=verbose).fit(X)
    assert ("5/5" in capsys.readouterr().err) == shown


FULL = """
import resource, numpy as np
from sparsek import PermutationGap, SKFR
X = np.random.default_rng(0).normal(size=(4000, 100))  # joblib hands more than 1 MB to processes by a file
search = PermutationGap(SKFR(3, n_init=1), "n_features_to_select", [5, 10], n_permutations=2, n_jobs=2)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    search.fit(X)
except OSError as error:
    print(error, error.__cause__, error.__suppress_context__)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits on files are POSIX")
def test_a_full_temporary_folder_is_one_clear_error():
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, timeout=300)
    assert done.stdout.startswith("no room to share the data with the processes of n_jobs=2 (File too large)")
    assert done.stdout.endswith("JOBLIB_TEMP_FOLDER, or give n_jobs=1 None True\n")


def test_errors_of_the_work_itself_are_passed_on():
    """Also those of a system, unless they are a lack of room."""
    for error in (OSError(2, "no such file"), PicklingError("a lambda"), OSError("room")):
        assert _lack_of_room(error) == ""
    hidden = PicklingError("Could not pickle the task")
    hidden.__cause__ = RuntimeError(f"OSError: [Errno {errno.ENOSPC}] wherever")
    assert _lack_of_room(hidden) == os.strerror(errno.ENOSPC)


# Processes that a shell starts in the background ignore SIGINT unless they say otherwise.
INTERRUPTED = """
import joblib, numpy as np, os, signal, sys
from sparsek import PermutationGap, SparseKMeans
signal.signal(signal.SIGINT, signal.default_int_handler)
class Telling(SparseKMeans):
    def fit(self, X, y=None, sample_weight=None):
        os.write(1, b"fitting\\n")
        return super().fit(X, y, sample_weight)
X = np.random.default_rng(0).normal(size=(400, 40))
with joblib.parallel_config(backend=sys.argv[1], n_jobs=2):
    PermutationGap(Telling(5, n_init=100), n_permutations=200, random_state=0).fit(X)
"""


def count_running(group):
    """Number of running processes of a group, without zombies."""
    listing = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listing.stdout.splitlines()]
    return sum(row[0] == str(group) and not row[1].startswith("Z") for row in rows)


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps and POSIX process groups")
@pytest.mark.parametrize(("backend", "at_least"), [("loky", 3), ("threading", 1)])
def test_interrupt_leaves_nothing_running(backend, at_least):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, backend],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a new process group, to which its workers belong
        # R, if started in this process, adds its libraries, which may include another libpython.
        env={name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "fitting\n"
        patience = time.monotonic() + 300  # wait until all workers run; the whole search takes minutes
        while count_running(process.pid) < at_least and time.monotonic() < patience:
            time.sleep(0.1)
        assert count_running(process.pid) >= at_least
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=300)[1]
        patience = time.monotonic() + 300  # joblib's resource trackers end a moment later
        while count_running(process.pid) and time.monotonic() < patience:
            time.sleep(0.1)
        assert count_running(process.pid) == 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
