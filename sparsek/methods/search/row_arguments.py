"""What rows have beside their entries, weights and batches, and how these reach every fit of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metadata_routing import _routing_enabled, process_routing
from sklearn.utils.validation import has_fit_parameter

from sparsek.core.batch_draws import drawn_within, order_within
from sparsek.core.steps import Array, Labels
from sparsek.core.tasks import last_step
from sparsek.methods.search.kinds import shuffled_columns
from sparsek.methods.shared.base import CentroidClusterer
from sparsek.methods.shared.batches import batch_codes, labels_of_codes
from sparsek.sources.batches import require_batches

INSTEAD = {"sample_weight": "SKFR", "batch": "SKFR or SparseKMeans"}
"""Estimators that take the arguments."""


@dataclass(frozen=True, slots=True)
class RowArguments:
    """Weights and batches of rows, and the names by which `fit` of the estimator takes them."""

    weights: Array | None = None  # (n,), not negative
    codes: Labels | None = None  # (n,): the number of the batch of each row
    batches: tuple[Any, ...] = ()  # Labels of the batches
    # By "sample_weight" and "batch"; an argument that the estimator does not ask for has none
    names: Mapping[str, str] = field(default_factory=dict)

    def take(self, rows: Any) -> RowArguments:
        """Those of some rows."""
        weights, codes = (None if one is None else one[rows] for one in (self.weights, self.codes))
        return replace(self, weights=weights, codes=codes)

    def positive(self, X: Array) -> tuple[Array, RowArguments]:
        """Data and arguments without the rows of weight 0."""
        if self.weights is None or self.weights.all():
            return X, self
        kept = self.weights > 0
        own = self.take(kept)
        if own.codes is None:
            return X[kept], own
        used, codes = np.unique(own.codes, return_inverse=True)
        batches = tuple(self.batches[code] for code in used.tolist())
        return X[kept], replace(own, codes=codes.astype(np.int32), batches=batches)

    @property
    def labels(self) -> Any:
        """The batch of each row by its label; None without batches."""
        return None if self.codes is None else labels_of_codes(self.codes, self.batches)

    def for_fit(self) -> dict[str, Any]:
        """What `fit` gets beside the rows."""
        given = {"sample_weight": self.weights, "batch": self.labels}
        return {name: given[own] for own, name in self.names.items() if given[own] is not None}

    def for_new_rows(self) -> dict[str, Any]:
        """What `predict` of a fit gets beside the rows."""
        return of_new_rows(self.labels if "batch" in self.names else None)

    def by_batch(self) -> list[Any]:
        """The rows of each batch as a mask; of one batch, or without, all rows."""
        if self.codes is None or len(self.batches) < 2:
            return [slice(None)]
        return [self.codes == code for code in range(len(self.batches))]

    def key(self) -> dict[str, Any]:
        """What a checkpoint tells searches with different arguments by."""
        key: dict[str, Any] = {} if self.weights is None else {"sample_weight": self.weights}
        return key if self.codes is None else key | {"batch": (self.codes, self.batches)}

    def repetitions(self, why: str) -> NDArray[np.intp] | None:
        """Weights as whole numbers of repetitions; ValueError, which says why, for others."""
        if self.weights is None:
            return None
        broken = self.weights[self.weights != np.rint(self.weights)]
        if broken.size:
            raise ValueError(
                f"sample_weight must hold whole numbers, because {why}; got {broken[0]:.6g}: round the "
                "weights, or multiply them first"
            )
        return self.weights.astype(np.intp)

    def repeated(self, X: Array, why: str) -> tuple[Array, RowArguments]:
        """Data with every row as often as its weight says, and what else these rows have."""
        counts = self.repetitions(why)
        if counts is None:
            return X, self
        rows = np.repeat(np.arange(X.shape[0]), counts)
        return X[rows], replace(self.take(rows), weights=None)

    def shuffled(self, X: Any, rng: np.random.Generator) -> Any:
        """The variables of the data, each shuffled on its own within the batches."""
        return shuffled_columns(X, self.codes, rng)

    def order(self, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """The n rows in random order, any run of which has about the same share of every batch."""
        return order_within(n, self.codes, rng)

    def resample(self, n: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """`size` of n rows drawn with replacement; with batches as many of each as there are."""
        return drawn_within(n, size, self.codes, rng)


NOTHING = RowArguments()
"""Rows that have nothing beside their entries."""


def row_arguments(
    search: Any, X: Array, sample_weight: ArrayLike | None = None, batch: ArrayLike | None = None
) -> RowArguments:
    """Checked weights and batches of the rows of X, under the names that the estimator takes them by."""
    weights = CentroidClusterer._validate_weights(sample_weight, X)
    codes, batches = (None, []) if batch is None else batch_codes(batch)
    if codes is not None:
        require_batches(codes, X.shape[0])
    given = {"sample_weight": weights, "batch": batch}
    given = {name: value for name, value in given.items() if value is not None}
    return RowArguments(weights, codes, tuple(batches), _argument_names(search, given))


def of_new_rows(batch: ArrayLike | None) -> dict[str, Any]:
    """What methods for new rows get beside these."""
    return {} if batch is None else {"batch": batch}


def _argument_names(search: Any, given: Mapping[str, Any]) -> dict[str, str]:
    """Where routing is on, what the estimator asks for; else the arguments of the clusterer."""
    if given and _routing_enabled() and hasattr(search, "get_metadata_routing"):
        routed = process_routing(search, "fit", **given)
        return {name: name for name in given if name in routed.estimator.fit}
    last = last_step(search.estimator)
    prefix = "" if last is search.estimator else f"{search.estimator.steps[-1][0]}__"
    for name in given:
        if not has_fit_parameter(last, name):
            reason = getattr(last, "_no_weights", None) if name == "sample_weight" else None
            why = f", because {reason.why}" if reason else ""
            instead = reason.instead if reason else INSTEAD[name]
            raise TypeError(
                f"{type(last).__name__}.fit takes no {name}{why}; give an estimator that does, such as "
                f"{instead}, or leave it out"
            )
    return {name: f"{prefix}{name}" for name in given}
