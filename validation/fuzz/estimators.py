"""Calls of the estimators: data, container, parameters, sample weights and constraints drawn at random."""

import inspect
from typing import Any

import numpy as np
import pandas as pd

import sparsek
from sparsek._registry import ESTIMATORS
from validation.fuzz import containers, invariants, parameters, sameness, values
from validation.fuzz.judge import Call
from validation.fuzz.values import Random

NAMES = tuple(row.name for row in ESTIMATORS)
GRIDS = {
    "ModelChoice": {"criteria": ("thinning", "blocks")},
    "ThinnedSearch": {"n_folds": 2},
    "PredictionStrength": {"n_resamples": 2},
    "SelectionConsistency": {"n_resamples": 3},
    "WeakestSeparation": {},
}
"""Searches with a dict of parameters, and what makes them quick."""
SEARCHES = (
    "PermutationGap", "EntryCrossValidation", "StabilitySelection", "ConsensusClustering", "FitUncertainty",
    "FeatureFDR", *GRIDS,
)  # fmt: skip


def make_call(name: str, r: Random) -> Call:
    """A call of `fit`."""
    cls = getattr(sparsek, name)
    kind, X = values.draw(r)
    container, held = containers.draw(X, r)
    settings, refuse = _search_settings(name, r) if name in SEARCHES else parameters.base_settings(cls, r), ""
    shape = X if X.ndim == 2 else np.zeros((len(X), 1))
    if r.random() < 0.6:
        settings = parameters.change_valid(cls, settings, shape, r)
    if r.random() < 0.2:
        settings, refuse = parameters.change_odd(cls, settings, r)
    options = _fit_options(cls, len(X), r)
    if getattr(cls, "_no_weights", None) is not None and r.random() < 0.05:
        options, refuse = {**options, "sample_weight": np.ones(len(X))}, "sample_weight"
    text = f"{name}({_words(settings)}).fit({kind} {X.shape} as {container}{_words(options, ', ')})"
    model: list[Any] = []

    def run() -> Any:
        model[:] = [cls(**settings)]
        return model[0].fit(held.X, **options)

    def check(fitted: Any, warned: list[str]) -> None:
        fit = invariants.Fit(fitted, kind, container, held.X, held.plain, options, warned, r)
        invariants.check(fit)
        sameness.check(fit)

    takes = container in containers.CATEGORIES and "categories" in inspect.signature(cls).parameters
    return Call(text, run, (held.X, settings, options), check, refuse if takes else held.refuse or refuse)


def _search_settings(name: str, r: Random) -> dict[str, Any]:
    """Quick settings of a search."""
    seed = {"random_state": int(r.integers(2**31))}
    inner = {
        "SKFR": sparsek.SKFR(2, n_init=2),
        "SparseKMeans": sparsek.SparseKMeans(2, n_init=2),
        "COSA": sparsek.COSA(2),
        "MADDKMeans": sparsek.MADDKMeans(2, n_init=2),
        "KPod": sparsek.KPod(2, n_init=2),
    }
    chosen = str(r.choice(list(inner), p=[0.4, 0.3, 0.1, 0.1, 0.1]))
    if name == "FeatureFDR":
        return {"estimator": inner[chosen], "fdr": 0.5, "n_null": 2, **seed}
    if name == "FitUncertainty":
        return {"estimator": inner[chosen], "n_resamples": 3, **seed}
    if name == "ConsensusClustering":
        return {"estimator": inner[chosen], "n_clusters": (2, 3), "n_resamples": 4, **seed}
    ranges: dict[str, tuple[str, Any]] = {
        "SKFR": ("n_features_to_select", [1, 2]),
        "SparseKMeans": ("l1_bound", [1.0, 1.3]),
    }
    counted = ("n_clusters", [1, 2, 3] if name == "WeakestSeparation" else [2, 3])
    param, grid = counted if name == "WeakestSeparation" else ranges.get(chosen, counted)
    if name in GRIDS:
        return {"estimator": inner[chosen], "params": {param: grid}, **GRIDS[name], **seed}
    counts = {"PermutationGap": {"n_permutations": 2}, "EntryCrossValidation": {"n_folds": 2}}
    count = counts.get(name, {"n_resamples": 4})
    return {"estimator": inner[chosen], "param_name": param, "param_range": grid, **count, **seed}


def _fit_options(cls: type, n: int, r: Random) -> dict[str, Any]:
    """Further arguments of `fit`: weights, labels or pairs, sometimes wrong ones."""
    known = inspect.signature(cls.fit).parameters  # type: ignore[attr-defined]
    options: dict[str, Any] = {}
    if "sample_weight" in known and r.random() < 0.3:
        options["sample_weight"] = _weights(n, r)
    if "replicate_weights" in known and r.random() < 0.3:
        options["replicate_weights"] = _replicates(n, r)
    if "batch" in known and r.random() < 0.2:
        options["batch"] = _batches(n, r)
    if "must_link" in known and r.random() < 0.6:
        options |= _pairs(n, r)
    return options


def _batches(n: int, r: Random) -> Any:
    """The batch of every row, some of them wrong."""
    two = r.integers(0, 2, size=n)
    kinds = [
        two,
        np.array(["west", "east"])[two],
        pd.Categorical.from_codes(two, ["b", "a"]),
        r.integers(0, max(1, n // 3), size=n).tolist(),
        np.zeros(n),
        np.arange(n),
        np.full(n, np.nan),
        [None] * n,
        np.zeros(n + 1),
        np.zeros((n, 1)),
        ["a", 1] * n,
        "x",
        2.0,
        {},
    ]
    return kinds[int(r.choice(len(kinds), p=_front(len(kinds), 5)))]


def _weights(n: int, r: Random) -> Any:
    """Weights of rows of many kinds, some of them wrong."""
    ones = np.ones(n)
    kinds = [
        ones,
        ones.tolist(),
        r.integers(0, 4, size=n),
        r.random(n),
        r.random(n) * 1e-300,
        r.random(n) * 1e300,
        np.zeros(n),
        -ones,
        np.full(n, np.nan),
        np.full(n, np.inf),
        np.ones(n + 1),
        np.ones((n, 1)),
        np.ma.MaskedArray(ones, ones > 0),
        2.0,
        "x",
        np.float32(r.random(n)),
    ]
    return kinds[int(r.choice(len(kinds), p=_front(len(kinds), 4)))]


def _replicates(n: int, r: Random) -> Any:
    """Weights of the replicates of a survey, some of them wrong."""
    kinds = [
        r.integers(0, 4, size=(n, 4)),
        1.0 + r.random((n, 3)),
        (1 - np.eye(n)).tolist(),
        np.ones((n, 1)),
        np.ones(n),
        -np.ones((n, 2)),
        np.full((n, 2), np.nan),
        np.ones((n + 1, 2)),
        "x",
    ]
    return kinds[int(r.choice(len(kinds), p=_front(len(kinds), 3)))]


def _pairs(n: int, r: Random) -> dict[str, Any]:
    """Must-links and cannot-links, or labels with -1 for unknown, some of them wrong."""
    if r.random() < 0.3:
        return {"y": r.integers(-1, 3, size=max(n, 0))}
    high = max(n, 1)
    kinds = [
        r.integers(0, high, size=(3, 2)),
        r.integers(0, high, size=(3, 2)).tolist(),
        r.integers(0, high, size=(8, 2)),
        [],
        np.array([[0, n + 5]]),
        np.array([[0, -1]]),
        np.array([[0.5, 1.0]]),
        np.array([[0, 0]]),
        [0, 1],
        "x",
        np.zeros((2, 3), dtype=int),
    ]
    options: dict[str, Any] = {}
    for name in ("must_link", "cannot_link"):
        if r.random() < 0.7:
            options[name] = kinds[int(r.choice(len(kinds), p=_front(len(kinds), 3)))]
    if r.random() < 0.2:
        weight = [0.0, 1e-3, 1e300, -1.0, np.nan, np.inf, "x", [1.0, 2.0], True]
        options["ml_weight" if r.random() < 0.5 else "cl_weight"] = weight[int(r.integers(len(weight)))]
    return options


def _front(count: int, good: int) -> Any:
    """Probabilities that give the first `good` of some choices two thirds."""
    weights = np.where(np.arange(count) < good, 2.0 / good, 1.0 / (count - good))
    return weights / weights.sum()


def _words(settings: dict[str, Any], start: str = "") -> str:
    """Arguments as text on one line, cut where they are long."""
    parts = [f"{name}={' '.join(repr(value).split())[:80]}" for name, value in settings.items()]
    return start * bool(parts) + ", ".join(parts)
