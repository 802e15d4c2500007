"""R's adjustedRandIndex: what its records cannot say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from sparsek.errors import RError
from sparsek.rcompat import adjustedRandIndex


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3))
def test_the_index_is_that_of_scikit_learn(pairs):
    x, y = zip(*pairs, strict=True)
    found = adjustedRandIndex(x, y)
    if np.isnan(found):
        assert len(set(x)) == len(set(y)) == len(pairs)
    else:
        assert found == pytest.approx(adjusted_rand_score(x, y), abs=1e-12)  # another formula


def test_texts_and_missing_labels():
    assert adjustedRandIndex(["a", "b", "a", None], [1, 2, 1, 2]) == 1.0
    assert adjustedRandIndex([1, np.nan, 2, 2], [1, 1, 2, 2]) == 1.0


def test_vectors_of_different_length():
    with pytest.raises(RError, match=r"arguments must be vectors of the same length .*x has 1 labels, y 2"):
        adjustedRandIndex([1], [1, 2])
