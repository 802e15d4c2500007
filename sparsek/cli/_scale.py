"""Standardised columns, as the commands fit them unless they are told not to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sparsek.cli._read import Table


def prepare(
    table: Table, model: Any, scale: bool, settings: Mapping[str, Any]
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """The columns for a fit, and the means and sds that were taken out of them (None if none were).

    The estimator standardises too where it can, so that its summary says so; of columns that are standardised
    already that changes the last digits at most. A parameter ``standardize`` that the user set decides alone.
    """
    itself = model.get_params().get("standardize")
    if "standardize" in settings:
        return table.frame, None
    if itself is not None:
        model.set_params(standardize=scale)
    return scaled(table) if scale and not itself else (table.frame, None)


def scaled(table: Table) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns scaled to mean 0 and sd 1 (constant ones to 0), as R's scale(); their means and sds."""
    largest = table.frame.abs().max()
    # Squares of numbers around 1 neither overflow nor vanish; a power of two changes no digit.
    unit = pd.Series(np.exp2(np.clip(np.frexp(largest)[1], -1000, 1000)), index=largest.index)
    frame = table.frame / unit
    mean, sd = frame.mean(), frame.std()
    constant = frame.min() == frame.max()
    mean[constant], sd[constant] = frame.min()[constant], 1.0
    return (frame - mean) / sd, pd.DataFrame({"mean": mean * unit, "sd": sd * unit})
