"""The public names of `sparsek`: one row for every estimator and every function.

Derived from the rows: what `sparsek/__init__.py` imports on demand, the methods of the command line and the
estimators that the common tests run over. ``python docs/write_lists.py`` writes from them the stub
`sparsek/__init__.pyi`, the estimators of `docs/api.md` and the pages of `docs/methods/index.md`.
``import sparsek`` loads this module: it imports nothing heavy.
"""

from typing import NamedTuple


class RegistryRow(NamedTuple):
    """One estimator: name, place, page, command-line name and so on."""

    name: str  # Name of the class
    module: str  # Its module, below `sparsek.methods`
    page: str  # Its page, a file of `docs/methods`, without the ending
    method: str = ""  # Its name in the command line; empty where it has none (searches)
    purpose: str = ""  # What it is for, in a line that fits 80 columns beside the name
    takes: str = ""  # Options of the command line that it has; missing values, constraints, batches
    paper: str = ""  # Authors and year
    twin: str = ""  # The R function that `sparsek.rcompat` reproduces; empty without one
    local: str = ""  # Whether clusters can have features or weights of their own, and how to ask for it
    # Python expressions of the estimators that scikit-learn's checks run on; if empty, the class without
    # arguments
    checks: tuple[str, ...] = ()


class Other(NamedTuple):
    """A public function, or a class that is no estimator, and its module below a room of `sparsek`."""

    name: str
    module: str
    room: str = "methods"


class Section(NamedTuple):
    """A heading of the reference for the rows that follow, and an introductory sentence."""

    title: str
    text: str = ""


ROWS: tuple[Section | RegistryRow | Other, ...] = (
    Section(
        "Sparse k-means and sparse trees", "One set of features, or one weight per feature, for all clusters."
    ),
    RegistryRow(
        "SKFR",
        "skfr.estimator",
        "skfr",
        method="skfr",
        purpose="k-means on the features that separate the clusters best",
        takes="select groups always never n_init categories missing batch",
        paper="Zhang, Lange & Xu 2020",
        local="--set scope=local",
        checks=(
            "SKFR(n_features_to_select=None, n_init=2)",
            "SKFR(n_init=2)",
            "SKFR(scope='local', n_init=2)",
        ),
    ),
    Other("cluster", "_cluster", room=""),
    Other("skfr_path", "skfr.path"),
    Other("explain", "explanation", "inference"),
    Other("Certificate", "skfr.certificate"),
    RegistryRow(
        "SparseKMeans",
        "sparse_kmeans.estimator",
        "sparse-kmeans",
        method="sparse-kmeans",
        purpose="k-means with feature weights under an L1 bound",
        takes="bound groups never n_init categories batch",
        paper="Witten & Tibshirani 2010",
        twin="sparcl::KMeansSparseCluster",
        checks=(
            "SparseKMeans(l1_bound=None, n_init=2)",
            "SparseKMeans(n_init=2)",
            "SparseKMeans(dissimilarity='absolute', n_init=2)",
        ),
    ),
    RegistryRow(
        "SparseAgglomerativeClustering",
        "sparse_hierarchical.estimator",
        "sparse-hierarchical",
        method="sparse-hclust",
        purpose="a tree of the rows on few weighted features",
        takes="bound",
        paper="Witten & Tibshirani 2010",
        twin="sparcl::HierarchicalSparseCluster",
        checks=("SparseAgglomerativeClustering()", "SparseAgglomerativeClustering(dissimilarity='absolute')"),
    ),
    Section("Correlated columns", "Clusters beside factors that many columns share."),
    RegistryRow(
        "FactorSparseMixture",
        "factor_mixture.estimator",
        "factor-mixture",
        method="factor-mixture",
        purpose="clusters in few columns beside factors that many share",
        takes="missing batch",
        paper="Baek, McLachlan & Flack 2010",
        checks=("FactorSparseMixture()", "FactorSparseMixture(covariance='factors', n_factors=0)"),
    ),
    Section(
        "Weights in every cluster", "Clusters, groups of features or single rows have weights of their own."
    ),
    RegistryRow(
        "EntropyWeightedKMeans",
        "entropy.estimator",
        "entropy-weighted",
        method="ewkm",
        purpose="k-means, with soft weights of each cluster's own",
        takes="n_init",
        paper="Jing, Ng & Huang 2007",
        twin="wskm::ewkm",
        local="always",
        checks=("EntropyWeightedKMeans(n_init=2)",),
    ),
    RegistryRow(
        "FeatureGroupKMeans",
        "entropy.groups",
        "entropy-weighted",
        method="fgkm",
        purpose="as ewkm, with weights for groups of features too",
        takes="groups n_init",
        paper="Chen et al. 2012",
        twin="wskm::fgkm",
        local="always",
        checks=("FeatureGroupKMeans(n_init=2)",),
    ),
    RegistryRow(
        "TwoLevelKMeans",
        "entropy.groups",
        "entropy-weighted",
        method="twkm",
        purpose="k-means with weights for views and their variables",
        takes="groups n_init",
        paper="Chen et al. 2013",
        twin="wskm::twkm",
        checks=("TwoLevelKMeans(n_init=2)",),
    ),
    RegistryRow(
        "COSA",
        "cosa.estimator",
        "sparse-hierarchical",
        method="cosa",
        purpose="a tree of the rows, with weights for each pair of them",
        paper="Friedman & Meulman 2004",
        local="always",
        checks=("COSA()", "COSA(combine='whole', linkage='complete')"),
    ),
    Other("cosa_distances", "cosa.estimator"),
    Section("Missing values", "`SKFR` takes them too."),
    RegistryRow(
        "KPod",
        "kpod.estimator",
        "k-pod",
        method="kpod",
        purpose="k-means of data with missing values",
        takes="n_init categories missing",
        paper="Chi, Chi & Baraniuk 2016",
        twin="kpodclustr::kpod",
        checks=("KPod(n_init=2)",),
    ),
    Section("Outliers"),
    RegistryRow(
        "RobustSparseKMeans",
        "robust.estimator",
        "robust",
        method="rskc",
        purpose="sparse k-means that leaves out a share of outliers",
        takes="bound never n_init",
        paper="Kondo et al. 2012",
        twin="RSKC::RSKC",
        checks=("RobustSparseKMeans(n_init=2)",),
    ),
    RegistryRow(
        "WeightedRobustSparseKMeans",
        "robust.weighted_estimator",
        "robust",
        method="wrsk",
        purpose="sparse k-means that gives outliers less weight",
        takes="bound n_init",
        paper="Brodinova et al. 2019",
        twin="wrsk::wrsk",
        checks=("WeightedRobustSparseKMeans(n_init=2)",),
    ),
    RegistryRow(
        "GeometricKMedians",
        "kmedians.estimator",
        "k-medians",
        method="kgmedian",
        purpose="clusters around geometric medians, for outliers",
        takes="n_init",
        paper="Cardot, Cenac & Monnez 2012",
        twin="Gmedian::kGmedian",
        checks=("GeometricKMedians(n_init=2)", "GeometricKMedians(algorithm='recursive', n_init=2)"),
    ),
    Section("Few rows, many features"),
    RegistryRow(
        "SparseMinMaxKMeans",
        "minmax.sparse_estimator",
        "minmax",
        method="sparse-minmax",
        purpose="sparse k-means against clusters of unequal scatter",
        takes="bound n_init",
        paper="Dey, Das & Mallipeddi 2020",
        checks=("SparseMinMaxKMeans(n_init=2)", "SparseMinMaxKMeans(variant='paper', n_init=2)"),
    ),
    Other("l1_bound_path", "minmax.path"),
    RegistryRow(
        "MinMaxKMeans",
        "minmax.estimator",
        "minmax",
        method="minmax",
        purpose="k-means against clusters of unequal scatter",
        takes="n_init",
        paper="Tzortzis & Likas 2014",
        checks=("MinMaxKMeans(n_init=2)", "MinMaxKMeans(variant='r', n_init=2)"),
    ),
    RegistryRow(
        "MADDKMeans",
        "madd.estimator",
        "madd",
        method="madd",
        purpose="k-means for clusters that differ in scale alone",
        takes="n_init",
        paper="Sarkar & Ghosh 2020",
        checks=(
            "MADDKMeans(n_init=2)",
            "MADDKMeans(variant='centroid', version=1, n_init=2)",
            "MADDKMeans(variant='gmadd', version=2)",
        ),
    ),
    Other("madd_distances", "madd.estimator"),
    RegistryRow(
        "IFPCA",
        "spectral.ifpca_estimator",
        "spectral",
        method="ifpca",
        purpose="PCA on the features that look least normal, then k-means",
        takes="n_init",
        paper="Jin & Wang 2016",
        checks=(
            "IFPCA(n_init=2)",
            "IFPCA(postselection='kmeans', n_init=2)",
            "IFPCA(postselection='complete')",
        ),
    ),
    RegistryRow(
        "SpectralGEM",
        "spectral.gem_estimator",
        "spectral",
        method="spectral-gem",
        purpose="clusters in the leading eigenvectors of inner products",
        takes="n_init",
        paper="Lee, Luca & Roeder 2010",
        checks=("SpectralGEM(n_init=2)", "SpectralGEM(graph='root', n_init=2)"),
    ),
    Section("Less dependence on starts"),
    RegistryRow(
        "PowerKMeans",
        "power.estimator",
        "power",
        method="power",
        purpose="k-means in which the starting centres matter less",
        takes="n_init",
        paper="Xu & Lange 2019",
    ),
    RegistryRow(
        "EntropyWeightedPowerKMeans",
        "power.estimator",
        "power",
        method="ew-power",
        purpose="power k-means with soft feature weights",
        takes="n_init",
        paper="Chakraborty et al. 2020",
        checks=("EntropyWeightedPowerKMeans(n_init=2)",),
    ),
    Section("Kernels, networks and maps"),
    RegistryRow(
        "KernelKMeans",
        "kernel.estimator",
        "kernel",
        method="kernel-kmeans",
        purpose="k-means in the space of a kernel, for curved clusters",
        takes="n_init",
        paper="Shawe-Taylor & Cristianini 2004",
        checks=("KernelKMeans(n_init=2)", "KernelKMeans(kernel='polynomial', coef0=1.0, n_init=2)"),
    ),
    RegistryRow(
        "SparseKernelKMeans",
        "kernel.sparse_estimator",
        "kernel",
        method="sparse-kernel",
        purpose="kernel k-means with a kernel and weight for each feature",
        takes="bound groups n_init",
        paper="Witten & Tibshirani 2010",
        checks=(
            "SparseKernelKMeans(n_init=2)",
            "SparseKernelKMeans(kernel='gaussian', n_init=2)",
            "SparseKernelKMeans(kernel='gaussian', width=1e-3, n_init=2)",  # rank n: sums one matrix
        ),
    ),
    RegistryRow(
        "DEC",
        "dec.estimator",
        "dec",
        method="dec",
        purpose="k-means in an embedding by a neural network",
        takes="n_init",
        paper="Xie, Girshick & Farhadi 2016",
        # A small network and few epochs, to be quick; the tolerance lets it end without converging.
        checks=(
            "DEC(n_components=2, hidden_sizes=(8,), layer_epochs=2, finetune_epochs=2, max_iter=20, tol=1.0)",
        ),
    ),
    RegistryRow(
        "SelfOrganizingMap",
        "maps.estimator",
        "maps",
        method="som",
        purpose="a map: centres on a grid, near ones have near rows",
        takes="n_init",
        paper="Kohonen 1982",
        checks=("SelfOrganizingMap(2, max_iter=5)", "SelfOrganizingMap(4, init='random', n_init=2)"),
    ),
    Section("Labels and pairs"),
    RegistryRow(
        "PCSparseKMeans",
        "constrained.sparse",
        "semi-supervised",
        method="pcskm",
        purpose="sparse k-means with pairs of rows that should be together",
        takes="bound n_init constraints",
        paper="Vouros & Vasilaki 2021",
        checks=("PCSparseKMeans(n_init=2)",),
    ),
    RegistryRow(
        "PCKMeans",
        "constrained.soft",
        "semi-supervised",
        method="pckm",
        purpose="k-means with pairs of rows that should be together",
        takes="n_init constraints",
        paper="Basu, Banerjee & Mooney 2004",
        checks=("PCKMeans(n_init=2)",),
    ),
    RegistryRow(
        "MPCKMeans",
        "constrained.soft",
        "semi-supervised",
        method="mpckm",
        purpose="as pckm, with a metric that is learned",
        takes="n_init constraints",
        paper="Bilenko, Basu & Mooney 2004",
        checks=("MPCKMeans(n_init=2)", "MPCKMeans(metric='per_cluster_full', n_init=2)"),
    ),
    RegistryRow(
        "COPKMeans",
        "constrained.hard",
        "semi-supervised",
        method="cop-kmeans",
        purpose="k-means with pairs of rows that must be together",
        takes="n_init constraints",
        paper="Wagstaff et al. 2001",
        checks=("COPKMeans(n_init=2)",),
    ),
    Other("PairwiseConstraints", "constrained.constraints"),
    Section("Filters", "Features ranked before any clustering; `transform` keeps the best."),
    RegistryRow("LaplacianScore", "filters.estimator", "filters", checks=("LaplacianScore(n_neighbors=2)",)),
    RegistryRow("EntropyRanking", "filters.estimator", "filters"),
    Section("Choosing k, s and other parameters"),
    RegistryRow(
        "ModelChoice",
        "search.choice.model_choice",
        "choosing-k-and-s",
        checks=(
            "ModelChoice(SKFR(2, n_init=1), {'n_features_to_select': [1]}, ('thinning', 'consistency'),"
            " options={'consistency': {'n_resamples': 3}})",
        ),
    ),
    RegistryRow(
        "WeakestSeparation",
        "search.choice.weakest_separation",
        "choosing-k-and-s",
        checks=("WeakestSeparation(SKFR(n_features_to_select=1, n_init=1), {'n_clusters': [1, 2]})",),
    ),
    RegistryRow(
        "PermutationGap",
        "search.permutation_gap",
        "choosing-k-and-s",
        # One feature allows only the bound 1; n_init and n_permutations are small to be quick.
        checks=(
            "PermutationGap(SparseKMeans(2, n_init=1), 'l1_bound', [1.0], n_permutations=2)",
            "PermutationGap(SKFR(2, n_init=1), 'n_features_to_select', [1], n_permutations=2, rule='one_se')",
        ),
    ),
    RegistryRow(
        "EntryCrossValidation",
        "search.entry_validation",
        "choosing-k-and-s",
        # A start that no draw changes: seeds of the last fit follow draws of the folds, which differ between
        # weighted and repeated rows.
        checks=("EntryCrossValidation(SKFR(2, init='maximin'), 'n_features_to_select', [1], n_folds=3)",),
    ),
    RegistryRow(
        "ThinnedSearch",
        "search.choice.thinned_search",
        "choosing-k-and-s",
        checks=("ThinnedSearch(SKFR(2, init='maximin'), {'n_features_to_select': [1]}, n_folds=3)",),
    ),
    Other("thin", "search.choice.thinning"),
    RegistryRow(
        "PredictionStrength",
        "search.choice.prediction_strength",
        "choosing-k-and-s",
        # A threshold that data without clusters reach, because warnings are errors.
        checks=(
            "PredictionStrength(SKFR(2, n_init=1), {'n_features_to_select': [1]}, n_resamples=2,"
            " threshold=1e-6)",
        ),
    ),
    RegistryRow(
        "SelectionConsistency",
        "search.choice.selection_consistency",
        "choosing-k-and-s",
        checks=("SelectionConsistency(SKFR(2, n_init=1), {'n_features_to_select': [1]}, n_resamples=3)",),
    ),
    RegistryRow(
        "StabilitySelection",
        "search.stability",
        "choosing-k-and-s",
        # Keeps all features: the checks transform data, and halves of weighted and of repeated rows differ.
        checks=(
            "StabilitySelection(SKFR(2, 1.0, n_init=1), n_resamples=4)",
            "StabilitySelection(SKFR(2, n_init=1), 'n_features_to_select', [0.5, 1.0], n_resamples=4,"
            " complementary_pairs=True)",
        ),
    ),
    RegistryRow(
        "FeatureFDR",
        "search.nulls.feature_fdr",
        "inference",
        checks=("FeatureFDR(SKFR(2, 1, n_init=1), fdr=0.5, n_null=1)",),
    ),
    RegistryRow(
        "FitUncertainty",
        "search.uncertainty.fit_uncertainty",
        "choosing-k-and-s",
        checks=(
            "FitUncertainty(SKFR(2, 1, n_init=1), n_resamples=3)",
            "FitUncertainty(SKFR(2, 1, n_init=1), 'subsampling', n_resamples=3, sample_fraction=0.7)",
        ),
    ),
    RegistryRow(
        "ConsensusClustering",
        "search.consensus",
        "choosing-k-and-s",
        # Few subsets, so large that every pair of rows is in one of them.
        checks=(
            "ConsensusClustering(SKFR(n_features_to_select=1, n_init=1), (2, 3), n_resamples=8,"
            " sample_fraction=0.95)",
        ),
    ),
    Other("l1_bound_grid", "constrained.validation"),
    Other("cross_validate_constraints", "constrained.validation"),
    Other("ConstraintSplitter", "constrained.splits"),
    Other("ConstraintScores", "constrained.validation"),
)
"""All public names in the order of the reference. A section holds the rows up to the next one."""

SUBMODULES = (
    "anndata",
    "compare",
    "datasets",
    "engine",
    "errors",
    "federated",
    "inference",
    "init",
    "metrics",
    "plots",
    "rcompat",
    "rng",
    "summary",
)
"""Modules that are imported when ``sparsek.<name>`` is first asked for."""

MODULES = {
    row.name: f"{row.room if isinstance(row, Other) else 'methods'}.{row.module}".lstrip(".")
    for row in ROWS
    if not isinstance(row, Section)
}
MODULES |= dict.fromkeys(("get_engine", "set_engine"), "engine")
"""The module of every public name, below `sparsek`."""

ESTIMATORS = tuple(row for row in ROWS if isinstance(row, RegistryRow))
"""The rows of the estimators."""
