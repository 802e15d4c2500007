"""Initial centres from must-links: the means of neighbourhoods, the sets of rows that must-links join.

Source: Basu, Banerjee and Mooney (2002), "Semi-supervised clustering by seeding", ICML; Bilenko, Basu and
Mooney (2004), Section 4.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.core.steps import Array, Labels
from sparsek.methods.constrained.copkm import group_means


class Seeds(NamedTuple):
    """Initial centres and the labels that go with them."""

    centers: Array  # (n_clusters, p): centres in order of selection
    labels: Labels  # (n,) int32: clusters of the rows of the neighbourhoods in use; -1 for the others


def count_neighbourhoods(components: Array) -> int:
    """Number of components with at least two rows."""
    return int(np.count_nonzero(np.bincount(components) > 1))


def seed_centers(
    X: Array, components: Array, n_clusters: int, rng: np.random.Generator, fill: str = "rows"
) -> Seeds:
    """Centres from neighbourhoods: components with at least two rows, numbered by their smallest row.

    If there are enough, the largest is chosen first, then repeatedly the one farthest from all chosen ones in
    ||u_b - u_c|| sqrt(n_b n_c), with means u and sizes n; ties go to the lowest number. If there are fewer
    than n_clusters, all are chosen, and `fill` gives the rest.

    Shapes: X (n, p), components (n,).
    """
    sizes = np.bincount(components)
    numbers = np.flatnonzero(sizes > 1)
    centers, sizes = group_means(X, components, len(sizes))[numbers], sizes[numbers]
    chosen = select_spread(centers, sizes, n_clusters)
    of_component = np.full(int(components.max()) + 1, -1, dtype=np.int32)
    of_component[numbers[chosen]] = np.arange(len(chosen))
    missing = n_clusters - len(chosen)
    if fill == "rows":
        outside = np.flatnonzero(~np.isin(components, numbers))
        rows = rng.choice(outside if len(outside) >= missing else len(X), missing, replace=False)
        rest = X[rows]
    else:
        rest = X.mean(axis=0) * (1 + 0.7 * (rng.random((missing, X.shape[1])) - 0.5))
    return Seeds(np.vstack([centers[chosen], rest]), of_component[components])


def select_spread(centers: Array, sizes: Array, n_clusters: int) -> list[int]:
    """Neighbourhoods in order of selection; if there are no more than needed, all in order of number."""
    if len(centers) < n_clusters:
        return list(range(len(centers)))
    chosen = [int(np.argmax(sizes))]
    closest = np.full(len(centers), np.inf)
    while len(chosen) < n_clusters:
        last = chosen[-1]
        spread = cdist(centers, centers[[last]])[:, 0] * np.sqrt(sizes * sizes[last])
        np.minimum(closest, spread, out=closest)
        closest[chosen] = -1
        chosen.append(int(np.argmax(closest)))
    return chosen
