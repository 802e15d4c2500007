"""Features that tell clusters apart at a stated false discovery rate: FeatureFDR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsek.core.steps import Array
from sparsek.core.tasks import configured_copy, draw_seed, last_step, run_tasks, summed_up
from sparsek.errors import SelectionWarning
from sparsek.inputs.arguments import COUNT, check_arguments
from sparsek.methods.search.base import Search
from sparsek.methods.search.kinds import categories_of, dense, loaded
from sparsek.methods.search.nulls.null_sets import AnyNull, fit_null
from sparsek.methods.search.nulls.one_cluster import (
    NO_NULL_WEIGHTS,
    NULLS_ARE_DENSE,
    checked_rows,
    log_explained,
    null_p_value,
    shares_of_fit,
)
from sparsek.methods.search.nulls.peaks import peak_p_values
from sparsek.methods.search.nulls.sets_needed import require_sets
from sparsek.methods.search.row_arguments import RowArguments, row_arguments
from sparsek.methods.shared.columns import first_features, ranked_features
from sparsek.methods.shared.no_weights import NoWeights
from sparsek.methods.shared.parameters import Jobs, Model, Runs, Seed, Share, Verbose
from sparsek.methods.shared.selection import SelectedFeatures
from sparsek.summary.facts import seed_of
from sparsek.summary.results import Summary
from sparsek.summary.tables import facts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST = 3
"""There are as many sets as it takes to select this few features."""


class FeatureFDR(SelectedFeatures, Search):
    r"""Select the features that tell clusters apart, with a bound on the share of false ones.

    The data are clustered, and so are sets without clusters that have their correlations and their margins,
    made unimodal. Let :math:`g_j` be the share of the variance of feature j that the clusters explain (of the
    normal scores of its ranks). Let :math:`g^0_j` be the largest such share in the first m of these sets. A
    feature that tells no clusters apart has the largest of the m + 1 shares in each set with the same chance.
    So the features with :math:`g^0_j \ge g_j` count m times the false ones among the others. The features
    :math:`\{j : g_j > g^0_j,\, g_j \ge t\}` are selected, with the smallest t for which (knockoff+ with
    several copies, Gimenez and Zou 2019)

    .. math:: \frac{1 + \#\{j : g^0_j \ge g_j,\, g^0_j \ge t\}}
              {m \max(1, \#\{j : g_j > g^0_j,\, g_j \ge t\})} \le q .

    m is the least number with which three features can be selected, 4 for q = .1. Nothing is selected unless
    there is more than one cluster, by both p-values of `sparsek.inference.test_one_cluster`: the larger one
    must be at most q too.

    Parameters
    ----------
    estimator : estimator
        A clusterer with `labels_`, sparse or not, or a Pipeline that ends in one. Never fitted itself; copies
        are. Rows with negative labels (outliers) are left out of the shares.
    fdr : float, default=0.1
        Bound q on the expected share of false ones among the selected features, in (0, 1]. At most three
        features must stand out for any to be selected.
    n_null : int, default=39
        Number of sets without clusters, at least 1; 1 / (n_null + 1) must be at most `fdr`.
    n_jobs : int or None, default=None
        Sets that are clustered at a time,
        [backend]
    random_state : int, RandomState instance or None, default=None
        Seed of the sets and of the fits: every ``random_state`` inside the estimator is replaced by one drawn
        from it, the same for all sets.
    verbose : int, default=0

    Attributes
    ----------
    q_values_ : ndarray of shape (n_features,)
        The smallest `fdr` at which the rule with this m selects each feature, at most 1; 1 for all of them if
        one cluster is not rejected.
    contrasts_ : ndarray of shape (n_features,)
        `gains_` less `null_gains_`, dimensionless, from -1 to 1.
    gains_ : ndarray of shape (n_features,)
        Share of the variance of the normal scores that the clusters explain, from 0 to 1.
    null_gains_ : ndarray of shape (n_features,)
        The largest such share in the first m sets without clusters.
    threshold_ : float
        The smallest selected share t; infinite if no feature is selected.
    cluster_p_value_ : float
        P-value of the hypothesis that there is one cluster.
    best_estimator_ : estimator
        The fit to the data.
    labels_ : ndarray of shape (n_samples,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: a parameter out of its range, missing values for an estimator that takes none, fewer than
        4 rows or values of a feature, and what the estimator raises.
    TypeError
        From `fit`: data of a kind that the estimator does not take, a parameter of the wrong type.

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    StabilitySelection : Keep the features that most random halves of the rows select.
    sparsek.inference.test_features : Test many features between two clusters.
    sparsek.inference.test_one_cluster : Test whether there is more than one cluster.
    sparsek.plots.plot_feature_fdr : Draw the shares and the threshold.

    Notes
    -----
    For rows from one normal distribution, whatever its covariance, the sets without clusters are exchangeable
    with the data (see `sparsek.inference.test_one_cluster`), so that any feature is selected
    with a probability of about q at most where there are no clusters. Other margins are carried over by
    quantiles (a Gaussian copula). Data of another dependence, such as rows that differ in scale, are told
    from clusters by their peaks. Among real clusters the rule counts on the other features having no larger
    shares than in the sets without clusters. The page on tests after clustering has measured rates, and the
    designs on which they fail.

    Counts stay whole numbers in the sets without clusters. Weights of rows are not taken: the sets without
    clusters have none. With `batch`, the rows of each batch are turned alone, so that the sets have the means
    and the covariances of the batches, and ranks are those in the batch.

    References
    ----------
    Barber, R. F. and Candes, E. J. (2015). Controlling the false discovery rate via knockoffs. Annals of
    Statistics 43, 2055-2085, equation (1.9).

    Gimenez, J. R. and Zou, J. (2019). Improving the stability of the knockoff procedure: multiple
    simultaneous knockoffs and entropy maximization. AISTATS 2019, PMLR 89, 2184-2192.

    Ge, X., Chen, Y. E., Song, D. et al. (2021). Clipper: p-value-free FDR control on high-throughput data
    from two conditions. Genome Biology 22, 288.

    Song, D., Li, K., Ge, X. and Li, J. J. (2023). ClusterDE: a post-clustering differential expression method
    robust to false-positive inflation caused by double dipping. bioRxiv 2023.07.21.550107.

    Langsrud, O. (2005). Rotation tests. Statistics and Computing 15, 53-60.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, FeatureFDR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 100))
    >>> X[:45, :15] += 2.5
    >>> found = FeatureFDR(SKFR(2, 25, n_init=5), random_state=0).fit(X)
    >>> found.get_support(indices=True)
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14])
    """

    _no_weights = NoWeights(NO_NULL_WEIGHTS, "StabilitySelection")

    def __init__(
        self,
        estimator: Model,
        fdr: Share = 0.1,
        *,
        n_null: Runs = 39,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: ArrayLike, y: object = None, batch: ArrayLike | None = None) -> Self:
        """Cluster the data and the sets without clusters, and compare the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
        batch : array-like of shape (n_samples,) or None
            Label of the batch of each row, for an estimator that takes it. Rows are turned and ranked within
            their batches.

        Returns
        -------
        FeatureFDR
            The fitted estimator.
        """
        self._validate_params()
        require_sets(self.n_null, self.fdr)
        X = loaded(X, self.estimator)
        data = dense(self._read_rows(X, dtype=np.float64), self.estimator, NULLS_ARE_DENSE)
        given = row_arguments(self, data, batch=batch)
        checked_rows(data, self.estimator, given)
        self._warn_of_lost_entries(data)
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        first, *seeds = np.random.SeedSequence(entropy).spawn(1 + self.n_null)
        state = draw_seed(np.random.default_rng(first))
        model = fit_null(data, given.codes, categories_of(self.estimator, data))
        with summed_up(without=(SelectionWarning,)):
            # The original X is passed, because it has the column names.
            self.best_estimator_ = configured_copy(self.estimator, {}, state)
            self.best_estimator_.fit(X, **given.for_fit())
            self._fix_scale_of(self.best_estimator_)
            tasks = [(self._copied, model, given, state, seed) for seed in seeds]
            found = np.array(run_tasks(_null_gains, tasks, self.n_jobs, self.verbose, "null set"))
            explained = np.concatenate([[log_explained(self.best_estimator_, data, given)], found[:, 0]])
            self.cluster_p_value_ = null_p_value(explained[:, None])
            if self.cluster_p_value_ <= self.fdr:
                peaks = peak_p_values(self._copied, [{}], data, state, self.n_jobs, self.verbose, given)
                self.cluster_p_value_ = max(self.cluster_p_value_, float(peaks[0]))
        self.gains_ = shares_of_fit(self.best_estimator_, data, given)
        copies = found[: sets_compared(self.fdr), 1:]
        self.null_gains_ = copies.max(axis=0)
        self.contrasts_ = self.gains_ - self.null_gains_
        clear = self.cluster_p_value_ <= self.fdr
        q_values = knockoff_q_values(self.gains_, self.null_gains_, len(copies))
        self.q_values_ = q_values if clear else np.ones(data.shape[1])
        self.threshold_ = float(self.gains_[self._selected()].min(initial=np.inf))
        return self

    @property
    def labels_(self) -> NDArray[Any]:
        """Labels of `best_estimator_`."""
        return np.asarray(last_step(self.best_estimator_).labels_)

    def _selected(self) -> NDArray[np.bool_]:
        """Mask of the selected features."""
        chosen: NDArray[np.bool_] = (self.q_values_ <= self.fdr) & (self.contrasts_ > 0)
        return chosen

    def summary(self, n_features: int = 10) -> Summary:
        """The test of clusters, and the features by q-value.

        Parameters
        ----------
        n_features : int, default=10
            Number of features to show, the smallest q-values first.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        check_arguments("summary", {"n_features": COUNT}, n_features=n_features)
        order = np.lexsort((-self.gains_, self.q_values_))
        values = {"q-value": self.q_values_, "contrast": self.contrasts_, "explained": self.gains_}
        features = ranked_features(self, order, values)
        given = {
            "Features": f"{self.n_features_in_}",
            "Sets without clusters": f"{self.n_null}",
            "Seed": seed_of(self),
        }
        found = {
            "p-value of one cluster": f"{self.cluster_p_value_:.4g}",
            "False discovery rate, at most": f"{float(self.fdr):.4g}",
            "Features selected": f"{self.get_support().sum()}",
        }
        tables = {"": facts(given, found)} | first_features(features, n_features)
        sets = min(sets_compared(self.fdr), self.n_null)
        notes = (f"contrast: share explained less the largest in {sets} sets without clusters",)
        title = f"FeatureFDR: {type(last_step(self.estimator)).__name__}"
        return Summary(title, tables, features, notes)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the largest shares and the threshold; see `sparsek.plots.plot_feature_fdr`.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
            The axes drawn on.
        """
        from sparsek.plots import plot_feature_fdr

        return plot_feature_fdr(self, ax=ax)


def sets_compared(fdr: float) -> int:
    """The least number of sets without clusters with which three features can be selected."""
    # 1e-9 keeps a quotient that rounding lifts above a whole number from asking for one set more.
    return max(1, int(np.ceil(1 / (FEWEST * fdr) - 1e-9)))


def knockoff_q_values(gains: Array, null_gains: Array, n_sets: int) -> Array:
    """The smallest level at which the rule selects each feature; 1 for those that explain more in a set."""
    wins = gains > null_gains
    ordered = np.sort(gains[wins])
    losses = np.sort(null_gains[~wins])
    # Knockoffs+: the 1 makes the rate of false discoveries hold exactly (Barber and Candes 2015).
    false = 1 + len(losses) - np.searchsorted(losses, gains, side="left")
    selected = len(ordered) - np.searchsorted(ordered, gains, side="left")
    ratios = false / (n_sets * np.maximum(selected, 1))
    # A smaller threshold selects the feature too, so that the least ratio up to its share counts.
    order = np.argsort(np.where(wins, gains, np.inf), kind="stable")
    least = np.minimum.accumulate(ratios[order])
    ties = np.searchsorted(gains[order][: len(ordered)], ordered, side="right") - 1
    q_values = np.ones(len(gains))
    q_values[order[: len(ordered)]] = np.minimum(least[ties], 1)
    return q_values


def _null_gains(
    estimator: Any,
    model: AnyNull,
    given: RowArguments,
    state: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Log of what the clusters explain of a set without clusters, then their share of each feature."""
    data = model.draw(np.random.default_rng(seed))
    if stop:
        return np.full(1 + data.shape[1], np.nan)
    fit = configured_copy(estimator, {}, state).fit(data, **given.for_fit())
    return np.concatenate([[log_explained(fit, data, given)], shares_of_fit(fit, data, given)])
