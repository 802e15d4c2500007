"""Sparse hierarchical clustering with R's sparcl answers, bit for bit: Witten & Tibshirani (2010).

The matrix D has a row for each of the N = n (n - 1) / 2 pairs of rows and a column for each feature; it holds
the dissimilarity of the pair in the feature. Maximise ``u' D w`` subject to ``|u|_2 <= 1``, ``|w|_2 <= 1``,
``|w|_1 <= s``, ``w_j >= 0``; then cluster the rows on u. Given w, u is D w normalised; given u, w is u'D
soft-thresholded and normalised.

R multiplies through its BLAS: the reference BLAS adds left to right in double, features for D w and pairs for
u'D. Both sums are formed here in that order, from blocks of the N x p distances, never from a second copy.
Entries of u'D are needed to the last bit only for features whose weight is not 0; an approximate product
with an error bound finds these features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import (
    BELOW_LARGEST,
    MAX_HALVINGS,
    THRESHOLD_TOL,
    FloatArray,
    find_threshold,
    l2_norm,
    long_sum,
    sequential_sum,
    soft_threshold,
)
from sparsek.engine import compiles
from sparsek.errors import RError
from sparsek.rcompat.sparcl import loops
from sparsek.rcompat.sparcl.sparse_kmeans import CONVERGED
from sparsek.rng import RRandom

IntArray = NDArray[np.intp]

DEFAULT_STEPS = 15
"""Largest number of steps at a bound, unless told otherwise."""
EPS = float(np.finfo(np.float64).eps)
BLOCK = 2**16
"""Doubles in a block of products: half a megabyte stays in the processor's cache."""
FEW = 8
"""For fewer features than this, the sums over the pairs are formed feature by feature."""
MOST = 0.7
"""Above this share of the features all of them are computed, which is faster than picking some."""
PAIRS = 2**14
"""Pairs of rows in a block of D w."""


@dataclass(frozen=True, slots=True)
class HierarchicalFit:
    """Sparse dissimilarities at one bound."""

    l1_bound: float  # The bound on the L1 norm of the weights, dimensionless
    weights: FloatArray  # (p,): feature weights, unit L2 norm, dimensionless
    # (n (n - 1) / 2,): dissimilarities u of the pairs of rows (1, 2), (1, 3), ..., unit L2 norm,
    # dimensionless
    pairs: FloatArray
    objective: float  # ``u' D w``, in (squared, for squared distances) units of the data


class DissimilarityProducts:
    """Products with D, whose columns are the given distances or their squares.

    Shapes: distances (p, N) float64, by_pair (N, p).
    """

    def __init__(self, distances: FloatArray, squared: bool, by_pair: FloatArray | None = None) -> None:
        self._distances, self._squared, self.by_pair = distances, squared, by_pair
        self.shape = distances.shape
        self.nonnegative = squared or distances.size == 0 or float(distances.min()) >= 0

    def _multiply(
        self, rows: IntArray | slice, pairs: slice, factor: FloatArray, out: FloatArray
    ) -> FloatArray:
        """A block of D' multiplied by a factor."""
        block = self._distances[:, pairs][rows]
        if self._squared:
            block = np.multiply(block, block, out=out)
        return np.multiply(block, factor, out=out)

    def over_features(self, weights: FloatArray) -> FloatArray:
        """D w, adding the features from left to right; those of weight 0 add nothing."""
        p, n_pairs = self.shape
        used = np.flatnonzero(weights)
        if MOST * p < len(used):
            used = np.arange(p)
        total = np.zeros(n_pairs)
        if compiles(len(used) * n_pairs, loops.over_features):
            loops.over_features.compiled(self._distances, self._squared, weights, used, total)
            return total
        width = min(n_pairs, PAIRS) or 1
        height = max(8, BLOCK // width)
        for begin in range(0, n_pairs, width):
            pairs = slice(begin, begin + width)
            part = total[pairs]
            terms = np.empty((height + 1, len(part)))
            for first in range(0, len(used), height):
                last = min(first + height, len(used))
                rows = slice(first, last) if len(used) == p else used[first:last]
                terms[0] = part
                self._multiply(rows, pairs, weights[rows, None], terms[1 : last - first + 1])
                part[:] = sequential_sum(terms[: last - first + 1])
        return total

    def over_pairs(self, u: FloatArray, features: IntArray) -> FloatArray:
        """Entries of u'D, adding the pairs from top to bottom."""
        n_pairs, m = len(u), len(features)
        if compiles(m * n_pairs, loops.over_pairs):
            found = np.empty(m)
            loops.over_pairs.compiled(self._distances, self._squared, u, features, found)
            return found
        if m < FEW:
            work = np.empty((1, n_pairs))
            columns = (self._multiply(slice(j, j + 1), slice(None), u, work)[0] for j in features.tolist())
            return np.array([np.add.accumulate(column)[-1] if n_pairs else 0.0 for column in columns])
        rows = slice(None) if m == self.shape[0] else features
        total = np.zeros(m)
        height = min(n_pairs, max(64, BLOCK // m))
        work, terms = np.empty((m, height)), np.empty((height + 1, m))
        for begin in range(0, n_pairs, height):
            pairs = slice(begin, begin + height)
            count = len(u[pairs])
            terms[0] = total
            terms[1 : count + 1] = self._multiply(rows, pairs, u[pairs], work[:, :count]).T
            total = sequential_sum(terms[: count + 1])
        return total

    def over_all_pairs(self, u: FloatArray) -> FloatArray:
        """u'D from the copy with a pair per row, adding the pairs from top to bottom."""
        assert self.by_pair is not None
        p = self.shape[0]
        total = np.zeros(p)
        if compiles(p * len(u), loops.over_all_pairs):
            loops.over_all_pairs.compiled(self.by_pair, u, total)
            return total
        height = max(1, BLOCK // p)
        terms = np.empty((height + 1, p))
        for begin in range(0, len(u), height):
            part = u[begin : begin + height, None]
            terms[0] = total
            np.multiply(self.by_pair[begin : begin + height], part, out=terms[1 : len(part) + 1])
            total = sequential_sum(terms[: len(part) + 1])
        return total

    def roughly_over_pairs(self, u: FloatArray) -> FloatArray:
        """u'D by matrix products; its relative error is at most N eps when all terms are at least 0."""
        if not self._squared:
            return self._distances @ u
        p, n_pairs = self.shape
        height = max(1, BLOCK // (n_pairs or 1))
        found = np.empty(p)
        for begin in range(0, p, height):
            block = self._distances[begin : begin + height]
            found[begin : begin + height] = (block * block) @ u
        return found


class _Gains:
    """The vector a = max(0, u'D) of one u; entries are computed to the last bit only on request."""

    def __init__(self, products: DissimilarityProducts, u: FloatArray) -> None:
        self.u = u
        self._products = products
        self._values = np.empty(products.shape[0])
        self._known = np.zeros(products.shape[0], dtype=bool)
        self._rough = None
        if products.by_pair is not None and len(u):
            self._values = self._rough = np.maximum(0.0, products.over_all_pairs(u))
            self._known[:] = True
        elif products.nonnegative and len(u) and float(u.min()) >= 0:
            self._rough = products.roughly_over_pairs(u)

    def _exact(self, wanted: NDArray[np.bool_]) -> FloatArray:
        """Exact entries of a where wanted, 0 elsewhere; all entries when most are wanted, which is faster."""
        if MOST * len(wanted) < np.count_nonzero(wanted):
            wanted = np.ones(len(wanted), dtype=bool)
        new = np.flatnonzero(wanted & ~self._known)
        if len(new):
            self._values[new] = np.maximum(0.0, self._products.over_pairs(self.u, new))
            self._known[new] = True
        return np.where(wanted, self._values, 0.0)

    def threshold(self, l1_bound: float) -> tuple[FloatArray, float]:
        """R's threshold for the bound, and a with zeros for entries surely below the threshold."""
        if self._rough is not None and 1e-100 < float(self._rough.max()) < 1e100:
            largest = float(self._rough.max())
            error = 2 * (len(self.u) + 8) * EPS * largest
            top = float(self._exact(self._rough >= largest - 2 * error).max())
            found = _screened_threshold(self._rough, top, l1_bound, error)
            if found is not None:
                return self._exact(self._rough >= found - error), found
        a = self._exact(np.ones(len(self._values), dtype=bool))
        if not np.isfinite(a).all():
            raise RError(
                "missing value where TRUE/FALSE needed", "distances overflow or are missing: rescale x"
            )
        return a, find_threshold(a, l1_bound)


def _screened_threshold(a: FloatArray, top: float, l1_bound: float, error: float) -> float | None:
    """Threshold by the search of `find_threshold` on values with an error; None if 0 or if in doubt."""
    ratio = _Ratio(a, error)
    if (ratio.excess(0.0, l1_bound) or 0) <= 0:
        return None
    lo, hi = 0.0, top - BELOW_LARGEST
    halvings = 0
    while halvings < MAX_HALVINGS and hi - lo > THRESHOLD_TOL:
        middle = (lo + hi) / 2
        excess = ratio.excess(middle, l1_bound)
        if excess is None:
            return None
        lo, hi = (lo, middle) if excess < 0 else (middle, hi)
        halvings += 1
    found = (lo + hi) / 2
    return found if found > 0 else None


class _Ratio:
    """``|v|_1 / |v|_2`` of ``v = max(0, a - d)`` for any d, from sums over the sorted values."""

    def __init__(self, a: FloatArray, error: float) -> None:
        self._ascending = np.sort(a)
        descending = self._ascending[::-1]
        self._sums, self._squares = np.cumsum(descending), np.cumsum(descending * descending)
        self._total, self._spread = len(a) * error, math.sqrt(len(a)) * error

    def excess(self, d: float, l1_bound: float) -> float | None:
        """The ratio less the bound; None when rounding and the error of a leave the sign in doubt."""
        kept = len(self._ascending) - int(self._ascending.searchsorted(d, side="right"))
        if not kept:
            return None
        rounding = (kept + 8) * EPS
        total, squares = float(self._sums[kept - 1]), float(self._squares[kept - 1])
        l1, l1_error = total - kept * d, rounding * (total + kept * d)
        l2_squared = squares - 2 * d * total + kept * d * d
        squared_error = rounding * (squares + 2 * d * total + kept * d * d)
        if l2_squared <= 4 * squared_error:
            return None
        norm = math.sqrt(l2_squared)
        norm_error = squared_error / norm + self._spread
        if norm <= 2 * norm_error:
            return None
        ratio = l1 / norm
        doubt = (self._total + l1_error + ratio * norm_error) / (norm - norm_error) + 1e-9 * l1_bound
        return ratio - l1_bound if abs(ratio - l1_bound) > doubt else None


class SparseDissimilarity:
    """One matrix of distances, fitted at any number of bounds; each fit is independent of the others.

    Shapes: distances (p, N) float64, orthogonal (N,), by_pair (N, p).
    """

    def __init__(
        self,
        distances: FloatArray,
        squared: bool,
        orthogonal: FloatArray | None = None,
        by_pair: FloatArray | None = None,
    ) -> None:
        self._products = DissimilarityProducts(distances, squared, by_pair)
        self._orthogonal = orthogonal
        self._first: _Gains | None = None

    def _unit(self, u: FloatArray) -> FloatArray:
        """u made orthogonal to the given vector, scaled to unit length."""
        o = self._orthogonal
        if o is not None:
            u = u - o * float(np.add.accumulate(o * u)[-1])
        with np.errstate(invalid="ignore", divide="ignore"):
            return u / l2_norm(u)

    def _first_gains(self) -> _Gains:
        """The first step, which is the same for every bound."""
        if self._first is None:
            equal = np.ones(self._products.shape[0])
            self._first = _Gains(self._products, self._unit(self._products.over_features(equal)))
        return self._first

    def fit(self, l1_bound: float, n_iter: float, rng: RRandom) -> HierarchicalFit:
        """Alternate between the dissimilarities and the weights.

        Raises RError where R fails too: dissimilarities that are all 0 or not finite, no step at all, a
        vector to be orthogonal to of another length.
        """
        p, n_pairs = self._products.shape
        rng.skip_normals(n_pairs)
        weights, previous = np.ones(p), rng.rnorm(p)
        if self._orthogonal is not None and len(self._orthogonal) != n_pairs:
            raise RError(
                "non-conformable arguments", f"uorth has {len(self._orthogonal)} pairs and the data {n_pairs}"
            )
        step = 0
        while step + 1 <= n_iter and _moving(weights, previous):
            step += 1
            if step == 1:
                gains = self._first_gains()
            else:
                gains = _Gains(self._products, self._unit(self._products.over_features(weights)))
            previous = weights
            a, threshold = gains.threshold(l1_bound)
            weights = _unit_length(soft_threshold(a, threshold))
        if step == 0:
            raise RError("object 'argw' not found", f"niter must be at least 1; got {n_iter:g}")
        return self._finish(weights, l1_bound)

    def _finish(self, weights: FloatArray, l1_bound: float) -> HierarchicalFit:
        """Dissimilarities and objective of the final weights."""
        product = self._products.over_features(weights)
        u = self._unit(product / long_sum(weights))
        unit = _unit_length(weights)
        if not np.array_equal(unit, weights):
            product = self._products.over_features(unit)
        return HierarchicalFit(l1_bound, unit, u, long_sum(u * product))


def _unit_length(w: FloatArray) -> FloatArray:
    """w divided by its L2 norm."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return w / l2_norm(w)


def _moving(weights: FloatArray, previous: FloatArray) -> bool:
    """Whether the weights still change by more than the tolerance, relative to the L1 norm."""
    change = long_sum(np.abs(previous - weights)) / long_sum(np.abs(previous))
    if math.isnan(change):
        raise RError(
            "missing value where TRUE/FALSE needed",
            "the weights are undefined, because no two rows differ in any feature",
        )
    return change > CONVERGED
