"""The calls that are timed, by topic: R's functions first, then methods; and calls without a peer."""

from __future__ import annotations

from validation.benchmarks.calls import Alone, Call
from validation.benchmarks.tables import alone, methods, rcompat

TABLES: dict[str, tuple[Call, ...]] = {**rcompat.TABLES, **methods.TABLES}
"""Calls beside a peer's, for docs/speed.md."""
ALONE: dict[str, tuple[Alone, ...]] = alone.TABLES
"""Calls of ours alone, which are printed only."""
