"""DEC: an interrupted run continues from its checkpoint and gives an equal result."""

import numpy as np
import pytest
from sklearn.base import clone

from sparsek import DEC
from sparsek.methods.dec import run as _dec_run
from tests.methods.dec.test_dec import IRIS, QUICK, assert_same_fit, interrupted_run, not_converged


@not_converged
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_continued_run_ends_the_same(tmp_path, monkeypatch, optimizer):
    options = {**QUICK, "n_init": 2, "optimizer": optimizer, "pretrain_optimizer": optimizer}
    options["pretrain_learning_rate"] = 0.01  # a rate of 0.1 would switch off all units of so small a network
    expected = DEC(3, **options).fit(IRIS)
    write, calls = _dec_run.CheckpointFile.write, []

    def fail_at(stop):
        def interrupted(self, snapshot):
            calls.append(snapshot)
            if len(calls) == stop:
                raise KeyboardInterrupt
            write(self, snapshot)

        return interrupted

    monkeypatch.setattr(_dec_run.CheckpointFile, "write", fail_at(0))
    path = tmp_path / "run.npz"
    model = DEC(3, **options, checkpoint=path, checkpoint_every=0)
    assert_same_fit(model.fit(IRIS), expected)
    n_writes = len(calls)
    assert n_writes == 2 * (2 * 2 + 3 + 1) + 4  # epochs and the end of each start; updates
    # Every place for one optimizer; for the other some of each kind.
    for stop in range(1, n_writes + 1, 1 if optimizer == "adam" else 4):
        calls.clear()
        monkeypatch.setattr(_dec_run.CheckpointFile, "write", fail_at(stop))
        with pytest.raises(KeyboardInterrupt):
            clone(model).fit(IRIS)
        assert path.exists() == (stop > 1)
        calls.clear()
        monkeypatch.setattr(_dec_run.CheckpointFile, "write", fail_at(0))
        assert_same_fit(clone(model).fit(IRIS), expected)
        assert len(calls) <= n_writes - stop + 2  # it continued instead of starting again
        assert not path.exists()


@not_converged
def test_checkpoint_of_another_run(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    interrupted_run(path, monkeypatch)
    for X, options in (
        (IRIS + 1, {}),
        (IRIS.astype(np.float32), {}),
        (IRIS, {"random_state": 1}),
        (IRIS, {"alpha": 2.0}),
    ):
        with pytest.raises(ValueError, match="is of other data or other parameters; remove the file"):
            DEC(3, **{**QUICK, **options}, checkpoint=path).fit(X)
    # The interval of writing, verbosity and an incomplete file beside it have no effect.
    (tmp_path / ".run.npz.0af3.part").write_bytes(b"half")
    DEC(3, **QUICK, checkpoint=str(path), checkpoint_every=5.0, verbose=1).fit(IRIS)
    assert not list(tmp_path.iterdir())


@not_converged
def test_checkpoint_keeps_drawn_seeds(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    interrupted_run(path, monkeypatch, random_state=np.random.RandomState(7))
    options = {**QUICK, "random_state": np.random.RandomState(8), "checkpoint": path}
    continued = DEC(3, **options).fit(IRIS)
    expected = DEC(3, **{**QUICK, "random_state": np.random.RandomState(7)}).fit(IRIS)
    assert_same_fit(continued, expected)


@not_converged
def test_checkpoint_is_written_seldom(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(_dec_run, "write_archive", lambda *arguments: written.append(arguments))
    DEC(3, **QUICK, checkpoint=tmp_path / "run.npz").fit(IRIS)
    assert not written  # the run took less than a minute


def test_broken_checkpoint(tmp_path):
    path = tmp_path / "run.npz"
    path.write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match="is not a checkpoint of DEC"):
        DEC(3, **QUICK, checkpoint=path).fit(IRIS)
