"""The base of all that fits copies of an estimator: searches, stability, uncertainty."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import MetaEstimatorMixin

from sparsek.methods.shared.estimator import Estimator
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
