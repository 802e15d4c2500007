"""Data sets of the papers' simulations, drawn with numpy's generators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import special_ortho_group
from sklearn.utils import Bunch

from sparsek.inputs.arguments import COUNT, SEED_SEQUENCE, Described, count, number, takes
from sparsek.inputs.containers import as_array

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

GENERATOR = [SEED_SEQUENCE, Generator, None]
"""What `random_state` may be."""
SHARE = [number(0, 1, "both")]
UNEVEN: dict[str, list[Any]] = {
    "n_samples": COUNT,
    "n_features": COUNT,
    "n_clusters": COUNT,
    "n_informative": COUNT,
    "noise_std": [number(0)],
    "random_state": GENERATOR,
}
"""Arguments of clusters of uneven size."""
RADIUS = number(0, closed="neither")
RADII = Described(
    "two positive numbers",
    lambda val: isinstance(val, list | tuple) and len(val) == 2 and all(map(RADIUS.is_satisfied_by, val)),
    (1.0, 1.2),
)


@takes(
    n_features=COUNT,
    n_informative=COUNT,
    scatter_outliers=SHARE,
    noise_outliers=SHARE,
    random_state=GENERATOR,
)
def make_brodinova(
    n_features: int = 50,
    n_informative: int = 10,
    group_sizes: Sequence[int] = (40,) * 10,
    *,
    scatter_outliers: float = 0.0,
    noise_outliers: float = 0.0,
    random_state: Any = None,
) -> Bunch:
    """Gaussian groups that differ in few features, with outliers on request: design A of the SKFR paper.

    One level m is drawn for all groups, uniformly from (-6, -3) or (3, 6). In the informative features, group
    i of k has mean m if r mod k = i for feature r, else 0. Its covariance is R E R', where E has unit
    variances and a common correlation from U(0.1, 0.9), and R is a random rotation. The other features are
    standard normal noise.

    Parameters
    ----------
    n_features : int, default=50
        Number p of features, at least `n_informative`.
    n_informative : int, default=10
        Number q of features in which the groups differ; they come first.
    group_sizes : sequence of int, default=(40,) * 10
        Rows of each group.
    scatter_outliers : float, default=0.0
        Share in [0, 1] of each group, its first rows, whose informative features are drawn anew around the
        group's mean with variance from U(3, 10).
    noise_outliers : float, default=0.0
        Share in [0, 1] of the noise features (at least one), and of each group (among the rows without
        scatter outliers), whose entries are drawn from U(-12, -6) or U(6, 12).
    random_state : int, Generator or None, default=None
        Seed of ``numpy.random.default_rng``.

    Returns
    -------
    Bunch
        ``data`` (n, p), dimensionless; ``target`` (n,) the groups from 0; ``informative`` (p,) bool;
        ``outlier`` (n,) bool.

    Raises
    ------
    ValueError
        A number out of its range.

    See Also
    --------
    sparsek.rcompat.SimData : Simulated groups with outliers.
    make_subset_attributes : Clusters on features of their own.
    make_partially_observed : Clusters with missing entries.

    References
    ----------
    Brodinova, S., Filzmoser, P., Ortner, T., Breiteneder, C. and Rohm, M. (2019). Robust and sparse k-means
    clustering for high-dimensional data. Advances in Data Analysis and Classification 13, 905-932.
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Section 4.

    Examples
    --------
    >>> from sparsek.datasets import make_brodinova
    >>> sample = make_brodinova(n_features=20, random_state=0)
    >>> sample.data.shape, int(sample.informative.sum())
    ((400, 20), 10)
    """
    _at_least("n_features", n_features, n_informative)
    sizes = _sizes(group_sizes)
    scatter, noise = float(scatter_outliers), float(noise_outliers)
    rng = np.random.default_rng(random_state)
    k, q = len(sizes), n_informative
    target = np.repeat(np.arange(k), sizes)
    level = rng.choice([-1, 1]) * rng.uniform(3, 6)
    means = level * (np.arange(q) % k == np.arange(k)[:, None])
    X = rng.standard_normal((len(target), n_features))
    outlier = np.zeros(len(target), dtype=bool)
    for group, mean in enumerate(means):
        rows = np.flatnonzero(target == group)
        X[rows, :q] = mean + X[rows, :q] @ _covariance_root(rng, q)
        scattered = rows[: round(scatter * len(rows))]
        spread = np.sqrt(rng.uniform(3, 10))
        X[scattered, :q] = mean + spread * rng.standard_normal((len(scattered), q))
        outlier[scattered] = True
    if noise > 0 and n_features > q:
        outlier |= _add_noise_outliers(rng, X[:, q:], target, scatter, noise)
    informative = np.arange(n_features) < q
    return Bunch(data=X, target=target, informative=informative, outlier=outlier)


@takes(**UNEVEN)
def make_subset_attributes(
    n_samples: int = 250,
    n_features: int = 50,
    n_clusters: int = 5,
    n_informative: int = 10,
    *,
    noise_std: float = 3.0,
    random_state: Any = None,
) -> Bunch:
    """Clusters on features of their own: design B of the SKFR paper.

    Each cluster draws its informative features; there its centre is 6 U(0, 1) and its standard deviation 1;
    in all its other features it is N(0, `noise_std`). Cluster sizes are proportional to 1 + 2 U(0, 1).

    Parameters
    ----------
    n_samples : int, default=250
        Number n of rows, at least `n_clusters`.
    n_features : int, default=50
        Number p of features, at least `n_informative`.
    n_clusters : int, default=5
        Number of clusters k.
    n_informative : int, default=10
        Informative features of each cluster.
    noise_std : float, default=3.0
        Standard deviation of the other entries; not negative.
    random_state : int, Generator or None, default=None
        Seed of ``numpy.random.default_rng``.

    Returns
    -------
    Bunch
        ``data`` (n, p), dimensionless; ``target`` (n,) clusters from 0; ``informative`` (n_clusters, p) bool.

    Raises
    ------
    ValueError
        A number out of its range.

    See Also
    --------
    make_brodinova : Groups that differ in few features, with outliers.
    make_partially_observed : Clusters with missing entries.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Section 4.

    Examples
    --------
    >>> from sparsek.datasets import make_subset_attributes
    >>> make_subset_attributes(random_state=0).informative.sum(axis=1)
    array([10, 10, 10, 10, 10])
    """
    target, rng = _uneven_clusters(n_samples, n_features, n_clusters, n_informative, noise_std, random_state)
    X = noise_std * rng.standard_normal((n_samples, n_features))
    informative = np.zeros((n_clusters, n_features), dtype=bool)
    for cluster in range(n_clusters):
        chosen = np.sort(rng.choice(n_features, n_informative, replace=False))
        informative[cluster, chosen] = True
        rows = np.flatnonzero(target == cluster)
        centre = 6 * rng.random(n_informative)
        X[np.ix_(rows, chosen)] = centre + rng.standard_normal((len(rows), n_informative))
    return Bunch(data=X, target=target, informative=informative)


@takes(**UNEVEN, missing=SHARE)
def make_partially_observed(
    n_samples: int = 250,
    n_features: int = 50,
    n_clusters: int = 5,
    n_informative: int = 10,
    *,
    noise_std: float = 1.5,
    missing: float = 0.1,
    random_state: Any = None,
) -> Bunch:
    """Clusters on common features with entries missing at random: design C of the SKFR paper.

    Centres are 6 U(0, 1) in the informative features, which come first, with standard deviation 1; the other
    features are N(0, `noise_std`). Cluster sizes are proportional to 1 + 2 U(0, 1).

    Parameters
    ----------
    n_samples : int, default=250
        Number n of rows, at least `n_clusters`.
    n_features : int, default=50
        Number p of features, at least `n_informative`.
    n_clusters : int, default=5
        Number of clusters k.
    n_informative : int, default=10
        Features in which the clusters differ.
    noise_std : float, default=1.5
        Standard deviation of the noise features; not negative.
    missing : float, default=0.1
        Share in [0, 1] of the entries that are removed: exactly round(missing n p) of them.
    random_state : int, Generator or None, default=None
        Seed of ``numpy.random.default_rng``.

    Returns
    -------
    Bunch
        ``data`` (n, p) with NaN, dimensionless; ``complete`` (n, p); ``target`` (n,) clusters from 0;
        ``informative`` (p,) bool.

    Raises
    ------
    ValueError
        A number out of its range.

    See Also
    --------
    make_brodinova : Groups that differ in few features, with outliers.
    sparsek.KPod : K-means of data with missing values.

    References
    ----------
    Zhang, Z., Lange, K. and Xu, J. (2020). Simple and scalable sparse k-means clustering via feature ranking.
    NeurIPS 33, Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.datasets import make_partially_observed
    >>> float(np.isnan(make_partially_observed(random_state=0).data).mean())
    0.1
    """
    share = float(missing)
    target, rng = _uneven_clusters(n_samples, n_features, n_clusters, n_informative, noise_std, random_state)
    X = noise_std * rng.standard_normal((n_samples, n_features))
    centres = 6 * rng.random((n_clusters, n_informative))
    X[:, :n_informative] = centres[target] + rng.standard_normal((n_samples, n_informative))
    observed = X.copy()
    holes = rng.choice(X.size, round(share * X.size), replace=False)
    observed.flat[holes] = np.nan
    informative = np.arange(n_features) < n_informative
    return Bunch(data=observed, complete=X, target=target, informative=informative)


@takes(
    n_samples=[count(2)],
    n_features=[count(2)],
    core_radius=[RADIUS],
    ring_radii=[RADII],
    random_state=GENERATOR,
)
def make_doughnut(
    n_samples: int = 500,
    n_features: int = 20,
    *,
    core_radius: float = 0.4,
    ring_radii: tuple[float, float] = (1.0, 1.2),
    random_state: Any = None,
) -> Bunch:
    """A disc inside a ring in the first two features, noise in the others.

    No split by a straight line finds the two groups; sparse kernel k-means with the kernel (x z)^2 of each
    feature does. Both groups are uniform by area; the other features are U(-1, 1).

    Parameters
    ----------
    n_samples : int, default=500
        Number n of rows, at least 2: n // 2 in the disc, first, the others in the ring.
    n_features : int, default=20
        Number p of features, at least 2.
    core_radius : float, default=0.4
        Radius of the disc; positive and at most the ring's inner radius.
    ring_radii : tuple of two floats, default=(1.0, 1.2)
        Inner and outer radius of the ring; with an outer radius below 1 one noise feature often splits the
        data better than the truth.
    random_state : int, Generator or None, default=None
        Seed of ``numpy.random.default_rng``.

    Returns
    -------
    Bunch
        ``data`` (n, p), dimensionless; ``target`` (n,) 0 in the disc, 1 in the ring; ``informative`` (p,)
        bool.

    Raises
    ------
    ValueError
        A number out of its range.

    See Also
    --------
    sparsek.SparseKernelKMeans : One kernel for each feature, with weights under an L1 bound.
    make_brodinova : Groups that differ in few features, with outliers.

    Notes
    -----
    The slides that show the example state neither sizes nor radii; the defaults are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek.datasets import make_doughnut
    >>> sample = make_doughnut(random_state=0)
    >>> radius = np.hypot(*sample.data[:, :2].T)
    >>> bool(radius[sample.target == 0].max() < 0.4), bool(radius[sample.target == 1].min() > 1)
    (True, True)
    """
    core_radius, (inner, outer) = float(core_radius), map(float, ring_radii)
    if not 0 < core_radius <= inner < outer < np.inf:
        raise ValueError(
            "core_radius and ring_radii must be finite with 0 < core_radius <= inner < outer; "
            f"got {core_radius} and {ring_radii}"
        )
    rng = np.random.default_rng(random_state)
    target = np.repeat([0, 1], [n_samples // 2, n_samples - n_samples // 2])
    low, high = np.array([0, inner])[target], np.array([core_radius, outer])[target]
    radius = np.sqrt(rng.uniform(low**2, high**2))
    angle = rng.uniform(0, 2 * np.pi, n_samples)
    noise = rng.uniform(-1, 1, (n_samples, n_features - 2))
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), noise])
    return Bunch(data=X, target=target, informative=np.arange(n_features) < 2)


def _uneven_clusters(
    n: int, p: int, k: int, n_informative: int, noise_std: float, random_state: Any
) -> tuple[IntArray, Generator]:
    """Check the arguments; return sorted labels of clusters of uneven size, and the generator."""
    _at_least("n_features", p, n_informative)
    _at_least("n_samples", n, k)
    rng = np.random.default_rng(random_state)
    shares = 1 + 2 * rng.random(k)
    sizes = np.round(n * shares / shares.sum()).astype(int)
    while sizes.sum() != n:
        step = 1 if sizes.sum() < n else -1
        sizes[: abs(n - sizes.sum())] += step
    return np.repeat(np.arange(k), sizes), rng


def _covariance_root(rng: Generator, q: int) -> FloatArray:
    """L' of a random covariance L L' = R E R': unit variances, one correlation, rotated at random."""
    correlation = rng.uniform(0.1, 0.9)
    if q == 1:
        return np.ones((1, 1))
    rotation = special_ortho_group.rvs(q, random_state=rng)
    common = np.full((q, q), correlation) + (1 - correlation) * np.eye(q)
    return np.linalg.cholesky(common).T @ rotation.T


def _add_noise_outliers(
    rng: Generator, noise: FloatArray, target: IntArray, scatter: float, share: float
) -> NDArray[np.bool_]:
    """Put large values into some noise features of some rows of each group, in place; return these rows."""
    features = rng.choice(noise.shape[1], max(1, round(share * noise.shape[1])), replace=False)
    chosen = np.zeros(len(target), dtype=bool)
    for group in np.unique(target):
        rows = np.flatnonzero(target == group)
        free = rows[round(scatter * len(rows)) :]
        taken = rng.choice(free, min(len(free), round(share * len(rows))), replace=False)
        shape = (len(taken), len(features))
        noise[np.ix_(taken, features)] = rng.choice([-1, 1], shape) * rng.uniform(6, 12, shape)
        chosen[taken] = True
    return chosen


def _at_least(name: str, value: int, low: int) -> None:
    """Raise unless a count is large enough."""
    if value < low:
        raise ValueError(f"{name} must be at least {low}; got {value}")


def _sizes(group_sizes: Sequence[int]) -> IntArray:
    """Group sizes, checked."""
    sizes = as_array(group_sizes, "group_sizes")
    if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu" or sizes.min() < 1:
        raise ValueError(f"group_sizes must hold at least one positive integer; got {group_sizes!r}")
    return sizes.astype(np.int64)
