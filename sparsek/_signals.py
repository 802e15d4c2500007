"""Signals that wait: what must be done whole is not cut in two by an interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that would end the process at once; the interrupt of the keyboard is an exception already."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let signals wait until the block is done."""
    caught: list[int] = []
    numbers = [n for n in (signal.SIGINT, *STOPPING) if signal.getsignal(n) is not None]
    try:
        with handlers(numbers, lambda number, _: caught.append(number)):
            yield
    finally:
        if caught:
            signal.raise_signal(caught[0])


@contextmanager
def handlers(numbers: list[Any], handler: Callable[[int, Any], Any]) -> Iterator[None]:
    """Handle signals by a function; outside the main thread, where Python cannot, nothing is done."""
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
