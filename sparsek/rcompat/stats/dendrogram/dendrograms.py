"""R's class ``dendrogram``: branches, their heights and places, and what is made of them.

A tree of n objects can be n - 1 branches deep, so that nothing here calls itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray, IntArray
from sparsek.errors import RError
from sparsek.rcompat.base.expressions import deparse
from sparsek.rcompat.base.printing import format_column, format_number


class Dendrogram(Sequence["Dendrogram"]):
    """A tree or a leaf of R's class ``dendrogram``, printed as R prints it.

    Its branches are dendrograms: ``tree[0]`` is the left one, which R calls ``tree[[1]]``. A leaf has none.
    As an array it holds its objects from left to right, as R's ``unlist`` of it.

    Parameters
    ----------
    branches : sequence of Dendrogram
        The branches from left to right; none for a leaf.
    attributes : dict
        By R's names: ``"height"``, in the unit of the dissimilarities; ``"members"``, the number of leaves;
        ``"midpoint"``, where the stem stands, in leaves from the first one of the tree; of a leaf ``"label"``
        and ``"leaf"``; ``"x.member"``, the members before :func:`cut`; ``"value"``, as of :func:`reorder`.
    value : int, optional
        Of a leaf its object, from 1.

    Examples
    --------
    >>> from sparsek.rcompat import as_dendrogram, dist, hclust
    >>> tree = as_dendrogram(hclust(dist([[0.0], [1.0], [5.0]])))
    >>> tree
    'dendrogram' with 2 branches and 3 members total, at height 5
    >>> tree[0]
    'dendrogram' leaf '3', at height 0
    >>> tree.attributes["midpoint"]
    0.75
    """

    __slots__ = ("attributes", "branches", "value")

    def __init__(
        self, branches: Sequence[Dendrogram], attributes: dict[str, Any], value: int | None = None
    ) -> None:
        self.branches = tuple(branches)
        self.attributes = attributes
        self.value = value

    def __len__(self) -> int:
        return len(self.branches)

    def __getitem__(self, index: Any) -> Any:
        return self.branches[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return objects_of(self).astype(dtype or np.int64)

    def __reduce__(self) -> Any:
        nodes = nodes_of(self)
        return _restored, ([(len(node), node.attributes, node.value) for node in nodes],)

    def __str__(self) -> str:
        known = self.attributes
        what = f"leaf '{known['label']}'" if not self else f"with {len(self)} branches"
        members = "" if not self else f" and {known['members']} members total"
        return f"'dendrogram' {what}{members}, at height {format_number(known['height'])} "

    def __repr__(self) -> str:
        return str(self).rstrip()

    def structure(self, level: int) -> list[str]:
        """Give the lines of R's ``str``, the nodes with their branches below them.

        Parameters
        ----------
        level : int
            How deep in lists the tree is.

        Returns
        -------
        list of str
            The lines.
        """
        start = " " + " .." * level if level else ""
        lines, waiting = [], [(self, "--", "  ")]
        while waiting:
            node, mark, below = waiting.pop()
            lines.append(f"{start}{mark}{_described(node, bool(level))}")
            ends = [("|--", "|  ")] * (len(node) - 1) + [("`--", "   ")] * bool(node)
            branches = [
                (branch, f"{below}{first}", f"{below}{more}")
                for branch, (first, more) in zip(node, ends, strict=True)
            ]
            waiting += branches[::-1]
        return lines

    def print(self) -> None:
        """Print the tree as R prints it."""
        print(self)


def _described(node: Dendrogram, midpoint: bool) -> str:
    """A line on a node."""
    known = node.attributes
    if not node:
        return f"leaf {deparse(known['label'], str(known['label']))} "
    height, middle = (format_column([known.get(name, 0.0)], 3)[0] for name in ("height", "midpoint"))
    place = f", midpoint = {middle}" if midpoint else ""
    return f"[dendrogram w/ {len(node)} branches and {known['members']} members at h = {height}{place}]"


def _restored(parts: list[tuple[int, dict[str, Any], int | None]]) -> Dendrogram:
    """The tree of its parts, the root first."""
    stack: list[Dendrogram] = []
    for number, attributes, value in reversed(parts):
        stack.append(Dendrogram([stack.pop() for _ in range(number)], attributes, value))
    return stack[0]


Closed = Callable[[Dendrogram], bool]
"""Whether the branches of a node are left out."""


def nodes_of(
    tree: Dendrogram, closed: Closed = lambda node: False, from_right: bool = False
) -> list[Dendrogram]:
    """All nodes, every one before its branches, the left branch before the right one or the reverse."""
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not closed(node):
            waiting += node.branches if from_right else reversed(node.branches)
    return found


def folded(
    tree: Dendrogram, make: Callable[[Dendrogram, list[Any]], Any], closed: Closed = lambda node: False
) -> Any:
    """What is made of the root and of what was made of its branches, left ones before right ones."""
    stack: list[Any] = []
    for node in reversed(nodes_of(tree, closed, from_right=True)):
        first = len(stack) - (0 if closed(node) else len(node))
        stack[first:] = [make(node, stack[first:])]
    return stack[0]


def leaves_of(tree: Dendrogram) -> Iterator[Dendrogram]:
    """The leaves from left to right."""
    return (node for node in nodes_of(tree) if not node)


def objects_of(tree: Dendrogram) -> IntArray:
    """The objects from left to right, from 1."""
    return np.array([leaf.value for leaf in leaves_of(tree)], dtype=np.int64)


def members_of(node: Dendrogram) -> int:
    """Number of leaves, those included that were cut off."""
    known = node.attributes
    return int(known.get("x.member", known["members"]))


def middle(branches: Sequence[Dendrogram]) -> float:
    """Place midway between the first and the last of the branches, in leaves from the first one."""
    ends = [branch.attributes.get("midpoint", 0.0) for branch in (branches[0], branches[-1])]
    return float((sum(members_of(branch) for branch in branches[:-1]) + ends[0] + ends[1]) / 2)


def with_branches(node: Dendrogram, branches: Sequence[Dendrogram], **changed: Any) -> Dendrogram:
    """A node with other branches, in the middle of which it stands."""
    return Dendrogram(branches, node.attributes | {"midpoint": middle(branches)} | changed)


def from_merges(
    merge: IntArray, height: FloatArray, labels: Sequence[Any] | None, hang: float = -1.0
) -> Dendrogram:
    """The tree of a sequence of merges; leaves hang below their merge, or at 0 where `hang` is negative."""
    names = range(1, len(merge) + 2) if labels is None else labels
    below = hang * height[-1]
    nodes: list[Dendrogram] = []
    for pair, top in zip(merge.tolist(), height.tolist(), strict=True):
        foot = max(0.0, top - below) if hang >= 0 else 0.0
        two = [
            Dendrogram((), {"label": names[-k - 1], "members": 1, "height": foot, "leaf": True}, -k)
            if k < 0
            else nodes[k - 1]
            for k in pair
        ]
        members = sum(branch.attributes["members"] for branch in two)
        nodes.append(Dendrogram(two, {"members": members, "midpoint": middle(two), "height": top}))
    return nodes[-1]


def by_weights(tree: Dendrogram, weights: FloatArray, function: Callable[[FloatArray], Any]) -> Dendrogram:
    """The tree with the branches of every node by weight, which `function` makes of those of its branches."""

    def turn(node: Dendrogram, branches: list[Dendrogram]) -> Dendrogram:
        """A node with its branches by weight."""
        if not node:
            place = int(node.value or 0) - 1
            value = float(weights[place]) if place < len(weights) else np.nan
            return Dendrogram((), node.attributes | {"value": value}, node.value)
        values = np.array([_weight(branch, i) for i, branch in enumerate(branches)])
        sequence = np.argsort(values, kind="stable")
        return with_branches(node, [branches[i] for i in sequence], value=function(values))

    turned: Dendrogram = folded(tree, turn)
    return turned


def _weight(branch: Dendrogram, place: int) -> float:
    """The weight of a branch; RError where a function gave several."""
    found = np.ravel(np.asarray(branch.attributes["value"]))
    if found.dtype.kind not in "biuf":
        message = f"values must be type 'double',\n but FUN(X[[{place + 1}]]) result is type '{found.dtype}'"
        raise RError(message, "agglo_FUN must give one number")
    if len(found) != 1:
        message = f"values must be length 1,\n but FUN(X[[{place + 1}]]) result is length {len(found)}"
        raise RError(message, "agglo_FUN must give one number")
    return float(found[0])


def as_merges(tree: Dendrogram) -> tuple[IntArray, FloatArray]:
    """The merges of a tree of pairs, the lowest first, of equals those further down and right first."""
    nodes = [node for node in nodes_of(tree) if node][::-1]
    height = np.array([node.attributes["height"] for node in nodes])
    sequence = np.argsort(height, kind="stable")
    row = {id(nodes[place]): i + 1 for i, place in enumerate(sequence.tolist())}
    merge = [
        [row[id(branch)] if branch else -int(branch.value or 0) for branch in nodes[place]]
        for place in sequence.tolist()
    ]
    return np.array(merge, dtype=np.int64), height[sequence]


def pair_heights(tree: Dendrogram) -> FloatArray:
    """Heights at which the pairs of leaves join, leaves from left to right.

    Shapes: returns (n, n).
    """
    n = len(objects_of(tree))
    square = np.zeros((n, n))
    places = iter(range(n))

    def join(node: Dendrogram, parts: list[list[int]]) -> list[int]:
        """Write the height of a node between its branches; gives the places of its leaves."""
        if not node:
            return [next(places)]
        left, right = parts
        square[np.ix_(left, right)] = square[np.ix_(right, left)] = node.attributes["height"]
        return left + right

    folded(tree, join)
    return square
