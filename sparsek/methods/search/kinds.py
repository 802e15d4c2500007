"""The kinds of data that searches take: arrays, sparse matrices, tables with categories, files, Dask.

A search holds its rows in memory, as an array, a sparse matrix by rows, or `CodedRows` of a table with
categories. ``rows[numbers]`` is the subset of the same kind, which copies of the estimator are fitted to.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, vstack
from sklearn.utils import get_tags

from sparsek.core.batch_draws import shuffled_within
from sparsek.core.shuffles import shuffled_matrix
from sparsek.core.steps import Labels
from sparsek.core.tasks import last_step
from sparsek.inputs.arguments import in_words, resolve_memory_limit
from sparsek.inputs.features import feature_mask
from sparsek.inputs.mixed import CodedRows, Coding
from sparsek.inputs.validation import is_dask, require_array, validate_data
from sparsek.methods.shared.clusterer.blocks import BlockInput
from sparsek.methods.shared.fits import without_duplicates
from sparsek.methods.shared.mixed import check_columns
from sparsek.sources.files.opening import as_reader, is_chunked
from sparsek.sources.readers import load, row_bytes

DRAWN = "a search draws subsets of rows in memory"
"""Why the rows of a search are loaded."""


def loaded(X: Any, estimator: Any) -> Any:
    """X in memory: a file, a chunked array or a Dask collection is loaded if the estimator takes it.

    Raises ValueError where it would take more than the `memory_limit` of the estimator.
    """
    if not isinstance(estimator, BlockInput):
        return X
    if is_dask(X):
        _require_room(8 * _dask_rows(X) * X.shape[1], estimator, DRAWN)
        return X.compute()
    if not isinstance(X, str | os.PathLike) and not is_chunked(X):
        return X
    reader = as_reader(X)
    assert reader is not None  # of a path, or of an array with chunks
    _require_room(reader.shape[0] * row_bytes(reader), estimator, DRAWN)
    return load(reader)


def _dask_rows(X: Any) -> int:
    """Number of rows of a Dask collection, which is computed where it does not know."""
    if isinstance(X.shape[0], int):
        return X.shape[0]
    return len(X) if hasattr(X, "columns") else len(X[:, 0].compute())


def _require_room(n_bytes: float, estimator: Any, why: str) -> None:
    """Raise ValueError where data take more memory than the estimator may use."""
    limit = resolve_memory_limit(getattr(last_step(estimator), "memory_limit", None))
    if n_bytes > limit:
        raise ValueError(
            f"{why}, where X takes {in_words(n_bytes)}, more than memory_limit={in_words(limit)}: raise "
            f"memory_limit of {type(last_step(estimator)).__name__}, or give a random part of the rows"
        )


def coding_for(X: Any, estimator: Any) -> Coding | None:
    """How the estimator turns the columns of X into numbers; None where all are numbers."""
    code = getattr(estimator, "_code", None)
    return None if code is None else code(X)


def read_rows(search: Any, X: Any, *, reset: bool, dtype: Any, least: int = 1) -> Any:
    """The checked rows of data in memory, in their own kind; the search keeps names and levels of columns."""
    tags = get_tags(search.estimator).input_tags
    options: dict[str, Any] = {
        "reset": reset,
        "dtype": dtype,
        "order": "C",
        "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        "ensure_min_samples": least,
    }
    if reset:
        search._coding = coding_for(X, search.estimator)
    coding = search._coding
    if coding is not None:
        if not reset:
            check_columns(search, X)
        values = validate_data(search, coding.table(X), **options | {"dtype": np.float64})
        return CodedRows(values, coding) if coding.unordered.any() else values
    if issparse(X) and tags.sparse:
        own = getattr(search.estimator, "_data_options", None)
        finite = True if own is None else own(X)["ensure_all_finite"]
        options |= {"accept_sparse": "csr", "ensure_all_finite": finite}
        return without_duplicates(csr_array(validate_data(search, X, **options)))
    return validate_data(search, require_array(X, holes=tags.allow_nan), **options)


def values_of(X: Any) -> Any:
    """The numbers of rows of any kind, (n, p): of a table with categories those of the levels."""
    return X.values if isinstance(X, CodedRows) else X


def categories_of(estimator: Any, X: Any) -> NDArray[np.bool_]:
    """Mask of the variables that the estimator takes for categories without an order, (p,)."""
    if isinstance(X, CodedRows):
        return X.coding.unordered
    declared = getattr(last_step(estimator), "categories", None)
    return feature_mask(declared, "categories", X.shape[1], None)


def dense(X: Any, estimator: Any, why: str) -> Any:
    """The rows, those of a sparse matrix as an array; ValueError where that would take too much memory."""
    if not issparse(X):
        return X
    matrix: Any = X
    _require_room(8 * float(matrix.shape[0]) * matrix.shape[1], estimator, why)
    return matrix.toarray()


def require_numbers(X: Any, why: str, remedy: str) -> None:
    """Raise ValueError, which says why, for rows with categories."""
    if isinstance(X, CodedRows):
        first = X.coding.variables[int(np.argmax(X.coding.unordered))].label
        raise ValueError(f"column {first!r} of X is a category, and {why}: {remedy}")


def shuffled_columns(X: Any, codes: Labels | None, rng: np.random.Generator) -> Any:
    """The rows with every variable shuffled on its own, within the batches; a category stays whole."""
    if isinstance(X, CodedRows):
        return CodedRows(shuffled_within(X.values, codes, rng), X.coding)
    if not issparse(X):
        return shuffled_within(X, codes, rng)
    if codes is None:
        return shuffled_matrix(X, None, None, rng)
    matrix: Any = X
    rows = [np.flatnonzero(codes == code) for code in np.unique(codes).tolist()]
    parts = [shuffled_matrix(matrix[some], None, None, rng) for some in rows]
    return csr_array(vstack(parts))[np.argsort(np.concatenate(rows), kind="stable")]
