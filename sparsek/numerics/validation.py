"""Checks of data by scikit-learn, without numpy's warnings about the sums that look for infinities."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.utils.validation as checks


def check_array(X: Any, **options: Any) -> Any:
    """The checked array, as scikit-learn's function of this name gives it."""
    with np.errstate(over="ignore", invalid="ignore"):
        return checks.check_array(X, **options)


def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
    """The checked data, as scikit-learn's function of this name gives them."""
    with np.errstate(over="ignore", invalid="ignore"):
        return checks.validate_data(estimator, X, **options)
