"""Choice of the number of features, or of clusters, by cross-validation of entries: EntryCrossValidation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sparsek.methods.search.checkpoint import open_checkpoint
from sparsek.methods.search.held_out import entry_folds, fold_errors
from sparsek.methods.search.parameter_search import ParameterSearch
from sparsek.methods.search.tasks import configured_copy, draw_seed, run_tasks, summed_up
from sparsek.methods.shared import parameters as allowed
from sparsek.methods.shared.scaling import Scaling
from sparsek.methods.shared.sums import Array


class EntryCrossValidation(ParameterSearch):
    r"""Choose the number of features of `SKFR`, or other parameters, by predicting entries that are held out.

    The entries of X are put into folds at random, so that every row and every column has as many in each as
    in any other. For each fold its entries are made missing, the estimator is fitted to the others, and an
    entry is predicted by the centre of the cluster of its row: for a selected feature the mean of the
    cluster, else the overall mean. With :math:`\hat x_{il}(s)` the prediction by s features and
    :math:`v_l` the variance of feature l, the error of fold F with its :math:`|F|` entries is

    .. math:: \mathrm{Err}_F(s) = \frac1{|F|} \sum_{(i, l) \in F} (x_{il} - \hat x_{il}(s))^2 / v_l .

    The value with the smallest mean error is chosen, or the smallest value that is hardly worse. Too few
    features leave clusters unexplained; with too many, means of noise are predicted.

    Parameters
    ----------
    estimator : SKFR
        What to fit, with a loss that takes missing values. Never fitted itself; copies are.
    param_name : str or sequence of str
        The parameter to choose, such as "n_features_to_select". Several names, such as ("n_clusters",
        "n_features_to_select"), search the grid of all combinations; of the last named, smaller values should
        mean the simpler fit.
    param_range : array-like of shape (n_values,), or sequence of these
        Its values, numbers. For several names one such entry for each.
    n_folds : int, default=5
        Number of folds, at least 2: each fit lacks a share of 1 / n_folds of the entries.
    rule : {"min", "one_se"}, default="min"
        What `best_params_` is: the value with the smallest error, the first of equal ones; or the smallest
        value whose error is above it by at most one standard error of the difference, in a grid with the
        other parameters as at the smallest error.
    refit : bool, default=True
        Fit the estimator with the chosen value to the data, as `best_estimator_`.
    n_jobs : int or None, default=None
        Folds that are fitted at a time, by joblib with the backend of ``joblib.parallel_config`` (processes
        unless told otherwise). Results do not depend on it, nor on the backend.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every fold, the same for all values of the parameter.
    verbose : int, default=0
        If positive, show a progress bar on a terminal.
    checkpoint : str, path-like or None, default=None
        A folder that stores the errors of every fold in a small file, so that an interrupted fit can
        continue, with the same result. Needs an integer `random_state`; a folder of other data or settings is
        refused.

    Attributes
    ----------
    param_range_ : list of length n_values
        The values, ascending and without repeats, or in a grid all combinations as tuples, the last parameter
        changing fastest; the order of all that follows.
    fold_errors_ : ndarray of shape (n_values, n_folds)
        Mean squared error of the entries of each fold, in variances of the features (dimensionless): of the
        whole column for ``standardize=True``; for a Bregman loss the variance that it stands for, the overall
        mean for Poisson, its square for Itakura-Saito. With squared loss and ``standardize=False`` in squared
        units of X.
    errors_ : ndarray of shape (n_values,)
        Their means over the folds.
    error_se_ : ndarray of shape (n_values,)
        Standard error of the difference from the smallest error: the standard deviation of the differences of
        the folds (over n_folds - 1) divided by sqrt(n_folds). 0 for the smallest error itself.
    min_index_ : int
        Index of the smallest error.
    one_se_index_ : int
        Index of the smallest value whose error is at most `error_se_` of that value above the smallest.
    best_index_ : int
        Index of the chosen value: one of these two.
    best_params_ : dict
        Names and chosen values of the parameters.
    best_estimator_ : estimator
        Fitted to all entries with the chosen value. Only with ``refit=True``.
    labels_ : ndarray of shape (n_samples,)
        Labels of `best_estimator_`.
    results_ : DataFrame
        One row per entry of `param_range_`: a column for each parameter, by its name, then error, error_se
        and chosen.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Column names, when X has some.

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, fewer than two rows or features, and what the
        estimator raises for missing values.
    TypeError
        From `fit`: sparse data, values that are not numbers, an estimator whose centres do not predict
        entries, such as a Pipeline or one that takes no missing values.

    Warns
    -----
    ConvergenceWarning
        How many fits warned about convergence, once. Other warnings are passed on without repeats.

    Notes
    -----
    `predict`, `transform`, `get_support` and `get_feature_names_out` are those of `best_estimator_`. NaN in X
    stay missing and are not predicted. An entry is left in its fit where its row or column would have no
    other. With ``winsorize`` the clipped entries are predicted. There is no `sample_weight`.

    The permutation gap asks which s stands out from noise most; the error here asks which s predicts best.

    References
    ----------
    Wold, S. (1978). Cross-validatory estimation of the number of components in factor and principal
    components models. Technometrics 20, 397-405.

    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, EntryCrossValidation
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> search = EntryCrossValidation(SKFR(2), "n_features_to_select", [1, 2, 3, 6, 12], random_state=0)
    >>> search.fit(X).best_params_
    {'n_features_to_select': 3}
    >>> search.get_support(indices=True)
    array([0, 1, 2])
    """

    _criterion = "Error of held-out entries"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ParameterSearch._parameter_constraints,
        "param_range": ["array-like"],
        "n_folds": [allowed.count(2, allowed.MOST_RUNS)],
        "rule": [allowed.names("min", "one_se")],
    }

    def __init__(
        self,
        estimator: Any,
        param_name: str | Sequence[str],
        param_range: Any,
        *,
        n_folds: int = 5,
        rule: str = "min",
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        checkpoint: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_name = param_name
        self.param_range = param_range
        self.n_folds = n_folds
        self.rule = rule
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint = checkpoint

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Compute the errors and fit the estimator with the chosen value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data. Never changed.
        y : None
            Ignored.

        Returns
        -------
        EntryCrossValidation
            The fitted estimator.
        """
        self._check_parameters()
        if not hasattr(self.estimator, "_held_out_scale"):
            raise TypeError(
                f"{type(self.estimator).__name__} does not predict entries that are held out; "
                "EntryCrossValidation takes an SKFR, without a Pipeline around it"
            )
        data, settings = self._checked(X)
        target, scaling = self._target(data)
        entropy = int(check_random_state(self.random_state).randint(2**31 - 1))
        first, *seeds = np.random.SeedSequence(entropy).spawn(1 + self.n_folds)
        rng = np.random.default_rng(first)
        folds = entry_folds((len(data), data.shape[1]), self.n_folds, rng)
        tasks = [
            (self.estimator, settings, (data, target, scaling), folds, fold, seed)
            for fold, seed in enumerate(seeds)
        ]
        search = {"search": "EntryCrossValidation", "data": data, "settings": settings, "folds": folds}
        kept = open_checkpoint(self.checkpoint, self.random_state, self.estimator, (len(settings),), **search)
        with summed_up():
            found = run_tasks(fold_errors, tasks, self.n_jobs, self.verbose, "fold", kept)
            self._store_errors(np.array(found).T, settings)
            if self.refit:
                # The original X is passed, because it has the column names.
                self.best_estimator_ = configured_copy(self.estimator, self.best_params_, draw_seed(rng)).fit(
                    X
                )
        return self

    def _target(self, X: Array) -> tuple[Array, Scaling]:
        """What is predicted, and the scale of its errors."""
        for count, name in ((len(X), "n_samples"), (X.shape[1], "n_features")):
            if count < 2:
                raise ValueError(
                    f"{name}={count} must be at least 2, so that entries can be predicted from others"
                )
        try:
            scale: tuple[Array, Scaling] = self.estimator._held_out_scale(X)
        except ValueError as error:
            raise ValueError(f"entries that are held out count as missing values: {error}") from error
        return scale

    def _store_errors(self, errors: Array, settings: list[dict[str, Any]]) -> None:
        """Set all attributes that follow from the errors of the folds, (n_values, n_folds)."""
        parameters = pd.DataFrame(settings)
        n_last = parameters.iloc[:, -1].nunique()
        self.fold_errors_, self.errors_ = errors, errors.mean(axis=1)
        self.min_index_ = best = int(np.argmin(self.errors_))
        differences = errors - errors[best]
        self.error_se_ = differences.std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        start = best - best % n_last
        near = self.errors_[start : best + 1] <= self.errors_[best] + self.error_se_[start : best + 1]
        self.one_se_index_ = start + int(np.argmax(near))
        self.best_index_ = self.min_index_ if self.rule == "min" else self.one_se_index_
        self.best_params_ = settings[self.best_index_]
        self.results_ = parameters.assign(
            error=self.errors_,
            error_se=self.error_se_,
            chosen=np.arange(len(settings)) == self.best_index_,
        )
