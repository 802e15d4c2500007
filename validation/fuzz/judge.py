"""Makes one call and classifies what comes of it."""

import contextlib
import dis
import io
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator

import sparsek

RIGHT, CLEAR = "right", "clear"
WRONG, UNCLEAR, RAW, HANG, CRASH = "wrong", "unclear", "raw warning", "hang", "crash"
KINDS = (RIGHT, CLEAR, WRONG, UNCLEAR, RAW, HANG, CRASH)
"""Classes of outcomes; all but the first two are findings.

- right: a result, and all invariants hold;
- clear: an error that sparsek raises on purpose, or scikit-learn's checks of input;
- wrong: a result that breaks an invariant, or a call that changes its input;
- unclear: any other error;
- raw warning: a warning of numpy or Python about the code, not about the data, leaves the package;
- hang: no end within the time limit;
- crash: the process died.
"""
SPARSEK = str(Path(sparsek.__file__).parent)
SKLEARN = str(Path(sklearn.__file__).parent)
CHECKS = tuple(f"{SKLEARN}/{part}" for part in ("utils/", "base.py", "metrics/cluster/_supervised.py"))
"""Where scikit-learn checks input."""
ERRSTATE = np.errstate(over="ignore")(len).__code__.co_filename
"""Where numpy calls what its `errstate` decorates."""
ON_PURPOSE = (
    ValueError,
    TypeError,
    AttributeError,
    ImportError,
    MemoryError,
    NotImplementedError,
    OSError,
    sparsek.errors.EmptyClusterError,
)
"""Classes of clear errors; sparsek must raise them by a statement of its own."""
RAW_WARNINGS = (
    RuntimeWarning,
    DeprecationWarning,
    PendingDeprecationWarning,
    FutureWarning,
    ResourceWarning,
    np.exceptions.VisibleDeprecationWarning,
)


class Violation(AssertionError):
    """An invariant does not hold; the message names it."""


class PassedOn(Exception):
    """What came of a call in another process."""

    def __init__(self, outcome: "Outcome") -> None:
        super().__init__(outcome.detail)
        self.outcome = outcome


class RefusedError(ValueError):
    """A program refused its input with one clear line."""


class OutOfTimeError(BaseException):
    """The time limit was reached; no `except Exception` stops it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call."""

    text: str  # The call in words, for people
    run: Callable[[], Any]  # Makes the call and returns its result
    inputs: Sequence[Any] = ()  # What must be the same afterwards
    # Takes the result and the texts of the warnings; raises Violation if an invariant does not hold
    check: Callable[[Any, list[str]], None] = lambda result, warned: None
    refuse: str = ""  # Why a result is wrong, whatever it is; empty where a result may be right


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call."""

    kind: str  # One of `KINDS`
    detail: str = ""  # The error, the invariant or the warning
    place: str = ""  # The innermost line of sparsek, as "file:line"; empty without one


def judge(call: Call, seconds: float) -> Outcome:
    """Make a call and classify the outcome."""
    before = [fingerprint(value) for value in call.inputs]
    silent = io.StringIO()
    with collect_warnings() as caught:
        try:
            with time_limit(seconds), contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
                outcome = _attempt(call, caught)
        except OutOfTimeError as error:
            return Outcome(HANG, f"no end within {seconds:g} seconds", innermost(error.__traceback__))
    changed = [i for i, value in enumerate(call.inputs) if fingerprint(value) != before[i]]
    if changed:
        return Outcome(WRONG, f"the call changed its input {changed[0]}", outcome.place)
    raw = [found for found in caught if issubclass(found.category, RAW_WARNINGS)]
    if raw and outcome.kind in (RIGHT, CLEAR):
        return Outcome(RAW, f"{raw[0].category.__name__}: {raw[0].text}", raw[0].place)
    return outcome


@dataclass(frozen=True, slots=True)
class Caught:
    """A warning: its class, its text, and the innermost line of sparsek when it was given."""

    category: type[Warning]
    text: str
    place: str


@contextlib.contextmanager
def collect_warnings() -> Iterator[list[Caught]]:
    """Collect all warnings, with the place in sparsek that they came from."""
    found: list[Caught] = []

    def keep(message: Any, category: type[Warning], *others: Any, **named: Any) -> None:
        stack = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_stack(sys._getframe())]
        ours = [_shorten(file, line) for file, line in stack if file.startswith(SPARSEK)]
        found.append(Caught(category, " ".join(str(message).split())[:300], ours[0] if ours else ""))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = keep
        yield found


def _attempt(call: Call, caught: list[Caught]) -> Outcome:
    """The outcome of the call and its checks."""
    try:
        result = call.run()
    except Violation as error:
        return Outcome(WRONG, str(error), innermost(error.__traceback__))
    except Exception as error:  # every error has its class
        return classify_error(error)
    if call.refuse:
        return Outcome(WRONG, f"accepted {call.refuse}")
    try:
        call.check(result, [found.text for found in caught])
    except PassedOn as found:
        return found.outcome
    except Violation as error:
        return Outcome(WRONG, str(error), innermost(error.__traceback__))
    except Exception as error:  # the call has a result, so a repetition must have one
        text = f"{type(error).__name__}: {_first_words(error)}"
        step = getattr(error, "__notes__", ["a check"])[-1]
        return Outcome(WRONG, f"{step} fails with {text}", innermost(error.__traceback__))
    return Outcome(RIGHT)


def classify_error(error: Exception) -> Outcome:
    """Whether an error was raised on purpose, by a raise statement of sparsek or in scikit-learn's checks."""
    frames = list(traceback.walk_tb(error.__traceback__))
    if isinstance(error, RefusedError):
        return Outcome(CLEAR, str(error))
    place = innermost(error.__traceback__)
    detail = f"{type(error).__name__}: {_first_words(error)}"
    wanted = (
        isinstance(error, ON_PURPOSE)
        and not isinstance(error, np.linalg.LinAlgError | UnicodeError)
        and len(str(error).split()) >= 3
        and (_raised_by_sparsek(error.__traceback__) or _in_checks([frame for frame, _ in frames]))
    )
    return Outcome(CLEAR if wanted else UNCLEAR, detail, place)


def _raised_by_sparsek(trace: TracebackType | None) -> bool:
    """Whether the innermost frame belongs to sparsek and stands at a raise statement."""
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    raising = dis.opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
    return raising and code.co_filename.startswith(SPARSEK)


def _in_checks(frames: list[FrameType]) -> bool:
    """Whether the frame that sparsek called last belongs to scikit-learn's checks."""
    files = [frame.f_code.co_filename for frame in frames]
    ours = [i for i, file in enumerate(files) if file.startswith(SPARSEK)]
    below = [file for file in (files[ours[-1] + 1 :] if ours else files) if file != ERRSTATE]
    return any(file.startswith(CHECKS) for file in below[:1] if ours) or (
        not ours and any(file.startswith(CHECKS) for file in below)
    )


def innermost(trace: TracebackType | None) -> str:
    """The innermost line of sparsek in a traceback, as "file:line"."""
    ours = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(trace)
        if frame.f_code.co_filename.startswith(SPARSEK)
    ]
    return _shorten(*ours[-1]) if ours else ""


def _shorten(file: str, line: int) -> str:
    """A place in the code without the path of the checkout."""
    parts = Path(file).parts
    known = [i for i, part in enumerate(parts) if part in ("sparsek", "site-packages", "validation")]
    return f"{'/'.join(parts[known[-1] :] if known else parts[-1:])}:{line}"


def _first_words(error: BaseException) -> str:
    """The message on one line, cut."""
    return " ".join(str(error).split())[:300]


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in the main thread after so many seconds, where the system has SIGALRM."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def fingerprint(value: Any) -> Any:
    """Something that changes when the value does; None for what can only be read once."""
    if isinstance(value, np.ma.MaskedArray):
        return fingerprint(value.data), fingerprint(np.ma.getmaskarray(value))
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype == object else value.tobytes()
        return value.dtype.str, value.shape, value.strides, content
    if sp.issparse(value):
        parts = [getattr(value, name, None) for name in ("data", "indices", "indptr", "row", "col")]
        return [fingerprint(part) for part in parts]
    if isinstance(value, pd.DataFrame):
        return list(value.columns), [(str(value[name].dtype), repr(value[name].tolist())) for name in value]
    if isinstance(value, dict):
        return [(key, fingerprint(member)) for key, member in value.items()]
    if isinstance(value, list | tuple):
        return [fingerprint(member) for member in value]
    if isinstance(value, BaseEstimator):
        return fingerprint(value.get_params())
    if isinstance(value, Path) and value.is_file():
        return value.read_bytes()
    return repr(value)
