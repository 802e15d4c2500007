"""What must change no answer: an earlier fit, a later parameter, the total of weights, groups of one."""

import copy
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from sparsek.errors import PrecisionWarning
from validation.fuzz import containers, parameters
from validation.fuzz.invariants import (
    Fit,
    check_all,
    in_own_units,
    require,
    results,
    same_labels,
    same_numbers,
)
from validation.fuzz.values import GENERIC

FAR = 2.0**24 - 64
"""Whole numbers from here on are exact in single precision, and their means are not."""
GROUPED = ("SKFR", "SparseKMeans")
"""Estimators for which groups of one feature each are no groups."""
COPIES = {"MADDKMeans": "the mean of two rows leaves out one copy of each, whatever their number"}
"""Estimators whose weights are numbers of copies, so that their total counts, with the reason."""
COLUMNS = 100
"""So many columns have shares with two decimals that are whole numbers of columns."""


def after_another(fit: Fit) -> None:
    """A fit after one of the same object to other rows, with other parameters, is a first fit."""
    if fit.plain is None or fit.options:
        return
    model, own = clone(fit.model), fit.model.get_params(deep=False)
    kept = (*parameters.COSTLY, *parameters.LEFT_OUT, *parameters.QUICK.get(fit.name, {}))
    known = inspect.signature(type(model)).parameters
    defaults = {
        name: known[name].default
        for name in own
        if name in known and name not in kept and known[name].default is not inspect.Parameter.empty
    }
    if isinstance(own.get("n_clusters"), int):
        defaults["n_clusters"] = min(2, own["n_clusters"])
    try:
        model.set_params(**defaults).fit(fit.plain[: -(-2 * len(fit.plain) // 3)])
    except (ValueError, TypeError, NotImplementedError):
        return
    again, first = model.set_params(**own).fit(fit.X), fit.again(fit.X)
    require(results(again).keys() == results(first).keys(), "an earlier fit leaves attributes")
    require(same_numbers(results(again), results(first)), "an earlier fit changes this one")


def before_parameters(fit: Fit) -> None:
    """Parameters that are set after a fit change no answer before the next one."""
    model = copy.deepcopy(fit.model)
    means = (*parameters.LEFT_OUT, "memory_limit", "estimator")  # of computing, and what is fitted inside
    names = [name for name in model.get_params(deep=False) if name not in means]
    before = _answers(model, fit)
    for name in fit.r.permutation(names)[:4].tolist():
        value = parameters.valid_value(type(model), name, fit.r)
        if value is not None:
            model.set_params(**{name: value[0]})
            same = same_numbers(before, _answers(model, fit))
            require(same, f"{name}={value[0]!r}, set after the fit, changes its answers")


def _answers(model: Any, fit: Fit) -> dict[str, Any]:
    """What a fit says of its own data."""
    found = {}
    for name in ("predict", "transform", "score"):
        method = getattr(model, name, None)
        try:
            found[name] = None if method is None else method(fit.X, **fit.of_rows(method))
        except (ValueError, TypeError, NotImplementedError):
            found[name] = None  # not every data can be asked
    return found


def with_small_weights(fit: Fit) -> None:
    """Weights that add up to 1 give the labels of the same weights, many times as large."""
    takes = "sample_weight" in inspect.signature(fit.model.fit).parameters
    if not takes or fit.name in COPIES or fit.options or fit.kind not in GENERIC or fit.container != "array":
        return
    if in_own_units(fit):  # a penalty counts beside sums over the rows
        return
    weights = fit.r.uniform(0.5, 2, len(fit.plain))
    weights /= weights.sum()
    # Columns of other units: without standardising, the largest one has the clusters.
    X = fit.plain * 10.0 ** fit.r.integers(-2, 3, size=fit.plain.shape[1])
    try:
        small = clone(fit.model).fit(X, sample_weight=weights)
        large = clone(fit.model).fit(X, sample_weight=weights * 2.0**20)
    except (ValueError, TypeError):
        return  # refused with a reason, where n - 1 enters
    require(same_labels(small, large), "weights that add up to 1 give other labels than larger ones")


def in_single_precision(fit: Fit) -> None:
    """Whole numbers far from 0, exact in both precisions, give the same labels, or a warning."""
    if fit.kind not in GENERIC or fit.container != "array" or fit.options or fit.plain is None:
        return
    if not isinstance(fit.model.get_params().get("init", ""), str):
        return
    X = np.rint(3 * fit.plain / (fit.plain.std() or 1.0)) + FAR
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            double, single = fit.again(X), fit.again(X.astype(np.float32))
        except (ValueError, TypeError):
            return
    told = any(issubclass(entry.category, PrecisionWarning) for entry in caught)
    require(told or same_labels(double, single), "other labels for the same whole numbers as float32")


def with_a_share(fit: Fit) -> None:
    """A share of 100 columns with two decimals selects as many columns as it says."""
    if fit.name != "SKFR" or fit.plain is None or fit.options or fit.container != "array":
        return
    X = np.tile(fit.plain, (1, COLUMNS // fit.plain.shape[1] + 1))[:, :COLUMNS]
    count = int(fit.r.integers(1, COLUMNS))
    model = type(fit.model)(fit.model.n_clusters, count / COLUMNS, n_init=1, random_state=0).fit(X)
    selected = int(model.get_support().sum())
    require(selected == count, f"the share {count / COLUMNS} of {COLUMNS} selects {selected}")


def with_groups_of_one(fit: Fit) -> None:
    """Groups of one feature each change no bit."""
    own = fit.model.get_params(deep=False)
    if fit.name not in GROUPED or own["groups"] is not None or fit.container != "array" or fit.plain is None:
        return
    names = ("always", "never", "categories")
    if any(own.get(name) is not None for name in names) or own.get("projection") is not None:
        return
    if own.get("loss", "squared") == "cosine":
        return
    plain, grouped = results(fit.model), results(fit.again(fit.X, groups=np.arange(fit.plain.shape[1])))
    common = {name for name in {*plain, *grouped} if not name.startswith(("group", "selected_group"))}
    same = all(name in plain and name in grouped for name in common)
    same = same and same_numbers(
        {name: plain[name] for name in common}, {name: grouped[name] for name in common}
    )
    require(same, "groups of one feature each change the fit")


UNCHANGED: tuple[Callable[[Fit], None], ...] = (
    after_another,
    before_parameters,
    with_small_weights,
    in_single_precision,
    with_a_share,
    with_groups_of_one,
)
"""Of these each call checks two."""


def check(fit: Fit) -> None:
    """Check two of these; tables with categories are no array of numbers."""
    if fit.container not in containers.CATEGORIES:
        check_all([UNCHANGED[i] for i in fit.r.choice(len(UNCHANGED), size=2, replace=False)], fit)
