"""How far clusters are apart, pair by pair, in columns of any kind, and what selects the columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from sparsek.core.steps import Array, Labels

SMALLEST = 3
"""Clusters of fewer rows are set aside, because two rows hardly tell a deviation."""
HALVES = 2.65
"""Separation of the two halves of one normal cluster: twice their mean distance sqrt(2 / pi) from the middle,
over their deviation sqrt(1 - 2 / pi)."""
FLAT = 12**0.5
"""Separation of the two halves of a uniform cluster: half its width, over a deviation of that / sqrt(12)."""
ROUNDED = 1 / HALVES**2
"""Variance within a step of rounding, in squared steps: with it neighbouring levels are as far apart as the
halves of a normal cluster, not as the infinitely narrow clusters that they look like."""
FEW_LEVELS = 1 / 3
"""A column with fewer values than this part of the rows is taken for rounded."""
COMMON = 0.1
"""A value is common if at least this part of the rows has it."""
NARROW, LEAST_WITHIN = 1e-6, 1e-3
"""Variances within clusters are at least this part of the variance, so that copies of rows divide by no 0."""
CONSTANT = 1e-12
"""A column counts as constant if its spread is less than this part of its largest value."""


@dataclass(frozen=True, slots=True)
class StandardColumns:
    """Standardised columns with holes as NaN; a variable with categories has a column for each."""

    values: Array  # (n, q)
    rounding: Array  # (q,): variance that rounding hides
    variables: NDArray[np.intp]  # (q,): index of the variable
    mass: Array  # (n,): weights of the rows

    def of(self, features: NDArray[np.bool_]) -> StandardColumns:
        """Those of some variables, (p,)."""
        kept = features[self.variables]
        return StandardColumns(self.values[:, kept], self.rounding[kept], self.variables[kept], self.mass)


@dataclass(frozen=True, slots=True)
class PairSeparations:
    """Separations of all pairs of clusters that are not set aside."""

    separation: Array  # (m,), dimensionless
    relative_error: Array  # (m,): standard error over separation
    clusters: NDArray[np.intp]  # (m, 2): their labels

    def lower(self, n_errors: float) -> Array:
        """The separations less `n_errors` standard errors."""
        found: Array = self.separation * (1 - n_errors * self.relative_error)
        return found

    def weakest(self, n_errors: float) -> float:
        """The least of these; minus infinity without a pair."""
        return float(self.lower(n_errors).min(initial=np.inf)) if len(self.separation) else -np.inf

    @property
    def n_clusters(self) -> int:
        """How many clusters were compared; 1 without a pair."""
        return max(1, len(np.unique(self.clusters)))


def columns_of(X: Array, mass: Array, codes: Labels | None, categories: NDArray[np.bool_]) -> StandardColumns:
    """Checked data as standardised columns, centred within batches, without constant ones."""
    numbers = np.flatnonzero(~categories)
    given = X[:, numbers].astype(np.float64)
    # Powers of 2 keep all digits, and no square of what is at most 1 is beyond the range of numbers.
    exponents = np.frexp(np.nanmax(np.abs(given), axis=0, initial=0))[1]
    parts, variables = [np.ldexp(given, -exponents)], [numbers]
    for j in np.flatnonzero(categories):
        known = ~np.isnan(X[:, j])
        levels = np.unique(X[known, j])
        shown = np.where(known[:, None], X[:, j, None] == levels, np.nan)
        parts.append(shown)
        variables.append(np.full(len(levels), j))
    values, owner = np.concatenate(parts, axis=1), np.concatenate(variables)
    steps = _steps(values, mass)
    values = values - _centers(values, mass, codes)
    total = np.where(np.isnan(values), 0, mass[:, None]).sum(axis=0)
    spread = np.sqrt(np.nansum(mass[:, None] * values**2, axis=0) / np.maximum(total, 1))
    kept = spread > CONSTANT
    scaled = values[:, kept] / spread[kept]
    # Two categories differ in two indicators, which together are as far apart as the halves of one cluster.
    times = np.where(categories[owner[kept]], 2, 1)
    rounding = ROUNDED * times * (steps[kept] / spread[kept]) ** 2
    return StandardColumns(scaled, rounding, owner[kept], mass)


def _steps(values: Array, mass: Array) -> Array:
    """The step of rounded columns, 0 of others.

    It is the median distance of neighbouring values where there are few. Where one value is common, as 0 is
    among counts that were divided by something, it is the distance of this value from its next one.
    """
    known = ~np.isnan(values)
    total = mass @ known
    n_values = 1 + (np.diff(np.sort(values, axis=0), axis=0) > 0).sum(axis=0)  # NaN are last
    found = np.zeros(values.shape[1])
    for j in np.flatnonzero((n_values > 1) & (n_values < total)):
        levels, number = np.unique(values[known[:, j], j], return_inverse=True)
        steps, masses = np.diff(levels), np.bincount(number, mass[known[:, j]])
        most = int(np.argmax(masses))
        if len(levels) < FEW_LEVELS * total[j]:
            found[j] = np.median(steps)
        if masses[most] >= COMMON * total[j]:
            found[j] = max(found[j], steps[max(most - 1, 0) : most + 1].min())
    return found


def _centers(values: Array, mass: Array, codes: Labels | None) -> Array:
    """Means of the columns, (1, q), or of their batches for each row, (n, q)."""
    if codes is None:
        return _means(values, mass)[None]
    found = np.empty_like(values)
    for code in np.unique(codes):
        found[codes == code] = _means(values[codes == code], mass[codes == code])
    return found


def _means(values: Array, mass: Array) -> Array:
    """Weighted means of what is known; 0 of columns without a value."""
    weights = np.where(np.isnan(values), 0, mass[:, None])
    found: Array = np.nansum(weights * values, axis=0) / np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
    return found


def filled(columns: StandardColumns, labels: Labels) -> Array:
    """The values, with the mean of its cluster in every hole."""
    values = columns.values
    if not np.isnan(values).any():
        return values
    values = values.copy()
    for label in np.unique(labels):
        rows = labels == label
        part = values[rows]
        values[rows] = np.where(np.isnan(part), _means(part, columns.mass[rows]), part)
    return values


def ebic(columns: StandardColumns, labels: Labels, features: NDArray[np.bool_]) -> float:
    """Extended BIC of clusters in the selected variables and one normal distribution in every other.

    Clusters have their means and common variances. One likelihood of all variables compares numbers of
    clusters and selections; the last term counts the selections of this size (Chen and Chen 2008).
    """
    inside = labels >= 0
    part, mass, labels = columns.of(features), columns.mass[inside], labels[inside]
    values = filled(replace(part, values=part.values[inside], mass=mass), labels)
    sizes = np.bincount(labels, mass)
    sizes = sizes[sizes > 0]
    n, p, s = mass.sum(), len(features), np.count_nonzero(features)
    # What rounding hides is spread too: else a column of few levels would fit without an error.
    hidden = n * part.rounding
    overall = _within(values, mass) + hidden
    within = (
        sum(_within(values[labels == label], mass[labels == label]) for label in np.unique(labels)) + hidden
    )
    gained = np.log(overall / np.maximum(within, LEAST_WITHIN * n)).sum()
    # The first term compares variances, the second is that of the shares of the clusters.
    likelihood = 0.5 * n * gained + (sizes * np.log(sizes / n)).sum()
    # The logarithm of the number of selections of s among p features.
    selections = gammaln(p + 1) - gammaln(s + 1) - gammaln(p - s + 1)
    return float(-2 * likelihood + (len(sizes) - 1) * (s + 1) * np.log(n) + 2 * selections)


def _within(values: Array, mass: Array) -> Array:
    """Weighted sums of squares about the means."""
    found: Array = mass @ (values - mass @ values / mass.sum()) ** 2
    return found


def separations(columns: StandardColumns, labels: Labels) -> PairSeparations:
    """How far every two clusters are apart, in standard deviations within them.

    Rows are projected on the line between two centres, which is scaled by the variances within the pair. The
    place of each row is computed without the row itself, or its cluster would look too narrow. The separation
    is the distance of the mean places over the mean of the two deviations.
    """
    values, mass, holes = filled(columns, labels), columns.mass, np.isnan(columns.values)
    counted = [label for label in np.unique(labels[labels >= 0]) if mass[labels == label].sum() >= SMALLEST]
    clusters = {label: _Cluster.of(values, mass, holes, labels == label) for label in counted}
    pairs = [(a, b) for i, a in enumerate(counted) for b in counted[i + 1 :]]
    found = [_separation(clusters[a], clusters[b], columns.rounding) for a, b in pairs]
    numbers = np.array(found).reshape(-1, 2)
    return PairSeparations(numbers[:, 0], numbers[:, 1], np.array(pairs, dtype=np.intp).reshape(-1, 2))


@dataclass(frozen=True, slots=True)
class _Cluster:
    """The rows of a cluster."""

    rows: Array  # (m, q), with the mean in holes
    mass: Array  # (m,)
    holes: NDArray[np.bool_]  # (m, q)
    mean: Array  # (q,)
    squares: Array  # (q,): sums of squares about the mean
    known: Array  # (q,): weights of known entries

    @classmethod
    def of(cls, values: Array, mass: Array, holes: NDArray[np.bool_], inside: NDArray[np.bool_]) -> _Cluster:
        rows, own, missing = values[inside], mass[inside], holes[inside]
        mean = own @ rows / own.sum()
        return cls(rows, own, missing, mean, own @ (rows - mean) ** 2, own @ ~missing)


def _separation(a: _Cluster, b: _Cluster, rounding: Array) -> tuple[float, float]:
    """Separation of two clusters, and its relative standard error."""
    variances = (a.squares + b.squares) / np.maximum(a.known + b.known - 2, 1)
    place_a, spread_a = _places(a, b.mean, variances, rounding)
    place_b, spread_b = _places(b, a.mean, variances, rounding)
    # The variance of the logarithm of a deviation of m normal numbers is 1 / (2 (m - 1)); the mean of two has
    # a quarter of their sum.
    error = np.sqrt((1 / (a.mass.sum() - 1) + 1 / (b.mass.sum() - 1)) / 8)
    distance, spread = -2 * (place_a + place_b), spread_a + spread_b
    return distance / spread if spread > 0 else 0.0, float(error)  # no spread: means that are equal


def _places(cluster: _Cluster, other: Array, variances: Array, rounding: Array) -> tuple[float, float]:
    """Mean and deviation of places between centres: -1/2 at the own, without the row, 1/2 at the other."""
    rows, mass, total = cluster.rows, cluster.mass, cluster.mass.sum()
    # The mean of the cluster without the row, by taking it out of the sum.
    own = (total * cluster.mean - rows) / (total - 1)
    directions = (other - own) / (variances + rounding + NARROW)
    # Centres that are equal must not divide by 0; places there say nothing in any case.
    lengths = np.maximum(((other - own) * directions).sum(axis=1), 1e-12)
    places = ((rows - (own + other) / 2) * directions).sum(axis=1) / lengths
    center = mass @ places / total
    spread = mass @ (places - center) ** 2 / (total - 1)
    # Rounded entries, and means in holes, hide what their columns vary by.
    hidden = directions**2 @ rounding + (directions**2 * cluster.holes) @ variances
    return float(center), float(np.sqrt(spread + mass @ (hidden / lengths**2) / total))
