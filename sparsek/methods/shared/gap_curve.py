"""The gap statistic of any criterion over a grid of parameter values, and the choices by it.

Sources: Witten and Tibshirani (2010), JASA 105, 713-726, Section 3.2; Zhang, Lange and Xu (2020), NeurIPS 33,
Algorithm 3; the standard error is that of Tibshirani, Walther and Hastie (2001), JRSS B 63, 411-423.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsek.methods.shared.steps import Array


@dataclass(frozen=True, slots=True)
class GapCurve:
    """Gap statistic at m parameter values.

    Attributes
    ----------
    gaps : ndarray of shape (m,)
        Logarithm of the objective less the mean of the logarithms of the permuted ones.
    deviations : ndarray of shape (m,)
        Standard deviation of the permuted logarithms, over n_permutations - 1.
    errors : ndarray of shape (m,)
        deviations * sqrt(1 + 1 / n_permutations), which includes the error of the simulated mean.
    largest : int
        Index of the largest gap, the first of equal ones.
    one_se : int
        First index, in the run of values with the largest gap, whose gap is at most one standard error (that
        of the largest gap) below the largest gap.
    """

    gaps: Array
    deviations: Array
    errors: Array
    largest: int
    one_se: int


def gap_curve(objectives: Array, permuted: Array, n_run: int | None = None) -> GapCurve:
    """Compare objectives on the data, (m,), with those on permuted data, (m, n_permutations), all > 0; the m
    values come in runs of `n_run`, by default one run."""
    logs = np.log(permuted)
    gaps = np.log(objectives) - logs.mean(axis=1)
    deviations = logs.std(axis=1, ddof=1)
    errors = deviations * np.sqrt(1 + 1 / logs.shape[1])
    largest = int(np.argmax(gaps))
    first = largest - largest % (n_run or len(gaps))
    one_se = first + int(np.argmax(gaps[first:] >= gaps[largest] - errors[largest]))
    return GapCurve(gaps, deviations, errors, largest, one_se)
