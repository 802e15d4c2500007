"""Faults of doing several things at once: forks, threads, processes and interrupts, with and without numba.

``python -m validation.fuzz.concurrency <function> <arguments>`` is a process of a scenario.
"""

import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

from joblib import Parallel, delayed

from validation.fuzz.faults import Outcome, data, digest, finish, judge, start, together

ENGINES = ("numpy", "compiled")
WAYS = ("fork", "threads", "processes")
DELAYS = (0.3, 1.0, 2.0)
"""Seconds after which a fit is interrupted; numba compiles during the first of them."""
AGAIN = 1.0
"""Seconds until the next interrupt of a fit that has not ended: one that comes in a ``__del__`` is lost."""


def fit_once(engine: str, seed: int = 0) -> str:
    """Checksum of the labels of three fits."""
    import sparsek
    from sparsek.engine import set_engine

    warnings.simplefilter("ignore")
    X = data()
    models = (sparsek.SKFR(3, 3), sparsek.SparseKMeans(3, l1_bound=1.5), sparsek.KPod(3))
    with set_engine(engine):  # type: ignore[arg-type]
        return digest(*(model.set_params(n_init=3, random_state=seed).fit(X).labels_ for model in models))


def fit_at_once(engine: str, way: str) -> str:
    """The same after a fit in this process, four times at once; the answers that occur."""
    found, four = [fit_once(engine)], [engine] * 4
    if way == "fork":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found += pool.map(fit_once, four)
    elif way == "threads":
        with ThreadPoolExecutor(4) as threads:
            found += threads.map(fit_once, four)
    else:
        found += Parallel(n_jobs=2)(delayed(fit_once)(one) for one in four)
    return " ".join(sorted(set(found)))


def press_until(ended: threading.Event, delay: float) -> None:
    """Interrupt this process after a delay, then again until the event; print how often more than once."""
    times = 0
    while not ended.wait(delay if times == 0 else AGAIN):
        os.kill(os.getpid(), signal.SIGINT)
        times += 1
    if times > 1:
        print(f"interrupted {times} times until the fit ended", file=sys.stderr)


def fit_after_interrupts(engine: str) -> str:
    """The same after fits that were interrupted."""
    import sparsek
    from sparsek.engine import set_engine

    signal.signal(signal.SIGINT, signal.default_int_handler)
    large = data(4000, 60)
    fit_once("numpy")  # an interrupt of an import may leave a half of other packages behind
    for delay in DELAYS:
        ended = threading.Event()
        user = threading.Thread(target=press_until, args=(ended, delay))
        user.start()
        try:
            with set_engine(engine):  # type: ignore[arg-type]
                while True:
                    sparsek.SparseKMeans(5, l1_bound=3.0, n_init=20, n_jobs=2).fit(large)
        except KeyboardInterrupt:
            ended.set()
        user.join()
    return fit_once(engine)


@cache
def expected() -> str:
    """What all processes must find."""
    return fit_once("numpy")


def at_once(engine: str, way: str) -> Outcome:
    """Four fits at once have the labels of one."""
    found = judge(finish(start(fit_at_once, engine, way)), expected())
    return together(f"{way} at once, {engine}", found)


def interrupted(engine: str) -> Outcome:
    """Interrupts end fits, and leave nothing behind that changes the next one."""
    ended = finish(start(fit_after_interrupts, engine))
    outcome, detail = judge(ended, expected())
    return Outcome(f"interrupts, {engine}", outcome, detail or ended.errors.strip())


SCENARIOS: tuple[Callable[[], Outcome], ...] = (
    *(partial(at_once, engine, way) for engine in ENGINES for way in WAYS),
    *(partial(interrupted, engine) for engine in ENGINES),
)
"""The scenarios; each gives an `Outcome`."""


if __name__ == "__main__":
    print(globals()[sys.argv[1]](*sys.argv[2:]))
