"""How well a clustering and a choice of features agree with the truth.

Measures of scikit-learn are not repeated: :func:`sklearn.metrics.adjusted_rand_score`,
:func:`sklearn.metrics.adjusted_mutual_info_score`, :func:`sklearn.metrics.homogeneity_score`, and
:func:`sklearn.metrics.normalized_mutual_info_score`, whose ``average_method="max"`` is the NMI of the SKFR
paper. R's own functions, with R's conventions, are `rcompat.CER` and `rcompat.adjustedRand`.

In every function the order of the two labellings is that of scikit-learn, true labels first; labels are whole
numbers or texts, and their values do not matter.
"""

from sparsek._docstrings import complete
from sparsek.metrics._agreement import agreement_score
from sparsek.metrics._dunn import dunn_index
from sparsek.metrics._features import false_negative_rate, false_positive_rate
from sparsek.metrics._information import normalized_variation_of_information, variation_of_information
from sparsek.metrics._matching import MixedNodes, misclassification_error, mixed_class_nodes
from sparsek.metrics._pairs import (
    PairwiseScores,
    clustering_error_rate,
    pairwise_f_score,
    pairwise_scores,
)

__all__ = [
    "MixedNodes",
    "PairwiseScores",
    "agreement_score",
    "clustering_error_rate",
    "dunn_index",
    "false_negative_rate",
    "false_positive_rate",
    "misclassification_error",
    "mixed_class_nodes",
    "normalized_variation_of_information",
    "pairwise_f_score",
    "pairwise_scores",
    "variation_of_information",
]

_TEXTS = {
    "TypeError, ValueError": (
        "Labels that are neither whole numbers nor texts, missing, none, or of different length."
    )
}
complete((globals()[name] for name in __all__), _TEXTS)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
