"""All of scikit-learn's own estimator checks, without exclusions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsek import (
    SKFR,
    EntropyWeightedKMeans,
    EntropyWeightedPowerKMeans,
    FeatureGroupKMeans,
    GeometricKMedians,
    KPod,
    PermutationGap,
    PowerKMeans,
    RobustSparseKMeans,
    SparseAgglomerativeClustering,
    SparseKMeans,
    TwoLevelKMeans,
    WeightedRobustSparseKMeans,
)


# Four of the checks fit 8 clusters to 4 distinct rows; KMeans warns there too.
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        SparseKMeans(),
        SKFR(),
        SKFR(scope="local"),
        KPod(),
        GeometricKMedians(),
        GeometricKMedians(algorithm="recursive"),
        EntropyWeightedKMeans(),
        PowerKMeans(),
        EntropyWeightedPowerKMeans(),
        FeatureGroupKMeans(),
        TwoLevelKMeans(),
        WeightedRobustSparseKMeans(),
        RobustSparseKMeans(),
        SparseAgglomerativeClustering(),
        SparseAgglomerativeClustering(dissimilarity="absolute"),
        # One feature allows only the bound 1; n_init and n_permutations are small to be quick.
        PermutationGap(SparseKMeans(2, n_init=2), "l1_bound", [1.0], n_permutations=2),
        PermutationGap(SKFR(2, n_init=2), "n_features_to_select", [1], n_permutations=2, rule="one_se"),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
