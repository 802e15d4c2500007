"""Sparse input: refused, or predicted in dense pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scipy.sparse import issparse

from sparsek.methods.shared.sums import Array

PIECE_ENTRIES = 4_000_000
"""Entries of the rows of a sparse matrix that are made dense at a time."""


def dense_pieces(X: Any) -> Iterator[tuple[slice, Array]]:
    """A dense array whole, a sparse one in dense pieces of its rows, a file in blocks."""
    if hasattr(X, "blocks"):
        for start, piece in X.blocks():
            yield slice(start, start + len(piece)), piece
        return
    n, p = X.shape
    dense = not issparse(X)
    step = max(1, n if dense else PIECE_ENTRIES // p)
    for start in range(0, max(1, n), step):
        rows = slice(start, start + step)
        yield rows, X if dense else X[rows].toarray()


def reject_dask(X: object) -> None:
    """Refuse Dask collections, which numpy would load whole, with the remedy."""
    if hasattr(X, "__dask_graph__"):
        raise TypeError(
            f"X is a Dask collection ({type(X).__name__}); sparsek.dask has SKFR and SparseKMeans for these, "
            "chunk by chunk, and X.compute() loads it into memory"
        )


def reject_sparse(X: object) -> None:
    """Refuse scipy's sparse matrices, and Dask collections, with the remedy."""
    reject_dask(X)
    if issparse(X):
        raise TypeError(
            "Sparse data was passed, but this estimator takes dense arrays only; "
            "use '.toarray()' to convert to a dense array"
        )
