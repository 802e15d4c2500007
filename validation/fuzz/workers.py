"""Processes that make calls; one that hangs or dies is replaced, and its call recorded."""

import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.fuzz.judge import CRASH, HANG, Outcome, judge
from validation.fuzz.schedule import make_call

GRACE = 10.0
"""Seconds beyond the limit after which a process that does not react is ended."""
MEMORY = 6 * 10**9
"""Bytes of address space of a process, where the system can limit it: more is an error of the call."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A call that was made: its number, its text, and what came of it."""

    number: int
    text: str
    outcome: Outcome


def make_and_judge(seed: int, number: int, limit: float) -> Finished:
    """Make a call and classify it."""
    call = make_call(seed, number)
    return Finished(number, call.text, judge(call, limit))


def _work(connection: Any, seed: int, limit: float, log: str) -> None:
    """Make the calls whose numbers arrive, until None does."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # Windows and macOS have no such limit
        pass
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # open until the process ends
    with open(log, "w") as traces:
        faulthandler.enable(traces)
        while (number := connection.recv()) is not None:
            faulthandler.dump_traceback_later(limit + GRACE / 2, file=traces)
            connection.send(make_and_judge(seed, number, limit))
            faulthandler.cancel_dump_traceback_later()


class Worker:
    """A process with the number of its call."""

    def __init__(self, seed: int, limit: float) -> None:
        self.log = Path(tempfile.mkstemp(prefix="sparsek-fuzz-", suffix=".txt")[1])
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, seed, limit, str(self.log)), daemon=True)
        self.process.start()
        other.close()
        self.number: int | None = None
        self.started = 0.0

    def give(self, number: int) -> None:
        """Start a call."""
        self.number, self.started = number, time.monotonic()
        self.connection.send(number)

    def end(self) -> str:
        """End the process; gives the innermost line of sparsek that it was seen at."""
        self.process.kill()
        self.process.join()
        self.connection.close()
        text = self.log.read_text(errors="replace")
        self.log.unlink()
        lines = [line.strip() for line in text.splitlines() if f"sparsek{os.sep}" in line]
        return lines[0] if lines else ""


def run_calls(seed: int, numbers: Iterator[int], limit: float, n_jobs: int) -> Iterator[Finished]:
    """Make calls in several processes.

    Parameters
    ----------
    seed : int
        Seed of the campaign.
    numbers : iterator of int
        Numbers of the calls.
    limit : float
        Seconds for a call.
    n_jobs : int
        Processes.

    Yields
    ------
    Finished
        The calls in the order in which they end.
    """
    workers = [Worker(seed, limit) for _ in range(n_jobs)]
    for worker in workers:
        _next(worker, numbers)
    try:
        while any(worker.number is not None for worker in workers):
            busy = [worker for worker in workers if worker.number is not None]
            multiprocessing.connection.wait([worker.connection for worker in busy], timeout=1.0)
            for worker in busy:
                finished = _collect(worker, limit)
                if finished is None:
                    continue
                if finished.outcome.kind in (HANG, CRASH) and not worker.process.is_alive():
                    workers[workers.index(worker)] = worker = Worker(seed, limit)
                _next(worker, numbers)
                yield finished
    finally:
        for worker in workers:
            worker.end()


def _next(worker: Worker, numbers: Iterator[int]) -> None:
    """Give the next number, if there is one."""
    number = next(numbers, None)
    worker.number = None
    if number is not None:
        worker.give(number)


def _collect(worker: Worker, limit: float) -> Finished | None:
    """What a worker has found, or its death or silence; None while it works."""
    number = worker.number
    assert number is not None
    try:
        if worker.connection.poll():
            return worker.connection.recv()  # type: ignore[no-any-return]  # what _work sends
    except (EOFError, ConnectionError):
        worker.process.join()
        code = worker.process.exitcode
        return Finished(number, "", Outcome(CRASH, f"the process ended with code {code}", worker.end()))
    if time.monotonic() - worker.started > limit + GRACE:
        return Finished(number, "", Outcome(HANG, f"no reaction within {limit + GRACE:g} seconds", worker.end()))
    return None
