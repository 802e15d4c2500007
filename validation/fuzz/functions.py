"""Calls of the functions: starts, measures, paths, distances."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import sparsek
from sparsek import federated, init, metrics
from validation.fuzz import containers, parameters, values
from validation.fuzz.invariants import LARGE, numbers, require, same_numbers
from validation.fuzz.judge import Call
from validation.fuzz.values import GENERIC, Random

STARTS = ("dkm_plus_plus", "kmeans_plus_plus", "maximin", "random_rows", "robin")
MEASURES = (
    "clustering_error_rate",
    "misclassification_error",
    "mixed_class_nodes",
    "normalized_variation_of_information",
    "pairwise_f_score",
    "pairwise_scores",
    "variation_of_information",
)
RATES = ("false_negative_rate", "false_positive_rate")
ON_DATA: dict[str, Callable[[Any, Random], Any]] = {
    "local_outlier_factors": lambda X, r: init.local_outlier_factors(X, int(r.integers(1, 6))),
    "seeding": lambda X, r: init.seeding(X, int(r.integers(1, 5)), random_state=0),
    "dunn_index": lambda X, r: metrics.dunn_index(X, r.integers(0, 3, size=_rows(X))),
    "skfr_path": lambda X, r: sparsek.skfr_path(
        sparsek.SKFR(int(r.integers(1, 4)), n_init=2, random_state=0), X, [1, 2]
    ),
    "certificate": lambda X, r: (
        sparsek.SKFR(int(r.integers(1, 4)), 2, n_init=2, standardize=bool(r.integers(2)), random_state=0)
        .fit(X)
        .certificate(X)
    ),
    "federated": lambda X, r: _federated(X, int(r.integers(1, 4)), bool(r.integers(2)), r),
    "l1_bound_path": lambda X, r: sparsek.l1_bound_path(
        sparsek.SparseMinMaxKMeans(int(r.integers(1, 4)), n_init=2, random_state=0), X, [1.0, 1.2]
    ),
    "cosa_distances": lambda X, r: sparsek.cosa_distances(
        X, regularization=float(r.choice([0.05, 0.2, 5.0]))
    ),
    "madd_distances": lambda X, r: sparsek.madd_distances(X, int(r.integers(0, 4))),
}
"""Functions whose first argument is data, with further arguments drawn."""
NAMES = (*STARTS, *MEASURES, *RATES, *ON_DATA, "l1_bound_grid")
UNDEFINED = (*RATES, "clustering_error_rate", "pairwise_scores", "pairwise_f_score")
"""Measures that are NaN where there is nothing to count."""
UNBOUNDED = ("local_outlier_factors", "dunn_index", "certificate")
"""Functions whose result may be infinite: distances of zero, or a bound of 0, stand below the line."""
DIFFERENCES = {"madd_distances": np.finfo(np.float64).max / 2}
"""Functions whose results may be infinite, as documented, with the size of data above which they may: there
differences of two numbers exceed the largest."""


def make_call(name: str, r: Random) -> Call:
    """A call of a function."""
    if name in MEASURES or name in RATES:
        return _measure(name, r)
    if name == "l1_bound_grid":
        p = [1, 2, 50, 0, -1, 2.5, "x", None, np.int64(9), True][int(r.integers(10))]
        return Call(f"l1_bound_grid({p!r})", lambda: sparsek.l1_bound_grid(p))  # type: ignore[arg-type]
    kind, X = values.draw(r)
    container, held = containers.draw(X, r)
    seed = int(r.integers(2**31))
    if name in STARTS:
        k, options = _start_options(name, r)
        text = f"init.{name}({kind} {X.shape} as {container}, {k!r}, {options})"
        function: Callable[[Any], Any] = lambda data: getattr(init, name)(data, k, **options)  # noqa: E731
    else:
        text = f"{name}({kind} {X.shape} as {container}), further arguments from seed {seed}"
        function = lambda data: ON_DATA[name](data, np.random.default_rng(seed))  # noqa: E731

    coded = name == "skfr_path" and container in containers.CATEGORIES

    def check(found: Any, warned: list[str]) -> None:
        if name in STARTS:
            check_rows(found, len(held.plain), k)
        data = np.zeros(1) if held.plain is None else np.asarray(held.plain, dtype=np.float64)
        top = float(np.nanmax(np.abs(data), initial=0.0))
        large = top > LARGE
        for part, array in numbers(_members(found)):
            overflows = not np.isnan(array).any() and top > DIFFERENCES.get(name, np.inf)
            if name not in UNBOUNDED and not (large and "objectives" in part) and not overflows:
                require(np.isfinite(array).all(), f"{part or 'the result'} is not finite")
        require(same(found, function(held.X)), "a second call differs")
        if held.plain is not None and not coded and container not in ("array", "csr", "csc", "coo"):
            require(same(found, function(held.plain)), f"differs from that for a plain array ({container})")
        if name in STARTS and kind in GENERIC and container == "array":
            require(same(found, function(X * 2.0**-20)), "other rows for the data times 2**-20")

    return Call(text, lambda: function(held.X), (held.X,), check, "" if coded else held.refuse)


def check_rows(found: Any, n: int, k: Any) -> None:
    """The result is k different row numbers."""
    require(np.shape(found) == (k,) and found.dtype.kind == "i", "the result is not k row numbers")
    require(found.min() >= 0 and found.max() < n, "row numbers outside the data")
    require(len(set(found.tolist())) == len(found), "a row is taken twice")


def _start_options(name: str, r: Random) -> tuple[Any, dict[str, Any]]:
    """Number of clusters and options of a start, sometimes odd."""
    k: Any = int(r.integers(1, 6))
    options: dict[str, Any] = {"random_state": int(r.integers(2**31))}
    if r.random() < 0.15:
        k = parameters.ODD[int(r.integers(len(parameters.ODD)))]
    elif r.random() < 0.2:
        names = list(inspect.signature(getattr(init, name)).parameters)[2:]  # without data and k
        odd = parameters.ODD[int(r.integers(len(parameters.ODD)))]
        changed = str(r.choice(names))
        options[changed] = "x" if changed == "random_state" and odd is None else odd
    return k, options


def _labels(n: int, r: Random) -> Any:
    """Labels in many forms, some of them wrong."""
    numbers_ = r.integers(0, int(r.integers(1, 5)), size=n)
    kinds = [
        numbers_,
        numbers_.tolist(),
        numbers_.astype(str),
        np.array(["a", "b", "c", "d"], dtype=object)[numbers_],
        numbers_ - 1,
        numbers_.astype(float),
        numbers_.astype(np.int8),
        numbers_ + 0.5,
        np.where(numbers_ == 0, np.nan, numbers_),
        numbers_[:, None],
        numbers_[:-1],
        np.ma.MaskedArray(numbers_, numbers_ == 0),
        [],
        None,
        "text",
        3,
    ]
    return kinds[int(r.choice(len(kinds), p=np.where(np.arange(16) < 7, 0.1, 0.3 / 9)))]


def _measure(name: str, r: Random) -> Call:
    """A call of a measure of agreement."""
    n = int(r.integers(1, 30))
    if name in RATES:
        masks = [
            r.random(n) < 0.5,
            r.integers(0, 2, size=n),
            np.zeros(n, bool),
            np.ones(n, bool),
            r.random(n),
            [],
        ]
        a, b = (masks[int(r.integers(len(masks)))] for _ in range(2))
    else:
        a, b = _labels(n, r), _labels(n, r)
    function = getattr(metrics, name)

    def check(found: Any, warned: list[str]) -> None:
        for part, array in numbers(_members(found)):
            require(not np.isinf(array).any(), f"{part or 'the result'} is infinite")
            require(not np.isnan(array).any() or name in UNDEFINED, f"{part or 'the result'} is NaN")
            require((array >= 0).all() or np.isnan(array).any(), f"{part or 'the result'} is negative")
        require(same(found, function(a, b)), "a second call differs")

    text = f"metrics.{name}({' '.join(repr(a).split())[:90]}, {' '.join(repr(b).split())[:90]})"
    return Call(text, lambda: function(a, b), (a, b), check)


def _federated(X: Any, n_clusters: int, standardize: bool, r: Random) -> list[Any]:
    """Features, centres and labels of a fit to the rows of one site, from random labels."""
    site = federated.Site(X, min_rows=1)
    labels = r.integers(0, n_clusters, size=_rows(X))
    model = sparsek.SKFR(n_clusters, 2, init=labels, standardize=standardize)
    found = federated.fit(model, [site])
    return [found.selected_features_, found.cluster_centers_, site.labels]


def _rows(X: Any) -> int:
    """Number of rows of anything, 5 where there are none."""
    return X.shape[0] if hasattr(X, "shape") and len(X.shape) else len(X) if hasattr(X, "__len__") else 5


def _members(found: Any) -> Any:
    """The parts of a result."""
    if hasattr(found, "_asdict"):
        return found._asdict()
    if hasattr(found, "__dataclass_fields__"):
        return {name: getattr(found, name) for name in found.__dataclass_fields__}
    return found


def same(a: Any, b: Any) -> bool:
    """Whether two results have the same numbers."""
    return same_numbers(_members(a), _members(b))
