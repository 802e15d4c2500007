"""scikit-learn's own estimator checks; those that fail take probabilities for classes, or shuffle starts."""

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsek import MADDKMeans
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from tests.variants import FIRST, VARIANTS, make

WARNINGS = (
    # Four of the checks fit 8 clusters to 4 distinct rows; KMeans warns there too.
    "ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning",
    "ignore:.*in the fits, such as. Number of distinct clusters:sklearn.exceptions.ConvergenceWarning",
    # Some fit 8 clusters to 10 to 20 rows: MinMax needs two rows per cluster and falls back to k-means.
    "ignore:no start kept all clusters:sklearn.exceptions.ConvergenceWarning",
    # The data of the checks have few features, hence few p-values and fewer directions than clusters.
    "ignore:none of the .* smallest p-values:UserWarning",
    "ignore:only .* of the .* directions asked for:UserWarning",
    # Others fit labels of more classes than clusters.
    "ignore:y has .* classes, more than:sparsek.errors.ConstraintConflictWarning",
    # One trims a tenth of three clean groups, and the trimmed rows and the weights go round in a cycle.
    "ignore:the best start repeats:sklearn.exceptions.ConvergenceWarning",
)
pytestmark = [pytest.mark.filterwarnings(text) for text in WARNINGS]


OF_CLASSIFIERS = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "takes what has predict_proba for a classifier of four classes; test_soft.py tests sparse matrices",
)


OF_ROWS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "shuffles the copies, and the starts of MADD are labels of single rows, drawn or numbered in their "
        "order; test_sample_weight.py compares fits from given labels"
    )
}


def failing(estimator):
    """Checks that fail, with the reason."""
    if isinstance(estimator, MADDKMeans):
        return OF_ROWS
    soft = hasattr(estimator, "predict_proba") and get_tags(estimator).input_tags.sparse
    return OF_CLASSIFIERS if soft else {}


def run(estimator, check, monkeypatch):
    """Run a check; that of weights shuffles the rows, and the first row numbers clusters of one size."""
    if "sample_weight_equivalence" in str(check):
        monkeypatch.setattr(NumberedClusters, "_keeps_order", lambda self: True)
    check(estimator)


@parametrize_with_checks([make(text) for text in VARIANTS if text in FIRST], expected_failed_checks=failing)
def test_scikit_learn_check(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)


OTHERS = {text: type(make(text)).fit for text in VARIANTS if text not in FIRST}
SHARED = {type(make(text)).fit for text in FIRST}
WHOLE = {fit: text for text, fit in reversed(OTHERS.items()) if fit not in SHARED}
"""One variant for each way of reading the data and the parameters that no first variant has."""
COMPARING_FITS = {
    *("check_clusterer_compute_labels_predict", "check_clustering", "check_dict_unchanged"),
    *("check_estimators_dtypes", "check_estimators_pickle", "check_f_contiguous_array_estimator"),
    *("check_fit2d_1feature", "check_fit2d_1sample", "check_fit_idempotent"),
    *("check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    *("check_sample_weight_equivalence_on_dense_data", "check_transformer_general"),
    "check_transformer_preserve_dtypes",
}
"""The checks of results. The others are of parameters, and of what `fit` takes and refuses."""


@pytest.mark.thorough
@parametrize_with_checks([make(text) for text in WHOLE.values()], expected_failed_checks=failing)
def test_scikit_learn_check_of_another_fit(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)


def comparing_fits(estimators):
    """`parametrize_with_checks` with the checks of results alone."""
    every = parametrize_with_checks(estimators, expected_failed_checks=failing)
    names, cases = every.args
    pairs = [getattr(case, "values", case) for case in cases]  # pytest.param, where a failure is expected
    chosen = [
        case for case, (_, check) in zip(cases, pairs, strict=True) if check.func.__name__ in COMPARING_FITS
    ]
    return pytest.mark.parametrize(names, chosen, **every.kwargs)


@pytest.mark.thorough
@comparing_fits([make(text) for text in OTHERS if text not in WHOLE.values()])
def test_scikit_learn_check_of_another_variant(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)
