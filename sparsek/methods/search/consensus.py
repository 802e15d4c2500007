"""Clusters that agree over resamples of the rows: ConsensusClustering."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import squareform
from sklearn.base import ClusterMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsek.core.checkpoint import open_checkpoint
from sparsek.core.steps import Array
from sparsek.core.tasks import last_step, run_tasks, summed_up
from sparsek.errors import callers_level
from sparsek.inputs.arguments import COUNT, Described, check_arguments, count, number, require_matrices
from sparsek.inputs.validation import require_rows
from sparsek.methods.search.base import Search
from sparsek.methods.search.consensus_counts import (
    LEFT_OUT,
    MATRICES,
    Agreement,
    Floats,
    agreement,
    clustered_together,
    consensus,
    consensus_labels,
    pair_weights,
    sampled_together,
    within_clusters,
)
from sparsek.methods.search.kinds import loaded
from sparsek.methods.search.resamples import labellings, subset_size
from sparsek.methods.search.row_arguments import row_arguments
from sparsek.methods.shared.clusterer.numbering import numbers_by_size
from sparsek.methods.shared.parameters import AnyPath, Jobs, Model, Positive, Runs, Seed, Share, Verbose
from sparsek.summary.facts import seed_of
from sparsek.summary.results import Summary
from sparsek.summary.tables import facts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _are_numbers_of_clusters(given: Any) -> bool:
    """Whether the value is a sequence of numbers of clusters to choose from, or of one number.

    With one cluster all rows always agree, so it would win every comparison.
    """
    if not isinstance(given, Sequence | np.ndarray) or np.ndim(given) != 1 or len(given) == 0:
        return False
    least = count(1 if len(given) == 1 else 2)
    return all(least.is_satisfied_by(k) for k in given)


def _are_limits(given: Any) -> bool:
    """Whether the value is two ascending numbers between 0 and 1."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        return False
    share = number(0, 1, "both")
    return all(share.is_satisfied_by(limit) for limit in given) and given[0] < given[1]


SEVERAL = Described(
    "a sequence of ints of at least 2, or of one int of at least 1", _are_numbers_of_clusters, (2, 3), (1,)
)
PAC_LIMITS = Described("two ascending numbers in [0, 1]", _are_limits, (0.1, 0.9), (0, 1))


class ConsensusClustering(ClusterMixin, Search):
    r"""Cluster random subsets of the rows, and choose the number of clusters on which they agree most.

    The estimator is fitted to B random subsets of the rows with every number of clusters k. The consensus
    matrix holds, for each pair of rows, the share of the subsets with both in which they share a cluster,

    .. math:: M_{ii'} = \frac{\#\{b : i, i' \text{ in one cluster of subset } b\}}
                             {\#\{b : i, i' \text{ in subset } b\}}.

    Clusters that do not depend on the subset give entries of 0 and 1. The k of the smallest proportion of
    ambiguous pairs is chosen, :math:`\mathrm{PAC} = F(u_2) - F(u_1)` with F the distribution function of the
    :math:`M_{ii'}`, :math:`i < i'`. The final clusters are those of average linkage on 1 - M.

    Parameters
    ----------
    estimator : estimator
        A clusterer with a parameter `n_clusters`, or a Pipeline that ends in one. Never fitted itself; copies
        are.
    n_clusters : int or sequence of int, default=(2, 3, 4, 5, 6)
        Numbers of clusters to compare, each at least 2, or the only one, at least 1.
    n_resamples : int, default=100
        Number B of subsets. A larger number keeps the first ones as they were.
    sample_fraction : float, default=0.8
        Share of the rows in a subset, rounded down, in (0, 1]. At 1 only the starts differ.
    pac_limits : tuple of two floats, default=(0.1, 0.9)
        The limits u_1 and u_2, from 0 to 1; consensus above the first and not above the second is ambiguous.
    memory_limit : float, default=4e9
        Bytes that the n_samples x n_samples matrices (three of doubles) may take.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
        Seed of the subsets and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every subset, the same for all numbers of clusters.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None

    Attributes
    ----------
    n_clusters_ : int
        The number of clusters chosen: that of the smallest PAC, the largest of equal ones, because parts of
        clusters that are found every time are clusters.
    labels_ : ndarray of shape (n_samples,), int32
        Clusters from 0, the largest first; -1 for rows of weight 0.
    consensus_matrix_ : ndarray of shape (n_samples, n_samples)
        M for `n_clusters_`, symmetric, in [0, 1], with unit diagonal; NaN for rows of weight 0.
    cluster_consensus_ : ndarray, one value per cluster
        Mean of M over the pairs in each cluster; 1 for a cluster of one row.
    resample_labels_ : ndarray of shape (n_values, n_resamples, n_samples), int32
        Labels of every fit; -1 for a row that the estimator left as an outlier, in a cluster with no other,
        and -2 for a row not in the subset.
    n_rows_ : int
    results_ : DataFrame
        One row per number of clusters, ascending: n_clusters; pac; area, that under F; area_change, the
        increase of the area over the number before, relative to it (for the first, the area itself; NaN
        where the one before is 0); chosen.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: a parameter out of its range, subsets without rows, and what the estimator raises, such as
        for subsets with fewer rows than clusters.
    TypeError
        From `fit`: data of a kind that the estimator does not take, a parameter of the wrong type, an
        estimator without `n_clusters`.
    MemoryError
        From `fit`: the matrices would take more than `memory_limit`; nothing is allocated then.

    Warns
    -----
    ConvergenceWarning
    UserWarning
        Some pairs of rows were in no subset together. Their M is 0 and they do not count in F.

    See Also
    --------
    PredictionStrength : Choose the number of clusters by prediction strength.
    FitUncertainty : Intervals and membership probabilities from resamples.
    sparsek.plots.plot_consensus : Draw how often two rows share a cluster.

    Notes
    -----
    With `sample_weight`, subsets are drawn of the rows as they are, each with its weight. PAC, area and
    cluster consensus weight a pair of different rows by the product of their weights, and average linkage
    begins with weights as sizes. Rows of weight 0 are in no subset.

    There is no `predict`: agreement is about the rows at hand. The counts are products of indicator matrices,
    O(n_samples^2) in memory.

    Agreement is not evidence of clusters: k-means cuts one long Gaussian into parts that mostly repeat from
    subset to subset. Compare with shuffled columns (`PermutationGap`) before believing any k.
    PAC tends to be small for large k too, where most pairs are apart whatever the subset, and for k below the
    true number if some clusters are far from the rest. Monti et al. look at `area` instead, for the last k
    at which it still increases much; their sum for the area takes F at the right end of every step and so
    gives 1 for entries of 0 and 1 only, where `area` is the integral.

    References
    ----------
    Monti, S., Tamayo, P., Mesirov, J. and Golub, T. (2003). Consensus clustering: a resampling-based method
    for class discovery and visualization of gene expression microarray data. Machine Learning 52, 91-118.

    Senbabaoglu, Y., Michailidis, G. and Li, J. Z. (2014). Critical limitations of consensus clustering in
    class discovery. Scientific Reports 4, 6207.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, ConsensusClustering
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 10))
    >>> X[:20, :2] += 6
    >>> X[20:40, 1:3] -= 6
    >>> model = ConsensusClustering(SKFR(n_features_to_select=3, n_init=3), n_resamples=20, random_state=0)
    >>> model.fit(X).n_clusters_
    3
    >>> np.bincount(model.labels_)
    array([20, 20, 20])
    """

    def __init__(
        self,
        estimator: Model,
        n_clusters: Annotated[Any, count(), SEVERAL] = (2, 3, 4, 5, 6),
        *,
        n_resamples: Runs = 100,
        sample_fraction: Share = 0.8,
        pac_limits: Annotated[tuple[float, float], PAC_LIMITS] = (0.1, 0.9),
        memory_limit: Positive = 4e9,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        batch: ArrayLike | None = None,
    ) -> Self:
        """Cluster subsets of the rows, choose the number of clusters and cluster all rows by agreement.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data, at least two rows. Never changed.
        y : None
        sample_weight : array-like of shape (n_samples,) or None
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        ConsensusClustering
            The fitted estimator.
        """
        values = self._check_parameters()
        data = self._read_rows(loaded(X, self.estimator), least=2)
        given = row_arguments(self, data, sample_weight, batch)
        data, own = given.positive(data)
        self._check_size(data.shape[0], values)
        if data.shape[0] < 2:
            raise ValueError("sample_weight leaves 1 row, and agreement is of two; give more rows a weight")
        self._warn_of_lost_entries(data)
        self.n_rows_ = subset_size(data.shape[0], self.sample_fraction)
        settings = [{_cluster_parameter(self.estimator): k} for k in values]
        self._fix_scale(data, settings, own.weights)
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        tasks = [
            (self._copied, settings, data, own, seed, self.n_rows_)
            for seed in np.random.SeedSequence(entropy).spawn(self.n_resamples)
        ]
        search = {
            "search": "ConsensusClustering",
            "data": data,
            "settings": settings,
            "subsets": self.n_rows_,
        } | own.key()
        shape = (len(settings), data.shape[0])
        kept = open_checkpoint(self.checkpoint, self.random_state, self.estimator, shape, **search)
        with summed_up():
            found = run_tasks(labellings, tasks, self.n_jobs, self.verbose, "subset", kept)
            self.resample_labels_ = np.stack(found, axis=1)
            self._store(values, own.weights)
        if given.weights is not None and data.shape[0] < len(given.weights):
            self._spread_out(given.weights > 0)
        return self

    def _check_parameters(self) -> list[int]:
        """Check the parameters; return the numbers of clusters, ascending."""
        self._validate_params()
        given = [self.n_clusters] if np.ndim(self.n_clusters) == 0 else self.n_clusters
        _cluster_parameter(self.estimator)
        return sorted({int(k) for k in given})

    def _check_size(self, n: int, values: list[int]) -> None:
        require_matrices(MATRICES, n, self.memory_limit)
        require_rows(n, values[-1])

    def _store(self, values: list[int], weights: Array | None) -> None:
        """Set all attributes that follow from the labels of the rows of positive weight."""
        sampled = sampled_together(self.resample_labels_[0])
        seen = sampled > 0
        if not seen.all():
            warnings.warn(
                f"{np.count_nonzero(~seen)} of {len(seen)} pairs of rows were in no subset together, and "
                "count as apart; raise n_resamples or sample_fraction",
                UserWarning,
                stacklevel=callers_level(),
            )
        found: list[Agreement] = []
        best: Floats = np.empty(0)
        chosen = 0
        pairs, (lower, upper) = pair_weights(weights, seen), self.pac_limits
        for index, labels in enumerate(self.resample_labels_):
            entries = consensus(clustered_together(labels), sampled)
            found.append(agreement(entries[seen], lower, upper, pairs))
            # Of equal ones the largest is taken: parts of clusters that are found every time are clusters.
            if index == 0 or found[index].ambiguous <= found[chosen].ambiguous:
                best, chosen = entries, index
        self.n_clusters_ = values[chosen]
        self.results_ = _results(values, found, chosen)
        clusters = consensus_labels(best, self.n_clusters_, weights)
        sizes = np.bincount(clusters, weights, minlength=self.n_clusters_)
        self.labels_ = numbers_by_size(clusters, sizes)[clusters]
        self.consensus_matrix_ = squareform(best, checks=False)
        np.fill_diagonal(self.consensus_matrix_, 1)
        self.cluster_consensus_ = within_clusters(
            self.consensus_matrix_, self.labels_, self.n_clusters_, weights
        )

    def _spread_out(self, kept: NDArray[np.bool_]) -> None:
        """Give rows of weight 0 their places among the others."""
        n = len(kept)
        labels = np.full(n, -1, dtype=np.int32)
        labels[kept] = self.labels_
        matrix = np.full((n, n), np.nan)
        matrix[np.ix_(kept, kept)] = self.consensus_matrix_
        found = np.full((*self.resample_labels_.shape[:2], n), LEFT_OUT, dtype=np.int32)
        found[:, :, kept] = self.resample_labels_
        self.labels_, self.consensus_matrix_, self.resample_labels_ = labels, matrix, found

    def summary(self, n_features: int = 10) -> Summary:
        """The choice of the number of clusters, and size and consensus of the clusters.

        Parameters
        ----------
        n_features : int, default=10
            Without effect, because features have no part in the agreement.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        check_arguments("summary", {"n_features": COUNT}, n_features=n_features)
        rows = np.bincount(self.labels_[self.labels_ >= 0], minlength=self.n_clusters_)
        n = int(rows.sum())
        given = {"Rows": f"{n}", "Subsets": f"{self.n_resamples}", "Seed": seed_of(self)}
        found = {"Clusters": f"{self.n_clusters_}", "Rows in each": f"{self.n_rows_}"}
        clusters = {
            "cluster": range(self.n_clusters_),
            "rows": rows,
            "share": rows / n,
            "consensus": self.cluster_consensus_,
        }
        tables = {
            "": facts(given, found),
            "Numbers of clusters": self.results_,
            "Clusters": pd.DataFrame(clusters),
        }
        low, high = map(float, self.pac_limits)
        notes = (
            f"pac: share of the pairs with a consensus above {low:g} and not above {high:g}",
            "consensus: mean over the pairs in the cluster of the share of subsets in which they agree",
        )
        title = f"ConsensusClustering: {type(last_step(self.estimator)).__name__}"
        return Summary(title, tables, pd.DataFrame(), notes)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the consensus matrix, rows ordered by cluster; see `sparsek.plots.plot_consensus`.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
            The axes drawn on.
        """
        from sparsek.plots import plot_consensus

        return plot_consensus(self, ax=ax)


def _cluster_parameter(estimator: Any) -> str:
    """Name of the estimator's parameter for the number of clusters."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    name = f"{prefix}n_clusters"
    if name not in estimator.get_params():
        raise TypeError(
            f"{type(last_step(estimator)).__name__} has no parameter n_clusters; give a clusterer that has, "
            "such as SKFR or KMeans"
        )
    return name


def _results(values: list[int], found: list[Agreement], chosen: int) -> pd.DataFrame:
    """The table of the numbers of clusters."""
    areas = [one.area for one in found]
    changes = [(after - before) / before if before else np.nan for before, after in pairwise(areas)]
    return pd.DataFrame(
        {
            "n_clusters": values,
            "pac": [one.ambiguous for one in found],
            "area": areas,
            "area_change": [areas[0], *changes],
            "chosen": np.arange(len(values)) == chosen,
        }
    )
