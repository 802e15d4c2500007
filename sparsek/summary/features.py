"""Tables of the features of a fit and of their groups, the most important first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sparsek.inputs.in_use import in_use
from sparsek.summary.facts import names_of_clusters

SHOWN_CLUSTERS = 3
"""With more clusters than this, weights per cluster are left to `Summary.features`."""
MOST_LETTERS = 36
"""Names of the features of a group are shown up to so many letters."""


def features_of(estimator: Any, sure: Any) -> tuple[pd.DataFrame, list[str]]:
    """One row per feature, the most important first, and notes on the columns."""
    p = estimator.n_features_in_
    names = names_of_features(estimator)
    columns: dict[str, Any] = {}
    groups = getattr(estimator, "_own_groups", None)
    notes = []
    weights = estimator._weights_by_cluster()
    if hasattr(estimator, "get_support"):
        columns["selected"] = estimator.get_support()
    elif weights is not None:
        columns["selected"] = in_use(weights)
    by_cluster = np.ndim(weights) == 2
    clusters = names_of_clusters(estimator, len(weights)) if by_cluster else []
    if weights is not None:
        columns["weight"] = weights.max(axis=0) if by_cluster else weights
    if by_cluster:
        columns["cluster"] = [clusters[k] for k in weights.argmax(axis=0)]
        notes.append("weight: the largest over the clusters, in the cluster named")
    gains = estimator._gains()
    if gains is not None:
        columns[gains[1].partition(":")[0]] = gains[0]
        notes.append(gains[1])
    more = estimator._feature_columns.items()
    columns |= {name: getattr(estimator, key) for name, key in more if hasattr(estimator, key)}
    if not columns:
        return pd.DataFrame(), []
    order = _order(columns)
    if hasattr(estimator, "restart_table_"):
        columns["in starts"] = _selection_share(estimator.restart_table_["selected"], p)
        notes.append("in starts: share of the starts that ended with the feature selected")
    if sure is not None:
        columns |= _intervals(sure, weights)
        kind = "replicates" if hasattr(sure, "selection_errors_") else "resamples"
        resamples = f"{sure.n_resamples_} {kind} ({sure.method})"
        notes.append(f"low, high: {sure.level:.0%} interval of the weight, from {resamples}")
        notes.append("frequency: share of these that select the feature")
    if by_cluster:
        columns |= {f"weight_{name}": row for name, row in zip(clusters, weights, strict=True)}
    own = {} if groups is None else {"group": groups.names[groups.codes]}
    frame = pd.DataFrame({"feature": names, **own, **columns}).iloc[order].reset_index(drop=True)
    frame.insert(0, "rank", np.arange(1, p + 1))
    return frame, notes


def names_of_features(estimator: Any) -> list[Any]:
    """Names of the columns, or x0, x1, ..."""
    return list(getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)]))


def groups_of(estimator: Any) -> pd.DataFrame:
    """One row per group of features, the most important first; empty without groups."""
    groups = getattr(estimator, "_own_groups", None)
    if groups is None:
        return pd.DataFrame()
    names = names_of_features(estimator)
    columns = {"selected": np.isin(groups.names, estimator.selected_groups_), **estimator._group_columns()}
    table = pd.DataFrame({"group": groups.names, **columns, "size": groups.sizes})
    table["features"] = [", ".join(str(names[j]) for j in own) for own in groups.columns]
    table = table.iloc[_order(columns)].reset_index(drop=True)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table


def cut(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def _intervals(sure: Any, weights: Any) -> dict[str, Any]:
    """Ends of the intervals of the weights, in the cluster with the largest one, and shares of selections."""
    found = {"frequency": sure.selection_frequencies_}
    if not hasattr(sure, "weight_intervals_"):
        return found
    low, high = sure.weight_intervals_
    if low.ndim == 2:
        place = weights.argmax(axis=0), np.arange(low.shape[1])
        low, high = low[place], high[place]
    return {"low": low, "high": high, **found}


def _order(columns: dict[str, Any]) -> np.ndarray:
    """Order of the features: in use first, then by weight and the other columns, largest first."""
    keys = [
        -np.asarray(values, float) for name, values in columns.items() if name not in ("cluster", "p-value")
    ]
    return np.lexsort(keys[::-1])


def shown_features(features: pd.DataFrame) -> pd.DataFrame:
    """Table of the features in use, as shown; many weights per cluster are left out."""
    if "selected" in features:
        features = features[features["selected"]].drop(columns="selected")
    by_cluster = [name for name in features if str(name).startswith("weight_")]
    return features.drop(columns=by_cluster) if len(by_cluster) > SHOWN_CLUSTERS else features


def heading(kind: str, n_shown: int, total: int) -> str:
    """Heading of a table of features of which the first are shown."""
    return kind if n_shown == total else f"{kind}: the first {n_shown} of {total}"


def heading_of(features: pd.DataFrame, n_shown: int) -> str:
    """Heading of the table of features."""
    if "selected" in features:
        return heading("Selected features", n_shown, int(features["selected"].sum()))
    return heading("Features", n_shown, len(features))


def _selection_share(selected: pd.Series[Any], p: int) -> np.ndarray:
    """Share of the starts that selected each feature for at least one cluster."""
    counts = np.zeros(p)
    for features in selected:
        by_cluster = bool(features) and isinstance(features[0], tuple)
        counts[np.unique(np.hstack(features) if by_cluster else np.array(features, dtype=np.intp))] += 1
    return counts / len(selected)
