"""Starting centres from must-links."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.init._checks import check_data, find_seed
from sparsek.inputs.arguments import COUNT, SEED, check_arguments, names
from sparsek.methods.constrained.constraints import PairwiseConstraints
from sparsek.methods.constrained.seeding import Seeds, seed_centers


def seeding(
    X: ArrayLike,
    n_clusters: int,
    must_link: ArrayLike | None = None,
    *,
    fill: str = "rows",
    random_state: Any = None,
) -> Seeds:
    """Seeding: means of the neighbourhoods that must-links form, large ones far from each other first.

    A neighbourhood is a set of at least two rows that must-links join. The first centre is the mean of the
    largest neighbourhood. Each further centre is the mean of the neighbourhood b for which the smallest
    ``||u_b - u_c|| sqrt(n_b n_c)`` over the chosen neighbourhoods c is largest; u are means and n sizes. Ties
    go to the neighbourhood with the smallest row. With fewer neighbourhoods than clusters all are taken, in
    the order of their smallest rows, and `fill` supplies the rest.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite. Never changed.
    n_clusters : int
        Number of centres.
    must_link : array-like of shape (n_pairs, 2), integers, or None
        Pairs of rows, from 0, that belong together; those of class labels are
        ``PairwiseConstraints.from_labels(y).must_link``.
    fill : {"rows", "perturbed_mean"}, default="rows"
        Missing centres are distinct random rows outside the neighbourhoods (from all rows, if there are too
        few outside), or the overall mean times 1 + 0.7 (u - 1/2) with u uniform, in each coordinate.
    random_state : int, RandomState instance or None, default=None
        Seed, for the missing centres only.

    Returns
    -------
    Seeds
        ``(centers, labels)``: centres of shape (n_clusters, n_features), and labels of shape (n_samples,), -1
        for rows outside the neighbourhoods in use.

    Raises
    ------
    ValueError
        NaN or infinite data, `n_clusters` out of range, or pairs that name rows outside X or pair a row with
        itself.
    TypeError

    See Also
    --------
    sparsek.PairwiseConstraints : Must-link and cannot-link pairs of rows.
    sparsek.PCKMeans : K-means with a cost for every violated pair.

    Notes
    -----
    The authors' MATLAB program draws missing centres from all rows; "perturbed_mean" is what their Java
    program does.

    References
    ----------
    Basu, S., Banerjee, A. and Mooney, R. J. (2002). Semi-supervised clustering by seeding. ICML 2002, 19-26.
    Bilenko, M., Basu, S. and Mooney, R. J. (2004). Integrating constraints and metric learning in
    semi-supervised clustering. ICML 2004, 81-88.

    Examples
    --------
    >>> from sparsek.init import seeding
    >>> X = [[0.0], [1.0], [5.0], [8.0], [9.0]]
    >>> seeding(X, 2, must_link=[(0, 1), (3, 4)]).centers
    array([[0.5],
           [8.5]])
    """
    constraints = {
        "n_clusters": COUNT,
        "fill": [names("rows", "perturbed_mean")],
        "random_state": SEED,
    }
    check_arguments("seeding", constraints, n_clusters=n_clusters, fill=fill, random_state=random_state)
    x = check_data(X, n_clusters)
    components = PairwiseConstraints(len(x), must_link).components()
    return seed_centers(x, components, n_clusters, np.random.default_rng(find_seed(random_state)), fill)
