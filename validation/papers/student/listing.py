"""SKFR2 as the student report lists it (Appendix A), in arrays, and its generator (Appendix B).

The listing assigns every row to the cluster whose centre is farthest: ``torch.argmax(distance[:, i])``.
Algorithm 2 of the same report, and Zhang, Lange and Xu (2020), assign to the nearest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_CLUSTERS, N_FEATURES, N_ROWS = 4, 2, 1000
MAX_ITER = 100
"""Passes at most; the report does not say how many."""


def make_sample(seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw the data of the report: a normal group at 0, and three more with spread 2.

    Shapes: returns X (1000, 2), y (1000,).
    """
    rng = np.random.default_rng(seed)
    size = (N_ROWS // N_CLUSTERS, N_FEATURES)
    groups = [rng.normal(0, 1, size)]
    for g in range(1, N_CLUSTERS):
        groups.append(rng.normal(4 * g, 2, size) * ([-1, 1] if g % 2 else [1, 1]))
    return np.vstack(groups), np.repeat(np.arange(N_CLUSTERS), size[0])


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the listing."""

    labels: NDArray[np.int64]  # (n,): clusters
    losses: NDArray[np.float64]  # (passes,): equation (4), summed over the rows, after each pass
    converged: bool  # Whether the last pass moved no row


def skfr2_listing(
    X: NDArray[np.float64], labels: NDArray[np.int64], n_clusters: int, n_selected: int, farthest: bool
) -> Run:
    """Run the listing.

    Shapes: X (n, p), labels (n,).
    """
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    losses = []
    converged = False
    while not converged and len(losses) < MAX_ITER:
        members = labels == np.arange(n_clusters)[:, None]
        counts = members.sum(axis=1)
        centers = members @ Z / np.maximum(counts, 1)[:, None]
        ascending = np.argsort(counts[:, None] * centers**2, axis=1, kind="stable")
        np.put_along_axis(centers, ascending[:, : Z.shape[1] - n_selected], 0, axis=1)
        squares = ((Z - centers[:, None]) ** 2).sum(axis=2)
        new = squares.argmax(axis=0) if farthest else squares.argmin(axis=0)
        losses.append(float(squares[new, np.arange(len(Z))].sum()))
        converged = bool((new == labels).all())
        labels = new
    return Run(labels, np.array(losses), converged)
