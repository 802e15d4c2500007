"""Limit on the number of BLAS threads, so that matrix products do not depend on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class ThreadControl:
    """Handle on the BLAS libraries, most of which have one number of threads for the whole process.

    Limits in several Python threads overlap. The first to begin keeps the numbers as they were, and the last
    to end restores them, whatever the order in between. OpenMP counts its threads for each Python thread.
    """

    def __init__(self) -> None:
        libraries = ThreadpoolController().lib_controllers
        self._own = [library for library in libraries if _is_openmp(library)]
        self._shared = [library for library in libraries if not _is_openmp(library)]
        self._lock = Lock()
        self._limits: list[int] = []
        self._before: list[int] = []

    @contextmanager
    def limit(self, limits: int | None) -> Iterator[None]:
        """Allow at most so many threads (None: any number); of several limits the smallest holds for BLAS."""
        if limits is None:
            yield
            return
        own = _numbers(self._own)
        _set_numbers(self._own, [limits] * len(own))
        with self._lock:
            if not self._limits:
                self._before = _numbers(self._shared)
            self._limits.append(limits)
            _set_numbers(self._shared, [min(self._limits)] * len(self._shared))
        try:
            yield
        finally:
            with self._lock:
                self._limits.remove(limits)
                lowest = min(self._limits, default=None)
                _set_numbers(self._shared, self._before if lowest is None else [lowest] * len(self._shared))
            _set_numbers(self._own, own)


def _is_openmp(library: Any) -> bool:
    """Whether a library counts threads by OpenMP, for each Python thread on its own."""
    return library.user_api == "openmp" or getattr(library, "threading_layer", None) == "openmp"


def _numbers(libraries: list[Any]) -> list[int]:
    """Numbers of threads of the libraries."""
    return [library.get_num_threads() for library in libraries]


def _set_numbers(libraries: list[Any], numbers: list[int]) -> None:
    """Set the number of threads of each library."""
    for library, number in zip(libraries, numbers, strict=True):
        if library.get_num_threads() == number:
            continue
        # threadpoolctl lets only the first thread that sets a number change it again, and ignores others.
        release = getattr(library, "clear_controlling_thread", lambda force: None)
        release(force=True)
        library.set_num_threads(number)
        release(force=True)


@cache
def thread_control() -> ThreadControl:
    """The process's handle on BLAS; one thread (`limit(limits=1)`) makes products reproducible."""
    return ThreadControl()


# Another thread may hold the lock while a process forks; the child starts with a lock of its own.
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=thread_control.cache_clear)
