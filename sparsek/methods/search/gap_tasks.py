"""The fits behind PermutationGap: one task per data set, in `_tasks`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsek.core.checkpoint import Checkpoint
from sparsek.core.steps import Array
from sparsek.core.tasks import configured_copy, draw_seed, fit_settings, last_step, run_tasks
from sparsek.methods.search.row_arguments import RowArguments

REPEATED = "a row of weight m is shuffled as m rows"
"""Why weights must be whole numbers."""
DEFAULT_VALUES = 10
"""Number of bounds in the default grid, as in sparcl."""


@dataclass(frozen=True, slots=True)
class Task:
    """Settings that are the same for every data set."""

    estimator: Any  # Copied for every fit
    settings: list[dict[str, Any]]  # Parameters by name, for every fit
    # Gives the objective of a fitted estimator; None for its `gap_objective_`
    objective: Callable[[Any], float] | None


@dataclass(frozen=True, slots=True)
class Fits:
    """Results of the fits to one data set, one entry per setting."""

    objectives: Array
    n_selected: Array


def parameter_values(given: Any, name: str, p: int) -> list[Any]:
    """The parameter's values, sorted, without repeats; their types are kept."""
    if given is None:
        if name.rpartition("__")[2] != "l1_bound":
            raise ValueError(f"param_range=None has values for an l1_bound only; give values of {name}")
        # sparcl's default bounds run from 1.2 to 0.9 sqrt(p) too.
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
    task: Task,
    X: Array,
    given: RowArguments,
    seeds: Sequence[np.random.SeedSequence],
    n_jobs: int | None,
    verbose: int,
    checkpoint: Checkpoint | None = None,
) -> list[Fits]:
    """Fit every setting to the data (first seed) and to shuffled data; joblib shares X among processes."""
    tasks = [(task, X, given, seed, number > 0) for number, seed in enumerate(seeds)]
    found = run_tasks(_fit_values, tasks, n_jobs, verbose, "data set", checkpoint)
    return [Fits(objectives, counts.astype(int)) for objectives, counts in found]


def refit(
    task: Task,
    setting: dict[str, Any],
    X: ArrayLike,
    given: RowArguments,
    seed: np.random.SeedSequence,
) -> Any:
    """The estimator fitted to the data as in the first task, with the same seed."""
    best = configured_copy(task.estimator, setting, draw_seed(np.random.default_rng(seed)))
    return best.fit(X, **given.for_fit())


def _fit_values(
    task: Task,
    X: Array,
    given: RowArguments,
    seed: np.random.SeedSequence,
    shuffle: bool,
    stop: list[bool],
) -> Array:
    """Fit all settings to one data set: objectives in the first row, numbers of features in the second."""
    rng = np.random.default_rng(seed)
    # All settings of a data set share one seed, so that their fits differ by the setting alone.
    estimator_seed = draw_seed(rng)
    data = X
    if shuffle:
        data, given = given.repeated(X, REPEATED)
        data = given.shuffled(data, rng)
    complete = task.objective is not None
    fitted = fit_settings(
        task.estimator, task.settings, data, estimator_seed, complete=complete, fit_params=given.for_fit()
    )
    found = np.full((2, len(task.settings)), np.nan)
    for column, setting in zip(found.T, task.settings, strict=True):
        if stop:
            break
        fit = next(fitted)
        where = ", ".join(f"{name}={value!r}" for name, value in setting.items())
        column[:] = _objective(fit, task.objective, where), _count_selected(fit, data.shape[1])
    return found


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
