"""Input data of the cases, computed with the operations of ``recipes.R``, so that all bits agree."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsek.rng import RRandom

FloatArray = NDArray[np.float64]

FOLDER = Path(__file__).parent
NA = float(np.array(0x7FF80000000007A2, dtype=np.uint64).view(np.float64))
"""R's NA: a NaN with 1954 in its low word, by which R distinguishes it from other NaN."""


@cache
def load_table() -> dict[str, Any]:
    """The case table ``cases.json``: its ``datasets`` and ``cases``."""
    return json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))


@cache
def _read_numbers(file: str) -> FloatArray:
    """A csv file of numbers with one header line."""
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()[1:]
    return np.array([[float(cell) for cell in line.split(",")] for line in lines])


def _base_matrix(recipe: dict[str, Any]) -> FloatArray:
    """The matrix that a recipe starts from: literal rows, a data set, or draws filled in column by column."""
    if "rows" in recipe:
        return np.array([decode_numbers(row) for row in recipe["rows"]])
    if "dataset" in recipe:
        dataset = load_table()["datasets"][recipe["dataset"]]
        x = _read_numbers(dataset["file"]).copy()
        return (x - np.array(dataset["center"])) / np.array(dataset["scale"]) if recipe.get("scaled") else x
    rng, size = RRandom(recipe["seed"]), recipe["n"] * recipe["p"]
    draws = {
        "normal": lambda: rng.rnorm(size),
        "uniform": lambda: rng.runif(size),
        "integer": lambda: rng.sample_int(recipe["levels"], size, replace=True),
    }[recipe["draw"]]()
    return np.array(draws, dtype=float).reshape(recipe["n"], recipe["p"], order="F")


def _apply_step(x: FloatArray, step: list[Any]) -> FloatArray:
    """One step of a recipe applied to x; row and column numbers count from 1 as in R."""
    name, a = step[0], decode_numbers(step[1:])
    n, first = len(x), a[0]
    if name == "clusters":
        x = x.copy()
        x[:, : int(a[2])] += (a[1] * (np.arange(n) % int(first)))[:, None]
    elif name == "add":
        x = x + first
    elif name == "multiply":
        x = x * first
    elif name == "round":
        x = np.floor(x * first) / first
    elif name == "duplicate":
        x = x[np.arange(n) % int(first)]
    elif name == "set":
        x = x.copy()
        x[int(first) - 1, int(a[1]) - 1] = a[2]
    elif name == "constant":
        x = x.copy()
        x[:, int(first) - 1] = a[1]
    elif name == "missing":
        positions = np.array(RRandom(int(first)).sample_int(x.size, int(a[1]))) - 1
        x = x.copy(order="F")
        x.ravel(order="K")[positions] = np.nan
    elif name == "every":
        x = x[:: int(first)]
    elif name == "columns":
        x = x[:, : int(first)]
    else:
        raise ValueError(f"unknown step {name!r} in a data recipe; see recipes.py for those there are")
    return x


def make_data(recipe: dict[str, Any] | None) -> FloatArray | None:
    """The input matrix of a recipe, C-ordered.

    Shapes: returns (n, p).
    """
    if recipe is None:
        return None
    x = _base_matrix(recipe)
    for step in recipe.get("steps", []):
        x = _apply_step(x, step)
    return np.ascontiguousarray(x)


def matrix_sha256(x: FloatArray) -> str:
    """SHA-256 of a matrix as little-endian doubles, row by row."""
    return hashlib.sha256(np.ascontiguousarray(x, dtype="<f8").tobytes()).hexdigest()


def decode_numbers(values: list[Any]) -> FloatArray:
    """JSON numbers, with NA, NaN and the infinities written as strings, as a double vector."""
    return np.array([NA if v == "NA" else float(v) for v in values])


def decode_argument(value: Any, x: FloatArray | None) -> Any:
    """One argument of a case: rows of x, a matrix, a vector, a number, a logical or a name."""
    if isinstance(value, dict) and "rows_of_x" in value:
        assert x is not None
        return x[[int(row) - 1 for row in value["rows_of_x"]]]
    if isinstance(value, dict):
        return np.array([decode_numbers(row) for row in value["matrix"]])
    if isinstance(value, list):
        return decode_numbers(value)
    if isinstance(value, str) and value in ("NA", "NaN", "Inf", "-Inf"):
        return decode_numbers([value])[0]
    return value


def decode_args(case: dict[str, Any], x: FloatArray | None) -> dict[str, Any]:
    """The arguments of a case by R's names, the data first."""
    args = {name: decode_argument(value, x) for name, value in case["args"].items()}
    return args if x is None else {"x": x, **args}
