"""How many bytes of rows a fit may keep where its tasks run."""

from __future__ import annotations

from typing import Any

from dask.base import get_scheduler

LOCAL_SHARE = 2
"""Tasks of this process keep rows in at most a half (1 / 2) of `memory_limit`."""
FREE_SHARE = 4
"""The workers of a cluster also keep rows in at most a quarter (1 / 4) of their free memory."""


def client_in_force() -> Any:
    """The client of the cluster on which Dask computes; None for threads, processes and this thread."""
    return getattr(get_scheduler(), "__self__", None)


def spare_bytes(memory_limit: float) -> float:
    """Bytes of rows that may be kept by the scheduler in force, beside what the workers hold already."""
    client = client_in_force()
    if client is None:
        return memory_limit / LOCAL_SHARE
    workers = client.scheduler_info()["workers"].values()
    free = sum(max(0, worker["memory_limit"] - worker["metrics"]["memory"]) for worker in workers)
    spare: float = min(memory_limit / LOCAL_SHARE, free / FREE_SHARE)
    return spare
