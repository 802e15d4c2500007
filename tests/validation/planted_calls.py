"""Calls that end well, end their process, or do not react to the time limit."""

import os
import signal
import time

from validation.fuzz.judge import Call

DIES, SLEEPS = 1, 2
"""Numbers of the bad calls."""


def make_planted(seed: int, number: int) -> Call:
    """The call of a number."""
    return Call(str(number), {DIES: _die, SLEEPS: _sleep}.get(number, lambda: 1))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _sleep() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    time.sleep(60)
