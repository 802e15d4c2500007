"""Clusters of the cells of an AnnData object, and the genes of given ones: results in the object itself."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import ClusterMixin, OneToOneFeatureMixin, clone
from sklearn.pipeline import Pipeline

import sparsek
from sparsek.core.tasks import last_step
from sparsek.inference.explanation import explain as explain_labels
from sparsek.methods.search.resamples import input_support
from sparsek.methods.search.stability import StabilitySelection

__all__ = ["cluster", "explain"]

KEY = "sparsek"
"""Name under which results are stored, and beginning of the names of further columns."""
NAMES = {
    "obs": (KEY, f"{KEY}_outlier"),
    "var": (f"{KEY}_selected", f"{KEY}_weight"),
    "varm": (f"{KEY}_weights",),
}
"""What a call may write beside ``.uns``."""
EXPLAINED = f"{KEY}_explained"
"""The same for what given clusters explain."""
NAMES_EXPLAINED = {
    "var": (f"{EXPLAINED}_selected", f"{EXPLAINED}_weight", f"{EXPLAINED}_frequency"),
    "varm": (f"{EXPLAINED}_weights",),
}
"""What `explain` may write beside ``.uns``."""
NUMBERS = ("objective_", "inertia_", "n_iter_", "l1_bound_")
"""Attributes of the fit that go to ``.uns``."""


def cluster(adata: Any, estimator: Any, layer: str | None = None, batch_key: str | None = None) -> Any:
    """Cluster the cells of an AnnData object and store the results in it.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns. Its matrices are not changed. After the fit has succeeded, these
        entries are added or replaced, and those of an earlier call that this fit does not have are removed:

        - ``.obs["sparsek"]``: the cluster of every cell, as categories "0", "1", ...;
        - ``.obs["sparsek_outlier"]``: whether the cell is an outlier, for robust estimators;
        - ``.var["sparsek_selected"]``: whether the gene is selected, for estimators that select;
        - ``.var["sparsek_weight"]``: weight of the gene, dimensionless, for estimators that weight;
        - ``.varm["sparsek_weights"]``: weights of the gene in every cluster, where clusters have their own;
        - ``.uns["sparsek"]``: estimator with its parameters, layer, version and criterion.
    estimator : estimator
        A clusterer of sparsek or scikit-learn, a search or a Pipeline that ends in a clusterer. It is not
        fitted itself; a copy is.
    layer : str or None, default=None
        Name of the layer to cluster; None takes ``.X``.
    batch_key : str or None, default=None
        The column of ``.obs`` that has the batch of every cell; genes are centred, and with `standardize`
        scaled, within batches. None for no batches.

    Returns
    -------
    estimator
        The fitted copy, for `summary`, plots and `predict`.

    Raises
    ------
    TypeError
        For an object that is not like an AnnData, a layer that is no name, an estimator that gives no labels
        or takes no batches, or a sparse matrix that the estimator does not take.
    ValueError
        For a layer or a batch column that is not there, a matrix without cells or genes, and from the fit.

    See Also
    --------
    sparsek.SKFR : K-means on the s features that separate the clusters best.
    sparsek.plots.plot_weights : Draw the feature weights.

    Notes
    -----
    Nothing is normalised here: filter, normalise and take logarithms first, with scanpy for example, and set
    `standardize` where genes of small variance should count as much as others.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsek import SKFR
    >>> from sparsek.anndata import cluster
    >>> import anndata  # doctest: +SKIP
    >>> adata = anndata.AnnData(np.random.default_rng(0).normal(size=(60, 20)))  # doctest: +SKIP
    >>> model = cluster(adata, SKFR(n_clusters=2, n_features_to_select=5, random_state=0))  # doctest: +SKIP
    >>> adata.obs["sparsek"].value_counts()  # doctest: +SKIP
    """
    _check_estimator(estimator)
    X, names, named = _named(_matrix(adata, layer), adata.var_names)
    batches = {} if batch_key is None else {"batch": _batches(adata, estimator, batch_key)}
    model = clone(estimator).fit(X, **batches)
    best = getattr(model, "best_estimator_", model)
    found = last_step(best)
    if not hasattr(found, "labels_"):
        raise _no_labels(found)
    if not named and not isinstance(model, Pipeline) and getattr(found, "n_features_in_", 0) == len(names):
        found.feature_names_in_ = names
    record = _record(estimator, found, layer) | ({} if batch_key is None else {"batch_key": batch_key})
    parts = {
        "obs": {KEY: _categories(found.labels_, adata.obs_names), **_outliers(found)},
        **_of_genes(adata.shape[1], best, found),
    }
    for part, names_of_part in NAMES.items():
        _replace(getattr(adata, part), names_of_part, parts.get(part, {}))
    adata.uns[KEY] = record
    return model


def explain(adata: Any, labels: str, layer: str | None = None, **options: Any) -> Any:
    """Rank the genes by what given clusters of the cells explain of them, and store the results.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns. Its matrices are not changed. These entries are added or replaced,
        and those of an earlier call that this one does not have are removed:

        - ``.var["sparsek_explained_weight"]``: share in [0, 1] of the sum of squares of the gene that the
          clusters explain;
        - ``.varm["sparsek_explained_weights"]`` in its place with ``scope="local"``, one column for each
          cluster;
        - ``.var["sparsek_explained_selected"]``: whether the gene is among the first ones;
        - ``.var["sparsek_explained_frequency"]``: in which share of the halves of the cells it is, where
          halves are drawn;
        - ``.uns["sparsek_explained"]``: labels, names of the clusters, parameters, layer and version.
    labels : str
        The column of ``.obs`` that has the clusters, such as "leiden".
    layer : str or None, default=None
        Name of the layer to look at; None takes ``.X``.
    **options : object
        Further arguments of `sparsek.explain`, by name.

    Returns
    -------
    Explanation
        The result of `sparsek.explain`, for `summary` and plots.

    Raises
    ------
    TypeError
        For an object that is not like an AnnData, and from `sparsek.explain`.
    ValueError
        For a layer or a column that is not there, and from `sparsek.explain`.

    See Also
    --------
    sparsek.explain : Rank the features by what given clusters explain of them.
    cluster : Cluster the cells.

    Examples
    --------
    >>> from sparsek.anndata import explain
    >>> import scanpy  # doctest: +SKIP
    >>> adata = scanpy.datasets.pbmc68k_reduced()  # doctest: +SKIP
    >>> found = explain(adata, "louvain", n_features_to_select=20)  # doctest: +SKIP
    >>> adata.var["sparsek_explained_weight"].nlargest(5)  # doctest: +SKIP
    """
    X, names, named = _named(_matrix(adata, layer), adata.var_names)
    model = explain_labels(X, _column(adata, labels, "labels"), **options)
    if not named:
        model.feature_names_in_ = names
    parts = _of_genes(adata.shape[1], model, model, EXPLAINED)
    if hasattr(model, "selection_frequencies_"):
        parts["var"][f"{EXPLAINED}_frequency"] = model.selection_frequencies_
    for part, names_of_part in NAMES_EXPLAINED.items():
        _replace(getattr(adata, part), names_of_part, parts[part])
    clusters = np.asarray(model.classes_).astype(str).astype(object)
    adata.uns[EXPLAINED] = {"labels": labels, "clusters": clusters, **_record(model, model, layer)}
    return model


def _column(adata: Any, key: Any, name: str) -> Any:
    """A column of ``.obs``; `name` is that of the argument."""
    if not isinstance(key, str) or key not in adata.obs:
        known = ", ".join(map(repr, adata.obs)) or "none"
        raise ValueError(f"{name} must be the name of a column of adata.obs ({known}); got {key!r:.60}")
    return adata.obs[key]


def _batches(adata: Any, estimator: Any, batch_key: str) -> Any:
    """The batch of every cell, for an estimator that takes batches."""
    if "batch" not in signature(estimator.fit).parameters:
        raise TypeError(
            f"{type(estimator).__name__} takes no batches, which batch_key={batch_key!r} names; use SKFR or "
            "SparseKMeans, or leave batch_key out"
        )
    return _column(adata, batch_key, "batch_key")


def _named(X: Any, var_names: Any) -> tuple[Any, Any, bool]:
    """The matrix, as a table where genes have names of their own; the names; and whether it is that."""
    names = np.asarray(var_names, dtype=object).astype(str).astype(object)
    named = not issparse(X) and len(set(names)) == len(names)  # genes of one name are told by their position
    return (pd.DataFrame(np.asarray(X), columns=names) if named else X), names, named


def _check_estimator(estimator: Any) -> None:
    """Refuse what cannot cluster, before any work."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise TypeError(
            f"estimator must be a clusterer such as SKFR(3), a search or a Pipeline; got {estimator!r}"
        )
    last = last_step(estimator)
    if not hasattr(last, "fit_predict") and not hasattr(last, "estimator"):
        raise _no_labels(last)
    if isinstance(last, StabilitySelection):
        raise _no_labels(last)


def _no_labels(last: Any) -> TypeError:
    """The error for an estimator that does not cluster."""
    return TypeError(
        f"{type(last).__name__} gives no labels of the cells; pass a clusterer, such as the one inside it "
        "with the features that it selects"
    )


def _replace(table: Any, names: tuple[str, ...], entries: dict[str, Any]) -> None:
    """Put entries into a part of the object, and take out those of these names that are not among them."""
    for name in names:
        if name in entries:
            table[name] = entries[name]
        elif name in table:
            del table[name]


def _outliers(found: Any) -> dict[str, Any]:
    """Which cells are outliers, where the estimator tells."""
    return {f"{KEY}_outlier": np.asarray(found.outliers_)} if hasattr(found, "outliers_") else {}


def _matrix(adata: Any, layer: str | None) -> Any:
    """The matrix to cluster."""
    if not all(hasattr(adata, name) for name in ("X", "obs", "var", "uns", "layers")):
        raise TypeError(
            f"an AnnData object is needed; got {type(adata).__name__}: estimators take arrays and tables "
            "themselves, as in SKFR(3).fit(X)"
        )
    if 0 in adata.shape:
        raise ValueError(
            f"adata has {adata.shape[0]} cells and {adata.shape[1]} genes; at least one of each is needed: "
            "look at the filters before"
        )
    if layer is None:
        if adata.X is None:
            known = ", ".join(map(repr, adata.layers)) or "none"
            raise TypeError(f"adata.X is None; name one of its layers ({known}) as layer")
        return adata.X
    if not isinstance(layer, str):
        raise TypeError(f"layer must be the name of a layer, or None for adata.X; got {layer!r:.60}")
    if layer not in adata.layers:
        known = ", ".join(map(repr, adata.layers)) or "no layers"
        raise ValueError(f"adata has no layer {layer!r}; it has {known}")
    return adata.layers[layer]


def _categories(labels: Any, cells: Any) -> pd.Series[Any]:
    """Labels as texts in the order of the numbers, as scanpy's clusterings give them."""
    numbers = np.unique(labels)
    texts = np.asarray(labels).astype(int).astype(str)
    found = pd.Categorical(texts, categories=[str(int(number)) for number in numbers])
    return pd.Series(found, index=cells)


def _of_genes(p: int, fit: Any, found: Any, key: str = KEY) -> dict[str, dict[str, Any]]:
    """Which genes are selected, and weights; a Pipeline that makes new features has neither."""
    var: dict[str, Any] = {}
    varm: dict[str, Any] = {}
    if hasattr(found, "get_support") and _selects_genes(fit):
        var[f"{key}_selected"] = input_support(fit, p)
    weights = found._weights_by_cluster() if hasattr(found, "_weights_by_cluster") else None
    if weights is not None and np.shape(weights)[-1] == p and _selects_genes(fit):
        values = np.asarray(weights, dtype=np.float64)
        if values.ndim == 1:
            var[f"{key}_weight"] = values
        else:
            varm[f"{key}_weights"] = values.T
    return {"var": var, "varm": varm}


def _selects_genes(fit: Any) -> bool:
    """Whether the features of the last step are genes: the steps before it scale or select."""
    steps = [step for _, step in fit.steps[:-1]] if isinstance(fit, Pipeline) else []
    return all(
        step in (None, "passthrough")
        or isinstance(step, OneToOneFeatureMixin)
        or (hasattr(step, "get_support") and not isinstance(step, ClusterMixin))
        for step in steps
    )


def _record(estimator: Any, found: Any, layer: str | None) -> dict[str, Any]:
    """What ``.uns`` keeps, in types that h5ad files hold."""
    numbers = {name.rstrip("_"): float(getattr(found, name)) for name in NUMBERS if hasattr(found, name)}
    return {
        "estimator": " ".join(repr(estimator).split()),
        "layer": "X" if layer is None else layer,
        "version": sparsek.__version__,
        **numbers,
    }


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
