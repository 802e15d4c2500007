"""The fits behind PermutationGap: one task per data set, on any joblib backend, the same bits on each.

A class may share work among the values of one parameter. Beside `fit` it then defines `_path_parameter`, the
name, and ``_fit_path(X, values)``, an iterator over copies, one for each of the ascending values, whose
`gap_objective_` and `get_support` are bit for bit those of separate fits; other attributes may be missing.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from numbers import Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from tqdm import tqdm

from sparsek.core.kernels import Array
from sparsek.core.lloyd import thread_control

DEFAULT_VALUES = 10
"""Number of bounds in the default grid, as in sparcl."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is the same for every data set.

    Attributes
    ----------
    estimator : estimator
        Copied for every fit.
    settings : list of dict
        Parameters by name, for every fit.
    objective : callable or None
        Gives the objective of a fitted estimator; None for its `gap_objective_`.
    """

    estimator: Any
    settings: list[dict[str, Any]]
    objective: Callable[[Any], float] | None


@dataclass(frozen=True, slots=True)
class Fits:
    """The fits to one data set, one entry per setting, and the warnings if another process made them."""

    objectives: list[float]
    n_selected: list[int]
    warnings: list[Warning]


class _BarParallel(Parallel):
    """joblib's Parallel with a progress bar, whatever the backend."""

    def __init__(self, bar: Any, **options: Any) -> None:
        super().__init__(**options)
        self._bar = bar

    def print_progress(self) -> None:
        """Bring the bar up to the number of finished tasks; joblib calls this after each."""
        self._bar.update(self.n_completed_tasks - self._bar.n)


def parameter_values(given: Any, name: str, p: int) -> list[Any]:
    """The parameter's values, ascending, without repeats, of the type in which they were given."""
    if given is None:
        if name.rpartition("__")[2] != "l1_bound":
            raise ValueError(f"param_range=None has values for an l1_bound only; give values of {name}")
        top = 0.9 * np.sqrt(p)
        return np.geomspace(1.2, top, DEFAULT_VALUES).tolist() if top > 1.2 else [1.0]
    if isinstance(given, str) or not np.iterable(given):
        raise TypeError(f"param_range must be a sequence of numbers; got {given!r}")
    values = given.tolist() if isinstance(given, np.ndarray) else list(given)
    bad = [value for value in values if isinstance(value, bool | np.bool_) or not isinstance(value, Real)]
    if bad:
        raise TypeError(f"param_range must hold numbers; got {bad[0]!r}")
    if not values or not np.isfinite(values).all():
        raise ValueError(f"param_range must hold at least one value and only finite ones; got {values}")
    return sorted(set(values))


def parameter_grid(names: Any, ranges: Any, p: int) -> dict[str, list[Any]]:
    """The values of every parameter, by name; `ranges` has one entry for each of several names."""
    if isinstance(names, str):
        return {names: parameter_values(ranges, names, p)}
    entries = [] if isinstance(ranges, str) or not np.iterable(ranges) else list(ranges)
    if len(entries) != len(names):
        raise ValueError(
            f"param_range must hold one sequence of values for each of {tuple(names)!r}; got {ranges!r}"
        )
    return {name: parameter_values(given, name, p) for name, given in zip(names, entries, strict=True)}


def fit_data_sets(
    task: Task, X: Array, seeds: Sequence[np.random.SeedSequence], n_jobs: int | None, verbose: int
) -> list[Fits]:
    """Fit every setting to the data (first seed) and to shuffled data; joblib shares X among processes."""
    stop: list[bool] = []
    with tqdm(total=len(seeds), unit="data set", disable=None if verbose else True) as bar:
        try:
            results = _BarParallel(bar, n_jobs=n_jobs)(
                delayed(_fit_values)(task, X, seed, number > 0, stop, os.getpid())
                for number, seed in enumerate(seeds)
            )
        finally:
            stop.append(True)  # threads of this process see it, when interrupted; others are ended by joblib
    for message in (message for fits in results for message in fits.warnings):
        warnings.warn(message, stacklevel=2)
    return results


def refit(task: Task, setting: dict[str, Any], X: ArrayLike, seed: np.random.SeedSequence) -> Any:
    """The estimator fitted to the data as the task of the first seed did."""
    return _prepare(task, setting, _estimator_seed(np.random.default_rng(seed))).fit(X)


def last_step(estimator: Any) -> Any:
    """The clusterer: the last step of a Pipeline, else the estimator itself."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


@contextmanager
def summed_up() -> Iterator[None]:
    """Conditions in which fits give the same bits everywhere; their warnings follow at the end, summed up."""
    with _settled() as found:
        yield
    _pass_on([entry.message for entry in found])


@contextmanager
def _settled() -> Iterator[list[Any]]:
    """One thread of BLAS, so that bits do not depend on where a fit runs; warnings are kept, not shown."""
    with warnings.catch_warnings(record=True) as found, thread_control().limit(limits=1):
        warnings.simplefilter("always")
        yield found


def _fit_values(
    task: Task, X: Array, seed: np.random.SeedSequence, shuffle: bool, stop: list[bool], main_process: int
) -> Fits:
    """All settings on one data set, in this process or another."""
    rng = np.random.default_rng(seed)
    estimator_seed = _estimator_seed(rng)
    data = rng.permuted(X, axis=0) if shuffle else X
    fits = Fits([], [], [])
    if os.getpid() == main_process:  # settled already; and what a thread changes, all threads see
        _add_fits(fits, task, data, estimator_seed, stop)
    else:
        with _settled() as found:
            _add_fits(fits, task, data, estimator_seed, stop)
        fits.warnings.extend(entry.message for entry in found)
    return fits


def _add_fits(fits: Fits, task: Task, data: Array, seed: int, stop: list[bool]) -> None:
    """Fit one setting after the other."""
    fitted = _fitted(task, data, seed)
    for setting in task.settings:
        if stop:
            break
        fit = next(fitted)
        where = ", ".join(f"{name}={value!r}" for name, value in setting.items())
        fits.objectives.append(_objective(fit, task.objective, where))
        fits.n_selected.append(_count_selected(fit, data.shape[1]))


def _fitted(task: Task, data: Array, seed: int) -> Iterator[Any]:
    """An estimator fitted with each setting, as far as the objective needs it."""
    name = list(task.settings[0])[-1]
    if task.objective is not None or not _knows_path(task.estimator, name):
        for setting in task.settings:
            yield _prepare(task, setting, seed).fit(data)
        return
    for _, run in groupby(task.settings, key=lambda setting: list(setting.values())[:-1]):
        settings = list(run)
        values = [setting[name] for setting in settings]
        yield from _prepare(task, settings[0], seed)._fit_path(data, values)


def _knows_path(estimator: Any, name: str) -> bool:
    """Whether the class whose `fit` is in force shares work among the values of the parameter."""
    owner = next((base for base in type(estimator).__mro__ if "fit" in vars(base)), object)
    return "_fit_path" in vars(owner) and vars(owner)["_path_parameter"] == name


def _estimator_seed(rng: np.random.Generator) -> int:
    """The seed of all fits to one data set: the first draw of its stream."""
    return int(rng.integers(2**31 - 1))


def _prepare(task: Task, setting: dict[str, Any], seed: int) -> Any:
    """A copy of the estimator with the parameters and every random_state set."""
    copy = clone(task.estimator).set_params(**setting)
    states = [key for key in copy.get_params() if key == "random_state" or key.endswith("__random_state")]
    return copy.set_params(**dict.fromkeys(states, seed))


def _objective(fit: Any, objective: Callable[[Any], float] | None, where: str) -> float:
    """The positive quantity whose logarithm the gap compares."""
    last = last_step(fit)
    if objective is None and not hasattr(last, "gap_objective_"):
        raise TypeError(
            f"{type(last).__name__} has no gap_objective_, so PermutationGap cannot know what to compare; "
            "give objective, a function of the fitted estimator that is larger for clearer clusters, such as "
            "1 / W for a criterion W that is minimised"
        )
    value = last.gap_objective_ if objective is None else objective(fit)
    if not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise ValueError(
            f"the objective must be a positive number, because the gap compares logarithms; got {value!r} at "
            f"{where}: use at least two clusters and data that are not constant, nor of extreme scale"
        )
    return float(value)


def _count_selected(fit: Any, n_features: int) -> int:
    """Number of features in use."""
    last = last_step(fit)
    return int(np.count_nonzero(last.get_support())) if hasattr(last, "get_support") else n_features


def _pass_on(found: list[Warning]) -> None:
    """Warn once about convergence, with the count, and of everything else once."""
    convergence = sorted(str(warning) for warning in found if isinstance(warning, ConvergenceWarning))
    if convergence:
        message = f"{len(convergence)} warnings about convergence in the fits, such as: {convergence[0]}"
        warnings.warn(message, ConvergenceWarning, stacklevel=5)
    others = [warning for warning in found if not isinstance(warning, ConvergenceWarning)]
    for warning in {(type(warning), str(warning)): warning for warning in others}.values():
        warnings.warn(warning, stacklevel=5)
