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
NAMES = {"obs": ("", "_outlier"), "var": ("_selected", "_weight"), "varm": ("_weights",)}
"""What a call may write beside ``.uns``, after the name of its results."""
EXPLAINED = f"{KEY}_explained"
"""The same for what given clusters explain."""
NAMES_EXPLAINED = {
    "var": (f"{EXPLAINED}_selected", f"{EXPLAINED}_weight", f"{EXPLAINED}_frequency"),
    "varm": (f"{EXPLAINED}_weights",),
}
"""What `explain` may write beside ``.uns``."""
NUMBERS = ("objective_", "inertia_", "n_iter_", "l1_bound_")
"""Attributes of the fit that go to ``.uns``."""


def cluster(
    adata: Any,
    estimator: Any,
    layer: str | None = None,
    batch_key: str | None = None,
    *,
    key_added: str = KEY,
    use_rep: str | None = None,
    mask_var: Any = None,
) -> Any:
    """Cluster the cells of an AnnData object and store the results in it.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns. Its matrices are not changed. After the fit has succeeded, these
        entries are added or replaced, and those of an earlier call of this `key_added` that the fit does not
        have are removed:

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
    key_added : str, default="sparsek"
        Name of the results, in place of "sparsek" in the entries above: several results stand side by side.
    use_rep : str or None, default=None
        Name of a representation in ``.obsm`` to cluster, such as "X_pca", in place of the genes; "X" and None
        take the genes. Results then have no entries in ``.var`` and ``.varm``.
    mask_var : str, ndarray of bool of shape (n_vars,) or None, default=None
        The genes that take part: a column of ``.var`` that holds truth values, such as "highly_variable", or
        a mask. The others are not selected, and their weights are NaN. None for all genes.

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
        For a layer, a representation or a column that is not there, a mask of another length or without
        genes, options that exclude each other, a matrix without cells or genes, and from the fit.

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
    _check_adata(adata)
    _check_options(adata, layer, batch_key, key_added, use_rep, mask_var)
    mask = _mask(adata, mask_var)
    X, names, named = _features(adata, layer, use_rep, mask)
    batches = {} if batch_key is None else {"batch": _batches(adata, estimator, batch_key)}
    model = clone(estimator).fit(X, **batches)
    best = getattr(model, "best_estimator_", model)
    found = last_step(best)
    if not hasattr(found, "labels_"):
        raise _no_labels(found)
    if not named and not isinstance(model, Pipeline) and getattr(found, "n_features_in_", 0) == len(names):
        found.feature_names_in_ = names
    masked = mask_var if mask_var is None or isinstance(mask_var, str) else "a mask"
    given = {"batch_key": batch_key, "use_rep": use_rep, "mask_var": masked}
    record = _record(estimator, found, layer) | {
        name: text for name, text in given.items() if text is not None
    }
    parts: dict[str, dict[str, Any]] = {
        "obs": {key_added: _categories(found.labels_, adata.obs_names), **_outliers(found, key_added)},
    }
    if use_rep in (None, "X"):
        parts |= _of_all_genes(_of_genes(len(names), best, found, key_added), mask)
    for part, ends in NAMES.items():
        _replace(getattr(adata, part), tuple(key_added + end for end in ends), parts.get(part, {}))
    adata.uns[key_added] = record
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
    model = explain_labels(X, _entry(adata, "obs", labels, "labels"), **options)
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


def _check_options(
    adata: Any, layer: Any, batch_key: Any, key_added: Any, use_rep: Any, mask_var: Any
) -> None:
    """Refuse a name that is none, and options that exclude each other, before any work."""
    if not isinstance(key_added, str) or not key_added:
        raise TypeError(f"key_added must be a name for the results; got {key_added!r:.60}")
    places = {"batch_key": "a column of adata.obs", "use_rep": "an entry of adata.obsm"}
    for name, value in (("batch_key", batch_key), ("use_rep", use_rep)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name} must be the name of {places[name]}; got {value!r:.60}")
    if key_added == batch_key:
        raise ValueError(f"key_added and batch_key are both {key_added!r}; name the results otherwise")
    if use_rep in (None, "X"):
        return
    for name, value in (("layer", layer), ("mask_var", mask_var)):
        if value is not None:
            raise ValueError(f"use_rep={use_rep!r} has no genes; leave {name} out, or take use_rep=None")
    _entry(adata, "obsm", use_rep, "use_rep")


def _mask(adata: Any, mask_var: Any) -> Any:
    """The genes that take part, as a mask, or None for all."""
    if mask_var is None:
        return None
    if isinstance(mask_var, str):
        mask_var = _entry(adata, "var", mask_var, "mask_var")
    mask = np.asarray(mask_var)
    if mask.dtype != bool or mask.shape != (adata.shape[1],) or not mask.any():
        raise ValueError(
            f"mask_var must have a truth value for each of the {adata.shape[1]} genes, one of them True; got "
            f"{mask.dtype} of shape {mask.shape}, {np.count_nonzero(mask)} of them True"
        )
    return mask


def _features(adata: Any, layer: str | None, use_rep: str | None, mask: Any) -> tuple[Any, Any, bool]:
    """What `_named` gives, of the genes that take part or of a representation."""
    if use_rep in (None, "X"):
        X, genes = _matrix(adata, layer), np.asarray(adata.var_names, dtype=object)
        return _named(X, genes) if mask is None else _named(X[:, mask], genes[mask])
    stored = adata.obsm[use_rep]
    names = getattr(stored, "columns", [f"{use_rep}{j}" for j in range(1, stored.shape[1] + 1)])
    return _named(stored, names)


def _of_all_genes(parts: dict[str, dict[str, Any]], mask: Any) -> dict[str, dict[str, Any]]:
    """Entries of the genes that took part for all genes; the others are not selected and have no weights."""
    if mask is None:
        return parts

    def whole(values: Any) -> Any:
        values = np.asarray(values)
        entries = np.full((len(mask), *values.shape[1:]), False if values.dtype == bool else np.nan)
        entries[mask] = values
        return entries

    return {part: {name: whole(values) for name, values in of.items()} for part, of in parts.items()}


def _entry(adata: Any, part: str, key: Any, name: str) -> Any:
    """A column of ``.obs`` or ``.var``, or an entry of ``.obsm``; `name` is that of the argument."""
    table, what = getattr(adata, part), "an entry" if part == "obsm" else "a column"
    if not isinstance(key, str) or key not in table:
        known = ", ".join(map(repr, table)) or "none"
        raise ValueError(f"{name} must be the name of {what} of adata.{part} ({known}); got {key!r:.60}")
    return table[key]


def _batches(adata: Any, estimator: Any, batch_key: str) -> Any:
    """The batch of every cell, for an estimator that takes batches."""
    if "batch" not in signature(estimator.fit).parameters:
        raise TypeError(
            f"{type(estimator).__name__} takes no batches, which batch_key={batch_key!r} names; use SKFR or "
            "SparseKMeans, or leave batch_key out"
        )
    return _entry(adata, "obs", batch_key, "batch_key")


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


def _outliers(found: Any, key: str) -> dict[str, Any]:
    """Which cells are outliers, where the estimator tells."""
    return {f"{key}_outlier": np.asarray(found.outliers_)} if hasattr(found, "outliers_") else {}


def _check_adata(adata: Any) -> None:
    """Refuse what is no AnnData object, or has no cells or no genes."""
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


def _matrix(adata: Any, layer: str | None) -> Any:
    """The matrix to cluster."""
    _check_adata(adata)
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
