"""Estimator of a sparse mixture with common factors: FactorSparseMixture."""

from __future__ import annotations

import logging
import warnings
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from sparsek.core.scaling import warn_of_lost_structure
from sparsek.core.steps import Array
from sparsek.errors import callers_level
from sparsek.inputs.arguments import count, names
from sparsek.inputs.threads import thread_control
from sparsek.inputs.validation import require_rows
from sparsek.inputs.weights import checked_weights
from sparsek.methods.factor_mixture.answers import MixtureClusterer
from sparsek.methods.factor_mixture.fitted import FittedMixture, candidate_table, mixture_rows
from sparsek.methods.factor_mixture.rows import MixtureRows, clipped_scale
from sparsek.methods.factor_mixture.search import (
    MOST_COLUMNS,
    SEARCHED_ROWS,
    MixtureSearch,
    families_for,
    search,
)
from sparsek.methods.shared.parameters import Auto, Count, NotNegative, Seed, Verbose, is_auto

logger = logging.getLogger("sparsek")
Factors = Annotated[int, count(0)]
Covariance = Annotated[str, names("auto", "factors", "tied", "full")]


class FactorSparseMixture(MixtureClusterer):
    r"""Clusters in few columns beside factors that many columns share: a sparse mixture with common factors.

    Row i of cluster :math:`z_i` is :math:`x_i = m + \delta_{z_i} + L f_i + e_i` with r common factors
    :math:`f \sim N(0, I)` and noise :math:`e \sim N(0, \mathrm{diag}\,\psi)` of each column. The column j is
    selected, so that its :math:`\delta_{kj}` differ, where this lowers BIC. One BIC chooses the columns, the
    number of factors, and for few columns between common factors and full covariances.

    Parameters
    ----------
    n_clusters : int, default=8
    n_factors : int or "auto", default="auto"
        Number of common factors, less than the number of columns that vary. "auto": by BIC, at most as many
        as components that are larger than those of shuffled columns (Horn 1965), and at most 22.
    covariance : {"auto", "factors", "tied", "full"}, default="auto"
        What the covariance within clusters is. "factors": common factors and noise. "tied": any one that the
        clusters share. "full": any, one for each cluster, shrunken to the pooled one. "auto": the least BIC;
        "tied" and "full" take part where there are at most 60 columns and more than 2 rows for each, no entry
        is missing, and neither `n_factors` nor batches are given.
    max_iter : int, default=500
        Largest number of EM steps of the last run, on all rows.
    tol : float, default=1e-5
        EM ends when the mean log likelihood of a row, in nats, changes by less, columns that are selected or
        dropped included.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        If positive, log each candidate of the search to the logger "sparsek".

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Most probable clusters: numbers of the clusters from 0 by falling size, empty ones last. Rows of
        weight 0 get theirs too.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        m + delta, units of X; equal in columns that are not selected, and over batches the mean.
    weights_ : ndarray of shape (n_clusters,)
        Proportions of the clusters, sum 1.
    feature_gains_ : ndarray of shape (n_features,)
        Likelihood ratio statistics of the clusters in each column, given the factors; with "tied" and "full"
        given all other columns (Rao's additional information). Twice a log likelihood, dimensionless.
    loadings_ : ndarray of shape (n_features, n_factors)
        L, units of X, factors in falling order of what they explain; 0 for constant columns. Without columns
        for "tied" and "full".
    noise_variance_ : ndarray of shape (n_features,)
        psi, squared units of X; for "tied" and "full" the mean variance within clusters.
    n_factors_ : int
        Number of factors; 0 for "tied" and "full".
    covariance_ : str
        The covariance chosen.
    bic_ : float
        Minus twice the log likelihood and the price of the parameters; the less the better. Fits with other
        `n_clusters` to the same data can be compared by it.
    candidates_ : DataFrame
        The search on at most 1000 rows: `covariance`, `n_factors`, `start`, `bic` (of these rows), `smallest`
        (rows of the smallest cluster) and `refused`, which is empty for candidates that took part.
    criterion_history_ : ndarray of shape (n_steps + 1,)
        BIC before each step of the last run, on all rows, and at its end.
    n_iter_ : int
        M-steps that led to the solution, those of the search included.
    converged_ : bool
        Whether EM ended within `max_iter` steps.
    batches_ : ndarray of shape (n_batches,)
        Only with `batch` in `fit`: the labels of the batches, in order.
    batch_centers_ : ndarray of shape (n_clusters, n_batches, n_features)
        Only with several batches: the centres in each, units of X.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: infinite data, fewer rows than clusters, a parameter outside its range or at odds with the
        data, negative or all-zero `sample_weight`, or one whose sum is below `n_clusters`.
    TypeError

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    SKFR : K-means on the s features that separate the clusters best.
    SparseKMeans : K-means with feature weights under an L1 bound.
    ModelChoice : Number of clusters, by several criteria.

    Notes
    -----
    Columns are standardised, entries beyond 3 robust deviations from the median are set to that distance, in
    `fit` and for new rows, and densities are those of rows changed so. The scale of no column matters.

    The search starts from k-means on what is left after the first components, on later components, and on
    components of equal variance. It takes at most 1000 rows; the last run takes all. A solution is refused
    where a cluster is smaller than a tenth of n / k, or where its factors have groups (a valley between two
    places of their scores). So a factor with two values, such as a batch, is a cluster unless `batch` names
    it.

    Clusters leave at least a tenth of the variance of a column that factors leave, so that none is a few
    equal rows. Missing entries (NaN) are integrated out, which is right where they are missing at random.

    With `batch` the indicators of the batches are regressors beside the clusters: shifts of columns by batch
    are estimated together with the clusters, and each batch may have other shares of these.

    Weights are numbers of copies. Fractions of them are rounded within the search, and exact in the last run.

    `transform` gives Mahalanobis distances to the centres, under the covariance within the cluster.

    References
    ----------
    Rubin, D. B. and Thayer, D. T. (1982). EM algorithms for ML factor analysis. Psychometrika 47, 69-76.

    Ghahramani, Z. and Hinton, G. E. (1996). The EM algorithm for mixtures of factor analyzers. Technical
    report CRG-TR-96-1, University of Toronto.

    Baek, J., McLachlan, G. J. and Flack, L. K. (2010). Mixtures of factor analyzers with common factor
    loadings. IEEE Transactions on Pattern Analysis and Machine Intelligence 32, 1298-1309.

    Chen, J. and Chen, Z. (2008). Extended Bayesian information criteria for model selection with large model
    spaces. Biometrika 95, 759-771.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import FactorSparseMixture
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 1)) @ rng.normal(size=(1, 40)) + rng.normal(size=(90, 40))
    >>> X[:40, :4] += 3
    >>> model = FactorSparseMixture(2, random_state=0).fit(X)
    >>> np.bincount(model.labels_), model.get_support(indices=True), model.n_factors_
    (array([50, 40]), array([0, 1, 2, 3]), 1)
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        n_factors: Factors | Auto = "auto",
        covariance: Covariance = "auto",
        max_iter: Count = 500,
        tol: NotNegative = 1e-5,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> Self:
        """Find the clusters, the columns in which they differ, and the factors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, NaN where missing; the computation is in double precision. Never changed.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
            Numbers of copies of the rows, not negative; 0 leaves a row out. Their sum is the number of rows
            in BIC.
        batch : array-like of shape (n_samples,) or None
            Label of the batch of each row, a number or a text. Columns may be shifted by batch.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        data = self._read(X, reset=True)
        codes = self._codes_of_fit(batch, len(data))
        self._fit_weights = None if sample_weight is None else checked_weights(sample_weight, data)
        weights = np.ones(len(data)) if self._fit_weights is None else self._fit_weights.astype(float)
        kept = weights > 0
        require_rows(int(kept.sum()), self.n_clusters, "rows of positive weight")
        if weights.sum() < self.n_clusters:
            raise ValueError(
                f"sample_weight sums to {weights.sum():.6g}, less than n_clusters={self.n_clusters}: weights "
                "are numbers of copies; multiply all by a factor, such as len(sample_weight)"
            )
        self._n_missing = int(np.isnan(data).sum())
        warn_of_lost_structure(data, getattr(self, "feature_names_in_", None), kept, common_scale=False)
        with thread_control().limit(limits=1):
            rows = self._fit_rows(data[kept].astype(float), weights[kept], codes[kept])
            self._store(rows, data, codes, kept)
        self._note_engine()
        return self

    def _fit_rows(self, X: Array, weights: Array, codes: NDArray[np.intp]) -> MixtureRows:
        """Search, and EM on all rows; keeps the mixture, and gives its rows."""
        n_batches = len(getattr(self, "batches_", (0,)))
        scale = clipped_scale(X, weights, codes, n_batches)
        shares = np.bincount(codes, weights, n_batches) / weights.sum()
        rows = mixture_rows(scale, X, codes, shares, weights)
        families = self._families(rows)
        n_factors = None if is_auto(self.n_factors) else int(self.n_factors)
        if n_factors is not None and n_factors >= len(scale.used):
            raise ValueError(
                f"n_factors={n_factors} must be less than the number of columns that vary, {len(scale.used)}"
            )
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        plan = MixtureSearch(families, n_factors, self.n_clusters, rng)
        best, candidates = search(rows, plan, self.max_iter, self.tol)
        constants = np.where(np.isnan(X[0]), 0.0, X[0])
        constants[scale.used] = 0
        self._mixture = FittedMixture(scale, best, shares, (self.n_clusters, X.shape[1]), constants)
        volume = float(rows.counts @ scale.log_units) / rows.total
        self.candidates_ = candidate_table(candidates, 2 * min(rows.total, SEARCHED_ROWS) * volume)
        if self.verbose:
            for found in self.candidates_.itertuples(index=False):
                logger.info("candidate: %s", found)
        return rows

    def _families(self, rows: MixtureRows) -> tuple[str, ...]:
        """Families that compete; ValueError for one that these rows do not allow."""
        able = families_for(rows)
        if self.covariance == "auto":
            return able if is_auto(self.n_factors) else ("factors",)
        if self.covariance not in able:
            raise ValueError(
                f"covariance={self.covariance!r} needs complete rows without batches, at most {MOST_COLUMNS} "
                f"columns that vary, and more than 2 rows (of at most {SEARCHED_ROWS}) for each; got "
                f"{rows.total:g} rows and {rows.Z.shape[1]} columns: use covariance='factors'"
            )
        return (self.covariance,)

    def _store(
        self, rows: MixtureRows, data: Array, codes: NDArray[np.intp], kept: NDArray[np.bool_]
    ) -> None:
        """Set the attributes, and warn of what went wrong."""
        mixture, fit = self._mixture, self._mixture.best.fit
        self.cluster_centers_ = mixture.centers()
        self.weights_ = fit.params.proportions
        self.feature_gains_, self._support = mixture.selection(rows)
        self.loadings_ = mixture.whole(mixture.scale.in_units(mixture.canonical_loadings().T)).T
        with np.errstate(over="ignore", under="ignore"):
            noise = np.square(mixture.scale.in_units(np.sqrt(mixture.standard_noise())))
        self.noise_variance_ = mixture.whole(noise)
        self.n_factors_, self.covariance_ = mixture.best.model.n_factors, mixture.best.model.family
        moved = 2 * float(rows.counts @ mixture.scale.log_units)
        self.criterion_history_ = np.array(fit.history) + moved
        self.bic_ = fit.bic + moved
        self.n_iter_, self.converged_ = fit.n_iter, fit.converged
        if hasattr(self, "batches_"):
            self.batch_centers_ = mixture.batch_centers()
        labels = np.empty(len(data), np.int32)
        labels[kept] = fit.posterior.memberships.argmax(axis=1)
        if not kept.all():
            labels[~kept] = mixture.posterior(data[~kept].astype(float), codes[~kept]).memberships.argmax(
                axis=1
            )
        self._mixture = mixture.without_rows()
        self._warn_of_fit(len(np.unique(labels[kept])))
        sizes = np.bincount(labels[kept], rows.weights, self.n_clusters)
        self.labels_ = self._number(labels, sizes=sizes)

    def _warn_of_fit(self, found: int) -> None:
        """Warn of a run that did not end, and of empty clusters."""
        if not self.converged_:
            message = f"EM did not converge in {self.max_iter} steps; increase max_iter, or tol"
            warnings.warn(message, ConvergenceWarning, stacklevel=callers_level())
        if found < self.n_clusters:
            message = (
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X, or to fewer clusters."
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=callers_level())
