"""The simulation design of Brodinova et al. (2019): groups, noise features, two kinds of outliers.

Draws come in the order of R's ``wrsk::SimData``, so that labels, noise features and outlying values equal R's
under the same seed. The informative block has R's distribution only: its covariance has p - 1 equal
eigenvalues, so the eigenvectors that multiply the normals depend on the linear algebra library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.rng import RRandom

IntArray = NDArray[np.int64]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Design:
    """Description of the simulated data."""

    sizes: tuple[int, ...]  # Rows of each group
    # n_informative, n_noise: numbers of features that differ between groups, and that do not
    n_informative: int
    n_noise: int
    n_outlying: int  # Informative features in which outliers lie apart
    outlier_share: float  # Share of each group that is outlying in them, in [0, 1]
    scattered: bool  # Whether outliers scatter round their group (True) or lie in `outlier_ranges`
    n_outlying_noise: int  # Noise features with outliers; 0 for none
    noise_outlier_share: float  # Share of each group that is outlying in them
    # outlier_ranges, mean_ranges: lower and upper intervals of the values of outliers and of the groups' mean
    outlier_ranges: tuple[Range, Range] = ((-12.0, -6.0), (6.0, 12.0))
    mean_ranges: tuple[Range, Range] = ((-6.0, -3.0), (3.0, 6.0))
    # variance_range, correlation_range: intervals of the outliers' variance and of the correlation in a group
    variance_range: Range = (3.0, 10.0)
    correlation_range: Range = (0.1, 0.9)


def random_rotation(dim: int, rng: RRandom) -> FloatArray:
    """A random rotation: by an angle in the plane, else from the QR decomposition of uniforms.

    Shapes: returns (dim, dim).
    """
    if dim == 2:
        angle = 2 * np.pi * rng.runif(1)[0]
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    q = np.linalg.qr(rng.runif(dim * dim).reshape(dim, dim, order="F"))[0]
    if np.linalg.det(q) < 0:
        q[:, 0] = -q[:, 0]
    return q


def simulate(
    design: Design, rng: RRandom, rotation: Callable[[int, RRandom], FloatArray] = random_rotation
) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Simulate one data set.

    Shapes: returns x (n, n_informative + n_noise).
    """
    g, p = len(design.sizes), design.n_informative
    levels = np.concatenate([rng.runif(g, *interval) for interval in design.mean_ranges])
    level = levels[rng.unif_index(2 * g)]
    correlations = rng.runif(g, *design.correlation_range)
    factors = [_factor(p, rho, rotation(p, rng)) for rho in correlations]
    variances = rng.runif(g, *design.variance_range)
    blocks, labels = [], []
    for i, n in enumerate(design.sizes):
        mean = np.where(np.arange(p) % g == i, level, 0.0)
        informative = mean + _normals(n, p, rng) @ factors[i].T
        noise = _normals(n, design.n_noise, rng)
        m = round(n * design.outlier_share)
        if m:
            informative[:m, : design.n_outlying] = _outliers(m, mean, variances[i], design, rng)
        blocks.append(np.hstack([informative, noise]))
        labels.append(np.where(np.arange(n) < m, 0, i + 1))
    x, marked = np.vstack(blocks), np.concatenate(labels)
    groups = np.repeat(np.arange(1, g + 1), design.sizes)
    kinds = _contaminate_noise(x, marked, design, rng)
    return x, groups, np.where(kinds > g, 0, marked), kinds


def _normals(n: int, p: int, rng: RRandom) -> FloatArray:
    """Standard normals filled in column by column."""
    return rng.rnorm(n * p).reshape(n, p, order="F")


def _factor(p: int, rho: float, rotation: FloatArray) -> FloatArray:
    """Root of the rotated covariance with variances 1 and correlations rho; eigenvalues decrease."""
    covariance = rotation @ ((1 - rho) * np.eye(p) + rho) @ rotation.T
    values, vectors = np.linalg.eigh(covariance)
    factor: FloatArray = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0))
    return factor


def _outliers(m: int, mean: FloatArray, variance: float, design: Design, rng: RRandom) -> FloatArray:
    """Values of m outliers in the outlying features."""
    q = design.n_outlying
    if design.scattered:
        normals = _normals(m, q, rng)[:, ::-1]
        if q == 2:
            normals[:, 0] *= -1  # R's eigenvectors for equal eigenvalues: reversed, one negative
        outliers: FloatArray = mean[:q] + np.sqrt(variance) * normals
        return outliers
    return _uniform_mixture(m * q, design, rng).reshape(m, q, order="F")


def _uniform_mixture(count: int, design: Design, rng: RRandom) -> FloatArray:
    """Uniform values from the lower and the upper interval: `count` drawn from `count` of each."""
    pool = np.concatenate([rng.runif(count, *interval) for interval in design.outlier_ranges])
    return pool[rng.sample_int(2 * count, count) - 1]


def _contaminate_noise(x: FloatArray, marked: IntArray, design: Design, rng: RRandom) -> IntArray:
    """Put outliers into noise features of x, in place; return the labels with these rows marked too.

    As in R, sampling from one number m means from 1..m: a single noise feature is replaced by any feature.
    """
    kinds = marked.copy()
    if not design.n_outlying_noise:
        return kinds
    p = x.shape[1]
    columns = rng.sample(np.arange(design.n_informative + 1, p + 1), design.n_outlying_noise) - 1
    rows: list[int] = []
    start = 0
    for n in design.sizes:
        a = round(n * design.noise_outlier_share)
        rows += (rng.sample(np.arange(start + a + 1, start + n + 1), a) - 1).tolist()
        start += n
    values = _uniform_mixture(len(rows) * len(columns), design, rng)
    x[np.array(rows, dtype=int)[:, None], columns] = values.reshape(len(rows), len(columns), order="F")
    kinds[rows] = len(design.sizes) + 1
    return kinds
