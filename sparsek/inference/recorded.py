"""Fits that can be repeated step by step: what each model started from, and where its steps stay the same.

The derivation for SKFR is in `docs/methods/inference.md`.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from sparsek.core.steps import largest
from sparsek.methods.skfr.estimator import SKFR
from sparsek.rcompat.stats.api_kmeans import KMeansResult
from sparsek.selective.intervals import Conditions
from sparsek.selective.line import (
    Array,
    Centers,
    Line,
    Quadratic,
    assign,
    cleared,
    fixed_centers,
    means,
    rows_as_centers,
)
from sparsek.selective.lloyd import LloydRecord, lloyd_conditions

ANYTHING_ELSE = "; test_clusters takes any estimator"
PLAIN_SKFR = {
    "standardize": False,
    "refine": False,
    "winsorize": None,
    "loss": "squared",
    "projection": None,
    "groups": None,
    "always": None,
    "never": None,
}
"""The options under which all steps of SKFR are quadratic in the perturbation and rank all features."""
RANDOM_STARTS = 10
"""What scikit-learn's n_init="auto" means for init="random"."""


class NotRepeatable(ValueError):
    """A fit with options whose steps the exact test cannot follow."""


def labels_of(model: Any) -> Array:
    """Labels of a fitted model, as it numbers them."""
    if isinstance(model, KMeansResult):
        return np.asarray(model.cluster)
    if not hasattr(model, "labels_"):
        raise ValueError(f"{type(model).__name__} has no labels; fit it first")
    return np.asarray(model.labels_)


def kmeans_steps(model: Any, X: Array, line: Line) -> Conditions:
    """Where the fit of a k-means model takes the same steps; ValueError if the fit cannot be repeated."""
    offset = X.mean(axis=0)
    if isinstance(model, SKFR):
        labels, conditions = _repeat_skfr(model, X, line, offset)
    else:
        labels, conditions = lloyd_conditions(line, lloyd_record(model, len(X)), offset)
    known = labels_of(model)
    if not np.array_equal(labels + int(isinstance(model, KMeansResult)), known):
        moved = int(np.count_nonzero(labels != known - int(isinstance(model, KMeansResult))))
        raise ValueError(
            f"repeating the fit gave other labels in {moved} of {len(X)} rows, so its steps are not known: "
            "pass the X of the fit, fit without sample_weight, and in float64" + ANYTHING_ELSE
        )
    return conditions


def lloyd_record(model: Any, n: int) -> LloydRecord:
    """The starts and the limits of a k-means fit.

    Raises TypeError for another model; ValueError for starts that look at the data or cannot be drawn again.
    """
    if isinstance(model, KMeansResult):
        if model.lloyd_record is None:
            raise NotRepeatable('the exact test needs kmeans(..., algorithm="Lloyd")' + ANYTHING_ELSE)
        return model.lloyd_record
    if not isinstance(model, KMeans):
        raise TypeError(
            "the exact test takes scikit-learn's KMeans, SKFR and the result of rcompat.kmeans; got "
            f"{type(model).__name__}" + ANYTHING_ELSE
        )
    if isinstance(model.init, str) and model.init == "random":
        return LloydRecord(_random_rows(model, n), None, model.max_iter, model.tol)
    if isinstance(model.init, str) or callable(model.init):
        raise NotRepeatable(
            f"init={model.init!r} chooses starts by looking at the data, so the exact test cannot hold them "
            "fixed; use init='random' with an integer random_state, or given centres" + ANYTHING_ELSE
        )
    centers = np.asarray(model.init, dtype=np.float64)
    return LloydRecord(None, centers, model.max_iter, model.tol)


def _random_rows(model: KMeans, n: int) -> Array:
    """The rows that scikit-learn's init="random" draws, (n_init, k)."""
    if isinstance(model.random_state, bool) or not isinstance(model.random_state, Integral):
        raise NotRepeatable(
            f"random starts are drawn again from random_state, which must be an integer; got "
            f"{model.random_state!r}" + ANYTHING_ELSE
        )
    rng = np.random.RandomState(int(model.random_state))
    runs = RANDOM_STARTS if model.n_init == "auto" else model.n_init
    # scikit-learn passes the probabilities of the sample weights, which choose another algorithm.
    share = np.full(n, 1 / n)
    return np.array([rng.choice(n, size=model.n_clusters, replace=False, p=share) for _ in range(runs)])


def _repeat_skfr(model: SKFR, X: Array, line: Line, offset: Array) -> tuple[Array, Conditions]:
    """Labels of a repeated fit of SKFR and where they stay; ValueError for options that it cannot follow."""
    if len(getattr(model, "batches_", ())) > 1:
        raise NotRepeatable(
            f"the exact test of SKFR takes rows of one batch; the fit had {len(model.batches_)}: fit each "
            "batch alone" + ANYTHING_ELSE
        )
    if model._chooses():
        raise NotRepeatable(
            "n_features_to_select='auto' chooses by comparing fits, which the exact test cannot hold fixed; "
            "give a number" + ANYTHING_ELSE
        )
    for name, plain in PLAIN_SKFR.items():
        value = getattr(model, name)
        if value is not None if plain is None else value != plain:
            remedy = (
                " and divide X by known standard deviations of the noise" if name == "standardize" else ""
            )
            raise NotRepeatable(
                f"the exact test of SKFR needs {name}={plain!r}; got {value!r}: set it so{remedy}"
                + ANYTHING_ELSE
            )
    start = _skfr_start(model, X, line, offset)
    n_selected, local = model._n_selected(X.shape[1]), model.scope == "local"
    labels, selected, conditions = skfr_conditions(
        line, start, int(model.n_clusters), n_selected, local, int(model.max_iter)
    )
    if not np.array_equal(selected, model.selected_features_):
        raise ValueError(
            "repeating the fit selected other features, so its steps are not known: pass the X of the fit, "
            "and fit without sample_weight" + ANYTHING_ELSE
        )
    return labels, conditions


def _skfr_start(model: SKFR, X: Array, line: Line, offset: Array) -> Array | Centers:
    """Initial labels, or the centres that give them: rows of X, which move, or fixed ones."""
    if isinstance(model.init, str) or callable(model.init):
        raise NotRepeatable(
            f"init={model.init!r} chooses starts by looking at the data, so the exact test cannot hold them "
            "fixed; use init=numpy.random.default_rng(0).choice(len(X), n_clusters, replace=False)"
            + ANYTHING_ELSE
        )
    given = np.asarray(model.init)
    if given.ndim == 2:
        return fixed_centers(given - offset)
    if given.shape == (model.n_clusters,) != (len(X),):
        return rows_as_centers(line, given)
    return given


ENTRIES = 1_000_000
"""Pairs of features that are compared at a time."""


def skfr_conditions(
    line: Line, start: Array | Centers, n_clusters: int, n_selected: int, local: bool, max_iter: int
) -> tuple[Array, Array, Conditions]:
    """Repeat a fit of SKFR on data as they are; find where all of its steps stay the same.

    Shapes: start (n,); returns labels (n,), selected (s,) or (k, s).
    """
    conditions = Conditions()
    # Labels that are given do not look at the data, and add no condition.
    labels = assign(line, start, conditions) if isinstance(start, Centers) else start
    for _ in range(max_iter):
        centers, selected = _ranked(line, labels, n_clusters, n_selected, local, conditions)
        before, labels = labels, assign(line, centers, conditions)
        if np.array_equal(before, labels):
            break
    return labels, selected if local else selected[0], conditions


def _ranked(
    line: Line, labels: Array, n_clusters: int, n_selected: int, local: bool, conditions: Conditions
) -> tuple[Centers, Array]:
    """Sparse centres and selected features (1 or k rows); adds the conditions of the ranking."""
    values, rates = means(line, labels, n_clusters)
    counts = np.bincount(labels, minlength=n_clusters)[:, None]
    # A mean moves as m + d r, so that its gain n (m + d r)^2 is quadratic in d.
    gains = Quadratic(counts * rates * rates, 2 * counts * values * rates, counts * values * values)
    if not local:
        gains = Quadratic(*(coefficient.sum(axis=0)[None] for coefficient in gains))
    selected = largest(gains.gamma, n_selected)
    for ranking, chosen in zip(zip(*gains, strict=True), selected, strict=True):
        _keep_ranking(line, Quadratic(*ranking), chosen, conditions)
    used = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(used, np.broadcast_to(selected, (n_clusters, n_selected)), True, axis=1)
    return Centers(np.where(used, values, 0), np.where(used, rates, 0)), selected


def _keep_ranking(line: Line, gains: Quadratic, chosen: Array, conditions: Conditions) -> None:
    """Add: every chosen feature has at least the gain of every other one."""
    others = gains.at(np.delete(np.arange(len(gains.gamma)), chosen))
    step = max(1, ENTRIES // max(1, len(others.gamma)))
    for first in range(0, len(chosen), step):
        mine = gains.at(chosen[first : first + step])
        column: list[Any] = [coefficient[:, None] for coefficient in mine]
        # The gain of another feature less that of a chosen one stays at most 0.
        conditions.add(*cleared(line, others.minus(Quadratic(*column))))
