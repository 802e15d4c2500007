"""The R script of these tests, what R did with it, and its port."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from sparsek.port.recording import Recording, Statement, read_recording

FOLDER = Path(__file__).parent
R_SCRIPT = FOLDER / "analysis.R"
PORT = '''"""The port of analysis.R."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from sparsek import rcompat

rcompat.set_seed(42)
x = rcompat.rnorm(60).reshape(20, 3, order="F")
x[:10] += 3
km_fit = rcompat.kmeans(x, 2, nstart=3)
# check: clusters
tree = rcompat.hclust(rcompat.dist(x), "average")
groups, heights = rcompat.cutree(tree, 2), tree.height
del tree
picked = rcompat.sample(20, 5)  # check: sample
sizes = np.bincount(km_fit.cluster)[1:]
whole = pd.DataFrame({"a": [1.5, np.nan], "b": [True, False]})
mixed = pd.DataFrame({"name": ["u", None], "n": [1, 2]})
kind = pd.Series(["low", 'h\\u00e4lt "x"\\\\\\n'], dtype="category")
result = (1, "two", 3.0, {"four": 4, "none": None}, -0.0, 1e-320, math.inf)
cube = np.arange(1, 9).reshape(2, 2, 2, order="F")


def helper(v: dict[str, int | NotDefined]) -> object:
    # check: inside a function
    return v


own = object()
'''


def r_recording() -> Recording:
    """What R did, as recorded by ``Rscript sparsek/port/driver.R analysis.R analysis.txt``."""
    return read_recording(R_SCRIPT, (FOLDER / "analysis.txt").read_text(encoding="utf-8").splitlines())


def plain(value: Any) -> Any:
    """Fields of objects as values that can be compared, every bit of their numbers included."""
    if isinstance(value, np.ndarray):
        return value.shape, [float.hex(number) for number in value.ravel().tolist()]
    return {name: plain(part) for name, part in value.items()} if isinstance(value, dict) else value


def stream(*steps: str, name: str = "script") -> Recording:
    """A recording whose statements leave the stream at these states; ``!`` before a state: from a seed."""
    statements = [
        Statement(line, f"s{line}", state.lstrip("!"), state.startswith("!"))
        for line, state in enumerate(steps, start=1)
    ]
    return Recording(Path(name), None, statements, {})


def lines_of(*entries: Iterable[Any]) -> list[str]:
    """Lines of a recording from pairs of a kind and members."""
    return [json.dumps({"kind": kind, **members}) for kind, members in entries]
