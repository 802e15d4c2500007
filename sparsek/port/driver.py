"""Runs a Python script statement by statement and writes what `sparsek.port.recording` reads, as driver.R.

A line of JSON is written for each statement, state of the random stream, check and object.
"""

from __future__ import annotations
import __future__

import ast
import io
import json
import re
import sys
import tokenize
import types
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from sparsek.errors import BlasDependentWarning
from sparsek.inputs.containers import counts_only
from sparsek.port.positions import loop_variables, positions
from sparsek.port.recording import CHECK, NAMES, common
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.expressions import Call
from sparsek.rcompat.base.factors import as_factor
from sparsek.rcompat.stats.dendrogram.dendrograms import Dendrogram
from sparsek.rng import RRandom, current_stream

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
"""All bits that say what code has imported from ``__future__``."""


_Scalar = str | bool | int | float | np.number | np.bool_
"""One number, truth value or text."""


class _Writer:
    """Writes the lines of a recording, each at once."""

    def __init__(self, stream: TextIO, wanted: set[str]) -> None:
        self.stream = stream
        self.wanted = wanted
        self.seeded = False
        self.free_signs = False
        seed = RRandom.seed

        def noted(*arguments: Any, **named: Any) -> None:
            """Start a stream from a seed, as before, and note that."""
            self.seeded = True
            seed(*arguments, **named)

        RRandom.seed = noted  # type: ignore[method-assign]
        show = warnings.showwarning

        def shown(message: Any, category: Any, *place: Any, **named: Any) -> None:
            """Show a warning, as before, and note those about signs that rest on R's BLAS."""
            self.free_signs |= issubclass(category, BlasDependentWarning)
            show(message, category, *place, **named)

        warnings.showwarning = shown

    def emit(self, kind: str, **members: Any) -> None:
        """Write a line."""
        self.stream.write(json.dumps({"kind": kind, **members}) + "\n")
        self.stream.flush()

    def state(self) -> None:
        """Write number, first and sums of the words of the generator; None before the first draw."""
        stream = current_stream()
        value = None
        if stream is not None:
            words = stream.random_seed.astype(np.int64)
            numbers = (words.size, words[0], words.sum(), (words * np.arange(1, words.size + 1)).sum())
            value = " ".join(str(int(number)) for number in numbers)
        self.emit("state", value=value, seeded=self.seeded)
        self.seeded = False

    def objects(self, check: str, line: int, names: Mapping[str, Any]) -> None:
        """Write a check and the objects that exist there."""
        self.emit("check", name=check, line=line)
        for name, value in names.items():
            if not name.startswith("_") and (not self.wanted or common(name) in self.wanted):
                self.emit("object", name=name)
                self.fields(value, "")

    def fields(self, value: Any, path: str) -> None:
        """Write the numbers and texts of an object; modules, functions, estimators and the like have none."""
        names = _names(value)
        if isinstance(value, pd.DataFrame):
            plain = value.shape[1] and all(map(_is_plain, value.dtypes))
            value = value.to_numpy(dtype=float, na_value=np.nan) if plain else dict(value.items())
        if isinstance(value, Dendrogram):
            value = list(value) or np.asarray(value)
        if isinstance(value, Mapping):
            for name, part in value.items():
                self.fields(part, f"{path}${name}")
        elif isinstance(value, list | tuple) and not _is_vector(value):
            for number, part in enumerate(value, start=1):
                self.fields(part, f"{path}[[{number}]]")
        else:
            self.vector(value, path)
            for kind, entries in names.items():
                self.emit("texts", field=f"{path}{kind}", values=entries)

    def vector(self, value: Any, path: str) -> None:
        """Write an array, a column or a single value."""
        if isinstance(value, pd.Series | pd.Index | pd.Categorical):
            value = _column(value)
        if isinstance(value, Call) or not isinstance(value, np.ndarray | list | tuple | _Scalar):
            return
        array = np.atleast_1d(np.asarray(value))
        if array.size and array.dtype.kind in "biuf":
            numbers = " ".join(map(float.hex, array.astype(float).ravel(order="F").tolist()))
            self.emit("numbers", field=path, dim=list(array.shape), values=numbers)
        elif array.size and array.dtype.kind in "UO" and all(isinstance(part, str) for part in array.flat):
            self.emit("texts", field=path, values=[str(part) for part in array.ravel(order="F")])


def _names(value: Any) -> dict[str, list[str]]:
    """The names that a vector or a matrix carries, by what they are the names of."""
    if isinstance(value, RArray):
        found: Any = value._names()
    elif isinstance(value, pd.Series | pd.DataFrame):
        index, columns = value.index, getattr(value, "columns", None)
        rows = None if counts_only(index) else index
        found = rows if columns is None else (rows, columns)
    else:
        return {}
    pairs = zip(NAMES[1:], found, strict=True) if isinstance(found, tuple) else [(NAMES[0], found)]
    return {kind: [str(entry) for entry in entries] for kind, entries in pairs if entries is not None}


def _is_vector(values: list[Any] | tuple[Any, ...]) -> bool:
    """Whether the entries of a list are single values, all texts or all numbers."""
    kinds = {isinstance(value, str) for value in values}
    return len(kinds) < 2 and all(map(_is_scalar, values))


def _is_scalar(value: Any) -> bool:
    """Whether a value is one number, truth value or text."""
    return isinstance(value, _Scalar)


def _is_plain(dtype: Any) -> bool:
    """Whether a column has numbers or truth values."""
    numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    return bool(numeric or pd.api.types.is_bool_dtype(dtype))


def _column(column: Any) -> Any:
    """A column as numbers, NaN where missing, or as texts, "NA" where missing, as R's are written."""
    if str(column.dtype) == "category":
        factor = as_factor(column, "column")
        return np.array([factor.levels[code] if code >= 0 else "NA" for code in factor.codes])
    if _is_plain(column.dtype):
        return pd.Series(column).to_numpy(dtype=float, na_value=np.nan)
    return np.array(
        ["NA" if missing else part for part, missing in zip(column, pd.isna(column), strict=True)]
    )


def _checks(source: str) -> list[tuple[int, str]]:
    """Lines and names of the comments ``# check: name``."""
    comments = [
        t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.COMMENT
    ]
    found = [(comment.start[0], re.match(CHECK, comment.string)) for comment in comments]
    return [(line, match[1]) for line, match in found if match]


def record(script: Path, writer: _Writer) -> None:
    """Run a script."""
    module = types.ModuleType("__main__")
    module.__file__ = str(script)
    sys.modules["__main__"] = module  # where the script's own functions are looked up when they are pickled
    sys.path.insert(0, str(script.resolve().parent))
    sys.argv = [str(script)]
    source = script.read_text(encoding="utf-8-sig")
    tree = ast.parse(source, str(script))
    checks = _checks(source)
    future = 0  # what the script has imported from __future__ so far
    writer.state()
    for node in tree.body:
        line = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        while checks and checks[0][0] < line:
            place, name = checks.pop(0)
            writer.objects(name, place, vars(module))
        text = "\n".join(source.splitlines()[line - 1 : node.end_lineno])
        writer.emit("statement", line=line, text=text)
        code = compile(ast.Module([node], []), str(script), "exec", future, dont_inherit=True)
        future |= code.co_flags & FUTURE
        exec(code, vars(module))
        writer.state()
    for place, name in checks:
        writer.objects(name, place, vars(module))
    writer.objects("", 0, vars(module))
    writer.emit("script", loops=loop_variables(tree), positions=positions(tree), free_signs=writer.free_signs)


def main(script: str, output: str, *wanted: str) -> None:
    """Run a script and write its recording."""
    with open(output, "a", encoding="utf-8") as stream:
        writer = _Writer(stream, {common(name) for name in wanted})
        try:
            record(Path(script), writer)
        except Exception as error:  # whatever the script raises is its message
            writer.emit("error", message=f"{type(error).__name__}: {error}")
