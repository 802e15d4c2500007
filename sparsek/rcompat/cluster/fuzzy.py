"""Fuzzy clusters of dissimilarities, with R's order of operations.

Source: Kaufman & Rousseeuw (1990), "Finding Groups in Data", chapter 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sparsek.bits.elementary import power
from sparsek.bits.ordered_arithmetic import FloatArray, IntArray, long_sum, sequential_sum

FIRST, REST = 0.9, 0.1
"""Memberships of an object in its first cluster and, together, in the others."""


@dataclass(frozen=True, slots=True)
class Fuzzy:
    """A fuzzy clustering."""

    memberships: FloatArray  # (n, k)
    objective: float
    iterations: int  # -1 where the objective has not settled
    labels: IntArray  # Clusters from 0 of largest membership, numbered by their first object
    dunn: float  # Mean over the objects of the sum of squared memberships


def first_memberships(n: int, k: int) -> FloatArray:
    """Memberships to start from: as many objects in a row in each cluster, the rest in the last one.

    Shapes: returns (n, k).
    """
    p = np.full((n, k), REST / (k - 1) if k > 1 else FIRST)
    p[np.arange(n), np.minimum(np.arange(n) // (n // k), k - 1)] = FIRST
    return p


def fuzzy_clusters(d: FloatArray, p: FloatArray, exponent: float, limit: int, tolerance: float) -> Fuzzy:
    """Lower the objective object by object until a pass changes it by no more than `tolerance` of it.

    Shapes: d (n, n), p (n, k).
    """
    state = _State(d, p, exponent)
    objective, iterations = state.objective(), -1
    for iteration in range(1, limit + 1):
        for m in range(len(d)):
            state.move(m)
        last, objective = objective, state.objective()
        if abs(last - objective) <= tolerance * objective:
            iterations = iteration
            break
    return _ordered(state.memberships(), state.dunn(), objective, iterations)


class _State:
    """Powers of the memberships, and the sums that the objective is made of."""

    def __init__(self, d: FloatArray, p: FloatArray, exponent: float) -> None:
        self.d, self.exponent = d, exponent
        self.powers = _powers(p, exponent)
        self.mass = sequential_sum(self.powers)
        self.to_clusters = np.stack([sequential_sum((d * u).T) for u in self.powers.T], axis=1)
        pairs = [(np.multiply.outer(u, u) * d).reshape(-1, 1) for u in self.powers.T]
        self.inner = np.array([sequential_sum(terms)[0] for terms in pairs])

    @np.errstate(all="ignore")
    def objective(self) -> float:
        """Half the sums of the dissimilarities inside clusters over their masses."""
        return 0.0 + float(sequential_sum((self.inner / (self.mass * 2))[:, None])[0])

    @np.errstate(all="ignore")
    def move(self, m: int) -> None:
        """Give an object the memberships that are best for those of all others."""
        share = self.mass / (self.to_clusters[m] - self.inner / (2 * self.mass))
        inverse = 1 / (self.exponent - 1) if self.exponent > 1 else math.inf
        new = _powers(_shares(_powers(share, inverse)), self.exponent)
        change = new - self.powers[m]
        self.mass = self.mass + change
        terms = (2 * change)[:, None] * self.d[m] * self.powers.T
        self.inner = sequential_sum(np.column_stack([self.inner, terms]).T)
        self.to_clusters += np.multiply.outer(self.d[m], change)
        self.powers[m] = new

    def dunn(self) -> float:
        """Mean over the objects of the sum of squared memberships."""
        if self.exponent == 2:
            return float(sequential_sum(self.mass[:, None])[0]) / len(self.d)
        p = self.memberships()
        return long_sum((p * p).T.ravel()) / len(self.d)

    def memberships(self) -> FloatArray:
        """The memberships."""
        return _powers(self.powers, 1 / self.exponent)


def _shares(w: FloatArray) -> FloatArray:
    """Shares in the total; those that are not positive become 0, and the others are scaled up."""
    total = 0.0
    for v in w.tolist():
        total += v
    shares = w / total
    if (shares > 0).all():
        return shares
    below = 0.0
    for v in shares.tolist():
        below += v if v < 0 else 0.0
    return np.where(shares > 0, shares / (1 - below), 0.0)


def _powers(x: FloatArray, exponent: float) -> FloatArray:
    """Powers as R's; NaN of negative bases."""
    if exponent == 1:
        return x
    flat = [_power(v, exponent) for v in x.ravel().tolist()]
    return np.array(flat).reshape(x.shape)


def _power(x: float, exponent: float) -> float:
    """A power as the C library's."""
    try:
        return power(x, exponent)
    except ValueError:
        return math.nan if x else math.inf
    except OverflowError:
        return math.inf


def _ordered(p: FloatArray, dunn: float, objective: float, iterations: int) -> Fuzzy:
    """The clusters in the order of the first objects that have their largest membership in them."""
    nearest = np.where(np.isnan(p), -1.0, p).argmax(axis=1)
    seen = list(dict.fromkeys(nearest.tolist()))
    order = np.array(seen + [g for g in range(p.shape[1]) if g not in seen])
    labels = np.argsort(order)[nearest]
    return Fuzzy(p[:, order], objective, iterations, labels, dunn)
