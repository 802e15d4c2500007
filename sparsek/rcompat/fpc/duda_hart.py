"""Duda and Hart's test of whether data are two clusters, as R's ``dudahart2``."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sparsek.bits.caller import warn_as_r
from sparsek.bits.normal import normal_probability
from sparsek.bits.ordered_arithmetic import FloatArray, long_sum
from sparsek.errors import RError
from sparsek.rcompat.cluster.arguments_pam import UNDECIDED
from sparsek.rcompat.fpc.cluster_statistics import over
from sparsek.rcompat.fpc.sums_of_squares import squares, squares_within
from sparsek.rng.generator import normal_quantile


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the test says."""

    p_value: float  # Of one cluster
    one_cluster: bool  # Whether one cluster is not rejected


def duda_hart(data: FloatArray, labels: FloatArray, alpha: float) -> Verdict:
    """The test of clusters 1 and 2 at a level.

    Shapes: data (n, p), labels (n,).

    RError with R's message, for missing data, constant data and levels outside of 0 to 1, with R's warning.

    Source: Duda & Hart (1973): the ratio of the squares within two clusters to all.
    """
    n, p = data.shape
    ratio = over(long_sum(squares_within(data, labels, 2)), long_sum(squares(data)))
    if not 0 <= alpha <= 1 and not math.isnan(alpha):
        warn_as_r("NaNs produced")
    if math.isnan(ratio) or not 0 <= alpha <= 1:
        remedy = f"alpha must be from 0 to 1; got {alpha:g}" if not math.isnan(ratio) else NO_RATIO
        raise RError(UNDECIDED, remedy)
    error = math.sqrt(2 * (1 - 8 / (math.pi**2 * p)) / (n * p))
    z = float(normal_quantile(np.array([1 - alpha]))[0])
    critical = 1 - 2 / (math.pi * p) - z * error
    p_value = 1 - normal_probability((1 - ratio - 2 / (math.pi * p)) / error)
    return Verdict(p_value, ratio >= critical)


NO_RATIO = "the test of one cluster needs data without missing or infinite values that are not all the same"
