"""Limit on the number of BLAS threads, so that matrix products do not depend on it."""

from __future__ import annotations

from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def thread_control() -> ThreadpoolController:
    """Handle on the BLAS libraries; one thread (`limit(limits=1)`) makes products reproducible."""
    return ThreadpoolController()
