"""Many fits as tasks of joblib: the same bits and warnings on every backend, a progress bar, interruption.

A class may share work among the values of one parameter. Besides `fit` it then defines `_path_parameter`, the
name of the parameter, and ``_fit_path(X, values)``, an iterator over copies, one for each of the ascending
values. Their `gap_objective_` and `get_support` equal those of separate fits bit for bit; other attributes
may be missing.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pickle import PicklingError
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from sparsek.core.checkpoint import Checkpoint
from sparsek.core.progress import ProgressBar
from sparsek.core.steps import Array
from sparsek.errors import (
    ColumnWarning,
    EmptyRowWarning,
    PrecisionWarning,
    PredictionWarning,
    ScaleWarning,
    callers_level,
)
from sparsek.inputs.threads import thread_control

Result = TypeVar("Result")
PROGRAM = uuid4().hex
"""Identifies this program: on another machine a process may have the same number (a fork has another one)."""

_OF_PARENTS: list[Any] = []
"""Pools of joblib in the parents of a forked process. They are kept alive, because their end would reach
there."""


def _forget_pool() -> None:
    """Let joblib make a pool of its own in a fork: to that of the parent tasks never come from here."""
    loky: Any = sys.modules.get("joblib.externals.loky.reusable_executor")
    if loky is not None:
        _OF_PARENTS.append(getattr(loky, "_executor", None))
        loky._executor = None


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_pool)

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""Errors of a system that cannot write more."""


class _BarParallel(Parallel):
    """joblib's Parallel with a progress bar, whatever the backend."""

    def __init__(self, bar: Any, done: int, **options: Any) -> None:
        super().__init__(**options)
        self._bar, self._done = bar, done

    def print_progress(self) -> None:
        """Update the bar to the number of finished tasks; joblib calls this after each task."""
        self._bar.update(self._done + self.n_completed_tasks - self._bar.n)


def run_tasks(
    work: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    n_jobs: int | None,
    verbose: int,
    unit: str,
    checkpoint: Checkpoint | None = None,
) -> list[Result]:
    """Run ``work(*task, stop)`` for every task; joblib shares arrays among processes.

    When the list `stop` is not empty, the user has interrupted and threads must end. With a checkpoint,
    results are arrays, each process stores its finished tasks there, and stored tasks are not run again.
    """
    stop: list[bool] = []
    config = get_config()  # neither threads nor processes inherit it
    results: list[Any] = [checkpoint.load(number) if checkpoint else None for number in range(len(tasks))]
    missing = [number for number, result in enumerate(results) if result is None]
    done = len(tasks) - len(missing)
    with ProgressBar(total=len(tasks), initial=done, unit=unit, disable=None if verbose else True) as bar:
        try:
            found = _BarParallel(bar, done, n_jobs=n_jobs)(
                delayed(_run)(work, tasks[number], stop, (PROGRAM, os.getpid()), checkpoint, number, config)
                for number in missing
            )
        except (PicklingError, OSError) as error:
            if lack := _lack_of_room(error):
                raise OSError(
                    f"no room to share the data with the processes of n_jobs={n_jobs} ({lack}); make room in "
                    "the temporary folder, name another one by the environment variable JOBLIB_TEMP_FOLDER, "
                    "or give n_jobs=1"
                ) from None
            raise
        finally:
            stop.append(True)  # ends threads after an interruption; joblib ends processes
    for message in (message for _, messages in found for message in messages):
        warnings.warn(message, stacklevel=2)
    for number, (result, _) in zip(missing, found, strict=True):
        results[number] = result
    return results


def _lack_of_room(error: Exception) -> str:
    """What the system says where joblib could not write its files; else empty.

    joblib hides the error in a PicklingError. The cause of an OSError is of other files, as a checkpoint's.
    """
    texts = [str(error)] if isinstance(error, OSError) else [str(error), str(error.__cause__)]
    numbers = [int(number) for text in texts for number in re.findall(r"\[Errno (\d+)\]", text)]
    return next((os.strerror(number) for number in numbers if number in NO_ROOM), "")


def fit_settings(
    estimator: Any,
    settings: Sequence[dict[str, Any]],
    X: Array,
    seed: int,
    *,
    y: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    complete: bool = False,
) -> Iterator[Any]:
    """Copies of the estimator, one fitted with each setting; with `complete` they have all attributes."""
    params = dict(fit_params or {})
    name = next(reversed(settings[0]), "")
    if complete or y is not None or params or not _knows_path(estimator, name):
        for setting in settings:
            model = configured_copy(estimator, setting, seed)
            yield model.fit(X, **params) if y is None else model.fit(X, y, **params)
        return
    for _, run in groupby(settings, key=lambda setting: list(setting.values())[:-1]):
        part = list(run)
        yield from configured_copy(estimator, part[0], seed)._fit_path(X, [setting[name] for setting in part])


def configured_copy(estimator: Any, setting: dict[str, Any], seed: int) -> Any:
    """A copy of the estimator with the parameters and every random_state set."""
    copy = clone(estimator).set_params(**setting)
    states = [key for key in copy.get_params() if key == "random_state" or key.endswith("__random_state")]
    return copy.set_params(**dict.fromkeys(states, seed))


def draw_seed(rng: np.random.Generator) -> int:
    """A seed for fits: the next draw of a stream."""
    return int(rng.integers(2**31 - 1))


def last_step(estimator: Any) -> Any:
    """The clusterer: the last step of a Pipeline, else the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


@contextmanager
def summed_up(*, without: tuple[type[Warning], ...] = ()) -> Iterator[None]:
    """Make fits give the same bits everywhere; at the end, give their warnings in summary, except some."""
    with _settled() as found:
        yield
    _pass_on([entry.message for entry in found if not isinstance(entry.message, without)])


@contextmanager
def _settled() -> Iterator[list[Any]]:
    """One BLAS thread, so that bits do not depend on where a fit runs; warnings are collected, not shown."""
    with warnings.catch_warnings(record=True) as found, thread_control().limit(limits=1):
        warnings.simplefilter("always")
        yield found


def _run(
    work: Callable[..., Result],
    task: tuple[Any, ...],
    stop: list[bool],
    program: tuple[str, int],
    checkpoint: Checkpoint | None,
    number: int,
    config: dict[str, Any],
) -> tuple[Result, list[Warning]]:
    """Run one task; return its result and, if run in another process, its warnings."""
    found: list[Any] = []
    with config_context(**config):
        if program == (PROGRAM, os.getpid()):
            result = work(*task, stop)  # `_settled` is active here; its changes would affect all threads
        else:
            with _settled() as found:
                result = work(*task, stop)
    if checkpoint and not stop:
        checkpoint.save(number, np.asarray(result))
    return result, [entry.message for entry in found]


def _knows_path(estimator: Any, name: str) -> bool:
    """Whether work is shared among the values of the parameter, by a class that no other `fit` overrides."""
    first = next(
        (base for base in type(estimator).__mro__ if {"fit", "_fit_path"} & vars(base).keys()), object
    )
    return "_fit_path" in vars(first) and vars(first)["_path_parameter"] == name


def _pass_on(found: list[Warning]) -> None:
    """Give one warning about convergence, with the count, one about scales, one about columns, others once.

    Those of entries and of rows of resamples are left out: the search has looked at the data themselves. So
    are those of predictions for the rows of a fit, which no search makes.
    """
    found = [w for w in found if not isinstance(w, PrecisionWarning) or w.row is None]
    found = [w for w in found if not isinstance(w, PredictionWarning | EmptyRowWarning)]
    convergence = sorted(str(warning) for warning in found if isinstance(warning, ConvergenceWarning))
    if convergence:
        message = f"{len(convergence)} warnings about convergence in the fits, such as: {convergence[0]}"
        warnings.warn(message, ConvergenceWarning, stacklevel=callers_level())
    others = [warning for warning in found if not isinstance(warning, ConvergenceWarning)]
    different = {
        (type(warning), "" if isinstance(warning, ScaleWarning | ColumnWarning) else str(warning)): warning
        for warning in reversed(others)
    }
    for warning in reversed(different.values()):
        warnings.warn(warning, stacklevel=callers_level())
