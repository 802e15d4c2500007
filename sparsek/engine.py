"""Which code runs: formulations on whole arrays (numpy), or the published loops compiled by numba.

Both give the same answers. numba comes with ``pip install "sparsek[fast]"``; nothing here imports it before a
compiled loop is wanted, nor numpy before there is an array, so that `sparsek --version` comes at once.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from sparsek._signals import undisturbed

__all__ = ["get_engine", "set_engine"]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

T = TypeVar("T")
_log = logging.getLogger("sparsek")

ENGINES = ("auto", "numpy", "compiled")
LOADING = 3e8
"""Multiplications that take numpy about as long as numba takes to load."""
COMPILING = 6.5e5
"""Multiplications that take numpy about as long as numba takes to compile an instruction of a loop."""
PAST, AHEAD = 0.25, 0.4
"""Shares of the work that numpy has done, and of the work ahead, that loading and compiling may take.

So a first call takes at most 1.3 times as long as by numpy alone: what is ahead takes at most half the time
compiled, and its estimate may be too large by a factor of two.
"""
TOLD = 1.0
"""Compiling that takes more seconds than this is told in a line of the logger."""


class _Engine:
    """The engine of this process."""

    def __init__(self) -> None:
        self.name = _checked(os.environ.get("SPARSEK_ENGINE", "auto"), "SPARSEK_ENGINE")
        self.saved = 0.0  # multiplications that loading and compiling may take, from the work done so far
        self.loaded = False  # whether numba has run a loop


class set_engine:
    """Choose the code that runs, for this process or for a ``with`` block.

    Parameters
    ----------
    name : {"auto", "numpy", "compiled"}
        "numpy" takes formulations on whole arrays; "compiled" takes the published loops, compiled by numba,
        wherever there are some; "auto" compiles where numba is installed and the work pays for loading it,
        and for compiling the loops if they are not kept on disk yet: about three seconds of work by numpy
        where they are, fifteen where they are not. The environment variable ``SPARSEK_ENGINE`` sets
        the engine at the start.

    Raises
    ------
    ValueError
        If the name is none of these.
    ImportError
        If the name is "compiled" and numba is not installed.

    See Also
    --------
    get_engine : Name of the engine that was chosen.

    Examples
    --------
    >>> import sparsek
    >>> with sparsek.set_engine("numpy"):
    ...     sparsek.get_engine()
    'numpy'
    """

    def __init__(self, name: str) -> None:
        checked = _checked(name, "name")
        self._before = _ENGINE.name
        _ENGINE.name = checked

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        _ENGINE.name = self._before


def get_engine() -> str:
    """Name of the engine that was chosen.

    Returns
    -------
    str
        "auto", "numpy" or "compiled".

    See Also
    --------
    set_engine : Choose the engine.
    """
    return _ENGINE.name


@functools.cache
def has_numba() -> bool:
    """Whether compiled loops can run here."""
    return find_spec("numba") is not None


def _checked(name: str, source: str) -> str:
    """A name of an engine that can run."""
    if name not in ENGINES:
        raise ValueError(f"{source} must be one of {', '.join(map(repr, ENGINES))}; got {name!r}")
    if name == "compiled" and not has_numba():
        raise ImportError(
            f"{source} is 'compiled', which needs numba: pip install \"sparsek[fast]\", or choose 'auto'"
        )
    return name


_ENGINE = _Engine()
_LOCK = threading.RLock()
"""Held while loops are wrapped, loaded or compiled.

A fork waits for it: what another thread holds then, here and in numba, would stay locked in the child.
"""
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


class _Counter(threading.local):
    """How many calls of this thread ran compiled."""

    compiled = 0


_COUNTER = _Counter()


def compiled_calls() -> int:
    """Number of calls of this thread, so far, that `compiles` let run compiled."""
    return _COUNTER.compiled


def describe_engine(compiled: bool) -> str:
    """Name of what ran, for people."""
    return "compiled" if compiled else "numpy"


def describe_choice() -> str:
    """Name of what can run, for people."""
    if not has_numba():
        return "numpy; numba is not installed"
    if _ENGINE.name == "numpy":
        return "numpy"
    chosen = "auto: numpy, compiled where that pays" if _ENGINE.name == "auto" else "compiled"
    return f"{chosen} ({_numba()})"


@functools.cache
def _numba() -> str:
    """numba and its version, which is read from its files without importing it."""
    from importlib.metadata import version  # slow to import

    return f"numba {version('numba')}"


class NamesEngine:
    """Keeps the name of the engine that a fit ran with.

    `fit` begins with `_validate_params`, and calls `_note_engine` after its last loop.
    """

    _engine = "numpy"

    def _validate_params(self) -> None:
        super()._validate_params()  # type: ignore[misc]  # of BaseEstimator, a later base
        self._calls_before = compiled_calls()

    def _note_engine(self) -> None:
        """Keep the name of the engine that ran since `_validate_params`."""
        before = vars(self).pop("_calls_before", None)
        if before is not None:  # not noted yet
            self._engine = describe_engine(compiled_calls() > before)


def compiles(work: float, *loops: Loop, pays: bool = True, single: bool = False) -> bool:
    """Whether a call should run compiled.

    `work` are about the multiplications that it takes, `loops` what would be compiled for it, and `single`
    says whether they read single precision. Ask once for a call, in the thread that made it and not in those
    of its starts: `compiled_calls` counts the answers of a thread.
    """
    if _ENGINE.name == "auto":
        chosen = pays and has_numba() and _is_worth(work, loops, single)
    else:
        chosen = _ENGINE.name == "compiled"
    _COUNTER.compiled += chosen
    return chosen


def _is_worth(work: float, loops: tuple[Loop, ...], single: bool) -> bool:
    """Whether to load numba and compile for this work; keeps accounts of both.

    The work is counted in multiplications and not in seconds, so that a call takes the same way every time.
    """
    budget = _ENGINE.saved + AHEAD * work
    cost = 0.0 if _ENGINE.loaded else LOADING
    if cost <= budget:  # what is kept on disk is looked up only where it matters
        compiling = sum(loop.cost(single) for loop in loops)
        cost += compiling
        # No loop is compiled that has not had as much work itself: it may never come again.
        if cost <= budget and compiling <= work + sum(loop.work for loop in loops):
            _ENGINE.saved = min(_ENGINE.saved, budget - cost)
            return True
    _ENGINE.saved += PAST * work
    for loop in loops:
        loop.work += work / len(loops)
    return False


def loops_take(X: Array) -> bool:
    """Whether compiled loops read this array as it lies: rows of single or double precision in C order."""
    return X.dtype.char in "df" and X.dtype.isnative and X.flags.c_contiguous and X.flags.aligned


def loops_run(X: Array, *loops: Loop) -> bool:
    """Whether a pass over these rows should run compiled; ask once for each pass, see `compiles`."""
    return loops_take(X) and compiles(X.size, *loops, single=X.dtype.char == "f")


class _Memory:
    """The memory of an array, as if it could be written."""

    def __init__(self, X: Array) -> None:
        self.array = X  # keeps it alive
        self.__array_interface__ = X.__array_interface__ | {"data": (X.ctypes.data, False)}


def readable(X: Array) -> Array:
    """The same memory without a mark that it is only read, for which loops would be compiled once more.

    Loops only read what they get by this function.
    """
    import numpy as np  # late, see the module

    return X if X.flags.writeable else np.asarray(_Memory(X))


def masses(weights: Array | None, n_rows: int) -> Array:
    """Weights of the rows as loops take them: float64, 1 where there are none."""
    import numpy as np  # late, see the module

    return np.ones(n_rows) if weights is None else readable(np.ascontiguousarray(weights, np.float64))


def _load_numba() -> Any:
    """numba; interrupts wait, because a package that is half imported stays so."""
    with undisturbed():
        import numba

    return numba


class _Once(Generic[T]):
    """A property that is computed once, under `_LOCK`: that of functools has its own lock in Python 3.11."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        functools.update_wrapper(self, make)  # type: ignore[arg-type]  # it is called through `__get__` alone

    def __get__(self, instance: Any, owner: Any = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]  # asked of the class, by tests alone
        with _LOCK:
            found = vars(instance)
            name = self._make.__name__
            if name not in found:  # no other thread was quicker
                found[name] = self._make(instance)
            value: T = found[name]
            return value


class Loop:
    """A function of plain loops over arrays, often a published algorithm.

    A call runs the loops in Python, for tests and readers. `compiled` is the same function compiled by numba,
    with all such functions that it calls.
    """

    def __init__(self, plain: Callable[..., Any], inline: bool = False) -> None:
        functools.update_wrapper(self, plain)
        assert isinstance(plain, FunctionType)  # numba compiles no other
        self.plain = plain
        self.work = 0.0  # multiplications that numpy did in its place while the engine was "auto"
        self._inline = inline
        self._compiled_for: set[bool] = set()  # by this process: for double, single precision

    def __call__(self, *arguments: Any) -> Any:
        """Run the loops in Python."""
        return self.plain(*arguments)

    @_Once
    def compiled(self) -> Callable[..., Any]:
        """The compiled function, which releases the interpreter lock; kept on disk where possible."""
        from sparsek._loop_cache import directory

        config = _load_numba().config
        if directory() is None:
            return self._compiled()
        before = config.CACHE_DIR
        config.CACHE_DIR = directory()  # numba asks for it while it wraps the function
        try:
            return self._compiled(cache=True)
        except RuntimeError:  # numba cannot write there either
            return self._compiled()
        finally:
            config.CACHE_DIR = before

    def with_others(self, others: Mapping[str, Any]) -> Callable[..., Any]:
        """The loops in Python, with others in place of what the loops and those that they call name so."""
        functions = {name: loop.with_others(others) for name, loop in self._named()}
        return self._calling(functions | {name: others[name] for name in self._names() if name in others})

    @_Once
    def size(self) -> int:
        """Number of instructions, with those of the loops that it calls: compiling takes as long."""
        import dis

        own = sum(1 for _ in dis.get_instructions(self.plain))
        return own + sum(loop.size for _, loop in self._named())

    def cost(self, single: bool) -> float:
        """Multiplications that numpy makes while this is compiled; none if it is kept on disk."""
        from sparsek._loop_cache import is_kept

        ready = single in self._compiled_for or is_kept(self._kept_as(single))
        return 0.0 if ready else COMPILING * self.size

    def _kept_as(self, single: bool) -> str:
        """The name under which it is kept."""
        return f"{self.plain.__module__}.{self.plain.__qualname__}{'-single' if single else ''}"

    @_Once
    def called(self) -> Callable[..., Any]:
        """The same for compiled functions alone to call, which compiles sooner."""
        return self._compiled(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=self._inline)

    def _compiled(self, **options: bool) -> Callable[..., Any]:
        """The function that numba compiles, with what it calls."""
        njit = _load_numba().njit
        function = self._calling({name: loop.called for name, loop in self._named()})
        compiled: Any = njit(function, nogil=True, error_model="numpy", **options)
        # An interrupt would be lost in a callback of LLVM, or leave a part of numba half imported: it waits.
        for_signature = compiled.compile
        if "forceinline" not in options:  # what others call is a part of their compiling
            for_signature = self._noting(for_signature, "cache" in options)

        def compile_whole(signature: Any) -> Any:
            with undisturbed(), _LOCK:
                return for_signature(signature)

        compiled.compile = compile_whole
        return cast("Callable[..., Any]", compiled)

    def _noting(self, compile_for: Callable[..., Any], keeps: bool) -> Callable[..., Any]:
        """Compiles for a signature or loads what is kept; notes that it did, and tells what took long."""
        from sparsek._loop_cache import note_kept

        def compile_and_note(signature: Any) -> Any:
            begin = time.perf_counter()
            found = compile_for(signature)
            seconds = time.perf_counter() - begin
            single = "float32" in str(signature)
            _ENGINE.loaded = True
            self._compiled_for.add(single)
            if keeps:
                note_kept(self._kept_as(single))
            if seconds > TOLD and _ENGINE.name == "auto":
                kept = ", kept for later processes" if keeps else ""
                name = self.plain.__name__
                _log.warning("compiled the loops of %s in %.1f s for long work%s", name, seconds, kept)
            return found

        return compile_and_note

    def _named(self) -> list[tuple[str, Loop]]:
        """The functions of loops that this one calls, by the names it has for them."""
        named = [(name, self.plain.__globals__.get(name)) for name in self._names()]
        return [(name, value) for name, value in named if isinstance(value, Loop)]

    def _names(self) -> tuple[str, ...]:
        """The names in the function, except its own."""
        return self.plain.__code__.co_names

    def _calling(self, others: dict[str, Any]) -> FunctionType:
        """The function in Python, with others in place of what it names so."""
        plain = self.plain
        function = FunctionType(
            plain.__code__, plain.__globals__ | others, plain.__name__, plain.__defaults__
        )
        function.__module__, function.__qualname__ = plain.__module__, plain.__qualname__
        return function


def inlined(plain: Callable[..., Any]) -> Loop:
    """Decorate loops that compiled functions take in, see `Loop`."""
    return Loop(plain, inline=True)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
