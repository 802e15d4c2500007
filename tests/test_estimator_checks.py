"""All of scikit-learn's own estimator checks, without exclusions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsek import SKFR, SparseKMeans


# Four of the checks fit 8 clusters to 4 distinct rows; KMeans warns there too.
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([SparseKMeans(), SKFR(), SKFR(scope="local")])
def test_scikit_learn_check(estimator, check):
    check(estimator)
