"""Estimator of k-means on mean absolute differences of distances, and these differences: MADDKMeans."""

from __future__ import annotations

import logging
import warnings
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import squareform
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsek.core.scaling import prepare, refuse_far_rows, warn_of_lost_structure
from sparsek.core.steps import Array, Labels
from sparsek.core.trees import linkage_labels
from sparsek.errors import callers_level
from sparsek.inputs.arguments import Numbers, check_arguments, names, require_matrices
from sparsek.inputs.containers import numbers
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import check_array, require_array, require_rows, validate_data
from sparsek.methods.madd.algorithm import (
    MATRICES,
    VERSIONS,
    Repetitions,
    Score,
    base_dissimilarities,
    base_to_rows,
    criterion_changes,
    madd,
    madd_to_rows,
    mean_dissimilarities,
    means_of_others,
    squared_to_centroids,
    sums_within,
    sweep,
)
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.parameters import Count, Flag, Positive, Runs, Seed, Verbose
from sparsek.methods.shared.weighted import repeated_rows
from sparsek.summary.estimators import FitSummaryMixin

logger = logging.getLogger("sparsek")

VARIANTS: dict[str, tuple[Score, bool, int]] = {
    "r": (mean_dissimilarities, False, 2),
    "centroid": (criterion_changes, True, 2),
    "gmadd": (means_of_others, True, 1),
}
"""Score that a row minimises, whether it stays on ties, and the power of rho."""
LEAST_ROWS = 3
"""Smallest number of rows, because each pair of rows is compared through the other rows."""
PIECES, LEAST_PIECE = 8, 64
"""New rows are compared in pieces of at most one in so many of the rows of the fit, and at least so many, so
that their matrices stay small beside that of the fit."""
SAFE_EXPONENT = 250
"""Data within 2^-250..2^250 are not rescaled: fourth powers of sums neither overflow nor vanish."""


def madd_distances(X: ArrayLike, version: int = 0) -> NDArray[np.float64]:
    r"""Mean absolute differences of distances (MADD) of all pairs of rows.

    .. math:: \rho_{ij} = \frac{1}{n - 2} \sum_{z \ne i, j} |\varphi(x_i, x_z) - \varphi(x_j, x_z)|

    Two rows are close when their dissimilarities to all other rows are similar. In high dimensions this
    separates populations that differ only in scale, where distances themselves concentrate and mislead.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, finite, at least three rows. Never changed.
    version : {0, 1, 2}, default=0
        The base dissimilarity :math:`\varphi` over p features: 0, Euclidean distance / sqrt(p); 1, city-block
        distance / p; 2, mean of 1 - exp(-abs(difference)), for which the scale of X matters.

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64
        Symmetric, zero diagonal, at most :math:`\varphi`; in units of X, for version 2 dimensionless.
        Infinite where it exceeds the largest number.

    Raises
    ------
    ValueError
        NaN or infinite data, fewer than three rows, an unknown version.
    TypeError
        Sparse data.

    See Also
    --------
    MADDKMeans : K-means on mean absolute differences of distances.
    cosa_distances : The dissimilarities of COSA.

    Notes
    -----
    The sum is the city-block distance of two rows of the matrix of :math:`\varphi`, less
    :math:`2 \varphi(x_i, x_j)`: O(n^3 + n^2 p) time, O(n^2) memory.

    References
    ----------
    Sarkar, S. and Ghosh, A. K. (2020). On perfect clustering of high dimension, low sample size data. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 42, 2257-2272.

    Examples
    --------
    >>> from sparsek import madd_distances
    >>> madd_distances([[0, 0], [1, 0], [0, 2], [6, 5], [7, 5]], version=1)[0].round(4)
    array([0.    , 0.5   , 1.    , 4.5   , 4.6667])
    """
    check_arguments("madd_distances", {"version": [Numbers(*VERSIONS)]}, version=version)
    X = require_array(X)
    data = check_array(X, dtype=np.float64, order="C", ensure_min_samples=LEAST_ROWS, input_name="X")
    if version != 2:
        warn_of_lost_structure(data, None, common_scale=True)
    unit = _unit(data, version)
    found: NDArray[np.float64] = _in_units(madd(base_dissimilarities(data * unit, version)), unit)
    return found


def _unit(X: Array, version: int) -> float:
    """Power of two by which extreme data are multiplied; 1 for data of ordinary size and for version 2."""
    exponent = int(np.frexp(np.abs(X).max())[1])
    if version == 2 or abs(exponent) <= SAFE_EXPONENT:
        return 1.0
    return float(np.ldexp(1.0, min(-exponent, 1000)))


def _in_units(values: Any, unit: float, power: int = 1) -> Any:
    """Values of scaled data in the units of X; infinite if they overflow there."""
    if unit == 1:
        return values
    with np.errstate(over="ignore", under="ignore"):
        return values / unit if power == 1 else values / unit / unit


class MADDKMeans(
    NumberedClusters,
    FitSummaryMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    Estimator,
):
    r"""K-means of rows compared by mean absolute differences of distances (MADD).

    Seeks a small :math:`\sum_k \frac{1}{|C_k|} \sum_{i, j \in C_k} \rho_{ij}^2`, where :math:`\rho` is that
    of :func:`madd_distances`. The rows are visited one after the other, and each moves at once to the
    cluster closest to it, until no row moves in a sweep over the data. For few rows of many features, and
    clusters that differ in location or in scale. The data are not scaled, unless `standardize` is set.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    version : {0, 1, 2}, default=0
        Base dissimilarity, see :func:`madd_distances`; kM_0, kM_1, kM_2 of the sparse MinMax k-means paper.
    variant : {"r", "centroid", "gmadd"}, default="r"
        What closest means. "r": smallest mean of :math:`\rho^2` over the members, the row itself included in
        its own cluster, as in the R code released with the sparse MinMax k-means paper. "centroid": the
        move that lowers the sum above most, so that it never rises. "gmadd": smallest mean of :math:`\rho`
        over the other members; singletons stay; the sum above then has :math:`\rho` in place of
        :math:`\rho^2`.
    init : {"auto", "random", "average"} or array-like of shape (n_samples,), default="auto"
        Starts. "random": random labels, every cluster present; "average": average linkage on :math:`\rho`,
        one start; "auto" is "average" for variant "gmadd", else "random". An array holds integer labels.
    n_init : int, default=10
        Number of random starts; the lowest `objective_` wins.
    standardize : bool, default=False
    max_iter : int, default=100
        Largest number of sweeps.
    random_state : int, RandomState instance or None, default=None
        Source of the random labels; an int makes the result reproducible.
    memory_limit : float, default=4e9
        Bytes that the n_samples x n_samples matrices (four of doubles) may take.
    verbose : int, default=0
        If positive, every start is logged to the logger ``sparsek``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters from 0. Rows of weight 0 get the cluster that `predict` gives. To `predict` all rows are new
        ones, which are compared with themselves too, so that it can give some another cluster, of which a
        `PredictionWarning` tells.
    dissimilarity_matrix_ : ndarray of shape (n_samples, n_samples)
        :math:`\rho`, in units of X, for version 2 dimensionless; of the rows of positive weight.
    objective_ : float
        The sum above, in squared units of :math:`\rho` (for "gmadd" in its units), times weights.
    criterion_history_ : ndarray of shape (n_iterations,)
        The sum after each sweep. Never increasing for "centroid"; it can rise for the others.
    n_iter_ : int
        Sweeps of the best start, the last, unchanged one included.
    start_objectives_ : ndarray of shape (n_starts,)
    start_n_iter_ : ndarray of shape (n_starts,)
        Sweeps of every start.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters or than 3 (of positive weight), a
        parameter outside its range, negative `sample_weight`, or one that leaves next to nothing beside two
        rows.
    TypeError
    MemoryError
        From `fit`: the matrices would take more than `memory_limit`; nothing is allocated then.

    Warns
    -----
    ConvergenceWarning
        `max_iter` was reached, or fewer clusters than `n_clusters` were left.
    PredictionWarning

    See Also
    --------
    madd_distances : Mean absolute differences of distances of all pairs of rows.
    KernelKMeans : K-means in the space of a kernel.
    IFPCA : Spectral clustering on features that are not normal.

    Notes
    -----
    A new row x is compared with row j of the fit by the mean of :math:`|\varphi(x, x_z) - \varphi(x_j, x_z)|`
    over all z but j. Rows of the fit handed to `predict` count as new ones and may, at the border of two
    clusters, get another cluster than in `labels_`.

    With `sample_weight`, all of this is that of the repeated rows: the mean of rows i and j leaves out one
    copy of each, and the other copies add :math:`\varphi(x_i, x_j)`, so that with weights :math:`m` of the
    sum :math:`M`

    .. math:: \rho_{ij} = \frac{\sum_{z \ne i, j} m_z |\varphi(x_i, x_z) - \varphi(x_j, x_z)| +
        ((m_i - 1)_+ + (m_j - 1)_+) \varphi(x_i, x_j)}{M - \min(m_i, 1) - \min(m_j, 1)}

    A weight below 1 is left out whole. The copies of a row move together, where the first of them gains; the
    others then gain too, except for "centroid" where :math:`\rho^2` is so far from squared Euclidean
    distances that the mean within a cluster exceeds twice a row's mean to it. Weights are numbers of rows
    here, not shares: multiplied by a constant they give other dissimilarities, though hardly if all are
    large.

    Computation is in double precision, with O(n^2) memory. With labels drawn by R's ``sample`` as `init`, "r"
    takes the steps of R's code. There, labels may lack a cluster from the start, which then stays empty, and
    sweeps are not limited. Ties go to the lowest label for "r"; for the others a row stays.

    References
    ----------
    Sarkar, S. and Ghosh, A. K. (2020). On perfect clustering of high dimension, low sample size data. IEEE
    Transactions on Pattern Analysis and Machine Intelligence 42, 2257-2272.

    Dey, S., Das, S. and Mallipeddi, R. (2020). The sparse MinMax k-means algorithm for high-dimensional
    clustering. IJCAI: kM_0, kM_1 and kM_2 of its tables.

    Examples
    --------
    Two groups of the same mean, with standard deviations of 1 and 2:

    >>> import numpy as np
    >>> from sparsek import MADDKMeans
    >>> X = np.random.default_rng(0).normal(size=(40, 500))
    >>> X[20:] *= 2
    >>> model = MADDKMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(np.bincount(model.labels_[:20], minlength=2).tolist())
    [0, 20]
    >>> bool((model.labels_[20:] == 1 - model.labels_[0]).all())
    True
    """

    _predicts_otherwise = "to predict they are new ones, which are compared with themselves too"
    _by_cluster = ()

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        version: Annotated[int, Numbers(*VERSIONS)] = 0,
        variant: Annotated[str, names(*VARIANTS)] = "r",
        init: Annotated[Any, names("auto", "random", "average"), "array-like"] = "auto",
        n_init: Runs = 10,
        standardize: Flag = False,
        max_iter: Count = 100,
        random_state: Seed = None,
        memory_limit: Positive = 4e9,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite, at least three rows. Never changed.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            [repetitions] At least three must be positive.

        Returns
        -------
        MADDKMeans
            The fitted estimator.
        """
        self._validate_params()
        X = require_array(X)
        data = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=LEAST_ROWS)
        rows = repeated_rows(data, sample_weight, LEAST_ROWS)
        data, weights, self._fit_weights, kept = rows
        self._mass = None if weights is None else Repetitions.of(weights)
        require_rows(len(data), self.n_clusters)
        require_matrices(MATRICES, len(data), self.memory_limit)
        if self.version != 2:  # the values of version 2 are bounded
            names = getattr(self, "feature_names_in_", None)
            warn_of_lost_structure(data, names, common_scale=not self.standardize)
        score, strict, power = VARIANTS[self.variant]
        self._scaling = prepare(data, weights, standardize=True)[1] if self.standardize else None
        own = self._in_own_units(data)
        self._scale = _unit(own, self.version)
        self._rows = own * self._scale  # a copy, so that later changes of X do not affect predict
        with thread_control().limit(limits=1):
            self._phi = base_dissimilarities(self._rows, self.version)
            rho = madd(self._phi, self._mass)
            starts = self._starts(rho, kept)
            D = rho**2 if power == 2 else rho
            fits = sweep(D, starts, self.n_clusters, score, strict, self.max_iter, self._mass)
        best = fits[int(np.argmin([fit.criterion for fit in fits]))]
        self._members = self._number(best.labels, weights)
        self._within = sums_within(D, self._members, self.n_clusters, self._mass)
        self.dissimilarity_matrix_ = _in_units(rho, self._scale)
        self.criterion_history_ = self._criteria(best.history)
        self.objective_ = float(self.criterion_history_[-1])
        self.n_iter_ = best.n_iter
        self.start_objectives_ = self._criteria([fit.criterion for fit in fits])
        self.start_n_iter_ = np.array([fit.n_iter for fit in fits])
        self.labels_ = self._members if kept.all() else self._all_labels(X, kept)
        self._note_engine()
        self._report(best.converged)
        self._compare_predictions(X)
        return self

    def _criteria(self, values: Any) -> Any:
        """Values of the criterion in its units."""
        found = _in_units(np.array(values), self._scale, VARIANTS[self.variant][2])
        return found if self._mass is None else _in_units(found, self._mass.factor)

    def _all_labels(self, X: ArrayLike, kept: NDArray[np.bool_]) -> Labels:
        """Labels of all rows: those of weight 0 get their nearest cluster."""
        labels = self.predict(X)
        labels[kept] = self._members
        return labels

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """Closest cluster of each new row; ties go to the lowest label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            Labels from 0.
        """
        labels: NDArray[np.int32] = self._distances(X).argmin(axis=1).astype(np.int32)
        return labels

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        r"""Dissimilarities of new rows to the clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data in the units of the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            In units of :math:`\rho`: root of the mean of :math:`\rho^2` over the members, for "centroid" less
            half the mean within the cluster (0 where that is negative); for "gmadd" the mean of
            :math:`\rho`. Infinite for an empty cluster.
        """
        power = VARIANTS[self.variant][2]
        distances = self._distances(X)
        lengths = np.sqrt(np.maximum(distances, 0)) if power == 2 else distances
        converted: NDArray[np.float64] = _in_units(lengths, self._scale)
        return converted

    @property
    def _n_features_out(self) -> int:
        return len(self._within)

    def _distances(self, X: ArrayLike) -> Array:
        """Dissimilarities of new rows to the clusters, in scaled units."""
        check_is_fitted(self)
        X = require_array(X)
        data = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        if self._scaling is not None:
            refuse_far_rows(data, self._scaling.unit, self._scaling.offset, self._scaling.spread)
        data = self._in_own_units(data)
        if self.version != 2:
            refuse_far_rows(data, self._scale)
        step = max(LEAST_PIECE, len(self._rows) // PIECES)
        with thread_control().limit(limits=1), np.errstate(over="ignore"):
            found = [self._piece_distances(data[i : i + step]) for i in range(0, len(data), step)]
        return np.concatenate(found)

    def _piece_distances(self, X: Array) -> Array:
        """The same for a few checked rows."""
        phi = base_to_rows(X * self._scale, self._rows, self.version)
        rho = madd_to_rows(phi, self._phi, self._mass)
        D = rho**2 if VARIANTS[self.variant][2] == 2 else rho
        within = self._within if self.variant == "centroid" else np.zeros(len(self._within))
        return squared_to_centroids(D, self._members, within, self._mass)

    def _in_own_units(self, X: Array) -> Array:
        """Rows, in standard deviations with `standardize`."""
        return X if self._scaling is None else self._scaling.apply(X)[:, :-1]

    def _starts(self, rho: Array, kept: NDArray[np.bool_]) -> Array:
        """Initial labels, one row per start."""
        n, k = len(rho), self.n_clusters
        if not isinstance(self.init, str):
            return self._given_labels(len(kept))[kept][None]
        if self.init == "average" or (self.init == "auto" and self.variant == "gmadd"):
            sizes = None if self._mass is None else self._mass.counts
            return linkage_labels(squareform(rho, checks=False), k, "average", sizes)[None]
        rng = check_random_state(self.random_state)
        starts: Array = rng.randint(k, size=(self.n_init, n))
        for labels in starts:
            labels[rng.permutation(n)[:k]] = np.arange(k)
        return starts

    def _given_labels(self, n: int) -> Labels:
        labels: Labels = check_array(
            numbers(self.init, "init"), ensure_2d=False, input_name="init", dtype="numeric"
        )
        if labels.shape != (n,) or not np.issubdtype(labels.dtype, np.integer):
            raise ValueError(
                f"init must be integer labels of shape ({n},); got {labels.dtype} of shape {labels.shape}"
            )
        if labels.min() < 0 or labels.max() >= self.n_clusters:
            raise ValueError(
                f"labels given as init must lie in 0..{self.n_clusters - 1}; "
                f"got {labels.min()}..{labels.max()}"
            )
        return labels

    def _report(self, converged: bool) -> None:
        """Log the starts, and warn."""
        if self.verbose:
            for i, (value, sweeps) in enumerate(zip(self.start_objectives_, self.start_n_iter_, strict=True)):
                logger.info("start %d: criterion %r after %d sweeps", i, float(value), sweeps)
        if not converged:
            text = f"the best start did not converge in {self.max_iter} sweeps; increase max_iter"
            warnings.warn(text, ConvergenceWarning, stacklevel=callers_level())
        found = len(np.unique(self.labels_))
        if found < self.n_clusters:
            text = (
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X, or to labels given without one of the clusters."
            )
            warnings.warn(text, ConvergenceWarning, stacklevel=callers_level())
