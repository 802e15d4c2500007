"""Checks of data by scikit-learn, without numpy's warnings about the sums that look for infinities."""

from __future__ import annotations

import numpy as np
import sklearn.utils.validation as checks

_quiet = np.errstate(over="ignore", invalid="ignore")
check_array = _quiet(checks.check_array)
validate_data = _quiet(checks.validate_data)
