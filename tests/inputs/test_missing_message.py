"""The message about missing cells names what takes them, and does not contradict itself."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from sparsek import SKFR, KPod, PermutationGap, PowerKMeans, SparseKMeans
from sparsek.inputs.validation import explained

X = np.array([[1.0, 2.0], [np.nan, 4.0], [5.0, 6.0]])


def message(estimator: Any, data: Any = X) -> str:
    """The message about the cells of X."""
    return str(explained(ValueError("Input X contains NaN"), estimator, data))


@pytest.mark.parametrize("estimator", [SparseKMeans(2), PowerKMeans(2)])
def test_an_estimator_of_complete_data_names_others(estimator: Any) -> None:
    assert f"{type(estimator).__name__} takes complete data only. SKFR (which selects" in message(estimator)


@pytest.mark.parametrize("estimator", [SKFR(2), KPod(2)])
def test_what_wraps_an_estimator_that_takes_them_says_so(estimator: Any) -> None:
    text = message(PermutationGap(estimator, "n_clusters", [2]))
    name = type(estimator).__name__
    assert f"PermutationGap needs complete data, although {name} takes others: leave out the rows" in text
    assert f"{name} takes complete data only" not in text


def test_sparse_matrices() -> None:
    assert "not in sparse matrices: pass X.toarray()" in message(SKFR(2), csr_array(X))
