"""Estimator of influential features PCA: IFPCA."""

from __future__ import annotations

import warnings
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.steps import Array
from sparsek.errors import callers_level
from sparsek.inputs.arguments import names
from sparsek.inputs.containers import numbers
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import check_array
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import (
    AnyPath,
    BelowOne,
    Count,
    Flag,
    Jobs,
    LargeSeed,
    Repeats,
    Runs,
    Seed,
    Share,
    Values,
    Verbose,
)
from sparsek.methods.shared.selection import SelectedFeatures
from sparsek.methods.spectral.base import SpectralClusterer, find_folder, with_ones
from sparsek.methods.spectral.gram import prepared_columns, project
from sparsek.methods.spectral.ifpca import score_features, screen
from sparsek.methods.spectral.ks_null import null_scores
from sparsek.methods.spectral.spectral_gem import complete_linkage, principal_rows

POSTSELECTIONS = ("spectral", "kmeans", "complete")


class IFPCA(SelectedFeatures, SpectralClusterer):
    r"""Influential features PCA: cluster on features that are not normal, chosen by higher criticism.

    1. Each feature gets a Kolmogorov-Smirnov score: the distance of its distribution from the normal one of
       its own mean and variance, times the root of the number of rows n.
    2. Scores are shifted and scaled to the location and spread of the scores of normal samples. The p-value
       :math:`\pi` of a feature is the share of the normal samples' scores above its score.
    3. For p-values in ascending order and :math:`r_j = j/(p+1)`, the features up to the last maximum L of

       .. math:: HC_j = \frac{\sqrt{p}\, (r_j - \pi_{(j)}) / \sqrt{r_j}}
                 {\sqrt{\max(\sqrt{n} (r_j - \pi_{(j)}) / r_j, 0) + 1}}

       are selected, where j runs from the first p-value above `pval_cut` to p / 2.
    4. K-means on the first K - 1 left singular vectors of the selected features, standardised.

    No tuning is needed. It suits data of many more features than rows, of which few matter.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters K.
    postselection : {"spectral", "kmeans", "complete"}, default="spectral"
        What is done with the selected, standardised features: step 4, k-means on the features themselves, or
        complete linkage on them.
    n_null : int or None, default=None
        Number of normal samples scored. None means 100 times the number of features that vary; with fewer,
        the selection changes with `null_seed`.
    null_seed : int, default=0
        Seed of these samples, from 0.
    null_scores : array-like or None, default=None
        Scores of normal samples of length n_samples to use instead.
    pval_cut : float or None, default=None
        Where the search for L begins, in [0, 1); None means log(p) / p.
    per : float, default=1.0
        Share of the smallest scores, in (0, 1], from which location and spread are computed in step 2. The
        authors use 0.5 for a set of skewed features.
    center : {"mean", "median"}, default="mean"
        Location and spread: mean and standard deviation, or median and median absolute deviation.
    n_init : int, default=30
    max_iter : int, default=300
    cache : bool, str or path, default=True
        Folder for null scores that take more than about 0.1 s, one file for each n_samples and `null_seed`.
        True: the folder "null-scores" in the user's cache, where `sparsek.datasets` keeps its sets (none
        without the package pooch). False: nothing is kept. Files can be deleted at any time; a damaged file
        is replaced, and a folder that cannot be written to is no error.
    n_jobs : int or None, default=None
        Threads that draw null scores; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters from 0. With "complete" those of a tree: `predict`, which takes the nearest of their means,
        can give some rows another one, of which a `PredictionWarning` tells.
    scores_ : ndarray of shape (n_features,), float64
        Kolmogorov-Smirnov scores, dimensionless; -inf for a constant feature.
    scores_adjusted_ : ndarray of shape (n_features,), float64
        Scores after step 2.
    pvalues_ : ndarray of shape (n_features,), float64
        p-values, 0 included; 1 for a constant feature.
    hc_ : ndarray of shape (n_varying_features,), float64
        HC_j by ascending p-value, dimensionless.
    hc_index_ : int
        L, counted from 1: the number of features that the papers' tables report.
    selected_ : ndarray of shape (n_features,), bool
        Features with a p-value of at most the L-th: L of them or, with ties, more. Also `get_support()`.
    embedding_ : ndarray of shape (n_samples, n_components), float64
        Rows that were clustered: the singular vectors, unit norm, the entry of largest modulus positive; or
        the selected features, standardised, for the other values of `postselection`.
    inertia_ : float
    n_iter_ : int
        Iterations of the best start of k-means, or merges of complete linkage.
    start_objectives_ : ndarray of shape (n_starts,)
        Sum of squares of every start; absent for complete linkage, as is the next.
    start_n_iter_ : ndarray of shape (n_starts,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: NaN or infinite data, fewer rows than clusters or than 3, no feature that varies, a
        parameter outside its range, `per` so small that fewer than two features are left.
    TypeError

    Warns
    -----
    UserWarning
        None of the p / 2 smallest p-values is above `pval_cut`, so that every feature is selected; or the
        selected features have fewer than K - 1 directions.
    ConvergenceWarning
    PredictionWarning

    See Also
    --------
    SpectralGEM : Spectral clustering on all features.
    SKFR : K-means on the s features that separate the clusters best.

    Notes
    -----
    Constant features are left out of p, L and `hc_`. A single feature, or features of equal scores, are not
    renormalised in step 2. Of the authors' released versions, one overwrites the renormalised scores, and one
    loses the order of the features for `per` below 1; both are as in the paper here.

    `predict` projects rows on the singular vectors of the training data and takes the nearest mean of a
    cluster. It need not repeat the `labels_` of complete linkage. `transform` gives distances to these means,
    in the coordinates of `embedding_`.

    Neither an array of n_features x n_features nor a standardised copy of all features is formed.

    References
    ----------
    Jin, J. and Wang, W. (2016). Influential features PCA for high dimensional clustering. Annals of
    Statistics 44, 2323-2359.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import IFPCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 500))
    >>> X[:15, :20] += 5
    >>> model = IFPCA(n_clusters=2, cache=False, random_state=0).fit(X)
    >>> np.bincount(model.labels_)
    array([45, 15])
    >>> model.get_support(indices=True)
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,
           17, 18, 19])
    """

    _feature_columns: ClassVar = {"score": "scores_adjusted_", "p-value": "pvalues_"}
    _predicts_otherwise = "a tree joined them, and predict takes the nearest of the means of the clusters"
    _no_weights = NoWeights(
        "the p-values of its features are those of independent rows that count alike",
        "SKFR or SparseKMeans",
    )

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        postselection: Annotated[str, names(*POSTSELECTIONS)] = "spectral",
        n_null: Repeats | None = None,
        null_seed: LargeSeed = 0,
        null_scores: Values | None = None,
        pval_cut: BelowOne | None = None,
        per: Share = 1.0,
        center: Annotated[str, names("mean", "median")] = "mean",
        n_init: Runs = 30,
        max_iter: Count = 300,
        cache: Flag | AnyPath = True,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Select features of X and cluster its rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, finite, at least three rows. Never changed; the computation is in double precision.
        y : None

        Returns
        -------
        IFPCA
            The fitted estimator.
        """
        self._validate_params()
        given = self._given_scores()
        data = self._validate_rows(X, least=3)
        with thread_control().limit(limits=1):
            self.scores_, self._scaling = score_features(data)
            self._screen(len(data), given)
            self._columns = np.flatnonzero(self.selected_)
            self._cluster(data)
        if self.postselection == "complete":
            self._compare_predictions(X)
        return self

    def _selected(self) -> NDArray[np.bool_]:
        return self.selected_

    def _given_scores(self) -> Array | None:
        """The null scores given, sorted; None without any."""
        if self.null_scores is None:
            return None
        given = check_array(
            numbers(self.null_scores, "null_scores"),
            ensure_2d=False,
            dtype=np.float64,
            input_name="null_scores",
            ensure_min_samples=2,
        )
        if given.ndim != 1:
            raise ValueError(f"null_scores must have one dimension; got shape {given.shape}")
        return np.sort(given)

    def _screen(self, n: int, given: Array | None) -> None:
        """Select features; sets the attributes about them."""
        varying = int(np.isfinite(self.scores_).sum())
        if varying == 0:
            raise ValueError("every feature of X is constant; give at least one that varies")
        if varying > 1 and self.per * varying + 0.5 < 2:
            raise ValueError(
                f"per={self.per} of {varying} varying features leaves fewer than two to take the spread of; "
                "raise per"
            )
        null = given
        if null is None:
            n_null = 100 * varying if self.n_null is None else int(self.n_null)
            null = null_scores(n, n_null, int(self.null_seed), find_folder(self.cache), self.n_jobs)
            null.sort()
        found = screen(self.scores_, null, n, self.pval_cut, self.per, self.center)
        if not found.found:
            warnings.warn(
                f"none of the {(varying + 1) // 2} smallest p-values is above pval_cut, so that every "
                "feature is selected; lower pval_cut",
                UserWarning,
                stacklevel=callers_level(),
            )
        self.scores_adjusted_, self.pvalues_ = found.adjusted, found.pvalues
        self.hc_, self.hc_index_, self.selected_ = found.hc, found.index, found.selected

    def _cluster(self, data: Array) -> None:
        """Cluster the rows on the selected features."""
        if self.postselection == "spectral":
            found = principal_rows(data, self._scaling, self._columns, self.n_clusters - 1)
            self._check_rank(self.n_clusters - 1, found.rows.shape[1])
            self._loadings = found.loadings
            prepared = with_ones(found.rows)
        else:
            prepared = prepared_columns(data, self._scaling, self._columns)
        self.embedding_ = prepared[:, :-1]
        if self.postselection == "complete":
            self._set_labels(prepared, complete_linkage(self.embedding_, self.n_clusters))
            self.n_iter_ = len(data) - self.n_clusters
        else:
            self._cluster_rows(prepared)

    def _compares_columns(self) -> bool:
        return False  # they are standardised

    def _coordinates(self, X: Array) -> Array:
        if self.postselection == "spectral":
            return with_ones(project(X, self._scaling, self._columns, self._loadings))
        return prepared_columns(X, self._scaling, self._columns)
