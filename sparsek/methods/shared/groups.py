"""Labels of groups of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sparsek.core.steps import Array
from sparsek.inputs.containers import unmasked


def check_groups(groups: ArrayLike, p: int) -> Array:
    """Group labels of the features as an array of numbers or strings that can be sorted."""
    names = np.asarray(unmasked(groups, "groups"))
    if names.shape != (p,):
        raise ValueError(f"groups must have shape ({p},), one label per feature; got shape {names.shape}")
    if names.dtype.kind == "O" and all(isinstance(name, str) for name in names):
        names = names.astype(str)
    if names.dtype.kind not in "biufUS":
        raise TypeError(f"groups must hold integers or strings; got dtype {names.dtype}")
    if names.dtype.kind == "f" and not np.isfinite(names).all():
        raise ValueError("groups contains NaN or infinity; give every feature a group")
    return names
