"""Replicate weights of survey designs: their checks, the factors of the variance, standard errors.

A survey that hides its strata and clusters gives R columns of weights. The estimate is computed with each of
them, and its variance is a weighted sum of squared deviations, sum_r c_r (theta_r - theta)^2. The design says
the c_r: Wolter (2007), Chapters 3 to 5; Lumley (2010), Section 2.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from sparsek.core.steps import Array, Labels
from sparsek.inputs.containers import numbers
from sparsek.inputs.validation import check_array
from sparsek.inputs.weights import checked_weights

DESIGNS = ("bootstrap", "BRR", "Fay", "JK1", "JKn")
"""Designs that have replicate weights."""


@dataclass(frozen=True, slots=True)
class Replicates:
    """Weights of the replicates, and their factors in the variance."""

    weights: Array  # (n, R), not negative
    factors: Array  # (R,), dimensionless: c_r

    @property
    def columns(self) -> list[Array]:
        """The weights of each replicate."""
        return list(np.ascontiguousarray(self.weights.T))

    def errors(self, found: Array, own: Array) -> Array:
        """Standard errors of an estimate `own` (...) from those of the replicates, `found` (R, ...)."""
        deviations = found - own
        factors = self.factors.reshape(-1, *[1] * np.ndim(own))
        # Deviations are from the estimate of the whole sample and not from their mean, as designs define it.
        errors: Array = np.sqrt((factors * (deviations * deviations)).sum(axis=0))
        return errors


def checked_replicates(
    given: ArrayLike, X: Array, weights: Array, design: str, fay: float, scale: Any
) -> Replicates:
    """Checked replicate weights, of the rows whose weight in the whole sample is positive."""
    if design not in DESIGNS:
        raise ValueError(
            f"method={design!r} draws its own rows and takes no replicate_weights; give the design they were "
            f"made for, one of {', '.join(DESIGNS)}"
        )
    table = check_array(
        numbers(given, "replicate_weights"),
        dtype=np.float64,
        input_name="replicate_weights",
        ensure_min_samples=0,
    )
    if table.shape[0] != X.shape[0] or table.shape[1] < 2:
        raise ValueError(
            f"replicate_weights must have shape ({X.shape[0]}, R), a row for each row of X and R of at least "
            f"2; got {table.shape}"
        )
    columns = [checked_weights(table[:, r], X, f"replicate_weights[:, {r}]") for r in range(table.shape[1])]
    whole = np.stack(columns, axis=1)
    without = np.flatnonzero((weights == 0) & whole.any(axis=1))
    if without.size:
        raise ValueError(
            f"row {without[0]} has sample_weight 0 and a positive weight in a replicate; a row outside "
            "in the sample is in no replicate: give it weight 0 in all of them, or a positive sample_weight"
        )
    kept = whole[weights > 0]
    return Replicates(kept, variance_factors(design, kept.shape[1], fay, scale))


def variance_factors(design: str, count: int, fay: float = 0.5, scale: Any = None) -> Array:
    """The factors c_r of the squared deviations of `count` replicates; `scale` replaces those of the design.

    Bootstrap and balanced half-samples 1 / R, Fay's method 1 / (R (1 - fay)^2), the jackknife of an
    unstratified sample (R - 1) / R. For strata they are (n_h - 1) / n_h, which replicates do not show.
    """
    if scale is not None:
        factors = np.asarray(numbers(scale, "scale"), dtype=np.float64)
        if factors.shape not in ((), (count,)) or not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(
                f"scale must be a number of at least 0, or one for each of the {count} replicates; got "
                f"{scale!r}"
            )
        return np.broadcast_to(factors, count)
    if design == "JKn":
        raise ValueError(
            "method='JKn' needs scale, for each replicate (n_h - 1) / n_h with n_h the number of units in "
            "its stratum; the survey's documentation has it"
        )
    factor = {"Fay": 1 / (count * (1 - fay) ** 2), "JK1": (count - 1) / count}.get(design, 1 / count)
    return np.full(count, factor)


def weighted_shares(labels: Labels, weights: Array, n_clusters: int) -> Array:
    """The share of the weight that each cluster has; labels below 0 are of none."""
    member = labels >= 0
    shares: Array = np.bincount(labels[member], weights[member], n_clusters) / weights.sum(dtype=np.float64)
    return shares


def replicate_copy(estimator: Any, seeds: dict[str, int]) -> Any:
    """A copy with the seeds of the fit to the whole sample, so that replicates differ by weights alone."""
    return clone(estimator).set_params(**seeds)
