"""Cluster sums updated by the rows that move: recomputation in full, and empty clusters."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from sparsek.methods.rows.lloyd import lloyd
from sparsek.methods.rows.local import LocalRows, Passes
from sparsek.methods.rows.protocol import Metric
from sparsek.methods.shared.scaling import identity
from sparsek.methods.shared.sums import REFRESH_ROWS
from sparsek.methods.skfr.algorithm import skfr, sparse_means

N, P, K = 12, 3, 3
DRIFT = 0.01


class Script:
    """Operations on one block that give a list of partitions in turn, whatever the centres.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    partitions : list of ndarray of shape (n,)
        The first is the start; each assignment gives the next one; the last is repeated.
    weight : float
        Weight of every row.
    drift : float
        Added to every updated sum: a rounding error large enough to be seen.
    """

    n_clusters = K

    def __init__(
        self, X: np.ndarray, partitions: list[np.ndarray], weight: float = 1.0, drift: float = 0.0
    ) -> None:
        self.X, self.partitions, self.weight, self.drift = X, partitions, weight, drift
        self.shape, self.dtype = X.shape, X.dtype
        self.scaling = identity(P, X.dtype)
        self.position = 0
        self.full: list[int] = []
        self.centers: list[np.ndarray] = []

    def blocks(self) -> Any:
        yield 0, self.X

    def take(self, rows: np.ndarray) -> np.ndarray:
        return self.X[rows]

    def operand(self, X: np.ndarray, metric: Metric) -> np.ndarray:
        return X

    def sums(self, X: np.ndarray, labels: np.ndarray, weights: Any, columns: Any) -> np.ndarray:
        self.full.append(self.position)
        return full_sums(X, labels, self.weight)

    def nearest(self, operand: np.ndarray, centers: np.ndarray) -> np.ndarray:
        self.centers.append(centers)
        self.position = min(self.position + 1, len(self.partitions) - 1)
        return self.partitions[self.position]

    def change(self, X: np.ndarray, new: np.ndarray, old: np.ndarray, *rest: Any) -> np.ndarray:
        change = np.zeros((K, P + 1))
        for row, here, there in zip(
            self.weight * np.column_stack([X, np.ones(len(X))]), new, old, strict=True
        ):
            if here != there:
                change[here] += row
                change[there] -= row
        change[:, :-1] += self.drift
        return change

    def operand_change(self, X: np.ndarray, metric: Metric, new: np.ndarray, old: np.ndarray, w: Any) -> Any:
        return self.change(X, new, old)

    def distances(self, X: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> np.ndarray:
        return np.zeros(len(X))  # no row is far from its centre, so an empty cluster stays empty

    def norms(self, X: np.ndarray) -> np.ndarray:
        return np.ones(len(X))


def full_sums(X: np.ndarray, labels: np.ndarray, weight: float = 1.0) -> np.ndarray:
    """Sums and sizes of the clusters, row by row."""
    sums = np.zeros((K, P + 1))
    for row, label in zip(X, labels, strict=True):
        sums[label] += weight * np.append(row, 1)
    return sums


def run(method: str, script: Script) -> Any:
    """Fit from the first partition."""
    steps: Any = script
    rows = LocalRows(Passes(script, steps, cache_limit=np.inf), script.partitions[0])
    if method == "skfr":
        return skfr(rows, partial(sparse_means, n_selected=P, local=False), tss=100.0, max_iter=200)
    return lloyd(rows)


def walk(sizes: list[int]) -> list[np.ndarray]:
    """Partitions of N rows in which a given number of rows move each time; no cluster becomes empty."""
    partitions = [np.arange(N) % K]
    first = 0
    for size in sizes:
        labels = partitions[-1].copy()
        chosen = (first + np.arange(size)) % N
        labels[chosen] = (labels[chosen] + 1) % K
        assert len(set(labels.tolist())) == K
        partitions.append(labels)
        first += size
    return [*partitions, partitions[-1]]


@pytest.mark.parametrize("method", ["skfr", "lloyd"])
@pytest.mark.parametrize("sizes", [[6] * 30, [12] * 14, [3, 12, 9, 12, 12, 1] * 4, [12, 12, 12, 12, 3, 12]])
def test_sums_are_taken_again_when_so_many_rows_have_moved(method: str, sizes: list[int]) -> None:
    partitions = walk(sizes)
    X = np.random.default_rng(0).normal(size=(N, P))
    rows = Script(X, partitions, drift=DRIFT)
    fit = run(method, rows)
    full, age, drift, expected = [0], 0, 0.0, [full_sums(X, partitions[0])]
    for position, size in enumerate(sizes, start=1):
        age, drift = age + size, drift + DRIFT
        if age > REFRESH_ROWS * N:
            full.append(position)
            age, drift = 0, 0.0
        sums = full_sums(X, partitions[position])
        sums[:, :-1] += drift
        expected.append(sums)
    assert rows.full == full
    assert len(full) > 1
    # Sums of 12 numbers near 1, changed at most 30 times.
    for found, sums in zip(rows.centers, expected, strict=True):
        np.testing.assert_allclose(found, sums[:, :-1] / sums[:, -1:], rtol=0, atol=1e-13)
    if method == "skfr":
        history = [100 - float((sums[:, :-1] ** 2 / sums[:, -1:]).sum()) for sums in expected]
        np.testing.assert_allclose(fit.history, history, rtol=0, atol=1e-12)  # the sums are near 100


@pytest.mark.parametrize("method", ["skfr", "lloyd"])
@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_the_sums_of_an_emptied_cluster_are_exactly_zero(method: str, weight: float) -> None:
    partitions = [np.array([2, 2, 2, 2, 2, 0, 0, 0, 1, 1, 1, 1])]
    for row in range(5):
        partitions.append(partitions[-1].copy())
        partitions[-1][row] = row % 2
    last = partitions[-1].copy()
    last[5] = 1
    partitions += [last, last]
    X = np.random.default_rng(1).normal(size=(N, P)) * 0.1 + 0.3
    left = full_sums(X, partitions[0], weight)[2]
    for row in X[:5]:
        left = left - weight * np.append(row, 1)
    assert left[:-1].any()  # the sums have rounding errors,
    assert bool(left[-1]) == (weight != 1)  # and so have the sizes unless weights are integers
    rows = Script(X, partitions, weight)
    run(method, rows)
    assert rows.full == [0]  # all further sums are updates
    assert len(rows.centers) > 6
    for found, labels in zip(rows.centers, partitions, strict=False):
        sums = full_sums(X, labels, weight)
        if sums[2, -1] == 0:
            assert not found[2].any()
        occupied = sums[:, -1] > 0
        means = sums[occupied, :-1] / sums[occupied, -1:]
        np.testing.assert_allclose(found[occupied], means, rtol=0, atol=1e-13)  # numbers near 0.3
