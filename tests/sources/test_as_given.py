"""Rows of an array that are compared as they are given: labels of prepared rows, with and without bounds."""

from typing import Any

import numpy as np
import pytest

from sparsek.sources.blocks import DenseSteps
from sparsek.sources.local import LocalRows
from sparsek.sources.protocol import Subspace
from sparsek.sources.slack import MIN_ROWS
from sparsek.sources.source import ArraySource, RowProblem

P, K = 40, 4


def data(seed: int, n: int, dtype: Any, shift: float, tied: bool) -> np.ndarray:
    """Groups in some columns, at times with ties, away from the origin by so many standard deviations."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, P)) + shift
    X[:, :6] += 2 * rng.normal(size=(K, 6))[rng.integers(K, size=n)]
    return (np.round(2 * X) / 2 if tied else X).astype(dtype)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("shift", [0.0, 2.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [300, MIN_ROWS + 1000])
def test_labels_and_sums_are_those_of_prepared_rows(
    n: int, dtype: Any, shift: float, tied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = data(n, n, dtype, shift, tied)
    source = ArraySource(X, None, np.ones(n, bool))
    source.cache = 0.0  # no columns are kept
    problem = RowProblem.of(source, source.moments(), K, divisor=True)
    rng = np.random.default_rng(1)
    subspace = Subspace(np.sort(rng.permutation(P)[:30]), rng.uniform(0.2, 1, 30))
    start = rng.integers(K, size=n).astype(np.int32)
    calls: list[bool] = []
    given = DenseSteps.as_given

    def seen(*arguments: Any) -> Any:
        answer = given(*arguments)
        calls.append(answer is not None)
        return answer

    monkeypatch.setattr(DenseSteps, "as_given", seen)
    found: LocalRows = problem.rows(start).narrowed(subspace, None)
    expected: LocalRows = problem.rows(start).narrowed(subspace, None)
    sums = expected.sums()
    for _ in range(12):
        centers = sums.means.astype(dtype)
        moved = found.assign(centers)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LocalRows, "_as_given", lambda *a: None)
            assert expected.assign(centers) == moved
        np.testing.assert_array_equal(found.labels, expected.labels)
        found_sums, sums = found.moved_sums(sums), expected.moved_sums(sums)
        np.testing.assert_array_equal(found_sums.whole, sums.whole)
        if not moved:
            break
    assert len(calls) > 2
    assert all(calls)  # rows were compared as they are given
