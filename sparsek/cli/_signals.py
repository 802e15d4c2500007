"""What a command does when it is told to stop: it ends its workers and removes what is half-written."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that would end the process at once; the interrupt of the keyboard is an exception already."""


class Stopped(SystemExit):
    """A signal, of this number, told the command to stop."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(128 + number)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Let signals that would end the process raise `Stopped`, so that everything is cleaned up on the way."""

    def stop(number: int, _: Any) -> None:
        for each in handled:
            signal.signal(each, signal.SIG_IGN)  # a second signal must not disturb the cleaning up
        raise Stopped(number)

    handled = [number for number in STOPPING if signal.getsignal(number) == signal.SIG_DFL]
    with _handlers(handled, stop):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let signals wait until the block is done."""
    caught: list[int] = []
    numbers = [n for n in (signal.SIGINT, *STOPPING) if signal.getsignal(n) is not None]
    try:
        with _handlers(numbers, lambda number, _: caught.append(number)):
            yield
    finally:
        if caught:
            signal.raise_signal(caught[0])


@contextmanager
def _handlers(numbers: list[Any], handler: Callable[[int, Any], Any]) -> Iterator[None]:
    """Handle signals by a function; outside the main thread, where Python cannot, nothing is done."""
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
