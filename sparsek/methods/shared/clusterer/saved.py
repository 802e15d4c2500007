"""Fits as JSON from which any language predicts: what is taken off, multiplied and compared."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sparsek._files import check_target, write_whole
from sparsek.core.scaling import Scaling
from sparsek.core.steps import Array, Labels
from sparsek.errors import own_version

FORMAT, VERSION = "sparsek nearest centre", 1
"""Name and version of the format, which docs/questions/new-rows.md describes."""


@dataclass(frozen=True, slots=True)
class NearestRule:
    """How a fit compares rows with its centres."""

    columns: Array  # (m,): the columns in use
    centers: Array  # (n_clusters, m): in coordinates, in the order of the fit
    factors: Array | None = None  # (m,): by which scaled columns are multiplied; None for 1
    limits: tuple[Array, Array] | None = None  # (p,) each: between which entries are brought first
    distance: str = "euclidean"  # or "manhattan"
    takes_missing: bool = False
    without_values: int = 0  # Number, in the order of the fit, of the cluster of rows without values


class SavedRule:
    """Gives a clusterer the method `save`."""

    _scaling: Scaling
    _numbers: Labels | None
    n_features_in_: int

    def _nearest_rule(self) -> NearestRule:
        """How rows are compared; ValueError for options whose prediction is another one."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what `predict` needs as JSON, from which other languages predict.

        The page on new rows describes the format and has the lines of R that read it. A pickle keeps the
        whole fit.

        Parameters
        ----------
        path : path-like
            File to write, usually ending in ".json"; replaced if it exists, whole or not at all.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ValueError
            For fits with categories or of several batches, and losses whose nearest centre is not that of
            scaled columns.
        OSError
            If the file cannot be written, or the path leads to a folder, a device, a pipe or a socket.
        """
        check_is_fitted(self)
        if getattr(self, "_coding", None) is not None:
            raise ValueError("X had categories, which the format does not have; use pickle")
        if len(getattr(self, "batches_", ())) > 1:
            raise ValueError("the fit has several batches, which the format does not have; use pickle")
        check_target(path)
        write_whole(path, json.dumps(self._saved(self._nearest_rule()), indent=1, allow_nan=False) + "\n")

    def _saved(self, rule: NearestRule) -> dict[str, Any]:
        """Content of the file."""
        scaling, used = self._scaling, rule.columns
        factors = np.ones(len(used)) if rule.factors is None else rule.factors
        with np.errstate(over="ignore"):
            rates = scaling.unit[used] / scaling.spread[used] * factors
            centers, offsets = rule.centers, scaling.offset[used] / scaling.unit[used]
        for values in (rates, centers, offsets):
            if not np.isfinite(values).all():
                raise ValueError("the scales of the columns overflow; divide the columns by constants")
        numbers = range(len(centers)) if self._numbers is None else self._numbers.tolist()
        names = getattr(self, "feature_names_in_", None)
        return {
            "format": FORMAT,
            "version": VERSION,
            "sparsek": own_version(),
            "estimator": type(self).__name__,
            "n_features": int(self.n_features_in_),
            "feature_names": None if names is None else names.tolist(),
            "columns": used.tolist(),
            "limits": None if rule.limits is None else [end[used].tolist() for end in rule.limits],
            "offsets": _plain(offsets),
            "rates": _plain(rates),
            "centers": [_plain(row) for row in centers],
            "labels": list(numbers),
            "distance": rule.distance,
            "takes_missing": rule.takes_missing,
            "label_without_values": _number(numbers, rule.without_values),
        }


def _plain(values: Array) -> list[float]:
    """Numbers of double precision."""
    found: list[float] = np.asarray(values, dtype=np.float64).tolist()
    return found


def _number(numbers: Sequence[int], cluster: int) -> int:
    """The number of a cluster of the fit."""
    return int(numbers[cluster])
