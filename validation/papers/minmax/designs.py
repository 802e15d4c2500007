"""The design: data sets, methods, measures, and settings that the paper leaves open."""

from dataclasses import dataclass

from validation.report.sections import inferred, our_choice


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of the paper.

    Attributes
    ----------
    title : str
        Its name in the paper.
    scaling : {"raw", "standardised", "rows"}
        Data for MADD, IF-HCT-PCA and the sparse methods: raw, or with columns or rows standardised.
    bound : {"features", "gap"}
        Choice of s: so that the printed number of features is retained, or at the largest gap.
    """

    title: str
    scaling: str = "raw"
    bound: str = "features"


GENES = {
    "brain": DataSet("Brain"),
    "breast": DataSet("Breast Cancer"),
    "colon": DataSet("Colon Cancer"),
    "leukemia": DataSet("Leukemia"),
    "lung1": DataSet("Lung Cancer(1)"),
    "lung2": DataSet("Lung Cancer(2)"),
    "lymphoma": DataSet("Lymphoma"),
    "prostate": DataSet("Prostate Cancer"),
    "srbct": DataSet("SRBCT"),
    "sucancer": DataSet("SuCancer"),
}
"""The gene expression sets, by the names of `sparsek.datasets.fetch_microarray`."""
DATA = {
    "glass": DataSet("Glass", bound="gap"),
    "breast_cancer_wisconsin": DataSet("Breast", "standardised", "gap"),
    "vehicle": DataSet("Vehicle", bound="gap"),
    "yale": DataSet("Yale", "standardised", "gap"),
    **GENES,
    "trace": DataSet("Trace", bound="gap"),
    "synthetic_control": DataSet("Control Chart", "rows", "gap"),
}
"""All data sets; those of Tables 1 and 3 by the names of their fetchers."""
SCALINGS = ("raw", "standardised", "rows")
NOT_HERE = "data not available here"

MADD = ("kM_0", "kM_1", "kM_2")
IFPCA, SPARSE, MINMAX = "IF-HCT-PCA", "Sparse k-Means", "Sparse MinMax k-Means"
MINMAX_PAPER = "Sparse MinMax k-Means, by its formulas"
VARIANTS = {MINMAX: "r", MINMAX_PAPER: "paper"}
"""The two forms of sparse MinMax k-means: the released code, which the tables use, and the formulas."""
TUNED = (SPARSE, MINMAX)
FOUR = {"MADD k-Means": "kM_0", IFPCA: IFPCA, SPARSE: SPARSE, MINMAX: MINMAX}
"""Columns of Tables 1, 4 and 6, and the method that is run for each."""
BASELINES = ("kmeans", "kmeans++", "Hier", "SpecGem")
TABLES = {
    1: (tuple(DATA)[:4], FOUR),
    2: (tuple(GENES), {name: name for name in (*BASELINES, *MADD, IFPCA, SPARSE, MINMAX)}),
    3: (("trace", "synthetic_control"), {name: name for name in (*MADD, IFPCA, SPARSE, MINMAX)}),
    4: (tuple(GENES), FOUR),
    5: (tuple(GENES), {name: name for name in (IFPCA, SPARSE, MINMAX)}),
    6: (tuple(GENES), FOUR),
}
"""Data sets and columns of each table."""
FIGURES = {"tsne": "leukemia", "convergence": ("brain", "colon", "leukemia", "lymphoma", "srbct")}
"""Data of the two pictures."""

MEASURES = {"many_to_one": "many-to-one", "one_to_one": "one-to-one", "pairs": "pairs"}
"""The three error rates that are stored for each run, with their names in text."""
ONE_TO_ONE = (*BASELINES, IFPCA)
"""Columns whose printed numbers are one-to-one error rates; the others are many-to-one."""
FIXED = ("Hier", "SpecGem")
"""Columns of methods without randomness: one run. SpecGem's k-means has 200 starts, because with 30 starts
one run in ten misses the best partition of Brain."""
MEANS = ("kmeans", "kmeans++")
"""Columns of Table 2 that print means, not the best run."""


def measure_of(method: str) -> str:
    """The error rate that the paper prints for a method."""
    return "one_to_one" if method in ONE_TO_ONE else "many_to_one"


@dataclass(frozen=True, slots=True)
class Scale:
    """Amount of work.

    Attributes
    ----------
    runs : int
        Runs behind a printed number; the approximate seconds of a run (`RunCell.seconds`) may leave fewer.
    runs_unprinted : int
        Runs of other readings, and of versions of a method that a table does not print.
    runs_ifpca : int
        Runs of IF-HCT-PCA, each with newly drawn null scores.
    seconds : float
        Most approximate seconds of all runs behind a printed number, unless the paper has as many runs.
    tune : bool
        Whether s is chosen anew; otherwise it is taken from the committed full run.
    appendix : bool
        Whether other readings of the paper are run.
    download : bool
        Whether missing data may be downloaded.
    n_permutations : int
        Shuffled data sets of the gap statistic.
    """

    runs: int
    runs_unprinted: int
    runs_ifpca: int
    seconds: float
    tune: bool
    appendix: bool
    download: bool
    n_permutations: int


SCALES = {
    "quick": Scale(2, 3, 1, 0.0, tune=False, appendix=False, download=False, n_permutations=5),
    "full": Scale(400, 40, 20, 120.0, tune=True, appendix=True, download=True, n_permutations=25),
}

SETTINGS = (
    inferred(
        "what is printed as CER is the share of misclassified rows: best one-to-one matching for kmeans, "
        "kmeans++, Hier, SpecGem and IF-HCT-PCA, many-to-one (classError of R's mixture packages) for MADD "
        "and the sparse methods; never the share of pairs that the paper defines"
    ),
    inferred(
        "gene sets: every sample standardised over its genes, Lung Cancer(1) raw; genes standardised for "
        "kmeans, kmeans++, Hier, SpecGem and IF-HCT-PCA, as they are for the others"
    ),
    inferred(
        "Tables 1 and 3: columns as they are, but standardised in Breast (missing cells filled with column "
        "means) and Yale; Control Chart by standardised series, as in the UCR archive"
    ),
    inferred("gene sets: s is such that the number of features printed in Table 5 is retained"),
    inferred("Sparse k-Means is R's sparcl, one bound, 20 starts; sparsek.rcompat gives its labels"),
    inferred("printed numbers are rounded or cut off: 13/42 is 0.309, 38/102 is 0.372"),
    inferred("MADD k-Means in Tables 1, 4 and 6 is kM_0; a run is one start"),
    our_choice("Tables 1 and 3: s at the largest gap, 25 permutations, ten bounds from 1.2 to 0.9 sqrt(p)"),
    our_choice("each run of IF-HCT-PCA draws its own null scores, 100 per gene"),
    our_choice("the rank-sum test is that of R's wilcox.test: normal, corrected for ties and continuity"),
)
"""Settings that the paper leaves open."""
