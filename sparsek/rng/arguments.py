"""Arguments of draws as R reads them: seeds, numbers of draws, parameters that are repeated."""

import math
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsek.bits.caller import warn_as_r
from sparsek.errors import RError
from sparsek.inputs.containers import as_array, numbers

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


def first_of(value: Any) -> Any:
    """Read the first of several values, as R does where it takes one number."""
    if hasattr(value, "__len__") and not isinstance(value, str) and as_array(value, "it").ndim > 0:
        return next(iter(value), math.nan)
    return value


def truth(name: str, value: Any) -> bool:
    """Read one logical value, for which R also takes a number.

    Raises RError "invalid '...' argument", if it is something else, missing, or not one value.
    """
    given = np.asarray(value) if isinstance(value, int | float) else as_array(value, name)
    if given.size != 1 or given.dtype.kind not in "biuf" or np.isnan(given).any():
        raise RError(f"invalid '{name}' argument", f"{name} must be True or False; got {value!r}")
    return bool(given.ravel()[0])


def check_kind(name: str, kind: object, choices: Collection[str]) -> None:
    """Refuse unknown kinds of generators."""
    if not isinstance(kind, str) or kind not in choices:
        allowed = " or ".join(repr(choice) for choice in choices)
        raise RError(f"'{kind}' is not a valid choice", f"{name} must be {allowed}; got {kind!r}")


def whole(name: str, value: Any, r_message: str, limit: float = 2.0**52) -> int:
    """Check a number from 0 to the limit and truncate it."""
    if not isinstance(value, _NUMBERS) or isinstance(value, bool) or not 0 <= value <= limit:
        raise RError(r_message, f"{name} must be a number between 0 and {limit:.0f}; got {value!r}")
    return int(value)


def recycle(name: str, value: ArrayLike, n: int) -> FloatArray:
    """A parameter repeated to n values; one of length 0 is all NaN."""
    if type(value) is float:
        return np.full(n, value)
    try:
        given = value if isinstance(value, int | float) else numbers(value, name, holes=True)
        values = np.asarray(given).astype(np.float64, casting="same_kind").ravel()
    except (TypeError, ValueError, OverflowError):
        raise RError("invalid arguments", f"{name} must be numbers; got {value!r}") from None
    if values.size <= 1:
        return np.full(n, values[0] if values.size else np.nan)
    return values[np.arange(n) % values.size]


def size_of(name: str, value: Any) -> int:
    """How many entries an argument has; RError for rows of different lengths."""
    try:
        return as_array(value, name).size
    except ValueError:
        raise RError("invalid arguments", f"{name} must be numbers; got {value!r}") from None


def count(n: Any) -> int:
    """Read R's number of draws: the length of a vector, or the value of a single number.

    Raises RError "invalid arguments", if it is not a number from 0 on.
    """
    size = 1 if isinstance(n, int | float) else size_of("n", n)
    return size if size != 1 else whole("n", first_of(n), "invalid arguments")


def warn_nan(values: FloatArray) -> FloatArray:
    """Give R's warning when some values are NaN.

    RWarning "NAs produced".
    """
    if np.isnan(values).any():
        warn_as_r("NAs produced")
    return values
