"""Checks of the arguments of R's random functions, with R's messages."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.errors import RError

FloatArray = NDArray[np.float64]
_NUMBERS = (int, float, np.integer, np.floating)


def check_seed(seed: Any) -> int:
    """The seed as a signed 32-bit integer, a double truncated toward zero."""
    if not isinstance(seed, _NUMBERS) or isinstance(seed, bool) or not -(2**31) < seed < 2**31:
        raise RError(
            "supplied seed is not a valid integer",
            f"the seed must be a number between -(2^31 - 1) and 2^31 - 1; got {seed!r}",
        )
    return int(seed)


def check_kind(name: str, kind: object, choices: Collection[str]) -> None:
    """Refuse unknown kinds of generators."""
    if kind not in choices:
        allowed = " or ".join(repr(choice) for choice in choices)
        raise RError(f"'{kind}' is not a valid choice", f"{name} must be {allowed}; got {kind!r}")


def whole(name: str, value: Any, r_message: str, limit: float = 2.0**52) -> int:
    """Check a number from 0 to the limit and truncate it."""
    if not isinstance(value, _NUMBERS) or isinstance(value, bool) or not 0 <= value <= limit:
        raise RError(r_message, f"{name} must be a number between 0 and {limit:.0f}; got {value!r}")
    return int(value)


def recycle(name: str, value: ArrayLike, n: int) -> FloatArray:
    """A parameter repeated to n values; one of length 0 is all NaN."""
    try:
        values = np.asarray(value, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise RError("invalid arguments", f"{name} must be numbers; got {value!r}") from None
    if values.size <= 1:
        return np.full(n, values[0] if values.size else np.nan)
    return values[np.arange(n) % values.size]
