"""Deep embedded clustering: encoder and centres are trained towards a sharpened version of their assignments.

Source: Xie, Girshick and Farhadi (2016), Section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import xlogy

from sparsek.core.scaling import prepare
from sparsek.core.steps import Array, Labels, run_all
from sparsek.methods.dec.autoencoder import (
    Layers,
    backward,
    batches,
    encode,
    epoch_generator,
    forward,
    n_encoder_parameters,
    rectified,
    split,
    whole,
)
from sparsek.methods.dec.optimizers import Rule, descend, no_moments
from sparsek.sources.lloyd import lloyd
from sparsek.sources.local import array_rows
from sparsek.starts.seeds import seeded_labels

KMEANS_STARTS = 20
"""Number of starts of the k-means that gives the first centres."""
FLOOR = 1e-300
"""Smallest q inside the logarithm."""


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """Settings of the clustering of the embedding."""

    sizes: tuple[int, ...]  # Numbers of features, of units of every hidden layer, and of components
    n_clusters: int  # Number of clusters
    rule: Rule  # Optimiser
    alpha: float = 1.0  # Degrees of freedom of the kernel
    batch_size: int = 256  # Largest number of rows of a batch
    update_interval: int = 140  # Steps between updates of the target distribution
    max_iter: int = 20_000  # Largest number of steps
    tol: float = 1e-3  # Stop when less than this share of the rows changed their label since the last update


@dataclass(frozen=True, slots=True)
class DECState:
    """State of the clustering at an update. Later steps change its arrays in place, except the labels."""

    step: int  # Steps done
    parameters: Array  # (m,): weights and biases of the encoder, layer by layer, then the centres
    moments: Array  # (1 or 2, m): moments of the parameters
    labels: Labels  # (n,) int32: most probable clusters
    first_labels: Labels  # (n,) int32: labels of k-means
    # Step, Kullback-Leibler divergence and share of changed labels at every update
    history: tuple[tuple[int, float, float], ...]
    converged: bool = False  # Whether fewer than `tol` of the labels changed


def soft_assignment(Z: Array, centers: Array, alpha: float) -> Array:
    """q_ij of equation (1): Student's kernel of the distance to each centre, rows of sum 1; shape (n, K)."""
    logs = np.log1p(cdist(Z, centers, "sqeuclidean") / alpha) * (-(alpha + 1) / 2)
    logs -= logs.max(axis=1, keepdims=True)
    q = np.exp(logs)
    q /= q.sum(axis=1, keepdims=True)
    return q


def target_distribution(q: Array) -> Array:
    """p_ij of equation (3): q squared over the cluster's total, rows of sum 1; shape (n, K)."""
    totals = q.sum(axis=0)
    p = q * q / np.where(totals > 0, totals, 1)
    p /= p.sum(axis=1, keepdims=True)
    return p


def divergence(p: Array, q: Array) -> float:
    """L of equation (2): the sum of p log(p / q)."""
    return float(xlogy(p, p / np.maximum(q, FLOOR)).sum())


def embedding_gradients(Z: Array, centers: Array, p: Array, alpha: float) -> tuple[Array, Array]:
    """Gradients of L in the embedding (n, z) and the centres (K, z), p held fixed: equations (4) and (5)."""
    q = soft_assignment(Z, centers, alpha)
    A = (alpha + 1) / alpha * (p - q) / (1 + cdist(Z, centers, "sqeuclidean") / alpha)
    by_row, by_cluster = A.sum(axis=1, keepdims=True), A.sum(axis=0)[:, None]
    return by_row * Z - A @ centers, by_cluster * centers - A.T @ Z


def encoder_and_centers(flat: Array, sizes: tuple[int, ...]) -> tuple[Layers, Array]:
    """Views of the encoder's layers and of the centres in the vector of parameters."""
    layers = split(flat, list(pairwise(sizes)))
    return layers, flat[n_encoder_parameters(sizes) :].reshape(-1, sizes[-1])


def encode_all(layers: Layers, X: Array) -> Array:
    """Embedding, shape (n, z)."""
    return encode(layers, rectified(len(layers))[: len(layers)], X)


def best_kmeans(Z: Array, n_clusters: int, seed: int) -> tuple[Labels, Array]:
    """Labels and centres of the best of several starts of Lloyd's k-means."""
    prepared, scaling = prepare(Z.astype(np.float64), None, standardize=False, by_column=False)
    seeds = np.random.default_rng(seed).integers(2**31 - 1, size=KMEANS_STARTS)
    starts = seeded_labels(prepared, n_clusters, seeds)
    fits = run_all(lambda labels: lloyd(array_rows(prepared, labels, n_clusters)), starts)
    best = min(fits, key=lambda fit: fit.criterion)
    return best.labels, scaling.invert(best.params.centers)


def clustering_gradient(
    layers: Layers, centers: Array, X: Array, p: Array, alpha: float, gradients: Layers, towards: Array
) -> None:
    """Write the gradients of L / len(X) for the encoder and (into `towards`) the centres, p held fixed."""
    rectify = rectified(len(layers))[: len(layers)]
    activations = forward(layers, rectify, X)
    Z = activations[-1].astype(np.float64)
    delta, by_center = embedding_gradients(Z, centers.astype(np.float64), p, alpha)
    towards[...] = by_center / len(X)
    backward(layers, rectify, activations, (delta / len(X)).astype(X.dtype), gradients)


def first_clustering(X: Array, plan: ClusterPlan, autoencoder: Array, seed: int) -> DECState:
    """State before the first step: encoder of an autoencoder, centres of k-means on its embedding."""
    count = n_encoder_parameters(plan.sizes)
    flat = np.empty(count + plan.n_clusters * plan.sizes[-1], X.dtype)
    layers, centers = encoder_and_centers(flat, plan.sizes)
    for (weights, bias), trained in zip(layers, whole(autoencoder, plan.sizes), strict=False):
        weights[...], bias[...] = trained
    labels, centers[...] = best_kmeans(encode_all(layers, X), plan.n_clusters, seed)
    moments = no_moments(plan.rule, len(flat), X.dtype)
    return DECState(-1, flat, moments, labels, labels, ())


def cluster(X: Array, plan: ClusterPlan, state: DECState, seed: int) -> Iterator[DECState]:
    """Train the encoder and the centres; yield the state at every update, the last one included.

    Shapes: X (n, p).
    """
    gradient = np.empty_like(state.parameters)
    layers, centers = encoder_and_centers(state.parameters, plan.sizes)
    views = encoder_and_centers(gradient, plan.sizes)
    n_batches = -(-len(X) // plan.batch_size)

    @lru_cache(1)
    def shuffled(epoch: int) -> list[Array]:
        """Batches of an epoch, counted from 0; the clustering is the stage after layers and fine-tuning."""
        return batches(len(X), plan.batch_size, epoch_generator(seed, len(plan.sizes), epoch))

    q = soft_assignment(encode_all(layers, X), centers, plan.alpha)
    if state.step < 0:
        state = update(state, 0, q, plan)
        yield state
    while not state.converged and state.step < plan.max_iter:
        p = target_distribution(q)
        last = min(state.step + plan.update_interval, plan.max_iter)
        for step in range(state.step, last):
            rows = shuffled(step // n_batches)[step % n_batches]
            clustering_gradient(layers, centers, X[rows], p[rows], plan.alpha, *views)
            descend(plan.rule, state.parameters, gradient, state.moments, step + 1)
        q = soft_assignment(encode_all(layers, X), centers, plan.alpha)
        state = update(state, last, q, plan)
        yield state


def update(state: DECState, step: int, q: Array, plan: ClusterPlan) -> DECState:
    """The state after `step` steps, with new labels; ties go to the lowest label."""
    labels = q.argmax(axis=1).astype(np.int32)
    changed = float(np.mean(labels != state.labels))
    history = (*state.history, (step, divergence(target_distribution(q), q), changed))
    converged = step > 0 and changed < plan.tol
    return replace(state, step=step, labels=labels, history=history, converged=converged)
