"""Searches that are killed, commands that write one folder at once, fits that are used after a fork.

Every process is a fork of the one that makes the call: what takes a second, the imports, is done before.
"""

import contextlib
import functools
import os
import pickle
import re
import resource
import select
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from joblib.externals.loky import reusable_executor

import sparsek
from sparsek.cli import _app, _folder, _page
from sparsek.engine import has_numba, set_engine
from validation.fuzz import estimators, parameters, values
from validation.fuzz.commands import RUNNER, _ended
from validation.fuzz.invariants import numbers, require, results
from validation.fuzz.judge import CLEAR, CRASH, HANG, RIGHT, Call, Outcome, PassedOn, collect_warnings, judge
from validation.fuzz.strangers import plain_table
from validation.fuzz.values import Random

PATIENCE = 60.0
"""Seconds after which a process counts as hanging."""
LOOK = 5e-4
"""Seconds between two looks at a folder."""
Answer = list[tuple[str, bytes]]


class Child:
    """A fork of this process that does some work."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._reading, writing = os.pipe()
        with warnings.catch_warnings(action="ignore"):  # Python 3.12 warns of forks beside threads
            self.process = os.fork()
        if self.process:
            os.close(writing)
            return
        try:
            pool, kept = reusable_executor._executor, list[Any]()
            call = Call("", work, check=lambda found, _: kept.append(found))
            with os.fdopen(writing, "wb") as file:
                file.write(pickle.dumps((judge(call, PATIENCE), kept)))
            if reusable_executor._executor not in (pool, None):  # processes that would stay
                reusable_executor._executor.shutdown(kill_workers=True)
        finally:
            os._exit(0)

    def end(self) -> tuple[Outcome, Any]:
        """What came of the work, and its result; None without one."""
        content, until = b"", time.monotonic() + PATIENCE + 5
        while select.select([self._reading], [], [], max(0.0, until - time.monotonic()))[0]:
            piece = os.read(self._reading, 2**16)
            if not piece:
                code = os.waitstatus_to_exitcode(self.kill())
                if not content:
                    return Outcome(CRASH, f"a process ended with code {code}"), None
                outcome, kept = pickle.loads(content)
                return outcome, kept[0] if kept else None
            content += piece
        self.kill()
        return Outcome(HANG, f"a process did not end within {PATIENCE:g} seconds"), None

    def is_alive(self) -> bool:
        """Whether it has not ended; it is waited for by `kill` alone."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process, options) is None

    def kill(self) -> int:
        """Kill it, if it has not ended, and give its status."""
        os.kill(self.process, signal.SIGKILL)
        os.close(self._reading)
        return os.waitpid(self.process, 0)[1]


def require_good(outcome: Outcome, kinds: tuple[str, ...] = (RIGHT,)) -> None:
    """Pass on an outcome of another process that is none of some kinds."""
    if outcome.kind not in kinds:
        raise PassedOn(outcome)


def answer(value: Any) -> Answer:
    """The numbers in a value, bit by bit."""
    return [(name, np.asarray(array).tobytes()) for name, array in numbers(value)]


# --- searches that are killed ------------------------------------------------------------------------------

WITH_CHECKPOINT = tuple(
    name for name in estimators.NAMES if "checkpoint" in getattr(sparsek, name)._get_param_names()
)
TASKS = 8
"""Resamples or permutations of a search that is killed."""


def _killed(r: Random) -> Call:
    """A search is killed up to three times, and goes on from its checkpoint to the answer of a whole one."""
    name = str(r.choice(WITH_CHECKPOINT))
    cls, X = getattr(sparsek, name), values.blobs(r)
    if name == "DEC":
        settings = parameters.base_settings(cls, r) | {"checkpoint_every": 1}
    else:
        settings = estimators._search_settings(name, r)
        settings |= {count: TASKS for count in ("n_resamples", "n_permutations") if count in settings}
    ways = [str(way) for way in r.choice(list(KILLS), size=int(r.integers(1, 4)))]
    shares = r.random(len(ways))

    def fit(checkpoint: Path | None) -> Answer:
        return answer(results(cls(**settings, checkpoint=checkpoint).fit(X)))

    def run() -> Any:
        with tempfile.TemporaryDirectory() as place:
            begun = time.monotonic()
            whole = Child(lambda: fit(None)).end()
            lasts = time.monotonic() - begun
            folder = Path(place, "checkpoint")
            for way, share in zip(ways, shares, strict=True):
                KILLS[way](lambda: fit(folder), folder, share, lasts)
            return whole, Child(lambda: _without_damage(lambda: fit(folder))).end()

    def check(found: Any, warned: list[str]) -> None:
        whole, (outcome, resumed) = found
        require_good(outcome, (whole[0].kind,))
        require(resumed == whole[1], "another answer after a kill")

    return Call(f"{name} {X.shape} killed: {', '.join(ways)}, then again", run, (), check)


def _without_damage(fit: Callable[[], Answer]) -> Answer:
    """A fit that must not meet damaged files."""
    with collect_warnings() as caught:
        found = fit()
    damaged = [one.text for one in caught if "is damaged" in one.text]
    require(not damaged, f"a kill has left half a file: {damaged[:1]}")
    return found


def _at_a_moment(fit: Callable[[], Any], folder: Path, share: float, lasts: float) -> None:
    """Kill after a share of the time that the search takes."""
    child = Child(fit)
    time.sleep(share * lasts)
    child.kill()


def _at_a_file(fit: Callable[[], Any], folder: Path, share: float, lasts: float) -> None:
    """Kill as soon as something new is in the folder, a file or a part of one."""

    def seen() -> set[str]:
        return {path.name for path in folder.parent.rglob("*")}

    there, child = seen(), Child(fit)
    wanted = 1 + int(3 * share)
    while len(seen() - there) < wanted and child.is_alive():
        time.sleep(LOOK)
    child.kill()


def _in_a_write(fit: Callable[[], Any], folder: Path, share: float, lasts: float) -> None:
    """Let the system kill it in the middle of a write: where a file grows beyond a size."""

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        size = int(10 ** (1 + 2.5 * share))
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        fit()

    Child(work).end()


KILLS: dict[str, Callable[[Callable[[], Any], Path, float, float], None]] = {
    "at a moment": _at_a_moment,
    "at a file": _at_a_file,
    "in a write": _in_a_write,
}


# --- commands that write one folder ------------------------------------------------------------------------

TABLES = 4
"""Tables, each with results of its own."""
OUT = "out"
READY = 0.25
"""Seconds after which a command has fitted, for each that runs at once."""


def _arguments(table: int) -> list[str]:
    """The fit of a table."""
    return ["fit", f"t{table}.csv", "--k", str(2 + table % 2), "--select", "2", "--n-init", "1", "--no-plots"]


@contextlib.contextmanager
def _in_a_folder() -> Iterator[Path]:
    """Be in a temporary folder with the tables."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        for table in range(TABLES):
            plain_table(np.random.default_rng(table)).to_csv(Path(place, f"t{table}.csv"), index=False)
        os.chdir(place)
        try:
            yield Path(place)
        finally:
            os.chdir(here)


def _content(folder: Path) -> dict[str, bytes]:
    """The files of a folder, without the date of the page, which may change at midnight."""
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return {name: re.sub(rb"fitted on [-0-9]+", b"", content) for name, content in found.items()}


def _command(arguments: list[str]) -> None:
    """Run a command; RefusedError if it ends with one clear line."""
    with set_engine("numpy"):  # results name the engine
        _ended(RUNNER.invoke(_app.app, arguments))


@functools.cache
def alone() -> tuple[dict[str, bytes], ...]:
    """The results of each table, from a command that is alone, with a report."""
    found = []
    with _in_a_folder():
        for table in range(TABLES):
            _command([*_arguments(table), "--out", OUT, "--force"])
            _command(["report", OUT])
            found.append(_content(Path(OUT)))
    return tuple(found)


def _one_folder(r: Random) -> Call:
    """Several commands write one folder at once: it holds one whole result, that of one which ended well."""
    tables = [int(table) for table in r.integers(TABLES, size=int(r.integers(2, 5)))]
    forced = [bool(force) for force in r.random(len(tables)) < r.choice([0.0, 0.7, 1.0])]
    before = int(r.integers(TABLES)) if r.random() < 0.6 else None
    reports = before is not None and r.random() < 0.3
    meets, delays = r.random() < 0.6, 0.004 * r.random(len(tables) + 1)
    delays[-1] *= 5  # of the report, which is quicker than a fit

    def then(first: Callable[[], None], step: Callable[..., Any], *given: Any) -> Any:
        first()
        return step(*given)

    def work(arguments: list[str], moment: float, delay: float) -> None:
        def wait() -> None:
            time.sleep(max(0.0, moment + delay - time.monotonic()))

        if not meets:
            wait()
        else:  # all of them put their results, or their page, there at once
            for module, name in ((_folder, "_replace"), (_folder, "_put"), (_page, "whole_file")):
                setattr(module, name, functools.partial(then, wait, getattr(module, name)))
        _command(arguments)

    def run() -> Any:
        expected = alone()
        with _in_a_folder() as place:
            if before is not None:
                Path(OUT).mkdir()
                for name, content in expected[before].items():
                    Path(OUT, name).write_bytes(content)
            commands = [
                [*_arguments(table), "--out", OUT, *["--force"] * force]
                for table, force in zip(tables, forced, strict=True)
            ]
            commands += [["report", OUT]] * reports
            moment = time.monotonic() + (READY * len(commands) if meets else 0.02)
            pairs = zip(commands, delays, strict=False)  # without a report the last delay is left over
            children = [Child(functools.partial(work, one, moment, delay)) for one, delay in pairs]
            found = [child.end() for child in children]
            return found, _content(Path(OUT)), sorted(path.name for path in place.iterdir())

    def check(found: Any, warned: list[str]) -> None:
        ended, content, names = found
        for outcome, _ in ended:
            require_good(outcome, (RIGHT, CLEAR))
        well = [table for table, (one, _) in zip(tables, ended, strict=False) if one.kind == RIGHT]
        require(well or before is not None, "no command has written its results")
        require(
            names == sorted([OUT, *(f"t{table}.csv" for table in range(TABLES))]), f"left behind: {names}"
        )
        page = content.pop("report.html", None)
        whole = [
            table
            for table in (well if before is None or well else [before])
            if content == {name: each for name, each in alone()[table].items() if name != "report.html"}
            and page in (None, alone()[table]["report.html"])
        ]
        require(whole, "the folder holds no whole result of a command that ended well")

    words = [f"t{table}{' --force' * force}" for table, force in zip(tables, forced, strict=True)]
    text = (
        f"sparsek fit of {', '.join(words)}{' and report' * reports} to one folder at once, before: {before}"
    )
    return Call(text, run, (), check)


# --- fits that are used after a fork -----------------------------------------------------------------------

COMPANY = ("nobody", "a waiting thread", "threads that fit", "threads that multiply", "two jobs before")
"""What else goes on in the process that forks."""
METHODS = ("predict", "transform", "score", "fit_predict", "fit_transform", "predict_proba")


def _uses(model: Any, X: Any) -> Answer:
    """What the methods of a fit give, and the same fit again."""
    found = {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}
    return answer([found, results(model.fit(X))])


@contextlib.contextmanager
def _company(kind: str, again: Callable[[], Any]) -> Iterator[None]:
    """Let threads run beside the block."""
    ended = threading.Event()
    square = np.ones((150, 150))
    works: dict[str, Callable[[], Any]] = {
        "a waiting thread": lambda: ended.wait(1),
        "threads that fit": again,
        "threads that multiply": lambda: square @ square,
    }

    def work() -> None:
        while not ended.is_set():
            works[kind]()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(2 * (kind in works))]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _forked(r: Random) -> Call:
    """A fit is used and repeated in forks, while threads run: the same bits as without forks."""
    name = str(r.choice(estimators.NAMES, p=FORK_SHARES))
    cls, X = getattr(sparsek, name), np.abs(values.blobs(r))
    search = name in estimators.SEARCHES
    settings = estimators._search_settings(name, r) if search else parameters.base_settings(cls, r)
    engine = str(r.choice(["numpy", "compiled", "auto"] if has_numba() else ["numpy"]))
    company, delays = str(r.choice(COMPANY)), 0.01 * r.random(3)
    if company == "two jobs before" and "n_jobs" in cls._get_param_names():
        settings["n_jobs"] = 2

    def run() -> Any:
        with set_engine(engine):  # type: ignore[arg-type]  # one of its names
            model = cls(**settings).fit(X)
            expected, copies = _uses(model, X), [pickle.loads(pickle.dumps(model)) for _ in delays]
            children = []
            with _company(company, lambda: cls(**settings).fit(X)):
                for copy, delay in zip(copies, delays, strict=True):
                    time.sleep(delay)
                    children.append(Child(functools.partial(_uses, copy, X)))
            return expected, [child.end() for child in children]

    def check(found: Any, warned: list[str]) -> None:
        expected, ended = found
        for outcome, there in ended:
            require_good(outcome)
            require(there == expected, "a fork gives other bits")

    return Call(f"{name} {X.shape} in forks, {engine}, beside {company}", run, (), check)


FORK_SHARES = np.array([0.2 if name in (*estimators.SEARCHES, "DEC") else 1.0 for name in estimators.NAMES])
FORK_SHARES /= FORK_SHARES.sum()
MAKERS: dict[str, Callable[[Random], Call]] = {
    "search killed": _killed,
    "one folder, several commands": _one_folder,
    "fork after fit": _forked,
}
"""What makes a call of each target."""
