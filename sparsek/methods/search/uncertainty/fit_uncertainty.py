"""How sure weights, selections and labels of a fit are, from fits to resamples: FitUncertainty."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsek.core.checkpoint import open_checkpoint
from sparsek.core.steps import Array
from sparsek.core.tasks import last_step, run_tasks, summed_up
from sparsek.inputs.arguments import COUNT, check_arguments, names, number
from sparsek.methods.search.base import Search
from sparsek.methods.search.consensus_counts import LEFT_OUT
from sparsek.methods.search.kinds import loaded
from sparsek.methods.search.resamples import input_support, subset_size
from sparsek.methods.search.row_arguments import RowArguments, row_arguments
from sparsek.methods.search.uncertainty.replicates import (
    DESIGNS,
    Replicates,
    checked_replicates,
    replicate_copy,
    weighted_shares,
)
from sparsek.methods.search.uncertainty.resampled import (
    matched_clusters,
    replicate_fit,
    resampled_fit,
    shared_weights,
)
from sparsek.methods.search.uncertainty.votes import VotedClusters
from sparsek.methods.shared.columns import first_features
from sparsek.methods.shared.parameters import (
    AnyPath,
    BelowOne,
    Flag,
    Jobs,
    Model,
    NotNegative,
    Repeats,
    Seed,
    Values,
    Verbose,
)
from sparsek.summary.estimators import FitSummaryMixin, summarise
from sparsek.summary.results import Summary

OF_REPLICATES = ("weight_errors_", "selection_errors_", "cluster_shares_", "cluster_share_errors_")
"""Attributes of fits with replicate weights alone."""


class FitUncertainty(VotedClusters, Search):
    r"""Intervals for feature weights and selections, and membership probabilities of rows, from resamples.

    The estimator is fitted to X and to B resamples of its rows. Let w be the weights of the fit to X, and
    :math:`\sigma^*` the standard deviation of those of the fits to the resamples, of m of the n rows each.
    The interval of level :math:`1 - \alpha` of a weight is

    .. math:: w \mp z_{1 - \alpha / 2}\, c\, \sigma^*

    with c = 1 for the bootstrap (n rows with replacement) and :math:`c = \sqrt{m / (n - m)}` for subsampling
    (m < n rows without replacement). This factor turns the spread of subsamples around their data into that
    of n rows around the truth. Quantiles of the weights of resamples cover less evenly; the page on choosing
    k and s has the coverage of these intervals.

    The clusters of a resample are matched with those of the fit to X so that most rows agree. The membership
    probability of a row for a cluster is the share, among the resamples that contain the row, in which it is
    in the matched cluster.

    With the `replicate_weights` of a survey, the estimator is fitted with each of their R columns in place of
    resamples. Then an estimate :math:`\theta` has the standard error

    .. math:: \sqrt{\sum_{r=1}^R c_r (\theta_r - \theta)^2}

    with factors :math:`c_r` that follow from the design.

    Parameters
    ----------
    estimator : estimator
    method : {"bootstrap", "subsampling", "BRR", "Fay", "JK1", "JKn"}, default="bootstrap"
        How rows are resampled; with `replicate_weights` the design that these are of: "bootstrap", "BRR"
        (balanced half-samples), "Fay" (half-samples by Fay's method), "JK1" (the jackknife without strata)
        or "JKn" (that of strata).
    n_resamples : int, default=100
        Number B of resamples, at least 2. A larger number keeps the first ones as they were. Without effect
        with `replicate_weights`.
    sample_fraction : float, default=0.5
        For subsampling the share of the rows in a resample, in (0, 1), rounded down.
    level : float, default=0.95
        Level of the intervals, in (0, 1), dimensionless.
    fay : float, default=0.5
        For "Fay" the factor by which the weights of the half that is left out were multiplied, in [0, 1),
        dimensionless.
    scale : float, array-like of shape (R,) or None, default=None
        Factors :math:`c_r` of the squared deviations, dimensionless, one for all replicates or one for each.
        None takes those of the design: 1 / R for "bootstrap" and "BRR", 1 / (R (1 - fay)^2) for "Fay",
        (R - 1) / R for "JK1". "JKn" has no default: (n_h - 1) / n_h with the number n_h of the units in the
        stratum of the replicate.
    n_jobs : int or None, default=None
        Resamples that are worked on at a time,
        [backend]
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every resample. The fit to X keeps those of the estimator that are not None, and so
        do fits with replicate weights, so that they differ from it by their weights alone.
    verbose : int, default=0
    keep_fits : bool, default=False
        Keep the fits to the resamples, which `predict_proba` and `predict` need for new rows. They take the
        memory of B fits.
    checkpoint : str, path-like or None, default=None
        A folder that stores finished resamples, so that an interrupted fit can continue; see
        `PermutationGap`.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to X.
    labels_ : ndarray of shape (n_samples,)
    membership_ : ndarray of shape (n_samples, n_clusters)
        Membership probabilities; NaN for a row that is in no resample. Rows that are outliers in some
        resamples sum to less than 1.
    estimators_ : list of estimators
        Fitted to the resamples, with the numbers of their own clusters. Only with `keep_fits`.
    weights_ : ndarray of shape (n_features,) or (n_clusters, n_features)
        Weights of `estimator_`. Only for estimators with `feature_weights_` of one of these shapes.
    weight_intervals_ : ndarray of shape (2, n_features) or (2, n_clusters, n_features)
        Lower and upper ends of their intervals, in the unit of the weights, at least 0. Only with weights.
    selection_frequencies_ : ndarray of shape (n_features,)
        Share of the resamples that select the feature; ones for an estimator without `get_support`.
    selection_intervals_ : ndarray of shape (2, n_features)
        Wilson's intervals for the probability that a resample selects the feature: what a finite number of
        resamples leaves open. With replicate weights the frequency and its normal interval by
        `selection_errors_`, within 0 and 1.
    weight_errors_ : ndarray of shape (n_features,) or (n_clusters, n_features)
        Standard errors of `weights_`, in their unit. Only with replicate weights, and weights.
    selection_errors_ : ndarray of shape (n_features,)
        Standard errors of the selections, 1 for a feature selected and 0 for another. Only with replicate
        weights.
    cluster_shares_, cluster_share_errors_ : ndarray of shape (n_clusters,)
        The share of the sum of the weights that each cluster has, and its standard error. Only with replicate
        weights.
    n_resamples_ : int
        Number of the resamples or replicates.
    results_ : DataFrame
        One row per feature: feature; weight, low and high, if there are weights for all clusters together;
        selected, frequency, frequency_low and frequency_high. With replicate weights also error, the
        standard error of the weight, and selection_error.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: a parameter out of its range, subsamples without rows, `keep_fits` with a checkpoint,
        replicate weights that do not fit the data, the weights or the design, a design without replicate
        weights, and what the estimator raises, such as for resamples with fewer rows than clusters.
    TypeError
        From `fit`: data of a kind that the estimator does not take, a parameter of the wrong type, weights
        for an estimator that takes none.

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    StabilitySelection : Keep the features that most random halves of the rows select.
    ConsensusClustering : Cluster random subsets of the rows and see where they agree.
    sparsek.plots.plot_uncertainty : Draw the intervals and memberships of a fit.

    Notes
    -----
    The intervals are about what the estimator would give for other rows from the same source. They are no
    tests of whether a feature matters: weights come from the same data as the clusters. Weights of selected
    features are not smooth in the data; near a weight of 0 the levels hold for large n at most. For a bound
    on false selections use `StabilitySelection`.

    With `sample_weight`, resamples have rows as they are, each with its weight, and clusters are matched so
    that rows of the most weight agree; rows of weight 0 are in no resample.

    Replicate weights are those of the whole replicate, as agencies ship them; multiply factors by the weights
    of the sample first. Deviations are from the fit to the whole sample, not from the mean of the replicates.
    Intervals are normal, ``weight -+ z * error``, at least 0. The jackknife holds for estimates that are
    smooth in the weights: use it for shares of clusters and weights of features that every replicate selects;
    for selections, as for medians, take half-samples or the bootstrap.

    A bootstrap resample has repeated rows, which can make small groups look tighter than they are;
    subsampling has none.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An introduction to the bootstrap. Chapman & Hall, Chapter 13.

    Politis, D. N., Romano, J. P. and Wolf, M. (1999). Subsampling. Springer, Chapter 2.

    Wolter, K. M. (2007). Introduction to variance estimation, 2nd edition. Springer, Chapters 3 to 5.

    Lumley, T. (2010). Complex surveys: a guide to analysis using R. Wiley, Section 2.3.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, FitUncertainty
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 8))
    >>> X[:30, :3] += 4
    >>> sure = FitUncertainty(SKFR(2, 3, random_state=0), n_resamples=50, random_state=0).fit(X)
    >>> sure.selection_frequencies_[:4]
    array([1., 1., 1., 0.])
    >>> bool((sure.membership_.max(axis=1) > 0.9).all())
    True
    """

    def __init__(
        self,
        estimator: Model,
        method: Annotated[str, names("bootstrap", "subsampling", *DESIGNS[1:])] = "bootstrap",
        *,
        n_resamples: Repeats = 100,
        sample_fraction: Annotated[float, number(0, 1, "neither")] = 0.5,
        level: Annotated[float, number(0, 1, "neither")] = 0.95,
        fay: BelowOne = 0.5,
        scale: NotNegative | Values | None = None,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        keep_fits: Flag = False,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        replicate_weights: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> Self:
        """Fit the estimator to the data and to resamples of the rows, or with replicate weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
        sample_weight : array-like of shape (n_samples,) or None
        replicate_weights : array-like of shape (n_samples, R) or None
            Weights of the R replicates of a survey, not negative; those of the whole replicates, not factors
            of `sample_weight`. The estimator must take `sample_weight`.
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        FitUncertainty
            The fitted estimator.
        """
        self._check_parameters()
        X = loaded(X, self.estimator)
        data = self._read(X, reset=True)
        if replicate_weights is None:
            self._require_replicates()
        elif sample_weight is None:
            sample_weight = np.ones(data.shape[0])
        given = row_arguments(self, data, sample_weight, batch)
        replicates = None
        if replicate_weights is not None and given.weights is not None:
            replicates = checked_replicates(
                replicate_weights, data, given.weights, self.method, self.fay, self.scale
            )
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        params = self.estimator.get_params()
        states = [key for key in params if key.rpartition("__")[2] == "random_state"]
        seeds = dict.fromkeys((key for key in states if params[key] is None), seed)
        # The original X is passed, because it has the column names.
        fitted = replicate_copy(self.estimator, seeds).fit(X, **given.for_fit())
        self._fix_scale_of(fitted)
        if replicates is None:
            self._resample(fitted, data, given)
        else:
            self._replicate(fitted, replicate_copy(self._copied, seeds), data, given, replicates)
        return self

    def _require_replicates(self) -> None:
        """ValueError for a design of a survey without the weights of its replicates."""
        if self.method in DESIGNS[1:]:
            raise ValueError(
                f"method={self.method!r} needs replicate_weights, the weights of the replicates of a survey; "
                'give them to fit, or use method="bootstrap" or "subsampling"'
            )

    def _of_fit(self, fitted: Any, X: ArrayLike) -> Self:
        """As `fit`, for an estimator that is fitted to X already."""
        self._check_parameters()
        data = self._read(X, reset=True)
        self._require_replicates()
        shape = (len(fitted.labels_), fitted.n_features_in_)
        if data.shape != shape:
            raise ValueError(f"X has shape {data.shape}, the fit had {shape}; give the data of the fit")
        self._fix_scale_of(fitted)
        last = last_step(fitted)
        weights, batch = (getattr(last, name, None) for name in ("_fit_weights", "_fit_batch"))
        self._resample(fitted, data, row_arguments(self, data, weights, batch))
        return self

    def _check_parameters(self) -> None:
        """Check the parameters, before any look at data."""
        self._validate_params()
        if self.keep_fits and self.checkpoint is not None:
            raise ValueError(
                "keep_fits=True keeps whole fits, a checkpoint only labels and weights; leave one of them out"
            )

    def _read(self, X: ArrayLike, reset: bool) -> Any:
        """Checked rows."""
        data = self._read_rows(loaded(X, self.estimator), reset=reset)
        if reset:
            self._resample_size(data.shape[0])
        return data

    def _resample_size(self, n: int) -> int:
        """Number of rows in a resample."""
        return subset_size(n, self.sample_fraction) if self.method == "subsampling" else n

    def _resample(self, fitted: Any, X: Array, given: RowArguments) -> None:
        """Fit the resamples, of the rows of positive weight, and set all attributes."""
        kept = slice(None) if given.weights is None else given.weights > 0
        data, given = given.positive(X)
        n_rows = self._resample_size(data.shape[0])
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        repeated = self.method == "bootstrap"
        tasks = [
            (self._copied, data, given, seed, n_rows, repeated, self.keep_fits)
            for seed in np.random.SeedSequence(entropy).spawn(self.n_resamples)
        ]
        search = {"rows": (n_rows, repeated)} | given.key()
        found = self._found(fitted, resampled_fit, tasks, data, search)
        self._store(fitted, found, given.weights, kept, n_rows / max(data.shape[0] - n_rows, 1))

    def _replicate(
        self, fitted: Any, copy: Any, X: Array, given: RowArguments, replicates: Replicates
    ) -> None:
        """Fit with the weights of every replicate, and set all attributes."""
        kept = slice(None) if given.weights is None else given.weights > 0
        data, given = given.positive(X)
        tasks = [
            (copy, data, replace(given, weights=column), self.keep_fits) for column in replicates.columns
        ]
        search = {"replicate_weights": replicates.weights, "method": self.method} | given.key()
        found = self._found(fitted, replicate_fit, tasks, data, search)
        self._store(fitted, found, given.weights, kept, replicates=replicates)

    def _found(self, fitted: Any, work: Any, tasks: list[Any], data: Array, search: dict[str, Any]) -> Array:
        """Labels, selections and weights of every fit, (n_resamples, n + p + number of weights)."""
        own = shared_weights(last_step(fitted), data.shape[1])
        shape = (sum(data.shape) + (0 if own is None else own.size),)
        search = {"search": "FitUncertainty", "data": data} | search
        folder = open_checkpoint(self.checkpoint, self.random_state, self.estimator, shape, **search)
        with summed_up():
            results = run_tasks(work, tasks, self.n_jobs, self.verbose, "resample", folder)
        self.__dict__.pop("estimators_", None)
        if not self.keep_fits:
            return np.array(results)
        self.estimators_ = [fit for _, fit in results]
        return np.array([row for row, _ in results])

    def _store(
        self,
        fitted: Any,
        found: Array,
        weights: Array | None,
        kept: Any,
        ratio: float = 1.0,
        replicates: Replicates | None = None,
    ) -> None:
        """Set all attributes; `ratio` is rows drawn by rows not drawn, `kept` the rows of positive weight."""
        self.estimator_, self.labels_ = fitted, last_step(fitted).labels_
        self.n_resamples_ = len(found)
        for name in OF_REPLICATES:
            self.__dict__.pop(name, None)
        p = self.n_features_in_
        own = shared_weights(last_step(fitted), p)
        n = found.shape[1] - p - (0 if own is None else own.size)
        labels = np.full((len(found), len(self.labels_)), LEFT_OUT, dtype=np.int32)
        labels[:, kept] = found[:, :n]
        self._store_membership(labels, weights, kept)
        self._store_selection(found[:, n : n + p], replicates)
        if own is not None:
            self._store_weights(own, found[:, n + p :].reshape(-1, *own.shape), ratio, replicates)
        if replicates is not None and weights is not None:
            self._store_shares(labels[:, kept], weights, kept, replicates)
        self._store_results()

    def _store_membership(self, labels: NDArray[np.int32], weights: Array | None, kept: Any) -> None:
        """Match the clusters of the resamples and count memberships; `labels` is (n_resamples, n)."""
        k = int(max(self.labels_.max(), labels.max())) + 1
        self._matches = np.array(
            [matched_clusters(self.labels_[kept], other[kept], k, weights) for other in labels]
        )
        counts = np.zeros((len(self.labels_), k))
        for other, match in zip(labels, self._matches, strict=True):
            rows = np.flatnonzero(other >= 0)
            counts[rows, match[other[rows]]] += 1
        sampled = (labels != LEFT_OUT).sum(axis=0)[:, None]
        # A row that no resample had has no shares.
        shares = np.divide(counts, sampled, out=np.full(counts.shape, np.nan), where=sampled > 0)
        self.membership_ = shares[:, : max(int(self.labels_.max()) + 1, 1)]

    def _store_selection(self, supports: Array, replicates: Replicates | None) -> None:
        """Frequencies of selection and their intervals; `supports` is (n_resamples, n_features)."""
        n = len(supports)
        self.selection_frequencies_ = share = supports.mean(axis=0)
        z = norm.isf((1 - self.level) / 2)
        if replicates is not None:
            self.selection_errors_ = replicates.errors(supports, self._chosen().astype(np.float64))
            centre, reach = share, z * self.selection_errors_
        else:
            # Wilson's interval, which has its level for shares near 0 and 1 too.
            centre = (share + z * z / (2 * n)) / (1 + z * z / n)
            reach = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        self.selection_intervals_ = np.clip([centre - reach, centre + reach], 0, 1)

    def _store_weights(
        self, weights: Array, resampled: Array, ratio: float, replicates: Replicates | None
    ) -> None:
        """Weights, those of the clusters matched, and their intervals; `ratio` is rows drawn by not drawn."""
        if weights.ndim == 2:
            k = len(weights)
            # The inverse of a match: for each cluster of the fit, the cluster of the resample.
            places = [np.argsort(match)[:k] for match in self._matches]
            matched = zip(resampled, places, strict=True)
            resampled = np.stack([one[np.minimum(place, k - 1)] for one, place in matched])
        tails = (1 - self.level) / 2
        if replicates is not None:
            self.weight_errors_ = replicates.errors(resampled, weights)
            reach = norm.isf(tails) * self.weight_errors_
        else:
            spread = resampled.std(axis=0, ddof=1)
            # Fits to m of n rows share rows, and vary by (n - m) / m of the variance of a fit to n rows.
            spread = spread if self.method == "bootstrap" else np.sqrt(ratio) * spread
            reach = norm.isf(tails) * spread
        ends = np.array([weights - reach, weights + reach])
        self.weights_, self.weight_intervals_ = weights, np.maximum(ends, 0)

    def _store_shares(
        self, labels: NDArray[np.int32], weights: Array, kept: Any, replicates: Replicates
    ) -> None:
        """Shares of the clusters and their errors; `labels` is (n_resamples, rows of positive weight)."""
        k = self.membership_.shape[1]
        self.cluster_shares_ = weighted_shares(self.labels_[kept], weights, k)
        found = []
        for other, match, column in zip(labels, self._matches, replicates.weights.T, strict=True):
            numbers = np.where(other < 0, other, match[np.maximum(other, 0)])
            found.append(weighted_shares(numbers, column, len(match))[:k])
        self.cluster_share_errors_ = replicates.errors(np.array(found), self.cluster_shares_)

    def _chosen(self) -> NDArray[np.bool_]:
        """The features that the fit to X selects; all for an estimator that selects none."""
        p = self.n_features_in_
        selects = hasattr(last_step(self.estimator_), "get_support")
        return input_support(self.estimator_, p) if selects else np.ones(p, dtype=bool)

    def _store_results(self) -> None:
        """The table of the features."""
        p = self.n_features_in_
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(p)])
        columns: dict[str, Any] = {"feature": names}
        weights: Any = getattr(self, "weights_", None)
        replicated = hasattr(self, "selection_errors_")
        if np.ndim(weights) == 1:
            low, high = self.weight_intervals_
            columns |= {"weight": weights, "low": low, "high": high}
            columns |= {"error": self.weight_errors_} if replicated else {}
        low, high = self.selection_intervals_
        columns |= {"selected": self._chosen(), "frequency": self.selection_frequencies_}
        columns |= {"frequency_low": low, "frequency_high": high}
        columns |= {"selection_error": self.selection_errors_} if replicated else {}
        self.results_ = pd.DataFrame(columns)

    def summary(self, n_features: int = 10) -> Summary:
        """The summary of the fit with intervals, shares of selections and membership.

        Parameters
        ----------
        n_features : int, default=10

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        last = last_step(self.estimator_)
        if isinstance(last, FitSummaryMixin) and last is self.estimator_:
            drawn = getattr(last_step(self.estimator), "random_state", None) is None
            return summarise(last, n_features, self, search=self if drawn else None)
        title = f"FitUncertainty: {type(last).__name__}"
        check_arguments("summary", {"n_features": COUNT}, n_features=n_features)
        keys = [name for name in ("frequency", "weight") if name in self.results_]
        features = self.results_.sort_values(keys, ascending=False, kind="stable", ignore_index=True)
        features.insert(0, "rank", np.arange(1, len(features) + 1))
        return Summary(title, first_features(features, n_features), features, ())

    def plot(self, axes: Any = None) -> NDArray[Any]:
        """Draw intervals of the features and membership of the rows; see `sparsek.plots.plot_uncertainty`.

        Parameters
        ----------
        axes : sequence of two matplotlib Axes, optional
            Where to draw; default a new figure.

        Returns
        -------
        ndarray of matplotlib Axes of shape (2,)
            The axes drawn on.
        """
        from sparsek.plots import plot_uncertainty

        return plot_uncertainty(self, axes)
