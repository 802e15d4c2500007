"""Choice of the number of features, or of clusters, by cross-validation of entries: EntryCrossValidation."""

from __future__ import annotations

from typing import Annotated, Any

from sklearn.base import clone

from sparsek.inputs.arguments import names
from sparsek.inputs.mixed import CodedRows
from sparsek.methods.search.error_curve import ErrorSearch
from sparsek.methods.search.held_out import HeldEntries, block_errors, block_folds, entry_folds, fold_errors
from sparsek.methods.search.parameter_search import ParamName
from sparsek.methods.search.part_search import Parts
from sparsek.methods.search.predictions import batch_scaling_of, refuse_constant
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.methods.shared.parameters import AnyPath, Flag, Jobs, Model, Repeats, Seed, Values, Verbose


class EntryCrossValidation(ErrorSearch):
    r"""Choose the number of features of `SKFR`, or other parameters, by predicting entries that are held out.

    With ``scheme="entries"`` (Wold) the entries of X are put into folds at random, so that every row and
    every column has about the same number of entries in each fold. For each fold its entries are made
    missing, the estimator is fitted to the others, and an entry is predicted by the centre of the cluster of
    its row: for a selected feature the mean of the cluster, else the overall mean. With :math:`\hat
    x_{il}(s)` the prediction by s features and :math:`v_l` the variance of feature l, the error of fold F
    with its :math:`|F|` entries is

    .. math:: \mathrm{Err}_F(s) = \frac1{|F|} \sum_{(i, l) \in F} (x_{il} - \hat x_{il}(s))^2 / v_l .

    With ``scheme="blocks"`` (bi-cross-validation of Owen and Perry, for k-means of Fu and Perry) the rows are
    put into folds, and the columns too. The estimator is fitted to the rows outside a fold. A row of the fold
    gets the cluster with the nearest mean in the selected features outside a fold of columns, each measured
    in its standard deviation around the means. That cluster predicts the columns of the fold. Where no
    selected feature is outside, the overall means predict.

    The value with the smallest mean error is chosen, or the smallest value that is hardly worse. With too
    few features, clusters stay unexplained. With too many, the means of noise features are used as
    predictions.

    Parameters
    ----------
    estimator : SKFR, or any clusterer
        What to fit. For ``scheme="entries"`` an SKFR with a loss that takes missing values; for
        ``scheme="blocks"`` any clusterer, or a Pipeline that ends in one. Never fitted itself; copies are.
    param_name : str or sequence of str
        The parameter to choose, such as "n_features_to_select". Several names, such as ("n_clusters",
        "n_features_to_select"), search the grid of all combinations; of the last named, smaller values should
        mean the simpler fit.
    param_range : array-like of shape (n_values,), or sequence of these
        Its values, numbers. For several names one such entry for each.
    scheme : {"entries", "blocks"}, default="entries"
        What a fit lacks: entries of all rows, or whole rows, with columns that are predicted from others.
    n_folds : int, default=5
        Number of folds, at least 2, for "blocks" of the rows and of the columns (of these at most one for
        each): each fit lacks a share of 1 / n_folds of the entries.
    rule : {"min", "one_se"}, default="min"
        What `best_params_` is: the value with the smallest error, the first of equal ones; or the smallest
        value whose error is above it by at most one standard error of the difference, in a grid with the
        other parameters as at the smallest error.
    refit : bool, default=True
        Fit the estimator with the chosen value to the data, as `best_estimator_`.
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every fold, the same for all values of the parameter.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None
        A folder that stores the errors of every fold in a small file, so that an interrupted fit can
        continue, with the same result. Needs an integer `random_state`; a folder of other data or settings is
        refused.

    Attributes
    ----------
    param_range_ : list of length n_values
    fold_errors_ : ndarray of shape (n_values, n_folds)
        Mean squared error of the entries of each fold, in variances of the features (dimensionless): of the
        whole column for ``standardize=True``; for a Bregman loss the variance that it stands for, the overall
        mean for Poisson, its square for Itakura-Saito. With squared loss and ``standardize=False`` in squared
        units of X. For ``scheme="blocks"`` always in variances of the whole columns.
    errors_ : ndarray of shape (n_values,)
    error_se_ : ndarray of shape (n_values,)
    min_index_ : int
    one_se_index_ : int
        Index of the smallest value whose error is at most `error_se_` of that value above the smallest.
    best_index_ : int
        Index of the chosen value: one of these two.
    best_params_ : dict
    best_estimator_ : estimator
        Fitted to all entries with the chosen value. Only with ``refit=True``.
    labels_ : ndarray of shape (n_samples,)
    results_ : DataFrame
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, fewer than two rows or features (for "blocks"
        fewer than n_folds rows, or only constant features; for "entries" more folds than
        n_samples + n_features - 1), and what the estimator raises for missing values.
    TypeError
        From `fit`: data of a kind that the estimator does not take, values that are not numbers, with
        "entries" an estimator whose centres do not predict entries, such as a Pipeline or one that takes no
        missing values.

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    SKFR : K-means on the s features that separate the clusters best.
    ThinnedSearch : Choose parameters by data thinning.
    ModelChoice : Choose the numbers of clusters and features by several criteria.

    Notes
    -----
    [of the best]
    NaN in X stay missing and are not predicted. An entry is left in its fit where its row or column would
    have no other. With ``winsorize`` the clipped entries are predicted. With `sample_weight`, folds are made
    of the rows as they are, and the errors of a row count as often as its weight says. With `batch`, entries
    are predicted by the centres of their batch, in its deviations with `standardize`.

    A category is held out as a whole: its indicators are predicted by the shares of the levels in the
    cluster, and their squared errors count in the variance of the category.

    The permutation gap asks which s stands out from noise most; the error here asks which s predicts best.

    References
    ----------
    Wold, S. (1978). Cross-validatory estimation of the number of components in factor and principal
    components models. Technometrics 20, 397-405.

    Owen, A. B. and Perry, P. O. (2009). Bi-cross-validation of the SVD and the nonnegative matrix
    factorization. Annals of Applied Statistics 3, 564-594.

    Fu, W. and Perry, P. O. (2020). Estimating the number of clusters using cross-validation. Journal of
    Computational and Graphical Statistics 29, 162-173.

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

    def __init__(
        self,
        estimator: Model,
        param_name: ParamName,
        param_range: Values,
        *,
        scheme: Annotated[str, names("entries", "blocks")] = "entries",
        n_folds: Repeats = 5,
        rule: Annotated[str, names("min", "one_se")] = "min",
        refit: Flag = True,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def _parts(self, X: Any, given: RowArguments, settings: list[dict[str, Any]]) -> Parts:
        by_entries = self.scheme == "entries"
        held: Any = self._held(X, given) if by_entries else self._rows_and_columns(X)
        rng, seeds = self._spawn(self.n_folds)
        folds: Any = (
            entry_folds(X.shape, self.n_folds, rng)
            if by_entries
            else block_folds(X.shape, self.n_folds, rng, given.codes)
        )
        tasks = [(self._copied, settings, held, given, folds, fold, seed) for fold, seed in enumerate(seeds)]
        work = fold_errors if by_entries else block_errors
        return Parts(work, tasks, rng, (len(settings),), {"folds": folds})

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.scheme == "entries" and not hasattr(self.estimator, "_held_out_scale"):
            raise TypeError(
                f"{type(self.estimator).__name__} does not predict entries that are held out; with "
                "scheme='entries' EntryCrossValidation takes an SKFR, without a Pipeline around it; give "
                "scheme='blocks' for other clusterers"
            )

    def _rows_and_columns(self, X: Any) -> Any:
        """The data, checked for folds of rows and of columns."""
        if len(X) < self.n_folds:
            raise ValueError(f"n_samples={len(X)} must be at least n_folds={self.n_folds}; give fewer folds")
        if X.shape[1] < 2:
            raise ValueError("n_features=1 must be at least 2, so that columns are predicted from others")
        refuse_constant(X)
        return X

    def _held(self, X: Any, given: RowArguments) -> HeldEntries:
        """What is predicted, and the scale of its errors."""
        for count, name in ((len(X), "n_samples"), (X.shape[1], "n_features")):
            if count < 2:
                raise ValueError(
                    f"{name}={count} must be at least 2, so that entries can be predicted from others"
                )
        if self.n_folds > sum(X.shape) - 1:
            raise ValueError(
                f"n_folds={self.n_folds} must be at most n_samples + n_features - 1 = {sum(X.shape) - 1}, so "
                "that every fold has entries; give fewer folds"
            )
        levels = X.coding.is_level if isinstance(X, CodedRows) else None
        columns = X.columns if isinstance(X, CodedRows) else X
        try:
            within = batch_scaling_of(self.estimator, columns, given, levels)
            rows = columns if within is None or given.codes is None else within.apply(columns, given.codes)
            target, scaling = clone(self.estimator)._held_out_scale(rows, given.weights, within, levels)
        except ValueError as error:
            raise ValueError(f"entries that are held out count as missing values: {error}") from error
        return HeldEntries(X, target, scaling, within)
