"""Checks of the arguments of functions that fit an estimator along values of one parameter."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from sparsek.methods.shared.parameters import AUTO, check_values

AnyEstimator = TypeVar("AnyEstimator", bound=BaseEstimator)


def path_base(estimator: Any, kind: type[AnyEstimator], name: str) -> AnyEstimator:
    """A checked copy with its parameter `name` unset; it draws from the estimator's own generator."""
    if not isinstance(estimator, kind):
        raise TypeError(f"estimator must be of class {kind.__name__}; got {estimator!r}")
    base: AnyEstimator = clone(estimator).set_params(**{name: None, "random_state": estimator.random_state})
    base._validate_params()
    return base


def path_values(values: Any, what: str, estimator: Any, name: str) -> list[Any] | None:
    """Values of the estimator's parameter as a list, at least one, or None; `what` names them in errors."""
    if values is None:
        return None
    if isinstance(values, str) or not np.iterable(values) or issparse(values):
        raise TypeError(f"values must be a sequence of {what}; got {values!r}")
    given = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if not given or None in given or AUTO in given:
        raise ValueError(f"values must hold {what}, at least one; got {values!r}")
    check_values(estimator, name, given)
    return given
