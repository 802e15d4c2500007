"""R's functions beside R's own: the same data and seed. What both texts end with must be equal."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sparsek import rcompat
from validation.benchmarks.calls import Call, Size, near
from validation.benchmarks.data import four_groups, groups, groups_with_outliers, incomplete
from validation.benchmarks.rows import Work, distances_work

TENTH = {
    "structured": partial(groups, apart=1.5, differ=0.1),
    "unstructured": partial(groups, apart=0.0, differ=0.1),
}
WHOLE = {"structured": partial(groups, apart=1.5), "unstructured": groups}
ONLY_NOISE = {"unstructured": groups}
APART = {"unstructured": 0.0, "overlapping groups": 0.5, "separated groups": 2.0}


def one_pass(size: Size, _: Any) -> Work:
    """Work of one pass, for recursive algorithms, which take one at least."""
    return distances_work(*size[:2], size[2] if len(size) > 2 else 1)


def two_passes_each(size: Size, _: Any) -> Work:
    """Hartigan and Wong's algorithm has at least two passes of all distances for each of 20 starts."""
    return distances_work(*size, 40)


def last_passes(size: Size, found: Any) -> Work:
    """As many passes as the last number says."""
    return distances_work(*size, found[-1])


def first_passes(size: Size, found: Any) -> Work:
    """As many passes as the first number says."""
    return distances_work(*size, found[0])


GMEDIAN = (
    Call(
        name="kGmedian",
        ours='fields(rcompat.kGmedian(x, {k}, rng=RRandom(1)), "centers")',
        theirs="as.vector(kGmedian(x, {k})$centers)",
        sizes=((250, 20, 5), (400, 20, 10), (400, 200, 10), (300, 1000, 5), (20_000, 50, 10)),
        data=WHOLE,
        r="Gmedian",
        goal=0.7,
        work=one_pass,
    ),
    *(
        Call(
            name=name,
            ours=ours,
            theirs=theirs,
            sizes=sizes,
            data=ONLY_NOISE,
            r="Gmedian",
            goal=0.7,
            work=work,
        )
        for name, ours, theirs, sizes, work in (
            (
                "Gmedian",
                "np.ravel(rcompat.Gmedian(x))",
                "as.vector(Gmedian(x))",
                ((400, 20), (400, 200), (20_000, 50)),
                one_pass,
            ),
            (
                "Weiszfeld",
                'fields(rcompat.Weiszfeld(x), "median")',
                "as.vector(Weiszfeld(x)$median)",
                ((400, 20), (400, 200), (20_000, 50)),
                None,
            ),
            (
                "GmedianCov",
                'fields(rcompat.GmedianCov(x, scores=0), "covmedian")',
                "as.vector(GmedianCov(x, scores = 0)$covmedian)",
                ((400, 20), (400, 50), (20_000, 50)),
                None,
            ),
            (
                "WeiszfeldCov",
                'fields(rcompat.WeiszfeldCov(x, scores=0), "covmedian")',
                "as.vector(WeiszfeldCov(x, scores = 0)$covmedian)",
                ((400, 20), (400, 50)),
                None,
            ),
        )
    ),
)

TREE = "invisible(capture.output(fit <- HierarchicalSparseCluster"
FIVE_BOUNDS = "2, 4, 6, 8, 10"
HIERARCHICAL = (
    *(
        Call(
            name=f"HierarchicalSparseCluster, {name}",
            ours=f'fields(rcompat.HierarchicalSparseCluster(x{ours}, rng=RRandom(1)), "ws", "hc$height")',
            theirs=f"{TREE}(x{theirs}, silent = TRUE))); c(fit$ws, fit$hc$height)",
            sizes=(size,),
            data={"": four_groups},
            r="sparcl",
            goal=0.2,
        )
        for name, ours, theirs, size in (
            ("wbound 11.2", "", "", (150, 500)),
            ("wbound 4", ", wbound=4.0", ", wbound = 4.0", (150, 500)),
            (
                "absolute",
                ', dissimilarity="absolute.value"',
                ', dissimilarity = "absolute.value"',
                (150, 500),
            ),
            ("wbound 15.8", "", "", (60, 1000)),
        )
    ),
    *(
        Call(
            name=f"HierarchicalSparseCluster.permute, {name}",
            ours=f'rcompat.HierarchicalSparseCluster_permute(x{ours}, rng=RRandom(1))["gaps"]',
            theirs=f"{TREE}.permute(x{theirs}))); fit$gaps",
            sizes=(size,),
            data={"": four_groups},
            r="sparcl",
            goal=0.2,
        )
        for name, ours, theirs, size in (
            (
                "5 x 5",
                f", nperms=5, wbounds=[{FIVE_BOUNDS}]",
                f", nperms = 5, wbounds = c({FIVE_BOUNDS})",
                (60, 300),
            ),
            ("10 x 10", "", "", (40, 200)),
        )
    ),
)

IN_R = "kmeans_inference(x, {k}, 1, 2, sig = 1, iter.max = 100, seed = 3, verbose = FALSE)"
HERE = "rcompat.kmeans_inference(x, {k}, 1, 2, sig=1.0, iter_max=100, seed=3, rng=RRandom(1))"
MODEL = 'KMeans({k}, init="random", n_init=1, random_state=0, max_iter=1000)'
INFERENCE = tuple(
    Call(
        name=name,
        ours=ours,
        theirs=f"as.vector(as.matrix({IN_R}$final_interval))",
        sizes=((150, 10, 3), (1000, 50, 5)),
        data=ONLY_NOISE,
        r="KmeansInference",
        goal=0.2,
        same=same,
    )
    # R's function clusters and tests: so the second line is a fit of KMeans and the test of its clusters.
    for name, ours, same in (
        ("kmeans_inference", f'fields({HERE}, "final_interval")', near),
        (
            "KMeans.fit and inference.test_kmeans",
            f"inference.test_kmeans({MODEL}.fit(x), x, 0, 1, sigma=1.0).p_value",
            None,
        ),
    )
)


def kmeans_call(algorithm: str, starts: int, goal: float) -> Call:
    """R's k-means by one of its algorithms; starts in threads where there are several."""
    arguments = f'x, {{k}}, nstart={starts}, algorithm="{algorithm}"'
    ours = f'fields(rcompat.kmeans({arguments}, rng=RRandom(1)), "cluster", "iter")'
    return Call(
        name=f"kmeans, {algorithm}, {starts} start" + ("s" if starts > 1 else ""),
        ours=ours,
        theirs=f"fit <- kmeans({arguments}); c(fit$cluster, fit$iter)",
        sizes=((150, 4, 3), (400, 20, 10), (5000, 50, 10), (400, 1000, 10)),
        large=((100_000, 10, 10),),
        data={kind: partial(groups, apart=apart) for kind, apart in APART.items()},
        r="stats",
        goal=goal,
        work=two_passes_each if starts > 1 else last_passes,
        threads=ours if starts > 1 else "",
    )


KMEANS = (
    kmeans_call("Hartigan-Wong", 20, 0.5),
    kmeans_call("Lloyd", 1, 0.7),
    kmeans_call("MacQueen", 1, 0.7),
)

KPOD = tuple(
    Call(
        name=f"kpod, {missing:.0%} missing",
        ours='and_next(lambda rng: fields(rcompat.kpod(x, {k}, rng=rng), "cluster", "obj_vals", "fit_list"))',
        theirs="fit <- kpod(x, {k}); c(fit$cluster, fit$obj_vals, fit$fit_list, runif(1))",
        sizes=((250, 20, 5), (400, 20, 10), (400, 200, 5), (300, 1000, 5)),
        large=((20_000, 50, 10),),
        data={
            kind: partial(incomplete, apart=apart, missing=missing)
            for kind, apart in (("groups", 1.0), ("noise", 0.0))
        },
        r="kpodclustr",
        goal=0.2,
    )
    for missing in (0.1, 0.3)
)

RSKC = (
    *(
        Call(
            name=f"RSKC, {starts} starts",
            ours=f"fields(rcompat.RSKC(x, {{k}}, 0.1, L1={bound}, nstart={starts}, rng=RRandom(1)), "
            '"labels", "oW", "oE", "weights", "WBSS")',
            theirs=f"fit <- RSKC(x, {{k}}, 0.1, L1 = {bound}, nstart = {starts}); "
            "c(fit$labels, fit$oW, fit$oE, fit$weights, fit$WBSS)",
            sizes=(size,),
            data=TENTH,
            r="RSKC",
            goal=0.2,
        )
        for size, starts, bound in (
            ((250, 20, 5), 200, 3.0),
            ((400, 20, 10), 200, 3.0),
            ((400, 200, 5), 200, 6.0),
            ((300, 1000, 5), 50, 10.0),
            ((20_000, 50, 10), 3, 4.0),
        )
    ),
    Call(
        name="Clest, 50 starts",
        ours="fields(rcompat.Clest(x, 3, alpha=0.1, B=2, B0=2, nstart=50, L1=3, silent=True, "
        'rng=RRandom(1)), "result.table")',
        theirs="as.vector(Clest(x, 3L, alpha = 0.1, B = 2, B0 = 2, nstart = 50, L1 = 3, silent = TRUE)"
        "$result.table)",
        sizes=((250, 20, 5),),
        data={"structured": TENTH["structured"]},
        r="RSKC",
        goal=0.2,
    ),
)

FEW, MANY = "1.2, 1.4, 1.6, 1.8", "2, 5, 10, 15, 20"


def path_call(count: int, bounds: str, size: Size, goal: float) -> Call:
    """Sparse k-means at several bounds."""
    return Call(
        name=f"KMeansSparseCluster, {count} bounds",
        ours=f"fields(rcompat.KMeansSparseCluster(x, K={{k}}, wbounds=[{bounds}], nstart=20, "
        'rng=RRandom(1)), "ws")',
        theirs=f"fits <- KMeansSparseCluster(x, K = {{k}}, wbounds = c({bounds}), nstart = 20, "
        "silent = TRUE); unlist(lapply(fits, function(fit) fit$ws))",
        sizes=(size,),
        data=TENTH,
        r="sparcl",
        goal=goal,
    )


def permute_call(name: str, ours: str, theirs: str, size: Size, goal: float) -> Call:
    """The bound by permutations."""
    return Call(
        name=f"KMeansSparseCluster.permute, {name}",
        ours=f'rcompat.KMeansSparseCluster_permute(x, K={{k}}, {ours}, rng=RRandom(1))["gaps"]',
        theirs=f"KMeansSparseCluster.permute(x, K = {{k}}, {theirs}, silent = TRUE)$gaps",
        sizes=(size,),
        data=TENTH,
        r="sparcl",
        goal=goal,
    )


SPARCL = (
    path_call(4, FEW, (150, 4, 3), 0.5),
    permute_call("5 x 4", f"nperms=5, wbounds=[{FEW}]", f"nperms = 5, wbounds = c({FEW})", (150, 4, 3), 0.5),
    path_call(5, MANY, (400, 1000, 10), 0.1),
    permute_call("25 x 10", "nperms=25, nvals=10", "nperms = 25, nvals = 10", (200, 500, 4), 0.1),
)

ROWS = ((1000, 20), (400, 50), (200, 10))


def with_dist(n: int, p: int = 0) -> dict[str, Any]:
    """Rows and their distances."""
    x = np.random.default_rng(1).standard_normal((n, dict(ROWS)[n]))
    return {"x": x, "d": rcompat.dist(x)}


def draws_call(name: str, call: str, n: int, ours: str = "") -> Call:
    """Values of a stream, and its next uniform."""
    return Call(
        name=name,
        ours=f"and_next(lambda rng: rcompat.{ours or call}, rng=rng))",
        theirs=f"found <- {call}); c(found, runif(1))",
        sizes=((n,),),
        data={"": lambda n: {}},
        r="stats",
        goal=0.8,
    )


STATS = (
    Call(name="dist", ours="rcompat.dist(x)", theirs="dist(x)", sizes=ROWS, r="stats", goal=0.8),
    *(
        Call(
            name=f"hclust, {method}",
            ours=f'fields(rcompat.hclust(d, "{method}"), "height")',
            theirs=f'hclust(d, "{method}")$height',
            first="d <<- dist(x); 0",
            sizes=tuple((n,) for n, _ in ROWS),
            data={"": with_dist},
            r="stats",
            goal=0.8,
        )
        for method in ("complete", "average", "single", "ward.D2", "centroid")
    ),
    *(
        draws_call(f"sample, {size} of {n}", f"sample({n}, {size}", size)
        for n, size in ((10**6, 10**6), (10**6, 10**5), (10**4, 10**4))
    ),
    Call(
        name="scale",
        ours='np.ravel(rcompat.scale(x), order="F")',
        theirs="as.vector(scale(x))",
        sizes=ROWS,
        r="stats",
        goal=0.8,
    ),
    *(
        draws_call(
            f"{function}({', '.join(f'{value:g}' for value in given)})",
            f"{function}({', '.join(map(str, (10**6, *given)))}",
            10**6,
        )
        for function, given in (
            *(("runif", ()), ("rnorm", ()), ("rexp", ())),
            *(("rbinom", pair) for pair in ((10, 0.3), (1000, 0.3), (500, 0.9), (1e6, 0.3))),
            *(("rpois", (mean,)) for mean in (2, 20, 1000)),
            *(("rgamma", (shape,)) for shape in (0.5, 2, 5, 50)),
        )
    ),
)

WRSK = tuple(
    Call(
        name="wrsk",
        ours=f"fields(rcompat.wrsk(x, {{k}}, {s}, rng=RRandom(1)), "
        '"clusters", "outclusters", "obsweights", "varweights", "WBCSS")',
        theirs=f"fit <- wrsk(x, {{k}}, {s}); "
        "c(fit$clusters, fit$outclusters, fit$obsweights, fit$varweights, fit$WBCSS)",
        sizes=(size,),
        data={"": groups_with_outliers},
        r="wrsk",
        goal=0.2,
    )
    for size, s in (((250, 20, 5), 2.5), ((300, 1000, 5), 8.0))
)


def wskm_call(name: str, gamma: float, ours: str, theirs: str, names: tuple[str, ...]) -> Call:
    """A function of wskm: passes, clusters and weights."""
    return Call(
        name=f"{name}, lambda {gamma:g}",
        ours=f"fields(rcompat.{name}({ours}, rng=RRandom(1)), {', '.join(map(repr, names))})",
        theirs=f"fit <- {name}({theirs}); c({', '.join(f'fit${one}' for one in names)})",
        sizes=((250, 20, 5), (400, 200, 10), (300, 1000, 5), (400, 1000, 10), (20_000, 50, 10)),
        data=TENTH,
        r="wskm",
        goal=0.5,
        work=first_passes,
    )


WSKM = (
    *(
        wskm_call("ewkm", gamma, *[f"x, {{k}}, {gamma}"] * 2, ("total.iterations", "cluster", "weights"))
        for gamma in (1.0, 20.0)
    ),
    *(
        wskm_call(
            name,
            gamma,
            f"x, {{k}}, np.arange({{p}}) % 4 + 1, {gamma}, {gamma}",
            f"x, {{k}}, rep(1:4, length.out = {{p}}), {gamma}, {gamma}",
            ("totiters", "cluster", "featureWeight"),
        )
        for name, gamma in (("fgkm", 20.0), ("twkm", 2000.0))
    ),
)

TABLES = {
    "rcompat.gmedian": GMEDIAN,
    "rcompat.hierarchical": HIERARCHICAL,
    "rcompat.inference": INFERENCE,
    "rcompat.kmeans": KMEANS,
    "rcompat.kpod": KPOD,
    "rcompat.rskc": RSKC,
    "rcompat.sparcl": SPARCL,
    "rcompat.stats": STATS,
    "rcompat.wrsk": WRSK,
    "rcompat.wskm": WSKM,
}
"""Calls by topic."""
