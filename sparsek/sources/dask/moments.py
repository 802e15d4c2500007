"""Column statistics of the chunks of a Dask array, and the marks by which later passes know the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from sparsek.core.exact_sums import Extremes, Moments, MomentSums
from sparsek.core.steps import Array
from sparsek.sources.dask.checks import mark
from sparsek.sources.dask.graph import Chunks, new_name, run
from sparsek.sources.dask.passes import over_chunks
from sparsek.sources.source import added

First = tuple[Extremes, dict[int, float]]
"""What the first pass finds: extremes, and the mark of each chunk by the number of its first row."""


def chunk_moments(chunks: Chunks, names: Any = None, holes: bool = False) -> tuple[Moments, Chunks]:
    """Column statistics of all rows, in two passes, and the chunks with the marks of the first.

    Errors call columns by their `names`. With `holes`, NaN is left out.
    """
    first: First = _over_chunks(chunks, _first, (names, holes), _merge)
    extremes, marks = first
    chunks = chunks.marked(marks)
    with np.errstate(over="ignore", invalid="ignore"):  # columns whose squares overflow are refused later
        second = MomentSums.of(extremes, chunks.n_rows, holes=holes)
        sums = over_chunks(chunks, partial(_moment_sums, second), added)
        return second.moments(sums, float(chunks.n_rows)), chunks


def _over_chunks(chunks: Chunks, work: Callable[..., Any], shared: Any, merge: Callable[..., Any]) -> Any:
    """``work(group, starts, shared)`` of all groups of chunks, merged."""
    graph, where = dict(chunks.graph), new_name(work.__name__.strip("_"))
    graph[where, "shared"] = shared
    keys = [(where, i) for i in range(len(chunks.keys))]
    for key, group, starts in zip(keys, chunks.groups(), chunks.starts, strict=True):
        graph[key] = (work, group, starts, (where, "shared"))
    return run(graph, merge, keys)[0]


def _first(group: list[Array], starts: list[int], shared: tuple[Any, bool]) -> First:
    """Extremes and marks of some chunks; ValueError for an entry that cannot take part."""
    names, holes = shared
    found = [Extremes.of(X, holes) for X in group]
    for X, start, ends in zip(group, starts, found, strict=True):
        refused = np.isinf if holes else _not_finite
        if refused(ends.top).any() or refused(ends.bottom).any():
            row, column = (int(i) for i in np.argwhere(refused(X))[0])
            remedy = (
                "replace it"
                if holes
                else "rows must be complete and finite: drop them or fill the gaps first"
            )
            raise ValueError(
                f"X has {X[row, column]} in row {start + row}, column {_called(column, names)}; {remedy}"
            )
    return _all(found), {start: mark(X) for start, X in zip(starts, group, strict=True)}


def _not_finite(values: Array) -> Array:
    return ~np.isfinite(values)


def _all(parts: Sequence[Extremes]) -> Extremes:
    """Extremes of all parts; NaN stands for a column without any value."""
    return reduce(partial(Extremes.merge, holes=True), parts)


def _merge(parts: Sequence[First]) -> First:
    extremes, marks = zip(*parts, strict=True)
    return _all(extremes), {start: m for some in marks for start, m in some.items()}


def _moment_sums(second: MomentSums, X: Array, labels: None, weights: None) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return second.add(X)


def _called(column: int, names: Any) -> str:
    """Number of a column, and its name if it has one, for messages."""
    return str(column) if names is None else f"{column} ({names[column]})"
