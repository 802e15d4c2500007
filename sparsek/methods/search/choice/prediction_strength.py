"""Choice of the number of clusters by prediction strength: PredictionStrength (Tibshirani & Walther 2005)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sparsek.core.steps import Array
from sparsek.core.tasks import draw_seed, fit_settings, last_step
from sparsek.errors import callers_level
from sparsek.methods.search.choice.grid_search import GridSearch, Params
from sparsek.methods.search.part_search import Parts, PartSearch
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.methods.shared.parameters import AnyPath, Flag, Jobs, Model, Repeats, Seed, Share, Verbose


class PredictionStrength(GridSearch, PartSearch):
    r"""Choose the number of clusters by how well one half of the rows predicts the clusters of the other.

    The rows are split into random halves. Both halves are clustered; the fit to the one then predicts the
    clusters of the rows of the other. With :math:`A_1` to :math:`A_k` the clusters of the second half by its
    own fit, :math:`n_c` their sizes and D the pairs of rows that the first fit puts into one cluster,

    .. math::
        \mathrm{ps} = \min_c \frac{1}{n_c (n_c - 1)} \sum_{i \ne i' \in A_c} 1\{(i, i') \in D\},

    averaged over both directions and over the splits. The search chooses the largest number of clusters
    whose strength plus its standard error reaches a threshold. If other parameters have several values, it
    takes those with the largest strength.

    Parameters
    ----------
    estimator : estimator
        A clusterer with `predict`, or a Pipeline that ends in one. Never fitted itself; copies are.
    params : dict of str to array-like
        The parameters to choose, by their names in ``estimator.get_params()``, and their values, numbers; all
        combinations are tried. None as values of an L1 bound means those of `PermutationGap`.
    n_resamples : int, default=10
        Number of splits, at least 2.
    threshold : float, default=0.8
        The strength to reach, in (0, 1], dimensionless. Tibshirani and Walther advise 0.8 to 0.9.
    refit : bool, default=True
    n_jobs : int or None, default=None
        Splits that are worked on at a time,
        [backend]
    random_state : int, RandomState instance or None, default=None
        Seed of the splits and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every half, the same for all points of the grid.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None
        A folder that stores the strengths of every split, so that an interrupted fit can continue; see
        `PermutationGap`.

    Attributes
    ----------
    param_range_ : list of length n_values
    split_strengths_ : ndarray of shape (n_values, n_resamples)
        Strength of each split, the mean of both directions, in [0, 1].
    strengths_ : ndarray of shape (n_values,)
        Their means.
    strength_se_ : ndarray of shape (n_values,)
        Their standard errors: standard deviations (over n_resamples - 1) divided by sqrt(n_resamples).
    best_index_ : int
        Index of the chosen point.
    best_params_ : dict
    best_estimator_ : estimator
    labels_ : ndarray of shape (n_samples,)
    results_ : DataFrame
        One row per entry of `param_range_`: a column for each parameter, by its name, then strength,
        strength_se and chosen.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, and what the estimator raises, such as for
        halves with fewer rows than clusters.
    TypeError
        From `fit`: data of a kind that the estimator does not take, values that are not numbers, an estimator
        without `predict`.

    Warns
    -----
    UserWarning
        No point of the grid reaches the threshold, so that the one with the largest strength is chosen: the
        data may have no clusters.
    ConvergenceWarning

    See Also
    --------
    ConsensusClustering : Cluster random subsets of the rows and see where they agree.
    ModelChoice : Choose the numbers of clusters and features by several criteria.
    sparsek.metrics.agreement_score : Score for searches of scikit-learn.

    Notes
    -----
    [of the best]
    Clusters with one row count for nothing. With `sample_weight`, halves are drawn of the rows as they are,
    and pairs are counted as if each row were there as often as its weight says. Tibshirani and Walther use
    folds, here halves are drawn anew each time.

    References
    ----------
    Tibshirani, R. and Walther, G. (2005). Cluster validation by prediction strength. Journal of Computational
    and Graphical Statistics 14, 511-528.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, PredictionStrength
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 10))
    >>> X[:20, :3] += 6
    >>> X[20:40, 2:5] += 6
    >>> grid = {"n_clusters": [2, 3, 4]}
    >>> PredictionStrength(SKFR(n_features_to_select=5), grid, random_state=0).fit(X).best_params_
    {'n_clusters': 3}
    """

    _criterion = "Prediction strength"
    _part = "split"
    rule = "threshold"

    def __init__(
        self,
        estimator: Model,
        params: Params,
        *,
        n_resamples: Repeats = 10,
        threshold: Share = 0.8,
        refit: Flag = True,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def _parts(self, X: Array, given: RowArguments, settings: list[dict[str, Any]]) -> Parts:
        if X.shape[0] < 2:
            raise ValueError(f"n_samples={X.shape[0]} must be at least 2, so that there are two halves")
        rng, seeds = self._spawn(self.n_resamples)
        tasks = [(self._copied, settings, X, given, seed) for seed in seeds]
        return Parts(split_strengths, tasks, rng, (len(settings),))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require(self.estimator, "predict", "cannot say the clusters of other rows")

    def _store(self, found: list[Array], settings: list[dict[str, Any]]) -> None:
        strengths = np.array(found).T  # (n_values, n_resamples)
        parameters = pd.DataFrame(settings)
        self.split_strengths_, self.strengths_ = strengths, strengths.mean(axis=1)
        self.strength_se_ = strengths.std(axis=1, ddof=1) / np.sqrt(self.n_resamples)
        reached = self.strengths_ + self.strength_se_ >= self.threshold
        if not reached.any():
            warnings.warn(
                f"no point of the grid reaches threshold={self.threshold} (the largest strength is "
                f"{self.strengths_.max():.2f}): the data may have no clusters",
                stacklevel=callers_level(),
            )
        counts = [name for name in parameters if str(name).rpartition("__")[2] == "n_clusters"]
        sizes = parameters[counts[0]].to_numpy(float) if counts else np.ones(len(parameters))
        # Tibshirani and Walther (2005): the largest number of clusters that reaches the threshold.
        candidates = reached & (sizes == sizes[reached].max()) if reached.any() else ~reached
        self.best_index_ = int(np.argmax(np.where(candidates, self.strengths_, -1)))
        self.best_params_ = settings[self.best_index_]
        self.results_ = parameters.assign(
            strength=self.strengths_,
            strength_se=self.strength_se_,
            chosen=np.arange(len(settings)) == self.best_index_,
        )


def split_strengths(
    estimator: Any,
    settings: list[dict[str, Any]],
    X: Array,
    given: RowArguments,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Prediction strength of every setting for one random split into halves, the mean of both directions."""
    rng = np.random.default_rng(seed)
    n = X.shape[0]
    order = given.order(n, rng)
    rows = [np.sort(order[: n // 2]), np.sort(order[n // 2 :])]
    halves, parts = [X[half] for half in rows], [given.take(half) for half in rows]
    states = [draw_seed(rng) for _ in halves]
    fits = zip(
        *(
            fit_settings(estimator, settings, half, state, complete=True, fit_params=part.for_fit())
            for half, part, state in zip(halves, parts, states, strict=True)
        ),
        strict=True,
    )
    found = np.full(len(settings), np.nan)
    for i, (first, second) in enumerate(fits):
        if stop:
            break
        both = [
            strength(last_step(own).labels_, other.predict(half, **part.for_new_rows()), part.weights)
            for own, other, half, part in zip((first, second), (second, first), halves, parts, strict=True)
        ]
        found[i] = np.mean(both)
    return found


def strength(labels: NDArray[Any], predicted: NDArray[Any], weights: Array | None = None) -> float:
    """The smallest share, over the clusters, of the pairs of their rows that are predicted into one cluster.

    Rows with labels below 0 belong to no cluster. A row of weight m counts as m rows.
    """
    mass = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
    shares = [1.0]
    for cluster in np.unique(labels[labels >= 0]):
        inside, own = predicted[labels == cluster], mass[labels == cluster]
        total = own.sum()
        if total > 1:
            counts = np.bincount(inside[inside >= 0], own[inside >= 0])
            # Of m rows there are m (m - 1) ordered pairs; a weight below 1 has none.
            shares.append(float((counts * np.maximum(counts - 1, 0)).sum() / (total * (total - 1))))
    return min(shares)
