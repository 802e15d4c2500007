"""How a command ends: with one line about an error and an exit code, and without half-written files."""

from __future__ import annotations

import functools
import signal
import threading
import traceback as tracebacks
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from sparsek.cli._messages import say, show, warnings_on_one_line
from sparsek.errors import EmptyClusterError

EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError, EmptyClusterError)
"""Errors from bad input or a bad environment; a command then prints one line and exits with code 2."""


def one_line_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command end with one line: exit code 2 for bad input, 1 for errors in sparsek."""

    @functools.wraps(command)
    def wrapped(**options: Any) -> None:
        try:
            with stopped_by_signals(), warnings_on_one_line():
                command(**options)
        except Stopped as stop:
            say(f"stopped by {signal.Signals(stop.number).name}")
            raise typer.Exit(128 + stop.number) from None
        except Exception as error:  # users see a traceback only with --traceback
            if isinstance(error, typer.Exit):
                raise
            if options.get("traceback"):
                show(tracebacks.format_exc().rstrip("\n"), err=True)
            text = str(error).strip()
            if isinstance(error, EXPECTED):
                say(f"error: {text or type(error).__name__}")
                raise typer.Exit(2) from None
            say(f"unexpected {type(error).__name__}: {text}; please report it with what --traceback shows")
            raise typer.Exit(1) from None

    return wrapped


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
