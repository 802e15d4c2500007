"""The trees of R's ``agnes`` and ``diana``: what is merged or split, and the order of the banner.

Source: Kaufman & Rousseeuw (1990), "Finding Groups in Data", chapters 5 and 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, sequential_sum
from sparsek.errors import RError

Update = Callable[[FloatArray, FloatArray, float, FloatArray, float, float], FloatArray]
"""Dissimilarities of a merged cluster from those of its parts, that between them, and the sizes."""


@dataclass(slots=True)
class _Part:
    """A cluster: its objects in the order of the banner, and the heights between them."""

    objects: list[int]
    heights: list[float] = field(default_factory=list)
    stage: int = 0  # The step that made it, from 1; 0 for a single object

    @property
    def code(self) -> int:
        """R's number of the cluster in ``merge``."""
        return self.stage or -(self.objects[0] + 1)


@dataclass(frozen=True, slots=True)
class Banner:
    """A tree."""

    order: IntArray  # (n,): the objects, from 1, in the order of the banner
    heights: FloatArray  # (n - 1,): heights between neighbours in that order
    merge: IntArray  # (n - 1, 2): what each step merges: objects, negative, or the results of steps, from 1

    @property
    def coefficient(self) -> float:
        """Mean over the objects of one less the height at which they are alone, as a share of the largest."""
        padded = np.concatenate([self.heights[:1], self.heights, self.heights[-1:]])
        alone = np.minimum(padded[:-1], padded[1:])
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = 1.0 - alone / self.heights.max()
        return float(sequential_sum(shares[:, None])[0] / len(shares))


def agglomerate(d: FloatArray, update: Update, number: int) -> Banner:
    """Merge the two closest clusters until one is left; of equals the last pair counts.

    `number` is R's of the method, for its error where the formula gives no finite dissimilarity.

    Shapes: d (n, n).
    """
    d, n = d.copy(), len(d)
    d[np.tril_indices(n)] = np.inf
    parts = [_Part([i]) for i in range(n)]
    alive = np.ones(n, dtype=bool)
    merge = np.zeros((n - 1, 2), dtype=np.int64)
    for step in range(n - 1):
        i, j = divmod(n * n - 1 - int(np.argmin(d.ravel()[::-1])), n)
        height, a, b = float(d[i, j]), parts[i], parts[j]
        if not height < np.inf:
            where = f"step {step + 1}, D(.,.)={'inf' if height > 0 else '-nan'}"
            raise RError(
                f"agnes(method={number}, par.method=*) lead to invalid merge; {where}",
                "dissimilarities of merged clusters overflow: give smaller numbers in par_method",
            )
        merge[step] = a.code, b.code
        alive[j] = False
        others = np.flatnonzero(alive & (np.arange(n) != i))
        sizes = np.array([float(len(parts[q].objects)) for q in others])
        to_a, to_b = _between(d, i, others), _between(d, j, others)
        with np.errstate(over="ignore", invalid="ignore"):
            new = update(to_a, to_b, height, sizes, float(len(a.objects)), float(len(b.objects)))
        d[np.minimum(i, others), np.maximum(i, others)] = new
        d[j, :] = d[:, j] = np.inf
        parts[i] = _Part(a.objects + b.objects, [*a.heights, height, *b.heights], step + 1)
    return _banner(parts[0], merge)


def _between(d: FloatArray, i: int, others: IntArray) -> FloatArray:
    """Dissimilarities of a cluster and others, which stand above the diagonal."""
    return d[np.minimum(i, others), np.maximum(i, others)]


def _banner(whole: _Part, merge: IntArray) -> Banner:
    """The tree of a cluster of all objects."""
    return Banner(np.array(whole.objects) + 1, np.array(whole.heights, dtype=float), merge)


def divide(d: FloatArray) -> Banner:
    """Split the cluster with the largest diameter until all objects are alone.

    Shapes: d (n, n).
    """
    order, heights = list(range(len(d))), np.zeros(len(d) - 1)
    waiting = [(0, len(d))]
    while waiting:
        first, last = waiting.pop()
        part = order[first:last]
        left, right = _split(d, part)
        order[first:last] = left + right
        middle = first + len(left)
        heights[middle - 1] = d[np.ix_(part, part)].max()
        waiting += [(a, b) for a, b in ((first, middle), (middle, last)) if b - a > 1]
    return Banner(np.array(order) + 1, heights, _merges(order, heights))


def _merges(order: list[int], heights: FloatArray) -> IntArray:
    """What each step merges, the lowest neighbours in the banner first, of equals the last ones.

    Shapes: heights (n - 1,); returns (n - 1, 2).
    """
    n = len(order)
    codes, first, last = [-(i + 1) for i in order], list(range(n)), list(range(n))
    merge = np.zeros((n - 1, 2), dtype=np.int64)
    for step, place in enumerate(sorted(range(n - 1), key=lambda k: (heights[k], -k))):
        begin, end = first[place], last[place + 1]
        merge[step] = codes[begin], codes[place + 1]
        codes[begin] = step + 1
        first[end], last[begin] = begin, end
    return merge


def _split(d: FloatArray, part: list[int]) -> tuple[list[int], list[int]]:
    """A cluster in two parts, the splinter group and the others; the first part has its first object."""
    if len(part) == 2:
        return part[:1], part[1:]
    inner = d[np.ix_(part, part)]
    splinter = np.zeros(len(part), dtype=bool)
    splinter[int(np.argmax(sequential_sum(inner) / (len(part) - 1)))] = True
    while (~splinter).sum() > 1:
        rest = np.flatnonzero(~splinter)
        apart = sequential_sum(inner[np.ix_(rest, rest)]) / (len(rest) - 1)
        gain = apart - sequential_sum(inner[np.ix_(np.flatnonzero(splinter), rest)]) / splinter.sum()
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        splinter[rest[best]] = True
    own = [i for i, out in zip(part, splinter.tolist(), strict=True) if out == splinter[0]]
    return own, [i for i in part if i not in set(own)]
