"""The alternating loop, and restarts around it.

Every method alternates: update the parameters given labels, assign labels given the parameters, stop. A
method supplies these as plain functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from sparsek.methods.shared.sums import Array, Labels


class Params(Protocol):
    """Parameters that `update` returns: any object with the value of the criterion, always minimised."""

    @property
    def criterion(self) -> float:
        """Criterion at these parameters and the labels they were computed from."""


P = TypeVar("P", bound=Params)


@dataclass(frozen=True, slots=True)
class FitResult(Generic[P]):
    """Result of one start.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        Assignment under `params`.
    params : P
        Last parameters.
    history : tuple of float
        Criterion after each update, never increasing.
    converged : bool
        Whether the stopping rule was met within `max_iter`.
    """

    labels: Labels
    params: P
    history: tuple[float, ...]
    converged: bool

    @property
    def criterion(self) -> float:
        """Criterion after the last update."""
        return self.history[-1]

    @property
    def n_iter(self) -> int:
        """Number of iterations, including the last one, which changed nothing."""
        return len(self.history)


def same_labels(old: Labels, new: Labels, params: object, previous: object | None) -> bool:
    """Whether no label changed."""
    return bool(np.array_equal(old, new))


def alternate(
    X: Array,
    labels: Labels,
    update: Callable[[Array, Labels, P | None], P],
    assign: Callable[[Array, P, Labels], Labels],
    converged: Callable[[Labels, Labels, P, P | None], bool] = same_labels,
    max_iter: int = 300,
) -> FitResult[P]:
    """Alternate `update` and `assign` from the given labels until `converged` or `max_iter`.

    Parameters
    ----------
    X : ndarray
        Data, passed to `update` and `assign`.
    labels : ndarray of shape (n,), int32
        Start.
    update : callable
        ``update(X, labels, previous)`` returns parameters; `previous` are the last ones, None at first.
    assign : callable
        ``assign(X, params, labels)`` returns new labels.
    converged : callable
        ``converged(old_labels, new_labels, params, previous)``; the default stops when no label changed.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    FitResult
        Labels, parameters and history.
    """
    params: P | None = None
    history: list[float] = []
    done = False
    while not done and len(history) < max_iter:
        previous, old = params, labels
        params = update(X, labels, previous)
        history.append(params.criterion)
        labels = assign(X, params, labels)
        done = converged(old, labels, params, previous)
    if params is None:
        raise ValueError(f"max_iter must be at least 1; got {max_iter}")
    return FitResult(labels, params, tuple(history), done)


def run_all(
    run: Callable[[Labels], FitResult[P]], starts: Iterable[Labels], n_jobs: int | None = None
) -> list[FitResult[P]]:
    """Run every start, `n_jobs` at a time in threads (joblib); results do not depend on `n_jobs`."""
    if effective_n_jobs(n_jobs) == 1:
        return [run(labels) for labels in starts]
    return list(Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(run)(labels) for labels in starts))


def hand_out_farthest(labels: Labels, counts: Array, distances: Array, noise: Array) -> Labels:
    """Give each empty cluster the farthest row, if above `noise`, of a cluster with several rows."""
    labels = labels.copy()
    for k in np.flatnonzero(counts == 0):
        row = int(np.argmax(np.where(counts[labels] > 1, distances, -1)))
        if distances[row] <= noise[row]:
            break
        counts[labels[row]] -= 1
        counts[k] += 1
        labels[row] = k
        distances[row] = 0
    return labels
