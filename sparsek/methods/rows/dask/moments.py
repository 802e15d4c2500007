"""Column statistics of the chunks of a Dask array, and the marks by which later passes know the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from sparsek.methods.rows.dask.checks import mark
from sparsek.methods.rows.dask.graph import Chunks, added, new_name, run
from sparsek.methods.shared.sums import Array
from sparsek.numerics.exact_sums import Extremes, Moments, MomentSums

First = tuple[Extremes, dict[int, float]]
"""What the first pass finds: extremes, and the mark of each chunk by the number of its first row."""


def chunk_moments(chunks: Chunks, names: Any = None) -> tuple[Moments, Chunks]:
    """Column statistics of all rows, in two passes, and the chunks with the marks of the first.

    Errors call columns by their `names`.
    """
    first: First = _over_chunks(chunks, _first, names, _merge)
    extremes, marks = first
    chunks = chunks.marked(marks)
    with np.errstate(over="ignore", invalid="ignore"):  # columns whose squares overflow are refused later
        second = MomentSums.of(extremes, chunks.n_rows)
        sums = _over_chunks(chunks, _moment_sums, second, added)
        return second.moments(sums, float(chunks.n_rows)), chunks


def _over_chunks(chunks: Chunks, work: Callable[..., Any], shared: Any, merge: Callable[..., Any]) -> Any:
    """``work(group, starts, shared)`` of all groups of chunks, merged."""
    graph, where = dict(chunks.graph), new_name(work.__name__.strip("_"))
    graph[where, "shared"] = shared
    keys = [(where, i) for i in range(len(chunks.keys))]
    for key, group, starts in zip(keys, chunks.groups(), chunks.starts, strict=True):
        graph[key] = (work, group, starts, (where, "shared"))
    return run(graph, merge, keys)[0]


def _first(group: list[Array], starts: list[int], names: Any) -> First:
    """Extremes and marks of some chunks; ValueError for an entry that is not finite."""
    found = [Extremes.of(X) for X in group]
    for X, start, ends in zip(group, starts, found, strict=True):
        if np.isfinite(ends.top).all() and np.isfinite(ends.bottom).all():
            continue
        row, column = (int(i) for i in np.argwhere(~np.isfinite(X))[0])
        raise ValueError(
            f"X has {X[row, column]} in row {start + row}, column {_called(column, names)}; rows must be "
            "complete and finite: drop them or fill the gaps first"
        )
    return reduce(Extremes.merge, found), {start: mark(X) for start, X in zip(starts, group, strict=True)}


def _merge(parts: Sequence[First]) -> First:
    extremes, marks = zip(*parts, strict=True)
    return reduce(Extremes.merge, extremes), {start: m for some in marks for start, m in some.items()}


def _moment_sums(group: list[Array], starts: list[int], second: MomentSums) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        found: Array = added([second.add(X) for X in group])
        return found


def _called(column: int, names: Any) -> str:
    """Number of a column, and its name if it has one, for messages."""
    return str(column) if names is None else f"{column} ({names[column]})"
