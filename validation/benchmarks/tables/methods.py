"""Methods beside those of scikit-learn, R and other packages, or beside the formulas of their papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from validation.benchmarks.calls import Call, Size, near
from validation.benchmarks.data import (
    close_groups,
    design_a,
    groups,
    mixture,
    noise,
    pairs,
    shifted_groups,
    standardised,
    with_gamma,
    with_start,
    word_counts,
)
from validation.benchmarks.rows import Work, distances_work

LLOYD = 'tol=0, max_iter=1000, algorithm="lloyd"'
"""Arguments of scikit-learn's KMeans that make it end as SKFR does: when no label changes."""
SIZE = (1000, 50, 5)
THIRD = 1 / 3
TENTH = {"": partial(groups, apart=2.0, differ=0.1)}


def pairs_work(n: int, p: int, q: int, passes: float) -> Callable[[Size, Any], Work]:
    """Work of so many passes over all pairs."""
    return lambda size, found: distances_work(n, p, q, passes)


FORMULAS = tuple(
    Call(
        name=name,
        ours=ours,
        theirs=theirs,
        sizes=(SIZE,),
        data=TENTH,
        peer="formulas of the paper in plain numpy",
        goal=THIRD,
        same=near,
        work=work,
    )
    for name, ours, theirs, work in (
        ("madd_distances", "madd_distances(X)", "madd_by_rows(X)", pairs_work(1000, 1000, 1000, 0.5)),
        (
            "cosa_distances, 2 passes",
            "cosa_distances(X, n_neighbors=10, max_iter=2).distances",
            "cosa_by_rows(X, 2)",
            pairs_work(1000, 50, 1000, 1.5),
        ),
        (
            "dkm_plus_plus",
            "init.dkm_plus_plus(X, {k})",
            "dkm_by_rows(X, {k})",
            pairs_work(1000, 50, 1000, 0.5),
        ),
        (
            "robin",
            "init.robin(X, {k}, n_neighbors=10, crit=0.2)",
            "robin_by_rows(X, {k})",
            pairs_work(1000, 50, 1000, 0.5),
        ),
    )
)

ACTIVE = "active-semi-supervised-clustering"
PEERS = (
    Call(
        name="KernelKMeans, 10 starts",
        ours='KernelKMeans({k}, kernel="gaussian", width=float({p}), n_init=10, random_state=0)'
        ".fit(X).labels_",
        theirs='theirs.KernelKMeans({k}, kernel="rbf", kernel_params=dict(gamma=1 / {p}), n_init=10, '
        "max_iter=100, random_state=0).fit(X[:, :, None])",
        sizes=(SIZE,),
        data=TENTH,
        module="tslearn.clustering",
        peer="tslearn KernelKMeans",
        goal=THIRD,
        same=None,
    ),
    *(
        Call(
            name="SparseMinMaxKMeans",
            ours=f'SparseMinMaxKMeans({{k}}, l1_bound={bound}, variant="r", n_init=1, random_state=1).fit(X)'
            ".labels_ + 1.0",
            theirs="invisible(capture.output("
            f"fit <- SparseCl(x, K = {{k}}, wbounds = {bound}, silent = TRUE)[[1]])); fit$Cs",
            sizes=(size,),
            data=data,
            r="SparseMinMax",
            peer="released code in R",
            goal=goal,
        )
        for size, bound, data, goal in (
            ((62, 2000, 2), 15.0, TENTH, THIRD),
            (SIZE, 4.0, TENTH, THIRD),
            *(((62, 2000, 2), s, {f"bound {s:g}": shifted_groups}, 1 / 20) for s in (5.0, 15.0, 40.0)),
        )
    ),
    *(
        Call(
            name=name,
            ours=f'{name}({{k}}, init="seeding", random_state=0).fit(X, **pairs).labels_',
            # It has no sparse method, and charges 1 for a violated pair: the partitions differ.
            theirs=f"seeded(theirs.{peer}(n_clusters={{k}}).fit, X, ml=ml, cl=cl)",
            sizes=() if is_slow else (size,),
            large=(size,) if is_slow else (),
            data={f"{m} pairs": partial(pairs, m=m)},
            module="active_semi_clustering.semi_supervised.pairwise_constraints",
            peer=f"{peer} of {ACTIVE}",
            goal=1 / 20,
            same=None,
        )
        for name, peer in (
            *((name, name) for name in ("COPKMeans", "PCKMeans", "MPCKMeans")),
            ("PCSparseKMeans", "PCKMeans"),
        )
        for size, m in (((150, 4, 3), 50), ((400, 18, 3), 200), ((2000, 50, 10), 1000))
        for is_slow in [name == "MPCKMeans" and size[0] > 1000]
    ),
)


def iterations_work(size: Size, found: Any) -> Work:
    """One pass over all columns, and as many over the selected ones as the last number says."""
    n, p, k, s = size
    return Work(n * k * (p + s * float(found[-1])), 8.0 * n * p)


def start_call(size: Size, times: tuple[float, ...], is_large: bool = False) -> Call:
    """One start from the same k-means++ centres, to the end; SKFR standardises the columns again."""
    return Call(
        name="SKFR, one start",
        ours="fields(SKFR({k}, {s}, init=centers, n_init=1, max_iter=1000, standardize=True).fit(X), "
        '"labels_", "n_iter_")',
        theirs=f"KMeans({{k}}, init=centers, n_init=1, {LLOYD}).fit(X)",
        sizes=() if is_large else (size,),
        large=(size,) if is_large else (),
        data={f"spread {spread:g}": partial(standardised, spread=spread) for spread in (0.75, 1.5, 2.5)},
        peer=f"scikit-learn KMeans, same centres, {LLOYD}",
        goal=tuple(1 / factor for factor in times),
        work=iterations_work,
        same=None,
    )


def restart_calls(name: str, given: str, starts: int, size: Size, times: float) -> tuple[Call, ...]:
    """Several starts, drawn by each side, beside as many of scikit-learn's, and of sparcl on few rows."""
    fit = f"{name}({given}, n_init={starts}, random_state=0"
    shared: dict[str, Any] = {
        "name": f"{name}, {starts} starts",
        "ours": f"{fit}).fit(X).labels_",
        "threads": f"{fit}, n_jobs=2).fit(X).labels_",
        "sizes": (size,),
        "data": {"": standardised},
        "same": None,
    }
    calls = [
        Call(
            theirs=f"KMeans(10, n_init={starts}, random_state=0, {LLOYD}).fit(X)",
            peer=f"scikit-learn KMeans, as many starts, {LLOYD}",
            goal=1 / times,
            **shared,
        )
    ]
    if size[0] == 400:
        theirs = f"KMeansSparseCluster(x, K = 10, wbounds = 3, nstart = {starts}, silent = TRUE)[[1]]$Cs"
        calls.append(Call(theirs=theirs, r="sparcl", peer="KMeansSparseCluster in R, as many", **shared))
    return tuple(calls)


SKFR = (
    start_call((400, 1000, 10, 10), (2, 2, 2)),
    start_call((10_000, 1000, 10, 20), (14, 5, 4.5)),
    start_call((100_000, 200, 20, 20), (14, 14, 14)),
    start_call((500, 20_000, 5, 100), (4, 4, 4)),
    start_call((1_000_000, 50, 10, 10), (15, 15, 15), is_large=True),
    *(
        call
        for p, times in ((20, 6), (200, 5), (1000, 5))
        for call in restart_calls("SKFR", "10, 10, standardize=True", 20, (400, p, 10, 10), times)
    ),
    *restart_calls("SparseKMeans", "10, l1_bound=3.0, standardize=False", 10, (400, 1000, 10, 10), 2),
    *restart_calls("SparseKMeans", "10, l1_bound=3.0, standardize=False", 10, (10_000, 200, 10, 20), 3),
    Call(
        name="SKFR, default starts (20)",
        ours="SKFR({k}, {s}, random_state=0, standardize=True).fit(X).labels_",
        threads="SKFR({k}, {s}, random_state=0, n_jobs=2, standardize=True).fit(X).labels_",
        theirs="KMeans({k}, random_state=0).fit(X)",
        sizes=((10_000, 1000, 10, 20), (100_000, 200, 20, 20)),
        data={"spread 2.5": partial(standardised, spread=2.5)},
        peer="scikit-learn KMeans, default starts (1)",
        goal=3,  # One start of theirs may take a third of our twenty
        same=None,
    ),
)

KMEANS = "KMeans(10, random_state=0).fit(X)"
USUAL = (
    *(
        Call(
            name=theirs,
            ours=ours,
            theirs=f"invisible(capture.output(fit <- {theirs})); fit{field}",
            sizes=(size,),
            data={title: TENTH[""]},
            r=package,
            peer="the same call in R",
        )
        for title, theirs, field, ours, size, package in (
            (
                "k-means, 20 starts",
                "kmeans(x, 5, nstart = 20)",
                "$cluster",
                "rcompat.kmeans(x, 5, nstart=20, rng=RRandom(1)).cluster",
                (1000, 10, 5),
                "stats",
            ),
            (
                "sparse k-means at one bound",
                "KMeansSparseCluster(x, 4, wbounds = 6)",
                "[[1]]$ws",
                'rcompat.KMeansSparseCluster(x, 4, wbounds=6, rng=RRandom(1))[0]["ws"]',
                (200, 500, 4),
                "sparcl",
            ),
            (
                "the bound by permutations",
                "KMeansSparseCluster.permute(x, 4)",
                "$gaps",
                'rcompat.KMeansSparseCluster_permute(x, 4, rng=RRandom(1))["gaps"]',
                (200, 500, 4),
                "sparcl",
            ),
        )
    ),
    *(
        Call(
            name=text,
            ours=f"{text}.labels_",
            theirs=KMEANS,
            sizes=(size,),
            data={title: partial(mixture, s=s)},
            peer=f"`{KMEANS}` of scikit-learn",
            same=None,
        )
        for title, text, size, s in (
            ("SKFR, default starts", "SKFR(10, 20, random_state=0).fit(X)", (10_000, 1000, 10), 20),
            (
                "a million rows, one start",
                "SKFR(10, 10, n_init=1, random_state=0).fit(X)",
                (1_000_000, 50, 10),
                10,
            ),
        )
    ),
)
"""The cases with which docs/speed.md begins: SKFR and KMeans are different methods, each as by default."""


def entropy_criterion(data: Mapping[str, Any], labels: Any) -> float:
    """The paper's criterion of a partition at its best weights."""
    x, gamma, total = data["x"], data["gamma"], 0.0
    for k in np.unique(labels):
        rows = x[labels == k]
        d = ((rows - rows.mean(axis=0)) ** 2).sum(axis=0)
        total += d.min() - gamma * np.log(np.exp((d.min() - d) / gamma).sum())
    return float(total)


def within(data: Mapping[str, Any], labels: Any) -> float:
    """The sum of squares within clusters."""
    X = data["X"]
    return float(sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in np.unique(labels)))


IN_WSKM = "fit <- ewkm(x, x[seq_len({k}), ], lambda = gamma[1], maxiter = 100, delta = 1e-5)"
ENTROPY = tuple(
    Call(
        name=f"EntropyWeightedKMeans, {name}",
        ours=f"EntropyWeightedKMeans({{k}}, gamma=gamma, init=x[:{{k}}], n_init=1, max_iter={passes}, "
        "tol=1e-5).fit(x).labels_ + 1",
        theirs=f"{IN_WSKM}; fit$cluster",
        first=f"{IN_WSKM}; min(fit$iterations + 1, 100)",
        sizes=((400, 1000, 10), (20_000, 50, 10)),
        data={
            f"{kind}, gamma {word}": partial(with_gamma, apart=apart, unit=word == "1")
            for kind, apart in (("structured", 1.5), ("unstructured", 0.0))
            for word in ("1", "suited")
        },
        r="wskm",
        peer="ewkm in R, same centres",
        goal=1.0,
        same=None,
        loss=entropy_criterion,
    )
    # ewkm ends as soon as its criterion is negative, ours runs to convergence.
    for name, passes in (("to the end", "100"), ("as many passes as R", "first"))
)
INIT = (
    Call(
        name="kmeans_plus_plus, 10 centres",
        ours="init.kmeans_plus_plus(X, 10, random_state=0)",
        theirs="kmeans_plusplus(X, 10, random_state=0, n_local_trials=1)",
        sizes=((100_000, 20),),
        data={"": noise},
        peer="kmeans_plusplus of scikit-learn, one trial",
        same=None,
    ),
    Call(
        name="local_outlier_factors",
        ours='init.local_outlier_factors(X, kind="reachability")',
        theirs="LocalOutlierFactor(10).fit(X)",
        sizes=((5000, 50), (20_000, 5)),
        data={"": noise},
        peer="LocalOutlierFactor of scikit-learn",
        same=None,
    ),
)
MADD = tuple(
    Call(
        name=f"MADDKMeans, version {version}",
        ours=f"MADDKMeans({{k}}, version={version}, init=start).fit(x).labels_ + 1",
        theirs=f"maddkmeans{version or ''}(x, {{k}})$cluster",
        sizes=((62, 2000, 2), (214, 9, 6)),
        data={"": with_start},
        r="SparseMinMax",
        peer="released code in R, same start",
    )
    for version in (0, 1, 2)
)
POWER = (
    *(
        Call(
            name=f"{name}, {count} iteration" + ("s" if count > 1 else ""),
            ours=f"{name}({{k}}, init=centers, tol=0, s0=-1, max_iter={count}).fit(X).labels_",
            theirs=f"KMeans({{k}}, init=centers, n_init=1, tol=0, max_iter={count}).fit(X)",
            sizes=((10_000, 20, 10), (10_000, 200, 10), (2000, 1000, 10), (50_000, 50, 20)),
            # Centres far from any solution, so that scikit-learn does not stop early.
            data={"": partial(close_groups, far=True)},
            peer=f"scikit-learn KMeans, {count} from the same centres",
            same=None,
        )
        for name in ("PowerKMeans", "EntropyWeightedPowerKMeans")
        for count in (1, 20)
    ),
    Call(
        name="PowerKMeans, polished",
        ours="PowerKMeans({k}, init=centers, polish=True).fit(X).labels_",
        theirs="KMeans({k}, init=centers, n_init=1).fit(X).labels_",
        sizes=((10_000, 20, 10), (10_000, 200, 10), (2000, 1000, 10)),
        data={"": close_groups},
        peer="scikit-learn KMeans, same centres",
        same=None,
        loss=within,
    ),
)
SPARSE_INPUT = tuple(
    Call(
        name=f"{text.partition('(')[0]}, sparse",
        ours=f"{text}.fit(x).labels_",
        theirs=f"sparsek.{text}.fit(X).labels_",
        sizes=((1993, 4862, 2),),
        data={"words of texts": partial(word_counts, length=70)},
        peer="the same fit to an array",
    )
    for text in (
        "SKFR({k}, 200, n_init=5, random_state=0)",
        "SparseKMeans({k}, l1_bound=8.0, n_init=5, refine=False, random_state=0)",
    )
)
GAP = tuple(
    Call(
        name=f"PermutationGap, {name}",
        ours=f"{search}, random_state=0).fit(X).gap_",
        threads=f"{search}, n_jobs=2, random_state=0).fit(X).gap_",
        theirs=f"sparsek.{search}, objective=explained, random_state=0).fit(X).gap_",
        sizes=(),
        large=((400, 1000, 10),),
        data={"design A": design_a},
        peer="the same with a fit for every value",
    )
    for name, values in (("5, 10, ..., 100", "np.arange(5, 101, 5)"), ("1, 2, ..., 20", "np.arange(1, 21)"))
    for search in [
        f'PermutationGap(SKFR({{k}}, n_init=10), "n_features_to_select", {values}, n_permutations=25'
    ]
)

TABLES = {
    "methods.entropy": ENTROPY,
    "methods.formulas": FORMULAS,
    "methods.gap": GAP,
    "methods.init": INIT,
    "methods.madd": MADD,
    "methods.peers": PEERS,
    "methods.power": POWER,
    "methods.skfr": SKFR,
    "methods.sparse_input": SPARSE_INPUT,
    "methods.usual": USUAL,
}
"""Calls by topic."""
