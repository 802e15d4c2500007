"""Weights of rows in a search: numbers of repetitions, and how they reach every fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metadata_routing import _routing_enabled, process_routing
from sklearn.utils.validation import has_fit_parameter

from sparsek.core.steps import Array
from sparsek.core.tasks import last_step
from sparsek.methods.shared.base import CentroidClusterer


@dataclass(frozen=True, slots=True)
class RowWeights:
    """Weights, and the name by which `fit` of the estimator takes them; empty where it asks for none."""

    values: Array  # (n,), not negative
    name: str

    def take(self, rows: Any) -> RowWeights:
        """Those of some rows."""
        return RowWeights(self.values[rows], self.name)


def row_weights(search: Any, sample_weight: ArrayLike | None, X: Array) -> RowWeights | None:
    """Checked weights of the rows of X, under the name that the estimator of a search takes them by."""
    values = CentroidClusterer._validate_weights(sample_weight, X)
    return None if values is None else RowWeights(values, _argument_name(search, values))


def _argument_name(search: Any, values: Array) -> str:
    """Where routing is on, what the estimator asks for; else the argument of the clusterer."""
    if _routing_enabled():
        routed = process_routing(search, "fit", sample_weight=values)
        return "sample_weight" if "sample_weight" in routed.estimator.fit else ""
    last = last_step(search.estimator)
    if not has_fit_parameter(last, "sample_weight"):
        reason = getattr(last, "_no_weights", None)
        why = f", because {reason.why}" if reason else ""
        instead = reason.instead if reason else "SKFR"
        raise TypeError(
            f"{type(last).__name__}.fit takes no sample_weight{why}; give an estimator that does, such as "
            f"{instead}, or leave it out"
        )
    return "sample_weight" if last is search.estimator else f"{search.estimator.steps[-1][0]}__sample_weight"


def positive_rows(X: Array, weights: RowWeights | None) -> tuple[Array, RowWeights | None]:
    """Data and weights without the rows of weight 0."""
    if weights is None or weights.values.all():
        return X, weights
    kept = weights.values > 0
    return X[kept], weights.take(kept)


def some_rows(weights: RowWeights | None, rows: Any) -> RowWeights | None:
    """Weights of some rows, if there are weights."""
    return None if weights is None else weights.take(rows)


def values_of(weights: RowWeights | None) -> Array | None:
    """The numbers, or None without weights."""
    return None if weights is None else weights.values


def fit_arguments(weights: RowWeights | None) -> dict[str, Array]:
    """What `fit` gets besides the rows."""
    return {} if weights is None or not weights.name else {weights.name: weights.values}


def checkpoint_key(weights: RowWeights | None) -> dict[str, Array]:
    """What a checkpoint tells searches with different weights by."""
    return {} if weights is None else {"sample_weight": weights.values}


def repetitions(weights: RowWeights | None, why: str) -> NDArray[np.intp] | None:
    """Weights as whole numbers of repetitions; ValueError, which says why, for others."""
    if weights is None:
        return None
    broken = weights.values[weights.values != np.rint(weights.values)]
    if broken.size:
        raise ValueError(
            f"sample_weight must hold whole numbers, because {why}; got {broken[0]:.6g}: round the weights, "
            "or multiply them first"
        )
    return weights.values.astype(np.intp)
