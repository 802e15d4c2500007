"""What must hold after a fit that returned: each invariant raises Violation where it does not."""

import copy
import importlib
import inspect
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone

from sparsek.engine import has_numba, set_engine
from sparsek.inputs.validation import READ_ROWS
from sparsek.methods.shared.fits import RowFits
from validation.fuzz import containers
from validation.fuzz.judge import Violation
from validation.fuzz.values import GENERIC, Random

ABSOLUTE = (
    "gamma",
    "group_gamma",
    "feature_gamma",
    "coef0",
    "width",
    "regularization",
    "s0",
    "learning_rate",
)
"""Parameters in units of the data: with a value, the scale of the data matters."""
NOT_SCALE_FREE = {
    "GeometricKMedians": "the recursive algorithm starts with steps of length 1",
    "DEC": "steps of the optimiser end in sums of rounded numbers",
}
"""Estimators whose labels may depend on the unit of the data, with the reason."""
UNIT_MATTERS = {
    "MinMaxKMeans": ("variant", "r", "the tolerance of the released code is in units of its criterion"),
    "SparseMinMaxKMeans": ("variant", "r", "the tolerance of the released code is in units of its criterion"),
    "PCKMeans": ("violation_cost", "constant", "a violated pair costs 1 in squared units of the data"),
    "MADDKMeans": ("version", 2, "1 - exp(-|x - y|) is bounded and not proportional to the data"),
}
"""Parameter and value with which the labels of an estimator may depend on the unit, with the reason."""
ORDERED = {
    "GeometricKMedians": "the recursive algorithm takes the rows one after the other",
    "DEC": "batches are drawn by row number",
    "PCSparseKMeans": "rows are assigned one after the other",
    "PCKMeans": "rows are assigned one after the other",
    "MPCKMeans": "rows are assigned one after the other",
    "COPKMeans": "rows are assigned one after the other",
    "MADDKMeans": "without given centres, starts are drawn by row number",
    "IFPCA": "starts are drawn by row number",
    "SpectralGEM": "starts are drawn by row number",
    "PermutationGap": "columns are shuffled by row number",
    "EntryCrossValidation": "folds are drawn by row number",
    "ModelChoice": "noise and folds are drawn by row number",
    "ThinnedSearch": "noise is drawn by row number",
    "PredictionStrength": "halves are drawn by row number",
    "SelectionConsistency": "halves are drawn by row number",
    "FitUncertainty": "resamples are drawn by row number",
    "StabilitySelection": "subsamples are drawn by row number",
    "ConsensusClustering": "subsamples are drawn by row number",
    "EntropyRanking": "a sample is drawn by row number",
    "FeatureFDR": "null sets are drawn by row number",
}
"""Estimators whose results may depend on the order of the rows, with the reason."""
RESAMPLED = {"FitUncertainty": "a row may be too far from the data of a fit that it was not in"}
"""Searches whose `predict` may refuse a row of the data of the fit, with the reason."""
OWN_DATA = (
    "SKFR",
    "SparseKMeans",
    "EntropyWeightedKMeans",
    "FeatureGroupKMeans",
    "TwoLevelKMeans",
    "KPod",
    "GeometricKMedians",
    "PowerKMeans",
    "EntropyWeightedPowerKMeans",
    "KernelKMeans",
    "SparseKernelKMeans",
    "COPKMeans",
    "RobustSparseKMeans",
    "WeightedRobustSparseKMeans",
    "MinMaxKMeans",
    "SparseMinMaxKMeans",
)
"""Estimators whose `predict` gives `labels_` on the data of a fit that converged, or that warned of it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A fit with all that was passed."""

    model: Any  # Fitted
    kind: str  # Kind of the data (`values.MAKERS`)
    container: str  # Their container (`containers.MAKERS`)
    X: Any  # X, plain: the data as they were passed, and as a plain array (None without one)
    plain: Any
    options: dict[str, Any]  # Further arguments of `fit`
    warned: list[str]  # Texts of the warnings of the fit
    r: Random  # Random numbers for the checks

    @property
    def name(self) -> str:
        """The class of the model."""
        return type(self.model).__name__

    def of_rows(self, method: Any) -> dict[str, Any]:
        """What a method needs to know of the rows beside X."""
        known = inspect.signature(method).parameters
        return {name: self.options[name] for name in ("batch",) if name in known and name in self.options}

    def again(self, X: Any, **changed: Any) -> Any:
        """A clone with changed parameters, fitted to X with the same options."""
        return clone(self.model).set_params(**changed).fit(X, **self.options)


def require(holds: Any, text: str) -> None:
    """Raise Violation with the text unless it holds."""
    if not holds:
        raise Violation(text)


def results(model: Any) -> dict[str, Any]:
    """The public attributes of a fit."""
    return {name: value for name, value in vars(model).items() if name.endswith("_") and name[0] != "_"}


def numbers(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays of numbers inside a value, with their names."""
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield from numbers(member, f"{name}[{key!r}]")
    elif isinstance(value, list | tuple):
        for i, member in enumerate(value):
            yield from numbers(member, f"{name}[{i}]")
    elif sp.issparse(value):
        yield name, value.data
    elif isinstance(value, pd.DataFrame):
        yield from numbers(value.select_dtypes("number").to_numpy(np.float64, na_value=np.nan), name)
    elif isinstance(value, int | float | np.number | np.ndarray):
        array = np.asarray(value)
        if array.dtype.kind in "fiub":
            yield name, array


LARGE = 1e140
"""Sums of squares of larger numbers may exceed the largest number, and be infinite."""
INVERSE_SQUARES = (("MPCKMeans", "feature_weights_"), ("MPCKMeans", "metrics_"))
"""Attributes in inverse squares of the unit of the data, which may be infinite for tiny data."""

UNOBSERVED = ("KPod", "cluster_centers_")
"""An attribute that is NaN in columns without any observed value, as its documentation says."""


def check_finite(fit: Fit) -> None:
    """Centres and weights are finite; squares may be infinite only where they exceed the largest number."""
    data = np.abs(np.asarray(fit.plain, dtype=np.float64)) if fit.plain is not None else np.zeros(1)
    size = float(np.nanmax(data, initial=0.0))
    large, small, edge = size > LARGE, size < 1 / LARGE, size > np.finfo(np.float64).max / 4
    for name, array in numbers(results(fit.model)):
        if (fit.name, _attribute(name)) == UNOBSERVED:
            array = array[:, _observed(fit)]
        if np.isnan(array).any() and not may_be_nan(fit.name, name):
            raise Violation(f"{_attribute(name)} has NaN")
        squares = not any(part in name for part in ("centers", "weights", "labels"))
        differences = edge and "standardized" in name  # centres less means: up to twice the largest number
        inverse = small and (fit.name, _attribute(name)) in INVERSE_SQUARES
        allowed = (large and squares) or inverse or differences or may_be_nan(fit.name, name)
        if np.isinf(array).any() and not allowed:
            raise Violation(f"{_attribute(name)} is infinite")


def _observed(fit: Fit) -> Any:
    """Mask of the columns of the centres with an observed value in a row of positive weight."""
    seen = ~np.isnan(np.asarray(fit.plain, dtype=float)[_weighted(fit)]).all(axis=0)
    coding = getattr(fit.model, "_coding", None)
    return seen if coding is None else seen[coding.variable_of]


def _weighted(fit: Fit) -> Any:
    """Mask of the rows of positive weight."""
    weights = fit.options.get("sample_weight")
    return np.ones(len(fit.plain), bool) if weights is None else np.asarray(weights, dtype=float) > 0


def _attribute(name: str) -> str:
    """The attribute in the name of an array."""
    return name.split("'")[1] if "'" in name else name


def may_be_nan(estimator: str, name: str) -> bool:
    """Whether the documentation of an attribute says that it may be NaN or infinite."""
    return _attribute(name) in (*NOT_FINITE.get(estimator, ()), "selection_path_")


NOT_FINITE: dict[str, tuple[str, ...]] = {
    "IFPCA": ("scores_", "scores_adjusted_"),  # minus infinity for a constant feature
    "MinMaxKMeans": ("criterion_history_",),  # NaN where a cluster was lost
    # NaN relative to an area of 0, and for rows of weight 0
    "ConsensusClustering": ("results_", "consensus_matrix_"),
    "FitUncertainty": ("membership_",),  # NaN for a row in no resample
    "LaplacianScore": ("scores_",),  # infinite for a constant feature
    "EntropyRanking": ("scores_",),  # minus infinity for a constant feature
    "WeakestSeparation": ("separations_", "separation_se_", "results_"),  # NaN of one cluster, and no pair
    "FeatureFDR": ("threshold_",),  # infinite if no feature is selected
    **dict.fromkeys(
        ("COPKMeans", "PCKMeans", "MPCKMeans", "PCSparseKMeans"), ("start_objectives_",)
    ),  # NaN for a start that failed: no cluster for a row, or an empty one
}
"""Attributes that may be NaN or infinite, as their documentation says."""


def check_ranges(fit: Fit) -> None:
    """Labels from 0 to k - 1, one per row; weights not negative."""
    model = fit.model
    labels = getattr(model, "labels_", None)
    if labels is not None and fit.plain is not None:
        require(np.shape(labels) == (len(fit.plain),), "labels_ has not one entry per row")
        require(np.asarray(labels).dtype.kind == "i", "labels_ are not integers")
        top = getattr(model, "n_clusters", None)
        if isinstance(top, int) and not isinstance(top, bool):
            if fit.name == "ConsensusClustering":
                labels = labels[_weighted(fit)]  # the others have -1
            require(labels.min() >= 0 and labels.max() < top, "labels_ are not all from 0 to n_clusters - 1")
    for name, value in results(model).items():
        if "weights" in name and isinstance(value, np.ndarray) and value.dtype.kind == "f":
            require((value >= 0).all(), f"{name} has negative entries")


def check_methods(fit: Fit) -> None:
    """Every method works on the data of the fit, `summary` and `repr` included."""
    model = fit.model
    repr(model)
    if hasattr(model, "summary"):
        model.summary().as_text()
        model.summary().as_html()
    if hasattr(model, "get_support"):
        support = model.get_support()
        require(support.dtype == bool and support.ndim == 1, "get_support gives no mask")
    data = fit.X if fit.container != "generator" else fit.plain
    if hasattr(model, "predict"):
        try:
            found = model.predict(data, **fit.of_rows(model.predict))
        except ValueError as error:
            if fit.name in RESAMPLED and "so far from the data of the fit" in str(error):
                return
            raise
        require(found.shape == np.shape(model.labels_), "predict has not one label per row")
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(data, **fit.of_rows(model.predict_proba)))
        require(shares.shape[0] == len(found), "predict_proba has not one row per row")
        require(bool((np.abs(shares.sum(axis=1) - 1) < 1e-5).all()), "rows of predict_proba do not sum to 1")
        require(np.array_equal(shares.argmax(axis=1), np.asarray(found)), "predict is not the most probable")
    if hasattr(model, "transform"):
        found = model.transform(data, **fit.of_rows(model.transform))
        found = found.toarray() if sp.issparse(found) else np.asarray(found)
        require(not np.isnan(found.astype(float)).any() or np.isnan(fit.plain).any(), "transform gives NaN")


def same_labels(a: Any, b: Any) -> bool:
    """Whether two fits have the same labels, where there are none the same features or chosen parameters."""
    if hasattr(a, "labels_"):
        return np.array_equal(np.asarray(a.labels_), np.asarray(b.labels_))
    if hasattr(a, "get_support"):
        return np.array_equal(a.get_support(), b.get_support())
    return bool(a.best_params_ == b.best_params_)  # a search without a refit


def same_numbers(a: Any, b: Any) -> bool:
    """Whether two values have the same bits in all arrays of numbers inside."""
    first, second = dict(numbers(a)), dict(numbers(b))
    return first.keys() == second.keys() and all(
        np.array_equal(value, second[name], equal_nan=value.dtype.kind == "f")
        for name, value in first.items()
    )


def same_results(a: Any, b: Any) -> bool:
    """Whether two fits have the same bits in all their attributes."""
    return same_numbers(results(a), results(b))


def refit(fit: Fit) -> None:
    """Fitting the same object again gives the same bits."""
    model = copy.deepcopy(fit.model).fit(fit.X, **fit.options)
    require(same_results(fit.model, model), "a second fit of the same object differs")


def cloned(fit: Fit) -> None:
    """A clone gives the same bits."""
    require(same_results(fit.model, fit.again(fit.X)), "a fit of a clone differs")


def pickled(fit: Fit) -> None:
    """A pickled model predicts and looks the same."""
    model = pickle.loads(pickle.dumps(fit.model))
    require(same_results(fit.model, model), "a pickled model differs")
    if hasattr(model, "predict"):
        own = fit.of_rows(model.predict)
        same = np.array_equal(fit.model.predict(fit.X, **own), model.predict(fit.X, **own))
        require(same, "a pickled model predicts other labels")


def in_threads(fit: Fit) -> None:
    """Two jobs give the same bits as one."""
    if "n_jobs" in fit.model.get_params():
        with joblib.parallel_config(backend="threading"):
            require(same_results(fit.model, fit.again(fit.X, n_jobs=2)), "n_jobs=2 gives other results")


def by_the_other_engine(fit: Fit) -> None:
    """Compiled loops give the labels of whole arrays, and the other way round."""
    engine = "numpy" if getattr(fit.model, "_engine", "numpy") != "numpy" else "compiled"
    if engine == "numpy" or has_numba():
        with set_engine(engine):
            require(same_labels(fit.model, fit.again(fit.X)), f"other labels by the engine {engine!r}")


def chooses(fit: Fit) -> bool:
    """Whether a size is chosen by shuffled columns, which are shuffled in another way in a sparse matrix."""
    return isinstance(fit.model, RowFits) and fit.model._chooses()


def in_plain_array(fit: Fit) -> None:
    """The same values in a plain array give the same labels."""
    by_blocks = fit.name in READ_ROWS and fit.model.memory_limit is not None  # there rounding differs
    if fit.container == "array" or fit.plain is None or by_blocks:
        return
    sparse = fit.container in ("csr", "csc", "coo")
    if sparse and (fit.kind not in GENERIC or chooses(fit)):
        return  # sums over stored entries alone may round otherwise and break ties otherwise
    require(
        same_labels(fit.model, fit.again(fit.plain)), f"other labels than for a plain array ({fit.container})"
    )


def in_own_units(fit: Fit) -> bool:
    """Whether a parameter in units of the data has a value."""
    return any(fit.model.get_params().get(name) not in (None, "median") for name in ABSOLUTE)


def scaled(fit: Fit) -> None:
    """Data times a power of two give the same labels."""
    absolute = in_own_units(fit)
    parameter, value, _ = UNIT_MATTERS.get(fit.name, ("n_clusters", None, ""))
    absolute = absolute or getattr(fit.model, parameter, None) == value
    absolute = absolute or getattr(fit.model, "categories", None) is not None  # levels have no unit
    generic = fit.kind in (*GENERIC, "offset") and fit.container == "array"
    if not generic or fit.name in NOT_SCALE_FREE or absolute:
        return
    power = int(fit.r.choice([-40, -3, 1, 30]))
    changed = {}
    init = fit.model.get_params().get("init")
    if isinstance(init, np.ndarray) and init.ndim == 2:
        changed["init"] = init * 2.0**power
    model = fit.again(fit.plain * 2.0**power, **changed)
    require(same_labels(fit.model, model), f"other labels for the data times 2**{power}")


def has_ties(dissimilarities: Any) -> bool:
    """Whether pairs of rows have equal dissimilarities: the order of the rows decides which join first."""
    if dissimilarities is None:
        return False
    pairs = dissimilarities[np.triu_indices(len(dissimilarities), 1)]
    return len(np.unique(pairs)) < len(pairs)


OF_ROWS = ("sample_weight", "replicate_weights", "batch")
"""Arguments of `fit` with an entry or a row for each row of the data."""


def permuted(fit: Fit) -> None:
    """Rows in another order, with given centres, give the same labels in this order, or the same features."""
    init = fit.model.get_params().get("init")
    given = init is None or (isinstance(init, np.ndarray) and init.ndim == 2)
    if fit.kind not in GENERIC or fit.container != "array" or fit.name in ORDERED or not given:
        return
    if has_ties(getattr(fit.model, "dissimilarity_matrix_", None)):
        return
    order = fit.r.permutation(len(fit.plain))
    options = {
        name: np.asarray(value)[order] if name in OF_ROWS else value for name, value in fit.options.items()
    }
    model = clone(fit.model).fit(fit.plain[order], **options)
    if not hasattr(model, "labels_"):
        require(same_labels(fit.model, model), "other features for the rows in another order")
        return
    old, new = fit.model.labels_[order], model.labels_
    pairs = len(set(zip(old.tolist(), new.tolist(), strict=True)))
    require(
        pairs == len(set(old.tolist())) == len(set(new.tolist())),
        "other clusters for the rows in another order",
    )


def on_own_data(fit: Fit) -> None:
    """`predict` gives the labels of the fit."""
    constrained = any(name in fit.options for name in ("must_link", "cannot_link", "y"))
    told = any("did not converge" in text or "predict gives" in text for text in fit.warned)
    if fit.name not in OWN_DATA or constrained or told:
        return
    if fit.kind in GENERIC:
        require(
            np.array_equal(fit.model.predict(fit.X, **fit.of_rows(fit.model.predict)), fit.model.labels_),
            "predict(X) differs from labels_",
        )


SAME_EVERYWHERE = ("SKFR", "SparseKMeans", "KPod")
"""Estimators that promise the same labels wherever the data lie."""


def _in_dask(X: Any) -> Any:
    """A Dask array in three chunks of rows."""
    return importlib.import_module("dask.array").from_array(X, chunks=(max(1, -(-len(X) // 3)), X.shape[1]))


def _in_file(X: Any) -> Any:
    """The path of a file."""
    return containers.MAKERS["path"][1](X, np.random.default_rng(0)).X


SOURCES: dict[str, Callable[[Any], Any]] = {
    "columns first": np.asfortranarray,
    "every second cell": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "a file": _in_file,
    "blocks of a file": _in_file,
    "a sparse matrix": sp.csr_array,
    "Dask": _in_dask,
}
"""The same rows in other places."""


def from_other_places(fit: Fit) -> None:
    """From the same centres, the same rows in another place get the same labels, also where they tie."""
    if fit.name not in SAME_EVERYWHERE or fit.container != "array" or fit.options or fit.plain is None:
        return
    k, X = fit.model.n_clusters, np.ascontiguousarray(fit.plain, dtype=np.float64)
    centers = np.unique(X[~np.isnan(X).any(axis=1)], axis=0)
    if len(centers) < k:
        return
    changed = {"init": fit.r.permutation(centers)[:k], "n_init": 1}
    place = str(fit.r.choice(list(SOURCES)))
    if place == "a sparse matrix" and chooses(fit):
        return
    limit = {"memory_limit": 400 * X.shape[1]} if place == "blocks of a file" else {}
    try:
        expected, found = fit.again(X, **changed), fit.again(SOURCES[place](X), **changed, **limit)
    except (ValueError, TypeError, NotImplementedError):
        return  # not every parameter and every cell is taken everywhere
    require(same_labels(expected, found), f"other labels for the same rows in {place}")


ALWAYS: tuple[Callable[[Fit], None], ...] = (check_finite, check_ranges, check_methods)
SOMETIMES: tuple[Callable[[Fit], None], ...] = (
    refit,
    cloned,
    pickled,
    in_threads,
    by_the_other_engine,
    in_plain_array,
    scaled,
    permuted,
    on_own_data,
    from_other_places,
)
"""Invariants of which each call checks three."""
OF_FRAMES = (refit, cloned, pickled, in_threads, by_the_other_engine)
"""Those of tables with categories, which no array of numbers equals."""


def check(fit: Fit) -> None:
    """Check the invariants that always apply, three others, and that of the container if there is one."""
    coded = fit.container in containers.CATEGORIES
    possible = OF_FRAMES if coded else SOMETIMES
    chosen = [possible[i] for i in fit.r.choice(len(possible), size=3, replace=False)]
    if fit.container != "array" and not coded and in_plain_array not in chosen:
        chosen.append(in_plain_array)
    check_all((*ALWAYS, *chosen), fit)


def check_all(chosen: Iterable[Callable[[Fit], None]], fit: Fit) -> None:
    """Check some; an error that is none of their findings says which one it came from."""
    for invariant in chosen:
        try:
            invariant(fit)
        except Violation:
            raise
        except Exception as error:
            error.add_note(invariant.__name__)
            raise
