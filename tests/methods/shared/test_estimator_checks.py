"""All of scikit-learn's own estimator checks, without exclusions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import sparsek
from sparsek._registry import ESTIMATORS

NAMES = {name: getattr(sparsek, name) for name in sparsek.__all__}
CHECKED = [eval(text, NAMES) for row in ESTIMATORS for text in row.checks or [f"{row.name}()"]]


# Four of the checks fit 8 clusters to 4 distinct rows; KMeans warns there too.
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
# Some fit 8 clusters to 10 to 20 rows: MinMax needs two rows per cluster and falls back to k-means.
@pytest.mark.filterwarnings("ignore:no start kept all clusters:sklearn.exceptions.ConvergenceWarning")
# The data of the checks have few features, hence few p-values and fewer directions than clusters.
@pytest.mark.filterwarnings("ignore:none of the .* smallest p-values:UserWarning")
@pytest.mark.filterwarnings("ignore:only .* of the .* directions asked for:UserWarning")
# Others fit labels of more classes than clusters.
@pytest.mark.filterwarnings("ignore:y has .* classes, more than:sparsek.errors.ConstraintConflictWarning")
# One trims a tenth of three clean groups, and the trimmed rows and the weights go round in a cycle.
@pytest.mark.filterwarnings("ignore:the best start repeats:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CHECKED)
def test_scikit_learn_check(estimator, check):
    check(estimator)
