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

    An estimator that standardises by itself does so here too, and is told not to where the columns shall stay
    as they are; a parameter ``standardize`` that the user set decides.
    """
    itself = model.get_params().get("standardize") is True
    if "standardize" in settings:
        return table.frame, None
    if not scale:
        if itself:
            model.set_params(standardize=False)
        return table.frame, None
    return (table.frame, None) if itself else scaled(table)


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
