"""Choice of parameters by data thinning, fit on some folds and score on another: ThinnedSearch."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from sparsek.core.medians import observed_medians
from sparsek.core.steps import Array
from sparsek.core.tasks import draw_seed, fit_settings
from sparsek.inputs.arguments import count, names
from sparsek.methods.search.choice.grid_search import GridSearch, Params
from sparsek.methods.search.choice.thinning import (
    FAMILIES,
    FAMILY_NAMES,
    check_domain,
    check_trials,
    entry_variances,
    fold_shares,
    is_covariance,
    known_parameter,
    split_folds,
)
from sparsek.methods.search.error_curve import ErrorSearch
from sparsek.methods.search.kinds import require_numbers
from sparsek.methods.search.part_search import Parts
from sparsek.methods.search.predictions import (
    column_means,
    mean_square,
    refuse_constant,
    refuse_empty_columns,
    row_predictions,
)
from sparsek.methods.search.row_arguments import RowArguments
from sparsek.methods.shared.parameters import AnyPath, Flag, Jobs, Model, Positive, Seed, Values, Verbose

MOST_EXPONENT = 1020
"""Entries below 2^1020 stay finite where noise is added."""
MOST_RATIO = 1e100
"""Largest ratio of an entry to the standard deviation of its feature, or the reverse: squares stay finite."""
MOST_FOLDS = 100
"""Largest number of folds, each of which is as large as X."""
UNSPLIT = "one draw of a category cannot be split into independent parts"
"""Why tables with categories are not thinned."""
MAD_TO_SD = 1.482602218505602
"""Standard deviation of a normal distribution with median absolute deviation 1: 1 / Phi^-1(3 / 4)."""


class ThinnedSearch(GridSearch, ErrorSearch):
    r"""Choose parameters by data thinning: fit to one part of every entry, score on an independent one.

    X is split into M folds that add up to X and are independent of one another (`thin`). For each fold m the
    estimator is fitted to the sum of the others, divided by its share of the information, and predicts the
    fold: an entry by the mean of the cluster of its row for a selected feature, else by the overall mean.
    With :math:`\epsilon_m` the share of the fold, :math:`\hat x^{(-m)}_{il}` the prediction and :math:`v_l`
    the variance of the family at the mean of feature l,

    .. math:: \mathrm{Err}_m = \frac1{np} \sum_{i,l} (x^{(m)}_{il}/\epsilon_m - \hat x^{(-m)}_{il})^2 / v_l .

    The point of the grid with the smallest mean error is chosen, or a simpler one that is hardly worse.
    Every fold has all rows and features, so no rule for new rows is needed. A cluster that follows the noise
    of some folds does not predict the noise of another fold.

    Parameters
    ----------
    estimator : estimator
    params : dict of str to array-like
        The parameters to choose, by their names in ``estimator.get_params()``, and their values, numbers,
        such as ``{"n_clusters": [2, 3, 4], "n_features_to_select": [5, 10, 20]}``; all combinations are
        tried. Of the last one smaller values should mean the simpler fit. None as values of an L1 bound means
        those of `PermutationGap`.
    family : str, default="gaussian"
        Distribution of the entries in a cluster, by its name in `thin`: "gaussian", "poisson",
        "negative_binomial", "binomial", "gamma" or "exponential".
    parameter : float or array-like, default=None
        What must be known of the family; see `thin`. None for "gaussian" estimates the variance of each
        feature: 1.4826 times the median absolute deviation from the median, squared, or where that is 0 the
        variance. It contains the differences between clusters, so it is too large for features that separate
        them, which makes errors too large rather than too small.
    n_folds : int, default=5
        Number M of folds, from 2 to 100, with equal shares: each fit has a share 1 - 1 / M of the
        information. For "binomial" M must divide the numbers of trials.
    rule : {"min", "one_se"}, default="min"
        What `best_params_` is: the point with the smallest error, the first of equal ones; or the one with
        the smallest value of the last parameter whose error is above it by at most one standard error of the
        difference, the others as at the smallest error.
    refit : bool, default=True
    n_jobs : int or None, default=None
    random_state : int, RandomState instance or None, default=None
        Seed of the thinning and of the fits: every ``random_state`` inside the estimator is replaced by one
        drawn afresh for every fold, the same for all points of the grid.
    verbose : int, default=0
    checkpoint : str, path-like or None, default=None
        A folder that stores the errors of every fold, so that an interrupted fit can continue; see
        `PermutationGap`.

    Attributes
    ----------
    param_range_ : list of length n_values
    parameter_ : ndarray
        The parameter of the family that was used: squared units of X for "gaussian", else dimensionless. One
        that is estimated has a row for each of several batches.
    fold_errors_ : ndarray of shape (n_values, n_folds)
        Error of each fold, dimensionless. Its expectation is at least M for the noise of the fold itself.
    errors_ : ndarray of shape (n_values,)
    error_se_ : ndarray of shape (n_values,)
    min_index_ : int
    one_se_index_ : int
    best_index_ : int
    best_params_ : dict
    best_estimator_ : estimator
    labels_ : ndarray of shape (n_samples,)
    results_ : DataFrame
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        From `fit`: an unknown parameter, no or unusable values, data that the family cannot have, a parameter
        of the family that is missing or wrong, only constant features, and what the estimator raises.
    TypeError
        From `fit`: data of a kind that the estimator does not take, values that are not numbers.

    Warns
    -----
    ConvergenceWarning

    See Also
    --------
    thin : Split data into independent folds.
    EntryCrossValidation : Choose parameters by predicting entries that are held out.
    ModelChoice : Choose the numbers of clusters and features by several criteria.

    Notes
    -----
    [of the best]
    The folds are independent only if the entries have the family's distribution with the parameter given.
    Means are taken over the observed entries. With `sample_weight`, a row is thinned once, whatever its
    weight, and its means and errors count as often as the weight says. With `batch`, entries are predicted by
    the means, and with `standardize` the deviations, of their batch, whose noise is estimated alone.

    References
    ----------
    Neufeld, A., Dharamshi, A., Gao, L. L. and Witten, D. (2024). Data thinning for convolution-closed
    distributions. JMLR 25(57), 1-35.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, ThinnedSearch
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> grid = {"n_clusters": [2, 3, 4], "n_features_to_select": [1, 3, 6, 12]}
    >>> ThinnedSearch(SKFR(n_init=5), grid, parameter=1, random_state=0).fit(X).best_params_
    {'n_clusters': 2, 'n_features_to_select': 3}
    """

    _criterion = "Error of thinned folds"

    def __init__(
        self,
        estimator: Model,
        params: Params,
        family: Annotated[str, FAMILY_NAMES] = "gaussian",
        *,
        parameter: Values | Positive | None = None,
        n_folds: Annotated[int, count(2, MOST_FOLDS)] = 5,
        rule: Annotated[str, names("min", "one_se")] = "min",
        refit: Flag = True,
        n_jobs: Jobs = None,
        random_state: Seed = None,
        verbose: Verbose = 0,
        checkpoint: AnyPath | None = None,
    ) -> None:
        self._keep(locals())

    def _parts(self, X: Array, given: RowArguments, settings: list[dict[str, Any]]) -> Parts:
        require_numbers(X, UNSPLIT, 'choose by another criterion, such as "gap" or "entries"')
        exact = X.astype(np.float64)
        refuse_constant(exact)
        shares = fold_shares(None, self.n_folds)
        known = self._known(exact, shares)
        exponents = self._units(exact)
        # Powers of two bring the features near 1 and change no digit.
        scaled = np.ldexp(exact, -exponents)
        rng, seeds = self._spawn(self.n_folds)
        refuse_empty_columns(exact, given)
        batches = given.by_batch()
        noise = [self._noise(known, scaled, given.weights, rows, exponents) for rows in batches]
        parts = [
            split_folds(scaled[rows], self.family, shares, own, rng)
            for rows, (own, _) in zip(batches, noise, strict=True)
        ]
        folds, scale = joined(parts, [deviations for _, deviations in noise], batches)
        if known is None:
            estimated = np.array([own for own, _ in noise])
            known = estimated[0] if len(noise) == 1 else estimated
            with np.errstate(over="ignore", under="ignore"):  # variances can be beyond all doubles
                known = np.ldexp(known, 2 * exponents)
        self.parameter_ = known
        tasks = [
            (self._copied, settings, folds, given, exponents, scale, fold, seed)
            for fold, seed in enumerate(seeds)
        ]
        key = {"family": self.family, "parameter": self.parameter_, "n_folds": self.n_folds}
        return Parts(thinned_errors, tasks, rng, (len(settings),), key)

    def _known(self, X: Array, shares: Array) -> Array | None:
        """The parameter of the family, checked; None where it is to be estimated."""
        if self.family == "gaussian" and self.parameter is None:
            return None
        check_domain(X, self.family)
        known = known_parameter(self.parameter, self.family, X.shape)
        check_trials(X, known, self.family, shares)
        return known

    def _noise(
        self, known: Array | None, X: Array, weights: Array | None, rows: Any, exponents: NDArray[np.intc]
    ) -> tuple[Array, Array]:
        """The parameter for the rows of a batch, estimated if not known, and deviations (n_features,)."""
        if known is None:
            own = robust_variances(X[rows], None if weights is None else weights[rows])
        else:
            own = self._in_units(known, exponents)
            for_rows = self.family == "gaussian" and is_covariance(known, X.shape)
            own = own if for_rows or known.shape != X.shape else own[rows]
        scale = np.sqrt(entry_variances(X[rows], self.family, own))
        self._check_scale(scale)
        return own, scale

    def _units(self, X: Array) -> NDArray[np.intc]:
        """Powers of two that bring the features to sizes around 1; counts keep theirs."""
        if FAMILIES[self.family].whole:
            return np.zeros(X.shape[1], dtype=np.intc)
        exponents: NDArray[np.intc] = np.frexp(np.nanmax(np.abs(X), axis=0))[1]
        if exponents.max() > MOST_EXPONENT:
            raise ValueError(
                f"X has entries of {np.nanmax(np.abs(X)):g}, which overflow where noise is added; divide X "
                "by a constant"
            )
        return exponents

    def _check_scale(self, scale: Array) -> None:
        """Raise ValueError where standard deviations in units of the entries leave the range of squares."""
        far = (scale > MOST_RATIO) | ((scale < 1 / MOST_RATIO) & (scale > 0))
        if far.any() or not (scale > 0).any():
            j = int(np.argmax(far))
            raise ValueError(
                f"feature {j} has entries and a deviation (parameter={self.parameter!r}) whose scales "
                f"differ by more than {MOST_RATIO:g}; give variances in squared units of X, or leave out the "
                "rows with these entries"
            )

    def _in_units(self, known: Array, exponents: NDArray[np.intc]) -> Array:
        """The parameter for features in these units."""
        if self.family != "gaussian":
            return known
        square = known.shape == (len(exponents), len(exponents)) and len(exponents) > 1
        with np.errstate(over="ignore", under="ignore"):  # `_check_scale` refuses such ones
            # A variance has the square of a feature's unit, and a covariance those of two features.
            scaled: Array = np.ldexp(known, -(exponents + (exponents[:, None] if square else exponents)))
        return scaled


def joined(parts: list[Array], scales: list[Array], batches: list[Any]) -> tuple[Array, Array]:
    """Join the folds of batches to (n_folds, n, p) and scales to (n, p); one batch keeps scales (p,)."""
    if len(parts) == 1:
        return parts[0], scales[0]
    folds = np.empty((len(parts[0]), len(batches[0]), parts[0].shape[2]))
    scale = np.empty(folds.shape[1:])
    for part, own, rows in zip(parts, scales, batches, strict=True):
        folds[:, rows], scale[rows] = part, own
    return folds, scale


def robust_variances(X: Array, weights: Array | None) -> Array:
    """Squared scaled median absolute deviation of each feature, or where that is 0 its variance."""
    if weights is None:
        deviations = np.nanmedian(np.abs(X - np.nanmedian(X, axis=0)), axis=0)
        variances = np.nanvar(X, axis=0)
    else:
        deviations = observed_medians(np.abs(X - observed_medians(X, weights)), weights)
        variances = column_means(np.square(X - column_means(X, weights)), weights)
    # Where half of the entries are equal their median deviation is 0, and the variance takes its place.
    found: Array = np.where(deviations > 0, (MAD_TO_SD * deviations) ** 2, variances)
    return found


def thinned_errors(
    estimator: Any,
    settings: list[dict[str, Any]],
    folds: Array,
    given: RowArguments,
    exponents: NDArray[np.intc],
    scale: Array,
    fold: int,
    seed: np.random.SeedSequence,
    stop: list[bool],
) -> Array:
    """Mean squared error of a fold for every setting, in units of `scale`, by fits to the other folds.

    The folds and the scale are in units 2^exponents of the features; fits see the units of X. Features
    without scale are left out. With batches the scale is that of each entry.
    """
    n_folds = len(folds)
    # Folds have an n_folds-th of the mean of the data; times n_folds, both parts have the whole mean.
    test = folds[fold] * n_folds
    # The other folds hold n_folds - 1 of n_folds parts of the mean.
    train = np.delete(folds, fold, axis=0).sum(axis=0) * (n_folds / (n_folds - 1))
    varying = scale > 0
    errors = np.full(len(settings), np.nan)
    rows, state = np.ldexp(train, exponents), draw_seed(np.random.default_rng(seed))
    params = given.for_fit()
    fits = fit_settings(estimator, settings, rows, state, complete=True, fit_params=params)
    for i, fit in enumerate(fits):
        if stop:
            break
        difference = test - row_predictions(fit, train, given)
        if scale.ndim == 1:
            difference = difference[:, varying] / scale[varying]
        else:
            difference = np.divide(difference, scale, out=np.full(scale.shape, np.nan), where=varying)
        errors[i] = mean_square(difference, given.weights)
    return errors
