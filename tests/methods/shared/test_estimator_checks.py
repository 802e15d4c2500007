"""scikit-learn's own estimator checks; those that fail take probabilities for classes, or shuffle starts."""

from functools import partial

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from sparsek import MADDKMeans, PermutationGap, SparseKMeans
from sparsek.methods.shared.clusterer.numbering import NumberedClusters
from tests.variants import FIRST, SEARCHES, VARIANTS, make, one_of_each_body

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


OF_DRAWS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "starts are drawn as numbers of rows, of which copies are others; the check held by luck alone. "
        "test_sizes.py and test_row_arguments.py compare weights with copies"
    )
}


def failing(estimator):
    """Checks that fail, with the reason."""
    if isinstance(estimator, MADDKMeans):
        return OF_ROWS
    if isinstance(estimator, PermutationGap) and isinstance(estimator.estimator, SparseKMeans):
        return OF_DRAWS
    soft = hasattr(estimator, "predict_proba") and get_tags(estimator).input_tags.sparse
    return OF_CLASSIFIERS if soft else {}


def run(estimator, check, monkeypatch):
    """Run a check; that of weights shuffles the rows, and the first row numbers clusters of one size."""
    if "sample_weight_equivalence" in str(check):
        monkeypatch.setattr(NumberedClusters, "_keeps_order", lambda self: True)
    check(estimator)


MODELS = [make(text) for text in VARIANTS if text in FIRST]
ONE_OF_EACH = one_of_each_body(MODELS)
"""The checks go the same way through estimators whose fit, predict and transform are the same lines."""


@parametrize_with_checks(ONE_OF_EACH, expected_failed_checks=failing)
def test_scikit_learn_check(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)


@pytest.mark.thorough
@parametrize_with_checks(
    [model for model in MODELS if model not in ONE_OF_EACH], expected_failed_checks=failing
)
def test_scikit_learn_check_of_what_shares_these(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)


@pytest.mark.thorough
@parametrize_with_checks(
    [make(text) for text in VARIANTS if text in SEARCHES], expected_failed_checks=failing
)
def test_scikit_learn_check_of_what_fits_many_times(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)


OF_NUMBERS = (
    "check_estimators_dtypes",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_positive_only_tag_during_fit",
    "check_pipeline_consistency",
    "check_estimators_nan_inf",
    "check_estimator_sparse_array",
    "check_estimators_pickle",
    "check_readonly_memmap_input",
    "check_transformer_general",
    "check_transformer_preserve_dtypes",
    "check_clustering",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
)
"""Checks of what a fit computes.

The others ask for names, tags, parameters and errors, which the variants of an estimator share.
"""


def checks_of_numbers(model, failed):
    """Pairs of the estimator and each of these checks; those that fail, with the reason, are marked."""
    pairs = list(estimator_checks_generator(model, expected_failed_checks=failed, mark="xfail"))
    checks = [getattr(pair, "values", pair)[1] for pair in pairs]
    return [
        pair
        for pair, check in zip(pairs, checks, strict=True)
        if check.func.__name__ in OF_NUMBERS and "readonly_memmap" not in check.keywords
    ]


def name_of_part(part):
    """The name of a check, or of an estimator, in the name of a test."""
    return part.func.__name__ if isinstance(part, partial) else str(part)


OTHERS = [make(text) for text in VARIANTS if text not in FIRST | SEARCHES]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("estimator", "check"),
    [pair for model in OTHERS for pair in checks_of_numbers(model, failing(model))],
    ids=name_of_part,
)
def test_scikit_learn_check_of_other_variants(estimator, check, monkeypatch):
    run(estimator, check, monkeypatch)
