"""Python calls for distances and trees, made from data as in ``calls.R``."""

from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd

from r_reference.packages.base.ours import printed as printed_codes
from r_reference.packages.stats.cases_trees import DISTANCES, METHODS
from sparsek import rcompat
from sparsek.rcompat.base.arrays import RArray
from sparsek.rcompat.base.expressions import Call
from sparsek.rng import RRandom


def _dist(x: Any, **args: Any) -> dict[str, Any]:
    """The distances of the rows of x and their attributes."""
    d = rcompat.dist(x, **args)
    known = d.attributes
    fields = {name: known.get(name) for name in ("Size", "Diag", "Upper")}
    return {
        "distances": np.asarray(d),
        **fields,
        "method": DISTANCES.index(known["method"]) + 1,
        "p": known.get("p"),
    }


def _hclust(
    x: Any, method: str, metric: str = "euclidean", power: float = 1, named: bool = False, **args: Any
) -> dict[str, Any]:
    """The tree of the distances of x."""
    names = [f"row{i + 1}" for i in range(len(x))] if named else []
    d = rcompat.dist(pd.DataFrame(x, index=names) if named else x, metric) ** power
    tree = rcompat.hclust(d, method, **args)
    labels = tree.labels and [names.index(label) + 1 for label in tree.labels]
    places = {
        "call": None,
        "method": METHODS.index(tree.method) + 1,
        "dist.method": DISTANCES.index(tree.dist_method) + 1,
    }
    return {**tree, "labels": np.array(labels) if labels else None, **places}


def _cutree(x: Any, method: str, named: bool = False, **cuts: Any) -> Any:
    """The groups of the tree of the distances of x, and their names."""
    groups = rcompat.cutree(_tree(x, method, named=named), **cuts)
    if not named:
        return groups
    rows, heads = groups.attributes.get("dimnames", (groups.attributes.get("names"), None))
    return {"value": groups, "rows": _codes(rows), "cuts": _codes(heads)}


def _as_dist(x: Any, named: str = "no", metric: str | None = None, **args: Any) -> dict[str, Any]:
    """The dissimilarities in x, or those between its rows, and what they are printed by."""
    rows = [f"r{i + 1}" for i in range(len(x))] if named in ("rows", "both") else None
    columns = [f"c{j + 1}" for j in range(x.shape[1])] if named in ("columns", "both") else None
    m = RArray(x, dimnames=(rows, columns))
    return _distances(rcompat.as_dist(m if metric is None else rcompat.dist(m, metric, diag=True), **args))


def _rect_hclust(
    x: Any,
    method: str,
    metric: str = "euclidean",
    power: float = 1,
    named: bool = False,
    at: Any = None,
    **args: Any,
) -> dict[str, Any]:
    """The groups that are drawn, their names, and the left, right and upper side of the rectangles."""
    sheet = Sheet()
    tree = _tree(x, method, metric, power, named)
    groups: Any = rcompat.rect_hclust(tree, **args, x=at, ax=sheet)
    names = [name for group in groups for name in group.attributes.get("names", [])]
    return {"groups": groups, "names": _codes(names), "sides": np.array(sheet.sides).T}


class Sheet:
    """Axes that only keep the sides of the rectangles, so that matplotlib is not needed."""

    def __init__(self) -> None:
        self.sides: list[tuple[float, float, float]] = []

    def get_ylim(self) -> tuple[float, float]:
        """Some limits."""
        return 0.0, 1.0

    def plot(self, x: Any, y: Any, **_: Any) -> None:
        """Keep the left, right and upper side."""
        self.sides.append((min(x), max(x), y[2]))


def _tree(x: Any, method: str, metric: str = "euclidean", power: float = 1, named: bool = False) -> Any:
    """The tree of the distances of x, perhaps with names."""
    rows = pd.DataFrame(x, index=[f"row{i + 1}" for i in range(len(x))]) if named else x
    return rcompat.hclust(rcompat.dist(rows, metric) ** power, method)


def _distances(d: Any) -> dict[str, Any]:
    """Distances, their attributes, and their print where none are missing and names fit."""
    known = {name: d.attributes[name] for name in ("Size", "Diag", "Upper")}
    labels = d.attributes.get("Labels")
    plain = not np.isnan(d).any() and len(labels or []) in (0, known["Size"])
    printed = _codes(str(d).splitlines()) if plain else None
    return {"distances": np.asarray(d), **known, "labels": _codes(labels), "printed": printed}


def _codes(texts: list[str] | None) -> Any:
    """Texts as the numbers of their characters."""
    return np.array([ord(c) for c in "\n".join(texts)]) if texts else None


def _fitted(x: Any, centers: Any, rng: RRandom, nstart: float = 1, **method: str) -> Any:
    """The fitted values of a k-means of x."""
    return rcompat.fitted(rcompat.kmeans(x, centers, nstart=nstart, rng=rng), **method)


def _prcomp(x: Any, **args: Any) -> dict[str, Any]:
    """Principal components, with what their summary adds."""
    return dict(rcompat.prcomp(x, **args).summary())


def _aggregate(
    x: Any,
    FUN: Any,
    first: Any,
    second: Any = None,
    words: str = "none",
    form: str = "frame",
    named: bool = False,
    formula: str | None = None,
    **args: Any,
) -> dict[str, Any]:
    """The results by groups: the numbers, and what is printed."""
    if words == "first":
        first = [None if np.isnan(v) else ascii_uppercase[int(v) - 1] for v in first]
    if words == "levels":
        first = pd.Series(pd.Categorical(first, categories=[6, 5, 4, 3, 2, 1]))
    frame = pd.DataFrame(x, columns=[f"c{j + 1}" for j in range(x.shape[1])])
    if formula is None:
        by: Any = [first] if second is None else [first, second]
        if named:
            by = dict(zip(("first", "second"), by, strict=False))
        if form == "plain":
            by = first
        found = rcompat.aggregate({"matrix": x, "vector": x[:, 0]}.get(form, frame), by, FUN, **args)
    else:
        frame = frame.iloc[:, :2].assign(first=first if len(first) > 1 else [first[0]] * len(x))
        if "second" in formula or formula.endswith("."):
            frame["second"] = second
        found = rcompat.aggregate(formula, frame, FUN, **args)
    columns = [found.iloc[:, j] for j in range(found.shape[1])]
    numbers = [column.to_numpy() for column in columns if pd.api.types.is_numeric_dtype(column)]
    matrices = found.attrs.get("matrices", [])
    size = (len(found), found.shape[1] - sum(len(places) - 1 for places in matrices))
    return {"value": np.concatenate(numbers), "size": np.array(size), "printed": printed_codes(found)}


def _cmdscale(x: Any, form: str, metric: str = "euclidean", **args: Any) -> dict[str, Any]:
    """The coordinates, their names, and what else was asked for."""
    rows = pd.DataFrame(x, index=[f"row{i + 1}" for i in range(len(x))]) if form == "named dist" else x
    d: Any = x if form == "data" else rcompat.dist(rows, metric)
    found = rcompat.cmdscale(rcompat.as_matrix(d) if form == "matrix" else d, **args)
    listed = isinstance(found, dict)
    points = found["points"] if listed else found
    rows = points.attributes.get("dimnames", (None, None))[0]
    others = {name: value for name, value in found.items() if name != "points"} if listed else {}
    return {"points": points, "rows": _codes(rows), **others}


def _twin(
    x: Any,
    method: str,
    kind: str = "hclust",
    metric: str = "euclidean",
    power: float = 1,
    named: bool = False,
) -> Any:
    """The tree of hclust, agnes or diana."""
    if kind == "hclust":
        return _tree(x, method, metric, power, named)
    rows = pd.DataFrame(x, index=[f"row{i + 1}" for i in range(len(x))]) if named else x
    d = rcompat.dist(rows, metric) ** power
    return rcompat.agnes(d, method=method) if kind == "agnes" else rcompat.diana(d)


def _dendrogram(x: Any, *, hang: float = -1, part: str = "all", **args: Any) -> Any:
    """The dendrogram, perhaps turned, cut or a branch of it."""
    d = rcompat.as_dendrogram(_twin(x, **args), hang=hang)
    if part in ("left", "right"):
        return d[("left", "right").index(part)]
    if part == "upper":
        return rcompat.cut(d, d.attributes["height"] / 2).upper
    return rcompat.rev(d) if part == "rev" else d


def _nodes(d: Any) -> list[Any]:
    """The nodes, the root first."""
    return [d, *(node for branch in d for node in _nodes(branch))]


def _node_fields(d: Any) -> dict[str, Any]:
    """What every node has, and the print."""
    nodes = _nodes(d)
    names = ("height", "members", "midpoint", "x.member", "value")
    leaves = [node for node in nodes if not node]
    fields = {name: np.array([float(node.attributes.get(name, -1)) for node in nodes]) for name in names}
    return fields | {
        "branches": np.array([float(len(node)) for node in nodes]),
        "objects": np.array([float(leaf.value) for leaf in leaves]),
        "labels": _codes([str(leaf.attributes["label"]) for leaf in leaves]),
        "printed": _codes(str(d).splitlines()),
    }


def _as_hclust(x: Any, form: str, **args: Any) -> dict[str, Any]:
    """The tree of a dendrogram, of agnes or of diana."""
    tree = rcompat.as_hclust(_dendrogram(x, **args) if form == "dendrogram" else _twin(x, **args))
    tree["call"] = Call("as.hclust(x = x)")
    texts = {"labels": _codes(tree.labels), "printed": _codes(str(tree).split("\n"))}
    return {name: tree[name] for name in ("merge", "height", "order")} | texts


def _cut(
    x: Any, h: Any = None, at: float | None = None, factor: float = 1, breaks: Any = None, **args: Any
) -> dict[str, Any]:
    """The parts of a dendrogram above and below a height, or that of a node; or the intervals of numbers."""
    if breaks is not None:
        pieces = rcompat.cut(np.ravel(x, order="F"), breaks, **args)
        if isinstance(pieces, RArray):
            return {"codes": np.asarray(pieces)}
        codes = np.where(pieces.codes < 0, np.nan, pieces.codes + 1.0)
        return {"codes": codes, "printed": printed_codes(pieces)}
    d = _dendrogram(x, **args)
    if at is not None:
        heights = sorted(node.attributes["height"] for node in _nodes(d) if node)
        h = heights[int(at) - 1] * factor
    found = rcompat.cut(d, h=h)
    lower = [_node_fields(part) for part in found.lower]
    return {"upper": _node_fields(found.upper), "lower": lower, "printed": _codes(str(found).split("\n"))}


def _rev(x: Any, form: str = "dendrogram", **args: Any) -> dict[str, Any]:
    """A dendrogram or a vector from right to left."""
    if form == "dendrogram":
        return _node_fields(rcompat.rev(_dendrogram(x, **args)))
    names = [f"v{i + 1}" for i in range(len(x))] if form == "named" else None
    found = rcompat.rev(RArray(x[:, 0], names=names))
    return {"value": np.asarray(found), "names": _codes(found.attributes.get("names"))}


def _cophenetic(x: Any, form: str = "tree", **args: Any) -> dict[str, Any]:
    """The heights at which pairs join, of a tree or a dendrogram."""
    return _distances(rcompat.cophenetic(_tree(x, **args) if form == "tree" else _dendrogram(x, **args)))


def _reorder(x: Any, wts: Any, agglo_FUN: str = "sum", **args: Any) -> dict[str, Any]:
    """A dendrogram ordered by weights."""
    return _node_fields(rcompat.reorder(_dendrogram(x, **args), wts, agglo_FUN))


def _heatmap(
    x: Any,
    rows: str = "means",
    columns: str = "means",
    method: str | None = None,
    metric: str | None = None,
    form: str = "data",
    named: bool = False,
    **args: Any,
) -> dict[str, Any]:
    """The order of a heat map, and the trees."""
    from matplotlib.figure import Figure

    if named:
        names = [f"row{i + 1}" for i in range(len(x))], [f"v{j + 1}" for j in range(x.shape[1])]
        x = RArray(x, dimnames=names)
    if method is not None:
        args["hclustfun"] = lambda d: rcompat.hclust(d, method)
    if metric is not None:
        args["distfun"] = lambda rows: rcompat.dist(rows, metric)
    if form == "square":
        x = rcompat.as_matrix(rcompat.dist(x))
    if form == "vector":
        x = x[:, 0]
    args |= {name: np.nan for name, kind in (("Rowv", rows), ("Colv", columns)) if kind == "none"}
    if rows in ("tree", "short"):
        d = rcompat.dist(x if rows == "tree" else x[1:])
        args["Rowv"] = rcompat.as_dendrogram(rcompat.hclust(d, "average"))
    found = rcompat.heatmap(x, keep_dendro=True, ax=Figure().add_subplot(), **args)
    trees = {name: found[name] and _node_fields(found[name]) for name in ("Rowv", "Colv")}
    return {name: found[name].astype(float) for name in ("rowInd", "colInd")} | trees


CALLS = {
    "as.dendrogram": lambda x, **args: _node_fields(_dendrogram(x, **args)),
    "as.hclust": _as_hclust,
    "cut": _cut,
    "heatmap": _heatmap,
    "labels": lambda x, **args: {"labels": _codes([str(n) for n in rcompat.labels(_dendrogram(x, **args))])},
    "nobs": lambda x, **args: rcompat.nobs(_dendrogram(x, **args)),
    "reorder": _reorder,
    "rev": _rev,
    "aggregate": _aggregate,
    "cmdscale": _cmdscale,
    "dist": _dist,
    "hclust": _hclust,
    "cutree": _cutree,
    "as.dist": _as_dist,
    "cophenetic": _cophenetic,
    "order.dendrogram": lambda x, **args: rcompat.order_dendrogram(_tree(x, **args)),
    "prcomp": _prcomp,
    "rect.hclust": _rect_hclust,
    "fitted": _fitted,
}
"""Calls, by the name of the R function."""
