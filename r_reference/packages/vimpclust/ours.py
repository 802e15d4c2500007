"""Python calls of vimpclust, made as in ``calls.R``."""

from typing import Any

import numpy as np
import pandas as pd

from sparsek import rcompat
from sparsek.rng import RRandom


def _characters(names: Any) -> np.ndarray | None:
    """Names as numbers of characters."""
    return None if names is None else np.array([*map(ord, " ".join(names))])


def _numbers_of(fit: Any, what: str, which: Any) -> dict[str, Any]:
    """The numbers of a fit, names, and what its pictures draw."""
    parts = fit.get("Wm", fit.get("Wg"))
    rows, penalties = parts.attributes["dimnames"]
    shown = [fit.path(what, which), *(fit.path(name) for name in ("expl.var", "w.expl.var", "pen.crit"))]
    return {
        **{name: np.asarray(field) for name, field in fit.items() if name != "type"},
        "features": _characters(fit["W"].attributes["dimnames"][0]),
        "parts": _characters(rows),
        "penalties": _characters(penalties),
        "drawn": np.concatenate([np.ravel(path) for path in shown]).astype(float),
    }


def _columns_of(x: np.ndarray, kinds: str | None) -> Any:
    """A frame of numbers, whole numbers, categories, ordered ones, truth values and texts."""
    numeric = isinstance(x, np.ndarray) and x.dtype.kind in "biuf"
    if kinds is None or not numeric or x.shape[1:] != (len(kinds),):
        return x
    columns: dict[str, Any] = {}
    for j, (v, kind) in enumerate(zip(x.T, kinds, strict=True)):
        known = np.isfinite(v)
        whole = np.floor(np.clip(v, -(2.0**53), 2.0**53))
        text = [["a", "b", "c"][int(np.floor(n) % 3)] if k else None for n, k in zip(v, known, strict=True)]
        columns[f"v{j + 1}"] = {
            "n": lambda v=v: v,
            "i": lambda whole=whole, known=known: pd.array(
                [int(n) if k else None for n, k in zip(whole, known, strict=True)], dtype="Int64"
            ),
            "f": lambda text=text: pd.Categorical(text, ["c", "a", "b", "z"]),
            "o": lambda text=text: pd.Categorical(text, ordered=True),
            "l": lambda v=v, known=known: pd.array(
                [bool(n > 0) if k else None for n, k in zip(v, known, strict=True)], dtype="boolean"
            ),
            "t": lambda text=text: text,
        }[kind]()
    return pd.DataFrame(columns)


def _groupsparsewkm(
    x: np.ndarray, what: str = "weights.features", Which: Any = None, *, rng: RRandom, **args: Any
) -> dict[str, Any]:
    """A fit of columns with names; what is no plain matrix is passed as it is."""
    plain = type(x) is np.ndarray and x.ndim == 2
    frame = pd.DataFrame(x, columns=[f"v{j + 1}" for j in range(x.shape[1])]) if plain else x
    return _numbers_of(rcompat.groupsparsewkm(frame, **args, rng=rng), what, Which)


def _sparsewkm(
    x: np.ndarray,
    kinds: str | None = None,
    what: str = "weights.features",
    Which: Any = None,
    *,
    rng: RRandom,
    **args: Any,
) -> dict[str, Any]:
    """A fit of mixed columns."""
    return _numbers_of(rcompat.sparsewkm(_columns_of(x, kinds), **args, rng=rng), what, Which)


def _groupsoft(x: np.ndarray, **args: Any) -> np.ndarray:
    """The entries of x, column by column."""
    return rcompat.groupsoft(x.ravel("F") if isinstance(x, np.ndarray) else x, **args)


def _weightedss(x: np.ndarray, groups: float | None = None, cl: Any = None, **args: Any) -> dict[str, Any]:
    """Sums of squares of the given clusters, or of so many."""
    if cl is None:
        size = len(x) if isinstance(x, list | tuple) else (*getattr(x, "shape", ()), 0)[0]
        rows = np.arange(1, size + 1)
        cl = 1 + (rows * 7 + rows // 3) % groups
    found = rcompat.weightedss(x, cl, **args)
    return {**found, "names": _characters(found["bss.per.cluster"].attributes["names"])}


def _recodmix(x: np.ndarray, kinds: str | None = None, **args: Any) -> dict[str, Any]:
    """The recoded columns."""
    found = rcompat.recodmix(_columns_of(x, kinds), **args)
    known = found["Z"].attributes
    levels = [level for _, column in found["X"].items() if column.dtype == "category"
              for level in column.cat.categories]  # fmt: skip
    return {
        "Z": np.asarray(found["Z"]),
        "index": found["index"],
        "columns": _characters(found["X"].columns),
        "names": _characters(known["dimnames"][1]),
        "center": known.get("scaled:center"),
        "scale": known.get("scaled:scale"),
        "levels": _characters(levels) if levels else None,
    }


def _info_clust(
    x: np.ndarray,
    which_lambda: Any,
    kinds: str | None = None,
    other: str | None = None,
    mixed: bool = True,
    *,
    rng: RRandom,
    **args: Any,
) -> dict[str, Any]:
    """Means and shares in the clusters of a fit."""
    frame = _columns_of(x, kinds)
    fit = (rcompat.sparsewkm if mixed else rcompat.groupsparsewkm)(frame, **args, rng=rng)
    found = rcompat.info_clust(fit, which_lambda, _columns_of(x, other or kinds))
    means, shares = found["mean.by.clust"], found["freq.by.clust"]
    rows, columns = next(iter(shares.values())).attributes["dimnames"]
    return {
        "means": np.concatenate([np.ravel(part, "F") for part in means.values()]),
        "shares": np.concatenate([np.ravel(part, "F") for part in shares.values()]),
        "lambda": found["lambda"],
        "names": _characters([*means, *rows, *columns]),
        "numbers": _characters(next(iter(means.values())).attributes["dimnames"][0]),
    }


CALLS = {
    "groupsparsewkm": _groupsparsewkm,
    "sparsewkm": _sparsewkm,
    "groupsoft": _groupsoft,
    "weightedss": _weightedss,
    "recodmix": _recodmix,
    "info_clust": _info_clust,
}
"""Calls, by the name of the R function."""
