"""Results of every class, printed as by R: ``record.R`` makes the same calls and wrote ``printed.txt``."""

import warnings
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pandas as pd
import pytest

from sparsek import rcompat as R
from sparsek.errors import RWarning
from sparsek.rcompat import dist, hclust

i = np.arange(1, 31)[:, None]
five, j = np.arange(1, 6), np.arange(1, 15)
x = (7 * i + 5 * five + i * five) % 11 / 2 + 6 * ((i > 15) & (five <= 2))
wide = (7 * i + 5 * j + i * j) % 11 / 7 + 60 * ((i > 15) & (j <= 2))
named = pd.DataFrame(wide, [f"row{k}" for k in range(1, 31)], [f"feature.{k}" for k in range(1, 15)])
holes = x.copy()
holes[1, 2] = holes[19, 0] = np.nan
animals = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]
small = R.RArray(x[[0, 1, 2, 3, 15, 16, 17, 18]], dimnames=(animals, None))
first, second = [1, 2, 10] * 10, ["a", "long name"] * 15
PAM = ("medoids", "id.med", "clustering", "objective", "clusinfo", "silinfo")


def fields(fit):
    """R's unclass."""
    return R.RList(fit, fit.row_names, fit.column_names)


def part(fit, *names):
    """Some fields of a list."""
    return R.RList({name: fit[name] for name in names})


def rep(value, times):
    """R's rep."""
    return [value] * times


CALLS = {
    "kmeans": lambda: R.kmeans(x, 3),
    "kmeans named": lambda: R.kmeans(named, 11),
    "kmeans wide": lambda: R.kmeans(wide, 2),
    "kmeans one": lambda: R.kmeans(x, 1),
    "kmeans fields": lambda: fields(R.kmeans(named.iloc[:, :3], 2)),
    "fitted": lambda: R.fitted(R.kmeans(small, 2)),
    "KMeansSparseCluster": lambda: R.KMeansSparseCluster(x, 2, [1.2, 1.8]),
    "KMeansSparseCluster named": lambda: R.KMeansSparseCluster(named, 2, [1.2, 3]),
    "KMeansSparseCluster fields": lambda: R.KMeansSparseCluster(named, 2, 3)[0],
    "KMeansSparseCluster.permute": lambda: R.KMeansSparseCluster_permute(x, 2, 3, [1.2, 1.5, 2]),
    "HierarchicalSparseCluster": lambda: R.HierarchicalSparseCluster(x, wb=1.5),
    "HierarchicalSparseCluster tree": lambda: R.HierarchicalSparseCluster(x, wb=1.5).hc,
    "HierarchicalSparseCluster fields": lambda: fields(R.HierarchicalSparseCluster(small, wb=1.5)),
    "HierarchicalSparseCluster features": lambda: (
        R.HierarchicalSparseCluster(small, wb=1.5, cluster_features=True).hc_features
    ),
    "HierarchicalSparseCluster.permute": lambda: R.HierarchicalSparseCluster_permute(x, 2, [1.2, 1.5]),
    "kpod": lambda: R.kpod(holes, 3),
    "kpod complete": lambda: R.kpod(x, 2),
    "makeData": lambda: R.makeData(2, 6, 2, 0.1, 0.2),
    "Gmedian": lambda: R.RArray(R.Gmedian(x)),
    "Weiszfeld": lambda: R.Weiszfeld(x),
    "GmedianCov": lambda: part(R.GmedianCov(x, scores=0), "median", "covmedian"),
    "WeiszfeldCov": lambda: part(R.WeiszfeldCov(x, scores=0), "median", "covmedian", "iterm", "itercov"),
    "kGmedian": lambda: R.kGmedian(x, 2),
    "kGmedian named": lambda: R.kGmedian(named, 2),
    "ewkm": lambda: R.ewkm(x, x[[0, 19]], lam=2),
    "ewkm named": lambda: R.ewkm(named, wide[[0, 19]], lam=2),
    "ewkm wide": lambda: R.ewkm(wide, wide[[0, 7, 19]], lam=5),
    "ewkm fields": lambda: fields(R.ewkm(named.iloc[:, :4], wide[[0, 19], :4], lam=2)),
    "fgkm": lambda: R.fgkm(x, x[[0, 19]], "0-1;2-4", 5, 5, seed=3),
    "fgkm named": lambda: R.fgkm(named, wide[[0, 19]], "0-1;2-13", 5, 5, seed=3),
    "fgkm fields": lambda: fields(R.fgkm(named.iloc[:, :5], wide[[0, 19], :5], "0-1;2-4", 5, 5, seed=3)),
    "twkm": lambda: R.twkm(x, x[[0, 19]], "0-1;2-4", 5, 5, seed=3),
    "twkm fields": lambda: fields(R.twkm(named.iloc[:, :5], wide[[0, 19], :5], "0-1;2-4", 5, 5, seed=3)),
    "RSKC": lambda: R.RSKC(x, 2, 0.1, 1.5, nstart=5),
    "RSKC without weights": lambda: R.RSKC(x, 2, 0.1, None, nstart=5),
    "RSKC fields": lambda: fields(R.RSKC(named, 2, 0, 1.5, nstart=5)),
    "RSKC fields without weights": lambda: fields(R.RSKC(x, 2, 0.1, None, nstart=5)),
    "Clest": lambda: R.Clest(x, 4, 0.1, B=3, B0=2, nstart=5, L1=1.5, pca=False, silent=True),
    "revisedsil": lambda: R.revisedsil(x, R.RSKC(x, 2, 0.1, 1.5, nstart=5), print_plot=False),
    "Sensitivity": lambda: R.Sensitivity([1, 1, 2, 2, 3], [1, 1, 1, 2, 2]),
    "Sensitivity texts": lambda: R.Sensitivity(list("uuvvw"), ["one", "one", "one", "two", "two"]),
    "Sensitivity long": lambda: R.Sensitivity(["a", "bbb", "longlong", "a"], ["x", "yyy", "zzzzzz", "x"]),
    "adjustedRand": lambda: R.adjustedRand([1, 1, 1, 2, 2, 3], [1, 1, 2, 2, 3, 3]),
    "adjustedRand one": lambda: R.adjustedRand([1, 1, 1, 2, 2, 3], [1, 1, 2, 2, 3, 3], "Rand"),
    "hclust": lambda: hclust(dist(x)),
    "hclust call": lambda: R.hclust(R.dist(x) ** 2, "ward.D", members=rep(1, 30)),
    "hclust method": lambda: hclust(dist(x, "mink", p=3), method="aver"),
    "hclust fields": lambda: fields(hclust(dist(small), "single")),
    "dist": lambda: dist(small),
    "dist wide": lambda: dist(x),
    "dist diag": lambda: dist(x[:4], diag=True, upper=True),
    "cutree": lambda: R.cutree(hclust(dist(small)), 3),
    "cutree rows": lambda: R.cutree(hclust(dist(named)), 3),
    "cutree several": lambda: R.cutree(hclust(dist(small)), [2, 3, 4]),
    "cutree heights": lambda: R.cutree(hclust(dist(small)), h=[2.5, 9]),
    "cutree without names": lambda: R.cutree(hclust(dist(x)), [2, 30]),
    "scale": lambda: R.scale(small),
    "scale named": lambda: R.scale(named.iloc[:11]),
    "scale only centred": lambda: R.scale(x[:10], scale=False),
    "colMeans": lambda: R.colMeans(named),
    "rowSums": lambda: R.rowSums(small),
    "cov": lambda: R.cov(named.iloc[:, :9]),
    "quantile": lambda: R.quantile(x),
    "kmeans not converged": lambda: R.kmeans(wide, 6, iter_max=1),
    "assign_clustpp": lambda: R.assign_clustpp(small, small[[0, 7]]),
    "nine rows": lambda: R.RArray(x[:9]),
    "RSKC many trimmed": lambda: R.RSKC(np.vstack([x, x, x, x + 0.1]), 2, 0.2, 1.5, nstart=5),
    "RSKC ninety-nine rows": lambda: R.RSKC(np.vstack([x, x, x, x])[:99], 2, 0.1, 1.5, nstart=5),
    "Sensitivity counts": lambda: R.Sensitivity([*[1, 2, 3] * 7, 11, 12], ([1, 10] * 12)[:23]),
    "table": lambda: R.table(first, second),
    "table of one": lambda: R.table(first),
    "table without names": lambda: R.table([v + 1 for v in first]),
    "table named": lambda: R.table(first, second, dnn=["cluster", "truth"]),
    "table of many": lambda: R.table([*range(1, 41)] * 2),
    "part of a table": lambda: R.table(first, second)[1],
    "rows of a table": lambda: R.table(first, second)[1:3],
    "pam": lambda: part(R.pam(small, 2), *PAM),
    "fitted classes": lambda: R.fitted(R.kmeans(small, 2), "classes"),
    "part of centers": lambda: R.kmeans(named, 3).centers[:, 1:4],
    "row of centers": lambda: R.kmeans(named, 3).centers[1],
    "predict.ewkm": lambda: R.predict_ewkm(R.ewkm(named, wide[[0, 19]], lam=2), named),
    "summary of pam": lambda: R.pam(x, 3).summary(),
    "summary of pam one": lambda: R.pam(x, 1).summary(),
    "summary of pam dist": lambda: R.pam(dist(small), 2).summary(),
    "summary of pam named": lambda: R.pam(small, 3, keep_diss=False).summary(),
    "summary of clara": lambda: R.clara(
        named, 2, sampsize=12, call="cluster::clara(x = named, k = 2, sampsize = 12)"
    ).summary(),
    "summary of clara one": lambda: R.clara(
        x, 1, medoids_x=False, call="cluster::clara(x = x, k = 1, medoids.x = FALSE)"
    ).summary(),
    "summary of fanny": lambda: R.fanny(small, 2).summary(),
    "summary of fanny dist": lambda: R.fanny(dist(x), 3, memb_exp=1.5).summary(),
    "summary of agnes": lambda: R.agnes(
        small, method="ward", call='cluster::agnes(x = small, method = "ward")'
    ).summary(),
    "summary of agnes dist": lambda: R.agnes(
        dist(x), keep_diss=False, call="cluster::agnes(x = dist(x), keep.diss = FALSE)"
    ).summary(),
    "summary of diana": lambda: R.diana(small, metric="manhattan").summary(),
    "summary of kmeans": lambda: R.summary(R.kmeans(x, 3)),
    "summary of hclust": lambda: R.summary(hclust(dist(small))),
    "sizes of silhouettes": lambda: R.silhouette([1, 2, 3] * 10, dist(x)).summary().clus_sizes,
    "twice scaled": lambda: 2 * R.scale(small),
    "positive": lambda: R.scale(small)[:, :3] > 0,
    "shares in percent": lambda: 100 * R.prop_table(R.table(first, second), 1),
}
STRUCTURES = {
    "numbers": lambda: [1.23456, *(np.arange(2, 10) / 4), 10, 1e5],
    "names": lambda: small[:, 0],
    "matrix": lambda: R.as_matrix(named),
    "scaled": lambda: R.scale(small),
    "kmeans": lambda: R.kmeans(x, 3),
    "hclust": lambda: hclust(dist(small)),
    "table": lambda: R.table(first, second),
    "table of one": lambda: R.table(first),
    "texts": lambda: second,
    "frame": lambda: pd.DataFrame(
        {"n": np.array(first) + 0.5, "w": second, "f": pd.Categorical(second), "b": np.array(first) > 1}
    ),
    "list": lambda: {"a": 1.5, "": [[True] * 9, None], "w": list(ascii_lowercase)},
    "dendrogram": lambda: R.as_dendrogram(hclust(dist(small))),
    "intervals": lambda: R.cut(x[:, 0], 3, ordered_result=True),
}
"""What `str` is called with."""


def recorded():
    """What R printed, by the name of the call."""
    text = (Path(__file__).parent / "printed.txt").read_text(encoding="utf-8").removesuffix("\n")
    return dict(part.split("\n", 1) for part in ("\n" + text).split("\n=== ")[1:])


PRINTED = recorded()


def test_every_print_has_its_call():
    assert set(PRINTED) == {*CALLS, *(f"str of {name}" for name in STRUCTURES)}


@pytest.mark.parametrize("name", CALLS)
def test_printed_text(name, capsys):
    R.set_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RWarning)
        value = CALLS[name]()
    value.print()
    assert capsys.readouterr().out.removesuffix("\n") == PRINTED[name]


@pytest.mark.parametrize("name", STRUCTURES)
def test_structure(name, capsys):
    R.set_seed(1)
    R.str(STRUCTURES[name]())
    assert capsys.readouterr().out.removesuffix("\n") == PRINTED[f"str of {name}"]
