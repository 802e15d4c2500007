"""The number of BLAS threads, fixed so that products are the same everywhere."""

from __future__ import annotations

from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def thread_control() -> ThreadpoolController:
    """Handle on the BLAS libraries; one thread (`limit(limits=1)`) makes products the same everywhere."""
    return ThreadpoolController()
