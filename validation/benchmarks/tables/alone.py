"""Calls of ours alone: their seconds and memory beside what we aim at."""

from __future__ import annotations

from functools import partial

import numpy as np

from validation.benchmarks.calls import Alone
from validation.benchmarks.data import (
    design_a,
    digits,
    four_groups,
    genotype_files,
    groups,
    noise,
    pairs,
    random_mixture,
    shifted_groups,
    survey,
    word_counts,
)

LINKED = (100_000, 20, 10)


def linked(text: str, seconds: float, m: int = 100_000, apart: float = 3.0) -> Alone:
    """A fit of one start to many rows and pairs; groups 0.5 apart overlap almost wholly."""
    start = "seeding" if apart > 1 else "k-means++"  # with so many pairs the seeds are nearly the solution
    return Alone(
        f"{text.partition('(')[0]}, {m} pairs, {apart:g} apart",
        f'{text}, init="{start}", n_init=1, random_state=0).fit(X, **pairs)',
        LINKED,
        partial(pairs, m=m, apart=apart),
        seconds,
        figures="found.n_iter_, ari(y, found.labels_)",
        large=m > 100_000,
    )


BATCHES = tuple(
    Alone(
        f"{name}, {kind}",
        f"{call}.fit(X{', batch=np.arange(X.shape[0]) % 4' if batch else ''})",
        (20_000, 200, 4),
        groups,
        figures="found.n_iter_, found.objective_",
    )
    for name, call in (
        ("SKFR", "SKFR({k}, 18, init=X[:{k}])"),
        ("SparseKMeans", "SparseKMeans({k}, l1_bound=4.0, init=X[:{k}], standardize=True)"),
    )
    for kind, batch in (("no batches", False), ("four batches", True))
)
CERTIFICATE = (
    Alone(
        "SKFR with its certificate",
        "SKFR({k}, 18, random_state=0).fit(X).certificate(X)",
        (80, 2000, 4),
        groups,
        0.5,
        figures="found.ratio, found.ratio_selected",
    ),
)
REPLICATES = (
    Alone(
        "FitUncertainty, 20 replicates",
        "FitUncertainty(SparseKMeans({k}, l1_bound=3.0, n_init=5, random_state=0), 'JK1')"
        ".fit(X, replicate_weights=20 / 19 * (np.arange(400)[:, None] % 20 != np.arange(20)))",
        (400, 50, 4),
        groups,
        np.nan,
        figures="found.cluster_share_errors_.max()",
    ),
)
"""A jackknife of 20 units, each with a twentieth of the rows."""
GENOTYPES = tuple(
    Alone(
        f"SKFR on PLINK's genotypes, {where}",
        f'SKFR({{k}}, 200, n_init=2, memory_limit="{limit}", random_state=0).fit(path)',
        (2000, 10_000, 3),
        genotype_files,
        seconds,
        megabytes,
    )
    for where, limit, seconds, megabytes in (
        ("in memory", "4GB", 10.0, np.nan),
        ("by blocks", "100MB", 30.0, 100.0),
    )
)
SOFT = tuple(
    Alone(
        f"{text.partition('(')[0]}, probabilities",
        f"{text}.fit(X).predict_proba(X)",
        (200, 1000, 4),
        groups,
        seconds,
    )
    for text, seconds in (
        ("FitUncertainty(SKFR({k}, 18, n_init=3), n_resamples=20, keep_fits=True, random_state=0)", 4.0),
        ("PowerKMeans({k}, random_state=0)", 4.0),
    )
)
GROUPS = tuple(
    Alone(
        f"{text.partition('(')[0]}, groups of ten",
        f"{text}, groups=np.arange(X.shape[1]) // 10, random_state=0).fit(X)",
        (500, 2000, 4),
        groups,
        seconds,
        figures="found.selected_groups_.size, found.n_iter_",
    )
    for text, seconds in (("SKFR({k}, 4", 1.0), ("SparseKMeans({k}, l1_bound=8.0", 2.0))
)
SURVEY = tuple(
    Alone(
        f"{text.partition('(')[0]}, half of the columns categories",
        f"{text}, random_state=0).fit(X)",
        (2000, 100, 4),
        survey,
        seconds,
        figures="found.n_features_in_, found.n_iter_",
    )
    for text, seconds in (
        ("SKFR({k}, 20", 5.0),
        ("SparseKMeans({k}, l1_bound=5.0, standardize=True", 10.0),
        ("KPod({k}, standardize=True", 10.0),
    )
)
CONSTRAINED = (
    *(
        linked(text, seconds, apart=apart)
        for apart in (3.0, 0.5)
        for text, seconds in (
            ("PCKMeans(10", 2.0),
            ("MPCKMeans(10", 4.0),
            ("PCSparseKMeans(10, l1_bound=2.0", 8.0),
            ("COPKMeans(10", np.nan),
        )
    ),
    linked("PCKMeans(10", np.nan, 1_000_000),
)
COSINE = tuple(
    Alone(
        f"SKFR under cosine distance, {name}",
        f'SKFR({{k}}, {s}, loss="cosine", standardize=False, n_init=5, random_state=0).fit(x)',
        (2000, 5000, 4),
        partial(word_counts, length=70),
        figures="found.n_iter_, found.objective_",
    )
    for name, s in (("100 words", 100), ("all words", 5000))
)
DEC = tuple(
    Alone(
        f"DEC, digits, {dtype}, {threads} thread" + ("s" if threads > 1 else ""),
        f"DEC(10, blas_threads={threads}, random_state=0).fit(X)",
        (1797, 64, 10),
        partial(digits, dtype=dtype),
        60.0,
        figures="1 - metrics.misclassification_error(y, found.labels_), found.n_iter_",
    )
    # Two threads mean nothing on a busy machine, where they wait for each other.
    for threads in (1, 2)
    for dtype in ("float64", "float32")
)
FEDERATED = tuple(
    Alone(name, text, (20_000, 200, 4), groups, figures="found.n_iter_, found.objective_")
    for name, text in (
        ("SKFR, all rows in one array", "SKFR({k}, 18, init=X[:{k}]).fit(X)"),
        (
            "SKFR, rows at two sites",
            "federated.fit(SKFR({k}, 18, init=X[:{k}]), "
            "[federated.Site(X[:5000]), federated.Site(X[5000:])])",
        ),
    )
)
GAP = tuple(
    Alone(
        f"PermutationGap of SKFR, {name}, {jobs} at a time",
        f'PermutationGap(SKFR({{k}}, n_init=10), "n_features_to_select", {values}, n_permutations=25, '
        f"n_jobs={jobs}, random_state=0).fit(X)",
        (400, 1000, 10),
        design_a,
        30.0 if jobs == 2 else np.nan,
        large=True,
    )
    for name, values in (("5, 10, ...", "np.arange(5, 101, 5)"), ("1, 2, ...", "np.arange(1, 21)"))
    for jobs in (1, 2)
)
HIERARCHICAL = tuple(
    Alone(name, text, (150, 500), four_groups)
    for name, text in (
        ("HierarchicalSparseCluster", "rcompat.HierarchicalSparseCluster(x, rng=RRandom(1))"),
        (
            "HierarchicalSparseCluster_permute",
            "rcompat.HierarchicalSparseCluster_permute(x, nperms=1, wbounds=[2, 4], rng=RRandom(1))",
        ),
        ("SparseAgglomerativeClustering", "SparseAgglomerativeClustering(4, l1_bound=4.0).fit(x)"),
    )
)
"""The distances take n (n - 1) / 2 x p doubles: 44.7 MB."""
IFPCA = tuple(
    Alone(f"{name}, {title}", text, size, noise, 4.0 if size[0] == 42 and "two" in title else np.nan)
    for name, size in (
        ("colon", (62, 2000)),
        ("brain", (42, 5597)),
        ("leukemia", (72, 3571)),
        ("prostate", (102, 6033)),
    )
    for title, text in (
        ("IFPCA draws null scores", "IFPCA(3, cache=False).fit(X)"),
        ("IFPCA draws in two threads", "IFPCA(3, cache=False, n_jobs=2).fit(X)"),
        ("IFPCA, scores on disk", "IFPCA(3, cache=folder).fit(X)"),
        ("IFPCA, all features selected", "IFPCA(3, cache=folder, pval_cut=0.6).fit(X)"),
        ("SpectralGEM", "SpectralGEM(3).fit(X)"),
    )
)
INIT = tuple(
    Alone(f"{name}, 10 centres", text, size, noise, large=is_large)
    for name, text, sizes, is_large in (
        ("maximin", "init.maximin(X, 10)", ((10_000, 20), (100_000, 20)), False),
        (
            "k-means++",
            "init.kmeans_plus_plus(X, 10, random_state=0)",
            ((10_000, 20), (100_000, 20)),
            False,
        ),
        ("dkm++", "init.dkm_plus_plus(X, 10)", ((2000, 50), (5000, 50), (10_000, 20)), False),
        ("robin", "init.robin(X, 10, crit=0.2)", ((2000, 50), (5000, 50), (20_000, 5)), False),
        ("dkm++", "init.dkm_plus_plus(X, 10, max_rows=None)", ((30_000, 20), (100_000, 20)), True),
    )
    for size in sizes
)
GAUSSIAN = 'SparseKernelKMeans({k}, l1_bound=2.0, random_state=0, kernel="gaussian"'
POLYNOMIAL = 'SparseKernelKMeans({k}, l1_bound=2.0, random_state=0, kernel="polynomial", coef0=1.0).fit(X)'
KERNEL = tuple(
    Alone(name, text, size, random_mixture, seconds, megabytes, "found.objective_")
    for name, text, size, seconds, megabytes in (
        ("SparseKernelKMeans, polynomial", POLYNOMIAL, (500, 20, 3), 0.2, np.nan),
        ("SparseKernelKMeans, polynomial", POLYNOMIAL, (5000, 100, 3), 10.0, 500.0),
        ("SparseKernelKMeans, Gaussian", f"{GAUSSIAN}).fit(X)", (2000, 50, 3), 60.0, np.nan),
        (
            "SparseKernelKMeans, width 1e-6",
            f"{GAUSSIAN}, width=1e-6, n_init=2, max_iter=2).fit(X)",
            (2000, 50, 3),
            np.nan,
            np.nan,
        ),
        ("KernelKMeans, Gaussian", "KernelKMeans({k}, random_state=0).fit(X)", (2000, 50, 3), np.nan, np.nan),
    )
)
COSA = (
    Alone("COSA, 100 iterations", "cosa_distances(X)", (300, 50, 3), random_mixture, figures="found.eta"),
)
MADD = tuple(
    Alone(
        f"MADDKMeans, version {version}, ten starts",
        f"MADDKMeans({{k}}, version={version}, random_state=0).fit(X)",
        size,
        partial(groups, apart=1.5),
        0.5 if size[0] == 846 else np.nan,
    )
    for size in ((62, 2000, 2), (214, 9, 6), (846, 18, 4))
    for version in (0, 1, 2)
)
MINMAX = tuple(
    Alone(f"{name}, {variant}", text, (62, 2000, 2), shifted_groups, seconds, megabytes)
    for variant in ("r", "paper")
    for name, text, seconds, megabytes in (
        (
            "PermutationGap, 10 bounds x 10",
            f'PermutationGap(SparseMinMaxKMeans(2, variant="{variant}", n_init=1), n_permutations=10, '
            "random_state=0).fit(X)",
            2.0,
            np.nan,
        ),
        (
            "SparseMinMaxKMeans, one start",
            f'SparseMinMaxKMeans(2, l1_bound=40.0, variant="{variant}", n_init=1, random_state=1).fit(X)',
            np.nan,
            3.0,  # Three times the data
        ),
    )
)
SPARSE_INPUT = tuple(
    Alone(
        f"{text.partition('(')[0]}, {'sparse' if data == 'x' else 'array'}",
        f"{text}.fit({data})",
        size,
        partial(word_counts, length=length),
        large=size[0] > 10_000,
    )
    for size, length, forms in (((1993, 4862, 2), 70, "xX"), ((11_314, 130_107, 20), 160, "x"))
    for text in (
        "SKFR({k}, 200, n_init=5, random_state=0)",
        "SparseKMeans({k}, l1_bound=8.0, n_init=5, random_state=0)",
    )
    for data in forms
)
"""Shapes of BASEHOCK and of the 20 newsgroups, whose dense form would take 11.8 GB and is not made."""

TABLES = {
    "alone.batches": BATCHES,
    "alone.certificate": CERTIFICATE,
    "alone.constrained": CONSTRAINED,
    "alone.cosa": COSA,
    "alone.cosine": COSINE,
    "alone.dec": DEC,
    "alone.federated": FEDERATED,
    "alone.gap": GAP,
    "alone.genotypes": GENOTYPES,
    "alone.groups": GROUPS,
    "alone.hierarchical": HIERARCHICAL,
    "alone.ifpca": IFPCA,
    "alone.init": INIT,
    "alone.kernel": KERNEL,
    "alone.madd": MADD,
    "alone.minmax": MINMAX,
    "alone.replicates": REPLICATES,
    "alone.soft": SOFT,
    "alone.sparse_input": SPARSE_INPUT,
    "alone.survey": SURVEY,
}
"""Calls by topic."""
