"""What our runs gave, in the table that judges by it: one text per cell, in the order of the runs' ranks."""

import math
from collections.abc import Iterable
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

OUTCOMES = "outcomes"
"""The column of a record that holds such a text."""


def write_outcomes(values: Iterable[float]) -> str:
    """The numbers of runs as text.

    Parameters
    ----------
    values : iterable of float
        One number per run, in an order that matters where the best run is reported; NaN for failed runs.

    Returns
    -------
    str
        Numbers with six digits and how often each follows itself: ``"0.49058x380 0.4851x20"``.
    """
    shown = (f"{value:.6g}" for value in values if not math.isnan(value))
    counts = ((text, sum(1 for _ in same)) for text, same in groupby(shown))
    return " ".join(text if count == 1 else f"{text}x{count}" for text, count in counts)


def read_outcomes(text: object) -> NDArray[np.float64]:
    """The numbers that `write_outcomes` wrote; none from an empty cell of a table."""
    if not isinstance(text, str) or not text:
        return np.empty(0)
    pairs = [part.split("x") for part in text.split(" ")]
    return np.repeat([float(pair[0]) for pair in pairs], [int(pair[1]) if pair[1:] else 1 for pair in pairs])
