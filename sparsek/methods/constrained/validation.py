"""Cross-validation of the constrained estimators; a parameter is chosen as in the paper or by inner folds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sparsek.core.scaling import warn_of_lost_structure
from sparsek.core.steps import Array
from sparsek.core.tasks import run_tasks, summed_up
from sparsek.errors import EmptyClusterError, InfeasibleConstraintsError
from sparsek.inputs.arguments import COUNT, JOBS, VERBOSE, AnEstimator, check_arguments, count
from sparsek.inputs.containers import as_array, unmasked
from sparsek.inputs.validation import check_array, require_array
from sparsek.methods.constrained.splits import ConstraintSplit, ConstraintSplitter
from sparsek.metrics import pairwise_f_score

MAX_BOUNDS = 30
"""Largest number of values of `l1_bound_grid`."""


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintScores:
    """F-scores on test rows, for every value of a parameter, fold and draw of constraints.

    Parameters
    ----------
    values : list
        Values of the parameter; [None] without one.
    scores : ndarray of shape (n_values, n_splits, n_draws)
        Pairwise F-scores of the test rows, dimensionless; NaN where the fit failed.
    nested_choice : ndarray of shape (n_splits, n_draws), int, or None
        Index of the value that inner folds chose, without the labels of the test rows.

    See Also
    --------
    cross_validate_constraints : Score a constrained estimator on rows that no constraint touches.
    sparsek.metrics.pairwise_f_score : F-score of pairs of rows.
    """

    values: list[Any]
    scores: NDArray[np.float64]
    nested_choice: NDArray[np.intp] | None

    @property
    def n_failed(self) -> NDArray[np.intp]:
        """Failed fits for every value, left out of the means."""
        counts: NDArray[np.intp] = np.count_nonzero(np.isnan(self.scores), axis=(1, 2))
        return counts

    @property
    def mean_scores(self) -> NDArray[np.float64]:
        """Mean over folds and draws for every value; NaN where all fits failed."""
        return np.array([_mean(values) for values in self.scores])

    @property
    def optimistic_score(self) -> float:
        """The largest of `mean_scores`, as in the paper; optimistic, because test rows choose the value."""
        return float(self.mean_scores[self._best])

    @property
    def optimistic_value(self) -> Any:
        """The value with the largest mean score."""
        return self.values[self._best]

    @property
    def nested_scores(self) -> NDArray[np.float64]:
        """Scores of the values that inner folds chose, shape (n_splits, n_draws)."""
        if self.nested_choice is None:
            raise AttributeError("no nested choice was made; give n_inner_splits")
        chosen: NDArray[np.float64] = np.take_along_axis(self.scores, self.nested_choice[None], axis=0)[0]
        return chosen

    @property
    def nested_score(self) -> float:
        """Mean of `nested_scores`; unbiased, because the labels of the test rows choose nothing."""
        return _mean(self.nested_scores)

    @property
    def _best(self) -> int:
        return _first_best(self.mean_scores)


VALIDATION: dict[str, list[Any]] = {
    "estimator": [AnEstimator(["fit", "get_params", "set_params"])],
    "splitter": [ConstraintSplitter, None],
    "parameter": [str, None],
    "values": ["array-like", None],
    "n_inner_splits": [count(2), None],
    "n_jobs": JOBS,
    "verbose": VERBOSE,
}
"""What the arguments of `cross_validate_constraints` may be."""


def cross_validate_constraints(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    splitter: ConstraintSplitter | None = None,
    parameter: str | None = None,
    values: Sequence[Any] | None = None,
    n_inner_splits: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ConstraintScores:
    """Score a constrained estimator on rows that no constraint touches.

    Every fit clusters all rows of X under the constraints of one draw, and is scored by the pairwise F-score
    of the test rows. A fit that fails (an empty cluster with ``on_empty="error"``, infeasible constraints)
    has no score and is left out of the means. Convergence warnings of the single fits are not shown.

    Parameters
    ----------
    estimator : estimator
        One of the constrained estimators; it is cloned.
    X : array-like of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        Class labels of all rows: constraints and scores come from them.
    splitter : ConstraintSplitter or None, default=None
        Folds and constraints; None for ``ConstraintSplitter()``.
    parameter : str or None, default=None
        Parameter of the estimator to be chosen, for example "l1_bound".
    values : sequence or None, default=None
        Its values.
    n_inner_splits : int or None, default=None
        Also choose the value by this many inner folds of the training rows, with constraints between inner
        training rows only: one draw each, of the splitter's percentage and kind. None makes no such choice.
    n_jobs : int or None, default=None
        Folds and draws handled at a time, by joblib with the backend of ``joblib.parallel_config``
        (processes unless told otherwise). Results do not depend on it, nor on the backend.
    verbose : int, default=0
        If positive, show a progress bar on a terminal.

    Returns
    -------
    ConstraintScores
        All scores; the paper reports `optimistic_score`, and `nested_score` is the unbiased one.

    Raises
    ------
    ValueError
        NaN or infinite data, a parameter without values, or what `ConstraintSplitter.split` refuses.
    TypeError
        Sparse data, or an argument of the wrong type.

    See Also
    --------
    ConstraintSplitter : Folds with random constraints between their training rows.
    ConstraintScores : Scores that `cross_validate_constraints` returns.
    l1_bound_grid : Bounds for `cross_validate_constraints`.
    PCSparseKMeans : Sparse k-means with pairwise constraints.

    References
    ----------
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71, Section 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek import ConstraintSplitter, PCSparseKMeans, cross_validate_constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PCSparseKMeans(3, init="dkm++", on_empty="error")
    >>> splitter = ConstraintSplitter(2.0, n_splits=5, n_draws=1, random_state=0)
    >>> result = cross_validate_constraints(
    ...     model, X, y, splitter=splitter, parameter="l1_bound", values=[1.1, 1.5]
    ... )
    >>> result.scores.shape
    (2, 5, 1)
    """
    check_arguments(
        "cross_validate_constraints",
        VALIDATION,
        estimator=estimator,
        splitter=splitter,
        parameter=parameter,
        values=values,
        n_inner_splits=n_inner_splits,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    X = require_array(X)
    data = check_array(X, dtype=[np.float64, np.float32], input_name="X")
    warn_of_lost_structure(data, None, common_scale=False)
    labels = as_array(unmasked(y, "y"), "y")
    splitter = ConstraintSplitter() if splitter is None else splitter
    if (parameter is None) != (values is None or not getattr(values, "ndim", 1) or not len(values)):
        raise ValueError("parameter and values belong together: give both or none, and at least one value")
    grid: list[Any] = [None] if values is None else list(values)
    models = [clone(estimator) if parameter is None else _with(estimator, parameter, v) for v in grid]
    inner = None if n_inner_splits is None else _inner_splitter(splitter, n_inner_splits)
    tasks = [
        (models, data, labels, split, inner, splitter.random_state) for split in splitter.split(data, labels)
    ]
    with summed_up():
        rows, choices = zip(*run_tasks(_one_split, tasks, n_jobs, verbose, "split"), strict=True)
    shape = (splitter.n_splits, splitter.n_draws)
    scores = np.array(rows).T.reshape(len(grid), *shape)
    return ConstraintScores(grid, scores, None if inner is None else np.array(choices).reshape(shape))


def l1_bound_grid(n_features: int) -> list[float]:
    """Bounds s = 1.1, 1.3, ... up to sqrt(n_features), as in the paper; coarser where these are above 30.

    Parameters
    ----------
    n_features : int
        Number of features p.

    Returns
    -------
    list of float
        Bounds from 1.1 in steps of 0.2, or of the smallest whole number that gives at most 30 values; [1.0]
        for one feature.

    Raises
    ------
    ValueError
        `n_features` is below 1.
    TypeError
        `n_features` is not an integer.

    See Also
    --------
    cross_validate_constraints : Score a constrained estimator on rows that no constraint touches.
    PCSparseKMeans : Sparse k-means with pairwise constraints.

    References
    ----------
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71, Section 3.

    Examples
    --------
    >>> from sparsek import l1_bound_grid
    >>> l1_bound_grid(4)
    [1.1, 1.3, 1.5, 1.7, 1.9]
    """
    check_arguments("l1_bound_grid", {"n_features": COUNT}, n_features=n_features)
    room = float(np.sqrt(n_features)) - 1.1
    if room < 0:
        return [1.0]
    # 1e-9, so that sqrt(p) counts as a grid value in spite of rounding.
    step = next(step for step in (0.2, *range(1, n_features + 1)) if room / step + 1e-9 < MAX_BOUNDS)
    return [round(1.1 + i * step, 1) for i in range(int(room / step + 1e-9) + 1)]


def _inner_splitter(splitter: ConstraintSplitter, n_inner_splits: int) -> ConstraintSplitter:
    inner: ConstraintSplitter = clone(splitter).set_params(n_splits=n_inner_splits, n_draws=1)
    return inner


def _with(estimator: Any, parameter: str, value: Any) -> Any:
    return clone(estimator).set_params(**{parameter: value})


def _one_split(
    models: list[Any],
    X: Array,
    y: Array,
    split: ConstraintSplit,
    inner: ConstraintSplitter | None,
    seed: int | None,
    stop: list[bool],
) -> tuple[list[float], int]:
    """Scores of all values on the test rows, and the index of the value that inner folds choose."""
    given = split.constraints.fit_params()
    scores = [_score(model, X, y, given, split.test) for model in models if not stop]
    if inner is None:
        return scores, 0
    train = split.train
    inner = clone(inner).set_params(random_state=None if seed is None else _inner_seed(seed, split))
    found = np.empty((len(models), inner.n_splits))
    for f, part in enumerate(inner.split(X[train], y[train])):
        # All rows are clustered; the constraints join inner training rows only.
        if stop:
            break
        inside = part.constraints
        pairs = {"must_link": train[inside.must_link], "cannot_link": train[inside.cannot_link]}
        found[:, f] = [_score(model, X, y, pairs, train[part.test]) for model in models]
    return scores, _first_best([_mean(row) for row in found])


def _inner_seed(seed: int, split: ConstraintSplit) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=(split.fold, split.draw, 1)).generate_state(1)[0])


def _score(model: Any, X: Array, y: Array, pairs: dict[str, Any], rows: Array) -> float:
    """F-score of some rows after a fit to all rows; NaN if the fit fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            labels = clone(model).fit(X, **pairs).labels_
        except (EmptyClusterError, InfeasibleConstraintsError):
            return np.nan
    return pairwise_f_score(y[rows], labels[rows])


def _mean(values: Any) -> float:
    """Mean of the values that are not NaN; NaN if there are none."""
    there = np.asarray(values)[~np.isnan(values)]
    return float(there.mean()) if there.size else np.nan


def _first_best(means: Any) -> int:
    """Index of the largest mean, the first of equal ones; 0 where all are NaN."""
    return int(np.argmax(np.where(np.isnan(means), -np.inf, means)))
