"""What a command says, and how it ends: with one line about an error, and without half-written files."""

from __future__ import annotations

import functools
import signal
import sys
import traceback as tracebacks
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from sparsek._printable import printable
from sparsek._signals import STOPPING, handlers
from sparsek.errors import ColumnWarning, EmptyClusterError


def show(text: str, err: bool = False) -> None:
    """Print a text, with escapes for what must not or cannot be printed."""
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    typer.echo(printable(text).encode(encoding, "backslashreplace").decode(encoding), err=err)


def say(text: str) -> None:
    """Write a message of one line to standard error."""
    show("sparsek: " + " ".join(text.split()), err=True)


OTHERWISE = (DeprecationWarning, ColumnWarning)
"""Warnings that are not shown: for programmers, and of columns, which `--keep` has asked about."""


@contextmanager
def warnings_on_one_line() -> Iterator[list[str]]:
    """Collect warnings and show each text once."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            yield texts
        finally:
            for warning in found:
                text = " ".join(str(warning.message).split())
                kind = warning.category  # pyparsing's warnings of deprecation are of both classes
                meant = issubclass(kind, UserWarning) and not issubclass(kind, OTHERWISE)
                if meant and text not in texts:
                    texts.append(text)
                    say(f"warning: {text}")


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
    with handlers(handled, stop):
        yield
