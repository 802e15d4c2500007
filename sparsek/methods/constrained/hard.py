"""Estimator of k-means with pairwise constraints that hold: COPKMeans."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Annotated

import numpy as np
from scipy.spatial.distance import cdist

from sparsek.core.steps import Array, FitResult, Labels
from sparsek.errors import InfeasibleConstraintsError
from sparsek.inputs.arguments import names
from sparsek.methods.constrained.base import ConstrainedClusterer, ConstrainedProblem, PairStarts, Solver
from sparsek.methods.constrained.constraints import PairwiseConstraints, chain_classes
from sparsek.methods.constrained.copkm import cop_kmeans, group_rows
from sparsek.methods.constrained.pckm import ConstrainedCenters
from sparsek.methods.shared.parameters import Count, Flag, Jobs, Runs, Seed, Values, Verbose


class COPKMeans(ConstrainedClusterer):
    """COP-KMeans: k-means in which every must-link and cannot-link holds.

    Rows joined by must-links form a group. In each pass groups are placed one after another, in the order of
    the visits to their first rows, in the nearest cluster that holds no cannot-linked group placed before.
    Then the centres move to the means.

    Parameters
    ----------
    n_clusters : int, default=8
    init : str, array-like or callable, default="k-means++"
        Starts: "k-means++", "random", "dkm++", "robin", "maximin" (see :mod:`sparsek.init`) or "seeding",
        the means of the neighbourhoods that must-links form, and random rows where these are fewer than
        `n_clusters` (see :func:`sparsek.init.seeding`). An array holds centres of shape (n_clusters,
        n_features) in the units of X, row numbers of shape (n_clusters,), or labels of shape (n_samples,), -1
        where unknown, whose means are the centres. A callable ``init(X, n_clusters, random_state=seed)``,
        called for every start, returns any of these. Arrays, and names without random draws, make one
        start.
    n_init : int, default=10
    standardize : bool, default=False
    max_iter : int, default=100
    anchor : {"first", "mean"}, default="first"
        Point that represents a group when its nearest centre is found: its first row, as in the paper, or
        its mean.
    order : array-like of shape (n_samples,) or None, default=None
        Permutation of the rows in which all starts visit them. None: the first start visits them in the order
        of X, every further one in a random order of its own, because the order decides which rows find their
        nearest cluster taken.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    inertia_ : float
    objective_ : float
        Equal to `inertia_`.
    criterion_history_ : ndarray of shape (n_iterations,)
        Sum of squares after each pass; it can increase.
    n_iter_ : int
    constraints_ : PairwiseConstraints
    violated_must_link_, violated_cannot_link_ : ndarray of int
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its range, pairs that
        name rows outside X or pair a row with itself.
    TypeError
    ContradictoryConstraintsError
        From `fit`: a cannot-link between rows that must-links join; the message shows how. A ValueError.
    InfeasibleConstraintsError
        From `fit`: in every start some group found no cluster; the message names it and what blocks it. A
        ValueError.

    Warns
    -----
    ConvergenceWarning
    ConstraintConflictWarning
        Labels have more classes than there are clusters.

    See Also
    --------
    PCKMeans : K-means with a cost for every violated pair.
    PairwiseConstraints : Must-link and cannot-link pairs of rows.

    Notes
    -----
    This is the row-by-row algorithm of the paper with the closure of the constraints. Groups are never moved
    to make room, so a start can fail although the constraints can be satisfied, which in general is as hard
    as colouring a graph; other starts, or another `order`, may succeed. An empty cluster keeps its centre.
    Partitions can repeat in a cycle; a start then ends at the best partition of its cycle.
    R's conclust drops cannot-links that contradict must-links; here they are an error. `predict` gives a row
    of the training data the label that it has in `labels_`, and any other row the nearest centre; equal
    training rows with different labels are told apart by their order. `transform` knows no constraints.

    References
    ----------
    Wagstaff, K., Cardie, C., Rogers, S. and Schroedl, S. (2001). Constrained k-means clustering with
    background knowledge. ICML 2001, 577-584.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import COPKMeans
    >>> X = np.array([[0.0], [1.0], [4.0], [6.0], [9.0], [10.0]])
    >>> COPKMeans(2, init=[[0.0], [10.0]]).fit(X, must_link=[(2, 3)], cannot_link=[(3, 5)]).labels_
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    """

    _labels_of_rows: dict[bytes, list[int]]  # of training rows that are not with their nearest centre

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        init: PairStarts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 100,
        anchor: Annotated[str, names("first", "mean")] = "first",
        order: Values | None = None,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _label_pairs(self, codes: Array) -> PairwiseConstraints:
        # A few pairs suffice, because the closure adds the others.
        return chain_classes(codes)

    def _check_conflicts(self, constraints: PairwiseConstraints) -> None:
        constraints.check_consistent()
        if self.n_clusters == 1 and len(constraints.cannot_link):
            u, v = constraints.cannot_link[0].tolist()
            raise InfeasibleConstraintsError(
                f"cannot-link ({u}, {v}) needs at least 2 clusters; got n_clusters=1"
            )

    def _set_fit(self, data: Array, best: FitResult[ConstrainedCenters]) -> None:
        super()._set_fit(data, best)
        self._labels_of_rows = {}
        elsewhere = np.flatnonzero(self._nearest(data) != self.labels_)
        known: dict[bytes, list[int]] = {key: [] for key in _row_keys(data[elsewhere])}
        for key, label in zip(_row_keys(data) if known else (), self.labels_.tolist(), strict=bool(known)):
            if key in known:
                known[key].append(label)
        self._labels_of_rows = known

    def _nearest(self, X: Array) -> Labels:
        # In double precision and by direct differences, as in the fit: products would lose small distances.
        rows = X.astype(np.float64, copy=False)
        labels = cdist(self._coordinates(rows)[:, :-1], self._centers, "sqeuclidean").argmin(axis=1)
        if self._labels_of_rows:
            times: Counter[bytes] = Counter()
            for i, key in enumerate(_row_keys(rows)):
                known = self._labels_of_rows.get(key)
                if known is not None:
                    labels[i] = known[times[key] % len(known)]
                    times[key] += 1
        nearest: Labels = labels.astype(np.int32)
        return nearest

    def _solvers(self, problem: ConstrainedProblem, n_starts: int) -> list[Solver]:
        first = self._solver(problem)
        if self.order is not None:
            return [first] * n_starts
        # The first start keeps the order of X.
        streams = [np.random.default_rng([int(seed), 1]) for seed in self._draw_seeds()[1:n_starts]]
        orders = [stream.permutation(len(problem.order)) for stream in streams]
        return [first, *(partial(self._solve_in_order, problem.X, order) for order in orders)]

    def _solve_in_order(
        self, X: Array, order: Array, centers: Array, labels: Labels | None
    ) -> FitResult[ConstrainedCenters]:
        """One start that visits the rows in another order than that of X."""
        found = self._solver(self._in_order(X, order))(centers, labels)
        in_place = np.empty_like(found.labels)
        in_place[order] = found.labels
        return replace(found, labels=in_place)

    def _solver(self, problem: ConstrainedProblem) -> Solver:
        groups = group_rows(problem.X, problem.constraints, self.anchor, problem.order)
        return lambda centers, labels: cop_kmeans(problem.X, groups, centers, max_iter=self.max_iter)

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(X)


def _row_keys(X: Array) -> list[bytes]:
    """Digest of each row, equal for equal rows."""
    return [blake2b(row.tobytes(), digest_size=16).digest() for row in X + 0.0]  # -0.0 becomes 0.0
