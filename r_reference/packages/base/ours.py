"""Python calls of base, made as in ``calls.R``."""

import contextlib
import io
from collections.abc import Callable
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


LEVELS = ("one", "two", "three", "a longer word", "b")


def value_of_kind(x: np.ndarray, kind: str) -> Any:
    """A value of a kind made of the data."""
    v = np.ravel(x, order="F")
    known = ~np.isnan(v)
    whole = [
        float(np.floor(n) % 5 if abs(n) < 1e9 else 0) if k else None for n, k in zip(v, known, strict=True)
    ]
    words = np.array([None if n is None else LEVELS[int(n)] for n in whole], dtype=object)
    truth = np.array([bool(n > 0) if k else None for n, k in zip(v, known, strict=True)], dtype=object)
    rows, columns = (
        [f"{name}{i + 1}" for i in range(m)] for name, m in zip(("row", "c"), x.shape, strict=True)
    )
    named = rcompat.RArray(x, dimnames=(rows, columns))
    levels = sorted({word for word in words if word})
    n = len(x)
    mixed = {
        "n": x[:, 0],
        "w": words[:n],
        "f": pd.Categorical(words[:n], sorted({word for word in words[:n] if word})),
        "b": pd.array(truth[:n], dtype="boolean"),
    }
    makers: dict[str, Any] = {
        "plain": lambda: v,
        "named": lambda: pd.Series(v, [f"v{i + 1}" for i in range(len(v))]),
        "logical": lambda: truth,
        "texts": lambda: words,
        "factor": lambda: pd.Categorical(words, levels),
        "ordered": lambda: pd.Categorical(whole, [0.0, 1.0, 2.0, 3.0, 4.0], ordered=True),
        "integers": lambda: pd.Series(whole, dtype="Int64"),
        "matrix": lambda: x,
        "dimnamed": lambda: named,
        "frame": lambda: pd.DataFrame(x, columns=columns),
        "rows": lambda: pd.DataFrame(x, rows, columns),
        "mixed": lambda: pd.DataFrame(mixed),
        "list": lambda: {"a": v, "b": [words, np.array(whole[:1], dtype=float)], "c": None},
        "words": lambda: words.reshape(x.shape, order="F"),
        "dist": lambda: rcompat.dist(x),
        "minkowski": lambda: rcompat.dist(x, p=3, method="minkowski"),
        "tree": lambda: rcompat.hclust(rcompat.dist(x), "average"),
        "named.dist": lambda: {
            "d": rcompat.dist(named, "man", upper=True, diag=True),
            "half": rcompat.dist(named) / 2,
        },
        "as.dist": lambda: rcompat.as_dist(rcompat.as_matrix(rcompat.dist(x)), upper=True),
        "cophenetic": lambda: rcompat.cophenetic(rcompat.hclust(rcompat.dist(x))),
        "cophenetic.tree": lambda: rcompat.cophenetic(rcompat.as_dendrogram(rcompat.hclust(rcompat.dist(x)))),
    }
    return makers[kind]()


def printed(value: Any, **args: Any) -> np.ndarray:
    """What is printed of a value."""
    return _written(lambda: rcompat.print(value, **args))


def _written(printing: Callable[[], Any]) -> np.ndarray:
    """What a call prints."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        printing()
    return np.array([ord(c) for c in text.getvalue().removesuffix("\n")])


def _summary(x: np.ndarray, kind: str) -> dict[str, Any]:
    """The numbers of a summary, and what is printed of it."""
    found = rcompat.summary(value_of_kind(x, kind))
    numbers = np.asarray(found) if np.asarray(found).dtype.kind in "if" else None
    return {"value": numbers, "printed": printed(found)}


def _prop_table(x: Any = None, first: Any = None, second: Any = None, **args: Any) -> Any:
    """Shares of x, or of a table of two vectors with what is printed of it."""
    if first is None:
        return rcompat.prop_table(x, **args)
    shares = rcompat.prop_table(rcompat.table(*[first, second]), **args)
    return {"value": np.asarray(shares), "printed": printed(shares)}


def _eigen(x: np.ndarray, of: str | None = None, **args: Any) -> Any:
    """The eigenvectors of x, or of the covariances or products of its columns."""
    products = {"var": rcompat.var, "crossprod": lambda z: ordered_product(z.T, z)}
    return rcompat.eigen(x if of is None else products[of](x), **args)


OWN: dict[Any, Any] = {"large": lambda v: v[v > 0], "none": lambda v: None}
"""Functions of the cases by name."""


def _shown(value: Any) -> dict[str, Any]:
    """A result and what is printed of it."""
    listed = isinstance(value, list | dict)
    entries = list(value.values()) if isinstance(value, dict) else value
    empty = value is None or not len(value)
    return {"value": entries if listed else value, "printed": None if empty else printed(value)}


def as_named(x: np.ndarray, named: str) -> Any:
    """The data with names, or in another form."""
    if named == "vector":
        return x[:, 0]
    rows = [f"row{i + 1}" for i in range(len(x))] if named in ("rows", "both") else None
    columns = [f"c{j + 1}" for j in range(x.shape[1])] if named in ("columns", "both", "frame") else None
    if named == "frame":
        return pd.DataFrame(x, columns=columns)
    return rcompat.RArray(x, dimnames=(rows, columns)) if rows or columns else x


def _apply(x: np.ndarray, FUN: Any, named: str, **args: Any) -> dict[str, Any]:
    """The results by rows, columns or numbers."""
    return _shown(rcompat.apply(as_named(x, named), args.pop("MARGIN"), OWN.get(FUN, FUN), **args))


def _tapply(
    x: np.ndarray,
    first: Any,
    second: Any = None,
    words: str = "none",
    list: str = "vector",
    FUN: Any = None,
    **args: Any,
) -> dict[str, Any]:
    """The results by labels."""
    if words == "first":
        first = _words(first)
    if words == "levels":
        first = pd.Series(pd.Categorical(first, categories=[6, 5, 4, 3, 2, 1]))
    index: Any = [first] if second is None else [first, second]
    if list == "named":
        index = dict(zip(("first", "second"), index, strict=False))
    index = {"vector": first, "empty": []}.get(list, index)
    return _shown(rcompat.tapply(x[:, 0], index, OWN.get(FUN, FUN), **args))


def _as_matrix(x: np.ndarray, form: str) -> dict[str, Any]:
    """A value of a form as a matrix."""
    made = {
        "dist": lambda: rcompat.dist(x),
        "named dist": lambda: rcompat.dist(as_named(x, "rows")),
        "frame": lambda: as_named(x, "frame"),
        "matrix": lambda: x,
        "vector": lambda: pd.Series(x[:, 0], [f"v{i + 1}" for i in range(len(x))]),
    }[form]()
    return _shown(rcompat.as_matrix(made))


CALLS = {
    "apply": _apply,
    "as.matrix": _as_matrix,
    "tapply": _tapply,
    "RNGkind": _rngkind,
    "eigen": _eigen,
    "prop.table": _prop_table,
    "print": lambda x, kind, **args: printed(value_of_kind(x, kind), **args),
    "scale": _scale,
    "sum": _sum,
    "str": lambda x, kind: _written(lambda: rcompat.str(value_of_kind(x, kind))),
    "summary": _summary,
    "table": _table,
}
"""Calls, by the name of the R function."""
