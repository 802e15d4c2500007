"""Facts of a fit as a whole: settings, scaling, seed, sizes, criterion, starts, and cautions about them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd

from sparsek.summary import tables

DEFAULTS = (
    ("n_features_to_select", "half of the features"),
    ("l1_bound", "half the root of the number of features"),
)
"""Parameters whose default, None, chooses how many features are in use, and what it takes."""
UNCHOSEN = 8
"""The default number of clusters, which is scikit-learn's."""
LONGEST_VALUE = 60
"""Largest number of characters of the value of a parameter, whose middle is left out."""
SAME_OBJECTIVE = 1e-6
"""A start reaches the best objective if its own differs by at most this, relative to the best."""
NEARLY_ALL = 0.9
"""A choice of more than this share of the features leaves little out."""


def settings_of(estimator: Any, left_out: tuple[str, ...]) -> str:
    """The parameters that differ from their defaults, and the choice."""
    defaults = inspect.signature(type(estimator)).parameters
    changed = ", ".join(
        f"{name}={_in_words(value)}"
        for name, value in estimator.get_params(deep=False).items()
        if name not in left_out and repr(value) != repr(defaults[name].default)
    )
    given = f"{changed}; others at their defaults" if changed else "all parameters at their defaults"
    scaling, choice = getattr(estimator, "scaling_", None), getattr(estimator, "_size_choice", None)
    chosen = [] if scaling is None or scaling.carrying is None else [scaling.in_words()]
    return "\n".join([given, *chosen, *([] if choice is None else [choice.in_words()])])


def _in_words(value: Any) -> str:
    """The value of a parameter on one line, without what no reader can use."""
    if isinstance(value, np.random.RandomState):
        return "a generator"
    if np.ndim(value) and hasattr(value, "shape"):
        return f"array of {' x '.join(map(str, value.shape))}"
    if hasattr(value, "in_short"):  # a scale of columns, of which the line below says more
        return f"({value.in_short()})"
    plain = value.item() if isinstance(value, np.generic) else value
    text = getattr(plain, "__name__", None) or " ".join(repr(plain).split())
    return tables.without_middle(text, LONGEST_VALUE)


def row_weights(estimator: Any) -> Any:
    """The sample weights of the fit, or None."""
    return getattr(estimator, "_fit_weights", None)


def sizes_of(estimator: Any) -> pd.DataFrame:
    """One row per cluster: its size, and its weight and scatter if the estimator has them."""
    labels = np.asarray(estimator.labels_)
    n_clusters = max(int(estimator.n_clusters), int(labels.max()) + 1)
    rows = np.bincount(labels[labels >= 0], minlength=n_clusters)
    names = names_of_clusters(estimator, n_clusters)
    table = pd.DataFrame({"cluster": names, "rows": rows, "share": rows / len(labels)})
    weights = row_weights(estimator)
    if weights is not None:
        table["weight of rows"] = np.bincount(labels[labels >= 0], weights[labels >= 0], minlength=n_clusters)
    return table.assign(**{name: getattr(estimator, key) for name, key in estimator._cluster_columns.items()})


def names_of_clusters(estimator: Any, n_clusters: int) -> list[Any]:
    """What the clusters are called: numbers, or the labels that were given."""
    return list(getattr(estimator, "classes_", range(n_clusters)))


def head_of(estimator: Any, features: pd.DataFrame, seeded: Any) -> pd.DataFrame:
    """Facts about data and settings, and beside them about the result; the seed is that of `seeded`."""
    missing = getattr(estimator, "_n_missing", 0)
    given = {
        "Rows": str(len(estimator.labels_)),
        "Features": str(estimator.n_features_in_),
        "Missing cells": "not counted" if missing is None else str(missing),
        "Clusters": str(estimator.n_clusters),
        "Scaling": scaling_of(estimator),
        "Seed": seed_of(seeded),
        "Engine": estimator._engine,
    }
    empty = len(getattr(estimator, "rows_without_values_", ()))
    if empty:
        given["Rows without values"] = str(empty)
    found = _shares(estimator, features)
    if getattr(estimator, "_own_groups", None) is not None:
        chosen = len(np.unique(estimator.selected_groups_))
        found["Groups in use"] = f"{chosen} of {len(estimator.groups_)}"
    if "selected" in features:
        found["Features in use"] = f"{int(features['selected'].sum())} of {len(features)}"
    objective = getattr(estimator, "objective_", None)
    for name, key in estimator._facts.items():
        value = getattr(estimator, key, None)
        if value is None or np.ndim(value):
            continue
        if key != "inertia_" or objective is None or not np.isclose(value, objective, SAME_OBJECTIVE):
            found[name] = f"{value:.6g}"
    for name, key in estimator._counts.items():
        found[name] = str(int(np.count_nonzero(getattr(estimator, key))))
    return tables.facts(given, found)


def scaling_of(estimator: Any) -> str:
    """In which units the columns were compared."""
    if not hasattr(estimator, "standardize"):
        return "by the method"
    standardized = estimator.standardize
    if standardized is None:
        standardized = not estimator._compares_columns()
    several = len(getattr(estimator, "batches_", ())) > 1
    found = getattr(estimator, "scaling_", None)
    if found is not None and not several:
        return str(found.in_short())
    if several:
        return "within batches" if standardized else "centred by batch"
    return "standardised" if standardized else "as given"


def seed_of(estimator: Any) -> str:
    """The seed that the user gave."""
    if not hasattr(estimator, "random_state"):
        return "nothing is random"
    seed = estimator.random_state
    return "none given" if seed is None else _in_words(seed)


def _shares(estimator: Any, features: pd.DataFrame) -> dict[str, str]:
    """Shares of the sums of squares that the clusters explain: of the features in use, and of all."""
    explained = estimator._explained()
    if explained is None:
        return {}
    gains, totals = explained
    if not (np.isfinite(gains).all() and np.isfinite(totals).all() and totals.sum() > 0):
        return {}
    shares = {"Share explained, all features": gains.sum() / totals.sum()}
    used = estimator.get_support() if hasattr(estimator, "get_support") else np.ones(len(totals), bool)
    if not used.all():
        own = gains[used].sum() / totals[used].sum() if totals[used].sum() > 0 else 0.0
        shares = {"Share explained, in use": own, **shares}
    return {name: f"{share:.4f}" for name, share in shares.items()}


def cautions_of(estimator: Any) -> list[str]:
    """Notes on settings that say little: as many clusters as rows, numbers that are defaults."""
    notes = []
    if estimator.n_clusters == len(estimator.labels_):
        notes.append("n_clusters is the number of rows, so that each is a cluster: k must be below n")
    elif estimator.n_clusters == UNCHOSEN and not hasattr(estimator, "estimator"):
        notes.append(
            f"n_clusters={UNCHOSEN} is the default and not chosen from the data; ModelChoice compares others"
        )
    notes += _advice(estimator)
    choice = getattr(estimator, "_size_choice", None)
    if choice is not None and len(choice.values) > 1:
        notes.append("permutation gap: log of what the clusters explain, less that on shuffled columns")
    return notes + [
        f"{name}=None took {what}; it was not chosen from the data"
        for name, what in DEFAULTS
        if getattr(estimator, name, 0) is None
    ]


def _advice(estimator: Any) -> list[str]:
    """What to do about starts that disagree, clusters of one row, and choices at an end of their range."""
    notes = []
    objectives = np.asarray(getattr(estimator, "start_objectives_", ()), dtype=np.float64)
    if objectives.size > 1 and _reached(objectives) == 1:
        notes.append(
            f"only 1 of {objectives.size} starts reached the best objective, so a better one may exist: "
            f"raise n_init, to {10 * objectives.size} for instance"
        )
    sizes = sizes_of(estimator)["rows"].to_numpy()
    single = np.flatnonzero(sizes == 1)
    if len(single) and estimator.n_clusters < len(estimator.labels_):
        notes.append(
            f"cluster {single[0]} has one row, likely an outlier: look at it, lower n_clusters, or use a "
            "method for outliers (RobustSparseKMeans)"
        )
    choice = getattr(estimator, "_size_choice", None)
    return notes + ([] if choice is None or len(choice.values) == 1 else _advice_on_size(estimator, choice))


def _advice_on_size(estimator: Any, choice: Any) -> list[str]:
    """What to do where the choice took all features, nearly all, or one."""
    used, p = int(np.count_nonzero(estimator.get_support())), estimator.n_features_in_
    if used > NEARLY_ALL * p:
        most = "all features" if used == p else f"{used} of {p} features"
        return [f"the choice took {most}: nothing speaks for a selection, so compare with plain k-means"]
    if used == 1:
        return [
            "the choice took one feature: look at it, and fit again without it to see whether others make "
            "clusters too"
        ]
    return []


def _reached(objectives: np.ndarray) -> int:
    """How many starts have the best objective."""
    half = np.ldexp(objectives[np.isfinite(objectives)], -1)  # sums of halves do not overflow
    return int(np.count_nonzero(half <= half.min() + SAME_OBJECTIVE * abs(half.min()))) if half.size else 0


def mean_membership(sure: Any, n_clusters: int) -> list[float]:
    """For each cluster the mean probability of its rows to be in it; NaN for an empty one."""
    own = [sure.membership_[sure.labels_ == k, k : k + 1] for k in range(n_clusters)]
    return [float(np.nanmean(shares)) if np.isfinite(shares).any() else np.nan for shares in own]


def starts_of(estimator: Any) -> pd.DataFrame:
    """Table of the starts: objectives, how many reached the best, iterations."""
    objectives = np.asarray(estimator.start_objectives_, dtype=np.float64)
    finite = objectives[np.isfinite(objectives)]
    table = {"starts": objectives.size, "without result": objectives.size - finite.size}
    if not finite.size:
        return pd.DataFrame([table])
    best = finite.min()
    half = np.ldexp(finite, -1)  # sums of halves do not overflow
    iterations = np.asarray(estimator.start_n_iter_)
    numbers = {
        "best": best,
        "median": float(np.ldexp(np.median(half), 1)),
        "worst": finite.max(),
        "reached best": _reached(finite),
        "iterations": " to ".join(map(str, np.unique([iterations.min(), iterations.max()]))),
    }
    return pd.DataFrame([{**table, **numbers}])
