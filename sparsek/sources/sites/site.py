"""A site of a federated fit: it holds rows, and answers questions by counts and exact sums.

Questions and answers are mappings of names to arrays of numbers, which any transport can carry. A site that
will not answer says why in the part "refused".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.core.exact_sums import Extremes, Grid, MomentSums
from sparsek.core.steps import ClusterSums, Labels
from sparsek.inputs.arguments import COUNT, check_arguments
from sparsek.inputs.indices import aligned
from sparsek.inputs.validation import complete_rows
from sparsek.inputs.weights import row_weights
from sparsek.sources.local import LocalRows
from sparsek.sources.protocol import Subspace
from sparsek.sources.sites.question import MOST_CLUSTERS, MOST_NAMES, Question
from sparsek.sources.sites.running import SiteFit

MOST_ROWS = 2**53
"""Largest number of rows of all sites."""
Answer = dict[str, Any]


class Site:
    """Rows that stay where they are, for a federated fit.

    A site answers the questions of a `Coordinator` by counts, sums and, unless limits of the columns are
    agreed, by the largest and the smallest value of each column. No row, and no label of a row, is in an
    answer.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows of this site, complete and finite, in the same columns and units as those of all sites. There
        may be none. float32 counts as such only where all sites have it.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Numbers of repetitions of the rows, dimensionless, not negative; 0 leaves a row out. If any site has
        weights, the rows of the others weigh 1.
    min_rows : int, default=5
        Fewest rows of which a sum is told, if there are any: a site with fewer rows of positive weight, or
        with fewer in a cluster, refuses to answer.
    min_moved : int, default=1
        Fewest rows by which the clusters of two answers may differ, if they differ: a site with fewer of them
        refuses its sums, because the difference of both answers would be the sum of these rows. 1 allows any.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        Clusters of the rows in the last fit, which stay here. Rows of weight 0 get their nearest cluster.

    Raises
    ------
    ValueError
        X has missing or infinite entries, or no columns; a parameter outside its range; weights of another
        shape or below 0.
    TypeError
        X holds no numbers, or is sparse.

    See Also
    --------
    fit : Fit an estimator to the rows of some sites.
    Coordinator : Asks the questions.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.federated import Site
    >>> site = Site(np.arange(12.0).reshape(6, 2))
    >>> answer = site.answer({"ask": "rows"})
    >>> answer["n"], answer["p"]
    (6, 2)
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        min_rows: int = 5,
        min_moved: int = 1,
    ) -> None:
        limits = {"min_rows": COUNT, "min_moved": COUNT}
        check_arguments("Site", limits, min_rows=min_rows, min_moved=min_moved)
        self.min_rows, self.min_moved = int(min_rows), int(min_moved)
        sample_weight = aligned(sample_weight, X, "sample_weight")
        self._given, self._names = complete_rows(X)
        n = len(self._given)
        self._weights = None if sample_weight is None else row_weights(sample_weight, n, self._given.dtype)
        self._kept = np.ones(n, bool) if self._weights is None else self._weights > 0
        self._n = int(np.count_nonzero(self._kept))
        self._final: Labels | None = None
        self._told: Labels | None = None  # labels of the last sums that were told
        self._fit: SiteFit | None = None
        self._answers: dict[str, Callable[[Question], Answer]] = {
            "rows": self._rows,
            "begin": self._begin,
            "moments": self._moments,
            "labels": self._take_labels,
            "sums": self._sums,
            "assign": self._assign,
            "scatter": self._scatter,
            "keep": self._keep,
        }

    @property
    def labels(self) -> NDArray[np.int32]:
        """Clusters of the rows in the last fit."""
        if self._final is None:
            raise ValueError("the rows of this site have no labels yet; call sparsek.federated.fit first")
        return self._final

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a question of a coordinator.

        Parameters
        ----------
        question : mapping of str to array-like
            The part "ask" says what is asked: "rows", "begin", "moments", "labels", "sums", "assign",
            "scatter" or "keep"; the other parts are its numbers.

        Returns
        -------
        dict
            Numbers and arrays of numbers by name, or the part "refused" with the reason.

        Raises
        ------
        ValueError
            The question is unknown, lacks a part, or has one of another shape or range than it must have; or
            it comes before the one that begins a fit.
        TypeError
            The question is no mapping.
        """
        asked = Question(question)
        if asked.kind not in self._answers:
            raise ValueError(f"question must ask one of {', '.join(self._answers)}; got {asked.kind!r}")
        if 0 < self._n < self.min_rows:
            return {
                "refused": f"it has fewer rows of positive weight than min_rows={self.min_rows}; join them "
                "with those of another site, or lower min_rows there"
            }
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            return self._answers[asked.kind](asked)

    def _rows(self, asked: Question) -> Answer:
        """How many rows and columns there are, and of what kind."""
        weights = None if self._weights is None else self._weights[self._kept]
        return {
            "n": self._n,
            "n_given": len(self._given),
            "p": self._given.shape[1],
            "single": int(self._given.dtype == np.float32),
            "weighted": int(weights is not None),
            "heaviest": float(np.max(weights, initial=0)) if weights is not None else float(self._n > 0),
            "names": np.array([] if self._names is None else self._names, dtype=str),
        }

    def _begin(self, asked: Question) -> Answer:
        """Begin a fit; the extremes of the columns, or whether all values lie within limits."""
        dtype = np.float32 if asked.number("single", 1) else np.float64
        n_rows, weighted = asked.number("n", MOST_ROWS, 1), asked.number("weighted", 1)
        given = self._given if self._kept.all() else self._given[self._kept]
        X, weights = given.astype(dtype, copy=False), None
        if weighted:
            # A site without weights gives its rows the weight 1 where other sites have weights.
            own = np.ones(len(self._given)) if self._weights is None else self._weights
            weights = own[self._kept].astype(dtype)
        heaviest = float(asked.array("heaviest", ())) if weighted else None
        self._fit = SiteFit(X, weights, n_rows, heaviest, asked.number("n_clusters", MOST_CLUSTERS, 1))
        ends = self._fit.ends
        if "low" not in asked:
            return {"top": ends.top, "bottom": ends.bottom}
        p = X.shape[1]
        low, high = (asked.array(name, (p,)).astype(dtype) for name in ("low", "high"))
        outside = (ends.bottom < low) | (ends.top > high)
        if self._n and outside.any():
            return {
                "refused": f"column {int(outside.argmax())}, counted from 0, has values outside its bounds; "
                "agree on wider ones, or correct the values"
            }
        return {}

    def _moments(self, asked: Question) -> Answer:
        """Sums of the differences from the middle of each column and of their squares, and of weights."""
        fit, p = self._running(), self._given.shape[1]
        top, bottom = (asked.array(name, (p,)) for name in ("top", "bottom"))
        unit = asked.array("unit", (p,)).astype(fit.X.dtype) if "unit" in asked else None
        own = Extremes.of(fit.X, unit=unit)
        if self._n and not ((own.top <= top) & (bottom <= own.bottom)).all():
            raise ValueError("top and bottom of the question 'moments' must be those of all sites")
        second = MomentSums.of(Extremes(top, bottom), fit.n_rows, fit.heaviest_weight)
        found: Answer = {"sums": second.add(fit.X, fit.weights, unit)}
        if fit.weights is not None:
            grid = Grid.of(np.asarray(fit.heaviest), fit.n_rows)
            found["weight"] = int(grid.multiples(fit.weights.astype(np.float64)).sum())
        return found

    def _take_labels(self, asked: Question) -> Answer:
        """Keep labels by which the rows start."""
        fit = self._running()
        given = asked.whole("labels", (len(self._given),), fit.n_clusters - 1)
        fit.held[asked.number("name", MOST_NAMES)] = given[self._kept].astype(np.int32)
        return {}

    def _sums(self, asked: Question) -> Answer:
        """Cluster sums of labels, sizes last, in multiples of the units of the grid."""
        fit = self._running()
        rows, known = fit.at(asked, asked.number("name", MOST_NAMES))
        return self._told_sums(rows.labels, known)

    def _assign(self, asked: Question) -> Answer:
        """Label every row with its nearest centre; whether one moved, and the cluster sums after."""
        fit, p = self._running(), self._given.shape[1]
        columns = asked.whole("columns", (None,), p - 1).astype(np.intp)
        centers = asked.array("centers", (fit.n_clusters, len(columns)))
        name, before = asked.number("name", MOST_NAMES), asked.number("before", MOST_NAMES, -1)
        if before < 0:
            rows = LocalRows(fit.reader(asked), None)
            fit.assign(rows, centers, columns)
            fit.held[name] = rows.labels
            return {}
        rows, known = fit.at(asked, before)
        moved = fit.assign(rows, centers, columns)
        fit.moved_to(name, rows, rows.moved_sums(known) if moved else known, (columns, centers))
        fit.held.pop(asked.number("forget", MOST_NAMES, -1), None)
        return {"moved": int(moved), **self._told_sums(rows.labels, fit.known)}

    def _told_sums(self, labels: Labels, known: ClusterSums | None) -> Answer:
        """The sums, unless they, or their difference from those told before, are of too few rows."""
        assert known is not None  # set by the caller
        few = self._too_few(labels, len(known.sums))
        if few:
            return {"refused": few}
        self._told = labels
        return {"sums": known.whole}

    def _too_few(self, labels: Labels, n_clusters: int) -> str:
        """Why sums over these labels are not told; empty where they are."""
        counts = np.bincount(labels, minlength=n_clusters)
        small = (counts > 0) & (counts < self.min_rows)
        if small.any():
            return (
                f"cluster {int(small.argmax())} has fewer of its rows than min_rows={self.min_rows}; fit "
                "fewer clusters, start from other centres, or lower min_rows there"
            )
        n_moved = 0 if self._told is None else np.count_nonzero(labels != self._told)
        if 0 < n_moved < self.min_moved:
            return (
                f"fewer than min_moved={self.min_moved} of its rows changed their cluster since its last "
                "answer; lower min_moved there, or end the fit before"
            )
        return ""

    def _scatter(self, asked: Question) -> Answer:
        """Sum of squared distances of the rows to the centres of their labels, in multiples of a unit."""
        fit, p = self._running(), self._given.shape[1]
        labels = fit.labels(asked.number("name", MOST_NAMES))
        few = self._too_few(labels, fit.n_clusters)
        if few:
            return {"refused": few}
        columns = asked.whole("columns", (None,), p - 1).astype(np.intp)
        centers = asked.array("centers", (fit.n_clusters, len(columns)))
        reader, most = fit.reader(asked), asked.array("most", ())
        subspace, grid, total = Subspace(columns), Grid.of(most, fit.n_rows), 0
        for part, operand, _ in reader.operands(subspace):
            squares = reader.steps.distances(operand, subspace, labels[part], centers)
            terms = squares * (1.0 if fit.weights is None else fit.weights[part])
            if not np.max(terms, initial=0) <= most:
                raise ValueError(f"most of the question {asked.kind!r} is below a distance")
            # Whole multiples of one unit add up to the same sum in any order and over any sites.
            total += int(grid.multiples(terms).sum())
        return {"sum": total}

    def _keep(self, asked: Question) -> Answer:
        """End the fit, and keep these labels."""
        fit = self._running()
        found = np.empty(len(self._given), np.int32)
        found[self._kept] = fit.labels(asked.number("name", MOST_NAMES))
        if not self._kept.all():
            found[~self._kept] = fit.nearest(self._given[~self._kept])
        self._final, self._fit = found, None
        return {}

    def _running(self) -> SiteFit:
        """The fit that has begun."""
        if self._fit is None:
            raise ValueError("no fit has begun at this site; ask 'begin' first")
        return self._fit
