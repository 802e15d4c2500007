"""DEC against torch, and a small version of the experiment on digits."""

import matplotlib as mpl
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from sparsek import DEC
from validation.papers.kernel import dec, dec_torch

COLUMNS = ["method", "seed", "accuracy", "nmi", "autoencoder_mse", "steps", "seconds"]


@pytest.mark.skipif(dec_torch.missing() is not None, reason=str(dec_torch.missing()))
def test_agrees_with_torch():
    found = dec_torch.compare()
    assert len(found) == 5
    assert found["passed"].all(), found


def test_without_torch(monkeypatch):
    monkeypatch.setattr(dec_torch, "find_spec", lambda name: None)
    assert dec_torch.missing() == "torch is not installed: pip install torch"
    assert dec_torch.compare().empty


def quick(seed):
    """A smaller network, which ends at the first update, to save time."""
    return DEC(
        10, hidden_sizes=(40,), layer_epochs=5, finetune_epochs=10, batch_size=32, tol=1, random_state=seed
    )


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::sparsek.errors.ScaleWarning")
def test_digits_in_small(monkeypatch):
    digits = load_digits()
    digits.data, digits.target = digits.data[::4], digits.target[::4]
    monkeypatch.setattr(dec, "load_digits", lambda: digits)
    monkeypatch.setattr(dec, "fit", lambda seed: quick(seed).fit(digits.data))
    trials = dec.run(n_seeds=2)
    figure = dec.draw(trials)
    assert list(trials.columns) == COLUMNS
    assert len(trials) == 6
    assert trials["accuracy"].between(0.3, 1).all()
    assert isinstance(figure, mpl.figure.Figure)
    assert list(dec.summarise(trials)["method"]) == [dec.ON_PIXELS, dec.BEFORE, dec.AFTER]


def test_claims():
    rows = [
        {"method": method, "seed": seed, "accuracy": value + seed / 100, "nmi": value, "seconds": 10.0}
        for seed in range(3)
        for method, value in ((dec.ON_PIXELS, 0.7), (dec.BEFORE, 0.75), (dec.AFTER, 0.8))
    ]
    trials = pd.DataFrame(rows)
    assert all(claim.holds for claim in dec.claims(trials))
    trials.loc[(trials["method"] == dec.AFTER) & (trials["seed"] == 1), "accuracy"] = 0.5
    trials["seconds"] = 61.0
    assert [claim.holds for claim in dec.claims(trials)] == [False, False, True, False]
