"""Python calls of base, made as in ``calls.R``."""

from typing import Any

import numpy as np

from sparsek import rcompat
from sparsek.rng import RRandom


def _scale(x: np.ndarray, **args: Any) -> dict[str, Any]:
    """The scaled matrix and its attributes."""
    z = rcompat.scale(x, **args)
    return {"value": z, **{name: z.attributes.get(f"scaled:{name}") for name in ("center", "scale")}}


def _rngkind(
    *data: Any,
    rng: RRandom,
    kind: Any = None,
    normal_kind: Any = None,
    sample_kind: Any = None,
    then_seed: float | None = None,
    then: str | None = None,
    **args: Any,
) -> dict[str, Any]:
    """Choose kinds, seed, and make a call that draws; the state before that call."""
    rcompat.RNGkind(kind, normal_kind, sample_kind, rng=rng)
    if then_seed is not None:
        rng.seed(then_seed)
    head = rng.random_seed[1:7].astype(float)
    call = None if then is None else getattr(rcompat, then.replace(".", "_"))
    return {"head": head, "drawn": None if call is None else call(*data, **args, rng=rng)}


CALLS = {"RNGkind": _rngkind, "scale": _scale}
"""Calls, by the name of the R function."""
