"""Python calls of base, made as in ``calls.R``."""

from typing import Any

import numpy as np
import pandas as pd

from sparsek import rcompat
from sparsek.bits.lapack.reflectors import ordered_product
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


def _sum(x: Any, more: Any = None, **args: Any) -> float:
    """The sum of x and of more numbers."""
    return rcompat.sum(x, **args) if more is None else rcompat.sum(x, *np.ravel(more), more, **args)


WORDS = ("setosa", "versicolor", "b", "A", "long name", "", "Zo\u00eb")
"""Words that stand for the numbers from 1."""


def _words(labels: np.ndarray) -> list[str | None]:
    """Words in place of numbers."""
    return [None if np.isnan(v) else WORDS[int(v) - 1] for v in labels]


def _table(
    first: np.ndarray, second: np.ndarray | None = None, words: str = "none", **args: Any
) -> dict[str, Any]:
    """The counts of labels and what is printed of them."""
    vectors: list[Any] = [first] if second is None else [first, second]
    for place, name in enumerate(("first", "second")[: len(vectors)]):
        if words in (name, "both"):
            vectors[place] = _words(vectors[place])
    if words == "truth":
        vectors[0] = [None if np.isnan(v) else bool(v > 1) for v in first]
    elif words == "levels":
        vectors[0] = pd.Series(pd.Categorical(first, categories=[7, 6, 5, 4, 3, 2, 1]))
    elif words == "integers":
        vectors[0] = pd.Series(first, dtype="Int64")
    counts = rcompat.table(*vectors, **args)
    return {"value": np.asarray(counts), "printed": np.array([ord(c) for c in str(counts)])}


def _eigen(x: np.ndarray, of: str | None = None, **args: Any) -> Any:
    """The eigenvectors of x, or of the covariances or products of its columns."""
    products = {"var": rcompat.var, "crossprod": lambda z: ordered_product(z.T, z)}
    return rcompat.eigen(x if of is None else products[of](x), **args)


CALLS = {"RNGkind": _rngkind, "eigen": _eigen, "scale": _scale, "sum": _sum, "table": _table}
"""Calls, by the name of the R function."""
