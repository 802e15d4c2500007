"""A search continues from the finished tasks of an interrupted one, bit for bit; no other search may."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sparsek import SKFR, ConsensusClustering, PermutationGap, SparseKMeans, StabilitySelection
from sparsek.core import checkpoint as _checkpoint
from tests.methods.search.test_permutation_gap import X, planted

SUBSETS = {"n_resamples": 4, "sample_fraction": 1.0, "random_state": 0}
GAP_ATTRIBUTES = ("objectives_", "permuted_objectives_", "n_selected_", "gap_", "gap_sd_", "labels_")


def gap(**options):
    """A short search."""
    options = {"n_permutations": 4, "random_state": 0, **options}
    return PermutationGap(SparseKMeans(3, n_init=2), "l1_bound", [1.2, 1.6], **options)


def stability(**options):
    return StabilitySelection(
        SKFR(3, n_init=2), "n_features_to_select", [1, 2], **{"n_resamples": 4, "random_state": 0, **options}
    )


def consensus(**options):
    return ConsensusClustering(SKFR(n_init=2), (2, 3), **{**SUBSETS, **options})


def assert_equal_fits(found, expected, names):
    for name in names:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("make", "names"),
    [
        (gap, GAP_ATTRIBUTES),
        (stability, ("path_frequencies_", "selection_frequencies_")),
        (consensus, ("resample_labels_", "labels_", "consensus_matrix_")),
    ],
)
def test_only_what_is_missing_runs_again(make, names, n_jobs, tmp_path, monkeypatch):
    folder = tmp_path / "new" / "search"
    expected = make().fit(X)
    assert_equal_fits(make(checkpoint=folder, n_jobs=n_jobs).fit(X), expected, names)
    files = sorted(folder.glob("*.npy"))
    assert len(files) == 4 + (make is gap)
    files[1].unlink()
    files[-1].unlink()
    saved = []
    save = _checkpoint.Checkpoint.save
    monkeypatch.setattr(
        _checkpoint.Checkpoint,
        "save",
        lambda self, number, result: saved.append(number) or save(self, number, result),
    )
    assert_equal_fits(make(checkpoint=str(folder)).fit(X), expected, names)
    assert saved == [1, len(files) - 1]
    assert sorted(folder.iterdir()) == sorted([*files, folder / "search.json"])


def test_more_permutations_are_added(tmp_path):
    first = gap(checkpoint=tmp_path).fit(X)
    more = gap(checkpoint=tmp_path, n_permutations=6).fit(X)
    np.testing.assert_array_equal(more.permuted_objectives_[:, :4], first.permuted_objectives_)
    assert_equal_fits(more, gap(n_permutations=6).fit(X), GAP_ATTRIBUTES)
    assert_equal_fits(gap(checkpoint=tmp_path, rule="one_se").fit(X), first, GAP_ATTRIBUTES[:4])


@pytest.mark.parametrize(
    ("options", "data", "what"),
    [
        ({}, X + 1e-9, "data"),
        ({}, X.astype(np.float32), "data"),
        ({"random_state": 1}, X, "random_state"),
        ({"estimator": SparseKMeans(3, n_init=3)}, X, "estimator"),
        (
            {"estimator": SKFR(3, n_init=2), "param_name": "n_features_to_select", "param_range": [1, 2]},
            X,
            "estimator",
        ),
        ({"param_range": [1.2, 1.7]}, X, "settings"),
        ({"objective": lambda fit: fit.gap_objective_}, X, "objective"),
    ],
)
def test_another_search_is_refused(options, data, what, tmp_path):
    gap(checkpoint=tmp_path).fit(X)
    with pytest.raises(ValueError, match=f"is of a search that differs in: .*{what}"):
        gap(checkpoint=tmp_path).set_params(**options).fit(data)


def test_what_changes_no_result_is_no_other_search(tmp_path):
    gap(checkpoint=tmp_path).fit(X)
    inner = SparseKMeans(3, n_init=2, random_state=5, n_jobs=2)
    assert_equal_fits(
        gap(checkpoint=tmp_path).set_params(estimator=inner).fit(X), gap().fit(X), GAP_ATTRIBUTES
    )


def test_functions_are_told_apart_by_what_they_compute(tmp_path):
    def objective(power):
        return lambda fit: fit.gap_objective_**power

    gap(checkpoint=tmp_path, objective=objective(1)).fit(X)
    gap(checkpoint=tmp_path, objective=lambda fit: fit.gap_objective_ ** power_of_one()).set_params(
        objective=objective(1)
    ).fit(X)
    with pytest.raises(ValueError, match="differs in: objective"):
        gap(checkpoint=tmp_path, objective=objective(2)).fit(X)
    captured = open(os.devnull)  # noqa: SIM115  (what does not pickle)
    with captured, pytest.raises(TypeError, match="which does not pickle"):
        gap(checkpoint=tmp_path / "b", objective=lambda fit: fit.gap_objective_ + captured.fileno()).fit(X)


def power_of_one():
    return 1


@pytest.mark.parametrize("make", [gap, stability, consensus])
def test_unusable_checkpoints(make, tmp_path):
    with pytest.raises(ValueError, match="needs an integer random_state to go on with; got None"):
        make(checkpoint=tmp_path, random_state=None).fit(X)
    with pytest.raises(ValueError, match=r"'checkpoint' parameter of \w+ must be a path or None. Got 3"):
        make(checkpoint=3).fit(X)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds other files; give another folder"):
        make(checkpoint=tmp_path).fit(X)
    with pytest.raises(ValueError, match="is no folder, but holds other data; give a folder"):
        make(checkpoint=tmp_path / "notes.txt").fit(X)
    (tmp_path / "other" / "search.json").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"holds search\.json, which is no file; give another folder"):
        make(checkpoint=tmp_path / "other").fit(X)
    folder = tmp_path / "search"
    make(checkpoint=folder).fit(X)
    for text in ("{", "3", "[1]"):
        (folder / "search.json").write_text(text)
        with pytest.raises(ValueError, match=r"search.json cannot be read .*; delete the folder"):
            make(checkpoint=folder).fit(X)


def test_progress_counts_what_was_there(tmp_path, capsys, monkeypatch):
    gap(checkpoint=tmp_path).fit(X)
    (tmp_path / "000002.npy").unlink()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    gap(checkpoint=tmp_path, verbose=1).fit(X)
    assert "5/5" in capsys.readouterr().err


# Processes that a shell starts in the background ignore SIGINT unless they say otherwise.
INTERRUPTED = """
import signal, sys
from tests.core.test_checkpoint import slow
from tests.methods.search.test_permutation_gap import planted
signal.signal(signal.SIGINT, signal.default_int_handler)
slow(checkpoint=sys.argv[1], n_jobs=2).fit(planted(200, 20))
"""


def slow(**options):
    """A search of some seconds, much longer than two of its tasks."""
    return PermutationGap(
        SparseKMeans(4, n_init=30),
        "l1_bound",
        [2, 3],
        n_permutations=10,
        random_state=0,
        refit=False,
        **options,
    )


def test_an_interrupted_search_goes_on(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"},
    )
    # Two workers start first, which takes minutes on a busy machine.
    patience = time.monotonic() + 900
    while len(list(tmp_path.glob("*.npy"))) < 2 and process.poll() is None and time.monotonic() < patience:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=900)[1]
    done = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.npy")}
    assert 2 <= len(done) < 11
    data = planted(200, 20)
    found = slow(checkpoint=tmp_path).fit(data)
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert_equal_fits(found, slow().fit(data), ("objectives_", "permuted_objectives_", "gap_"))
