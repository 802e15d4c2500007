"""Simulated data with a known number of clusters, and without clusters, by family.

Where scikit-learn has a generator, that is taken. A design is a function of numpy's generator, whose seed is
made of the family, the seed of the run and the number of the set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np
from sklearn.datasets import make_blobs, make_classification

Rows = tuple[np.ndarray, int]
Design = Callable[[np.random.Generator], Rows]
FIVE_LEVELS = (-1.2, -0.4, 0.4, 1.2)
"""Limits of the answers of a questionnaire."""
LEAST_ROWS, MOST_ROWS = 100, 300


@dataclass(frozen=True, slots=True)
class Family:
    """Designs of one kind."""

    name: str
    draw: Design
    null: bool = False  # one cluster
    draws: int = 8  # of one record


def _size(g: np.random.Generator) -> int:
    return int(g.integers(LEAST_ROWS, MOST_ROWS + 1))


def _apart(g: np.random.Generator, k: int, p: int, distance: float) -> np.ndarray:
    """Centres whose nearest two are so far apart."""
    centers = g.normal(size=(k, p))
    gaps = np.linalg.norm(centers[:, None] - centers[None], axis=2)[np.triu_indices(k, 1)]
    return centers * distance / gaps.min()


def _rows(
    g: np.random.Generator,
    centers: np.ndarray,
    shares: np.ndarray | None = None,
    spread: np.ndarray | None = None,
    noise: Callable[[int, int], np.ndarray] | None = None,
    n: int = 0,
) -> np.ndarray:
    """Rows about centres, in unequal numbers and with unequal spreads where these are given."""
    k, p = centers.shape
    n = n or _size(g)
    parts = np.full(k, 1 / k) if shares is None else shares / shares.sum()
    sizes = np.maximum(np.rint(parts * n).astype(int), 8)
    labels = np.repeat(np.arange(k), sizes)
    around = g.normal(size=(len(labels), p)) if noise is None else noise(len(labels), p)
    scale = 1 if spread is None else spread[labels][:, None]
    return centers[labels] + around * scale


def blobs(g: np.random.Generator, distance: float) -> Rows:
    """Normal clusters, the nearest two so many standard deviations apart."""
    k, p = int(g.integers(2, 9)), int(g.choice([2, 5, 20]))
    return _rows(g, _apart(g, k, p, distance)), k


def sklearn_blobs(g: np.random.Generator) -> Rows:
    """`make_blobs` as people call it: centres anywhere, clusters may overlap."""
    k = int(g.integers(2, 7))
    return make_blobs(_size(g), int(g.choice([2, 5])), centers=k, random_state=int(g.integers(2**31)))[0], k


def sklearn_classes(g: np.random.Generator) -> Rows:
    """`make_classification`: clusters at the corners of a cube, each with a covariance of its own."""
    k, p = int(g.integers(2, 6)), int(g.choice([6, 30]))
    X, _ = make_classification(
        _size(g), p, n_informative=5, n_redundant=0, n_classes=k, n_clusters_per_class=1, class_sep=3.0,
        flip_y=0, random_state=int(g.integers(2**31)),
    )  # fmt: skip
    return X, k


def line(g: np.random.Generator) -> Rows:
    """Clusters on a line."""
    k, p = int(g.integers(2, 7)), int(g.choice([2, 5]))
    return _rows(g, np.arange(k)[:, None] * 6 * np.eye(p)[0]), k


def circle(g: np.random.Generator) -> Rows:
    """Clusters on a circle, with two columns of noise."""
    k = int(g.integers(3, 9))
    angles = 2 * np.pi * np.arange(k) / k
    centers = np.c_[np.cos(angles), np.sin(angles), np.zeros((k, 2))] * 6 / (2 * np.sin(np.pi / k))
    return _rows(g, centers), k


def nested(g: np.random.Generator) -> Rows:
    """Two or three pairs; within a pair 5 standard deviations, between pairs 20."""
    pairs, p = int(g.integers(2, 4)), int(g.choice([2, 5]))
    far = _apart(g, pairs, p, 20)
    step = g.normal(size=(pairs, p))
    step *= 2.5 / np.linalg.norm(step, axis=1)[:, None]
    return _rows(g, np.concatenate([far + step, far - step])), 2 * pairs


def unequal_sizes(g: np.random.Generator) -> Rows:
    """One cluster has ten times as many rows as the others."""
    k, p = int(g.integers(2, 6)), int(g.choice([2, 5, 20]))
    return _rows(g, _apart(g, k, p, 6), np.r_[10, np.ones(k - 1)], n=MOST_ROWS), k


def unequal_spreads(g: np.random.Generator) -> Rows:
    """Standard deviations from 1 to 3."""
    k, p = int(g.integers(2, 6)), int(g.choice([2, 5, 20]))
    return _rows(g, _apart(g, k, p, 14), spread=np.linspace(1, 3, k)), k


def few_of_many(g: np.random.Generator) -> Rows:
    """2 to 20 of 50 to 2,000 features matter; rows and columns in any order."""
    k, p = int(g.integers(2, 6)), int(g.choice([50, 200, 2000]))
    matter = int(g.choice([2, 5, 20]))
    carrying = _rows(g, _apart(g, k, matter, 6), n=150)
    X = np.c_[carrying, g.normal(size=(len(carrying), p - matter))]
    return X[g.permutation(len(X))][:, g.permutation(p)], k


def correlated(g: np.random.Generator) -> Rows:
    """A factor runs through all columns within the clusters."""
    k, p = int(g.integers(2, 6)), int(g.choice([5, 20]))

    def noise(n: int, p: int) -> np.ndarray:
        return 0.6 * g.normal(size=(n, 1)) + 0.8 * g.normal(size=(n, p))

    return _rows(g, _apart(g, k, p, 7), noise=noise), k


def own_covariances(g: np.random.Generator) -> Rows:
    """Each cluster has a covariance of its own, with one long axis."""
    k, p = int(g.integers(2, 6)), int(g.choice([2, 5]))
    rows = []
    for center in _apart(g, k, p, 9):
        axis = g.normal(size=p)
        stretched = g.normal(size=(60, p)) + 1.7 * g.normal(size=(60, 1)) * axis / np.linalg.norm(axis)
        rows.append(center + stretched)
    return np.concatenate(rows), k


def heavy_tails(g: np.random.Generator) -> Rows:
    """t with 3 degrees of freedom in every column."""
    k, p = int(g.integers(2, 6)), int(g.choice([2, 5, 20]))
    return _rows(g, _apart(g, k, p, 9), noise=lambda n, p: g.standard_t(3, size=(n, p))), k


def skewed(g: np.random.Generator) -> Rows:
    """Lognormal within the clusters."""
    k, p = int(g.integers(2, 6)), int(g.choice([2, 5, 20]))
    noise = partial(g.lognormal, 0, 0.6)
    return _rows(g, _apart(g, k, p, 8), noise=lambda n, p: noise(size=(n, p))), k


def questionnaire(g: np.random.Generator) -> Rows:
    """Five ordered answers; a third of the items tell the clusters apart."""
    k, p = int(g.integers(2, 5)), int(g.choice([12, 24]))
    centers = np.zeros((k, p))
    centers[:, : p // 3] = _apart(g, k, p // 3, 4)
    return np.digitize(
        _rows(g, centers, noise=lambda n, p: 0.8 * g.normal(size=(n, p))), FIVE_LEVELS
    ) + 1.0, k


def counts(g: np.random.Generator) -> Rows:
    """Poisson counts of rows of unequal depth; the logarithm is taken, as one does."""
    k, p = int(g.integers(2, 5)), int(g.choice([20, 100]))
    centers = np.zeros((k, p))
    centers[:, :10] = _apart(g, k, 10, 3.5)
    means = np.exp(_rows(g, centers, noise=lambda n, p: 0.2 * g.normal(size=(n, p))) + 1.5)
    depth = g.lognormal(0, 0.2, size=(len(means), 1))
    found = g.poisson(np.minimum(means * depth, 1e6))
    return np.log1p(found / found.sum(axis=1, keepdims=True) * np.median(found.sum(axis=1))), k


def holes(g: np.random.Generator) -> Rows:
    """A tenth of the entries is missing."""
    X, k = blobs(g, 7)
    X[g.random(X.shape) < 0.1] = np.nan
    return X[~np.isnan(X).all(axis=1)], k


def _shape(g: np.random.Generator) -> tuple[int, int]:
    return _size(g), int(g.choice([5, 20, 200]))


def null_normal(g: np.random.Generator) -> Rows:
    return g.normal(size=_shape(g)), 1


def null_factor(g: np.random.Generator) -> Rows:
    n, p = _shape(g)
    return 0.8 * g.normal(size=(n, 1)) + 0.6 * g.normal(size=(n, p)), 1


def null_autoregressive(g: np.random.Generator) -> Rows:
    n, p = _shape(g)
    X = g.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = 0.8 * X[:, j - 1] + 0.6 * X[:, j]
    return X, 1


def null_heavy(g: np.random.Generator) -> Rows:
    return g.standard_t(3, size=_shape(g)), 1


def null_skewed(g: np.random.Generator) -> Rows:
    n, p = _shape(g)
    return np.exp(0.6 * (0.5 * g.normal(size=(n, 1)) + 0.87 * g.normal(size=(n, p)))), 1


def null_questionnaire(g: np.random.Generator) -> Rows:
    n, p = _size(g), int(g.choice([12, 24]))
    return np.digitize(0.7 * g.normal(size=(n, 1)) + 0.7 * g.normal(size=(n, p)), FIVE_LEVELS) + 1.0, 1


def null_binary(g: np.random.Generator) -> Rows:
    n, p = _size(g), int(g.choice([12, 24]))
    return (0.7 * g.normal(size=(n, 1)) + 0.7 * g.normal(size=(n, p)) > 0.5 * g.normal(size=p)).astype(
        float
    ), 1


def null_counts(g: np.random.Generator) -> Rows:
    n, p = _size(g), int(g.choice([20, 100]))
    found = g.poisson(np.exp(1.5 + 0.8 * g.normal(size=p)) * g.lognormal(0, 0.3, size=(n, 1)))
    return np.log1p(found / np.maximum(found.sum(axis=1, keepdims=True), 1) * np.median(found.sum(axis=1))), 1


def null_gradient(g: np.random.Generator) -> Rows:
    X = g.normal(size=(_size(g), 20))
    X[:, :6] += 1.5 * g.normal(size=(len(X), 1))
    return X, 1


def null_ball(g: np.random.Generator) -> Rows:
    n, p = _size(g), int(g.choice([3, 10]))
    z = g.normal(size=(n, p))
    return z / np.linalg.norm(z, axis=1)[:, None] * g.random((n, 1)) ** (1 / p), 1


def null_far_rows(g: np.random.Generator) -> Rows:
    X = g.normal(size=(_size(g), 10))
    X[:3] += 15 * g.choice([-1, 1], size=(3, 10))
    return X, 1


def null_box(g: np.random.Generator) -> Rows:
    return g.random((_size(g), int(g.choice([2, 10])))), 1


FAMILIES = (
    *(Family(f"{d} sd apart", partial(blobs, distance=d), draws=10) for d in (3, 4, 6, 10)),
    Family("make_blobs", sklearn_blobs, draws=12),
    Family("make_classification", sklearn_classes),
    Family("on a line", line),
    Family("on a circle", circle),
    Family("nested pairs", nested),
    Family("sizes 10 : 1", unequal_sizes),
    Family("spreads 1 : 3", unequal_spreads),
    Family("few of many features", few_of_many, draws=20),
    Family("correlated within", correlated),
    Family("covariances of their own", own_covariances),
    Family("heavy tails", heavy_tails),
    Family("skewed", skewed),
    Family("questionnaires", questionnaire),
    Family("counts", counts),
    Family("holes", holes),
    *(
        Family(name, draw, True, 6)
        for name, draw in {
            "one normal": null_normal,
            "one factor": null_factor,
            "autoregressive": null_autoregressive,
            "one, heavy tails": null_heavy,
            "one, skewed": null_skewed,
            "one questionnaire": null_questionnaire,
            "binary items": null_binary,
            "one, counts": null_counts,
            "a gradient": null_gradient,
            "a ball": null_ball,
            "far rows": null_far_rows,
            "a box": null_box,
        }.items()
    ),
)
"""The families of the suite."""


def draw(family: Family, seed: int, number: int) -> Rows:
    """A set of a family."""
    return family.draw(np.random.default_rng([crc32(family.name.encode()), seed, number]))
