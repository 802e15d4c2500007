"""Measures of agreement: known values, symmetry, bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from sparsek.metrics import false_negative_rate, false_positive_rate, normalized_variation_of_information

LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(LABELS)
def test_nvi_is_a_symmetric_distance_in_the_unit_interval(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    value = normalized_variation_of_information(a, b)
    assert 0 <= value <= 1
    # Two sums of at most 25 terms in another order.
    assert value == pytest.approx(normalized_variation_of_information(b, a), abs=1e-12)
    assert normalized_variation_of_information(a, 7 - a) == pytest.approx(0, abs=1e-12)


def test_nvi_of_independent_partitions_is_one() -> None:
    a, b = np.repeat([0, 1], 4), np.tile([0, 1], 4)
    assert normalized_variation_of_information(a, b) == pytest.approx(1, abs=1e-12)


def test_nvi_uses_the_joint_entropy() -> None:
    a, b = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]
    joint = np.log(3)
    # scikit-learn's mutual information in nats, summed in another order.
    assert normalized_variation_of_information(a, b) == pytest.approx(
        1 - mutual_info_score(a, b) / joint, abs=1e-12
    )


def test_rates() -> None:
    truth = np.array([True] * 10 + [False] * 40)
    chosen = np.zeros(50, dtype=bool)
    chosen[2:12] = True
    assert false_negative_rate(truth, chosen) == 0.2
    assert false_positive_rate(truth, chosen) == 0.05
    assert np.isnan(false_positive_rate(truth[:10], chosen[:10]))
    assert np.isnan(false_negative_rate(truth[10:], chosen[10:]))


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"one length; got shapes \(2,\) and \(3,\)"):
        normalized_variation_of_information([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="boolean masks"):
        false_positive_rate([1, 0], [True, False])
