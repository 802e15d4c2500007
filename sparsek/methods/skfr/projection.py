"""Projections of the cluster means: the centre step of the projected form of SKFR, eq. 6 of its paper.

For a closed set T of centres, theta = P_T(means) minimises sum_j n_j ||mean_j - theta_j||^2 over T, so
every step still lowers the loss. Each function takes the means (k, p) and the cluster sizes (k,) and
returns centres (k, p).

Source: Zhang, Lange and Xu (2020), eq. 6.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any, cast

import numpy as np

from sparsek.core.steps import Array, ClusterSums
from sparsek.inputs.arguments import FUNCTION, Described
from sparsek.methods.skfr.algorithm import Ranked

Projection = Callable[[Array, Array], Array]


def nonnegative(means: Array, counts: Array) -> Array:
    """Centres with negative coordinates set to 0."""
    return np.maximum(means, 0)


def box(means: Array, counts: Array, *, low: float, high: float) -> Array:
    """Coordinates in [low, high]."""
    return np.clip(means, low, high)


def simplex(means: Array, counts: Array, *, total: float = 1.0) -> Array:
    """Non-negative coordinates that sum to `total` in each centre (sorted thresholds)."""
    descending = -np.sort(-means, axis=1)
    excess = np.cumsum(descending, axis=1) - total
    positions = np.arange(1, means.shape[1] + 1)
    # As many of the largest coordinates stay positive as exceed the shift that makes them sum to `total`.
    kept = np.count_nonzero(descending * positions > excess, axis=1)
    # The kept coordinates exceed `total` by this much together, and each gives the same part.
    shift = excess[np.arange(len(means)), kept - 1] / kept
    projected: Array = np.maximum(means - shift[:, None], 0)
    return projected


def ball(means: Array, counts: Array, *, radius: float) -> Array:
    """Centres within distance `radius` from the origin."""
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    return means * np.minimum(1, radius / np.where(norms > 0, norms, 1))


def half_space(means: Array, counts: Array, *, normal: Array, offset: float) -> Array:
    """Centres theta with normal . theta <= offset: the others go to the bounding plane along the normal."""
    if len(normal) != means.shape[1]:
        raise ValueError(
            f"projection 'half_space' needs a normal with one number per feature, {means.shape[1]}; got "
            f"{len(normal)}"
        )
    length = np.linalg.norm(normal)
    unit = normal / length
    # How far a mean is outside the bounding plane, in units of length along the unit normal.
    excess = np.maximum(means @ unit - offset / length, 0)
    projected: Array = means - excess[:, None] * unit
    return projected


def low_rank(means: Array, counts: Array, *, rank: int) -> Array:
    """All centres in one subspace of dimension `rank`: SVD of the means times the roots of the sizes."""
    root = np.sqrt(counts)[:, None]
    # With the roots of the sizes as factors, the SVD minimises sum_j n_j ||mean_j - theta_j||^2.
    u, d, vt = np.linalg.svd(means * root, full_matrices=False)
    kept = (u[:, :rank] * d[:rank]) @ vt[:rank]
    coordinates: Array = np.divide(kept, root, out=np.zeros_like(means), where=root > 0)
    return coordinates


MAKERS: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "nonnegative": (nonnegative, ()),
    "box": (box, ("low", "high")),
    "simplex": (simplex, ("total",)),
    "ball": (ball, ("radius",)),
    "half_space": (half_space, ("normal", "offset")),
    "low_rank": (low_rank, ("rank",)),
}
"""Named projections, and the names of their numbers."""


def make_projection(name: str, *numbers: Any) -> Projection:
    """The named projection with its numbers.

    Raises ValueError for an unknown name or numbers that do not fit it.
    """
    if name not in MAKERS:
        raise ValueError(f"projection must be one of {', '.join(MAKERS)} or a callable; got {name!r}")
    function, names = MAKERS[name]
    if len(numbers) != len(names):
        wanted = f"takes {', '.join(names)}" if names else "takes no numbers"
        raise ValueError(f"projection {name!r} {wanted}; got {numbers}")
    given = dict(zip(names, numbers, strict=True))
    if name == "half_space":
        given["normal"] = np.asarray(numbers[0], dtype=np.float64)
        if given["normal"].ndim != 1 or not given["normal"].any():
            raise ValueError("projection 'half_space' needs a normal of shape (p,) that is not 0")
    if not all(np.isfinite(value).all() for value in given.values()):
        raise ValueError(f"projection {name!r} needs finite numbers; got {numbers}")
    if name == "box" and given["low"] > given["high"]:
        raise ValueError(f"projection 'box' needs low <= high; got {numbers}")
    if name in ("simplex", "ball") and numbers[0] <= 0:
        raise ValueError(f"projection {name!r} needs a positive {names[0]}; got {numbers[0]}")
    if name == "low_rank":
        if numbers[0] < 1 or numbers[0] != int(numbers[0]):
            raise ValueError(f"projection 'low_rank' needs a whole rank of at least 1; got {numbers[0]}")
        given = {"rank": int(numbers[0])}
    return partial(function, **given)


def rank_projected(sums: ClusterSums, *, project: Projection, **sizes: object) -> Ranked:
    """Projected cluster means as the result of an iteration, in place of a ranking."""
    means = sums.means
    centers = _checked(project(means, sums.counts), means)
    # n (mean^2 - (mean - theta)^2): a centre that is not the mean explains less than n mean^2.
    gains = sums.counts[:, None] * (2 * means - centers) * centers
    selected = np.flatnonzero((centers != 0).any(axis=0))
    selected = selected if len(selected) else np.arange(1)
    everything = np.arange(means.shape[1])
    return Ranked(selected, everything, centers, float(gains.sum(dtype=np.float64)), gains)


def _checked(centers: Array, means: Array) -> Array:
    """The centres that a projection returned; ValueError unless of the right shape and finite."""
    centers = np.asarray(centers, dtype=means.dtype)
    if centers.shape != means.shape or not np.isfinite(centers).all():
        raise ValueError(
            f"projection must return finite centres of shape {means.shape}; got shape {centers.shape}"
        )
    return centers


def as_projection(projection: Any) -> Projection:
    """The projection as a function."""
    if callable(projection):
        return cast(Projection, projection)
    return make_projection(*([projection] if isinstance(projection, str) else projection))


def is_projection(projection: Any) -> bool:
    """Whether the value is a name, or a name with numbers that fit it."""
    if not isinstance(projection, str | tuple | list) or not projection:
        return False
    numbers = () if isinstance(projection, str) else projection[1:]
    scalars = numbers[1:] if projection[0] == "half_space" else numbers
    if any(isinstance(value, bool) or not isinstance(value, Real) for value in scalars):
        return False
    try:
        as_projection(projection)
    except (ValueError, TypeError):
        return False
    return True


PROJECTIONS = [
    None,
    Described(
        "'nonnegative', ('box', low, high) with low <= high, ('simplex', total) or ('ball', radius) with a "
        "positive number, ('half_space', normal, offset) with one number per feature in normal, "
        "('low_rank', rank) with a whole number of at least 1",
        is_projection,
        "nonnegative",
        ("box", -1.0, 1.0),
        ("simplex", 1.0),
        ("ball", 2.0),
        ("low_rank", 1),
    ),
    FUNCTION,
]
"""What `projection` may be."""
