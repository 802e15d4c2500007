"""R's ``print``."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from sparsek.errors import RError
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.data import as_number
from sparsek.rcompat.base.printing import DIGITS, format_array
from sparsek.rcompat.base.values.lists import format_value

MOST_DIGITS = 22


def print(x: Any, digits: float | None = None) -> None:
    """Print a value as R does.

    Parameters
    ----------
    x : object
        A number, text or truth value; a list of these, which is a vector; an array of one or two dimensions;
        a pandas Series, whose index gives the names, DataFrame or Categorical, R's factor; a list or dict of
        such values, R's list; or a result of a function of `sparsek.rcompat`. None is R's NULL.
    digits : int, optional
        Most significant digits of numbers, from 1 to 22; by default 7. Results of functions keep theirs.

    Raises
    ------
    RError
        With R's message: `digits` is out of range.

    Examples
    --------
    >>> from sparsek import rcompat
    >>> rcompat.print([1.5, 2, 10])
    [1]  1.5  2.0 10.0
    >>> rcompat.print({"size": 3, "parts": ["a", "bc"]})
    $size
    [1] 3
    <BLANKLINE>
    $parts
    [1] "a"  "bc"
    <BLANKLINE>
    """
    most = DIGITS if digits is None else as_number(digits, "digits")
    whole = math.trunc(most) if abs(most) < 2**31 else -(2**31)  # as R shows what is no whole number
    if not 1 <= whole <= MOST_DIGITS:
        raise RError(
            f"invalid printing digits {whole}", f"digits must be from 1 to {MOST_DIGITS}; got {digits!r}"
        )
    if type(x) is RArray and not set(x.attributes) - {"names", "dimnames"}:
        builtins.print(format_array(np.asarray(x), x._names(), whole))
    else:
        builtins.print(format_value(x, "", whole))
