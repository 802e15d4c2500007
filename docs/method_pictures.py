"""The pictures of the pages in docs/methods, of the tutorial and of questions, drawn from small fits."""

import warnings
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sparsek import (
    DEC,
    IFPCA,
    SKFR,
    EntropyRanking,
    EntropyWeightedKMeans,
    FactorSparseMixture,
    FitUncertainty,
    GeometricKMedians,
    KPod,
    LaplacianScore,
    MinMaxKMeans,
    MPCKMeans,
    PermutationGap,
    PowerKMeans,
    RobustSparseKMeans,
    SelfOrganizingMap,
    SparseAgglomerativeClustering,
    SparseKernelKMeans,
    SparseKMeans,
    explain,
    federated,
    inference,
    init,
    madd_distances,
    plots,
)
from sparsek.datasets import make_doughnut
from sparsek.errors import AssumptionWarning
from statsmodels.datasets import fair
from validation.papers.skfr.gain import draw_gains

from question_pictures import draw_genotypes, draw_questionnaires, draw_soft_membership

COLORS = np.array(["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"])
WIDE, SQUARE = (7.2, 3.2), (5.0, 3.6)


def _scatter(ax: Axes, X: np.ndarray, labels: np.ndarray, title: str) -> None:
    """Rows in the plane, coloured by cluster."""
    ax.scatter(X[:, 0], X[:, 1], c=COLORS[np.asarray(labels) % len(COLORS)], s=14)
    ax.set(xticks=[], yticks=[])
    ax.set_title(title, loc="left", fontsize=10)


def _wine() -> Any:
    """The standardised measurements of wine, with their names."""
    names = load_wine(as_frame=True).data
    return StandardScaler().set_output(transform="pandas").fit_transform(names)


def _groups(
    sizes: tuple[int, ...], centers: list[list[float]], seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Normal groups in the plane, and the group of each row."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return np.array(centers)[truth] + np.random.default_rng(seed).normal(
        size=(len(truth), 2)
    ), truth


def draw_gain(figure: Figure) -> None:
    """SKFR1 and k-means on the data of Table 4, and where columns are noise."""
    draw_gains(*figure.subplots(1, 2))


def draw_skfr(figure: Figure) -> None:
    """The gains of wine's 13 measurements and 40 columns of noise."""
    X = np.hstack([_wine(), np.random.default_rng(0).normal(size=(178, 40))])
    fit = SKFR(3, 10, random_state=0).fit(X)
    Z, sizes = StandardScaler().fit_transform(X), np.bincount(fit.labels_)
    gains = sum(n * Z[fit.labels_ == k].mean(axis=0) ** 2 for k, n in enumerate(sizes))
    order = np.argsort(-gains)
    ax = figure.subplots()
    ax.bar(
        range(len(order)),
        gains[order],
        color=np.where(fit.get_support()[order], COLORS[0], "#b8c0c8"),
    )
    ax.set(xlabel="features, ranked by gain", ylabel="gain", xticks=[])
    ax.set_title(
        "SKFR keeps the 10 features of the largest gain (blue)", loc="left", fontsize=10
    )


def draw_sparse_kmeans(figure: Figure) -> None:
    """The weights of wine for growing bounds."""
    X = _wine()
    bounds = np.linspace(1.05, 3.5, 15)
    weights = np.array(
        [
            SparseKMeans(3, l1_bound=b, random_state=0).fit(X).feature_weights_
            for b in bounds
        ]
    )
    ax = figure.subplots()
    ax.plot(bounds, weights)
    ax.set(xlabel="L1 bound", ylabel="weight")
    ax.set_title(
        "Each line is a feature of wine: more of them get weight as the bound grows",
        loc="left",
        fontsize=10,
    )


def draw_sparse_hierarchical(figure: Figure) -> None:
    """A tree of 40 wines on the features that have weight."""
    tree = SparseAgglomerativeClustering(3, l1_bound=2.5, linkage="average").fit(
        _wine().iloc[::4]
    )
    ax = figure.subplots()
    plots.plot_dendrogram(tree, ax=ax)
    in_use = int(tree.get_support().sum())
    ax.set_title(f"45 wines, merged on {in_use} of 13 features", fontsize=10)


def draw_entropy_weighted(figure: Figure) -> None:
    """The weights of three clusters, each tight in features of its own."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 15))
    for k in range(3):
        X[50 * k : 50 * k + 50, 4 * k : 4 * k + 4] = 1.5 + 0.2 * rng.normal(size=(50, 4))
    fit = EntropyWeightedKMeans(3, gamma=10, random_state=0).fit(
        StandardScaler().fit_transform(X)
    )
    ax = figure.subplots()
    ax.imshow(fit.feature_weights_, cmap="Blues", aspect="auto")
    ax.set(xlabel="feature", ylabel="cluster", yticks=range(3))
    ax.set_title(
        "Weights: each cluster has its own heavy features", loc="left", fontsize=10
    )


def draw_k_pod(figure: Figure) -> None:
    """Rows with holes, and their values filled from the centres."""
    X, _ = _groups((40, 40), [[0, 0], [6, 4]])
    gone = np.random.default_rng(1).random(80) < 0.3
    holes = X.copy()
    holes[gone, 1] = np.nan
    fit = KPod(2, random_state=0).fit(holes)
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    _scatter(
        left, X[~gone], fit.labels_[~gone], "Grey lines: rows whose second value is missing"
    )
    for x in X[gone, 0]:
        left.axvline(x, color="#b8c0c8", lw=0.8, zorder=0)
    _scatter(right, fit.impute(), fit.labels_, "The same rows, filled from their centres")


def draw_robust(figure: Figure) -> None:
    """Clusters and flagged outliers."""
    X, _ = _groups((40, 40), [[0, 0], [8, 0]])
    X = np.vstack([X, np.random.default_rng(3).uniform(-10, 18, size=(8, 2)) * [1, 1.5]])
    ax = figure.subplots()
    fit = RobustSparseKMeans(2, l1_bound=2**0.5, trim=0.1, random_state=0).fit(X)
    _scatter(ax, X, fit.labels_, "Crosses: the rows that were left out")
    ax.plot(*X[fit.outliers_].T, "kx", ms=9)


def draw_k_medians(figure: Figure) -> None:
    """The mean and the geometric median of a cluster with outliers."""
    X, labels = _groups((60, 6), [[0, 0], [14, 9]])
    ax = figure.subplots()
    _scatter(ax, X, labels, "A tenth of the rows are outliers")
    ax.plot(*X.mean(axis=0), "ks", ms=9, label="mean")
    ax.plot(
        *GeometricKMedians(1).fit(X).cluster_centers_[0],
        "k*",
        ms=14,
        label="geometric median",
    )
    ax.legend(frameon=False)


def draw_minmax(figure: Figure) -> None:
    """The sums of squares of the clusters, by k-means and by MinMax k-means."""
    X, _ = _groups((200, 40, 40, 40), [[0, 0], [6, 0], [0, 6], [6, 6]])
    X[:200] *= 2
    for ax, model in zip(
        figure.subplots(1, 2, sharey=True),
        (KMeans(4, n_init=10), MinMaxKMeans(4)),
        strict=True,
    ):
        labels = model.set_params(random_state=0).fit_predict(X)
        sums = [
            ((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in range(4)
        ]
        ax.bar(range(4), sorted(sums, reverse=True), color=COLORS[0])
        ax.set_title(
            f"{type(model).__name__}: largest sum {max(sums):.0f}", loc="left", fontsize=10
        )
        ax.set(xticks=[], xlabel="clusters")
    figure.axes[0].set_ylabel("sum of squares in the cluster")


def draw_madd(figure: Figure) -> None:
    """Distances and MADD between rows of two groups that differ in scale."""
    X = np.random.default_rng(0).normal(size=(40, 200))
    X[20:] *= 2
    plain = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    for ax, D, title in zip(
        figure.subplots(1, 2),
        (plain, madd_distances(X)),
        ("Euclidean distance", "MADD"),
        strict=True,
    ):
        ax.imshow(D, cmap="viridis")
        ax.set(xticks=[], yticks=[])
        ax.set_title(f"{title}, 20 + 20 rows", loc="left", fontsize=10)


def draw_spectral(figure: Figure) -> None:
    """The scores of IFPCA, with the features that it keeps."""
    X = np.random.default_rng(0).normal(size=(60, 300))
    X[:15, :15] += 4
    fit = IFPCA(2, n_null=20_000, cache=False, random_state=0).fit(X)
    order = np.argsort(-fit.scores_)[:60]
    ax = figure.subplots()
    ax.bar(
        range(60),
        fit.scores_[order],
        color=np.where(fit.get_support()[order], COLORS[0], "#b8c0c8"),
    )
    ax.set(xlabel="the 60 least normal features of 300", ylabel="score", xticks=[])
    ax.set_title(
        "IFPCA keeps the features that look least normal (blue)", loc="left", fontsize=10
    )


def draw_power(figure: Figure) -> None:
    """One start of k-means and of power k-means from the same rows."""
    rng = np.random.default_rng(1)
    X = np.repeat(rng.uniform(size=(12, 2)), 25, axis=0) + 0.08 * rng.normal(size=(300, 2))
    rows = np.argsort(X[:, 0])[:12]  # a poor start: the leftmost rows
    models = (
        KMeans(12, init=X[rows], n_init=1),
        PowerKMeans(12, init=X[rows], polish=True),
    )
    for ax, model in zip(figure.subplots(1, 2), models, strict=True):
        model.fit(X)
        _scatter(
            ax,
            X,
            np.zeros(300, int),
            f"{type(model).__name__}: sum of squares {model.inertia_:.2f}",
        )
        ax.plot(*X[rows].T, "s", color="#e69f00", ms=5)
        ax.plot(*model.cluster_centers_.T, "k+", ms=11, mew=2)
    figure.supxlabel(
        "orange: the rows it started from; crosses: the centres it ended with", fontsize=10
    )


def draw_factor_mixture(figure: Figure) -> None:
    """Rows on the first two components, and without the factors that these are."""
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 2)) @ rng.normal(size=(2, 60)) + rng.normal(size=(150, 60))
    X[:, :6] += 2.5 * rng.choice([-1, 1], size=(3, 6))[truth]
    fit = FactorSparseMixture(3, random_state=0).fit(X)
    found = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    axes = PCA(2).fit_transform(X)
    left, right = figure.subplots(1, 2)
    _scatter(left, axes, found, "k-means: groups of rows along the factors")
    chosen = StandardScaler().fit_transform(X)[:, fit.get_support()]
    load = fit.loadings_[fit.get_support()]
    rest = chosen - chosen @ load @ np.linalg.pinv(load)
    _scatter(right, PCA(2).fit_transform(rest), fit.labels_, "FactorSparseMixture")
    left.set(xlabel="component 1", ylabel="component 2")
    right.set(xlabel="what factors leave of the selected columns")


def draw_kernel(figure: Figure) -> None:
    """A disc in a ring."""
    sample = make_doughnut(random_state=0)
    models = (KMeans(2, n_init=10), SparseKernelKMeans(2, l1_bound=1.41))
    for ax, model in zip(figure.subplots(1, 2), models, strict=True):
        labels = model.set_params(random_state=0).fit_predict(sample.data)
        _scatter(ax, sample.data, labels, f"{type(model).__name__}: two of 20 features")
        ax.set_aspect("equal")


def draw_dec(figure: Figure) -> None:
    """Four digits in pixels and in the embedding."""
    digits = load_digits(n_class=4)
    X = digits.data[:, digits.data.std(axis=0) > 1].astype(np.float32)  # pixels that vary
    model = DEC(
        4,
        hidden_sizes=(50, 50),
        n_components=4,
        layer_epochs=20,
        finetune_epochs=40,
        random_state=0,
    ).fit(X)
    for ax, data, title in zip(
        figure.subplots(1, 2),
        (X, model.transform(X)),
        ("pixels", "the embedding"),
        strict=True,
    ):
        _scatter(
            ax,
            PCA(2, random_state=0).fit_transform(data),
            digits.target,
            f"Four digits: {title}, by PCA",
        )


def draw_semi_supervised(figure: Figure) -> None:
    """Clusters without and with ten labels, by methods that weight the features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) * [6, 1] + np.repeat([[0, 0], [0, 5]], 60, axis=0)
    given = np.full(120, -1)
    known = np.r_[rng.choice(60, 5, replace=False), 60 + rng.choice(60, 5, replace=False)]
    given[known] = known >= 60
    left, right = figure.subplots(1, 2)
    _scatter(left, X, KMeans(2, n_init=10, random_state=0).fit_predict(X), "k-means")
    labels = MPCKMeans(2, init="seeding").fit(X, given).labels_
    _scatter(right, X, labels, "MPCKMeans with ten labels (circles)")
    right.plot(*X[known].T, "ko", mfc="none", ms=9)


def draw_choosing_k_and_s(figure: Figure) -> None:
    """The gap of wine beside 100 columns of noise."""
    X = np.hstack([_wine(), np.random.default_rng(0).normal(size=(178, 100))])
    bounds = [1.5, 2, 2.5, 3, 3.5, 4, 6]
    search = PermutationGap(
        SparseKMeans(3, n_init=5),
        "l1_bound",
        bounds,
        n_permutations=5,
        rule="one_se",
        random_state=0,
    )
    ax = figure.subplots()
    plots.plot_gap(search.fit(X), ax=ax)
    ax.set_title("The gap: more structure than in shuffled columns", fontsize=10)


def draw_initialisation(figure: Figure) -> None:
    """Starting rows by k-means++ and by ROBIN, with outliers."""
    grid = np.array([(4 * i, 4 * j) for i in range(4) for j in range(3)])
    rng = np.random.default_rng(1)
    X = np.vstack(
        [
            np.repeat(grid, 25, axis=0) + 0.6 * rng.normal(size=(300, 2)),
            rng.uniform(-12, 24, (8, 2)),
        ]
    )
    starts = (init.kmeans_plus_plus(X, 12, random_state=2), init.robin(X, 12))
    for ax, rows, title in zip(
        figure.subplots(1, 2), starts, ("k-means++", "ROBIN"), strict=True
    ):
        _scatter(ax, X, np.zeros(len(X), int), f"{title}: crosses are the starting rows")
        ax.plot(*X[rows].T, "kx", ms=9, mew=2)


def draw_filters(figure: Figure) -> None:
    """Scores of features by both filters, the three of groups in another colour."""
    X = np.random.default_rng(0).normal(size=(90, 30))
    X[:45, :3] += 6
    colors = np.where(np.arange(30) < 3, COLORS[1], COLORS[0])
    for ax, model in zip(
        figure.subplots(1, 2), (LaplacianScore(3), EntropyRanking(3)), strict=True
    ):
        ax.scatter(np.arange(30), model.fit(X).scores_, c=colors)
        ax.set(xlabel="feature", ylabel="score")
        best = "smallest" if isinstance(model, LaplacianScore) else "largest"
        ax.set_title(f"{type(model).__name__}: the {best} is best", loc="left", fontsize=10)


def draw_maps(figure: Figure) -> None:
    """The nodes of a map among its rows, neighbours joined by lines."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 1.5 * np.pi, 300)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.uniform(2, 4, (300, 1))
    model = SelfOrganizingMap(25, lattice="rectangular").fit(X)
    ax = figure.subplots()
    _scatter(ax, X, np.zeros(len(X), int), "25 nodes of a map, and its rows")
    grid = model.cluster_centers_.reshape(5, 5, 2)
    for line in (*grid, *grid.transpose(1, 0, 2)):
        ax.plot(*line.T, "o-", color=COLORS[1], lw=1, ms=4)


def draw_inference(figure: Figure) -> None:
    """P-values on data without groups: of the usual test, and given the clustering."""
    rng, tests = np.random.default_rng(0), []
    for seed in range(150):
        X = rng.normal(size=(40, 3))
        model = KMeans(2, init="random", n_init=1, random_state=seed).fit(X)
        with warnings.catch_warnings():
            # Of 150 normal sets a few look as if their tails were heavy.
            warnings.simplefilter("ignore", AssumptionWarning)
            tests.append(inference.test_kmeans(model, X, 0, 1, sigma=1.0))
    axes = figure.subplots(1, 2)
    shown = (
        ([t.naive_p_value for t in tests], "usual test"),
        ([t.p_value for t in tests], "given the clustering"),
    )
    for ax, (values, title) in zip(axes, shown, strict=True):
        ax.hist(values, bins=np.linspace(0, 1, 11), color=COLORS[0])
        ax.set(xlabel="p-value, 150 data sets without groups")
        ax.set_title(title, loc="left", fontsize=10)


def draw_tutorial(figure: Figure) -> None:
    """The tumours of the tutorial, by cluster, on the ten genes of its fit."""
    rng = np.random.default_rng(1)
    kind = np.repeat([0, 1, 2], [40, 30, 20])
    values = rng.normal(size=(90, 120))
    values[kind == 1, :6] += 3
    values[kind == 2, 4:10] -= 3
    names = [f"gene{j:03d}" for j in range(120)]
    X = pd.DataFrame(
        rng.uniform(4, 12, 120) + rng.gamma(4, 0.15, 120) * values, columns=names
    )
    fit = SKFR(3, 10, n_init=50, random_state=0).fit(X)
    plots.plot_heatmap(X, fit, figure.subplots())


def draw_explain(figure: Figure) -> None:
    """The measurements that tell two diagnoses apart."""
    data = load_breast_cancer(as_frame=True)
    found = explain(data.data, data.target_names[data.target], 6, n_resamples=0)
    plots.plot_weights(found, figure.subplots(), top=12)


def draw_groups(figure: Figure) -> None:
    """The gains of pathways, of which three differ between two kinds of samples."""
    rng = np.random.default_rng(0)
    genes = rng.normal(size=(60, 500))
    genes[1::2, :30] += 0.8
    pathways = np.repeat([f"pathway {i}" for i in range(50)], 10)
    fit = SKFR(2, 3, groups=pathways, random_state=0).fit(genes)
    plots.plot_weights(fit, figure.subplots(), top=20, by_group=True)


def draw_federated(figure: Figure) -> None:
    """The numbers that a site gets and sends in each round of a fit, beside those of its rows."""
    X = load_breast_cancer().data
    parts = np.split(X, [250, 450])
    start = SKFR(2, 6, random_state=0).fit(parts[0]).cluster_centers_
    hospitals = federated.Coordinator([federated.Site(part) for part in parts])
    federated.fit(SKFR(2, 6, init=start), hospitals)
    names, asked, answered = zip(*hospitals.rounds, strict=True)
    ax, place = figure.subplots(), np.arange(len(names))
    ax.bar(place - 0.2, asked, 0.4, color=COLORS[0], label="question to a site")
    ax.bar(place + 0.2, answered, 0.4, color=COLORS[1], label="answer of a site")
    ax.axhline(parts[0].size, color="black", ls="--", lw=1)
    ax.text(
        len(names) - 0.5, 1.25 * parts[0].size, "the rows of the first site", ha="right"
    )
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(0, 4 * parts[0].size)
    ax.set_xticks(place, names, rotation=60, ha="right", fontsize=8)
    ax.set_title("Numbers in each round", loc="left", fontsize=10)
    ax.legend(frameon=False, ncols=2, loc="upper left", bbox_to_anchor=(0, 0.9), fontsize=8)


def draw_survey_weights(figure: Figure) -> None:
    """The example on survey weights: a share and weights of features, beside those of all rows."""
    women = fair.load_pandas().data.drop(columns="affairs")
    rng = np.random.default_rng(0)
    stratum = np.digitize(women["age"], [24, 34])
    drawn = [rng.choice(np.flatnonzero(stratum == h), 200, replace=False) for h in range(3)]
    rows = np.concatenate(drawn)
    sample, h = women.iloc[rows], stratum[rows]
    weight = np.bincount(stratum)[h] / 200
    out = [
        (h == s) & (np.tile(np.arange(20), 30) == g) for s in range(3) for g in range(20)
    ]
    rest = [np.where(h == h[left.argmax()], 20 / 19, 1) for left in out]
    columns = np.transpose(
        [np.where(left, 0, weight * more) for left, more in zip(out, rest, strict=True)]
    )
    model = SparseKMeans(2, l1_bound=1.7, standardize=True, random_state=0)
    sure = FitUncertainty(model, "JKn", scale=19 / 20).fit(
        sample, sample_weight=weight, replicate_weights=columns
    )
    plain, whole = (SparseKMeans(**model.get_params()).fit(X) for X in (sample, women))
    z = 1.96
    left, right = figure.subplots(1, 2)
    shares = [
        np.mean(whole.labels_ == 1),
        np.mean(plain.labels_ == 1),
        sure.cluster_shares_[1],
    ]
    errors = [0, 0, z * sure.cluster_share_errors_[1]]
    left.errorbar(shares, range(3), xerr=errors, fmt="o", color=COLORS[0], capsize=3)
    left.axvline(shares[0], color="black", ls="--", lw=1)
    left.set_yticks(range(3), ["all women", "sample,\nno weights", "sample,\nweights"])
    left.set_ylim(2.5, -0.5)
    left.set_title("Share of the older cluster", loc="left", fontsize=10)
    place = np.arange(5)
    reach = z * sure.weight_errors_[:5]
    right.errorbar(
        sure.weights_[:5],
        place,
        xerr=reach,
        fmt="o",
        color=COLORS[0],
        capsize=3,
        label="sample",
    )
    right.plot(whole.feature_weights_[:5], place, "x", color=COLORS[1], label="all women")
    right.set_yticks(place, women.columns[:5])
    right.set_ylim(4.5, -0.5)
    right.set_title("Weights of the features", loc="left", fontsize=10)
    right.legend(frameon=False, fontsize=8)


def draw_batches(figure: Figure) -> None:
    """Clusters of two laboratories that measure in other units: without and with their batches."""
    rng = np.random.default_rng(0)
    batch, kind = np.repeat([0, 1], 100), rng.choice(3, 200)
    X = rng.normal(size=(200, 20))
    for k in range(3):
        X[kind == k, 2 * k : 2 * k + 2] += 4
    X[batch == 1] = 1.4 * X[batch == 1] + rng.normal(scale=4, size=20)
    model = SKFR(3, 6, random_state=0)
    plain, labels = X, SKFR(3, 6, random_state=0).fit_predict(X)
    model.fit(X, batch=batch)
    rows = model.within_batches(X, batch)
    for ax, Z, found, title in zip(
        figure.subplots(1, 2),
        (plain, rows),
        (labels, model.labels_),
        ("without batch", "with batch, within batches"),
        strict=True,
    ):
        for b, marker in enumerate("o^"):
            some = batch == b
            ax.scatter(Z[some, 0], Z[some, 2], c=COLORS[found[some]], marker=marker, s=14)
        ax.set(xticks=[], yticks=[], xlabel="feature 0", ylabel="feature 2")
        ax.set_title(title, loc="left", fontsize=10)
    figure.supxlabel("shape: the laboratory; colour: the cluster", fontsize=9)


DRAWINGS = {
    "skfr": (draw_skfr, WIDE),
    "skfr-gain": (draw_gain, WIDE),
    "sparse-kmeans": (draw_sparse_kmeans, WIDE),
    "sparse-hierarchical": (draw_sparse_hierarchical, WIDE),
    "entropy-weighted": (draw_entropy_weighted, WIDE),
    "k-pod": (draw_k_pod, WIDE),
    "robust": (draw_robust, SQUARE),
    "k-medians": (draw_k_medians, SQUARE),
    "minmax": (draw_minmax, WIDE),
    "madd": (draw_madd, WIDE),
    "spectral": (draw_spectral, WIDE),
    "power": (draw_power, WIDE),
    "factor-mixture": (draw_factor_mixture, WIDE),
    "kernel": (draw_kernel, WIDE),
    "dec": (draw_dec, WIDE),
    "semi-supervised": (draw_semi_supervised, WIDE),
    "choosing-k-and-s": (draw_choosing_k_and_s, WIDE),
    "initialisation": (draw_initialisation, WIDE),
    "filters": (draw_filters, WIDE),
    "maps": (draw_maps, SQUARE),
    "inference": (draw_inference, WIDE),
    "explain": (draw_explain, WIDE),
    "survey-weights": (draw_survey_weights, WIDE),
    "federated": (draw_federated, WIDE),
    "soft-membership": (draw_soft_membership, (6.4, 4.2)),
    "genotypes": (draw_genotypes, (6.4, 4.2)),
    "groups": (draw_groups, (7.2, 4.4)),
    "questionnaires": (draw_questionnaires, (7.2, 4.2)),
    "batches": (draw_batches, WIDE),
    "tutorial": (draw_tutorial, (6.4, 5.4)),
}
"""What draws the picture of a page, and its size in inches."""


def draw_methods() -> Iterator[tuple[str, Figure]]:
    """The names of the pages with their pictures."""
    for name, (draw, size) in DRAWINGS.items():
        with mpl.rc_context(
            {"axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": name}
        ):
            figure = Figure(figsize=size, layout="constrained")
            draw(figure)
            yield name, figure
