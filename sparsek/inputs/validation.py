"""Checks of data by scikit-learn, without numpy's warnings about the sums that look for infinities."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.utils.validation as checks

_quiet = np.errstate(over="ignore", invalid="ignore")
check_array = _quiet(checks.check_array)
check_data = _quiet(checks.validate_data)


def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Data checked by scikit-learn; where cells are missing, the error names the methods that take them."""
    try:
        return check_data(estimator, X, **options)
    except ValueError as error:
        raise explained(error, estimator, X) from None


def explained(error: ValueError, estimator: Any, X: Any) -> ValueError:
    """An error of scikit-learn's checks, in our words if cells are missing."""
    return ValueError(_missing(estimator, X)) if "X contains NaN" in str(error) else error


def _missing(estimator: Any, X: Any) -> str:
    """The message about missing cells."""
    name = type(getattr(estimator, "estimator", estimator)).__name__
    remedy = (
        f"{name} takes complete data only. SKFR (which selects features) and KPod (which uses all of them) "
        "take missing values; or leave out the rows or columns that miss some, or impute them"
    )
    values = np.asarray(X.data if hasattr(X, "indptr") else X, dtype=np.float64)
    if values.ndim != 2:
        return f"Input X contains NaN. {remedy}"
    missing = np.isnan(values)
    row, column = (int(i[0]) for i in np.nonzero(missing))
    called = f"{column} ({str(X.columns[column])!r})" if hasattr(X, "columns") else str(column)
    return (
        f"Input X contains NaN: {int(missing.sum())} of its {missing.size} cells are missing, the first in "
        f"row {row}, column {called}, counted from 0. {remedy}"
    )
