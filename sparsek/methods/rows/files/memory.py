"""How much memory a fit may take."""

from __future__ import annotations

import os
import re
from numbers import Real
from typing import Any

UNITS = {"": 1, "B": 1} | {
    prefix + end: base**power
    for power, prefix in enumerate("KMGT", start=1)
    for end, base in (("B", 1000), ("IB", 1024))
}
"""Bytes of each unit, by its name in capitals."""
UNKNOWN_MEMORY = 8 * 1024**3
"""What a machine is taken to have that does not say."""


def resolve_memory_limit(limit: Any) -> float:
    """Bytes that a fit may take: half of the physical memory for None, or a number or a text such as "2GB".

    Raises TypeError or ValueError for anything else.
    """
    if limit is None:
        return physical_memory() / 2
    if isinstance(limit, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", limit, flags=re.IGNORECASE)
        unit = UNITS.get(found[2].upper()) if found else None
        if found is None or unit is None:
            raise ValueError(f"memory_limit must look like '2GB', '500 MB' or '1.5GiB'; got {limit!r}")
        limit = float(found[1]) * unit
    elif isinstance(limit, bool) or not isinstance(limit, Real):
        raise TypeError(f"memory_limit must be None, a number of bytes or a text like '2GB'; got {limit!r}")
    if not limit > 0:
        raise ValueError(f"memory_limit must be positive; got {limit}")
    return float(limit)


def physical_memory() -> float:
    """Bytes of memory of this machine."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # not on Windows
        return float(UNKNOWN_MEMORY)


def in_words(n_bytes: float) -> str:
    """A number of bytes for people: "2.5 GB"."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
