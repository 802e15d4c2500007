"""adjustedRand: known values, scikit-learn's index, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, rand_score

from sparsek import rcompat
from sparsek.errors import RError
from sparsek.rcompat import adjustedRand

PAIRS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=2, max_size=50)
ROUNDING = 1e-12  # a few operations on whole numbers


def test_values_of_r() -> None:
    found = adjustedRand([1, 1, 1, 2, 2, 3], [1, 1, 2, 2, 3, 3])
    # R 4.2.2, clues 0.6.2.2
    expected = [0.66666666666666663, 0.074074074074074139, 0.4, 0.28867513459481292, 0.16666666666666666]
    assert list(found) == ["Rand", "HA", "MA", "FM", "Jaccard"]
    np.testing.assert_allclose(list(found.values()), expected, rtol=ROUNDING)


@given(PAIRS)
def test_agrees_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    found = adjustedRand(a, b)
    assert found["Rand"] == pytest.approx(rand_score(a, b), abs=ROUNDING)
    assert found["HA"] == pytest.approx(adjusted_rand_score(a, b), abs=ROUNDING)


@given(PAIRS)
def test_is_symmetric(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    one, two = adjustedRand(a, b), adjustedRand(b, a)
    np.testing.assert_allclose(list(one.values()), list(two.values()), rtol=ROUNDING, atol=ROUNDING)


def test_indices_in_the_order_asked_for() -> None:
    assert list(adjustedRand([1, 2], [1, 1], ["MA", "Rand"])) == ["MA", "Rand"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[1, 2]], [1, 2]), RError, "cl1 is not a vector!"),
        ((pd.Series([1, 2], dtype="category"), [1, 2]), RError, "cl1 is not a vector!"),
        (([1, 2], [1, 2, 3]), RError, "two vectors have different lengths!"),
        (([1, 2], [1, 2], "rand"), RError, "should be one of"),
        (([1, 2], [1, 2], []), RError, "should be one of"),
        (([1, 2], [1, np.nan]), RError, r"NAs in foreign function call \(arg 3\)"),
        ((["a", "b"], [1, 2]), TypeError, "cl1 must hold real numbers: leave it out"),
        (([1, 2], [1, 1.5]), ValueError, "cl2 must hold whole numbers; got 1.5"),
    ],
)
def test_faults(arguments: tuple, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adjustedRand(*arguments)


def test_labels_beyond_integers_warn_twice_as_in_r() -> None:
    with pytest.warns(match="integer range") as noted, pytest.raises(RError, match=r"\(arg 1\)"):
        adjustedRand([1, 3e9], [1, 2])
    assert len(noted) == 2


def test_the_indices_are_a_vector_with_names() -> None:
    found = adjustedRand([1, 1, 2, 2, 3], [1, 1, 2, 3, 3])
    rounded = rcompat.round(found, 3)
    assert rounded.attributes["names"] == ["Rand", "HA", "MA", "FM", "Jaccard"]
    assert rounded.tolist() == [round(value, 3) for value in found.values()]
    assert np.asarray(found).tolist() == list(found.values())
    assert rcompat.zapsmall(found).attributes["names"] == list(found)
    assert str(rcompat.round(adjustedRand([1, 1, 2, 2], [1, 1, 2, 2]), 3)).split() == [*found, *"11111"]
