"""Errors of held-out data over a grid of parameter values, and the choices by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import get_tags

from sparsek.core.steps import Array
from sparsek.core.tasks import last_step
from sparsek.methods.search.kinds import dense, values_of
from sparsek.methods.search.part_search import PartSearch

HELD_OUT = "data with a part held out have no zeros to leave out"
"""Why sparse data are made dense."""


@dataclass(frozen=True, slots=True)
class ErrorCurve:
    """Errors at m parameter values."""

    means: Array  # (m,): means over the folds
    errors: Array  # (m,): standard errors of the differences from the smallest mean
    smallest: int  # Index of the smallest mean, the first of equal ones
    # First index, in the run of values with the smallest mean, whose mean is at most its own standard error
    # above that
    one_se: int


def error_curve(errors: Array, n_run: int) -> ErrorCurve:
    """Compare the errors of the folds, (m, n_folds); the m values come in runs of `n_run`."""
    means = errors.mean(axis=1)
    smallest = int(np.argmin(means))
    differences = errors - errors[smallest]
    # Errors of one fold rise and fall together, so that differences within folds are far less noisy.
    spread = differences.std(axis=1, ddof=1) / np.sqrt(errors.shape[1])
    start = smallest - smallest % n_run
    near = means[start : smallest + 1] <= means[smallest] + spread[start : smallest + 1]
    return ErrorCurve(means, spread, smallest, start + int(np.argmax(near)))


class ErrorSearch(PartSearch):
    """Base of the searches that choose by errors of held-out folds."""

    _texts: ClassVar = {
        "n_jobs": "Folds that are fitted at a time, [backend]",
        "results_": (
            "One row per entry of `param_range_`: a column for each parameter, by its name, then error, "
            "error_se and chosen."
        ),
        "errors_": "Their means over the folds.",
        "error_se_": (
            "Standard error of the difference from the smallest error: the standard deviation of the "
            "differences of the folds (over n_folds - 1) divided by sqrt(n_folds). 0 for the smallest "
            "error itself."
        ),
        "min_index_": "Index of the smallest error.",
    }

    _part = "fold"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if getattr(last_step(self.estimator), "batch_centers", "common") != "common":
            raise ValueError(
                "held-out data are predicted by centres that all batches share; got batch_centers='batch': "
                "choose by PermutationGap, PredictionStrength or SelectionConsistency, or use "
                "batch_centers='common'"
            )

    def _loaded(self, X: Any) -> Any:
        X = super()._loaded(X)
        return dense(X, self.estimator, HELD_OUT) if get_tags(self.estimator).input_tags.sparse else X

    def _checked(self, X: ArrayLike) -> tuple[Any, list[dict[str, Any]]]:
        data, settings = super()._checked(X)
        empty = np.flatnonzero(np.isnan(values_of(data)).all(axis=0))
        if len(empty):
            raise ValueError(
                f"column {empty[0]} of X has no value, so that none of it can be held out; leave it out"
            )
        return data, settings

    def _store(self, found: list[Array], settings: list[dict[str, Any]]) -> None:
        errors = np.array(found).T  # (n_values, n_folds)
        parameters = pd.DataFrame(settings)
        curve = error_curve(errors, parameters.iloc[:, -1].nunique())
        self.fold_errors_, self.errors_, self.error_se_ = errors, curve.means, curve.errors
        self.min_index_, self.one_se_index_ = curve.smallest, curve.one_se
        self.best_index_ = self.min_index_ if self.rule == "min" else self.one_se_index_
        self.best_params_ = settings[self.best_index_]
        self.results_ = parameters.assign(
            error=self.errors_,
            error_se=self.error_se_,
            chosen=np.arange(len(settings)) == self.best_index_,
        )
