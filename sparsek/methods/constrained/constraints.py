"""Pairwise constraints: must-links and cannot-links between rows, with weights.

All functions need memory proportional to the number of pairs and rows.

Source: Wagstaff et al. (2001), "Constrained k-means clustering with background knowledge", ICML, for the
closure; Vouros and Vasilaki (2021), "A semi-supervised sparse k-means algorithm", for the file format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from sparsek.errors import ContradictoryConstraintsError
from sparsek.methods.constrained.checks import (
    FloatArray,
    IntArray,
    check_pairs,
    check_rows,
    check_weights,
    class_codes,
    refuse_many,
)

MAX_PAIRS = 5_000_000
"""Default limit on the number of pairs made from labels or by the closure."""
SHOWN_PATH = 12
"""Of longer paths only the ends are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseConstraints:
    """Must-link and cannot-link pairs of rows.

    Parameters
    ----------
    n_samples : int
        Number of rows of the data.
    must_link, cannot_link : array-like of shape (n_pairs, 2), integers, or None
        Rows, from 0, that belong together or apart. The order of the two ends does not matter. A pair listed
        several times counts as often (see `drop_duplicates`).
    ml_weight, cl_weight : float or array-like of shape (n_pairs,), default=1.0
        Positive weights of the pairs, dimensionless: one for all, or one each.

    Attributes
    ----------
    must_link, cannot_link : ndarray of shape (n_pairs, 2), int64
        The pairs as given.
    ml_weight, cl_weight : ndarray of shape (n_pairs,), float64
        The weights.

    Raises
    ------
    ValueError
        Pairs that are not integers of shape (n_pairs, 2), rows outside the data, a row paired with itself,
        weights that are not positive and finite or not one a pair.
    TypeError
        `n_samples` or a weight is not a number.

    See Also
    --------
    PCSparseKMeans : Sparse k-means with pairwise constraints.
    PCKMeans : K-means with a cost for every violated pair.
    COPKMeans : K-means in which every constraint holds.
    sparsek.init.seeding : Starts from must-link pairs.

    Examples
    --------
    >>> from sparsek import PairwiseConstraints
    >>> pairs = PairwiseConstraints(5, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
    >>> pairs.components()
    array([0, 0, 0, 1, 2])
    >>> pairs.closure().cannot_link.tolist()
    [[2, 3], [0, 3], [1, 3]]
    """

    n_samples: int
    must_link: Any = None
    cannot_link: Any = None
    ml_weight: Any = 1.0
    cl_weight: Any = 1.0

    def __post_init__(self) -> None:
        n = self.n_samples
        if isinstance(n, bool) or not isinstance(n, int | np.integer):
            raise TypeError(f"n_samples must be an integer; got {n!r}")
        if n < 1:
            raise ValueError(f"n_samples must be at least 1; got {n}")
        for kind, weight in (("must_link", "ml_weight"), ("cannot_link", "cl_weight")):
            pairs = check_pairs(kind, getattr(self, kind), int(n))
            object.__setattr__(self, kind, pairs)
            object.__setattr__(self, weight, check_weights(weight, getattr(self, weight), len(pairs)))

    @classmethod
    def from_labels(
        cls, y: ArrayLike, *, rows: ArrayLike | None = None, max_pairs: int = MAX_PAIRS
    ) -> PairwiseConstraints:
        """All pairs of labelled rows: must-links within a class, cannot-links between classes.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Class labels; -1 or NaN marks an unlabelled row.
        rows : array-like of shape (n_rows,), integers, or None
            Use the labels of these rows only.
        max_pairs : int, default=5_000_000
            Refuse to make more pairs than this.

        Returns
        -------
        PairwiseConstraints
            Pairs in increasing order of the first, then the second row; weights 1.

        Raises
        ------
        ValueError
            `y` is not one-dimensional, a row does not exist, or there would be more than `max_pairs` pairs.

        Examples
        --------
        >>> from sparsek import PairwiseConstraints
        >>> pairs = PairwiseConstraints.from_labels([0, -1, 0, 1])
        >>> pairs.must_link.tolist(), pairs.cannot_link.tolist()
        ([[0, 2]], [[0, 3], [2, 3]])
        """
        codes = class_codes(y)
        if rows is not None:
            chosen = np.zeros(len(codes), dtype=bool)
            chosen[check_rows(rows, len(codes))] = True
            codes = np.where(chosen, codes, -1)
        labelled = np.flatnonzero(codes >= 0)
        refuse_many(len(labelled) * (len(labelled) - 1) // 2, max_pairs, "the labels make")
        i, j = np.triu_indices(len(labelled), 1)
        pairs = np.column_stack([labelled[i], labelled[j]])
        same = codes[pairs[:, 0]] == codes[pairs[:, 1]]
        return cls(len(codes), pairs[same], pairs[~same])

    @classmethod
    def from_ordered_pairs(
        cls, pairs: Any, n_samples: int, *, larger_first: str = "must_link"
    ) -> PairwiseConstraints:
        """Pairs in the two-column format of Vouros and Vasilaki, where the order of the rows gives the kind.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2), integers, or path of a text file
            Rows counted from 1. A file has two columns, separated by blanks or commas.
        n_samples : int
            Number of rows of the data.
        larger_first : {"must_link", "cannot_link"}, default="must_link"
            Kind of a pair whose first row is the larger one: a must-link in the authors' MATLAB program, a
            cannot-link in their Java program.

        Returns
        -------
        PairwiseConstraints
            Pairs in the order given, rows counted from 0; weights 1.

        Raises
        ------
        ValueError
            Entries that are not row numbers from 1 to `n_samples`, or a row paired with itself.

        Examples
        --------
        >>> from sparsek import PairwiseConstraints
        >>> pairs = PairwiseConstraints.from_ordered_pairs([(4, 1), (2, 3)], n_samples=4)
        >>> pairs.must_link.tolist(), pairs.cannot_link.tolist()
        ([[3, 0]], [[1, 2]])
        """
        if larger_first not in ("must_link", "cannot_link"):
            raise ValueError(f"larger_first must be 'must_link' or 'cannot_link'; got {larger_first!r}")
        if isinstance(pairs, str | Path):
            lines = Path(pairs).read_text(encoding="utf-8").replace(",", " ").splitlines()
            pairs = np.loadtxt(lines, dtype=np.int64, ndmin=2)
        given = check_pairs("pairs", pairs, n_samples, first_row=1)
        larger = given[:, 0] > given[:, 1]
        must = larger if larger_first == "must_link" else ~larger
        return cls(n_samples, given[must], given[~must])

    def fit_params(self) -> dict[str, Any]:
        """Keyword arguments for the `fit` of the constrained estimators.

        Returns
        -------
        dict
            ``must_link``, ``cannot_link``, ``ml_weight`` and ``cl_weight``.
        """
        return {
            "must_link": self.must_link,
            "cannot_link": self.cannot_link,
            "ml_weight": self.ml_weight,
            "cl_weight": self.cl_weight,
        }

    def drop_duplicates(self) -> Self:
        """Keep the first of each pair that is listed several times in one of the two lists.

        Returns
        -------
        PairwiseConstraints
            Pairs in their order.
        """
        ml, cl = (_first_of_each(pairs, self.n_samples) for pairs in (self.must_link, self.cannot_link))
        return type(self)(
            self.n_samples, self.must_link[ml], self.cannot_link[cl], self.ml_weight[ml], self.cl_weight[cl]
        )

    def components(self) -> IntArray:
        """For each row, the number of its component: the set of rows joined to it by must-links.

        Returns
        -------
        ndarray of shape (n_samples,), int64
            Components are numbered from 0 by their smallest row; a row without must-links is one by itself.
        """
        labels = connected_components(self._graph(), directed=False)[1]
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return rank[codes]

    def conflicts(self) -> IntArray:
        """Cannot-links between rows that must-links join.

        Returns
        -------
        ndarray of shape (n_conflicts,), int64
            Their indices in `cannot_link`.
        """
        if not len(self.must_link) or not len(self.cannot_link):
            return np.empty(0, dtype=np.int64)
        ends = self.components()[self.cannot_link]
        return np.flatnonzero(ends[:, 0] == ends[:, 1])

    def check_consistent(self) -> None:
        """Raise if a cannot-link contradicts the must-links.

        Raises
        ------
        ContradictoryConstraintsError
            The message names the first such pair and the must-links that join its ends.
        """
        found = self.conflicts()
        if len(found):
            u, v = self.cannot_link[found[0]].tolist()
            more = f" ({len(found)} cannot-links like this)" if len(found) > 1 else ""
            raise ContradictoryConstraintsError(
                f"cannot-link ({u}, {v}) contradicts the must-links that join its rows: "
                f"{self._path(u, v)}{more}; remove one of these pairs"
            )

    def closure(self, max_pairs: int = MAX_PAIRS) -> Self:
        """Add all pairs that follow from the given ones, with weight 1.

        Rows joined by must-links are must-linked to each other, and all rows of two such sets are
        cannot-linked when any two of them are.

        Parameters
        ----------
        max_pairs : int, default=5_000_000
            Refuse to make more pairs than this: their number can grow with the square of the number of rows.

        Returns
        -------
        PairwiseConstraints
            The given pairs with their weights, then the new ones.

        Raises
        ------
        ContradictoryConstraintsError
            A cannot-link contradicts the must-links.
        ValueError
            There would be more than `max_pairs` pairs.
        """
        self.check_consistent()
        component = self.components()
        sizes = np.bincount(component)
        members, starts = np.argsort(component, kind="stable"), np.cumsum(sizes) - sizes
        linked = np.unique(np.sort(component[self.cannot_link], axis=1), axis=0)
        across = sizes[linked[:, 0]] * sizes[linked[:, 1]]
        refuse_many(int((sizes * (sizes - 1) // 2).sum() + across.sum()), max_pairs, "the closure has")
        later = np.repeat(starts + sizes, sizes) - np.arange(self.n_samples) - 1
        i = np.repeat(np.arange(self.n_samples), later)
        must = np.column_stack([members[i], members[i + 1 + _count_up(later)]])
        turn, block = _count_up(across), np.repeat(np.arange(len(linked)), across)
        a, b = linked[block].T
        cannot = np.column_stack(
            [members[starts[a] + turn // sizes[b]], members[starts[b] + turn % sizes[b]]]
        )
        ml, ml_weight = self._extended(self.must_link, self.ml_weight, must)
        cl, cl_weight = self._extended(self.cannot_link, self.cl_weight, cannot)
        return type(self)(self.n_samples, ml, cl, ml_weight, cl_weight)

    def _extended(self, given: IntArray, weight: FloatArray, pairs: IntArray) -> tuple[IntArray, FloatArray]:
        """The given pairs, then the new ones among `pairs`, with weight 1."""
        keys = pair_keys(np.sort(pairs, axis=1), self.n_samples)
        new = np.sort(keys[~np.isin(keys, pair_keys(np.sort(given, axis=1), self.n_samples))])
        added = np.column_stack(np.divmod(new, self.n_samples))
        return np.vstack([given, added]), np.append(weight, np.ones(len(added)))

    def _graph(self) -> csr_array:
        """Adjacency matrix of the must-links, one direction each."""
        ones = np.ones(len(self.must_link), dtype=np.int8)
        return (
            coo_array((ones, self.must_link.T), shape=(self.n_samples, self.n_samples)).astype(bool).tocsr()
        )

    def _path(self, u: int, v: int) -> str:
        """Shortest chain of must-links from u to v, as text."""
        _, previous = breadth_first_order(self._graph(), u, directed=False)
        path = [v]
        while path[-1] != u:
            path.append(int(previous[path[-1]]))
        names = [str(row) for row in reversed(path)]
        if len(names) > SHOWN_PATH:
            hidden = len(names) - SHOWN_PATH
            names[SHOWN_PATH // 2 : -SHOWN_PATH // 2] = [f"... {hidden} more rows ..."]
        return " - ".join(names)


def chain_classes(codes: IntArray) -> PairwiseConstraints:
    """A few pairs with the same closure as all pairs of labelled rows; `codes` are from `class_codes`."""
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    next_to = np.column_stack([order[:-1], order[1:]])
    same = codes[next_to[:, 0]] == codes[next_to[:, 1]]
    firsts = order[np.append(True, ~same)] if len(order) else order
    i, j = np.triu_indices(len(firsts), 1)
    return PairwiseConstraints(len(codes), next_to[same], np.column_stack([firsts[i], firsts[j]]))


def pair_keys(pairs: IntArray, n: int) -> IntArray:
    """One number for each pair (i, j): i * n + j."""
    return pairs[:, 0] * n + pairs[:, 1]


def _first_of_each(pairs: IntArray, n: int) -> IntArray:
    return np.sort(np.unique(pair_keys(np.sort(pairs, axis=1), n), return_index=True)[1])


def _count_up(counts: IntArray) -> IntArray:
    """0..counts[0]-1, 0..counts[1]-1, and so on."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
