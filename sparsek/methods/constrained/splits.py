"""Cross-validation folds with constraints between training rows: the protocol of Vouros and Vasilaki."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold

from sparsek.inputs.arguments import count, names, number
from sparsek.methods.constrained.checks import IntArray, class_codes
from sparsek.methods.constrained.constraints import PairwiseConstraints
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.parameters import Count, LargeSeed

KINDS = ("both", "half", "ml", "cl")


class ConstraintSplit(NamedTuple):
    """One draw of constraints for one fold."""

    fold: int  # fold, draw: numbers from 0
    draw: int
    train: IntArray  # train, test: rows of the training and of the test part
    test: IntArray
    constraints: PairwiseConstraints  # Pairs of training rows


class ConstraintSplitter(Estimator):
    """Stratified folds, each with random pairwise constraints between its training rows.

    The protocol of Vouros and Vasilaki: the folds are drawn once. The pool of a fold has all pairs of its
    training rows: must-links within a class and cannot-links between classes. A draw takes a percentage of
    the pool of the first fold, rounded to an even number. All rows are clustered, and the score is that of
    the test rows, which are in no constraint.

    Parameters
    ----------
    percent : float, default=5.0
        Constraints in percent of the pairs of training rows, above 0 and at most 100.
    kind : {"both", "half", "ml", "cl"}, default="both"
        "both" draws two halves, independently, from all pairs, so that a pair can come twice; "half" takes as
        many must-links as cannot-links; "ml" and "cl" take one kind only.
    n_splits : int, default=10
        Number of folds.
    n_draws : int, default=25
        Draws of constraints for each fold.
    random_state : int or None, default=None
        Seed. The pairs of a fold and draw do not depend on the number of folds and draws asked for before.

    Raises
    ------
    ValueError
        From `split`: a parameter outside its range, classes of fewer rows than there are folds, unlabelled
        rows, or more pairs wanted than there are.
    TypeError
        A parameter of the wrong type.

    See Also
    --------
    cross_validate_constraints : Score a constrained estimator on rows that no constraint touches.
    PairwiseConstraints : Must-link and cannot-link pairs of rows.

    References
    ----------
    Vouros, A. and Vasilaki, E. (2021). A semi-supervised sparse K-means algorithm. Pattern Recognition
    Letters 142, 65-71, Section 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsek import ConstraintSplitter
    >>> X, y = load_iris(return_X_y=True)
    >>> splits = list(ConstraintSplitter(1.0, kind="ml", n_draws=2, random_state=0).split(X, y))
    >>> len(splits), len(splits[0].test), splits[0].constraints.must_link.shape
    (20, 15, (90, 2))
    """

    def __init__(
        self,
        percent: Annotated[float, number(0, 100, "right")] = 5.0,
        *,
        kind: Annotated[str, names(*KINDS)] = "both",
        n_splits: Annotated[int, count(2)] = 10,
        n_draws: Count = 25,
        random_state: LargeSeed | None = None,
    ) -> None:
        self._keep(locals())

    def get_n_splits(self, X: object = None, y: object = None) -> int:
        """Number of fits: folds times draws.

        Parameters
        ----------
        X, y : object
            Ignored.

        Returns
        -------
        int
            The number.
        """
        return int(self.n_splits * self.n_draws)

    def split(self, X: Any, y: ArrayLike) -> Iterator[ConstraintSplit]:
        """Draw folds and constraints.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Data; only the number of rows matters.
        y : array-like of shape (n_samples,)
            Class labels of all rows.

        Yields
        ------
        ConstraintSplit
            ``(fold, draw, train, test, constraints)``, draw by draw within each fold.
        """
        codes = self._checked(X, y)
        root = np.random.SeedSequence(self.random_state)
        seed = int(root.generate_state(1)[0])
        folds = StratifiedKFold(self.n_splits, shuffle=True, random_state=seed)
        n_pairs = 0
        for fold, (train, test) in enumerate(folds.split(codes, codes)):
            pool = PairPool(train, codes[train])
            # All folds draw the same number of pairs; each fold and draw has its own generator.
            if fold == 0:
                n_pairs = even(self.percent * pool.n_pairs / 100)
            for draw in range(self.n_draws):
                key = (*root.spawn_key, fold, draw)
                rng = np.random.default_rng(np.random.SeedSequence(root.entropy, spawn_key=key))
                must, cannot = pool.draw(n_pairs, self.kind, rng)
                yield ConstraintSplit(fold, draw, train, test, PairwiseConstraints(len(codes), must, cannot))

    def _checked(self, X: Any, y: ArrayLike) -> IntArray:
        """Classes of all rows."""
        self._validate_params()
        codes = class_codes(y)
        if len(codes) != len(X):
            raise ValueError(f"y must have one label for each of the {len(X)} rows of X; got {len(codes)}")
        if (codes < 0).any():
            raise ValueError(f"every row must have a label; row {np.argmax(codes < 0)} has none")
        smallest = int(np.bincount(codes).min())
        if smallest < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} must be at most the size of the smallest class, {smallest}"
            )
        return codes


def even(number: float) -> int:
    """The nearest whole number (halves to even), plus 1 if it is odd; at least 2."""
    whole = round(number)
    return max(whole + whole % 2, 2)


class PairPool:
    """All pairs of some rows, numbered but not stored, so that only drawn pairs take memory."""

    def __init__(self, rows: IntArray, codes: IntArray) -> None:
        order = np.argsort(codes, kind="stable")
        self.rows, self.codes = rows[order], codes[order]
        self.sizes = np.unique(self.codes, return_counts=True)[1]
        self.starts = np.cumsum(self.sizes) - self.sizes
        n = len(rows)
        self.n_pairs = n * (n - 1) // 2
        self.n_within = int((self.sizes * (self.sizes - 1) // 2).sum())

    def draw(self, n_pairs: int, kind: str, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Must-links and cannot-links, in random order."""
        half = n_pairs // 2
        if kind == "both":
            numbers = np.append(
                self._sample(half, self.n_pairs, "pairs", rng), self._sample(half, self.n_pairs, "pairs", rng)
            )
            i, j = triangle(rng.permutation(numbers))
            pairs = np.column_stack([self.rows[i], self.rows[j]])
            same = self.codes[i] == self.codes[j]
            return pairs[same], pairs[~same]
        n_must, n_cannot = {"half": (half, half), "ml": (n_pairs, 0), "cl": (0, n_pairs)}[kind]
        n_between = self.n_pairs - self.n_within
        must = self._within(self._sample(n_must, self.n_within, "must-links", rng))
        return must, self._between(self._sample(n_cannot, n_between, "cannot-links", rng))

    @staticmethod
    def _sample(size: int, n: int, what: str, rng: np.random.Generator) -> IntArray:
        """Distinct numbers below n, in random order."""
        if size > n:
            raise ValueError(f"{size} {what} are wanted, but the training rows have {n}; lower percent")
        return rng.choice(n, size, replace=False, shuffle=True)

    def _within(self, numbers: IntArray) -> IntArray:
        """The pairs within classes that have these numbers."""
        counts = self.sizes * (self.sizes - 1) // 2
        ends = np.cumsum(counts)
        block = np.searchsorted(ends, numbers, side="right")
        i, j = triangle(numbers - (ends - counts)[block])
        return np.column_stack([self.rows[self.starts[block] + i], self.rows[self.starts[block] + j]])

    def _between(self, numbers: IntArray) -> IntArray:
        """The pairs between classes that have these numbers: each class with all rows of later classes."""
        n = len(self.rows)
        later = n - self.starts - self.sizes
        counts = self.sizes * later
        ends = np.cumsum(counts)
        block = np.searchsorted(ends, numbers, side="right")
        rest = numbers - (ends - counts)[block]
        i = self.starts[block] + rest // np.maximum(later[block], 1)
        j = self.starts[block] + self.sizes[block] + rest % np.maximum(later[block], 1)
        return np.column_stack([self.rows[i], self.rows[j]])


def triangle(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs i < j with j (j - 1) / 2 + i = number."""
    j = ((1 + np.sqrt(1 + 8.0 * numbers)) / 2).astype(np.int64)
    # The root is rounded, so j can be off by one in either direction.
    j -= j * (j - 1) // 2 > numbers
    j += j * (j + 1) // 2 <= numbers
    return numbers - j * (j - 1) // 2, j
