"""SKFR for many numbers of features at once: skfr_path."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from sparsek.core.steps import Array, FitResult
from sparsek.inputs.indices import aligned
from sparsek.inputs.threads import thread_control
from sparsek.methods.shared.base import best_of, criterion_rounding
from sparsek.methods.shared.forced import warn_of_many
from sparsek.methods.shared.path_arguments import path_base, path_values
from sparsek.methods.skfr.estimator import SKFR

DEFAULT_VALUES = 10
"""Largest length of the default grid."""


@dataclass(frozen=True, slots=True)
class SKFRPath:
    """SKFR for m numbers of features; entry i of every attribute belongs to ``values[i]``."""

    values: NDArray[np.int_]  # (m,) int: numbers s of features, decreasing
    objectives: NDArray[np.float64]  # (m,): h, as `SKFR.objective_`
    # (m,): share of the total sum of squares that the clusters explain, in [0, 1]
    explained: NDArray[np.float64]
    labels: NDArray[np.int32]  # (m, n_samples) int32: labels from 0
    # (s,) or (n_clusters, s): sorted indices of the selected features; one row per cluster for scope "local"
    selected: tuple[Array, ...]
    # (m, n_features) or (m, n_clusters, n_features): as `SKFR.feature_weights_`: 0 where not selected
    feature_weights: NDArray[np.float64]
    # (m,) bool: whether the partition was reached from that of a neighbouring value, not from a start of its
    # own
    from_neighbor: NDArray[np.bool_]
    estimators: tuple[SKFR, ...]  # The fitted estimators, with all other attributes and `predict`

    def to_frame(self) -> pd.DataFrame:
        """The path as a table."""
        return pd.DataFrame(
            {
                "n_features_to_select": self.values,
                "objective": self.objectives,
                "explained": self.explained,
                "n_iter": [model.n_iter_ for model in self.estimators],
                "from_neighbor": self.from_neighbor,
            }
        )


def skfr_path(
    estimator: SKFR,
    X: ArrayLike,
    values: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> SKFRPath:
    r"""Fit `SKFR` for a grid of numbers of features, each helped by the partitions of its neighbours.

    The data are checked and standardised once, and the seeds are drawn once. Every number of features s gets
    the starts that `SKFR.fit` would give it. Then the best partition of each s is tried as a start of the
    next smaller s, down to the smallest, and of the next larger s, up to the largest. This is repeated until
    nothing improves.

    Parameters
    ----------
    estimator : SKFR
        Holds all other parameters; its `n_features_to_select` is not used. Never fitted itself.
    X : array-like of shape (n_samples, n_features)
        Data; NaN as in `SKFR`. Never changed.
    values : array-like of shape (m,) or None, default=None
        Numbers of features, or fractions of them, as in `SKFR`, in any order; repeats count once. None means
        up to 10 values from 1 to n_features, equally spaced in the logarithm.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Numbers of repetitions of the rows.

    Returns
    -------
    SKFRPath
        The fits, in decreasing order of the values.

    Raises
    ------
    ValueError
        For anything that `SKFR.fit` refuses, a value out of range, no value, or a projection.
    TypeError
        For an estimator that is not an SKFR, or values that are not a sequence of numbers.

    Warns
    -----
    ConvergenceWarning
        As `SKFR.fit`, for every value.
    UserWarning
        Once, where values exceed n_features: they count as n_features.

    See Also
    --------
    SKFR : K-means on the s features that separate the clusters best.
    EntryCrossValidation : Choose parameters by predicting entries that are held out.
    sparsek.plots.plot_path : Draw the weights of a path.

    Notes
    -----
    With one value the numbers are those of `SKFR.fit`. With several, no objective is above the one that
    `SKFR.fit` finds from the same `random_state`, nor above the one that it finds from the labels of the next
    value on either side, up to 64 units in the last place of the total sum of squares. On complete data and
    with ``missing="observed"`` it follows that the explained share never decreases with s, because the same
    partition explains no less with more features, and that the explained share per feature never increases
    with s, because the best s' of s features have at least the share s'/s of their gains.

    `SKFR.restart_table_` has one more row where the partition came from a neighbour.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR, skfr_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:30, :3] += 4
    >>> path = skfr_path(SKFR(n_clusters=2, random_state=0), X, [1, 3, 10])
    >>> path.values
    array([10,  3,  1])
    >>> path.selected[1]
    array([0, 1, 2])
    >>> path.explained.round(2)
    array([0.13, 0.12, 0.04])
    """
    base = path_base(estimator, SKFR, "n_features_to_select")
    if base.projection is not None:
        raise ValueError("a path needs a number of features, which a projection does not have")
    problem = base._problem(base._in_memory_source(X, aligned(sample_weight, X, "sample_weight")))
    sizes = _sizes(base, values, problem.source.shape[1])
    models = [copy(base).set_params(n_features_to_select=size) for size in sizes]
    with thread_control().limit(limits=1):
        own = list(base._run_sizes(models, problem))
        best = _exchange(models, problem, own)
    moved = []
    for model, results, result in zip(models, own, best, strict=True):
        moved.append(not any(result is one for one in results))
        results = [*results, result] if moved[-1] else results
        chosen = model._best_start(results, problem.tss, problem.source.dtype)
        with thread_control().limit(limits=1):
            model._store(problem, results, chosen)
        model.labels_ = model._all_labels(X, chosen.labels, problem.source.kept)
    return _summarise(models, sizes, moved)


def _sizes(model: SKFR, values: ArrayLike | None, p: int) -> list[int]:
    """Numbers of features, decreasing, without repeats."""
    given = path_values(values, "numbers of features", model, "n_features_to_select")
    if given is None:
        sizes: list[int] = np.unique(
            np.geomspace(*model._fewest_and_most(p), DEFAULT_VALUES).round().astype(int)
        )[::-1].tolist()
        return sizes
    wishes = [copy(model).set_params(n_features_to_select=value) for value in given]
    sizes = sorted({wish._n_selected(p) for wish in wishes}, reverse=True)
    warn_of_many(max(wish.n_features_to_select for wish in wishes), p)
    return sizes


def _exchange(models: list[SKFR], problem: Any, own: list[list[FitResult[Any]]]) -> list[FitResult[Any]]:
    """Start from the best partitions of neighbouring values, down and up, until no criterion improves."""
    rounding = criterion_rounding(problem.tss, problem.source.dtype)
    best = [best_of(results, rounding) for results in own]
    down = [(i, i + 1) for i in range(len(best) - 1)]
    tried: dict[tuple[int, int], FitResult[Any]] = {}
    improved = True
    while improved:
        improved = False
        for source, target in down + [(j, i) for i, j in reversed(down)]:
            # The same partition of this neighbour was tried before and gives the same result.
            if tried.get((source, target)) is best[source]:
                continue
            tried[source, target] = best[source]
            (result,) = models[target]._run(problem, [best[source].labels])
            # A gain within rounding is none: otherwise the exchange might not end.
            if result.criterion < best[target].criterion - rounding:
                best[target], improved = result, True
    return best


def _summarise(models: list[SKFR], sizes: list[int], moved: list[bool]) -> SKFRPath:
    """The path from the attributes of the fitted estimators."""
    objectives = np.array([model.objective_ for model in models])
    tss = models[0].tss_
    return SKFRPath(
        values=np.array(sizes),
        objectives=objectives,
        explained=1 - objectives / tss if tss > 0 else np.zeros(len(models)),
        labels=np.array([model.labels_ for model in models]),
        selected=tuple(model.selected_features_ for model in models),
        feature_weights=np.array([model.feature_weights_ for model in models]),
        from_neighbor=np.array(moved),
        estimators=tuple(models),
    )
