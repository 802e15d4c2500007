"""The same data in every container that people have them in, and things that are no data at all."""

import importlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from validation.fuzz.values import Matrix, Random

FOLDER = tempfile.TemporaryDirectory(prefix="sparsek-fuzz-")
"""Files of this process; removed at its end."""


@dataclass(frozen=True, slots=True)
class Held:
    """Data in a container."""

    X: Any  # What is passed
    plain: Any  # The same values, or numbers of levels, as an array in C order; None if there are none
    refuse: str = ""  # Why a result is wrong, for categories of what takes none; empty where X may be taken


def _array(change: Callable[[Matrix], Any]) -> Callable[[Matrix, Random], Held]:
    """An array of another layout or type; the plain one has its values in double precision."""

    def make(X: Matrix, r: Random) -> Held:
        with np.errstate(all="ignore"):
            changed = change(X)
            return Held(changed, np.ascontiguousarray(changed, dtype=np.float64))

    return make


def _same(change: Callable[[Matrix], Any]) -> Callable[[Matrix, Random], Held]:
    """A container of the same values."""
    return lambda X, r: Held(change(X), X)


def _refused(change: Callable[[Matrix], Any], why: str) -> Callable[[Matrix, Random], Held]:
    """Something from which no data can be read."""
    return lambda X, r: Held(change(X), None, why)


def _strided(X: Matrix) -> Matrix:
    """Every second cell of a larger array."""
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]))
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _read_only(X: Matrix) -> Matrix:
    X = X.copy()
    X.flags.writeable = False
    return X


def _float32(X: Matrix, r: Random) -> Held:
    with np.errstate(all="ignore"):
        return Held(X.astype(np.float32), X.astype(np.float32))


def _small(X: Matrix) -> Matrix:
    """Values that fit into eight bits."""
    return np.clip(np.nan_to_num(X), -12, 12) * 10


def _frame(X: Matrix) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"v{j}" for j in range(X.shape[1])])


def _with_column(column: Callable[[int], Any]) -> Callable[[Matrix], pd.DataFrame]:
    """A frame whose last column holds something else."""
    return lambda X: _frame(X).assign(other=column(len(X)))


def _with_levels(column: Callable[[int], Any]) -> Callable[[Matrix, Random], Held]:
    """A frame whose last column has levels."""

    def make(X: Matrix, r: Random) -> Held:
        codes = pd.factorize(np.asarray(column(len(X)), dtype=object))[0]
        return Held(_with_column(column)(X), np.column_stack([X, codes]), "categories")

    return make


def _answers(X: Matrix, r: Random) -> Held:
    """A frame of which some columns are categories, ordered ones and texts, missing where X is."""
    found, plain = _frame(X), X.copy()
    for j, name in enumerate(found.columns):
        kind = str(r.choice(["number", "category", "ordered", "text"]))
        if kind == "number":
            continue
        codes = np.where(np.isnan(X[:, j]), -1, np.abs(np.nan_to_num(X[:, j])) % 4).astype(int)
        found[name] = pd.Categorical.from_codes(codes, list("abcd"), ordered=kind == "ordered")
        if kind == "text":
            found[name] = found[name].astype(object)
        plain[:, j] = np.where(codes < 0, np.nan, codes)
    levels = any(str(dtype) in ("category", "object") for dtype in found.dtypes)
    return Held(found, plain, "categories" if levels else "")


def _masked(X: Matrix, r: Random) -> Held:
    mask = r.random(X.shape) < r.choice([0.0, 0.1])
    return Held(np.ma.MaskedArray(X, mask), np.where(mask, np.nan, X))


def _nullable(X: Matrix, r: Random) -> Held:
    return Held(_frame(X).convert_dtypes(), X + 0.0)  # whole numbers have one zero


def _polars(X: Matrix) -> Any:
    return importlib.import_module("polars").DataFrame(dict(_frame(X)))


def _arrow(X: Matrix) -> Any:
    return importlib.import_module("pyarrow").table(dict(_frame(X)))


def _batch(X: Matrix) -> Any:
    return _arrow(X).combine_chunks().to_batches()[0] if X.size else _arrow(X)


def _name_twice(X: Matrix) -> Any:
    """An Arrow table whose first and last columns have the same name."""
    table = _arrow(X)
    return table.rename_columns([*table.column_names[:-1], *table.column_names[:1]])


def _parquet(X: Matrix) -> Path:
    """The path of a Parquet file of its own."""
    with tempfile.NamedTemporaryFile(dir=FOLDER.name, suffix=".parquet", delete=False) as file:
        _frame(X).to_parquet(file.name)
    return Path(file.name)


def _none_for_nan(X: Matrix) -> Any:
    return np.where(np.isnan(X), None, X.astype(object))


def _sparse(form: str) -> Callable[[Matrix, Random], Held]:
    def make(X: Matrix, r: Random) -> Held:
        thin = np.where(r.random(X.shape) < 0.4, 0.0, X)
        return Held(getattr(sp, form)(thin), thin)

    return make


def _stored(X: Matrix, as_map: bool) -> Any:
    """The path of an .npy file of its own, or a memory map of it."""
    with tempfile.NamedTemporaryFile(dir=FOLDER.name, suffix=".npy", delete=False) as file:
        np.save(file, X)
    return np.load(file.name, mmap_mode="r") if as_map else Path(file.name)


MAKERS: dict[str, tuple[float, Callable[[Matrix, Random], Held]]] = {
    "array": (30, _same(lambda X: X)),
    "Fortran order": (2, _array(np.asfortranarray)),
    "strided": (2, _array(_strided)),
    "reversed": (1, _array(lambda X: X[::-1, ::-1])),
    "read-only": (2, _array(_read_only)),
    "big-endian": (1, _array(lambda X: X.astype(">f8"))),
    "float16": (1, _array(lambda X: X.astype(np.float16))),
    "float32": (3, _float32),
    "long double": (1, _array(lambda X: X.astype(np.longdouble))),
    "int8": (1, _array(lambda X: _small(X).astype(np.int8))),
    "uint64": (0.5, _array(lambda X: np.abs(_small(X)).astype(np.uint64))),
    "bool": (1, _array(lambda X: np.nan_to_num(X) > 0)),
    "objects": (1, _same(lambda X: X.astype(object))),
    "objects with None": (1, _same(_none_for_nan)),
    "lists": (2, _same(lambda X: X.tolist())),
    "tuples": (0.5, _same(lambda X: tuple(map(tuple, X.tolist())))),
    "list of arrays": (0.5, _same(list)),
    "frame": (4, _same(_frame)),
    "nullable frame": (1, _nullable),
    "polars frame": (1, _same(_polars)),
    "arrow table": (0.3, _same(_arrow)),
    "record batch": (0.3, _same(_batch)),
    "Arrow table, a name twice": (0.3, _same(_name_twice)),
    "lazy frame": (0.3, _refused(lambda X: _polars(X).lazy(), "a table that is not read")),
    "sparse frame": (1, _same(lambda X: _frame(X).astype(pd.SparseDtype(float, np.nan)))),
    "masked": (2, _masked),
    "csr": (2, _sparse("csr_array")),
    "csc": (1, _sparse("csc_matrix")),
    "coo": (1, _sparse("coo_array")),
    "memory map": (0.5, _same(lambda X: _stored(X, True))),
    "path": (0.5, _same(lambda X: _stored(X, False))),
    "Parquet": (0.5, _same(_parquet)),
    "texts of numbers": (0.5, _same(lambda X: X.astype(str))),
    "texts": (0.5, _refused(lambda X: np.full(X.shape, "a"), "texts")),
    "column of texts": (0.5, _with_levels(lambda n: ["a"] * n)),
    "categories": (0.5, _with_levels(lambda n: pd.Categorical(["u", "v"] * n)[:n])),
    "answers": (1.5, _answers),
    "dates": (1, _refused(_with_column(lambda n: pd.date_range("2020", periods=n)), "a column of dates")),
    "durations": (
        0.5,
        _refused(_with_column(lambda n: pd.to_timedelta(range(n), "D")), "a column of durations"),
    ),
    "array of dates": (
        0.5,
        _refused(lambda X: np.nan_to_num(_small(X)).astype("datetime64[D]"), "an array of dates"),
    ),
    "complex": (0.5, _refused(lambda X: X + 1j, "complex numbers")),
    "np.matrix": (0.5, _same(lambda X: X.view(np.matrix))),
    "structured": (0.3, _refused(lambda X: np.zeros(len(X), [("a", float)]), "a structured array")),
    "generator": (0.3, _refused(lambda X: (row for row in X), "a generator")),
    "nothing": (0.3, _refused(lambda X: None, "None")),
    "text": (0.3, _refused(lambda X: "data", "a text")),
    "number": (0.3, _refused(lambda X: np.float64(1), "a number")),
    "dict": (0.3, _refused(lambda X: {"a": X.tolist()}, "a dict")),
    "vector": (0.5, _refused(lambda X: np.zeros(5), "a vector")),
    "cube": (0.5, _refused(lambda X: np.zeros((*X.shape, 2)), "three dimensions")),
    "ragged lists": (0.3, _refused(lambda X: [[1.0], *X.tolist(), [1.0, 2.0]], "ragged lists")),
    "empty list": (0.3, _refused(lambda X: [], "an empty list")),
}
"""Weight and maker of each container."""
CATEGORIES = ("column of texts", "categories", "answers")
"""Containers whose columns may be categories."""


def draw(X: Matrix, r: Random) -> tuple[str, Held]:
    """A container and the data in it."""
    weights = np.array([weight for weight, _ in MAKERS.values()])
    name = str(r.choice(list(MAKERS), p=weights / weights.sum()))
    return name, MAKERS[name][1](X, r)
