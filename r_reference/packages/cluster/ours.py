"""Python calls of cluster, made as in ``calls.R``."""

import contextlib
import io
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform

from sparsek import rcompat
from sparsek.errors import RError
from sparsek.rng import RRandom


def printed(value: Any) -> np.ndarray:
    """What is printed of a value, as numbers of characters."""
    return np.array([ord(character) for character in str(value)])


def objects_of(x: np.ndarray, form: str = "rows") -> Any:
    """The rows of x, with names where wanted, or their dissimilarities in one of R's forms."""
    rows: Any = x
    if form.startswith("named"):
        n, p = x.shape
        rows = pd.DataFrame(x, [f"row{i + 1}" for i in range(n)], [f"v{j + 1}" for j in range(p)])
    if form.endswith("rows"):
        return rows
    d = rcompat.dist(rows)
    if form.endswith("dist"):
        return d
    return np.asarray(d) if form == "vector" else squareform(np.asarray(d), checks=False)


def _pam(x: np.ndarray, k: float, form: str = "rows", *, rng: RRandom, **args: Any) -> dict[str, Any]:
    """Partition the rows, or their dissimilarities."""
    objects = objects_of(x, form)
    if form in ("vector", "square"):
        args["diss"] = True
    elif form.endswith("rows"):
        args["diss"] = False
    fit = rcompat.pam(objects, k, rng=rng, **args)
    if not isinstance(fit, rcompat.PamResult):
        return {"clustering": fit}
    names = [str(i + 1) for i in range(len(fit.clustering))] if fit.row_names is None else fit.row_names
    medoids = fit.medoids
    fields = {name: fit[name] for name in ("id.med", "clustering", "objective", "clusinfo", "diss")}
    if medoids.dtype.kind == "U":
        medoids = [names.index(name) + 1 for name in medoids]
    fields["medoids"] = np.array(medoids)
    fields["isolation"] = np.array([("no", "L", "L*").index(text) + 1 for text in fit.isolation])
    return fields | _silhouettes_of(fit, names) | _kept_data(fit) | {"printed": printed(fit)}


def _clara(x: np.ndarray, form: str = "rows", *, rng: RRandom, **args: Any) -> dict[str, Any]:
    """Cluster the rows around medoids of samples."""
    fit = rcompat.clara(objects_of(x, form), rng=rng, call="clara(x = x)", **args)
    if not isinstance(fit, rcompat.ClaraResult):
        return {"clustering": fit}
    names = [f"row{i + 1}" if form.startswith("named") else str(i + 1) for i in range(len(x))]
    fields = {n: fit[n] for n in ("medoids", "i.med", "clustering", "objective", "clusinfo", "diss")}
    fields["sample"] = np.array([names.index(str(i)) + 1 for i in fit.sample])
    return fields | _silhouettes_of(fit, names) | _kept_data(fit) | {"printed": printed(fit)}


def _fanny(x: np.ndarray, form: str = "rows", **args: Any) -> dict[str, Any]:
    """Fuzzy clusters of the rows, or of their dissimilarities."""
    given = {"vector": True, "square": True}.get(form, None if form.endswith("dist") else False)
    fit = rcompat.fanny(objects_of(x, form), diss=given, call="fanny(x = x)", **args)
    names = [f"row{i + 1}" if form.startswith("named") else str(i + 1) for i in range(len(x))]
    fields = ("membership", "coeff", "memb.exp", "clustering", "k.crisp", "objective", "convergence", "diss")
    found = {n: fit[n] for n in fields} | _silhouettes_of(fit, names) | _kept_data(fit)
    return found | {"printed": printed(fit)}


def _silhouettes_of(fit: Any, names: list[str]) -> dict[str, Any]:
    """The silhouettes of a partition, and the numbers of their objects."""
    widths = fit.get("silinfo")
    if widths is None:
        return {}
    places = {name: float(i + 1) for i, name in enumerate(names)}
    rows = widths.widths.attributes["dimnames"][0] or []
    return {**widths, "objects": np.array([places.get(name, np.nan) for name in rows])}


def _kept_data(fit: Any) -> dict[str, Any]:
    """The data that a partition holds, and how they were standardised."""
    if "data" not in fit:
        return {}
    attributes = fit.data.attributes
    return {"data": fit.data} | {n: attributes.get(f"scaled:{n}") for n in ("center", "scale")}


def _silhouette(
    x: Any, labels: Any = None, k: Any = None, form: str = "dist", fit: str = "pam"
) -> float | dict[str, Any]:
    """Silhouettes of labels, or of a fit."""
    if labels is None and fit != "pam":
        found = rcompat.silhouette(getattr(rcompat, fit)(x, k, call=f"{fit}(x = x, k = k)"))
    elif labels is None:
        found = rcompat.silhouette(rcompat.pam(x, k, diss=False, call="pam(x = x, k = k)"))
    elif form == "none":
        return rcompat.silhouette(labels)
    else:
        dist: Any = rcompat.dist(x)
        dmatrix = squareform(np.asarray(dist), checks=False)
        dmatrix[np.triu_indices(len(dmatrix), 1)] = 7
        dist = dmatrix if form == "lower" else dist
        x = {"clustering": labels} if form == "list" else labels
        x = [str(v) for v in labels] if form == "text" else x
        if form == "dmatrix":
            found = rcompat.silhouette(x=x, dmatrix=dmatrix)
        else:
            found = rcompat.silhouette(x=x, dist=dist)
    if isinstance(found, float):
        return found
    known, summary = found.attributes, found.summary()
    rows = known["dimnames"][0]
    names = ("si.summary", "clus.avg.widths", "clus.sizes", "avg.width")
    return {
        "value": found,
        "rows": None if rows is None else np.array(rows, dtype=float),
        "codes": known.get("codes"),
        "Ordered": known["Ordered"],
        **{name: summary[name] for name in names},
        "printed": printed(found),
        "printed.summary": printed(summary),
    }


def _tree(x: np.ndarray, k: int) -> dict[str, Any]:
    """Groups of a tree."""
    return {"cluster": rcompat.cutree(rcompat.hclust(rcompat.dist(x)), k)}


def _gap(
    x: np.ndarray,
    method: str = "kmeans",
    B: float = 3,
    spaceH0: str = "original",
    print_method: str = "firstSEmax",
    print_factor: float = 1,
    *,
    rng: RRandom,
    **args: Any,
) -> dict[str, Any]:
    """The gap statistic and what is printed of it."""
    fits: dict[str, Any] = {"kmeans": rcompat.kmeans, "pam": rcompat.pam, "hclust": _tree}
    fits |= {"none": lambda x, k: 1, "fixed": lambda x, k: {"cluster": [1] * len(x)}}
    gap = rcompat.clusGap(x, fits[method], B=B, spaceH0=spaceH0, rng=rng, call=GAP_CALL, **args)
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text):
            gap.print(print_method, print_factor)
    except RError:
        text = io.StringIO()
    return {"Tab": gap.Tab, "n": gap.n, "B": gap.B, "printed": printed(text.getvalue().removesuffix("\n"))}


def mixed_frame(x: np.ndarray, kinds: str, named: bool = False) -> pd.DataFrame:
    """A frame whose columns are numbers, categories, ordered ones, truth values, binary numbers or texts."""
    columns: dict[str, Any] = {}
    for j, (v, kind) in enumerate(zip(x.T, kinds, strict=True)):
        known = ~np.isnan(v)
        whole = np.where(known, np.floor(v) % 3, np.nan)
        truth = [bool(n > 0) if k else None for n, k in zip(v, known, strict=True)]
        columns[f"v{j + 1}"] = {
            "n": v,
            "f": pd.Categorical(whole),
            "o": pd.Categorical(whole, [2.0, 0.0, 1.0], ordered=True),
            "l": pd.array(truth, dtype="boolean"),
            "b": np.where(known, v > 0, np.nan),
            "t": [str(n) for n in whole],
        }[kind]
    return pd.DataFrame(columns, [f"row{i + 1}" for i in range(len(x))] if named else None)


def _daisy(x: Any, kinds: str | None = None, named: bool = False, **args: Any) -> dict[str, Any]:
    """Dissimilarities, their attributes, and what is printed of them."""
    types = {name: args.pop(name) for name in ("asymm", "symm", "ordratio", "logratio") if name in args}
    if kinds is not None:
        x = mixed_frame(x, kinds, named)
    d = rcompat.daisy(x, type=types or None, **args)
    letters = [ord(letter) - 64 for letter in d.attributes.get("Types", [])]
    labels = d.attributes.get("Labels")
    return {
        "d": np.asarray(d),
        "Size": d.attributes["Size"],
        "types": np.array(letters),
        "labels": None if labels is None else printed(" ".join(labels)),
        "printed": printed(d),
        "summary": printed(d.summary()),
    }


def _twins(function: Any, name: str, x: np.ndarray, form: str = "rows", **args: Any) -> dict[str, Any]:
    """The tree of the rows, or of their dissimilarities."""
    given = {"vector": True, "square": True}.get(form, None if form.endswith("dist") else False)
    tree = function(objects_of(x, form), diss=given, call=f"{function.__name__}(x = x)", **args)
    fields = {field: tree[field] for field in ("order", "height", name, "merge", "diss")}
    if "data" in tree:
        attributes = tree.data.attributes
        fields |= {"data": tree.data} | {n: attributes.get(f"scaled:{n}") for n in ("center", "scale")}
    labels = tree.get("order.lab")
    return fields | {
        "labels": None if labels is None else printed(" ".join(labels)),
        "printed": printed(tree),
    }


GAP_CALL = "clusGap(x = x, FUNcluster = FUNcluster, K.max = K.max, B = B)"
"""The call that is printed on both sides."""
CALLS = {
    "agnes": partial(_twins, rcompat.agnes, "ac"),
    "diana": partial(_twins, rcompat.diana, "dc"),
    "clara": _clara,
    "daisy": _daisy,
    "fanny": _fanny,
    "pam": _pam,
    "silhouette": _silhouette,
    "clusGap": _gap,
}
"""Calls, by the name of the R function."""
