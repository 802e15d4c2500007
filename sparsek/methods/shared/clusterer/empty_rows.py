"""Rows without a value in the features that tell the clusters apart: their cluster says nothing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from sparsek._printable import on_one_line
from sparsek.core.steps import Array
from sparsek.errors import EmptyRowWarning, callers_level
from sparsek.inputs.containers import counts_only
from sparsek.inputs.indices import index_of
from sparsek.inputs.validation import is_dask
from sparsek.methods.shared.estimator import is_fitting

LISTED = 5
"""Rows that a warning names at most."""

Rows = NDArray[np.intp]


class EmptyRows:
    """Finds rows without a value, warns of them, and keeps their numbers after a fit."""

    _finite: bool | str
    _n_missing: int | None
    rows_without_values_: Rows

    def _observable(self) -> Array:
        """The columns by which rows are compared."""
        raise NotImplementedError

    def _empty_rows(self, X: Array) -> Rows:
        """Numbers of the rows that miss all values by which rows are compared."""
        if self._finite != "allow-nan":
            return np.empty(0, np.intp)
        columns = self._observable()
        if not len(columns) or X.dtype.kind != "f":
            return np.empty(0, np.intp)
        found = np.flatnonzero(np.isnan(X[:, columns[0]]))  # most rows are decided by one entry
        kept: Rows = found[np.isnan(X[np.ix_(found, columns)]).all(axis=1)]
        return kept

    def _warn_of_empty_rows(self, parts: list[Rows], X: Any) -> None:
        """Warn of rows of X, once for a fit."""
        rows = np.concatenate(parts)
        if len(rows) and not is_fitting(self):
            warn_of_empty_rows(rows, X)

    def _note_empty_rows(self, X: Any, source: Any) -> None:
        """Set the attribute of a fit to rows X, and warn; the rows of a Dask collection are only counted."""
        if is_dask(X):
            del self.rows_without_values_
            count = getattr(self, "_n_empty", 0)
            if count:
                warn(f"{count} rows of X have no value", "leave them out")
            return
        whole = bool(source.kept.all())
        if whole and issparse(X):
            return
        pieces = source.blocks() if whole else self._all_pieces(X)
        parts = [start + self._empty_rows(piece) for start, piece in pieces]
        self.rows_without_values_ = np.concatenate(parts)
        if len(self.rows_without_values_):
            warn_of_empty_rows(self.rows_without_values_, X)

    def _all_pieces(self, X: Any) -> Any:
        """The rows of X, those without weight too, in pieces, each with the number of its first row."""
        raise NotImplementedError


def warn_of_empty_rows(rows: Rows, X: Any) -> None:
    """Warn of rows of X by their names, or by their numbers where they have none."""
    index = index_of(X)
    named = rows if index is None or counts_only(index) else index[rows]
    some = ", ".join(on_one_line(str(name)) for name in named[:LISTED].tolist())
    more = f" and {len(rows) - LISTED} more" if len(rows) > LISTED else ""
    what = "row of X has no value" if len(rows) == 1 else "rows of X have no value"
    warn(
        f"{len(rows)} {what} in the features that tell the clusters apart ({some}{more})",
        "leave them out, or take no notice of their labels",
    )


def warn(what: str, remedy: str) -> None:
    """Warn that labels are arbitrary."""
    message = f"{what}, so that any cluster is as near and their labels say nothing: {remedy}"
    warnings.warn(message, EmptyRowWarning, stacklevel=callers_level())
