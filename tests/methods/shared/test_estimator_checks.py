"""All of scikit-learn's own estimator checks, without exclusions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sparsek import (
    COSA,
    DEC,
    IFPCA,
    SKFR,
    ConsensusClustering,
    COPKMeans,
    EntropyWeightedKMeans,
    EntropyWeightedPowerKMeans,
    FeatureGroupKMeans,
    GeometricKMedians,
    KernelKMeans,
    KPod,
    MADDKMeans,
    MinMaxKMeans,
    MPCKMeans,
    PCKMeans,
    PCSparseKMeans,
    PermutationGap,
    PowerKMeans,
    RobustSparseKMeans,
    SparseAgglomerativeClustering,
    SparseKernelKMeans,
    SparseKMeans,
    SparseMinMaxKMeans,
    SpectralGEM,
    StabilitySelection,
    TwoLevelKMeans,
    WeightedRobustSparseKMeans,
)


# Four of the checks fit 8 clusters to 4 distinct rows; KMeans warns there too.
@pytest.mark.filterwarnings("ignore:Number of distinct clusters:sklearn.exceptions.ConvergenceWarning")
# Some fit 8 clusters to 10 to 20 rows: MinMax, which needs two rows for each, then falls back to k-means.
@pytest.mark.filterwarnings("ignore:no start kept all clusters:sklearn.exceptions.ConvergenceWarning")
# The data of the checks have few features: a search of few p-values, and fewer directions than clusters.
@pytest.mark.filterwarnings("ignore:none of the .* smallest p-values:UserWarning")
@pytest.mark.filterwarnings("ignore:only .* of the .* directions asked for:UserWarning")
# Others fit labels of more classes than clusters.
@pytest.mark.filterwarnings("ignore:y has .* classes, more than:sparsek.errors.ConstraintConflictWarning")
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
        PCKMeans(),
        MPCKMeans(),
        PCSparseKMeans(),
        COPKMeans(),
        MinMaxKMeans(n_init=2),
        MinMaxKMeans(variant="r", n_init=2),
        SparseMinMaxKMeans(n_init=2),
        SparseMinMaxKMeans(variant="paper", n_init=2),
        IFPCA(),
        IFPCA(postselection="kmeans"),
        IFPCA(postselection="complete"),
        SpectralGEM(),
        SpectralGEM(graph="root"),
        MADDKMeans(n_init=2),
        MADDKMeans(variant="centroid", version=1, n_init=2),
        MADDKMeans(variant="gmadd", version=2),
        SparseAgglomerativeClustering(),
        SparseAgglomerativeClustering(dissimilarity="absolute"),
        KernelKMeans(),
        KernelKMeans(kernel="polynomial", coef0=1.0),
        SparseKernelKMeans(),
        SparseKernelKMeans(kernel="gaussian"),
        SparseKernelKMeans(kernel="gaussian", width=1e-3),  # rank n: one matrix, summed up
        COSA(),
        COSA(combine="whole", linkage="complete"),
        # A small network and few epochs, to be quick; alone it need not converge.
        DEC(n_components=2, hidden_sizes=(8,), layer_epochs=2, finetune_epochs=2, max_iter=20, tol=1.0),
        # One feature allows only the bound 1; n_init and n_permutations are small to be quick.
        PermutationGap(SparseKMeans(2, n_init=2), "l1_bound", [1.0], n_permutations=2),
        PermutationGap(SKFR(2, n_init=2), "n_features_to_select", [1], n_permutations=2, rule="one_se"),
        # So many features that some must be stable: the checks ask for something to transform.
        StabilitySelection(SKFR(2, 0.8, n_init=2), n_resamples=4),
        StabilitySelection(
            SKFR(2, n_init=2), "n_features_to_select", [0.5, 1.0], n_resamples=4, complementary_pairs=True
        ),
        ConsensusClustering(SKFR(n_init=2), (2, 3), n_resamples=20),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
