"""Sparse kernel k-means: one kernel k_j for each feature or group of them, with weights under an L1 bound.

Maximises sum_j w_j a_j over partitions and weights w >= 0 with ||w||_2 <= 1, ||w||_1 <= s, where

    a_j = 2 (sum_k 1_k' K_j 1_k / n_k - 1' K_j 1 / n)

is twice the between-cluster sum of squares of feature (or group) j in the space of its kernel. The partition
step is k-means in the space of k_w = sum_j w_j k_j, on explicit columns
(`sparsek.methods.kernel.feature_maps`) or, if these are too many, on the kernel matrix of k_w, which is
summed feature by feature.

Sources: the slides "Revisiting the K-means algorithm with kernels and autoencoders" (2024); the framework of
Witten and Tibshirani (2010), JASA 105, 713-726, Section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sparsek.core.steps import Array, FitResult, Labels, alternate, cluster_sums, nonzero
from sparsek.core.weights import LLOYD_ITERATIONS, l1_weights, labels_or_weights_settled
from sparsek.methods.kernel.functions import Kernel, diagonal, kernel_matrix
from sparsek.methods.kernel.kernel_kmeans import centre, kernel_kmeans
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows

BLOCK_ENTRIES = 500_000
"""Number of kernel values of one feature held at a time."""


@dataclass(frozen=True, slots=True)
class KernelWeighting:
    """Parameters after one update."""

    scatter: Array  # (p,): a_j
    weights: Array  # (p,): feature weights w
    criterion: float  # -sum_j w_j a_j


@dataclass(frozen=True, slots=True)
class KernelColumns:
    """Features, or groups of them, as explicit columns."""

    X: Array  # (n, M + 1): prepared columns of all features
    groups: Array  # (M,) int: the feature, or the group, of every column
    p: int  # Number of kernels

    @property
    def data(self) -> Array:
        """The data for `alternate`."""
        return self.X

    def rescaled(self, scale: Array) -> KernelColumns:
        """A copy with every kernel multiplied by its factor."""
        # Products of columns times sqrt(f) are kernel values times f.
        return replace(self, X=self.X * np.append(np.sqrt(scale[self.groups]), 1))

    def scatter(self, labels: Labels, n_clusters: int, sample_weight: Array | None) -> Array:
        """a_j = 2 sum_r sum_k n_k (mean_k - mean)^2 over the columns r of feature j."""
        sums = cluster_sums(self.X, labels, n_clusters, sample_weight)
        return 2 * np.bincount(self.groups, sums.total_gains, self.p)

    def weighted(self, weights: Array) -> Array:
        """Prepared columns scaled by sqrt(w_j), those of weight 0 left out."""
        used = np.flatnonzero(weights[self.groups])
        scale = np.append(np.sqrt(weights[self.groups[used]]), 1)
        found: Array = self.X.take(np.append(used, -1), axis=1) * scale
        return found

    def partition(
        self, weights: Array, labels: Labels, n_clusters: int, sample_weight: Array | None
    ) -> Labels:
        """K-means on the weighted columns, from the current labels."""
        rows = array_rows(self.weighted(weights), labels, n_clusters, sample_weight)
        return lloyd(rows, LLOYD_ITERATIONS).labels


@dataclass(frozen=True, slots=True)
class Grams:
    """Features, or groups, given by their kernels, for one of them and one block of rows at a time."""

    data: Array  # (n, p) float64: rows
    kernel: Kernel  # The kernel of every feature or group
    scale: Array  # (number of kernels,): factors of the kernels

    @property
    def p(self) -> int:
        """Number of kernels."""
        return self.kernel.n_groups

    def rescaled(self, scale: Array) -> Grams:
        """A copy with every kernel multiplied by its factor."""
        return replace(self, scale=self.scale * scale)

    def blocks(self, j: int, rows: Array) -> Iterator[tuple[slice, Array]]:
        """Slices of `rows`, each with its values of kernel j with all rows."""
        one, columns = self.kernel.of_group(j), self.kernel.columns(j)
        own = self.data[:, columns]
        step = max(1, BLOCK_ENTRIES // len(own))
        for begin in range(0, len(rows), step):
            part = slice(begin, begin + step)
            yield part, kernel_matrix(one, rows[part][:, columns], own)

    def combined(self, weights: Array, rows: Array) -> Array:
        """Matrix of sum_j w_j k_j between `rows` and all rows."""
        total = np.zeros((len(rows), len(self.data)))
        for j in np.flatnonzero(weights).tolist():
            for part, values in self.blocks(j, rows):
                values *= weights[j] * self.scale[j]
                total[part] += values
        return total

    def diagonal(self, weights: Array, rows: Array) -> Array:
        """sum_j w_j k_j(x, x) of `rows`."""
        total = np.zeros(len(rows))
        for j in np.flatnonzero(weights).tolist():
            own = diagonal(self.kernel.of_group(j), rows[:, self.kernel.columns(j)])
            total += weights[j] * self.scale[j] * own
        return total

    def prepared(self, weights: Array, sample_weight: Array | None) -> Array:
        """The centred kernel of k_w, for `kernel_kmeans`."""
        return centre(self.combined(weights, self.data), sample_weight)[0]

    def scatter(self, labels: Labels, n_clusters: int, sample_weight: Array | None) -> Array:
        """a_j from the block sums of K_j."""
        mass = np.ones(len(labels)) if sample_weight is None else sample_weight.astype(np.float64)
        if len(np.unique(labels)) == 1:
            return np.zeros(self.p)
        one_hot = np.zeros((len(labels), n_clusters))
        one_hot[np.arange(len(labels)), labels] = mass
        counts = one_hot.sum(axis=0)
        a = np.empty(self.p)
        for j in range(len(a)):
            products = np.concatenate([values @ one_hot for _, values in self.blocks(j, self.data)])
            within = np.einsum("ik,ik->k", one_hot, products)
            # Block sums over cluster sizes, less the sum of all over n: the scatter between clusters.
            a[j] = (within / nonzero(counts)).sum() - mass @ products.sum(axis=1) / counts.sum()
        return 2 * self.scale * a

    def partition(
        self, weights: Array, labels: Labels, n_clusters: int, sample_weight: Array | None
    ) -> Labels:
        """Kernel k-means with k_w, from the current labels."""
        K = self.prepared(weights, sample_weight)
        fit = kernel_kmeans(
            K, labels, n_clusters=n_clusters, weights=sample_weight, max_iter=LLOYD_ITERATIONS
        )
        return fit.labels


def sparse_kernel_kmeans(
    features: KernelColumns | Grams,
    labels: Labels,
    *,
    n_clusters: int,
    l1_bound: float,
    sample_weight: Array | None = None,
    max_iter: int = 20,
    tol: float = 1e-4,
) -> FitResult[KernelWeighting]:
    """Alternate weights and partitions from the labels of a partition under equal weights.

    Shapes: labels (n,) int32, sample_weight (n,).
    """

    def update(X: Array, labels: Labels, previous: KernelWeighting | None) -> KernelWeighting:
        # Rounding, or a kernel that is not positive semidefinite, may bring a_j below 0.
        a = np.maximum(features.scatter(labels, n_clusters, sample_weight), 0)
        weights = l1_weights(a, l1_bound)
        return KernelWeighting(a, weights, -float(weights @ a))

    def assign(X: Array, params: KernelWeighting, labels: Labels) -> Labels:
        if not params.weights.any():
            return labels
        return features.partition(params.weights, labels, n_clusters, sample_weight)

    settled: Callable[..., bool] = partial(labels_or_weights_settled, tol=tol)
    return alternate(features.data, labels, update, assign, settled, max_iter)


def centred_traces(features: KernelColumns | Grams, sample_weight: Array | None) -> Array:
    """Mean squared distance of the rows to their mean in the space of each k_j."""
    n = len(features.data)
    shares = np.full(n, 1 / n) if sample_weight is None else sample_weight / sample_weight.sum()
    if isinstance(features, KernelColumns):
        return np.bincount(features.groups, shares @ np.square(features.X[:, :-1]), features.p)
    traces = np.empty(features.p)
    for j in range(len(traces)):
        means = np.concatenate([values @ shares for _, values in features.blocks(j, features.data)])
        own = diagonal(features.kernel.of_group(j), features.data[:, features.kernel.columns(j)])
        # The mean of k(x, x) minus the mean of all k(x, z) is the variance in the space of the kernel.
        traces[j] = shares @ own - shares @ means
    return traces
