"""Estimator of geometric k-medians: GeometricKMedians."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from sparsek.core.steps import Array, FitResult, Labels, nearest_center
from sparsek.inputs.arguments import names, number
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import require_array, validate_data
from sparsek.methods.kmedians.algorithm import (
    GeometricMedians,
    Recursion,
    advance,
    cluster_distances,
    drawn_order,
    kmedians,
    start_recursion,
)
from sparsek.methods.shared.base import Setup
from sparsek.methods.shared.parameters import (
    Count,
    Flag,
    Jobs,
    NotNegative,
    Runs,
    Seed,
    Starts,
    Verbose,
)
from sparsek.methods.shared.weighted import WeightedClusterer
from sparsek.starts.seeds import View

LONGEST_STEP = 1e18
"""The longest first step, in sizes of the data: its square is a number in single precision."""


def _is_recursive(estimator: Any) -> bool:
    """Whether the estimator has `partial_fit`."""
    return bool(estimator.algorithm == "recursive")


class GeometricKMedians(WeightedClusterer):
    r"""K-medians with geometric medians: clusters that minimise the sum of distances, not of their squares.

    Minimises :math:`\sum_i w_i \min_k \|x_i - c_k\|` over the centres, with the Euclidean norm. Outliers pull
    a centre no more than any other row does. Standardise features of different units first.

    Parameters
    ----------
    n_clusters : int, default=8
    algorithm : {"batch", "recursive"}, default="batch"
        "batch" alternates Weiszfeld steps, with the correction of Vardi and Zhang where a centre meets a row,
        with the assignment of all rows; the criterion never increases. "recursive" is the averaged
        stochastic gradient of Cardot, Cenac and Monnez: each row moves its nearest centre once. It needs one
        pass, serves for data that arrive in batches (`partial_fit`), and comes close to the minimum only for
        many rows.
    init : str, array-like or callable, default="k-means++"
        Starts. "k-means++" (with probability proportional to the distance to the nearest seed) and "random"
        (distinct rows) draw `n_init` of them; "dkm++", "robin" and "maximin" (see `sparsek.init`) make one,
        the same every time, whatever `n_init`.
        [given starts]
    n_init : int, default=10
        Number of starts; the one with the smallest sum of distances is kept.
    standardize : bool, default=False
    max_iter : int, default=300
        Largest number of iterations of one start ("batch").
    tol : float, default=1e-5
        A start stops when no label changed and no centre moved by more than `tol` times the median distance
        of the rows to their centres ("batch").
    gamma : float or None, default=None
        Length of the first step of a centre, units of X ("recursive"), at most 1e18 times the size of the
        data. None takes the mean distance of the rows to their starting centres.
    alpha : float, default=0.75
        Step c of a centre has length ``gamma * c ** -alpha``; above 0.5 and at most 1 ("recursive").
    n_jobs : int or None, default=None
        Threads over the starts ("batch"). Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts and, in `fit`, of the order of the rows ("recursive").
    verbose : int, default=0

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Geometric medians of the clusters, units of X.
    labels_ : ndarray of shape (n_samples,), int32
        Labels from 0: the nearest centres. After `partial_fit`, of its rows.
    inertia_ : float
        Sum of the weighted distances to the nearest centre, units of X. After `partial_fit`, of its rows.
    criterion_history_ : ndarray of shape (n_iterations,)
        Criterion after each iteration, never increasing, units of X; one entry for "recursive".
    n_iter_ : int
        Iterations of the best start; 1 for "recursive".
    n_steps_ : int
        Number of rows taken so far, for "recursive".
    start_objectives_ : ndarray of shape (n_starts,)
        Criterion of every start, units of X.
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit` and `partial_fit`: NaN or infinite data, fewer rows than clusters, a parameter outside its
        range, negative or all-zero `sample_weight`.
    TypeError
        From `fit` and `partial_fit`: sparse data, or a parameter of the wrong type.

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    sparsek.rcompat.kGmedian : R's recursive k-medians, bit for bit.
    RobustSparseKMeans : Sparse k-means that leaves out outlying rows.

    Notes
    -----
    Differences from R's Gmedian: ``kGmedian`` runs the recursive algorithm alone, divides the step by the
    square root of the distance where the paper divides by the distance, compares starts by sums of square
    roots of distances, and takes the rows in their stored order, so that sorted data mislead it; here `fit`
    draws as many rows as there are at random, with replacement. For its own numbers use
    :func:`sparsek.rcompat.kGmedian`. Neither algorithm is certain to find the global minimum.

    `transform` gives Euclidean distances; `score` is minus the sum of distances. "recursive" draws rows with
    probabilities proportional to their weights.

    References
    ----------
    Cardot, H., Cenac, P. and Monnez, J.-M. (2012). A fast and recursive algorithm for clustering large
    datasets with k-medians. Computational Statistics & Data Analysis 56, 1434-1449.

    Vardi, Y. and Zhang, C.-H. (2000). The multivariate L1-median and associated data depth. PNAS 97,
    1423-1426.

    Weiszfeld, E. (1937). Sur le point pour lequel la somme des distances de n points donnes est minimum.
    Tohoku Mathematical Journal 43, 355-386.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import GeometricKMedians
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [9, 9], [9, 10], [10, 9], [9, 20]])
    >>> model = GeometricKMedians(n_clusters=2, random_state=0).fit(X)
    >>> model.labels_
    array([1, 1, 1, 0, 0, 0, 0], dtype=int32)
    >>> model.cluster_centers_[0].round(6)
    array([ 9., 10.])
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        algorithm: Annotated[str, names("batch", "recursive")] = "batch",
        init: Starts = "k-means++",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 300,
        tol: NotNegative = 1e-5,
        gamma: Annotated[float, number(0, 1e100, "both")] | None = None,
        alpha: Annotated[float, number(0.5, 1, "right")] = 0.75,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def _setup(self, data: Array, weights: Array | None, kept: Array) -> Setup:
        Z = self._prepared(data, weights)
        self._check_gamma(Z)
        starts = self._initial_labels(data, Z, self._scaling, weights, 1, kept)
        run = partial(
            kmedians,
            Z,
            n_clusters=self.n_clusters,
            weights=weights,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return Setup(data, weights, Z, starts, run)

    def _run_starts(self, setup: Setup) -> list[Any]:
        if _is_recursive(self):
            return self._run_recursive(setup.Z, setup.starts, setup.weights)
        return super()._run_starts(setup)

    def _size(self, setup: Setup, results: list[Any]) -> float:
        Z, weights = setup.Z[:, :-1], setup.weights
        spread = np.sqrt(np.einsum("ij,ij->i", Z, Z)) * (1 if weights is None else weights)
        return float(spread.sum(dtype=np.float64))

    def _store(self, setup: Setup, results: list[Any], best: Any) -> None:
        if _is_recursive(self):
            self._keep_start(next(i for i, result in enumerate(results) if result is best))
        self._set_centers(best.params.centers)
        self.criterion_history_ = self._in_units(best.history)
        self.start_objectives_ = self._in_units(self.start_objectives_)
        self.inertia_ = self._inertia(setup.data, setup.weights)

    @available_if(_is_recursive)
    def partial_fit(self, X: ArrayLike, y: object = None) -> Self:
        """Let the rows of X, in their order, move the centres; only for ``algorithm="recursive"``.

        The first call chooses the starting centres among its rows, so it needs at least n_clusters of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite, in no systematic order. Never changed.
        y : None
            Ignored.

        Returns
        -------
        GeometricKMedians
            The fitted estimator.
        """
        started = hasattr(self, "_recursion")
        if not started:
            self._begin()
        there = set(vars(self))
        self._validate_params()
        if started:
            X = require_array(X)
            dtypes = [self.cluster_centers_.dtype]
            data = validate_data(self, X, reset=False, dtype=dtypes, order="C")
            self._refuse_far_rows(data)
        else:
            data, _, kept = self._validate_fit(X, None)
        with thread_control().limit(limits=1):
            if started:
                Z = self._scaling.apply(data)
            else:
                Z = self._prepared(data, None)
                self._check_gamma(Z)
                starts = self._initial_labels(data, Z, self._scaling, None, 1, kept)
                self._keep_start(self._start(Z, starts, None))
            advance(self._recursion, Z, np.arange(len(Z))[:, None], self.alpha)
            self._count_steps()
            self._set_centers(self._recursion.averages[0])
            self._reorder()
            self.labels_ = self._numbered(nearest_center(Z, self._centers))
        self._note_engine()
        self.inertia_ = self._inertia(data, None)
        self.n_iter_ = 1
        if not started:
            self._end(there)
        return self

    def score(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the sum of distances to the nearest centre: ``-inertia_`` on the training data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.
        y : None
        sample_weight : array-like of shape (n_samples,) or None

        Returns
        -------
        float
            Larger is better.
        """
        return self._score(X, sample_weight)

    def _check_gamma(self, Z: Array) -> None:
        """Raise ValueError for a first step beside which the data vanish: squares could overflow."""
        size = float(np.abs(Z[:, :-1]).max()) * self._length_unit
        if _is_recursive(self) and self.gamma is not None and 0 < LONGEST_STEP * size < self.gamma:
            raise ValueError(
                f"gamma={self.gamma!r} is more than {LONGEST_STEP:g} times the size of the data about their "
                f"mean, {size:.3g}; lower gamma, or leave it at None for the mean distance of the rows"
            )

    def _run_recursive(
        self, Z: Array, starts: list[Labels], weights: Array | None
    ) -> list[FitResult[GeometricMedians]]:
        """One pass over the rows from all starts together."""
        self._start(Z, starts, weights)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        # Rows are drawn in an order of their own values, so that the order in X does not matter.
        order = drawn_order(View(Z).canonical_order(), weights, [seed, 1], len(starts))
        advance(self._recursion, Z, order, self.alpha)
        results = []
        mass = np.ones(len(Z), Z.dtype) if weights is None else weights
        for centers in self._recursion.averages:
            labels = nearest_center(Z, centers)
            criterion = float(cluster_distances(Z, labels, centers, mass).sum())
            results.append(FitResult(labels, GeometricMedians(centers, criterion), (criterion,), True))
        return results

    def _start(self, Z: Array, starts: list[Labels], weights: Array | None) -> int:
        """Set the state of the recursion before the first row; return the start of least mean distance."""
        self._recursion = start_recursion(Z, starts, self.n_clusters, weights)
        # Gamma begins as the mean distance of the rows to the means of a start.
        best = int(self._recursion.gamma.argmin())
        if self.gamma is not None:
            # The first step is given in units of X, and the recursion runs in prepared ones.
            self._recursion.gamma[:] = self.gamma / self._length_unit
        return best

    def _keep_start(self, index: int) -> None:
        """Forget the other starts of the recursion."""
        state = self._recursion
        one = slice(index, index + 1)
        self._recursion = Recursion(
            state.centers[one].copy(),
            state.averages[one].copy(),
            state.counts[one].copy(),
            state.gamma[one].copy(),
        )
        self._count_steps()

    def _count_steps(self) -> None:
        """Set the number of rows taken so far."""
        self.n_steps_ = int((self._recursion.counts - 1).sum())

    def _set_centers(self, centers: Array) -> None:
        """Set the centres, given in the coordinates of `_coordinates`."""
        self._centers = centers.copy()
        self.cluster_centers_ = self._scaling.invert(self._centers)

    def _coordinates(self, X: Array) -> Array:
        return self._scaling.apply(X)

    def _inertia(self, X: Array, weights: Array | None) -> float:
        closest = cdist(self._coordinates(X)[:, :-1], self._centers).min(axis=1)
        return float(self._in_units(closest.sum() if weights is None else weights @ closest))
