"""How a command ends: with one line about an error, and an exit code."""

from __future__ import annotations

import functools
import signal
import traceback as tracebacks
from collections.abc import Callable
from typing import Any

import typer

from sparsek.cli._messages import say, show, warnings_on_one_line
from sparsek.cli._signals import Stopped, stopped_by_signals
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
