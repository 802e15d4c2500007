"""Kernel k-means: Lloyd's algorithm when only inner products of the rows are known.

Minimises sum_k sum_{i in k} ||phi(x_i) - m_k||^2. With K_is = <phi(x_i), phi(x_s)> and n_k members,

    D_ik = K_ii - 2 F_ik + G_k,   F_ik = sum_{s in k} K_is / n_k,   G_k = sum_{s, t in k} K_st / n_k^2.

F holds the cluster means of the rows of K, so it is computed with the cluster sums of ordinary k-means. The
kernel is centred in both directions first, which moves the origin to the mean of the data and changes no
distance.

Source: Shawe-Taylor and Cristianini (2004), Kernel Methods for Pattern Analysis, Section 8.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from sparsek.core.steps import (
    Array,
    ClusterSums,
    FitResult,
    Labels,
    alternate,
    cluster_sums,
    first_minimum,
    hand_out_farthest,
    moved_sums,
    nonzero,
)
from sparsek.starts.seeds import View, clear_rounding, each_start


@dataclass(frozen=True, slots=True)
class Centering:
    """The mean of the data in the space of the kernel."""

    products: Array  # (n,): <phi(x_s), m>, where m is the mean
    square: float  # ||m||^2
    shares: Array  # (n,): sample weights, scaled to sum 1

    def apply(self, cross: Array, diagonal: Array) -> tuple[Array, Array]:
        """Products and squared lengths of new rows, shape (m, n) and (m,), with the mean as origin."""
        means = cross @ self.shares
        # <x - m, z - m> = <x, z> - <x, m> - <z, m> + <m, m> in the space of the kernel.
        return cross - means[:, None] - self.products + self.square, diagonal - 2 * means + self.square


@dataclass(frozen=True, slots=True)
class KernelCenters:
    """Cluster centres, given by their products with the rows."""

    sums: ClusterSums  # Sums of the rows of the centred kernel: its `means` are F', shape (n_clusters, n)
    squares: Array  # (n_clusters,): G, squared distances of the centres from the mean of the data
    criterion: float  # Sum of the squared distances of the rows to their centres


def centre(K: Array, weights: Array | None) -> tuple[Array, Centering]:
    """Kernel centred in both directions, with a last column of ones; and the mean that was subtracted.

    Shapes: K (n, n) float64, weights (n,); returns (n, n + 1).
    """
    n = len(K)
    shares = np.full(n, 1 / n) if weights is None else weights / weights.sum(dtype=np.float64)
    products = K @ shares
    centering = Centering(products, float(shares @ products), shares)
    prepared = np.ones((n, n + 1))
    inner = prepared[:, :-1]
    np.subtract(K, products, out=inner)
    # K - K 1 m' - m 1' K + m'K m: rows and columns are centred, and the mean of all is added back.
    inner -= (products - centering.square)[:, None]
    return prepared, centering


def kernel_kmeans(
    K: Array, labels: Labels, *, n_clusters: int, weights: Array | None = None, max_iter: int = 100
) -> FitResult[KernelCenters]:
    """One run of kernel k-means from the given labels.

    Shapes: K (n, n + 1), labels (n,) int32, weights (n,).
    """
    squares = K.diagonal().copy()
    trace = float(squares.sum() if weights is None else weights @ squares)
    update = partial(update_centers, n_clusters=n_clusters, weights=weights, trace=trace)
    return alternate(K, labels, update, partial(assign_in_kernel_space, squares=squares), max_iter=max_iter)


def update_centers(
    K: Array,
    labels: Labels,
    previous: KernelCenters | None,
    *,
    n_clusters: int,
    weights: Array | None,
    trace: float,
) -> KernelCenters:
    """Products of the rows with the cluster means, updated only by the rows that changed cluster."""
    if previous is None:
        sums = cluster_sums(K, labels, n_clusters, weights)
    else:
        sums = moved_sums(K, labels, previous.sums, weights)
    # n_k F_ik at the members of k: added over these it is n_k^2 G_k.
    own = sums.sums[labels, np.arange(len(labels))]
    blocks = np.bincount(labels, own if weights is None else own * weights, n_clusters)
    counts = nonzero(sums.counts)
    # With one cluster the centre is the mean of the data, which is the origin.
    squares = blocks / counts**2 if np.count_nonzero(sums.counts) > 1 else np.zeros(n_clusters)
    # sum_i D_ik = sum_i K_ii - n_k G_k over the members of k, because F adds up to n_k G_k there.
    return KernelCenters(sums, squares, trace - float(squares @ sums.counts))


def assign_in_kernel_space(K: Array, params: KernelCenters, labels: Labels, *, squares: Array) -> Labels:
    """Nearest centre argmin_k D_ik, ties to the lowest index; an empty cluster takes the farthest row."""
    scores = relative_distances(params.sums.means, params.squares, axis=1)
    labels = first_minimum(scores).astype(np.int32)
    counts = np.bincount(labels, minlength=len(scores))
    if counts.all():
        return labels
    distances = squares + scores[labels, np.arange(len(labels))]
    # Rows at their centre, up to rounding, are not given to empty clusters.
    noise = 64 * np.finfo(K.dtype).eps * (np.abs(squares) + np.abs(params.squares).max())
    return hand_out_farthest(labels, counts, distances, noise)


def relative_distances(products: Array, squares: Array, axis: int) -> Array:
    """D_ik - K_ii = G_k - 2 F_ik; `products` is F and `axis` its axis of rows."""
    scores = -2 * products
    scores += np.expand_dims(squares, axis)
    return scores


@dataclass(frozen=True, slots=True)
class KernelModel:
    """A clustering, in the form that gives distances of new rows to its centres."""

    centering: Centering  # The mean of the data
    # (n, n_clusters): w_i / n_k in the column of each row's cluster, else 0; a product with it gives means
    # over clusters
    memberships: Array
    squares: Array  # (n_clusters,): G

    def distances(self, cross: Array, diagonal: Array) -> Array:
        """D of new rows, shape (m, n_clusters), from their kernel values with the rows and themselves."""
        products, lengths = self.centering.apply(cross, diagonal)
        scores = relative_distances(products @ self.memberships, self.squares, axis=0) + lengths[:, None]
        noise = np.add.outer(np.abs(diagonal) + np.abs(lengths), np.abs(self.squares))
        scores[np.abs(scores) <= 32 * np.finfo(np.float64).eps * noise] = 0  # the row is the centre
        return scores


def kernel_model(
    K: Array, centering: Centering, labels: Labels, n_clusters: int, weights: Array | None
) -> KernelModel:
    """The model for the centres of given labels; K is prepared by `centre`."""
    mass = np.ones(len(labels)) if weights is None else weights
    counts = nonzero(np.bincount(labels, mass, n_clusters))
    memberships = np.zeros((len(labels), n_clusters))
    memberships[np.arange(len(labels)), labels] = mass / counts[labels]
    squares = np.einsum("ik,ik->k", memberships, K[:, :-1] @ memberships)
    return KernelModel(centering, memberships, squares)


@dataclass(frozen=True, slots=True)
class KernelView(View):
    """Rows given by a prepared kernel, for the seeds of k-means++."""

    mass: Array | None = None  # (n,): sample weights
    in_pieces: ClassVar[bool] = False
    has_coordinates: ClassVar[bool] = False

    def canonical_order(self) -> Array:
        """Order of the rows by numbers that do not depend on the order of the columns."""
        inner = self.X[:, :-1]
        mass = np.ones(len(inner)) if self.mass is None else self.mass
        return np.lexsort((inner.diagonal(), np.einsum("ij,ij,j->i", inner, inner, mass)))

    def norms(self) -> Array:
        """K_ii; negative values (the kernel is not positive semidefinite) count as 0."""
        squares: Array = np.maximum(self.X.diagonal(), 0)
        return squares

    def distances(self, chosen: Array, norms: Array, out: Array) -> None:
        """K_ii + K_ss - 2 K_is of all rows to the chosen ones, (n_chosen, n); 0 within rounding."""
        np.multiply(self.X[chosen, :-1], -2, out=out)
        out += norms
        out += norms[chosen][:, None]
        clear_rounding(out, chosen, norms)


def seeded_starts(
    K: Array,
    n_clusters: int,
    seeds: Array,
    weights: Array | None = None,
    power: int = 2,
    n_trials: int = 1,
) -> list[Labels]:
    """Nearest-seed labels of kernel k-means++ starts (power 2) or random rows (0), one per seed.

    A later seed is drawn with probability proportional to its squared distance to the nearest earlier one.
    """
    view = KernelView(K, mass=weights)
    found = each_start([view], n_clusters, seeds, weights, power, n_trials=n_trials)
    return [labels for labels, _ in found]
