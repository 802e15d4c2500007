"""Parameters of the estimators: valid ones and invalid ones, mostly from `_parameter_constraints`."""

import inspect
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import (
    Interval,
    Options,
    generate_invalid_param_val,
    generate_valid_param,
    make_constraint,
)

from validation.fuzz.values import Matrix, Random

QUICK: dict[str, dict[str, Any]] = {
    "SKFR": {"n_init": 3},
    "IFPCA": {"n_init": 3, "n_null": 20, "cache": False},
    "SpectralGEM": {"n_init": 3},
    "DEC": {
        "n_components": 2,
        "hidden_sizes": (4,),
        "layer_epochs": 1,
        "finetune_epochs": 1,
        "max_iter": 20,
        "tol": 0.5,
    },
}
"""Settings with which a fit takes milliseconds; all others have two starts."""
COSTLY = {
    "n_init": 3,
    "n_null": 30,
    "layer_epochs": 2,
    "finetune_epochs": 2,
    "n_resamples": 4,
    "n_permutations": 2,
    "max_iter": 60,
    "inner_max_iter": 30,
    "n_components": 4,
    "update_interval": 50,
    "batch_size": 300,
    "degree": 5,
    "patience": 5,
    "n_neighbors": 12,
    "version": 3,
}
"""Largest valid values, where larger ones take long by what they ask for."""
ODD: tuple[Any, ...] = (
    "x",
    "",
    "false",
    "2",
    b"2",
    -1,
    0,
    0.5,
    1.0,
    2.5,
    1e-300,
    1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
    True,
    None,
    10**9,
    2**64,
    np.int8(2),
    np.float32(1.5),
    np.bool_(True),
    np.array(2),
    np.array([1.0, 2.0]),
    [],
    [1, 2],
    (3,),
    {},
    1j,
    object,
)
"""Values that people and programs pass by mistake."""
LEFT_OUT = ("cache", "checkpoint", "checkpoint_every", "n_jobs", "verbose", "blas_threads", "null_seed")
"""Parameters with outside effects, and those that change nothing in the result."""


def base_settings(cls: type, r: Random) -> dict[str, Any]:
    """Quick valid settings."""
    names = cls._get_param_names()  # type: ignore[attr-defined]  # of scikit-learn's BaseEstimator
    settings: dict[str, Any] = {"n_clusters": int(r.integers(1, 5))} if "n_clusters" in names else {}
    settings |= {"n_init": 2} if "n_init" in names else {}
    settings |= {"random_state": int(r.integers(2**31))} if "random_state" in names else {}
    return settings | QUICK.get(cls.__name__, {})


def change_valid(cls: type, settings: dict[str, Any], X: Matrix, r: Random) -> dict[str, Any]:
    """The settings with one to three further valid values."""
    fixed = (*LEFT_OUT, "n_clusters", "random_state")
    names = [name for name in cls._get_param_names() if name not in fixed]  # type: ignore[attr-defined]
    changed = dict(settings)
    for name in r.choice(names, size=min(len(names), int(r.integers(1, 4))), replace=False):
        if name in STRUCTURED:
            changed[str(name)] = STRUCTURED[name](X, settings.get("n_clusters", 2), r)
        else:
            found = valid_value(cls, str(name), r)
            if found is not None:
                changed[str(name)] = found[0]
    return changed


def change_odd(cls: type, settings: dict[str, Any], r: Random) -> tuple[dict[str, Any], str]:
    """The settings with one odd value; and its name if it must be refused, else empty."""
    names = [name for name in cls._get_param_names() if name not in LEFT_OUT]  # type: ignore[attr-defined]
    name = str(r.choice(names))
    constraints = _constraints(cls, name)
    value = ODD[int(r.integers(len(ODD)))]
    if constraints and r.random() < 0.3:
        invalid = [_invalid(constraint) for constraint in constraints]
        invalid = [entry for entry in invalid if entry]
        if invalid:
            value = invalid[int(r.integers(len(invalid)))][0]
    largest = COSTLY.get(name)
    if largest is not None and name != "max_iter" and isinstance(value, int | float) and value > largest:
        value = "x"
    if name == "random_state" and value is None:
        value = "x"  # other results each time are what None asks for
    refused = bool(constraints) and not any(_accepts(constraint, value) for constraint in constraints)
    default = inspect.signature(cls).parameters[name].default
    refused = refused or (isinstance(default, bool) and not isinstance(value, bool | np.bool_ | int | float))
    return {**settings, name: value}, f"{name}={value!r}" if refused else ""


def valid_value(cls: type, name: str, r: Random) -> tuple[Any] | None:
    """A valid value in a tuple; None where the constraints name none that can be drawn."""
    constraints = _constraints(cls, name)
    if not constraints:
        return None
    constraint = constraints[int(r.integers(len(constraints)))]
    kind = type(constraint).__name__
    if isinstance(constraint, Interval):
        return (_inside(constraint, COSTLY.get(name), r),)
    if isinstance(constraint, Options):
        # What a function takes and returns differs by parameter, which no constraint says.
        options = sorted((option for option in constraint.options if not callable(option)), key=str)
        return (options[int(r.integers(len(options)))],) if options else None
    if kind in ("_Booleans", "_NoneConstraint"):
        return (bool(r.random() < 0.5) if kind == "_Booleans" else None,)
    return None


def _inside(interval: Interval, largest: float | None, r: Random) -> Any:
    """A number in an interval, often one of its ends."""
    whole = interval.type is Integral
    low = interval.left if interval.left is not None and np.isfinite(interval.left) else -3
    high = interval.right if interval.right is not None and np.isfinite(interval.right) else low + 10
    high = min(high, largest) if largest is not None else high
    if whole:
        values = [low, low + 1, high, int(r.integers(low, max(high, low) + 1))]
    else:
        values = [
            low,
            high,
            float(r.uniform(low, max(high, low))),
            low + 1e-9,
            float(low + 10.0 ** r.uniform(-3, 1)),
        ]
    values = [value for value in values if value in interval and (largest is None or value <= largest)]
    return values[int(r.integers(len(values)))] if values else generate_valid_param(interval)


def _constraints(cls: type, name: str) -> list[Any]:
    """The constraints of a parameter as scikit-learn's objects; empty without any."""
    found = getattr(cls, "_parameter_constraints", {}).get(name, [])
    return [] if isinstance(found, str) else [make_constraint(constraint) for constraint in found]


def _invalid(constraint: Any) -> tuple[Any] | None:
    """An invalid value for a constraint in a tuple, if there is one."""
    try:
        return (generate_invalid_param_val(constraint),)
    except NotImplementedError:
        return None


def _accepts(constraint: Any, value: Any) -> bool:
    """Whether a value satisfies a constraint; values that cannot be compared do not."""
    try:
        return bool(constraint.is_satisfied_by(value))
    except (TypeError, ValueError):
        return False


def _init(X: Matrix, k: int, r: Random) -> Any:
    """A start: a name, rows, centres, labels or a callable."""
    rows = r.choice(len(X), size=min(k, len(X)), replace=False) if len(X) else np.zeros(0, int)
    starts = [
        "k-means++",
        "random",
        "dkm++",
        "robin",
        "maximin",
        rows,
        X[rows],
        r.integers(0, k, size=len(X)),
    ]
    return starts[int(r.integers(len(starts)))]


def _groups(X: Matrix, k: int, r: Random) -> Any:
    """Groups of features: none, labels of each, or the features of each label, with one left out or not."""
    p = X.shape[1]
    labels = r.integers(0, 3, size=p)
    mapping = {f"group {g}": np.flatnonzero(labels == g) for g in np.unique(labels).tolist()}
    names = np.array([f"group {g}" for g in labels.tolist()])
    return [labels, names, np.arange(p), mapping, {"group 0": [0]}, None][int(r.integers(6))]


def _features(X: Matrix, k: int, r: Random) -> Any:
    """Some features: none, indices, a mask, or an index that is none."""
    p = X.shape[1]
    few = r.choice(p, size=min(p, 2), replace=False) if p else np.zeros(0, int)
    return [None, [], few, r.random(p) < 0.3, [p]][int(r.integers(5))]


def _bound(X: Matrix, k: int, r: Random) -> Any:
    """A bound on the L1 norm of weights."""
    top = float(np.sqrt(max(1, X.shape[1])))
    return float(r.choice([1.0, 1.0 + 1e-9, top, r.uniform(1.0, max(1.0, top))]))


def _selected(X: Matrix, k: int, r: Random) -> Any:
    """A number or share of features."""
    p = max(1, X.shape[1])
    return [1, p, int(r.integers(1, p + 1)), 0.5, 0.01, 1.0][int(r.integers(6))]


def _kernel(X: Matrix, k: int, r: Random) -> Any:
    """A kernel: a name, a matrix or a function."""
    return ["gaussian", "polynomial", "linear", "cosine"][int(r.integers(4))]


def _order(X: Matrix, k: int, r: Random) -> Any:
    """An order of the rows."""
    return r.permutation(len(X))


def _memory(X: Matrix, k: int, r: Random) -> Any:
    """A limit of memory: plenty, or too little."""
    return [1, 1e3, "10 kB", "1MB", 1e9][int(r.integers(5))]


def _scale(X: Matrix, k: int, r: Random) -> Any:
    """Factors of the variance by replicates: none, one, or one for each of a number of them."""
    return [None, 0.0, 0.5, np.full(4, 0.5), [1.0, 2.0, 3.0]][int(r.integers(5))]


def _absolute(X: Matrix, k: int, r: Random) -> Any:
    """A positive number of any size."""
    return float(10.0 ** r.uniform(-6, 6))


STRUCTURED: dict[str, Callable[[Matrix, int, Random], Any]] = {
    "init": _init,
    "groups": _groups,
    "always": _features,
    "never": _features,
    "categories": _features,
    "l1_bound": _bound,
    "n_features_to_select": _selected,
    "kernel": _kernel,
    "order": _order,
    "memory_limit": _memory,
    "gamma": _absolute,
    "group_gamma": _absolute,
    "feature_gamma": _absolute,
    "width": _absolute,
    "scale": _scale,
}
"""Parameters whose valid values depend on the data, or have more structure than a range."""
