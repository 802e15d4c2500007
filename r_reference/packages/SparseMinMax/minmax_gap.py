"""Choice of the bound of sparse MinMax k-means by permutation, as in the code released with the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sparsek.bits.ordered_arithmetic import FloatArray
from sparsek.methods.minmax.sparse_minmax import ReleasedSteps, SparseMinMaxFit, sparse_minmax_path
from sparsek.rcompat.sparcl.permutations import GapFit, compare_objectives
from sparsek.rng import RRandom


def permutation_gap(
    x: FloatArray,
    l1_bounds: Sequence[float],
    steps: Callable[[FloatArray], ReleasedSteps],
    *,
    n_permutations: int = 25,
    rng: RRandom,
) -> GapFit:
    """Compare the criterion at each bound with the criterion on data sets with shuffled columns.

    Shapes: x (n, p) float64.
    """
    n, p = x.shape
    draws = [rng.permutations(n, p) - 1 for _ in range(n_permutations)]
    original = steps(x)
    fits = sparse_minmax_path(original, original.start(), l1_bounds)
    permuted = np.empty((len(fits), n_permutations))
    for i, rows in enumerate(draws):
        shuffled = np.ascontiguousarray(np.take_along_axis(x, rows.T, axis=0))
        shuffled_steps = steps(shuffled)
        path = sparse_minmax_path(shuffled_steps, shuffled_steps.start(), l1_bounds)
        permuted[:, i] = [_reached(f) for f in path]
    reached = np.array([_reached(f) for f in fits])
    return compare_objectives(reached, permuted, [f.weights for f in fits], l1_bounds)


def _reached(fit: SparseMinMaxFit) -> float:
    """The criterion after the last weight step, at the alpha that the fit reached."""
    return fit.history[-1] if fit.history else 0.0
