"""Choice of parameters by how much selections of features agree: SelectionConsistency (Kuncheva 2007)."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd

from sparsek.core.steps import Array
from sparsek.core.tasks import last_step
from sparsek.inputs.arguments import MOST_RUNS, count, names
from sparsek.methods.search.choice.grid_search import GridSearch, Params
from sparsek.methods.search.part_search import Parts, PartSearch
from sparsek.methods.search.resamples import Support, selections, subset_size
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.methods.shared.parameters import AnyPath, Flag, Jobs, Model, Seed, Verbose


class SelectionConsistency(GridSearch, PartSearch):
    r"""Choose parameters by how much the features selected from random halves of the rows agree.

    For two selections of s among p features that share r of them, Kuncheva's index is

    .. math:: I = \frac{r p - s^2}{s (p - s)},

    1 for equal selections and 0 on average for random ones. Its mean over all pairs of halves is computed
    for every point of the grid, for selections of different sizes by its extension of Nogueira, Sechidis and
    Brown: with :math:`f_j` the share of the B halves that select feature j and :math:`\bar f` their mean,

    .. math:: \Phi = 1 - \frac{\frac1p \sum_j \frac{B}{B - 1} f_j (1 - f_j)}{\bar f (1 - \bar f)},

    which equals that mean if all selections have the same size.

    Parameters
    ----------
    estimator : estimator
        One with `get_support`, or a Pipeline that ends in one. Never fitted itself; copies are.
    params : dict of str to array-like
        The parameters to choose, by their names in ``estimator.get_params()``, and their values, numbers; all
        combinations are tried. Of the last one smaller values should mean fewer features. None as values of
        an L1 bound means those of `PermutationGap`.
    n_resamples : int, default=50
        Number B of halves, at least 3.
    rule : {"max", "one_se"}, default="max"
        What `best_params_` is: the point with the largest index, the first of equal ones; or the one with the
        smallest value of the last parameter whose index is at most one standard error below it, the others
        as at the largest index.
    refit : bool, default=True
    n_jobs : int or None, default=None
        Halves that are worked on at a time,
        [backend]
    random_state : int, RandomState instance or None, default=None
        Seed of the halves and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every half, the same for all points of the grid.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None
        A folder that stores the selections of every half, so that an interrupted fit can continue; see
        `PermutationGap`.

    Attributes
    ----------
    param_range_ : list of length n_values
    consistency_ : ndarray of shape (n_values,)
        The index, at most 1, dimensionless. 0 where every half selects all features, or none: that is no
        choice.
    consistency_se_ : ndarray of shape (n_values,)
        Its standard error by the jackknife over the halves.
    n_selected_ : ndarray of shape (n_values,)
        Mean number of features that a half selects.
    max_index_ : int
        Index of the largest consistency.
    one_se_index_ : int
    best_index_ : int
    best_params_ : dict
    best_estimator_ : estimator
    labels_ : ndarray of shape (n_samples,)
    results_ : DataFrame
        One row per entry of `param_range_`: a column for each parameter, by its name, then n_selected,
        consistency, consistency_se and chosen.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, and what the estimator raises, such as for
        halves with fewer rows than clusters.
    TypeError
        From `fit`: data of a kind that the estimator does not take, values that are not numbers, an estimator
        without `get_support`.

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    StabilitySelection : Keep the features that most random halves of the rows select.
    ModelChoice : Choose the numbers of clusters and features by several criteria.

    Notes
    -----
    [of the best]
    A selection can repeat without being true. With `sample_weight`, halves are drawn of the rows as they are,
    each with its weight: copies of a row would agree by themselves. For a bound on false selections use
    `StabilitySelection`.

    References
    ----------
    Kuncheva, L. I. (2007). A stability index for feature selection. Proceedings of the 25th IASTED
    International Conference on Artificial Intelligence and Applications, 390-395.

    Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection algorithms. JMLR
    18(174), 1-54, Definition 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, SelectionConsistency
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 20))
    >>> X[:40, :3] += 4
    >>> grid = {"n_features_to_select": [2, 3, 4, 8]}
    >>> SelectionConsistency(SKFR(2), grid, n_resamples=10, random_state=0).fit(X).best_params_
    {'n_features_to_select': 3}
    """

    _criterion = "Consistency of selections"
    _part = "half"

    def __init__(
        self,
        estimator: Model,
        params: Params,
        *,
        n_resamples: Annotated[int, count(3, MOST_RUNS)] = 50,
        rule: Annotated[str, names("max", "one_se")] = "max",
        refit: Flag = True,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def _parts(self, X: Array, given: RowArguments, settings: list[dict[str, Any]]) -> Parts:
        n_rows = subset_size(X.shape[0], 0.5)
        rng, seeds = self._spawn(self.n_resamples)
        tasks = [(self._copied, settings, X, given, None, seed, n_rows, 1) for seed in seeds]
        return Parts(selections, tasks, rng, (1, len(settings), X.shape[1]))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require(last_step(self.estimator), "get_support", "selects no features")

    def _store(self, found: list[Array], settings: list[dict[str, Any]]) -> None:
        supports = np.concatenate(found)  # (n_resamples, n_values, n_features)
        parameters = pd.DataFrame(settings)
        self.consistency_, self.consistency_se_ = selection_consistency(supports)
        self.n_selected_ = supports.sum(axis=2).mean(axis=0)
        n_last = parameters.iloc[:, -1].nunique()
        self.max_index_ = best = int(np.argmax(self.consistency_))
        # Only values of the last parameter are compared, beside the same values of the others.
        start = best - best % n_last
        near = self.consistency_[start : best + 1] >= self.consistency_[best] - self.consistency_se_[best]
        self.one_se_index_ = start + int(np.argmax(near))
        self.best_index_ = best if self.rule == "max" else self.one_se_index_
        self.best_params_ = settings[self.best_index_]
        self.results_ = parameters.assign(
            n_selected=self.n_selected_,
            consistency=self.consistency_,
            consistency_se=self.consistency_se_,
            chosen=np.arange(len(settings)) == self.best_index_,
        )


def selection_consistency(supports: Support) -> tuple[Array, Array]:
    """The index of selections (n_resamples, n_values, n_features) for each value, and its standard error."""
    counts = supports.sum(axis=0)
    n = len(supports)
    without = np.array([_index(counts - one, n - 1) for one in supports])
    # The jackknife: each selection is left out once.
    error = np.sqrt((n - 1) / n * np.square(without - without.mean(axis=0)).sum(axis=0))
    return _index(counts, n), error


def _index(counts: Array, n: int) -> Array:
    """Phi of Nogueira et al. from how many of n selections have each feature, (n_values, n_features)."""
    shares = counts / n
    spread = n / (n - 1) * (shares * (1 - shares)).mean(axis=1)
    mean = shares.mean(axis=1)
    chance = mean * (1 - mean)
    # Nogueira et al.: the variance of selections over what it would be if features were chosen at random.
    ratio: Array = np.divide(spread, chance, out=np.ones(len(mean)), where=chance > 0)
    return 1 - ratio
