"""Choice of a sparsity parameter by permutation: PermutationGap.

Sources: Witten and Tibshirani (2010), JASA 105, 713-726, Section 3.2; Zhang, Lange and Xu (2020), NeurIPS 33,
Algorithm 3; the standard error is that of Tibshirani, Walther and Hastie (2001), JRSS B 63, 411-423.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sparsek.core.checkpoint import open_checkpoint
from sparsek.core.steps import Array
from sparsek.core.tasks import summed_up
from sparsek.inputs.arguments import FUNCTION, names
from sparsek.methods.search.gap_tasks import REPEATED, Task, fit_data_sets, refit
from sparsek.methods.search.kinds import loaded
from sparsek.methods.search.parameter_search import ParameterSearch, ParamName
from sparsek.methods.search.row_arguments import row_arguments
from sparsek.methods.shared.parameters import AnyPath, Flag, Jobs, Model, Repeats, Seed, Values, Verbose


class PermutationGap(ParameterSearch):
    r"""Choose parameters, such as the L1 bound of sparse k-means, by the permutation gap statistic.

    For each value s of the parameter the estimator is fitted to the data and to B data sets in which every
    column is shuffled on its own: the columns keep their values, but clusters are destroyed. With O the
    objective, the part of the scatter that the clusters explain,

    .. math:: \mathrm{Gap}(s) = \log O(X, s) - \frac1B \sum_{b=1}^B \log O(X_b, s).

    The value with the largest gap is chosen, or the smallest value within one standard error of it. A grid
    over several parameters is searched in the same way.

    Parameters
    ----------
    estimator : estimator
    param_name : str or sequence of str, default="l1_bound"
        The parameter to choose, by its name in ``estimator.get_params()``, such as
        "sparsekmeans__l1_bound" in a Pipeline. Smaller values must mean fewer features. Several names, such
        as ("n_clusters", "n_features_to_select"), search the grid of all combinations; the last named is the
        one whose smaller values mean fewer features.
    param_range : array-like of shape (n_values,), sequence of these, or None, default=None
        Its values, numbers. None is allowed for an L1 bound and means 10 values from 1.2 to
        0.9 sqrt(n_features), equally spaced in the logarithm, as in sparcl; for one feature it means 1. For
        several names one such entry for each.
    objective : callable or None, default=None
        ``objective(fitted_estimator)`` gives the O of the definition, a positive number, larger where
        clusters are clearer. None takes the attribute `gap_objective_`, which SparseKMeans (its weighted
        between-cluster sum of squares) and SKFR (``tss_ - objective_``) have. For a criterion W > 0 that is
        minimised use 1 / W: the gap is then that of Tibshirani et al., mean log W_b - log W. With several
        processes it must be a function that pickles.
    n_permutations : int, default=25
        Number B of shuffled data sets, at least 2. A larger number keeps the first ones as they were.
    rule : {"max", "one_se"}, default="max"
        What `best_params_` is: the value with the largest gap, or the smallest value whose gap is at most one
        standard error below it; in a grid, the smallest value of the last parameter, with the others as at
        the largest gap.
    refit : bool, default=True
        Fit the estimator with the chosen value to the data, as `best_estimator_`.
    n_jobs : int or None, default=None
        Data sets that are fitted at a time,
        [backend]
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations and of the fits: every ``random_state`` inside the estimator is replaced by
        one drawn afresh for every data set, the same for all values of the parameter.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None
        A folder that stores the results of every data set in a small file, so that an interrupted fit can
        continue, with the same result. Needs an integer `random_state`. Permutations may be added later; a
        folder of other data or settings is refused. Processes on other machines must reach it by the same
        path. Warnings of fits that are not run again are not repeated.

    Attributes
    ----------
    param_range_ : list of length n_values
    objectives_ : ndarray of shape (n_values,)
        O on the data, squared units of X for SparseKMeans, dimensionless for SKFR.
    permuted_objectives_ : ndarray of shape (n_values, n_permutations)
        O on the shuffled data.
    gap_ : ndarray of shape (n_values,)
        Gap statistic, dimensionless.
    gap_sd_ : ndarray of shape (n_values,)
        Standard deviation of log O over the shuffled data sets (over n_permutations - 1), dimensionless.
    gap_se_ : ndarray of shape (n_values,)
        Standard error ``gap_sd_ * sqrt(1 + 1 / n_permutations)``, dimensionless.
    n_selected_ : ndarray of shape (n_values,), int
        Features in use on the data; all of them for an estimator without `get_support`.
    max_index_ : int
        Index of the largest gap, the first of equal ones.
    one_se_index_ : int
        Index of the smallest value whose gap is at least ``gap_[max_index_] - gap_se_[max_index_]``; in a
        grid among those that differ from the largest gap in the last parameter only.
    best_index_ : int
        Index of the chosen value: one of these two.
    best_params_ : dict
    best_estimator_ : estimator
        Fitted to the data with the chosen value; its objective is ``objectives_[best_index_]``. Only with
        ``refit=True``.
    labels_ : ndarray of shape (n_samples,)
    results_ : DataFrame
        One row per entry of `param_range_`: a column for each parameter, by its name, then objective,
        n_selected, gap, gap_sd, gap_se and chosen.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, fewer than two permutations, an objective
        that is not positive (one cluster, constant data), and what the estimator raises.
    TypeError
        From `fit`: data of a kind that the estimator does not take, values that are not numbers, an estimator
        that does not say its objective.

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    sparsek.rcompat.KMeansSparseCluster_permute : R's choice of the bound, bit for bit.
    sparsek.rcompat.HierarchicalSparseCluster_permute : R's choice of the bound of a tree, bit for bit.
    ModelChoice : Choose the numbers of clusters and features by several criteria.
    sparsek.plots.plot_gap : Draw the gap statistic.

    Notes
    -----
    [of the best]
    With `sample_weight`, whole numbers, the data are those with every row repeated, and so are the shuffled
    sets: a shuffled row is a mixture of rows and has no weight of its own. With `batch`, columns are shuffled
    within batches, so that shuffled data have the same batches. Interrupting stops the other processes;
    threads stop after the fit that they are in. Too few starts lower the objective of shuffled data most,
    where optima are many, and so raise the gap (sparcl's is often higher for that reason).
    sparcl's rule is ``rule="max"``; for its very numbers use
    :func:`sparsek.rcompat.KMeansSparseCluster_permute`. For hierarchical clustering sparcl shuffles the
    matrix of pairwise differences; here the columns of X are shuffled for every estimator.

    With `n_clusters` in the grid, gaps compare logarithms of different objectives. The explained scatter
    grows with the number of clusters, faster on shuffled columns than on data, so the gap of `gap_objective_`
    favours few clusters. For the number of clusters Tibshirani et al. compare the unexplained scatter: for
    SKFR ``objective=lambda fit: 1 / fit.objective_``. In 16 samples of 3 groups (and 16 of 5) in 6 of 30
    features, the explained scatter chose the right number in 10 (0), the unexplained in 15 (9). For
    SparseKMeans keep `gap_objective_`: its weights change with the number of clusters, and the unexplained
    scatter is smallest for few features of large weight. Look at the whole surface (`plot`) before trusting
    its maximum.

    References
    ----------
    Witten, D. M. and Tibshirani, R. (2010). A framework for feature selection in clustering. JASA 105,
    713-726, Section 3.2.

    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Algorithm 3.

    Tibshirani, R., Walther, G. and Hastie, T. (2001). Estimating the number of clusters in a data set via the
    gap statistic. JRSS B 63, 411-423.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import PermutationGap, SparseKMeans
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 2
    >>> model = SparseKMeans(n_clusters=2)
    >>> search = PermutationGap(
    ...     model, "l1_bound", [1.2, 1.7, 3], n_permutations=5, rule="one_se", random_state=0
    ... )
    >>> search.fit(X).best_params_
    {'l1_bound': 1.7}
    >>> search.get_support(indices=True)
    array([0, 1, 2])
    """

    _criterion = "Gap statistic"

    def __init__(
        self,
        estimator: Model,
        param_name: ParamName = "l1_bound",
        param_range: Values | None = None,
        *,
        objective: Annotated[Callable[[Any], float], FUNCTION] | None = None,
        n_permutations: Repeats = 25,
        rule: Annotated[str, names("max", "one_se")] = "max",
        refit: Flag = True,
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
        """Compute the gap statistic and fit the estimator with the chosen value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
        sample_weight : array-like of shape (n_samples,) or None
        batch : array-like of shape (n_samples,) or None

        Returns
        -------
        PermutationGap
            The fitted estimator.
        """
        self._check_parameters()
        X = loaded(X, self.estimator)
        data, settings = self._checked(X)
        given = row_arguments(self, data, sample_weight, batch)
        data, own = given.positive(data)
        self._fix_scale(data, settings, own.weights)
        own.repetitions(REPEATED)
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        seeds = np.random.SeedSequence(entropy).spawn(1 + self.n_permutations)
        task = Task(self._copied, settings, self.objective)
        search = {"search": "PermutationGap", "data": data, "settings": settings, "objective": self.objective}
        search |= own.key()
        kept = open_checkpoint(
            self.checkpoint, self.random_state, self.estimator, (2, len(settings)), **search
        )
        with summed_up():
            first, *others = fit_data_sets(task, data, own, seeds, self.n_jobs, self.verbose, kept)
            self.objectives_, self.n_selected_ = first.objectives, first.n_selected
            self.permuted_objectives_ = np.array([fits.objectives for fits in others]).T
            self._store_curve(settings)
            if self.refit:
                # The original X is passed, because it has the column names.
                self.best_estimator_ = refit(task, self.best_params_, X, given, seeds[0])
        return self

    def _store_curve(self, settings: list[dict[str, Any]]) -> None:
        """Set all attributes that follow from the objectives."""
        parameters = pd.DataFrame(settings)
        n_last = parameters.iloc[:, -1].nunique()
        curve = gap_curve(self.objectives_, self.permuted_objectives_, n_last)
        self.gap_, self.gap_sd_, self.gap_se_ = curve.gaps, curve.deviations, curve.errors
        self.max_index_, self.one_se_index_ = curve.largest, curve.one_se
        self.best_index_ = self.max_index_ if self.rule == "max" else self.one_se_index_
        self.best_params_ = settings[self.best_index_]
        self.results_ = parameters.assign(
            objective=self.objectives_,
            n_selected=self.n_selected_,
            gap=self.gap_,
            gap_sd=self.gap_sd_,
            gap_se=self.gap_se_,
            chosen=np.arange(len(settings)) == self.best_index_,
        )


@dataclass(frozen=True, slots=True)
class GapCurve:
    """Gap statistic at m parameter values."""

    gaps: Array  # (m,): logarithm of the objective less the mean of the logarithms of the permuted ones
    deviations: Array  # (m,): standard deviation of the permuted logarithms, over n_permutations - 1
    # (m,): deviations * sqrt(1 + 1 / n_permutations), which includes the error of the simulated mean
    errors: Array
    largest: int  # Index of the largest gap, the first of equal ones
    # First index, in the run of values with the largest gap, whose gap is at most one standard error (that of
    # the largest gap) below the largest gap
    one_se: int


def gap_curve(objectives: Array, permuted: Array, n_run: int | None = None) -> GapCurve:
    """Compare objectives on the data, (m,), with those on permuted data, (m, n_permutations).

    All objectives are positive. The m values come in runs of `n_run`, by default in one run.
    """
    logs = np.log(permuted)
    gaps = np.log(objectives) - logs.mean(axis=1)
    deviations = logs.std(axis=1, ddof=1)
    # Tibshirani, Walther and Hastie (2001), step 3: the factor adds the error of the simulated mean.
    errors = deviations * np.sqrt(1 + 1 / logs.shape[1])
    largest = int(np.argmax(gaps))
    # Values come in runs of one length, so that the remainder leads back to the first value of this run.
    first = largest - largest % (n_run or len(gaps))
    one_se = first + int(np.argmax(gaps[first:] >= gaps[largest] - errors[largest]))
    return GapCurve(gaps, deviations, errors, largest, one_se)
