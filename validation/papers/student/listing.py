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

    Parameters
    ----------
    seed : int
        Seed.

    Returns
    -------
    X : ndarray of shape (1000, 2)
        Group 0 is N(0, 1) in both features, group g is N(4 g, 4); in groups 1 and 3 the first feature has the
        opposite sign.
    y : ndarray of shape (1000,)
        Groups.
    """
    rng = np.random.default_rng(seed)
    size = (N_ROWS // N_CLUSTERS, N_FEATURES)
    groups = [rng.normal(0, 1, size)]
    for g in range(1, N_CLUSTERS):
        groups.append(rng.normal(4 * g, 2, size) * ([-1, 1] if g % 2 else [1, 1]))
    return np.vstack(groups), np.repeat(np.arange(N_CLUSTERS), size[0])


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the listing.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters.
    losses : ndarray of shape (passes,)
        Equation (4), summed over the rows, after each pass.
    converged : bool
        Whether the last pass moved no row.
    """

    labels: NDArray[np.int64]
    losses: NDArray[np.float64]
    converged: bool


def skfr2_listing(
    X: NDArray[np.float64], labels: NDArray[np.int64], n_clusters: int, n_selected: int, farthest: bool
) -> Run:
    """Run the listing.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Data.
    labels : ndarray of shape (n,)
        Initial clusters.
    n_clusters : int
        Number of clusters.
    n_selected : int
        Features kept in each cluster, s.
    farthest : bool
        Assign to the farthest centre, as listed; else to the nearest, as in Algorithm 2.

    Returns
    -------
    Run
        The square root of the listing's distances changes no assignment, so it is left out. Its printed loss
        has means of squares instead of sums, and is no number once a cluster is empty; here it is the sum.
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
