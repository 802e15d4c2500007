"""The base of all that fits copies of an estimator: searches, stability, uncertainty."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from sparsek.core.scaling import warn_of_lost_structure
from sparsek.core.tasks import last_step
from sparsek.inputs.mixed import Coding
from sparsek.methods.search.kinds import read_rows, values_of
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.forced import placed
from sparsek.methods.shared.parameters import AUTO, is_auto
from sparsek.summary.estimators import SummaryMixin

REAL = (np.float64, np.float32)
"""Numbers that fits keep as they are."""


class Search(SummaryMixin, MetaEstimatorMixin, Estimator):
    """Base of the estimators that fit copies of an estimator."""

    _texts: ClassVar = {
        "n_jobs": "Subsets that are worked on at a time, [backend]",
        "[backend]": (
            "by joblib with the backend of ``joblib.parallel_config`` (processes unless told otherwise). "
            "Results do not depend on it, nor on the backend."
        ),
        "ConvergenceWarning": (
            "How many fits warned about convergence, once. Other warnings are passed on without repeats."
        ),
        "verbose": "If positive, show a progress bar on a terminal.",
        "labels_": "Its labels.",
        "X": (
            "Data of any kind that the estimator takes, tables with categories and sparse matrices too. "
            "Files and Dask collections are loaded, if its `memory_limit` has room. Never changed."
        ),
        "sample_weight": (
            "Numbers of repetitions of the rows, not negative; 0 leaves a row out. Those of every subset "
            "must be enough for the estimator, if it standardises: see there. The estimator must take "
            "them; with scikit-learn's metadata routing, it must ask for them by ``set_fit_request``. In a "
            "Pipeline without routing the last step gets them."
        ),
        "batch": (
            "Label of the batch, study or site of each row. Fits get those of their rows, so that columns "
            "are centred within batches. Subsets, halves and folds have about the same share of each batch, "
            "and columns are shuffled within batches. The estimator must take it, as SKFR and SparseKMeans "
            "do; pipelines and routing as for `sample_weight`."
        ),
        "checkpoint": (
            "A folder that stores finished subsets, so that an interrupted fit can continue; see "
            "`PermutationGap`."
        ),
        "estimator": "A clusterer, or a Pipeline that ends in one. Never fitted itself; copies are.",
        "ax": "Where to draw; default a new figure.",
        "n_features": "Number of features to show, the most important first.",
        "n_rows_": "Number of rows in a subset.",
    }

    estimator: Any
    _coding: Coding | None = None  # how a table with categories becomes numbers
    _fixed: Mapping[str, Any] = MappingProxyType({})  # parameters that all copies have

    def _read_rows(self, X: Any, *, reset: bool = True, dtype: Any = REAL, least: int = 1) -> Any:
        """Checked rows in memory, of their own kind; see `sparsek.methods.search.kinds`."""
        return read_rows(self, X, reset=reset, dtype=dtype, least=least)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.allow_nan, tags.input_tags.sparse = inner.allow_nan, inner.sparse
        return tags

    def _warn_of_lost_entries(self, X: Any) -> None:
        """Warn of entries beside which others of their column vanish, where the fits sum up columns.

        Under a loss that brings all rows to one length none does.
        """
        if getattr(self.estimator, "_scales_rows", lambda: False)():
            return
        names = getattr(self, "feature_names_in_", None)
        ignored = self._ignored_columns(X.shape[1], names)
        warn_of_lost_structure(values_of(X), names, common_scale=False, ignored=ignored)

    @property
    def _copied(self) -> Any:
        """What is copied and fitted to plain arrays: the estimator, with indices for features it names."""
        changed = {**placed(self.estimator, getattr(self, "feature_names_in_", None)), **self._fixed}
        return clone(self.estimator).set_params(**changed) if changed else self.estimator

    @property
    def _refitted(self) -> Any:
        """What is fitted to X as given, with its column names."""
        return clone(self.estimator).set_params(**self._fixed) if self._fixed else self.estimator

    def _fix_scale(self, X: Any, settings: Sequence[Mapping[str, Any]] = (), weights: Any = None) -> None:
        """Choose the scale of the columns once, where every copy would choose its own."""
        self._fixed = {}
        self._fixed = found_scale(self._copied, X, settings, weights)

    def _fix_scale_of(self, fitted: Any) -> None:
        """Let all copies have the scale of this fit, if it was chosen."""
        found: Any = getattr(last_step(fitted), "scaling_", None)
        self._fixed = {}
        if found is not None and found.carrying is not None:
            step = f"{fitted.steps[-1][0]}__" if hasattr(fitted, "steps") else ""
            self._fixed = {f"{step}standardize": True if found.alpha is None else found}

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which arguments of `fit` go on to the estimator, for scikit-learn's routing.

        Returns
        -------
        MetadataRouter
            The search's own request, and that of the estimator.
        """
        own = MetadataRouter(owner=self).add_self_request(self)
        return own.add(
            estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
        )


def found_scale(
    estimator: Any, X: Any, settings: Sequence[Mapping[str, Any]] = (), weights: Any = None
) -> dict[str, Any]:
    """The parameter that gives all copies one scale of the columns, where each would choose its own.

    What clusters explain can be compared in one scale only. The number of clusters is the middle one.
    """
    model: Any = last_step(estimator)
    if not is_auto(getattr(model, "standardize", False)):
        return {}
    before = getattr(estimator, "steps", [])[:-1]
    if before:
        X = clone(Pipeline(before)).fit_transform(X)
    step = f"{estimator.steps[-1][0]}__" if before else ""
    tried = [{key.removeprefix(step): value for key, value in setting.items()} for setting in settings]
    numbers = sorted(setting["n_clusters"] for setting in tried if setting.get("n_clusters", 1) > 1)
    changed = {"n_clusters": numbers[len(numbers) // 2]} if numbers else {}
    sizes = [setting[model._path_parameter] for setting in tried if model._path_parameter in setting]
    if sizes:
        changed[model._path_parameter] = AUTO if AUTO in sizes or None in sizes else max(sizes)
    if model.random_state is None:
        changed["random_state"] = 0
    with warnings.catch_warnings():  # the copies warn
        warnings.simplefilter("ignore")
        return {f"{step}standardize": model._found_scale(X, weights, **changed)}
