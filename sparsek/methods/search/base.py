"""The base of all that fits copies of an estimator: searches, stability, uncertainty."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from sparsek.core.scaling import warn_of_lost_structure
from sparsek.methods.shared.estimator import Estimator
from sparsek.methods.shared.forced import placed
from sparsek.summary import SummaryMixin


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
        "X": "Data. Never changed.",
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

    def _warn_of_lost_entries(self, X: Any) -> None:
        """Warn of entries beside which others of their column vanish, where the fits sum up columns.

        Under a loss that brings all rows to one length none does.
        """
        if getattr(self.estimator, "_scales_rows", lambda: False)():
            return
        names = getattr(self, "feature_names_in_", None)
        ignored = self._ignored_columns(X.shape[1], names)
        warn_of_lost_structure(X, names, common_scale=False, ignored=ignored)

    @property
    def _copied(self) -> Any:
        """What is copied and fitted to plain arrays: the estimator, with indices for features it names."""
        places = placed(self.estimator, getattr(self, "feature_names_in_", None))
        return clone(self.estimator).set_params(**places) if places else self.estimator

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
