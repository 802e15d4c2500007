"""The counts of the screening and the draws of k-means++, entry by entry."""

from __future__ import annotations

import numpy as np

from sparsek.engine import Loop, inlined

BY_WEIGHT = -1
"""The power with which only the sample weight of a row counts."""


@Loop
def count_bins(Z, weights, rate, offset, counts):
    """Weights of the rows in each column's bins (p, 2 half): floor(z rate - offset), the outer ones open."""
    half = counts.shape[1] // 2
    for i in range(Z.shape[0]):
        for j in range(rate.shape[0]):
            place = np.floor(Z[i, j] * rate[j] - offset)
            counts[j, half + int(min(max(place, -half), half - 1))] += weights[i]


@inlined
def share(distance, weight, power):
    """Weight times distance ** power of a row, from its squared distance; a row at distance 0 has none."""
    if power == 2:
        return distance * weight
    if power == 1:
        return np.sqrt(distance) * weight
    return weight if power < 0 or distance > 0 else 0.0


@Loop
def add_shares(closest, mass, order, power, cumulative):
    """The cumulative shares of the rows in their order; returns the sum of all."""
    total = 0.0
    for c in range(order.shape[0]):
        total += share(float(closest[order[c]]), mass[order[c]], power)
        cumulative[c] = total
    return total


@Loop
def draw_rows(closest, mass, order, uniforms, power, rows):
    """Draw a row for every start: the first whose cumulative share exceeds the uniform.

    Source: Arthur and Vassilvitskii (2007), "k-means++: the advantages of careful seeding", with power 2.
    Where every row equals a seed, sample weights alone decide.
    """
    n = order.shape[0]
    cumulative = np.empty(n)
    for m in range(rows.shape[0]):
        total = add_shares(closest[m], mass, order, power, cumulative)
        if total == 0:
            # No row is away from the seeds, so that distances cannot tell between them.
            total = add_shares(closest[m], mass, order, BY_WEIGHT, cumulative)
        low, high = 0, n - 1
        while low < high:
            middle = (low + high) // 2
            if cumulative[middle] > uniforms[m] * total:
                high = middle
            else:
                low = middle + 1
        rows[m] = order[low]


@Loop
def take_nearer(products, norms, chosen, rounding, doubt, k, first, labels, closest, tied):
    """Give rows that are nearer to the k-th seeds to these, from x.x and c.c / 2 - x.c of rows x, seeds c.

    `products` (n_chosen, m) are of m rows from `first` on. A squared distance of no more than rounding is 0.
    `tied` become the rows that are near to two seeds, up to doubt.
    """
    zero = products.dtype.type(0)
    for m in range(products.shape[0]):
        noise = rounding * norms[chosen[m]]
        for i in range(products.shape[1]):
            norm, near = norms[first + i], closest[m, first + i]
            # Score coefficients give half of |c|^2 - 2 x'c; doubled, plus |x|^2, it is the squared distance.
            distance = products[m, i] + products[m, i] + norm
            # Equal rows must be at distance 0 exactly, because the draws take no row that equals a seed.
            distance = distance if distance > rounding * norm + noise else zero
            difference, margin = distance - near, doubt[first + i]
            both = tied[m, first + i] or difference <= margin
            # A row stays tied unless the new seed is clearly nearer than those before.
            tied[m, first + i] = both and difference >= -margin
            labels[m, first + i] = k if difference < 0 else labels[m, first + i]
            closest[m, first + i] = min(distance, near)
