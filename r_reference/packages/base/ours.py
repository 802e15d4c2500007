"""Python calls for the kinds of generators, as in ``calls.R``."""

from typing import Any

from sparsek import rcompat
from sparsek.rng import RRandom


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


CALLS = {"RNGkind": _rngkind}
"""Calls, by the name of the R function."""
