"""Python calls of base, made as in ``calls.R``."""

from typing import Any

import numpy as np

from sparsek import rcompat


def _scale(x: np.ndarray, **args: Any) -> dict[str, Any]:
    """The scaled matrix and its attributes."""
    z = rcompat.scale(x, **args)
    return {"value": z, **{name: z.attributes.get(f"scaled:{name}") for name in ("center", "scale")}}


CALLS = {"scale": _scale}
"""Calls, by the name of the R function."""
