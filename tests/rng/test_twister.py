"""The Mersenne Twister's memory is where numpy has its state."""

import numpy as np
import pytest

from sparsek.rng import generator
from sparsek.rng.generator import Twister
from sparsek.rng.literal import WORDS


@pytest.mark.parametrize("position", [0, 1, 300, 623, 624])
def test_the_state_is_numpys(position):
    key = np.random.default_rng(position).integers(0, 2**32, WORDS, dtype=np.uint32)
    numpys = np.random.MT19937(0)
    numpys.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}
    ours = Twister(0)
    ours.move_to(key, position)
    for _ in range(3):
        assert ours.random_raw(250).tolist() == numpys.random_raw(250).tolist()
        state = numpys.state["state"]
        assert ours.state.tolist() == [*state["key"].tolist(), state["pos"]]


def test_a_state_that_was_read_stays():
    twister = Twister(7)
    before = twister.state
    drawn = twister.random_raw(1000).tolist()
    twister.state = before
    assert twister.random_raw(1000).tolist() == drawn


def test_two_twisters_are_apart():
    first, second = Twister(1), Twister(1)
    first.random_raw(10)
    assert second.random_raw(5).tolist() == Twister(1).random_raw(5).tolist()


def test_a_numpy_with_another_memory_is_refused(monkeypatch):
    monkeypatch.setattr(generator, "_memory_of", lambda bits: np.zeros(WORDS + 1, dtype=np.uint32))
    generator._check_memory.cache_clear()
    try:
        with pytest.raises(RuntimeError, match=r"keeps the state .* install another"):
            Twister(1)
    finally:
        generator._check_memory.cache_clear()
