"""Calls that end well, end their process, or do not react to the time limit."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from validation.fuzz.judge import Call

DIES, SLEEPS, LONG = 1, 2, 4
"""Numbers of the bad calls; the last one reacts to the time limit."""


def make_planted(seed: int, number: int) -> Call:
    """The call of a number."""
    runs = {DIES: _die, SLEEPS: _sleep, LONG: lambda: time.sleep(60)}
    return Call(str(os.getpid()), runs.get(number, lambda: 1))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _sleep() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(60)


class DiesAtStart:
    """`make_planted`; the first processes that it comes to end before their first call."""

    def __init__(self, deaths: Path) -> None:
        self.deaths = deaths  # holds how many are left

    def __reduce__(self) -> Any:
        return _arrive, (self.deaths,)


def _arrive(deaths: Path) -> Callable[[int, int], Call]:
    left = int(deaths.read_text())
    if left:
        deaths.write_text(str(left - 1))
        os._exit(3)
    return make_planted
