"""Questions to a site: messages whose parts are checked when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sparsek.core.steps import Array

MOST_CLUSTERS = 1_000_000
"""Largest number of clusters that a question may name: a site makes room for their sums."""
MOST_NAMES = 2**31 - 1
"""Largest number that names labels or coordinates in questions."""


class Question:
    """A message to a site: names with numbers, arrays of numbers or texts."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        if not isinstance(parts, Mapping):
            raise TypeError(f"question must be a mapping of names to arrays; got {type(parts).__name__}")
        self._parts = parts
        ask = np.asarray(parts.get("ask", ""))
        self.kind = str(ask) if ask.dtype.kind == "U" and ask.shape == () else ""

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def array(self, name: str, shape: tuple[int | None, ...]) -> Array:
        """Finite numbers of this shape, None for any length, float64."""
        found = self._numbers(name, shape, "fiu")
        if not np.isfinite(found).all():
            raise ValueError(f"{name} of the question {self.kind!r} must be finite")
        return np.asarray(found, np.float64, order="C")

    def whole(self, name: str, shape: tuple[int | None, ...], high: int, low: int = 0) -> Array:
        """Whole numbers from `low` to `high`, inclusive, of this shape."""
        found = self._numbers(name, shape, "iu")
        if found.size and (found.min() < low or found.max() > high):
            raise ValueError(
                f"{name} of the question {self.kind!r} must be from {low} to {high}; got "
                f"{found.min()}..{found.max()}"
            )
        return found

    def number(self, name: str, high: int, low: int = 0) -> int:
        """A whole number from `low` to `high`, inclusive."""
        return int(self.whole(name, (), high, low))

    def _numbers(self, name: str, shape: tuple[int | None, ...], kinds: str) -> Array:
        if name not in self._parts:
            raise ValueError(f"the question {self.kind!r} has no part {name!r}")
        found = np.asarray(self._parts[name])
        same = len(found.shape) == len(shape) and all(
            b is None or a == b for a, b in zip(found.shape, shape, strict=True)
        )
        if found.dtype.kind not in kinds or found.dtype.itemsize > 8 or not same:
            raise ValueError(
                f"{name} of the question {self.kind!r} must have shape {shape} and hold "
                f"{'numbers' if 'f' in kinds else 'whole numbers'}; got shape {found.shape}, {found.dtype}"
            )
        return found
