"""Processes that make calls; one whose call hangs, or that dies, is replaced, and its call recorded."""

import contextlib
import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.fuzz.judge import CRASH, HANG, Call, Outcome, judge

Make = Callable[[int, int], Call]
"""Makes the call with a seed and a number; a function of a module, so that other processes find it."""

GRACE = 10.0
"""Seconds beyond the limit after which a process that does not react is ended."""
STARTS = 3
"""So many processes may end before their first call, one after the other."""
READY = "ready"
"""What a process says before its first call."""
MEMORY = 6 * 10**9
"""Bytes of address space of a process, where the system can limit it: more is an error of the call."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A call that was made: its number, its text, and what came of it."""

    number: int
    text: str
    outcome: Outcome


def make_and_judge(make: Make, seed: int, number: int, limit: float) -> Finished:
    """Make a call and classify it, and close the figures that it leaves."""
    call = make(seed, number)
    finished = Finished(number, call.text, judge(call, limit))
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    return finished


def _work(connection: Any, make: Make, seed: int, limit: float, log: str) -> None:
    """Make the calls whose numbers arrive, until None does."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # Windows and macOS have no such limit
        pass
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # open until the process ends
    with open(log, "w") as traces:
        faulthandler.enable(traces)
        connection.send(READY)
        while (number := connection.recv()) is not None:
            faulthandler.dump_traceback_later(limit + 1, file=traces)
            connection.send(make_and_judge(make, seed, number, limit))
            faulthandler.cancel_dump_traceback_later()


class NoWorkerError(RuntimeError):
    """Processes end before their first call, one after the other."""


class Worker:
    """A process with the number of its call."""

    def __init__(self, make: Make, seed: int, limit: float) -> None:
        self.arguments = (make, seed, limit)
        self.number: int | None = None
        self.started = 0.0
        self._start()

    def _start(self) -> None:
        """Start the process."""
        self.log = Path(tempfile.mkstemp(prefix="sparsek-fuzz-", suffix=".txt")[1])
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        arguments = (other, *self.arguments, str(self.log))
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        other.close()
        self.ready = False

    def give(self, number: int) -> None:
        """Start a call, once the process has loaded everything; start another one if it ended before that.

        Raises NoWorkerError after `STARTS` processes that ended.
        """
        for _ in range(STARTS):
            try:
                self.ready = self.ready or self.connection.recv() == READY
                self.connection.send(number)
            except (EOFError, ConnectionError):
                self.kill()
                code = self.process.exitcode
                self._start()
            else:
                self.number, self.started = number, time.monotonic()
                return
        raise NoWorkerError(
            f"{STARTS} processes in a row ended before their first call, the last with code {code} "
            "(-9: killed, as where memory is short); give fewer with --n-jobs"
        )

    def stop(self) -> None:
        """Let the process end, or end it if it is at work."""
        if self.number is None and self.process.is_alive():
            with contextlib.suppress(ConnectionError):
                self.connection.send(None)
            self.process.join(timeout=5)
        self.kill()

    def kill(self) -> str:
        """End the process; gives the innermost line of sparsek that it was seen at."""
        self.process.kill()
        self.process.join()
        self.connection.close()
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        self.log.unlink(missing_ok=True)
        lines = [line.strip() for line in text.splitlines() if f"{os.sep}sparsek{os.sep}" in line]
        return lines[0] if lines else ""


def run_calls(
    make: Make, seed: int, numbers: Iterator[int], limit: float, n_jobs: int, grace: float = GRACE
) -> Iterator[Finished]:
    """Make calls in several processes."""
    workers = [Worker(make, seed, limit) for _ in range(n_jobs)]
    try:
        for worker in workers:
            _next(worker, numbers)
        while busy := [worker for worker in workers if worker.number is not None]:
            multiprocessing.connection.wait([worker.connection for worker in busy], timeout=0.5)
            for worker in busy:
                finished = _collect(worker, limit + grace)
                if finished is None:
                    continue
                if finished.outcome.kind == HANG:  # a call that was stopped may leave a half behind
                    worker.kill()
                if not worker.process.is_alive():
                    workers.remove(worker)
                    worker = Worker(make, seed, limit)
                    workers.append(worker)
                _next(worker, numbers)
                yield finished
    finally:
        for worker in workers:
            worker.stop()


def _next(worker: Worker, numbers: Iterator[int]) -> None:
    """Give the next number, if there is one."""
    number = next(numbers, None)
    worker.number = None
    if number is not None:
        worker.give(number)


def _collect(worker: Worker, longest: float) -> Finished | None:
    """What a worker has found, or its death or silence; None while it works."""
    number = worker.number
    assert number is not None
    try:
        if worker.connection.poll():
            return worker.connection.recv()  # type: ignore[no-any-return]  # what _work sends
    except (EOFError, ConnectionError):
        worker.process.join()
        code = worker.process.exitcode
        return Finished(number, "", Outcome(CRASH, f"the process ended with code {code}", worker.kill()))
    if time.monotonic() - worker.started > longest:
        return Finished(number, "", Outcome(HANG, f"no reaction within {longest:g} seconds", worker.kill()))
    return None
