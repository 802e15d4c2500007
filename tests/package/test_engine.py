"""The choice between numpy and compiled loops."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

import sparsek
from sparsek import _loop_cache, engine
from sparsek._signals import handlers
from sparsek.engine import (
    Loop,
    compiled_calls,
    compiles,
    describe_choice,
    describe_engine,
    set_engine,
)
from tests.places import ROOT


def in_a_new_process(code: str, **environment: str) -> str:
    """What the code prints, or the end of its error."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


@Loop
def double(value):
    return 2 * value


@Loop
def sum_of_doubles(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += double(values[i])
    return total


def test_a_choice_holds_until_the_block_ends() -> None:
    before = sparsek.get_engine()
    with sparsek.set_engine("numpy"):
        assert sparsek.get_engine() == "numpy"
        with sparsek.set_engine("auto"):
            assert sparsek.get_engine() == "auto"
        assert sparsek.get_engine() == "numpy"
    assert sparsek.get_engine() == before


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match=r"name must be one of 'auto', 'numpy', 'compiled'; got 'fast'"):
        set_engine("fast")


def test_compiled_without_numba_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "has_numba", lambda: False)
    before = sparsek.get_engine()
    with pytest.raises(ImportError, match=r'pip install "sparsek\[fast\]"'):
        set_engine("compiled")
    assert sparsek.get_engine() == before
    with set_engine("auto"):
        assert not compiles(1e12)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine of a process that has done nothing yet, and nothing kept on disk."""
    monkeypatch.setattr(engine, "has_numba", lambda: True)
    monkeypatch.setattr(_loop_cache, "is_kept", lambda name: False)
    monkeypatch.setattr(engine._ENGINE, "saved", 0.0)
    monkeypatch.setattr(engine._ENGINE, "loaded", False)


LOADED = engine.LOADING / engine.AHEAD
"""Work ahead from which on loading numba pays."""


@pytest.mark.usefixtures("fresh")
def test_auto_loads_once_the_work_ahead_pays() -> None:
    with set_engine("auto"):
        assert not compiles(0.99 * LOADED)
    with set_engine("numpy"):
        assert not compiles(1e12)
    with set_engine("auto"):
        assert not compiles(1e12, pays=False)
        assert compiles(1.01 * LOADED)


@pytest.mark.usefixtures("fresh")
def test_auto_loads_once_the_work_done_pays() -> None:
    done = engine.LOADING / engine.PAST / 10
    with set_engine("auto"):
        assert sum(compiles(done) for _ in range(8)) == 0
        assert sum(compiles(done) for _ in range(8)) > 0


@pytest.mark.usefixtures("fresh")
def test_loops_that_are_not_kept_need_more_work() -> None:
    loop = Loop(sum_of_doubles.plain)
    compiled = LOADED + engine.COMPILING * loop.size / engine.AHEAD
    with set_engine("auto"):
        assert not compiles(0.99 * compiled, loop)
        engine._ENGINE.saved = 0.0
        assert compiles(1.01 * compiled, loop)


@pytest.mark.usefixtures("fresh")
def test_kept_loops_cost_nothing_once_numba_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine._ENGINE, "loaded", True)
    loop = Loop(sum_of_doubles.plain)
    with set_engine("auto"):
        assert not compiles(1.0, loop)
        monkeypatch.setattr(_loop_cache, "is_kept", lambda name: not name.endswith("-single"))
        assert compiles(1.0, loop)
        assert not compiles(1.0, loop, single=True)


@pytest.mark.usefixtures("fresh")
def test_loops_with_little_work_of_their_own_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine._ENGINE, "saved", 1e15)
    loop = Loop(sum_of_doubles.plain)
    cost = engine.COMPILING * loop.size
    with set_engine("auto"):
        assert not compiles(0.6 * cost, loop)
        assert compiles(0.6 * cost, loop)


@pytest.mark.usefixtures("fresh")
def test_any_calls_spend_a_share_of_the_work_by_numpy() -> None:
    """What loading and compiling may take, whatever the order of the calls."""
    rng = np.random.default_rng(0)
    loops = [Loop(double.plain), Loop(sum_of_doubles.plain)]
    by_numpy = ahead = spent = 0.0
    with set_engine("auto"):
        for work in 10 ** rng.uniform(4, 11, 300):
            loop = loops[rng.integers(2)]
            cost = (not engine._ENGINE.loaded) * engine.LOADING + loop.cost(False)
            if compiles(work, loop):
                engine._ENGINE.loaded = True
                loop._compiled_for.add(False)
                spent, ahead = spent + cost, ahead + work
            else:
                by_numpy += work
            assert spent <= engine.PAST * by_numpy + engine.AHEAD * ahead
    assert spent > engine.LOADING


@pytest.mark.usefixtures("fresh")
def test_calls_that_run_compiled_are_counted_by_thread() -> None:
    before = compiled_calls()
    with set_engine("auto"):
        compiles(0.5 * LOADED)
        assert compiled_calls() == before
        compiles(1.5 * LOADED)
        assert compiled_calls() == before + 1
        other = Thread(target=compiles, args=(2 * LOADED,))
        other.start()
        other.join()
    with set_engine("compiled"):
        compiles(1.0)
    with set_engine("numpy"):
        compiles(1.0)
    assert compiled_calls() == before + 2


@pytest.mark.compiled
def test_long_compiling_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(_loop_cache, "directory", lambda: str(tmp_path))
    monkeypatch.setattr(engine, "TOLD", 0.0)
    loop = Loop(sum_of_doubles.plain)
    with set_engine("auto"):
        loop.compiled(np.arange(4.0))
        loop.compiled(np.arange(5.0))
    (line,) = caplog.messages
    assert re.fullmatch(
        r"compiled the loops of sum_of_doubles in \d+\.\d s for long work, kept for later processes", line
    )
    assert loop.cost(single=False) == 0
    assert Loop(sum_of_doubles.plain).cost(single=False) == 0  # as in another process
    assert Loop(sum_of_doubles.plain).cost(single=True) > 0


def test_what_ran_is_named_as_engines_are_chosen() -> None:
    assert describe_engine(compiled=False) == "numpy"
    assert describe_engine(compiled=True) == "compiled"


@pytest.mark.compiled
def test_what_can_run_has_its_version() -> None:
    with set_engine("compiled"):
        assert describe_choice() == f"compiled (numba {version('numba')})"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["SKFR", "SparseKMeans", "KPod", "RobustSparseKMeans"])
def test_both_engines_print_the_same_summary(name: str) -> None:
    """But for the engine itself; the last digits of centres may differ."""
    X = np.random.default_rng(0).normal(size=(60, 6)) + 4 * (np.arange(60)[:, None] % 3) * (np.arange(6) < 3)
    found = []
    for chosen in ("numpy", "compiled"):
        with set_engine(chosen):
            model = getattr(sparsek, name)(3, random_state=0).fit(X)
        assert model._engine.startswith(chosen)
        model._engine = "either"
        support = model.get_support().tolist() if hasattr(model, "get_support") else None
        found.append((model.labels_.tolist(), support, model.inertia_, str(model.summary())))
    assert found[0] == found[1]


def test_what_can_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "has_numba", lambda: False)
    with set_engine("auto"):
        assert describe_choice() == "numpy; numba is not installed"
    monkeypatch.setattr(engine, "has_numba", lambda: True)
    monkeypatch.setattr(engine, "_numba", lambda: "numba 9.9")
    names = {
        "auto": "auto: numpy, compiled where that pays (numba 9.9)",
        "numpy": "numpy",
        "compiled": "compiled (numba 9.9)",
    }
    for name, shown in names.items():
        with set_engine(name):
            assert describe_choice() == shown


def test_the_environment_chooses() -> None:
    code = "import sparsek; print(sparsek.get_engine())"
    assert in_a_new_process(code) == "auto"
    assert in_a_new_process(code, SPARSEK_ENGINE="numpy") == "numpy"
    assert "SPARSEK_ENGINE must be one of" in in_a_new_process(code, SPARSEK_ENGINE="quick")


@pytest.mark.thorough
def test_importing_the_package_does_not_import_numba() -> None:
    code = "import sys, sparsek, sparsek.rcompat; sparsek.rcompat.kmeans([[0.0], [1], [5]], 2)"
    assert in_a_new_process(f"{code}; print('numba' in sys.modules)") == "False"


def test_a_function_of_loops_runs_in_python() -> None:
    assert sum_of_doubles(np.arange(4.0)) == 12.0
    assert sum_of_doubles.__name__ == "sum_of_doubles"


@pytest.mark.compiled
def test_a_function_of_loops_is_compiled_with_those_that_it_calls() -> None:
    # Not `compiled`: a second run of the tests would load it from disk, without compiling what it calls.
    assert sum_of_doubles._compiled()(np.arange(4.0)) == 12.0
    assert len(double.called.signatures) == 1


@pytest.mark.compiled
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
@pytest.mark.parametrize("step", ["wraps", "compiles"])
def test_a_fork_waits_for_loops_of_other_threads(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another thread holds at a fork stays locked in the child, which would wait for it without end."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    from validation.fuzz import processes

    begun = Event()

    def slow(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            with global_compiler_lock:
                begun.set()
                time.sleep(0.2)
                return real(*arguments)

        return wrapped

    place, name = (engine, "_load_numba") if step == "wraps" else (Dispatcher, "compile")
    monkeypatch.setattr(place, name, slow(getattr(place, name)))
    monkeypatch.setattr(processes, "PATIENCE", 20.0)
    thread = Thread(target=lambda: Loop(double.plain).compiled(1.0))
    thread.start()
    assert begun.wait(20)
    outcome, found = processes.Child(lambda: Loop(double.plain).compiled(2.0)).end()
    thread.join()
    assert found == 4.0, outcome


@pytest.mark.compiled
def test_compiled_functions_work_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core import caching

    def no_place(*arguments: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(caching.CacheImpl, "__init__", no_place)
    fresh = Loop(double.plain)
    assert fresh.compiled(3.0) == 6.0


def test_loops_in_python_call_what_stands_in_for_others() -> None:
    triple = sum_of_doubles.with_others({"double": lambda value: 3 * value})
    assert triple(np.arange(4.0)) == 18.0
    assert sum_of_doubles(np.arange(4.0)) == 12.0


INTERRUPTED_IMPORT = """
import signal, sys
import sparsek
from tests.package.test_engine import double
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt:
    def find_spec(self, name, *others):
        if name == "numba.core.dispatcher":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
try:
    double._compiled()
except KeyboardInterrupt:
    sys.meta_path.pop(0)
    print(double._compiled()(3.0))
"""


@pytest.mark.compiled
def test_an_interrupt_waits_until_numba_is_loaded() -> None:
    assert in_a_new_process(INTERRUPTED_IMPORT, PYTHONPATH=str(ROOT)) == "6.0"


@pytest.mark.compiled
def test_an_interrupt_waits_until_a_function_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one in a callback of LLVM, which cannot pass on an exception."""
    from numba.core.codegen import JITCodeLibrary

    fresh = Loop(double.plain)._compiled()
    finalize = JITCodeLibrary._finalize_specific

    def interrupted(library: JITCodeLibrary) -> None:
        signal.raise_signal(signal.SIGINT)
        finalize(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", interrupted)
    # Processes that a shell starts in the background ignore SIGINT unless they say otherwise.
    with handlers([signal.SIGINT], signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        fresh(3.0)
    assert len(fresh.signatures) == 1  # type: ignore[attr-defined]
    assert fresh(3.0) == 6.0
