"""DEC: results, seeds, new rows, checkpoints, files, bad input."""

import io
import json
import logging
import os
import re
import resource
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

from sparsek import DEC, _limits
from sparsek.errors import ModelVersionWarning
from sparsek.methods.dec import estimator as dec
from sparsek.methods.dec import run as _dec_run

IRIS = load_iris().data
SMALL = {"n_components": 2, "hidden_sizes": (8,), "layer_epochs": 2, "finetune_epochs": 3, "batch_size": 20}
QUICK = {**SMALL, "max_iter": 12, "update_interval": 4, "tol": 0.0, "random_state": 0}
not_converged = pytest.mark.filterwarnings("ignore:labels still change:sklearn.exceptions.ConvergenceWarning")


def groups(seed=0, n=90):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    truth = np.arange(n) % 3
    X[truth == 0, :2] += 6
    X[truth == 1, 2:4] += 6
    return X, truth


def interrupted_run(path, monkeypatch, X=IRIS, **options):
    """Leave a checkpoint behind."""
    write = _dec_run.CheckpointFile.write

    def stop_after(self, snapshot):
        write(self, snapshot)
        raise KeyboardInterrupt

    model = DEC(3, **{**QUICK, **options}, checkpoint=path, checkpoint_every=0)
    with monkeypatch.context() as patch:
        patch.setattr(_dec_run.CheckpointFile, "write", stop_after)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X)
    assert path.exists()


def assert_same_fit(a, b):
    """Assert bit equality of all attributes that a fit sets."""
    assert vars(a).keys() - {"checkpoint", "checkpoint_every"} == vars(b).keys() - {
        "checkpoint",
        "checkpoint_every",
    }
    for name in (name for name in vars(a) if name.endswith("_")):
        first, second = getattr(a, name), getattr(b, name)
        if isinstance(first, dict):
            assert first.keys() == second.keys()
            first, second = list(first.values()), list(second.values())
        if not isinstance(first, list):
            first, second = [first], [second]
        for one, other in zip(first, second, strict=True):
            assert_array_equal(one, other, err_msg=name)
            assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("seed", range(3))
def test_finds_groups(seed, optimizer):
    X, truth = groups(seed)
    model = DEC(
        3, n_components=2, hidden_sizes=(16,), batch_size=16, optimizer=optimizer, random_state=seed
    ).fit(X)
    assert adjusted_rand_score(truth, model.labels_) == 1


@not_converged
def test_attributes():
    model = DEC(3, **QUICK, n_init=2).fit(IRIS)
    assert model.labels_.dtype == np.int32
    assert_array_equal(model.predict(IRIS), model.labels_)
    assert_array_equal(model.transform(IRIS), model.embedding_)
    assert_array_equal(model.predict_proba(IRIS), model.probabilities_)
    assert_array_equal(model.probabilities_.argmax(axis=1), model.labels_)
    assert model.embedding_.shape == model.initial_embedding_.shape == (150, 2)
    assert model.cluster_centers_.shape == (3, 2)
    assert [w.shape for w in model.coefs_] == [(4, 8), (8, 2)]
    assert [b.shape for b in model.intercepts_] == [(8,), (2,)]
    assert [len(losses) for losses in model.epoch_losses_] == [2, 2, 3]
    assert model.scale_ == pytest.approx(np.sqrt(np.mean(IRIS**2)))
    assert model.start_errors_.shape == (2,)
    assert model.reconstruction_error_ == model.start_errors_.min()
    assert list(model.get_feature_names_out()) == ["dec0", "dec1"]
    assert_array_equal(model.history_["step"], [0, 4, 8, 12])
    assert model.n_iter_ == 12
    assert model.objective_ == model.history_["kl"][-1] > 0
    assert model.history_["changed"][0] == 0  # q and k-means have the same nearest centre
    # The forward pass, step by step.
    hidden = np.maximum(IRIS / model.scale_ @ model.coefs_[0] + model.intercepts_[0], 0)
    # Rounding of sums of eight terms.
    assert_allclose(hidden @ model.coefs_[1] + model.intercepts_[1], model.embedding_, atol=1e-13)


@not_converged
def test_seeds():
    fits = [DEC(3, **{**QUICK, "random_state": seed}).fit(IRIS) for seed in (1, 1, 2)]
    assert_same_fit(fits[0], fits[1])
    assert not np.array_equal(fits[0].embedding_, fits[2].embedding_)


@not_converged
def test_units_do_not_matter():
    # A power of two changes no digit; 1e300 squared would overflow.
    base = DEC(3, **QUICK).fit(IRIS)
    for exponent in (-1040, -500, 900):
        if exponent == -1040:  # subnormal: digits are lost, without an error
            assert np.isfinite(DEC(3, **QUICK).fit(np.ldexp(IRIS, exponent)).embedding_).all()
            continue
        model = DEC(3, **QUICK).fit(np.ldexp(IRIS, exponent))
        assert_array_equal(model.embedding_, base.embedding_)


@not_converged
def test_float32():
    model = DEC(3, **QUICK).fit(IRIS.astype(np.float32))
    for name in ("embedding_", "initial_embedding_", "cluster_centers_", "probabilities_"):
        assert getattr(model, name).dtype == np.float32, name
    assert model.coefs_[0].dtype == np.float32
    assert model.transform(IRIS.astype(np.float32)).dtype == np.float32
    assert model.transform(IRIS).dtype == np.float64
    # Float32 uses equal masks, weights and batches: results of a short training are close.
    assert_allclose(model.embedding_, DEC(3, **QUICK).fit(IRIS).embedding_, atol=1e-3)


def test_one_cluster():
    model = DEC(1, **{**QUICK, "tol": 1e-3}).fit(IRIS)
    assert model.n_iter_ == 4  # the first update after the start changed no label
    assert not model.history_["kl"].any()
    assert not model.labels_.any()
    assert_array_equal(model.probabilities_, 1)


@not_converged
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("value", [0.0, 3.0])
def test_constant_data(value):
    model = DEC(2, **QUICK).fit(np.full((20, 3), value))
    assert np.isfinite(model.embedding_).all()
    with pytest.warns(ConvergenceWarning, match="Number of distinct clusters"):
        DEC(2, **QUICK).fit(np.full((20, 3), value))


@not_converged
@pytest.mark.parametrize(
    "options",
    [
        {"hidden_sizes": ()},
        {"hidden_sizes": [6, 5]},
        {"layer_epochs": 0, "finetune_epochs": 0},
        {"dropout": 0.0},
        {"corrupt_input": False},
        {"weight_init": "normal"},
        {"pretrain_optimizer": "sgd", "pretrain_learning_rate": 0.01},
        {"normalize": False},
        {"alpha": 2.5},
        {"batch_size": 1000},
        {"patience": 1},
        {"blas_threads": None},
    ],
)
def test_options(options):
    model = DEC(3, **{**QUICK, **options}).fit(IRIS)
    assert np.isfinite(model.embedding_).all()
    assert_array_equal(model.predict(IRIS), model.labels_)


def test_defaults_by_size():
    from sparsek.methods.dec.settings import make_plans

    for n, sizes, interval in ((1999, (200, 200, 500), 30), (2000, (500, 500, 2000), 140)):
        training, plan = make_plans(DEC(3), n, 7)
        assert training.sizes == plan.sizes == (7, *sizes, 10)
        assert plan.update_interval == interval
        assert (training.rule.name, training.rule.rate) == ("adam", 1e-3)
        assert (plan.rule.name, plan.rule.rate, plan.rule.momentum) == ("sgd", 0.01, 0.9)
    rule = make_plans(DEC(3, pretrain_optimizer="sgd"), 10, 7)[0].rule
    assert (rule.rate, rule.decay_every) == (0.1, 20_000)  # the paper's setting


def test_stops_early_and_warns_otherwise():
    X, _ = groups()
    model = DEC(3, **{**SMALL, "update_interval": 4, "random_state": 0}, tol=0.5, max_iter=100).fit(X)
    assert model.n_iter_ == 4
    with pytest.warns(ConvergenceWarning, match="labels still change after 6 steps; increase max_iter"):
        model = DEC(3, **{**QUICK, "max_iter": 6}).fit(X)
    assert_array_equal(model.history_["step"], [0, 4, 6])


# --- interruption ------------------------------------------------------------------------------------------


# --- files -------------------------------------------------------------------------------------------------


@not_converged
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_save_and_load(tmp_path, dtype):
    frame = pd.DataFrame(IRIS.astype(dtype), columns=["a", "b", "c", "d"])
    model = DEC(3, **QUICK, n_init=2).fit(frame)
    path = tmp_path / "model.npz"
    model.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]
    loaded = DEC.load(path)
    assert loaded.get_params() == model.get_params()
    assert_same_fit(loaded, model)
    assert_array_equal(loaded.transform(frame), model.transform(frame))
    assert_array_equal(loaded.predict(frame), model.labels_)
    with np.load(path, allow_pickle=False) as archive:  # reads every member, which fails for a pickled one
        assert json.loads({name: archive[name] for name in archive}["json"].item())["version"] == 1
    model.random_state = np.random.RandomState(0)
    model.checkpoint = Path("somewhere")
    model.save(str(path))
    assert DEC.load(str(path)).random_state is None
    assert DEC.load(path).checkpoint == "somewhere"


@not_converged
def test_a_file_from_before_the_engine_was_saved(tmp_path, monkeypatch):
    """Loads with everything else it has; the summary says what the file does not."""
    path = tmp_path / "model.npz"
    model = DEC(3, **QUICK).fit(IRIS)
    monkeypatch.setattr(dec, "FITTED", tuple(name for name in dec.FITTED if name != "_engine"))
    model.save(path)
    monkeypatch.undo()
    loaded = DEC.load(path)
    assert_array_equal(loaded.predict(IRIS), model.labels_)
    assert re.search(r"Engine +not recorded\b", loaded.summary().as_text())
    loaded.save(path)
    assert DEC.load(path).summary().as_text() == loaded.summary().as_text()


@not_converged
def test_load_bad_files(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError):
        DEC.load(tmp_path / "missing.npz")
    path = tmp_path / "file.npz"
    for content in (b"", b"text", b"PK\x03\x04"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a model of DEC"):
            DEC.load(path)
    np.savez(path, json=np.array([{}], dtype=object))  # a pickled member
    with pytest.raises(ValueError, match="is not a model of DEC: Object arrays cannot be loaded"):
        DEC.load(path)
    np.savez(path, json=np.array("[]"))
    with pytest.raises(ValueError, match="is not a model of DEC"):
        DEC.load(path)
    model = DEC(3, **QUICK).fit(IRIS)
    labels = model.labels_
    for model.labels_ in (labels.astype(str), labels[:, None], None):
        model.save(path)
        with pytest.raises(ValueError, match="is not a model of DEC: labels_ is no such value"):
            DEC.load(path)
    model.labels_ = labels
    for name in dec.FITTED:
        kept = getattr(model, name)
        for value in (None, "x", [[[1.0]], [["x"]]], {"a": "x"}):
            if not (name == "_engine" and value == "x"):
                setattr(model, name, value)
                model.save(path)
                with pytest.raises(ValueError, match=f"is not a model of DEC: {name} is no such value"):
                    DEC.load(path)
        setattr(model, name, kept)
    layers = model.intercepts_, model.coefs_
    for model.intercepts_, model.coefs_ in (
        (layers[0][:-1], layers[1]),
        (layers[0][:-1], layers[1][:-1]),
        ([], []),
        (layers[0], [*layers[1][:-1], layers[1][-1][:-1]]),
    ):
        model.save(path)
        with pytest.raises(ValueError, match="is not a model of DEC: its layers do not fit each other"):
            DEC.load(path)
    model.intercepts_, model.coefs_ = layers
    model.n_clusters = ""
    model.save(path)
    with pytest.raises(ValueError, match="is not a model of DEC: The 'n_clusters' parameter"):
        DEC.load(path)
    path.unlink()
    interrupted_run(path, monkeypatch)
    with pytest.raises(ValueError, match="is not a model of sparsek DEC 1; got sparsek DEC 1, checkpoint"):
        DEC.load(path)
    with pytest.raises(NotFittedError):
        DEC().save(path)


# --- what is shown -----------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A text stream that claims to be a terminal."""

    def isatty(self):
        return True


@not_converged
def test_progress_bars(monkeypatch, caplog):
    for verbose in (0, 1):
        terminal = Terminal()
        with monkeypatch.context() as patch, caplog.at_level(logging.INFO, logger="sparsek"):
            patch.setattr(sys, "stderr", terminal)
            DEC(3, **QUICK, n_init=2, verbose=verbose).fit(IRIS)
        shown = terminal.getvalue()
        assert ("14/14" in shown) == ("12/12" in shown) == ("changed=" in shown) == bool(verbose)
        assert len(caplog.records) == 2 * verbose


@not_converged
def test_no_bars_in_files(capsys):
    DEC(3, **QUICK, verbose=1).fit(IRIS)
    assert capsys.readouterr() == ("", "")


# --- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_clusters": 0}, ValueError, "'n_clusters' parameter of .* Got 0 instead"),
        ({"n_clusters": 2.0}, TypeError, "'n_clusters' parameter of .* Got 2.0 instead"),
        ({"n_clusters": 151}, ValueError, "n_samples=150 must be at least n_clusters=151"),
        ({"n_components": 0}, ValueError, "'n_components' parameter of .* Got 0 instead"),
        ({"n_init": 0}, ValueError, "'n_init' parameter of .* Got 0 instead"),
        ({"hidden_sizes": (5, 0)}, ValueError, r"'hidden_sizes' parameter of .* Got \(5, 0\) instead"),
        ({"hidden_sizes": (5, 1.5)}, TypeError, r"'hidden_sizes' parameter of .* Got \(5, 1\.5\) instead"),
        ({"hidden_sizes": 5}, TypeError, "'hidden_sizes' parameter of .* Got 5 instead"),
        ({"hidden_sizes": "12"}, TypeError, "'hidden_sizes' parameter of"),
        ({"layer_epochs": -1}, ValueError, "'layer_epochs' parameter of .* Got -1 instead"),
        ({"finetune_epochs": 1.5}, TypeError, "'finetune_epochs' parameter of"),
        ({"batch_size": 0}, ValueError, "'batch_size' parameter of .* Got 0 instead"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter of .* Got 0 instead"),
        ({"patience": 0}, ValueError, "'patience' parameter of .* Got 0 instead"),
        ({"update_interval": 0}, ValueError, "'update_interval' parameter of .* Got 0 instead"),
        ({"blas_threads": 0}, ValueError, "'blas_threads' parameter of .* Got 0 instead"),
        ({"normalize": 1}, TypeError, "'normalize' parameter of .* Got 1 instead"),
        ({"corrupt_input": "yes"}, TypeError, "'corrupt_input' parameter of .* Got 'yes' instead"),
        ({"weight_init": "zeros"}, ValueError, "'weight_init' parameter of .* Got 'zeros' instead"),
        ({"optimizer": "lbfgs"}, ValueError, "'optimizer' parameter of .* Got 'lbfgs' instead"),
        ({"pretrain_optimizer": None}, ValueError, "'pretrain_optimizer' parameter of"),
        ({"dropout": 1}, ValueError, "'dropout' parameter of .* Got 1 instead"),
        ({"dropout": -0.1}, ValueError, "'dropout' parameter of .* Got -0.1 instead"),
        ({"momentum": 1.0}, ValueError, "'momentum' parameter of .* Got 1.0 instead"),
        ({"tol": np.nan}, ValueError, "'tol' parameter of .* Got nan instead"),
        ({"alpha": 0}, ValueError, "'alpha' parameter of .* Got 0 instead"),
        ({"alpha": None}, TypeError, "'alpha' parameter of .* Got None instead"),
        ({"learning_rate": 0.0}, ValueError, "'learning_rate' parameter of .* Got 0.0 instead"),
        ({"pretrain_learning_rate": "fast"}, TypeError, "'pretrain_learning_rate' parameter of"),
        ({"checkpoint": 3}, TypeError, "'checkpoint' parameter of .* Got 3 instead"),
        ({"checkpoint_every": -1}, ValueError, "'checkpoint_every' parameter of .* Got -1 instead"),
    ],
)
def test_bad_parameters(options, error, message):
    with pytest.raises(error, match=message):
        DEC(**{"n_clusters": 3, **options}).fit(IRIS)


@not_converged
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_data(value):
    bad = IRIS.copy()
    bad[3, 1] = value
    with pytest.raises(ValueError, match="contains"):
        DEC(3, **QUICK).fit(bad)
    model = DEC(3, **QUICK).fit(IRIS)
    for method in (model.predict, model.transform, model.predict_proba):
        with pytest.raises(ValueError, match="contains"):
            method(bad)
        with pytest.raises(ValueError, match="expecting 4 features"):
            method(IRIS[:, :2])
    with pytest.raises(ValueError, match=r"the embedding of X exceeds .*; X must be in the units"):
        model.predict(np.full((1, 4), 1e308))


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"pretrain_optimizer": "sgd", "pretrain_learning_rate": 1e200}, "pretrain_learning_rate"),
        ({"learning_rate": 1e200}, "learning_rate"),
    ],
)
def test_runaway_training(options, name):
    with pytest.raises(ValueError, match=f"the loss became (nan|inf): lower {name}, or scale X"):
        DEC(3, **{**QUICK, **options}).fit(IRIS)


def test_unscaled_data_that_overflow():
    with pytest.raises(ValueError, match=r"the loss became (nan|inf): lower pretrain_learning_rate"):
        DEC(3, **QUICK, normalize=False).fit(IRIS * 1e200)


@not_converged
def test_load_damaged_files(tmp_path, monkeypatch):
    """Cut off, with changed bytes, or without some values: always one kind of error."""
    path = tmp_path / "model.npz"
    model = DEC(3, **QUICK).fit(IRIS)
    model.save(path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:-1], whole[:3000] + b"???" + whole[3003:], whole[100:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is not a model of DEC"):
            DEC.load(path)
    for data in (
        {},
        [],
        None,
        3,
        {"values": {}},
        *({"values": {"parameters": one, "fitted": one, "feature_names": None}} for one in (None, 1, [[]])),
    ):
        text = {"format": "sparsek DEC", "version": 1, "content": "model", "data": data}
        np.savez(path, json=np.array(json.dumps(text)))
        with pytest.raises(ValueError, match="is not a model of DEC"):
            DEC.load(path)
    np.savez_compressed(path, json=np.zeros(10**6))
    monkeypatch.setattr(_limits, "FREE_BYTES", 10**6)
    with pytest.raises(
        ValueError, match=r"is not a model of DEC: .* unpacks to 8000128 or more; the limit is"
    ):
        DEC.load(path)
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ValueError, match="it is no regular file"):
            DEC.load(place)


@not_converged
def test_save_on_a_full_disk(tmp_path):
    path = tmp_path / "model.npz"
    model = DEC(3, **QUICK).fit(IRIS)
    model.save(path)
    whole = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"model\.npz' could not be written \(File too large\); make room"):
            model.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == whole
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


@not_converged
@pytest.mark.parametrize("offset", [100.0, 1000.0, 1e6, [0, 0, 1e5, 0]])
def test_columns_far_from_0_are_centred(offset):
    X = np.random.default_rng(0).normal(size=(150, 4))
    X[:50, :2] += 8
    X[50:100, 2:] += 8
    truth = np.repeat([0, 1, 2], 50)
    model = DEC(3, **QUICK).fit(X + offset)
    if np.ndim(offset) == 0:
        assert adjusted_rand_score(truth, model.labels_) == 1
    assert_array_equal(DEC(3, **QUICK).fit(X + offset - model.offset_).labels_, model.labels_)
    far = np.broadcast_to(offset, 4) > 0
    assert_allclose(model.offset_, np.where(far, (X + offset).mean(axis=0), 0), rtol=1e-12)
    assert_array_equal(model.predict(X + offset), model.labels_)


@not_converged
def test_columns_near_0_are_as_they_are(tmp_path):
    model = DEC(3, **QUICK).fit(IRIS)
    assert_array_equal(model.offset_, np.zeros(4))
    assert model.scale_ == pytest.approx(np.sqrt(np.square(IRIS).mean()), rel=1e-15)
    X = IRIS + np.array([0, 100, 0, 0])
    moved = DEC(3, **QUICK).fit(X)
    moved.save(tmp_path / "model.npz")
    assert_array_equal(DEC.load(tmp_path / "model.npz").transform(X), moved.transform(X))
    with pytest.warns(ConvergenceWarning, match="merged in the embedding"):
        raw = DEC(3, **QUICK, normalize=False).fit(IRIS + 10)
    assert_array_equal(raw.offset_, np.zeros(4))


@not_converged
def test_a_file_of_another_version_warns(tmp_path, monkeypatch):
    DEC(3, **QUICK).fit(IRIS).save(tmp_path / "model.npz")
    monkeypatch.setattr("sparsek.__version__", "9.9.9")
    with pytest.warns(ModelVersionWarning, match="this DEC was written by sparsek 0"):
        DEC.load(tmp_path / "model.npz")
